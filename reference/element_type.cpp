// SPDX-License-Identifier: Apache-2.0
// The table of element types and what is derived from it.
#include "reference/element_type.hpp"

#include <algorithm>

namespace gathercheck {
namespace {

using enum ElementType;
using Kind = ElementKind;

constexpr std::array<ElementTypeInfo, element_type_count> table{{
    {boolean, "boolean", 8, Kind::boolean, "BOOL", 9, "boolean"},
    {u1, "u1", 1, Kind::unsigned_integer, "", 0, "u1"},
    {u2, "u2", 2, Kind::unsigned_integer, "UINT2", 25, "u2"},
    {u3, "u3", 3, Kind::unsigned_integer, "", 0, "u3"},
    {u4, "u4", 4, Kind::unsigned_integer, "UINT4", 21, "u4"},
    {u6, "u6", 6, Kind::unsigned_integer, "", 0, "u6"},
    {u8, "u8", 8, Kind::unsigned_integer, "UINT8", 2, "u8"},
    {u16, "u16", 16, Kind::unsigned_integer, "UINT16", 4, "u16"},
    {u32, "u32", 32, Kind::unsigned_integer, "UINT32", 12, "u32"},
    {u64, "u64", 64, Kind::unsigned_integer, "UINT64", 13, "u64"},
    {i2, "i2", 2, Kind::signed_integer, "INT2", 26, ""},
    {i4, "i4", 4, Kind::signed_integer, "INT4", 22, "i4"},
    {i8, "i8", 8, Kind::signed_integer, "INT8", 3, "i8"},
    {i16, "i16", 16, Kind::signed_integer, "INT16", 5, "i16"},
    {i32, "i32", 32, Kind::signed_integer, "INT32", 6, "i32"},
    {i64, "i64", 64, Kind::signed_integer, "INT64", 7, "i64"},
    {f16, "f16", 16, Kind::floating, "FLOAT16", 10, "f16"},
    {bf16, "bf16", 16, Kind::floating, "BFLOAT16", 16, "bf16"},
    {f32, "f32", 32, Kind::floating, "FLOAT", 1, "f32"},
    {f64, "f64", 64, Kind::floating, "DOUBLE", 11, "f64"},
    {f8e4m3, "f8e4m3", 8, Kind::floating, "FLOAT8E4M3FN", 17, "f8e4m3"},
    {f8e5m2, "f8e5m2", 8, Kind::floating, "FLOAT8E5M2", 19, "f8e5m2"},
    {f8e4m3fnuz, "f8e4m3fnuz", 8, Kind::floating, "FLOAT8E4M3FNUZ", 18, ""},
    {f8e5m2fnuz, "f8e5m2fnuz", 8, Kind::floating, "FLOAT8E5M2FNUZ", 20, ""},
    {f8e8m0, "f8e8m0", 8, Kind::floating, "FLOAT8E8M0", 24, "f8e8m0"},
    {f4e2m1, "f4e2m1", 4, Kind::floating, "FLOAT4E2M1", 23, "f4e2m1"},
    {nf4, "nf4", 4, Kind::floating, "", 0, "nf4"},
    {c64, "c64", 64, Kind::complex, "COMPLEX64", 14, ""},
    {c128, "c128", 128, Kind::complex, "COMPLEX128", 15, ""},
    {string, "string", 128, Kind::string, "STRING", 8, "string"},
}};

constexpr bool in_order() {
    for (std::size_t k = 0; k < table.size(); ++k) {
        if (static_cast<std::size_t>(table[k].type) != k) return false;
    }
    return true;
}
static_assert(in_order(), "the table is in the order of the enumerators");

}  // namespace

std::span<const ElementTypeInfo> element_types() { return table; }

const ElementTypeInfo& info(ElementType type) { return table[static_cast<std::size_t>(type)]; }

std::string_view name(ElementType type) { return info(type).name; }

std::optional<ElementType> element_type(std::string_view name) {
    const auto found = std::ranges::find(table, name, &ElementTypeInfo::name);
    if (found == table.end()) return std::nullopt;
    return found->type;
}

std::optional<ElementType> element_type_of_onnx(int number) {
    if (number == 0) return std::nullopt;
    const auto found = std::ranges::find(table, number, &ElementTypeInfo::onnx_number);
    if (found == table.end()) return std::nullopt;
    return found->type;
}

int bits(ElementType type) { return info(type).bits; }

bool is_packed(ElementType type) { return bits(type) < 8; }

bool is_integer(ElementType type) {
    const ElementKind kind = info(type).kind;
    return kind == ElementKind::unsigned_integer || kind == ElementKind::signed_integer;
}

}  // namespace gathercheck
