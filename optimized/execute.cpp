// SPDX-License-Identifier: Apache-2.0
// The loops around the kernels; compiled for the baseline.
#include "optimized/execute.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace gathercheck::optimized {
namespace {

/// Positions resolved at a time: 8 or 16 KiB of them stay in the first-level
/// cache beside what they pick.
constexpr std::int64_t block = 2048;

std::int64_t index_bytes(IndexKind kind) { return std::int64_t{1} << (static_cast<int>(kind) % 4); }
static_assert(static_cast<int>(IndexKind::u8) == 4 && static_cast<int>(IndexKind::i64) == 3);

/// Runs one plan on one set of buffers.
class Run {
public:
    Run(const Plan& plan, const std::byte* data, const std::byte* indices, std::byte* output)
        : plan_(plan), data_(data), indices_(indices), output_(output) {}

    Outcome operator()() {
        check();
        if (outcome_.bad_position >= 0) return outcome_;
        switch (plan_.front) {
            case Front::nothing:
                break;
            case Front::zeros:
                std::memset(output_, 0, static_cast<std::size_t>(plan_.output_bytes));
                break;
            case Front::axis:
            case Front::tuples:
                move_units();
                break;
            case Front::elementwise:
                move_elementwise();
                break;
        }
        return outcome_;
    }

private:
    /// Checks every index before anything is written.
    void check() {
        const bool zero_fill = plan_.rule == IndexRule::zeros_beyond;
        if (plan_.index_count == 0 || (zero_fill && plan_.empty_extent)) return;
        if (plan_.empty_extent) {
            outcome_.bad_position = first_bad();
            return;
        }
        const auto kind = static_cast<std::size_t>(plan_.kind);
        IndexSummary found;
        if (plan_.components == 1) {
            const std::int64_t s = plan_.extents[0];
            found = plan_.kernels->scan[kind](indices_, plan_.index_count, negative_too() ? -s : 0,
                                              s - 1);
        } else {
            found = plan_.kernels->scan_tuples[kind](indices_, plan_.index_count / plan_.components,
                                                     plan_.components, plan_.extents.begin(),
                                                     negative_too());
        }
        outcome_.scanned = found.executed;
        if (found.out_of_bounds && !zero_fill) {
            outcome_.bad_position = first_bad();
            return;
        }
        marks_ = found.out_of_bounds;
        in_place_ = plan_.usable_in_place && !found.negative && !marks_;
    }

    bool negative_too() const { return plan_.rule != IndexRule::from_zero; }

    /// The kernels' answer is yes or no; this finds which.
    std::int64_t first_bad() const {
        for (std::int64_t k = 0; k < plan_.index_count; ++k) {
            const std::int64_t s = plan_.extents[k % plan_.components];
            const auto index = integer_element(plan_.call.indices.type, indices_, k);
            if (!index || *index >= s || *index < (negative_too() ? -s : 0)) return k;
        }
        assert(false);  // a kernel saw one
        return 0;
    }

    const std::byte* index(std::int64_t k) const { return indices_ + k * index_bytes(plan_.kind); }

    /// Positions for `count` picks from number `first` of all on.
    const std::byte* resolve(std::int64_t first, std::int64_t count) {
        if (in_place_) return index(first);
        assert(count <= block);
        const auto kind = static_cast<std::size_t>(plan_.kind);
        const auto width = static_cast<std::size_t>(plan_.resolved);
        if (plan_.flat) {
            const std::int64_t batch = first / plan_.picks;
            const FlattenJob job{
                .indices = index(first * plan_.components),
                .count = count,
                .components = plan_.components,
                .extents = plan_.extents.begin(),
                .strides = plan_.strides.begin(),
                .in_batch = first % plan_.picks,
                .per_batch = plan_.picks,
                .base = batch * plan_.table_units,
                .batch_rows = plan_.table_units,
                .mark = marks_,
            };
            plan_.kernels->flatten[kind][width](job, scratch_);
        } else {
            plan_.kernels->wrap[kind][width](index(first), count, plan_.extents[0], marks_,
                                             scratch_);
        }
        return scratch_;
    }

    std::size_t width() const {
        return static_cast<std::size_t>(in_place_ ? plan_.in_place : plan_.resolved);
    }

    void move_units() {
        if (plan_.packed) {
            move_units_packed();
        } else if (plan_.flat) {
            const std::int64_t all = plan_.batches * plan_.picks;
            for (std::int64_t k = 0; k < all; k += step(all)) {
                const std::int64_t count = std::min(step(all), all - k);
                move(data_, resolve(k, count), count, output_ + k * unit_bytes());
            }
        } else {
            for (std::int64_t b = 0; b < plan_.batches; ++b) move_batch(b);
        }
    }

    /// One block of positions serves all tables of a batch.
    void move_batch(std::int64_t b) {
        const std::int64_t picks = plan_.picks;
        const std::int64_t table_bytes = plan_.table_units * unit_bytes();
        const std::byte* batch = data_ + b * plan_.tables * table_bytes;
        std::byte* output = output_ + b * plan_.tables * picks * unit_bytes();
        for (std::int64_t k = 0; k < picks; k += step(picks)) {
            const std::int64_t count = std::min(step(picks), picks - k);
            const std::byte* positions = resolve(b * picks + k, count);
            for (std::int64_t t = 0; t < plan_.tables; ++t) {
                move(batch + t * table_bytes, positions, count,
                     output + (t * picks + k) * unit_bytes());
            }
        }
    }

    /// Picks at a time out of `all`.
    std::int64_t step(std::int64_t all) const { return in_place_ ? all : block; }

    std::int64_t unit_bytes() const { return plan_.unit_bits / 8; }

    void move(const std::byte* table, const std::byte* positions, std::int64_t count,
              std::byte* output) {
        const MoveJob job{
            .table = table,
            .positions = positions,
            .output = output,
            .rows = 1,
            .lanes = count,
            .row_step = 0,
            .index_step = 1,
            .lane_step = 0,
            .row_bytes = unit_bytes(),
            .entries = plan_.flat ? plan_.batches * plan_.table_units : plan_.table_units,
            .marked = marks_,
        };
        outcome_.moved = (marks_ ? plan_.marked_move : plan_.move)[width()](job);
    }

    /// Packed units share bytes: they are written in the order of the output.
    void move_units_packed() {
        BitSink sink{.next = output_};
        const std::int64_t tables = plan_.flat ? 1 : plan_.batches * plan_.tables;
        const std::int64_t picks = plan_.flat ? plan_.batches * plan_.picks : plan_.picks;
        for (std::int64_t t = 0; t < tables; ++t) {
            const std::int64_t first = plan_.flat ? 0 : t / plan_.tables * picks;
            for (std::int64_t k = 0; k < picks; k += step(picks)) {
                const std::int64_t count = std::min(step(picks), picks - k);
                BitsJob job = bits_job(resolve(first + k, count), t * plan_.table_units);
                job.lanes = count;
                move_bits(job, sink);
            }
        }
        finish(sink);
    }

    BitsJob bits_job(const std::byte* positions, std::int64_t base) const {
        return {
            .data = data_,
            .data_end = data_ + *byte_size({plan_.call.data.type, plan_.call.data.shape}),
            .positions = positions,
            .base = base,
            .rows = 1,
            .lanes = 1,
            .row_step = plan_.row_step,
            .index_step = plan_.index_step,
            .lane_step = plan_.lane_step,
            .unit_bits = plan_.unit_bits,
            .marked = marks_,
        };
    }

    void move_bits(const BitsJob& job, BitSink& sink) {
        outcome_.moved = plan_.kernels->bits[width()](job, sink);
    }

    /// The spare bits of the last byte are zero.
    static void finish(BitSink& sink) {
        if (sink.held_bits > 0) *sink.next = static_cast<std::byte>(sink.held);
    }

    void move_elementwise() {
        BitSink sink{.next = output_};
        const std::int64_t in_block = plan_.rows * plan_.lanes;
        std::int64_t done = 0;
        Shape at = first_coordinate(plan_.outer_sizes);
        do {
            std::int64_t base = 0;
            for (std::int64_t k = 0; k < at.rank(); ++k) base += at[k] * plan_.outer_steps[k];
            move_rows_of_lanes(base, done, sink);
            done += in_block;
        } while (next_coordinate(plan_.outer_sizes, at));
        if (plan_.packed) finish(sink);
    }

    /// `first` is the number of the block's first index.
    void move_rows_of_lanes(std::int64_t base, std::int64_t first, BitSink& sink) {
        const std::int64_t rows = plan_.rows;
        const std::int64_t lanes = plan_.lanes;
        const std::int64_t lanes_at_once = in_place_ ? lanes : std::min(lanes, block);
        const std::int64_t rows_at_once =
            in_place_ ? rows : std::max(block / lanes_at_once, std::int64_t{1});
        // More than one row at once only where rows are whole.
        for (std::int64_t r = 0; r < rows; r += rows_at_once) {
            for (std::int64_t l = 0; l < lanes; l += lanes_at_once) {
                const std::int64_t row_count = std::min(rows_at_once, rows - r);
                const std::int64_t lane_count = std::min(lanes_at_once, lanes - l);
                const std::int64_t k = first + r * lanes + l;
                const std::byte* positions = resolve(k, row_count * lane_count);
                const std::int64_t from = base + r * plan_.row_step + l * plan_.lane_step;
                if (plan_.packed) {
                    BitsJob job = bits_job(positions, from);
                    job.rows = row_count;
                    job.lanes = lane_count;
                    move_bits(job, sink);
                } else {
                    const MoveJob job{
                        .table = data_ + from * unit_bytes(),
                        .positions = positions,
                        .output = output_ + k * unit_bytes(),
                        .rows = row_count,
                        .lanes = lane_count,
                        .row_step = plan_.row_step,
                        .index_step = plan_.index_step,
                        .lane_step = plan_.lane_step,
                        .row_bytes = unit_bytes(),
                        .entries = plan_.table_units,
                        .marked = marks_,
                    };
                    outcome_.moved = (marks_ ? plan_.marked_move : plan_.move)[width()](job);
                }
            }
        }
    }

    const Plan& plan_;
    const std::byte* data_;
    const std::byte* indices_;
    std::byte* output_;
    Outcome outcome_;
    bool marks_ = false;                        ///< some indices stand for rows of zeros
    bool in_place_ = false;                     ///< the indices are the positions
    alignas(64) std::byte scratch_[block * 8];  // not set: resolved positions
};

}  // namespace

Outcome execute(const Plan& plan, const std::byte* data, const std::byte* indices,
                std::byte* output) {
    return Run(plan, data, indices, output)();
}

}  // namespace gathercheck::optimized
