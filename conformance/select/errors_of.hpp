// SPDX-License-Identifier: Apache-2.0
// All errors of a call that breaks several rules.
#pragma once

#include <vector>

#include "reference/call.hpp"
#include "reference/error.hpp"

namespace gathercheck {

/// The errors by which a call may be rejected: that which the reference names, then each that it
/// names once the one before is mended. Texts put no check before another. Empty where the call is
/// legal.
std::vector<Error> errors_of(const Call& call);

}  // namespace gathercheck
