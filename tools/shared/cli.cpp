// SPDX-License-Identifier: Apache-2.0
// Options that several verbs have.
#include "tools/shared/cli.hpp"

namespace gathercheck {

CLI::Validator memory_size() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            const auto bytes = bytes_of(text);
            if (!bytes || !memory_allowed.contains(*bytes)) {
                return "'" + text + "' is no size from 1MB to 1EB, like 2GB or 500000000";
            }
            text = std::to_string(*bytes);
            return {};
        },
        "from 1MB to 1EB");
}

void add_cases(CLI::App& verb, std::vector<std::string>& cases) {
    verb.add_option("--cases", cases,
                    "Case file, or folder of case files (default: the shipped ones)")
        ->allow_extra_args(false)
        ->type_name("PATH");
}

void add_filter(CLI::App& verb, std::vector<std::string>& filters) {
    verb.add_option(
            "--filter", filters,
            "KEY=PATTERN with KEY case, operator, route, type or rule, or part of a case id; "
            "may be repeated: terms of one key are alternatives, and each must match something")
        ->allow_extra_args(false)
        ->type_name("TERM");
}

void add_format(CLI::App& verb, std::string& format) {
    verb.add_option("--format", format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
}

}  // namespace gathercheck
