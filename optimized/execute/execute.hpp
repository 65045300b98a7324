// SPDX-License-Identifier: Apache-2.0
// Runs plans.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optimized/plan.hpp"

namespace gathercheck::optimized {

/// What a run did. The instruction sets are what the kernels themselves say they
/// were compiled for; none where there was nothing to do.
struct Outcome {
    std::int64_t bad_position = -1;  ///< flat position of the first index out of bounds
    InstructionSet scanned = InstructionSet::none;
    InstructionSet moved = InstructionSet::none;
};

/// `output` has the plan's output_bytes. Allocates nothing.
Outcome execute(const Plan& plan, const std::byte* data, const std::byte* indices,
                std::byte* output);

/// The flat position of the first index out of bounds; -1 where there is none.
std::int64_t first_out_of_bounds(const Plan& plan, const std::byte* indices);

}  // namespace gathercheck::optimized
