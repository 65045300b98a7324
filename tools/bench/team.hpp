// SPDX-License-Identifier: Apache-2.0
// A fixed team of threads for the plain loops and the copies.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace gathercheck::bench {

/// The calling thread and `threads - 1` helpers, which wait spinning for a short while and then
/// asleep. One job at a time.
class Team {
public:
    explicit Team(int threads);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team();

    int size() const { return static_cast<int>(helpers_.size()) + 1; }

    /// Calls job(k) for k = 0 .. size() - 1, each on a thread of its own, and waits for all.
    void run(const std::function<void(int)>& job);

    /// Share k of [0, count): its first and the one behind its last.
    static std::pair<std::int64_t, std::int64_t> share(std::int64_t count, int k, int of) {
        return {count * k / of, count * (k + 1) / of};
    }

private:
    void help(int k);

    const std::function<void(int)>* job_ = nullptr;
    std::atomic<std::uint32_t> started_{0};
    std::atomic<std::uint32_t> left_{0};
    std::atomic<bool> over_{false};
    std::vector<std::thread> helpers_;
};

}  // namespace gathercheck::bench
