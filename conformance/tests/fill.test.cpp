// SPDX-License-Identifier: Apache-2.0
// Contents that cases describe, as bytes: literals, bits and every fill.
#include "conformance/model/fill.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/load/load_json.hpp"

using namespace gathercheck;

namespace {

Tensor tensor(std::string_view text) {
    JsonResult document = parse_json(text, "x.json");
    if (const auto* refused = std::get_if<std::vector<Problem>>(&document)) {
        FAIL(refused->front().reason);
    }
    Problems problems("x.json");
    const Place top;
    const auto spec = read_input(std::get<Json>(document), top, problems);
    if (!spec) FAIL(std::move(problems).take().at(0).reason);
    return materialise(*spec);
}

/// The contents as hex digits, two a byte, in the order of memory.
std::string bytes(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (const std::byte byte : tensor(text).contents) {
        result += digits[std::to_integer<unsigned>(byte) >> 4U];
        result += digits[std::to_integer<unsigned>(byte) & 15U];
    }
    return result;
}

std::vector<std::string> strings(std::string_view text) {
    const Tensor made = tensor(text);
    std::vector<std::string> result;
    for (std::size_t k = 0; k < made.contents.size() / sizeof(StringElement); ++k) {
        StringElement element;
        std::memcpy(&element, made.contents.data() + k * sizeof element, sizeof element);
        result.emplace_back(element.view());
    }
    return result;
}

}  // namespace

TEST_CASE("values become the bytes of their type") {
    CHECK(bytes(R"({"type": "i16", "shape": [2], "values": [1, -2]})") == "0100feff");
    CHECK(bytes(R"({"type": "f32", "shape": [2], "values": [1, 0.1]})") == "0000803fcdcccc3d");
    CHECK(bytes(R"({"type": "f16", "shape": [], "values": [65504]})") == "ff7b");
    CHECK(bytes(R"({"type": "u64", "shape": [1], "values": ["18446744073709551615"]})") ==
          "ffffffffffffffff");
    CHECK(bytes(R"({"type": "i64", "shape": [1], "values": ["-9223372036854775808"]})") ==
          "0000000000000080");
    CHECK(bytes(R"({"type": "i64", "shape": [1], "values": [-9007199254740992]})") ==
          "000000000000e0ff");
    CHECK(bytes(R"({"type": "boolean", "shape": [2], "values": [true, false]})") == "0100");
    CHECK(bytes(R"({"type": "c64", "shape": [1], "values": [[1, -2]]})") == "0000803f000000c0");
    CHECK(bytes(R"({"type": "c128", "shape": [1], "values": [[1, -2]]})") ==
          "000000000000f03f00000000000000c0");
    CHECK(bytes(R"({"type": "f32", "shape": [0], "values": []})").empty());
    CHECK(strings(R"({"type": "string", "shape": [3], "values": ["", "a\u0000b", "\u00e9"]})") ==
          std::vector<std::string>{"", std::string("a\0b", 3), "\xc3\xa9"});
}

TEST_CASE("packed types fill bytes from the low end, across bytes, and leave spare bits zero") {
    CHECK(bytes(R"({"type": "u4", "shape": [3], "values": [1, 2, 15]})") == "210f");
    CHECK(bytes(R"({"type": "i4", "shape": [2], "values": [-1, 1]})") == "1f");
    CHECK(bytes(R"({"type": "u1", "shape": [9], "values": [1, 0, 0, 0, 0, 0, 0, 1, 1]})") ==
          "8101");
    CHECK(bytes(R"({"type": "u3", "shape": [3], "values": [7, 0, 7]})") == "c701");
    CHECK(bytes(R"({"type": "u6", "shape": [2], "values": [63, 1]})") == "7f00");
    CHECK(bytes(R"({"type": "u2", "shape": [4], "values": [3, 0, 1, 2]})") == "93");
}

TEST_CASE("bits become the pattern, of complex numbers the real part from the low half") {
    CHECK(bytes(R"({"type": "f32", "shape": [1], "bits": ["7fc00001"]})") == "0100c07f");
    CHECK(bytes(R"({"type": "f4e2m1", "shape": [2], "bits": ["8", "1"]})") == "18");
    CHECK(bytes(R"({"type": "c64", "shape": [1], "bits": ["c00000003f800000"]})") ==
          "0000803f000000c0");
    CHECK(
        bytes(R"({"type": "c128", "shape": [1], "bits": ["c0000000000000003ff0000000000000"]})") ==
        "000000000000f03f00000000000000c0");
}

TEST_CASE("address counts up: integers modulo their width") {
    CHECK(bytes(R"({"type": "u8", "shape": [4], "fill": {"address": 254}})") == "feff0001");
    CHECK(bytes(R"({"type": "i8", "shape": [2], "fill": {"address": -1}})") == "ff00");
    CHECK(bytes(R"({"type": "u4", "shape": [4], "fill": {"address": 14}})") == "fe10");
    CHECK(bytes(R"({"type": "u3", "shape": [8], "fill": {"address": 0}})") == "88c6fa");
}

TEST_CASE("address of floats holds values where all are exact, else patterns") {
    CHECK(bytes(R"({"type": "f32", "shape": [2], "fill": {"address": 1}})") == "0000803f00000040");
    CHECK(bytes(R"({"type": "f64", "shape": [1], "fill": {"address": -1}})") == "000000000000f0bf");
    CHECK(bytes(R"({"type": "f16", "shape": [2], "fill": {"address": 2047}})") == "ff670068");
    CHECK(bytes(R"({"type": "f16", "shape": [2], "fill": {"address": 2048}})") == "00080108");
    CHECK(bytes(R"({"type": "f16", "shape": [1], "fill": {"address": 65504}})") == "ff7b");
    CHECK(bytes(R"({"type": "bf16", "shape": [2], "fill": {"address": 255}})") == "7f438043");
    CHECK(bytes(R"({"type": "bf16", "shape": [2], "fill": {"address": 256}})") == "00010101");
    CHECK(bytes(R"({"type": "f32", "shape": [2], "fill": {"address": 16777216}})") ==
          "0000000101000001");
    CHECK(bytes(R"({"type": "f8e4m3", "shape": [2], "fill": {"address": 1}})") == "3840");
    CHECK(bytes(R"({"type": "f8e4m3", "shape": [2], "fill": {"address": 16}})") == "1011");
    CHECK(bytes(R"({"type": "f8e8m0", "shape": [2], "fill": {"address": 0}})") == "0001");
}

TEST_CASE("cycle repeats its values") {
    CHECK(bytes(R"({"type": "i8", "shape": [5], "fill": {"cycle": [1, -1]}})") == "01ff01ff01");
    CHECK(bytes(R"({"type": "u3", "shape": [3], "fill": {"cycle": [7, 0]}})") == "c701");
    CHECK(bytes(R"({"type": "i8", "shape": [0], "fill": {"cycle": [1]}})").empty());
    CHECK(strings(R"({"type": "string", "shape": [3], "fill": {"cycle": ["a", ""]}})") ==
          std::vector<std::string>{"a", "", "a"});
}

TEST_CASE("affine steps, and reduces before it adds the start") {
    CHECK(bytes(R"({"type": "i8", "shape": [4], "fill": {"affine": {"start": 3, "step": -2}}})") ==
          "0301fffd");
    CHECK(
        bytes(
            R"({"type": "u8", "shape": [5], "fill": {"affine": {"start": 10, "step": 3, "modulo": 5}}})") ==
        "0a0d0b0e0c");
    CHECK(
        bytes(
            R"({"type": "i8", "shape": [3], "fill": {"affine": {"start": -1, "step": -1, "modulo": 3}}})") ==
        "ff0100");
    CHECK(
        bytes(
            R"({"type": "i8", "shape": [2], "fill": {"affine": {"start": 0, "step": 1, "modulo": 1000}}})") ==
        "0001");
}

TEST_CASE("except replaces single elements, from the end too") {
    CHECK(
        bytes(
            R"({"type": "i8", "shape": [4], "fill": {"except": {"fill": {"cycle": [0]}, "at": {"1": 5, "-1": -1}}}})") ==
        "000500ff");
    CHECK(
        bytes(
            R"({"type": "u4", "shape": [3], "fill": {"except": {"fill": {"address": 1}, "at": {"1": 15}}}})") ==
        "f103");
    CHECK(
        strings(
            R"({"type": "string", "shape": [2], "fill": {"except": {"fill": {"mark": 1}, "at": {"0": "x"}}}})") ==
        std::vector<std::string>{"x", "2"});
}

TEST_CASE("mark reaches every element type") {
    CHECK(bytes(R"({"type": "i16", "shape": [2], "fill": {"mark": 1}})") == "01000200");
    CHECK(bytes(R"({"type": "f32", "shape": [1], "fill": {"mark": 1}})") == "0000803f");
    CHECK(bytes(R"({"type": "boolean", "shape": [8], "fill": {"mark": 0}})") == "0001010001000001");
    CHECK(bytes(R"({"type": "f8e4m3", "shape": [2], "fill": {"mark": 1}})") == "0102");
    CHECK(bytes(R"({"type": "f4e2m1", "shape": [2], "fill": {"mark": 15}})") == "0f");
    CHECK(bytes(R"({"type": "nf4", "shape": [2], "fill": {"mark": 1}})") == "21");
    CHECK(bytes(R"({"type": "c64", "shape": [1], "fill": {"mark": 2}})") == "00000040000000c0");
    CHECK(bytes(R"({"type": "c64", "shape": [1], "fill": {"mark": 0}})") == "0000000000000000");
    CHECK(bytes(R"({"type": "c128", "shape": [1], "fill": {"mark": 2}})") ==
          "000000000000004000000000000000c0");
    const std::string long_text =
        std::string("3") + '\0' + "long-enough-to-leave-small-string-storage-3";
    CHECK(strings(R"({"type": "string", "shape": [3], "fill": {"mark": 2}})") ==
          std::vector<std::string>{"2", long_text, "4"});
}

TEST_CASE("every fill makes every type that it is for, whatever the number of elements") {
    for (const ElementTypeInfo& row : element_types()) {
        for (const char* shape : {"[]", "[0]", "[1]", "[2, 3]", "[17]"}) {
            const std::string text = R"({"type": ")" + std::string(row.name) + R"(", "shape": )" +
                                     shape + R"(, "fill": {"mark": 1}})";
            const Tensor made = tensor(text);
            CHECK(made.contents.size() ==
                  static_cast<std::size_t>(*byte_size({made.type, made.shape})));
        }
    }
}
