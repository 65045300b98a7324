// SPDX-License-Identifier: Apache-2.0
// Executors of oneTBB, and what it costs to wake an executor's threads.
#include "optimized/executor.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __unix__
#include <pthread.h>
#endif

#if GATHERCHECK_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#endif

#include "optimized/tuning.hpp"

namespace gathercheck::optimized {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t nanoseconds_since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// As long as an operator of a running model keeps from gathering.
constexpr std::int64_t usual_pause = 20'000;

/// Of a thread that is awake, where it cannot be measured.
constexpr std::int64_t usual_spinning_cost = 250;
constexpr std::int64_t longest_spinning_cost = 5'000;

/// Until a thread of oneTBB that has no work sleeps.
constexpr std::int64_t until_asleep = 400'000;

/// A thread that has not come by then is on a CPU that does something else.
constexpr std::int64_t patience = 100'000;

/// A thread that does not exist yet has to be made first.
constexpr std::int64_t patience_at_first = 5'000'000;

/// Two jobs of which neither returns before the other has begun, unless patience ends.
struct Rendezvous {
    std::int64_t patience;
    bool lets_others_run;
    Clock::time_point start = Clock::now();
    std::atomic<int> arrived{0};

    static void serve(void* context, int) {
        auto& rendezvous = *static_cast<Rendezvous*>(context);
        rendezvous.arrived.fetch_add(1);
        while (rendezvous.arrived.load() < 2 &&
               nanoseconds_since(rendezvous.start) < rendezvous.patience) {
            if (rendezvous.lets_others_run) std::this_thread::yield();
        }
    }
};

/// What it costs where the call before was so long ago. Whatever else the CPUs are doing only
/// makes it longer; the very shortest may have been luck.
std::int64_t measure_wake_cost(Executor& executor, std::int64_t pause, int samples_wanted) {
    Rendezvous first{patience_at_first, true};
    executor.run(2, Rendezvous::serve, &first);
    std::vector<std::int64_t> samples(static_cast<std::size_t>(samples_wanted));
    for (std::int64_t& sample : samples) {
        const auto before = Clock::now();
        while (nanoseconds_since(before) < pause) {
        }
        Rendezvous rendezvous{patience, false};
        executor.run(2, Rendezvous::serve, &rendezvous);
        sample = nanoseconds_since(rendezvous.start);
    }
    std::ranges::sort(samples);
    return samples[samples.size() / 4];
}

#if GATHERCHECK_TBB

/// Isolated: a thread that waits here takes no task of anybody else's, which might
/// take long or wait for this one.
void run_in_this_arena(int count, Executor::Job job, void* context) {
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(0, count, 1, [&](int k) { job(context, k); }, tbb::static_partitioner());
    });
}

/// Whether this process is a fork of one that had watched for it, or a fork of such a one: what
/// it has of oneTBB may wait for ever for threads that only its parent has.
std::atomic<bool> is_forked{false};

void watch_for_forks() {
#ifdef __unix__
    static const int watching = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
    static_cast<void>(watching);
#endif
}

/// Lets the other thread of a core work, and the memory of a waiting loop rest.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// The number of the CPU that this thread is on; -1 where the system does not tell.
int this_cpu() {
#ifdef __linux__
    return sched_getcpu();
#else
    return -1;
#endif
}

/// Takes this thread to another one of the CPUs that it may use, if there is one. Some systems
/// wake a thread on the CPU of its waker and leave it there, where it has to wait.
void move_from(int cpu) {
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<std::size_t>(cpu), &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
    sched_setaffinity(0, sizeof allowed, &allowed);
#else
    static_cast<void>(cpu);
#endif
}

/// A call: job 0 is its own thread's, each other one is offered to a helper.
struct Call {
    Executor::Job job = nullptr;
    void* context = nullptr;
    std::atomic<int> helped{0};  ///< helpers that will not look at it again
};

/// Where threads of an arena spin until a call comes, one in each place. A thread that is not there
/// is woken and comes when it can; no call waits for it.
class Helpers {
public:
    Helpers(int threads, std::int64_t spin_time)
        : places_(static_cast<std::size_t>(threads - 1)), spin_time_(spin_time), arena_(threads) {}

    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;

    /// Waits until nobody is there. Who is woken and has not come need not: this thread
    /// comes for them.
    ~Helpers() {
        spin_time_ = 0;
        if (arena_.is_active()) arena_.execute([this] { enqueued_.wait(); });
    }

    bool any_spinning() const {
        return std::ranges::any_of(places_, [](const Place& place) {
            return place.state.load(std::memory_order_relaxed) == &spinning;
        });
    }

    /// Has all jobs of a call done.
    void run(Call& call, int count) {
        if (count <= 0) return;
        const int cpu = this_cpu();
        int offered = 1;
        for (Call* state : {&spinning, &coming, &away}) {
            for (Place& place : places_) {
                if (offered == count || !hold(place, *state)) continue;
                if (state == &away && !wake(place)) continue;
                place.cpu.store(cpu, std::memory_order_relaxed);
                place.job = offered++;
                place.state = &call;
            }
        }
        call.job(call.context, 0);
        int helpers = offered - 1;
        for (Place& place : places_) {
            if (helpers == 0) break;
            // Nobody else has this call's places: what is not withdrawn was accepted.
            if (!hold(place, call)) continue;
            const int job = place.job;
            place.state = &coming;
            --helpers;
            call.job(call.context, job);
        }
        for (int k = offered; k < count; ++k) call.job(call.context, k);
        for (int looks = 0; call.helped.load(std::memory_order_acquire) < helpers; ++looks) {
            constexpr int patient_looks = 1000;
            if (looks < patient_looks) {
                relax();
            } else {
                std::this_thread::yield();  // the helper may have lost its CPU
            }
        }
    }

    /// From now on; 0: whoever has nothing to do leaves.
    void spin_time(std::int64_t nanoseconds) { spin_time_ = nanoseconds; }

private:
    // What the state of a place is other than the call that is offered there.
    static inline Call away;      ///< nobody is there
    static inline Call coming;    ///< somebody is woken, or there and about to say so
    static inline Call spinning;  ///< somebody waits there
    static inline Call busy;      ///< whoever is there does a job
    static inline Call held;      ///< a caller is about to change it

    struct alignas(64) Place {
        std::atomic<Call*> state{&away};
        // Of the call that is offered; the holder's to write.
        int job = 0;
        std::atomic<int> cpu{-1};  ///< where the caller is
    };

    static bool hold(Place& place, Call& state) {
        Call* expected = &state;
        return place.state.load(std::memory_order_relaxed) == expected &&
               place.state.compare_exchange_strong(expected, &held);
    }

    /// Has somebody come to a place that is held. Else, which takes that there is no memory
    /// for a task, the place is away again.
    bool wake(Place& place) {
        try {
            arena_.enqueue(enqueued_.defer([this, &place] { serve(place); }));
            return true;
        } catch (...) {
            place.state = &away;
            return false;
        }
    }

    /// A thread at its place, until no call has come for a while.
    void serve(Place& place) {
        constexpr int looks_between_yields = 64;
        Clock::time_point since = Clock::now();
        for (int looks = 1;; ++looks) {
            Call* seen = place.state.load(std::memory_order_acquire);
            if (seen == &coming) {
                place.state.compare_exchange_strong(seen, &spinning);
            } else if (seen != &spinning && seen != &held) {
                const int cpu = place.cpu.load(std::memory_order_relaxed);
                if (cpu >= 0 && cpu == this_cpu()) move_from(cpu);
                if (!place.state.compare_exchange_strong(seen, &busy)) continue;
                seen->job(seen->context, place.job);
                place.state = &spinning;
                seen->helped.fetch_add(1, std::memory_order_release);
                since = Clock::now();
            } else if (seen == &held || (nanoseconds_since(since) < spin_time_)) {
                if (looks % looks_between_yields == 0) {
                    std::this_thread::yield();  // to a caller that has to share this CPU
                } else {
                    relax();
                }
            } else if (place.state.compare_exchange_strong(seen, &away)) {
                return;
            }
        }
    }

    std::vector<Place> places_;
    std::atomic<std::int64_t> spin_time_;
    tbb::task_arena arena_;
    // Not bound to the task that happens to make the first call, which ends before this does.
    tbb::task_group_context alone_{tbb::task_group_context::isolated};
    tbb::task_group enqueued_{alone_};
};

class OwnArena final : public Executor {
public:
    OwnArena(int threads, std::int64_t spin_time)
        : threads_(threads),
          spin_time_(spin_time),
          helpers_(std::make_unique<Helpers>(threads, spin_time)),
          given_(wake_cost_of_environment()) {
        watch_for_forks();
    }

    OwnArena(const OwnArena&) = delete;
    OwnArena& operator=(const OwnArena&) = delete;
    ~OwnArena() override {
        if (is_forked) static_cast<void>(helpers_.release());
    }

    int threads() const override { return threads_; }

    void run(int count, Job job, void* context) override {
        if (is_forked) {
            for (int k = 0; k < count; ++k) job(context, k);
        } else {
            Call call{job, context};
            helpers_->run(call, count);
        }
    }

    /// Where calls follow one another, a helper that does not spin for this one will do so
    /// for the next.
    std::int64_t wake_cost(std::int64_t work) override {
        if (given_ >= 0) return given_;
        const bool spinning = helpers_->any_spinning();
        const std::int64_t now = nanoseconds_since(made_);
        const std::int64_t before = busy_until_.exchange(now + work, std::memory_order_relaxed);
        std::call_once(measured_, [this] { measure(); });
        return spinning || now - before < spin_time_ ? spinning_cost_ : sleeping_cost_;
    }

private:
    void measure() {
        helpers_->spin_time(0);
        sleeping_cost_ = measure_wake_cost(*this, until_asleep, 5);
        helpers_->spin_time(spin_time_);
        if (spin_time_ == 0) return;
        const std::int64_t cost = measure_wake_cost(*this, 0, 64);
        // Longer ones shared a CPU with the caller at that time, and will not stay there.
        if (cost < longest_spinning_cost) spinning_cost_ = cost;
    }

    const int threads_;
    const std::int64_t spin_time_;
    std::unique_ptr<Helpers> helpers_;
    const std::int64_t given_;  // -1: nothing
    const Clock::time_point made_ = Clock::now();
    std::once_flag measured_;
    std::int64_t spinning_cost_ = usual_spinning_cost;
    std::int64_t sleeping_cost_ = 0;
    std::atomic<std::int64_t> busy_until_{std::numeric_limits<std::int64_t>::min() / 2};
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

std::int64_t Executor::wake_cost(std::int64_t) {
    std::int64_t cost = wake_cost_.load(std::memory_order_relaxed);
    if (cost >= 0) return cost;
    cost = wake_cost_of_environment();
    if (cost < 0) cost = measure_wake_cost(*this, usual_pause, 9);
    wake_cost_.store(cost, std::memory_order_relaxed);
    return cost;
}

#if GATHERCHECK_TBB

bool has_tbb() { return true; }

std::unique_ptr<Executor> make_executor(int threads, std::int64_t spin_time) {
    const std::int64_t given = spin_time_of_environment();
    return std::make_unique<OwnArena>(std::clamp(threads, 1, most_threads()),
                                      std::max(given >= 0 ? given : spin_time, std::int64_t{0}));
}

std::unique_ptr<Executor> make_arena_executor() { return std::make_unique<CallersArena>(); }

#else

bool has_tbb() { return false; }

std::unique_ptr<Executor> make_executor(int, std::int64_t) { return std::make_unique<OneThread>(); }

std::unique_ptr<Executor> make_arena_executor() { return std::make_unique<OneThread>(); }

#endif

}  // namespace gathercheck::optimized
