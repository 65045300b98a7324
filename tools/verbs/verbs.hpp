// SPDX-License-Identifier: Apache-2.0
// The verbs of the command. Each file has one: what it takes, its help, and what it does.
#pragma once

#include <string>
#include <vector>

#include "conformance/model/implementation.hpp"

namespace gathercheck {

class Verb;
struct LoadedSuite;

/// What the command was started with.
struct CommandLine {
    std::vector<std::string> words;  ///< as main() has them, the name of the program too
    std::vector<BuiltIn> more;       ///< in-process implementations beside the shipped ones
};

/// Adds a verb with its options to the command. Where it is asked for, `exit_code` gets what its
/// help says. All that is referred to must outlive the parsing.
using AddVerb = void(const Verb& command, const CommandLine& line, int& exit_code);

AddVerb add_run_verb;
AddVerb add_merge_verb;
AddVerb add_report_verb;
AddVerb add_diff_verb;
AddVerb add_history_verb;
AddVerb add_policy_verb;
AddVerb add_claim_verb;
AddVerb add_worker_verb;
AddVerb add_list_verb;
AddVerb add_explain_verb;
AddVerb add_check_verb;
AddVerb add_mutants_verb;
AddVerb add_fuzz_verb;
AddVerb add_coverage_verb;
AddVerb add_clarifications_verb;
AddVerb add_findings_verb;
AddVerb add_overhead_verb;
AddVerb add_bench_verb;
AddVerb add_import_verb;
AddVerb add_export_verb;
AddVerb add_harvest_verb;
AddVerb add_smoke_verb;
AddVerb add_verify_verb;
AddVerb add_calls_verb;
AddVerb add_judge_verb;
AddVerb add_compare_verb;
AddVerb add_porting_verb;
AddVerb add_site_verb;

/// What `gathercheck findings ID` and `gathercheck clarifications ID` print; the exit code. Where
/// what is loaded is not the shipped suite, that is loaded beside it.
int show_finding(const std::string& id, const LoadedSuite& loaded);
int show_clarification(const std::string& id, const LoadedSuite& loaded);

}  // namespace gathercheck
