// SPDX-License-Identifier: Apache-2.0
// What an index outside its range leads to; apart, for kernels that include nothing else.
#pragma once

#include <cstdint>

namespace gathercheck {

/// What an index outside the range leads to. The equations say it anew (`outside` in
/// spec_cases/equations.json).
enum class OutOfBounds : std::uint8_t {
    reject,  ///< the error index_out_of_bounds
    zero,    ///< zero bits in place of what it picks
    clamp,   ///< it is taken for the nearest index of the range; zero bits where that is empty
};

}  // namespace gathercheck
