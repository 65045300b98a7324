// SPDX-License-Identifier: Apache-2.0
// gathercheck history: the runs of a folder one after the other, and since when failures are there.
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "conformance/report/history.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct HistoryVerb {
    std::string folder;
    std::string implementation;   ///< only this one; empty: all
    std::string format = "text";  ///< "text", "markdown", "json"
    std::string output;           ///< file; empty: stdout
};

int history_verb(const HistoryVerb& options) {
    const auto made = history_of(options.folder, options.implementation);
    if (const auto* problem = std::get_if<Problem>(&made)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const History& history = std::get<History>(made);
    const std::string text = options.format == "json" ? shown_json(history_json(history)) + "\n"
                             : options.format == "markdown" ? history_markdown(history)
                                                            : history_text(history);
    const int exit_code = history.runs.empty() ? 3 : 0;
    const std::string why_not = write_output(options.output, text, records_in(options.folder));
    return why_not.empty() ? exit_code : refuse(why_not);
}

}  // namespace

void add_history_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<HistoryVerb>();
    const Verb verb = command.add_verb(
        "history", "The runs of a folder one after the other, and since when failures are there");
    verb.add_option("folder", options->folder,
                    "Folder of records that `gathercheck run --output FILE` wrote: *.jsonl, "
                    "*.jsonl.gz and *.jsonl.zst")
        .required()
        .type_name("FOLDER");
    verb.add_option("--implementation", options->implementation, "Only this implementation")
        .type_name("NAME");
    verb.add_option("--format", options->format, "text, markdown or json")
        .one_of({"text", "markdown", "json"})
        .show_default();
    verb.add_option("--output", options->output, "Write it here, not to stdout").type_name("FILE");
    verb.footer(
        "Examples:\n"
        "  gathercheck history runs/\n"
        "  gathercheck history runs/ --implementation onnxruntime --format markdown\n\n"
        "Runs come in the order in which they began, and where some header tells no time in that "
        "of the files' names.\nA run that was cut short, or of which a shard is missing, is named "
        "and does not count; `gathercheck merge` puts\nshards together. Failures are those of a "
        "finding, else of a reason of known failures, else of an operator, outcome\nand rules; a "
        "run in which none of their calls was asked says nothing of them.\n\n"
        "Exit code: 0; 3 no run is whole; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = history_verb(*options); });
}

}  // namespace gathercheck
