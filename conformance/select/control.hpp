// SPDX-License-Identifier: Apache-2.0
// Controls: the legal variant of a call that must be rejected, without which a rejection shows
// nothing.
#pragma once

#include "conformance/model/case.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// The legal variant of a case for one operator version. Where only index values can be wrong it is
/// the same call with indices that are all 0; otherwise a small call with data of the same element
/// type if the version allows it, else f32. Its expected output comes from the equations.
Case derive_control(const Case& of, OperatorVersion version);

}  // namespace gathercheck
