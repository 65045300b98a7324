// SPDX-License-Identifier: Apache-2.0
// Generated calls at full speed: code of this process against the reference, in one forked child.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "conformance/fuzz/space_coverage.hpp"
#include "conformance/model/implementation.hpp"

namespace gathercheck {

/// Which of many numbered calls are asked: first, first + step, ...
struct CallNumbers {
    std::uint64_t seed = 0;
    std::uint64_t first = 0;
    std::uint64_t step = 1;
    std::uint64_t count = 0;
};

/// What came of them.
struct Compared {
    std::uint64_t asked = 0;              ///< at least one, unless it was interrupted
    std::vector<std::uint64_t> suspects;  ///< numbers of calls where the answers differ, memory was
                                          ///< touched, or nothing came; in their order
    SpaceCoverage coverage;
};

/// Asks the reference and the code the same calls, its inputs and its output in guarded buffers, in
/// even calls against their ends and in odd ones against their starts. Ends early at a call that
/// ends the process, takes longer than the limit, or where there are many suspects already; the
/// caller goes on behind what was asked. A suspect is no verdict: it is asked again by whoever
/// judges. The text is why there is no child process.
std::variant<Compared, std::string> compare_in_process(const BuiltIn& built_in,
                                                       const CallSpace& space,
                                                       const CallNumbers& numbers,
                                                       const Limits& limits);

}  // namespace gathercheck
