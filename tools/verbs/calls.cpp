// SPDX-License-Identifier: Apache-2.0
// gathercheck calls: the calls of a run as JSON lines, for a program that answers them to a file.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/offline.hpp"
#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/cli.hpp"
#include "tools/shared/offline.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct CallsVerb {
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string sweeps = "sample";
    std::string claims;  ///< file with a worker's hello; empty: every type, by the plain route
    std::string output;  ///< file; empty or "-": stdout
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

int calls_verb(const CallsVerb& options) {
    Selection selection{.suite_hash = {},
                        .cases = options.cases,
                        .filters = options.filters,
                        .sweeps = options.sweeps,
                        .claims = {}};
    if (!options.claims.empty()) {
        auto read = read_file(options.claims, std::size_t{1} << 24);
        if (const auto* problem = std::get_if<Problem>(&read)) return refuse(to_string(*problem));
        selection.claims = std::get<std::string>(read);
        selection.claims.erase(selection.claims.find_last_not_of(" \t\r\n") + 1);
    }
    const auto introduction = introduction_of(selection.claims);
    if (const auto* why = std::get_if<std::string>(&introduction)) {
        return refuse(options.claims + " is no hello of a worker: " + *why +
                      "; conformance/protocol.md shows one");
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
    inputs.push_back(options.claims);
    const std::string overwrites = why_not_written(options.output, inputs);
    if (!overwrites.empty()) return refuse(overwrites);
    CallFile file;
    if (const std::string why = file.open(options.output); !why.empty()) return refuse(why);
    std::int64_t count = 0;
    const auto& claimed = std::get<Introduction>(introduction);
    file.write(selection_message(selection));
    std::vector<Contender> contenders(1);
    contenders.front().implementation =
        call_writer(claimed.claims, claimed.describes && !selection.claims.empty(),
                    [&](std::string_view message) {
                        ++count;
                        file.write(message);
                    });
    contenders.front().sweeps = *sweeps(options.sweeps);
    RunOptions run_options;
    run_options.filter = std::get<Filter>(std::move(filter));
    run(loaded->suite, loaded->rules, loaded->equations, contenders, run_options,
        [](const Record&) {}, {});
    file.write(goodbye_message());
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

void add_calls_verb(CLI::App& app, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<CallsVerb>();
    CLI::App& verb = *app.add_subcommand(
        "calls", "Print the calls as JSON lines, for a program that answers them to a file");
    add_cases(verb, options->cases);
    add_filter(verb, options->filters);
    verb.add_option("--sweeps", options->sweeps, "all, sample or none of the sweeps")
        ->check(CLI::IsMember({"all", "sample", "none"}))
        ->capture_default_str();
    verb.add_option("--claims", options->claims,
                    "File with a worker's hello: only what it claims, by its routes (default: "
                    "every element type, all operands at run time)")
        ->type_name("FILE");
    verb.add_option("--output", options->output, "Write the calls here, not to stdout")
        ->type_name("FILE");
    verb.footer(
        "A line is a message of the worker protocol (conformance/protocol.md). Answer those with "
        "a \"seq\",\nin any order, each with a line {\"seq\":N,\"output\":...}; then "
        "`gathercheck judge`. A worker can answer\nthem as they are: my_worker <calls.jsonl "
        ">answers.jsonl\n\n"
        "Example:\n  gathercheck calls --filter operator=onnx.Gather-13 --filter type=f32 "
        "--output calls.jsonl");
    verb.callback([options, &exit_code] { exit_code = calls_verb(*options); });
}

}  // namespace gathercheck
