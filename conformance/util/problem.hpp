// SPDX-License-Identifier: Apache-2.0
// Problems: why a file was refused - where, what, and what to do.
#pragma once

#include <string>

namespace gathercheck {

struct Problem {
    std::string file;
    std::string pointer;  ///< JSON pointer; empty for the whole file
    std::string reason;   ///< one sentence that names the offending value and the remedy

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// "cases/x.json: /cases/3/inputs/data/shape: ...".
std::string to_string(const Problem& problem);

}  // namespace gathercheck
