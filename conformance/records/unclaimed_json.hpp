// SPDX-License-Identifier: Apache-2.0
// What is not claimed, as JSON: shared by the .cpp files that write JSON for others.
#pragma once

#include "conformance/records/record.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

/// A list of objects as claims are, one operator version each: `why` where its engine refuses it,
/// `routes` where other routes are claimed.
Json unclaimed_json(const ImplementationRecord& implementation);

}  // namespace gathercheck
