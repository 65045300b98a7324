// SPDX-License-Identifier: Apache-2.0
// The loops around the kernels: block by block, indices are checked, made
// positions and served, or all of it by one kernel. Compiled for the baseline.
#include "optimized/execute.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <new>

#include "optimized/at_once.hpp"

namespace gathercheck::optimized {
namespace {

/// Positions of a block; a plan's blocks are not larger.
constexpr std::int64_t block_most = 1024;

/// Rows of equal lanes in a block: there are two lanes at least.
constexpr std::int64_t firsts_most = block_most / 2;

/// Bytes put together before they go past the caches.
constexpr std::int64_t staging_bytes = 16 * 1024;

/// Of picked elements fewer: these leave while the next ones are picked.
constexpr std::int64_t picked_piece_bytes = 1024;

/// Larger units go there by themselves.
constexpr std::int64_t staged_unit_most = staging_bytes / 8;

/// While some columns are copied so many bytes of them are asked for, as each row's part lies
/// elsewhere; of large parts hardware fetches most.
constexpr std::int64_t copied_ahead = 4096;

/// Rows of lanes that are looked at before columns are copied.
constexpr std::int64_t rows_looked_at = 4;

std::int64_t index_bytes(IndexKind kind) { return std::int64_t{1} << (static_cast<int>(kind) % 4); }
static_assert(static_cast<int>(IndexKind::u8) == 4 && static_cast<int>(IndexKind::i64) == 3);

void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

struct alignas(line_bytes) Line {
    std::byte bytes[line_bytes];
};

/// Positions as the kernels take them.
struct Positions {
    const std::byte* first = nullptr;
    PositionWidth width = PositionWidth::narrow;

    std::int64_t bytes() const { return width == PositionWidth::narrow ? 4 : 8; }
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
    Positions from(std::int64_t k) const { return {first + k * bytes(), width}; }
};

/// Runs one plan on one set of buffers. The parts of a run, each of which has
/// a place of the output to itself, are batches, picks and outer coordinates.
class Run {
public:
    Run(const Plan& plan, const std::byte* data, const std::byte* indices, std::byte* output)
        : plan_(plan), kernels_(*plan.kernels), data_(data), indices_(indices), output_(output) {}

    Outcome operator()() {
        if (plan_.empty_extent && plan_.index_count > 0 && plan_.rule != IndexRule::zeros_beyond) {
            outcome_.bad_position = first_bad();
            return outcome_;
        }
        if (!move()) outcome_.bad_position = first_bad();
        if (streamed_) kernels_.fence();
        return outcome_;
    }

private:
    /// All of these are false after an index out of bounds.
    bool move() {
        switch (plan_.front) {
            case Front::nothing:
                return plan_.index_count == 0 || plan_.empty_extent ||
                       legal(indices_, plan_.index_count);
            case Front::zeros:
                std::memset(output_, 0, static_cast<std::size_t>(plan_.output_bytes));
                return true;
            case Front::axis:
                return plan_.packed ? move_packed(plan_.batches, plan_.tables, plan_.picks)
                                    : move_axis();
            case Front::tuples:
                return plan_.packed ? move_packed(1, 1, plan_.batches * plan_.picks)
                                    : move_tuples();
            case Front::elementwise:
                return move_elementwise();
        }
        return true;
    }

    // Indices.

    bool from_end_too() const { return plan_.rule != IndexRule::from_zero; }

    /// Checks indices, `count` being a multiple of the tuples' length, and notes
    /// what they are like.
    bool legal(const std::byte* indices, std::int64_t count) {
        if (!plan_.checked_indices) {
            in_place_ = plan_.usable_in_place;
            return true;
        }
        const auto kind = static_cast<std::size_t>(plan_.kind);
        IndexSummary found;
        if (plan_.components == 1) {
            const std::int64_t s = plan_.extents[0];
            found = kernels_.scan[kind](indices, count, first_index(plan_, s), s - 1);
        } else {
            found = kernels_.scan_tuples[kind](indices, count / plan_.components, plan_.components,
                                               plan_.extents.begin(), from_end_too());
        }
        outcome_.scanned = found.executed;
        marks_ = found.out_of_bounds;
        in_place_ = plan_.usable_in_place && !found.negative && !marks_;
        return !marks_ || plan_.rule == IndexRule::zeros_beyond;
    }

    /// The kernels' answer is yes or no; this finds which.
    std::int64_t first_bad() const {
        for (std::int64_t k = 0; k < plan_.index_count; ++k) {
            const std::int64_t s = plan_.extents[k % plan_.components];
            const auto index = integer_element(plan_.call.indices.type, indices_, k);
            if (!index || *index >= s || *index < first_index(plan_, s)) return k;
        }
        assert(false);  // a kernel saw one
        return 0;
    }

    const std::byte* index(std::int64_t k) const { return indices_ + k * index_bytes(plan_.kind); }

    /// Checks `count` picks from number `first` of all on, and sets positions_.
    bool resolve(std::int64_t first, std::int64_t count) {
        assert(count <= block_most);
        const std::byte* from = index(first * plan_.components);
        if (plan_.front == Front::tuples) {
            const FlattenJob job = tuples_job(first, count);
            const auto kind = static_cast<std::size_t>(plan_.kind);
            const auto width = static_cast<std::size_t>(plan_.resolved);
            outcome_.scanned = kernels_.flatten[kind][width](job, resolved_);
            positions_ = {resolved_, plan_.resolved};
            return outcome_.scanned != InstructionSet::none;
        }
        return resolve(from, count);
    }

    FlattenJob tuples_job(std::int64_t first, std::int64_t count) const {
        return {
            .indices = index(first * plan_.components),
            .count = count,
            .components = plan_.components,
            .extents = plan_.extents.begin(),
            .strides = plan_.strides.begin(),
            .in_batch = first % plan_.picks,
            .per_batch = plan_.picks,
            .base = first / plan_.picks * plan_.table_units,
            .batch_rows = plan_.table_units,
            .negative_allowed = from_end_too(),
            .checked = plan_.checked_indices,
            .far = plan_.far_indices,
        };
    }

    /// The same for indices of one component.
    bool resolve(const std::byte* indices, std::int64_t count) {
        if (resolve_in_one_pass(indices, count)) return true;
        if (!legal(indices, count)) return false;
        if (in_place_ && !plan_.narrow_first) {
            positions_ = {indices, plan_.in_place};
            return true;
        }
        const auto kind = static_cast<std::size_t>(plan_.kind);
        const auto width = static_cast<std::size_t>(plan_.resolved);
        kernels_.wrap[kind][width](indices, count, plan_.extents[0], marks_, resolved_);
        positions_ = {resolved_, plan_.resolved};
        return true;
    }

    /// Of indices that are narrowed anyway. True where positions_ is set; else all is still to
    /// be done.
    bool resolve_in_one_pass(const std::byte* indices, std::int64_t count) {
        if (!plan_.narrow_first || !plan_.checked_indices) return false;
        const std::int64_t s = plan_.extents[0];
        auto* positions = reinterpret_cast<std::int32_t*>(resolved_);
        outcome_.scanned = kernels_.resolve(indices, count, first_index(plan_, s), s, positions);
        positions_ = {resolved_, PositionWidth::narrow};
        marks_ = false;
        return outcome_.scanned != InstructionSet::none;
    }

    bool within(std::int64_t position) const {
        return position >= 0 && position < plan_.extents[0];
    }

    // Gather and GatherND.

    std::int64_t unit_bytes() const { return plan_.unit_bits / 8; }

    bool move_axis() {
        const Range batches{0, plan_.batches};
        const Range picks{0, plan_.picks};
        return plan_.pick_block > plan_.block ? move_axis<true>(batches, picks)
                                              : move_axis<false>(batches, picks);
    }

    struct Range {
        std::int64_t begin;
        std::int64_t end;
    };

    /// Some picks of some batches, several batches only with all of their picks. Large blocks
    /// that cannot be picked are moved in smaller ones.
    template <bool LargeBlocks>
    bool move_axis(Range batches, Range picks) {
        const std::int64_t block = LargeBlocks ? plan_.pick_block : plan_.block;
        const std::int64_t at_once = std::max(block / plan_.picks, std::int64_t{1});
        for (std::int64_t b = batches.begin; b < batches.end; b += at_once) {
            const std::int64_t rows = std::min(at_once, batches.end - b);
            for (std::int64_t k = picks.begin; k < picks.end; k += block) {
                const std::int64_t count = std::min(block, picks.end - k);
                const std::int64_t first = b * plan_.picks + k;
                const Pattern found =
                    plan_.tables == 1 ? pattern_ahead(first, count) : Pattern::none;
                const bool moved =
                    found == Pattern::none
                        ? pick(b * plan_.tables * plan_.table_units, first, rows, count)
                        : move_runs(axis_job(b, rows, k, count), first, found);
                if (moved) continue;
                if constexpr (LargeBlocks) {
                    if (!move_axis<false>({b, b + rows}, {k, k + count})) return false;
                } else {
                    if (!resolve(first, rows * count)) return false;
                    move_rows(axis_job(b, rows, k, count), positions_);
                }
            }
        }
        return true;
    }

    /// The same for a block in one pass; `base` is the first row's table.
    bool pick(std::int64_t base, std::int64_t first, std::int64_t rows, std::int64_t lanes) {
        if (!plan_.stream) {
            return pick(base, first, rows, lanes, output(first * plan_.tables), false);
        }
        if (rows > 1) return pick_and_stream(base, first, rows, lanes);
        const auto start = reinterpret_cast<std::uintptr_t>(output(first)) % line_bytes;
        if (start == 0 && plan_.pick_streams) {
            streamed_ = true;
            return pick(base, first, 1, lanes, output(first), true);
        }
        // All but the first piece begin with a line.
        const std::int64_t piece = picked_piece_bytes / unit_bytes();
        std::int64_t count = piece - static_cast<std::int64_t>(start) / unit_bytes();
        for (std::int64_t k = 0; k < lanes; k += count, count = piece) {
            count = std::min(count, lanes - k);
            if (!pick_and_stream(base + k * plan_.lane_step, first + k, 1, count)) return false;
        }
        return true;
    }

    /// Puts together what goes past the caches at a time.
    bool pick_and_stream(std::int64_t base, std::int64_t first, std::int64_t rows,
                         std::int64_t lanes) {
        if (!pick(base, first, rows, lanes, staging_, false)) return false;
        stream(output(first), staging_, rows * lanes * unit_bytes());
        return true;
    }

    bool pick(std::int64_t base, std::int64_t first, std::int64_t rows, std::int64_t lanes,
              std::byte* to, bool stream) {
        if (plan_.pick == nullptr) return false;
        if (plan_.tables > 1 && lanes < plan_.picks) return false;  // outputs lie apart
        PickJob job = plan_.pick_job;
        job.rows = rows;
        job.lanes = lanes;
        job.stream = stream;
        outcome_.scanned = outcome_.moved =
            plan_.pick(job, data_ + base * unit_bytes(), index(first), to);
        return outcome_.moved != InstructionSet::none;
    }

    std::byte* output(std::int64_t first) const { return output_ + first * unit_bytes(); }

    std::int64_t table_bytes() const { return plan_.table_units * unit_bytes(); }

    /// `count` picks of each table of some batches; of several only where that is all of them.
    MoveJob axis_job(std::int64_t b, std::int64_t batches, std::int64_t k,
                     std::int64_t count) const {
        const std::int64_t first_table = b * plan_.tables;
        MoveJob job = job_of(data_ + first_table * table_bytes(), count,
                             output_ + (first_table * plan_.picks + k) * unit_bytes());
        job.rows = batches * plan_.tables;
        return job;
    }

    bool move_tuples() {
        const std::int64_t all = plan_.batches * plan_.picks;
        for (std::int64_t k = 0; k < all; k += plan_.block) {
            const std::int64_t count = std::min(plan_.block, all - k);
            if (pick_tuples(k, count)) continue;
            if (!resolve(k, count)) return false;
            move_rows(job_of(data_, count, output_ + k * unit_bytes()), positions_);
        }
        return true;
    }

    /// Checks and moves some tuples in one pass, unless the first two name neighbours, for which
    /// there may be something faster. False where all is still to be done.
    bool pick_tuples(std::int64_t first, std::int64_t count) {
        if (plan_.pick_tuples == nullptr) return false;
        if (plan_.patterns && count > 1 && tuples_start_as_pattern(first)) return false;
        outcome_.scanned = outcome_.moved =
            plan_.pick_tuples(tuples_job(first, count), data_, output(first));
        return outcome_.moved != InstructionSet::none;
    }

    /// Whether the second tuple names the same row as the first or the one behind it. Only for
    /// indices that are positions as they are; others may be anything.
    bool tuples_start_as_pattern(std::int64_t first) const {
        const std::int64_t n = plan_.components;
        const Positions indices{index(first * n), plan_.in_place};
        std::uint64_t step = 0;
        for (std::int64_t t = 0; t < n; ++t) {
            const auto here = static_cast<std::uint64_t>(indices[t]);
            const auto next = static_cast<std::uint64_t>(indices[n + t]);
            step += (next - here) * static_cast<std::uint64_t>(plan_.strides[t]);
        }
        return step <= 1;
    }

    /// One row of picks.
    MoveJob job_of(const std::byte* table, std::int64_t count, std::byte* output) const {
        MoveJob job = plan_.job;
        job.table = table;
        job.output = output;
        job.lanes = count;
        job.marked = marks_;
        return job;
    }

    bool begins_with_pattern(const MoveJob& job, const Positions& positions) const {
        return pattern(positions, std::min(pattern_block, job.lanes)) != Pattern::none;
    }

    void move_rows(const MoveJob& job, const Positions& positions) {
        move_rows(job, positions, begins_with_pattern(job, positions));
    }

    /// Moves a job by the plan's kernel, or by something faster where positions
    /// have a pattern. Whether they do, the first ones tell for the rest of the
    /// job and for jobs like it: looking at all would cost more than it gains.
    void move_rows(const MoveJob& job, const Positions& positions, bool patterned) {
        const std::int64_t first = std::min(pattern_block, job.lanes);
        const bool one_piece =
            job.rows == 1 ||
            (job.output_step == job.lanes && job.rows * job.lanes * unit_bytes() <= staging_bytes);
        if (patterned) {
            each_row(job, positions, [&](const MoveJob& row, const Positions& of_row) {
                return move_row(row, of_row, pattern(of_row, first), true);
            });
        } else if (plan_.stream && !one_piece) {
            each_row(job, positions, [&](const MoveJob& row, const Positions& of_row) {
                move_plain(row, of_row);
                return true;
            });
        } else {
            move_plain(job, positions);
        }
    }

    /// Of indices not checked yet, the first ones of a row of `lanes`.
    Pattern pattern_ahead(std::int64_t first, std::int64_t lanes) const {
        if (!plan_.usable_in_place) return Pattern::none;
        return pattern_of(plan_, index(first), plan_.in_place, std::min(pattern_block, lanes));
    }

    /// As move_rows, by indices not checked yet, the first of which have the pattern
    /// `found`: of indices that follow one another, or are all the same, two are
    /// checked. False after an index that is negative or out of bounds; all is still
    /// to be done then.
    bool move_runs(MoveJob job, std::int64_t first, Pattern found) {
        const Positions raw{index(first), plan_.in_place};
        const std::int64_t looked_at = std::min(pattern_block, job.lanes);
        marks_ = job.marked = false;
        return each_row(job, raw, [&](const MoveJob& row, const Positions& of_row) {
            if (of_row.first != raw.first) found = pattern(of_row, looked_at);
            return move_row(row, of_row, found, false);
        });
    }

    /// Until `move_one` says no.
    template <class MoveOne>
    static bool each_row(MoveJob job, Positions positions, MoveOne move_one) {
        const std::int64_t unit_bytes = job.unit_bytes;
        const std::int64_t rows = job.rows;
        const std::int64_t sharing = job.sharing;
        job.rows = job.sharing = 1;
        for (std::int64_t r = 1; r <= rows; ++r) {
            if (!move_one(job, positions)) return false;
            job.table += job.row_step * unit_bytes;
            job.output += job.output_step * unit_bytes;
            if (r % sharing == 0) positions = positions.from(job.positions_step);
        }
        return true;
    }

    Pattern pattern(const Positions& positions, std::int64_t count) const {
        return marks_ ? Pattern::none : pattern_of(plan_, positions.first, positions.width, count);
    }

    /// A job of one row, some of which has a pattern: the first block the one that was
    /// found. Where positions are not `checked` they are; false after a bad one.
    bool move_row(const MoveJob& job, const Positions& positions, Pattern found, bool checked) {
        std::int64_t done = 0;
        const auto move_until = [&](std::int64_t end) {
            if (end == done) return;
            MoveJob part = job;
            part.table += done * plan_.lane_step * unit_bytes();
            part.output += done * unit_bytes();
            part.lanes = end - done;
            move_plain(part, positions.from(done));
        };
        for (std::int64_t k = 0; k < job.lanes; k += pattern_block) {
            const std::int64_t count = std::min(pattern_block, job.lanes - k);
            if (k > 0) found = pattern(positions.from(k), count);
            if (!checked) {
                const bool good = found == Pattern::none
                                      ? legal(positions.from(k).first, count) && in_place_
                                      : within(positions[k]) && within(positions[k + count - 1]);
                if (!good) return false;
            }
            if (found == Pattern::none) continue;
            move_until(k);
            const std::int64_t unit = positions[k] * plan_.index_step + k * plan_.lane_step;
            const std::byte* from = job.table + unit * unit_bytes();
            std::byte* to = job.output + k * unit_bytes();
            if (found == plan_.copied) {
                const std::int64_t bytes = count * unit_bytes();
                if (plan_.far && checked) {
                    ask_for_next<level_2>(from, to, bytes);  // a block of indices is read before
                } else if (plan_.far) {
                    ask_for_next<level_1>(from, to, bytes);
                }
                copy(to, from, bytes);
            } else {
                plan_.fill(from, count, to);
            }
            outcome_.moved = kernels_.set;
            done = k + count;
        }
        move_until(job.lanes);
        return true;
    }

    /// A run mostly goes on behind its piece at hand: what follows is on its way
    /// then while the next indices are looked at.
    template <int Cache>
    void ask_for_next(const std::byte* from, const std::byte* to, std::int64_t bytes) const {
        constexpr std::int64_t most = 4096;
        for (std::int64_t k = bytes; k < bytes + std::min(bytes, most); k += line_bytes) {
            __builtin_prefetch(from + k, 0, Cache);
            if (!plan_.stream_runs) __builtin_prefetch(to + k, 1, Cache);
        }
    }

    void copy(std::byte* to, const std::byte* from, std::int64_t bytes) {
        if (plan_.stream_runs) {
            stream(to, from, bytes);
        } else {
            copy_bytes(to, from, bytes);
        }
    }

    void stream(std::byte* to, const std::byte* from, std::int64_t bytes) {
        kernels_.stream(to, from, bytes);
        streamed_ = true;
    }

    Move kernel_for(const Positions& positions) const {
        const auto& kernels = marks_ ? plan_.marked_move : plan_.move;
        return kernels[static_cast<std::size_t>(positions.width)];
    }

    void move_plain(const MoveJob& job, const Positions& positions) {
        move_by(kernel_for(positions), job, positions);
    }

    /// The output of a job is one piece where it has one row or is streamed.
    void move_by(Move kernel, MoveJob job, const Positions& positions) {
        job.positions = positions.first;
        const std::int64_t bytes = job.rows * job.lanes * job.unit_bytes;
        if (!plan_.stream) {
            outcome_.moved = kernel(job);
        } else if (job.rows == 1 && stands_alone(job)) {
            stream_units(job, positions);
        } else if (bytes <= staging_bytes) {
            std::byte* const to = job.output;
            job.output = staging_;
            outcome_.moved = kernel(job);
            stream(to, staging_, bytes);
        } else {
            stream_pieces(kernel, job, positions);
        }
    }

    /// A row of more units than can be put together at once.
    void stream_pieces(Move kernel, MoveJob job, const Positions& positions) {
        assert(job.rows == 1);
        std::byte* to = job.output;
        const std::int64_t all = job.lanes;
        const std::int64_t most = staging_bytes / job.unit_bytes;
        job.output = staging_;
        for (std::int64_t k = 0; k < all; k += most) {
            job.lanes = std::min(most, all - k);
            job.following = all - k - job.lanes;
            job.positions = positions.from(k).first;
            outcome_.moved = kernel(job);
            stream(to, staging_, job.lanes * job.unit_bytes);
            to += job.lanes * job.unit_bytes;
        }
    }

    /// Units of whole lines, or large ones, which need not be put together.
    void stream_units(const MoveJob& job, const Positions& positions) {
        assert(job.rows == 1);
        // Inline, or the compiler takes it for a call without effect.
        const auto ask_for_unit = [&](std::int64_t k) __attribute__((always_inline)) {
            if (k >= job.lanes) return;
            const std::byte* unit = job.table + positions[k] * job.pitch;
            if (job.far) {
                ask_for<level_2>(unit, job.unit_bytes);
            } else {
                ask_for<level_1>(unit, std::min(job.unit_bytes, start_of_long_unit));
            }
        };
        if (job.far) {
            for (std::int64_t k = 0; k < job.ahead; ++k) ask_for_unit(k);
        }
        for (std::int64_t k = 0; k < job.lanes; ++k) {
            std::byte* to = job.output + k * job.unit_bytes;
            const std::int64_t position = positions[k];
            if (job.ahead > 0) ask_for_unit(k + job.ahead);
            if (position < 0) {
                std::memset(to, 0, static_cast<std::size_t>(job.unit_bytes));
            } else {
                stream(to, job.table + position * job.pitch, job.unit_bytes);
            }
        }
        outcome_.moved = kernels_.set;
    }

    /// What follows it the hardware fetches by itself.
    static constexpr std::int64_t start_of_long_unit = 512;

    /// The lines of a unit, for a cache.
    template <int Locality>
    [[gnu::always_inline]] static void ask_for(const std::byte* unit, std::int64_t bytes) {
        for (std::int64_t k = 0; k < bytes; k += line_bytes) {
            __builtin_prefetch(unit + k, 0, Locality);
        }
    }

    /// Whether units are so large, or end where the output's lines end, that each
    /// can go past the caches by itself.
    bool stands_alone(const MoveJob& job) const {
        constexpr std::int64_t least = 4 * line_bytes;
        const auto start = reinterpret_cast<std::uintptr_t>(job.output);
        return job.unit_bytes > staged_unit_most ||
               (job.unit_bytes >= least && job.unit_bytes % line_bytes == 0 &&
                start % line_bytes == 0);
    }

    // GatherElements.

    bool move_elementwise() {
        BitSink sink{.next = output_};
        const std::int64_t in_block = plan_.rows * plan_.lanes;
        std::int64_t done = 0;
        Shape at = first_coordinate(plan_.outer_sizes);
        do {
            std::int64_t base = 0;
            for (std::int64_t k = 0; k < at.rank(); ++k) base += at[k] * plan_.outer_steps[k];
            if (!move_by_columns(base, done, sink)) return false;
            done += in_block;
        } while (next_coordinate(plan_.outer_sizes, at));
        if (plan_.packed) finish(sink);
        return true;
    }

    /// All rows of lanes: by columns where that pays and there is memory for a copy of some.
    bool move_by_columns(std::int64_t base, std::int64_t first, BitSink& sink) {
        if (plan_.columns > 0 && !rows_begin_with_pattern(first)) {
            if (copy_ == nullptr) {
                const std::int64_t bytes = plan_.extents[0] * plan_.columns * unit_bytes();
                const auto lines = static_cast<std::size_t>(bytes / line_bytes + 1);
                copy_.reset(new (std::nothrow) Line[lines]);
            }
            if (copy_ != nullptr) return pick_by_columns(base, first, copy_[0].bytes);
        }
        return plan_.pick_block > plan_.block
                   ? move_rows_of_lanes<true>(base, first, plan_.rows, plan_.lanes, sink)
                   : move_rows_of_lanes<false>(base, first, plan_.rows, plan_.lanes, sink);
    }

    /// Whether the first rows have something for which there is a faster way.
    bool rows_begin_with_pattern(std::int64_t first) {
        return has_equal_lanes(first, std::min(plan_.rows, rows_looked_at), plan_.lanes) ||
               pattern_ahead(first, plan_.lanes) != Pattern::none;
    }

    /// Copies some columns at a time and picks from the copy, which has room for them. False after
    /// an index out of bounds.
    bool pick_by_columns(std::int64_t base, std::int64_t first, std::byte* copy) {
        const std::int64_t row_bytes = plan_.lanes * unit_bytes();
        const std::int64_t table_row = plan_.index_step * unit_bytes();
        const auto start = reinterpret_cast<std::uintptr_t>(output(first));
        PickJob job = plan_.pick_job;
        job.rows = plan_.rows;
        job.pitch = plan_.lanes;
        job.next_table = 0;
        job.far = false;
        job.stream = plan_.stream && plan_.pick_streams && start % line_bytes == 0 &&
                     row_bytes % line_bytes == 0;
        for (std::int64_t l = 0; l < plan_.lanes; l += plan_.columns) {
            job.lanes = job.index_step = std::min(plan_.columns, plan_.lanes - l);
            const std::byte* from = data_ + (base + l) * unit_bytes();
            const std::int64_t bytes = job.lanes * unit_bytes();
            const std::int64_t ahead = copied_ahead / std::max(bytes, line_bytes);
            for (std::int64_t k = 0; k < job.extent; ++k) {
                if (ahead > 1) ask_for<level_1>(from + ahead * table_row, bytes);
                copy_bytes(copy + k * bytes, from, bytes);
                from += table_row;
            }
            outcome_.scanned = outcome_.moved =
                plan_.pick_columns(job, copy, index(first + l), output(first + l));
            if (outcome_.moved == InstructionSet::none) return false;
        }
        streamed_ |= job.stream;
        return true;
    }

    /// Some rows of lanes that follow one another; `first` is the number of the first index.
    /// Blocks as in move_axis.
    template <bool LargeBlocks>
    bool move_rows_of_lanes(std::int64_t base, std::int64_t first, std::int64_t rows,
                            std::int64_t lanes, BitSink& sink) {
        const std::int64_t block = LargeBlocks ? plan_.pick_block : plan_.block;
        // More than one row at once only where rows are whole.
        const std::int64_t lanes_at_once = std::min(lanes, block);
        const std::int64_t rows_at_once = block / lanes_at_once;
        for (std::int64_t r = 0; r < rows; r += rows_at_once) {
            for (std::int64_t l = 0; l < lanes; l += lanes_at_once) {
                const std::int64_t row_count = std::min(rows_at_once, rows - r);
                const std::int64_t lane_count = std::min(lanes_at_once, lanes - l);
                const std::int64_t k = first + r * lanes + l;
                const std::int64_t from = base + r * plan_.row_step + l * plan_.lane_step;
                if (plan_.packed) {
                    if (!resolve(k, row_count * lane_count)) return false;
                    BitsJob job = bits_job(from);
                    job.rows = row_count;
                    job.lanes = lane_count;
                    move_bits(job, sink);
                    continue;
                }
                MoveJob job =
                    job_of(data_ + from * unit_bytes(), lane_count, output_ + k * unit_bytes());
                job.rows = row_count;
                job.row_step = plan_.row_step;
                job.positions_step = job.output_step = lane_count;
                if (has_equal_lanes(k, row_count, lane_count)) {
                    if (!resolve(firsts_, row_count)) return false;
                    move_whole_rows(job);
                    continue;
                }
                const Pattern found = pattern_ahead(k, lane_count);
                const bool moved = found == Pattern::none ? pick(from, k, row_count, lane_count)
                                                          : move_runs(job, k, found);
                if (moved) continue;
                if constexpr (LargeBlocks) {
                    if (!move_rows_of_lanes<false>(from, k, row_count, lane_count, sink)) {
                        return false;
                    }
                } else {
                    if (!resolve(k, row_count * lane_count)) return false;
                    job.marked = marks_;
                    move_rows(job, positions_);
                }
            }
        }
        return true;
    }

    /// Whether all lanes of each row have the same index, which is one of firsts_ then,
    /// and that helps.
    bool has_equal_lanes(std::int64_t first, std::int64_t rows, std::int64_t lanes) {
        assert(rows <= firsts_most || plan_.rows_move[0] == nullptr);
        const auto width = static_cast<std::size_t>(plan_.in_place);
        return plan_.usable_in_place && plan_.rows_move[width] != nullptr &&
               kernels_.first_of_rows[width](index(first), rows, lanes, plan_.far_indices, firsts_);
    }

    /// Moves rows of lanes, whose positions are resolved, as Gather moves rows.
    void move_whole_rows(MoveJob job) {
        const Move kernel = plan_.rows_move[static_cast<std::size_t>(positions_.width)];
        job.marked = marks_;
        job.unit_bytes = job.lanes * unit_bytes();
        job.pitch = plan_.index_step * unit_bytes();
        job.lanes = job.rows;
        job.rows = 1;
        job.ahead = plan_.rows_ahead;
        move_by(kernel, job, positions_);
    }

    // Packed units share bytes: they are written in the order of the output.

    bool move_packed(std::int64_t batches, std::int64_t tables, std::int64_t picks) {
        BitSink sink{.next = output_};
        for (std::int64_t t = 0; t < batches * tables; ++t) {
            const std::int64_t first = t / tables * picks;
            for (std::int64_t k = 0; k < picks; k += plan_.block) {
                const std::int64_t count = std::min(plan_.block, picks - k);
                if (!resolve(first + k, count)) return false;
                BitsJob job = bits_job(t * plan_.table_units);
                job.lanes = count;
                move_bits(job, sink);
            }
        }
        finish(sink);
        return true;
    }

    BitsJob bits_job(std::int64_t base) const {
        return {
            .data = data_,
            .data_end = data_ + *byte_size({plan_.call.data.type, plan_.call.data.shape}),
            .positions = positions_.first,
            .base = plan_.first_unit + base,
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
        outcome_.moved = kernels_.bits[static_cast<std::size_t>(positions_.width)](job, sink);
    }

    /// The spare bits of the last byte are zero.
    static void finish(BitSink& sink) {
        if (sink.held_bits > 0) *sink.next = static_cast<std::byte>(sink.held);
    }

    const Plan& plan_;
    const Kernels& kernels_;
    const std::byte* data_;
    const std::byte* indices_;
    std::byte* output_;
    Outcome outcome_;
    Positions positions_;    ///< of the block at hand
    bool marks_ = false;     ///< some of them stand for rows of zeros
    bool in_place_ = false;  ///< its indices can serve as positions
    bool streamed_ = false;
    std::unique_ptr<Line[]> copy_;  ///< of columns
    // Not set before they are used:
    alignas(64) std::byte resolved_[block_most * 8];
    alignas(64) std::byte firsts_[firsts_most * 8];
    alignas(64) std::byte staging_[staging_bytes];
};

/// Gather of one block, as most small calls are: nothing to be resolved, no
/// pattern. False where it is not so after all; all is still to be done then.
bool execute_at_once(const Plan& plan, const std::byte* data, const std::byte* indices,
                     std::byte* output, Outcome& outcome) {
    if (plan.pick != nullptr) {
        outcome.scanned = outcome.moved = pick_at_once(plan, data, indices, output);
        return outcome.moved != InstructionSet::none;
    }
    if (has_pattern(plan, indices)) return false;
    const Kernels& kernels = *plan.kernels;
    if (plan.checked_indices) {
        const std::int64_t s = plan.extents[0];
        const IndexSummary found = kernels.scan[static_cast<std::size_t>(plan.kind)](
            indices, plan.index_count, first_index(plan, s), s - 1);
        if (found.out_of_bounds || found.negative) return false;
        outcome.scanned = found.executed;
    }
    const auto width = static_cast<std::size_t>(plan.in_place);
    MoveJob job = plan.job;
    job.table = data;
    job.positions = indices;
    job.output = output;
    job.rows = plan.tables;
    job.lanes = plan.picks;
    outcome.moved = plan.move[width](job);
    return true;
}

/// A few rows of bytes. False after an index out of bounds.
bool pick_few_rows(const Plan& plan, const std::byte* data, const std::byte* indices,
                   std::byte* output) {
    const std::int64_t bytes = plan.job.unit_bytes;
    const std::int64_t pitch = plan.job.pitch;
    return each_of_few(plan, indices, [&](std::int64_t k, std::int64_t position) {
        copy_bytes(output + k * bytes, data + position * pitch, bytes);
    });
}

}  // namespace

/// By itself: its buffers would put the frame of a call that does without them on pages of
/// the stack that no cache holds.
[[gnu::noinline]] Outcome execute_by_blocks(const Plan& plan, const std::byte* data,
                                            const std::byte* indices, std::byte* output) {
    return Run(plan, data, indices, output)();
}

Outcome execute(const Plan& plan, const std::byte* data, const std::byte* indices,
                std::byte* output) {
    if (plan.few && (pick_few_elements(plan, data, indices, output) ||
                     pick_few_rows(plan, data, indices, output))) {
        return {};
    }
    Outcome outcome;
    if (plan.at_once && execute_at_once(plan, data, indices, output, outcome)) return outcome;
    return execute_by_blocks(plan, data, indices, output);
}

}  // namespace gathercheck::optimized
