// SPDX-License-Identifier: Apache-2.0
// Results as a table of text.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tools/bench/report.hpp"

namespace gathercheck::bench {
namespace {

std::string number_text(double number, int decimals) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
    return text.data();
}

std::string cell(std::string text, std::size_t width, bool left = false) {
    if (text.size() >= width) return text;
    const std::string blanks(width - text.size(), ' ');
    return left ? text + blanks : blanks + text;
}

constexpr std::size_t name_width = 28;
constexpr std::size_t id_width = 18;
constexpr std::size_t time_width = 9;
constexpr std::size_t peer_width = 12;
constexpr std::size_t best_width = 25;
constexpr std::size_t ratio_width = 7;

/// The time of the fastest of a kind, or why there is none, in a word.
std::string time_cell(const WorkloadResult& result, Kind kind, std::string_view prefix) {
    if (const Measured* one = fastest(result, kind, Statistic::median, prefix)) {
        return time_text(one->median());
    }
    bool failed = false;
    for (const Measured& one : result.measured) {
        if (one.kind != kind || !one.name.starts_with(prefix)) continue;
        if (one.state == State::wrong) return "WRONG";
        failed = failed || one.state == State::failed;
    }
    return failed ? "FAILED" : "-";
}

std::string summary_line(const std::string& what, const Summary& summary,
                         const std::string& note = "") {
    if (summary.count == 0) return {};
    return "  " + cell(what, 41, true) + "geomean " + cell(ratio_text(summary.geomean), 6) +
           ", worst " + cell(ratio_text(summary.worst), 6) + " (" + summary.worst_id +
           "), below 1: " + std::to_string(summary.below_one) + " of " +
           std::to_string(summary.count) + note + "\n";
}

std::string peer_line(const std::string& what, const BenchResult& result, Statistic statistic) {
    const Summary summary = summarise(result, statistic, &Comparison::best);
    const int at_bound = summary.below_one_at_bound;
    return summary_line(
        what, summary,
        at_bound == 0 ? "" : ", both within 10 % of a bound: " + std::to_string(at_bound));
}

}  // namespace

std::string time_text(double nanoseconds) {
    constexpr std::array<std::string_view, 4> units{"ns", "us", "ms", "s"};
    std::size_t unit = 0;
    while (nanoseconds >= 999.5 && unit + 1 < units.size()) {
        nanoseconds /= 1000;
        ++unit;
    }
    const int decimals = nanoseconds < 9.995 ? 2 : nanoseconds < 99.95 ? 1 : 0;
    return number_text(nanoseconds, decimals) + " " + std::string(units[unit]);
}

std::string ratio_text(double ratio) {
    return number_text(ratio, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0);
}

std::string machine_text(const BenchResult& result) {
    const MachineFacts& machine = result.machine;
    std::string text;
    const auto line = [&text](const std::string& what, const std::string& value) {
        if (!value.empty())
            text += cell(what, name_width, true) + (what.size() < name_width ? "" : "  ") + value +
                    "\n";
    };
    line("CPU", machine.cpu + (machine.family_model.empty() ? "" : ", " + machine.family_model));
    line("microcode", machine.microcode);
    line("CPUs", std::to_string(machine.cpus));
    for (const Cache& cache : machine.caches) {
        if (cache.type == "instruction") continue;
        line("L" + std::to_string(cache.level) + " cache",
             bytes_text(cache.bytes) +
                 (cache.shared_by > 1 ? ", shared by " + std::to_string(cache.shared_by) + " CPUs"
                                      : ""));
    }
    line("memory", bytes_text(machine.memory_bytes));
    line("huge pages", machine.huge_pages);
    line("gather data sampling", machine.gather_data_sampling);
    line("system", machine.system);
    std::string sets;
    for (const std::string& set : result.instruction_sets) sets += (sets.empty() ? "" : " ") + set;
    line("instruction sets", sets + " (the first is used)");
    for (const Threshold& one : result.thresholds) {
        line(one.name, one.value + (one.origin.empty() ? "" : " (" + one.origin + ")"));
    }
    return text;
}

std::string peers_text(const BenchResult& result) {
    std::string text;
    for (const PeerState& peer : result.peers) {
        text += cell(peer.name, name_width, true);
        text += peer.missing.empty()
                    ? peer.version + ", " + peer.where + "\n"
                    : "missing: " + peer.missing + "; to install: " + peer.install + "\n";
    }
    return text;
}

std::string table_head(const std::vector<PeerState>& peers) {
    std::string text = cell("workload", id_width, true) + cell("ours", time_width) +
                       cell("one-shot", time_width + 1) + cell("loop", time_width) +
                       cell("memcpy", time_width) + cell("copy", time_width) +
                       cell("lines", time_width);
    for (const PeerState& peer : peers) {
        if (peer.missing.empty()) text += cell(peer.name, peer_width);
    }
    return text + "  " + cell("best peer", best_width, true) + cell("ratio", ratio_width) +
           cell("by min", ratio_width) + cell("to copy", ratio_width + 1) +
           cell("to lines", ratio_width + 2) + "\n";
}

std::string table_line(const WorkloadResult& result, const std::vector<PeerState>& peers) {
    std::string text =
        cell(result.workload.id, id_width, true) +
        cell(time_cell(result, Kind::ours, ""), time_width) +
        cell(time_cell(result, Kind::variant, "optimized:one-shot"), time_width + 1) +
        cell(time_cell(result, Kind::plain, "plain loop"), time_width) +
        cell(time_cell(result, Kind::plain, "memcpy"), time_width) +
        cell(time_cell(result, Kind::bound, ""), time_width) +
        cell(time_cell(result, Kind::lines, ""), time_width);
    for (const PeerState& peer : peers) {
        if (peer.missing.empty()) {
            text += cell(time_cell(result, Kind::peer, peer.name), peer_width);
        }
    }
    const Comparison median = compare(result, Statistic::median);
    const Comparison minimum = compare(result, Statistic::minimum);
    const auto ratio = [](const std::optional<double>& found) {
        return found ? ratio_text(*found) : "-";
    };
    return text + "  " + cell(median.best_peer.empty() ? "-" : median.best_peer, best_width, true) +
           cell(ratio(median.best), ratio_width) + cell(ratio(minimum.best), ratio_width) +
           cell(ratio(median.copy), ratio_width + 1) + cell(ratio(median.lines), ratio_width + 2) +
           "\n";
}

std::string closing_text(const BenchResult& result) {
    std::string text;
    for (const WorkloadResult& one : result.workloads) {
        for (const Measured& measured : one.measured) {
            if (measured.state != State::wrong && measured.state != State::failed) continue;
            text += one.workload.id + ": " + measured.name + " " +
                    std::string(name(measured.state)) + ": " + measured.why + "\n";
        }
    }
    if (!text.empty()) text = "\nAnswers that were not right, and not timed:\n" + text;
    const std::string threads = std::to_string(result.settings.threads);
    text += "\nTimes are medians of " + std::to_string(result.settings.rounds) + " rounds with " +
            threads + (threads == "1" ? " thread" : " threads") +
            "; ratios above 1: we are faster.\n";
    if (const double share = interrupted_share(result); share >= 0.005) {
        text += "Other programs had the CPU during " + number_text(100 * share, 0) +
                " % of the samples: minima are the better figures.\n";
    }
    text += peer_line("best peer / ours (medians)", result, Statistic::median);
    text += peer_line("best peer / ours (minima)", result, Statistic::minimum);
    text += summary_line("copy of the output / ours (medians)",
                         summarise(result, Statistic::median, &Comparison::copy));
    text += summary_line("lines touched in order / ours (medians)",
                         summarise(result, Statistic::median, &Comparison::lines));
    text += summary_line("plain loop / ours (medians)",
                         summarise(result, Statistic::median, &Comparison::plain));
    text += summary_line("unchecked / ours (medians)",
                         summarise(result, Statistic::median, &Comparison::unchecked));
    if (result.settings.variants.targets) {
        const std::vector<SlowerRow> slower = slower_rows(result);
        text += "\nInstruction sets slower than the next lower one by more than 3 %: " +
                std::string(slower.empty() ? "none" : "") + "\n";
        for (const SlowerRow& row : slower) {
            text += "  " + cell(row.workload, id_width, true) + row.upper + " against " +
                    row.lower + ": " + ratio_text(row.ratio) + "\n";
        }
    }
    return text;
}

}  // namespace gathercheck::bench
