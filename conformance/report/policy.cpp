// SPDX-License-Identifier: Apache-2.0
// From records to the out-of-bounds map.
#include "conformance/report/policy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "conformance/judge/treatment.hpp"
#include "conformance/model/retype.hpp"
#include "conformance/report/report.hpp"
#include "conformance/util/json.hpp"
#include "reference/element_type.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {
namespace {

/// The place in a row of what a case asks: answers to a bad index alone come behind the others, by
/// its question.
std::optional<std::size_t> place_of(OperatorVersion version, std::string_view case_id) {
    const Family family = info(version).family;
    const std::span<const PolicyQuestion> questions = policy_questions();
    case_id = id_as_written(case_id);
    for (std::size_t k = 0; k < questions.size(); ++k) {
        if (questions[k].case_of(family) == case_id) return k;
        if (questions[k].alone_case_of(family) == case_id) return questions.size() + k;
    }
    return std::nullopt;
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

/// The treatments of a word like "clamp or first element".
std::vector<std::string> names_in(std::string_view word) {
    constexpr std::string_view separator = " or ";
    std::vector<std::string> names;
    for (;;) {
        const std::size_t end = word.find(separator);
        names.emplace_back(word.substr(0, end));
        if (end == std::string_view::npos) return names;
        word.remove_prefix(end + separator.size());
    }
}

/// True where each part of a name like "cut to 32 bits, clamp" is one of the words.
bool is_made_of(std::string_view name, const std::set<std::string, std::less<>>& words) {
    for (;;) {
        const std::size_t end = name.find(", ");
        if (!words.contains(name.substr(0, end))) return false;
        if (end == std::string_view::npos) return true;
        name.remove_prefix(end + 2);
    }
}

/// Of several treatments that give one and the same answer to a question, by the nature of its
/// indices (a negative index that is clamped is 0, the first element), those that other questions
/// showed; where none was, those without a second step. They are named all, but no more than three.
void narrow_down(std::vector<PolicyAnswer>& row) {
    std::set<std::string, std::less<>> shown;
    for (const PolicyAnswer& answer : row) shown.insert(answer.word);
    for (PolicyAnswer& answer : row) {
        std::vector<std::string> names = names_in(answer.word);
        if (names.size() < 2) continue;
        const auto keep = [&names](const auto& wanted) {
            if (std::ranges::any_of(names, wanted)) {
                std::erase_if(names, [&](const std::string& name) { return !wanted(name); });
                return true;
            }
            return false;
        };
        if (!keep([&](const std::string& name) { return is_made_of(name, shown); })) {
            keep([](const std::string& name) { return name.find(", ") == std::string::npos; });
        }
        answer.word.clear();
        for (const std::string& name : names) {
            answer.word += (answer.word.empty() ? "" : " or ") + name;
        }
        if (names.size() > 3) answer.word = "unclear";
    }
}

/// Joins the answer to a call of two bad indices, of which one is named, with that to a call of
/// this one alone: of the two together an error does not tell which of them is refused.
void join(const PolicyQuestion& question, PolicyAnswer& both, const PolicyAnswer& alone) {
    if (question.neighbour.empty() || !both.word.starts_with("error")) return;
    if (alone.standing == Standing::not_asked) {
        both.word += " of " + std::string(question.title.substr(0, question.title.find(' '))) +
                     " or " + std::string(question.neighbour);
        return;
    }
    if (alone.word.starts_with("error")) return;
    // Who takes numbers as unsigned ones takes the neighbour, too.
    std::string word;
    for (const std::string& name : names_in(alone.word)) {
        if (!name.ends_with("unsigned")) word += (word.empty() ? "" : " or ") + name;
    }
    if (word.empty()) word = alone.word;
    both.word = word + ", " + std::string(question.neighbour) + ": " + both.word;
    if (both.standing != Standing::departs && alone.standing != Standing::conforms) {
        both.standing = alone.standing;
    }
    both.case_id = alone.case_id;
}

/// The element type of indices that a retyped case was asked in; nothing for others.
std::optional<ElementType> indices_type_of(std::string_view case_id) {
    constexpr std::string_view key = "/indices=";
    const std::size_t begin = case_id.find(key);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view rest = case_id.substr(begin + key.size());
    return element_type(rest.substr(0, rest.find('/')));
}

constexpr std::string_view legend =
    "s is the size of the dimension. Each call has one legal index and two bad ones, the one named "
    "and its neighbour, of the first dimension; \"inner\": of a\nlater one. -1, s and -s-1 are "
    "asked "
    "without the neighbour, too: \"clamp, s+1: error\": s alone is clamped, s+1 is refused. "
    "2^16+257 "
    "cut to 16\nbits is 257, cut to 8 bits 1; 2^32+65793 cut to 32 bits is 65793. \"empty axis\" "
    "picks from a dimension of size 0, \"no output\" has a bad index\nand an output without "
    "elements.\n"
    "value: as an index in range; error (phase); \"A or B\": both give just that, and no other "
    "column tells which (clamped, a negative index is 0, the first\nelement); \"A+B\": one index "
    "so, "
    "one so; \"cut to 32 bits, clamp\": cut, then clamped; unclear: more than three treatments "
    "give "
    "that; garbage: nothing that is\nknown; - not asked; \"not in i32\": i32, the type of indices "
    "that is claimed, does not hold the index.\n"
    "!: the specification says otherwise. ?: it leaves this open.\n";

}  // namespace

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
    const auto asked = place_of(execution->operator_version, execution->case_id);
    if (!asked) return;
    const std::pair wanted(execution->implementation, execution->version);
    auto found = std::ranges::find(implementations_, wanted);
    if (found == implementations_.end()) found = implementations_.insert(found, wanted);
    const auto place = static_cast<std::size_t>(found - implementations_.begin());
    std::vector<PolicyAnswer>& row =
        answers_[{place, execution->operator_version, execution->route}];
    row.resize(2 * policy_questions().size());
    row[*asked] = answer(*execution);
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
        case Verdict::difference:
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
    const auto prepared = passed ? written(record.case_id, record.operator_version) : nullptr;
    if (prepared != nullptr) {
        // What passed gave what is expected.
        for (const ResolvedAlternative& alternative : prepared->alternatives) {
            const auto* output = std::get_if<ResolvedOutput>(&alternative);
            if (output == nullptr || !output->contents) continue;
            answer.word =
                classify_probe(equations_, prepared->call.call, ValueOutcome{*output->contents});
            break;
        }
    }
    if (answer.word.empty() || answer.word == "other") answer.word = passed ? "value" : "garbage";
    return answer;
}

std::shared_ptr<const PreparedCase> PolicyMap::written(std::string_view case_id,
                                                       OperatorVersion version) const {
    const auto found = std::ranges::find(suite_.cases, id_as_written(case_id), &Case::id);
    if (found == suite_.cases.end() || found->expectation(version) == nullptr) return nullptr;
    return prepare(*found, version, equations_, rules_);
}

std::optional<bool> PolicyMap::holds_indices(ElementType type, std::string_view case_id,
                                             OperatorVersion version) const {
    const auto prepared = written(case_id, version);
    if (prepared == nullptr) return std::nullopt;
    const TensorView& indices = *prepared->call.call.input("indices");
    for (std::int64_t k = 0; k < element_count(indices.shape).value_or(0); ++k) {
        const auto value = integer_element(indices.type, indices.contents, k);
        std::array<std::byte, 8> there{};
        const std::uint64_t pattern = static_cast<std::uint64_t>(value.value_or(0));
        set_element_bits(type, there.data(), 0, pattern & (~std::uint64_t{0} >> (64 - bits(type))));
        if (integer_element(type, there.data(), 0) != value) return false;
    }
    return true;
}

void PolicyMap::complete(const Place& place, std::vector<PolicyAnswer>& row) const {
    const std::span<const PolicyQuestion> questions = policy_questions();
    narrow_down(row);
    for (std::size_t k = 0; k < questions.size(); ++k) {
        join(questions[k], row[k], row[questions.size() + k]);
    }
    row.resize(questions.size());
    std::optional<ElementType> type;
    for (const PolicyAnswer& answer : row) {
        if (!type) type = indices_type_of(answer.case_id);
    }
    for (std::size_t k = 0; type && k < row.size(); ++k) {
        const std::string_view id = questions[k].case_of(info(place.version).family);
        if (row[k].case_id.empty() && holds_indices(*type, id, place.version) == false) {
            row[k].word = "not in " + std::string(name(*type));
        }
    }
}

std::vector<PolicyRow> PolicyMap::rows() const {
    std::vector<PolicyRow> rows;
    // First routes of one version that answer alike, then versions that do so by the same routes.
    std::map<std::pair<std::size_t, OperatorVersion>, std::vector<PolicyRow>> by_version;
    for (auto [place, answers] : answers_) {
        complete(place, answers);
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
    for (const PolicyQuestion& question : policy_questions()) {
        lines.front().emplace_back(question.title);
    }
    for (const PolicyRow& row : rows) {
        lines.push_back({printable(row.implementation) + " " + printable(row.version),
                         short_names(row.operator_versions), short_names(row.routes)});
        for (const PolicyAnswer& answer : row.answers)
            lines.back().push_back(printable(marked(answer)));
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
            text += in_markdown(cell);
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
