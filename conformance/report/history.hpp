// SPDX-License-Identifier: Apache-2.0
// Histories: what the runs of a folder say one after the other, and since when each failure is
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conformance/known_failures/history.hpp"
#include "conformance/records/record.hpp"
#include "conformance/records/tally.hpp"
#include "conformance/report/diff.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/problem.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// A file of records that does not count, and why.
struct LeftOutRun {
    std::string file;
    std::string why;
};

/// A whole run.
struct HistoryRun {
    std::string file;  ///< its name in the folder
    RunRecord record;
};

/// Executions of an implementation that changed alike from the run before.
struct HistoryChange {
    ChangeKind kind = ChangeKind::new_failure;
    std::vector<Cause> causes;  ///< all that may be it; empty where it is in the kind
    std::int64_t executions = 0;
};

/// One implementation in one run.
struct HistoryPoint {
    std::size_t run = 0;  ///< its place among the runs
    /// By which the findings name it: the version, with the time or the file where several runs are
    /// of one.
    std::string label;
    ImplementationTally tally;
    std::vector<HistoryChange> changes;  ///< nothing in the first
};

/// Failures that are of one cause as far as records tell: a finding, else the reason of known
/// failures, else operator, outcome and rules.
struct HistoryFinding {
    std::string finding;  ///< its id; empty: nobody has written it down
    std::string what;  ///< the same, or the reason, or "onnx.Gather: crash; rule onnx.gather.axis"
    std::vector<OperatorVersion> versions;
    FindingHistory history;  ///< in the labels of the points
    std::size_t first = 0;   ///< places of the first and last point that show it
    std::size_t last = 0;
};

struct ImplementationHistory {
    std::string name;
    std::vector<HistoryPoint> points;      ///< the oldest first
    std::vector<HistoryFinding> findings;  ///< those of the newest run first
};

struct History {
    bool is_by_time = true;    ///< else by the names of files, since some run says no time
    std::string without_time;  ///< the first file that says none
    std::vector<HistoryRun> runs;
    std::vector<LeftOutRun> left_out;  ///< in the order of their names
    std::vector<ImplementationHistory> implementations;
};

/// Reads every *.jsonl, *.jsonl.gz and *.jsonl.zst of a folder, one after the other. What is no
/// whole run is left out, and so is a run that another file holds as well. `only`: this
/// implementation; empty: all. A problem where the folder cannot be read or has no such file, and
/// where no whole run tells of `only`.
std::variant<History, Problem> history_of(const std::filesystem::path& folder,
                                          const std::string& only);

/// "since 1.14, not in 1.13; fixed in 1.20, in 1.19 still".
std::string since_text(const HistoryFinding& finding);

/// "new failure: 3 (another version of the implementation); fixed: 2 (the case was changed)".
std::string changes_text(const std::vector<HistoryChange>& changes);

std::string history_text(const History& history);
std::string history_markdown(const History& history);
/// schemas/history.schema.json.
Json history_json(const History& history);

}  // namespace gathercheck
