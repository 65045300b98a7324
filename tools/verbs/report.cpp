// SPDX-License-Identifier: Apache-2.0
// gathercheck report: what records say, as a page, as JUnit XML, as Markdown, as a badge.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/mutants/diagnosis.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/report/diff.hpp"
#include "conformance/report/page.hpp"
#include "conformance/report/policy.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/page/page_data.hpp"
#include "tools/shared/answer_text.hpp"
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
    /// "text", "html", "page-data", "junit", "markdown", "badge", "badge-json", "sarif",
    /// "json", "jsonl"
    std::string format = "text";
    std::string bench;        ///< what `gathercheck bench` wrote, for the page; empty: nothing
    std::string baseline;     ///< records of an earlier run, for the page; empty: of none
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

/// True for the execution of a case of the out-of-bounds map.
bool is_of_map(const Record& record) {
    const auto* execution = std::get_if<ExecutionRecord>(&record);
    return execution != nullptr && is_policy_case(execution->case_id);
}

/// What explains the failures of records of the cases, by implementation and execution.
std::unordered_map<std::uint64_t, std::string> causes_of(
    const std::vector<const ExecutionRecord*>& executions, const LoadedSuite& loaded) {
    std::unordered_map<std::uint64_t, std::string> causes;
    const CasesById cases(loaded.suite.cases);
    std::map<std::string, Diagnosis> diagnoses;
    for (const ExecutionRecord* execution : executions) {
        const Case* tested = loaded.suite.retyped.find(cases, execution->case_id);
        if (tested == nullptr) continue;
        diagnoses.try_emplace(execution->implementation, loaded.equations, loaded.rules)
            .first->second.add_recorded(*tested, *execution);
    }
    for (const auto& [implementation, diagnosis] : diagnoses) {
        for (auto& [key, cause] : diagnosis.explain().causes) causes.emplace(key, cause);
    }
    return causes;
}

bool is_left_out(const std::string& implementation, const ReportVerb& options) {
    return !options.implementation.empty() && !implementation.empty() &&
           implementation != options.implementation;
}

/// The failures of records as a run shows them in its end, and the summary.
std::string text_report(const ReportData& data, const std::vector<RecordFileContent>& files,
                        const ReportVerb& options,
                        const std::unordered_map<std::uint64_t, std::string>& causes) {
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

/// The cases that the records are of, as far as they lie here: the shipped ones, or those that
/// their runs name.
std::optional<LoadedSuite> suite_of(const std::vector<RecordFileContent>& files) {
    std::set<std::string> paths;
    for (const RecordFileContent& file : files) {
        for (const Record& record : file.records) {
            const auto* run = std::get_if<RunRecord>(&record);
            if (run == nullptr || !run->settings) continue;
            for (const std::string& path : run->settings->cases) {
                paths.insert((std::filesystem::path(run->settings->folder) / path).string());
            }
        }
    }
    const auto lies_here = [](const std::string& path) {
        std::error_code error;
        return std::filesystem::exists(path, error);
    };
    if (!std::ranges::all_of(paths, lies_here)) paths.clear();
    return load_suite({paths.begin(), paths.end()});
}

/// A file of cases as a URI: that of the shipped data by its path in a checkout, others by theirs
/// from here where they lie below.
std::string uri_of(const std::string& file, const LoadedSuite& loaded) {
    const std::filesystem::path path(file);
    const std::filesystem::path relative =
        path.lexically_proximate(std::filesystem::current_path());
    std::string text = "spec_cases/cases/" + path.filename().generic_string();
    if (!loaded.shipped) {
        const bool is_below = relative.is_relative() && *relative.begin() != "..";
        text = is_below ? relative.generic_string() : path.generic_string();
    }
    std::string uri = text.starts_with('/') ? "file://" : "";
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (const char c : text) {
        constexpr std::string_view digits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != std::string_view::npos) {
            uri += c;
        } else {
            uri += {'%', digits[byte / digits.size()], digits[byte % digits.size()]};
        }
    }
    return uri;
}

/// The lines of a file in which the ids of its cases stand.
std::map<std::string, std::int64_t> lines_of(const std::string& file) {
    std::map<std::string, std::int64_t> lines;
    std::ifstream stream(file);
    std::int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        constexpr std::string_view key = "\"id\"";
        const std::size_t at = line.find(key);
        if (at == std::string::npos) continue;
        const std::size_t begin = line.find('"', at + key.size());
        const std::size_t end = begin == std::string::npos ? begin : line.find('"', begin + 1);
        if (end != std::string::npos) {
            lines.try_emplace(line.substr(begin + 1, end - begin - 1), number);
        }
    }
    return lines;
}

/// What the suite tells of records, as far as it is theirs. The words borrow it.
SuiteWords words_of(const LoadedSuite& loaded) {
    const auto cases = std::make_shared<const CasesById>(loaded.suite.cases);
    const auto find = [&loaded, cases](const std::string& id) {
        return loaded.suite.retyped.find(*cases, id);
    };
    SuiteWords words;
    words.call = [find](const ExecutionRecord& record) {
        std::vector<std::string> operands;
        const Case* tested = find(record.case_id);
        const bool is_same = tested != nullptr && !record.case_hash.empty() &&
                             tested->hash.starts_with(record.case_hash);
        if (!is_same) return operands;
        for (const auto& [label, value] : call_rows(*tested)) {
            operands.push_back(label + ": " + value);
        }
        return operands;
    };
    words.rule = [&loaded](const std::string& id) { return loaded.rules.find(id); };
    words.address = [&loaded](const std::string& document) {
        return loaded.rules.address(document);
    };
    const auto lines =
        std::make_shared<std::map<std::string, std::map<std::string, std::int64_t>>>();
    words.place = [&loaded, find, lines](const std::string& id) -> std::optional<CasePlace> {
        const Case* tested = find(id);
        if (tested == nullptr) return std::nullopt;
        const auto [of_file, is_new] = lines->try_emplace(tested->file);
        if (is_new) of_file->second = lines_of(tested->file);
        const std::string written = tested->written.empty() ? id : tested->written;
        const auto line = of_file->second.find(written.substr(0, written.find('/')));
        return CasePlace{uri_of(tested->file, loaded),
                         line == of_file->second.end() ? 1 : line->second};
    };
    return words;
}

/// What explains failures that there are to explain.
std::unordered_map<std::uint64_t, std::string> causes_in(
    const ReportData& data, const std::vector<RecordFileContent>& files, const ReportVerb& options,
    const LoadedSuite* loaded) {
    const bool has_failures =
        std::ranges::any_of(data.tally().implementations(), [](const ImplementationTally& one) {
            return failures_of(one) + one.count(Verdict::difference) > 0;
        });
    if (!has_failures || loaded == nullptr) return {};
    std::vector<const ExecutionRecord*> executions;
    for (const RecordFileContent& file : files) {
        bool is_of_suite = false;
        for (const Record& record : file.records) {
            if (const auto* run = std::get_if<RunRecord>(&record)) {
                is_of_suite = run->suite_hash == loaded->suite.hash;
            }
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || !is_of_suite) continue;
            if (!is_left_out(execution->implementation, options)) executions.push_back(execution);
        }
    }
    return causes_of(executions, *loaded);
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
                                       const std::vector<Record>& of_map,
                                       const ReportVerb& options) {
    const std::vector<RecordFileContent>& files = read.files;
    Json changes;
    if (!options.baseline.empty()) {
        auto since = changes_since(options.baseline, read);
        if (!since) return exit_bad_input;
        changes = std::move(*since);
    }
    Json bench;
    if (!options.bench.empty()) {
        auto results = bench_results(options.bench);
        if (!results) return exit_bad_input;
        bench = std::move(*results);
    }
    const auto loaded = suite_of(files);
    if (!loaded) return exit_bad_input;
    const auto clarifications = load_shipped_clarifications(*loaded);
    if (!clarifications) return exit_bad_input;
    PolicyMap map(loaded->suite, loaded->equations, loaded->rules);
    for (const Record& record : of_map) map.add(record);
    const std::vector<PolicyRow> rows = map.rows();
    const auto causes = causes_in(data, files, options, &*loaded);
    const Json document = page_data({files, data, options.implementation, *loaded, *clarifications,
                                     rows, causes, std::move(bench), std::move(changes)});
    const std::string text = document.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (options.format == "page-data") return text + "\n";
    return page_html({"gathercheck: " + conclusion(data.tally()),
                      text_report(data, files, options, causes), text});
}

std::variant<std::string, int> rendered(const ReportData& data, const RecordFiles& read,
                                        const std::vector<Record>& of_map,
                                        const ReportVerb& options) {
    const std::vector<RecordFileContent>& files = read.files;
    if (is_page(options)) return page_of(data, read, of_map, options);
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
    return text_report(data, files, options,
                       causes_in(data, files, options, loaded ? &*loaded : nullptr));
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

/// The exit code is that of the records, by the rule of a run.
int report_verb(const ReportVerb& options) {
    if (options.all && !is_badge(options)) return refuse("--all is for a badge: --format badge");
    if (options.all && !options.implementation.empty()) {
        return refuse("--all and --implementation contradict each other; leave out one of them");
    }
    if (!is_page(options) && !(options.bench.empty() && options.baseline.empty())) {
        return refuse(std::string(options.bench.empty() ? "--baseline" : "--bench") +
                      " is for the page: --format html");
    }
    ReportData data;
    std::vector<Record> of_map;
    const auto read = read_record_files(options.records);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const RecordFiles& records = std::get<RecordFiles>(read);
    data.set_lacking(records.lacking);
    for (const Record* record : chosen(records.files, options)) {
        data.add(*record);
        if (is_page(options) && is_of_map(*record)) of_map.push_back(*record);
    }
    if (!options.implementation.empty() && data.implementations().empty()) {
        return refuse("the records hold no implementation '" + options.implementation + "'");
    }
    const std::string no_badge = why_no_badge(data, options);
    if (!no_badge.empty()) return refuse(no_badge);
    const auto made = rendered(data, records, of_map, options);
    if (const int* exit_code = std::get_if<int>(&made)) return *exit_code;
    const std::string& text = std::get<std::string>(made);
    std::vector<std::string> inputs = options.records;
    inputs.push_back(options.bench);
    inputs.push_back(options.baseline);
    const std::string why_not = write_output(options.output, text, inputs);
    return why_not.empty() ? data.tally().exit_code() : refuse(why_not);
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
    verb.add_option(
            "--format", options->format,
            "text, html, page-data (the JSON that html is made of), junit, markdown, badge "
            "(SVG), badge-json (of an endpoint for badges), sarif (failures for editors and code "
            "scanning), json (the summary) or jsonl (each record by itself, whole)")
        ->check(CLI::IsMember({"text", "html", "page-data", "junit", "markdown", "badge",
                               "badge-json", "sarif", "json", "jsonl"}))
        ->capture_default_str();
    verb.add_flag("--all", options->all,
                  "Of a badge: count all implementations together; without it a badge is of one");
    verb.add_option("--failures", options->failures_shown,
                    "Of the text: show up to N failures in full, else one of each kind; 0: all")
        ->check(number_in(shown_allowed))
        ->type_name("N")
        ->capture_default_str();
    verb.add_option("--baseline", options->baseline,
                    "Of the page: also what changed since the run of these records")
        ->type_name("FILE");
    verb.add_option("--bench", options->bench,
                    "Of the page: also the plots of what `gathercheck bench --output FILE` wrote")
        ->type_name("FILE");
    verb.add_option("--output", options->output, "Write it here, not to stdout")->type_name("FILE");
    verb.footer(
        "Examples:\n"
        "  gathercheck report run.jsonl --format html --output report.html\n"
        "  gathercheck report run.jsonl --format html --baseline last.jsonl --output report.html\n"
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
