// SPDX-License-Identifier: Apache-2.0
// Results as one JSON document.
#include "conformance/util/json.hpp"
#include "tools/bench/report.hpp"

namespace gathercheck::bench {
namespace {

Json machine_json(const BenchResult& result) {
    const MachineFacts& machine = result.machine;
    Json caches = Json::array();
    for (const Cache& cache : machine.caches) {
        caches.push_back({{"level", cache.level},
                          {"type", cache.type},
                          {"bytes", cache.bytes},
                          {"shared_by", cache.shared_by}});
    }
    Json thresholds = Json::array();
    for (const Threshold& one : result.thresholds) {
        thresholds.push_back({{"name", one.name}, {"value", one.value}, {"origin", one.origin}});
    }
    return {{"cpu", machine.cpu},
            {"vendor", machine.vendor},
            {"model", machine.family_model},
            {"microcode", machine.microcode},
            {"cpus", machine.cpus},
            {"caches", std::move(caches)},
            {"memory_bytes", machine.memory_bytes},
            {"huge_pages", machine.huge_pages},
            {"gather_data_sampling", machine.gather_data_sampling},
            {"system", machine.system},
            {"instruction_sets", result.instruction_sets},
            {"thresholds", std::move(thresholds)}};
}

Json ratio(const std::optional<double>& found) { return found ? Json(*found) : Json(nullptr); }

Json comparison_json(const WorkloadResult& result, Statistic statistic) {
    const Comparison comparison = compare(result, statistic);
    return {
        {"ours_ns", ratio(comparison.ours)},
        {"best_peer", comparison.best_peer.empty() ? Json(nullptr) : Json(comparison.best_peer)},
        {"best_peer_ratio", ratio(comparison.best)},
        {"copy_ratio", ratio(comparison.copy)},
        {"lines_ratio", ratio(comparison.lines)},
        {"at_bound", comparison.at_bound},
        {"plain_ratio", ratio(comparison.plain)},
        {"unchecked_ratio", ratio(comparison.unchecked)}};
}

Json workload_json(const WorkloadResult& result, bool cold) {
    Json contenders = Json::array();
    for (const Measured& measured : result.measured) {
        Json one = {{"name", measured.name},
                    {"kind", name(measured.kind)},
                    {"state", name(measured.state)}};
        if (measured.state == State::timed) {
            one["min_ns"] = measured.minimum();
            one["median_ns"] = measured.median();
            one["max_ns"] = measured.maximum();
            one["spread"] = measured.spread();
            one["calls"] = measured.calls;
            one["interrupted"] = measured.interrupted;
            one["samples_ns"] = measured.samples;
        } else {
            one["why"] = printable(measured.why);
        }
        contenders.push_back(std::move(one));
    }
    return {{"id", result.workload.id},
            {"workload", result.workload.text},
            {"cold", cold || result.workload.cold},
            {"output_bytes", result.output_bytes},
            {"by_median", comparison_json(result, Statistic::median)},
            {"by_minimum", comparison_json(result, Statistic::minimum)},
            {"contenders", std::move(contenders)}};
}

Json summary_json(const BenchResult& result, std::optional<double> Comparison::* of) {
    Json both = Json::object();
    for (const auto& [key, statistic] :
         {std::pair{"by_median", Statistic::median}, std::pair{"by_minimum", Statistic::minimum}}) {
        const Summary summary = summarise(result, statistic, of);
        both[key] = summary.count == 0 ? Json(nullptr)
                                       : Json{{"workloads", summary.count},
                                              {"geomean", summary.geomean},
                                              {"worst", summary.worst},
                                              {"worst_id", summary.worst_id},
                                              {"below_one", summary.below_one}};
        if (of == &Comparison::best && summary.count > 0) {
            both[key]["below_one_at_bound"] = summary.below_one_at_bound;
        }
    }
    return both;
}

}  // namespace

std::string json_text(const BenchResult& result) {
    Json peers = Json::array();
    for (const PeerState& peer : result.peers) {
        Json one = {{"name", peer.name}, {"where", peer.where}};
        if (peer.missing.empty()) {
            one["version"] = peer.version;
        } else {
            one["missing"] = printable(peer.missing);
            one["install"] = peer.install;
        }
        peers.push_back(std::move(one));
    }
    Json workloads = Json::array();
    for (const WorkloadResult& one : result.workloads) {
        workloads.push_back(workload_json(one, result.settings.cold));
    }
    Json summary = {{"best_peer", summary_json(result, &Comparison::best)},
                    {"copy", summary_json(result, &Comparison::copy)},
                    {"lines", summary_json(result, &Comparison::lines)},
                    {"plain", summary_json(result, &Comparison::plain)}};
    if (result.settings.variants.unchecked) {
        summary["unchecked"] = summary_json(result, &Comparison::unchecked);
    }
    if (result.settings.variants.targets) {
        Json slower = Json::array();
        for (const SlowerRow& row : slower_rows(result)) {
            slower.push_back({{"workload", row.workload},
                              {"upper", row.upper},
                              {"lower", row.lower},
                              {"ratio", row.ratio}});
        }
        summary["slower_rows"] = std::move(slower);
    }
    const Json all = {{"format", "gathercheck-bench-1"},
                      {"machine", machine_json(result)},
                      {"settings",
                       {{"threads", result.settings.threads},
                        {"rounds", result.settings.rounds},
                        {"sample_us", result.settings.sample_seconds * 1e6},
                        {"cold", result.settings.cold}}},
                      {"peers", std::move(peers)},
                      {"workloads", std::move(workloads)},
                      {"summary", std::move(summary)}};
    return all.dump(1) + "\n";
}

}  // namespace gathercheck::bench
