// SPDX-License-Identifier: Apache-2.0
// gathercheck calls: the calls of a run as JSON lines, for a program that answers them to a file.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/offline.hpp"
#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/run/listed_calls.hpp"
#include "conformance/run/prepared_cases.hpp"
#include "conformance/run/run.hpp"
#include "conformance/run/unmatched_entries.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/installed.hpp"
#include "tools/shared/offline.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct CallsVerb {
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string sweeps = "sample";
    std::string claims;  ///< file with a worker's hello; empty: every type, by the plain route
    bool expectations = false;   ///< a call for each execution, with what is expected of it
    std::string known_failures;  ///< file, with `expectations`; empty: none
    std::string output;          ///< file; empty or "-": stdout
};

/// Writes messages to a file, or to standard output.
class CallFile {
public:
    /// Why the file cannot be written; empty where it can. Empty or "-" is standard output.
    std::string open(const std::string& path) {
        if (path.empty() || path == "-") return {};
        file_ = std::fopen(path.c_str(), "w");
        return file_ == nullptr ? "cannot write " + path + ": " + std::strerror(errno) : "";
    }
    void write(std::string_view text) {
        written_ = written_ && std::fwrite(text.data(), 1, text.size(), file_) == text.size();
    }
    /// Whether all was written.
    bool close() {
        written_ = std::fflush(file_) == 0 && written_;
        if (file_ != stdout) written_ = std::fclose(file_) == 0 && written_;
        return written_;
    }

private:
    std::FILE* file_ = stdout;
    bool written_ = true;
};

/// Each different call once, and the last line; how many calls there are.
std::optional<std::int64_t> write_calls(const CallsVerb& options, const LoadedSuite& loaded,
                                        const Filter& filter, Introduction claimed,
                                        CallFile& file) {
    std::int64_t count = 0;
    std::vector<Contender> contenders(1);
    contenders.front().implementation =
        call_writer(std::move(claimed.claims), claimed.describes, [&](std::string_view message) {
            ++count;
            file.write(message);
        });
    contenders.front().sweeps = *sweeps(options.sweeps);
    RunOptions run_options;
    run_options.filter = filter;
    run(loaded.suite, loaded.rules, loaded.equations, contenders, run_options, [](const Record&) {},
        {});
    file.write(end_message({}));
    return count;
}

/// What the list says of an execution.
Listed listed(const ListedCall& call, const PreparedCase& prepared, const LoadedSuite& loaded,
              const std::optional<KnownFailures>& known) {
    const auto& [tested, version, route, is_claimed] = call.execution;
    Listed listed{.case_id = tested->id,
                  .title = tested->title,
                  .alternatives = prepared.alternatives,
                  .unspecified = tested->expectation(version)->unspecified,
                  .rules = {},
                  .control = static_cast<std::int64_t>(call.control)};
    for (const std::string& id : prepared.rules) listed.rules.push_back(loaded.rules.find(id));
    const KnownFailure* entry = known ? known->find(tested->id, version, route) : nullptr;
    if (entry != nullptr) {
        listed.known_outcomes = entry->outcomes;
        listed.known_reason = entry->reason;
        listed.known_finding = entry->finding;
    }
    return listed;
}

/// Why entries of known failures are of none of the calls.
std::vector<std::string> unmatched(const KnownFailures& known, const LoadedSuite& loaded,
                                   const Filter& filter, Sweeps of_sweeps, PreparedCases& cases,
                                   const std::vector<ListedCall>& calls) {
    Contender contender;
    contender.known_failures = &known;
    contender.known_failures_are_of_suite = loaded.shipped;
    contender.sweeps = of_sweeps;
    std::vector<Execution> executions;
    for (const ListedCall& call : calls) {
        if (!call.is_control) executions.push_back(call.execution);
    }
    const auto selected =
        select_cases(loaded.suite.cases, filter, of_sweeps, {.index = 1, .count = 1});
    std::vector<std::string> all;
    for (auto& [entry, why] : unmatched_entries(contender, filter, cases, selected, executions)) {
        all.push_back(std::move(why));
    }
    return all;
}

/// A call for each execution, and their controls, and the last line; how many calls there are.
/// Nothing where the known failures are refused.
std::optional<std::int64_t> write_executions(const CallsVerb& options, const LoadedSuite& loaded,
                                             const Filter& filter, Introduction claimed,
                                             CallFile& file) {
    std::optional<KnownFailures> known;
    if (!load_known_failures_of(options.known_failures, loaded, claimed.version, known)) {
        return std::nullopt;
    }
    claimed.runs_sequences = false;  // nobody knows in which order they are answered
    PreparedCases cases(loaded.suite, loaded.rules, loaded.equations);
    const Sweeps of_sweeps = *sweeps(options.sweeps);
    const auto calls =
        list_calls(loaded.suite, cases, filter, of_sweeps, claimed, !options.claims.empty());
    std::int64_t count = 0;
    for (std::size_t k = 0; k < calls.size(); ++k) {
        const auto& [tested, version, route, is_claimed] = calls[k].execution;
        if (lacks_memory(*tested, version, loaded.equations)) continue;
        const PreparedCasePointer prepared = cases.prepared(*tested, version);
        const Request request{&prepared->call.call, route, tested->is_described()};
        if (size_of_call_members(request) > longest_line) continue;
        const Listed said = listed(calls[k], *prepared, loaded, known);
        ++count;
        file.write(listed_message(static_cast<std::int64_t>(k) + 1, request,
                                  calls[k].is_control ? nullptr : &said));
    }
    file.write(end_message(known ? unmatched(*known, loaded, filter, of_sweeps, cases, calls)
                                 : std::vector<std::string>()));
    return count;
}

int calls_verb(const CallsVerb& options) {
    if (!options.known_failures.empty() && !options.expectations) {
        return refuse("--known-failures goes with --expectations");
    }
    Selection selection{.suite_hash = {},
                        .cases = options.cases,
                        .filters = options.filters,
                        .sweeps = options.sweeps,
                        .claims = {},
                        .lists_executions = options.expectations};
    if (!options.claims.empty()) {
        auto read = read_file(options.claims, std::size_t{1} << 24);
        if (const auto* problem = std::get_if<Problem>(&read)) return refuse(to_string(*problem));
        selection.claims = std::get<std::string>(read);
        selection.claims.erase(selection.claims.find_last_not_of(" \t\r\n") + 1);
    }
    const auto introduction = introduction_of(selection.claims);
    if (const auto* why = std::get_if<std::string>(&introduction)) {
        return refuse(options.claims + " is no hello of a worker: " + *why + "; " +
                      protocol_document() + " shows one");
    }
    auto filter = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    selection.suite_hash = loaded->suite.hash;

    std::vector<std::string> inputs = files_of(loaded->suite);
    inputs.insert(inputs.end(), {options.claims, options.known_failures});
    const std::string overwrites = why_not_written(options.output, inputs);
    if (!overwrites.empty()) return refuse(overwrites);
    CallFile file;
    if (const std::string why = file.open(options.output); !why.empty()) return refuse(why);
    file.write(selection_message(selection));
    Introduction claimed = std::get<Introduction>(introduction);
    claimed.describes = claimed.describes && !selection.claims.empty();
    const Filter& wanted = std::get<Filter>(filter);
    const auto written = options.expectations
                             ? write_executions(options, *loaded, wanted, std::move(claimed), file)
                             : write_calls(options, *loaded, wanted, std::move(claimed), file);
    if (!written) return exit_bad_input;
    const std::int64_t count = *written;
    if (!file.close()) {
        const bool to_stdout = options.output.empty() || options.output == "-";
        std::fprintf(stderr, "gathercheck: cannot write %s: %s; the calls are not complete\n",
                     to_stdout ? "standard output" : options.output.c_str(), std::strerror(errno));
        return 3;
    }
    if (count == 0) return refuse(no_case_matches(options.filters));
    std::fprintf(stderr, "%lld calls\n", static_cast<long long>(count));
    return 0;
}

}  // namespace

void add_calls_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<CallsVerb>();
    const Verb verb = command.add_verb(
        "calls", "Print the calls as JSON lines, for a program that answers them to a file");
    add_cases(verb, options->cases);
    add_filter(verb, options->filters);
    add_sweeps(verb, options->sweeps).show_default();
    verb.add_option("--claims", options->claims,
                    "File with a worker's hello: only what it claims, by its routes (default: "
                    "every element type, all operands at run time)")
        .type_name("FILE");
    verb.add_flag("--expectations", options->expectations,
                  "A call for each case and operator version, with what is expected of it: for "
                  "programs that show it, or that hand answers to `judge --each`");
    verb.add_option("--known-failures", options->known_failures,
                    "With --expectations: known-failure file, whose entries are shown too")
        .type_name("FILE");
    verb.add_option("--output", options->output, "Write the calls here, not to stdout")
        .type_name("FILE");
    verb.footer(
        "A line is a message of the worker protocol (" + protocol_document() +
        ").\nAnswer those with "
        "a \"seq\", in any order, each with a line {\"seq\":N,\"output\":...}; then "
        "`gathercheck judge`. A worker can answer\nthem as they are: my_worker <calls.jsonl "
        ">answers.jsonl\n\n"
        "With --expectations a line has \"case\", \"title\", \"expect\" (\"output\", \"error\", "
        "\"either\" "
        "or\n\"unspecified\"), \"rules\", and, of a call that may be rejected, \"control\": the "
        "number "
        "of a legal call,\nwhich stands before it without these; what is known to fail has "
        "\"known\".\n\n"
        "Example:\n  gathercheck calls --filter operator=onnx.Gather-13 --filter type=f32 "
        "--output calls.jsonl");
    verb.callback([options, &exit_code] { exit_code = calls_verb(*options); });
}

}  // namespace gathercheck
