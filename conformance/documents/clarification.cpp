// SPDX-License-Identifier: Apache-2.0
// Loading of the clarifications: one file an open point, as strict as the cases.
#include "conformance/documents/clarification.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "conformance/load/load_json.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts_at(const Json& value, const Place& at, std::string_view key,
                                  Problems& problems) {
    const Json* list = array_at(value, at, key, problems);
    return list == nullptr ? std::vector<std::string>()
                           : strings_of(*list, at.child(key), problems);
}

/// At least two readings, or the point would not be open, each with something for or against it.
std::vector<Reading> read_readings(const Json& value, const Place& at, Problems& problems) {
    std::vector<Reading> readings;
    const Json* list = array_at(value, at, "readings", problems);
    if (list == nullptr) return readings;
    const Place here = at.child("readings");
    if (list->size() < 2) {
        problems.add(here, "has fewer than two readings; write the suite's first, then the others");
    }
    for (std::size_t k = 0; k < list->size(); ++k) {
        const Place place = here.child(k);
        const Json& entry = (*list)[k];
        if (!check_keys(entry, place, {"reading"}, {"for", "against"}, problems)) continue;
        Reading reading{text_at(entry, place, "reading", problems),
                        text_at(entry, place, "for", problems),
                        text_at(entry, place, "against", problems)};
        if (find_member(entry, "for") == nullptr && find_member(entry, "against") == nullptr) {
            problems.add(place, "says neither what is \"for\" nor what is \"against\" the reading");
        }
        readings.push_back(std::move(reading));
    }
    return readings;
}

void check_references(const Clarification& entry, const Place& at, const CasesById& cases,
                      const RuleCatalogue& rules, Problems& problems) {
    const auto is_concerned = [&](OperatorVersion version) {
        return std::ranges::find(entry.versions, version) != entry.versions.end();
    };
    const Place rules_place = at.child("rules");
    for (const std::string& id : entry.rules) {
        const Rule* rule = rules.find(id);
        if (rule == nullptr) {
            problems.add(rules_place, in_quotes(id) +
                                          " is no rule; `gathercheck list rules` has "
                                          "their ids");
        } else if (!is_concerned(rule->version)) {
            problems.add(rules_place,
                         in_quotes(id) + " is a rule of " + std::string(name(rule->version)) +
                             ", which \"operators\" lacks; add it, or remove the rule");
        }
    }
    const Place cases_place = at.child("cases");
    for (const std::string& id : entry.cases) {
        const Case* found = cases.find(id);
        if (found == nullptr) {
            problems.add(cases_place, in_quotes(id) +
                                          " is no case; `gathercheck list` has their "
                                          "ids");
            continue;
        }
        const bool fits = std::ranges::any_of(
            entry.versions, [&](auto version) { return found->expectation(version); });
        if (!fits) {
            problems.add(cases_place, in_quotes(id) +
                                          " expects nothing of any version in \"operators\"; "
                                          "name a case that does");
        }
    }
}

Clarification read_clarification(const Json& value, const Place& at, const std::string& stem,
                                 Problems& problems) {
    check_keys(value, at,
               {"id", "title", "topic", "operators", "rules", "says", "silent", "readings", "why",
                "question"},
               {"cases", "no_case"}, problems);
    Clarification entry;
    if (!value.is_object()) return entry;
    entry.id = text_at(value, at, "id", problems);
    entry.title = text_at(value, at, "title", problems);
    entry.topic = text_at(value, at, "topic", problems);
    entry.rules = texts_at(value, at, "rules", problems);
    entry.says = text_at(value, at, "says", problems);
    entry.silent = text_at(value, at, "silent", problems);
    entry.readings = read_readings(value, at, problems);
    entry.why = text_at(value, at, "why", problems);
    entry.cases = texts_at(value, at, "cases", problems);
    entry.no_case = text_at(value, at, "no_case", problems);
    entry.question = text_at(value, at, "question", problems);

    if (!entry.id.empty() && !is_kebab_case(entry.id)) {
        problems.add(at.child("id"),
                     in_quotes(entry.id) + " is no kebab-case id; write it like index-past-end");
    } else if (!entry.id.empty() && entry.id != stem) {
        problems.add(at.child("id"), in_quotes(entry.id) + " is not the name of its file, " +
                                         in_quotes(stem) + "; make them agree");
    }
    if (!entry.topic.empty() && std::ranges::find(clarification_topics, entry.topic,
                                                  &Topic::name) == clarification_topics.end()) {
        std::string known;
        for (const Topic& topic : clarification_topics) {
            known += (known.empty() ? "" : ", ") + std::string(topic.name);
        }
        problems.add(at.child("topic"),
                     in_quotes(entry.topic) + " is no topic; write one of " + known);
    }
    const Place operators = at.child("operators");
    for (const std::string& text : texts_at(value, at, "operators", problems)) {
        if (const auto version = operator_version(text)) {
            entry.versions.push_back(*version);
        } else {
            problems.add(operators, in_quotes(text) +
                                        " is no operator version; `gathercheck list "
                                        "operators` has their names");
        }
    }
    if ((find_member(value, "cases") != nullptr) == (find_member(value, "no_case") != nullptr)) {
        problems.add(at,
                     "write either the \"cases\" that pin the point or, in \"no_case\", why "
                     "there is none");
    }
    return entry;
}

std::size_t topic_rank(const Clarification& entry) {
    const auto found = std::ranges::find(clarification_topics, entry.topic, &Topic::name);
    return static_cast<std::size_t>(found - clarification_topics.begin());
}

}  // namespace

std::variant<std::vector<Clarification>, std::vector<Problem>> load_clarifications(
    const fs::path& folder, const Suite& suite, const RuleCatalogue& rules) {
    std::error_code error;
    std::vector<fs::path> files = json_files(folder, error);
    std::erase_if(files, [](const fs::path& file) { return file.filename() == observed_file; });
    if (error || files.empty()) {
        return std::vector<Problem>{
            {folder.generic_string(), "",
             error ? "the folder of clarifications cannot be searched: " + error.message() +
                         "; check the path and its permissions"
                   : "the folder holds no clarification, like index-past-end.json; name the folder "
                     "of the clarifications"}};
    }
    const CasesById cases(suite.cases);

    std::vector<Clarification> entries;
    std::vector<Problem> all;
    for (const fs::path& file : files) {
        const JsonResult document = read_json(file);
        if (const auto* refused = std::get_if<std::vector<Problem>>(&document)) {
            all.insert(all.end(), refused->begin(), refused->end());
            continue;
        }
        Problems problems(file.generic_string());
        const Place top;
        Clarification entry =
            read_clarification(std::get<Json>(document), top, file.stem().string(), problems);
        check_references(entry, top, cases, rules, problems);
        entries.push_back(std::move(entry));
        auto found = std::move(problems).take();
        all.insert(all.end(), found.begin(), found.end());
    }
    if (!all.empty()) return all;
    std::ranges::stable_sort(entries, {}, topic_rank);
    return entries;
}

std::vector<const Clarification*> open_points(const std::vector<Clarification>& entries,
                                              const Case& tested, OperatorVersion version,
                                              const std::vector<std::string>& cited,
                                              const RuleCatalogue& rules) {
    const std::string& id = tested.written.empty() ? tested.id : tested.written;
    std::vector<std::string> readings;
    for (const std::string& each : cited) {
        const Rule* rule = rules.find(each);
        if (rule != nullptr && rule->version == version && rule->level == "reading") {
            readings.push_back(each);
        }
    }
    const auto has = [](const auto& list, const auto& what) {
        return std::ranges::find(list, what) != list.end();
    };
    std::vector<const Clarification*> found;
    for (const Clarification& entry : entries) {
        if (!has(entry.versions, version)) continue;
        const auto is_cited = [&](const std::string& rule) { return has(entry.rules, rule); };
        if (has(entry.cases, id) || std::ranges::any_of(readings, is_cited)) {
            found.push_back(&entry);
        }
    }
    return found;
}

std::string open_point_text(const Clarification& entry) {
    return "Open point: " + entry.title + " (gathercheck clarifications " + entry.id + ")";
}

}  // namespace gathercheck
