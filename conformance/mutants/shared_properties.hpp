// SPDX-License-Identifier: Apache-2.0
// What failing calls have in common, where no misreading explains them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/route.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// A call, and the route by which it was asked.
struct AskedCall {
    const Case* tested;
    OperatorVersion version;
    Route route;
};

/// The simple properties that each of `failing` has and none of `passing`: "indices of rank 2",
/// "a negative index", "the route runtime/dynamic".
std::vector<std::string> shared_properties(std::span<const AskedCall> failing,
                                           std::span<const AskedCall> passing);

/// False for a call that must be rejected or has an operand without elements: whoever gets elements
/// wrong may pass it.
bool moves_elements(const AskedCall& call);

}  // namespace gathercheck
