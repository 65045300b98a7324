// SPDX-License-Identifier: Apache-2.0
// What a call of Gather, GatherElements or GatherND is as one of StableHLO's gather.
#pragma once

#include <optional>
#include <vector>

#include "conformance/model/case.hpp"
#include "reference/call.hpp"

namespace gathercheck {

/// The family that a case is written for beside StableHLO's gather; nothing where it is that one's
/// alone.
std::optional<Family> borrowed_family(const Case& of);

/// The attributes with which StableHLO's gather picks what the call of a case picks: slices of
/// whole dimensions but for those that indices pick from, which collapse, and batch dimensions,
/// which are batching dimensions of both. Nothing where the case is written for StableHLO's gather
/// alone, or where there are none such: an axis or a batch_dims outside its range or that the
/// family does not have, tuples that are too long, an attribute of another name or kind,
/// GatherElements whose other dimensions differ.
std::optional<std::vector<Attribute>> dimension_numbers(const Case& of);

}  // namespace gathercheck
