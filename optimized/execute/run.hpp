// SPDX-License-Identifier: Apache-2.0
// Run: one plan on one set of buffers, and what all steps of running it share.
//
// Every front goes through blocks of picks in three steps: indices become positions (validation),
// runs among them become copies and fills (runs), and other units are moved by a kernel (stores).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "optimized/execute/execute.hpp"
#include "optimized/plan.hpp"

namespace gathercheck::optimized {

/// Bytes that are put together in L1 before they are streamed.
inline constexpr std::int64_t staging_bytes = 16 * 1024;

/// Rows of equal indices in a block: there are two picks in each at least.
inline constexpr std::int64_t most_whole_rows = block_positions / 2;

/// Positions as the kernels take them; none where `first` is null.
struct Positions {
    const std::byte* first = nullptr;
    PositionWidth width = PositionWidth::narrow;

    explicit operator bool() const { return first != nullptr; }
    std::int64_t operator[](std::int64_t k) const {
        std::int32_t narrow = 0;
        std::int64_t wide = 0;
        if (width == PositionWidth::narrow) {
            std::memcpy(&narrow, first + k * 4, sizeof narrow);
            return narrow;
        }
        std::memcpy(&wide, first + k * 8, sizeof wide);
        return wide;
    }
    Positions from(std::int64_t k) const {
        return {first + k * (width == PositionWidth::narrow ? 4 : 8), width};
    }
};

struct Run {
    Run(const Plan& of, const std::byte* from, const std::byte* by, std::byte* to)
        : plan(of), kernels(*of.kernels), data(from), indices(by), output(to) {}

    const Plan& plan;
    const Kernels& kernels;
    const std::byte* const data;
    const std::byte* const indices;
    std::byte* const output;
    Outcome outcome;
    bool streamed = false;     ///< there were non-temporal stores
    bool zero_filled = false;  ///< some positions of the block may be -1
    // Not set before they are used:
    alignas(64) std::byte positions[block_positions * 8];
    alignas(64) std::byte firsts[most_whole_rows * 8];
    alignas(64) std::byte staging[staging_bytes];
    alignas(64) std::byte broadcast[block_positions * 8];

    std::int64_t unit_bytes() const { return plan.unit_bits / 8; }
    const std::byte* index(std::int64_t k) const {
        return indices + k * (std::int64_t{1} << (static_cast<int>(plan.kind) % 4));
    }
    /// What all jobs of the plan have in common.
    MoveJob job(const std::byte* table, std::int64_t picks, std::byte* to) const;
};

/// Elementwise: calls move(unit) with the first unit of data of each step of the odometer around
/// the rows. False as soon as one gives false.
template <class Move>
bool each_outer(const Plan& plan, Move move) {
    Shape at = first_coordinate(plan.outer_sizes);
    do {
        std::int64_t unit = 0;
        for (std::int64_t k = 0; k < at.rank(); ++k) unit += at[k] * plan.outer_steps[k];
        if (!move(unit)) return false;
    } while (next_coordinate(plan.outer_sizes, at));
    return true;
}

// validation.cpp

/// The positions that `count` indices at `from` stand for; none after one that is rejected.
Positions resolve(Run& run, const std::byte* from, std::int64_t count);

/// The same of `count` tuples from number `first` on.
Positions flatten(Run& run, std::int64_t first, std::int64_t count);

/// The indices of `count` picks of GatherElements from number `first` on, one after another.
const std::byte* indices_of(Run& run, std::int64_t first, std::int64_t count);

/// Indices from number `first` on that may be positions as they are, but are not checked; none
/// where they have another type or are broadcast.
Positions direct_indices(const Run& run, std::int64_t first);

// runs.cpp

/// Moves a job whose positions, not checked but for `limit`, are one run: all consecutive or all
/// equal, and below `limit`. False where they are not; all is still to be done then.
bool move_run(Run& run, const MoveJob& job, const Positions& positions, std::int64_t limit);

/// Whether the rows of a block each have one index; these are in run.firsts then.
bool has_whole_rows(Run& run, std::int64_t first, std::int64_t rows, std::int64_t picks);

// stores.cpp

/// Moves a job, which it completes, by a kernel of Access, through the caches or by non-temporal
/// stores.
void move(Run& run, MoveJob& job, const Positions& positions,
          const Move (&kernels)[position_width_count]);

/// By the plan's kernel for units.
void move(Run& run, MoveJob& job, const Positions& positions);

/// Copies as the plan's outputs are written.
void copy(Run& run, std::byte* to, const std::byte* from, std::int64_t bytes);

// The fronts: false after an index out of bounds.
bool run_gather(Run& run);
bool run_nd(Run& run);
bool run_elements(Run& run);
bool run_packed(Run& run);

}  // namespace gathercheck::optimized
