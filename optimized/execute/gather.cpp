// SPDX-License-Identifier: Apache-2.0
// Gather, and GatherND by one component: the picks of a batch serve all of its tables.
#include <algorithm>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {

bool run_gather(Run& run) {
    const Plan& plan = run.plan;
    // Several batches in a block only with all of their picks.
    const std::int64_t batches_at_once = std::max(block_positions / plan.picks, std::int64_t{1});
    for (std::int64_t b = 0; b < plan.batches; b += batches_at_once) {
        const std::int64_t batches = std::min(batches_at_once, plan.batches - b);
        for (std::int64_t k = 0; k < plan.picks; k += block_positions) {
            const std::int64_t picks = std::min(block_positions, plan.picks - k);
            const std::int64_t first = b * plan.picks + k;
            const std::int64_t table = b * plan.tables;
            MoveJob job = run.job(run.data + table * plan.table_units * plan.pitch, picks,
                                  run.output + (table * plan.picks + k) * run.unit_bytes());
            job.rows = batches * plan.tables;
            job.sharing = plan.tables;
            job.row_step = plan.table_units;
            job.output_step = plan.picks;
            if (batches == 1 && move_run(run, job, direct_indices(run, first), plan.table_units)) {
                continue;
            }
            const Positions positions = resolve(run, run.index(first), batches * picks);
            if (!positions) return false;
            move(run, job, positions);
        }
    }
    return true;
}

}  // namespace gathercheck::optimized
