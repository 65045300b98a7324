// SPDX-License-Identifier: Apache-2.0
// Runs plans: checks all indices, then resolves and moves in blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optimized/plan.hpp"

namespace gathercheck::optimized {

/// What a run did. The instruction sets are what the kernels themselves say they
/// were compiled for; none where there was nothing to do.
struct Outcome {
    std::int64_t bad_position = -1;  ///< flat position of the first illegal index
    InstructionSet scanned = InstructionSet::none;
    InstructionSet moved = InstructionSet::none;
};

/// `output` has the plan's output_bytes. Allocates a copy of columns where the plan has any, and
/// does without where there is no memory; nothing else.
Outcome execute(const Plan& plan, const std::byte* data, const std::byte* indices,
                std::byte* output);

/// The same for a plan that could not be run at once: that is not tried again.
Outcome execute_by_blocks(const Plan& plan, const std::byte* data, const std::byte* indices,
                          std::byte* output);

}  // namespace gathercheck::optimized
