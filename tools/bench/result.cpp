// SPDX-License-Identifier: Apache-2.0
// Statistics of samples, ratios of contenders.
#include "tools/bench/result.hpp"

#include <algorithm>
#include <cmath>

namespace gathercheck::bench {
namespace {

/// The value that a share of the samples lies below, between two samples where need be.
double quantile(std::vector<double> samples, double share) {
    if (samples.empty()) return 0;
    std::ranges::sort(samples);
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, samples.size() - 1);
    return samples[low] + (samples[high] - samples[low]) * (place - static_cast<double>(low));
}

}  // namespace

std::string_view name(State state) {
    switch (state) {
        case State::timed:
            return "timed";
        case State::wrong:
            return "wrong";
        case State::failed:
            return "failed";
        case State::unsupported:
            return "unsupported";
    }
    return "";
}

double Measured::minimum() const { return quantile(samples, 0); }
double Measured::median() const { return quantile(samples, 0.5); }
double Measured::maximum() const { return quantile(samples, 1); }
double Measured::spread() const {
    const double middle = median();
    return middle > 0 ? (quantile(samples, 0.75) - quantile(samples, 0.25)) / middle : 0;
}

double value(const Measured& measured, Statistic statistic) {
    return statistic == Statistic::median ? measured.median() : measured.minimum();
}

const Measured* fastest(const WorkloadResult& result, Kind kind, Statistic statistic,
                        std::string_view prefix) {
    const Measured* best = nullptr;
    for (const Measured& one : result.measured) {
        if (one.kind != kind || one.state != State::timed || !one.name.starts_with(prefix))
            continue;
        if (best == nullptr || value(one, statistic) < value(*best, statistic)) best = &one;
    }
    return best;
}

Comparison compare(const WorkloadResult& result, Statistic statistic) {
    Comparison comparison;
    const Measured* const ours = fastest(result, Kind::ours, statistic);
    if (ours == nullptr) return comparison;
    const double time = value(*ours, statistic);
    comparison.ours = time;
    if (time <= 0) return comparison;
    if (const Measured* peer = fastest(result, Kind::peer, statistic)) {
        comparison.best_peer = peer->name;
        comparison.best = value(*peer, statistic) / time;
    }
    if (const Measured* copy = fastest(result, Kind::bound, statistic)) {
        comparison.copy = value(*copy, statistic) / time;
    }
    if (const Measured* lines = fastest(result, Kind::lines, statistic)) {
        comparison.lines = value(*lines, statistic) / time;
    }
    if (const auto bound = comparison.lines ? comparison.lines : comparison.copy) {
        comparison.at_bound =
            comparison.best && *bound >= near_bound && *bound / *comparison.best >= near_bound;
    }
    if (const Measured* loop = fastest(result, Kind::plain, statistic, "plain loop")) {
        comparison.plain = value(*loop, statistic) / time;
    }
    if (const auto* other = fastest(result, Kind::variant, statistic, "optimized:unchecked")) {
        comparison.unchecked = value(*other, statistic) / time;
    }
    return comparison;
}

Summary summarise(const BenchResult& result, Statistic statistic,
                  std::optional<double> Comparison::* ratio) {
    Summary summary;
    double logarithms = 0;
    for (const WorkloadResult& one : result.workloads) {
        const Comparison comparison = compare(one, statistic);
        const std::optional<double> found = comparison.*ratio;
        if (!found) continue;
        ++summary.count;
        if (*found < 1) ++summary.below_one;
        if (*found < 1 && comparison.at_bound) ++summary.below_one_at_bound;
        logarithms += std::log(*found);
        if (summary.worst_id.empty() || *found < summary.worst) {
            summary.worst = *found;
            summary.worst_id = one.workload.id;
        }
    }
    if (summary.count > 0) summary.geomean = std::exp(logarithms / summary.count);
    return summary;
}

double RowPair::median() const { return quantile(ratios, 0.5); }

std::vector<RowPair> row_pairs(const std::vector<Measured>& measured,
                               const std::vector<std::string>& rows) {
    std::vector<RowPair> pairs;
    const Measured* upper = nullptr;
    for (const std::string& row : rows) {
        const auto lower = std::ranges::find(measured, "optimized:" + row, &Measured::name);
        if (lower == measured.end() || lower->state != State::timed) continue;
        if (upper != nullptr) {
            RowPair& pair = pairs.emplace_back(RowPair{upper->name, lower->name, {}});
            const std::size_t count = std::min(upper->samples.size(), lower->samples.size());
            for (std::size_t k = 0; k < count; ++k) {
                pair.ratios.push_back(lower->samples[k] / upper->samples[k]);
            }
        }
        upper = &*lower;
    }
    return pairs;
}

std::vector<SlowerRow> slower_rows(const BenchResult& result) {
    std::vector<SlowerRow> slower;
    for (const WorkloadResult& one : result.workloads) {
        for (const RowPair& pair : one.pairs) {
            if (!pair.ratios.empty() && pair.median() < slower_row) {
                slower.push_back({one.workload.id, pair.upper, pair.lower, pair.median()});
            }
        }
    }
    return slower;
}

double interrupted_share(const BenchResult& result) {
    double samples = 0;
    double interrupted = 0;
    for (const WorkloadResult& one : result.workloads) {
        for (const Measured& measured : one.measured) {
            samples += static_cast<double>(measured.samples.size());
            interrupted += measured.interrupted;
        }
    }
    return samples > 0 ? interrupted / samples : 0;
}

bool ours_is_wrong(const BenchResult& result) {
    for (const WorkloadResult& one : result.workloads) {
        for (const Measured& measured : one.measured) {
            const bool is_ours = measured.kind != Kind::peer && gives_answer(measured.kind);
            if (is_ours && (measured.state == State::wrong || measured.state == State::failed)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace gathercheck::bench
