// SPDX-License-Identifier: Apache-2.0
// Reading patterns of versions, and comparing versions.
#include "conformance/known_failures/version_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>
#include <system_error>
#include <utility>

#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// A version without what says nothing about its order.
std::string_view without_build(std::string_view version) {
    return version.substr(0, version.find('+'));
}

/// "v1.31.1rc1" as its numbers and what stands behind them.
struct Parts {
    std::vector<std::int64_t> numbers;
    std::string_view rest;

    explicit Parts(std::string_view version) : rest(without_build(version)) {
        if (rest.starts_with('v') || rest.starts_with('V')) rest.remove_prefix(1);
        while (!rest.empty()) {
            const bool dotted = !numbers.empty() && rest.front() == '.';
            const std::string_view here = rest.substr(dotted ? 1 : 0);
            if (!numbers.empty() && !dotted) break;
            std::int64_t number = 0;
            const auto [next, error] =
                std::from_chars(here.data(), here.data() + here.size(), number);
            if (error != std::errc{} || number < 0) break;
            numbers.push_back(number);
            rest = here.substr(static_cast<std::size_t>(next - here.data()));
        }
    }

    std::int64_t number(std::size_t k) const { return k < numbers.size() ? numbers[k] : 0; }

    /// -1 before the plain version, 1 after it.
    int stage() const {
        if (rest.empty()) return 0;
        if (rest.size() > 1 && rest[0] == '-' && is_digit(rest[1])) return 1;
        const std::size_t word = rest.find_first_not_of("._-");
        return word != std::string_view::npos && rest.substr(word).starts_with("post") ? 1 : -1;
    }
};

/// Two texts with the numbers in them compared as numbers: rc2 before rc10.
std::strong_ordering natural_order(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (!is_digit(a.front()) || !is_digit(b.front())) {
            if (a.front() != b.front()) return a.front() <=> b.front();
            a.remove_prefix(1);
            b.remove_prefix(1);
            continue;
        }
        const auto digits = [](std::string_view& text) {
            text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
            const auto end = std::ranges::find_if_not(text, is_digit);
            const auto count = static_cast<std::size_t>(end - text.begin());
            const std::string_view number = text.substr(0, count);
            text.remove_prefix(count);
            return number;
        };
        const std::string_view one = digits(a);
        const std::string_view other = digits(b);
        if (one.size() != other.size()) return one.size() <=> other.size();
        if (one != other) return one.compare(other) <=> 0;
    }
    return a.size() <=> b.size();
}

/// Nothing where one of them has no numbers.
std::optional<std::strong_ordering> compare(std::string_view one, std::string_view other) {
    const Parts a(one);
    const Parts b(other);
    if (a.numbers.empty() || b.numbers.empty()) return std::nullopt;
    for (std::size_t k = 0; k < std::max(a.numbers.size(), b.numbers.size()); ++k) {
        const auto order = a.number(k) <=> b.number(k);
        if (order != 0) return order;
    }
    if (a.stage() != b.stage()) return a.stage() <=> b.stage();
    return natural_order(a.rest, b.rest);
}

/// Why a word names no version; empty where it does.
std::string fault_of_word(std::string_view word) {
    const std::string quoted = in_quotes(std::string(word));
    if (word.empty()) return "a version is missing";
    if (word.find_first_of("<>=~^!*|,;()[]{}'\"/ \t") != std::string_view::npos) {
        return quoted + " is no version";
    }
    if (std::ranges::none_of(word, is_digit)) return quoted + " has no number";
    for (std::string_view rest = word; !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find('.'));
        if (part == "x" || part == "X") return quoted + " is no version; * stands for the rest";
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    return {};
}

/// The same of one that is compared.
std::string fault_of_bound(std::string_view word) {
    std::string fault = fault_of_word(word);
    if (fault.empty() && Parts(word).numbers.empty()) {
        fault = in_quotes(std::string(word)) + " does not begin with a number";
    }
    return fault;
}

}  // namespace

bool VersionPattern::Term::holds(std::string_view given) const {
    if (relation == Relation::any) return true;
    if (relation == Relation::same) {
        const bool is_whole = version.find('+') != std::string::npos;
        return given == version || (!is_whole && without_build(given) == version);
    }
    if (relation == Relation::begins) {
        const Parts pattern(version);
        const Parts found(given);
        if (found.numbers.empty()) return false;
        for (std::size_t k = 0; k < pattern.numbers.size(); ++k) {
            if (found.number(k) != pattern.number(k)) return false;
        }
        return true;
    }
    const auto order = compare(given, version);
    if (!order) return false;
    switch (relation) {
        case Relation::less:
            return *order < 0;
        case Relation::at_most:
            return *order <= 0;
        case Relation::more:
            return *order > 0;
        case Relation::at_least:
            return *order >= 0;
        case Relation::any:
        case Relation::same:
        case Relation::begins:
            break;
    }
    return false;
}

std::variant<VersionPattern, std::string> VersionPattern::parse(std::string_view text) {
    VersionPattern pattern;
    if (text.starts_with('=')) {
        text.remove_prefix(1);
        if (text.empty() || text.starts_with('=')) return "behind = stands no version";
        pattern.terms_ = {{Relation::same, std::string(text)}};
        return pattern;
    }
    text = trimmed(text);
    if (text == "*") {
        pattern.terms_ = {{Relation::any, {}}};
        return pattern;
    }
    if (text.starts_with('<') || text.starts_with('>')) return comparisons(text);
    const std::size_t dash = text.find(" - ");
    if (dash != std::string_view::npos) {
        const std::string_view first = trimmed(text.substr(0, dash));
        const std::string_view last = trimmed(text.substr(dash + 3));
        for (const std::string_view bound : {first, last}) {
            std::string fault = fault_of_bound(bound);
            if (!fault.empty()) return fault;
        }
        if (*compare(last, first) < 0) return "the second version comes before the first";
        pattern.terms_ = {{Relation::at_least, std::string(first)},
                          {Relation::at_most, std::string(last)}};
        return pattern;
    }
    if (text.ends_with(".*")) {
        const std::string_view begin = text.substr(0, text.size() - 2);
        std::string fault = fault_of_bound(begin);
        if (fault.empty() && !Parts(begin).rest.empty()) {
            fault = "before .* stand only numbers and dots";
        }
        if (!fault.empty()) return fault;
        pattern.terms_ = {{Relation::begins, std::string(begin)}};
        return pattern;
    }
    std::string fault = fault_of_word(text);
    if (!fault.empty()) return fault;
    pattern.terms_ = {{Relation::same, std::string(text)}};
    return pattern;
}

std::variant<VersionPattern, std::string> VersionPattern::comparisons(std::string_view text) {
    VersionPattern pattern;
    while (!text.empty()) {
        Term term;
        const bool with_equal = text.size() > 1 && text[1] == '=';
        if (text.front() == '<') {
            term.relation = with_equal ? Relation::at_most : Relation::less;
        } else if (text.front() == '>') {
            term.relation = with_equal ? Relation::at_least : Relation::more;
        } else {
            return in_quotes(std::string(text)) + " is no comparison";
        }
        text = trimmed(text.substr(with_equal ? 2 : 1));
        const std::size_t length = std::min(text.find_first_of(" ,<>"), text.size());
        term.version = text.substr(0, length);
        std::string fault = fault_of_bound(term.version);
        if (!fault.empty()) return fault;
        text = trimmed(text.substr(length));
        if (text.starts_with(',')) {
            text = trimmed(text.substr(1));
            if (text.empty()) return "a comparison is missing behind the comma";
        }
        pattern.terms_.push_back(std::move(term));
    }
    return pattern;
}

bool VersionPattern::covers(std::string_view version) const {
    return std::ranges::all_of(terms_, [&](const Term& term) { return term.holds(version); });
}

std::string pattern_of(const std::string& version) {
    return fault_of_word(version).empty() ? version : "=" + version;
}

}  // namespace gathercheck
