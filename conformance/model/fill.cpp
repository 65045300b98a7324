// SPDX-License-Identifier: Apache-2.0
// Making the contents that fills describe.
#include "conformance/model/fill.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

/// True for f16, bf16, f32 and f64.
bool is_wide_float(ElementType type) {
    return info(type).kind == ElementKind::floating && bits(type) >= 16;
}

std::uint64_t mask(ElementType type) { return ~std::uint64_t{0} >> (64 - bits(type)); }

Tensor empty_tensor(const Descriptor& descriptor) {
    Tensor tensor{descriptor.type, descriptor.shape, {}, nullptr};
    tensor.contents.resize(static_cast<std::size_t>(*byte_size(descriptor)));
    return tensor;
}

template <class Word, class PatternOf>
void store(std::byte* contents, std::int64_t count, PatternOf pattern_of) {
    for (std::int64_t k = 0; k < count; ++k) {
        const Word word = static_cast<Word>(pattern_of(k));
        std::memcpy(contents + k * static_cast<std::int64_t>(sizeof word), &word, sizeof word);
    }
}

/// A tensor whose element k has the pattern pattern_of(k), cut to the type's width.
template <class PatternOf>
Tensor tensor_of_patterns(const Descriptor& descriptor, PatternOf pattern_of) {
    Tensor tensor = empty_tensor(descriptor);
    const std::int64_t count = *element_count(descriptor.shape);
    std::byte* contents = tensor.contents.data();
    switch (descriptor.type == ElementType::c64 ? 0 : bits(descriptor.type)) {
        case 8:
            store<std::uint8_t>(contents, count, pattern_of);
            break;
        case 16:
            store<std::uint16_t>(contents, count, pattern_of);
            break;
        case 32:
            store<std::uint32_t>(contents, count, pattern_of);
            break;
        case 64:
            store<std::uint64_t>(contents, count, pattern_of);
            break;
        default:
            for (std::int64_t k = 0; k < count; ++k) {
                set_element_bits(descriptor.type, contents, k,
                                 pattern_of(k) & mask(descriptor.type));
            }
            break;
    }
    return tensor;
}

/// True where a floating type holds each of the `count` integers from `start` on.
bool all_exact(ElementType type, std::int64_t start, std::int64_t count) {
    if (is_wide_float(type) && count > 1) {
        // Beyond 2^digits every second integer is missing.
        const int digits = type == ElementType::f64   ? 53
                           : type == ElementType::f32 ? 24
                           : type == ElementType::f16 ? 11
                                                      : 8;
        const std::int64_t limit = std::int64_t{1} << digits;
        return start >= -limit && start + (count - 1) <= limit;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        if (!exact_float(type, start + k)) return false;  // after some 500 steps at the latest
    }
    return true;
}

Tensor address(std::int64_t start, const Descriptor& descriptor) {
    const ElementType type = descriptor.type;
    const auto integer = [start](std::int64_t k) { return static_cast<std::uint64_t>(start + k); };
    if (is_integer(type) || !all_exact(type, start, *element_count(descriptor.shape))) {
        return tensor_of_patterns(descriptor, integer);
    }
    return tensor_of_patterns(descriptor,
                              [=](std::int64_t k) { return *exact_float(type, start + k); });
}

std::string mark_text(std::int64_t number) {
    std::string text = std::to_string(number);
    if (number % 3 == 0) {
        text = text + '\0' + "long-enough-to-leave-small-string-storage-" + text;
    }
    return text;
}

Tensor mark(std::int64_t start, const Descriptor& descriptor) {
    const ElementType type = descriptor.type;
    const std::int64_t count = *element_count(descriptor.shape);
    if (type == ElementType::string) {
        std::vector<std::string> strings;
        strings.reserve(static_cast<std::size_t>(count));
        for (std::int64_t k = 0; k < count; ++k) strings.push_back(mark_text(start + k));
        return string_tensor(descriptor.shape, std::move(strings));
    }
    if (type == ElementType::boolean) {
        return tensor_of_patterns(descriptor, [=](std::int64_t k) {
            return static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(start + k)) %
                                              2);
        });
    }
    if (type == ElementType::c64) {
        return tensor_of_patterns(descriptor, [=](std::int64_t k) {
            const auto real = std::bit_cast<std::uint32_t>(static_cast<float>(start + k));
            const auto imaginary = std::bit_cast<std::uint32_t>(static_cast<float>(-(start + k)));
            return std::uint64_t{imaginary} << 32U | real;
        });
    }
    if (type == ElementType::c128) {
        Tensor tensor = empty_tensor(descriptor);
        for (std::int64_t k = 0; k < count; ++k) {
            const double parts[] = {static_cast<double>(start + k),
                                    static_cast<double>(-(start + k))};
            std::memcpy(tensor.contents.data() + k * 16, parts, sizeof parts);
        }
        return tensor;
    }
    if (is_integer(type) || is_wide_float(type)) return address(start, descriptor);
    return tensor_of_patterns(
        descriptor, [=](std::int64_t k) { return static_cast<std::uint64_t>(start + k); });
}

/// k * step modulo `modulo`, never negative; without the modulus where it is 0.
std::int64_t reduced(const AffineFill& fill, std::int64_t k) {
    const std::int64_t product = k * fill.step;
    if (fill.modulo == 0) return product;
    const std::int64_t rest = product % fill.modulo;
    return rest < 0 ? rest + fill.modulo : rest;
}

bool fits(ElementType type, std::int64_t value) {
    const auto magnitude =
        value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    return std::holds_alternative<std::uint64_t>(integer_pattern(type, value < 0, magnitude));
}

std::optional<std::string> refused_affine(const AffineFill& fill, const Descriptor& descriptor) {
    if (!is_integer(descriptor.type)) {
        return "affine makes integers, not " + std::string(name(descriptor.type)) +
               "; use cycle or mark";
    }
    const std::int64_t count = *element_count(descriptor.shape);
    if (count == 0) return std::nullopt;
    const std::string too_large = "an element does not fit 64 bits; use smaller numbers";
    if (fill.step == lowest || !multiply(count - 1, std::abs(fill.step))) return too_large;
    // The extremes: of an unreduced progression its ends, of a reduced one any of its elements.
    std::int64_t least = 0;
    std::int64_t most = 0;
    if (fill.modulo == 0) {
        least = std::min<std::int64_t>(0, (count - 1) * fill.step);
        most = std::max<std::int64_t>(0, (count - 1) * fill.step);
    } else {
        const std::int64_t period = std::min({count, fill.modulo, std::int64_t{1} << 16});
        for (std::int64_t k = 0; k < period; ++k) most = std::max(most, reduced(fill, k));
        if (period < count && period < fill.modulo) most = fill.modulo - 1;
    }
    if ((fill.start < 0 && least < lowest - fill.start) ||
        (fill.start > 0 && most > highest - fill.start)) {
        return too_large;
    }
    for (const std::int64_t value : {fill.start + least, fill.start + most}) {
        if (!fits(descriptor.type, value)) {
            return "the element " + std::to_string(value) + " is outside the range of " +
                   std::string(name(descriptor.type)) + "; use smaller numbers";
        }
    }
    return std::nullopt;
}

std::optional<std::string> refused_count(std::int64_t start, const Descriptor& descriptor) {
    const std::int64_t count = *element_count(descriptor.shape);
    if (start == lowest || (count > 0 && start > highest - (count - 1))) {
        return "start + number of elements does not fit 64 bits; use a smaller start";
    }
    return std::nullopt;
}

std::optional<std::string> refused_except(const ExceptFill& fill, const Descriptor& descriptor) {
    const std::int64_t count = *element_count(descriptor.shape);
    std::vector<std::int64_t> places;
    for (const std::int64_t position : fill.positions) {
        if (position < -count || position >= count) {
            return "the position " + std::to_string(position) + " is outside a tensor of " +
                   std::to_string(count) + " elements; use one within it";
        }
        places.push_back(position < 0 ? position + count : position);
    }
    std::ranges::sort(places);
    const auto twice = std::ranges::adjacent_find(places);
    if (twice != places.end()) {
        return "the position " + std::to_string(*twice) +
               " is given twice, once counted from the end; remove one";
    }
    return refused(*fill.fill, descriptor);
}

Tensor cycle(const CycleFill& fill, const Descriptor& descriptor) {
    Tensor tensor = empty_tensor(descriptor);
    tensor.strings = fill.entries.strings;
    const std::int64_t period = fill.entries.shape[0];
    const std::int64_t count = *element_count(descriptor.shape);
    for (std::int64_t k = 0; k < count; ++k) {
        copy_element(descriptor.type, fill.entries.contents.data(), k % period,
                     tensor.contents.data(), k);
    }
    return tensor;
}

Tensor except(const ExceptFill& fill, const Descriptor& descriptor) {
    Tensor tensor = filled(*fill.fill, descriptor);
    const std::int64_t count = *element_count(descriptor.shape);
    for (std::size_t k = 0; k < fill.positions.size(); ++k) {
        const std::int64_t position = fill.positions[k];
        copy_element(descriptor.type, fill.entries.contents.data(), static_cast<std::int64_t>(k),
                     tensor.contents.data(), position < 0 ? position + count : position);
    }
    if (descriptor.type == ElementType::string) {
        // Its elements borrow from two tensors: give it characters of its own.
        std::vector<std::string> strings;
        strings.reserve(static_cast<std::size_t>(count));
        for (std::int64_t k = 0; k < count; ++k) {
            StringElement element;
            std::memcpy(&element,
                        tensor.contents.data() + k * static_cast<std::int64_t>(sizeof element),
                        sizeof element);
            strings.emplace_back(element.view());
        }
        return string_tensor(descriptor.shape, std::move(strings));
    }
    return tensor;
}

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

std::optional<std::string> refused(const Fill& fill, const Descriptor& descriptor) {
    using Refused = std::optional<std::string>;
    return std::visit(
        Overloaded{
            [&](const AddressFill& recipe) -> Refused {
                const ElementKind kind = info(descriptor.type).kind;
                if (kind == ElementKind::boolean || kind == ElementKind::string ||
                    kind == ElementKind::complex) {
                    return "address is not for " + std::string(name(descriptor.type)) +
                           "; use mark";
                }
                return refused_count(recipe.start, descriptor);
            },
            [&](const MarkFill& recipe) { return refused_count(recipe.start, descriptor); },
            [&](const CycleFill&) -> Refused { return std::nullopt; },
            [&](const AffineFill& recipe) { return refused_affine(recipe, descriptor); },
            [&](const ExceptFill& recipe) { return refused_except(recipe, descriptor); },
        },
        fill.recipe);
}

Tensor filled(const Fill& fill, const Descriptor& descriptor) {
    return std::visit(
        Overloaded{
            [&](const AddressFill& recipe) { return address(recipe.start, descriptor); },
            [&](const MarkFill& recipe) { return mark(recipe.start, descriptor); },
            [&](const CycleFill& recipe) { return cycle(recipe, descriptor); },
            [&](const AffineFill& recipe) {
                return tensor_of_patterns(descriptor, [&](std::int64_t k) {
                    return static_cast<std::uint64_t>(recipe.start + reduced(recipe, k));
                });
            },
            [&](const ExceptFill& recipe) { return except(recipe, descriptor); },
        },
        fill.recipe);
}

}  // namespace gathercheck
