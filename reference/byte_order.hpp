// SPDX-License-Identifier: Apache-2.0
// Between numbers as this machine holds them and little-endian ones, in which tensors travel.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "reference/element_type.hpp"

namespace gathercheck {

/// Whether this machine holds numbers as they travel.
inline constexpr bool is_little_endian = std::endian::native == std::endian::little;

/// Reverses the bytes of each number: a complex element has two, packed elements and those of a
/// byte stay as they are. Not for strings.
void reverse_numbers(ElementType type, std::span<std::byte> contents);

/// Contents from little-endian numbers to this machine's, or back.
inline void convert_little_endian([[maybe_unused]] ElementType type,
                                  [[maybe_unused]] std::span<std::byte> contents) {
    if constexpr (!is_little_endian) reverse_numbers(type, contents);
}

/// Contents as they travel, for as long as the contents live: themselves or a copy.
class LittleEndian {
public:
    LittleEndian([[maybe_unused]] ElementType type, std::span<const std::byte> contents)
        : bytes_(contents) {
        if constexpr (!is_little_endian) {
            copy_.assign(contents.begin(), contents.end());
            reverse_numbers(type, copy_);
            bytes_ = copy_;
        }
    }
    LittleEndian(const LittleEndian&) = delete;
    LittleEndian& operator=(const LittleEndian&) = delete;

    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> copy_;
    std::span<const std::byte> bytes_;
};

}  // namespace gathercheck
