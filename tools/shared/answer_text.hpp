// SPDX-License-Identifier: Apache-2.0
// What versions say of calls, and the sentences that say it, for people and programs.
#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/specified.hpp"

namespace gathercheck {

/// "f32 [2] = 1, 2"; "index_out_of_bounds in phase run"; why a point is open, with the case that
/// the answer is taken from.
std::string said_text(const SpecifiedAnswer& answer);

/// What is done, as the predicate of a version: "gives zeros", "refuses it: index_out_of_bounds".
/// An error by the first category that it may have.
std::string said_phrase(const SpecifiedAnswer& answer);

/// [{"error", "phase"}, {"type", "shape", "output"}]
Json alternatives_json(std::span<const ResolvedAlternative> alternatives);

/// {"says": "error", "error": {...}, ...} without the rules.
Json said_json(const SpecifiedAnswer& answer);

/// Rules that say the same, each with its place.
struct CitedRules {
    std::string statement;
    std::string level;
    std::vector<std::string> ids;
    std::vector<std::string> places;  ///< "onnx/Gather, Inputs"; each once
};

/// Rules by their statements, in the order of the ids; ids that the catalogue lacks are left out.
std::vector<CitedRules> cited_rules(const std::vector<std::string>& ids,
                                    const RuleCatalogue& rules);

/// The same as text, with an indent; and as Markdown, an item each.
std::string cited_text(const std::vector<CitedRules>& cited, const std::string& indent);
std::string cited_markdown(const std::vector<CitedRules>& cited);

/// The documents that rules stand in and where each can be read, as text and as Markdown.
std::string documents_text(const std::set<std::string>& ids, const RuleCatalogue& rules);
std::string documents_markdown(const std::set<std::string>& ids, const RuleCatalogue& rules);

/// [{"id", "statement", "level", "document", "section", "address"}]
Json rules_json(const std::vector<std::string>& ids, const RuleCatalogue& rules);

/// The operands of a call: {"data", "f32 [3, 2] = 1, 2, ..."}, {"axis", "0"}.
std::vector<std::pair<std::string, std::string>> call_rows(const Case& tested);

/// The same on one line.
std::string call_line(const Case& tested);

}  // namespace gathercheck
