// SPDX-License-Identifier: Apache-2.0
// From calls to ONNX's messages, refusing what these cannot say.
#include "tools/export/node_test.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "reference/byte_order.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {
namespace {

namespace onnx = onnx_messages;

/// The first that has opset imports of the default domain, all attributes and types that the gather
/// operators take, and no more: old engines read it.
constexpr std::int64_t ir_version = 8;

template <class T>
using Or = std::variant<T, NotExpressible>;

Or<onnx::Tensor> message_of(std::string name, const TensorView& tensor) {
    const ElementTypeInfo& type = info(tensor.type);
    if (type.onnx_number == 0) {
        return NotExpressible{"ONNX has no element type " + std::string(type.name)};
    }
    onnx::Tensor message;
    message.name = std::move(name);
    message.data_type = type.onnx_number;
    message.dims.assign(tensor.shape.begin(), tensor.shape.end());
    const auto count = static_cast<std::size_t>(*element_count(tensor.shape));
    if (tensor.type == ElementType::string) {
        for (std::size_t k = 0; k < count; ++k) {
            StringElement element;
            std::memcpy(&element, tensor.contents + (k * sizeof element), sizeof element);
            message.string_data.emplace_back(element.view());
        }
        return message;
    }
    message.raw_data.emplace(
        static_cast<std::size_t>(*byte_size(Descriptor{tensor.type, tensor.shape})), '\0');
    if (!message.raw_data->empty()) {
        const LittleEndian sent(tensor.type, {tensor.contents, message.raw_data->size()});
        std::memcpy(message.raw_data->data(), sent.bytes().data(), sent.bytes().size());
    }
    return message;
}

Or<onnx::Attribute> message_of(const Attribute& attribute) {
    using Type = onnx::Attribute::Type;
    onnx::Attribute message;
    message.name = attribute.name;
    const auto set_type = [&](Type type) { message.type = static_cast<std::int32_t>(type); };
    if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
        message.i = *integer;
        set_type(Type::integer);
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
        message.ints = *integers;
        set_type(Type::integers);
    } else if (const auto* text = std::get_if<std::string>(&attribute.value)) {
        message.s = *text;
        set_type(Type::string);
    } else if (const auto* decimal = std::get_if<double>(&attribute.value);
               decimal != nullptr && static_cast<float>(*decimal) == *decimal) {
        message.f = static_cast<float>(*decimal);
        set_type(Type::floating);
    } else {
        return NotExpressible{"no attribute of ONNX has the value " + to_string(attribute.value) +
                              " of " + attribute.name};
    }
    return message;
}

/// The operands by their places: data, indices, then surplus ones. One that is absent has no
/// tensor; behind the last nothing stands.
std::vector<Input> operands_of(const Call& call, std::vector<bool>& present) {
    std::vector<Input> operands;
    for (const char* name : {"data", "indices"}) {
        const TensorView* tensor = call.input(name);
        operands.push_back({name, tensor == nullptr ? TensorView() : *tensor});
        present.push_back(tensor != nullptr);
    }
    for (const Input& input : call.inputs) {
        if (input.name == "data" || input.name == "indices") continue;
        operands.push_back(input);
        present.push_back(true);
    }
    while (!present.empty() && !present.back()) {
        present.pop_back();
        operands.pop_back();
    }
    return operands;
}

/// The rank of the output by the ranks of the operands; nothing where these do not tell.
std::optional<std::int64_t> output_rank(const Call& call) {
    const TensorView* data = call.input("data");
    const TensorView* indices = call.input("indices");
    if (data == nullptr || indices == nullptr) return std::nullopt;
    const OperatorInfo& row = info(call.version);
    std::int64_t rank = indices->shape.rank();
    if (row.family == Family::gather) rank += data->shape.rank() - 1;
    if (row.family == Family::gather_nd) {
        if (rank == 0) return std::nullopt;
        std::int64_t batch_dims = 0;
        for (const Attribute& attribute : call.attributes) {
            if (attribute.name != "batch_dims" || row.batch_dims == BatchDims::none) continue;
            const auto* value = std::get_if<std::int64_t>(&attribute.value);
            if (value == nullptr) return std::nullopt;
            batch_dims = *value;
        }
        const std::int64_t most = data->shape.rank() + rank;
        const std::int64_t tuple = indices->shape[indices->shape.rank() - 1];
        if (batch_dims < -most || batch_dims > most || tuple > most) return std::nullopt;
        rank += data->shape.rank() - tuple - 1 - batch_dims;
    }
    if (rank < 0 || rank > data->shape.rank() + indices->shape.rank()) return std::nullopt;
    return rank;
}

onnx::Value declared(std::string name, const Descriptor& descriptor) {
    onnx::Value value;
    value.name = std::move(name);
    value.kind = onnx::Value::Kind::tensor;
    value.elem_type = info(descriptor.type).onnx_number;
    value.has_shape = true;
    value.shape.assign(descriptor.shape.begin(), descriptor.shape.end());
    return value;
}

/// Leaves open what differs in another call of the same model; the ranks are the same.
void widen(onnx::Value& value, const Shape& shape) {
    for (std::size_t k = 0; k < value.shape.size(); ++k) {
        if (value.shape[k] != shape[static_cast<std::int64_t>(k)]) value.shape[k].reset();
    }
}

/// What the graph says of its output. Where none is expected it says what onnx.checker asks for and
/// the operands tell, and no size, which an engine may believe.
onnx::Value declared_output(const Call& call, const PreparedCase& prepared, bool is_sequence) {
    const auto* output = prepared.alternatives.size() == 1
                             ? std::get_if<ResolvedOutput>(&prepared.alternatives.front())
                             : nullptr;
    if (output != nullptr && !is_sequence) return declared("output", output->descriptor);
    onnx::Value value;
    value.name = "output";
    const TensorView* data = call.input("data");
    const std::optional<std::int64_t> rank = output_rank(call);
    if (data == nullptr || !rank) return value;
    value.kind = onnx::Value::Kind::tensor;
    value.elem_type = info(data->type).onnx_number;
    value.has_shape = true;
    value.shape.resize(static_cast<std::size_t>(*rank));
    return value;
}

}  // namespace

std::variant<NodeTestMessages, NotExpressible> node_test_of(const std::string& name,
                                                            const Case& tested,
                                                            OperatorVersion version,
                                                            const PreparedCase& prepared) {
    const Call& call = prepared.call.call;
    NodeTestMessages result;
    onnx::Graph graph;
    graph.name = name;
    graph.doc_string =
        tested.id + " for " + std::string(gathercheck::name(version)) + ": " + tested.title;
    onnx::Node node;
    node.op_type = info(version).type;
    node.output = {"output"};
    for (const Attribute& attribute : call.attributes) {
        auto message = message_of(attribute);
        if (auto* why = std::get_if<NotExpressible>(&message)) return std::move(*why);
        node.attribute.push_back(std::get<onnx::Attribute>(std::move(message)));
    }

    std::vector<bool> present;
    std::vector<Input> operands = operands_of(call, present);
    for (std::size_t k = 0; k < operands.size(); ++k) {
        node.input.push_back(present[k] ? operands[k].name : "");
        const auto& [type, shape, contents] = operands[k].tensor;
        if (present[k]) graph.input.push_back(declared(operands[k].name, {type, shape}));
    }
    std::vector<const Call*> calls;
    for (const OwnedCall& earlier : prepared.earlier_calls) calls.push_back(&earlier.call);
    calls.push_back(&call);
    for (const Call* each : calls) {
        std::vector<onnx::Tensor>& inputs = result.inputs.emplace_back();
        for (onnx::Value& value : graph.input) {
            const TensorView& tensor = *each->input(value.name);
            auto message = message_of(value.name, tensor);
            if (auto* why = std::get_if<NotExpressible>(&message)) return std::move(*why);
            inputs.push_back(std::get<onnx::Tensor>(std::move(message)));
            widen(value, tensor.shape);
        }
    }
    for (const Call* each : calls) {
        if (output_rank(*each) == output_rank(call)) continue;
        return NotExpressible{
            "the outputs of its sequence differ in rank, that of a model has one rank"};
    }
    graph.output.push_back(declared_output(call, prepared, calls.size() > 1));
    graph.node.push_back(std::move(node));
    result.model.ir_version = ir_version;
    result.model.producer_name = "gathercheck";
    result.model.opset_import.push_back({"", info(version).number});
    result.model.graph = std::move(graph);
    return result;
}

std::variant<onnx_messages::Tensor, NotExpressible> tensor_of(const ResolvedOutput& output) {
    const auto& [type, shape] = output.descriptor;
    if (output.contents) return message_of("output", output.contents->view());
    if (element_count(shape) != 0) {
        return NotExpressible{
            "of the expected output only " +
            std::string(output.sha256.empty() ? "type and shape are" : "the digest is") + " known"};
    }
    return message_of("output", {type, shape, nullptr});
}

}  // namespace gathercheck
