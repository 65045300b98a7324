// SPDX-License-Identifier: Apache-2.0
// Mutations of texts: JSON, lines of it, and what is hostile in them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/fuzz/random.hpp"

namespace gathercheck::fuzz {

inline constexpr std::size_t largest_input = std::size_t{4} << 20;

/// One change of a text; values that stand elsewhere come from the seeds, of which there is one at
/// least.
void mutate_once(std::string& text, Random& random, const std::vector<std::string>& seeds);

/// One of the seeds with a few changes.
std::string mutate_text(Random& random, const std::vector<std::string>& seeds);

}  // namespace gathercheck::fuzz
