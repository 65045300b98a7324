// SPDX-License-Identifier: Apache-2.0
// The wire format of protobuf: https://protobuf.dev/programming-guides/encoding/
#include "tools/export/write_messages.hpp"

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gathercheck::onnx_messages {
namespace {

/// A message in the making: fields in the order of their numbers, as protobuf itself writes them.
class Message {
public:
    void integer(std::uint32_t number, std::int64_t value) {
        varint(number << 3U);
        varint(static_cast<std::uint64_t>(value));
    }
    void integers(std::uint32_t number, const std::vector<std::int64_t>& values) {
        for (const std::int64_t value : values) integer(number, value);
    }
    void fixed32(std::uint32_t number, float value) {
        varint(number << 3U | 5U);
        const auto pattern = std::bit_cast<std::uint32_t>(value);
        for (unsigned k = 0; k < 4; ++k) bytes_ += static_cast<char>(pattern >> (8 * k) & 0xFFU);
    }
    void bytes(std::uint32_t number, std::string_view value) {
        varint(number << 3U | 2U);
        varint(value.size());
        bytes_ += value;
    }
    void texts(std::uint32_t number, const std::vector<std::string>& values) {
        for (const std::string& value : values) bytes(number, value);
    }
    /// Left out where it is empty.
    void text(std::uint32_t number, std::string_view value) {
        if (!value.empty()) bytes(number, value);
    }

    std::string take() && { return std::move(bytes_); }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

std::string write(const Attribute& attribute) {
    Message message;
    message.text(1, attribute.name);
    switch (static_cast<Attribute::Type>(attribute.type)) {
        case Attribute::Type::floating:
            message.fixed32(2, attribute.f);
            break;
        case Attribute::Type::integer:
            message.integer(3, attribute.i);
            break;
        case Attribute::Type::string:
            message.bytes(4, attribute.s);
            break;
        case Attribute::Type::integers:
            message.integers(8, attribute.ints);
            break;
        case Attribute::Type::undefined:
            break;
    }
    message.integer(20, attribute.type);
    return std::move(message).take();
}

std::string write(const Node& node) {
    Message message;
    message.texts(1, node.input);
    message.texts(2, node.output);
    message.text(4, node.op_type);
    for (const Attribute& attribute : node.attribute) message.bytes(5, write(attribute));
    message.text(7, node.domain);
    return std::move(message).take();
}

std::string write(const Value& value) {
    Message message;
    message.text(1, value.name);
    if (value.kind != Value::Kind::tensor) return std::move(message).take();
    Message tensor;
    tensor.integer(1, value.elem_type);
    if (value.has_shape) {
        Message shape;
        for (const auto& size : value.shape) {
            Message dimension;
            if (size) dimension.integer(1, *size);
            shape.bytes(1, std::move(dimension).take());
        }
        tensor.bytes(2, std::move(shape).take());
    }
    Message type;
    type.bytes(1, std::move(tensor).take());
    message.bytes(2, std::move(type).take());
    return std::move(message).take();
}

std::string write(const Graph& graph) {
    Message message;
    for (const Node& node : graph.node) message.bytes(1, write(node));
    message.text(2, graph.name);
    for (const Tensor& tensor : graph.initializer) message.bytes(5, write(tensor));
    message.text(10, graph.doc_string);
    for (const Value& value : graph.input) message.bytes(11, write(value));
    for (const Value& value : graph.output) message.bytes(12, write(value));
    return std::move(message).take();
}

std::string write(const OperatorSet& set) {
    Message message;
    message.text(1, set.domain);
    message.integer(2, set.version);
    return std::move(message).take();
}

}  // namespace

std::string write(const Tensor& tensor) {
    Message message;
    message.integers(1, tensor.dims);
    message.integer(2, tensor.data_type);
    message.texts(6, tensor.string_data);
    message.text(8, tensor.name);
    if (tensor.raw_data) message.bytes(9, *tensor.raw_data);
    return std::move(message).take();
}

std::string write(const Model& model) {
    Message message;
    message.integer(1, model.ir_version);
    message.text(2, model.producer_name);
    if (model.graph) message.bytes(7, write(*model.graph));
    for (const OperatorSet& set : model.opset_import) message.bytes(8, write(set));
    return std::move(message).take();
}

}  // namespace gathercheck::onnx_messages
