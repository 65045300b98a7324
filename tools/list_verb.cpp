// SPDX-License-Identifier: Apache-2.0
// gathercheck list: what there is - cases, rules, operator versions, implementations.
#include <cstdio>
#include <string>
#include <vector>

#include "conformance/json.hpp"
#include "conformance/select.hpp"
#include "tools/suite.hpp"
#include "tools/verbs.hpp"

namespace gathercheck {
namespace {

using Object = nlohmann::ordered_json;

/// Prints rows as aligned text, or as a JSON list of objects with `keys` for names.
void print_rows(const std::vector<std::string>& keys,
                const std::vector<std::vector<std::string>>& rows, bool json) {
    if (json) {
        Object list = Object::array();
        for (const auto& row : rows) {
            Object entry = Object::object();
            for (std::size_t k = 0; k < keys.size(); ++k) entry[keys[k]] = row[k];
            list.push_back(std::move(entry));
        }
        std::printf("%s\n", list.dump(2).c_str());
        return;
    }
    std::vector<std::size_t> widths(keys.size());
    for (const auto& row : rows) {
        for (std::size_t k = 0; k + 1 < row.size(); ++k) {
            widths[k] = std::max(widths[k], row[k].size());
        }
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t k = 0; k < row.size(); ++k) {
            line += row[k];
            if (k + 1 < row.size()) line.append(widths[k] - row[k].size() + 2, ' ');
        }
        std::printf("%s\n", line.c_str());
    }
}

std::string joined(const std::vector<OperatorVersion>& versions) {
    std::string text;
    for (const OperatorVersion version : versions) {
        text += (text.empty() ? "" : " ") + std::string(name(version));
    }
    return text;
}

int list_cases(const ListVerb& options, const LoadedSuite& loaded, const Filter& filter,
               bool json) {
    const Sweeps sweeps = options.sweeps == "all"      ? Sweeps::all
                          : options.sweeps == "sample" ? Sweeps::sample
                                                       : Sweeps::none;
    std::vector<std::vector<std::string>> rows;
    for (const Case* tested : select_cases(loaded.suite.cases, filter, sweeps, Shard{})) {
        std::vector<OperatorVersion> versions;
        for (const Expectation& expectation : tested->expect) {
            for (const OperatorVersion version : expectation.versions) {
                if (filter.matches(*tested, version)) versions.push_back(version);
            }
        }
        if (!versions.empty()) rows.push_back({tested->id, joined(versions), tested->title});
    }
    print_rows({"id", "operators", "title"}, rows, json);
    return 0;
}

}  // namespace

int list_verb(const ListVerb& options) {
    const bool json = options.format == "json";
    if (options.what == "operators") {
        std::vector<std::vector<std::string>> rows;
        for (const OperatorInfo& row : operator_versions()) {
            rows.push_back({std::string(row.name), row.axis == AxisSource::input ? "3" : "2"});
        }
        print_rows({"operator", "inputs"}, rows, json);
        return 0;
    }
    if (options.what == "implementations") {
        std::vector<std::vector<std::string>> rows;
        for (const KnownImplementation& known : known_implementations(options.more)) {
            rows.push_back({known.name, known.unavailable.empty()
                                            ? known.what
                                            : "unavailable: " + known.unavailable});
        }
        print_rows({"implementation", "what"}, rows, json);
        return 0;
    }
    auto filter = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    const Filter& terms = std::get<Filter>(filter);
    if (options.what == "cases") return list_cases(options, *loaded, terms, json);

    std::vector<std::vector<std::string>> rows;
    for (const auto& [id, rule] : loaded->rules.rules()) {
        bool wanted = terms.operators.empty();
        for (const std::string& pattern : terms.operators) {
            wanted = wanted || matches_pattern(pattern, name(rule.version));
        }
        bool named = terms.rules.empty();
        for (const std::string& pattern : terms.rules)
            named = named || matches_pattern(pattern, id);
        if (wanted && named) rows.push_back({id, rule.level, rule.statement});
    }
    print_rows({"id", "level", "statement"}, rows, json);
    return 0;
}

}  // namespace gathercheck
