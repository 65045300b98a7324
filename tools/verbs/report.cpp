// SPDX-License-Identifier: Apache-2.0
// gathercheck report: what records say, as a page, as JUnit XML, as Markdown, as a badge.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/mutants/diagnosis.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/report/policy.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "tools/shared/cli.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/run_output.hpp"
#include "tools/shared/suite.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct ReportVerb {
    std::vector<std::string> records;  ///< files of one or more runs
    std::string implementation;        ///< only this one; empty: all
    std::string format =
        "text";  ///< "text", "html", "junit", "markdown", "badge", "badge-json", "json", "jsonl"
    int failures_shown = 20;  ///< as of a run
    std::string output;       ///< file; empty: stdout
};

/// The implementation that a record is about; empty where it is about all of a run.
struct ImplementationOf {
    std::string operator()(const RunRecord&) const { return {}; }
    std::string operator()(const EndRecord&) const { return {}; }
    std::string operator()(const ImplementationRecord& record) const { return record.name; }
    std::string operator()(const ExecutionRecord& record) const { return record.implementation; }
    std::string operator()(const NoteRecord& record) const { return record.implementation; }
};

/// True for the execution of a case of the out-of-bounds map.
bool is_of_map(const Record& record) {
    const auto* execution = std::get_if<ExecutionRecord>(&record);
    return execution != nullptr && is_policy_case(execution->case_id);
}

/// The out-of-bounds map of such executions.
std::vector<PolicyRow> map_of(const std::vector<Record>& records) {
    if (records.empty()) return {};
    const auto loaded = load_suite({});
    if (!loaded) return {};
    PolicyMap map(loaded->suite, loaded->equations, loaded->rules);
    for (const Record& record : records) map.add(record);
    return map.rows();
}

/// What explains the failures of records of the shipped cases, by implementation and execution.
std::unordered_map<std::uint64_t, std::string> causes_of(
    const std::vector<const ExecutionRecord*>& executions, const std::string& suite_hash) {
    std::unordered_map<std::uint64_t, std::string> causes;
    const auto loaded = load_suite({});
    if (!loaded || loaded->suite.hash != suite_hash) return causes;
    const CasesById cases(loaded->suite.cases);
    std::map<std::string, Diagnosis> diagnoses;
    for (const ExecutionRecord* execution : executions) {
        const Case* tested = loaded->suite.retyped.find(cases, execution->case_id);
        if (tested == nullptr) continue;
        diagnoses.try_emplace(execution->implementation, loaded->equations, loaded->rules)
            .first->second.add_recorded(*tested, *execution);
    }
    for (const auto& [implementation, diagnosis] : diagnoses) {
        for (auto& [key, cause] : diagnosis.explain().causes) causes.emplace(key, cause);
    }
    return causes;
}

/// The failures of records as a run shows them in its end, and the summary.
std::string text_report(const ReportData& data, const std::vector<RecordFileContent>& files,
                        const ReportVerb& options) {
    ShownFailures failures(options.failures_shown);
    std::vector<const ExecutionRecord*> of_shipped_cases;
    std::string suite_hash;
    std::string text;
    for (const RecordFileContent& file : files) {
        RunRecord header;
        for (const Record& record : file.records) {
            if (const auto* run = std::get_if<RunRecord>(&record)) header = *run;
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || (!options.implementation.empty() &&
                                         execution->implementation != options.implementation)) {
                continue;
            }
            text += failures.add(*execution, header);
            if (header.settings && header.settings->cases.empty()) {
                of_shipped_cases.push_back(execution);
                suite_hash = header.suite_hash;
            }
        }
    }
    if (failures.count() > 0 && options.failures_shown > 0 && !of_shipped_cases.empty()) {
        failures.explain(causes_of(of_shipped_cases, suite_hash));
    }
    if (data.tally().partial()) text += "The run was cut short: these records are partial.\n\n";
    for (const std::string& what : data.tally().lacking()) text += "incomplete: " + what + "\n";
    if (!data.tally().lacking().empty()) text += "\n";
    return text + failures.closing(data.tally(), "--failures 0 shows all") + "\n" +
           conclusion(data.tally()) + " (exit " + std::to_string(data.tally().exit_code()) + ")\n";
}

/// The records of files that are about one implementation, or about all where none is named.
std::vector<const Record*> chosen(const std::vector<RecordFileContent>& files,
                                  const std::string& implementation) {
    std::vector<const Record*> records;
    for (const RecordFileContent& file : files) {
        for (const Record& record : file.records) {
            const std::string about = std::visit(ImplementationOf{}, record);
            if (implementation.empty() || about.empty() || about == implementation) {
                records.push_back(&record);
            }
        }
    }
    return records;
}

/// Each record by itself, with all that it holds.
std::string whole_lines(const std::vector<RecordFileContent>& files, const ReportVerb& options) {
    std::string text;
    for (const Record* record : chosen(files, options.implementation)) {
        text += to_json_line(*record) + "\n";
    }
    return text;
}

std::string rendered(const ReportData& data, const std::vector<PolicyRow>& map,
                     const std::vector<RecordFileContent>& files, const ReportVerb& options) {
    if (options.format == "html") return html_report(data, map);
    if (options.format == "junit") return junit_report(data);
    if (options.format == "markdown") return markdown_report(data);
    if (options.format == "badge") return badge(data);
    if (options.format == "badge-json") return badge_json(data);
    if (options.format == "json") return summary_json(data.tally());
    if (options.format == "jsonl") return whole_lines(files, options);
    return text_report(data, files, options);
}

/// The exit code is that of the records, by the rule of a run.
int report_verb(const ReportVerb& options) {
    ReportData data;
    std::vector<Record> of_map;
    auto read = read_record_files(options.records);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    auto& [files, lacking] = std::get<RecordFiles>(read);
    data.set_lacking(std::move(lacking));
    for (const Record* record : chosen(files, options.implementation)) {
        data.add(*record);
        if (options.format == "html" && is_of_map(*record)) of_map.push_back(*record);
    }
    if (!options.implementation.empty() && data.implementations().empty()) {
        return refuse("the records hold no implementation '" + options.implementation + "'");
    }
    const std::string text = rendered(data, map_of(of_map), files, options);
    if (options.output.empty()) {
        std::fputs(text.c_str(), stdout);
        return data.tally().exit_code();
    }
    const std::string overwrites = why_not_written(options.output, options.records);
    if (!overwrites.empty()) return refuse(overwrites);
    std::ofstream stream(options.output, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) return refuse("cannot write " + options.output + ": " + std::strerror(errno));
    return data.tally().exit_code();
}

}  // namespace

void add_report_verb(CLI::App& app, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<ReportVerb>();
    CLI::App& verb = *app.add_subcommand(
        "report", "What the records of runs say: a page, JUnit XML, Markdown, a badge");
    verb.add_option("records", options->records,
                    "Files that `gathercheck run --output FILE` wrote; shards are put together")
        ->required()
        ->type_name("FILE");
    verb.add_option("--implementation", options->implementation, "Only this implementation")
        ->type_name("NAME");
    verb.add_option("--format", options->format,
                    "text, html, junit, markdown, badge (SVG), badge-json (of an endpoint for "
                    "badges), json (the summary) or jsonl (each record by itself, whole)")
        ->check(CLI::IsMember(
            {"text", "html", "junit", "markdown", "badge", "badge-json", "json", "jsonl"}))
        ->capture_default_str();
    verb.add_option("--failures", options->failures_shown,
                    "Of the text: show up to N failures in full, else one of each kind; 0: all")
        ->check(number_in(shown_allowed))
        ->type_name("N")
        ->capture_default_str();
    verb.add_option("--output", options->output, "Write it here, not to stdout")->type_name("FILE");
    verb.footer(
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
    verb.callback([options, &exit_code] { exit_code = report_verb(*options); });
}

}  // namespace gathercheck
