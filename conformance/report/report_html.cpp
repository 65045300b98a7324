// SPDX-License-Identifier: Apache-2.0
// One page for a browser from records.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/records/tally.hpp"
#include "conformance/records/unclaimed.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

/// Failures of one operator version that are written out one by one.
constexpr std::size_t most_failures = 200;

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --back: #ffffff; --fore: #1b1f24; --soft: #59636e; --line: #d1d9e0; --panel: #f6f8fa;
  --good: #1a7f37; --bad: #c62828; --warn: #9a6700; --link: #0757ba; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --fore: #e6edf3; --soft: #9198a1; --line: #3d444d; --panel: #161b22;
  --good: #4ac26b; --bad: #ff7b72; --warn: #d8a23a; --link: #6cb2ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--back); color: var(--fore);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; } h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 0.5rem; }
a { color: var(--link); }
.conclusion { display: inline-block; padding: 0.15rem 0.7rem; border: 2px solid; border-radius: 1rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: 0.3rem 0.7rem; text-align: left; vertical-align: top; overflow-wrap: normal; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; } td.number, th.number { text-align: right; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; margin: 0.5rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 40rem) { .version { display: none; } dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.4rem; } th, td { padding: 0.25rem 0.4rem; } }
details { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.4rem 0; background: var(--panel); }
summary { cursor: pointer; padding: 0.35rem 0.7rem; } details > :not(summary) { margin: 0.4rem 0.7rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875rem; }
pre { white-space: pre-wrap; background: var(--back); border: 1px solid var(--line); border-radius: 0.3rem; padding: 0.5rem; }
ul { margin: 0.4rem 0; padding-left: 1.5rem; }
)";

std::string element(std::string_view name, const std::string& text) {
    return "<" + std::string(name) + ">" + text + "</" + std::string(name) + ">";
}

std::string text_in(std::string_view name, const std::string& text) {
    return element(name, xml_text(text));
}

/// Narrow screens have no room for it.
std::string version_cell(const std::string& version) {
    return "<td class=\"version\">" + xml_text(version) + "</td>";
}

std::string term(const std::string& name, const std::string& value) {
    if (value.empty()) return {};
    return text_in("dt", name) + text_in("dd", value) + "\n";
}

std::string_view color_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass:
            return "good";
        case Verdict::fail:
        case Verdict::crash:
        case Verdict::timeout:
        case Verdict::broken:
        case Verdict::not_run:
            return "bad";
        case Verdict::known_failure:
        case Verdict::fixed:
        case Verdict::difference:
            return "warn";
        case Verdict::unsupported:
        case Verdict::unavailable:
        case Verdict::unspecified:
            break;
    }
    return "soft";
}

std::string id_of(const ImplementationResults& results, const ReportData& data) {
    return "implementation-" + std::to_string(&results - data.implementations().data());
}

bool has_failures(const ImplementationResults& results) {
    return std::ranges::any_of(results.cases,
                               [](const auto& entry) { return !entry.second.shown.empty(); });
}

std::string summary_table(const ReportData& data) {
    const Tally& tally = data.tally();
    std::vector<Verdict> shown;
    for (const Verdict verdict : shown_verdicts()) {
        const bool used = std::ranges::any_of(
            tally.implementations(), [&](const auto& one) { return one.count(verdict) != 0; });
        if (used || verdict == Verdict::pass || verdict == Verdict::fail) shown.push_back(verdict);
    }
    std::string head = "<th>implementation</th><th class=\"version\">version</th>";
    for (const Verdict verdict : shown) {
        head += "<th class=\"number\">" + std::string(name(verdict)) + "</th>";
    }
    std::string rows;
    for (const ImplementationTally& one : tally.implementations()) {
        std::string label = xml_text(one.record.name);
        for (const ImplementationResults& results : data.implementations()) {
            if (results.name != one.record.name || results.version != one.record.version) continue;
            if (has_failures(results)) {
                label = "<a href=\"#" + id_of(results, data) + "\">" + label + "</a>";
            }
        }
        std::string row = element("td", label) + version_cell(one.record.version);
        if (one.record.state != "started") {
            const std::string why =
                one.record.state + (one.record.why.empty() ? "" : ": " + one.record.why);
            rows += "<tr>" + row + "<td class=\"soft\" colspan=\"" + std::to_string(shown.size()) +
                    "\">" + xml_text(why) + "</td></tr>\n";
            continue;
        }
        for (const Verdict verdict : shown) {
            const std::int64_t count = one.count(verdict);
            row += "<td class=\"number " + std::string(count == 0 ? "soft" : color_of(verdict)) +
                   "\">" + std::to_string(count) + "</td>";
        }
        rows += element("tr", row) + "\n";
    }
    return "<div class=\"scroll\"><table><thead><tr>" + head + "</tr></thead><tbody>\n" + rows +
           "</tbody></table></div>\n";
}

/// The rules that entries cite and the files that show their failures, in one soft line.
std::string evidence(const std::set<std::string>& rules, const std::set<std::string>& shown_by) {
    const auto listed = [](const std::set<std::string>& words) {
        std::string text;
        for (const std::string& word : words) {
            text += (text.empty() ? "" : ", ") + text_in("code", word);
        }
        return text;
    };
    std::string text;
    if (!rules.empty()) text += "Breaks " + listed(rules) + ". ";
    if (!shown_by.empty()) text += "Shown by " + listed(shown_by) + ".";
    return text.empty() ? text : "<p class=\"soft\">" + text + "</p>\n";
}

std::string failure_item(const ShownExecution& shown) {
    const ExecutionRecord& record = shown.record;
    const std::string wrong = wrong_outcome(record);
    std::string text = "<details><summary><span class=\"" + std::string(color_of(record.verdict)) +
                       "\">" + xml_text(wrong.empty() ? std::string(name(record.verdict)) : wrong) +
                       "</span> " + text_in("code", record.case_id) + " <span class=\"soft\">" +
                       to_string(record.route) + "</span></summary>\n";
    if (!record.title.empty()) text += text_in("p", record.title) + "\n";
    if (record.verdict == Verdict::fixed) {
        text += text_in("p",
                        "No failure any more; --update-known-failures takes it out of the known "
                        "failures: " +
                            record.reason) +
                "\n";
        std::set<std::string> shown_by;
        if (!record.shown_by.empty()) shown_by.insert(record.shown_by);
        text += evidence({record.rules.begin(), record.rules.end()}, shown_by);
    }
    if (!record.detail.empty()) text += text_in("pre", record.detail) + "\n";
    const std::string got = wrong_output_text(record);
    if (!got.empty()) text += text_in("pre", "got " + got) + "\n";
    if (!record.rules.empty() && record.verdict != Verdict::fixed) {
        std::string rules;
        for (const std::string& rule : record.rules) {
            rules += (rules.empty() ? "" : ", ") + text_in("code", rule);
        }
        text += "<p class=\"soft\">Rules of the case: " + rules + "</p>\n";
    }
    if (!record.reproducer.empty()) {
        text += element("p", "Reproducer: " + text_in("code", record.reproducer)) + "\n";
    }
    return text + "<p class=\"soft\">Repeat:</p>" + text_in("pre", shown.repeat) + "</details>\n";
}

/// What fails, by operator version, one by one.
std::string failures(const ImplementationResults& results) {
    std::map<OperatorVersion, std::vector<const ShownExecution*>> by_version;
    for (const auto& [key, of_case] : results.cases) {
        for (const ShownExecution& shown : of_case.shown) {
            if (is_reported(shown.record.verdict)) by_version[key.first].push_back(&shown);
        }
    }
    std::string text;
    for (const auto& [version, all] : by_version) {
        text +=
            element("h3", std::string(name(version)) + ": " + std::to_string(all.size())) + "\n";
        for (std::size_t k = 0; k < std::min(all.size(), most_failures); ++k) {
            text += failure_item(*all[k]);
        }
        if (all.size() > most_failures) {
            text += text_in("p", "... and " + std::to_string(all.size() - most_failures) +
                                     " more in the records.") +
                    "\n";
        }
    }
    return text;
}

/// The known failures of one reason, each case and operator version once.
struct Known {
    std::int64_t executions = 0;
    std::set<std::string> rules;
    std::set<std::string> shown_by;
    std::map<std::pair<OperatorVersion, std::string>, std::vector<const ShownExecution*>> cases;
};

std::string known_failures(const ImplementationResults& results) {
    std::map<std::string, Known> by_reason;
    std::int64_t executions = 0;
    for (const auto& [key, of_case] : results.cases) {
        for (const ShownExecution& shown : of_case.shown) {
            if (shown.record.verdict != Verdict::known_failure) continue;
            Known& known = by_reason[shown.record.reason];
            ++known.executions;
            ++executions;
            known.rules.insert(shown.record.rules.begin(), shown.record.rules.end());
            if (!shown.record.shown_by.empty()) known.shown_by.insert(shown.record.shown_by);
            known.cases[{key.first, shown.record.case_id}].push_back(&shown);
        }
    }
    if (executions == 0) return {};
    std::string text = "<details><summary><span class=\"warn\">known failures</span> " +
                       std::to_string(executions) + "</summary>\n";
    for (const auto& [reason, known] : by_reason) {
        text += "<details><summary>" + xml_text(reason) + " <span class=\"soft\">" +
                std::to_string(known.executions) + "</span></summary>\n" +
                evidence(known.rules, known.shown_by) + "<ul>\n";
        std::size_t count = 0;
        for (const auto& [key, all] : known.cases) {
            if (++count > most_failures) break;
            const ExecutionRecord& first = all.front()->record;
            std::string routes;
            for (const ShownExecution* shown : all) {
                routes += (routes.empty() ? "" : ", ") + to_string(shown->record.route);
            }
            text += "<li>" + std::string(name(key.first)) + " " + text_in("code", key.second) +
                    ": " + xml_text(wrong_outcome(first)) +
                    (first.title.empty() ? "" : "; " + xml_text(first.title)) +
                    " <span class=\"soft\">" + routes + "</span>";
            if (!first.reproducer.empty()) {
                text +=
                    " <span class=\"soft\">reproducer</span> " + text_in("code", first.reproducer);
            }
            text += "<pre>" + xml_text(all.front()->repeat) + "</pre></li>\n";
        }
        text += "</ul>\n";
        if (known.cases.size() > most_failures) {
            text += text_in("p", "... and " + std::to_string(known.cases.size() - most_failures) +
                                     " more cases in the records.") +
                    "\n";
        }
        text += "</details>\n";
    }
    return text + "</details>\n";
}

std::string classes(const ReportData& data) {
    std::string rows;
    for (const ImplementationResults& results : data.implementations()) {
        for (const auto& [version, counts] : results.classes) {
            std::string did;
            for (const auto& [classification, count] : counts) {
                did += (did.empty() ? "" : ", ") + classification + " " + std::to_string(count);
            }
            rows +=
                element("tr", text_in("td", results.name) + version_cell(results.version) +
                                  text_in("td", std::string(name(version))) + text_in("td", did)) +
                "\n";
        }
    }
    if (rows.empty()) return {};
    return "<h2>Where nothing is specified</h2>\n<p>No sentence decides these calls: what was done "
           "is classified, and is no failure.</p>\n"
           "<div class=\"scroll\"><table><thead><tr><th>implementation</th>"
           "<th class=\"version\">version</th>"
           "<th>operator</th><th>what it did</th></tr></thead><tbody>\n" +
           rows + "</tbody></table></div>\n";
}

std::string unclaimed_types(const Tally& tally) {
    std::string rows;
    for (const ImplementationTally& one : tally.implementations()) {
        for (const UnclaimedText& text : folded(unclaimed(one.record), true)) {
            const std::string said =
                text.why.empty() ? "not claimed" : "not implemented: " + text.why;
            rows +=
                element("tr", text_in("td", one.record.name) + version_cell(one.record.version) +
                                  text_in("td", text.operators()) + text_in("td", text.types) +
                                  text_in("td", said)) +
                "\n";
        }
    }
    if (rows.empty()) return {};
    return "<h2>Not implemented, not claimed</h2>\n<p>What the specifications allow and was not "
           "asked: engines refuse it in their own words, or nothing is said of it. It is no "
           "failure."
           "</p>\n<div class=\"scroll\"><table><thead><tr><th>implementation</th>"
           "<th class=\"version\">version</th>"
           "<th>operators</th><th>element types</th><th>what is said</th></tr></thead><tbody>\n" +
           rows + "</tbody></table></div>\n";
}

/// What explains the failures of an implementation, where the run found it.
std::string diagnosis(const ImplementationResults& results, const Tally& tally) {
    std::string text;
    for (const NoteRecord& note : tally.notes()) {
        if (note.level != "diagnosis" || note.implementation != results.name) continue;
        text += "<p><strong>Diagnosis:</strong> " + xml_text(note.text) + "</p>\n";
    }
    return text;
}

std::string out_of_bounds_map(std::span<const PolicyRow> rows) {
    if (rows.empty()) return {};
    std::string lines;
    const auto cells = policy_cells(rows);
    for (std::size_t row = 1; row < cells.size(); ++row) {
        std::string line;
        for (std::size_t k = 0; k < cells[row].size(); ++k) {
            const std::string& cell = cells[row][k];
            const bool departs = k > 2 && cell.ends_with(" !");
            line += departs ? "<td><span class=\"bad\">" + xml_text(cell) + "</span></td>"
                            : text_in("td", cell);
        }
        lines += element("tr", line) + "\n";
    }
    std::string head;
    for (const std::string& cell : cells.front()) head += text_in("th", cell);
    return "<h2>Indices out of bounds</h2>\n<p>" + xml_text(std::string(policy_legend())) +
           "</p>\n<div class=\"scroll\"><table><thead>" + element("tr", head) +
           "</thead><tbody>\n" + lines + "</tbody></table></div>\n";
}

std::string notes(const Tally& tally) {
    std::string items;
    for (const NoteRecord& note : tally.notes()) {
        if (note.level == "diagnosis") continue;  // it stands with the failures
        const std::string look = note.level == "warning"    ? "warn"
                                 : note.level == "verified" ? "soft"
                                                            : "bad";
        items += "<li><span class=\"" + look + "\">" + xml_text(note.level) + "</span> " +
                 xml_text(note.implementation + ": " + note.text) + "</li>\n";
    }
    return items.empty() ? std::string() : "<h2>Notes</h2>\n<ul>\n" + items + "</ul>\n";
}

std::string provenance(const ReportData& data) {
    std::string text;
    for (const RunResults& results : data.runs()) {
        const RunRecord& run = results.run;
        std::string command;
        for (const std::string& argument : run.command) {
            command += (command.empty() ? "" : " ") + shell_word(argument);
        }
        std::string end = "none: the run was cut short, these records are partial";
        if (results.end) {
            char seconds[32];
            std::snprintf(seconds, sizeof seconds, "%.1f", results.end->seconds);
            end = std::to_string(results.end->executions) + " executions in " + seconds + " s" +
                  (results.end->partial ? "; interrupted: these records are partial" : "");
        }
        text +=
            "<dl>\n" +
            term("suite", run.suite_version + ", " + std::to_string(run.cases) + " cases") +
            term("hash of the suite", run.suite_hash) + term("gathercheck", run.tool_version) +
            term("started", run.started) + term("ended", end) + term("command", command) +
            term("CPU", run.cpu) +
            term("system", run.system + (run.distribution.empty() ? "" : ", " + run.distribution)) +
            "</dl>\n";
    }
    return text.empty() ? text : "<h2>Where it comes from</h2>\n" + text;
}

}  // namespace

std::string html_report(const ReportData& data, std::span<const PolicyRow> map) {
    const Tally& tally = data.tally();
    const int exit_code = tally.exit_code();
    const char* color = exit_code == 0 ? "good" : exit_code == 1 ? "bad" : "warn";
    std::string body = "<h1>gathercheck</h1>\n<p><span class=\"conclusion " + std::string(color) +
                       "\">" + xml_text(conclusion(tally)) + "</span></p>\n";
    if (tally.partial()) {
        body +=
            "<p class=\"bad\"><strong>The run was cut short: these records are partial."
            "</strong></p>\n";
    }
    for (const std::string& what : tally.lacking()) {
        body += "<p class=\"bad\"><strong>incomplete: " + xml_text(what) + "</strong></p>\n";
    }
    body += summary_table(data);
    for (const ImplementationResults& results : data.implementations()) {
        if (!has_failures(results)) continue;
        body += "<h2 id=\"" + id_of(results, data) + "\">" +
                xml_text(results.name + " " + results.version) + "</h2>\n" +
                diagnosis(results, tally) + failures(results) + known_failures(results);
    }
    body += out_of_bounds_map(map) + classes(data) + unclaimed_types(tally) + notes(tally) +
            provenance(data);
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
           "<title>gathercheck: " +
           xml_text(conclusion(tally)) + "</title>\n<style>" + std::string(style) +
           "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n";
}

}  // namespace gathercheck
