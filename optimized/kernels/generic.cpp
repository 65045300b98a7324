// SPDX-License-Identifier: Apache-2.0
// The kernels in plain C++, for machines that have none of the instruction sets.
#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {

// A constant: no code of this file runs before a kernel is called.
extern const Kernels generic_kernels;
constinit const Kernels generic_kernels =
    all_kernels<xsimd::emulated<128>, InstructionSet::generic>();

}  // namespace gathercheck::optimized
