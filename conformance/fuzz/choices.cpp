// SPDX-License-Identifier: Apache-2.0
// Random numbers by splitmix64: small, good enough, and the same on every machine.
#include "conformance/fuzz/choices.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace gathercheck {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

std::size_t bytes_for(std::uint64_t bound) {
    return (static_cast<std::size_t>(std::bit_width(bound - 1)) + 7) / 8;
}

}  // namespace

Choices Choices::of_seed(std::uint64_t seed) {
    Choices choices(Source::random);
    choices.state_ = seed;
    return choices;
}

Choices Choices::of_sequence(Sequence sequence) {
    Choices choices(Source::sequence);
    choices.sequence_ = std::move(sequence);
    return choices;
}

Choices Choices::of_bytes(std::span<const std::byte> bytes) {
    Choices choices(Source::bytes);
    choices.bytes_ = bytes;
    return choices;
}

std::uint64_t Choices::below(std::uint64_t bound) {
    assert(bound > 0);
    const std::uint64_t choice = bound == 1 ? 0 : next(bound);
    made_.push_back(choice);
    bounds_.push_back(bound);
    return choice;
}

std::uint64_t Choices::next(std::uint64_t bound) {
    switch (source_) {
        case Source::random:
            return splitmix(state_) % bound;
        case Source::sequence:
            return made_.size() < sequence_.size() ? std::min(sequence_[made_.size()], bound - 1)
                                                   : 0;
        case Source::bytes:
            break;
    }
    const std::size_t count = std::min(bytes_for(bound), bytes_.size());
    std::uint64_t choice = 0;
    for (std::size_t k = 0; k < count; ++k) {
        choice |= std::to_integer<std::uint64_t>(bytes_[k]) << (8 * k);
    }
    bytes_ = bytes_.subspan(count);
    return choice % bound;
}

std::uint64_t seed_of_call(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t state = seed;
    const std::uint64_t of_seed = splitmix(state);
    state = of_seed ^ number;
    return splitmix(state);
}

std::vector<std::byte> Choices::as_bytes() const {
    std::vector<std::byte> bytes;
    for (std::size_t c = 0; c < made_.size(); ++c) {
        for (std::size_t k = 0; k < bytes_for(bounds_[c]); ++k) {
            bytes.push_back(static_cast<std::byte>(made_[c] >> (8 * k)));
        }
    }
    return bytes;
}

}  // namespace gathercheck
