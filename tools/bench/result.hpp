// SPDX-License-Identifier: Apache-2.0
// What was measured, and what follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/contender.hpp"
#include "tools/bench/machine.hpp"
#include "tools/bench/ours.hpp"
#include "tools/bench/workload.hpp"

namespace gathercheck::bench {

enum class State : std::uint8_t {
    timed,
    wrong,        ///< its answer differs from the right one; not timed
    failed,       ///< a call failed
    unsupported,  ///< it cannot say this workload
};

std::string_view name(State state);

/// One contender on one workload. Times are nanoseconds for a call.
struct Measured {
    std::string name;
    Kind kind = Kind::peer;
    State state = State::timed;
    std::string why;              ///< where it was not timed
    std::int64_t calls = 1;       ///< in each sample
    std::vector<double> samples;  ///< one for each round
    int interrupted = 0;          ///< samples during which another program had the CPU

    double minimum() const;
    double median() const;
    double maximum() const;
    /// Distance of the quartiles as a share of the median.
    double spread() const;
};

/// Two neighbouring instruction sets of ours, timed one right after the other: lower / upper.
struct RowPair {
    std::string upper;
    std::string lower;
    std::vector<double> ratios;

    double median() const;
};

struct WorkloadResult {
    Workload workload;
    std::int64_t output_bytes = 0;
    std::vector<Measured> measured;
    std::vector<RowPair> pairs;  ///< where rows are timed too
};

/// A row is slower than the next lower one where its pairs' median is below this.
inline constexpr double slower_row = 0.97;

/// The pairs of neighbours among `rows`, best first, from the samples of the same rounds.
std::vector<RowPair> row_pairs(const std::vector<Measured>& measured,
                               const std::vector<std::string>& rows);

/// An engine that was wanted.
struct PeerState {
    std::string name;
    std::string where;    ///< "in process" or "other process"
    std::string version;  ///< empty where it is missing
    std::string missing;  ///< why it is not here
    std::string install;  ///< what brings it
};

struct Settings {
    int threads = 1;
    int rounds = 7;
    double sample_seconds = 40e-6;  ///< the least time of one sample
    bool cold = false;              ///< every workload, not only those that say so
    Variants variants;              ///< of ours, beside those that are always timed
};

struct BenchResult {
    Settings settings;
    MachineFacts machine;
    std::vector<std::string> instruction_sets;
    std::vector<Threshold> thresholds;
    std::vector<PeerState> peers;
    std::vector<WorkloadResult> workloads;
};

enum class Statistic : std::uint8_t { median, minimum };
double value(const Measured& measured, Statistic statistic);

/// The fastest timed contender of a kind whose name begins so; null where none was timed.
const Measured* fastest(const WorkloadResult& result, Kind kind, Statistic statistic,
                        std::string_view prefix = "");

/// Ratios of a workload: above 1 we are faster.
struct Comparison {
    std::optional<double> ours;       ///< nanoseconds
    std::string best_peer;            ///< empty where none was timed
    std::optional<double> best;       ///< best peer / ours
    std::optional<double> copy;       ///< the faster copy / ours
    std::optional<double> lines;      ///< the faster way to touch all lines / ours
    std::optional<double> plain;      ///< the plain loop / ours
    std::optional<double> unchecked;  ///< ours without a check of the indices / ours
    bool at_bound = false;            ///< both we and the best peer are near the lines, or near the
                                      ///< copy where there are none
};

/// Who takes no more than a tenth longer than a bound is near it: the least of bound / time.
inline constexpr double near_bound = 1 / 1.1;
Comparison compare(const WorkloadResult& result, Statistic statistic);

/// Over all workloads that have a ratio.
struct Summary {
    int count = 0;
    int below_one = 0;
    int below_one_at_bound = 0;  ///< of these, workloads where both are near a bound
    double geomean = 0;
    double worst = 0;
    std::string worst_id;
};
Summary summarise(const BenchResult& result, Statistic statistic,
                  std::optional<double> Comparison::* ratio);

/// An instruction set that is slower than the next lower one.
struct SlowerRow {
    std::string workload;
    std::string upper;
    std::string lower;
    double ratio = 1;
};
std::vector<SlowerRow> slower_rows(const BenchResult& result);

/// The share of all samples during which another program had the CPU.
double interrupted_share(const BenchResult& result);

/// True where an answer of ours, or of a plain loop, was not right.
bool ours_is_wrong(const BenchResult& result);

}  // namespace gathercheck::bench
