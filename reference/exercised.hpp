// SPDX-License-Identifier: Apache-2.0
// Which checks a call exercised: those it passed, and the one it broke.
#pragma once

#include <optional>

#include "reference/call.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// The checks that a call came to. With rule_id they are the rules that it exercised.
struct Exercised {
    CheckSet passed;              ///< of those that the version has
    std::optional<Check> broken;  ///< nothing after it was looked at

    bool evaluated(Check check) const { return passed.contains(check) || broken == check; }
};

/// Makes the checks of a call in their order, those of index values included where the call has the
/// contents of indices, up to the first that it breaks.
Exercised exercised(const Call& call);

}  // namespace gathercheck
