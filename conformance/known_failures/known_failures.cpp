// SPDX-License-Identifier: Apache-2.0
// Reading known-failure files and holding records against them.
#include "conformance/known_failures/known_failures.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "conformance/known_failures/evidence_json.hpp"
#include "conformance/known_failures/version_pattern.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

bool is_date(std::string_view text) {
    if (text.size() != 10) return false;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const bool dash = k == 4 || k == 7;
        if (dash ? text[k] != '-' : (text[k] < '0' || text[k] > '9')) return false;
    }
    const auto number = [&](std::size_t first, std::size_t count) {
        int value = 0;
        for (const char c : text.substr(first, count)) value = value * 10 + (c - '0');
        return value;
    };
    return std::chrono::year_month_day{std::chrono::year{number(0, 4)},
                                       std::chrono::month{static_cast<unsigned>(number(5, 2))},
                                       std::chrono::day{static_cast<unsigned>(number(8, 2))}}
        .ok();
}

bool may_be_listed(std::string_view word) { return word == may_pass || is_wrong_outcome(word); }

/// The entries of a value that is one of something or a list of it.
std::vector<const Json*> one_or_many(const Json& value) {
    std::vector<const Json*> entries;
    if (!value.is_array()) return {&value};
    for (const Json& entry : value) entries.push_back(&entry);
    return entries;
}

/// A problem for each rule of another operator version than those, and for each of those without
/// one.
void check_versions(const std::vector<const Rule*>& rules,
                    const std::vector<OperatorVersion>& versions, const Place& at,
                    Problems& problems) {
    for (const Rule* rule : rules) {
        if (std::ranges::find(versions, rule->version) != versions.end()) continue;
        problems.add(at, in_quotes(rule->id) + " is a rule of " + std::string(name(rule->version)) +
                             ", which the entry is not about; cite one of its own operator "
                             "versions");
        return;
    }
    for (const OperatorVersion version : versions) {
        if (std::ranges::find(rules, version, &Rule::version) == rules.end()) {
            problems.add(at, "no rule of " + std::string(name(version)) +
                                 " is cited; add the one that it breaks for that version");
        }
    }
}

/// What an entry says of itself.
void read_own_evidence(const Json& value, const Place& at, KnownFailure& entry,
                       std::vector<const Rule*>& rules,
                       const std::vector<OperatorVersion>& versions, const std::string& file,
                       const RuleCatalogue& catalogue, Problems& problems) {
    if (const std::string* reason = string_at(value, at, "reason", problems)) {
        entry.reason = *reason;
    }
    if (const std::string* link = string_at(value, at, "link", problems)) entry.link = *link;
    const std::size_t before = problems.added();
    rules = read_rules(value, at, "rule", catalogue, problems);
    if (find_member(value, "rule") != nullptr && problems.added() == before) {
        const Place here = at.child("rule");
        check_versions(rules, versions, here, problems);
    }
    entry.reproducer = read_evidence_file(value, at, "reproducer",
                                          std::filesystem::path(file).parent_path(), problems);
}

/// What the finding that an entry names says.
void read_finding(const Json& value, const Place& at, KnownFailure& entry,
                  std::vector<const Rule*>& rules, const std::vector<OperatorVersion>& versions,
                  const RuleCatalogue& catalogue, const FindingCatalogue& findings,
                  Problems& problems) {
    const Place here = at.child("finding");
    for (const std::string_view key : {"reason", "rule", "reproducer", "link"}) {
        if (find_member(value, key) == nullptr) continue;
        problems.add(at.child(key),
                     "the entry names a finding, which has that; remove one of both");
    }
    const std::string* id = string_at(value, at, "finding", problems);
    if (id == nullptr) return;
    const Finding* finding = findings.find(*id);
    if (finding == nullptr) {
        problems.add(here, findings.has_none(*id));
        return;
    }
    entry.finding = finding->id;
    entry.reason = finding->statement;
    entry.link = finding->link;
    entry.reproducer = finding->reproducer;
    for (const OperatorVersion version : versions) {
        const std::vector<std::string> cited = finding->rules_of(version, catalogue);
        if (cited.empty()) {
            problems.add(here, "the finding " + finding->id + " (" + finding->file + " at " +
                                   finding->pointer + ") cites no rule of " +
                                   std::string(name(version)) +
                                   "; add the one that it breaks for that version");
        }
        for (const std::string& rule : cited) rules.push_back(catalogue.find(rule));
    }
}

/// The patterns of versions, each understood.
std::vector<std::string> read_versions(const Json& root, const Place& top, Problems& problems) {
    const Json& given = root.at("versions");
    const Place here = top.child("versions");
    std::vector<std::string> patterns;
    if (given.is_array()) {
        patterns = strings_of(given, here, problems);
    } else if (const std::string* pattern = string_at(root, top, "versions", problems)) {
        patterns.push_back(*pattern);
    }
    for (std::size_t k = 0; k < patterns.size(); ++k) {
        const auto parsed = VersionPattern::parse(patterns[k]);
        const auto* why = std::get_if<std::string>(&parsed);
        if (why == nullptr) continue;
        problems.add(given.is_array() ? here.child(k) : here,
                     in_quotes(patterns[k]) + " is no pattern of versions: " + *why + "; write " +
                         std::string(version_patterns));
    }
    return patterns;
}

void read_expiry(const Json& value, const Place& at, KnownFailure& entry, Problems& problems) {
    const std::string* expires = string_at(value, at, "expires", problems);
    if (expires == nullptr) return;
    entry.expires = *expires;
    if (is_date(entry.expires)) return;
    problems.add(at.pointer() + "/expires",
                 in_quotes(entry.expires) + " is no date; write it as YYYY-MM-DD");
}

void read_outcomes(const Json& value, const Place& at, KnownFailure& entry, Problems& problems) {
    if (const Json* outcomes = array_at(value, at, "outcomes", problems)) {
        const Place place = at.child("outcomes");
        entry.outcomes = strings_of(*outcomes, place, problems);
        for (const std::string& outcome : entry.outcomes) {
            if (may_be_listed(outcome)) continue;
            problems.add(place, in_quotes(outcome) +
                                    " is no outcome of a failure; use crash, timeout, or a kind of "
                                    "failure such as 'wrong value', and pass only beside one");
        }
    }
    if (entry.outcomes == std::vector<std::string>{std::string(may_pass)}) {
        problems.add(
            at.pointer() + "/outcomes",
            "pass alone is no failure; name what goes wrong beside it, or remove the entry");
    }
}

std::vector<Route> read_routes(const Json& value, const Place& at, Problems& problems) {
    std::vector<Route> routes;
    const Place place = at.child("route");
    for (const Json* route : one_or_many(value.at("route"))) {
        if (const auto read = read_route(*route, place, problems)) routes.push_back(*read);
    }
    return routes;
}

std::vector<OperatorVersion> read_operators(const Json& value, const Place& at,
                                            Problems& problems) {
    std::vector<OperatorVersion> versions;
    for (const Json* version : one_or_many(value.at("operator"))) {
        const auto found = version->is_string()
                               ? operator_version(version->get_ref<const std::string&>())
                               : std::nullopt;
        if (found) {
            versions.push_back(*found);
        } else {
            problems.add(at.pointer() + "/operator",
                         describe_json(*version) + " is no operator version");
        }
    }
    return versions;
}

/// Adds an entry for an execution, with those of the rules that are of its operator version.
void add_execution(KnownFailure entry, const std::vector<const Rule*>& rules, const Place& at,
                   KnownFailures& known, Problems& problems) {
    if (known.find(entry.case_id, entry.version, entry.route) != nullptr) {
        problems.add(at, "case " + entry.case_id + ", operator " +
                             std::string(name(entry.version)) + ", route " +
                             to_string(entry.route) +
                             " has an entry already; one execution has one entry");
        return;
    }
    for (const Rule* rule : rules) {
        if (rule->version == entry.version) entry.rules.push_back(rule->id);
    }
    known.add(std::move(entry));
}

/// Reads an entry, which stands for each of its cases by each of its operator versions and routes.
void read_entry(const Json& value, const Place& at, const RuleCatalogue& catalogue,
                const FindingCatalogue& findings, KnownFailures& known, Problems& problems) {
    if (!check_keys(value, at, {"case", "operator", "route", "outcomes"},
                    {"reason", "finding", "rule", "reproducer", "link", "expires"}, problems)) {
        return;
    }
    const bool has_finding = find_member(value, "finding") != nullptr;
    if (!has_finding && find_member(value, "reason") == nullptr) {
        problems.add(at,
                     "says neither \"reason\", what is done instead of what must be, nor "
                     "\"finding\", the id of one that says so; add one of both");
        return;
    }
    KnownFailure entry;
    entry.pointer = at.pointer();
    read_expiry(value, at, entry, problems);
    read_outcomes(value, at, entry, problems);
    const std::vector<Route> routes = read_routes(value, at, problems);
    const std::vector<OperatorVersion> versions = read_operators(value, at, problems);
    std::vector<const Rule*> rules;
    if (has_finding) {
        read_finding(value, at, entry, rules, versions, catalogue, findings, problems);
    } else {
        read_own_evidence(value, at, entry, rules, versions, known.file, catalogue, problems);
    }
    for (const Json* id : one_or_many(value.at("case"))) {
        if (!id->is_string()) {
            problems.add(at.pointer() + "/case", describe_json(*id) + " is no case id");
            continue;
        }
        entry.case_id = id->get<std::string>();
        for (const OperatorVersion version : versions) {
            entry.version = version;
            for (const Route& route : routes) {
                entry.route = route;
                add_execution(entry, rules, at, known, problems);
            }
        }
    }
}

}  // namespace

void KnownFailures::add(KnownFailure entry) {
    places_.emplace(std::tuple(entry.case_id, entry.version, entry.route), entries_.size());
    entries_.push_back(std::move(entry));
}

const KnownFailure* KnownFailures::find(const std::string& case_id, OperatorVersion version,
                                        const Route& route) const {
    const auto found = places_.find(std::tuple(case_id, version, route));
    return found == places_.end() ? nullptr : &entries_[found->second];
}

bool KnownFailures::covers(std::string_view version) const {
    return std::ranges::any_of(versions, [&](const std::string& text) {
        const auto pattern = VersionPattern::parse(text);
        const auto* understood = std::get_if<VersionPattern>(&pattern);
        return understood != nullptr && understood->covers(version);
    });
}

std::string KnownFailures::versions_text() const {
    std::string text;
    for (const std::string& pattern : versions) text += (text.empty() ? "" : " or ") + pattern;
    return text;
}

std::variant<KnownFailures, std::vector<Problem>> load_known_failures(
    const std::filesystem::path& file, const RuleCatalogue& rules,
    const FindingCatalogue& findings) {
    JsonResult document = read_json(file);
    if (auto* refused = std::get_if<std::vector<Problem>>(&document)) return std::move(*refused);
    const Json& root = std::get<Json>(document);
    Problems problems(file.generic_string());
    const Place top;
    KnownFailures known;
    known.file = file.generic_string();
    if (check_keys(root, top, {"implementation", "versions", "failures"}, {"witness"}, problems)) {
        if (const std::string* name = string_at(root, top, "implementation", problems)) {
            known.implementation = *name;
        }
        known.versions = read_versions(root, top, problems);
        if (const Json* witness = find_member(root, "witness")) {
            if (witness->is_boolean()) {
                known.witness = witness->get<bool>();
            } else {
                problems.add(top.child("witness"), describe_json(*witness) + ", not true or false");
            }
        }
        if (const Json* failures = array_at(root, top, "failures", problems)) {
            const Place list = top.child("failures");
            for (std::size_t k = 0; k < failures->size(); ++k) {
                const Place entry = list.child(k);
                read_entry((*failures)[k], entry, rules, findings, known, problems);
            }
        }
    }
    if (!problems.empty()) return std::move(problems).take();
    return known;
}

std::vector<Problem> lacking_evidence(const KnownFailures& known) {
    Problems problems(known.file);
    for (const KnownFailure& entry : known.entries()) {
        const bool has_finding = !entry.finding.empty();
        if (known.witness && has_finding) {
            problems.add(entry.pointer,
                         "names a finding, and is of a witness, which has no bugs; write a "
                         "\"reason\" and a \"rule\" in its place");
        } else if (known.witness && entry.rules.empty()) {
            problems.add(entry.pointer,
                         "tells no rule; write under \"rule\" which ones the witness departs from");
        } else if (!known.witness && !has_finding) {
            problems.add(entry.pointer,
                         "names no finding; write under \"finding\" the id of the one whose bug it "
                         "shows, in spec_cases/findings");
        }
    }
    return std::move(problems).take();
}

bool expects(const std::vector<std::string>& outcomes, std::string_view outcome) {
    const auto lists = [&](std::string_view word) {
        return std::ranges::find(outcomes, word) != outcomes.end();
    };
    if (lists(outcome)) return true;
    const std::array garbage{name(Failure::accepted), name(Failure::wrong_value)};
    const std::string_view varies = name(Failure::not_deterministic);
    if (outcome == varies) return std::ranges::any_of(garbage, lists);
    return std::ranges::find(garbage, outcome) != garbage.end() && lists(varies);
}

void apply(const KnownFailures& known, ExecutionRecord& record) {
    const KnownFailure* entry = known.find(record.case_id, record.operator_version, record.route);
    if (entry == nullptr) return;
    const auto explain = [&] {
        record.reason = entry->reason;
        record.finding = entry->finding;
        record.rules = entry->rules;
        record.shown_by = entry->reproducer;
    };
    switch (record.verdict) {
        case Verdict::pass:
        case Verdict::unsupported:
        case Verdict::unspecified:
            if (expects(entry->outcomes, may_pass)) break;
            record.verdict = Verdict::fixed;
            explain();
            break;
        case Verdict::fail:
        case Verdict::difference:
        case Verdict::crash:
        case Verdict::timeout: {
            const std::string outcome = wrong_outcome(record.verdict, record.failure);
            if (expects(entry->outcomes, outcome)) {
                record.verdict = Verdict::known_failure;
                explain();
            }
            break;
        }
        case Verdict::unavailable:
        case Verdict::broken:
        case Verdict::known_failure:
        case Verdict::fixed:
        case Verdict::not_run:
            break;
    }
}

}  // namespace gathercheck
