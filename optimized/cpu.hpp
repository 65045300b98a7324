// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are compiled for, which of them this CPU has, and the way to
// their kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gathercheck::optimized {

/// Best first; `generic`, vectors in plain C++, is for machines that have none of the others.
/// `none` says that no kernel ran, and stands last.
enum class InstructionSet : std::uint8_t {
    avx512vbmi,
    avx512bw,
    avx2,
    sse4_2,
    sse2,
    neon64,
    generic,
    none,
};

inline constexpr auto instruction_set_count = static_cast<std::size_t>(InstructionSet::none);

/// "avx2"; "none" for none.
constexpr std::string_view name(InstructionSet set) {
    constexpr auto names = std::to_array<std::string_view>(
        {"avx512vbmi", "avx512bw", "avx2", "sse4_2", "sse2", "neon64", "generic", "none"});
    static_assert(names.size() == instruction_set_count + 1, "each InstructionSet has a name");
    return names[static_cast<std::size_t>(set)];
}

struct Kernels;

/// The kernels of an instruction set; null where this build, this CPU or the operating system lacks
/// it. There is no other way to kernels. Safe to call from several threads.
const Kernels* kernels(InstructionSet set);

}  // namespace gathercheck::optimized
