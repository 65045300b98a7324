// SPDX-License-Identifier: Apache-2.0
// Loading rules, equations and cases for the verbs.
#include "tools/shared/suite.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "conformance/load/derive.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/sha256.hpp"
#include "tools/shared/dialects.hpp"

namespace gathercheck {

void print_problems(const std::vector<Problem>& problems) {
    for (const Problem& problem : problems) {
        std::fprintf(stderr, "gathercheck: %s\n", to_string(problem).c_str());
    }
    if (problems.size() > 1) std::fprintf(stderr, "gathercheck: %zu problems\n", problems.size());
}

void print_lacking(const std::vector<std::string>& lacking) {
    for (const std::string& what : lacking) {
        std::fprintf(stderr, "gathercheck: incomplete: %s\n", printable(what).c_str());
    }
}

int refuse(const std::string& why) {
    std::fprintf(stderr, "gathercheck: %s\n", printable(why).c_str());
    return exit_bad_input;
}

std::vector<std::filesystem::path> shipped_known_failures(const LoadedSuite& loaded) {
    std::error_code error;
    return json_files(loaded.installed.known_failures, error);
}

std::optional<std::vector<KnownFailures>> load_shipped_known_failures(const LoadedSuite& loaded) {
    std::vector<KnownFailures> read;
    for (const std::filesystem::path& file : shipped_known_failures(loaded)) {
        auto known = load_known_failures(file, loaded.rules, loaded.findings);
        if (const auto* problems = std::get_if<std::vector<Problem>>(&known)) {
            print_problems(*problems);
            return std::nullopt;
        }
        read.push_back(std::get<KnownFailures>(std::move(known)));
    }
    return read;
}

std::optional<std::vector<Clarification>> load_shipped_clarifications(const LoadedSuite& loaded) {
    const std::filesystem::path folder = loaded.installed.cases.parent_path() / "clarifications";
    std::error_code error;
    if (!loaded.shipped || !std::filesystem::exists(folder, error)) {
        return std::vector<Clarification>();
    }
    auto entries = load_clarifications(folder, loaded.suite, loaded.rules);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&entries)) {
        print_problems(*problems);
        return std::nullopt;
    }
    return std::get<std::vector<Clarification>>(std::move(entries));
}

namespace {

/// What is derived is part of the suite: its hash is of the dialects, too.
void add_to_hash(Suite& suite, std::span<const Dialect> dialects) {
    if (dialects.empty()) return;
    std::string all = suite.hash;
    for (const Dialect& dialect : dialects) all += dialect.sha256;
    suite.hash = sha256_hex(all);
}

}  // namespace

std::optional<LoadedSuite> load_suite(const std::vector<std::string>& paths) {
    auto installed = find_installed();
    if (const auto* why = std::get_if<std::string>(&installed)) {
        refuse(*why);
        return std::nullopt;
    }
    const Installed& place = std::get<Installed>(installed);
    if (const auto problems = declare_dialects(); !problems.empty()) {
        print_problems(problems);
        return std::nullopt;
    }
    auto rules = load_rules(place.rules);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&rules)) {
        print_problems(*problems);
        return std::nullopt;
    }
    for (const Dialect& dialect : declared_dialects()) {
        add_rules(dialect, std::get<RuleCatalogue>(rules));
    }
    auto findings = load_findings(place.findings, std::get<RuleCatalogue>(rules));
    if (const auto* problems = std::get_if<std::vector<Problem>>(&findings)) {
        print_problems(*problems);
        return std::nullopt;
    }
    auto equations = Equations::load(place.equations);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&equations)) {
        print_problems(*problems);
        return std::nullopt;
    }
    for (const Dialect& dialect : declared_dialects()) {
        const auto problems = add_equations(dialect, std::get<Equations>(equations));
        if (problems.empty()) continue;
        print_problems(problems);
        return std::nullopt;
    }
    std::vector<std::filesystem::path> folders(paths.begin(), paths.end());
    if (folders.empty()) folders.push_back(place.cases);
    auto suite = load_cases(folders, std::get<RuleCatalogue>(rules));
    if (const auto* problems = std::get_if<std::vector<Problem>>(&suite)) {
        print_problems(*problems);
        return std::nullopt;
    }
    // Cases of somebody's own are for whom they name.
    const auto deriving = paths.empty() ? declared_dialects() : own_dialects();
    derive_expectations(std::get<Suite>(suite), std::get<Equations>(equations), deriving,
                        paths.empty());
    add_to_hash(std::get<Suite>(suite), deriving);
    return LoadedSuite{place,
                       std::get<RuleCatalogue>(std::move(rules)),
                       std::get<FindingCatalogue>(std::move(findings)),
                       std::get<Equations>(std::move(equations)),
                       std::get<Suite>(std::move(suite)),
                       paths.empty()};
}

}  // namespace gathercheck
