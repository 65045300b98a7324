// SPDX-License-Identifier: Apache-2.0
// Numbers: literals of cases to patterns of elements of every type, and elements back to text for
// people.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "reference/tensor.hpp"

namespace gathercheck {

/// The pattern of an element as an unsigned number, or why its literal is refused (a clause that
/// says what to write instead).
using Pattern = std::variant<std::uint64_t, std::string>;

/// The pattern of an integer (-magnitude where `negative`) in an integer type; refused where it is
/// outside the type's range.
Pattern integer_pattern(ElementType type, bool negative, std::uint64_t magnitude);

/// The same of a decimal text: an optional minus, digits, no leading zero, no -0.
Pattern integer_pattern(ElementType type, std::string_view text);

/// The pattern of the value of f16, bf16, f32 or f64 nearest to a number. The number must be that
/// value's shortest decimal, or an integer that is exactly the value; everything else would be
/// rounded without a word. `number` is a JSON number's text.
Pattern float_pattern(ElementType type, std::string_view number);

/// The same of a number that is its double's shortest decimal.
Pattern float_pattern(ElementType type, double number);

/// The pattern of a hex word: exactly ceil(bits / 4) lower-case digits, no bit beyond the type's
/// width. Types of at most 64 bits.
Pattern bits_pattern(ElementType type, std::string_view word);

/// The value that a pattern of a floating type stands for; exact for all of them. NaN for NaN.
double float_value(ElementType type, std::uint64_t pattern);

/// The pattern of a floating type whose value is exactly `integer`; nothing where there is none.
std::optional<std::uint64_t> exact_float(ElementType type, std::int64_t integer);

/// True where two JSON numbers are the same number: "1.50" and "15e-1".
bool same_decimal(std::string_view a, std::string_view b);

/// The shortest decimal of a finite double, always with a point or an exponent: "3.0", "1e+22".
std::string shortest_decimal(double value);

/// The shortest decimal of a finite value of f16, bf16, f32 or f64, as a JSON number.
std::string shortest_decimal(ElementType type, std::uint64_t pattern);

/// Element k for people: integers in decimal, floats as their shortest decimal (of 4- and 8-bit
/// types: the exact value), "NaN (bits 7fc00001)", "-0.0", "true", "[1, -2]", strings in quotes.
std::string element_text(const TensorView& tensor, std::int64_t k);
std::string element_text(const Tensor& tensor, std::int64_t k);

/// The row-major coordinate of element k of a tensor of this shape, which has elements.
Shape coordinate_of(const Shape& shape, std::int64_t k);
/// "[1, 0]": the coordinates of element k of a tensor of this shape, row-major.
std::string coordinate_text(const Shape& shape, std::int64_t k);

/// "1 case", "2 cases".
std::string count_of(std::int64_t count, const std::string& what);

/// "a, b, c"; before the first text that is not empty stands nothing.
std::string joined(std::span<const std::string> texts, std::string_view between = ", ");

}  // namespace gathercheck
