// SPDX-License-Identifier: Apache-2.0
// Our side of the comparison: how the optimized library is called and what it says of this machine.
// All that knows its API is in ours.cpp.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/contender.hpp"

namespace gathercheck::bench {

/// More of ours than is timed always.
struct Variants {
    bool targets = false;    ///< "optimized:avx2" and so on, each available instruction set
    bool unchecked = false;  ///< "optimized:unchecked", which trusts its indices
};

/// "optimized": planned once, run again and again. "optimized:one-shot": planned and run in each
/// call. Then the variants, targets best first.
std::vector<Entry> our_contenders(const Tensors& tensors, const Variants& variants);

/// Names of the instruction sets that the library has and this CPU runs, best first.
std::vector<std::string> our_instruction_sets();

/// Something that the library has found out about this machine, or derived from it.
struct Threshold {
    std::string name;
    std::string value;
    std::string origin;  ///< how it came about
};
std::vector<Threshold> our_thresholds();

/// One more of them, for which a thread of oneTBB has to start. Not before anything is timed,
/// where threads are told apart by when they have come.
Threshold cost_of_waking();

}  // namespace gathercheck::bench
