// SPDX-License-Identifier: Apache-2.0
// Executors of oneTBB, and what it costs to wake an executor's threads.
#include "optimized/threads.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

#if GATHERCHECK_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace gathercheck::optimized {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t nanoseconds_since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// As long as an operator of a running model keeps from gathering.
constexpr std::int64_t pause = 20'000;

/// A thread that has not come by then is on a CPU that does something else.
constexpr std::int64_t patience = 100'000;

/// Two jobs of which neither returns alone, unless patience ends.
struct Meeting {
    Clock::time_point start = Clock::now();
    std::atomic<int> arrived{0};

    static void attend(void* context, int) {
        auto& meeting = *static_cast<Meeting*>(context);
        meeting.arrived.fetch_add(1);
        while (meeting.arrived.load() < 2 && nanoseconds_since(meeting.start) < patience) {
        }
    }
};

std::int64_t measure_wake_cost(Executor& executor) {
    std::array<std::int64_t, 9> samples{};
    for (std::int64_t& sample : samples) {
        const auto before = Clock::now();
        while (nanoseconds_since(before) < pause) {
        }
        Meeting meeting;
        executor.run(2, Meeting::attend, &meeting);
        sample = nanoseconds_since(meeting.start);
    }
    // Whatever else the CPUs are doing only makes it longer; the very shortest may
    // have been luck.
    std::ranges::sort(samples);
    return samples[samples.size() / 4];
}

std::int64_t wake_cost_of_environment() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here sets it
    const char* text = std::getenv("GATHERCHECK_WAKE_COST");
    if (text == nullptr) return -1;
    std::int64_t number = -1;
    std::from_chars(text, text + std::strlen(text), number);
    return number;
}

#if GATHERCHECK_TBB

/// Isolated: a thread that waits here takes no task of anybody else's, which might
/// take long or wait for this one.
void run_in_this_arena(int count, Executor::Job job, void* context) {
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            0, count, 1, [&](int k) { job(context, k); }, tbb::static_partitioner());
    });
}

class OwnArena final : public Executor {
public:
    explicit OwnArena(int threads) : arena_(threads) {}

    int threads() const override { return arena_.max_concurrency(); }

    void run(int count, Job job, void* context) override {
        arena_.execute([&] { run_in_this_arena(count, job, context); });
    }

private:
    tbb::task_arena arena_;
};

class CallersArena final : public Executor {
public:
    int threads() const override { return tbb::this_task_arena::max_concurrency(); }

    void run(int count, Job job, void* context) override { run_in_this_arena(count, job, context); }
};

int most_threads() {
    return static_cast<int>(
        tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

#else

class OneThread final : public Executor {
public:
    int threads() const override { return 1; }

    void run(int count, Job job, void* context) override {
        for (int k = 0; k < count; ++k) job(context, k);
    }
};

#endif

}  // namespace

std::int64_t Executor::wake_cost() {
    std::int64_t cost = wake_cost_.load(std::memory_order_relaxed);
    if (cost >= 0) return cost;
    cost = wake_cost_of_environment();
    if (cost < 0) cost = measure_wake_cost(*this);
    wake_cost_.store(cost, std::memory_order_relaxed);
    return cost;
}

#if GATHERCHECK_TBB

bool has_tbb() { return true; }

std::unique_ptr<Executor> make_executor(int threads) {
    return std::make_unique<OwnArena>(std::clamp(threads, 1, most_threads()));
}

std::unique_ptr<Executor> make_arena_executor() { return std::make_unique<CallersArena>(); }

#else

bool has_tbb() { return false; }

std::unique_ptr<Executor> make_executor(int) { return std::make_unique<OneThread>(); }

std::unique_ptr<Executor> make_arena_executor() { return std::make_unique<OneThread>(); }

#endif

}  // namespace gathercheck::optimized
