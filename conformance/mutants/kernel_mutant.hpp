// SPDX-License-Identifier: Apache-2.0
// What a shared library with a planted bug exports: the optimized library of this build, wrong in
// one place.
#pragma once

#include <cstddef>
#include <span>

#include "reference/call.hpp"
#include "reference/error.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// All texts are literals of the library.
struct KernelMutant {
    const char* name;
    const char* theme;
    const char* idea;
    bool in_large_calls;
    bool (*available)();  ///< whether this CPU has the instruction set
    Result<Descriptor> (*output_descriptor)(const Call& call);
    Result<void> (*run)(const Call& call, std::span<std::byte> output);
};

/// The one function that it exports, by the name `gathercheck_kernel_mutant`.
using GetKernelMutant = const KernelMutant* (*)();

}  // namespace gathercheck
