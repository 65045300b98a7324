// SPDX-License-Identifier: Apache-2.0
// How the operator versions of all specifications differ, for people.
#pragma once

#include <string>
#include <vector>

#include "conformance/oracle/equation.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// What tells one operator version from another, in words: "attribute, 0 if absent".
struct OperatorWords {
    std::string name;
    std::string inputs;            ///< "2"
    std::string axis;              ///< "attribute, 0 if absent", "third input", "none"
    std::string batch_dims;        ///< "from 0", "negative too", "none"
    std::string index_types;       ///< "i32 i64"
    std::string negative_indices;  ///< "count from the end", "outside"
    std::string outside;           ///< "error", "clamp, or error"
};

OperatorWords operator_words(const OperatorInfo& row, const Equations& equations);

/// A table of all of them, in Markdown: specifications against index rules.
std::string specifications_table(const Equations& equations);

}  // namespace gathercheck
