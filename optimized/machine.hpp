// SPDX-License-Identifier: Apache-2.0
// What the CPU at hand decides: sizes from which a way of moving pays, and
// whether its vector gathers are worth using.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "optimized/instruction_set.hpp"
#include "optimized/kernels.hpp"

namespace gathercheck::optimized {

/// Which choices a plan makes. A product takes those of the machine; tests and
/// measurements set others.
struct Choices {
    /// By the logarithm of the element's width.
    std::array<Method, element_width_count> methods{};
    bool register_tables = true;
    bool one_pass = true;  ///< check indices and pick units in one pass
    bool patterns = true;  ///< look for runs of consecutive and of equal positions
    /// Bytes of a table from which its rows are asked for in advance.
    std::int64_t prefetch_from = never;
    /// But not a few rows of no more bytes together, cold or warm: a CPU has most of them on their
    /// way before those asked for come, and one pass may check and move them. Set by tests.
    std::int64_t few_bytes = std::int64_t{32} * 1024;
    /// Whether asking gains for rows below 128 bytes; asked only where it matters.
    bool (*prefetch_short_rows)() = [] { return true; };
    /// Bytes of data, indices and output together from which elements of tables from twice
    /// prefetch_from on are asked for in advance.
    std::int64_t prefetch_elements_from = never;
    /// Bytes of an output from which its lines are asked for in advance.
    std::int64_t prefetch_output_from = never;
    /// Of tables from prefetch_from on, bytes of columns that are copied together before elements
    /// are picked from them, twice as many where that is less than least_columns, but a line of
    /// each row at least; 0: none are.
    std::int64_t columns_bytes = 0;
    /// Fewer are copied only of tables whose pages a CPU does not remember. Set by tests.
    std::int64_t least_columns = 64;
    /// Bytes of an output from which it is written past the caches; rows of a line or more of
    /// Gather and GatherND, and runs, from half of it, where with what is read they come to as
    /// much.
    std::int64_t stream_from = never;

    /// Found out at the first call, in well under a millisecond; the short rows in
    /// a few when they are asked about first. The set must be one that this CPU
    /// has. Safe to call from several threads.
    static const Choices& of_this_machine(InstructionSet set);
};

/// Caches of this CPU, in bytes. Where the system does not tell, something usual.
struct Caches {
    std::int64_t level2 = 0;
    std::int64_t level3 = 0;  ///< at least level2
    std::string_view origin;
};

/// Read once. Safe to call from several threads.
const Caches& caches();

/// One thing that was found out or chosen.
struct Setting {
    std::string_view name;
    std::string value;
    std::string origin;  ///< how it came about, or the environment variable that said so
};

/// All that of_this_machine(set) rests on, for people.
std::vector<Setting> settings(InstructionSet set);

}  // namespace gathercheck::optimized
