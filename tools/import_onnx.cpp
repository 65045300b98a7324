// SPDX-License-Identifier: Apache-2.0
// Reads the protobuf files of ONNX node tests and writes them as cases.
#include "tools/import_onnx.hpp"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "conformance/json.hpp"
#include "conformance/number.hpp"
#include "conformance/problem.hpp"
#include "reference/call.hpp"
#include "reference/check.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

/// More does not go into a case file: its text would exceed what the loader reads.
constexpr std::size_t file_limit = std::size_t{64} << 20;

/// Why a folder cannot become cases: a clause about it.
struct Refusal {
    std::string why;
};

template <class T>
using Or = std::variant<T, Refusal>;

// ---------------------------------------------------------------------------------------------
// Protobuf messages to values.

template <class Message>
Or<Message> read_message(const fs::path& file) {
    const std::string name = file.filename().generic_string();
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
    if (!message.ParseFromString(std::get<std::string>(content))) {
        return Refusal{name + " is no readable protobuf message; it is damaged or something else"};
    }
    return message;
}

std::string json_string(std::string_view text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
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

Or<Shape> read_shape(const onnx::TensorProto& tensor) {
    if (tensor.dims_size() > max_rank) {
        return Refusal{"it has " + std::to_string(tensor.dims_size()) +
                       " dimensions; a case has at most " + std::to_string(max_rank)};
    }
    Shape shape;
    for (const std::int64_t dim : tensor.dims()) {
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
    Bytes bytes(static_cast<std::size_t>(field.size()) * sizeof(Stored));
    std::size_t offset = 0;
    for (const auto value : field) {
        if constexpr (std::is_integral_v<Stored>) {
            if (std::cmp_less(value, lowest) || std::cmp_greater(value, highest)) {
                return Refusal{"it holds the value " + std::to_string(value) +
                               ", which its element type does not have"};
            }
        }
        const auto element = static_cast<Stored>(value);
        std::memcpy(bytes.data() + offset, &element, sizeof element);  // little-endian platforms
        offset += sizeof element;
    }
    return bytes;
}

/// The contents from the typed field that belongs to the element type.
Or<Bytes> read_typed_field(const onnx::TensorProto& tensor, ElementType type) {
    using enum ElementType;
    if (type == boolean) return stored<std::uint8_t>(tensor.int32_data(), 0, 1);
    if (type == u8) return stored<std::uint8_t>(tensor.int32_data());
    if (type == i8) return stored<std::int8_t>(tensor.int32_data());
    if (type == i16) return stored<std::int16_t>(tensor.int32_data());
    if (type == u16 || type == f16 || type == bf16) {
        return stored<std::uint16_t>(tensor.int32_data());
    }
    if (type == i32) return stored<std::int32_t>(tensor.int32_data());
    if (type == i64) return stored<std::int64_t>(tensor.int64_data());
    if (type == u32) return stored<std::uint32_t>(tensor.uint64_data());
    if (type == u64) return stored<std::uint64_t>(tensor.uint64_data());
    if (type == f32 || type == c64) return stored<float>(tensor.float_data());
    return stored<double>(tensor.double_data());  // f64, c128
}

struct FieldSize {
    std::string_view name;
    int size;
};

std::array<FieldSize, 6> typed_fields(const onnx::TensorProto& tensor) {
    return {{{"float_data", tensor.float_data_size()},
             {"int32_data", tensor.int32_data_size()},
             {"string_data", tensor.string_data_size()},
             {"int64_data", tensor.int64_data_size()},
             {"double_data", tensor.double_data_size()},
             {"uint64_data", tensor.uint64_data_size()}}};
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
std::optional<Refusal> check_fields(const onnx::TensorProto& tensor, const Descriptor& descriptor) {
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
        if (tensor.has_raw_data()) {
            return Refusal{"it has contents twice, in raw_data and in " + std::string(field)};
        }
        if (field != own) {
            return Refusal{"it has contents in " + std::string(field) + ", where " +
                           std::string(name(descriptor.type)) + " has them in " + std::string(own)};
        }
        const std::int64_t values =
            info(descriptor.type).kind == ElementKind::complex ? size / 2 : size;
        const bool half = info(descriptor.type).kind == ElementKind::complex && size % 2 != 0;
        if (values != *count || half) {
            return Refusal{wanted + std::to_string(*count) + " elements, " + std::string(field) +
                           " has " + std::to_string(size) + " values"};
        }
    }
    if (typed) return std::nullopt;
    if (descriptor.type == ElementType::string) {
        if (tensor.has_raw_data()) return Refusal{"it has strings in raw_data"};
        if (*count == 0) return std::nullopt;
        return Refusal{wanted + std::to_string(*count) + " elements, it has none"};
    }
    if (std::cmp_not_equal(tensor.raw_data().size(), *bytes)) {
        return Refusal{wanted + std::to_string(*bytes) + " bytes, it has " +
                       std::to_string(tensor.raw_data().size())};
    }
    return std::nullopt;
}

Or<Tensor> read_tensor(const onnx::TensorProto& tensor) {
    if (tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL ||
        tensor.external_data_size() != 0) {
        return Refusal{"its contents lie in another file (external data)"};
    }
    if (tensor.has_segment()) return Refusal{"it is one segment of a larger tensor"};
    const auto type = read_element_type(tensor.data_type());
    if (const auto* refusal = std::get_if<Refusal>(&type)) return *refusal;
    const auto shape = read_shape(tensor);
    if (const auto* refusal = std::get_if<Refusal>(&shape)) return *refusal;

    Tensor result;
    result.type = std::get<ElementType>(type);
    result.shape = std::get<Shape>(shape);
    if (auto refusal = check_fields(tensor, {result.type, result.shape})) return *refusal;
    if (result.type == ElementType::string) {
        std::vector<std::string> strings(tensor.string_data().begin(), tensor.string_data().end());
        for (const std::string& text : strings) {
            if (!is_utf8(text)) {
                return Refusal{"it holds the string " + in_quotes(text) + ", which is not UTF-8"};
            }
        }
        return string_tensor(result.shape, std::move(strings));
    }
    if (tensor.has_raw_data()) {
        result.contents.resize(tensor.raw_data().size());
        if (!result.contents.empty()) {
            std::memcpy(result.contents.data(), tensor.raw_data().data(), result.contents.size());
        }
        return result;
    }
    auto contents = read_typed_field(tensor, result.type);
    if (const auto* refusal = std::get_if<Refusal>(&contents)) return *refusal;
    result.contents = std::get<Bytes>(std::move(contents));
    return result;
}

Or<Attribute> read_attribute(const onnx::AttributeProto& attribute) {
    const std::string what = "the attribute " + in_quotes(attribute.name());
    if (attribute.name().empty() || !is_utf8(attribute.name())) {
        return Refusal{"model.onnx has an attribute without a readable name"};
    }
    if (!attribute.ref_attr_name().empty()) {
        return Refusal{what + " takes its value from a function's parameter"};
    }
    using Type = onnx::AttributeProto;
    const auto type = attribute.type();
    if (type == Type::INT) return Attribute{attribute.name(), std::int64_t{attribute.i()}};
    if (type == Type::INTS) {
        return Attribute{attribute.name(), std::vector<std::int64_t>(attribute.ints().begin(),
                                                                     attribute.ints().end())};
    }
    if (type == Type::FLOAT && std::isfinite(attribute.f())) {
        return Attribute{attribute.name(), static_cast<double>(attribute.f())};
    }
    if (type == Type::STRING && is_utf8(attribute.s())) {
        return Attribute{attribute.name(), attribute.s()};
    }
    return Refusal{what + " is of kind " + onnx::AttributeProto_AttributeType_Name(type) +
                   " or has a value that JSON does not have; a case can say integers, lists of "
                   "them, finite decimals and UTF-8 strings"};
}

// ---------------------------------------------------------------------------------------------
// A model to a call without contents.

bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_gather(std::string_view type) {
    return std::ranges::any_of(operator_versions(), [&](const OperatorInfo& row) {
        return row.specification == "onnx" && row.type == type;
    });
}

/// True for a model whose graph is one gather node and nothing else.
bool is_one_gather(const onnx::ModelProto& model) {
    return model.graph().node_size() == 1 && is_default_domain(model.graph().node(0).domain()) &&
           is_gather(model.graph().node(0).op_type());
}

/// The newest version of the operator that the model's opset has.
Or<OperatorVersion> read_version(const onnx::ModelProto& model) {
    std::optional<std::int64_t> opset;
    for (const auto& import : model.opset_import()) {
        if (!is_default_domain(import.domain())) continue;
        if (opset && *opset != import.version()) {
            return Refusal{"model.onnx names two versions of ONNX's operator set, " +
                           std::to_string(*opset) + " and " + std::to_string(import.version())};
        }
        opset = import.version();
    }
    if (!opset) return Refusal{"model.onnx names no version of ONNX's operator set"};
    const std::string& type = model.graph().node(0).op_type();
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

std::string kind_of(const onnx::TypeProto& type) {
    if (type.has_sequence_type()) return "a sequence";
    if (type.has_map_type()) return "a map";
    if (type.has_optional_type()) return "an optional value";
    if (type.has_sparse_tensor_type()) return "a sparse tensor";
    return "without a type";
}

std::optional<Refusal> check_is_tensor(const onnx::ValueInfoProto& value) {
    const std::string what = "the graph's " + in_quotes(value.name()) + " is ";
    if (!value.type().has_tensor_type()) {
        return Refusal{what + kind_of(value.type()) + "; a case has tensors only"};
    }
    if (value.type().tensor_type().elem_type() == onnx::TensorProto::UNDEFINED) {
        return Refusal{what + "a tensor without an element type"};
    }
    return std::nullopt;
}

/// Where the tensor of an operand comes from.
struct Operand {
    std::string role;                   ///< "data" or "indices"
    std::string name;                   ///< in the graph
    std::optional<int> graph_input;     ///< which input of the graph it is
    std::optional<Tensor> initialiser;  ///< stands where a data set has no such input
};

/// A model that is one gather node.
struct Model {
    onnx::GraphProto graph;
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::vector<Attribute> attributes;
    std::vector<Operand> operands;
};

std::optional<Refusal> check_graph(const onnx::ModelProto& model) {
    if (!model.has_graph()) return Refusal{"model.onnx holds no graph"};
    const onnx::GraphProto& graph = model.graph();
    if (graph.node_size() != 1) {
        return Refusal{"model.onnx has " + std::to_string(graph.node_size()) +
                       " nodes; a case is one call of one operator"};
    }
    const onnx::NodeProto& node = graph.node(0);
    if (!is_default_domain(node.domain())) {
        return Refusal{"the node is of the domain " + in_quotes(node.domain()) +
                       "; cases are of ONNX's own operators"};
    }
    if (!is_gather(node.op_type())) {
        return Refusal{"the node is " + in_quotes(node.op_type()) +
                       "; cases are of Gather, GatherElements and GatherND"};
    }
    if (model.functions_size() != 0) return Refusal{"model.onnx defines functions of its own"};
    if (graph.sparse_initializer_size() != 0) return Refusal{"model.onnx has sparse initialisers"};
    if (node.input_size() != 2 || node.input(0).empty() || node.input(1).empty()) {
        const auto given = std::ranges::count_if(
            node.input(), [](const std::string& input) { return !input.empty(); });
        return Refusal{"the node has " + std::to_string(given) +
                       " inputs; an imported case has data and indices"};
    }
    if (node.output_size() != 1 || graph.output_size() != 1 ||
        node.output(0) != graph.output(0).name()) {
        return Refusal{"the outputs of node and graph are not one and the same"};
    }
    return check_is_tensor(graph.output(0));
}

std::optional<Refusal> check_names(const onnx::GraphProto& graph) {
    std::set<std::string> inputs;
    for (const auto& input : graph.input()) {
        if (!inputs.insert(input.name()).second) {
            return Refusal{"two inputs of the graph are called " + in_quotes(input.name())};
        }
        if (std::ranges::find(graph.node(0).input(), input.name()) == graph.node(0).input().end()) {
            return Refusal{"the graph's input " + in_quotes(input.name()) +
                           " is none of the node's"};
        }
        if (auto refusal = check_is_tensor(input)) return refusal;
    }
    std::set<std::string> initialisers;
    for (const auto& initialiser : graph.initializer()) {
        if (!initialisers.insert(initialiser.name()).second) {
            return Refusal{"two initialisers are called " + in_quotes(initialiser.name())};
        }
    }
    return std::nullopt;
}

Or<Operand> read_operand(const onnx::GraphProto& graph, int position) {
    Operand operand;
    operand.role = position == 0 ? "data" : "indices";
    operand.name = graph.node(0).input(position);
    for (int k = 0; k < graph.input_size(); ++k) {
        if (graph.input(k).name() == operand.name) operand.graph_input = k;
    }
    for (const auto& initialiser : graph.initializer()) {
        if (initialiser.name() != operand.name) continue;
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

Or<Model> read_model(const onnx::ModelProto& proto) {
    if (auto refusal = check_graph(proto)) return *refusal;
    if (auto refusal = check_names(proto.graph())) return *refusal;
    const auto version = read_version(proto);
    if (const auto* refusal = std::get_if<Refusal>(&version)) return *refusal;

    Model model;
    model.graph = proto.graph();
    model.version = std::get<OperatorVersion>(version);
    for (const auto& attribute : proto.graph().node(0).attribute()) {
        auto read = read_attribute(attribute);
        if (const auto* refusal = std::get_if<Refusal>(&read)) return *refusal;
        if (std::ranges::find(model.attributes, attribute.name(), &Attribute::name) !=
            model.attributes.end()) {
            return Refusal{"the node has the attribute " + in_quotes(attribute.name()) + " twice"};
        }
        model.attributes.push_back(std::get<Attribute>(std::move(read)));
    }
    for (int position = 0; position < 2; ++position) {
        auto operand = read_operand(proto.graph(), position);
        if (const auto* refusal = std::get_if<Refusal>(&operand)) return *refusal;
        model.operands.push_back(std::get<Operand>(std::move(operand)));
    }
    return model;
}

// ---------------------------------------------------------------------------------------------
// Data sets.

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

/// The entries of a folder; nothing where it cannot be read.
std::optional<std::vector<fs::path>> entries(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> result;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        result.push_back(entry->path());
    }
    if (error) return std::nullopt;
    std::ranges::sort(result);
    return result;
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
std::optional<Refusal> check_declared(const onnx::ValueInfoProto& value, const Tensor& tensor) {
    const onnx::TypeProto_Tensor& declared = value.type().tensor_type();
    const std::string what = "the graph's " + in_quotes(value.name());
    if (element_type_of_onnx(declared.elem_type()) != tensor.type) {
        return Refusal{what + " is " + element_type_text(declared.elem_type()) +
                       ", the data set has " + std::string(name(tensor.type))};
    }
    if (!declared.has_shape()) return std::nullopt;
    bool fits = declared.shape().dim_size() == tensor.shape.rank();
    for (int k = 0; fits && k < declared.shape().dim_size(); ++k) {
        const auto& dim = declared.shape().dim(k);
        fits = !dim.has_dim_value() || dim.dim_value() == tensor.shape[k];
    }
    if (fits) return std::nullopt;
    return Refusal{what + " has another shape than the data set's " + to_string(tensor.shape)};
}

/// The tensor of a file, which must be what the graph declares at that place.
Or<Tensor> read_tensor_file(const fs::path& file, const onnx::ValueInfoProto& declared,
                            const onnx::GraphProto& graph) {
    const std::string name = file.filename().generic_string();
    const auto message = read_message<onnx::TensorProto>(file);
    if (const auto* refusal = std::get_if<Refusal>(&message)) return *refusal;
    const auto& proto = std::get<onnx::TensorProto>(message);
    // Some runners go by the place, some by the name: a file on which they differ says nothing.
    const auto is_called_so = [&](const onnx::ValueInfoProto& value) {
        return value.name() == proto.name();
    };
    if (proto.name() != declared.name() && std::ranges::any_of(graph.input(), is_called_so)) {
        return Refusal{name + " stands for " + in_quotes(declared.name()) + " but is called " +
                       in_quotes(proto.name())};
    }
    auto tensor = read_tensor(proto);
    if (const auto* refusal = std::get_if<Refusal>(&tensor)) {
        return Refusal{name + " cannot be taken over: " + refusal->why};
    }
    if (auto refusal = check_declared(declared, std::get<Tensor>(tensor))) return *refusal;
    return tensor;
}

struct DataSet {
    Tensor data;
    Tensor indices;
    Tensor output;
};

Or<Tensor> read_operand_tensor(const fs::path& folder, const Model& model, const Operand& operand,
                               int files) {
    if (operand.graph_input && *operand.graph_input < files) {
        return read_tensor_file(folder / ("input_" + std::to_string(*operand.graph_input) + ".pb"),
                                model.graph.input(*operand.graph_input), model.graph);
    }
    if (operand.initialiser) return *operand.initialiser;
    return Refusal{"input_" + std::to_string(*operand.graph_input) +
                   ".pb is missing, and the graph's " + in_quotes(operand.name) +
                   " has no initialiser"};
}

Or<DataSet> read_data_set(const fs::path& folder, const Model& model) {
    const auto files = entries(folder);
    if (!files) return Refusal{"the folder cannot be read"};
    const std::vector<int> inputs = numbers_in(*files, "input_", ".pb");
    const std::vector<int> outputs = numbers_in(*files, "output_", ".pb");
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k] != static_cast<int>(k)) {
            return Refusal{"input_" + std::to_string(k) + ".pb is missing"};
        }
    }
    if (std::cmp_greater(inputs.size(), model.graph.input_size())) {
        return Refusal{"there are " + std::to_string(inputs.size()) + " inputs for a graph with " +
                       std::to_string(model.graph.input_size())};
    }
    if (outputs.empty() || outputs.front() != 0) return Refusal{"output_0.pb is missing"};
    if (outputs.size() != 1) {
        return Refusal{"there are " + std::to_string(outputs.size()) +
                       " outputs for a graph with one"};
    }

    DataSet set;
    for (const Operand& operand : model.operands) {
        auto tensor = read_operand_tensor(folder, model, operand, static_cast<int>(inputs.size()));
        if (const auto* refusal = std::get_if<Refusal>(&tensor)) return *refusal;
        (operand.role == "data" ? set.data : set.indices) = std::get<Tensor>(std::move(tensor));
    }
    auto output = read_tensor_file(folder / "output_0.pb", model.graph.output(0), model.graph);
    if (const auto* refusal = std::get_if<Refusal>(&output)) return *refusal;
    set.output = std::get<Tensor>(std::move(output));
    return set;
}

// ---------------------------------------------------------------------------------------------
// Versions and rules.

/// The value of an integer attribute; nothing where it is absent or something else.
std::optional<std::int64_t> integer_attribute(const std::vector<Attribute>& attributes,
                                              std::string_view name) {
    const auto found = std::ranges::find(attributes, name, &Attribute::name);
    if (found == attributes.end()) return std::nullopt;
    const auto* value = std::get_if<std::int64_t>(&found->value);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

bool has_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
    return std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
}

bool has_negative_index(const Tensor& indices) {
    if (!is_integer(indices.type)) return false;
    const std::int64_t count = *element_count(indices.shape);
    for (std::int64_t k = 0; k < count; ++k) {
        const auto value = integer_element(indices.type, indices.contents.data(), k);
        if (value && *value < 0) return true;
    }
    return false;
}

/// True where the version allows the call and gives an output of the stored shape. Where it takes
/// the axis as an input, the model's attribute is handed over so.
bool is_legal(const Model& model, const DataSet& set, OperatorVersion version) {
    const auto axis = integer_attribute(model.attributes, "axis");
    const bool as_input = info(version).axis == AxisSource::input;
    Call call;
    call.version = version;
    call.inputs = {{"data", set.data.view()}, {"indices", set.indices.view()}};
    for (const Attribute& attribute : model.attributes) {
        if (attribute.name != "axis" || !as_input) call.attributes.push_back(attribute);
    }
    std::array<std::byte, sizeof(std::int64_t)> axis_contents{};
    if (as_input && axis) {
        std::memcpy(axis_contents.data(), &*axis, sizeof *axis);
        call.inputs.push_back({"axis", {ElementType::i64, Shape{}, axis_contents.data()}});
    }
    const Result<CheckedCall> checked = check(call);
    return checked && checked->output == Descriptor{set.output.type, set.output.shape} &&
           check_index_values(*checked);
}

std::vector<OperatorVersion> versions_of(const Model& model, const DataSet& set, bool all) {
    // A test that breaks its own version's rules is handed over as it stands, for that version.
    if (!all || !is_legal(model, set, model.version)) return {model.version};
    std::vector<OperatorVersion> versions;
    for (const OperatorInfo& row : operator_versions()) {
        if (row.family == info(model.version).family && is_legal(model, set, row.version)) {
            versions.push_back(row.version);
        }
    }
    return versions;
}

/// Ids of the rules of a version that the call shows: the formula, and what is special in it.
std::vector<std::string> rules_of(const Model& model, const DataSet& set, OperatorVersion version) {
    const OperatorInfo& row = info(version);
    const bool is_onnx = row.specification == "onnx";
    const auto axis = integer_attribute(model.attributes, "axis");
    const auto batch_dims = integer_attribute(model.attributes, "batch_dims");
    std::vector<std::string> rules;
    const auto add = [&](std::string_view rule) {
        rules.push_back(std::string(row.rules) + "." + std::string(rule));
    };
    if (row.family == Family::gather && is_onnx) {
        add("semantics.single-axis");
        add("semantics.placement");
        const std::int64_t written = axis.value_or(0);
        const std::int64_t normalised = written < 0 ? written + set.data.shape.rank() : written;
        if (normalised == 0) add("formula.axis0");
        if (normalised == 1) add("formula.axis1");
    } else {
        add("semantics.formula");
    }
    if (row.axis == AxisSource::attribute && !has_attribute(model.attributes, "axis")) {
        add("axis.default");
    }
    if (row.axis != AxisSource::none && axis && *axis < 0) add("axis.negative");
    if (row.family == Family::gather_nd && row.batch_dims != BatchDims::none) {
        if (!has_attribute(model.attributes, "batch_dims")) add("batch_dims.default");
        if (batch_dims && *batch_dims != 0) add("batch_dims.leading");
    }
    if (row.negative_indices && has_negative_index(set.indices)) {
        add(row.family == Family::gather ? "indices.negative" : "indices.range");
    }
    return rules;
}

// ---------------------------------------------------------------------------------------------
// The text of case files: two spaces a level, lists on one line while they fit.

constexpr std::size_t line_width = 160;

std::string spaces(std::size_t count) { return std::string(count, ' '); }

/// A list at `column` of a line that is indented by `indent`.
std::string list_text(const std::vector<std::string>& items, std::size_t indent,
                      std::size_t column) {
    std::string line = "[";
    for (const std::string& item : items) line += (line.size() > 1 ? ", " : "") + item;
    line += "]";
    constexpr std::size_t room_behind = 4;  // for " }", a comma
    if (column + line.size() + room_behind <= line_width) return line;
    std::string text = "[\n";
    line = spaces(indent + 2);
    for (std::size_t k = 0; k < items.size(); ++k) {
        const std::string item = items[k] + (k + 1 < items.size() ? "," : "");
        if (line.size() > indent + 2 && line.size() + 1 + item.size() > line_width) {
            text += line + "\n";
            line = spaces(indent + 2);
        }
        if (line.size() > indent + 2) line += " ";
        line += item;
    }
    return text + line + "\n" + spaces(indent) + "]";
}

std::string hex_word(std::uint64_t pattern, int width) {
    std::array<char, 20> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%0*llx", (width + 3) / 4,
                  static_cast<unsigned long long>(pattern));
    return buffer.data();
}

/// The contents of a tensor as JSON: under "values", or under "bits" where a value has no literal.
struct Literals {
    std::string key;
    std::vector<std::string> items;
};

/// A tensor of a floating type; for a complex tensor, of its parts.
Literals float_literals(const Tensor& tensor, std::int64_t count) {
    std::vector<std::uint64_t> patterns;
    bool has_literals = true;
    for (std::int64_t k = 0; k < count; ++k) {
        const std::uint64_t pattern = element_bits(tensor.type, tensor.contents.data(), k);
        const double value = float_value(tensor.type, pattern);
        const bool negative_zero = value == 0 && std::signbit(value);
        has_literals = has_literals && std::isfinite(value) && !negative_zero;
        patterns.push_back(pattern);
    }
    Literals literals{has_literals ? "values" : "bits", {}};
    for (const std::uint64_t pattern : patterns) {
        literals.items.push_back(has_literals ? shortest_decimal(tensor.type, pattern)
                                              : hex_word(pattern, bits(tensor.type)));
    }
    return literals;
}

Literals complex_literals(const Tensor& tensor, std::int64_t count) {
    Tensor parts;
    parts.type = tensor.type == ElementType::c64 ? ElementType::f32 : ElementType::f64;
    parts.contents = tensor.contents;
    const Literals of_parts = float_literals(parts, 2 * count);
    Literals literals{of_parts.key, {}};
    for (std::size_t k = 0; k < of_parts.items.size(); k += 2) {
        const std::string& real = of_parts.items[k];
        const std::string& imaginary = of_parts.items[k + 1];
        literals.items.push_back(literals.key == "values" ? "[" + real + ", " + imaginary + "]"
                                                          : json_string(imaginary + real));
    }
    return literals;
}

std::string integer_literal(const Tensor& tensor, std::int64_t k) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const std::string text = integer_text(tensor.type, tensor.contents.data(), k);
    const auto value = integer_element(tensor.type, tensor.contents.data(), k);
    return value && *value >= -exact && *value <= exact ? text : json_string(text);
}

Literals literals_of(const Tensor& tensor) {
    const std::int64_t count = *element_count(tensor.shape);
    const ElementKind kind = info(tensor.type).kind;
    if (kind == ElementKind::complex) return complex_literals(tensor, count);
    if (kind == ElementKind::floating) {
        Literals literals = float_literals(tensor, count);
        if (literals.key == "bits") {
            for (std::string& item : literals.items) item = json_string(item);
        }
        return literals;
    }
    Literals literals{"values", {}};
    if (kind == ElementKind::string) {
        for (const std::string& text : *tensor.strings) literals.items.push_back(json_string(text));
        return literals;
    }
    if (kind != ElementKind::boolean) {
        for (std::int64_t k = 0; k < count; ++k) {
            literals.items.push_back(integer_literal(tensor, k));
        }
        return literals;
    }
    const bool has_literals =
        std::ranges::all_of(tensor.contents, [](std::byte value) { return value <= std::byte{1}; });
    if (!has_literals) literals.key = "bits";
    for (const std::byte value : tensor.contents) {
        const auto pattern = std::to_integer<unsigned>(value);
        literals.items.push_back(!has_literals  ? json_string(hex_word(pattern, 8))
                                 : pattern == 1 ? "true"
                                                : "false");
    }
    return literals;
}

/// "name": { a tensor }, at `indent`.
std::string tensor_text(std::string_view name, const Tensor& tensor, std::size_t indent) {
    const Literals literals = literals_of(tensor);
    std::vector<std::string> dims;
    for (const std::int64_t dim : tensor.shape) dims.push_back(std::to_string(dim));
    const std::string head = spaces(indent) + json_string(name) +
                             ": { \"type\": " + json_string(gathercheck::name(tensor.type)) +
                             ", \"shape\": " + list_text(dims, indent, 0) + ", " +
                             json_string(literals.key) + ": ";
    return head + list_text(literals.items, indent, head.size()) + " }";
}

std::string attribute_text(const AttributeValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* decimal = std::get_if<double>(&value)) return shortest_decimal(*decimal);
    if (const auto* text = std::get_if<std::string>(&value)) return json_string(*text);
    std::vector<std::string> items;
    for (const std::int64_t item : std::get<std::vector<std::int64_t>>(value)) {
        items.push_back(std::to_string(item));
    }
    return list_text(items, 6, 0);
}

std::string case_text(const std::string& id, const std::string& title, const Model& model,
                      const DataSet& set, bool all_versions) {
    const std::vector<OperatorVersion> versions = versions_of(model, set, all_versions);
    // Only a version that takes the axis as an input needs it apart from the attributes.
    const bool axis_apart = std::ranges::any_of(
        versions, [](OperatorVersion version) { return info(version).axis == AxisSource::input; });
    std::vector<std::string> names;
    std::vector<std::string> rules;
    for (const OperatorVersion version : versions) {
        names.push_back(json_string(name(version)));
        for (const std::string& rule : rules_of(model, set, version)) {
            rules.push_back(json_string(rule));
        }
    }
    std::string attributes;
    for (const Attribute& attribute : model.attributes) {
        if (axis_apart && attribute.name == "axis") continue;
        attributes += (attributes.empty() ? " " : ", ") + json_string(attribute.name) + ": " +
                      attribute_text(attribute.value);
    }

    std::string text = "    {\n      \"id\": " + json_string(id) +
                       ",\n      \"title\": " + json_string(title) + ",\n";
    if (axis_apart) {
        const std::int64_t axis = *integer_attribute(model.attributes, "axis");
        text += "      \"axis\": " + std::to_string(axis) + ",\n";
    }
    if (!attributes.empty()) text += "      \"attributes\": {" + attributes + " },\n";
    text += "      \"inputs\": {\n" + tensor_text("data", set.data, 8) + ",\n" +
            tensor_text("indices", set.indices, 8) + "\n      },\n";
    const std::string rules_head = "          \"rules\": ";
    text += "      \"expect\": [\n        {\n          \"for\": " + list_text(names, 10, 17) +
            ",\n" + rules_head + list_text(rules, 10, rules_head.size()) + ",\n" +
            tensor_text("output", set.output, 10) + "\n        }\n      ]\n    }";
    return text;
}

// ---------------------------------------------------------------------------------------------
// Folders.

/// Lower-case letters, digits and points; everything else becomes one hyphen between them.
std::string kebab_case(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
        if (kept) {
            result += upper ? static_cast<char>(c - 'A' + 'a') : c;
        } else if (!result.empty() && result.back() != '-') {
            result += '-';
        }
    }
    while (result.ends_with('-')) result.pop_back();
    return result;
}

/// The same path without "." and "..", and without a slash at its end.
fs::path plain(const fs::path& folder) {
    std::error_code error;
    const fs::path absolute = fs::absolute(folder, error);
    const fs::path normal = (error ? folder : absolute).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

bool has_model(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "model.onnx", error);
}

class Importer {
public:
    explicit Importer(const ImportOptions& options) : options_(options) {}

    /// A folder named by the caller.
    void add(const fs::path& folder) {
        if (has_model(folder)) {
            add_test(folder, true);
            return;
        }
        std::error_code error;
        if (!fs::is_directory(folder, error)) {
            return refuse(folder, "there is no such folder");
        }
        const auto inside = entries(folder);
        if (!inside) return refuse(folder, "the folder cannot be read; check its permissions");
        bool any = false;
        const int tests_before = result_.tests;
        const std::size_t refused_before = result_.refused.size();
        for (const fs::path& entry : *inside) {
            if (!has_model(entry)) continue;
            any = true;
            add_test(entry, false);
        }
        if (!any) {
            refuse(folder,
                   "there is neither model.onnx in it nor in a folder in it; name a node test, or "
                   "a folder of node tests");
        } else if (result_.tests == tests_before && result_.refused.size() == refused_before) {
            refuse(folder, "none of the node tests in it is a single gather node");
        }
    }

    ImportResult take() && {
        if (!cases_.empty()) {
            result_.json = "{\n  \"cases\": [\n";
            for (std::size_t k = 0; k < cases_.size(); ++k) {
                result_.json += cases_[k] + (k + 1 < cases_.size() ? ",\n" : "\n");
            }
            result_.json += "  ]\n}\n";
        }
        result_.cases = static_cast<int>(cases_.size());
        return std::move(result_);
    }

private:
    void refuse(const fs::path& folder, const std::string& why) {
        result_.refused.push_back(folder.generic_string() + ": " + why);
    }

    void add_test(const fs::path& folder, bool named) {
        if (!seen_.insert(plain(folder)).second) return;
        const auto proto = read_message<onnx::ModelProto>(folder / "model.onnx");
        if (const auto* refusal = std::get_if<Refusal>(&proto)) {
            return refuse(folder, refusal->why);
        }
        const auto& model_proto = std::get<onnx::ModelProto>(proto);
        if (!named && model_proto.has_graph() && !is_one_gather(model_proto)) {
            ++result_.skipped;
            return;
        }
        const auto model = read_model(model_proto);
        if (const auto* refusal = std::get_if<Refusal>(&model)) {
            return refuse(folder, refusal->why);
        }
        if (auto refusal = add_data_sets(folder, std::get<Model>(model))) {
            return refuse(folder, refusal->why);
        }
        ++result_.tests;
    }

    /// All data sets of a folder, or none.
    std::optional<Refusal> add_data_sets(const fs::path& folder, const Model& model) {
        const std::string name = plain(folder).filename().generic_string();
        const std::string stem = options_.id_prefix + kebab_case(name);
        const auto inside = entries(folder);
        if (!inside) return Refusal{"the folder cannot be read; check its permissions"};
        const std::vector<int> sets = numbers_in(*inside, "test_data_set_", "");
        if (sets.empty()) return Refusal{"there is no test_data_set_0"};

        std::vector<std::pair<std::string, std::string>> cases;
        for (const int number : sets) {
            const std::string set_name = "test_data_set_" + std::to_string(number);
            const auto set = read_data_set(folder / set_name, model);
            if (const auto* refusal = std::get_if<Refusal>(&set)) {
                return Refusal{set_name + ": " + refusal->why};
            }
            std::string id = stem;
            std::string title = "the ONNX node test " + name;
            if (sets.size() > 1) {
                id += "-set-" + std::to_string(number);
                title += ", data set " + std::to_string(number) + ",";
            }
            if (const auto other = ids_.find(id); other != ids_.end()) {
                return Refusal{"its id " + id + " is taken by " + other->second +
                               "; import it by itself, with another prefix of the ids"};
            }
            cases.emplace_back(id, case_text(id, title + " gives the output stored with it", model,
                                             std::get<DataSet>(set), options_.all_versions));
        }
        for (auto& [id, text] : cases) {
            ids_.emplace(id, folder.generic_string());
            cases_.push_back(std::move(text));
        }
        return std::nullopt;
    }

    const ImportOptions& options_;
    ImportResult result_;
    std::vector<std::string> cases_;
    std::map<std::string, std::string> ids_;  ///< id to folder
    std::set<fs::path> seen_;
};

}  // namespace

ImportResult import_onnx(const std::vector<fs::path>& folders, const ImportOptions& options) {
    Importer importer(options);
    for (const fs::path& folder : folders) importer.add(folder);
    return std::move(importer).take();
}

}  // namespace gathercheck
