// SPDX-License-Identifier: Apache-2.0
// gathercheck judge: answers that a program wrote to a file, judged as those of a run are.
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
#include "tools/shared/judge_each.hpp"
#include "tools/shared/offline.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/run_output.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
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
    bool each = false;  ///< answers come on standard input, and each is judged at once
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

/// What there is to judge, read step by step.
struct PreparedJudgement {
    explicit PreparedJudgement(const JudgeVerb& verb)
        : options(verb),
          name(verb.implementation.empty() ? verb.answers.front() : verb.implementation) {}

    JudgeVerb options;
    std::string name;  ///< of what answered
    Calls calls;
    std::vector<Answers> answers;
    bool promised = false;  ///< a hello claims what is answered
    Introduction introduction;
    Filter chosen;  ///< of what was asked, judge only this
    RunOptions run_options;
    Sweeps of_sweeps = Sweeps::sample;
    std::optional<LoadedSuite> loaded;
    std::optional<KnownFailures> known;
    RecordFile output;
};

/// Reads the calls and the answers to them.
Ended read_files(PreparedJudgement& judged) {
    const JudgeVerb& options = judged.options;
    const std::vector<std::string>& files = options.answers;
    if (files.size() > 2) {
        return refuse("--answers may be given once, or twice for two runs of one program");
    }
    std::error_code error;
    if (files.size() == 2 &&
        (files[0] == files[1] || std::filesystem::equivalent(files[0], files[1], error))) {
        return refuse("--answers " + files[1] +
                      " is the same file again; the second one is of a second run of the program");
    }
    auto filter = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    judged.chosen = std::get<Filter>(std::move(filter));
    auto calls = read_calls(options.calls);
    if (const auto* problem = std::get_if<Problem>(&calls)) return refuse(to_string(*problem));
    judged.calls = std::get<Calls>(std::move(calls));
    for (const std::string& path : files) {
        auto file = read_answers(path, judged.calls);
        if (const auto* problem = std::get_if<Problem>(&file)) return refuse(to_string(*problem));
        judged.answers.push_back(std::get<Answers>(std::move(file)));
    }
    return {};
}

/// Understands what was asked of whom: the claims, the filter and the sweeps of the calls.
Ended read_selection(PreparedJudgement& judged) {
    const Selection& selection = judged.calls.selection;
    const std::string& hello = judged.answers.front().hello;
    judged.promised = !selection.claims.empty() || !hello.empty();
    auto introduction = introduction_of(selection.claims.empty() ? hello : selection.claims);
    if (const auto* why = std::get_if<std::string>(&introduction)) {
        return refuse(judged.options.answers.front() +
                      ": its hello is not as the protocol wants it: " + *why);
    }
    judged.introduction = std::get<Introduction>(std::move(introduction));
    if (selection.claims.empty()) judged.introduction.describes = false;
    auto filter = parse_filter(selection.filters);
    const auto of_sweeps = sweeps(selection.sweeps);
    if (std::holds_alternative<std::string>(filter) || !of_sweeps) {
        return refuse(judged.options.calls +
                      " says of its selection what is not understood here; make it again: "
                      "gathercheck calls");
    }
    judged.of_sweeps = *of_sweeps;
    judged.run_options.filter = std::get<Filter>(std::move(filter));
    // Without claims the plain route alone was asked.
    std::vector<std::string>& routes = judged.run_options.filter.routes;
    if (selection.claims.empty() && routes.empty()) routes.push_back(to_string(Route{}));
    return {};
}

/// Loads the cases that the calls were made of, and known failures.
Ended load(PreparedJudgement& judged) {
    const JudgeVerb& options = judged.options;
    const Selection& selection = judged.calls.selection;
    judged.loaded = load_suite(selection.cases);
    if (!judged.loaded) return exit_bad_input;
    const Suite& suite = judged.loaded->suite;
    const std::string unmatched =
        unmatched_term(options.filters, suite.cases, judged.loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    if (suite.hash != selection.suite_hash) {
        return refuse(options.calls + " was made of other cases than those here (suite " +
                      selection.suite_hash.substr(0, 12) + ", here " + suite.hash.substr(0, 12) +
                      "); make it again: gathercheck calls");
    }
    if (options.known_failures.empty()) return {};
    auto file =
        load_known_failures(options.known_failures, judged.loaded->rules, judged.loaded->findings);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&file)) {
        print_problems(*problems);
        return exit_bad_input;
    }
    judged.known = std::get<KnownFailures>(std::move(file));
    return {};
}

Ended open_output(PreparedJudgement& judged) {
    const JudgeVerb& options = judged.options;
    std::vector<std::string> inputs = files_of(judged.loaded->suite);
    inputs.insert(inputs.end(), options.answers.begin(), options.answers.end());
    inputs.insert(inputs.end(), {options.calls, options.known_failures});
    const std::string overwrites = why_not_written(options.output, inputs);
    if (!overwrites.empty()) return refuse(overwrites);
    if (options.output.empty()) return {};
    const std::string why = judged.output.open(options.output);
    if (!why.empty()) return refuse("cannot write " + options.output + ": " + why);
    return {};
}

/// The first record: what is judged, and how lines of reports repeat it.
RunRecord header_of(const PreparedJudgement& judged) {
    const JudgeVerb& options = judged.options;
    RunRecord header = header_of(judged.loaded->suite, options.command);
    header.cpu = "unknown";  // the answers may come from anywhere
    header.system = "unknown";
    header.repeat =
        shell_word(options.command.front()) + " judge --calls " + shell_word(options.calls) + " ";
    for (const std::string& path : options.answers) {
        header.repeat += "--answers " + shell_word(path) + " ";
    }
    if (judged.known) {
        header.repeat_known_failures =
            "--known-failures " + shell_word(options.known_failures) + " ";
    }
    return header;
}

/// Judges what was read: what it records, what it shows, how it ends.
class RunningJudgement {
public:
    explicit RunningJudgement(PreparedJudgement& judged)
        : judged_(judged),
          header_(header_of(judged)),
          chosen_(judged.chosen, judged.loaded->suite),
          diagnosis_(judged.loaded->equations, judged.loaded->rules),
          failures_(judged.options.failures_shown) {
        if (!judged.options.filters.empty()) tally_.set_filtered();
    }

    /// Judges all; returns the exit code.
    int go();

private:
    /// Who promised nothing breaks no promise.
    bool is_pardoned(const ExecutionRecord& execution) const {
        return !judged_.promised && execution.failure == Failure::unsupported;
    }
    Contender contender();
    void write(const Record& record) {
        tally_.add(record);
        judged_.output.write(record);
    }
    void record(const Record& every);
    void close();
    int print() const;

    PreparedJudgement& judged_;
    RunRecord header_;
    Chosen chosen_;
    Diagnosis diagnosis_;
    ShownFailures failures_;
    Tally tally_;
    std::vector<std::string> broken_;  // answers; that to a control has no record of its own
    EndRecord end_;
};

Contender RunningJudgement::contender() {
    Contender contender;
    contender.sweeps = judged_.of_sweeps;
    // Without claims the calls were made for anybody.
    contender.retypes = !judged_.calls.selection.claims.empty();
    contender.known_failures = judged_.known ? &*judged_.known : nullptr;
    contender.known_failures_are_of_suite = judged_.loaded->shipped;
    contender.implementation =
        answers_of(std::move(judged_.calls), std::move(judged_.answers), judged_.name,
                   std::move(judged_.introduction), [this](const std::string& what) {
                       if (std::ranges::find(broken_, what) == broken_.end()) {
                           broken_.push_back(what);
                       }
                   });
    return contender;
}

void RunningJudgement::record(const Record& every) {
    if (!chosen_.has(every)) return;
    Record record = every;
    auto* execution = std::get_if<ExecutionRecord>(&record);
    if (execution != nullptr && is_pardoned(*execution)) {
        execution->verdict = Verdict::unsupported;
        execution->failure = Failure::none;
    }
    write(record);
    if (execution == nullptr) return;
    ++end_.executions;
    const bool shows_text = judged_.options.format == "text" && judged_.options.output != "-";
    if (shows_text) std::fputs(failures_.add(*execution, header_).c_str(), stdout);
}

/// Writes what is said of all answers together.
void RunningJudgement::close() {
    const Explanation found = diagnosis_.explain();
    if (!found.text.empty()) write(NoteRecord{judged_.name, "diagnosis", found.text});
    failures_.explain(found.causes);
    if (!broken_.empty() && tally_.exit_code() != 3) {
        // Of a control, which has no record of its own: the records must show it all the same.
        write(NoteRecord{judged_.name, "error", broken_.front()});
    }
    end_.exit_code = tally_.exit_code();
    judged_.output.write(end_);
    judged_.output.close();
    for (std::size_t k = 0; k < broken_.size() && k < 3; ++k) {
        std::fprintf(stderr, "gathercheck: %s\n", printable(broken_[k]).c_str());
    }
}

int RunningJudgement::print() const {
    const bool lost = judged_.output.failed();
    const int exit_code = lost ? 3 : end_.exit_code;
    if (judged_.options.output == "-") return exit_code;
    if (judged_.options.format == "json") {
        std::fputs(summary_json(tally_).c_str(), stdout);
        return exit_code;
    }
    const std::string trouble = lost               ? std::string(not_all_written)
                                : !broken_.empty() ? "an answer is malformed"
                                                   : tally_.trouble();
    std::fputs(failures_.closing(tally_, "--failures 0 shows all").c_str(), stdout);
    std::printf("\n%s: %s (exit %d)\n", count_of(end_.executions, "execution").c_str(),
                exit_code_text(exit_code, trouble, tally_).c_str(), exit_code);
    return exit_code;
}

int RunningJudgement::go() {
    judged_.output.write(header_);
    judged_.run_options.judged = [this](const Case& tested, const Outcome& outcome,
                                        const ExecutionRecord& execution) {
        if (chosen_.has(execution) && !is_pardoned(execution)) {
            diagnosis_.add(tested, outcome, execution);
        }
    };
    const LoadedSuite& loaded = *judged_.loaded;
    std::vector<Contender> contenders;
    contenders.push_back(contender());
    run(loaded.suite, loaded.rules, loaded.equations, contenders, judged_.run_options,
        [this](const Record& every) { record(every); }, {});
    close();
    return print();
}

/// Exit codes as of a run.
int judge_verb(const JudgeVerb& options) {
    const bool from_stdin = std::ranges::find(options.answers, "-") != options.answers.end();
    if (options.each || from_stdin) {
        if (!options.each || options.answers.size() != 1 || !from_stdin) {
            return refuse("--answers - and --each go together, and with no other answers");
        }
        return judge_each(
            {options.calls,
             options.implementation.empty() ? "standard input" : options.implementation,
             options.known_failures});
    }
    PreparedJudgement judged(options);
    for (Ended (*step)(PreparedJudgement&) : {read_files, read_selection, load, open_output}) {
        if (const Ended ended = step(judged)) return *ended;
    }
    return RunningJudgement(judged).go();
}

}  // namespace

void add_judge_verb(const Verb& command, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<JudgeVerb>();
    options->command = line.words;
    const Verb verb = command.add_verb("judge", "Judge answers that a program wrote to a file");
    verb.add_option("--calls", options->calls, "File that `gathercheck calls` wrote")
        .required()
        .type_name("FILE");
    verb.add_option("--answers", options->answers,
                    "File of its answers, one JSON line each; twice for two runs of the program: "
                    "answers that differ are not deterministic; with --each \"-\", standard input")
        .required()
        .one_value_each()
        .type_name("FILE");
    verb.add_option("--implementation", options->implementation,
                    "What answered, for the table and the records (default: the file of answers)")
        .type_name("NAME");
    const Option each =
        verb.add_flag("--each", options->each,
                      "Answers come on standard input (--answers -), and each is judged as it "
                      "comes: one JSON line for each. The calls are those of calls --expectations");
    add_filter(verb, options->filters);
    verb.add_option("--known-failures", options->known_failures, "Known-failure file")
        .type_name("FILE");
    verb.add_flag("--no-known-failures", options->no_known_failures,
                  "Use no known-failure file; so it is without one")
        .excludes("--known-failures");
    verb.add_option("--output", options->output, "Write the records here as JSON lines")
        .type_name("FILE");
    verb.add_option("--failures", options->failures_shown,
                    "Failures shown in the end: all if they are no more, else one of each "
                    "kind, the gravest first; 0: every one, as it comes")
        .in(shown_allowed)
        .show_default();
    add_format(verb, options->format);
    for (const char* other : {"--filter", "--output", "--failures", "--format"}) {
        each.excludes(other);
    }
    verb.footer(
        "A call without an answer was not run, which does not conform. \"unsupported\" is a "
        "failure only where\na hello (of --claims, or a line of the answers) claims a legal "
        "call.\n\n"
        "With --each a line of output is the record of an execution as `run --output` has it, with "
        "the \"seq\" of\nthe answer and, of a wrong value, \"element\", the flat position of the "
        "first "
        "wrong one; of a control\nit is {\"seq\":N,\"record\":\"control\",\"passed\":...}, and of "
        "a line "
        "that answers no call {\"error\":...}. The\nanswer to a control comes before those to the "
        "calls that name it. Beside the forms of the protocol\nthere are \"crash\":WHY and "
        "\"timeout\":SECONDS. At a goodbye, or the end of the input, a note\ntells the "
        "diagnosis.\n\n"
        "Example:\n  gathercheck judge --calls calls.jsonl --answers answers.jsonl\n"
        "  my_worker <calls.jsonl | gathercheck judge --calls calls.jsonl --answers - --each\n\n"
        "Exit code: as of `gathercheck run`: 0 conforms; 1 does not; 2 the known failures and the "
        "answers\ndisagree; 3 an answer is malformed, or nothing was judged; 4 bad input or "
        "usage. With --each: 0; 3 where a\nline answers no call; 4.");
    verb.callback([options, &exit_code] { exit_code = judge_verb(*options); });
}

}  // namespace gathercheck
