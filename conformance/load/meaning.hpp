// SPDX-License-Identifier: Apache-2.0
// Whom an expectation is for: operator versions one by one, or those that a meaning names by what
// they say, and then their rules by the ending that they share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

/// The operator versions of each expectation of a case, in their order: those that "for" names one
/// by one, and the enumerated ones of its meanings ("gather/wraps/rejects") that no other
/// expectation of the case names one by one. `at` is the list of expectations.
std::vector<std::vector<OperatorVersion>> read_versions(const Json& expectations, const Place& at,
                                                        Problems& problems);

/// Whether an entry of "rules" stands for a rule of each version: "*.axis.range".
inline bool stands_for_each(std::string_view entry) { return entry.starts_with("*."); }

/// The ids that an entry of "rules" stands for: of "*.axis.range" the rule with that ending of each
/// version, whether there is one or not; else the entry itself.
std::vector<std::string> rule_ids(std::string_view entry,
                                  const std::vector<OperatorVersion>& versions);

/// The canonical JSON of a case with all its versions and rules one by one, which says the same
/// whatever other versions there are.
void append_one_by_one(std::string& text, const Json& value, const Case& read);

}  // namespace gathercheck
