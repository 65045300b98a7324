// SPDX-License-Identifier: Apache-2.0
// GatherElements: rows of picks, each pick from its own column or row of data.
#include <algorithm>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {
namespace {

/// Rows whose indices are all the same, which resolve to `positions`, as slices.
void move_whole_rows(Run& run, MoveJob& job, const Positions& positions) {
    const Access& access = run.plan.access;
    job.unit_bytes = job.picks * run.unit_bytes();
    job.pitch = run.plan.index_step * run.plan.pitch;
    job.picks = job.rows;
    job.rows = 1;
    job.prefetch_distance = access.whole_rows_distance;
    move(run, job, positions, access.move_whole_rows);
}

/// The same as place_columns, where some positions are -1 and stay so.
template <class Position>
void place_columns_or_zeros(Run& run, std::int64_t rows, std::int64_t picks) {
    auto* positions = reinterpret_cast<Position*>(run.positions);
    for (std::int64_t k = 0; k < rows * picks; ++k) {
        if (positions[k] < 0) continue;
        positions[k] = static_cast<Position>(positions[k] * run.plan.index_step +
                                             k % picks * run.plan.column_step);
    }
}

/// From positions along the axis to positions in data.
void place_columns(Run& run, std::int64_t rows, std::int64_t picks) {
    if (run.zero_filled) {
        return run.plan.width == PositionWidth::narrow
                   ? place_columns_or_zeros<std::int32_t>(run, rows, picks)
                   : place_columns_or_zeros<std::int64_t>(run, rows, picks);
    }
    run.kernels.place_columns[static_cast<std::size_t>(run.plan.width)](
        run.positions, rows, picks, run.plan.index_step, run.plan.column_step);
}

/// A block of `rows` rows of `picks` picks each; `unit` and `first` are the numbers of its first
/// unit of data and of its first index.
bool move_block(Run& run, std::int64_t unit, std::int64_t first, std::int64_t rows,
                std::int64_t picks) {
    MoveJob job =
        run.job(run.data + unit * run.plan.pitch, picks, run.output + first * run.unit_bytes());
    job.rows = rows;
    if (has_whole_rows(run, first, rows, picks)) {
        const Positions positions = resolve(run, run.firsts, rows);
        if (!positions) return false;
        move_whole_rows(run, job, positions);
        return true;
    }
    if (rows == 1 && move_run(run, job, direct_indices(run, first), run.plan.extents[0])) {
        return true;
    }
    const std::int64_t count = rows * picks;
    const Positions positions = resolve(run, indices_of(run, first, count), count);
    if (!positions) return false;
    if (run.plan.has_columns()) place_columns(run, rows, picks);
    move(run, job, positions);
    return true;
}

}  // namespace

bool run_elements(Run& run) {
    const Plan& plan = run.plan;
    // More than one row at once only where rows are whole.
    const std::int64_t picks_at_once = std::min(plan.picks, block_positions);
    const std::int64_t rows_at_once = block_positions / picks_at_once;
    std::int64_t first = 0;
    return each_outer(plan, [&](std::int64_t base) {
        for (std::int64_t r = 0; r < plan.rows; r += rows_at_once) {
            const std::int64_t rows = std::min(rows_at_once, plan.rows - r);
            for (std::int64_t k = 0; k < plan.picks; k += picks_at_once) {
                const std::int64_t picks = std::min(picks_at_once, plan.picks - k);
                const std::int64_t unit = base + r * plan.row_step + k * plan.column_step;
                if (!move_block(run, unit, first, rows, picks)) return false;
                first += rows * picks;
            }
        }
        return true;
    });
}

}  // namespace gathercheck::optimized
