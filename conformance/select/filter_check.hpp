// SPDX-License-Identifier: Apache-2.0
// Filter terms against what there is: a term that matches nothing is a slip of the pen.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/rules.hpp"

namespace gathercheck {

/// Why the first term that matches nothing is refused, with what comes near it; empty where each
/// matches something: an id of the cases, an operator version, a route, an element type, a rule. A
/// case that is asked in other element types, "<id>/data=f32", is there where the written one is.
/// The terms are those that parse_filter() takes.
std::string unmatched_term(std::span<const std::string> terms, const std::vector<Case>& cases,
                           const RuleCatalogue& rules);

/// "; near it: a, b" of names that a word may be meant for; empty where there is none.
std::string near_names(std::string_view word, std::span<const std::string> names);

/// What is said where no case is left, by terms each of which matches something.
std::string no_case_matches(std::span<const std::string> terms);

}  // namespace gathercheck
