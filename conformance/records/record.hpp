// SPDX-License-Identifier: Apache-2.0
// Records: the results of a run as JSON lines, from which every report, comparison and exit code
// derives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/model/route.hpp"
#include "conformance/records/recorded_answer.hpp"
#include "conformance/records/run_settings.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// The version of the form of these lines: schemas/record.schema.json. Those before it are read
/// too: in schema 1 each execution stood for itself, and had no answers.
inline constexpr int record_schema_version = 2;

/// So much of a case's hash tells whether it was changed.
inline constexpr std::size_t case_hash_digits = 8;

/// First line: what ran, on what.
struct RunRecord {
    std::string suite_version;
    std::string suite_hash;
    std::int64_t cases = 0;
    std::string tool_version;
    std::vector<std::string> command;
    std::string started;  ///< UTC, "2026-11-21T10:00:00Z"
    std::string cpu;
    std::string system;
    std::string distribution;  ///< of the operating system: "Debian GNU/Linux 12"; may be empty
    /// What a repeating line begins with: "gathercheck run --cases FILE "; may be empty.
    std::string repeat;
    /// What it says of known failures: "--known-failures FILE "; empty: nothing.
    std::string repeat_known_failures;
    /// Not of records that no `run` made, and of older ones.
    std::optional<RunSettings> settings;
    int schema = record_schema_version;  ///< that it was read in
};

/// Once for each implementation asked for.
struct ImplementationRecord {
    std::string name;            ///< as asked for
    std::string state;           ///< "started", "unavailable" or "broken"
    std::string why;             ///< where it did not start
    bool asked_by_name = false;  ///< not only as one of the default rows
    std::string version;         ///< of the implementation, as it says itself
    std::string language;
    std::string device;
    std::string known_failures;            ///< file name of its known failures; empty: none
    std::string known_failures_hash = {};  ///< of what they say; empty: none
    bool witness = false;                  ///< it promises none of the specifications
    /// As its hello says; nothing in older records, and where it did not start.
    std::optional<std::vector<Claim>> claims = {};
    std::vector<NotImplemented> not_implemented = {};
};

/// One execution: all its buffer placements, fills and repeats together. Its identity is (suite
/// hash, implementation, version, route, case, operator version).
struct ExecutionRecord {
    std::string implementation;
    std::string version;
    OperatorVersion operator_version = OperatorVersion::onnx_gather_13;
    Route route;
    std::string case_id;
    std::string case_hash = {};  ///< by which a case that was changed is told; empty in schema 1
    std::string title;           ///< of the case, with verdicts that a reader looks at; else empty
    Verdict verdict = Verdict::pass;
    Failure failure = Failure::none;  ///< with fail and known failure
    std::string outcome;              ///< kind of the outcome: "value", "rejected", ...
    std::string classification;       ///< "error", "zero", "clamp", ...: with unspecified, and
                                      ///< with a wrong answer to an index out of bounds;
                                      ///< too_little_memory where that is why it was not run;
                                      ///< left_to_the_run with a pass of that kind
    std::string category;             ///< of a rejection, where the implementation gave it
    std::string phase;                ///< of a rejection, where the implementation gave it
    std::string answer = {};          ///< answer_digest() of what came, with fail
    std::string detail;               ///< what was expected and what came
    /// What came, both where two runs differed, and all that is allowed: with whatever a reader
    /// looks at, known failures too. Of what is not specified, only what came.
    std::vector<RecordedAnswer> got = {};
    std::vector<RecordedAnswer> expected = {};
    std::string reason;              ///< with known failure and fixed: the entry's reason
    std::string finding = {};        ///< beside `reason`: id of the entry's finding; may be empty
    std::vector<std::string> rules;  ///< of a failure: the rules that the case names; beside
                                     ///< `reason`: those that the entry cites
    std::string shown_by;            ///< beside `reason`: the entry's reproducer
    std::string reproducer;          ///< file of this run that shows the failure; empty: none
    /// That the calls took together, with what it takes to hand over tensors; nothing where it is
    /// not known.
    std::optional<std::int64_t> microseconds = {};
};

/// Something that concerns an implementation as a whole.
struct NoteRecord {
    std::string implementation;
    /// "warning"; "disagreement" where the known failures and the run disagree; "error" for trouble
    /// of the harness or adapter; "diagnosis": what explains the failures.
    std::string level;
    std::string text;
    /// Which of several it is that the same is said of: notes that differ only in this are shown as
    /// one. May be empty.
    std::string about = {};
};

/// Last line: without it the run was cut short.
struct EndRecord {
    std::int64_t executions = 0;
    int exit_code = 0;
    double seconds = 0;
    bool partial = false;  ///< the run was interrupted: executions are missing
};

using Record =
    std::variant<RunRecord, ImplementationRecord, ExecutionRecord, NoteRecord, EndRecord>;

/// One JSON line with all that the record holds, without the newline.
std::string to_json_line(const Record& record);

/// True where a reader of the records asks which case that was.
bool is_looked_at(Verdict verdict);

/// The output that came in place of the expected one, for people; empty where `detail` says all.
std::string wrong_output_text(const ExecutionRecord& execution);

/// False where the execution came to nothing (unavailable, broken, not run): it says nothing about
/// the implementation.
bool says_something(const ExecutionRecord& execution);

/// The class of an execution that was not run for lack of memory: it says nothing about the
/// implementation either, and the rest of the run goes on.
inline constexpr const char* too_little_memory = "too little memory";

/// The class of a descriptor in answer to a call that must be rejected.
inline constexpr const char* left_to_the_run = "left to the run";
bool lacked_memory(const ExecutionRecord& execution);

/// 16 hex digits by which an output, or a descriptor without unknown sizes, is known again, however
/// large it is; empty for any other outcome. Outputs have the same where same_tensor() holds.
std::string answer_digest(const Outcome& outcome);

/// What identifies an execution among those of a run.
std::uint64_t execution_key(const ExecutionRecord& record);

/// What a failed execution counts as in a known-failure file: "wrong value", "crash", ...; empty
/// where the verdict is no failure.
std::string wrong_outcome(Verdict verdict, Failure failure);

/// The same of a record, which also tells what a known failure was.
std::string wrong_outcome(const ExecutionRecord& record);

}  // namespace gathercheck
