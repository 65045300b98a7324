// SPDX-License-Identifier: Apache-2.0
// Numbers of this machine, and the little-endian ones in which they travel.
#include "reference/byte_order.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "reference/tensor.hpp"

namespace gathercheck {
namespace {

using Bytes = std::array<std::byte, 16>;

constexpr Bytes bytes_of(std::string_view digits) {
    Bytes bytes{};
    for (std::size_t k = 0; k < bytes.size(); ++k) {
        bytes[k] =
            static_cast<std::byte>(digits[k] <= '9' ? digits[k] - '0' : digits[k] - 'a' + 10);
    }
    return bytes;
}

Bytes reversed(ElementType type) {
    Bytes bytes = bytes_of("0123456789abcdef");
    reverse_numbers(type, bytes);
    return bytes;
}

}  // namespace

TEST_CASE("each number is reversed by itself, of a complex element both parts") {
    using enum ElementType;
    CHECK(reversed(i16) == bytes_of("1032547698badcfe"));
    CHECK(reversed(f32) == bytes_of("32107654ba98fedc"));
    CHECK(reversed(c64) == bytes_of("32107654ba98fedc"));
    CHECK(reversed(u64) == bytes_of("76543210fedcba98"));
    CHECK(reversed(c128) == bytes_of("76543210fedcba98"));
    for (const ElementType type : {boolean, u8, f8e4m3, u1, i4, u6}) {
        CHECK(reversed(type) == bytes_of("0123456789abcdef"));
    }
}

TEST_CASE("contents travel with the lowest byte first, and come back") {
    std::array<std::int32_t, 2> numbers{0x01020304, -2};
    const auto contents = std::as_writable_bytes(std::span(numbers));
    constexpr std::array<unsigned char, 8> expected{4, 3, 2, 1, 0xFE, 0xFF, 0xFF, 0xFF};
    {
        const LittleEndian sent(ElementType::i32, contents);
        CHECK(std::ranges::equal(sent.bytes(), std::as_bytes(std::span(expected))));
    }
    std::memcpy(numbers.data(), expected.data(), sizeof expected);
    convert_little_endian(ElementType::i32, contents);
    CHECK(numbers == std::array<std::int32_t, 2>{0x01020304, -2});
}

TEST_CASE("the bits of an element are its number on every machine") {
    std::array<std::uint16_t, 2> words{0, 0x1234};
    const auto* read = std::as_bytes(std::span(words)).data();
    auto* written = std::as_writable_bytes(std::span(words)).data();
    CHECK(element_bits(ElementType::f16, read, 1) == 0x1234);
    set_element_bits(ElementType::bf16, written, 0, 0x3F80);
    CHECK(words == std::array<std::uint16_t, 2>{0x3F80, 0x1234});

    // The real part is the low half, and stands first.
    std::array<float, 2> complex{1.0F, -2.0F};
    const auto* parts = std::as_bytes(std::span(complex)).data();
    CHECK(element_bits(ElementType::c64, parts, 0) == 0xC0000000'3F800000);
    set_element_bits(ElementType::c64, std::as_writable_bytes(std::span(complex)).data(), 0,
                     0x3F800000'40000000);
    CHECK(complex == std::array<float, 2>{2.0F, 1.0F});
}

}  // namespace gathercheck
