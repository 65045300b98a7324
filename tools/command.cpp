// SPDX-License-Identifier: Apache-2.0
// The verbs of the command, their options and help.
#include "tools/command.hpp"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/filter_check.hpp"
#include "conformance/findings.hpp"
#include "conformance/json.hpp"
#include "tools/option_values.hpp"
#include "tools/suite.hpp"
#include "tools/verbs.hpp"

namespace gathercheck {
namespace {

const auto one_of_formats = CLI::IsMember({"text", "json"});

/// Takes numbers of a range; what it refuses it names, with the range.
template <class Number>
CLI::Validator number_in(Range<Number> range) {
    std::ostringstream bounds;
    bounds << "from " << range.first << " to " << range.last;
    return CLI::Validator(
        [range, allowed = bounds.str()](const std::string& text) -> std::string {
            Number value{};
            const char* end = text.data() + text.size();
            const auto [behind, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc{} && behind == end && range.contains(value)) return {};
            return "'" + text + "' is no " + (std::is_integral_v<Number> ? "whole " : "") +
                   "number " + allowed;
        },
        bounds.str());
}

/// A size of memory, which becomes its number of bytes.
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

constexpr Range<int> shown_allowed{0, 1000000000};

/// True for a text that a known failure may have as its reason.
bool is_reason(const std::string& text) {
    return text.find_first_not_of(' ') != std::string::npos && printable(text) == text;
}

/// The options that choose cases, the same for every verb.
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

/// Says which word of the command line belongs to nothing, and what it may be meant for.
int refuse_extras(const CLI::App& app, const std::vector<std::string>& words) {
    const std::vector<CLI::App*> verbs = app.get_subcommands();
    const CLI::App& verb = verbs.empty() ? app : *verbs.front();
    const std::vector<std::string> left = app.remaining(true);
    const std::string word = left.empty() ? std::string() : left.front();
    std::string text = verb.get_name() + " takes no '" + word + "'";
    if (word.starts_with("-")) {
        std::vector<std::string> options;
        for (const CLI::Option* option : verb.get_options()) {
            for (const std::string& one : option->get_lnames()) options.push_back("--" + one);
        }
        text += near_names(word.substr(0, word.find('=')), options);
    }
    // exec:python3 my_worker.py, without quotes
    for (std::size_t k = 0; k + 1 < words.size(); ++k) {
        const std::size_t exec = words[k].find("exec:");
        const bool is_command = exec == 0 || (exec != std::string::npos && exec > 0 &&
                                              words[k][exec - 1] == '=');
        if (is_command && words[k + 1] == word) {
            text += "; if it belongs to the command line, put that in quotes: '" + words[k] + " " +
                    word + "'";
        }
    }
    return refuse(text + "; `gathercheck " + verb.get_name() + " --help` tells what it takes");
}

void add_format(CLI::App& verb, std::string& format) {
    verb.add_option("--format", format, "text or json")
        ->check(one_of_formats)
        ->capture_default_str();
}

}  // namespace

int command(int argc, char** argv, std::vector<BuiltIn> more) {
    std::signal(SIGPIPE, SIG_IGN);
    CLI::App app{
        "gathercheck: does your gather do what the specification says?\n\n"
        "Runs a suite of cases for the gather operators of OpenVINO and ONNX on a reference, on "
        "vectorised kernels,\nand on anything that you bring."};
    app.set_version_flag("--version", GATHERCHECK_VERSION);
    app.require_subcommand(1);
    int exit_code = 0;

    RunVerb run;
    run.command.assign(argv, argv + argc);
    run.more = more;
    CLI::App& run_app = *app.add_subcommand("run", "Run cases on implementations and judge them");
    run_app
        .add_option("--implementation", run.implementations,
                    "reference, optimized, optimized:ROW, optimized:threads, numpy, onnxruntime, "
                    "openvino, plugin:FILE, 'exec:COMMAND LINE', the same by a name of yours "
                    "(NAME=plugin:FILE, 'NAME=exec:COMMAND LINE'), or "
                    "default (the reference and every optimized row); may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME");
    add_cases(run_app, run.cases);
    add_filter(run_app, run.filters);
    run_app
        .add_option(
            "--sweeps", run.sweeps,
            "all, sample or none of the sweeps (default: all; sample for engines and programs)")
        ->check(CLI::IsMember({"all", "sample", "none"}));
    run_app.add_option("--shard", run.shard, "Run share i of n of the cases")->type_name("i/n");
    run_app
        .add_option("--output", run.output, "Write the records here as JSON lines; - for stdout")
        ->type_name("FILE");
    run_app
        .add_option("--resume", run.resume,
                    "Go on with the run that wrote this file and was cut short, with its options; "
                    "only --trust-record, --jobs, --failures and --format go with it")
        ->type_name("FILE");
    run_app.add_flag("--trust-record", run.trust_record,
                     "With --resume: start the programs that the file names, and work in its "
                     "folders; without it such a run does not go on, as anybody may have written "
                     "the file")
        ->needs("--resume");
    run_app
        .add_option("--known-failures", run.known_failures,
                    "Known-failure file (default: the shipped one of each engine); may be repeated")
        ->allow_extra_args(false)
        ->type_name("FILE");
    run_app.add_flag("--no-known-failures", run.no_known_failures, "Use no known-failure file")
        ->excludes("--known-failures");
    run_app
        .add_option("--reproducers", run.reproducers,
                    "Write each failure, known ones too, as a stand-alone program in the engine's "
                    "own API into this folder")
        ->type_name("FOLDER");
    run_app
        .add_flag("--verify", run.verify,
                  "Run each program that --reproducers wrote, after everything else, and see that "
                  "it shows what it says; one that does not is trouble of its adapter (exit 3)")
        ->needs("--reproducers");
    run_app
        .add_flag("--update-known-failures", run.update_known_failures,
                  "Write what the run saw into the known-failure files: what fails no more goes, "
                  "what is new comes with an empty reason, for you to write")
        ->excludes("--no-known-failures");
    run_app
        .add_option("--reason", run.reason,
                    "Reason of the entries that --update-known-failures adds (default: empty, and "
                    "the file is refused until you write it)")
        ->needs("--update-known-failures")
        ->type_name("TEXT");
    run_app
        .add_option("--finding", run.finding,
                    "Id of the finding that the entries which --update-known-failures adds show, in "
                    "place of a reason; the empty one of new entries of a shipped file is for you "
                    "to write")
        ->needs("--update-known-failures")
        ->excludes("--reason")
        ->type_name("ID");
    run_app.add_flag("--strict", run.strict,
                     "An expired known failure, and a difference of a witness that is not "
                     "among the known failures, is a disagreement (exit 2)");
    run_app
        .add_option("--time-limit", run.seconds_per_call,
                    "Seconds that one call may take; its process may start for three times that, a "
                    "plug-in for 5 s at least, another program for 60 s at least")
        ->check(number_in(seconds_allowed))
        ->capture_default_str();
    run_app
        .add_option("--memory-limit", run.bytes_of_memory,
                    "Address space for the process of each implementation, e.g. 2GB: what it asks "
                    "for beyond is refused (default: no limit, as engines reserve much; 6GB for "
                    "openvino:onnx, which would take more than there is)")
        ->transform(memory_size())
        ->type_name("SIZE");
    run_app
        .add_option(
            "--restarts", run.restarts,
            "After that many deaths and timeouts of an implementation that are not among its known "
            "failures the rest is not run")
        ->check(number_in(restarts_allowed))
        ->capture_default_str();
    run_app
        .add_option("--jobs", run.jobs,
                    "Processes of each implementation that answer side by side; the records and "
                    "their order stay the same")
        ->check(number_in(Range<int>{1, 256}))
        ->capture_default_str()
        ->type_name("N");
    run_app
        .add_option("--failures", run.failures_shown,
                    "Failures shown in the end: all if they are no more, else one of each "
                    "kind, the gravest first; 0: every one, as it comes")
        ->check(number_in(shown_allowed))
        ->capture_default_str();
    add_format(run_app, run.format);
    run_app.footer(
        "Examples:\n"
        "  gathercheck run\n"
        "  gathercheck run --implementation onnxruntime --jobs 4 --output run.jsonl\n"
        "  gathercheck run --implementation 'exec:./my_worker' --filter "
        "'operator=onnx.Gather-*'\n\n"
        "Exit code: 0 conforms; 1 does not; 2 the known failures and the run disagree; 3 trouble "
        "of the\n"
        "harness or an adapter, nothing passed, or a case needs more memory than there is; 4 bad "
        "input or usage.\n\n"
        "The shipped adapters run in the Python that GATHERCHECK_PYTHON names, else in build/venv "
        "of the build\ntree, which tools/setup.sh ENGINE... makes, else in python3.");
    run_app.callback([&] {
        for (const CLI::Option* option : run_app.get_options()) {
            const std::string name = option->get_name();
            const bool goes_with_it = name == "--resume" || name == "--trust-record" ||
                                      name == "--jobs" ||
                                      name == "--failures" || name == "--format";
            if (run.resume.empty() || option->count() == 0 || goes_with_it) continue;
            exit_code = refuse(name + " does not go with --resume: the options of the run are in " +
                               run.resume + "; leave it out");
            return;
        }
        if (run_app.count("--reason") > 0 && !is_reason(run.reason)) {
            exit_code = refuse("--reason is empty, or not one line of UTF-8; say in a sentence "
                               "what is done instead of what must be");
            return;
        }
        exit_code = run_verb(run);
    });

    ReportVerb report;
    CLI::App& report_app = *app.add_subcommand(
        "report", "What the records of runs say: a page, JUnit XML, Markdown, a badge");
    report_app
        .add_option("records", report.records,
                    "Files that `gathercheck run --output FILE` wrote; shards are put together")
        ->required()
        ->type_name("FILE");
    report_app.add_option("--implementation", report.implementation, "Only this implementation")
        ->type_name("NAME");
    report_app
        .add_option("--format", report.format, "text, html, junit, markdown, badge (SVG) or json")
        ->check(CLI::IsMember({"text", "html", "junit", "markdown", "badge", "json"}))
        ->capture_default_str();
    report_app
        .add_option("--failures", report.failures_shown,
                    "Of the text: show up to N failures in full, else one of each kind; 0: all")
        ->check(number_in(shown_allowed))
        ->type_name("N")
        ->capture_default_str();
    report_app.add_option("--output", report.output, "Write it here, not to stdout")
        ->type_name("FILE");
    report_app.footer(
        "Examples:\n"
        "  gathercheck report run.jsonl --format html --output report.html\n"
        "  gathercheck report shard-*.jsonl --format junit --output junit.xml\n"
        "  gathercheck report run.jsonl --implementation onnxruntime --format badge --output "
        "badge.svg\n\n"
        "Records are put together where they are of one suite and one version, and share no "
        "execution.\n\n"
        "Exit code: that of the records, as `gathercheck run` has it; incomplete records (of a run "
        "that was cut\nshort, with fewer lines than their end counts, or not all shards) are "
        "trouble (3); 4 bad input or usage.");
    report_app.callback([&] { exit_code = report_verb(report); });
    PolicyVerb policy;
    policy.more = more;
    CLI::App& policy_app =
        *app.add_subcommand("policy", "What implementations do with indices out of bounds: a map");
    policy_app
        .add_option("--implementation", policy.implementations,
                    "As for run (default: reference and optimized); may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME");
    policy_app
        .add_option("--records", policy.records,
                    "Read the records of `gathercheck run --output FILE` in place of running; may "
                    "be repeated")
        ->allow_extra_args(false)
        ->excludes("--implementation")
        ->type_name("FILE");
    policy_app
        .add_option("--filter", policy.filters,
                    "operator=PATTERN or route=PATTERN (default: routes with static shapes); may "
                    "be repeated")
        ->allow_extra_args(false)
        ->type_name("TERM");
    policy_app
        .add_option("--time-limit", policy.seconds_per_call, "Seconds that one call may take")
        ->check(number_in(seconds_allowed))
        ->capture_default_str();
    policy_app.add_option("--format", policy.format, "text, json or markdown")
        ->check(CLI::IsMember({"text", "json", "markdown"}))
        ->capture_default_str();
    policy_app.footer(
        "Examples:\n"
        "  gathercheck policy --implementation onnxruntime --implementation openvino\n"
        "  gathercheck policy --implementation 'exec:./my_worker' --filter "
        "operator=onnx.Gather-13\n"
        "  gathercheck policy --records run.jsonl --format markdown\n\n"
        "The map is made of the cases policy-*, asked in the element types they are written in "
        "(f32, i64)\n"
        "or the nearest that an implementation claims; `gathercheck list --filter 'case=policy-*'` lists them.\n\n"
        "Exit code: 0 the map was made, whatever it shows; 3 trouble of the harness or an adapter, "
        "or incomplete\nrecords; 4 bad input or usage.");
    policy_app.callback([&] { exit_code = policy_verb(policy); });

    ClaimVerb claim;
    CLI::App& claim_app = *app.add_subcommand(
        "claim", "The conformance statement of a run: what it showed, and what it did not");
    claim_app.add_option("records", claim.records, "What `gathercheck run --output FILE` wrote")
        ->required()
        ->type_name("FILE");
    claim_app
        .add_option("--implementation", claim.implementation,
                    "Only this one (default: every one of the run)")
        ->type_name("NAME");
    add_cases(claim_app, claim.cases);
    claim_app.add_option("--format", claim.format, "markdown or json")
        ->check(CLI::IsMember({"markdown", "json"}))
        ->capture_default_str();
    claim_app.footer(
        "Example:\n"
        "  gathercheck run --implementation onnxruntime --output run.jsonl\n"
        "  gathercheck claim run.jsonl >conformance.md\n\n"
        "Exit code: 0 every statement holds (known failures are named in it); 1 one does not; 3 "
        "the record is\nincomplete: there is no statement; 4 bad input or usage.");
    claim_app.callback([&] { exit_code = claim_verb(claim); });

    WorkerVerb worker;
    CLI::App& worker_app = *app.add_subcommand(
        "worker", "Be a worker: speak the protocol for a plug-in, on standard input and output");
    auto& of_worker = *worker_app.add_option_group("what it is")->require_option(1);
    of_worker
        .add_option("--plugin", worker.plugin, "A shared library with the interface of plugin.h")
        ->type_name("FILE");
    of_worker.add_flag("--null", worker.null,
                       "Compute nothing: answer with the data, as `gathercheck overhead` needs it");
    worker_app.footer(
        "`gathercheck run --implementation plugin:FILE` starts this by itself.\n\n"
        "Example:\n"
        "  echo '{\"message\":\"hello\",\"protocol\":{\"min\":1,\"max\":1}}' | gathercheck worker "
        "--plugin ./my_plugin.so\n\n"
        "Exit code: 0 served until the end; 4 no plug-in, or no protocol.");
    worker_app.callback([&] { exit_code = worker_verb(worker); });

    ListVerb list;
    list.more = more;
    CLI::App& list_app =
        *app.add_subcommand("list", "What there is: cases, rules, operators, implementations");
    list_app
        .add_option("what", list.what,
                    "cases, counts (of cases, by operator version, outcome, type and rule), rules, "
                    "operators or implementations")
        ->check(CLI::IsMember({"cases", "counts", "rules", "operators", "implementations"}))
        ->capture_default_str();
    add_cases(list_app, list.cases);
    add_filter(list_app, list.filters);
    list_app.add_option("--sweeps", list.sweeps, "all, sample or none of the sweeps")
        ->check(CLI::IsMember({"all", "sample", "none"}))
        ->capture_default_str();
    add_format(list_app, list.format);
    list_app.footer(
        "Examples:\n"
        "  gathercheck list --sweeps none --filter operator=openvino.Gather-8\n"
        "  gathercheck list rules --filter 'rule=*.indices.*'\n"
        "  gathercheck list counts --format json");
    list_app.callback([&] { exit_code = list_verb(list); });

    ExplainVerb explain;
    CLI::App& explain_app = *app.add_subcommand(
        "explain", "Why a case expects what it does, or what a rule says and where it stands");
    explain_app
        .add_option("case", explain.id,
                    "Case id, rule id, operator version, or the name of a planted bug or cause")
        ->required()
        ->type_name("CASE");
    explain_app.add_option("--for", explain.version, "Only this operator version")
        ->type_name("VERSION");
    add_cases(explain_app, explain.cases);
    explain_app.footer(
        "Examples:\n"
        "  gathercheck explain gather-index-one-past-the-end --for onnx.Gather-13\n"
        "  gathercheck explain onnx.gather-13.indices.error\n"
        "  gathercheck explain onnx.Gather-13\n"
        "  gathercheck explain index-clamped");
    explain_app.callback([&] { exit_code = explain_verb(explain); });

    CheckVerb check;
    CLI::App& check_app = *app.add_subcommand(
        "check",
        "Check case files: form, rules, the reference and the equations; and known failures");
    check_app.add_option("cases", check.cases, "Case files or folders (default: the shipped ones)")
        ->type_name("PATH");
    check_app
        .add_option("--known-failures", check.known_failures,
                    "Known-failure files: form, cases and rules (default: the shipped ones, beside "
                    "the shipped cases); may be repeated")
        ->type_name("FILE");
    add_format(check_app, check.format);
    check_app.footer("Example:\n  gathercheck check my_cases.json");
    check_app.callback([&] { exit_code = check_verb(check); });

    MutantsVerb mutants;
    CLI::App& mutants_app = *app.add_subcommand(
        "mutants", "Planted bugs: run the hand-written cases on each, and see that one catches it");
    mutants_app
        .add_option("--mutant", mutants.mutants,
                    "Name or theme, with * and ? (default: all); may be repeated")
        ->type_name("NAME");
    add_cases(mutants_app, mutants.cases);
    add_filter(mutants_app, mutants.filters);
    mutants_app
        .add_option("--show-cases", mutants.cases_shown, "Show N of the cases that catch it")
        ->check(number_in(shown_allowed))
        ->type_name("N")
        ->capture_default_str();
    mutants_app.add_flag("--unneeded", mutants.unneeded, "List the cases that no mutant needs");
    add_format(mutants_app, mutants.format);
    mutants_app.footer(
        "Examples:\n"
        "  gathercheck mutants\n"
        "  gathercheck mutants --mutant 'index-*' --show-cases 3\n\n"
        "Exit code: 0 every mutant is caught; 1 one survives; 3 trouble; 4 bad input or usage.");
    mutants_app.callback([&] { exit_code = mutants_verb(mutants); });

    CoverageVerb coverage;
    CLI::App& coverage_app = *app.add_subcommand(
        "coverage", "Rules against cases, against what really runs, and against the documents");
    coverage_app
        .add_option("--documents", coverage.documents,
                    "Folder of the specifications' texts: which sentences are stale or without a "
                    "rule; given twice: what changed from the first to the second")
        ->type_name("FOLDER");
    add_cases(coverage_app, coverage.cases);
    coverage_app.add_option("--filter", coverage.filters, "operator=PATTERN; may be repeated")
        ->type_name("TERM");
    add_format(coverage_app, coverage.format);
    coverage_app.footer(
        "Examples:\n"
        "  gathercheck coverage --documents specifications\n"
        "  gathercheck coverage --filter 'operator=onnx.Gather-*' --format json\n"
        "  gathercheck coverage --documents last_year --documents today\n\n"
        "Exit code: 0 every rule is tested and every claim holds; 1 not so; 4 bad input or usage.");
    coverage_app.callback([&] { exit_code = coverage_verb(coverage); });

    ClarificationsVerb clarifications;
    CLI::App& clarifications_app = *app.add_subcommand(
        "clarifications", "What the specifications leave open, and what the suite makes of it");
    clarifications_app
        .add_option("id", clarifications.ids, "Ids, with * and ? (default: every open point)")
        ->type_name("ID");
    clarifications_app
        .add_option("--records", clarifications.records,
                    "Records of `gathercheck run --no-known-failures --output FILE`: show what "
                    "their implementations did in place of what is stored; may be repeated")
        ->type_name("FILE");
    clarifications_app.add_flag("--update", clarifications.update,
                                "Write the page (README.md), and what the records say "
                                "(observed.json), to the shipped data");
    clarifications_app.add_option("--format", clarifications.format, "text, markdown or json")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    clarifications_app.footer(
        "Examples:\n"
        "  gathercheck clarifications '*out-of-bounds*'\n"
        "  gathercheck clarifications --records run.jsonl --update");
    clarifications_app.callback([&] { exit_code = clarifications_verb(clarifications); });

    FindingsVerb findings;
    CLI::App& findings_app = *app.add_subcommand(
        "findings", "What engines get wrong: each bug once, the gravest first, with its proof");
    findings_app.add_option("id", findings.ids, "Ids, with * and ? (default: every finding)")
        ->type_name("ID");
    findings_app
        .add_option("--implementation", findings.implementation,
                    "Only those of this implementation, e.g. onnxruntime:unoptimized")
        ->type_name("NAME");
    std::vector<std::string> severity_words;
    for (const Severity each : severities) severity_words.emplace_back(name(each));
    findings_app
        .add_option("--severity", findings.severities,
                    "Only those of this severity; may be repeated. The gravest first: memory "
                    "outside, crash, hang, wrong value, wrong shape or type, missing error, legal "
                    "call refused, open text")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(severity_words))
        ->type_name("WORDS");
    findings_app
        .add_option("--format", findings.format,
                    "text; json (conformance/schemas/findings_report.schema.json); markdown: of "
                    "ids reports to post upstream, without ids a page")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    findings_app
        .add_option("--table", findings.table,
                    "A table in Markdown: the ten gravest, or engines against operator versions")
        ->check(CLI::IsMember({"gravest", "engines"}))
        ->excludes("--format");
    findings_app.add_flag("--full", findings.full,
                          "As text: each whole, which those are that are chosen by id");
    findings_app
        .add_option("--update", findings.update,
                    "Write the parts of this Markdown file anew, each between a line <!-- "
                    "gathercheck findings --table gravest --> (or --table engines, or --format "
                    "markdown) and a line <!-- end -->; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FILE");
    findings_app.footer(
        "The data are spec_cases/findings/*.json; how many executions show a finding comes from "
        "the shipped\nfiles of known failures, which name it.\n\n"
        "Examples:\n"
        "  gathercheck findings --implementation onnxruntime\n"
        "  gathercheck findings --severity 'memory outside' --severity crash\n"
        "  gathercheck findings onnxruntime-string-rows\n"
        "  gathercheck findings onnxruntime-string-rows --format markdown >report.md");
    findings_app.callback([&] { exit_code = findings_verb(findings); });

    OverheadVerb overhead;
    CLI::App& overhead_app = *app.add_subcommand(
        "overhead", "What a call costs beside the engine's own time: runner, pipe, parsing");
    overhead_app.add_option("--calls", overhead.calls, "Calls of each size that are measured")
        ->check(number_in(Range<int>{1, 10000000}))
        ->capture_default_str()
        ->type_name("N");
    add_format(overhead_app, overhead.format);
    overhead_app.footer(
        "Measured with implementations that compute nothing: a worker in C++, one in Python on the "
        "shipped\ntemplate, a plug-in, and code in a child process. Python is that of "
        "GATHERCHECK_PYTHON, else python3.\n\n"
        "Example:\n"
        "  gathercheck overhead --calls 5000\n\n"
        "Exit code: 0 measured; 3 something that comes with the command could not be measured.");
    overhead_app.callback([&] { exit_code = overhead_verb(overhead); });

    BenchVerb bench;
    CLI::App& bench_app = *app.add_subcommand(
        "bench", "Speed: the optimized library beside engines, plain loops and copies");
    bench_app
        .add_option("--filter", bench.filters,
                    "Id of a workload, with * and ? (default: all but those for special "
                    "questions); may be repeated")
        ->type_name("ID");
    bench_app
        .add_option("--workload", bench.workloads,
                    "A workload of your own: operator version, data, indices, options; may be "
                    "repeated")
        ->type_name("TEXT");
    bench_app
        .add_option("--peers", bench.peers,
                    "Engines: onnxruntime, openvino, torch, numpy, jax with commas between, all or "
                    "none")
        ->type_name("LIST")
        ->capture_default_str();
    bench_app
        .add_option("--threads", bench.threads, "Threads of everybody, each on a CPU of its own")
        ->check(number_in(Range<int>{1, 1000000}))
        ->capture_default_str();
    bench_app.add_option("--rounds", bench.rounds, "Samples of each contender, taken in turns")
        ->check(number_in(Range<int>{1, 1000000}))
        ->capture_default_str();
    bench_app
        .add_option("--sample", bench.sample_us,
                    "Microseconds that one sample takes at least: short calls are repeated")
        ->check(number_in(Range<double>{0.001, 1e9}))
        ->capture_default_str();
    bench_app.add_flag("--cold", bench.cold, "Empty the caches before each sample of any workload");
    bench_app.add_flag("--rows", bench.rows,
                       "Time each instruction set too, and compare it with the next lower one");
    bench_app.add_flag("--unchecked", bench.unchecked,
                       "Time our calls without a check of their indices too");
    bench_app.add_flag("--machine", bench.machine,
                       "Print CPU, caches, instruction sets and thresholds, and do nothing else");
    bench_app.add_flag("--list", bench.list, "Print the workloads, and do nothing else");
    bench_app
        .add_option("--output", bench.outputs,
                    "Write the results here: a page with plots where it ends with .html, else "
                    "JSON; may be repeated")
        ->type_name("FILE");
    add_format(bench_app, bench.format);
    bench_app.footer(
        "A workload is an operator version, type and shape of data and of indices, and of\n"
        "axis=N batch_dims=N indices=uniform|zipf|permutation|sorted|arange|zeros|rows|raster\n"
        "negative=SHARE seed=N cold what it needs; axis and batch_dims are 0 where not given.\n\n"
        "Examples:\n"
        "  gathercheck bench --filter 'G0*' --peers numpy,onnxruntime --output bench.html\n"
        "  gathercheck bench --workload 'onnx.Gather-13 f16[32000,4096] i64[512] indices=zipf "
        "cold'\n"
        "  gathercheck bench --rows --peers none --threads 2\n\n"
        "Engines that Python has are looked for in the one that GATHERCHECK_PYTHON names, else "
        "python3.\n\n"
        "Exit code: 0 measured; 1 an answer of ours was wrong; 3 a workload could not be measured; "
        "4 bad input or usage.");
    bench_app.callback([&] { exit_code = bench_verb(bench); });

    ImportVerb import;
    CLI::App& import_app =
        *app.add_subcommand("import", "Turn tests of others into cases, printed as JSON");
    import_app.add_option("kind", import.kind, "onnx: ONNX node-test folders")
        ->required()
        ->check(CLI::IsMember({"onnx"}));
    import_app
        .add_option("folders", import.folders,
                    "Each a node test (model.onnx, test_data_set_0, ...), or a folder of many")
        ->required()
        ->type_name("FOLDER");
    import_app.add_option("--id-prefix", import.id_prefix, "What the case ids begin with")
        ->type_name("PREFIX");
    import_app.add_option("--output", import.output, "Write the cases here, not to stdout")
        ->type_name("FILE");
    import_app.add_flag(
        "--all-versions", import.all_versions,
        "List every operator version for which the call is legal, not only the model's");
    import_app.footer(
        "Example:\n"
        "  gathercheck import onnx FOLDER/node --output imported.json\n"
        "  gathercheck run --cases imported.json");
    import_app.callback([&] { exit_code = import_verb(import); });

    SmokeVerb smoke;
    CLI::App& smoke_app = *app.add_subcommand(
        "smoke", "Check a program that speaks the worker protocol: what is wrong with it, and why");
    smoke_app
        .add_option("implementation", smoke.implementation,
                    "'exec:COMMAND LINE', or a shipped adapter: numpy, onnxruntime, openvino")
        ->required()
        ->type_name("NAME");
    smoke_app
        .add_option("--time-to-start", smoke.seconds_to_start, "Seconds until its hello must come")
        ->check(number_in(seconds_allowed))
        ->capture_default_str();
    smoke_app.add_option("--time-limit", smoke.seconds_per_call, "Seconds that one call may take")
        ->check(number_in(seconds_allowed))
        ->capture_default_str();
    add_format(smoke_app, smoke.format);
    smoke_app.footer(
        "Starts it, shakes hands, asks a dozen calls that it claims, twice each, and sees whether "
        "it ends.\nEach step is said in words; of a fault: what was sent, what it printed, what is "
        "wrong, what to do.\n\n"
        "Example:\n  gathercheck smoke 'exec:python3 my_worker.py'\n\n"
        "Exit code: 0 ready to be scored; 1 it gets calls wrong; 3 it does not keep to the "
        "protocol; 4 bad\ninput or usage.");
    smoke_app.callback([&] { exit_code = smoke_verb(smoke); });

    VerifyVerb verify;
    CLI::App& verify_app = *app.add_subcommand(
        "verify", "Run kept reproducers and see that each shows what its line \"shows:\" says");
    verify_app
        .add_option("paths", verify.paths,
                    "Reproducers that `gathercheck run --reproducers FOLDER` wrote, and folders of "
                    "them")
        ->required()
        ->type_name("PATH");
    verify_app
        .add_option("--jobs", verify.jobs, "Programs that run side by side")
        ->check(number_in(Range<int>{1, 256}))
        ->capture_default_str()
        ->type_name("N");
    verify_app
        .add_option("--time-limit", verify.seconds,
                    "Seconds that a program may take that comes to an end")
        ->check(number_in(seconds_allowed))
        ->capture_default_str();
    verify_app.footer(
        "Each runs in a folder of its own, with a limit of its address space (4 GiB; 6 GiB for "
        "openvino:onnx;\n64 GiB for JavaScript and Rust, which reserve much; none for a command of "
        "its own). What runs it:\n"
        "  .py        the Python of the adapters (GATHERCHECK_PYTHON, else build/venv, else "
        "python3)\n"
        "  .js        node, in the folder of the engine's packages (GATHERCHECK_ENGINES)\n"
        "  .cpp, .c   CXX or c++, CC or cc; with ONNX's library for onnx-shapes\n"
        "  .rs        cargo, with tract as tools/setup.sh tract installs it\n"
        "  .sh        /bin/sh\n"
        "A line \"command: [\"python3\",\"{file}\"]\" of a file's head, as a worker may have given, is "
        "run\ninstead, but only where the file itself is named as a PATH: in a folder such files "
        "are not run.\nReproducers are programs: verify those that you would run.\n\n"
        "Example:\n  gathercheck verify build/reproducers --jobs 2\n\n"
        "Exit code: 0 each shows what it says; 1 one does not; 3 interrupted; 4 bad input or usage; "
        "77 none\ncan be run here. What cannot be run is named with what it lacks.");
    verify_app.callback([&] { exit_code = verify_verb(verify); });

    CallsVerb calls;
    CLI::App& calls_app = *app.add_subcommand(
        "calls", "Print the calls as JSON lines, for a program that answers them to a file");
    add_cases(calls_app, calls.cases);
    add_filter(calls_app, calls.filters);
    calls_app.add_option("--sweeps", calls.sweeps, "all, sample or none of the sweeps")
        ->check(CLI::IsMember({"all", "sample", "none"}))
        ->capture_default_str();
    calls_app
        .add_option("--claims", calls.claims,
                    "File with a worker's hello: only what it claims, by its routes (default: "
                    "every element type, all operands at run time)")
        ->type_name("FILE");
    calls_app.add_option("--output", calls.output, "Write the calls here, not to stdout")
        ->type_name("FILE");
    calls_app.footer(
        "A line is a message of the worker protocol (conformance/protocol.md). Answer those with "
        "a \"seq\",\nin any order, each with a line {\"seq\":N,\"output\":...}; then "
        "`gathercheck judge`. A worker can answer\nthem as they are: my_worker <calls.jsonl "
        ">answers.jsonl\n\n"
        "Example:\n  gathercheck calls --filter operator=onnx.Gather-13 --filter type=f32 "
        "--output calls.jsonl");
    calls_app.callback([&] { exit_code = calls_verb(calls); });

    JudgeVerb judge;
    judge.command.assign(argv, argv + argc);
    CLI::App& judge_app =
        *app.add_subcommand("judge", "Judge answers that a program wrote to a file");
    judge_app.add_option("--calls", judge.calls, "File that `gathercheck calls` wrote")
        ->required()
        ->type_name("FILE");
    judge_app
        .add_option("--answers", judge.answers,
                    "File of its answers, one JSON line each; twice for two runs of the program: "
                    "answers that differ are not deterministic")
        ->required()
        ->allow_extra_args(false)
        ->type_name("FILE");
    judge_app
        .add_option("--implementation", judge.implementation,
                    "What answered, for the table and the records (default: the file of answers)")
        ->type_name("NAME");
    add_filter(judge_app, judge.filters);
    judge_app.add_option("--known-failures", judge.known_failures, "Known-failure file")
        ->type_name("FILE");
    bool no_known_failures = false;  // what lines of reports repeat it with; here it is the default
    judge_app
        .add_flag("--no-known-failures", no_known_failures,
                  "Use no known-failure file; so it is without one")
        ->excludes("--known-failures");
    judge_app.add_option("--output", judge.output, "Write the records here as JSON lines")
        ->type_name("FILE");
    judge_app
        .add_option("--failures", judge.failures_shown,
                    "Failures shown in the end: all if they are no more, else one of each "
                    "kind, the gravest first; 0: every one, as it comes")
        ->check(number_in(shown_allowed))
        ->capture_default_str();
    add_format(judge_app, judge.format);
    judge_app.footer(
        "A call without an answer was not run, which does not conform. \"unsupported\" is a "
        "failure only where\na hello (of --claims, or a line of the answers) claims a legal call.\n\n"
        "Example:\n  gathercheck judge --calls calls.jsonl --answers answers.jsonl\n\n"
        "Exit code: as of `gathercheck run`: 0 conforms; 1 does not; 2 the known failures and the "
        "answers\ndisagree; 3 an answer is malformed, or nothing passed; 4 bad input or usage.");
    judge_app.callback([&] { exit_code = judge_verb(judge); });

    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (!verb.empty() && !verb.starts_with('-') &&
        app.get_subcommands([&](const CLI::App* one) { return one->get_name() == verb; }).empty()) {
        std::vector<std::string> verbs;
        for (const CLI::App* one : app.get_subcommands({})) verbs.push_back(one->get_name());
        return refuse("there is no verb '" + std::string(verb) + "'" + near_names(verb, verbs) +
                      "; `gathercheck --help` lists them");
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
        return refuse_extras(app, std::vector<std::string>(argv + 1, argv + argc));
    } catch (const CLI::ParseError& error) {
        // --help and --version are "errors" of exit code 0.
        return app.exit(error) == 0 ? 0 : exit_bad_input;
    } catch (const std::bad_alloc&) {
        std::fputs("gathercheck: out of memory: its input needs more than there is, or than a "
                   "limit (ulimit -v) leaves\n",
                   stderr);
        return 3;
    } catch (const std::exception& error) {
        // Out of memory and the like: said, and told apart from a verdict.
        std::fprintf(stderr, "gathercheck: %s\n", error.what());
        return 3;
    }
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
        // A reader that has seen enough, as head has, is no trouble.
        pollfd reader{STDOUT_FILENO, POLLOUT, 0};
        if (::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0) return exit_code;
        std::fputs("gathercheck: what it had to say could not be written to standard output\n",
                   stderr);
        if (exit_code == 0) exit_code = 3;
    }
    return exit_code;
}

}  // namespace gathercheck
