// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/interruption.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <initializer_list>

namespace gathercheck {
namespace {

/// Set by a signal; read by all threads that ask.
std::atomic<bool> interruption{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// When the first signal came, by the steady clock; 0: none did.
std::atomic<std::int64_t> milliseconds_of_first{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Signals within this are one: timeout and terminals signal a process, and then its whole group.
constexpr std::int64_t milliseconds_together = 1000;

void on_signal(int number) {
    const std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count();
    std::int64_t first = 0;
    if (milliseconds_of_first.compare_exchange_strong(first, now)) {
        interruption = true;
    } else if (now - first >= milliseconds_together) {
        std::signal(number, SIG_DFL);
        std::raise(number);  // it comes as soon as this returns
    }
}

}  // namespace

void watch_for_interruption() {
    interruption = false;
    milliseconds_of_first = 0;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction current{};
        if (sigaction(number, nullptr, &current) != 0 || current.sa_handler == SIG_IGN) continue;
        struct sigaction action{};
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigaction(number, &action, nullptr);
    }
}

bool is_interrupted() { return interruption; }

}  // namespace gathercheck
