// SPDX-License-Identifier: Apache-2.0
// Threads that wait for jobs.
#include "tools/bench/team.hpp"

#include <chrono>

namespace gathercheck::bench {
namespace {

constexpr std::chrono::microseconds patience{200};

/// Returns once `value` is no longer `old`.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (value.load(std::memory_order_acquire) == old) {
        if (std::chrono::steady_clock::now() < until) continue;
        value.wait(old, std::memory_order_acquire);
    }
}

}  // namespace

Team::Team(int threads) {
    for (int k = 1; k < threads; ++k) helpers_.emplace_back([this, k] { help(k); });
}

Team::~Team() {
    over_.store(true);
    started_.fetch_add(1, std::memory_order_release);
    started_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
}

void Team::run(const std::function<void(int)>& job) {
    if (!helpers_.empty()) {
        job_ = &job;
        left_.store(static_cast<std::uint32_t>(helpers_.size()), std::memory_order_relaxed);
        started_.fetch_add(1, std::memory_order_release);
        started_.notify_all();
    }
    job(0);
    for (;;) {
        const std::uint32_t left = left_.load(std::memory_order_acquire);
        if (left == 0) return;
        wait_for_change(left_, left);
    }
}

void Team::help(int k) {
    for (std::uint32_t seen = 0;; ++seen) {
        wait_for_change(started_, seen);
        if (over_.load()) return;
        (*job_)(k);
        if (left_.fetch_sub(1, std::memory_order_release) == 1) left_.notify_all();
    }
}

}  // namespace gathercheck::bench
