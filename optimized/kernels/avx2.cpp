// SPDX-License-Identifier: Apache-2.0
// The kernels compiled for AVX2 and FMA.
#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {

// A constant: no code of this file runs before a kernel is called.
extern const Kernels avx2_kernels;
constinit const Kernels avx2_kernels =
    all_kernels<xsimd::fma3<xsimd::avx2>, InstructionSet::avx2>();

}  // namespace gathercheck::optimized
