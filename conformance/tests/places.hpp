// SPDX-License-Identifier: Apache-2.0
// For tests: where the source tree is, and the program that plays a worker.
#pragma once

#include <filesystem>
#include <string>

namespace gathercheck::fixture {

/// The root of the source tree.
std::filesystem::path source_tree();

/// The folder of the shipped data.
inline std::filesystem::path spec_cases() { return source_tree() / "spec_cases"; }

/// The fake worker's program.
std::string fake_worker();

/// Whether an emulator of another machine runs the tests.
bool is_emulated();

}  // namespace gathercheck::fixture
