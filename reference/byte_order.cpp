// SPDX-License-Identifier: Apache-2.0
// Reverses the bytes of numbers.
#include "reference/byte_order.hpp"

#include <algorithm>

namespace gathercheck {

void reverse_numbers(ElementType type, std::span<std::byte> contents) {
    const int parts = info(type).kind == ElementKind::complex ? 2 : 1;
    const auto width = static_cast<std::size_t>(bits(type) / 8 / parts);
    if (width < 2) return;
    for (; contents.size() >= width; contents = contents.subspan(width)) {
        std::ranges::reverse(contents.first(width));
    }
}

}  // namespace gathercheck
