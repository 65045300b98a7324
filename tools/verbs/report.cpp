// SPDX-License-Identifier: Apache-2.0
// gathercheck report: what records say, as a page, as JUnit XML, as Markdown, as a badge.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/records/record_files.hpp"
#include "conformance/report/diff.hpp"
#include "conformance/report/page.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/page/page_document.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/run_output.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/suite_words.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct ReportVerb {
    std::vector<std::string> records;  ///< files of one or more runs
    std::string implementation;        ///< only this one; empty: all
    /// "text", "html", "page-data", "junit", "markdown", "badge", "badge-json", "sarif",
    /// "json", "jsonl"
    std::string format = "text";
    std::string bench;        ///< what `gathercheck bench` wrote, for the page; empty: nothing
    std::string baseline;     ///< records of an earlier run, for the page; empty: of none
    std::string history;      ///< folder of runs, for the page; empty: none
    int failures_shown = 20;  ///< as of a run
    bool all = false;         ///< of a badge: it counts every implementation
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

bool is_page(const ReportVerb& options) {
    return options.format == "html" || options.format == "page-data";
}

bool is_left_out(const std::string& implementation, const ReportVerb& options) {
    return !options.implementation.empty() && !implementation.empty() &&
           implementation != options.implementation;
}

/// The failures of records as a run shows them in its end, and the summary.
std::string text_report(const ReportData& data, const std::vector<RecordFileContent>& files,
                        const ReportVerb& options, const Causes& causes) {
    ShownFailures failures(options.failures_shown);
    std::string text;
    for (const RecordFileContent& file : files) {
        RunRecord header;
        for (const Record& record : file.records) {
            if (const auto* run = std::get_if<RunRecord>(&record)) header = *run;
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || is_left_out(execution->implementation, options)) continue;
            text += failures.add(*execution, header);
        }
    }
    failures.explain(causes);
    if (data.tally().partial()) text += "The run was cut short: these records are partial.\n\n";
    for (const std::string& what : data.tally().lacking()) text += "incomplete: " + what + "\n";
    if (!data.tally().lacking().empty()) text += "\n";
    for (const RunResults& results : data.runs()) {
        const RunRecord& run = results.run;
        const std::string part = run.settings ? options_for_part(*run.settings) : std::string();
        if (part.empty()) continue;
        text += "a part of the suite was asked for: " + printable(part) + "\n\n";
    }
    return text + failures.closing(data.tally(), "--failures 0 shows all") + "\n" +
           conclusion(data.tally()) + " (exit " + std::to_string(data.tally().exit_code()) + ")\n";
}

/// The records of files that are about one implementation, or about all where none is named.
std::vector<const Record*> chosen(const std::vector<RecordFileContent>& files,
                                  const ReportVerb& options) {
    std::vector<const Record*> records;
    for (const RecordFileContent& file : files) {
        for (const Record& record : file.records) {
            if (is_left_out(std::visit(ImplementationOf{}, record), options)) continue;
            records.push_back(&record);
        }
    }
    return records;
}

/// Each record by itself, with all that it holds.
std::string whole_lines(const std::vector<RecordFileContent>& files, const ReportVerb& options) {
    std::string text;
    for (const Record* record : chosen(files, options)) text += to_json_line(*record) + "\n";
    return text;
}

/// What `gathercheck bench` wrote, without the single samples; nothing, and why not on stderr.
std::optional<Json> bench_results(const std::string& file) {
    auto read = read_json(file);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&read)) {
        print_problems(*problems);
        return std::nullopt;
    }
    Json results = std::get<Json>(std::move(read));
    const auto is_list = [](const Json& object, const char* key) {
        return object.is_object() && object.contains(key) && object[key].is_array();
    };
    bool is_good = is_list(results, "workloads") && results.contains("format") &&
                   results["format"] == "gathercheck-bench-1";
    if (is_good) {
        for (Json& workload : results["workloads"]) {
            is_good = is_good && is_list(workload, "contenders");
            if (!is_good) break;
            for (Json& contender : workload["contenders"]) {
                if (contender.is_object()) contender.erase("samples_ns");
            }
        }
    }
    if (is_good) return results;
    refuse("--bench " + file + ": is no file that `gathercheck bench --output FILE.json` wrote");
    return std::nullopt;
}

/// What changed since the records of an earlier run, without the single executions; nothing, and
/// why not on stderr.
std::optional<Json> changes_since(const std::string& baseline, const RecordFiles& now) {
    const auto before = read_record_files({baseline});
    if (const auto* problem = std::get_if<Problem>(&before)) {
        print_problems({*problem});
        return std::nullopt;
    }
    const auto compared = diff_runs(std::get<RecordFiles>(before), now, {});
    if (const auto* problem = std::get_if<Problem>(&compared)) {
        print_problems({*problem});
        return std::nullopt;
    }
    Json changes = diff_json(std::get<RunDiff>(compared));
    for (Json& implementation : changes["implementations"]) {
        for (Json& change : implementation["changes"]) change.erase("executions");
    }
    return changes;
}

/// The page, or with "page-data" what it is made of; an exit code where something is refused.
std::variant<std::string, int> page_of(const ReportData& data, const RecordFiles& read,
                                       const ReportVerb& options) {
    const std::vector<RecordFileContent>& files = read.files;
    PageSupplements supplements;
    if (!options.baseline.empty()) {
        auto since = changes_since(options.baseline, read);
        if (!since) return exit_bad_input;
        supplements.changes = std::move(*since);
    }
    if (!options.bench.empty()) {
        auto results = bench_results(options.bench);
        if (!results) return exit_bad_input;
        supplements.bench = std::move(*results);
    }
    if (!options.history.empty()) {
        auto history = history_in(options.history, options.implementation);
        if (!history) return exit_bad_input;
        supplements.history = std::move(*history);
    }
    const auto loaded = suite_of(files);
    if (!loaded) return exit_bad_input;
    const PageRecords records{files, data, options.implementation};
    const Causes causes = causes_in(records, &*loaded);
    const auto document = page_document(records, *loaded, causes, std::move(supplements));
    if (!document) return exit_bad_input;
    const std::string text = document->dump(-1, ' ', true, Json::error_handler_t::replace);
    if (options.format == "page-data") return text + "\n";
    return page_html({"gathercheck: " + conclusion(data.tally()),
                      text_report(data, files, options, causes), text});
}

std::variant<std::string, int> rendered(const ReportData& data, const RecordFiles& read,
                                        const ReportVerb& options) {
    const std::vector<RecordFileContent>& files = read.files;
    if (is_page(options)) return page_of(data, read, options);
    if (options.format == "junit" || options.format == "sarif") {
        const auto loaded = suite_of(files);
        if (!loaded) return exit_bad_input;
        const SuiteWords words = words_of(*loaded);
        return options.format == "junit" ? junit_report(data, words) : sarif_report(data, words);
    }
    if (options.format == "markdown") return markdown_report(data);
    if (options.format == "badge") return badge(data);
    if (options.format == "badge-json") return badge_json(data);
    if (options.format == "json") return summary_json(data.tally());
    if (options.format == "jsonl") return whole_lines(files, options);
    if (options.failures_shown == 0) return text_report(data, files, options, {});
    const auto loaded = load_suite({});
    return text_report(
        data, files, options,
        causes_in({files, data, options.implementation}, loaded ? &*loaded : nullptr));
}

bool is_badge(const ReportVerb& options) {
    return options.format == "badge" || options.format == "badge-json";
}

/// Why a badge is not drawn: nobody could tell which of several implementations it is of.
std::string why_no_badge(const ReportData& data, const ReportVerb& options) {
    if (!is_badge(options) || options.all) return {};
    std::set<std::string> names;
    for (const ImplementationTally& one : data.tally().implementations()) {
        if (one.record.state == "started") names.insert(one.record.name);
    }
    if (names.size() < 2) return {};
    return "the records are of several implementations, and a badge is of one: give "
           "--implementation NAME, one of " +
           joined(std::vector<std::string>(names.begin(), names.end())) +
           ", or --all to count them together";
}

/// The option that only a page has, where one is given; else empty.
std::string option_of_page(const ReportVerb& options) {
    if (!options.bench.empty()) return "--bench";
    if (!options.baseline.empty()) return "--baseline";
    return options.history.empty() ? "" : "--history";
}

/// The exit code is that of the records, by the rule of a run.
int report_verb(const ReportVerb& options) {
    if (options.all && !is_badge(options)) return refuse("--all is for a badge: --format badge");
    if (options.all && !options.implementation.empty()) {
        return refuse("--all and --implementation contradict each other; leave out one of them");
    }
    const std::string of_page = option_of_page(options);
    if (!is_page(options) && !of_page.empty()) {
        return refuse(of_page + " is for the page: --format html");
    }
    ReportData data;
    const auto read = read_record_files(options.records);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const RecordFiles& records = std::get<RecordFiles>(read);
    data.set_lacking(records.lacking);
    for (const Record* record : chosen(records.files, options)) data.add(*record);
    if (!options.implementation.empty() && data.implementations().empty()) {
        return refuse("the records hold no implementation '" + options.implementation + "'");
    }
    const std::string no_badge = why_no_badge(data, options);
    if (!no_badge.empty()) return refuse(no_badge);
    const auto made = rendered(data, records, options);
    if (const int* exit_code = std::get_if<int>(&made)) return *exit_code;
    const std::string& text = std::get<std::string>(made);
    std::vector<std::string> inputs = options.records;
    inputs.push_back(options.bench);
    inputs.push_back(options.baseline);
    for (std::string& file : records_in(options.history)) inputs.push_back(std::move(file));
    const std::string why_not = write_output(options.output, text, inputs);
    return why_not.empty() ? data.tally().exit_code() : refuse(why_not);
}

}  // namespace

void add_report_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<ReportVerb>();
    const Verb verb = command.add_verb(
        "report", "What the records of runs say: a page, JUnit XML, Markdown, a badge");
    verb.add_option("records", options->records,
                    "Files that `gathercheck run --output FILE` wrote; shards are put together")
        .required()
        .type_name("FILE");
    verb.add_option("--implementation", options->implementation, "Only this implementation")
        .type_name("NAME");
    verb.add_option(
            "--format", options->format,
            "text, html, page-data (the JSON that html is made of), junit, markdown, badge "
            "(SVG), badge-json (of an endpoint for badges), sarif (failures for editors and code "
            "scanning), json (the summary) or jsonl (each record by itself, whole)")
        .one_of({"text", "html", "page-data", "junit", "markdown", "badge", "badge-json", "sarif",
                 "json", "jsonl"})
        .show_default();
    verb.add_flag("--all", options->all,
                  "Of a badge: count all implementations together; without it a badge is of one");
    verb.add_option("--failures", options->failures_shown,
                    "Of the text: show up to N failures in full, else one of each kind; 0: all")
        .in(shown_allowed)
        .type_name("N")
        .show_default();
    verb.add_option("--baseline", options->baseline,
                    "Of the page: also what changed since the run of these records")
        .type_name("FILE");
    verb.add_option("--history", options->history,
                    "Of the page: also the runs of this folder one after the other, and since when "
                    "failures are there, as `gathercheck history` tells them")
        .type_name("FOLDER");
    verb.add_option("--bench", options->bench,
                    "Of the page: also the plots of what `gathercheck bench --output FILE` wrote")
        .type_name("FILE");
    verb.add_option("--output", options->output, "Write it here, not to stdout").type_name("FILE");
    verb.footer(
        "Examples:\n"
        "  gathercheck report run.jsonl --format html --output report.html\n"
        "  gathercheck report run.jsonl --format html --baseline last.jsonl --output report.html\n"
        "  gathercheck report run.jsonl --format html --history runs/ --output report.html\n"
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
