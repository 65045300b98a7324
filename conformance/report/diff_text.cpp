// SPDX-License-Identifier: Apache-2.0
// Differences of two runs, as people read them.
#include <algorithm>
#include <string>
#include <vector>

#include "conformance/report/diff.hpp"
#include "conformance/report/report.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

constexpr std::size_t longest_detail = 160;
// Together with headings and remarks these make less than 60 lines.
constexpr std::size_t most_groups = 36;
constexpr std::size_t most_implementations = 8;
constexpr std::size_t most_lacking = 2;
constexpr std::size_t most_cases = 8;

/// "1.20.0 -> 1.31.1", "the same: 1.1.0".
std::string from_to(const std::string& before, const std::string& after) {
    return before == after ? "the same: " + before : before + " -> " + after;
}

/// What may have changed executions, a line each.
std::vector<std::string> circumstances(const RunDiff& diff) {
    const RunRecord& a = *diff.before;
    const RunRecord& b = *diff.after;
    std::vector<std::string> lines;
    lines.push_back("begun: " + from_to(a.started, b.started));
    lines.push_back("gathercheck: " + from_to(a.tool_version, b.tool_version));
    lines.push_back("suite: " + (diff.is_same_suite ? "the same"
                                                    : a.suite_hash.substr(0, 12) + " -> " +
                                                          b.suite_hash.substr(0, 12)));
    lines.push_back("machine: " + (machine_text(a) == machine_text(b)
                                       ? "the same"
                                       : from_to(machine_text(a), machine_text(b))));
    return lines;
}

/// "12 cases added: 8 of gather-sweep-x, gather-y"; empty where there is none.
std::string cases_text(const CaseCounts& cases, const std::string& what) {
    if (cases.empty()) return {};
    std::int64_t count = 0;
    std::vector<std::string> names;
    for (const auto& [id, of_it] : cases) {
        count += of_it;
        if (names.size() == most_cases) continue;
        names.push_back((of_it == 1 ? "" : std::to_string(of_it) + " of ") + id);
    }
    return count_of(count, "case") + " " + what + ": " + joined(names) +
           (names.size() < cases.size() ? ", ..." : "");
}

std::vector<std::string> cases_lines(const RunDiff& diff) {
    std::vector<std::string> lines;
    for (const std::string& line :
         {cases_text(diff.added, "only in the second"),
          cases_text(diff.removed, "only in the first"), cases_text(diff.changed, "changed")}) {
        if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> lacking_lines(const RunDiff& diff) {
    std::vector<std::string> lines;
    for (const std::string& what : diff.lacking_before) {
        lines.push_back("the first run is incomplete, so what it lacks is not run: " + what);
    }
    for (const std::string& what : diff.lacking_after) {
        lines.push_back("the second run is incomplete, so what it lacks is not run: " + what);
    }
    return lines;
}

/// "onnxruntime 1.20.0 -> 1.31.1: 100 executions in both, 3 in the first alone"
std::string heading(const ImplementationDiff& diff) {
    std::string text = diff.before->name;
    if (diff.after->name != diff.before->name) text += " -> " + diff.after->name;
    text += " " + (diff.before->version == diff.after->version
                       ? diff.after->version
                       : diff.before->version + " -> " + diff.after->version);
    for (const ImplementationRecord* one : {diff.before, diff.after}) {
        if (one->state == "started") continue;
        text += one == diff.before ? ", which was " : ", which is ";
        text += one->state + (one->why.empty() ? "" : " (" + one->why + ")");
    }
    text += ": " + count_of(diff.in_both, "execution") + " in both";
    if (diff.executions_before > diff.in_both) {
        text +=
            ", " + std::to_string(diff.executions_before - diff.in_both) + " in the first alone";
    }
    if (diff.executions_after > diff.in_both) {
        text +=
            ", " + std::to_string(diff.executions_after - diff.in_both) + " in the second alone";
    }
    return text;
}

/// What was there, what is there, and what the changes have in common.
std::string group_text(const ChangeGroup& group) {
    std::string text = short_names(group.versions) + ": ";
    if (group.from.empty() || group.to.empty()) {
        text += group.from.empty() ? group.to : group.from;
    } else {
        text += group.from + " -> " + group.to;
    }
    if (!group.classification.empty()) text += " (" + group.classification + ")";
    if (!group.finding.empty()) text += "; finding " + group.finding;
    constexpr std::size_t most_rules = 3;
    if (!group.rules.empty() && group.finding.empty()) {
        const auto count = std::min(group.rules.size(), most_rules);
        text += (group.rules.size() == 1 ? "; rule " : "; rules ") +
                joined(std::span(group.rules).first(count)) +
                (count < group.rules.size() ? ", ..." : "");
    }
    // What is another for all executions is said at the top.
    for (const Cause cause : group.causes) {
        if (cause == Cause::case_changed || cause == Cause::suite || cause == Cause::unknown) {
            text += "; " + std::string(name(cause));
        }
    }
    return text;
}

/// What came of an execution, where it was no pass.
std::string came(const ExecutionRecord& execution) {
    const std::string got = wrong_output_text(execution);
    const std::string detail = !got.empty() ? "got " + got : execution.detail;
    return shortened(detail, longest_detail);
}

std::string example_text(const ChangeGroup& group) {
    const ChangedExecution& change = group.executions.front();
    const ExecutionRecord& either = change.either();
    return either.case_id + " for " + std::string(name(either.operator_version)) + " by route " +
           to_string(either.route);
}

std::string groups_text(const ImplementationDiff& diff, const RunDiff& runs) {
    std::string text;
    std::optional<ChangeKind> kind;
    for (const ChangeGroup& group : diff.groups) {
        if (group.kind != kind) {
            kind = group.kind;
            std::size_t count = 0;
            for (const ChangeGroup& each : diff.groups) {
                if (each.kind == kind) count += each.executions.size();
            }
            text += "\n" + std::string(name(group.kind)) + ": " +
                    count_of(static_cast<std::int64_t>(count), "execution") + "\n";
        }
        const ChangedExecution& change = group.executions.front();
        text += "  " + std::to_string(group.executions.size()) + "  " +
                printable(group_text(group)) + "\n      e.g. " + printable(example_text(group)) +
                "\n";
        if (change.before != nullptr && !came(*change.before).empty()) {
            text += "      then: " + printable(came(*change.before)) + "\n";
        }
        if (change.after != nullptr && !came(*change.after).empty()) {
            text += "      now: " + printable(came(*change.after)) + "\n";
        }
        if (change.after != nullptr) {
            text += "      repeat: " + printable(repeat_line(*change.after, *runs.after)) + "\n";
        }
    }
    return text.empty() ? "\nnothing changed\n" : text;
}

std::string verdict_text(const RunDiff& diff) {
    const std::int64_t failures = diff.new_failures();
    return failures == 0 ? "no new failure" : count_of(failures, "new failure");
}

}  // namespace

std::string diff_text(const RunDiff& diff) {
    std::string text;
    for (const std::string& line : circumstances(diff)) text += printable(line) + "\n";
    for (const std::string& line : cases_lines(diff)) text += printable(line) + "\n";
    for (const std::string& line : lacking_lines(diff)) text += printable(line) + "\n";
    for (const ImplementationDiff& implementation : diff.implementations) {
        text +=
            "\n" + printable(heading(implementation)) + "\n" + groups_text(implementation, diff);
    }
    for (const auto& [names, where] :
         {std::pair(&diff.only_before, "first"), std::pair(&diff.only_after, "second")}) {
        if (names->empty()) continue;
        text += "\nonly in the " + std::string(where) +
                " run, compared with nothing: " + printable(joined(*names)) + "\n";
    }
    return text + "\n" + verdict_text(diff) + " (exit " + (diff.new_failures() > 0 ? "1" : "0") +
           ")\n";
}

std::string diff_markdown(const RunDiff& diff) {
    std::string text = "## gathercheck diff: " + verdict_text(diff) + "\n\n";
    const auto add = [&](const std::vector<std::string>& lines, std::size_t most) {
        for (std::size_t k = 0; k < std::min(lines.size(), most); ++k) {
            text += "- " + in_markdown(shortened(lines[k], longest_detail)) + "\n";
        }
        if (lines.size() > most)
            text += "- ... and " + std::to_string(lines.size() - most) + " more\n";
    };
    add(circumstances(diff), 4);
    add(cases_lines(diff), 3);
    add(lacking_lines(diff), most_lacking);
    std::size_t implementations = 0;
    std::size_t shown = 0;
    std::size_t left = 0;
    for (const ImplementationDiff& implementation : diff.implementations) {
        if (implementation.groups.empty() && diff.implementations.size() > 1) continue;
        const bool has_room = implementations < most_implementations && shown < most_groups;
        if (has_room) {
            ++implementations;
            text += "\n**" + in_markdown(heading(implementation)) + "**\n\n";
            if (implementation.groups.empty()) text += "Nothing changed.\n";
        }
        for (const ChangeGroup& group : implementation.groups) {
            // Each implementation takes four lines, of which a group could take one.
            if (!has_room || shown + 3 * (implementations - 1) >= most_groups) {
                left += group.executions.size();
                continue;
            }
            ++shown;
            text += "- " + std::string(name(group.kind)) + ": " +
                    std::to_string(group.executions.size()) + "x " +
                    in_markdown(group_text(group)) + ", e.g. " +
                    code_in_markdown(group.executions.front().either().case_id) + "\n";
        }
    }
    if (left > 0) text += "- ... and " + std::to_string(left) + " more changed executions\n";
    if (implementations == 0) text += "\nNothing changed.\n";
    std::vector<std::string> alone;
    for (const std::string& each : diff.only_before) alone.push_back(each + " (first run)");
    for (const std::string& each : diff.only_after) alone.push_back(each + " (second run)");
    if (!alone.empty()) {
        text +=
            "\nCompared with nothing: " + in_markdown(shortened(joined(alone), longest_detail)) +
            "\n";
    }
    return text;
}

}  // namespace gathercheck
