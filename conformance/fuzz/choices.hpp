// SPDX-License-Identifier: Apache-2.0
// Choices: the numbers that decide what a generated call is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gathercheck {

/// A sequence of choices, made one after the other by what decodes them: new ones at random, or
/// those of a sequence or of bytes again. Of each, 0 is the simplest; after the end of a sequence
/// all are 0. So any sequence decodes to something, and a shorter one, or one of smaller numbers,
/// to something simpler.
class Choices {
public:
    using Sequence = std::vector<std::uint64_t>;

    /// New choices; the same for the same seed, on every machine.
    static Choices of_seed(std::uint64_t seed);
    /// Choices that were made before; one that is beyond its bound is the last below it.
    static Choices of_sequence(Sequence sequence);
    /// Each choice takes as many bytes as its bound needs, the low one first. Borrows them.
    static Choices of_bytes(std::span<const std::byte> bytes);

    /// One of [0, bound - 1]. Precondition: bound > 0.
    std::uint64_t below(std::uint64_t bound);
    /// True once in n times; false is the simple choice.
    bool one_in(std::uint64_t n) { return below(n) == n - 1; }
    template <class T>
    const T& one_of(std::span<const T> several) {
        return several[static_cast<std::size_t>(below(several.size()))];
    }

    /// All choices so far.
    const Sequence& made() const { return made_; }
    /// The bytes of which of_bytes() makes them again.
    std::vector<std::byte> as_bytes() const;

private:
    enum class Source : std::uint8_t { random, sequence, bytes };

    explicit Choices(Source source) : source_(source) {}
    std::uint64_t next(std::uint64_t bound);

    Source source_;
    std::uint64_t state_ = 0;
    Sequence sequence_;
    std::span<const std::byte> bytes_;
    Sequence made_;
    Sequence bounds_;  ///< of the choices made
};

/// The seed of one call of many: calls of different numbers have nothing to do with each other.
std::uint64_t seed_of_call(std::uint64_t seed, std::uint64_t number);

}  // namespace gathercheck
