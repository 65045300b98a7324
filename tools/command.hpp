// SPDX-License-Identifier: Apache-2.0
// The whole gathercheck command as a function, for programs that bring in-process implementations
// of their own.
#pragma once

#include <vector>

#include "conformance/model/implementation.hpp"

namespace gathercheck {

/// Runs the command line and returns the exit code. `more` are known by their names beside the
/// shipped ones: `run --implementation NAME`. Prints to stdout and stderr; call it once, from main,
/// before any thread.
int command(int argc, char** argv, std::vector<BuiltIn> more = {});

}  // namespace gathercheck
