// SPDX-License-Identifier: Apache-2.0
// The wire format of protobuf: https://protobuf.dev/programming-guides/encoding/
#include "tools/import/onnx_messages.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace gathercheck::onnx_messages {
namespace {

enum class Wire : std::uint8_t { varint, fixed64, bytes, start_group, end_group, fixed32 };

/// One field: a number, or bytes.
struct Field {
    std::uint32_t number = 0;
    Wire wire = Wire::varint;
    std::uint64_t value = 0;  ///< of a varint
    std::string_view bytes;   ///< of the others
};

std::optional<std::uint64_t> take_varint(std::string_view& rest) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < 10 && k < rest.size(); ++k) {
        const auto byte = static_cast<unsigned char>(rest[k]);
        value |= std::uint64_t{byte & 0x7FU} << (7 * k);
        if ((byte & 0x80U) != 0) continue;
        rest.remove_prefix(k + 1);
        return value;
    }
    return std::nullopt;
}

bool take_bytes(std::string_view& rest, std::uint64_t count, std::string_view& bytes) {
    if (count > rest.size()) return false;
    bytes = rest.substr(0, static_cast<std::size_t>(count));
    rest.remove_prefix(static_cast<std::size_t>(count));
    return true;
}

/// The next field; a group only begins or ends.
std::optional<Field> take_field(std::string_view& rest) {
    const auto tag = take_varint(rest);
    if (!tag || *tag > 0xFFFFFFFFU || (*tag >> 3U) == 0 || (*tag & 7U) > 5) return std::nullopt;
    Field field;
    field.number = static_cast<std::uint32_t>(*tag >> 3U);
    field.wire = static_cast<Wire>(*tag & 7U);
    switch (field.wire) {
        case Wire::varint:
        case Wire::bytes: {
            const auto value = take_varint(rest);
            if (!value) return std::nullopt;
            field.value = *value;
            if (field.wire == Wire::bytes && !take_bytes(rest, *value, field.bytes)) {
                return std::nullopt;
            }
            return field;
        }
        case Wire::fixed64:
            return take_bytes(rest, 8, field.bytes) ? std::optional(field) : std::nullopt;
        case Wire::fixed32:
            return take_bytes(rest, 4, field.bytes) ? std::optional(field) : std::nullopt;
        case Wire::start_group:
        case Wire::end_group:
            return field;
    }
    return std::nullopt;
}

/// Passes over a group, which onnx.proto has none of.
bool skip_group(std::string_view& rest, std::uint32_t number) {
    constexpr std::size_t deepest = 100;
    std::vector<std::uint32_t> open{number};
    while (!open.empty()) {
        const auto field = take_field(rest);
        if (!field) return false;
        if (field->wire == Wire::start_group) {
            if (open.size() == deepest) return false;
            open.push_back(field->number);
        } else if (field->wire == Wire::end_group) {
            if (open.back() != field->number) return false;
            open.pop_back();
        }
    }
    return true;
}

/// Hands each field to `take`, which says whether it could read it. A field of another wire type
/// than its own is one that is not known.
template <class Take>
bool each_field(std::string_view rest, Take take) {
    while (!rest.empty()) {
        const auto field = take_field(rest);
        if (!field || field->wire == Wire::end_group) return false;
        const bool good =
            field->wire == Wire::start_group ? skip_group(rest, field->number) : take(*field);
        if (!good) return false;
    }
    return true;
}

template <class Integer>
bool set(const Field& field, Integer& value) {
    if (field.wire == Wire::varint) value = static_cast<Integer>(field.value);
    return true;
}

bool set(const Field& field, std::string& text) {
    if (field.wire == Wire::bytes) text = field.bytes;
    return true;
}

bool set(const Field& field, bool& is_there) {
    if (field.wire == Wire::bytes) is_there = true;
    return true;
}

/// A number of as many bytes as it has in memory, the lowest first.
template <class Number>
Number fixed(std::string_view bytes) {
    using Pattern = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
    Pattern pattern = 0;
    for (std::size_t k = 0; k < sizeof pattern; ++k) {
        pattern |= Pattern{static_cast<unsigned char>(bytes[k])} << (8 * k);
    }
    return std::bit_cast<Number>(pattern);
}

bool set(const Field& field, float& value) {
    if (field.wire == Wire::fixed32) value = fixed<float>(field.bytes);
    return true;
}

bool add(const Field& field, std::vector<std::string>& texts) {
    if (field.wire == Wire::bytes) texts.emplace_back(field.bytes);
    return true;
}

/// Integers, one by one or packed.
template <class Integer>
bool add(const Field& field, std::vector<Integer>& values) {
    if (field.wire == Wire::varint) values.push_back(static_cast<Integer>(field.value));
    if (field.wire != Wire::bytes) return true;
    for (std::string_view rest = field.bytes; !rest.empty();) {
        const auto value = take_varint(rest);
        if (!value) return false;
        values.push_back(static_cast<Integer>(*value));
    }
    return true;
}

/// The same of numbers that always take as many bytes as in memory.
template <class Number>
bool add_fixed(const Field& field, std::vector<Number>& values) {
    const Wire single = sizeof(Number) == 4 ? Wire::fixed32 : Wire::fixed64;
    if (field.wire != single && field.wire != Wire::bytes) return true;
    if (field.bytes.size() % sizeof(Number) != 0) return false;
    for (std::size_t at = 0; at < field.bytes.size(); at += sizeof(Number)) {
        values.push_back(fixed<Number>(field.bytes.substr(at)));
    }
    return true;
}

/// A message in a message, read by `read_fields`: one more of a list.
template <class Message, class Read>
bool add_message(const Field& field, std::vector<Message>& messages, Read read_fields) {
    return field.wire != Wire::bytes || read_fields(field.bytes, messages.emplace_back());
}

bool read_attribute(std::string_view bytes, Attribute& attribute) {
    return each_field(bytes, [&](const Field& field) {
        switch (field.number) {
            case 1:
                return set(field, attribute.name);
            case 2:
                return set(field, attribute.f);
            case 3:
                return set(field, attribute.i);
            case 4:
                return set(field, attribute.s);
            case 8:
                return add(field, attribute.ints);
            case 20: {
                std::int32_t type = attribute.type;
                set(field, type);
                if (!attribute_type_name(type).empty()) attribute.type = type;
                return true;
            }
            case 21:
                return set(field, attribute.ref_attr_name);
            default:
                return true;
        }
    });
}

bool read_node(std::string_view bytes, Node& node) {
    return each_field(bytes, [&](const Field& field) {
        switch (field.number) {
            case 1:
                return add(field, node.input);
            case 2:
                return add(field, node.output);
            case 4:
                return set(field, node.op_type);
            case 5:
                return add_message(field, node.attribute, read_attribute);
            case 7:
                return set(field, node.domain);
            default:
                return true;
        }
    });
}

bool read_dimension(std::string_view bytes, std::optional<std::int64_t>& size) {
    return each_field(bytes, [&](const Field& field) {
        if (field.number == 1 && field.wire == Wire::varint) {
            size = static_cast<std::int64_t>(field.value);
        }
        if (field.number == 2 && field.wire == Wire::bytes) size.reset();
        return true;
    });
}

bool read_shape(std::string_view bytes, Value& value) {
    value.has_shape = true;
    return each_field(bytes, [&](const Field& field) {
        return field.number != 1 || add_message(field, value.shape, read_dimension);
    });
}

bool read_tensor_type(std::string_view bytes, Value& value) {
    return each_field(bytes, [&](const Field& field) {
        if (field.number == 1) return set(field, value.elem_type);
        if (field.number != 2 || field.wire != Wire::bytes) return true;
        return read_shape(field.bytes, value);
    });
}

/// Which kind of value a field of TypeProto says.
std::optional<Value::Kind> kind_of(std::uint32_t field_number) {
    using enum Value::Kind;
    switch (field_number) {
        case 1:
            return tensor;
        case 4:
            return sequence;
        case 5:
            return map;
        case 7:
            return none;  // opaque
        case 8:
            return sparse_tensor;
        case 9:
            return optional;
        default:
            return std::nullopt;
    }
}

/// A value is of one kind: of several, the last holds.
bool read_type(std::string_view bytes, Value& value) {
    return each_field(bytes, [&](const Field& field) {
        const auto kind = kind_of(field.number);
        if (!kind || field.wire != Wire::bytes) return true;
        if (*kind != value.kind) value = {value.name, *kind, 0, false, {}};
        return *kind != Value::Kind::tensor || read_tensor_type(field.bytes, value);
    });
}

bool read_value(std::string_view bytes, Value& value) {
    return each_field(bytes, [&](const Field& field) {
        if (field.number == 1) return set(field, value.name);
        if (field.number != 2 || field.wire != Wire::bytes) return true;
        return read_type(field.bytes, value);
    });
}

bool read_graph(std::string_view bytes, Graph& graph) {
    return each_field(bytes, [&](const Field& field) {
        switch (field.number) {
            case 1:
                return add_message(field, graph.node, read_node);
            case 5:
                return add_message(
                    field, graph.initializer,
                    [](std::string_view inside, Tensor& to) { return read(inside, to); });
            case 11:
                return add_message(field, graph.input, read_value);
            case 12:
                return add_message(field, graph.output, read_value);
            case 15:
                return set(field, graph.has_sparse_initializer);
            default:
                return true;
        }
    });
}

bool read_operator_set(std::string_view bytes, OperatorSet& set_of) {
    return each_field(bytes, [&](const Field& field) {
        if (field.number == 1) return set(field, set_of.domain);
        return field.number != 2 || set(field, set_of.version);
    });
}

}  // namespace

std::string_view attribute_type_name(std::int32_t type) {
    constexpr std::array<std::string_view, 15> names{
        "UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
        "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
        "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
    const auto place = static_cast<std::size_t>(type);
    return place < names.size() ? names.at(place) : std::string_view();
}

bool read(std::string_view bytes, Tensor& tensor) {
    return each_field(bytes, [&](const Field& field) {
        switch (field.number) {
            case 1:
                return add(field, tensor.dims);
            case 2:
                return set(field, tensor.data_type);
            case 3:
                return set(field, tensor.has_segment);
            case 4:
                return add_fixed(field, tensor.float_data);
            case 5:
                return add(field, tensor.int32_data);
            case 6:
                return add(field, tensor.string_data);
            case 7:
                return add(field, tensor.int64_data);
            case 8:
                return set(field, tensor.name);
            case 9:
                if (field.wire == Wire::bytes) tensor.raw_data = field.bytes;
                return true;
            case 10:
                return add_fixed(field, tensor.double_data);
            case 11:
                return add(field, tensor.uint64_data);
            case 13:
                return set(field, tensor.has_external_data);
            case 14: {
                std::int32_t location = tensor.is_external ? 1 : 0;
                set(field, location);
                if (location == 0 || location == 1) tensor.is_external = location == 1;
                return true;
            }
            default:
                return true;
        }
    });
}

bool read(std::string_view bytes, Model& model) {
    return each_field(bytes, [&](const Field& field) {
        switch (field.number) {
            case 7:
                if (field.wire != Wire::bytes) return true;
                if (!model.graph) model.graph.emplace();
                return read_graph(field.bytes, *model.graph);
            case 8:
                return add_message(field, model.opset_import, read_operator_set);
            case 25:
                return set(field, model.has_functions);
            default:
                return true;
        }
    });
}

}  // namespace gathercheck::onnx_messages
