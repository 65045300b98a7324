// SPDX-License-Identifier: Apache-2.0
// A case as the page draws it: its tensors, what is expected of it, and where each element comes
// from.
#pragma once

#include <set>

#include "conformance/model/case.hpp"
#include "conformance/util/json.hpp"
#include "reference/operator_version.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// The inputs and attributes of a case, without what is expected.
Json call_figure(const Case& tested);

/// What the versions must do with it: a list of objects, one for all versions that must do the
/// same.
/// {"versions","alternatives","unspecified","sources","picks"}: versions are values of
/// OperatorVersion; sources and picks are flat positions in data and in indices, of the first
/// recorded_elements elements of the output; a source of -1 is zero bits.
Json expectation_figures(const Case& tested, const std::set<OperatorVersion>& versions,
                         const LoadedSuite& loaded);

}  // namespace gathercheck
