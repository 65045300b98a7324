// SPDX-License-Identifier: Apache-2.0
// Tuning: every threshold that depends on the CPU, the one probe behind it, and the environment
// variables that override them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "optimized/kernels.hpp"

namespace gathercheck::optimized {

/// What plans are made by. A product takes that of the machine; tests and measurements set others.
struct Tuning {
    /// By the logarithm of the element's width.
    std::array<Method, element_width_count> methods{};
    bool register_tables = true;
    bool runs = true;  ///< look for runs of consecutive and of equal indices
    /// Bytes of a table from which its units are prefetched.
    std::int64_t prefetch_from = never;
    /// The same for elements, which CPUs find early enough by themselves until they miss the TLB.
    std::int64_t prefetch_elements_from = never;
    /// Bytes from which an output is written by non-temporal stores; from half of it, where with
    /// indices and what is read of data it comes to as much.
    std::int64_t stream_from = never;

    /// Found out at the first call, in well under a millisecond. The set must be one that this CPU
    /// has. Safe to call from several threads.
    static const Tuning& of_this_machine(InstructionSet set);
};

/// Caches of this CPU, in bytes. Where the system does not tell, something usual.
struct Caches {
    std::int64_t level2 = 0;
    std::int64_t level3 = 0;  ///< at least level2
    std::string_view origin;
};

/// Read once. Safe to call from several threads.
const Caches& caches();

/// One thing that was found out or set.
struct Setting {
    std::string_view name;
    std::string value;
    std::string origin;  ///< how it came about, or the environment variable that set it
};

/// All that of_this_machine(set) rests on, for people.
std::vector<Setting> settings(InstructionSet set);

/// The nanoseconds that GATHERCHECK_WAKE_COST says; -1 where it is no number.
std::int64_t wake_cost_of_environment();

/// The nanoseconds that GATHERCHECK_SPIN_TIME says, or its deprecated name GATHERCHECK_STAND_BY; -1
/// where neither is a number.
std::int64_t spin_time_of_environment();

}  // namespace gathercheck::optimized
