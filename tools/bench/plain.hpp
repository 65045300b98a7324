// SPDX-License-Identifier: Apache-2.0
// The measures that need no engine: a plain checked loop, a memcpy for each row, and the bound of
// copying the output.
#pragma once

#include <vector>

#include "tools/bench/contender.hpp"

namespace gathercheck::bench {

/// "plain loop"; "memcpy per row" (not for GatherElements, which has no rows); "copy" and
/// "streaming copy" of as many bytes as the output has; "lines" and "streaming lines" (lines.hpp).
/// All of them with the tensors' threads.
std::vector<Entry> plain_contenders(const Tensors& tensors);

/// The plain loop, once, on one thread. False where an index is out of bounds.
bool run_plain_loop(const Workload& workload, const std::byte* data, const std::byte* indices,
                    std::byte* output);

}  // namespace gathercheck::bench
