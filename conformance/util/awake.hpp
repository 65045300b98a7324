// SPDX-License-Identifier: Apache-2.0
// How long both ends of a pipe look for what comes before they sleep.
#pragma once

#include <chrono>

namespace gathercheck {

/// A CPU that falls asleep takes longer to wake up than most calls take.
inline constexpr std::chrono::microseconds time_awake{100};

}  // namespace gathercheck
