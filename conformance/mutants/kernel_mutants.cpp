// SPDX-License-Identifier: Apache-2.0
#include "conformance/mutants/kernel_mutants.hpp"

#include <dlfcn.h>

#include <fstream>
#include <string_view>

#include "conformance/mutants/kernel_mutant.hpp"

namespace gathercheck {
namespace {

/// Such a library knows no versions that dialects declare.
std::vector<Claim> claims_of_enumerated() {
    std::vector<Claim> claims = claims_of_table();
    for (Claim& claim : claims) std::erase_if(claim.versions, is_declared);
    std::erase_if(claims, [](const Claim& claim) { return claim.versions.empty(); });
    return claims;
}

Mutant mutant_of(const KernelMutant& loaded) {
    Mutant mutant;
    mutant.name = loaded.name;
    mutant.theme = loaded.theme;
    mutant.idea = loaded.idea;
    mutant.in_large_calls = loaded.in_large_calls;
    mutant.built_in.name = loaded.name;
    if (!loaded.available()) mutant.built_in.unavailable = "this CPU has no AVX2";
    mutant.built_in.output_descriptor = loaded.output_descriptor;
    mutant.built_in.run = loaded.run;
    mutant.built_in.claims = claims_of_enumerated();
    mutant.built_in.follows_suite = true;
    return mutant;
}

/// The library is never closed: its code is called until the process ends.
const KernelMutant* loaded_from(const std::filesystem::path& file) {
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const auto get =
        reinterpret_cast<GetKernelMutant>(::dlsym(library, "gathercheck_kernel_mutant"));
    return get != nullptr ? get() : nullptr;
}

}  // namespace

std::variant<KernelMutants, std::string> load_kernel_mutants(const std::filesystem::path& folder) {
    const std::string advice =
        "; they are built on x86-64, where GATHERCHECK_TESTS is on, by cmake --build build/release "
        "--target gathercheck_kernel_mutants";
    std::ifstream names(folder / "names.txt");
    if (!names) return "there are no mutants of kernels in " + folder.string() + advice;
    KernelMutants all;
    for (std::string name; std::getline(names, name);) {
        const std::filesystem::path file = folder / (name + ".so");
        const KernelMutant* const loaded = loaded_from(file);
        if (loaded == nullptr) {
            const char* const why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): one thread loads
            return "the mutant " + file.string() + " cannot be loaded: " +
                   (why != nullptr ? why : "it has no gathercheck_kernel_mutant") + advice;
        }
        const bool is_unchanged = std::string_view(loaded->theme) == "unchanged";
        (is_unchanged ? all.unchanged : all.mutants).push_back(mutant_of(*loaded));
    }
    return all;
}

}  // namespace gathercheck
