// SPDX-License-Identifier: Apache-2.0
// Single elements: packed, wide, signed, strings.
#include "reference/tensor.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstring>
#include <string>

namespace gathercheck {

TEST_CASE("packed elements lie low part of the byte first and across bytes") {
    // u3 elements 1, 2, 3: bits 001, 010, 011 from the lowest up, so 0b11010001 and 0b0.
    std::array<std::byte, 2> bytes{};
    set_element_bits(ElementType::u3, bytes.data(), 0, 1);
    set_element_bits(ElementType::u3, bytes.data(), 1, 2);
    set_element_bits(ElementType::u3, bytes.data(), 2, 7);
    CHECK(bytes[0] == std::byte{0b11010001});
    CHECK(bytes[1] == std::byte{0b00000001});
    CHECK(element_bits(ElementType::u3, bytes.data(), 2) == 7);
    CHECK(element_bits(ElementType::u4, bytes.data(), 0) == 0x1);
    CHECK(element_bits(ElementType::u4, bytes.data(), 1) == 0xD);
}

TEST_CASE("a packed element leaves its neighbours as they are") {
    std::array<std::byte, 2> bytes{std::byte{0xFF}, std::byte{0xFF}};
    zero_element(ElementType::i4, bytes.data(), 1);
    CHECK(bytes[0] == std::byte{0x0F});
    CHECK(bytes[1] == std::byte{0xFF});
    const std::array<std::byte, 2> source{std::byte{0x65}, std::byte{0x87}};
    copy_element(ElementType::u4, source.data(), 2, bytes.data(), 1);
    CHECK(bytes[0] == std::byte{0x7F});
}

TEST_CASE("integers keep their sign in every width") {
    const std::array<std::byte, 8> ones{std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF},
                                        std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF},
                                        std::byte{0xFF}, std::byte{0xFF}};
    CHECK(integer_element(ElementType::i2, ones.data(), 3) == -1);
    CHECK(integer_element(ElementType::i8, ones.data(), 0) == -1);
    CHECK(integer_element(ElementType::i64, ones.data(), 0) == -1);
    CHECK(integer_element(ElementType::u8, ones.data(), 0) == 255);
    CHECK(integer_element(ElementType::u32, ones.data(), 1) == 4294967295);
    CHECK(integer_element(ElementType::u64, ones.data(), 0) == std::nullopt);
    CHECK(integer_text(ElementType::u64, ones.data(), 0) == "18446744073709551615");
}

TEST_CASE("strings are moved as borrowed views, zeros are the empty string") {
    const Tensor data =
        string_tensor(Shape{2}, {std::string("a\0b", 3), "longer than a small string"});
    std::array<StringElement, 2> output{};
    auto* bytes = reinterpret_cast<std::byte*>(output.data());
    copy_element(ElementType::string, data.contents.data(), 0, bytes, 1);
    zero_element(ElementType::string, bytes, 0);
    CHECK(output[0].view().empty());
    CHECK(output[1].view() == std::string("a\0b", 3));
}

TEST_CASE("a copy of a string tensor shares its characters") {
    Tensor copy;
    {
        const Tensor original = string_tensor(Shape{1}, {"kept alive"});
        copy = original;
    }
    StringElement element;
    std::memcpy(&element, copy.contents.data(), sizeof element);
    CHECK(element.view() == "kept alive");
}

}  // namespace gathercheck
