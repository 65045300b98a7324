// SPDX-License-Identifier: Apache-2.0
// gathercheck judge: answers that a program wrote to a file, judged as those of a run are.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/offline.hpp"
#include "conformance/mutants/diagnosis.hpp"
#include "conformance/report/report.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/cli.hpp"
#include "tools/shared/offline.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/run_output.hpp"
#include "tools/shared/suite.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct JudgeVerb {
    std::string calls;                 ///< file that `calls` wrote
    std::vector<std::string> answers;  ///< one file, or two of two runs
    std::string implementation;        ///< what answered, for the records; empty: the file
    std::vector<std::string> filters;  ///< of what was asked, judge only this
    std::string known_failures;        ///< file; empty: none
    bool no_known_failures = false;    ///< what lines of reports repeat it with: the default
    std::string output;                ///< file for the records; empty: none
    std::string format = "text";
    int failures_shown = 20;
    std::vector<std::string> command;  ///< the whole command line, for the record
};

/// Of the executions that a run records: those that a second filter is about.
class Chosen {
public:
    Chosen(Filter filter, const Suite& suite)
        : filter_(std::move(filter)), by_id_(suite.cases), retyped_(suite.retyped) {}

    bool has(const Record& record) const {
        const auto* execution = std::get_if<ExecutionRecord>(&record);
        if (execution == nullptr) return true;
        const Case* tested = retyped_.find(by_id_, execution->case_id);
        return tested == nullptr ||
               (filter_.matches(*tested) && filter_.matches(*tested, execution->operator_version) &&
                filter_.matches(execution->route));
    }

private:
    Filter filter_;
    CasesById by_id_;
    RetypedCases& retyped_;
};

/// Exit codes as of a run.
int judge_verb(const JudgeVerb& options) {
    if (options.answers.size() > 2) {
        return refuse("--answers may be given once, or twice for two runs of one program");
    }
    std::error_code error;
    if (options.answers.size() == 2 &&
        (options.answers[0] == options.answers[1] ||
         std::filesystem::equivalent(options.answers[0], options.answers[1], error))) {
        return refuse("--answers " + options.answers[1] +
                      " is the same file again; the second one is of a second run of the program");
    }
    auto chosen_filter = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&chosen_filter)) return refuse(*why);
    auto read = read_calls(options.calls);
    if (const auto* problem = std::get_if<Problem>(&read)) return refuse(to_string(*problem));
    Calls calls = std::get<Calls>(std::move(read));
    std::vector<Answers> answers;
    for (const std::string& path : options.answers) {
        auto file = read_answers(path, calls);
        if (const auto* problem = std::get_if<Problem>(&file)) return refuse(to_string(*problem));
        answers.push_back(std::get<Answers>(std::move(file)));
    }
    const Selection selection = calls.selection;
    const bool promised = !selection.claims.empty() || !answers.front().hello.empty();
    auto introduction =
        introduction_of(selection.claims.empty() ? answers.front().hello : selection.claims);
    if (const auto* why = std::get_if<std::string>(&introduction)) {
        return refuse(options.answers.front() +
                      ": its hello is not as the protocol wants it: " + *why);
    }
    if (selection.claims.empty()) std::get<Introduction>(introduction).describes = false;
    auto filter = parse_filter(selection.filters);
    const auto chosen_sweeps = sweeps(selection.sweeps);
    if (std::holds_alternative<std::string>(filter) || !chosen_sweeps) {
        return refuse(options.calls + " says of its selection what is not understood here; make " +
                      "it again: gathercheck calls");
    }
    const auto loaded = load_suite(selection.cases);
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    if (loaded->suite.hash != selection.suite_hash) {
        return refuse(options.calls + " was made of other cases than those here (suite " +
                      selection.suite_hash.substr(0, 12) + ", here " +
                      loaded->suite.hash.substr(0, 12) + "); make it again: gathercheck calls");
    }
    std::optional<KnownFailures> known;
    if (!options.known_failures.empty()) {
        auto file = load_known_failures(options.known_failures, loaded->rules, loaded->findings);
        if (const auto* problems = std::get_if<std::vector<Problem>>(&file)) {
            print_problems(*problems);
            return exit_bad_input;
        }
        known = std::get<KnownFailures>(std::move(file));
    }
    std::vector<std::string> inputs = files_of(loaded->suite);
    inputs.insert(inputs.end(), options.answers.begin(), options.answers.end());
    inputs.insert(inputs.end(), {options.calls, options.known_failures});
    const std::string overwrites = why_not_written(options.output, inputs);
    if (!overwrites.empty()) return refuse(overwrites);
    RecordFile output;
    const std::string why = options.output.empty() ? std::string() : output.open(options.output);
    if (!why.empty()) return refuse("cannot write " + options.output + ": " + why);

    RunOptions run_options;
    run_options.filter = std::get<Filter>(std::move(filter));
    // Without claims the plain route alone was asked.
    if (selection.claims.empty() && run_options.filter.routes.empty()) {
        run_options.filter.routes.push_back(to_string(Route{}));
    }
    // The answer to a control has no record of its own.
    std::vector<std::string> broken;
    std::vector<Contender> contenders(1);
    const std::string name =
        options.implementation.empty() ? options.answers.front() : options.implementation;
    contenders.front().implementation =
        answers_of(std::move(calls), std::move(answers), name,
                   std::get<Introduction>(std::move(introduction)), [&](const std::string& what) {
                       if (std::ranges::find(broken, what) == broken.end()) broken.push_back(what);
                   });
    contenders.front().sweeps = *chosen_sweeps;
    contenders.front().retypes = !selection.claims.empty();  // else the calls were made for anybody
    contenders.front().known_failures = known ? &*known : nullptr;
    contenders.front().known_failures_are_of_suite = loaded->shipped;
    const Chosen chosen(std::get<Filter>(std::move(chosen_filter)), loaded->suite);
    Tally tally;
    const bool text = options.format == "text" && options.output != "-";
    ShownFailures failures(options.failures_shown);
    std::int64_t executions = 0;
    RunRecord header = header_of(loaded->suite, options.command);
    header.cpu = "unknown";  // the answers may come from anywhere
    header.system = "unknown";
    header.repeat =
        shell_word(options.command.front()) + " judge --calls " + shell_word(options.calls) + " ";
    for (const std::string& path : options.answers) {
        header.repeat += "--answers " + shell_word(path) + " ";
    }
    if (known) {
        header.repeat_known_failures =
            "--known-failures " + shell_word(options.known_failures) + " ";
    }
    output.write(header);
    // Who promised nothing breaks no promise.
    const auto is_pardoned = [&](const ExecutionRecord& execution) {
        return !promised && execution.failure == Failure::unsupported;
    };
    Diagnosis diagnosis(loaded->equations, loaded->rules);
    run_options.judged = [&](const Case& tested, const Outcome& outcome,
                             const ExecutionRecord& record) {
        if (chosen.has(record) && !is_pardoned(record)) diagnosis.add(tested, outcome, record);
    };
    run(loaded->suite, loaded->rules, loaded->equations, contenders, run_options,
        [&](const Record& every) {
            if (!chosen.has(every)) return;
            Record record = every;
            auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution != nullptr && is_pardoned(*execution)) {
                execution->verdict = Verdict::unsupported;
                execution->failure = Failure::none;
            }
            tally.add(record);
            output.write(record);
            if (execution == nullptr) return;
            ++executions;
            if (text) std::fputs(failures.add(*execution, header).c_str(), stdout);
        },
        {});
    const Explanation found = diagnosis.explain();
    if (!found.text.empty()) {
        const NoteRecord note{name, "diagnosis", found.text};
        tally.add(note);
        output.write(note);
    }
    failures.explain(found.causes);
    if (!broken.empty() && tally.exit_code() != 3) {
        // Of a control, which has no record of its own: the records must show it all the same.
        const NoteRecord note{name, "error", broken.front()};
        tally.add(note);
        output.write(note);
    }
    EndRecord end;
    end.executions = executions;
    end.exit_code = tally.exit_code();
    output.write(end);
    output.close();
    for (std::size_t k = 0; k < broken.size() && k < 3; ++k) {
        std::fprintf(stderr, "gathercheck: %s\n", printable(broken[k]).c_str());
    }
    const int exit_code = output.failed() ? 3 : end.exit_code;
    const std::string trouble = output.failed()   ? std::string(not_all_written)
                                : !broken.empty() ? "an answer is malformed"
                                                  : tally.trouble();
    if (options.output == "-") return exit_code;
    if (options.format == "json") {
        std::fputs(summary_json(tally).c_str(), stdout);
        return exit_code;
    }
    std::fputs(failures.closing(tally, "--failures 0 shows all").c_str(), stdout);
    std::printf("\n%s: %s (exit %d)\n", count_of(executions, "execution").c_str(),
                exit_code_text(exit_code, trouble, tally).c_str(), exit_code);
    return exit_code;
}

}  // namespace

void add_judge_verb(CLI::App& app, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<JudgeVerb>();
    options->command = line.words;
    CLI::App& verb = *app.add_subcommand("judge", "Judge answers that a program wrote to a file");
    verb.add_option("--calls", options->calls, "File that `gathercheck calls` wrote")
        ->required()
        ->type_name("FILE");
    verb.add_option("--answers", options->answers,
                    "File of its answers, one JSON line each; twice for two runs of the program: "
                    "answers that differ are not deterministic")
        ->required()
        ->allow_extra_args(false)
        ->type_name("FILE");
    verb.add_option("--implementation", options->implementation,
                    "What answered, for the table and the records (default: the file of answers)")
        ->type_name("NAME");
    add_filter(verb, options->filters);
    verb.add_option("--known-failures", options->known_failures, "Known-failure file")
        ->type_name("FILE");
    verb.add_flag("--no-known-failures", options->no_known_failures,
                  "Use no known-failure file; so it is without one")
        ->excludes("--known-failures");
    verb.add_option("--output", options->output, "Write the records here as JSON lines")
        ->type_name("FILE");
    verb.add_option("--failures", options->failures_shown,
                    "Failures shown in the end: all if they are no more, else one of each "
                    "kind, the gravest first; 0: every one, as it comes")
        ->check(number_in(shown_allowed))
        ->capture_default_str();
    add_format(verb, options->format);
    verb.footer(
        "A call without an answer was not run, which does not conform. \"unsupported\" is a "
        "failure only where\na hello (of --claims, or a line of the answers) claims a legal "
        "call.\n\n"
        "Example:\n  gathercheck judge --calls calls.jsonl --answers answers.jsonl\n\n"
        "Exit code: as of `gathercheck run`: 0 conforms; 1 does not; 2 the known failures and the "
        "answers\ndisagree; 3 an answer is malformed, or nothing passed; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = judge_verb(*options); });
}

}  // namespace gathercheck
