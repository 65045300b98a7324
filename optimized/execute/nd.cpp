// SPDX-License-Identifier: Apache-2.0
// GatherND: tuples of all batches are flattened to positions in data.
#include <algorithm>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {

bool run_nd(Run& run) {
    const Plan& plan = run.plan;
    const std::int64_t all = plan.batches * plan.picks;
    for (std::int64_t k = 0; k < all; k += block_positions) {
        const std::int64_t picks = std::min(block_positions, all - k);
        MoveJob job = run.job(run.data, picks, run.output + k * run.unit_bytes());
        const Positions positions = flatten(run, k, picks);
        if (!positions) return false;
        if (!move_run(run, job, positions, plan.position_limit())) move(run, job, positions);
    }
    return true;
}

}  // namespace gathercheck::optimized
