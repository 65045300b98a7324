// SPDX-License-Identifier: Apache-2.0
// Kernels that move rows of whole bytes.
#pragma once

#include "optimized/kernels.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

template <int Bytes>
void copy(std::byte* to, const std::byte* from) {
    if constexpr (Bytes == 2) {
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
    } else {
        copy<Bytes / 2>(to, from);
        copy<Bytes / 2>(to + Bytes / 2, from + Bytes / 2);
    }
}

/// Rows of more than Half and at most 2 * Half bytes: two moves that overlap in
/// the middle stay inside the row.
template <int Half>
struct TwoHalves {
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        copy<Half>(to, from);
        copy<Half>(to + bytes - Half, from + bytes - Half);
    }
};

/// Rows above 128 bytes.
struct Blocks {
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
#if defined(__AVX2__)
        constexpr std::int64_t inline_most = 1024;
#else
        constexpr std::int64_t inline_most = 256;
#endif
        if (bytes > inline_most) {
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
            return;
        }
        for (std::int64_t k = 0; k + 64 <= bytes; k += 64) copy<64>(to + k, from + k);
        copy<64>(to + bytes - 64, from + bytes - 64);
    }
};

template <class Position, bool Marked, class MoveRow>
void move_rows_as(const MoveJob& job, MoveRow move_row) {
    const auto* positions = static_cast<const std::byte*>(job.positions);
    const std::int64_t count = job.rows * job.lanes;
    std::byte* to = job.output;
    for (std::int64_t k = 0; k < count; ++k, to += job.row_bytes) {
        const std::int64_t position = element<Position>(positions, k);
        if constexpr (Marked) {
            if (position < 0) {
                std::memset(to, 0, static_cast<std::size_t>(job.row_bytes));
                continue;
            }
        }
        move_row(to, job.table + position * job.row_bytes, job.row_bytes);
    }
}

template <class Position, class MoveRow>
InstructionSet move_rows(const MoveJob& job) {
    if (job.marked) {
        move_rows_as<Position, true>(job, MoveRow{});
    } else {
        move_rows_as<Position, false>(job, MoveRow{});
    }
    return compiled_for;
}

}  // namespace
}  // namespace gathercheck::optimized
