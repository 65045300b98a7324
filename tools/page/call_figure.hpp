// SPDX-License-Identifier: Apache-2.0
// A case as the page draws it: its tensors, what is expected of it, and where each element comes
// from.
#pragma once

#include <cstdint>
#include <functional>
#include <set>

#include "conformance/model/case.hpp"
#include "conformance/util/json.hpp"
#include "reference/operator_version.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// Elements that a page has of one tensor.
inline constexpr std::int64_t drawn_elements = 64;

/// {"type","shape","first"}: `first` has at most drawn_elements texts, and is not there where the
/// contents are not known.
Json figure_of(const Tensor& tensor);

/// The inputs and attributes of a case, without what is expected.
Json call_figure(const Case& tested);

/// What the versions must do with it: a list of objects, one for all versions that must do the
/// same.
/// {"versions","alternatives","unspecified","sources","picks"}: sources and picks are flat
/// positions in data and in indices, of the first drawn_elements elements of the output; a source
/// of -1 is zero bits.
Json expectation_figures(const Case& tested, const std::set<OperatorVersion>& versions,
                         const LoadedSuite& loaded,
                         const std::function<Json(OperatorVersion)>& number_of);

}  // namespace gathercheck
