// SPDX-License-Identifier: Apache-2.0
// Memory that a case needs, and memory that there is: a case that does not fit is told, not run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "conformance/model/case.hpp"
#include "conformance/oracle/equation.hpp"

namespace gathercheck {

/// Bytes that this process may still take: the least of what the machine has, what its control
/// groups leave, and what is left of its own limit (ulimit -v).
std::int64_t memory_left();

/// About how many bytes a run of the case takes in this process at most: its inputs here and beside
/// guard pages, what is expected, where each of its elements comes from, and the answers of both
/// passes. Strings count with the texts and the bookkeeping of each.
double memory_need(const Case& tested, OperatorVersion version, const Equations& equations);

/// Why there is too little memory for the case; nothing where it fits. Small ones always do.
std::optional<std::string> lacks_memory(const Case& tested, OperatorVersion version,
                                        const Equations& equations);

/// Why there is too little memory to make the contents of a tensor; nothing where they fit.
std::optional<std::string> lacks_memory(const TensorSpec& spec);

}  // namespace gathercheck
