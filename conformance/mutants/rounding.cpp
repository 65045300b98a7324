// SPDX-License-Identifier: Apache-2.0
// Mutants that move data as numbers of a float type, which rounds what it cannot hold.
#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

using enum ElementType;
using Bits = std::uint64_t;

/// A float type: digits of its significand, and the exponents 2^lowest to 2^highest of its normal
/// numbers.
struct Float {
    ElementType type;
    int digits;
    int lowest;
    int highest;
};

constexpr Float f64_format{f64, 53, -1022, 1023};
constexpr Float f32_format{f32, 24, -126, 127};
constexpr Float f16_format{f16, 11, -14, 15};
constexpr Float bf16_format{bf16, 8, -126, 127};
constexpr Float f8_format{f8e4m3, 4, -6, 8};
constexpr Float f4_format{f4e2m1, 2, 0, 2};

/// An integer, rounded to the nearest number of so many digits, ties to even.
Bits rounded(Bits magnitude, int digits) {
    int spare = 0;
    while (spare < 64 && (magnitude >> spare) >> digits != 0) ++spare;
    if (spare == 0) return magnitude;
    const Bits unit = Bits{1} << spare;
    const Bits rest = magnitude & (unit - 1);
    Bits kept = magnitude - rest;
    const bool odd = (kept & unit) != 0;
    if (rest > unit / 2 || (rest == unit / 2 && odd)) {
        const Bits up = kept + unit;
        kept = up < kept ? ~Bits{0} : up;  // 2^64 stops at the largest u64
    }
    return kept;
}

/// What comes back of an integer of type `type`: the nearest float, and of that the nearest
/// integer of the type.
Bits integer_through(const Float& format, ElementType type, Bits pattern) {
    const int width = bits(type);
    const bool is_signed = type == i4 || type == i8 || type == i16 || type == i32 || type == i64;
    const Bits mask = ~Bits{0} >> (64 - width);
    const bool negative = is_signed && (pattern >> (width - 1) & 1) != 0;
    const Bits magnitude = negative ? (~pattern + 1) & mask : pattern;
    const Bits most = is_signed ? (mask >> 1) + (negative ? 1 : 0) : mask;
    const Bits result = std::min(rounded(magnitude, format.digits), most);
    return (negative ? ~result + 1 : result) & mask;
}

/// The value of a float of 16, 32 or 64 bits, with the type's exponents; not for NaN and infinity.
double value_of(ElementType type, Bits pattern) {
    const int fraction = type == f64 ? 52 : type == f32 ? 23 : type == f16 ? 10 : 7;
    const int lowest = type == f64 ? -1022 : type == f16 ? -14 : -126;
    const Bits exponents = (Bits{1} << (bits(type) - 1 - fraction)) - 1;
    const Bits exponent = pattern >> fraction & exponents;
    const auto digits = static_cast<double>(pattern & ((Bits{1} << fraction) - 1));
    const auto whole = exponent == 0 ? 0.0 : std::ldexp(1.0, fraction);
    const int scale = std::max(static_cast<int>(exponent), 1) - 1 + lowest - fraction;
    const double magnitude = std::ldexp(whole + digits, scale);
    return (pattern >> (bits(type) - 1) & 1) != 0 ? -magnitude : magnitude;
}

/// The pattern of a value that the type holds, or that is too large for it.
Bits pattern_of(ElementType type, double value) {
    const int fraction = type == f64 ? 52 : type == f32 ? 23 : type == f16 ? 10 : 7;
    const int lowest = type == f64 ? -1022 : type == f16 ? -14 : -126;
    const Bits exponents = (Bits{1} << (bits(type) - 1 - fraction)) - 1;
    const Bits sign = std::signbit(value) ? Bits{1} << (bits(type) - 1) : 0;
    const Bits infinity = exponents << fraction;
    if (value == 0) return sign;
    if (std::isinf(value)) return sign | infinity;
    int exponent = 0;
    std::frexp(value, &exponent);
    const int scale = std::max(exponent - 1, lowest);
    const auto digits = static_cast<Bits>(std::ldexp(std::abs(value), fraction - scale));
    const Bits normal = digits >> fraction;  // 0 in what is too small for the lowest exponent
    const Bits biased = normal == 0 ? 0 : static_cast<Bits>(scale - lowest + 1);
    if (biased >= exponents) return sign | infinity;
    return sign | biased << fraction | (digits & ((Bits{1} << fraction) - 1));
}

/// The nearest value that a float type holds, ties to even.
double rounded(const Float& format, double value) {
    if (value == 0) return value;
    int exponent = 0;
    std::frexp(value, &exponent);
    const int unit = std::max(exponent - 1, format.lowest) - format.digits + 1;
    const double nearest = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
    std::frexp(nearest, &exponent);
    return exponent - 1 > format.highest ? std::copysign(HUGE_VAL, value) : nearest;
}

/// What comes back of a finite float: the nearest one of the narrower type.
Bits float_through(const Float& format, ElementType type, Bits pattern) {
    const int fraction = type == f64 ? 52 : type == f32 ? 23 : type == f16 ? 10 : 7;
    const Bits exponents = (Bits{1} << (bits(type) - 1 - fraction)) - 1;
    if ((pattern >> fraction & exponents) == exponents) return pattern;
    return pattern_of(type, rounded(format, value_of(type, pattern)));
}

/// The same as machines do it with a NaN: it becomes a quiet one, of the digits that have room.
Bits float_and_nan_through(const Float& format, ElementType type, Bits pattern) {
    const int fraction = type == f64 ? 52 : type == f32 ? 23 : type == f16 ? 10 : 7;
    const Bits exponents = (Bits{1} << (bits(type) - 1 - fraction)) - 1;
    const Bits digits = pattern & ((Bits{1} << fraction) - 1);
    if ((pattern >> fraction & exponents) != exponents || digits == 0) {
        return float_through(format, type, pattern);
    }
    const int lost = std::max(fraction - (format.digits - 1), 0);
    return (pattern | Bits{1} << (fraction - 1)) >> lost << lost;
}

/// Which outputs are rounded.
struct Where {
    std::string name;  ///< put behind the mutant's name
    std::string what;
    bool (*holds)(const CheckedCall&);
};

const std::array<Where, 4> everywhere_and_parts{{
    {"", "data passes", [](const CheckedCall&) { return true; }},
    {"-in-slices", "slices of several elements pass",
     [](const CheckedCall& call) { return slice_elements(call) > 1; }},
    {"-in-long-slices", "slices of 16 elements and more pass",
     [](const CheckedCall& call) { return slice_elements(call) >= 16; }},
    {"-in-scalars", "an output without dimensions passes",
     [](const CheckedCall& call) { return call.output.shape.rank() == 0; }},
}};

void add(Theme& theme, ElementType type, const Float& format, const Where& where,
         Bits (*through)(const Float&, ElementType, Bits)) {
    Versions versions = with_data_type(all_versions(), type);
    if (!where.name.empty()) {
        std::erase_if(versions,
                      [](OperatorVersion version) { return is_gather_elements(info(version)); });
    }
    theme.add_in_each(
        std::string(name(type)) + "-through-" + std::string(name(format.type)) + where.name,
        std::string(name(type)) + ": " + where.what + " through " + std::string(name(format.type)) +
            ", which rounds",
        std::move(versions), {.contents = [=](const Finished& finished) {
            const CheckedCall& call = finished.call;
            if (call.output.type != type || !where.holds(call)) return;
            const std::int64_t count = elements(call.output.shape);
            for (std::int64_t k = 0; k < count; ++k) {
                std::byte* contents = finished.contents.data();
                set_element_bits(type, contents, k,
                                 through(format, type, element_bits(type, contents, k)));
            }
        }});
}

}  // namespace

std::vector<Mutant> float_rounding_mutants() {
    Theme theme("rounding");
    const auto add_whole = [&](ElementType type, const Float& format) {
        add(theme, type, format, everywhere_and_parts.front(), float_and_nan_through);
    };
    add_whole(f64, f32_format);
    add_whole(f64, f16_format);
    add_whole(f64, bf16_format);
    add_whole(f32, f16_format);
    add_whole(f32, bf16_format);
    add_whole(f16, bf16_format);
    add_whole(bf16, f16_format);
    return theme.take();
}

std::vector<Mutant> rounding_mutants() {
    Theme theme("rounding");
    const auto integers = [&](std::initializer_list<ElementType> types, const Float& format) {
        for (const ElementType type : types) {
            for (const Where& where : everywhere_and_parts) {
                add(theme, type, format, where, integer_through);
            }
        }
    };
    const auto floats = [&](ElementType type, const Float& format) {
        for (const Where& where : everywhere_and_parts) {
            add(theme, type, format, where, float_through);
        }
    };
    integers({i64, u64}, f64_format);
    integers({i64, u64, i32, u32}, f32_format);
    integers({i32, u32, i16, u16}, f16_format);
    integers({i32, u32, i16, u16}, bf16_format);
    integers({i8, u8, u6}, f8_format);
    integers({i4, u4}, f4_format);
    floats(f64, f32_format);
    floats(f32, f16_format);
    floats(f32, bf16_format);
    floats(f16, bf16_format);
    floats(bf16, f16_format);
    return theme.take();
}

}  // namespace gathercheck::mutant
