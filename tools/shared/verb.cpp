// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/verb.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <utility>

namespace gathercheck {

Option Option::required() const {
    option_->required();
    return *this;
}

Option Option::type_name(const std::string& text) const {
    option_->type_name(text);
    return *this;
}

Option Option::show_default() const {
    option_->capture_default_str();
    return *this;
}

Option Option::one_value_each() const {
    option_->allow_extra_args(false);
    return *this;
}

Option Option::expected(int values) const {
    option_->expected(values);
    return *this;
}

Option Option::one_of(std::vector<std::string> words) const {
    option_->check(CLI::IsMember(std::move(words)));
    return *this;
}

template <class Number>
Option Option::in(Range<Number> range) const {
    std::ostringstream bounds;
    bounds << "from " << range.first << " to " << range.last;
    option_->check(CLI::Validator(
        [range, allowed = bounds.str()](const std::string& text) -> std::string {
            Number value{};
            const char* end = text.data() + text.size();
            const auto [behind, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc{} && behind == end && range.contains(value)) return {};
            return "'" + text + "' is no " + (std::is_integral_v<Number> ? "whole " : "") +
                   "number " + allowed;
        },
        bounds.str()));
    return *this;
}

template Option Option::in(Range<int>) const;
template Option Option::in(Range<std::int64_t>) const;
template Option Option::in(Range<std::uint64_t>) const;
template Option Option::in(Range<double>) const;

Option Option::memory_size() const {
    option_->transform(CLI::Validator(
        [](std::string& text) -> std::string {
            const auto bytes = bytes_of(text);
            if (!bytes || !memory_allowed.contains(*bytes)) {
                return "'" + text + "' is no size from 1MB to 1EB, like 2GB or 500000000";
            }
            text = std::to_string(*bytes);
            return {};
        },
        "from 1MB to 1EB"));
    return *this;
}

Option Option::excludes(const std::string& other) const {
    option_->excludes(other);
    return *this;
}

Option Option::needs(const std::string& other) const {
    option_->needs(other);
    return *this;
}

Verb Verb::add_verb(const std::string& name, const std::string& help) const {
    return Verb(*app_->add_subcommand(name, help));
}

Verb Verb::add_group_of_one(const std::string& title) const {
    return Verb(*app_->add_option_group(title)->require_option(1));
}

template <class Value>
Option Verb::add_option(const std::string& name, Value& value, const std::string& help) const {
    return Option(*app_->add_option(name, value, help));
}

template Option Verb::add_option(const std::string&, std::string&, const std::string&) const;
template Option Verb::add_option(const std::string&, int&, const std::string&) const;
template Option Verb::add_option(const std::string&, std::int64_t&, const std::string&) const;
template Option Verb::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Verb::add_option(const std::string&, double&, const std::string&) const;
template Option Verb::add_option(const std::string&, std::vector<std::string>&,
                                 const std::string&) const;
template Option Verb::add_option(const std::string&, std::optional<std::int64_t>&,
                                 const std::string&) const;
template Option Verb::add_option(const std::string&, std::optional<std::uint64_t>&,
                                 const std::string&) const;

Option Verb::add_flag(const std::string& name, bool& value, const std::string& help) const {
    return Option(*app_->add_flag(name, value, help));
}

void Verb::footer(const std::string& text) const { app_->footer(text); }

void Verb::callback(std::function<void()> action) const { app_->callback(std::move(action)); }

std::vector<std::string> Verb::given() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app_->get_options()) {
        if (option->count() > 0) names.push_back(option->get_name());
    }
    return names;
}

void add_cases(const Verb& verb, std::vector<std::string>& cases) {
    verb.add_option("--cases", cases,
                    "Case file, or folder of case files (default: the shipped ones)")
        .one_value_each()
        .type_name("PATH");
}

void add_filter(const Verb& verb, std::vector<std::string>& filters) {
    verb.add_option(
            "--filter", filters,
            "KEY=PATTERN with KEY case, operator, route, type or rule, or part of a case id; "
            "may be repeated: terms of one key are alternatives, and each must match something")
        .one_value_each()
        .type_name("TERM");
}

Option add_sweeps(const Verb& verb, std::string& sweeps, const std::string& help) {
    return verb.add_option("--sweeps", sweeps, help).one_of({"all", "written", "sample", "none"});
}

void add_format(const Verb& verb, std::string& format) {
    verb.add_option("--format", format, "text or json").one_of({"text", "json"}).show_default();
}

}  // namespace gathercheck
