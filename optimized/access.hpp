// SPDX-License-Identifier: Apache-2.0
// Access: how a plan's units are moved (which kernels, prefetch distance, kind of store), as its
// shape and the tuning of this CPU decide.
#pragma once

#include <cstdint>

#include "optimized/kernels.hpp"
#include "optimized/tuning.hpp"

namespace gathercheck::optimized {

struct Plan;

struct Access {
    Move move[position_width_count] = {};  ///< by the width of positions
    /// For jobs with zero-filled units, which tables in registers do not know.
    Move move_or_zero[position_width_count] = {};
    /// GatherElements whose rows each have one index: they are slices. Null: not looked for.
    Move move_whole_rows[position_width_count] = {};
    Fill fill = nullptr;                   ///< of elements
    Pattern copied = Pattern::none;        ///< positions that name neighbours in data
    Pattern filled = Pattern::none;        ///< positions that name one element again and again
    std::int64_t prefetch_distance = 0;    ///< in picks; 0: none
    std::int64_t whole_rows_distance = 0;  ///< the same for move_whole_rows
    bool streaming = false;                ///< non-temporal stores
    bool streaming_in_parts = false;       ///< the same of a part that a thread runs
    bool by_register_table = false;
};

/// The plan's shape must be complete.
Access choose_access(const Plan& plan, const Kernels& kernels, const Tuning& tuning);

}  // namespace gathercheck::optimized
