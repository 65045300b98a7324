// SPDX-License-Identifier: Apache-2.0
// What a plan costs, where it is cut, and the plans of the pieces.
#include "optimized/partition.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace gathercheck::optimized {
namespace {

/// A part is worth so many times the cost of waking a thread.
constexpr double worth = 3;

/// Nanoseconds: for less the cost of waking a thread is not measured.
constexpr double least_work = 1000;

/// Parts for each thread, at most: a thread that comes late or is slow leaves more of
/// them to the others. Taking one costs little, if it is not small.
constexpr int parts_per_thread = 4;

constexpr std::int64_t line_bits = 64 * 8;

/// Such units can be cut, but no sliver is cut off.
constexpr std::int64_t large_unit_bits = 8192 * 8;
constexpr std::int64_t sliver_bytes = 1024;

std::int64_t product(const Shape& sizes, std::int64_t first) {
    std::int64_t result = 1;
    for (std::int64_t k = first; k < sizes.rank(); ++k) result *= sizes[k];
    return result;
}

/// total * k / parts, which need not fit.
std::int64_t share(std::int64_t total, int k, int parts) {
    return total / parts * k + total % parts * k / parts;
}

/// The first dimension that has more than one step.
std::int64_t first_level(const Grid& grid) {
    std::int64_t level = 0;
    while (level < grid.sizes.rank() - 1 && grid.sizes[level] == 1) ++level;
    return level;
}

/// What the jobs of one call share.
class Shared {
public:
    Shared(const Plan& plan, const std::byte* data, const std::byte* indices, std::byte* output,
           int parts)
        : plan_(plan),
          grid_(grid_of(plan)),
          data_(data),
          indices_(indices),
          output_(output),
          parts_(static_cast<int>(std::min<std::int64_t>(parts, grid_.cells))) {}

    Outcome operator()(Executor& executor) {
        jobs_ = std::vector<Share>(static_cast<std::size_t>(std::min(parts_, executor.threads())));
        for (std::size_t k = 0; k < jobs_.size(); ++k) {
            jobs_[k].next = first_part(k);
        }
        executor.run(
            static_cast<int>(jobs_.size()),
            [](void* context, int k) {
                static_cast<Shared*>(context)->take_parts(static_cast<std::size_t>(k));
            },
            this);
        return {bad_ ? first_out_of_bounds(plan_, indices_) : -1, scanned_, moved_};
    }

private:
    /// The parts from `next` on are still to be taken. Each on a cache line of its own.
    struct alignas(64) Share {
        std::atomic<int> next{0};
    };

    int first_part(std::size_t job) const {
        const auto parts = static_cast<std::size_t>(parts_);
        return static_cast<int>(job * parts / jobs_.size());
    }

    /// Those of its own share first, so that the same thread meets the same lines again when
    /// the plan is run again; then what others have left, until nothing is.
    void take_parts(std::size_t job) {
        for (std::size_t k = 0; k < jobs_.size(); ++k) {
            const std::size_t owner = (job + k) % jobs_.size();
            const int end = first_part(owner + 1);
            std::atomic<int>& next = jobs_[owner].next;
            for (int part = next++; part < end && !bad_; part = next++) take(part);
        }
    }

    void take(int part) {
        const std::int64_t last = cut(grid_, output_, part + 1, parts_);
        for (std::int64_t first = cut(grid_, output_, part, parts_); first < last;) {
            const Piece piece = piece_of(plan_, grid_, first, last);
            const Outcome outcome =
                execute(piece.plan, data_ + piece.data_bytes,
                        indices_ + piece.first_index * bits(plan_.call.indices.type) / 8,
                        output_ + piece.output_bytes);
            if (outcome.bad_position >= 0) {
                bad_ = true;
                return;
            }
            scanned_ = outcome.scanned;
            moved_ = outcome.moved;
            first += piece.cells;
        }
    }

    const Plan& plan_;
    const Grid grid_;
    const std::byte* data_;
    const std::byte* indices_;
    std::byte* output_;
    const int parts_;
    std::vector<Share> jobs_;
    std::atomic<bool> bad_{false};
    std::atomic<InstructionSet> scanned_{InstructionSet::none};
    std::atomic<InstructionSet> moved_{InstructionSet::none};
};

/// The piece finds its data from unit `unit` of the whole data on.
void begin_at(Piece& piece, std::int64_t unit) {
    if (piece.plan.packed) {
        piece.plan.first_unit += unit;
    } else {
        piece.data_bytes = unit * piece.plan.pitch;
    }
}

/// A cell of a large unit, or one between two of them: never near the ends of a unit,
/// and at a line.
std::int64_t cut_within_units(const Grid& grid, std::int64_t address, std::int64_t ideal) {
    const std::int64_t unit = ideal / grid.unit_cells * grid.unit_cells;
    const std::int64_t cell = (ideal - unit) / sliver_bytes * sliver_bytes;
    if (cell == 0) return unit;
    if (grid.unit_cells - cell < 2 * sliver_bytes) return unit + grid.unit_cells;
    return unit + cell + (64 - (address + unit + cell) % 64) % 64;
}

void cut_elementwise(Piece& piece, const Grid& grid, std::int64_t first, std::int64_t level,
                     std::int64_t size) {
    Plan& plan = piece.plan;
    const std::int64_t outer = plan.outer_sizes.rank();
    Shape steps = plan.outer_steps;
    steps.push_back(plan.row_step);
    steps.push_back(plan.column_step);
    std::int64_t unit = 0;
    std::int64_t rest = first / product(grid.sizes, level + 1);
    for (std::int64_t k = level; k >= 0; rest /= grid.sizes[k--]) {
        unit += rest % grid.sizes[k] * steps[k];
    }
    const std::int64_t dropped = std::min(level, outer);
    plan.outer_sizes = plan.outer_sizes.slice(dropped, outer);
    plan.outer_steps = plan.outer_steps.slice(dropped, outer);
    if (level < outer) {
        plan.outer_sizes[0] = size;
    } else if (level == outer) {
        plan.rows = size;
    } else {
        plan.rows = 1;
        plan.picks = size;
        plan.access.move_whole_rows[0] = nullptr;  // for rows of all picks
    }
    plan.index_count = piece.cells;
    piece.first_index = first;
    begin_at(piece, unit);
}

void cut_units(Piece& piece, const Grid& grid, std::int64_t first, std::int64_t level,
               std::int64_t size) {
    Plan& plan = piece.plan;
    const std::int64_t unit = first / grid.unit_cells;
    const std::int64_t table = unit / plan.picks;
    piece.first_index = (table / plan.tables * plan.picks + unit % plan.picks) * plan.components;
    begin_at(piece, table * plan.table_units);
    piece.data_bytes += first % grid.unit_cells;
    plan.batches = level == 0 ? size : 1;
    if (level > 0) plan.tables = level == 1 ? size : 1;
    if (level > 1) plan.picks = level == 2 ? size : 1;
    plan.index_count = plan.batches * plan.picks * plan.components;
    if (level == 3) plan.unit_bits = size * 8;  // the pitch stays the whole unit's
}

}  // namespace

Grid grid_of(const Plan& plan) {
    Grid grid;
    grid.cell_bits = plan.unit_bits;
    grid.packed = plan.packed;
    if (plan.front == Front::elementwise) {
        grid.sizes = plan.outer_sizes;
        grid.sizes.push_back(plan.rows);
        grid.sizes.push_back(plan.picks);
    } else {
        grid.sizes = {plan.batches, plan.tables, plan.picks};
        if (!plan.packed && plan.unit_bits >= large_unit_bits) {
            grid.unit_cells = plan.unit_bits / 8;
            grid.cell_bits = 8;
            grid.sizes.push_back(grid.unit_cells);
        }
    }
    grid.cells = product(grid.sizes, 0);
    return grid;
}

std::int64_t cut(const Grid& grid, const std::byte* output, int k, int parts) {
    if (k == 0) return 0;
    if (k == parts) return grid.cells;
    const std::int64_t ideal = share(grid.cells, k, parts);
    const std::int64_t slack = grid.cells / parts / 8;
    const std::int64_t address = reinterpret_cast<std::intptr_t>(output) % 64 * 8;
    const bool within_units = grid.unit_cells > 1;
    const std::int64_t last_level =
        grid.packed ? first_level(grid) : grid.sizes.rank() - (within_units ? 2 : 1);
    for (std::int64_t level = first_level(grid); level <= last_level; ++level) {
        std::int64_t step = product(grid.sizes, level + 1);
        if (grid.packed) step *= 8 / std::gcd(std::int64_t{8}, step * grid.cell_bits % 8);
        const bool last = level == last_level && !within_units;
        if (step > slack && !last) continue;
        // Upwards, then downwards; places relative to lines repeat after at most a
        // line's bits.
        const std::int64_t below = ideal / step * step;
        for (const std::int64_t way : {step, -step}) {
            std::int64_t cell = below;
            for (std::int64_t tries = 0; tries < line_bits && std::abs(cell - ideal) <= slack;
                 ++tries, cell += way) {
                if ((address + cell % line_bits * grid.cell_bits) % line_bits == 0) return cell;
            }
        }
        if (last) return below;
    }
    return cut_within_units(grid, address / 8, ideal);
}

Piece piece_of(const Plan& plan, const Grid& grid, std::int64_t first, std::int64_t last) {
    // The outermost dimension in which the box can be a range.
    std::int64_t level = 0;
    std::int64_t inner = product(grid.sizes, 1);
    while (first % inner != 0 || last - first < inner) inner /= grid.sizes[++level];
    const std::int64_t at = first / inner % grid.sizes[level];
    const std::int64_t size = std::min(grid.sizes[level] - at, (last - first) / inner);

    Piece piece;
    piece.plan = plan;
    piece.plan.access.streaming = plan.access.streaming_in_parts;
    piece.cells = size * inner;
    piece.output_bytes = first * grid.cell_bits / 8;
    piece.plan.output_bytes = (piece.cells * grid.cell_bits + 7) / 8;
    if (plan.front == Front::elementwise) {
        cut_elementwise(piece, grid, first, level, size);
    } else {
        cut_units(piece, grid, first, level, size);
    }
    return piece;
}

double estimated_nanoseconds(const Plan& plan) {
    if (!plan.moves()) return 0;
    const Grid grid = grid_of(plan);
    const auto units = static_cast<double>(grid.cells / grid.unit_cells);
    const auto unit_bytes = static_cast<double>(plan.unit_bits) / 8;
    const auto output = static_cast<double>(plan.output_bytes);
    const auto level2 = static_cast<double>(caches().level2);
    const auto level3 = static_cast<double>(caches().level3);
    const bool slice = unit_bytes > 16;
    const bool columns = plan.has_columns();
    // As usual CPUs take; one that takes half or twice of it cuts a call in vain, or one too few.
    const double per_index = plan.components > 1 ? 0.2 : 0.1;
    const double per_unit = plan.packed                     ? 1.5
                            : slice                         ? 0.5
                            : columns                       ? 0.3
                            : plan.access.by_register_table ? 0.03
                                                            : 0.17;
    const double per_byte = output > level3 ? 0.05 : output > level2 ? 0.02 : 0.01;
    // Lines of a table are waited for, several at once; long slices are read in order.
    const double table = static_cast<double>(plan.reach() + 1) * unit_bytes;
    const double beyond_l3 = unit_bytes >= 1024 ? 2 : 4;
    const double per_line = table > level3 ? beyond_l3 : table > level2 ? 0.8 : 0.1;
    const double lines = units * (slice ? (unit_bytes + 63) / 64 : 1);
    return static_cast<double>(plan.index_count) * per_index + units * per_unit +
           output * per_byte + lines * per_line;
}

bool worth_partitioning(const Plan& plan) {
    return !plan.broadcasts_indices && estimated_nanoseconds(plan) >= least_work;
}

int parts_for(const Plan& plan, Executor& executor) {
    const int threads = executor.threads();
    if (threads < 2) return 1;
    const double work = estimated_nanoseconds(plan);
    if (work < least_work) return 1;
    const double part =
        worth * static_cast<double>(executor.wake_cost(static_cast<std::int64_t>(work)));
    if (work < 2 * part) return 1;
    const int used = work / part < threads ? static_cast<int>(work / part) : threads;
    const double each = work / used / part;
    return used * (each < parts_per_thread ? static_cast<int>(each) : parts_per_thread);
}

Outcome execute_in_parts(const Plan& plan, const std::byte* data, const std::byte* indices,
                         std::byte* output, Executor& executor, int parts) {
    if (parts == 1 || !plan.moves() || plan.broadcasts_indices) {
        return execute(plan, data, indices, output);
    }
    return Shared(plan, data, indices, output, parts)(executor);
}

}  // namespace gathercheck::optimized
