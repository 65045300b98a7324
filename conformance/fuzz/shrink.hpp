// SPDX-License-Identifier: Apache-2.0
// Shrinking: from choices that show something to simpler ones that show it too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "conformance/fuzz/choices.hpp"

namespace gathercheck {

/// What came of a candidate: nothing where it does not show it; else the choices that its decoding
/// made, which may be fewer.
using Shows = std::function<std::optional<Choices::Sequence>(const Choices::Sequence& candidate)>;

/// The simplest choices found that `shows` still takes: shorter ones first, then smaller numbers
/// from the front. It is asked at most `attempts` times; what it finds depends on nothing else.
Choices::Sequence shrink(Choices::Sequence from, int attempts, const Shows& shows);

/// As few of some numbered calls as are found, in their order, of which `shows` is true still. It
/// is asked at most `attempts` times. Precondition: it is true of all.
std::vector<std::uint64_t> needed_of(
    std::vector<std::uint64_t> calls, int attempts,
    const std::function<bool(std::span<const std::uint64_t>)>& shows);

/// Whether one sequence is simpler than another.
bool is_simpler(const Choices::Sequence& a, const Choices::Sequence& b);

}  // namespace gathercheck
