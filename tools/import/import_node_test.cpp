// SPDX-License-Identifier: Apache-2.0
// From the protobuf messages of a node test to calls, refusing what a case cannot say.
#include "tools/import/import_node_test.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "conformance/util/json.hpp"
#include "conformance/util/special_file.hpp"
#include "reference/byte_order.hpp"
#include "tools/import/onnx_messages.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;
namespace onnx = onnx_messages;

/// More does not go into a case file: its text would exceed what the loader reads.
constexpr std::size_t file_limit = std::size_t{64} << 20;

template <class T>
using Or = std::variant<T, Refusal>;

template <class Message>
Or<Message> read_message(const fs::path& file) {
    const std::string name = file.filename().generic_string();
    if (const std::string special = special_file(file); !special.empty()) {
        return Refusal{name + " is " + special + ", not a file"};
    }
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (!error && size > file_limit) {
        return Refusal{name + " has " + std::to_string(size) +
                       " bytes; a case file has room for tests of at most " +
                       std::to_string(file_limit)};
    }
    const auto content = read_file(file, file_limit);
    if (const auto* problem = std::get_if<Problem>(&content)) {
        return Refusal{name + " " + problem->reason};
    }
    Message message;
    if (!read(std::get<std::string>(content), message)) {
        return Refusal{name + " is no readable protobuf message; it is damaged or something else"};
    }
    return message;
}

bool is_utf8(const std::string& text) {
    // Bytes that are not UTF-8 are the ones in which the two ways of writing differ.
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore) == json_string(text);
}

std::string element_type_text(int number) {
    const auto type = element_type_of_onnx(number);
    if (type) return std::string(name(*type));
    return "of ONNX number " + std::to_string(number);
}

Or<ElementType> read_element_type(int number) {
    const auto type = element_type_of_onnx(number);
    // Version 13 takes every type that any gather operator of ONNX takes.
    if (!type || !info(OperatorVersion::onnx_gather_13).data_types.contains(*type)) {
        return Refusal{"its element type is " + element_type_text(number) +
                       ", which no gather operator of ONNX takes"};
    }
    return *type;
}

Or<Shape> read_shape(const onnx::Tensor& tensor) {
    if (std::cmp_greater(tensor.dims.size(), max_rank)) {
        return Refusal{"it has " + std::to_string(tensor.dims.size()) +
                       " dimensions; a case has at most " + std::to_string(max_rank)};
    }
    Shape shape;
    for (const std::int64_t dim : tensor.dims) {
        if (dim < 0) return Refusal{"it has the negative dimension " + std::to_string(dim)};
        shape.push_back(dim);
    }
    return shape;
}

using Bytes = std::vector<std::byte>;

/// The values of one typed field, each as a `Stored`.
template <class Stored, class Field>
Or<Bytes> stored(const Field& field, Stored lowest = std::numeric_limits<Stored>::lowest(),
                 Stored highest = std::numeric_limits<Stored>::max()) {
    Bytes bytes(field.size() * sizeof(Stored));
    std::size_t offset = 0;
    for (const auto value : field) {
        if constexpr (std::is_integral_v<Stored>) {
            if (std::cmp_less(value, lowest) || std::cmp_greater(value, highest)) {
                return Refusal{"it holds the value " + std::to_string(value) +
                               ", which its element type does not have"};
            }
        }
        const auto element = static_cast<Stored>(value);
        std::memcpy(bytes.data() + offset, &element, sizeof element);
        offset += sizeof element;
    }
    return bytes;
}

/// The contents from the typed field that belongs to the element type.
Or<Bytes> read_typed_field(const onnx::Tensor& tensor, ElementType type) {
    using enum ElementType;
    if (type == boolean) return stored<std::uint8_t>(tensor.int32_data, 0, 1);
    if (type == u8) return stored<std::uint8_t>(tensor.int32_data);
    if (type == i8) return stored<std::int8_t>(tensor.int32_data);
    if (type == i16) return stored<std::int16_t>(tensor.int32_data);
    if (type == u16 || type == f16 || type == bf16) {
        return stored<std::uint16_t>(tensor.int32_data);
    }
    if (type == i32) return stored<std::int32_t>(tensor.int32_data);
    if (type == i64) return stored<std::int64_t>(tensor.int64_data);
    if (type == u32) return stored<std::uint32_t>(tensor.uint64_data);
    if (type == u64) return stored<std::uint64_t>(tensor.uint64_data);
    if (type == f32 || type == c64) return stored<float>(tensor.float_data);
    return stored<double>(tensor.double_data);  // f64, c128
}

struct FieldSize {
    std::string_view name;
    std::size_t size;
};

std::array<FieldSize, 6> typed_fields(const onnx::Tensor& tensor) {
    return {{{"float_data", tensor.float_data.size()},
             {"int32_data", tensor.int32_data.size()},
             {"string_data", tensor.string_data.size()},
             {"int64_data", tensor.int64_data.size()},
             {"double_data", tensor.double_data.size()},
             {"uint64_data", tensor.uint64_data.size()}}};
}

std::string_view typed_field_of(ElementType type) {
    using enum ElementType;
    if (type == string) return "string_data";
    if (type == i64) return "int64_data";
    if (type == u32 || type == u64) return "uint64_data";
    if (type == f32 || type == c64) return "float_data";
    if (type == f64 || type == c128) return "double_data";
    return "int32_data";
}

/// Nothing where exactly the right number of values stands in exactly one right field.
std::optional<Refusal> check_fields(const onnx::Tensor& tensor, const Descriptor& descriptor) {
    const auto count = element_count(descriptor.shape);
    const auto bytes = byte_size(descriptor);
    if (!count || !bytes) {
        return Refusal{"its dimensions " + to_string(descriptor.shape) +
                       " are more than 63 bits can count"};
    }
    const std::string_view own = typed_field_of(descriptor.type);
    const std::string wanted = "shape " + to_string(descriptor.shape) + " of " +
                               std::string(name(descriptor.type)) + " needs ";
    bool typed = false;
    for (const auto& [field, size] : typed_fields(tensor)) {
        if (size == 0) continue;
        typed = true;
        if (tensor.raw_data) {
            return Refusal{"it has contents twice, in raw_data and in " + std::string(field)};
        }
        if (field != own) {
            return Refusal{"it has contents in " + std::string(field) + ", where " +
                           std::string(name(descriptor.type)) + " has them in " + std::string(own)};
        }
        const std::size_t values =
            info(descriptor.type).kind == ElementKind::complex ? size / 2 : size;
        const bool half = info(descriptor.type).kind == ElementKind::complex && size % 2 != 0;
        if (std::cmp_not_equal(values, *count) || half) {
            return Refusal{wanted + std::to_string(*count) + " elements, " + std::string(field) +
                           " has " + std::to_string(size) + " values"};
        }
    }
    if (typed) return std::nullopt;
    if (descriptor.type == ElementType::string) {
        if (tensor.raw_data) return Refusal{"it has strings in raw_data"};
        if (*count == 0) return std::nullopt;
        return Refusal{wanted + std::to_string(*count) + " elements, it has none"};
    }
    const std::size_t given = tensor.raw_data ? tensor.raw_data->size() : 0;
    if (std::cmp_not_equal(given, *bytes)) {
        return Refusal{wanted + std::to_string(*bytes) + " bytes, it has " + std::to_string(given)};
    }
    return std::nullopt;
}

Or<Tensor> read_tensor(const onnx::Tensor& tensor) {
    if (tensor.is_external || tensor.has_external_data) {
        return Refusal{"its contents lie in another file (external data)"};
    }
    if (tensor.has_segment) return Refusal{"it is one segment of a larger tensor"};
    const auto type = read_element_type(tensor.data_type);
    if (const auto* refusal = std::get_if<Refusal>(&type)) return *refusal;
    const auto shape = read_shape(tensor);
    if (const auto* refusal = std::get_if<Refusal>(&shape)) return *refusal;

    Tensor result;
    result.type = std::get<ElementType>(type);
    result.shape = std::get<Shape>(shape);
    if (auto refusal = check_fields(tensor, {result.type, result.shape})) return *refusal;
    if (result.type == ElementType::string) {
        std::vector<std::string> strings = tensor.string_data;
        for (const std::string& text : strings) {
            if (!is_utf8(text)) {
                return Refusal{"it holds the string " + in_quotes(text) + ", which is not UTF-8"};
            }
        }
        return string_tensor(result.shape, std::move(strings));
    }
    if (tensor.raw_data) {
        result.contents.resize(tensor.raw_data->size());
        if (!result.contents.empty()) {
            std::memcpy(result.contents.data(), tensor.raw_data->data(), result.contents.size());
        }
        convert_little_endian(result.type, result.contents);
        return result;
    }
    auto contents = read_typed_field(tensor, result.type);
    if (const auto* refusal = std::get_if<Refusal>(&contents)) return *refusal;
    result.contents = std::get<Bytes>(std::move(contents));
    return result;
}

Or<Attribute> read_attribute(const onnx::Attribute& attribute) {
    const std::string what = "the attribute " + in_quotes(attribute.name);
    if (attribute.name.empty() || !is_utf8(attribute.name)) {
        return Refusal{"model.onnx has an attribute without a readable name"};
    }
    if (!attribute.ref_attr_name.empty()) {
        return Refusal{what + " takes its value from a function's parameter"};
    }
    using Type = onnx::Attribute::Type;
    const auto type = static_cast<Type>(attribute.type);
    if (type == Type::integer) return Attribute{attribute.name, attribute.i};
    if (type == Type::integers) {
        return Attribute{attribute.name, attribute.ints};
    }
    if (type == Type::floating && std::isfinite(attribute.f)) {
        return Attribute{attribute.name, static_cast<double>(attribute.f)};
    }
    if (type == Type::string && is_utf8(attribute.s)) {
        return Attribute{attribute.name, attribute.s};
    }
    return Refusal{what + " is of kind " + std::string(onnx::attribute_type_name(attribute.type)) +
                   " or has a value that JSON does not have; a case can say integers, lists of "
                   "them, finite decimals and UTF-8 strings"};
}

bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_gather(std::string_view type) {
    return std::ranges::any_of(operator_versions(), [&](const OperatorInfo& row) {
        return row.specification == "onnx" && row.type == type;
    });
}

/// The newest version of the operator that the model's opset has.
Or<OperatorVersion> read_version(const onnx::Model& model) {
    std::optional<std::int64_t> opset;
    for (const auto& import : model.opset_import) {
        if (!is_default_domain(import.domain)) continue;
        if (opset && *opset != import.version) {
            return Refusal{"model.onnx names two versions of ONNX's operator set, " +
                           std::to_string(*opset) + " and " + std::to_string(import.version)};
        }
        opset = import.version;
    }
    if (!opset) return Refusal{"model.onnx names no version of ONNX's operator set"};
    const std::string& type = model.graph->node[0].op_type;
    const OperatorInfo* newest = nullptr;
    for (const OperatorInfo& row : operator_versions()) {
        if (row.specification != "onnx" || row.type != type || row.number > *opset) continue;
        if (newest == nullptr || row.number > newest->number) newest = &row;
    }
    if (newest == nullptr) {
        return Refusal{"model.onnx is of version " + std::to_string(*opset) +
                       " of ONNX's operator set, which has no " + type};
    }
    return newest->version;
}

std::string_view kind_of(const onnx::Value& value) {
    switch (value.kind) {
        case onnx::Value::Kind::sequence:
            return "a sequence";
        case onnx::Value::Kind::map:
            return "a map";
        case onnx::Value::Kind::optional:
            return "an optional value";
        case onnx::Value::Kind::sparse_tensor:
            return "a sparse tensor";
        case onnx::Value::Kind::tensor:
        case onnx::Value::Kind::none:
            break;
    }
    return "without a type";
}

std::optional<Refusal> check_is_tensor(const onnx::Value& value) {
    const std::string what = "the graph's " + in_quotes(value.name) + " is ";
    if (value.kind != onnx::Value::Kind::tensor) {
        return Refusal{what + std::string(kind_of(value)) + "; a case has tensors only"};
    }
    if (value.elem_type == 0) {
        return Refusal{what + "a tensor without an element type"};
    }
    return std::nullopt;
}

/// Where the tensor of an operand comes from.
struct Operand {
    std::string name;                        ///< in the graph
    std::optional<std::size_t> graph_input;  ///< which input of the graph it is
    std::optional<Tensor> initialiser;       ///< stands where a data set has no such input
};

/// A model that is one gather node.
struct Model {
    onnx::Graph graph;
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::vector<Attribute> attributes;
    Operand data;
    Operand indices;
};

/// How a model differs from one gather node; nothing where it does not.
std::optional<OtherModel> other_model(const onnx::Model& model) {
    const onnx::Graph& graph = *model.graph;
    if (graph.node.size() != 1) {
        return OtherModel{"model.onnx has " + std::to_string(graph.node.size()) +
                          " nodes; a case is one call of one operator"};
    }
    const onnx::Node& node = graph.node[0];
    if (!is_default_domain(node.domain)) {
        return OtherModel{"the node is of the domain " + in_quotes(node.domain) +
                          "; cases are of ONNX's own operators"};
    }
    if (!is_gather(node.op_type)) {
        return OtherModel{"the node is " + in_quotes(node.op_type) +
                          "; cases are of Gather, GatherElements and GatherND"};
    }
    return std::nullopt;
}

std::optional<Refusal> check_graph(const onnx::Model& model) {
    const onnx::Graph& graph = *model.graph;
    const onnx::Node& node = graph.node[0];
    if (model.has_functions) return Refusal{"model.onnx defines functions of its own"};
    if (graph.has_sparse_initializer) return Refusal{"model.onnx has sparse initialisers"};
    if (node.input.size() != 2 || node.input[0].empty() || node.input[1].empty()) {
        const auto given = std::ranges::count_if(
            node.input, [](const std::string& input) { return !input.empty(); });
        return Refusal{"the node has " + std::to_string(given) +
                       " inputs; an imported case has data and indices"};
    }
    if (node.output.size() != 1 || graph.output.size() != 1 ||
        node.output[0] != graph.output[0].name) {
        return Refusal{"the outputs of node and graph are not one and the same"};
    }
    return check_is_tensor(graph.output[0]);
}

std::optional<Refusal> check_names(const onnx::Graph& graph) {
    std::set<std::string> inputs;
    for (const auto& input : graph.input) {
        if (!inputs.insert(input.name).second) {
            return Refusal{"two inputs of the graph are called " + in_quotes(input.name)};
        }
        if (std::ranges::find(graph.node[0].input, input.name) == graph.node[0].input.end()) {
            return Refusal{"the graph's input " + in_quotes(input.name) + " is none of the node's"};
        }
        if (auto refusal = check_is_tensor(input)) return refusal;
    }
    std::set<std::string> initialisers;
    for (const auto& initialiser : graph.initializer) {
        if (!initialisers.insert(initialiser.name).second) {
            return Refusal{"two initialisers are called " + in_quotes(initialiser.name)};
        }
    }
    return std::nullopt;
}

Or<Operand> read_operand(const onnx::Graph& graph, std::size_t position) {
    Operand operand;
    operand.name = graph.node[0].input[position];
    for (std::size_t k = 0; k < graph.input.size(); ++k) {
        if (graph.input[k].name == operand.name) operand.graph_input = k;
    }
    for (const auto& initialiser : graph.initializer) {
        if (initialiser.name != operand.name) continue;
        auto tensor = read_tensor(initialiser);
        if (const auto* refusal = std::get_if<Refusal>(&tensor)) {
            return Refusal{"the initialiser " + in_quotes(operand.name) +
                           " cannot be read: " + refusal->why};
        }
        operand.initialiser = std::get<Tensor>(std::move(tensor));
    }
    if (!operand.graph_input && !operand.initialiser) {
        return Refusal{"the node's input " + in_quotes(operand.name) +
                       " is neither an input of the graph nor an initialiser"};
    }
    return operand;
}

Or<Model> read_model(const onnx::Model& proto) {
    if (auto refusal = check_graph(proto)) return *refusal;
    if (auto refusal = check_names(*proto.graph)) return *refusal;
    const auto version = read_version(proto);
    if (const auto* refusal = std::get_if<Refusal>(&version)) return *refusal;

    Model model;
    model.graph = *proto.graph;
    model.version = std::get<OperatorVersion>(version);
    for (const auto& attribute : proto.graph->node[0].attribute) {
        auto read = read_attribute(attribute);
        if (const auto* refusal = std::get_if<Refusal>(&read)) return *refusal;
        if (std::ranges::find(model.attributes, attribute.name, &Attribute::name) !=
            model.attributes.end()) {
            return Refusal{"the node has the attribute " + in_quotes(attribute.name) + " twice"};
        }
        model.attributes.push_back(std::get<Attribute>(std::move(read)));
    }
    auto data = read_operand(*proto.graph, 0);
    if (const auto* refusal = std::get_if<Refusal>(&data)) return *refusal;
    auto indices = read_operand(*proto.graph, 1);
    if (const auto* refusal = std::get_if<Refusal>(&indices)) return *refusal;
    model.data = std::get<Operand>(std::move(data));
    model.indices = std::get<Operand>(std::move(indices));
    return model;
}

/// K of a name that is prefix, K in plain digits, suffix.
std::optional<int> number_in(std::string_view name, std::string_view prefix,
                             std::string_view suffix) {
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    if (!name.ends_with(suffix)) return std::nullopt;
    name.remove_suffix(suffix.size());
    int number = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool plain = parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size() &&
                       number >= 0 && (name.size() == 1 || name.front() != '0');
    return plain ? std::optional(number) : std::nullopt;
}

/// The sorted numbers in the names of a folder's entries.
std::vector<int> numbers_in(const std::vector<fs::path>& paths, std::string_view prefix,
                            std::string_view suffix) {
    std::vector<int> numbers;
    for (const fs::path& path : paths) {
        const auto number = number_in(path.filename().string(), prefix, suffix);
        if (number) numbers.push_back(*number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

/// Nothing where the tensor is what the graph declares.
std::optional<Refusal> check_declared(const onnx::Value& value, const Tensor& tensor) {
    const std::string what = "the graph's " + in_quotes(value.name);
    if (element_type_of_onnx(value.elem_type) != tensor.type) {
        return Refusal{what + " is " + element_type_text(value.elem_type) + ", the data set has " +
                       std::string(name(tensor.type))};
    }
    if (!value.has_shape) return std::nullopt;
    bool fits = std::cmp_equal(value.shape.size(), tensor.shape.rank());
    for (int k = 0; fits && k < tensor.shape.rank(); ++k) {
        const auto& dim = value.shape[static_cast<std::size_t>(k)];
        fits = !dim || *dim == tensor.shape[k];
    }
    if (fits) return std::nullopt;
    return Refusal{what + " has another shape than the data set's " + to_string(tensor.shape)};
}

/// The tensor of a file, which must be what the graph declares at that place.
Or<Tensor> read_tensor_file(const fs::path& file, const onnx::Value& declared,
                            const onnx::Graph& graph) {
    const std::string name = file.filename().generic_string();
    const auto message = read_message<onnx::Tensor>(file);
    if (const auto* refusal = std::get_if<Refusal>(&message)) return *refusal;
    const auto& proto = std::get<onnx::Tensor>(message);
    // Some runners go by the place, some by the name: a file on which they differ says nothing.
    const auto is_called_so = [&](const onnx::Value& value) { return value.name == proto.name; };
    if (proto.name != declared.name && std::ranges::any_of(graph.input, is_called_so)) {
        return Refusal{name + " stands for " + in_quotes(declared.name) + " but is called " +
                       in_quotes(proto.name)};
    }
    auto tensor = read_tensor(proto);
    if (const auto* refusal = std::get_if<Refusal>(&tensor)) {
        return Refusal{name + " cannot be taken over: " + refusal->why};
    }
    if (auto refusal = check_declared(declared, std::get<Tensor>(tensor))) return *refusal;
    return tensor;
}

Or<Tensor> read_operand_tensor(const fs::path& folder, const Model& model, const Operand& operand,
                               std::size_t files) {
    if (operand.graph_input && *operand.graph_input < files) {
        return read_tensor_file(folder / ("input_" + std::to_string(*operand.graph_input) + ".pb"),
                                model.graph.input[*operand.graph_input], model.graph);
    }
    if (operand.initialiser) return *operand.initialiser;
    return Refusal{"input_" + std::to_string(*operand.graph_input) +
                   ".pb is missing, and the graph's " + in_quotes(operand.name) +
                   " has no initialiser"};
}

Or<ImportedCall> read_data_set(const fs::path& folder, const Model& model) {
    const auto files = entries(folder);
    if (const auto* refusal = std::get_if<Refusal>(&files)) return *refusal;
    const auto& paths = std::get<std::vector<fs::path>>(files);
    const std::vector<int> inputs = numbers_in(paths, "input_", ".pb");
    const std::vector<int> outputs = numbers_in(paths, "output_", ".pb");
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k] != static_cast<int>(k)) {
            return Refusal{"input_" + std::to_string(k) + ".pb is missing"};
        }
    }
    if (inputs.size() > model.graph.input.size()) {
        return Refusal{"there are " + std::to_string(inputs.size()) +
                       " inputs for a graph that has " + std::to_string(model.graph.input.size())};
    }
    if (outputs.empty() || outputs.front() != 0) return Refusal{"output_0.pb is missing"};
    if (outputs.size() != 1) {
        return Refusal{"there are " + std::to_string(outputs.size()) +
                       " outputs for a graph that has one"};
    }

    const std::size_t count = inputs.size();
    auto data = read_operand_tensor(folder, model, model.data, count);
    if (const auto* refusal = std::get_if<Refusal>(&data)) return *refusal;
    auto indices = read_operand_tensor(folder, model, model.indices, count);
    if (const auto* refusal = std::get_if<Refusal>(&indices)) return *refusal;
    auto output = read_tensor_file(folder / "output_0.pb", model.graph.output[0], model.graph);
    if (const auto* refusal = std::get_if<Refusal>(&output)) return *refusal;
    return ImportedCall{model.version, model.attributes, std::get<Tensor>(std::move(data)),
                        std::get<Tensor>(std::move(indices)), std::get<Tensor>(std::move(output))};
}

}  // namespace

std::variant<NodeTest, OtherModel, Refusal> read_node_test(const fs::path& folder) {
    const auto message = read_message<onnx::Model>(folder / "model.onnx");
    if (const auto* refusal = std::get_if<Refusal>(&message)) return *refusal;
    const auto& proto = std::get<onnx::Model>(message);
    if (!proto.graph) return Refusal{"model.onnx holds no graph"};
    if (auto other = other_model(proto)) return *other;
    const auto model = read_model(proto);
    if (const auto* refusal = std::get_if<Refusal>(&model)) return *refusal;

    const auto inside = entries(folder);
    if (const auto* refusal = std::get_if<Refusal>(&inside)) return *refusal;
    NodeTest test;
    for (const int number :
         numbers_in(std::get<std::vector<fs::path>>(inside), "test_data_set_", "")) {
        const std::string name = "test_data_set_" + std::to_string(number);
        auto call = read_data_set(folder / name, std::get<Model>(model));
        if (const auto* refusal = std::get_if<Refusal>(&call)) {
            return Refusal{name + ": " + refusal->why};
        }
        test.sets.emplace_back(number, std::get<ImportedCall>(std::move(call)));
    }
    if (test.sets.empty()) return Refusal{"there is no test_data_set_0 in it"};
    return test;
}

std::variant<std::vector<fs::path>, Refusal> entries(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> result;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        result.push_back(entry->path());
    }
    if (error) {
        return Refusal{"the folder cannot be read: " + error.message() +
                       "; check the path and its permissions"};
    }
    std::ranges::sort(result);
    return result;
}

}  // namespace gathercheck
