// SPDX-License-Identifier: Apache-2.0
// Differences: what changed from one run to another, and why.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/records/record.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// How an execution changed. The order is that of reports.
enum class ChangeKind : std::uint8_t {
    new_failure,          ///< it fails, and did not, or was not claimed, or its case is new
    other_failure,        ///< it fails in another way: another outcome, or another wrong output
    fixed,                ///< it failed, and does not any more
    flaky,                ///< two answers of one run differed, and do not now: chance may be why
    newly_supported,      ///< it was "unsupported", and is answered rightly
    no_longer_supported,  ///< it is "unsupported", and was not
    other_treatment,      ///< nothing is specified, and something else is done
    newly_claimed,        ///< it is claimed, and was not
    no_longer_claimed,    ///< it was claimed, and is not
    case_added,           ///< its case is new, and it does not fail
    case_removed,         ///< its case is gone
    newly_run,            ///< it was not run, so nobody knows whether it failed
    no_longer_run,        ///< it is not run, so nobody knows whether it fails
};

inline constexpr std::size_t change_kind_count = 13;

/// "new failure", "fixed", ...
std::string_view name(ChangeKind kind);

/// "ov.gather-8.axis" of any version: "ov.gather.axis".
std::string unversioned_rule(const std::string& rule);

/// "onnx.Gather" of "onnx.Gather-13".
std::string unversioned_name(OperatorVersion version);

/// Why an execution may have changed.
enum class Cause : std::uint8_t {
    case_changed,
    implementation,  ///< its version
    tool,            ///< the version of gathercheck, and its suite's
    suite,  ///< whether this case is the same cannot be told: an older record lacks its hash
    machine,
    unknown,  ///< all that is recorded is the same
};

std::string_view name(Cause cause);

/// One execution in both runs, or in one of them.
struct ChangedExecution {
    const ExecutionRecord* before = nullptr;  ///< null: it is not there
    const ExecutionRecord* after = nullptr;

    const ExecutionRecord& either() const { return after != nullptr ? *after : *before; }
};

/// Changes that have all of this in common; the first is the example.
struct ChangeGroup {
    ChangeKind kind = ChangeKind::new_failure;
    std::string from;                ///< "pass", "wrong value", "no failure", ...; empty: not there
    std::string to;                  ///< the same
    std::vector<Cause> causes;       ///< all that may be it; empty where it is in the kind
    std::string finding;             ///< empty: of none
    std::string operator_name;       ///< without its version: "onnx.Gather"; empty: of several
    std::string classification;      ///< what is done with indices out of bounds; may be empty
    std::vector<std::string> rules;  ///< that all are about, without versions: "onnx.gather.axis"
    std::vector<OperatorVersion> versions;
    std::vector<ChangedExecution> executions;
};

/// One implementation in both runs.
struct ImplementationDiff {
    const ImplementationRecord* before = nullptr;
    const ImplementationRecord* after = nullptr;
    std::int64_t executions_before = 0;
    std::int64_t executions_after = 0;
    std::int64_t in_both = 0;
    std::vector<ChangeGroup> groups;  ///< by kind, the largest first
};

/// Cases that were asked, by id, of sweeps without their values, and how many of each.
using CaseCounts = std::map<std::string, std::int64_t>;

struct RunDiff {
    const RunRecord* before = nullptr;
    const RunRecord* after = nullptr;
    std::vector<std::string> lacking_before;  ///< what the records lack; empty: they are complete
    std::vector<std::string> lacking_after;
    bool is_same_suite = true;
    CaseCounts added;    ///< asked in the second run alone, where the suites differ
    CaseCounts removed;  ///< in the first
    CaseCounts changed;  ///< in both, with another content
    std::vector<ImplementationDiff> implementations;
    std::vector<std::string> only_before;  ///< implementations that nothing is compared with
    std::vector<std::string> only_after;

    /// Executions that fail and did not before; what a witness does differently is no failure.
    std::int64_t new_failures() const;
};

/// Compares two files of records. Implementations of one name belong together, and those that
/// `matches` says. A problem where nothing can be compared. The result refers to the records.
std::variant<RunDiff, Problem> diff_runs(
    const RecordFiles& before, const RecordFiles& after,
    std::span<const std::pair<std::string, std::string>> matches);

/// Reads like a changelog.
std::string diff_text(const RunDiff& diff);
/// The same in at most 60 lines, for a pull request.
std::string diff_markdown(const RunDiff& diff);
/// schemas/diff.schema.json.
Json diff_json(const RunDiff& diff);

}  // namespace gathercheck
