// SPDX-License-Identifier: Apache-2.0
// Reproducers as programs of this machine: what runs each, by its language, its engine or its own
// head.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/reproducers/verify.hpp"

namespace gathercheck {

/// Whether the command that a file's head holds may be run.
enum class HeadCommand : bool { no, yes };

/// A reproducer with what runs it. What its head does not tell is taken from the name of its
/// folder, ENGINE with '-' for ':'. `bytes_of_memory` is its limit; 0: that of its engine.
ProgramToVerify program_of(const std::filesystem::path& file, const std::filesystem::path& adapters,
                           HeadCommand command, std::uint64_t bytes_of_memory = 0);

/// "3 of 4 reproducers show what they say", and how many of more could not be run or say nothing.
std::string verified_text(std::int64_t shown, std::int64_t run, std::int64_t not_run,
                          std::int64_t silent);

}  // namespace gathercheck
