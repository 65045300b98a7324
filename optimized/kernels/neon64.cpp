// SPDX-License-Identifier: Apache-2.0
// The kernels compiled for 64-bit NEON, which every aarch64 CPU has.
#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {

// A constant: no code of this file runs before a kernel is called.
extern const Kernels neon64_kernels;
constinit const Kernels neon64_kernels = all_kernels<xsimd::neon64, InstructionSet::neon64>();

}  // namespace gathercheck::optimized
