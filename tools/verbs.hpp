// SPDX-License-Identifier: Apache-2.0
// The verbs of the command: each takes its parsed options, prints, and returns the exit code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/implementation.hpp"

namespace gathercheck {

/// Exit code for bad input and usage; those of a run are in conformance/run.hpp.
inline constexpr int exit_bad_input = 4;

struct RunVerb {
    std::vector<std::string> implementations;
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::vector<std::string> known_failures;
    bool no_known_failures = false;
    bool update_known_failures = false;  ///< write what the run saw into the files
    std::string reason;                  ///< of known failures that this adds; empty: to be written
    std::string finding;                 ///< in its place: the id of the finding that they show
    std::string sweeps;  ///< "all", "sample", "none"; empty: sample for slow implementations
    std::string shard;   ///< "i/n"; empty: everything
    std::string output;
    std::string resume;       ///< file of a run to go on with, which tells all options but `jobs`,
                              ///< `failures_shown` and `format`
    bool trust_record = false;  ///< of `resume`: do all that its header says
    std::string reproducers;  ///< folder for stand-alone files of failures; empty: none
    bool verify = false;      ///< run each of them, and see that it shows what it says
    std::string format = "text";
    double seconds_per_call = 20;
    int restarts = 200;
    std::uint64_t bytes_of_memory = 0;  ///< for each implementation's process; 0: no limit
    int jobs = 1;                       ///< processes of each implementation, side by side
    int failures_shown = 20;
    bool strict = false;
    std::vector<std::string> command;  ///< the whole command line, for the record
    std::vector<BuiltIn> more;         ///< in-process implementations beside the shipped ones
};
int run_verb(const RunVerb& options);

struct ReportVerb {
    std::vector<std::string> records;  ///< files of one or more runs
    std::string implementation;        ///< only this one; empty: all
    std::string format = "text";       ///< "text", "html", "junit", "markdown", "badge" or "json"
    int failures_shown = 20;           ///< as of a run
    std::string output;                ///< file; empty: stdout
};
/// The exit code is that of the records, by the rule of a run.
int report_verb(const ReportVerb& options);
struct PolicyVerb {
    std::vector<std::string> implementations;  ///< empty: the reference and the best row
    std::vector<std::string> records;          ///< files to read in place of a run
    std::vector<std::string> filters;
    std::string format = "text";
    double seconds_per_call = 20;
    std::vector<BuiltIn> more;  ///< in-process implementations beside the shipped ones
};
int policy_verb(const PolicyVerb& options);

struct ClaimVerb {
    std::string records;
    std::string implementation;  ///< empty: every one of the run
    std::vector<std::string> cases;
    std::string format = "markdown";
};
int claim_verb(const ClaimVerb& options);

struct WorkerVerb {
    std::string plugin;  ///< a shared library
    bool null = false;   ///< the worker that computes nothing, in its place
};
/// Serves until its standard input ends.
int worker_verb(const WorkerVerb& options);

struct ListVerb {
    std::string what = "cases";  ///< "cases", "counts", "rules", "operators" or "implementations"
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string sweeps = "all";
    std::string format = "text";
    std::vector<BuiltIn> more;  ///< in-process implementations beside the shipped ones
};
int list_verb(const ListVerb& options);

struct ExplainVerb {
    std::string id;
    std::string version;  ///< an operator version; empty: all of the case's
    std::vector<std::string> cases;
};
int explain_verb(const ExplainVerb& options);

struct CheckVerb {
    std::vector<std::string> cases;
    std::vector<std::string> known_failures;  ///< files; empty: the shipped ones, if the cases are
    std::string format = "text";
};
int check_verb(const CheckVerb& options);

struct CoverageVerb {
    std::vector<std::string> cases;
    std::vector<std::string> filters;    ///< operator=PATTERN only
    std::vector<std::string> documents;  ///< no, one or two folders
    std::string format = "text";
};
/// 1 where a rule lacks a case, a claim does not hold, or the documents differ from the catalogue.
int coverage_verb(const CoverageVerb& options);

struct MutantsVerb {
    std::vector<std::string> mutants;  ///< patterns of names or themes; empty: all
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string format = "text";
    int cases_shown = 0;    ///< of those that catch a mutant
    bool unneeded = false;  ///< list the cases that no mutant needs
};
int mutants_verb(const MutantsVerb& options);

struct ClarificationsVerb {
    std::vector<std::string> ids;      ///< patterns; empty: all
    std::vector<std::string> records;  ///< files of records that say what implementations did
    bool update = false;               ///< write observed.json and the page
    std::string format = "text";       ///< "text", "markdown" or "json"
};
int clarifications_verb(const ClarificationsVerb& options);

struct BenchVerb {
    std::vector<std::string> filters;    ///< patterns of workload ids; empty: the default ones
    std::vector<std::string> workloads;  ///< of the command line
    std::string peers = "all";           ///< names with commas between, "all" or "none"
    int threads = 1;
    int rounds = 7;
    double sample_us = 40;             ///< the least time of one sample
    bool cold = false;                 ///< every workload with empty caches
    bool rows = false;                 ///< each instruction set of ours too
    bool unchecked = false;            ///< ours without a check of the indices too
    bool machine = false;              ///< print what is known about this machine, and nothing else
    bool list = false;                 ///< print the workloads, and nothing else
    std::vector<std::string> outputs;  ///< files: a page where it ends with .html, else JSON
    std::string format = "text";
};
/// 1 where an answer of ours was wrong. Ends the process where engines were opened.
int bench_verb(const BenchVerb& options);

struct OverheadVerb {
    int calls = 2000;  ///< of each size, for each way to answer
    std::string format = "text";
};
/// 3 where something that comes with the command could not be measured.
int overhead_verb(const OverheadVerb& options);

struct ImportVerb {
    std::string kind;                  ///< "onnx": ONNX node-test folders
    std::vector<std::string> folders;  ///< a node test each, or a folder of many
    std::string id_prefix;             ///< of the ids; empty: the default
    std::string output;                ///< file; empty: stdout
    bool all_versions = false;         ///< list every version for which the call is legal
};
int import_verb(const ImportVerb& options);

struct CallsVerb {
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string sweeps = "sample";
    std::string claims;  ///< file with a worker's hello; empty: every type, by the plain route
    std::string output;  ///< file; empty or "-": stdout
};
int calls_verb(const CallsVerb& options);

struct JudgeVerb {
    std::string calls;                 ///< file that `calls` wrote
    std::vector<std::string> answers;  ///< one file, or two of two runs
    std::string implementation;        ///< what answered, for the records; empty: the file
    std::vector<std::string> filters;  ///< of what was asked, judge only this
    std::string known_failures;        ///< file; empty: none
    std::string output;                ///< file for the records; empty: none
    std::string format = "text";
    int failures_shown = 20;
    std::vector<std::string> command;  ///< the whole command line, for the record
};
/// Exit codes as of a run.
int judge_verb(const JudgeVerb& options);

struct VerifyVerb {
    std::vector<std::string> paths;  ///< reproducers, and folders of them
    double seconds = 60;             ///< that a program may take that comes to an end
    int jobs = 1;
};
/// 0: each shows what it says; 1: one does not; 3: interrupted; 77: none can be run here.
int verify_verb(const VerifyVerb& options);
struct FindingsVerb {
    std::vector<std::string> ids;         ///< patterns; empty: all
    std::string implementation;           ///< empty: any
    std::vector<std::string> severities;  ///< empty: any
    std::string format = "text";          ///< "text", "markdown" or "json"
    std::string table;                    ///< "gravest" or "engines", in Markdown; empty: none
    bool full = false;                    ///< text: each as it is shown by its id
    std::vector<std::string> update;      ///< files whose parts are written anew
};
int findings_verb(const FindingsVerb& options);

struct SmokeVerb {
    std::string implementation;  ///< a program: "exec:COMMAND LINE", "onnxruntime"
    double seconds_to_start = 30;
    double seconds_per_call = 10;
    std::string format = "text";
};
/// 0: it speaks the protocol and gets the calls right; 1: it gets calls wrong; 3: it does not speak
/// the protocol.
int smoke_verb(const SmokeVerb& options);

}  // namespace gathercheck
