// SPDX-License-Identifier: Apache-2.0
// Loading what every verb needs: rules, equations and cases, shipped or named on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/documents/clarification.hpp"
#include "conformance/known_failures/findings.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/load/load.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/oracle/equation.hpp"
#include "tools/shared/installed.hpp"

namespace gathercheck {

/// Exit code for bad input and usage; those of a run are in conformance/records/tally.hpp.
inline constexpr int exit_bad_input = 4;

struct LoadedSuite {
    Installed installed;
    RuleCatalogue rules;
    FindingCatalogue findings;
    Equations equations;
    Suite suite;
    bool shipped = false;  ///< the cases are the shipped ones
};

/// Loads everything; where something is refused prints each problem to stderr and returns nothing.
/// `paths` empty: the shipped cases.
std::optional<LoadedSuite> load_suite(const std::vector<std::string>& paths);

/// The shipped files of known failures, by their names; where one is refused prints each problem to
/// stderr and returns nothing.
std::optional<std::vector<KnownFailures>> load_shipped_known_failures(const LoadedSuite& loaded);

/// The shipped clarifications; none where the shipped data has no folder of them, or where the
/// cases are not the shipped ones. Where one is refused prints each problem to stderr and returns
/// nothing.
std::optional<std::vector<Clarification>> load_shipped_clarifications(const LoadedSuite& loaded);

/// The names of the shipped files of known failures.
std::vector<std::filesystem::path> shipped_known_failures(const LoadedSuite& loaded);

/// The problems on stderr, and how many there are.
void print_problems(const std::vector<Problem>& problems);

/// What records lack, on stderr.
void print_lacking(const std::vector<std::string>& lacking);

/// "gathercheck: ..." on stderr; returns exit_bad_input.
int refuse(const std::string& why);

/// The exit code of a step that ends a verb; empty: the next step follows.
using Ended = std::optional<int>;

}  // namespace gathercheck
