// SPDX-License-Identifier: Apache-2.0
// Differences of two runs as JSON: schemas/diff.schema.json.
#include <string>
#include <vector>

#include "conformance/report/diff.hpp"
#include "conformance/report/report.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

Json to_json(const RunRecord& run, const std::vector<std::string>& lacking) {
    Json machine{{"cpu", run.cpu}, {"system", run.system}};
    if (!run.distribution.empty()) machine["distribution"] = run.distribution;
    return {{"started", run.started},
            {"suite", {{"version", run.suite_version}, {"hash", run.suite_hash}}},
            {"tool", run.tool_version},
            {"machine", std::move(machine)},
            {"lacking", lacking}};
}

Json to_json(const ImplementationRecord& implementation, std::int64_t executions) {
    return {{"name", implementation.name},
            {"version", implementation.version},
            {"state", implementation.state},
            {"executions", executions}};
}

Json to_json(const CaseCounts& cases) {
    Json json = Json::object();
    for (const auto& [id, count] : cases) json[id] = count;
    return json;
}

/// What came of an execution; null where it is not there.
Json came(const ExecutionRecord* execution) {
    if (execution == nullptr) return nullptr;
    Json json{{"verdict", name(execution->verdict)}, {"outcome", execution->outcome}};
    if (!execution->detail.empty()) json["detail"] = execution->detail;
    const std::string got = wrong_output_text(*execution);
    if (!got.empty()) json["got"] = got;
    return json;
}

Json to_json(const ChangeGroup& group, const RunRecord& after) {
    Json json{{"kind", name(group.kind)}, {"count", group.executions.size()}};
    if (!group.from.empty()) json["from"] = group.from;
    if (!group.to.empty()) json["to"] = group.to;
    for (const Cause cause : group.causes) json["causes"].push_back(name(cause));
    if (!group.finding.empty()) json["finding"] = group.finding;
    if (!group.classification.empty()) json["class"] = group.classification;
    if (!group.rules.empty()) json["rules"] = group.rules;
    for (const OperatorVersion version : group.versions) json["operators"].push_back(name(version));
    const ChangedExecution& example = group.executions.front();
    json["example"] = {{"case", example.either().case_id},
                       {"operator", name(example.either().operator_version)},
                       {"route", to_string(example.either().route)},
                       {"before", came(example.before)},
                       {"after", came(example.after)}};
    if (example.after != nullptr) json["example"]["repeat"] = repeat_line(*example.after, after);
    for (const ChangedExecution& change : group.executions) {
        const ExecutionRecord& either = change.either();
        json["executions"].push_back({{"case", either.case_id},
                                      {"operator", name(either.operator_version)},
                                      {"route", to_string(either.route)}});
    }
    return json;
}

}  // namespace

Json diff_json(const RunDiff& diff) {
    Json implementations = Json::array();
    for (const ImplementationDiff& one : diff.implementations) {
        Json changes = Json::array();
        for (const ChangeGroup& group : one.groups) changes.push_back(to_json(group, *diff.after));
        implementations.push_back({{"before", to_json(*one.before, one.executions_before)},
                                   {"after", to_json(*one.after, one.executions_after)},
                                   {"in_both", one.in_both},
                                   {"changes", std::move(changes)}});
    }
    return {{"diff", {{"schema", 1}, {"new_failures", diff.new_failures()}}},
            {"before", to_json(*diff.before, diff.lacking_before)},
            {"after", to_json(*diff.after, diff.lacking_after)},
            {"cases",
             {{"added", to_json(diff.added)},
              {"removed", to_json(diff.removed)},
              {"changed", to_json(diff.changed)}}},
            {"implementations", std::move(implementations)},
            {"only_before", diff.only_before},
            {"only_after", diff.only_after}};
}

}  // namespace gathercheck
