// SPDX-License-Identifier: Apache-2.0
// Literals to patterns and back: what is taken, what is refused, and every value of 16 bits.
#include "conformance/util/number.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

using namespace gathercheck;
using enum ElementType;

namespace {

std::uint64_t taken(const Pattern& pattern) {
    if (const auto* refused = std::get_if<std::string>(&pattern)) FAIL(*refused);
    return std::get<std::uint64_t>(pattern);
}

std::string refused(const Pattern& pattern) {
    if (std::holds_alternative<std::uint64_t>(pattern)) return "taken";
    return std::get<std::string>(pattern);
}

template <class Number>
Tensor one_element(ElementType type, const Number& bytes) {
    Tensor tensor{type, {1}, std::vector<std::byte>(sizeof bytes), nullptr};
    std::memcpy(tensor.contents.data(), &bytes, sizeof bytes);
    return tensor;
}

}  // namespace

TEST_CASE("integers become two's complement patterns of their type") {
    CHECK(taken(integer_pattern(i8, "-1")) == 0xFF);
    CHECK(taken(integer_pattern(i8, "-128")) == 0x80);
    CHECK(taken(integer_pattern(i8, "127")) == 0x7F);
    CHECK(taken(integer_pattern(i4, "-8")) == 8);
    CHECK(taken(integer_pattern(i2, "-2")) == 2);
    CHECK(taken(integer_pattern(u3, "7")) == 7);
    CHECK(taken(integer_pattern(u1, "1")) == 1);
    CHECK(taken(integer_pattern(i64, "-9223372036854775808")) == 0x8000000000000000);
    CHECK(taken(integer_pattern(u64, "18446744073709551615")) == 0xFFFFFFFFFFFFFFFF);
    CHECK(taken(integer_pattern(i32, "0")) == 0);
}

TEST_CASE("an integer outside its type's range is refused, and the range is named") {
    CHECK(refused(integer_pattern(i8, "128")) ==
          "is outside the range [-128, 127] of i8; write a value within it");
    CHECK(refused(integer_pattern(i8, "-129")) ==
          "is outside the range [-128, 127] of i8; write a value within it");
    CHECK(refused(integer_pattern(u4, "16")).find("[0, 15]") != std::string::npos);
    CHECK(refused(integer_pattern(u4, "-1")).find("[0, 15]") != std::string::npos);
    CHECK(refused(integer_pattern(i64, "9223372036854775808"))
              .find("[-9223372036854775808, 9223372036854775807]") != std::string::npos);
    CHECK(refused(integer_pattern(u64, "18446744073709551616")).find("[0, 18446744073709551615]") !=
          std::string::npos);
    CHECK(refused(integer_pattern(u64, "99999999999999999999999")).find("u64") !=
          std::string::npos);
}

TEST_CASE("the text of an integer has one form") {
    for (const std::string_view text :
         {"", "-", "+1", "01", "-0", "1.0", "1e3", " 1", "1 ", "0x1"}) {
        CAPTURE(text);
        CHECK(refused(integer_pattern(i64, text)).find("plain decimal digits") !=
              std::string::npos);
    }
}

TEST_CASE("a decimal becomes the nearest value of its float type") {
    CHECK(taken(float_pattern(f32, "0.1")) == 0x3DCCCCCD);
    CHECK(taken(float_pattern(f32, "-2.5")) == 0xC0200000);
    CHECK(taken(float_pattern(f32, "3.4028235e38")) == 0x7F7FFFFF);
    CHECK(taken(float_pattern(f32, "1e-45")) == 1);
    CHECK(taken(float_pattern(f64, "0.1")) == 0x3FB999999999999A);
    CHECK(taken(float_pattern(f64, "5e-324")) == 1);
    CHECK(taken(float_pattern(f64, "1.7976931348623157e308")) == 0x7FEFFFFFFFFFFFFF);
    CHECK(taken(float_pattern(f16, "0.1")) == 0x2E66);
    CHECK(taken(float_pattern(f16, "6e-8")) == 1);
    CHECK(taken(float_pattern(f16, "0.3333")) == 0x3555);
    CHECK(taken(float_pattern(bf16, "0.1")) == 0x3DCD);
    CHECK(taken(float_pattern(bf16, "3.39e38")) == 0x7F7F);
    CHECK(taken(float_pattern(f32, "0")) == 0);
    CHECK(taken(float_pattern(f32, "0.0")) == 0);
    CHECK(taken(float_pattern(f32, 1.9)) == 0x3FF33333);
    CHECK(taken(float_pattern(f64, 1.9)) == 0x3FFE666666666666);
    CHECK(taken(float_pattern(f16, -1.0)) == 0xBC00);
}

TEST_CASE("at a power of two the shortest decimal may be the second nearest") {
    // 0.01562 is nearer to 2^-6, but nearer still to the f16 below it.
    CHECK(taken(float_pattern(f16, "0.01563")) == 0x2400);
    CHECK(refused(float_pattern(f16, "0.015625")) ==
          "is not the shortest decimal of the f16 nearest to it; write 0.01563");
    CHECK(taken(float_pattern(bf16, "1.51e-36")) == 0x0400);
}

TEST_CASE("one decimal may be written in several ways") {
    CHECK(taken(float_pattern(f32, "1.50")) == 0x3FC00000);
    CHECK(taken(float_pattern(f32, "15e-1")) == 0x3FC00000);
    CHECK(taken(float_pattern(f32, "0.15E+1")) == 0x3FC00000);
}

TEST_CASE("an integer that a float type holds exactly is taken beside the shortest decimal") {
    CHECK(taken(float_pattern(f16, "65504")) == 0x7BFF);
    CHECK(taken(float_pattern(f16, "65500")) == 0x7BFF);
    CHECK(taken(float_pattern(f32, "16777216")) == 0x4B800000);
    CHECK(taken(float_pattern(f32, "1073741824")) == 0x4E800000);
    CHECK(taken(float_pattern(f32, "1073741800")) == 0x4E800000);
    CHECK(taken(float_pattern(f64, "9007199254740993000")) == 0x43DF400000000001);
    CHECK(taken(float_pattern(f64, "1152921504606846976")) == 0x43B0000000000000);
    CHECK(taken(float_pattern(bf16, 4128.0)) == 0x4581);
}

TEST_CASE("a decimal that would be rounded is refused with the shortest one") {
    CHECK(refused(float_pattern(f32, "16777217")) ==
          "is not the shortest decimal of the f32 nearest to it; write 16777216");
    CHECK(refused(float_pattern(f32, "0.10000000149")) ==
          "is not the shortest decimal of the f32 nearest to it; write 0.1");
    CHECK(refused(float_pattern(f64, "0.1000000000000000055511151231257827")) ==
          "is not the shortest decimal of the f64 nearest to it; write 0.1");
    CHECK(refused(float_pattern(f16, "0.33333")) ==
          "is not the shortest decimal of the f16 nearest to it; write 0.3333");
    CHECK(refused(float_pattern(f16, "2049")) ==
          "is not the shortest decimal of the f16 nearest to it; write 2048");
    CHECK(refused(float_pattern(bf16, 3.14159)) ==
          "is not the shortest decimal of the bf16 nearest to it; write 3.14");
}

TEST_CASE("what no finite value is near, and negative zero, are refused as decimals") {
    CHECK(refused(float_pattern(f16, "65520")).find("outside the range of f16") !=
          std::string::npos);
    CHECK(refused(float_pattern(f32, "1e39")).find("outside the range of f32") !=
          std::string::npos);
    CHECK(refused(float_pattern(f64, "1e309")).find("outside the range of f64") !=
          std::string::npos);
    CHECK(refused(float_pattern(f64, "1e-99999999999999999999")).find("outside the range") !=
          std::string::npos);
    CHECK(refused(float_pattern(f32, "-0.0")).find("negative zero") != std::string::npos);
    CHECK(refused(float_pattern(f32, -0.0)).find("negative zero") != std::string::npos);
}

TEST_CASE("hex words have all digits of their type and no bit more") {
    CHECK(taken(bits_pattern(f32, "7fc00001")) == 0x7FC00001);
    CHECK(taken(bits_pattern(u3, "7")) == 7);
    CHECK(taken(bits_pattern(u6, "3f")) == 63);
    CHECK(taken(bits_pattern(i64, "ffffffffffffffff")) == 0xFFFFFFFFFFFFFFFF);
    CHECK(refused(bits_pattern(u3, "8")) == "has bits beyond the 3 of u3; leave them zero");
    CHECK(refused(bits_pattern(u6, "40")) == "has bits beyond the 6 of u6; leave them zero");
    for (const std::string_view word :
         {"", "7fc0001", "07fc00001", "7FC00001", "0x7fc000", "-7fc0001"}) {
        CAPTURE(word);
        CHECK(refused(bits_pattern(f32, word)).find("8 lower-case hex digits") !=
              std::string::npos);
    }
}

TEST_CASE("every finite value of f16 and bf16 survives its shortest decimal") {
    for (const ElementType type : {f16, bf16}) {
        for (std::uint64_t pattern = 0; pattern < 0x10000; ++pattern) {
            const double value = float_value(type, pattern);
            if (!std::isfinite(value) || (value == 0 && std::signbit(value))) continue;
            const std::string text = shortest_decimal(type, pattern);
            if (taken(float_pattern(type, text)) != pattern) {
                FAIL(name(type) << " " << pattern << " " << text);
            }
        }
    }
}

TEST_CASE("no decimal of nine digits falls between two 16-bit values as a double only") {
    // float_pattern reads 16-bit values by way of a double. That is right unless a short decimal's
    // double is exactly half way between two values while the decimal is not.
    for (const ElementType type : {f16, bf16}) {
        for (std::uint64_t pattern = 0; pattern < 0x7FFF; ++pattern) {
            const double value = float_value(type, pattern);
            const double next = float_value(type, pattern + 1);
            if (!std::isfinite(next)) break;
            const double middle = (value + next) / 2;  // exact in a double
            std::array<char, 512> exact{};
            std::snprintf(exact.data(), exact.size(), "%.300e", middle);
            const std::string shortest = shortest_decimal(middle);
            const auto digits = std::count_if(
                shortest.begin(),
                shortest.begin() +
                    static_cast<std::ptrdiff_t>(std::min(shortest.find('e'), shortest.size())),
                [](char c) { return c >= '0' && c <= '9'; });
            if (digits <= 9 && !same_decimal(shortest, exact.data())) FAIL(shortest);
        }
    }
}

TEST_CASE("values of small float types are those of their standards") {
    CHECK(float_value(f8e4m3, 0x7E) == 448);
    CHECK(std::isnan(float_value(f8e4m3, 0x7F)));
    CHECK(float_value(f8e4m3, 0x01) == 0.001953125);
    CHECK(float_value(f8e5m2, 0x7B) == 57344);
    CHECK(std::isinf(float_value(f8e5m2, 0x7C)));
    CHECK(float_value(f8e4m3fnuz, 0x7F) == 240);
    CHECK(std::isnan(float_value(f8e4m3fnuz, 0x80)));
    CHECK(float_value(f8e5m2fnuz, 0x7F) == 57344);
    CHECK(float_value(f8e8m0, 0x7F) == 1);
    CHECK(float_value(f8e8m0, 0x00) == std::ldexp(1.0, -127));
    CHECK(float_value(f4e2m1, 0x7) == 6);
    CHECK(float_value(f4e2m1, 0x9) == -0.5);
    CHECK(float_value(nf4, 0x7) == 0);
    CHECK(float_value(nf4, 0xF) == 1);
}

TEST_CASE("an integer has an exact float pattern or none") {
    CHECK(exact_float(f16, 2048) == 0x6800);
    CHECK_FALSE(exact_float(f16, 2049));
    CHECK_FALSE(exact_float(f16, 65536));
    CHECK(exact_float(f8e4m3, 16) == 0x58);
    CHECK_FALSE(exact_float(f8e4m3, 17));
    CHECK(exact_float(f4e2m1, -6) == 0xF);
    CHECK(exact_float(f4e2m1, 0) == 0);
    CHECK_FALSE(exact_float(f8e8m0, 0));
    CHECK_FALSE(exact_float(f64, 9007199254740993));
    CHECK_FALSE(exact_float(f64, INT64_MAX));
    CHECK(exact_float(f64, INT64_MIN) == 0xC3E0000000000000);
}

TEST_CASE("elements are shown so that people can tell them apart") {
    CHECK(element_text(one_element(f32, 0x3DCCCCCDU), 0) == "0.1");
    CHECK(element_text(one_element(f32, 0x7FC00001U), 0) == "NaN (bits 7fc00001)");
    CHECK(element_text(one_element(f32, 0x80000000U), 0) == "-0.0");
    CHECK(element_text(one_element(f32, 0xFF800000U), 0) == "-infinity");
    CHECK(element_text(one_element(f32, 0x40400000U), 0) == "3");
    CHECK(element_text(one_element(f16, std::uint16_t{0x7BFF}), 0) == "65500");
    CHECK(element_text(one_element(f16, std::uint16_t{0xBC00}), 0) == "-1");
    CHECK(element_text(one_element(u64, ~std::uint64_t{0}), 0) == "18446744073709551615");
    CHECK(element_text(one_element(i8, std::int8_t{-3}), 0) == "-3");
    CHECK(element_text(one_element(boolean, std::uint8_t{1}), 0) == "true");
    CHECK(element_text(one_element(boolean, std::uint8_t{2}), 0) == "true (bits 02)");
    CHECK(element_text(one_element(f4e2m1, std::uint8_t{0x3}), 0) == "1.5");
    CHECK(element_text(one_element(c64, std::array{1.5F, -2.0F}), 0) == "[1.5, -2]");
    CHECK(element_text(string_tensor({1}, {std::string("a\0b", 3)}), 0) == "\"a\\x00b\"");
}
