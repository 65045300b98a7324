// SPDX-License-Identifier: Apache-2.0
// The kernels compiled for SSE2, which every x86-64 CPU has.
#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {

// A constant: no code of this file runs before a kernel is called.
extern const Kernels sse2_kernels;
constinit const Kernels sse2_kernels = all_kernels<xsimd::sse2, InstructionSet::sse2>();

}  // namespace gathercheck::optimized
