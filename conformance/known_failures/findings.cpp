// SPDX-License-Identifier: Apache-2.0
// Reading findings.
#include "conformance/known_failures/findings.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "conformance/known_failures/evidence_json.hpp"
#include "conformance/known_failures/version_pattern.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

constexpr std::array<std::string_view, severities.size()> severity_names{
    "memory outside",     "crash",    "hang", "wrong value", "wrong shape or type", "missing error",
    "legal call refused", "open text"};

/// Lower-case words and digits, joined by single dashes.
bool is_id(std::string_view text) {
    bool in_word = false;
    for (const char c : text) {
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!is_word && (c != '-' || !in_word)) return false;
        in_word = is_word;
    }
    return in_word;
}

/// The least number of characters to replace, add or remove.
std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::optional<FindingCall> read_call(const Json& value, const Place& at, Problems& problems) {
    if (!check_keys(value, at, {"case", "operator", "route"}, {}, problems)) return std::nullopt;
    FindingCall call;
    const std::string* id = string_at(value, at, "case", problems);
    const std::string* operator_name = string_at(value, at, "operator", problems);
    const Place route_place = at.child("route");
    const auto route = read_route(value.at("route"), route_place, problems);
    if (id == nullptr || operator_name == nullptr || !route) return std::nullopt;
    const auto version = operator_version(*operator_name);
    if (!version) {
        problems.add(at.pointer() + "/operator",
                     in_quotes(*operator_name) + " is no operator version");
        return std::nullopt;
    }
    return FindingCall{*id, *version, *route};
}

void read_seen(const Json& value, const Place& at, Finding& finding, Problems& problems) {
    if (!check_keys(value, at, {"first", "last"}, {}, problems)) return;
    const std::string* first = string_at(value, at, "first", problems);
    const std::string* last = string_at(value, at, "last", problems);
    if (first == nullptr || last == nullptr) return;
    finding.first = *first;
    finding.last = *last;
    if (*first == *last) return;
    const auto range = VersionPattern::parse(*first + " - " + *last);
    if (const auto* why = std::get_if<std::string>(&range)) {
        problems.add(at, "the versions " + in_quotes(*first) + " and " + in_quotes(*last) +
                             " are no range: " + *why);
    }
}

/// The id of a finding begins with the name of its file.
void check_id(const Finding& finding, const Place& at, const std::filesystem::path& file,
              Problems& problems) {
    const std::string begin = file.stem().generic_string() + "-";
    if (finding.id.empty() || (is_id(finding.id) && finding.id.starts_with(begin))) return;
    problems.add(at.pointer() + "/id",
                 in_quotes(finding.id) + " is no id of a finding in this file; it begins with " +
                     in_quotes(begin) + " and has lower-case words and single dashes only");
}

void read_severity(const Json& value, const Place& at, Finding& finding, Problems& problems) {
    const std::string* word = string_at(value, at, "severity", problems);
    if (word == nullptr) return;
    if (const auto known = severity(*word)) {
        finding.severity = *known;
        return;
    }
    std::string all;
    for (const Severity each : severities) {
        all += (all.empty() ? "" : ", ") + std::string(name(each));
    }
    problems.add(at.pointer() + "/severity",
                 in_quotes(*word) + " is no severity; use one of " + all);
}

/// Reads one finding; nothing where it cannot be used.
std::optional<Finding> read_finding(const Json& value, const Place& at,
                                    const std::filesystem::path& file,
                                    const RuleCatalogue& catalogue, Problems& problems) {
    const std::size_t before = problems.added();
    if (!check_keys(value, at,
                    {"id", "implementations", "severity", "statement", "rules", "call", "outcome",
                     "reproducer", "seen"},
                    {"title", "link", "note"}, problems)) {
        return std::nullopt;
    }
    Finding finding;
    finding.file = file.generic_string();
    finding.pointer = at.pointer();
    const auto text = [&](std::string_view key, std::string& to) {
        if (const std::string* given = string_at(value, at, key, problems)) to = *given;
    };
    text("id", finding.id);
    text("statement", finding.statement);
    text("title", finding.title);
    if (finding.title.empty())
        finding.title = finding.statement.substr(0, finding.statement.find("; "));
    if (finding.title.size() > longest_title) {
        problems.add(
            at,
            "its title, what stands in the statement before the first semicolon, is longer than " +
                std::to_string(longest_title) + " characters; write a short \"title\"");
    }
    text("outcome", finding.outcome);
    text("link", finding.link);
    text("note", finding.note);
    check_id(finding, at, file, problems);
    if (const Json* names = array_at(value, at, "implementations", problems)) {
        const Place here = at.child("implementations");
        finding.implementations = strings_of(*names, here, problems);
    }
    read_severity(value, at, finding, problems);
    if (array_at(value, at, "rules", problems) != nullptr) {
        for (const Rule* rule : read_rules(value, at, "rules", catalogue, problems)) {
            finding.rules.push_back(rule->id);
        }
    }
    const Place call_place = at.child("call");
    if (const auto call = read_call(value.at("call"), call_place, problems)) finding.call = *call;
    if (!finding.outcome.empty() && !is_wrong_outcome(finding.outcome)) {
        problems.add(at.pointer() + "/outcome",
                     in_quotes(finding.outcome) +
                         " is no outcome of a failure; use crash, timeout, or a kind of failure "
                         "such as 'wrong value'");
    }
    text("reproducer", finding.reproducer_name);
    finding.reproducer = read_evidence_file(value, at, "reproducer",
                                            file.parent_path() / reproducers_folder, problems);
    const Place seen_place = at.child("seen");
    read_seen(value.at("seen"), seen_place, finding, problems);
    if (problems.added() > before) return std::nullopt;
    return finding;
}

}  // namespace

std::string_view name(Severity severity) {
    return severity_names[static_cast<std::size_t>(severity)];
}

std::optional<Severity> severity(std::string_view name) {
    const auto found = std::ranges::find(severity_names, name);
    if (found == severity_names.end()) return std::nullopt;
    return severities[static_cast<std::size_t>(found - severity_names.begin())];
}

std::string to_string(const FindingCall& call) {
    return "case " + call.case_id + ", " + std::string(name(call.version)) + ", " +
           to_string(call.route);
}

std::vector<std::string> Finding::rules_of(OperatorVersion version,
                                           const RuleCatalogue& catalogue) const {
    std::vector<std::string> found;
    for (const std::string& cited : rules) {
        const Rule* rule = catalogue.find(cited);
        if (rule != nullptr && rule->version == version) found.push_back(cited);
    }
    return found;
}

void FindingCatalogue::add(Finding finding) {
    places_.emplace(finding.id, findings_.size());
    findings_.push_back(std::move(finding));
}

const Finding* FindingCatalogue::find(std::string_view id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? nullptr : &findings_[found->second];
}

std::vector<std::string> FindingCatalogue::near(std::string_view id) const {
    constexpr std::size_t most_shown = 3;
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const Finding& finding : findings_) {
        const bool is_part = !id.empty() && finding.id.find(id) != std::string::npos;
        const std::size_t far = is_part ? 0 : distance(id, finding.id);
        if (far <= std::max(id.size(), std::size_t{6}) / 3) found.emplace_back(far, finding.id);
    }
    std::ranges::sort(found);
    if (found.size() > most_shown) found.resize(most_shown);
    std::vector<std::string> names;
    for (auto& [far, name] : found) names.push_back(std::move(name));
    return names;
}

std::string FindingCatalogue::has_none(std::string_view id) const {
    std::string names;
    for (const std::string& each : near(id)) names += (names.empty() ? "" : ", ") + each;
    return in_quotes(id) + " is no finding of the catalogue" +
           (names.empty() ? "; `gathercheck findings` shows them all" : "; near it are " + names);
}

std::variant<FindingCatalogue, std::vector<Problem>> load_findings(
    const std::filesystem::path& folder, const RuleCatalogue& rules) {
    std::error_code error;
    const std::vector<std::filesystem::path> files = json_files(folder, error);
    FindingCatalogue catalogue;
    std::vector<Problem> all;
    std::map<std::string, std::string> shown_by;  // reproducer to id
    for (const std::filesystem::path& file : files) {
        JsonResult document = read_json(file);
        if (auto* refused = std::get_if<std::vector<Problem>>(&document)) {
            all.insert(all.end(), refused->begin(), refused->end());
            continue;
        }
        const Json& root = std::get<Json>(document);
        Problems problems(file.generic_string());
        const Place top;
        if (check_keys(root, top, {"engine", "findings"}, {}, problems)) {
            const std::string* engine = string_at(root, top, "engine", problems);
            const Json* list = array_at(root, top, "findings", problems);
            const Place list_place = top.child("findings");
            for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
                const Place at = list_place.child(k);
                auto finding = read_finding((*list)[k], at, file, rules, problems);
                if (!finding) continue;
                if (const Finding* other = catalogue.find(finding->id)) {
                    problems.add(at.pointer() + "/id", in_quotes(finding->id) + " stands in " +
                                                           other->file + " at " + other->pointer +
                                                           " already; an id is that of one bug");
                    continue;
                }
                const auto [first, is_new] = shown_by.emplace(finding->reproducer, finding->id);
                if (!is_new) {
                    problems.add(at.pointer() + "/reproducer",
                                 in_quotes(finding->reproducer_name) + " shows " + first->second +
                                     " already; each bug has a program of its own");
                }
                if (engine != nullptr) finding->engine = *engine;
                catalogue.add(std::move(*finding));
            }
        }
        auto found = std::move(problems).take();
        all.insert(all.end(), found.begin(), found.end());
    }
    if (!all.empty()) return all;
    return catalogue;
}

}  // namespace gathercheck
