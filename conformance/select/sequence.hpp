// SPDX-License-Identifier: Apache-2.0
// Sequences: calls that are made one after the other of one prepared model, since engines keep
// things.
#pragma once

#include <optional>
#include <string>

#include "conformance/model/case.hpp"
#include "conformance/model/route.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// Why no model serves both calls that two cases make of a version: models know operator,
/// attributes, element types and ranks. Nothing where one may.
std::optional<std::string> why_no_common_model(const Case& last, const Case& earlier,
                                               OperatorVersion version);

/// True where one model that is built for the route serves all calls of a sequence: what it takes
/// for constant is the same in all of them, the shapes of the rest are where it takes them for
/// static, and something is left to be given when it runs. True for a case that is no sequence.
bool one_model_serves(const Case& tested, OperatorVersion version, const Route& route);

}  // namespace gathercheck
