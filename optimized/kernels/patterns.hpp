// SPDX-License-Identifier: Apache-2.0
// Kernels that see what positions, or indices that are not checked yet, have in common.
#pragma once

#include "optimized/kernels.hpp"
#include "optimized/kernels/prefetch.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

/// Whether `count` positions are their first one plus Step times their number, Step being 0 or 1.
/// Prefetches those `block_bytes` behind them.
template <int Step, class Position, class A>
bool steps_by(const std::byte* positions, std::int64_t count, std::int64_t block_bytes) {
    constexpr std::int64_t lanes = lanes_of<Position, A>;
    using Modular = std::make_unsigned_t<Position>;  // unchecked indices may lie anywhere
    const auto first = static_cast<Modular>(load_one<Position>(positions));
    const auto expected = [&](std::int64_t k) {
        return static_cast<Position>(static_cast<Modular>(first + static_cast<Modular>(k * Step)));
    };
    if (element<Position>(positions, count - 1) != expected(count - 1)) return false;
    if (count < lanes) {
        for (std::int64_t k = 0; k < count; ++k) {
            if (element<Position>(positions, k) != expected(k)) return false;
        }
        prefetch_next_block(positions, count * size_of<Position>, block_bytes);
        return true;
    }
    Batch<Position, A> starts(static_cast<Position>(first));
    if constexpr (Step != 0) starts += iota<Position, A>();
    const auto fits = [&](std::int64_t k) {
        const std::byte* from = positions + k * size_of<Position>;
        prefetch_next_block(from, lanes * size_of<Position>, block_bytes);
        const auto here = load<Position, A>(from);
        return xsimd::all(here == starts + Batch<Position, A>(static_cast<Position>(k * Step)));
    };
    for (std::int64_t k = 0; k + lanes <= count; k += lanes) {
        if (!fits(k)) return false;
    }
    return fits(count - lanes);
}

template <class Position, class A>
Pattern classify(const void* positions, std::int64_t count) {
    const auto* from = static_cast<const std::byte*>(positions);
    if (count < 2) return Pattern::none;
    const std::int64_t bytes = count * size_of<Position>;
    if (steps_by<0, Position, A>(from, count, bytes)) return Pattern::constant;
    if (steps_by<1, Position, A>(from, count, bytes)) return Pattern::consecutive;
    return Pattern::none;
}

template <class Position, class A>
bool first_of_rows(const void* positions, std::int64_t rows, std::int64_t picks, void* firsts) {
    const auto* from = static_cast<const std::byte*>(positions);
    auto* to = static_cast<Position*>(firsts);
    for (std::int64_t r = 0; r < rows; ++r) {
        if (!steps_by<0, Position, A>(from, picks, rows * picks * size_of<Position>)) return false;
        to[r] = load_one<Position>(from);
        from += picks * size_of<Position>;
    }
    return true;
}

}  // namespace
}  // namespace gathercheck::optimized
