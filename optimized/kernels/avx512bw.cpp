// SPDX-License-Identifier: Apache-2.0
// The kernels compiled for AVX-512 F, CD, DQ, BW and VL.
#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {

// A constant: no code of this file runs before a kernel is called.
extern const Kernels avx512bw_kernels;
constinit const Kernels avx512bw_kernels = all_kernels<xsimd::avx512bw, InstructionSet::avx512bw>();

}  // namespace gathercheck::optimized
