// SPDX-License-Identifier: Apache-2.0
// Which filter terms match nothing, and what they are likely meant to be.
#include "conformance/select/filter_check.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "conformance/model/routes.hpp"
#include "conformance/select/select.hpp"
#include "conformance/util/json.hpp"
#include "reference/element_type.hpp"

namespace gathercheck {
namespace {

using Names = std::vector<std::string>;

/// What the terms of one key can match.
struct Vocabulary {
    std::string key;
    const char* what;
    const char* shown_by;
    Names names;
};

Names case_ids(const std::vector<Case>& cases) {
    Names ids;
    for (const Case& each : cases) ids.push_back(each.id);
    return ids;
}

std::vector<Vocabulary> vocabularies(const std::vector<Case>& cases, const RuleCatalogue& rules) {
    std::set<std::string> operators;
    std::set<std::string> by_routes;
    for (const OperatorInfo& row : operator_versions()) {
        operators.emplace(row.name);
        for (const Route& route : routes(row.version)) by_routes.insert(to_string(route));
    }
    Names types;
    for (const ElementTypeInfo& type : element_types()) types.emplace_back(type.name);
    Names rule_ids;
    for (const auto& [id, rule] : rules.rules()) rule_ids.push_back(id);
    return {{"case", "case id", "`gathercheck list` shows them", case_ids(cases)},
            {"operator", "operator version", "`gathercheck list operators` shows them",
             Names(operators.begin(), operators.end())},
            {"route", "route", "e.g. runtime/static", Names(by_routes.begin(), by_routes.end())},
            {"type", "element type", "`gathercheck list counts` shows them", std::move(types)},
            {"rule", "rule", "`gathercheck list rules` shows them", std::move(rule_ids)}};
}

bool matches_any(std::string_view pattern, const Names& names) {
    return std::ranges::any_of(
        names, [&](const std::string& name) { return matches_pattern(pattern, name); });
}

/// Whether a pattern of case ids matches one, or one in other element types.
bool matches_case(std::string_view pattern, const Names& ids) {
    while (!matches_any(pattern, ids)) {
        const std::size_t slash = pattern.rfind('/');
        if (slash == std::string_view::npos) return false;
        const std::string_view part = pattern.substr(slash + 1);
        if (!part.starts_with("data=") && !part.starts_with("indices=") && part != "*") {
            return false;
        }
        pattern = pattern.substr(0, slash);
    }
    return true;
}

/// The single pattern of a filter, and its key.
std::pair<std::string, std::string> only_pattern(const Filter& filter) {
    const std::pair<const char*, const Names&> all[] = {{"case", filter.cases},
                                                        {"operator", filter.operators},
                                                        {"route", filter.routes},
                                                        {"type", filter.types},
                                                        {"rule", filter.rules}};
    for (const auto& [key, patterns] : all) {
        if (!patterns.empty()) return {key, patterns.front()};
    }
    return {};
}

/// Insertions, deletions and replacements that make a text match; * stands for any text, for
/// nothing.
std::size_t edits(std::string_view pattern, std::string_view text) {
    std::vector<std::size_t> row(text.size() + 1);
    for (std::size_t t = 0; t <= text.size(); ++t) row[t] = t;
    for (const char c : pattern) {
        const bool any = c == '*';
        std::size_t diagonal = row[0];
        if (!any) ++row[0];
        for (std::size_t t = 1; t <= text.size(); ++t) {
            const std::size_t above = row[t];
            const bool same = c == '?' || c == text[t - 1];
            row[t] = any ? std::min(above, row[t - 1])
                         : std::min({above + 1, row[t - 1] + 1, diagonal + (same ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[text.size()];
}

/// What comes near a pattern, nearest first.
class Near {
public:
    explicit Near(std::string_view pattern) : pattern_(pattern.substr(0, longest)) {
        const auto letters = static_cast<std::size_t>(
            std::ranges::count_if(pattern_, [](char c) { return c != '*' && c != '?'; }));
        limit_ = std::max<std::size_t>(1, letters / 4);
        whole_sweeps_ = pattern_.find('/') == std::string_view::npos;
    }

    /// `shown` comes before the name where it is another key's.
    void add(const Names& names, const std::string& shown, bool parts = false) {
        for (const std::string& name : names) {
            const std::string_view of_sweep = whole_sweeps_ && shown.empty()
                                                  ? std::string_view(name).substr(0, name.find('/'))
                                                  : std::string_view(name);
            if (of_sweep == last_) continue;
            last_ = of_sweep;
            std::size_t distance = edits(pattern_, of_sweep);
            // A name without its specification: "Gather-13" of "onnx.Gather-13".
            if (parts && of_sweep.ends_with(pattern_)) distance = 1;
            if (distance <= limit_) {
                found_.emplace(distance + (shown.empty() ? 0 : 1), of_sweep.size(),
                               shown + std::string(of_sweep));
            }
        }
    }

    /// "; near it: a, b"; empty where there is nothing.
    std::string text() const {
        std::string text;
        int count = 0;
        for (const auto& [distance, length, name] : found_) {
            if (count++ == 3) break;
            text += (text.empty() ? "; near it: " : ", ") + name;
        }
        return text;
    }

private:
    static constexpr std::size_t longest = 200;
    std::string_view pattern_;
    std::size_t limit_ = 0;
    bool whole_sweeps_ = false;
    std::string_view last_;
    std::set<std::tuple<std::size_t, std::size_t, std::string>> found_;
};

}  // namespace

std::string unmatched_term(std::span<const std::string> terms, const std::vector<Case>& cases,
                           const RuleCatalogue& rules) {
    if (terms.empty()) return {};
    const std::vector<Vocabulary> all = vocabularies(cases, rules);
    for (const std::string& term : terms) {
        const auto parsed = parse_filter(std::span(&term, 1));
        if (!std::holds_alternative<Filter>(parsed)) continue;
        const auto [key, pattern] = only_pattern(std::get<Filter>(parsed));
        const auto& own = *std::ranges::find(all, key, &Vocabulary::key);
        const bool is_case = key == "case";
        if (is_case ? matches_case(pattern, own.names) : matches_any(pattern, own.names)) continue;
        Near near(pattern);
        near.add(own.names, {}, key == "operator");
        if (is_case) {  // a word without a key may be meant for another
            for (const Vocabulary& other : all) {
                if (&other != &own) near.add(other.names, other.key + "=");
            }
        }
        return "--filter " + in_quotes(term) + " matches no " + own.what + near.text() + "; " +
               own.shown_by;
    }
    return {};
}

std::string near_names(std::string_view word, std::span<const std::string> names) {
    Near near(word);
    near.add(Names(names.begin(), names.end()), {}, true);
    return near.text();
}

std::string no_case_matches(std::span<const std::string> terms) {
    if (terms.size() < 2)
        return "no case matches the filter; `gathercheck list` shows what there is";
    std::string all;
    for (const std::string& term : terms) all += (all.empty() ? "" : ", ") + in_quotes(term);
    return "no case matches all of the filter, though each term by itself matches something: " +
           all + "; leave one out, or give another";
}

}  // namespace gathercheck
