// SPDX-License-Identifier: Apache-2.0
// Outcomes as words and as one line for people.
#include "conformance/model/outcome.hpp"

#include <array>
#include <charconv>

#include "conformance/util/number.hpp"
#include "reference/shape.hpp"

namespace gathercheck {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<Outcome>> kind_names{
    "value", "descriptor", "rejected", "unsupported", "unsafe memory",
    "crash", "timeout",    "broken",   "not run",     "not deterministic"};

/// "12", "0.25".
std::string decimal(double value) {
    std::array<char, 32> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::general, 6);
    return std::string(buffer.data(), written.ptr);
}

struct Line {
    std::string operator()(const ValueOutcome& value) const {
        constexpr std::int64_t most_elements = 16;
        constexpr std::size_t most_characters = 160;
        const Tensor& output = value.output;
        std::string text = std::string(name(output.type)) + " " + to_string(output.shape) + " = [";
        const std::int64_t count = element_count(output.shape).value_or(0);
        for (std::int64_t k = 0; k < count; ++k) {
            if (k != 0) text += ", ";
            if (k == most_elements || text.size() > most_characters) {
                text += "...";
                break;
            }
            text += element_text(output, k);
        }
        return text + "]";
    }
    std::string operator()(const DescriptorOutcome& outcome) const {
        std::string text(name(outcome.type));
        if (!outcome.known_rank) return text + " of unknown rank";
        text += " [";
        for (std::size_t k = 0; k < outcome.shape.size(); ++k) {
            if (k != 0) text += ", ";
            text += outcome.shape[k] ? std::to_string(*outcome.shape[k]) : "?";
        }
        return text + "]";
    }
    std::string operator()(const Rejected& rejected) const {
        std::string text = "rejected";
        if (rejected.phase) text += " at " + std::string(name(*rejected.phase));
        if (rejected.category) text += " as " + std::string(name(*rejected.category));
        if (!rejected.rule.empty()) text += " (rule " + rejected.rule + ")";
        return with(std::move(text), rejected.message);
    }
    std::string operator()(const Unsupported& outcome) const {
        return with("unsupported", outcome.why);
    }
    std::string operator()(const UnsafeMemory& outcome) const {
        return with("unsafe memory", outcome.what);
    }
    std::string operator()(const Crash& outcome) const { return with("crash", outcome.what); }
    std::string operator()(const Timeout& outcome) const {
        return "timeout: no answer in " + decimal(outcome.seconds) + " s" +
               (outcome.where.empty() ? "" : " " + outcome.where);
    }
    std::string operator()(const Broken& outcome) const { return with("broken", outcome.what); }
    std::string operator()(const NotRun& outcome) const { return with("not run", outcome.why); }
    std::string operator()(const NotDeterministic& outcome) const {
        return with("not deterministic", outcome.what);
    }

private:
    static std::string with(std::string text, const std::string& detail) {
        if (!detail.empty()) text += ": " + detail;
        return text;
    }
};

}  // namespace

std::string_view kind_name(const Outcome& outcome) { return kind_names[outcome.index()]; }

bool ends_sequence(const Outcome& outcome) {
    return std::holds_alternative<UnsafeMemory>(outcome) ||
           std::holds_alternative<Crash>(outcome) || std::holds_alternative<Timeout>(outcome) ||
           std::holds_alternative<Broken>(outcome) || std::holds_alternative<NotRun>(outcome);
}

Outcome in_earlier_call(Outcome outcome, std::string_view case_id) {
    const std::string where = "in the earlier call of case " + std::string(case_id);
    if (auto* unsafe = std::get_if<UnsafeMemory>(&outcome)) {
        unsafe->what = where + ": " + unsafe->what;
    } else if (auto* crash = std::get_if<Crash>(&outcome)) {
        crash->what = where + ": " + crash->what;
    } else if (auto* broken = std::get_if<Broken>(&outcome)) {
        broken->what = where + ": " + broken->what;
    } else if (auto* timeout = std::get_if<Timeout>(&outcome)) {
        timeout->where = where;
    }
    return outcome;
}

std::string to_string(const Outcome& outcome) { return std::visit(Line{}, outcome); }

}  // namespace gathercheck
