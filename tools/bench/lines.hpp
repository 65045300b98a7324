// SPDX-License-Identifier: Apache-2.0
// What no gather does without where caches do not hold its tensors: each line comes and goes once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/bench/contender.hpp"
#include "tools/bench/team.hpp"

namespace gathercheck::bench {

/// Bytes of the lines of data that a workload's picks touch, each line counted once, where data
/// begins with a line. Precondition: no index is out of bounds.
std::int64_t picked_bytes(const Workload& workload, const std::byte* indices);

/// "lines" and "streaming lines": read the indices, and as many bytes of data as picks touch, and
/// write the output, all in order, some of each at a time. None where a cache of that size, a level
/// 2 cache, holds all of it: there the moves themselves take longer.
std::vector<Entry> lines_contenders(const Tensors& tensors, const std::shared_ptr<Team>& team,
                                    std::int64_t cache_bytes);

}  // namespace gathercheck::bench
