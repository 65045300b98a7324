// SPDX-License-Identifier: Apache-2.0
// Gathering records for reports, the badge, and what all formats share.
#include "conformance/report_data.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <variant>

#include "conformance/number.hpp"
#include "conformance/report.hpp"

namespace gathercheck {
namespace {

bool is_shown(Verdict verdict) { return is_reported(verdict) || verdict == Verdict::known_failure; }

/// Bytes of the UTF-8 character at the start of `text` where XML may hold it; 0 where it may not.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char first = byte(0);
    if (first < 0x80) {
        return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    std::uint32_t code = first & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(k) & 0xC0U) != 0x80U) return 0;
        code = code << 6U | (byte(k) & 0x3FU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    const bool is_no_character = code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
    return code < least[length] || is_surrogate || is_no_character ? 0 : length;
}

}  // namespace

std::string xml_text(const std::string& text) {
    std::string result;
    result.reserve(text.size());
    std::string_view rest = text;
    while (!rest.empty()) {
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
        if (is_shown(execution->verdict)) {
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

std::optional<std::int64_t> pass_share(const Tally& tally) {
    std::int64_t passed = 0;
    std::int64_t judged = 0;
    for (const ImplementationTally& one : tally.implementations()) {
        const std::int64_t passes = one.count(Verdict::pass) + one.count(Verdict::fixed);
        passed += passes;
        judged += passes;
        for (const Verdict verdict : {Verdict::fail, Verdict::crash, Verdict::timeout,
                                      Verdict::known_failure, Verdict::not_run, Verdict::broken}) {
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
    return exit_code_text(tally.exit_code(), tally.trouble(), tally.known_failures());
}

std::string badge(const ReportData& data) {
    const auto share = pass_share(data.tally());
    const int exit_code = data.tally().exit_code();
    std::string label = "gathercheck";
    if (data.implementations().size() == 1) label += " " + data.implementations().front().name;
    std::string value = share ? share_text(*share) + " pass" : "nothing judged";
    const std::int64_t known = data.tally().known_failures();
    if (known > 0) value += ", " + count_of(known, "known failure");
    const char* color = exit_code == 0 ? "#2e7d32" : exit_code == 1 ? "#c62828" : "#b26a00";
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
