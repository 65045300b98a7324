// SPDX-License-Identifier: Apache-2.0
// Whether a program showed what the words of its line "shows:" say: a verdict on how it ended and
// what it printed. known_failures/README.md explains the words; `shows` of reproducer.hpp makes
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gathercheck {

/// How a program ended, and what it printed.
struct ProgramEnd {
    bool in_time = true;           ///< else it went on until it was killed
    std::optional<int> exit_code;  ///< nothing: a signal ended it
    std::string signal;            ///< "SIGSEGV"; empty: none
    std::string output;
    std::string errors;
};

/// Why no program can be held against these words; empty where one can.
std::string fault_of_words(std::string_view words);

/// The seconds of "no end in 10 seconds"; nothing for other words.
std::optional<int> seconds_without_end(std::string_view words);

/// Whether that is what happened.
bool is_shown(std::string_view words, const ProgramEnd& end);

/// How it ended and what it printed last, on one line: "it ended with code 1; its stderr ends:
/// ...".
std::string end_text(const ProgramEnd& end);

}  // namespace gathercheck
