// SPDX-License-Identifier: Apache-2.0
// Mutants: implementations with one planted bug each, which the hand-written cases must catch.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/model/implementation.hpp"

namespace gathercheck {

/// An implementation that is right but for one idea.
struct Mutant {
    std::string name;              ///< "index-clamped"
    std::string theme;             ///< "bounds"
    std::string idea;              ///< what it does wrong, as a statement
    BuiltIn built_in;              ///< claims the versions that the idea is about
    bool in_large_calls = false;   ///< a bug of counters: is asked large calls only
    bool in_each_version = false;  ///< must be caught in each of them, not only in one
};

/// Every mutant, theme by theme.
std::span<const Mutant> mutants();

/// The implementation that the mutants are made of, without a bug: every case must pass on it.
const Mutant& unchanged();

}  // namespace gathercheck
