// SPDX-License-Identifier: Apache-2.0
// Copies of widths that the compiler knows, and copies by non-temporal stores.
#pragma once

#include <bit>

#include "optimized/kernels.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

template <int Bytes>
void copy(std::byte* to, const std::byte* from) {
    if constexpr (Bytes == 1) {
        *to = *from;
    } else if constexpr (Bytes == 2) {
        store_one(to, load_one<std::uint16_t>(from));
    } else if constexpr (Bytes == 4) {
        store_one(to, load_one<std::uint32_t>(from));
    } else if constexpr (Bytes == 8) {
        store_one(to, load_one<std::uint64_t>(from));
    } else if constexpr (Bytes == 16) {
        store(to, load<std::uint8_t, Sixteen>(from));
#if defined(__AVX2__)
    } else if constexpr (Bytes == 32) {
        store(to, load<std::uint8_t, ThirtyTwo>(from));
#endif
#if defined(__AVX512BW__)
    } else if constexpr (Bytes == 64) {
        store(to, load<std::uint8_t, xsimd::avx512bw>(from));
#endif
    } else {
        static_assert(std::has_single_bit(static_cast<unsigned>(Bytes)));
        copy<Bytes / 2>(to, from);
        copy<Bytes / 2>(to + Bytes / 2, from + Bytes / 2);
    }
}

/// Whole lines by non-temporal stores; the parts of lines at both ends by others.
template <class A>
void stream(std::byte* to, const std::byte* from, std::int64_t bytes) {
    constexpr std::int64_t lanes = lanes_of<std::uint8_t, A>;
    const std::int64_t before =
        -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (line_bytes - 1);
    if (bytes < before + line_bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return;
    }
    std::memcpy(to, from, static_cast<std::size_t>(before));
    const std::int64_t end = bytes - (bytes - before) % line_bytes;
    for (std::int64_t k = before; k < end; k += lanes) {
        const auto* part = reinterpret_cast<const std::uint8_t*>(from + k);
        Batch<std::uint8_t, A>::load_unaligned(part).store(reinterpret_cast<std::uint8_t*>(to + k),
                                                           xsimd::stream_mode{});
    }
    std::memcpy(to + end, from + end, static_cast<std::size_t>(bytes - end));
}

}  // namespace
}  // namespace gathercheck::optimized
