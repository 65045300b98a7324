// SPDX-License-Identifier: Apache-2.0
// StableHLO's gather: a window of data for each index vector, in runs.
#include <algorithm>

#include "optimized/execute/run.hpp"

namespace gathercheck::optimized {
namespace {

std::int64_t dot(const Shape& at, const Shape& steps) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < at.rank(); ++k) sum += at[k] * steps[k];
    return sum;
}

/// Copies elements, which may share bytes with others.
void copy_run(const Run& run, std::int64_t from, std::int64_t to, std::int64_t count) {
    const std::int64_t bytes = run.unit_bytes();
    if (!run.plan.packed) {
        std::memcpy(run.output + to * bytes, run.data + from * bytes,
                    static_cast<std::size_t>(count * bytes));
        return;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        copy_element(run.plan.call.data.type, run.data, from + k, run.output, to + k);
    }
}

/// The first element of the window that an index vector picks, of its batch; -1 where it has none
/// in a collapsed dimension of slice size 0.
std::int64_t start_of(const Run& run, std::int64_t vector) {
    const ElementType type = run.plan.call.indices.type;
    std::int64_t start = 0;
    for (const Windows::Component& each : run.plan.windows->components) {
        const auto index = integer_element(type, run.indices, vector + each.index_step);
        const std::int64_t place =
            index ? std::clamp(*index, std::int64_t{0}, each.last) : each.last;
        if (place == each.extent) return -1;
        start += place * each.data_step;
    }
    return start;
}

}  // namespace

void run_windows(Run& run) {
    const Windows& windows = *run.plan.windows;
    // Packed elements share bytes, whose spare bits are zero; so is what no window covers.
    if (run.plan.packed) {
        std::memset(run.output, 0, static_cast<std::size_t>(run.plan.output_bytes));
    }
    Shape vector = first_coordinate(windows.vectors);
    do {
        const std::int64_t start = start_of(run, dot(vector, windows.vector_index_steps));
        const std::int64_t data = start + dot(vector, windows.vector_data_steps);
        const std::int64_t output = dot(vector, windows.vector_output_steps);
        Shape at = first_coordinate(windows.window);
        do {
            const std::int64_t to = output + dot(at, windows.window_output_steps);
            if (start < 0) {
                for (std::int64_t k = 0; k < windows.run; ++k) {
                    zero_element(run.plan.call.data.type, run.output, to + k);
                }
            } else {
                copy_run(run, data + dot(at, windows.window_data_steps), to, windows.run);
            }
        } while (next_coordinate(windows.window, at));
    } while (next_coordinate(windows.vectors, vector));
}

}  // namespace gathercheck::optimized
