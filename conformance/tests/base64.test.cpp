// SPDX-License-Identifier: Apache-2.0
// Base64 against the vectors of RFC 4648, and what it refuses.
#include "conformance/util/base64.hpp"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

using namespace gathercheck;

namespace {

std::string encode(std::string_view bytes) {
    std::string text;
    append_base64(text, std::as_bytes(std::span(bytes)));
    return text;
}

std::optional<std::string> decode(std::string_view text) {
    const auto bytes = base64_decode(text);
    if (!bytes) return std::nullopt;
    std::string result;
    for (const std::byte byte : *bytes) result += static_cast<char>(byte);
    return result;
}

}  // namespace

TEST_CASE("base64 encodes and decodes the vectors of RFC 4648") {
    CHECK(encode("") == "");
    CHECK(encode("f") == "Zg==");
    CHECK(encode("fo") == "Zm8=");
    CHECK(encode("foo") == "Zm9v");
    CHECK(encode("foobar") == "Zm9vYmFy");
    CHECK(encode("\xfb\xff\xfe") == "+//+");
    CHECK(decode("") == "");
    CHECK(decode("Zg==") == "f");
    CHECK(decode("Zm8=") == "fo");
    CHECK(decode("Zm9v") == "foo");
    CHECK(decode("Zm9vYg==") == "foob");
    CHECK(decode("+//+") == "\xfb\xff\xfe");
}

TEST_CASE("base64 refuses what is not the one encoding of some bytes") {
    for (const std::string_view text :
         {"Z", "Zg", "Zg=", "Zg===", "====", "=g==", "Zm9v\n", "Zm 9v", "Z-9v",
          "Zg==Zg==", "Zh==", "Zm9=", "Zg=g", "\xffm9v"}) {
        CAPTURE(text);
        CHECK_FALSE(decode(text));
    }
}

TEST_CASE("base64 is appended") {
    std::string text = "x";
    append_base64(text, std::as_bytes(std::span(std::string_view("fo"))));
    CHECK(text == "xZm8=");
}

TEST_CASE("base64 takes every byte at every place of a group, and no other character at any") {
    for (int byte = 0; byte < 256; ++byte) {
        for (std::size_t place = 0; place < 6; ++place) {
            std::string bytes = "abcdef";
            bytes[place] = static_cast<char>(byte);
            CHECK(decode(encode(bytes)) == bytes);
            CHECK(decode(encode(bytes.substr(0, 5))) == bytes.substr(0, 5));
            CHECK(decode(encode(bytes.substr(0, 4))) == bytes.substr(0, 4));
        }
    }
    const std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int character = 0; character < 256; ++character) {
        for (std::size_t place = 0; place < 7; ++place) {
            std::string text = "Zm9vYmFy";
            text[place] = static_cast<char>(character);
            const bool known = alphabet.find(text[place]) != std::string_view::npos;
            CHECK(decode(text).has_value() == known);
        }
    }
}
