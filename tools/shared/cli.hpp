// SPDX-License-Identifier: Apache-2.0
// Options that several verbs have, and what their values may be.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <sstream>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "tools/shared/option_values.hpp"

namespace gathercheck {

/// Takes numbers of a range; what it refuses it names, with the range.
template <class Number>
CLI::Validator number_in(Range<Number> range) {
    std::ostringstream bounds;
    bounds << "from " << range.first << " to " << range.last;
    return CLI::Validator(
        [range, allowed = bounds.str()](const std::string& text) -> std::string {
            Number value{};
            const char* end = text.data() + text.size();
            const auto [behind, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc{} && behind == end && range.contains(value)) return {};
            return "'" + text + "' is no " + (std::is_integral_v<Number> ? "whole " : "") +
                   "number " + allowed;
        },
        bounds.str());
}

/// A size of memory, which becomes its number of bytes.
CLI::Validator memory_size();

/// How many failures are shown.
inline constexpr Range<int> shown_allowed{0, 1000000000};

/// --cases, the option that chooses cases.
void add_cases(CLI::App& verb, std::vector<std::string>& cases);

/// --filter, terms that narrow them down.
void add_filter(CLI::App& verb, std::vector<std::string>& filters);

/// --format text or json.
void add_format(CLI::App& verb, std::string& format);

}  // namespace gathercheck
