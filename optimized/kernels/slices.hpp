// SPDX-License-Identifier: Apache-2.0
// Kernels that move slices of whole bytes.
#pragma once

#include <limits>

#include "optimized/kernels.hpp"
#include "optimized/kernels/prefetch.hpp"
#include "optimized/kernels/stores.hpp"

namespace gathercheck::optimized {
namespace {

/// Slices of at least Bytes / 2 and at most Bytes bytes, Bytes being above 8: two copies that may
/// overlap in the middle stay inside the slice.
template <int Bytes>
struct StartAndEnd {
    static constexpr std::int64_t most = Bytes;
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        copy<Bytes / 2>(to, from);
        copy<Bytes / 2>(to + bytes - Bytes / 2, from + bytes - Bytes / 2);
    }
};

/// Of at least 2 and at most 8 bytes.
struct Short {
    static constexpr std::int64_t most = 8;
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        if (bytes < 4) {
            StartAndEnd<4>{}(to, from, bytes);
        } else {
            StartAndEnd<8>{}(to, from, bytes);
        }
    }
};

/// Of at least a line and at most Most bytes.
template <std::int64_t Most>
struct Lines {
    static constexpr std::int64_t most = Most;
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        const std::int64_t last = bytes - line_bytes;
        for (std::int64_t k = 0; k < last; k += line_bytes) copy<line_bytes>(to + k, from + k);
        copy<line_bytes>(to + last, from + last);
    }
};

/// Longer ones: memcpy knows more ways, but to begin one of them costs it as much as moving some
/// hundred bytes.
struct Memcpy {
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
};

/// One row of a job.
template <class Position, class MoveSlice>
[[gnu::always_inline]] inline void move_row(const MoveJob& job, const std::byte* table,
                                            const std::byte* positions, std::byte* to) {
    const MoveSlice move_slice;
    const std::int64_t pitch = job.pitch;
    const std::int64_t bytes = job.unit_bytes;
    const auto from = [&](std::int64_t k) __attribute__((always_inline)) {
        return table + element<Position>(positions, k) * pitch;
    };
    std::int64_t k = 0;
    if (job.zero_fill) {
        for (; k < job.picks; ++k, to += bytes) {
            if (element<Position>(positions, k) < 0) {
                std::memset(to, 0, static_cast<std::size_t>(bytes));
            } else {
                move_slice(to, from(k), bytes);
            }
        }
        return;
    }
    const std::int64_t distance = job.prefetch_distance;
    if (distance > 0) {
        const std::int64_t following = job.following < distance ? job.following : distance;
        const std::int64_t prefetched = job.picks + following - distance;
        for (; k < prefetched; ++k, to += bytes) {
            prefetch_slice<MoveSlice::most>(from(k + distance), bytes);
            move_slice(to, from(k), bytes);
        }
    }
    constexpr std::int64_t unroll = 4;
    for (; k + unroll <= job.picks; k += unroll) {
        for (std::int64_t j = 0; j < unroll; ++j, to += bytes) move_slice(to, from(k + j), bytes);
    }
    for (; k < job.picks; ++k, to += bytes) move_slice(to, from(k), bytes);
}

template <class Position, class MoveSlice>
InstructionSet move_slices(const MoveJob& job) {
    const auto* positions = static_cast<const std::byte*>(job.positions);
    const std::byte* table = job.table;
    std::byte* output = job.output;
    std::int64_t sharing = 0;  // rows with these positions so far
    for (std::int64_t r = 0; r < job.rows; ++r) {
        move_row<Position, MoveSlice>(job, table, positions, output);
        table += job.row_step * job.pitch;
        output += job.output_step * job.unit_bytes;
        if (++sharing == job.sharing) {
            positions += job.positions_step * size_of<Position>;
            sharing = 0;
        }
    }
    return compiled_for;
}

}  // namespace
}  // namespace gathercheck::optimized
