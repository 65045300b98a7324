// SPDX-License-Identifier: Apache-2.0
// A summary for pull requests from records.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/records/tally.hpp"
#include "conformance/records/unclaimed.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

// Together with headings and remarks these make less than 60 lines.
constexpr std::size_t most_implementations = 16;
constexpr std::size_t most_failures = 18;
constexpr std::size_t most_beside_fixed = 9;
constexpr std::size_t most_fixed = 5;
constexpr std::size_t most_notes = 5;
constexpr std::size_t longest_detail = 160;
constexpr std::size_t longest_unclaimed = 400;

/// Text of others on one line, without what Markdown or HTML would make something of.
std::string plain(const std::string& text, std::size_t longest) {
    std::size_t end = 0;
    for (std::size_t characters = 0; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
        if (begins && characters++ == longest) break;
    }
    std::string line = text.substr(0, end);
    std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    line = in_markdown(line);
    return end < text.size() ? line + " ..." : line;
}

std::string row(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) line += " " + cell + " |";
    return line + "\n";
}

std::string table(const Tally& tally) {
    std::vector<Verdict> shown;
    for (const Verdict verdict : shown_verdicts()) {
        const bool used = std::ranges::any_of(
            tally.implementations(), [&](const auto& one) { return one.count(verdict) != 0; });
        if (used || verdict == Verdict::pass || verdict == Verdict::fail) shown.push_back(verdict);
    }
    std::vector<std::string> head{"implementation", "version"};
    std::vector<std::string> line{"---", "---"};
    for (const Verdict verdict : shown) {
        head.emplace_back(name(verdict));
        line.emplace_back("---:");
    }
    std::string text = row(head) + row(line);
    std::size_t count = 0;
    for (const ImplementationTally& one : tally.implementations()) {
        if (++count > most_implementations) continue;
        std::vector<std::string> cells{plain(one.record.name, 80), plain(one.record.version, 40)};
        for (const Verdict verdict : shown) {
            const std::int64_t number = one.count(verdict);
            cells.push_back(number == 0 ? "" : std::to_string(number));
        }
        if (one.record.state != "started") cells[2] = plain(one.record.state, 40);
        text += row(cells);
    }
    if (count > most_implementations) {
        text += row({"... and " + std::to_string(count - most_implementations) + " more"});
    }
    return text;
}

/// One line for all failures of one kind of one case.
struct Line {
    std::string text;
    std::int64_t executions = 0;
};

std::vector<Line> failures(const ReportData& data) {
    std::vector<Line> lines;
    for (const ImplementationResults& results : data.implementations()) {
        for (const auto& [key, of_case] : results.cases) {
            std::map<std::string, std::pair<const ExecutionRecord*, std::int64_t>> kinds;
            for (const ShownExecution& shown : of_case.shown) {
                if (!is_reported(shown.record) || shown.record.verdict == Verdict::fixed) continue;
                const std::string wrong = wrong_outcome(shown.record);
                auto& [first, count] =
                    kinds[wrong.empty() ? std::string(name(shown.record.verdict)) : wrong];
                if (first == nullptr) first = &shown.record;
                ++count;
            }
            for (const auto& [kind, found] : kinds) {
                const auto& [first, count] = found;
                const bool differs = first->verdict == Verdict::difference;
                std::string text = "- **" + plain(results.name, 80) + "** " +
                                   std::string(name(key.first)) + " " +
                                   code_in_markdown(first->case_id) +
                                   (differs ? ": difference: " : ": ") + plain(kind, 80);
                if (!first->detail.empty()) text += ": " + plain(first->detail, longest_detail);
                if (count > 1) text += " (" + std::to_string(count) + " executions)";
                lines.push_back({text + "\n", count});
            }
        }
    }
    return lines;
}

/// One line for all that is fixed and was known for one reason.
std::vector<Line> fixed_failures(const ReportData& data) {
    std::vector<Line> lines;
    for (const ImplementationResults& results : data.implementations()) {
        std::map<std::string, std::pair<const ExecutionRecord*, std::int64_t>> reasons;
        for (const auto& [key, of_case] : results.cases) {
            for (const ShownExecution& shown : of_case.shown) {
                if (shown.record.verdict != Verdict::fixed) continue;
                auto& [first, count] = reasons[shown.record.reason];
                if (first == nullptr) first = &shown.record;
                ++count;
            }
        }
        for (const auto& [reason, found] : reasons) {
            const auto& [first, count] = found;
            lines.push_back({"- **" + plain(results.name, 80) + "** " +
                                 count_of(count, "execution") + ", e.g. " +
                                 std::string(name(first->operator_version)) + " " +
                                 code_in_markdown(first->case_id) +
                                 "; known as: " + plain(reason, longest_detail) + "\n",
                             count});
        }
    }
    return lines;
}

/// A part of the report: at most so many of the lines, and how many executions are behind the rest.
std::string section(const std::string& title, const std::vector<Line>& lines, std::size_t most) {
    if (lines.empty()) return {};
    std::string text = "\n### " + title + "\n\n";
    std::int64_t left = 0;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (k < most) {
            text += lines[k].text;
        } else {
            left += lines[k].executions;
        }
    }
    if (left > 0) text += "- ... and " + std::to_string(left) + " more executions\n";
    return text;
}

}  // namespace

std::string markdown_report(const ReportData& data) {
    const Tally& tally = data.tally();
    std::string text = "## gathercheck: " + plain(conclusion(tally), longest_detail) + "\n\n";
    if (tally.partial()) text += "**The run was cut short: these records are partial.**\n\n";
    for (const std::string& what : tally.lacking()) {
        text += "- **incomplete**: " + plain(what, longest_detail) + "\n";
    }
    if (!tally.lacking().empty()) text += "\n";
    text += table(tally);
    const std::vector<Line> lines = failures(data);
    const std::vector<Line> fixed = fixed_failures(data);
    text += section(tally.only_witnesses() ? "Differences" : "Failures", lines,
                    fixed.empty() ? most_failures : most_beside_fixed);
    text += section("Fixed: known failures that fail no more", fixed,
                    lines.empty() ? most_failures : most_fixed);
    if (!tally.notes().empty()) text += "\n### Notes\n\n";
    for (std::size_t k = 0; k < std::min(tally.notes().size(), most_notes); ++k) {
        const NoteRecord& note = tally.notes()[k];
        text += "- " + plain(note.level, 40) + ": " + plain(note.implementation, 80) + ": " +
                plain(note.text, longest_detail) + "\n";
    }
    if (tally.notes().size() > most_notes) {
        text += "- ... and " + std::to_string(tally.notes().size() - most_notes) + " more\n";
    }
    std::string unclaimed;
    for (const ImplementationTally& one : tally.implementations()) {
        for (const std::string& line : unclaimed_lines(one.record)) {
            unclaimed += (unclaimed.empty() ? "" : ". ") + plain(line, longest_unclaimed);
        }
    }
    if (!unclaimed.empty()) text += "\n" + unclaimed + ".\n";
    if (!data.runs().empty()) {
        const RunRecord& run = data.runs().front().run;
        text += "\nSuite " + plain(run.suite_version, 40) + " (" +
                code_in_markdown(run.suite_hash.substr(0, 12)) + ", " + std::to_string(run.cases) +
                " cases), " + plain(run.started, 40) + ", " + plain(run.cpu, 80) + ", " +
                plain(run.system, 80) + ".\n";
        const std::string part = run.settings ? options_for_part(*run.settings) : std::string();
        if (!part.empty()) {
            text += "A part of the suite was asked for: " + code_in_markdown(part) + ".\n";
        }
    }
    return text;
}

}  // namespace gathercheck
