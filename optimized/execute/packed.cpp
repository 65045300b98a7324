// SPDX-License-Identifier: Apache-2.0
// Packed units, of every front: they share bytes, and are written in the order of the output.
#include <algorithm>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {
namespace {

/// A row of `picks` picks from number `first` on; `unit` is the number of its first unit of data.
bool move_row(Run& run, BitSink& sink, std::int64_t unit, std::int64_t first, std::int64_t picks) {
    const Plan& plan = run.plan;
    for (std::int64_t k = 0; k < picks; k += block_positions) {
        const std::int64_t count = std::min(block_positions, picks - k);
        const Positions positions = plan.front == Front::tuples
                                        ? flatten(run, first + k, count)
                                        : resolve(run, indices_of(run, first + k, count), count);
        if (!positions) return false;
        const BitsJob job{
            .data = run.data,
            .data_end = run.data + *byte_size({plan.call.data.type, plan.call.data.shape}),
            .positions = positions.first,
            .base = plan.first_unit + unit + k * plan.column_step,
            .picks = count,
            .index_step = plan.index_step,
            .column_step = plan.column_step,
            .unit_bits = plan.unit_bits,
            .zero_fill = run.zero_filled,
        };
        run.outcome.moved = run.kernels.bits[static_cast<std::size_t>(positions.width)](job, sink);
    }
    return true;
}

bool move_rows(Run& run, BitSink& sink) {
    const Plan& plan = run.plan;
    if (plan.front == Front::tuples) return move_row(run, sink, 0, 0, plan.batches * plan.picks);
    for (std::int64_t t = 0; t < plan.batches * plan.tables && plan.front == Front::axis; ++t) {
        const std::int64_t first = t / plan.tables * plan.picks;
        if (!move_row(run, sink, t * plan.table_units, first, plan.picks)) return false;
    }
    if (plan.front != Front::elementwise) return true;
    std::int64_t first = 0;
    return each_outer(plan, [&](std::int64_t base) {
        for (std::int64_t r = 0; r < plan.rows; ++r, first += plan.picks) {
            if (!move_row(run, sink, base + r * plan.row_step, first, plan.picks)) return false;
        }
        return true;
    });
}

}  // namespace

bool run_packed(Run& run) {
    BitSink sink{.next = run.output};
    if (!move_rows(run, sink)) return false;
    if (sink.held_bits > 0) *sink.next = static_cast<std::byte>(sink.held);
    return true;
}

}  // namespace gathercheck::optimized
