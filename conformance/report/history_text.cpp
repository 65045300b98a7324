// SPDX-License-Identifier: Apache-2.0
// Histories, as people read them.
#include <algorithm>
#include <string>
#include <vector>

#include "conformance/report/history.hpp"
#include "conformance/report/report.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

constexpr std::size_t shown_hash_digits = 8;

/// The machines of all runs, in the order in which they come.
std::vector<std::string> machines_of(const History& history) {
    std::vector<std::string> machines;
    for (const HistoryRun& run : history.runs) {
        const std::string machine = machine_text(run.record);
        if (std::ranges::find(machines, machine) == machines.end()) machines.push_back(machine);
    }
    return machines;
}

/// Where the runs come from, a line each.
std::vector<std::string> circumstances(const History& history) {
    std::vector<std::string> lines;
    lines.push_back(count_of(static_cast<std::int64_t>(history.runs.size()), "run") +
                    (history.is_by_time ? ", in the order in which they began"
                                        : ", in the order of the names of their files, since " +
                                              history.without_time + " tells no time"));
    const std::vector<std::string> machines = machines_of(history);
    for (std::size_t k = 0; k < machines.size(); ++k) {
        lines.push_back("machine" + (machines.size() == 1 ? "" : " " + std::to_string(k + 1)) +
                        ": " + machines[k]);
    }
    for (const LeftOutRun& each : history.left_out) {
        lines.push_back("left out: " + each.file + ": " + each.why);
    }
    return lines;
}

/// The runs of an implementation, the heading first; the first `trend_text_columns` are text.
constexpr std::size_t trend_text_columns = 7;

std::vector<std::vector<std::string>> trend(const History& history,
                                            const ImplementationHistory& one) {
    std::vector<Verdict> shown;
    for (const Verdict verdict : shown_verdicts()) {
        const bool is_used = std::ranges::any_of(
            one.points, [&](const HistoryPoint& point) { return point.tally.count(verdict) > 0; });
        if (is_used || verdict == Verdict::pass || verdict == Verdict::fail) {
            shown.push_back(verdict);
        }
    }
    std::vector<std::vector<std::string>> rows{
        {"run", "begun", "version", "gathercheck", "suite", "machine", "file"}};
    for (const Verdict verdict : shown) rows.front().emplace_back(name(verdict));
    const std::vector<std::string> machines = machines_of(history);
    for (const HistoryPoint& point : one.points) {
        const HistoryRun& run = history.runs[point.run];
        const auto machine = std::ranges::find(machines, machine_text(run.record));
        std::vector<std::string>& row = rows.emplace_back();
        row = {std::to_string(rows.size() - 1),
               run.record.started,
               point.tally.record.version,
               run.record.tool_version,
               run.record.suite_hash.substr(0, shown_hash_digits),
               std::to_string(machine - machines.begin() + 1),
               run.file};
        if (point.tally.record.state != "started") {
            row.push_back(point.tally.record.state);
            row.resize(rows.front().size());
            continue;
        }
        for (const Verdict verdict : shown) {
            row.push_back(std::to_string(point.tally.count(verdict)));
        }
    }
    return rows;
}

/// What each run changed, a line each.
std::vector<std::string> changes(const ImplementationHistory& one) {
    std::vector<std::string> lines;
    for (std::size_t k = 1; k < one.points.size(); ++k) {
        const std::string text = changes_text(one.points[k].changes);
        lines.push_back("run " + std::to_string(k + 1) + ": " +
                        (text.empty() ? "nothing changed" : text));
    }
    return lines;
}

std::string heading(const ImplementationHistory& one) {
    return one.name + ": " + count_of(static_cast<std::int64_t>(one.points.size()), "run");
}

std::string who(const HistoryFinding& finding) {
    return finding.finding.empty() ? finding.what : "finding " + finding.finding;
}

constexpr const char* no_failure = "no failure in any run";

}  // namespace

std::string history_text(const History& history) {
    std::string text;
    for (const std::string& line : circumstances(history)) text += printable(line) + "\n";
    for (const ImplementationHistory& one : history.implementations) {
        text += "\n" + printable(heading(one)) + "\n\n";
        std::vector<std::vector<std::string>> rows = trend(history, one);
        for (auto& row : rows) {
            for (std::string& cell : row) cell = printable(cell);
        }
        text += table(rows, trend_text_columns);
        if (one.points.size() > 1) text += "\nchanges, each from the run before:\n";
        for (const std::string& line : changes(one)) text += "  " + printable(line) + "\n";
        text += one.findings.empty() ? std::string("\n") + no_failure + "\n" : "\nfailures:\n";
        for (const HistoryFinding& finding : one.findings) {
            text += "  " + printable(who(finding)) + " (" + short_names(finding.versions) +
                    ")\n      " + printable(since_text(finding)) + "\n";
        }
    }
    return text;
}

std::string history_markdown(const History& history) {
    std::string text = "## gathercheck history\n\n";
    for (const std::string& line : circumstances(history)) {
        text += "- " + in_markdown(line) + "\n";
    }
    for (const ImplementationHistory& one : history.implementations) {
        text += "\n### " + in_markdown(heading(one)) + "\n\n";
        const auto rows = trend(history, one);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (const std::string& cell : rows[k]) text += "| " + in_markdown(cell) + " ";
            text += "|\n";
            if (k > 0) continue;
            for (std::size_t column = 0; column < rows[k].size(); ++column) {
                text += column < trend_text_columns ? "|---" : "|---:";
            }
            text += "|\n";
        }
        if (one.points.size() > 1) text += "\nChanges, each from the run before:\n\n";
        for (const std::string& line : changes(one)) text += "- " + in_markdown(line) + "\n";
        text += one.findings.empty() ? std::string("\n") + no_failure + "\n"
                                     : "\n| failure | operators | runs |\n|---|---|---|\n";
        for (const HistoryFinding& finding : one.findings) {
            text += "| " + in_markdown(who(finding)) + " | " + short_names(finding.versions) +
                    " | " + in_markdown(since_text(finding)) + " |\n";
        }
    }
    return text;
}

}  // namespace gathercheck
