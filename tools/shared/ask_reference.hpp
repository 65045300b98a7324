// SPDX-License-Identifier: Apache-2.0
// Asking the reference in this process: it is checked code, and a lint has no need of a child.
#pragma once

#include "conformance/model/outcome.hpp"
#include "reference/call.hpp"

namespace gathercheck {

/// What the reference does with a call; where only a description is asked for, with its type and
/// shape.
Outcome ask_reference(const Call& call, bool describe);

}  // namespace gathercheck
