// SPDX-License-Identifier: Apache-2.0
// The dialects of a run of the command: the shipped ones and those of --dialect.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/dialect/dialect.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// Declares the operator versions of the shipped dialects, where the shipped data is found, and of
/// these files behind them; what is wrong with them. The first call decides; not thread-safe: at
/// the start.
std::vector<Problem> declare_dialects(const std::vector<std::string>& files = {});

/// Those that were declared, the shipped ones first.
std::span<const Dialect> declared_dialects();

/// Those of --dialect.
std::span<const Dialect> own_dialects();

/// "--dialect FILE " for each of these, for a command that is told to a user.
std::string dialect_options();

}  // namespace gathercheck
