// SPDX-License-Identifier: Apache-2.0
// Brings calls into canonical form and chooses kernels.
#include "optimized/plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace gathercheck::optimized {
namespace {

constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();

/// Fewer bytes and indices are not worth a second thread, nor the thought.
constexpr std::int64_t serial_bytes = 4096;
constexpr std::int64_t serial_indices = 512;

/// So many units are picked one by one: fewer than any vector has lanes.
constexpr std::int64_t few_picks = 3;

/// So many picks follow one another at least where one pass checks indices and picks.
constexpr std::int64_t one_pass_picks = 16;

/// Units asked for in advance: so many that about this many bytes are on their
/// way, but not more than so many units.
constexpr std::int64_t bytes_ahead = 4096;
constexpr std::int64_t rows_ahead = 16;

/// The same where a level 2 cache waits for them, which can for more.
constexpr std::int64_t far_bytes_ahead = 32 * 1024;
constexpr std::int64_t far_rows_ahead = 64;

/// Elements, in any order: so many that the next ones come while these are picked.
constexpr std::int64_t elements_ahead = 128;

/// So few rows, which are no more than few_bytes together, are not asked for.
constexpr std::int64_t few_rows = 128;

/// Where many shorter rows fit the window of instructions that a CPU works on at
/// a time, it finds them early enough by itself.
constexpr std::int64_t short_row = 128;

/// Most of a longer row hardware has brought before the CPU comes to it.
constexpr std::int64_t long_row = 2048;

/// Positions resolved at a time: 8 KiB of them stay in the first-level cache
/// beside what they pick.
constexpr std::int64_t block_positions = 1024;

/// In one pass none are kept, and a block may be larger: what it costs to begin one is then
/// little beside it. Illegal ones are looked for in the whole of it.
constexpr std::int64_t pick_positions = 16 * block_positions;

/// Picks have little in common where a table has so many lines for each of them: only few meet
/// one that another has brought.
constexpr std::int64_t lines_for_each = 4;

/// So few picks stay in a first-level cache with their pages.
constexpr std::int64_t near_picks = 1024;

/// Of more data than that no CPU remembers the pages.
constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t remembered_bytes = 4096 * page_bytes;

/// Of less data a CPU mostly does.
constexpr std::int64_t mostly_remembered_bytes = remembered_bytes / 2;

/// A larger table of the next row is not worth asking for as a whole.
constexpr std::int64_t next_table_most = 16 * 1024;

/// A line of each of a table's rows may be so many times as large as columns are otherwise.
constexpr std::int64_t most_line_of_columns = 4;

/// Of a column that is copied, one element at least is picked for so many copied: a copy reads
/// in order, picks do not.
constexpr std::int64_t copied_for_each = 4;

/// Not by the count of ones, which takes a function where every CPU has to understand it.
bool is_power_of_two(std::int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

/// Merging runs of larger units gains nothing.
constexpr std::int64_t pattern_unit_most = 1024;

/// Of the types that pass the checks: i8 to i64 and u8 to u64.
IndexKind index_kind(ElementType type) {
    const int log = std::countr_zero(static_cast<unsigned>(bits(type) / 8));
    const bool is_signed = info(type).kind == ElementKind::signed_integer;
    return static_cast<IndexKind>(is_signed ? log : 4 + log);
}
static_assert(static_cast<int>(IndexKind::i64) == 3 && static_cast<int>(IndexKind::u8) == 4);

/// The product of dimensions first to last - 1. The caller knows that it fits:
/// the tensor has elements, and its size fits.
std::int64_t product(const Shape& shape, std::int64_t first, std::int64_t last) {
    std::int64_t result = 1;
    for (std::int64_t k = first; k < last; ++k) result *= shape[k];
    return result;
}

/// Units that positions count.
std::int64_t table_size(const Plan& plan) {
    return plan.front == Front::tuples ? plan.batches * plan.table_units : plan.table_units;
}

/// Fills a plan in, part by part.
class Planner {
public:
    Planner(Plan& plan, const Choices& choices) : plan_(plan), choices_(choices) {}

    void indices() {
        const CheckedCall& call = plan_.call;
        plan_.kind = index_kind(call.indices.type);
        plan_.index_count = *element_count(call.indices.shape);
        const bool tuples = family() == Family::gather_nd;
        plan_.components = tuples ? M_shape()[M_shape().rank() - 1] : 1;
        for (std::int64_t t = 0; t < plan_.components; ++t) {
            const std::int64_t extent = call.data.shape[(tuples ? call.batch_dims : call.axis) + t];
            plan_.extents.push_back(extent);
            plan_.empty_extent |= extent == 0;
        }
    }

    void units() {
        const CheckedCall& call = plan_.call;
        plan_.output_bytes = *byte_size(call.output);
        plan_.serial = plan_.output_bytes <= serial_bytes && plan_.index_count <= serial_indices;
        if (plan_.output_bytes == 0) return;  // Front::nothing
        if (*element_count(call.data.shape) == 0) {
            plan_.front = Front::zeros;
            return;
        }
        // From here on no dimension is 0, so every product of some of them fits.
        switch (family()) {
            case Family::gather:
                axis();
                break;
            case Family::gather_elements:
                elementwise();
                break;
            case Family::gather_nd:
                tuples();
                break;
        }
        plan_.packed = plan_.unit_bits % 8 != 0;
        plan_.block = plan_.pick_block = block_positions;
        positions();
        if (!plan_.packed) choose_kernels();
    }

private:
    Family family() const { return info(plan_.call.version).family; }
    const Shape& N_shape() const { return plan_.call.data.shape; }
    const Shape& M_shape() const { return plan_.call.indices.shape; }

    void axis() {
        const std::int64_t a = plan_.call.axis;
        const std::int64_t b = plan_.call.batch_dims;
        plan_.front = Front::axis;
        plan_.batches = product(N_shape(), 0, b);
        plan_.tables = product(N_shape(), b, a);
        plan_.picks = product(M_shape(), b, M_shape().rank());
        plan_.table_units = N_shape()[a];
        plan_.unit_bits = product(N_shape(), a + 1, N_shape().rank()) * bits(plan_.call.data.type);
    }

    void tuples() {
        const std::int64_t b = plan_.call.batch_dims;
        const std::int64_t n = plan_.components;
        plan_.front = n == 1 ? Front::axis : Front::tuples;
        plan_.batches = product(N_shape(), 0, b);
        plan_.picks = product(M_shape(), b, M_shape().rank() - 1);
        plan_.table_units = product(N_shape(), b, b + n);
        plan_.unit_bits = product(N_shape(), b + n, N_shape().rank()) * bits(plan_.call.data.type);
        for (std::int64_t t = 0; t < n; ++t) {
            plan_.strides.push_back(product(N_shape(), b + t + 1, b + n));
        }
    }

    /// Dimensions of size 1 in indices are dropped, and neighbours that step alike
    /// in data become one. The axis steps by 0: its place comes from the index.
    void elementwise() {
        const std::int64_t a = plan_.call.axis;
        const std::int64_t rank = N_shape().rank();
        plan_.front = Front::elementwise;
        plan_.unit_bits = bits(plan_.call.data.type);
        plan_.table_units = N_shape()[a];
        plan_.index_step = product(N_shape(), a + 1, rank);
        Shape sizes;  // innermost first
        Shape steps;
        std::int64_t step = 1;
        for (std::int64_t k = rank - 1; k >= 0; step *= N_shape()[k], --k) {
            const std::int64_t size = M_shape()[k];
            const std::int64_t own = k == a ? 0 : step;
            if (size == 1) continue;
            const std::int64_t last = sizes.rank() - 1;
            if (last >= 0 && own == steps[last] * sizes[last]) {
                sizes[last] *= size;
            } else {
                sizes.push_back(size);
                steps.push_back(own);
            }
        }
        if (sizes.rank() > 0) {
            plan_.lanes = sizes[0];
            plan_.lane_step = steps[0];
        }
        if (sizes.rank() > 1) {
            plan_.rows = sizes[1];
            plan_.row_step = steps[1];
        }
        for (std::int64_t k = sizes.rank() - 1; k >= 2; --k) {
            plan_.outer_sizes.push_back(sizes[k]);
            plan_.outer_steps.push_back(steps[k]);
        }
    }

    std::int64_t table_size() const { return optimized::table_size(plan_); }

    /// Picks that follow one another from one table.
    std::int64_t picks_from_table() const {
        return plan_.front == Front::elementwise ? plan_.lanes : plan_.picks;
    }

    /// The farthest unit of a kernel's table, from its start.
    std::int64_t reach() const {
        return (table_size() - 1) * plan_.index_step + (plan_.lanes - 1) * plan_.lane_step;
    }

    void positions() {
        plan_.resolved = table_size() <= narrow_limit ? PositionWidth::narrow : PositionWidth::wide;
        plan_.in_place = plan_.kind == IndexKind::i32 ? PositionWidth::narrow : PositionWidth::wide;
        plan_.usable_in_place = (plan_.kind == IndexKind::i32 || plan_.kind == IndexKind::i64) &&
                                plan_.front != Front::tuples;
        plan_.narrow_first = plan_.usable_in_place && plan_.in_place == PositionWidth::wide &&
                             plan_.resolved == PositionWidth::narrow && plan_.tables > 1;
    }

    void choose_kernels() {
        const std::int64_t bytes = plan_.unit_bits / 8;
        const bool element = bytes <= 16 && is_power_of_two(bytes);
        const std::int64_t table_bytes = (reach() + 1) * bytes;
        const std::int64_t data_bytes = *byte_size({plan_.call.data.type, N_shape()});
        plan_.stream_runs = passes_through_caches(data_bytes);
        plan_.stream = plan_.output_bytes >= choices_.stream_from ||
                       (plan_.stream_runs && bytes >= line_bytes);
        plan_.patterns = choices_.patterns && bytes <= pattern_unit_most;
        if (plan_.lane_step == 1) {
            plan_.copied = Pattern::constant;
        } else if (plan_.lane_step == 0) {
            if (plan_.index_step == 1) plan_.copied = Pattern::consecutive;
            if (element) plan_.filled = Pattern::constant;
        }
        plan_.far = std::max(data_bytes, plan_.output_bytes) >= choices_.prefetch_from;
        plan_.far_indices =
            plan_.front != Front::axis && index_bytes() >= choices_.prefetch_elements_from;
        if (element) {
            choose_element_kernels(bytes, data_bytes);
        } else {
            plan_.job.ahead =
                rows_on_their_way(plan_.index_count / plan_.components, bytes, table_bytes);
            // The level 2 cache has room where the output does not go through it.
            const bool many =
                plan_.stream ? bytes < long_row : bytes < short_row && picks_are_far();
            if (plan_.job.ahead > 0 && many) {
                plan_.job.far = true;
                plan_.job.ahead = std::min(far_bytes_ahead / bytes, far_rows_ahead);
            }
            choose_row_kernels(bytes, plan_.move);
            choose_row_kernels(bytes, plan_.marked_move);
            // Rows asked for in advance are so by checked indices, streamed ones by blocks.
            if (plan_.front == Front::axis && may_be_checked_with_units(1) &&
                plan_.job.ahead == 0 && !plan_.stream) {
                plan_.pick = plan_.kernels->pick_rows[static_cast<std::size_t>(plan_.in_place)]
                                                     [static_cast<std::size_t>(class_of(bytes))];
            }
        }
        MoveJob& job = plan_.job;
        job.rows = 1;
        job.index_step = plan_.index_step;
        job.lane_step = plan_.lane_step;
        job.pitch = bytes;
        job.prefetch_output_from = choices_.prefetch_output_from;
        if (plan_.pick != nullptr) plan_.pick_job = pick_job(bytes);
        fit_jobs(plan_);
        // The rows of lanes lie in data as they lie in the output, and they all start
        // from the same place.
        if (plan_.front == Front::elementwise && plan_.patterns && plan_.row_step == 0 &&
            plan_.rows > 1 && plan_.lane_step == 1 && plan_.lanes <= plan_.block) {
            const std::int64_t row_bytes = plan_.lanes * bytes;
            choose_row_kernels(row_bytes, plan_.rows_move);
            plan_.rows_ahead =
                rows_on_their_way(plan_.index_count / plan_.lanes, row_bytes, table_bytes);
        } else if (plan_.pick != nullptr && !plan_.stream) {
            plan_.pick_block = pick_positions;
        }
    }

    /// Whether the output, with indices and about as much data, comes to more than the caches hold,
    /// so that it does not stay there until the call is repeated, even if it is smaller.
    bool passes_through_caches(std::int64_t data_bytes) const {
        const std::int64_t output = plan_.output_bytes;
        if (output >= choices_.stream_from) return true;
        return output >= choices_.stream_from / 2 &&
               index_bytes() >= choices_.stream_from - output - std::min(data_bytes, output);
    }

    /// Whether data, indices and output come to so many bytes.
    bool touches(std::int64_t bytes, std::int64_t data_bytes) const {
        return data_bytes >= bytes || index_bytes() >= bytes - data_bytes ||
               plan_.output_bytes >= bytes - data_bytes - index_bytes();
    }

    std::int64_t index_bytes() const {
        const TensorView& indices = plan_.call.indices;
        return *byte_size({indices.type, indices.shape});
    }

    /// For Gather fit_jobs sets the lanes.
    PickJob pick_job(std::int64_t bytes) const {
        return {
            .rows = 1,
            .lanes = plan_.lanes,
            .row_step = plan_.front == Front::elementwise ? plan_.row_step : plan_.table_units,
            .index_step = plan_.index_step,
            .lane_step = plan_.lane_step,
            .extent = plan_.extents[0],
            .first = first_index(plan_, plan_.extents[0]),
            .unit_bytes = bytes,
            .pitch = bytes,
            .next_table = plan_.job.next_table,
            .ahead = plan_.job.ahead,
            .prefetch_output_from = plan_.job.prefetch_output_from,
            .far = plan_.far,
            .stream = false,
        };
    }

    /// Bytes to ask for from the next table on: where there are many picks from each of many
    /// small tables, one after another.
    std::int64_t next_table_bytes(std::int64_t bytes) const {
        const std::int64_t table_step =
            (plan_.front == Front::elementwise ? plan_.row_step : plan_.table_units) * bytes;
        const bool small = table_step <= std::min(next_table_most, picks_from_table() * 16);
        return small && plan_.front != Front::tuples ? table_step : 0;
    }

    /// Of so many rows of this many bytes from each table of that many those to ask for in advance.
    std::int64_t rows_on_their_way(std::int64_t rows, std::int64_t bytes,
                                   std::int64_t table_bytes) const {
        if (table_bytes < choices_.prefetch_from) return 0;
        if (rows * plan_.tables <= few_rows && plan_.output_bytes <= choices_.few_bytes) return 0;
        if (bytes < short_row && !choices_.prefetch_short_rows()) return 0;
        return std::clamp(bytes_ahead / bytes, std::int64_t{2}, rows_ahead);
    }

    /// Whether the lines of all short units, each of which has one of its own, are more than the
    /// level 2 cache holds until the call is repeated.
    bool picks_are_far() const {
        return plan_.index_count / plan_.components * line_bytes >= choices_.prefetch_from;
    }

    void choose_row_kernels(std::int64_t bytes, Move (&moves)[position_width_count]) const {
        const auto row_class = static_cast<std::size_t>(class_of(bytes));
        for (int width = 0; width < position_width_count; ++width) {
            moves[width] = plan_.kernels->rows[width][row_class];
        }
    }

    void choose_element_kernels(std::int64_t bytes, std::int64_t data_bytes) {
        const Kernels& kernels = *plan_.kernels;
        const int log = std::countr_zero(static_cast<std::uint64_t>(bytes));
        const bool far_data = data_bytes >= choices_.prefetch_from;
        if (far_data) plan_.job.next_table = next_table_bytes(bytes);
        const bool apart = far_data && plan_.job.next_table == 0;
        const std::int64_t table_bytes = table_size() * bytes;
        const std::int64_t lines = table_bytes / line_bytes;
        // Hardly any pick finds the page of one before it.
        const bool unremembered =
            apart && plan_.index_count > near_picks && data_bytes > remembered_bytes &&
            (table_bytes > remembered_bytes ? picks_from_table() <= lines
                                            : picks_from_table() * page_bytes <= 2 * table_bytes);
        const bool scattered =
            unremembered || (apart && picks_from_table() * lines_for_each <= lines);
        const bool lanes = plan_.lane_step != 0 || plan_.index_step != 1;
        const Method wanted = choices_.methods[static_cast<std::size_t>(log)];
        // Gathers name places by 32 bits, and wait for all of their elements: not where most of
        // these come from beyond the level 2 cache.
        const bool afar = apart && table_bytes / 2 >= choices_.prefetch_from;
        const bool possible = reach() <= narrow_limit && !scattered && !afar;
        const bool asked_for =
            unremembered
                ? picks_are_far()
                : afar && !scattered && touches(choices_.prefetch_elements_from, data_bytes);
        if (asked_for) plan_.job.ahead = elements_ahead;
        constexpr int loads = static_cast<int>(Method::loads);
        const int method = possible ? static_cast<int>(wanted) : loads;
        const int size = lanes ? -1 : register_table_size(log);
        plan_.fill = kernels.fill[log];
        for (int width = 0; width < position_width_count; ++width) {
            const Move other = (lanes ? kernels.lanes : kernels.elements)[method][width][log];
            plan_.marked_move[width] = other;
            plan_.move[width] = size >= 0 ? kernels.tables[width][log][size] : other;
        }
        const auto width = static_cast<std::size_t>(plan_.in_place);
        if (plan_.front == Front::tuples && bytes == 4 && possible && wanted == Method::gathers) {
            choose_pick_of_tuples();
        }
        const bool in_registers = size >= 0 && log <= 2;
        if (!in_one_pass(in_registers ? most_register_tables() : 1)) return;
        if (in_registers) {
            if (plan_.tables > 1) plan_.patterns = false;  // they gain nothing there
            plan_.pick = kernels.pick_tables[width][log][size];
            plan_.pick_streams = true;
        } else if (scattered && !lanes && !asked_for) {
            plan_.pick = (unremembered ? kernels.pick_far : kernels.pick_scattered)[width][log];
        } else {
            plan_.pick = (lanes ? kernels.pick_lanes : kernels.pick)[method][width][log];
            plan_.pick_streams =
                plan_.pick != (lanes ? kernels.pick_lanes : kernels.pick)[loads][width][log];
        }
        if (plan_.lane_step == 1 && plan_.row_step == 0) {
            plan_.columns = columns_at_once(bytes);
            plan_.pick_columns = kernels.pick_columns[method][width][log];
            fit_columns(plan_);
        }
    }

    /// From tables where gathers pay, unless what is picked goes past the caches.
    void choose_pick_of_tuples() {
        constexpr std::int64_t most_components = 4;
        const bool read = plan_.kind == IndexKind::i32 || plan_.kind == IndexKind::i64;
        if (!choices_.one_pass || !read || plan_.stream || plan_.components < 2 ||
            plan_.components > most_components || plan_.picks < one_pass_picks) {
            return;
        }
        plan_.pick_tuples = plan_.kernels->pick_tuples[static_cast<std::size_t>(plan_.in_place)];
    }

    /// Columns of a table that the level 2 cache does not hold, as many whole lines as are small
    /// beside that cache, or one that may fill it. Where the table lies, picks from so few columns
    /// do not stay in the cache either: its rows are mostly so long that they share few sets. A few
    /// columns are worth it only where picks from the whole table wait for its pages, too: each row
    /// of the table, of indices and of the output is a page, or a part of one, that a CPU comes
    /// back to for each of these steps.
    std::int64_t columns_at_once(std::int64_t bytes) const {
        const std::int64_t column_bytes = plan_.table_units * bytes;
        if (column_bytes * plan_.index_step < choices_.prefetch_from) return 0;
        const std::int64_t line = line_bytes / bytes;
        if (column_bytes * line / most_line_of_columns > choices_.columns_bytes) return 0;
        const auto lanes_of = [&](std::int64_t copied) {
            return copied / column_bytes / line * line;
        };
        // As many as half of the cache has room for where they are few otherwise.
        const std::int64_t least = (choices_.least_columns + line - 1) / line * line;
        std::int64_t lanes = lanes_of(choices_.columns_bytes);
        if (lanes < least) lanes = std::min(lanes_of(2 * choices_.columns_bytes), least);
        lanes = std::min(std::max(lanes, line), plan_.lanes);
        const bool few = lanes < std::min(least, plan_.lanes);
        return few && column_bytes * plan_.index_step < mostly_remembered_bytes ? 0 : lanes;
    }

    /// Whether indices, each of which serves so many tables at most, may be checked while
    /// their units move.
    bool may_be_checked_with_units(std::int64_t most_tables) const {
        const bool few = plan_.front == Front::elementwise ||
                         (plan_.front == Front::axis && plan_.tables <= most_tables);
        return choices_.one_pass && few && plan_.usable_in_place;
    }

    /// Whether elements are enough for vectors that do so.
    bool in_one_pass(std::int64_t most_tables) const {
        return may_be_checked_with_units(most_tables) && reach() <= narrow_limit &&
               picks_from_table() >= one_pass_picks;
    }

    /// Tables in registers in one pass. What goes past the caches has to be one table's.
    std::int64_t most_register_tables() const { return plan_.stream ? 1 : 2; }

    /// -1 where no table in registers holds all units or pays.
    int register_table_size(int log) const {
        const Kernels& kernels = *plan_.kernels;
        if (!choices_.register_tables ||
            picks_from_table() < std::max(kernels.table_picks[log], table_size())) {
            return -1;
        }
        for (int size = 0; size < table_size_count; ++size) {
            if (table_size() <= kernels.table_entries[log][size]) return size;
        }
        return -1;
    }

    static RowClass class_of(std::int64_t bytes) {
        int number = 0;
        for (const std::int64_t most : row_class_most) number += most < bytes ? 1 : 0;
        return static_cast<RowClass>(number);
    }

    Plan& plan_;
    const Choices& choices_;
};

}  // namespace

void fit_jobs(Plan& plan) {
    plan.job.entries = table_size(plan);
    plan.job.unit_bytes = plan.pick_job.unit_bytes = plan.unit_bits / 8;
    if (plan.front != Front::axis) return;
    plan.job.row_step = plan.table_units;
    plan.job.sharing = plan.tables;
    plan.job.positions_step = plan.picks;
    plan.job.output_step = plan.picks;
    plan.pick_job.tables = plan.tables;
    plan.pick_job.lanes = plan.picks;
    plan.at_once = plan.batches == 1 && plan.picks <= plan.block && !plan.stream &&
                   plan.usable_in_place && (!plan.narrow_first || plan.pick != nullptr);
    plan.few = plan.at_once && plan.tables == 1 && plan.picks <= few_picks;
}

void fit_columns(Plan& plan) {
    const std::int64_t least = (plan.table_units - 1) / copied_for_each + 1;
    if (plan.rows < std::max(least, std::int64_t{2})) plan.columns = 0;
}

void trust_indices(Plan& plan) {
    plan.checked_indices = false;
    plan.pick = nullptr;  // it checks as it goes
    plan.pick_tuples = nullptr;
    plan.columns = 0;
    plan.pick_block = plan.block;
    plan.at_once = plan.at_once && !plan.narrow_first;
}

IndexRule index_rule(OperatorVersion version) {
    const OperatorInfo& op = info(version);
    if (op.out_of_bounds == OutOfBounds::zero) return IndexRule::zeros_beyond;
    return op.negative_indices ? IndexRule::from_end_too : IndexRule::from_zero;
}

Plan make_plan(const CheckedCall& call, bool versioned, IndexRule rule, const Kernels& kernels,
               const Choices& choices) {
    Plan plan;
    plan.call = call;
    plan.call.data.contents = nullptr;
    plan.call.indices.contents = nullptr;
    plan.versioned = versioned;
    plan.rule = rule;
    plan.kernels = &kernels;
    Planner planner(plan, choices);
    planner.indices();
    planner.units();
    return plan;
}

}  // namespace gathercheck::optimized
