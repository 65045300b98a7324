// SPDX-License-Identifier: Apache-2.0
// From an instruction set to its kernels.
#pragma once

#include "optimized/kernels.hpp"

namespace gathercheck::optimized {

/// The kernels of an instruction set; null where this build or this CPU lacks
/// it. There is no way to the kernels of a set that this CPU lacks.
const Kernels* kernels(InstructionSet set);

}  // namespace gathercheck::optimized
