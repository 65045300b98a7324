// SPDX-License-Identifier: Apache-2.0
// Partition: cuts a plan's work into ranges of the output, each of which is a plan of its own,
// and has an executor's threads run them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optimized/execute/execute.hpp"
#include "optimized/executor.hpp"
#include "optimized/plan.hpp"

namespace gathercheck::optimized {

/// The output as a grid of cells, which are units, or the bytes of large units. Every
/// range of cells can be cut into boxes (a range in one dimension, with all of the
/// dimensions behind it), and every box is a plan.
struct Grid {
    Shape sizes;
    std::int64_t cell_bits = 0;
    std::int64_t unit_cells = 1;
    std::int64_t cells = 1;
    bool packed = false;
};

Grid grid_of(const Plan& plan);

/// The first cell of part `k` of `parts`: about cells * k / parts, moved to where a
/// cache line of the output begins and whole rows do, as far as there are such places
/// nearby. The parts of a packed output begin at whole bytes.
std::int64_t cut(const Grid& grid, const std::byte* output, int k, int parts);

/// A box of a grid as a plan, and where it finds its buffers within the whole ones'.
struct Piece {
    Plan plan;
    std::int64_t cells = 0;
    std::int64_t data_bytes = 0;
    std::int64_t first_index = 0;
    std::int64_t output_bytes = 0;
};

/// The largest box that begins at cell `first` and has nothing from `last` on.
/// Precondition: first < last.
Piece piece_of(const Plan& plan, const Grid& grid, std::int64_t first, std::int64_t last);

/// About how long one thread takes for a plan, in nanoseconds.
double estimated_nanoseconds(const Plan& plan);

/// Whether a plan may be worth more parts than one.
bool worth_partitioning(const Plan& plan);

/// How many parts to cut a plan into for this executor: as many as its threads, but
/// each must be worth some times the cost of waking one. 1: not at all.
int parts_for(const Plan& plan, Executor& executor);

/// Gives the same outcome and output as execute(plan, data, indices, output), whatever
/// the number of parts. No further part begins after an index out of bounds was seen.
Outcome execute_in_parts(const Plan& plan, const std::byte* data, const std::byte* indices,
                         std::byte* output, Executor& executor, int parts);

}  // namespace gathercheck::optimized
