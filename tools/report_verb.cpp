// SPDX-License-Identifier: Apache-2.0
// gathercheck report: what records say, as a page, as JUnit XML, as Markdown, as a badge.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/policy.hpp"
#include "conformance/record_files.hpp"
#include "conformance/report.hpp"
#include "conformance/report_data.hpp"
#include "tools/output_file.hpp"
#include "tools/suite.hpp"
#include "tools/verbs.hpp"

namespace gathercheck {
namespace {

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

std::string rendered(const ReportData& data, const std::vector<PolicyRow>& map,
                     const std::string& format) {
    if (format == "html") return html_report(data, map);
    if (format == "junit") return junit_report(data);
    if (format == "markdown") return markdown_report(data);
    if (format == "badge") return badge(data);
    if (format == "json") return summary_json(data.tally());
    std::string text;
    for (const ImplementationResults& results : data.implementations()) {
        for (const auto& [key, of_case] : results.cases) {
            for (const ShownExecution& shown : of_case.shown) {
                if (is_reported(shown.record))
                    text += failure_text(shown.record, shown.repeat);
            }
        }
    }
    if (!text.empty()) text += "\n";
    if (data.tally().partial()) text += "The run was cut short: these records are partial.\n\n";
    for (const std::string& what : data.tally().lacking()) text += "incomplete: " + what + "\n";
    if (!data.tally().lacking().empty()) text += "\n";
    return text + summary_text(data.tally()) + "\n" + conclusion(data.tally()) + " (exit " +
           std::to_string(data.tally().exit_code()) + ")\n";
}

}  // namespace

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
    for (const RecordFileContent& file : files) {
        for (const Record& record : file.records) {
            const std::string implementation = std::visit(ImplementationOf{}, record);
            const bool is_other = !options.implementation.empty() && !implementation.empty() &&
                                  implementation != options.implementation;
            if (is_other) continue;
            data.add(record);
            if (options.format == "html" && is_of_map(record)) of_map.push_back(record);
        }
    }
    if (!options.implementation.empty() && data.implementations().empty()) {
        return refuse("the records hold no implementation '" + options.implementation + "'");
    }
    const std::string text = rendered(data, map_of(of_map), options.format);
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

}  // namespace gathercheck
