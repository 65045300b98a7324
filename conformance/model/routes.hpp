// SPDX-License-Identifier: Apache-2.0
// The routes by which a call of an operator version can be asked.
#pragma once

#include <vector>

#include "conformance/model/route.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// Every route that means something: a folded call has no run-time shapes and no run-time axis, and
/// only an axis input can arrive at run time.
std::vector<Route> routes(OperatorVersion version);

}  // namespace gathercheck
