// SPDX-License-Identifier: Apache-2.0
// Derived expectations: what declared operator versions must do with calls that are written for
// others.
#pragma once

#include <span>

#include "conformance/dialect/dialect.hpp"
#include "conformance/load/load.hpp"
#include "conformance/oracle/equation.hpp"

namespace gathercheck {

/// Adds to each case of a suite an expectation for every declared version that it does not name and
/// whose call it can be: the family is that of a version that it names, attributes and inputs are
/// the version's own, and it lists the element types. The expectation is an error where the call
/// breaks a check, else what the equations say, and of an index outside its range each of what they
/// allow; unspecified where the dialect leaves open what breaking a check leads to. Sequences, and
/// cases of more than 65,536 index values, get none.
void derive_expectations(Suite& suite, const Equations& equations,
                         std::span<const Dialect> dialects);

}  // namespace gathercheck
