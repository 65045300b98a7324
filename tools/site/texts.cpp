// SPDX-License-Identifier: Apache-2.0
#include "tools/site/texts.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/records/record.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/number.hpp"
#include "tools/site/markup.hpp"
#include "tools/site/names.hpp"

namespace gathercheck {
namespace {

/// Of a description that search engines show.
constexpr std::size_t longest_description = 300;

/// The text on one line, cut between two words where it is too long.
std::string on_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    std::string_view start = start_of(text, longest_description);
    if (start.size() == text.size()) return text;
    if (const std::size_t blank = start.rfind(' '); blank != std::string_view::npos) {
        start = start.substr(0, blank);
    }
    return std::string(start) + " …";
}

/// "12 known failure, 1240 pass" of {"known failure": 12, "pass": 1240}.
std::string counts_text(const Json& counts) {
    std::string text;
    for (const auto& [verdict, count] : counts.items()) {
        text +=
            (text.empty() ? "" : ", ") + std::to_string(count.get<std::int64_t>()) + " " + verdict;
    }
    return text;
}

/// A table whose first column are headings of its rows; cells are HTML.
std::string table(const std::string& caption, const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
    Markup made;
    made.open("table").element("caption", caption).open("thead").open("tr");
    for (const std::string& cell : head) made.element("th", cell, {{"scope", "col"}});
    made.close("tr").close("thead").open("tbody");
    for (const std::vector<std::string>& row : rows) {
        made.open("tr");
        for (std::size_t k = 0; k < row.size(); ++k) {
            const std::string_view name = k == 0 ? "th" : "td";
            made.open(name, {{"scope", k == 0 ? "row" : ""}}).raw(row[k]).close(name);
        }
        made.close("tr");
    }
    return made.close("tbody").close("table").made();
}

std::string escaped(const std::string& text) { return Markup().text(text).made(); }

std::string linked(const std::string& to, const std::string& text) {
    return Markup().link(to, text).made();
}

std::string to_version(const SiteData& data, const std::string& root, std::int64_t version) {
    const std::string name = data.version_name(version);
    return linked(root + page_path("operators", name), name);
}

const Json& rule_of(const SiteData& data, const Json& number) {
    return data.document()["rules"][number.get<std::size_t>()];
}

/// An entry of a list that leads to a page, and what else is said of it.
void add_entry(Markup& made, const std::string& to, const std::string& text,
               const std::string& more = {}) {
    made.open("li").link(to, text).text(more).close("li");
}

/// A rule: its sentence, and where that stands.
void add_rule(Markup& made, const SiteData& data, const Json& rule, bool is_linked) {
    made.open("p");
    if (is_linked) {
        const std::string page =
            page_path("operators", data.version_name(rule["version"].get<std::int64_t>()));
        made.link("../" + page + "#" + rule["id"].get<std::string>(), rule["id"]);
    } else {
        made.element("code", rule["id"]);
    }
    made.text(" " + rule["statement"].get<std::string>()).text(" (" + text_of(rule, "level"));
    for (const Json& place : rule.value("places", Json::array())) {
        const std::string text =
            place["document"].get<std::string>() + ", " + place["section"].get<std::string>();
        made.text("; ");
        const std::string address = text_of(place, "address");
        if (address.starts_with("https://")) {
            made.link(address, text);
        } else {
            made.text(text);
        }
    }
    made.text(")").close("p");
}

void add_rules(Markup& made, const SiteData& data, const Json& numbers) {
    if (numbers.empty()) return;
    made.element("h2", numbers.size() == 1 ? "The rule" : "The rules");
    for (const Json& number : numbers) add_rule(made, data, rule_of(data, number), true);
}

bool holds(const Json& list, const Json& wanted) {
    return std::ranges::any_of(list, [&](const Json& each) { return each == wanted; });
}

std::string severity_of(const SiteData& data, const Json& finding) {
    return data.document()["severities"][finding["severity"].get<std::size_t>()];
}

/// What the records show, the gravest first.
std::vector<const Json*> sorted_findings(const SiteData& data) {
    std::vector<const Json*> sorted = data.shown_findings();
    std::ranges::stable_sort(sorted, {},
                             [](const Json* finding) { return (*finding)["severity"].get<int>(); });
    return sorted;
}

void add_findings(Markup& made, const SiteData& data, const std::string& root,
                  const std::function<bool(const Json&)>& is_chosen) {
    Markup items;
    for (const Json* finding : sorted_findings(data)) {
        if (!is_chosen(*finding)) continue;
        items.open("li")
            .text(severity_of(data, *finding) + ": ")
            .link(root + page_path("findings", (*finding)["id"]), (*finding)["title"])
            .text(" (" + (*finding)["engine"].get<std::string>() + ")")
            .close("li");
    }
    if (items.made().empty()) return;
    made.element("h2", "Findings").open("ul").raw(items.made()).close("ul");
}

void add_facts(Markup& made, std::initializer_list<std::pair<const char*, std::string>> facts) {
    made.open("dl");
    for (const auto& [name, value] : facts) {
        if (!value.empty()) made.element("dt", name).element("dd", value);
    }
    made.close("dl");
}

PageText page_text(std::string title, const std::string& description, const Markup& text) {
    return {std::move(title), on_one_line(description), text.made()};
}

std::string name_and_version(const Json& implementation) {
    return implementation["name"].get<std::string>() + " " +
           implementation["version"].get<std::string>();
}

}  // namespace

std::string conclusion_of(const SiteData& data) {
    const Json& conclusion = data.document()["conclusion"];
    const bool is_partial = conclusion["partial"] || !conclusion["lacking"].empty();
    return (is_partial ? "PARTIAL: " : "") + conclusion["text"].get<std::string>();
}

std::string warnings_of(const SiteData& data) {
    const Json& conclusion = data.document()["conclusion"];
    Markup made;
    if (conclusion["partial"]) {
        made.element("p", "The run was cut short: these records are partial.",
                     {{"class", "warning"}});
    }
    for (const Json& what : conclusion["lacking"]) {
        made.element("p", "incomplete: " + what.get<std::string>(), {{"class", "warning"}});
    }
    return made.made();
}

PageText overview_text(const SiteData& data) {
    const Json& document = data.document();
    const std::string text = document["conclusion"]["text"];
    std::vector<std::string> head{"operator version"};
    for (const Json& one : document["implementations"]) head.push_back(name_and_version(one));
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> cells;
    for (const Json& entry : document["matrix"]) {
        cells[{entry[1].get<std::int64_t>(), entry[0].get<std::int64_t>()}] = counts_text(entry[2]);
    }
    std::vector<std::vector<std::string>> rows;
    for (const std::int64_t version : data.versions_run()) {
        std::vector<std::string>& row = rows.emplace_back();
        row.push_back(to_version(data, "", version));
        for (std::int64_t k = 0; k < std::ssize(document["implementations"]); ++k) {
            row.push_back(escaped(cells[{version, k}]));
        }
    }
    Markup made;
    made.element("h1", text);
    const Json& runs = document["runs"];
    const auto parts =
        std::ranges::count_if(runs, [](const Json& run) { return run.contains("part"); });
    if (parts > 0) {
        made.open("p").text(std::to_string(parts) + " of " + count_of(std::ssize(runs), "run") +
                            " asked for a part of the suite: ");
        made.link("run.html", "which").close("p");
    }
    made.element("h2", "Where");
    made.raw(table("Executions by operator version and implementation", head, rows));
    made.element("h2", "Implementations").open("ul");
    for (const Json& one : document["implementations"]) {
        add_entry(made, page_path("engines", one["label"]), name_and_version(one),
                  ": " + counts_text(one.value("counts", Json::object())));
    }
    made.close("ul");
    add_findings(made, data, "", [](const Json&) { return true; });
    return page_text(
        "Gather operators: " + conclusion_of(data),
        "What " + joined(std::span(head).subspan(1)) +
            " do with the gather operators of their specifications: " + conclusion_of(data) + ".",
        made);
}

PageText engine_text(const SiteData& data, std::int64_t implementation) {
    const Json& document = data.document();
    const Json& one = document["implementations"][static_cast<std::size_t>(implementation)];
    const std::string title = name_and_version(one);
    const std::string name = one["name"];
    Markup made;
    made.element("h1", title);
    add_facts(made, {{"state", text_of(one, "state")},
                     {"why", text_of(one, "why")},
                     {"language", text_of(one, "language")},
                     {"device", text_of(one, "device")},
                     {"not run", text_of(one, "stopped")}});
    for (const Json& note : document["notes"]) {
        if (note["implementation"] == name && note["level"] == "diagnosis") {
            made.element("p", "diagnosis: " + note["text"].get<std::string>());
        }
    }
    std::vector<std::vector<std::string>> rows;
    for (const Json& entry : document["matrix"]) {
        if (entry[0] != implementation) continue;
        rows.push_back({to_version(data, "../", entry[1].get<std::int64_t>()),
                        escaped(counts_text(entry[2]))});
    }
    made.raw(table("Executions", {"operator version", "executions"}, rows));
    add_findings(made, data, "../",
                 [&](const Json& finding) { return holds(finding["implementations"], name); });
    return page_text(title,
                     title + ": " + counts_text(one.value("counts", Json::object())) +
                         ", of the gather operators of " + std::to_string(rows.size()) +
                         " operator versions.",
                     made);
}

PageText operator_text(const SiteData& data, std::int64_t version) {
    const Json& document = data.document();
    const Json& info = document["versions"][static_cast<std::size_t>(version)];
    const std::string name = info["name"];
    std::map<std::int64_t, Markup> cases;
    for (std::int64_t k = 0; k < std::ssize(document["cases"]); ++k) {
        const Json& tested = data.tested(k);
        for (const Json& rule : tested.value("rules", Json::array())) {
            add_entry(cases[rule.get<std::int64_t>()], "../" + page_path("cases", tested["id"]),
                      tested["id"], " " + text_of(tested, "title"));
        }
    }
    Markup made;
    made.element("h1", name);
    add_facts(made, {{"negative indices", text_of(info, "negative")},
                     {"index outside its range", text_of(info, "outside")},
                     {"axis", text_of(info, "axis")},
                     {"batch_dims", text_of(info, "batch_dims")},
                     {"types of indices", text_of(info, "index_types")}});
    std::int64_t rules = 0;
    Markup sections;
    for (std::int64_t k = 0; k < std::ssize(document["rules"]); ++k) {
        const Json& rule = document["rules"][static_cast<std::size_t>(k)];
        if (rule["version"] != version) continue;
        ++rules;
        sections.open("section", {{"id", rule["id"]}});
        add_rule(sections, data, rule, false);
        add_findings(sections, data, "../",
                     [&](const Json& finding) { return holds(finding["rules"], k); });
        if (cases.contains(k)) {
            sections.element("h3", "Cases").open("ul").raw(cases[k].made()).close("ul");
        }
        sections.close("section");
    }
    made.element("h2", "Rules").raw(sections.made());
    return page_text(name + ": its rules, and who breaks them",
                     "The specification of " + name + " as " + std::to_string(rules) +
                         " rules, each with its sentence, the cases that test it, and the "
                         "implementations that break it.",
                     made);
}

PageText finding_text(const SiteData& data, const Json& finding) {
    const std::string title = finding["title"];
    const std::string statement = finding["statement"];
    Markup made;
    made.element("h1", title);
    if (statement != title) made.element("p", statement);
    made.element("p", text_of(finding, "note"));
    const std::string tested = finding["case"];
    if (data.case_number(tested) >= 0) {
        made.open("p")
            .text("A small call: ")
            .link("../" + page_path("cases", tested), tested)
            .text(", " + data.version_name(finding["version"].get<std::int64_t>()) + ": " +
                  finding["outcome"].get<std::string>())
            .close("p");
    }
    add_facts(made, {{"severity", severity_of(data, finding)},
                     {"engine", finding["engine"]},
                     {"implementations",
                      joined(finding["implementations"].get<std::vector<std::string>>())},
                     {"first seen in", finding["first"]},
                     {"last seen in", finding["last"]},
                     {"versions", text_of(finding, "since")}});
    const std::string link = text_of(finding, "link");
    if (link.starts_with("https://")) made.open("p").link(link, "Report").close("p");
    add_rules(made, data, finding["rules"]);
    made.element("h2", "Reproduce").open("pre").element("code", text_of(finding, "program"));
    made.close("pre");
    return page_text(finding["engine"].get<std::string>() + ": " + title, statement, made);
}

PageText case_text(const SiteData& data, std::int64_t case_number) {
    const Json& tested = data.tested(case_number);
    const std::string id = tested["id"];
    const std::string title = text_of(tested, "title");
    Markup made;
    made.element("h1", title.empty() ? id : title).element("p", text_of(tested, "why"));
    made.element("p", "case " + id);
    add_rules(made, data, tested.value("rules", Json::array()));
    std::vector<std::vector<std::string>> rows;
    for (const SiteAnswer* answer : data.answers_to(case_number)) {
        if (!is_looked_at(answer->verdict)) continue;
        const std::string label = data.label(answer->implementation);
        rows.push_back({linked("../" + page_path("engines", label), label),
                        to_version(data, "../", answer->version),
                        escaped(std::string(name(answer->verdict)))});
    }
    if (!rows.empty()) {
        made.element("h2", "Who does something else");
        made.raw(table("Failures", {"implementation", "operator version", "verdict"}, rows));
    }
    const std::string why = text_of(tested, "why");
    return page_text(title.empty() ? id : title + " (" + id + ")",
                     why.empty() ? title + " " + id : why, made);
}

PageText clarification_text(const SiteData& data, const Json& clarification) {
    Markup made;
    made.element("h1", clarification["title"]);
    add_facts(made, {{"the text says", text_of(clarification, "says")},
                     {"it does not say", text_of(clarification, "silent")}});
    made.element("h2", "Readings").open("ol");
    for (const Json& reading : clarification.value("readings", Json::array())) {
        made.element("li", reading["reading"]);
    }
    made.close("ol").element("p",
                             "Why the suite takes the first: " + text_of(clarification, "why"));
    made.element("p", text_of(clarification, "question"));
    add_rules(made, data, clarification["rules"]);
    return page_text(clarification["title"], text_of(clarification, "silent"), made);
}

PageText findings_text(const SiteData& data) {
    Markup made;
    made.element("h1", "Findings of the engines that ran");
    add_findings(made, data, "", [](const Json&) { return true; });
    return page_text("Findings",
                     "Each bug of the engines that ran once, with the sentence that it "
                     "breaks and a program that shows it.",
                     made);
}

PageText cases_text(const SiteData& data) {
    Markup made;
    made.element("h1", "Cases").open("ul");
    for (const Json& tested : data.document()["cases"]) {
        add_entry(made, page_path("cases", tested["id"]), tested["id"],
                  " " + text_of(tested, "title"));
    }
    made.close("ul");
    return page_text("Cases",
                     "Every hand-written case of the suite, and each other that an "
                     "implementation fails.",
                     made);
}

PageText clarifications_text(const SiteData& data) {
    Markup made;
    made.element("h1", "What the texts leave open").open("ul");
    for (const Json& entry : data.document()["clarifications"]) {
        add_entry(made, page_path("clarifications", entry["id"]), entry["title"]);
    }
    made.close("ul");
    return page_text("Open points",
                     "Where the specifications of gather operators are silent: the "
                     "readings possible, and the one that the suite takes.",
                     made);
}

PageText specifications_text(const SiteData& data) {
    std::vector<std::vector<std::string>> rows;
    const Json& versions = data.document()["versions"];
    for (std::int64_t k = 0; k < std::ssize(versions); ++k) {
        const Json& info = versions[static_cast<std::size_t>(k)];
        rows.push_back({to_version(data, "", k), escaped(info["negative"]),
                        escaped(info["outside"]), escaped(info["axis"]),
                        escaped(info["batch_dims"]), escaped(info["index_types"])});
    }
    Markup made;
    made.element("h1", "What each specification says");
    made.raw(table("Operator versions side by side",
                   {"operator version", "negative indices", "index outside its range", "axis",
                    "batch_dims", "types of indices"},
                   rows));
    return page_text("Specifications",
                     "What each specification of a gather operator says of "
                     "negative indices, indices out of bounds, axis and "
                     "batch_dims.",
                     made);
}

PageText policy_text(const SiteData& data) {
    const Json& map = data.document()["map"];
    Markup made;
    made.element("h1", "What becomes of indices out of bounds");
    if (map.is_null()) {
        made.element("p", "These records hold no case of the map.");
    } else {
        made.element("p", map["legend"]);
        std::vector<std::vector<std::string>> rows;
        for (const Json& row : map["rows"]) {
            std::vector<std::string>& cells = rows.emplace_back();
            for (const Json& cell : row) cells.push_back(cell);
        }
        const std::vector<std::string> head = rows.front();
        rows.erase(rows.begin());
        for (std::vector<std::string>& row : rows) {
            for (std::string& cell : row) cell = escaped(cell);
        }
        made.raw(table("The out-of-bounds map", head, rows));
    }
    return page_text("Indices out of bounds",
                     "What implementations do with indices out of bounds: "
                     "errors, zeros, clamping, or memory of others.",
                     made);
}

PageText history_text(const SiteData& data) {
    const Json& history = data.document()["history"];
    Markup made;
    made.element("h1", "From run to run");
    for (const Json& one : history["implementations"]) {
        made.element("h2", one["name"]);
        std::vector<std::vector<std::string>> rows;
        for (const Json& point : one["runs"]) {
            const Json& run = history["runs"][point["run"].get<std::size_t>()];
            rows.push_back({escaped(point["label"]), escaped(text_of(run, "started")),
                            escaped(counts_text(point["verdicts"]))});
        }
        made.raw(table("Runs", {"run", "started", "executions"}, rows));
        if (one["failures"].empty()) continue;
        made.element("h3", "Since when it fails").open("ul");
        for (const Json& failure : one["failures"]) {
            made.element("li", failure["what"].get<std::string>() + ": " +
                                   failure["since"].get<std::string>());
        }
        made.close("ul");
    }
    return page_text("From run to run",
                     "What came of each run of each implementation, and since when what fails.",
                     made);
}

PageText run_text(const SiteData& data) {
    Markup made;
    made.element("h1", "Where it comes from");
    for (const Json& run : data.document()["runs"]) {
        add_facts(made, {{"started", text_of(run, "started")},
                         {"suite", text_of(run, "suite")},
                         {"hash of the suite", text_of(run, "hash")},
                         {"gathercheck", text_of(run, "tool")},
                         {"asked for", text_of(run, "part")},
                         {"CPU", text_of(run, "cpu")},
                         {"command", text_of(run, "command")}});
    }
    return page_text("Where it comes from",
                     "The runs behind these pages: suite, command, machine "
                     "and time.",
                     made);
}

PageText script_text(const std::string& title, const std::string& description) {
    Markup made;
    made.element("h1", title).open("p").text("This page needs JavaScript. ");
    made.link("index.html", "The overview").text(" does without.").close("p");
    return page_text(title, description, made);
}

}  // namespace gathercheck
