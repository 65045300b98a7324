// SPDX-License-Identifier: Apache-2.0
// Moving and reading single elements of every width.
#include "reference/tensor.hpp"

#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

namespace gathercheck {
namespace {

template <class Number>
std::uint64_t load(const std::byte* from) {
    Number number = 0;
    std::memcpy(&number, from, sizeof number);
    return number;
}

template <class Number>
void store(std::byte* to, std::uint64_t pattern) {
    const auto number = static_cast<Number>(pattern);
    std::memcpy(to, &number, sizeof number);
}

}  // namespace

Tensor string_tensor(const Shape& shape, std::vector<std::string> strings) {
    assert(element_count(shape) == static_cast<std::int64_t>(strings.size()));
    Tensor tensor;
    tensor.type = ElementType::string;
    tensor.shape = shape;
    tensor.strings = std::make_shared<const std::vector<std::string>>(std::move(strings));
    tensor.contents.resize(tensor.strings->size() * sizeof(StringElement));
    for (std::size_t k = 0; k < tensor.strings->size(); ++k) {
        const std::string& text = (*tensor.strings)[k];
        const StringElement element{text.data(), static_cast<std::int64_t>(text.size())};
        std::memcpy(tensor.contents.data() + k * sizeof element, &element, sizeof element);
    }
    return tensor;
}

void copy_element(ElementType type, const std::byte* source, std::int64_t from, std::byte* target,
                  std::int64_t to) {
    if (is_packed(type)) {
        set_element_bits(type, target, to, element_bits(type, source, from));
        return;
    }
    const std::int64_t width = bits(type) / 8;
    std::memcpy(target + to * width, source + from * width, static_cast<std::size_t>(width));
}

void zero_element(ElementType type, std::byte* target, std::int64_t to) {
    if (is_packed(type)) {
        set_element_bits(type, target, to, 0);
        return;
    }
    const std::int64_t width = bits(type) / 8;
    std::memset(target + to * width, 0, static_cast<std::size_t>(width));
}

std::uint64_t element_bits(ElementType type, const std::byte* contents, std::int64_t k) {
    const int width = bits(type);
    assert(width <= 64);
    if (width >= 8) {
        const std::byte* from = contents + k * (width / 8);
        if (type == ElementType::c64) {  // the real part first, in the low half
            return load<std::uint32_t>(from) | load<std::uint32_t>(from + 4) << 32U;
        }
        return width == 8    ? load<std::uint8_t>(from)
               : width == 16 ? load<std::uint16_t>(from)
               : width == 32 ? load<std::uint32_t>(from)
                             : load<std::uint64_t>(from);
    }
    // Bit by bit: a packed element may lie across two bytes. 8 * (k / 8) elements
    // fill whole bytes.
    std::uint64_t pattern = 0;
    const std::byte* group = contents + k / 8 * width;
    const int first = static_cast<int>(k % 8) * width;
    for (int bit = 0; bit < width; ++bit) {
        const int place = first + bit;
        const unsigned value = std::to_integer<unsigned>(group[place / 8]) >> (place % 8) & 1U;
        pattern |= static_cast<std::uint64_t>(value) << bit;
    }
    return pattern;
}

void set_element_bits(ElementType type, std::byte* contents, std::int64_t k,
                      std::uint64_t pattern) {
    const int width = bits(type);
    assert(width <= 64);
    assert(width == 64 || pattern >> width == 0);
    if (width >= 8) {
        std::byte* to = contents + k * (width / 8);
        if (type == ElementType::c64) {
            store<std::uint32_t>(to, pattern);
            return store<std::uint32_t>(to + 4, pattern >> 32U);
        }
        return width == 8    ? store<std::uint8_t>(to, pattern)
               : width == 16 ? store<std::uint16_t>(to, pattern)
               : width == 32 ? store<std::uint32_t>(to, pattern)
                             : store<std::uint64_t>(to, pattern);
    }
    std::byte* group = contents + k / 8 * width;
    const int first = static_cast<int>(k % 8) * width;
    for (int bit = 0; bit < width; ++bit) {
        const int place = first + bit;
        const std::byte mask{static_cast<unsigned char>(1U << (place % 8))};
        std::byte& byte = group[place / 8];
        byte = (pattern >> bit & 1U) != 0 ? byte | mask : byte & ~mask;
    }
}

std::optional<std::int64_t> integer_element(ElementType type, const std::byte* contents,
                                            std::int64_t k) {
    assert(is_integer(type));
    const std::uint64_t pattern = element_bits(type, contents, k);
    const int width = bits(type);
    if (info(type).kind == ElementKind::signed_integer) {
        // Move the sign bit to the top and back down: an arithmetic shift extends
        // it.
        return static_cast<std::int64_t>(pattern << (64 - width)) >> (64 - width);
    }
    if (pattern > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(pattern);
}

bool has_negative_element(const TensorView& tensor) {
    if (tensor.contents == nullptr || !is_integer(tensor.type)) return false;
    const std::int64_t count = element_count(tensor.shape).value_or(0);
    for (std::int64_t k = 0; k < count; ++k) {
        if (integer_element(tensor.type, tensor.contents, k).value_or(0) < 0) return true;
    }
    return false;
}

std::string integer_text(ElementType type, const std::byte* contents, std::int64_t k) {
    const auto value = integer_element(type, contents, k);
    return value ? std::to_string(*value) : std::to_string(element_bits(type, contents, k));
}

}  // namespace gathercheck
