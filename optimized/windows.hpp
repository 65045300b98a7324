// SPDX-License-Identifier: Apache-2.0
// StableHLO's gather: as a call of another operator where that picks the same, else as windows of
// data, one for each index vector.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/check.hpp"
#include "reference/shape.hpp"

namespace gathercheck::optimized {

/// The call of Gather, GatherElements or GatherND that picks what a call of StableHLO's gather
/// picks, where there is one: its output has the shape of the call's and the order of its elements.
/// Indices are clamped all the same. The output has elements, and data too.
std::optional<CheckedCall> lowered(const CheckedCall& call);

/// Where windows are read and written; steps count elements.
struct Windows {
    /// A component of the index vectors.
    struct Component {
        std::int64_t index_step = 0;  ///< from the first index of a vector, in index values
        std::int64_t last = 0;        ///< the last place where a window can start
        std::int64_t extent = 0;      ///< of its dimension of data
        std::int64_t data_step = 0;
    };
    std::vector<Component> components;

    Shape vectors;  ///< the dimensions of the output that count index vectors
    Shape vector_index_steps;
    Shape vector_data_steps;  ///< of the batching dimensions
    Shape vector_output_steps;

    Shape window;  ///< a window's dimensions, without those that make up a run
    Shape window_data_steps;
    Shape window_output_steps;
    std::int64_t run = 1;  ///< elements that follow each other in data and in the output
};

Windows windows_of(const CheckedCall& call);

}  // namespace gathercheck::optimized
