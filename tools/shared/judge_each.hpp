// SPDX-License-Identifier: Apache-2.0
// Answers judged one by one, as they come: `gathercheck judge --each`.
#pragma once

#include <string>

namespace gathercheck {

struct JudgeEach {
    std::string calls;           ///< file that `calls --expectations` wrote
    std::string implementation;  ///< what answers, for the records
    std::string known_failures;  ///< file; empty: none
};

/// Reads answers from standard input until a goodbye or its end, and writes a line for each to
/// standard output as soon as it is judged. Returns 0; 3 where a line was no answer to a call; 4
/// for bad input.
int judge_each(const JudgeEach& options);

}  // namespace gathercheck
