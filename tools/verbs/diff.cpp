// SPDX-License-Identifier: Apache-2.0
// gathercheck diff: what changed from one run to another, and why.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/report/diff.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct DiffVerb {
    std::string before;
    std::string after;
    std::vector<std::string> matches;  ///< "OLDNAME=NEWNAME"
    std::string format = "text";       ///< "text", "markdown", "json"
    std::string output;                ///< file; empty: stdout
};

int diff_verb(const DiffVerb& options) {
    if (options.before == options.after) {
        return refuse(options.before + " is given twice; give the records of two runs");
    }
    std::vector<std::pair<std::string, std::string>> matches;
    for (const std::string& match : options.matches) {
        const std::size_t equals = match.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == match.size()) {
            return refuse("--match '" + match + "' is not OLDNAME=NEWNAME");
        }
        matches.emplace_back(match.substr(0, equals), match.substr(equals + 1));
    }
    std::vector<RecordFiles> runs;
    for (const std::string& file : {options.before, options.after}) {
        auto read = read_record_files({file});
        if (const auto* problem = std::get_if<Problem>(&read)) {
            print_problems({*problem});
            return exit_bad_input;
        }
        runs.push_back(std::get<RecordFiles>(std::move(read)));
    }
    const auto compared = diff_runs(runs[0], runs[1], matches);
    if (const auto* problem = std::get_if<Problem>(&compared)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const RunDiff& diff = std::get<RunDiff>(compared);
    const std::string text = options.format == "json"       ? shown_json(diff_json(diff)) + "\n"
                             : options.format == "markdown" ? diff_markdown(diff)
                                                            : diff_text(diff);
    const int exit_code = diff.new_failures() > 0 ? 1 : 0;
    const std::string why_not = write_output(options.output, text, {options.before, options.after});
    return why_not.empty() ? exit_code : refuse(why_not);
}

}  // namespace

void add_diff_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<DiffVerb>();
    const Verb verb = command.add_verb("diff", "What changed from one run to another, and why");
    verb.add_option("old", options->before,
                    "Records that `gathercheck run --output FILE` wrote, as they are or compressed "
                    "by gzip or zstd; - for stdin")
        .required()
        .type_name("OLD");
    verb.add_option("new", options->after, "Records of a later run").required().type_name("NEW");
    verb.add_option("--match", options->matches,
                    "Compare this implementation of the old run with that of the new one; may be "
                    "repeated. Those of one name are compared anyway")
        .type_name("OLDNAME=NEWNAME");
    verb.add_option("--format", options->format, "text, markdown (at most 60 lines) or json")
        .one_of({"text", "markdown", "json"})
        .show_default();
    verb.add_option("--output", options->output, "Write it here, not to stdout").type_name("FILE");
    verb.footer(
        "Examples:\n"
        "  gathercheck diff main.jsonl.gz run.jsonl\n"
        "  gathercheck diff main.jsonl run.jsonl --format markdown --output comment.md\n"
        "  gathercheck diff old.jsonl new.jsonl --match onnxruntime=my_engine\n\n"
        "Changes of one kind that have operator, outcome, cause and finding in common are one "
        "line, with an example.\nWhat a run that was cut short lacks is not run: neither fixed nor "
        "a new failure. A failure is new too where its\ncase is, or where it was not claimed; and "
        "a known failure is one.\n\n"
        "Exit code: 0 no new failure; 1 new failures; 4 bad input or usage. What a witness does "
        "differently is no failure.");
    verb.callback([options, &exit_code] { exit_code = diff_verb(*options); });
}

}  // namespace gathercheck
