// SPDX-License-Identifier: Apache-2.0
// From records to the out-of-bounds map.
#include "conformance/policy.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "conformance/classify.hpp"
#include "conformance/json.hpp"
#include "conformance/report.hpp"
#include "conformance/run.hpp"

namespace gathercheck {
namespace {

constexpr std::array<PolicyQuestion, 9> questions{{
    {"-1", "gather-index-minus-1-i64", "gather-elements-index-minus-1-i64",
     "gather-nd-negative-slice"},
    {"-s", "gather-index-minus-size-i64", "gather-elements-index-minus-size-i64",
     "gather-nd-minus-size-everywhere"},
    {"s", "gather-index-equal-to-size-i64", "gather-elements-index-size-i64",
     "gather-nd-index-size"},
    {"-s-1", "gather-index-below-minus-size-i64", "gather-elements-index-minus-3-of-2",
     "gather-nd-index-minus-size-minus-1"},
    {"2^32+1", "gather-index-two-to-32-plus-1", "gather-elements-index-two-to-32-plus-1",
     "gather-nd-index-two-to-32-plus-1"},
    {"2^63-1", "gather-index-i64-maximum", "gather-elements-index-i64-maximum",
     "gather-nd-index-i64-maximum"},
    {"-2^63", "gather-index-i64-minimum", "gather-elements-index-i64-minimum",
     "gather-nd-index-i64-minimum"},
    {"empty axis", "gather-empty-axis-with-index", "gather-elements-empty-axis-with-indices",
     "gather-nd-empty-first-dimension"},
    {"no output", "gather-empty-output-with-bad-index", "", "gather-nd-bad-in-empty-slices"},
}};

/// The place of a question that a case asks.
std::optional<std::size_t> question_of(OperatorVersion version, std::string_view case_id) {
    const Family family = info(version).family;
    for (std::size_t k = 0; k < questions.size(); ++k) {
        if (questions[k].case_of(family) == case_id) return k;
    }
    return std::nullopt;
}

/// "openvino.Gather-7,8" for versions of one operator, several separated by spaces.
std::string short_names(const std::vector<OperatorVersion>& versions) {
    std::string text;
    std::string_view last;
    for (const OperatorVersion version : versions) {
        const std::string_view full = name(version);
        const std::size_t dash = full.rfind('-');
        const std::string_view stem = full.substr(0, dash);
        if (stem == last) {
            text += "," + std::string(full.substr(dash + 1));
        } else {
            text += (text.empty() ? "" : " ") + std::string(full);
        }
        last = stem;
    }
    return text;
}

std::string short_names(const std::vector<Route>& routes) {
    std::string text;
    for (const Route& route : routes) {
        const Route plain{route.operands, Shapes::fixed, AxisOperand::constant};
        text += (text.empty() ? "" : " ") +
                (route == plain ? std::string(name(route.operands)) : to_string(route));
    }
    return text;
}

std::string marked(const PolicyAnswer& answer) {
    if (answer.standing == Standing::departs) return answer.word + " !";
    if (answer.standing == Standing::open) return answer.word + " ?";
    return answer.word;
}

constexpr std::string_view legend =
    "s is the size of the dimension; other indices of each call are legal. \"empty axis\" picks "
    "from a dimension of size 0, \"no output\" has a bad\nindex and an output without elements. "
    "value: as an index in range; error (phase); garbage: nothing that is known; - not asked.\n"
    "!: the specification says otherwise. ?: it leaves this open.\n";

}  // namespace

std::string_view PolicyQuestion::case_of(Family family) const {
    switch (family) {
        case Family::gather:
            return gather;
        case Family::gather_elements:
            return gather_elements;
        case Family::gather_nd:
            break;
    }
    return gather_nd;
}

std::span<const PolicyQuestion> policy_questions() { return questions; }

bool is_policy_case(std::string_view case_id) {
    return std::ranges::any_of(questions, [&](const PolicyQuestion& one) {
        return case_id == one.gather || case_id == one.gather_elements || case_id == one.gather_nd;
    });
}

std::string_view name(Standing standing) {
    constexpr std::array<std::string_view, 4> names{"conforms", "departs", "open", "not asked"};
    return names[static_cast<std::size_t>(standing)];
}

PolicyMap::PolicyMap(const Suite& suite, const Equations& equations, const RuleCatalogue& rules)
    : suite_(suite), equations_(equations), rules_(rules) {}

void PolicyMap::add(const Record& record) {
    if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
        if (implementation->state == "started") {
            implementations_.emplace_back(implementation->name, implementation->version);
        }
        return;
    }
    const auto* execution = std::get_if<ExecutionRecord>(&record);
    if (execution == nullptr) return;
    const auto question = question_of(execution->operator_version, execution->case_id);
    if (!question) return;
    const std::pair wanted(execution->implementation, execution->version);
    auto found = std::ranges::find(implementations_, wanted);
    if (found == implementations_.end()) found = implementations_.insert(found, wanted);
    const auto place = static_cast<std::size_t>(found - implementations_.begin());
    std::vector<PolicyAnswer>& row =
        answers_[{place, execution->operator_version, execution->route}];
    row.resize(questions.size());
    row[*question] = answer(*execution);
}

PolicyAnswer PolicyMap::answer(const ExecutionRecord& record) const {
    PolicyAnswer answer;
    answer.case_id = record.case_id;
    switch (record.verdict) {
        case Verdict::pass:
        case Verdict::fixed:
            answer.standing = Standing::conforms;
            break;
        case Verdict::fail:
        case Verdict::known_failure:
        case Verdict::crash:
        case Verdict::timeout:
            answer.standing = Standing::departs;
            break;
        case Verdict::unspecified:
            answer.standing = Standing::open;
            break;
        case Verdict::unsupported:
            answer.word = "unsupported";
            return answer;
        case Verdict::unavailable:
        case Verdict::broken:
        case Verdict::not_run:
            return answer;
    }
    if (record.outcome == "rejected") {
        answer.word = record.phase.empty() ? "error" : "error (" + record.phase + ")";
        return answer;
    }
    if (record.outcome != "value") {
        answer.word = record.outcome;
        return answer;
    }
    answer.word = record.classification;
    const bool passed = record.verdict == Verdict::pass || record.verdict == Verdict::fixed;
    const auto tested = std::ranges::find(suite_.cases, record.case_id, &Case::id);
    if (passed && tested != suite_.cases.end() &&
        tested->expectation(record.operator_version) != nullptr) {
        // What passed gave what is expected.
        const auto prepared = prepare(*tested, record.operator_version, equations_, rules_);
        for (const ResolvedAlternative& alternative : prepared->alternatives) {
            const auto* output = std::get_if<ResolvedOutput>(&alternative);
            if (output == nullptr || !output->contents) continue;
            answer.word =
                classify(equations_, prepared->call.call, ValueOutcome{*output->contents});
            break;
        }
    }
    if (answer.word.empty() || answer.word == "other") answer.word = passed ? "value" : "garbage";
    return answer;
}

std::vector<PolicyRow> PolicyMap::rows() const {
    std::vector<PolicyRow> rows;
    // First routes of one version that answer alike, then versions that do so by the same routes.
    std::map<std::pair<std::size_t, OperatorVersion>, std::vector<PolicyRow>> by_version;
    for (const auto& [place, answers] : answers_) {
        auto& of_version = by_version[{place.implementation, place.version}];
        const auto same = std::ranges::find(of_version, answers, &PolicyRow::answers);
        if (same != of_version.end()) {
            same->routes.push_back(place.route);
            continue;
        }
        const auto& [name, version] = implementations_[place.implementation];
        of_version.push_back({name, version, {place.version}, {place.route}, answers});
    }
    for (const auto& [key, of_version] : by_version) {
        for (const PolicyRow& row : of_version) {
            const Family family = info(key.second).family;
            const auto same = std::ranges::find_if(rows, [&](const PolicyRow& other) {
                return other.implementation == row.implementation && other.version == row.version &&
                       info(other.operator_versions.front()).family == family &&
                       other.routes == row.routes && other.answers == row.answers;
            });
            if (same != rows.end()) {
                same->operator_versions.push_back(key.second);
            } else {
                rows.push_back(row);
            }
        }
    }
    return rows;
}

std::vector<std::vector<std::string>> policy_cells(std::span<const PolicyRow> rows) {
    std::vector<std::vector<std::string>> lines{{"implementation", "operators", "operands"}};
    for (const PolicyQuestion& question : questions) lines.front().emplace_back(question.title);
    for (const PolicyRow& row : rows) {
        lines.push_back({printable(row.implementation) + " " + printable(row.version),
                         short_names(row.operator_versions), short_names(row.routes)});
        for (const PolicyAnswer& answer : row.answers) lines.back().push_back(marked(answer));
    }
    return lines;
}

std::string_view policy_legend() { return legend; }

std::string policy_text(std::span<const PolicyRow> rows) {
    const auto cells = policy_cells(rows);
    return table(cells, cells.front().size()) + "\n" + std::string(legend);
}

std::string policy_markdown(std::span<const PolicyRow> rows) {
    std::string text;
    bool is_head = true;
    for (const auto& line : policy_cells(rows)) {
        text += "|";
        for (const std::string& cell : line) {
            text += " ";
            for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
            text += " |";
        }
        text += "\n";
        if (!is_head) continue;
        is_head = false;
        text += "|";
        for (std::size_t k = 0; k < line.size(); ++k) text += " --- |";
        text += "\n";
    }
    return text + "\n" + std::string(legend);
}

}  // namespace gathercheck
