// SPDX-License-Identifier: Apache-2.0
// How a verb of the command says what it takes. CLI11 is behind it, which only verb.cpp and
// command.cpp compile: its headers cost each file seconds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/shared/option_values.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gathercheck {

/// An option of a verb, while it is declared. It refers to what the verb has; copies are the same
/// option.
class Option {
public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    Option required() const;
    /// What the help calls its value.
    Option type_name(const std::string& text) const;
    /// The help shows the value that the variable has now.
    Option show_default() const;
    /// A list takes one value each time that the option is given, not all that follow.
    Option one_value_each() const;
    /// A list has exactly so many values.
    Option expected(int values) const;
    /// Nothing but these words.
    Option one_of(std::vector<std::string> words) const;
    /// Numbers of a range; what it refuses it names, with the range. Number is int, std::int64_t or
    /// double.
    template <class Number>
    Option in(Range<Number> range) const;
    /// A size of memory, like 2GB, which becomes its number of bytes.
    Option memory_size() const;
    /// Neither goes with the other, or this not without the other, which is declared already.
    Option excludes(const std::string& other) const;
    Option needs(const std::string& other) const;

private:
    CLI::Option* option_;
};

/// A verb, or the command that has the verbs, or a group of a verb's options. It refers to what the
/// command has; copies are the same verb.
class Verb {
public:
    explicit Verb(CLI::App& app) : app_(&app) {}

    Verb add_verb(const std::string& name, const std::string& help) const;
    /// The command line gives exactly one option of the group.
    Verb add_group_of_one(const std::string& title) const;
    /// `name` is like "--axis", or like "cases" where the place tells it. The value is one of
    /// std::string, int, std::int64_t, std::uint64_t, double, a std::vector<std::string> or a
    /// std::optional of a 64-bit integer, and outlives the parsing, as all references do.
    template <class Value>
    Option add_option(const std::string& name, Value& value, const std::string& help) const;
    Option add_flag(const std::string& name, bool& value, const std::string& help) const;
    /// What the help ends with.
    void footer(const std::string& text) const;
    /// What the verb does when it is asked for.
    void callback(std::function<void()> action) const;
    /// The options that the command line gives, as "--axis". For the callback.
    std::vector<std::string> given() const;

private:
    CLI::App* app_;
};

/// How many failures are shown.
inline constexpr Range<int> shown_allowed{0, 1000000000};

// Options that several verbs have.

/// --cases, the option that chooses cases.
void add_cases(const Verb& verb, std::vector<std::string>& cases);

/// --filter, terms that narrow them down.
void add_filter(const Verb& verb, std::vector<std::string>& filters);

/// --sweeps, as sweeps_of() in select.hpp names them.
Option add_sweeps(const Verb& verb, std::string& sweeps,
                  const std::string& help = "all, written, sample or none of the sweeps");

/// --format text or json.
void add_format(const Verb& verb, std::string& format);

}  // namespace gathercheck
