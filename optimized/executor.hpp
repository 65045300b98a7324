// SPDX-License-Identifier: Apache-2.0
// Who runs a large call: an arena of oneTBB, or the caller's own threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace gathercheck::optimized {

/// Threads that take the parts of a call. A caller with threads of its own derives
/// from it; others take one from make_executor. One executor may serve calls from
/// several threads at once if its `run` may be called so; those of make_executor and
/// make_arena_executor may.
class Executor {
public:
    /// One of `count` jobs: job(context, k). It throws nothing, waits for no other
    /// job, and takes up to 128 KiB of stack.
    using Job = void (*)(void* context, int k);

    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// The most jobs that can run at the same time, the calling thread's included; at
    /// least 1.
    virtual int threads() const = 0;

    /// Calls job(context, k) for each k from 0 to count - 1 once, on any threads and
    /// in any order, and returns when all of them have returned; what they wrote is
    /// then visible to the caller. count is at most threads(). Late threads cost
    /// little: a job that finds no work left returns at once. What `run` throws
    /// reaches the caller of the gather, whose output is unspecified then.
    virtual void run(int count, Job job, void* context) = 0;

    /// Nanoseconds that a call of `run` would take now before a second thread is at
    /// work and until it is done again. Asked by calls that could be worth it, of about
    /// `work` nanoseconds on one thread. Found out at the first one, in a few
    /// milliseconds; the environment variable GATHERCHECK_WAKE_COST, in nanoseconds,
    /// overrides it.
    virtual std::int64_t wake_cost(std::int64_t work);

private:
    std::atomic<std::int64_t> wake_cost_{-1};  // not known yet
};

/// Whether this build has oneTBB. Without it the executors below have one thread.
bool has_tbb();

/// An arena of its own with so many threads, the calling one included; not more than
/// oneTBB's limit, which is the number of CPUs that the process may use unless a
/// tbb::global_control says otherwise.
///
/// A thread that has helped spins for `spin_time` nanoseconds, so that a call that follows need not
/// wake it: that takes longer than many a gather. In that time it does nothing for others, also not
/// for other arenas of oneTBB, of which it is a worker: keep it short. 0: it does not spin. The
/// environment variable GATHERCHECK_SPIN_TIME overrides it (deprecated: GATHERCHECK_STAND_BY). In a
/// child process that was forked after the first one was made all run their jobs on the calling
/// thread, since oneTBB does not survive a fork. The end of the executor waits until its threads
/// have left it, which they do at once.
std::unique_ptr<Executor> make_executor(int threads, std::int64_t spin_time = 100'000);

/// Whatever arena the calling thread is in at each call, with as many threads as that
/// allows: for callers that arrange oneTBB's threads themselves.
std::unique_ptr<Executor> make_arena_executor();

}  // namespace gathercheck::optimized
