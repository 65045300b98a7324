// SPDX-License-Identifier: Apache-2.0
// The method of measuring: judged answers, interleaved rounds, pinned threads, warm or cold caches.
#include "tools/bench/measure.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <new>
#include <numeric>
#include <utility>

#include "reference/reference.hpp"
#include "tools/bench/ours.hpp"
#include "tools/bench/plain.hpp"
#include "tools/bench/random.hpp"

namespace gathercheck::bench {
namespace {

/// Up to so many elements the reference confirms what the plain loop computes.
constexpr std::int64_t most_elements_for_reference = 1 << 18;

/// A contender while it is timed.
struct Runner {
    Contender* contender = nullptr;
    Measured* measured = nullptr;
};

std::string difference(std::span<const std::byte> got, std::span<const std::byte> expected) {
    const auto [at, other] = std::ranges::mismatch(got, expected);
    std::int64_t different = 0;
    for (std::size_t k = 0; k < got.size(); ++k) different += got[k] != expected[k] ? 1 : 0;
    return std::to_string(different) + " of " + std::to_string(got.size()) +
           " bytes differ from the right answer, the first at " + std::to_string(at - got.begin());
}

/// Gives each thread that an engine has started a CPU of its own where it has started as many as
/// there are CPUs beside the caller's; others stay confined to all of them.
class Helpers {
public:
    explicit Helpers(const std::vector<int>& cpus) : cpus_(cpus), known_(threads_of_process()) {}

    /// Call after each engine has been prepared and has run once.
    void place_new() {
        const std::vector<pid_t> now = threads_of_process();
        std::vector<pid_t> fresh;
        std::ranges::set_difference(now, known_, std::back_inserter(fresh));
        known_ = now;
        if (cpus_.size() < 2 || fresh.size() + 1 != cpus_.size()) return;
        for (std::size_t k = 0; k < fresh.size(); ++k) confine(fresh[k], {cpus_[k + 1]});
    }

    /// Threads that were started late from the pinned caller may go everywhere again.
    void free_late() const {
        if (cpus_.size() < 2) return;
        const pid_t caller = getpid();
        for (const pid_t thread : threads_of_process()) {
            if (thread != caller && cpus_of(thread) == std::vector<int>{cpus_.front()}) {
                confine(thread, cpus_);
            }
        }
    }

private:
    const std::vector<int>& cpus_;
    std::vector<pid_t> known_;
};

/// Sets how many calls a sample has.
void calibrate(Runner& runner, double sample_seconds) {
    std::int64_t& calls = runner.measured->calls;
    constexpr std::int64_t most = 10'000'000;
    for (calls = 1; calls < most;) {
        const double seconds = runner.contender->time(calls);
        if (seconds >= sample_seconds) return;
        const double factor = seconds > 0 ? 1.3 * sample_seconds / seconds : 16;
        calls = std::min(most, static_cast<std::int64_t>(
                                   std::ceil(static_cast<double>(calls) * std::min(factor, 16.0))));
    }
}

/// Another order for each round: nobody always follows the same one, whose traces in the caches he
/// would find.
void shuffle(std::vector<std::size_t>& order, Random& random) {
    for (std::size_t k = order.size(); k > 1; --k) {
        std::swap(order[k - 1],
                  order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
    }
}

/// How often the system has taken the CPU away from this thread.
std::int64_t interruptions() {
    rusage usage{};
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/// Nanoseconds for a call. A sample during which another program had the CPU is taken again, a few
/// times at most.
double take_sample(const Runner& runner, const MachineFacts& machine, bool cold, int threads) {
    constexpr int attempts = 5;
    constexpr std::chrono::milliseconds patience{50};  // a long sample is hardly ever alone
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t calls = runner.measured->calls;
    double seconds = 0;
    bool interrupted = true;
    for (int attempt = 0; interrupted && attempt < attempts; ++attempt) {
        if (attempt > 0 && std::chrono::steady_clock::now() - start > patience) break;
        if (threads > 1) wait_until_quiet();
        if (cold) {
            flush_caches(machine);
            runner.contender->flush();
        } else {
            // Threads that slept while all was quiet take so long to be where work is.
            constexpr double awake = 3e-3;
            double spent = runner.contender->time(1);
            while (threads > 1 && spent < awake) spent += runner.contender->time(1);
        }
        const std::int64_t before = interruptions();
        seconds = runner.contender->time(calls);
        interrupted = runner.contender->was_interrupted(interruptions() != before);
    }
    if (interrupted) ++runner.measured->interrupted;
    return seconds / static_cast<double>(calls) * 1e9;
}

/// Times neighbours among our rows again where the upper one looks slower: one right after the
/// other, each first in every second pair.
void repeat_pairs(std::vector<RowPair>& pairs, const std::vector<Runner>& runners,
                  const MachineFacts& machine, bool cold, int threads) {
    constexpr int repeats = 16;
    const auto runner_of = [&](const std::string& name) {
        return std::ranges::find_if(
            runners, [&](const Runner& runner) { return runner.measured->name == name; });
    };
    for (RowPair& pair : pairs) {
        if (pair.median() >= slower_row) continue;
        const auto upper = runner_of(pair.upper);
        const auto lower = runner_of(pair.lower);
        if (upper == runners.end() || lower == runners.end()) continue;
        pair.ratios.clear();
        for (int k = 0; k < repeats; ++k) {
            double upper_time = 0;
            if (k % 2 == 0) upper_time = take_sample(*upper, machine, cold, threads);
            const double lower_time = take_sample(*lower, machine, cold, threads);
            if (k % 2 != 0) upper_time = take_sample(*upper, machine, cold, threads);
            pair.ratios.push_back(lower_time / upper_time);
        }
    }
}

std::vector<Entry> all_entries(const Tensors& tensors, const Variants& variants,
                               std::vector<OpenPeer>& peers, Helpers& helpers) {
    std::vector<Entry> entries = our_contenders(tensors, variants);
    helpers.place_new();
    const auto add = [&](std::vector<Entry> more) {
        entries.insert(entries.end(), std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
        helpers.place_new();
    };
    for (OpenPeer& peer : peers) {
        if (tensors.workload->clamps() && !peer.peer->clamps()) {
            entries.push_back({peer.name, Kind::peer, nullptr, "it clamps no index"});
            continue;
        }
        add(peer.peer->prepare(tensors));
    }
    add(plain_contenders(tensors));
    return entries;
}

}  // namespace

Tensors tensors_of(const Workload& workload, Buffers& buffers, int threads) {
    return {&workload,
            buffers.data.data(),
            buffers.data.size(),
            buffers.indices.data(),
            buffers.indices.size(),
            buffers.output.data(),
            buffers.output.size(),
            threads};
}

std::string compute_expected(const Workload& workload, Buffers& buffers) {
    buffers.expected = Buffer(buffers.output.size());
    if (!run_plain_loop(workload, buffers.data.data(), buffers.indices.data(),
                        buffers.expected.data())) {
        return "an index is out of bounds";
    }
    if (*element_count(workload.output.shape) > most_elements_for_reference) return {};
    const auto done = reference::run(call_of(workload, buffers.data.data(), buffers.indices.data()),
                                     buffers.output.bytes());
    if (!done) return to_string(done.error());
    if (!std::ranges::equal(buffers.output.bytes(), buffers.expected.bytes())) {
        return "the plain loop and the reference differ: " +
               difference(buffers.expected.bytes(), buffers.output.bytes());
    }
    return {};
}

std::string judge(Contender& contender, Buffers& buffers, State& state) {
    // Neither what was there before nor a right answer: the complement of the expected bytes.
    const std::size_t size = buffers.output.size();
    for (std::size_t k = 0; k < size; ++k) {
        buffers.output.data()[k] = ~buffers.expected.data()[k];
    }
    if (std::string why = contender.run(); !why.empty()) {
        state = State::failed;
        return why;
    }
    if (std::memcmp(buffers.output.data(), buffers.expected.data(), size) != 0) {
        state = State::wrong;
        return difference(buffers.output.bytes(), buffers.expected.bytes());
    }
    return {};
}

std::variant<WorkloadResult, std::string> measure(const Workload& workload,
                                                  const Settings& settings,
                                                  const MachineFacts& machine,
                                                  const std::vector<int>& cpus,
                                                  std::vector<OpenPeer>& peers) {
    try {
        Buffers buffers(workload);
        if (std::string why = compute_expected(workload, buffers); !why.empty()) return why;
        const bool cold = settings.cold || workload.cold;

        WorkloadResult result{workload, static_cast<std::int64_t>(buffers.output.size()), {}, {}};
        confine(0, cpus);  // threads that are started from here on may use all of them
        const Tensors tensors = tensors_of(result.workload, buffers, settings.threads);
        Helpers helpers(cpus);
        std::vector<Entry> entries = all_entries(tensors, settings.variants, peers, helpers);
        result.measured.reserve(entries.size());
        std::vector<Runner> runners;
        for (const Entry& entry : entries) {
            Measured& measured = result.measured.emplace_back();
            measured.name = entry.name;
            measured.kind = entry.kind;
            if (entry.contender == nullptr) {
                measured.state = State::unsupported;
                measured.why = entry.unsupported;
                continue;
            }
            if (!gives_answer(entry.kind)) {
                measured.why = entry.contender->run();  // it writes other bytes
            } else {
                measured.why = judge(*entry.contender, buffers, measured.state);
            }
            helpers.place_new();
            if (!measured.why.empty()) continue;
            Runner& runner = runners.emplace_back(Runner{entry.contender.get(), &measured});
            if (!cold) calibrate(runner, settings.sample_seconds);
        }

        if (cpus.size() > 1) confine(0, {cpus.front()});
        std::vector<std::size_t> order(runners.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        Random random(workload.seed);
        for (int round = 0; round < settings.rounds; ++round) {
            helpers.free_late();
            shuffle(order, random);
            for (const std::size_t turn : order) {
                runners[turn].measured->samples.push_back(
                    take_sample(runners[turn], machine, cold, settings.threads));
            }
        }
        if (settings.variants.targets) {
            result.pairs = row_pairs(result.measured, our_instruction_sets());
            repeat_pairs(result.pairs, runners, machine, cold, settings.threads);
        }
        for (const Runner& runner : runners) {
            if (!gives_answer(runner.measured->kind)) continue;
            Measured& measured = *runner.measured;
            measured.why = judge(*runner.contender, buffers, measured.state);
            if (!measured.why.empty()) measured.why += " (after it had been timed)";
        }
        confine(0, cpus);
        return result;
    } catch (const std::bad_alloc&) {
        return "there is not enough memory: it needs " +
               bytes_text(*byte_size(workload.data) + *byte_size(workload.indices) +
                          3 * *byte_size(workload.output));
    }
}

}  // namespace gathercheck::bench
