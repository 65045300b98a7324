// SPDX-License-Identifier: Apache-2.0
// The resolved table of kernels; compiled for the baseline, like everything
// outside kernels/.
#include "optimized/dispatch.hpp"

#include <array>
#include <cstddef>

namespace gathercheck::optimized {

// One constant in each file of kernels/. Their contents are addresses that the
// linker fills in: reading them runs no code of that instruction set.
#if defined(__x86_64__)
extern const Kernels avx512vbmi_kernels;
extern const Kernels avx512bw_kernels;
extern const Kernels avx2_kernels;
extern const Kernels sse4_2_kernels;
extern const Kernels sse2_kernels;
#elif defined(__aarch64__)
extern const Kernels neon64_kernels;
#else
#error "the kernels are for x86-64 and aarch64"
#endif

namespace {

using Tables = std::array<const Kernels*, instruction_set_count>;

Tables resolve() {
#if defined(__x86_64__)
    Tables tables{&avx512vbmi_kernels, &avx512bw_kernels, &avx2_kernels,
                  &sse4_2_kernels,     &sse2_kernels,     nullptr};
#else
    Tables tables{nullptr, nullptr, nullptr, nullptr, nullptr, &neon64_kernels};
#endif
    for (std::size_t k = 0; k < tables.size(); ++k) {
        if (!machine().has[k]) tables[k] = nullptr;
    }
    return tables;
}

const Tables& tables() {
    static const Tables resolved = resolve();
    return resolved;
}

}  // namespace

const Kernels* kernels(InstructionSet set) {
    return set == InstructionSet::none ? nullptr : tables()[static_cast<std::size_t>(set)];
}

}  // namespace gathercheck::optimized
