// SPDX-License-Identifier: Apache-2.0
// Classes: what an implementation did where no sentence says what it must do.
#pragma once

#include <string>

#include "conformance/model/outcome.hpp"
#include "conformance/oracle/equation.hpp"

namespace gathercheck {

/// "error", "zero", "clamp", "wrap", "first element" or "other" for an output with indices outside
/// the version's range; several joined with "+" where bad indices were treated differently; "value"
/// where no index is bad; "cut to 32 bits" where the low 32 bits of each index explain the output
/// and nothing else does; "unsupported", "not deterministic".
std::string classify(const Equations& equations, const Call& call, const Outcome& outcome);

}  // namespace gathercheck
