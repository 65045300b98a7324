// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 from records.
#include <set>
#include <string>
#include <vector>

#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

constexpr std::size_t longest_detail = 300;

/// What SARIF tells of: a failure that nobody has recorded.
bool is_failing(const ExecutionRecord& record) {
    return record.verdict == Verdict::fail || record.verdict == Verdict::crash ||
           record.verdict == Verdict::timeout;
}

/// The rule that a failure is shown under; where its case names none, what is wrong with it.
std::string rule_of(const ExecutionRecord& record) {
    return record.rules.empty() ? kind_of(record) : record.rules.front();
}

Json text_of(const std::string& text) { return {{"text", text}}; }

Json rule_json(const std::string& id, const SuiteWords& words) {
    Json json{{"id", id}};
    const Rule* rule = words.rule ? words.rule(id) : nullptr;
    if (rule == nullptr) return json;
    json["shortDescription"] = text_of(rule->statement);
    json["help"] = text_of(rule->statement + "\n\n" + rule->document + ", " + rule->section);
    const std::string address = words.address ? words.address(rule->document) : std::string();
    if (!address.empty()) json["helpUri"] = address;
    return json;
}

/// A result of the executions that fail, the first of which is told; null where none does.
Json result_json(const ImplementationResults& of, OperatorVersion version, const std::string& id,
                 const CaseResults& results, const SuiteWords& words) {
    const ShownExecution* first = nullptr;
    std::int64_t count = 0;
    for (const ShownExecution& shown : results.shown) {
        if (!is_failing(shown.record)) continue;
        if (first == nullptr) first = &shown;
        ++count;
    }
    if (first == nullptr) return nullptr;
    const ExecutionRecord& record = first->record;
    const std::string who = of.name + (of.version.empty() ? "" : " " + of.version);
    std::string message = who + ", " + std::string(name(version)) + ": " + kind_of(record);
    if (!record.detail.empty()) message += ": " + shortened(record.detail, longest_detail);
    if (!record.title.empty()) message += " (" + record.title + ")";
    if (count > 1) message += "; one of " + std::to_string(count) + " executions that fail";
    Json result{{"ruleId", rule_of(record)},
                {"level", "error"},
                {"message", text_of(message + "\n\n" + details_of(*first, words))},
                {"partialFingerprints",
                 {{"execution/v1", of.name + " " + std::string(name(version)) + " " + id}}}};
    const auto place = words.place ? words.place(record.case_id) : std::nullopt;
    if (place) {
        result["locations"].push_back({{"physicalLocation",
                                        {{"artifactLocation", {{"uri", place->uri}}},
                                         {"region", {{"startLine", place->line}}}}}});
    }
    return result;
}

}  // namespace

std::string sarif_report(const ReportData& data, const SuiteWords& words) {
    Json results = Json::array();
    std::set<std::string> ids;
    for (const ImplementationResults& one : data.implementations()) {
        for (const auto& [key, of_case] : one.cases) {
            Json result = result_json(one, key.first, key.second, of_case, words);
            if (result.is_null()) continue;
            ids.insert(result["ruleId"].get<std::string>());
            results.push_back(std::move(result));
        }
    }
    Json rules = Json::array();
    for (const std::string& id : ids) rules.push_back(rule_json(id, words));
    Json driver{{"name", "gathercheck"}};
    if (!data.runs().empty()) driver["version"] = data.runs().front().run.tool_version;
    driver["rules"] = std::move(rules);
    Json run{{"tool", {{"driver", std::move(driver)}}},
             {"invocations", Json::array({{{"executionSuccessful", data.tally().trouble().empty()},
                                           {"exitCode", data.tally().exit_code()},
                                           {"exitCodeDescription", conclusion(data.tally())}}})},
             {"columnKind", "unicodeCodePoints"},
             {"results", std::move(results)}};
    return shown_json({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", Json::array({std::move(run)})}}) +
           "\n";
}

}  // namespace gathercheck
