// SPDX-License-Identifier: Apache-2.0
// The kernels compiled for SSE4.2.
#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {

// A constant: no code of this file runs before a kernel is called.
extern const Kernels sse4_2_kernels;
constinit const Kernels sse4_2_kernels = all_kernels<xsimd::sse4_2, InstructionSet::sse4_2>();

}  // namespace gathercheck::optimized
