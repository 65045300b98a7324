// SPDX-License-Identifier: Apache-2.0
// How the output is written: by kernels through the caches, or by non-temporal stores, for which
// short units are put together first.
#include <algorithm>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {
namespace {

void stream(Run& run, std::byte* to, const std::byte* from, std::int64_t bytes) {
    run.kernels.stream(to, from, bytes);
    run.streamed = true;
}

/// Whether units are so large, or end where lines of the output end, that each can be streamed by
/// itself.
bool stands_alone(const MoveJob& job) {
    constexpr std::int64_t least = 4 * line_bytes;
    const auto start = reinterpret_cast<std::uintptr_t>(job.output);
    return job.unit_bytes > staging_bytes / 8 ||
           (job.unit_bytes >= least && job.unit_bytes % line_bytes == 0 && start % line_bytes == 0);
}

void stream_units(Run& run, const MoveJob& job, const Positions& positions) {
    constexpr std::int64_t most_prefetched = 1024;  // what follows hardware fetches by itself
    for (std::int64_t k = 0; k < job.picks; ++k) {
        const std::int64_t later = k + job.prefetch_distance;
        if (job.prefetch_distance > 0 && later < job.picks) {
            const std::byte* unit = job.table + positions[later] * job.pitch;
            for (std::int64_t b = 0; b < std::min(job.unit_bytes, most_prefetched);
                 b += line_bytes) {
                __builtin_prefetch(unit + b);
            }
        }
        std::byte* to = job.output + k * job.unit_bytes;
        if (positions[k] < 0) {
            std::memset(to, 0, static_cast<std::size_t>(job.unit_bytes));
        } else {
            stream(run, to, job.table + positions[k] * job.pitch, job.unit_bytes);
        }
    }
    run.outcome.moved = run.kernels.set;
}

/// One row in pieces that are put together first.
void stream_pieces(Run& run, MoveJob job, const Positions& positions, Move kernel) {
    std::byte* to = job.output;
    const std::int64_t all = job.picks;
    job.output = run.staging;
    for (std::int64_t k = 0; k < all; k += job.picks) {
        job.picks = std::min(staging_bytes / job.unit_bytes, all - k);
        job.following = all - k - job.picks;
        job.positions = positions.from(k).first;
        run.outcome.moved = kernel(job);
        stream(run, to, run.staging, job.picks * job.unit_bytes);
        to += job.picks * job.unit_bytes;
    }
}

void stream_rows(Run& run, MoveJob job, Positions positions, Move kernel) {
    const std::int64_t rows = job.rows;
    const std::int64_t sharing = job.sharing;
    job.rows = job.sharing = 1;
    for (std::int64_t r = 1; r <= rows; ++r) {
        if (stands_alone(job)) {
            stream_units(run, job, positions);
        } else {
            stream_pieces(run, job, positions, kernel);
        }
        job.table += job.row_step * job.pitch;
        job.output += job.output_step * job.unit_bytes;
        if (r % sharing == 0) positions = positions.from(job.positions_step);
    }
}

}  // namespace

MoveJob Run::job(const std::byte* table, std::int64_t picks, std::byte* to) const {
    return {.table = table,
            .positions = nullptr,
            .output = to,
            .picks = picks,
            .row_step = plan.row_step,
            .positions_step = picks,
            .output_step = picks,
            .unit_bytes = unit_bytes(),
            .pitch = plan.pitch,
            .entries = plan.position_limit(),
            .prefetch_distance = plan.access.prefetch_distance};
}

void move(Run& run, MoveJob& job, const Positions& positions,
          const Move (&kernels)[position_width_count]) {
    const Move kernel = kernels[static_cast<std::size_t>(positions.width)];
    const std::int64_t bytes = job.rows * job.picks * job.unit_bytes;
    job.positions = positions.first;
    job.zero_fill = run.zero_filled;
    if (!run.plan.access.streaming) {
        run.outcome.moved = kernel(job);
    } else if (job.rows > 1 && job.output_step == job.picks && bytes <= staging_bytes) {
        std::byte* const to = job.output;
        job.output = run.staging;
        run.outcome.moved = kernel(job);
        stream(run, to, run.staging, bytes);
    } else {
        stream_rows(run, job, positions, kernel);
    }
}

void move(Run& run, MoveJob& job, const Positions& positions) {
    const Access& access = run.plan.access;
    move(run, job, positions, run.zero_filled ? access.move_or_zero : access.move);
}

void copy(Run& run, std::byte* to, const std::byte* from, std::int64_t bytes) {
    if (run.plan.access.streaming) {
        stream(run, to, from, bytes);
    } else {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
}

}  // namespace gathercheck::optimized
