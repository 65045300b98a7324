// SPDX-License-Identifier: Apache-2.0
// Runs reproducers, each in a folder of its own and with limits, and sees whether each shows what
// its line "shows:" says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gathercheck {

/// How a program is run. In arguments "{file}" is the name of a copy of it in a folder of its own,
/// and "{folder}" that folder, in which it runs and which is gone afterwards.
struct HowToRun {
    std::vector<std::string> build;     ///< what makes it before; empty: nothing
    std::vector<std::string> command;   ///< what runs it
    std::filesystem::path place;        ///< another folder to run in; empty: its own
    std::uint64_t bytes_of_memory = 0;  ///< of address space that it may take; 0: no limit
    std::string remedy;                 ///< what brings what it needs, for people; may be empty
    std::string not_here;               ///< why it cannot be run here; else empty
};

/// One program to be verified.
struct ProgramToVerify {
    std::filesystem::path file;
    std::string shows;
    std::string fault;  ///< of its head; empty: none
    HowToRun how;
};

struct Verification {
    enum class Result : std::uint8_t {
        shown,
        not_shown,
        not_run,  ///< what runs it, or what it needs, is not here
        interrupted,
    };
    Result result = Result::shown;
    std::string why;  ///< where it was not shown: on one line, texts of others escaped
};

struct VerifyLimits {
    double seconds = 60;                     ///< for a program that comes to an end
    std::function<bool()> interrupted = {};  ///< called by several threads; may be empty
};

/// Runs one program. Whatever it started ends with it.
Verification verify(const ProgramToVerify& program, const VerifyLimits& limits);

/// Runs them all, `jobs` at a time. `done` is called for each as it ends, by one thread at a time;
/// may be empty.
std::vector<Verification> verify_all(std::span<const ProgramToVerify> programs, int jobs,
                                     const VerifyLimits& limits, const std::function<void()>& done);

}  // namespace gathercheck
