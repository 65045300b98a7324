// SPDX-License-Identifier: Apache-2.0
// Derived expectations: what declared operator versions and StableHLO's gather must do with calls
// that are written for others.
#pragma once

#include <optional>
#include <span>

#include "conformance/dialect/dialect.hpp"
#include "conformance/load/load.hpp"
#include "conformance/oracle/equation.hpp"

namespace gathercheck {

/// Whether dimension numbers say the call of a case, of element types that StableHLO's gather
/// lists.
bool can_be_stablehlo_gather(const Case& tested);

/// Adds to each case of a suite an expectation for every declared version that it does not name and
/// whose call it can be: the family is that of a version that it names, attributes and inputs are
/// the version's own, and it lists the element types. The expectation is an error where the call
/// breaks a check, else what the equations say, and of an index outside its range each of what they
/// allow; unspecified where the dialect leaves open what breaking a check, or a tensor of a special
/// shape, leads to. Sequences, and cases of more than 65,536 index values, get none. With
/// `stablehlo` its gather is asked in the same way what its dimension numbers can say.
void derive_expectations(Suite& suite, const Equations& equations,
                         std::span<const Dialect> dialects, bool stablehlo);

/// What a version of a dialect, or StableHLO's gather, must do with the call of a case, by the same
/// reading; nothing of other versions, and where the call lacks data or indices or has too many
/// index values. The case may name any versions, or none.
std::optional<Expectation> derived_expectation(const Case& tested, OperatorVersion version,
                                               std::span<const Dialect> dialects,
                                               const Equations& equations);

}  // namespace gathercheck
