// SPDX-License-Identifier: Apache-2.0
// A generator whose sequence is the same everywhere (splitmix64).
#pragma once

#include <cstddef>
#include <cstdint>

namespace gathercheck::fuzz {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
        return z ^ z >> 31U;
    }
    /// From 0 to bound - 1.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

private:
    std::uint64_t state_;
};

}  // namespace gathercheck::fuzz
