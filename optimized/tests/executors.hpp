// SPDX-License-Identifier: Apache-2.0
// Executors for tests: jobs in turn, and jobs on threads of their own.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "optimized/executor.hpp"

namespace gathercheck::optimized::test {

/// Runs jobs one after the other on the calling thread, the last one first.
class InTurn final : public Executor {
public:
    explicit InTurn(int threads) : threads_(threads) {}

    int threads() const override { return threads_; }

    void run(int count, Job job, void* context) override {
        ++runs;
        for (int k = count - 1; k >= 0; --k) job(context, k);
    }

    int runs = 0;

private:
    int threads_;
};

/// Starts a thread for each job but the first.
class Starting final : public Executor {
public:
    explicit Starting(int threads) : threads_(threads) {}

    int threads() const override { return threads_; }

    void run(int count, Job job, void* context) override {
        ++runs;
        std::vector<std::thread> helpers;
        for (int k = 1; k < count; ++k) helpers.emplace_back(job, context, k);
        job(context, 0);
        for (std::thread& helper : helpers) helper.join();
    }

    std::atomic<int> runs = 0;

private:
    int threads_;
};

}  // namespace gathercheck::optimized::test
