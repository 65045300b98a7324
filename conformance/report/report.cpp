// SPDX-License-Identifier: Apache-2.0
// Text for terminals and logs, and the JSON summary.
#include "conformance/report/report.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "conformance/records/unclaimed.hpp"
#include "conformance/records/unclaimed_json.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

constexpr std::array<Verdict, verdict_count> columns{
    Verdict::pass,       Verdict::fail,        Verdict::crash,         Verdict::timeout,
    Verdict::broken,     Verdict::not_run,     Verdict::known_failure, Verdict::fixed,
    Verdict::difference, Verdict::unspecified, Verdict::unsupported,   Verdict::unavailable};

std::string padded(std::string text, std::size_t width, bool left) {
    const std::string space(width > text.size() ? width - text.size() : 0, ' ');
    return left ? text + space : space + text;
}

/// The known failures of an implementation by what they show, where these are few or a filter
/// chose them: of a whole run they are too many for a terminal.
std::string known_failures_of(const ImplementationTally& one, bool is_filtered) {
    constexpr std::size_t few = 5;
    if (one.known.size() > few && !is_filtered) return {};
    std::string lines;
    for (const auto& [what, count] : one.known) {
        lines += printable(one.record.name) + ": " + count_of(count, "known failure") + ": " +
                 printable(what) + "\n";
    }
    return lines;
}

/// What the table does not say of an implementation.
std::string remarks_on(const ImplementationTally& one, bool is_filtered) {
    const std::string who = printable(one.record.name);
    if (one.record.state != "started") {
        if (one.record.why.empty()) return {};
        return who + " is " + printable(one.record.state) + ": " + printable(one.record.why) + "\n";
    }
    std::string remarks;
    if (!one.stopped.empty()) {
        remarks += who + ": " + std::to_string(one.count(Verdict::not_run)) +
                   " of its executions were not run: " + printable(one.stopped) + "\n";
    }
    if (one.record.witness) {
        remarks += who +
                   " is a witness: it promises none of the specifications, so what it does "
                   "differently is no failure\n";
    }
    remarks += known_failures_of(one, is_filtered);
    if (one.classes.empty()) return remarks;
    remarks += who + " where nothing is specified:";
    const char* separator = " ";
    for (const auto& [classification, count] : one.classes) {
        remarks += separator + printable(classification) + " " + std::to_string(count);
        separator = ", ";
    }
    return remarks + "\n";
}

/// "--dialect FILE " for each file of operator versions that the command of the run was given. The
/// option takes every word behind it for a file, up to the next option.
std::string dialects_of(const std::vector<std::string>& command) {
    constexpr std::string_view option = "--dialect";
    std::string words;
    bool is_file = false;
    for (const std::string_view word : command) {
        std::string_view file = is_file ? word : std::string_view();
        if (word.starts_with('-')) {
            const bool with_file =
                word.starts_with(option) && word.substr(option.size()).starts_with('=');
            is_file = word == option || with_file;
            file = with_file ? word.substr(option.size() + 1) : std::string_view();
        }
        if (!file.empty()) words += "--dialect " + shell_word(std::string(file)) + " ";
    }
    return words;
}

}  // namespace

std::string short_names(std::span<const OperatorVersion> versions) {
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

std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t text_columns) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows) {
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t k = 0; k < row.size(); ++k) {
            line += (k == 0 ? "" : "  ") + padded(row[k], widths[k], k < text_columns);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::span<const Verdict> shown_verdicts() { return columns; }

bool is_reported(Verdict verdict) {
    return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::timeout ||
           verdict == Verdict::broken || verdict == Verdict::fixed ||
           verdict == Verdict::difference;
}

bool is_reported(const ExecutionRecord& record) {
    return is_reported(record.verdict) || lacked_memory(record);
}

std::string printable_lines(std::string_view text, std::string_view indent) {
    std::string shown;
    for (;;) {
        const std::size_t line = std::min(text.find('\n'), text.size());
        shown += printable(text.substr(0, line));
        if (line == text.size()) return shown;
        shown += '\n';
        shown += indent;
        text.remove_prefix(line + 1);
    }
}

std::string in_markdown(std::string_view text) {
    std::string safe;
    for (const char c : printable(text)) {
        if (c == '<') {
            safe += "&lt;";
        } else if (c == '>') {
            safe += "&gt;";
        } else if (c == '&') {
            safe += "&amp;";
        } else {
            if (std::string_view("\\`*_{}[]#|~").find(c) != std::string_view::npos) safe += '\\';
            safe += c;
        }
    }
    return safe;
}

std::string code_in_markdown(std::string_view text) {
    constexpr std::string_view special = "`<>&|\\";
    const std::string shown = printable(text);
    if (shown.find_first_of(special) == std::string::npos) return "`" + shown + "`";
    return "<code>" + in_markdown(text) + "</code>";
}

std::string machine_text(const RunRecord& run) {
    const std::string text = run.cpu + ", " + run.system;
    return run.distribution.empty() ? text : text + ", " + run.distribution;
}

std::string failure_text(const ExecutionRecord& record, const RunRecord& run) {
    std::string text = std::string(name(record.verdict));
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    text += "  " + printable(record.implementation) + "  " +
            std::string(name(record.operator_version)) + "  " + to_string(record.route) + "  " +
            printable(record.case_id) + "\n  ";
    if (record.failure != Failure::none) text += std::string(name(record.failure)) + ": ";
    if (record.verdict == Verdict::fixed) {
        const bool is_updated = run.settings && run.settings->update_known_failures;
        text += "no failure any more; --update-known-failures takes it out of the known failures";
        text += (is_updated ? " (" : ", or remove it by hand (") + printable(record.reason);
        for (const std::string& rule : record.rules) text += "; rule " + printable(rule);
        if (!record.shown_by.empty()) text += "; shown by " + printable(record.shown_by);
        text += ")";
    }
    text += printable_lines(record.detail, "  ");
    const std::string got = wrong_output_text(record);
    if (!got.empty()) text += "\n  got " + printable(got);
    const std::string why = "; why: " + printable(explain_line(record, run));
    if (record.verdict == Verdict::unspecified) {
        text += "\n  any answer conforms" + why;
    } else if (!record.rules.empty() && record.verdict != Verdict::fixed) {
        text += record.rules.size() == 1 ? "\n  rule: " : "\n  rules: ";
        for (const std::string& rule : record.rules) {
            text += (&rule == record.rules.data() ? "" : ", ") + printable(rule);
        }
        text += why;
    }
    if (!record.reproducer.empty()) text += "\n  reproducer: " + printable(record.reproducer);
    return text + "\n  repeat: " + printable(repeat_line(record, run)) + "\n";
}

std::string explain_line(const ExecutionRecord& record, const RunRecord& run) {
    std::string line = (run.command.empty() ? "gathercheck" : shell_word(run.command.front())) +
                       " explain " + shell_word(record.case_id) + " " + dialects_of(run.command) +
                       "--for " + std::string(name(record.operator_version));
    if (run.settings) {
        for (const std::string& path : run.settings->cases) line += " --cases " + shell_word(path);
    }
    return line;
}

std::string repeat_line(const ExecutionRecord& record, const RunRecord& run) {
    // A program that was given a name is asked for by both.
    std::vector<std::string> asked{record.implementation};
    std::string known = run.repeat_known_failures;
    if (record.verdict == Verdict::known_failure) known = "--no-known-failures ";
    if (run.settings) {
        const std::vector<std::string>& all = run.settings->implementations;
        const auto is_named = [&](const std::string& one) {
            return one.starts_with(record.implementation + "=");
        };
        const auto named = std::ranges::find_if(all, is_named);
        if (named != all.end()) asked = {*named};
        // A run refuses the known failures of whom it does not ask, and nobody has recorded whose
        // a file is. What is fixed shows by its file alone, any other failure without one.
        if (all.size() > 1 && !run.settings->known_failures.empty()) {
            if (record.verdict == Verdict::fixed) {
                asked = all;
            } else {
                known = "--no-known-failures ";
            }
        }
    }
    std::string line =
        (run.repeat.empty() ? "gathercheck run " : run.repeat) + dialects_of(run.command) + known;
    for (const std::string& one : asked) line += "--implementation " + shell_word(one) + " ";
    return line + "--filter " + shell_word("case=" + record.case_id) +
           " --filter operator=" + std::string(name(record.operator_version)) +
           " --filter route=" + to_string(record.route);
}

std::string summary_text(const Tally& tally) {
    std::vector<Verdict> shown;
    for (const Verdict verdict : columns) {
        const bool always = verdict == Verdict::pass || verdict == Verdict::fail;
        const bool used = std::ranges::any_of(
            tally.implementations(), [&](const auto& one) { return one.count(verdict) != 0; });
        if (always || used) shown.push_back(verdict);
    }
    std::vector<std::vector<std::string>> rows{{"implementation", "version"}};
    for (const Verdict verdict : shown) rows.front().emplace_back(name(verdict));
    rows.front().emplace_back("executions");
    std::string remarks;
    for (const ImplementationTally& one : tally.implementations()) {
        remarks += remarks_on(one, tally.is_filtered());
        rows.push_back({printable(one.record.name), printable(one.record.version)});
        if (one.record.state != "started") {
            rows.back().push_back(printable(one.record.state));
            rows.back().resize(rows.front().size());
            continue;
        }
        std::int64_t executions = 0;
        for (const std::int64_t count : one.verdicts) executions += count;
        for (const Verdict verdict : shown) {
            rows.back().push_back(std::to_string(one.count(verdict)));
        }
        rows.back().push_back(std::to_string(executions));
    }
    if (std::ranges::find(shown, Verdict::unsupported) != shown.end()) {
        remarks +=
            "unsupported: calls that must or may be refused, of what is not claimed or not "
            "supported; no failure\n";
    }
    for (const ImplementationTally& one : tally.implementations()) {
        for (const std::string& line : unclaimed_lines(one.record)) {
            remarks += printable(line) + "\n";
        }
    }
    for (const NoteRecord& note : tally.notes()) {
        remarks += printable(note.level + ": " + note.implementation + ": " + note.text) + "\n";
    }
    return table(rows, 2) + (remarks.empty() ? "" : "\n" + remarks);
}

std::string summary_json(const Tally& tally) {
    using Object = nlohmann::ordered_json;
    Object implementations = Object::array();
    for (const ImplementationTally& one : tally.implementations()) {
        Object verdicts = Object::object();
        for (const Verdict verdict : columns) {
            if (one.count(verdict) != 0) verdicts[std::string(name(verdict))] = one.count(verdict);
        }
        Object entry{{"implementation", one.record.name},
                     {"version", one.record.version},
                     {"state", one.record.state}};
        if (!one.record.why.empty()) entry["why"] = one.record.why;
        if (one.record.witness) entry["witness"] = true;
        entry["verdicts"] = verdicts;
        if (!one.classes.empty()) entry["classes"] = one.classes;
        if (Object left = unclaimed_json(one.record); !left.empty()) {
            entry["unclaimed"] = std::move(left);
        }
        implementations.push_back(std::move(entry));
    }
    Object notes = Object::array();
    for (const NoteRecord& note : tally.notes()) {
        notes.push_back(
            {{"implementation", note.implementation}, {"level", note.level}, {"text", note.text}});
    }
    Object summary{{"implementations", implementations}, {"notes", notes}};
    if (!tally.lacking().empty()) summary["incomplete"] = tally.lacking();
    summary["conclusion"] = exit_code_text(tally.exit_code(), tally.trouble(), tally);
    summary["exit_code"] = tally.exit_code();
    return shown_json(summary) + "\n";
}

std::string exit_code_text(int exit_code, const std::string& trouble, const Tally& tally) {
    const std::int64_t known = tally.known_failures();
    const std::int64_t differences = tally.differences();
    switch (exit_code) {
        case 0: {
            if (tally.only_witnesses()) {
                return count_of(differences + known, "difference") +
                       " of a witness, which promises nothing";
            }
            if (tally.only_unspecified()) return "conforms, as any answer to these calls does";
            std::string text =
                known == 0 ? "conforms" : "conforms but for " + count_of(known, "known failure");
            if (differences > 0) {
                text += "; " + count_of(differences, "difference") + " of a witness beside";
            }
            return text;
        }
        case 1:
            return "does not conform";
        case 2:
            return "the known failures and the run disagree";
        case 3:
            return "trouble: " + printable(trouble);
        default:
            return "bad input or usage";
    }
}

}  // namespace gathercheck
