// SPDX-License-Identifier: Apache-2.0
// The kernels compiled for AVX-512 F, CD, DQ, BW, VL, IFMA and VBMI.
#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {

// A constant: no code of this file runs before a kernel is called.
extern const Kernels avx512vbmi_kernels;
constinit const Kernels avx512vbmi_kernels =
    all_kernels<xsimd::avx512vbmi, InstructionSet::avx512vbmi>();

}  // namespace gathercheck::optimized
