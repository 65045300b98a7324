// SPDX-License-Identifier: Apache-2.0
// Histories as JSON: schemas/history.schema.json.
#include <string>
#include <vector>

#include "conformance/report/history.hpp"
#include "conformance/report/report.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

Json to_json(const HistoryRun& run) {
    return {{"file", run.file},
            {"started", run.record.started},
            {"suite", {{"version", run.record.suite_version}, {"hash", run.record.suite_hash}}},
            {"tool", run.record.tool_version},
            {"machine", machine_text(run.record)}};
}

Json to_json(const HistoryPoint& point) {
    Json verdicts = Json::object();
    for (const Verdict verdict : shown_verdicts()) {
        const std::int64_t count = point.tally.count(verdict);
        if (count > 0) verdicts[std::string(name(verdict))] = count;
    }
    Json changes = Json::array();
    for (const HistoryChange& change : point.changes) {
        Json entry{{"kind", name(change.kind)}, {"count", change.executions}};
        for (const Cause cause : change.causes) entry["causes"].push_back(name(cause));
        changes.push_back(std::move(entry));
    }
    Json json{{"run", point.run},
              {"label", point.label},
              {"version", point.tally.record.version},
              {"state", point.tally.record.state}};
    if (!point.tally.record.why.empty()) json["why"] = point.tally.record.why;
    json["verdicts"] = std::move(verdicts);
    json["changes"] = std::move(changes);
    return json;
}

Json to_json(const HistoryFinding& finding, const std::vector<HistoryPoint>& points) {
    Json json = Json::object();
    if (!finding.finding.empty()) json["finding"] = finding.finding;
    json["what"] = finding.what;
    for (const OperatorVersion version : finding.versions) {
        json["operators"].push_back(name(version));
    }
    json["since"] = since_text(finding);
    json["first"] = points[finding.first].run;
    json["last"] = points[finding.last].run;
    const FindingHistory& history = finding.history;
    for (const auto& [key, list] :
         {std::pair("shown", &history.shown), std::pair("not_shown", &history.not_shown),
          std::pair("otherwise", &history.otherwise), std::pair("not_run", &history.not_run)}) {
        if (!list->empty()) json[key] = *list;
    }
    return json;
}

}  // namespace

Json history_json(const History& history) {
    Json runs = Json::array();
    for (const HistoryRun& run : history.runs) runs.push_back(to_json(run));
    Json left_out = Json::array();
    for (const LeftOutRun& each : history.left_out) {
        left_out.push_back({{"file", each.file}, {"why", each.why}});
    }
    Json implementations = Json::array();
    for (const ImplementationHistory& one : history.implementations) {
        Json points = Json::array();
        for (const HistoryPoint& point : one.points) points.push_back(to_json(point));
        Json findings = Json::array();
        for (const HistoryFinding& finding : one.findings) {
            findings.push_back(to_json(finding, one.points));
        }
        implementations.push_back(
            {{"name", one.name}, {"runs", std::move(points)}, {"failures", std::move(findings)}});
    }
    return {{"history", {{"schema", 1}, {"order", history.is_by_time ? "time" : "name"}}},
            {"runs", std::move(runs)},
            {"left_out", std::move(left_out)},
            {"implementations", std::move(implementations)}};
}

}  // namespace gathercheck
