// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/interruption.hpp"

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace gathercheck {
namespace {

/// Set by a signal; read by all threads that ask.
std::atomic<bool> interruption{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void watch_for_interruption() {
    interruption = false;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction current{};
        if (sigaction(number, nullptr, &current) != 0 || current.sa_handler == SIG_IGN) continue;
        struct sigaction action{};
        action.sa_handler = [](int) { interruption = true; };
        action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
        sigaction(number, &action, nullptr);
    }
}

bool is_interrupted() { return interruption; }

}  // namespace gathercheck
