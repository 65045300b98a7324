// SPDX-License-Identifier: Apache-2.0
// Element types: names, numbers and byte sizes.
#include "reference/element_type.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>

namespace gathercheck {

TEST_CASE("every element type is found by its short name") {
    for (const ElementTypeInfo& row : element_types()) {
        CHECK(element_type(row.name) == row.type);
    }
    CHECK(element_type("f33") == std::nullopt);
    CHECK(element_type("") == std::nullopt);
}

TEST_CASE("ONNX numbers are those of TensorProto.DataType") {
    CHECK(element_type_of_onnx(1) == ElementType::f32);
    CHECK(element_type_of_onnx(7) == ElementType::i64);
    CHECK(element_type_of_onnx(8) == ElementType::string);
    CHECK(element_type_of_onnx(16) == ElementType::bf16);
    CHECK(element_type_of_onnx(22) == ElementType::i4);
    CHECK(element_type_of_onnx(0) == std::nullopt);
    CHECK(element_type_of_onnx(99) == std::nullopt);
}

TEST_CASE("packed elements share bytes and the last byte is rounded up") {
    CHECK(byte_size(ElementType::u4, 3) == 2);
    CHECK(byte_size(ElementType::u1, 9) == 2);
    CHECK(byte_size(ElementType::u3, 8) == 3);
    CHECK(byte_size(ElementType::u6, 4) == 3);
    CHECK(byte_size(ElementType::u6, 5) == 4);
    CHECK(byte_size(ElementType::i2, 0) == 0);
}

TEST_CASE("a byte size beyond 63 bits is not given") {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(byte_size(ElementType::u8, most) == most);
    CHECK(byte_size(ElementType::u16, most) == std::nullopt);
    CHECK(byte_size(ElementType::f64, most / 8) == most / 8 * 8);
    CHECK(byte_size(ElementType::f64, most / 8 + 1) == std::nullopt);
    CHECK(byte_size(ElementType::u4, most) == std::int64_t{1} << 62);
}

}  // namespace gathercheck
