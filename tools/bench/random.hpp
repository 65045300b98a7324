// SPDX-License-Identifier: Apache-2.0
// A small generator of numbers that are the same everywhere for the same seed.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gathercheck::bench {

/// splitmix64.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// In [0, 1).
    double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    /// In [0, n - 1].
    std::int64_t below(std::int64_t n) {
        return std::min(static_cast<std::int64_t>(share() * static_cast<double>(n)), n - 1);
    }

private:
    std::uint64_t state_;
};

}  // namespace gathercheck::bench
