// SPDX-License-Identifier: Apache-2.0
// Gathering records for reports, the badge, and what all formats share.
#include "conformance/report/report_data.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <variant>

#include "conformance/report/report.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

bool is_shown(const ExecutionRecord& record) {
    return is_reported(record) || record.verdict == Verdict::known_failure;
}

/// Bytes of the UTF-8 character at the start of `text` where XML may hold it and it may be shown; 0
/// where not.
std::size_t character_length(std::string_view text) {
    if (text.front() == '\t' || text.front() == '\n') return 1;
    const std::string_view character = text.substr(0, shown_length(text));
    return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF" ? 0 : character.size();
}

}  // namespace

std::string xml_text(const std::string& text) {
    std::string result;
    result.reserve(text.size());
    std::string_view rest = text;
    bool begins_line = true;  // but for blanks
    while (!rest.empty()) {
        // What servers that build software take for a command in a log is none any more.
        if (begins_line && rest.starts_with("::")) {
            result += "&#58;";
            rest.remove_prefix(1);
        } else if (rest.front() == '#' && result.ends_with('#')) {
            result += "&#35;";
            rest.remove_prefix(1);
            continue;
        }
        begins_line =
            rest.front() == '\n' || (begins_line && (rest.front() == ' ' || rest.front() == '\t'));
        const std::size_t length = character_length(rest);
        const std::string_view character = rest.substr(0, std::max<std::size_t>(length, 1));
        rest.remove_prefix(character.size());
        if (length == 0) {
            result += "\xEF\xBF\xBD";  // U+FFFD
        } else if (character == "&") {
            result += "&amp;";
        } else if (character == "<") {
            result += "&lt;";
        } else if (character == ">") {
            result += "&gt;";
        } else if (character == "\"") {
            result += "&quot;";
        } else {
            result += character;
        }
    }
    return result;
}

void ReportData::add(const Record& record) {
    tally_.add(record);
    if (const auto* run = std::get_if<RunRecord>(&record)) {
        runs_.push_back({*run, std::nullopt});
    } else if (const auto* end = std::get_if<EndRecord>(&record)) {
        if (!runs_.empty()) runs_.back().end = *end;
    } else if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
        results_of(implementation->name, implementation->version);
    } else if (const auto* execution = std::get_if<ExecutionRecord>(&record)) {
        ImplementationResults& results = results_of(execution->implementation, execution->version);
        const std::string id = execution->case_id.substr(0, execution->case_id.find('/'));
        CaseResults& of_case = results.cases[{execution->operator_version, id}];
        ++of_case.verdicts[static_cast<std::size_t>(execution->verdict)];
        if (execution->microseconds) {
            of_case.microseconds = of_case.microseconds.value_or(0) + *execution->microseconds;
        }
        if (is_shown(*execution)) {
            const RunRecord of_run = runs_.empty() ? RunRecord{} : runs_.back().run;
            of_case.shown.push_back({*execution, repeat_line(*execution, of_run)});
        }
        if (execution->verdict == Verdict::unspecified) {
            ++results.classes[execution->operator_version][execution->classification];
        }
    }
}

ImplementationResults& ReportData::results_of(const std::string& name, const std::string& version) {
    const auto found = std::find_if(implementations_.rbegin(), implementations_.rend(),
                                    [&](const ImplementationResults& results) {
                                        return results.name == name && results.version == version;
                                    });
    if (found != implementations_.rend()) return *found;
    implementations_.push_back({name, version, {}, {}});
    return implementations_.back();
}

std::string kind_of(const ExecutionRecord& record) {
    const std::string wrong = wrong_outcome(record);
    return wrong.empty() ? std::string(name(record.verdict)) : wrong;
}

std::string details_of(const ShownExecution& shown, const SuiteWords& words) {
    constexpr std::size_t longest_line = 1000;
    const ExecutionRecord& record = shown.record;
    std::string text =
        kind_of(record) + ": " + record.case_id + " by " + to_string(record.route) + "\n";
    const auto add = [&](const std::string& what, const std::string& line) {
        if (!line.empty()) text += "  " + what + shortened(line, longest_line) + "\n";
    };
    if (words.call) {
        for (const std::string& operand : words.call(record)) add("", operand);
    }
    add("", record.detail);
    std::vector<std::string> allowed;
    for (const RecordedAnswer& one : record.expected) allowed.push_back(to_string(one));
    if (!record.got.empty()) add("expected ", joined(allowed, ", or "));
    add("got ", wrong_output_text(record));
    add("reason: ", record.reason);
    for (const std::string& id : record.rules) {
        const Rule* rule = words.rule ? words.rule(id) : nullptr;
        add("rule: ", rule == nullptr ? id : id + ": " + rule->statement);
    }
    add("shown by: ", record.shown_by);
    add("reproducer: ", record.reproducer);
    return text + "  repeat: " + shown.repeat + "\n";
}

std::optional<std::int64_t> pass_share(const Tally& tally) {
    std::int64_t passed = 0;
    std::int64_t judged = 0;
    for (const ImplementationTally& one : tally.implementations()) {
        const std::int64_t passes = one.count(Verdict::pass) + one.count(Verdict::fixed);
        passed += passes;
        judged += passes;
        for (const Verdict verdict :
             {Verdict::fail, Verdict::crash, Verdict::timeout, Verdict::known_failure,
              Verdict::difference, Verdict::not_run, Verdict::broken}) {
            judged += one.count(verdict);
        }
    }
    if (judged == 0) return std::nullopt;
    constexpr std::int64_t tenths_of_percent = 1000;
    return passed * tenths_of_percent / judged;
}

std::string share_text(std::int64_t tenths_of_percent) {
    const std::int64_t rest = tenths_of_percent % 10;
    const std::string whole = std::to_string(tenths_of_percent / 10);
    return whole + (rest == 0 ? "" : "." + std::to_string(rest)) + " %";
}

std::string conclusion(const Tally& tally) {
    return exit_code_text(tally.exit_code(), tally.trouble(), tally);
}

namespace {

struct BadgeText {
    std::string label;
    std::string value;
    std::string color;
};

BadgeText badge_text(const ReportData& data) {
    const auto share = pass_share(data.tally());
    const int exit_code = data.tally().exit_code();
    std::string label = "gathercheck";
    if (data.implementations().size() == 1) label += " " + data.implementations().front().name;
    std::string value = share ? share_text(*share) + " pass" : "nothing judged";
    const std::int64_t known = data.tally().known_failures();
    const bool witness = exit_code == 0 && data.tally().only_witnesses();
    if (witness) {
        value = count_of(data.tally().differences() + known, "difference") + ", a witness";
    } else if (known > 0) {
        value += ", " + count_of(known, "known failure");
    }
    const bool is_whole = !data.tally().partial() && data.tally().lacking().empty();
    if (!is_whole) value += ", incomplete";
    const char* color = witness          ? "#607d8b"
                        : exit_code == 0 ? "#2e7d32"
                        : exit_code == 1 ? "#c62828"
                                         : "#b26a00";
    return {label, value, color};
}

}  // namespace

std::string badge_json(const ReportData& data) {
    const auto [label, value, color] = badge_text(data);
    return shown_json(
               {{"schemaVersion", 1}, {"label", label}, {"message", value}, {"color", color}}) +
           "\n";
}

std::string badge(const ReportData& data) {
    const auto [label, value, color] = badge_text(data);
    // An average width of a character: the text is stretched to what is reserved for it.
    constexpr int character = 7;
    constexpr int margin = 6;
    const auto width_of = [&](const std::string& text) {
        return static_cast<int>(text.size()) * character;
    };
    const int left = width_of(label) + 2 * margin;
    const int right = width_of(value) + 2 * margin;
    const auto text_at = [&](int x, const std::string& text) {
        return "  <text x=\"" + std::to_string(x + margin) + "\" y=\"14\" textLength=\"" +
               std::to_string(width_of(text)) + "\">" + xml_text(text) + "</text>\n";
    };
    const std::string width = std::to_string(left + right);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width +
           "\" height=\"20\" role=\"img\" aria-label=\"" + xml_text(label + ": " + value) +
           "\">\n  <title>" + xml_text(label + ": " + value) + "</title>\n  <rect width=\"" +
           width + "\" height=\"20\" rx=\"3\" fill=\"#555\"/>\n  <path d=\"M" +
           std::to_string(left) + " 0h" + std::to_string(right - 3) +
           "a3 3 0 0 1 3 3v14a3 3 0 0 1" + " -3 3h-" + std::to_string(right - 3) + "z\" fill=\"" +
           color +
           "\"/>\n  <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" "
           "font-size=\"11\">\n" +
           text_at(0, label) + text_at(left, value) + "  </g>\n</svg>\n";
}

}  // namespace gathercheck
