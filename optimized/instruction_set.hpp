// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the kernels are compiled for, and which of them
// this CPU has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gathercheck::optimized {

/// Best first. `none` says that no kernel ran.
enum class InstructionSet : std::uint8_t {
    avx512vbmi,
    avx512bw,
    avx2,
    sse4_2,
    sse2,
    neon64,
    none,
};

inline constexpr std::size_t instruction_set_count = 6;

/// What was found out about this CPU, once for the process.
struct Machine {
    std::array<bool, instruction_set_count> has{};  ///< by instruction set; the operating
                                                    ///< system's support included
};

/// Safe to call from several threads.
const Machine& machine();

/// "avx2"; "none" for none.
constexpr std::string_view name(InstructionSet set) {
    constexpr std::array<std::string_view, instruction_set_count + 1> names{
        "avx512vbmi", "avx512bw", "avx2", "sse4_2", "sse2", "neon64", "none"};
    return names[static_cast<std::size_t>(set)];
}

}  // namespace gathercheck::optimized
