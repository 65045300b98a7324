// SPDX-License-Identifier: Apache-2.0
// From a plan to its front.
#include "optimized/execute/execute.hpp"

#include <cstring>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {
namespace {

bool run_front(Run& run) {
    const Plan& plan = run.plan;
    if (plan.packed) return run_packed(run);  // of any front that moves units
    switch (plan.front) {
        case Front::nothing:
            return false;  // whether an index is out of bounds is still to be found out
        case Front::zeros:
            std::memset(run.output, 0, static_cast<std::size_t>(plan.output_bytes));
            return true;
        case Front::axis:
            return run_gather(run);
        case Front::tuples:
            return run_nd(run);
        case Front::elementwise:
            return run_elements(run);
    }
    return true;
}

}  // namespace

Outcome execute(const Plan& plan, const std::byte* data, const std::byte* indices,
                std::byte* output) {
    Run run(plan, data, indices, output);
    const bool rejects = plan.rule.beyond == OutOfBounds::reject;
    const bool none_in_bounds = plan.empty_extent && plan.index_count > 0 && rejects;
    if ((none_in_bounds || !run_front(run)) && rejects) {
        run.outcome.bad_position = first_out_of_bounds(plan, indices);
    }
    if (run.streamed) run.kernels.fence();
    return run.outcome;
}

}  // namespace gathercheck::optimized
