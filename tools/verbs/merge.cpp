// SPDX-License-Identifier: Apache-2.0
// gathercheck merge: the shards of one run as one file of records, and the commands for those that
// are not there.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/records/merge.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/records/record_writer.hpp"
#include "conformance/records/tally.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct MergeVerb {
    std::vector<std::string> records;
    std::string output;  ///< file; "-": stdout; empty: nothing is written
    std::string program;
};

bool write_shards(const MergedRun& run, const std::string& output) {
    std::FILE* const stream = output == "-" ? stdout : std::fopen(output.c_str(), "wb");
    if (stream == nullptr) return false;
    bool is_good = true;
    RecordWriter writer;
    for (const MergedShard& shard : run.there) {
        for (const Record& record : shard.records) {
            const std::string lines = writer.lines(record);
            is_good = is_good && std::fwrite(lines.data(), 1, lines.size(), stream) == lines.size();
        }
    }
    is_good = std::fflush(stream) == 0 && is_good;
    return (stream == stdout || std::fclose(stream) == 0) && is_good;
}

void print_missing(const MergedRun& run, const std::string& program, std::FILE* stream) {
    for (const MissingShard& shard : run.missing) {
        const std::string number =
            "shard " + std::to_string(shard.index) + "/" + std::to_string(run.shards);
        const std::string what =
            shard.file.empty() ? number + " is not here" : shard.file + " is a part of " + number;
        std::fprintf(stream, "# %s\n%s\n", printable(what).c_str(),
                     printable(command_for(run, shard, program)).c_str());
    }
}

int merge_verb(const MergeVerb& options) {
    const auto read = read_unchecked(options.records);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const auto& files = std::get<std::vector<RecordFileContent>>(read);
    const auto merged = merge_shards(files);
    if (const auto* problem = std::get_if<Problem>(&merged)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const auto checked = check_records(files);
    if (const auto* problem = std::get_if<Problem>(&checked)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const MergedRun& run = std::get<MergedRun>(merged);
    const std::string overwrites = why_not_written(options.output, options.records);
    if (!overwrites.empty()) return refuse(overwrites);
    if (!options.output.empty() && !write_shards(run, options.output)) {
        std::fprintf(stderr, "gathercheck: cannot write all of %s\n",
                     printable(options.output).c_str());
        return 3;
    }
    Tally tally;
    std::int64_t executions = 0;
    for (const MergedShard& shard : run.there) {
        for (const Record& record : shard.records) {
            tally.add(record);
            executions += std::holds_alternative<ExecutionRecord>(record) ? 1 : 0;
        }
    }
    tally.set_lacking(std::get<std::vector<std::string>>(checked));
    std::FILE* const stream = options.output == "-" ? stderr : stdout;
    for (const std::string& what : tally.lacking()) {
        std::fprintf(stream, "incomplete: %s\n", printable(what).c_str());
    }
    print_missing(run, options.program, stream);
    std::fprintf(stream, "%zu of %s, %s: %s (exit %d)\n", run.there.size(),
                 count_of(run.shards, "shard").c_str(), count_of(executions, "execution").c_str(),
                 conclusion(tally).c_str(), tally.exit_code());
    return tally.exit_code();
}

}  // namespace

void add_merge_verb(const Verb& command, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<MergeVerb>();
    options->program = line.words.empty() ? "gathercheck" : line.words.front();
    const Verb verb = command.add_verb(
        "merge", "The shards of one run as one file, and the commands for those that are missing");
    verb.add_option("records", options->records,
                    "Files that `gathercheck run --shard i/n --output FILE` wrote, as they are or "
                    "compressed by gzip or zstd, or that this verb wrote; - for stdin")
        .required()
        .type_name("FILE");
    verb.add_option("--output", options->output,
                    "Write the records of the shards that are whole here; - for stdout")
        .type_name("FILE");
    verb.footer(
        "Examples:\n"
        "  gathercheck run --implementation onnxruntime --shard 3/8 --output shard-3-of-8.jsonl\n"
        "  gathercheck merge shard-*.jsonl --output run.jsonl\n"
        "  gathercheck merge run.jsonl shard-3-of-8.jsonl.zst --output whole.jsonl\n\n"
        "For each shard that is not there, or was cut short, the command that runs it or goes on "
        "with it is printed;\nits records are not in the output. Refused are shards of other "
        "suites, of other versions of gathercheck or of\nan implementation, with other options, or "
        "of another number of shards.\n\n"
        "Exit code: that of the records, as `gathercheck run` has it; where a shard lacks 3; 4 bad "
        "input or usage.");
    verb.callback([options, &exit_code] { exit_code = merge_verb(*options); });
}

}  // namespace gathercheck
