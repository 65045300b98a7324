// SPDX-License-Identifier: Apache-2.0
// Conversions between decimal text and patterns, exact in both directions.
#include "conformance/util/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>

#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

/// A decimal without its notation: 0.digits * 10^exponent, no zeros around the digits.
struct Decimal {
    bool negative = false;
    std::string digits;
    long long exponent = 0;

    bool is_integer() const { return exponent >= static_cast<long long>(digits.size()); }
    friend bool operator==(const Decimal&, const Decimal&) = default;
};

/// `text` is a JSON number. Nothing where its exponent is absurd.
std::optional<Decimal> decimal(std::string_view text) {
    Decimal result;
    if (text.starts_with('-')) {
        result.negative = true;
        text.remove_prefix(1);
    }
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    if (e != text.size()) {
        std::string_view exponent = text.substr(e + 1);
        if (exponent.starts_with('+')) exponent.remove_prefix(1);
        const auto parsed =
            std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
        constexpr long long absurd = 1'000'000;
        if (parsed.ec != std::errc{} || result.exponent > absurd || result.exponent < -absurd) {
            return std::nullopt;
        }
    }
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    result.digits = mantissa.substr(0, point);
    if (point != mantissa.size()) result.digits += mantissa.substr(point + 1);
    result.exponent += static_cast<long long>(point);

    const std::size_t zeros = std::min(result.digits.find_first_not_of('0'), result.digits.size());
    result.exponent -= static_cast<long long>(zeros);
    result.digits.erase(0, zeros);
    result.digits.erase(result.digits.find_last_not_of('0') + 1);
    if (result.digits.empty()) result.exponent = 0;
    return result;
}

/// What a floating type does without finite values.
enum class NonFinite {
    ieee,           ///< the highest exponent: infinity, and NaN with a mantissa
    all_ones,       ///< NaN only, exponent and mantissa all ones
    negative_zero,  ///< NaN only, the pattern of -0
    none,
};

/// How a type of sign, exponent and mantissa lays out its bits.
struct Format {
    ElementType type;
    int exponent_bits;
    int mantissa_bits;
    int bias;
    NonFinite non_finite;
};

constexpr std::array<Format, 9> formats{{
    {ElementType::f16, 5, 10, 15, NonFinite::ieee},
    {ElementType::bf16, 8, 7, 127, NonFinite::ieee},
    {ElementType::f32, 8, 23, 127, NonFinite::ieee},
    {ElementType::f64, 11, 52, 1023, NonFinite::ieee},
    {ElementType::f8e4m3, 4, 3, 7, NonFinite::all_ones},
    {ElementType::f8e5m2, 5, 2, 15, NonFinite::ieee},
    {ElementType::f8e4m3fnuz, 4, 3, 8, NonFinite::negative_zero},
    {ElementType::f8e5m2fnuz, 5, 2, 16, NonFinite::negative_zero},
    {ElementType::f4e2m1, 2, 1, 1, NonFinite::none},
}};

const Format& format(ElementType type) {
    const auto found = std::ranges::find(formats, type, &Format::type);
    assert(found != formats.end());
    return *found;
}

/// The 16 values of nf4 as the QLoRA paper prints them.
constexpr std::array<double, 16> nf4_values{
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
};

/// f16 or bf16: the pattern of the value nearest to `value`, ties to even; infinity's from half a
/// step beyond the largest value on.
std::uint64_t nearest_pattern(ElementType type, double value) {
    const auto& [self, exponent_bits, mantissa_bits, bias, non_finite] = format(type);
    const std::uint64_t sign = std::signbit(value) ? 1 : 0;
    const double magnitude = std::fabs(value);
    const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
    std::uint64_t pattern = 0;
    if (std::isinf(magnitude)) {
        pattern = infinity;
    } else if (magnitude != 0) {
        // In units of the last place; consecutive patterns are consecutive values, across
        // exponents too.
        const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
        const double units = std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));
        const auto step = static_cast<std::uint64_t>(exponent + bias - 1) << mantissa_bits;
        pattern = std::min(step + static_cast<std::uint64_t>(units), infinity);
    }
    return sign << (exponent_bits + mantissa_bits) | pattern;
}

/// Nothing where the number is outside the range of the double (or float).
template <class Float>
std::optional<Float> parse(std::string_view number) {
    Float value{};
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
    if (parsed.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// The pattern of the nearest finite value; nothing where there is none.
std::optional<std::uint64_t> nearest_pattern(ElementType type, std::string_view number) {
    if (type == ElementType::f32) {
        const auto value = parse<float>(number);
        if (!value) return std::nullopt;
        return std::bit_cast<std::uint32_t>(*value);
    }
    const auto value = parse<double>(number);
    if (!value) return std::nullopt;
    if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(*value);
    const std::uint64_t pattern = nearest_pattern(type, *value);
    if (!std::isfinite(float_value(type, pattern))) return std::nullopt;
    return pattern;
}

/// The decimal with the fewest digits that f16 or bf16 reads as this finite positive value; of
/// those the nearest.
std::string shortest_of_16_bits(ElementType type, std::uint64_t pattern) {
    const double value = float_value(type, pattern);
    for (int digits = 1; digits <= 9; ++digits) {
        std::array<char, 64> buffer{};
        std::snprintf(buffer.data(), buffer.size(), "%.*e", digits - 1, value);
        const std::string text = buffer.data();
        const std::size_t e = text.find('e');
        std::string mantissa = text.substr(0, e);
        std::erase(mantissa, '.');
        const long long middle = std::stoll(mantissa);
        const int exponent = std::stoi(text.substr(e + 1)) - (digits - 1);
        // The value's interval need not be symmetric, so its neighbours may serve where the nearest
        // decimal does not.
        std::string best;
        double best_distance = std::numeric_limits<double>::infinity();
        for (const long long candidate : {middle - 1, middle, middle + 1}) {
            const std::string number = std::to_string(candidate) + "e" + std::to_string(exponent);
            const auto read = parse<double>(number);
            if (!read || nearest_pattern(type, *read) != pattern) continue;
            const double distance = std::fabs(*read - value);
            if (distance < best_distance) {
                best = number;
                best_distance = distance;
            }
        }
        if (!best.empty()) return best;
    }
    assert(false && "nine digits tell all values of 16 bits apart");
    return {};
}

/// The fewest digits that read back as the value; in plain notation where that takes no more.
template <class Float>
std::string to_chars(Float value) {
    // Plain notation would add digits to integers beyond these.
    const Float all_exact = std::ldexp(Float{1}, std::numeric_limits<Float>::digits);
    std::array<char, 64> buffer{};
    char* const end = buffer.data() + buffer.size();
    const auto written = std::fabs(value) > all_exact ? std::to_chars(buffer.data(), end, value,
                                                                      std::chars_format::scientific)
                                                      : std::to_chars(buffer.data(), end, value);
    return std::string(buffer.data(), written.ptr);
}

/// The exact integer that a value without fraction is.
std::string integer_digits(double value) {
    std::array<char, 400> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.0f", value);
    return buffer.data();
}

std::string hex_word(int bits, std::uint64_t pattern) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (int digit = (bits + 3) / 4 - 1; digit >= 0; --digit) {
        text += digits[pattern >> (4 * digit) & 15U];
    }
    return text;
}

std::string float_text(ElementType type, std::uint64_t pattern) {
    const double value = float_value(type, pattern);
    if (std::isnan(value)) return "NaN (bits " + hex_word(bits(type), pattern) + ")";
    if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
    if (value == 0) return std::signbit(value) ? "-0.0" : "0";
    if (bits(type) <= 8) return to_chars(value);
    return shortest_decimal(type, pattern);
}

std::string range_text(ElementType type) {
    const int width = bits(type);
    if (info(type).kind == ElementKind::unsigned_integer) {
        return "[0, " + std::to_string(~std::uint64_t{0} >> (64 - width)) + "]";
    }
    const auto highest = static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - width));
    return "[" + std::to_string(-highest - 1) + ", " + std::to_string(highest) + "]";
}

}  // namespace

Pattern integer_pattern(ElementType type, bool negative, std::uint64_t magnitude) {
    const int width = bits(type);
    const bool is_signed = info(type).kind == ElementKind::signed_integer;
    const std::uint64_t highest = ~std::uint64_t{0} >> (is_signed ? 65 - width : 64 - width);
    const std::uint64_t lowest = is_signed ? highest + 1 : 0;  // its magnitude
    if (magnitude > (negative ? lowest : highest)) {
        return "is outside the range " + range_text(type) + " of " + std::string(name(type)) +
               "; write a value within it";
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    return (negative ? ~magnitude + 1 : magnitude) & mask;
}

Pattern integer_pattern(ElementType type, std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::string_view digits = text.substr(negative ? 1 : 0);
    const bool well_formed = !digits.empty() &&
                             digits.find_first_not_of("0123456789") == std::string_view::npos &&
                             (digits.front() != '0' || (digits.size() == 1 && !negative));
    if (!well_formed) return "is no integer in plain decimal digits; write it like \"-12\"";
    std::uint64_t magnitude = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (parsed.ec != std::errc{}) {
        return "is outside the range " + range_text(type) + " of " + std::string(name(type)) +
               "; write a value within it";
    }
    return integer_pattern(type, negative, magnitude);
}

Pattern float_pattern(ElementType type, std::string_view number) {
    const std::string type_name(name(type));
    const auto written = decimal(number);
    if (!written) return "is outside the range of " + type_name + "; write a value within it";
    if (written->digits.empty()) {
        if (!written->negative) return std::uint64_t{0};
        return std::string("is a negative zero, which only \"bits\" can say; write 0 or the bits");
    }
    const auto pattern = nearest_pattern(type, number);
    if (!pattern) return "is outside the range of " + type_name + "; write a value within it";
    const std::string shortest = shortest_decimal(type, *pattern);
    if (written == decimal(shortest)) return *pattern;
    if (written->is_integer()) {
        const double value = float_value(type, *pattern);
        if (std::trunc(value) == value && written == decimal(integer_digits(value))) {
            return *pattern;
        }
    }
    return "is not the shortest decimal of the " + type_name + " nearest to it; write " + shortest;
}

Pattern float_pattern(ElementType type, double number) {
    if (number != 0) {
        if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(number);
        // Integers that the type holds need no text.
        constexpr double enough = 4294967296.0;
        if (std::trunc(number) == number && std::fabs(number) < enough) {
            if (const auto exact = exact_float(type, static_cast<std::int64_t>(number))) {
                return *exact;
            }
        }
    }
    return float_pattern(type, shortest_decimal(number));
}

Pattern bits_pattern(ElementType type, std::string_view word) {
    const int width = bits(type);
    const auto digits = static_cast<std::size_t>((width + 3) / 4);
    if (word.size() != digits ||
        word.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
        return "is not " + std::to_string(digits) + " lower-case hex digits; write all " +
               std::to_string(width) + " bits of " + std::string(name(type));
    }
    std::uint64_t pattern = 0;
    std::from_chars(word.data(), word.data() + word.size(), pattern, 16);
    if (width < 64 && pattern >> width != 0) {
        return "has bits beyond the " + std::to_string(width) + " of " + std::string(name(type)) +
               "; leave them zero";
    }
    return pattern;
}

double float_value(ElementType type, std::uint64_t pattern) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (type == ElementType::f64) return std::bit_cast<double>(pattern);
    if (type == ElementType::nf4) return nf4_values[pattern & 15U];
    if (type == ElementType::f8e8m0) {
        return pattern == 0xFF ? nan : std::ldexp(1.0, static_cast<int>(pattern) - 127);
    }
    const auto& [self, exponent_bits, mantissa_bits, bias, non_finite] = format(type);
    const bool negative = (pattern >> (exponent_bits + mantissa_bits) & 1U) != 0;
    const std::uint64_t highest = (std::uint64_t{1} << exponent_bits) - 1;
    const std::uint64_t full = (std::uint64_t{1} << mantissa_bits) - 1;
    const std::uint64_t exponent = pattern >> mantissa_bits & highest;
    const std::uint64_t mantissa = pattern & full;
    if (non_finite == NonFinite::ieee && exponent == highest) {
        const double infinity = std::numeric_limits<double>::infinity();
        return mantissa != 0 ? nan : negative ? -infinity : infinity;
    }
    if (non_finite == NonFinite::all_ones && exponent == highest && mantissa == full) return nan;
    if (non_finite == NonFinite::negative_zero && negative && exponent == 0 && mantissa == 0) {
        return nan;
    }
    const std::uint64_t leading = exponent == 0 ? 0 : std::uint64_t{1} << mantissa_bits;
    const int scale = std::max(static_cast<int>(exponent), 1) - bias - mantissa_bits;
    const double magnitude = std::ldexp(static_cast<double>(leading + mantissa), scale);
    return negative ? -magnitude : magnitude;
}

std::optional<std::uint64_t> exact_float(ElementType type, std::int64_t integer) {
    // 2^62 and the like are exact; what a double cannot hold no type here can.
    const auto value = static_cast<double>(integer);
    constexpr double beyond = 9223372036854775808.0;
    if (value >= beyond || static_cast<std::int64_t>(value) != integer) return std::nullopt;
    if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(value);
    if (type == ElementType::f32) {
        const auto narrow = static_cast<float>(value);
        if (static_cast<double>(narrow) != value) return std::nullopt;
        return std::bit_cast<std::uint32_t>(narrow);
    }
    if (bits(type) == 16) {
        const std::uint64_t pattern = nearest_pattern(type, value);
        if (float_value(type, pattern) != value) return std::nullopt;
        return pattern;
    }
    assert(bits(type) <= 8);
    for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << bits(type); ++pattern) {
        if (float_value(type, pattern) == value) return pattern;  // of two zeros the positive one
    }
    return std::nullopt;
}

bool same_decimal(std::string_view a, std::string_view b) {
    const auto first = decimal(a);
    return first && first == decimal(b);
}

std::string shortest_decimal(double value) {
    std::string text = to_chars(value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string shortest_decimal(ElementType type, std::uint64_t pattern) {
    const double value = float_value(type, pattern);
    if (value == 0) return std::signbit(value) ? "-0.0" : "0";
    if (type == ElementType::f64) return to_chars(value);
    if (type == ElementType::f32) return to_chars(static_cast<float>(value));
    const std::uint64_t sign = std::uint64_t{1} << (bits(type) - 1);
    const std::string number = shortest_of_16_bits(type, pattern & ~sign);
    // Few digits and small exponents read better without the exponent.
    const std::string text = to_chars(*parse<double>(number));
    return (pattern & sign) != 0 ? "-" + text : text;
}

std::string element_text(const TensorView& tensor, std::int64_t k) {
    const std::byte* contents = tensor.contents;
    switch (info(tensor.type).kind) {
        case ElementKind::boolean: {
            const auto value = element_bits(tensor.type, contents, k);
            if (value > 1) return "true (bits " + hex_word(8, value) + ")";
            return value == 1 ? "true" : "false";
        }
        case ElementKind::unsigned_integer:
        case ElementKind::signed_integer:
            return integer_text(tensor.type, contents, k);
        case ElementKind::floating:
            return float_text(tensor.type, element_bits(tensor.type, contents, k));
        case ElementKind::complex: {
            const bool wide = tensor.type == ElementType::c128;
            const ElementType part = wide ? ElementType::f64 : ElementType::f32;
            return "[" + float_text(part, element_bits(part, contents, 2 * k)) + ", " +
                   float_text(part, element_bits(part, contents, 2 * k + 1)) + "]";
        }
        case ElementKind::string: {
            StringElement element;
            std::memcpy(&element, contents + static_cast<std::size_t>(k) * sizeof element,
                        sizeof element);
            return in_quotes(element.view());
        }
    }
    return {};
}

std::string element_text(const Tensor& tensor, std::int64_t k) {
    return element_text(tensor.view(), k);
}

Shape coordinate_of(const Shape& shape, std::int64_t k) {
    Shape coordinate = first_coordinate(shape);
    for (std::int64_t d = shape.rank() - 1; d >= 0; --d) {
        coordinate[d] = k % shape[d];
        k /= shape[d];
    }
    return coordinate;
}

std::string coordinate_text(const Shape& shape, std::int64_t k) {
    return to_string(coordinate_of(shape, k));
}

std::string count_of(std::int64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string joined(std::span<const std::string> texts, std::string_view between) {
    std::string all;
    for (const std::string& text : texts) {
        if (!all.empty()) all += between;
        all += text;
    }
    return all;
}

}  // namespace gathercheck
