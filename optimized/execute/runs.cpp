// SPDX-License-Identifier: Apache-2.0
// Runs of consecutive and of equal positions: checked by their ends, moved by copies and fills.
#include <algorithm>
#include <cassert>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {
namespace {

/// Fewer picks are not worth classifying.
constexpr std::int64_t least_picks = 8;

/// A run goes on behind its block mostly: what follows is fetched while the next indices are
/// classified.
void prefetch_what_follows(const std::byte* from, std::int64_t bytes) {
    constexpr std::int64_t most = 4096;
    for (std::int64_t k = bytes; k < bytes + std::min(bytes, most); k += line_bytes) {
        __builtin_prefetch(from + k);
    }
}

/// Unchecked ones may be anything.
bool starts_as_run(const Positions& positions) {
    const auto first = static_cast<std::uint64_t>(positions[0]);
    return static_cast<std::uint64_t>(positions[1]) - first <= 1;
}

}  // namespace

bool move_run(Run& run, const MoveJob& job, const Positions& positions, std::int64_t limit) {
    const Access& access = run.plan.access;
    if (!positions || job.picks < least_picks || access.copied == access.filled) return false;
    if (!starts_as_run(positions)) return false;  // as most do
    const Pattern found =
        run.kernels.classify[static_cast<std::size_t>(positions.width)](positions.first, job.picks);
    const bool copies = found == access.copied;
    if (found == Pattern::none || (!copies && found != access.filled)) return false;
    const std::int64_t first = positions[0];
    if (first < 0 || positions[job.picks - 1] >= limit || positions[job.picks - 1] < first) {
        return false;
    }
    const std::byte* from = job.table + first * run.plan.index_step * run.plan.pitch;
    std::byte* to = job.output;
    for (std::int64_t r = 0; r < job.rows; ++r) {
        if (copies) {
            copy(run, to, from, job.picks * job.unit_bytes);
            prefetch_what_follows(from, job.picks * job.unit_bytes);
        } else {
            access.fill(from, job.picks, to);
        }
        from += job.row_step * run.plan.pitch;
        to += job.output_step * job.unit_bytes;
    }
    run.outcome.scanned = run.outcome.moved = run.kernels.set;
    return true;
}

bool has_whole_rows(Run& run, std::int64_t first, std::int64_t rows, std::int64_t picks) {
    if (run.plan.access.move_whole_rows[0] == nullptr || picks < 2) return false;
    const Positions indices = direct_indices(run, first);
    assert(rows <= most_whole_rows);
    return indices && run.kernels.first_of_rows[static_cast<std::size_t>(indices.width)](
                          indices.first, rows, picks, run.firsts);
}

}  // namespace gathercheck::optimized
