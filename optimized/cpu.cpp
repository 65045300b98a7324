// SPDX-License-Identifier: Apache-2.0
// Reads the CPU's features once and resolves the tables of kernels, in code that every CPU can run.
#include "optimized/cpu.hpp"

#include <xsimd/config/xsimd_cpu_features.hpp>

#include "optimized/kernels.hpp"

namespace gathercheck::optimized {

// One constant in each file of kernels/. Their contents are addresses that the linker fills in:
// reading them runs no code of that instruction set.
#if defined(__x86_64__)
extern const Kernels avx512vbmi_kernels;
extern const Kernels avx512bw_kernels;
extern const Kernels avx2_kernels;
extern const Kernels sse4_2_kernels;
extern const Kernels sse2_kernels;
#elif defined(__aarch64__)
extern const Kernels neon64_kernels;
#else
extern const Kernels generic_kernels;
#endif

namespace {

using Tables = std::array<const Kernels*, instruction_set_count>;

/// Each line asks for exactly what the file of that set is compiled for (CMakeLists.txt), no more:
/// names of whole CPU levels promise things that nobody checked.
Tables resolve_tables() {
    [[maybe_unused]] const xsimd::cpu_features cpu;
    Tables tables{};
    const auto set = [&](InstructionSet which, bool available, const Kernels& table) {
        if (available) tables[static_cast<std::size_t>(which)] = &table;
    };
#if defined(__x86_64__)
    const bool avx2 = cpu.avx2() && cpu.fma3();
    const bool avx512 = avx2 && cpu.avx512f() && cpu.avx512cd() && cpu.avx512dq() &&
                        cpu.avx512bw() && cpu.avx512vl();
    set(InstructionSet::avx512vbmi, avx512 && cpu.avx512ifma() && cpu.avx512vbmi(),
        avx512vbmi_kernels);
    set(InstructionSet::avx512bw, avx512, avx512bw_kernels);
    set(InstructionSet::avx2, avx2, avx2_kernels);
    set(InstructionSet::sse4_2, cpu.sse4_2(), sse4_2_kernels);
    set(InstructionSet::sse2, cpu.sse2(), sse2_kernels);
#elif defined(__aarch64__)
    set(InstructionSet::neon64, cpu.neon64(), neon64_kernels);
#else
    set(InstructionSet::generic, true, generic_kernels);
#endif
    return tables;
}

}  // namespace

const Kernels* kernels(InstructionSet set) {
    static const Tables tables = resolve_tables();
    return set == InstructionSet::none ? nullptr : tables[static_cast<std::size_t>(set)];
}

}  // namespace gathercheck::optimized
