// SPDX-License-Identifier: Apache-2.0
// Element types: one table of names, widths and kinds; everything else is
// derived from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "reference/shape.hpp"

namespace gathercheck {

/// Every element type that a specification of a gather operator knows, and some
/// that it forbids. The enumerators are the short names used in JSON, on the
/// wire and in reports.
enum class ElementType : std::uint8_t {
    boolean,
    u1,
    u2,
    u3,
    u4,
    u6,
    u8,
    u16,
    u32,
    u64,
    i2,
    i4,
    i8,
    i16,
    i32,
    i64,
    f16,
    bf16,
    f32,
    f64,
    f8e4m3,
    f8e5m2,
    f8e4m3fnuz,
    f8e5m2fnuz,
    f8e8m0,
    f4e2m1,
    nf4,
    c64,
    c128,
    string,
};

inline constexpr std::size_t element_type_count = 30;

enum class ElementKind : std::uint8_t {
    boolean,
    unsigned_integer,
    signed_integer,
    floating,
    complex,
    string,
};

/// One row of the table of element types.
struct ElementTypeInfo {
    ElementType type;
    std::string_view name;  ///< short name
    int bits;               ///< width of one element; a string element is 128 bits wide
    ElementKind kind;
    std::string_view onnx_name;      ///< TensorProto.DataType name; empty where ONNX
                                     ///< has no such type
    int onnx_number;                 ///< TensorProto.DataType number; 0 where ONNX has no such
                                     ///< type
    std::string_view openvino_name;  ///< empty where OpenVINO has no such type
};

/// All rows, in the order of the enumerators.
std::span<const ElementTypeInfo> element_types();

const ElementTypeInfo& info(ElementType type);

/// The short name.
std::string_view name(ElementType type);

/// The element type of a short name; nothing for an unknown name.
std::optional<ElementType> element_type(std::string_view name);

/// Element type of an ONNX TensorProto.DataType number; nothing where there is
/// none.
std::optional<ElementType> element_type_of_onnx(int number);

/// Width of one element in bits.
int bits(ElementType type);

/// True for types narrower than a byte: their elements are packed, low part of
/// the byte first. Element k occupies bits k*b to k*b+b-1 of a little-endian
/// bit stream, across bytes; spare bits of the last byte are written zero and
/// ignored when read.
bool is_packed(ElementType type);

/// True for u1 to u64 and i2 to i64.
bool is_integer(ElementType type);

/// Bytes that `count` elements occupy; nothing when that does not fit 63 bits.
/// `count` must not be negative.
inline std::optional<std::int64_t> byte_size(ElementType type, std::int64_t count) {
    const std::int64_t width = bits(type);
    if (width >= 8) return multiply(count, width / 8);
    // count = 8 * whole + rest: whole * width bytes and the bits of the rest,
    // without an overflow.
    const std::int64_t whole = count / 8;
    const std::int64_t rest = count % 8;
    return whole * width + (rest * width + 7) / 8;
}

/// A set of element types, as a value that constant tables can hold.
struct TypeSet {
    std::uint64_t members = 0;

    constexpr TypeSet() = default;
    constexpr TypeSet(std::initializer_list<ElementType> types) {
        for (const ElementType type : types) {
            members |= std::uint64_t{1} << static_cast<unsigned>(type);
        }
    }

    constexpr bool contains(ElementType type) const {
        return (members >> static_cast<unsigned>(type) & 1U) != 0;
    }
    friend constexpr TypeSet operator|(TypeSet a, TypeSet b) {
        TypeSet both;
        both.members = a.members | b.members;
        return both;
    }
};

}  // namespace gathercheck
