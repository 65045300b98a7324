// SPDX-License-Identifier: Apache-2.0
// From indices to positions, and from a call with an index out of bounds to the first such index.
#include <cassert>
#include <cstring>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {

std::int64_t first_out_of_bounds(const Plan& plan, const std::byte* indices) {
    for (std::int64_t k = 0; k < plan.index_count; ++k) {
        const std::int64_t extent = plan.extents[k % plan.components];
        const auto index = integer_element(plan.call.indices.type, indices, k);
        const std::int64_t first = plan.rule.negative ? -extent : 0;
        if (!index || *index >= extent || *index < first) return k;
    }
    return -1;
}

Positions direct_indices(const Run& run, std::int64_t first) {
    if (run.plan.broadcasts_indices) return {};
    if (run.plan.kind == IndexKind::i32) return {run.index(first), PositionWidth::narrow};
    if (run.plan.kind == IndexKind::i64) return {run.index(first), PositionWidth::wide};
    return {};
}

const std::byte* indices_of(Run& run, std::int64_t first, std::int64_t count) {
    const Plan& plan = run.plan;
    if (!plan.broadcasts_indices) return run.index(first);
    assert(count <= block_positions);
    const Shape& output = plan.call.output.shape;
    const Shape& indices = plan.call.indices.shape;
    const auto bytes = static_cast<std::size_t>(bits(plan.call.indices.type) / 8);
    Shape at = first_coordinate(output);
    for (std::int64_t k = output.rank() - 1, rest = first; k >= 0; rest /= output[k--]) {
        at[k] = rest % output[k];
    }
    for (std::int64_t k = 0; k < count; ++k, next_coordinate(output, at)) {
        std::int64_t from = 0;
        for (std::int64_t d = 0; d < at.rank(); ++d) {
            from = from * indices[d] + (indices[d] == 1 ? 0 : at[d]);
        }
        std::memcpy(run.broadcast + static_cast<std::size_t>(k) * bytes, run.index(from), bytes);
    }
    return run.broadcast;
}

Positions resolve(Run& run, const std::byte* from, std::int64_t count) {
    const Plan& plan = run.plan;
    assert(count <= block_positions);
    if (plan.trusted_indices && !plan.has_columns()) {
        if (plan.kind == IndexKind::i32) return {from, PositionWidth::narrow};
        if (plan.kind == IndexKind::i64) return {from, PositionWidth::wide};
    }
    const auto kernel =
        run.kernels
            .resolve[static_cast<std::size_t>(plan.kind)][static_cast<std::size_t>(plan.width)];
    ResolveJob job{.indices = from,
                   .count = count,
                   .extent = plan.extents[0],
                   .negative_allowed = plan.rule.negative};
    run.outcome.scanned = kernel(job, run.positions);
    run.zero_filled = false;
    if (run.outcome.scanned == InstructionSet::none) {
        if (plan.rule.beyond == OutOfBounds::reject) return {};
        job.beyond = plan.rule.beyond;
        run.zero_filled = job.beyond == OutOfBounds::zero;
        run.outcome.scanned = kernel(job, run.positions);
    }
    return {run.positions, plan.width};
}

Positions flatten(Run& run, std::int64_t first, std::int64_t count) {
    const Plan& plan = run.plan;
    assert(count <= block_positions);
    FlattenJob job{.indices = run.index(first * plan.components),
                   .count = count,
                   .components = plan.components,
                   .extents = plan.extents.begin(),
                   .strides = plan.strides.begin(),
                   .number_in_batch = first % plan.picks,
                   .per_batch = plan.picks,
                   .base = first / plan.picks * plan.table_units,
                   .batch_units = plan.table_units,
                   .negative_allowed = plan.rule.negative};
    const auto kernel =
        run.kernels
            .flatten[static_cast<std::size_t>(plan.kind)][static_cast<std::size_t>(plan.width)];
    run.outcome.scanned = kernel(job, run.positions);
    run.zero_filled = false;
    if (run.outcome.scanned == InstructionSet::none) {
        if (plan.rule.beyond == OutOfBounds::reject) return {};
        job.beyond = plan.rule.beyond;
        run.zero_filled = job.beyond == OutOfBounds::zero;
        run.outcome.scanned = kernel(job, run.positions);
    }
    return {run.positions, plan.width};
}

}  // namespace gathercheck::optimized
