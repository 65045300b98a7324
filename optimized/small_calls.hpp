// SPDX-License-Identifier: Apache-2.0
// Small calls: Gather of a few picks, or of one block, inline, since setting up a Run is most of
// what they would cost. The only place that decides about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "optimized/plan.hpp"

namespace gathercheck::optimized {

/// Positions of a single block: on the stack they stay in the pages that callers have used.
inline constexpr std::int64_t single_block_positions = 256;

/// The plan's shape and access must be complete.
inline SmallCall small_call(const Plan& plan) {
    constexpr std::int64_t few_picks = 3;
    if (plan.front != Front::axis || plan.packed || plan.access.streaming) return SmallCall::no;
    if (plan.batches == 1 && plan.tables == 1 && plan.picks <= few_picks &&
        (plan.kind == IndexKind::i32 || plan.kind == IndexKind::i64)) {
        return SmallCall::few_picks;
    }
    return plan.batches * plan.picks <= single_block_positions ? SmallCall::single_block
                                                               : SmallCall::no;
}

/// Bytes: of a unit.
template <class Index>
[[gnu::always_inline]] inline bool run_few_picks(const Plan& plan, const std::byte* data,
                                                 const std::byte* indices, std::byte* output,
                                                 std::int64_t bytes) {
    const std::int64_t extent = plan.extents[0];
    const std::int64_t first = plan.rule.negative ? -extent : 0;
    for (std::int64_t k = 0; k < plan.picks; ++k) {
        Index index = 0;
        std::memcpy(&index, indices + k * static_cast<std::int64_t>(sizeof index), sizeof index);
        if (index < first || index >= extent) return false;
        const std::int64_t position = index < 0 ? index + extent : index;
        std::memcpy(output + k * bytes, data + position * bytes, static_cast<std::size_t>(bytes));
    }
    return true;
}

template <class Index>
[[gnu::always_inline]] inline bool run_few_picks(const Plan& plan, const std::byte* data,
                                                 const std::byte* indices, std::byte* output) {
    switch (plan.unit_bits) {  // the usual elements need no call of memcpy
        case 32:
            return run_few_picks<Index>(plan, data, indices, output, 4);
        case 64:
            return run_few_picks<Index>(plan, data, indices, output, 8);
        default:
            return run_few_picks<Index>(plan, data, indices, output, plan.unit_bits / 8);
    }
}

inline bool run_single_block(const Plan& plan, const std::byte* data, const std::byte* indices,
                             std::byte* output) {
    alignas(64) std::byte positions[single_block_positions * 8];
    const auto width = static_cast<std::size_t>(plan.width);
    const ResolveJob resolve{.indices = indices,
                             .count = plan.batches * plan.picks,
                             .extent = plan.extents[0],
                             .negative_allowed = plan.rule.negative};
    const auto kernel = plan.kernels->resolve[static_cast<std::size_t>(plan.kind)][width];
    if (kernel(resolve, positions) == InstructionSet::none) return false;
    const MoveJob job{.table = data,
                      .positions = positions,
                      .output = output,
                      .rows = plan.batches * plan.tables,
                      .picks = plan.picks,
                      .row_step = plan.table_units,
                      .sharing = plan.tables,
                      .positions_step = plan.picks,
                      .output_step = plan.picks,
                      .unit_bytes = plan.pitch,
                      .pitch = plan.pitch,
                      .entries = plan.table_units,
                      .prefetch_distance = plan.access.prefetch_distance};
    plan.access.move[width](job);
    return true;
}

/// Runs a small plan. False after an index out of bounds, and where the plan is not small: all is
/// still to be done then.
inline bool run_small(const Plan& plan, const std::byte* data, const std::byte* indices,
                      std::byte* output) {
    switch (plan.small) {
        case SmallCall::no:
            return false;
        case SmallCall::few_picks:
            return plan.kind == IndexKind::i32
                       ? run_few_picks<std::int32_t>(plan, data, indices, output)
                       : run_few_picks<std::int64_t>(plan, data, indices, output);
        case SmallCall::single_block:
            return run_single_block(plan, data, indices, output);
    }
    return false;
}

}  // namespace gathercheck::optimized
