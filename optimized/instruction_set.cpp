// SPDX-License-Identifier: Apache-2.0
// Reads the CPU's features once, in code that every CPU can run.
#include "optimized/instruction_set.hpp"

#include <xsimd/config/xsimd_cpu_features.hpp>

namespace gathercheck::optimized {
namespace {

Machine read_machine() {
    // Each line asks for exactly what the file of that set is compiled for
    // (CMakeLists.txt), no more: names of whole CPU levels promise things that
    // nobody checked.
    const xsimd::cpu_features cpu;
    Machine machine;
    const auto set = [&](InstructionSet which, bool value) {
        machine.has[static_cast<std::size_t>(which)] = value;
    };
    const bool avx2 = cpu.avx2() && cpu.fma3();
    const bool avx512 = avx2 && cpu.avx512f() && cpu.avx512cd() && cpu.avx512dq() &&
                        cpu.avx512bw() && cpu.avx512vl();
    set(InstructionSet::avx512vbmi, avx512 && cpu.avx512ifma() && cpu.avx512vbmi());
    set(InstructionSet::avx512bw, avx512);
    set(InstructionSet::avx2, avx2);
    set(InstructionSet::sse4_2, cpu.sse4_2());
    set(InstructionSet::sse2, cpu.sse2());
    set(InstructionSet::neon64, cpu.neon64());
    return machine;
}

}  // namespace

const Machine& machine() {
    static const Machine read = read_machine();
    return read;
}

}  // namespace gathercheck::optimized
