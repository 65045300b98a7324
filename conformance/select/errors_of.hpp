// SPDX-License-Identifier: Apache-2.0
// All errors of a call that breaks several rules.
#pragma once

#include <string_view>
#include <vector>

#include "reference/call.hpp"
#include "reference/error.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// True where the check of unknown attributes lets one of that name pass.
bool takes_attribute(OperatorVersion version, std::string_view name);

/// The errors by which a call may be rejected: that which the reference names, then each that it
/// names once the one before is mended. Texts put no check before another. Empty where the call is
/// legal.
std::vector<Error> errors_of(const Call& call);

}  // namespace gathercheck
