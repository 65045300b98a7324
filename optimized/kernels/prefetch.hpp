// SPDX-License-Identifier: Apache-2.0
// Prefetches: of the indices that follow, and of units that are picked later.
#pragma once

#include "optimized/kernels.hpp"

namespace gathercheck::optimized {
namespace {

// Inlined by force: GCC takes a function that only prefetches for one without effect.

/// The lines of `bytes` bytes of a stream of indices, the next block of which begins `block_bytes`
/// further on: while units are moved the stream would run dry.
[[gnu::always_inline]] inline void prefetch_next_block(const std::byte* indices, std::int64_t bytes,
                                                       std::int64_t block_bytes) {
    for (std::int64_t k = 0; k < bytes; k += line_bytes) {
        __builtin_prefetch(indices + block_bytes + k);
    }
}

/// The start of a slice; what follows it hardware fetches by itself. Most: the widest slice.
template <std::int64_t Most>
[[gnu::always_inline]] inline void prefetch_slice(const std::byte* slice, std::int64_t bytes) {
    constexpr std::int64_t longest = 512;
    constexpr std::int64_t most = Most < longest ? Most : longest;
    const std::int64_t last = (bytes < most ? bytes : most) - 1;
    for (std::int64_t k = 0; k < last && k < most; k += line_bytes) __builtin_prefetch(slice + k);
    __builtin_prefetch(slice + last);
}

/// An element.
[[gnu::always_inline]] inline void prefetch_element(const std::byte* element) {
    constexpr int level_2 = 2;  // more lines can be in flight to it than to level 1
    __builtin_prefetch(element, 0, level_2);
}

}  // namespace
}  // namespace gathercheck::optimized
