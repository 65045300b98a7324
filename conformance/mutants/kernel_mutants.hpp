// SPDX-License-Identifier: Apache-2.0
// Mutants of the optimized library, which are shared libraries in the build tree.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "conformance/mutants/mutants.hpp"

namespace gathercheck {

struct KernelMutants {
    std::vector<Mutant> mutants;
    std::vector<Mutant> unchanged;  ///< without a bug, in every way in which a mutant is run
};

/// Loads those that names.txt of the folder names, for as long as this process lives. The text is
/// why they are not there.
std::variant<KernelMutants, std::string> load_kernel_mutants(const std::filesystem::path& folder);

}  // namespace gathercheck
