// SPDX-License-Identifier: Apache-2.0
// One process of a worker, seen closely: what it printed, when, and how it ended; for telling its
// author what is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/util/subprocess.hpp"

namespace gathercheck {

/// What came within some time.
struct Heard {
    enum class Kind : std::uint8_t {
        line,    ///< a whole line
        silent,  ///< no whole line in time
        closed,  ///< it closed its standard output, and lives
        ended,   ///< it ended
    };
    Kind kind = Kind::silent;
    std::string text;  ///< the line without its end; else the start of one, if any came
    std::string how;   ///< how it ended: "exited with code 1"
    std::optional<int> exit_code;
};

/// A started worker. The destructor ends it.
class Conversation {
public:
    /// The system's reason where it cannot be started.
    std::optional<std::string> start(const Command& command);

    /// Sends the text, and waits for the next line.
    Heard exchange(std::string_view text, double seconds);

    /// Closes its standard input, and waits for the next line.
    Heard close_input(double seconds);

    /// A program may say on SIGTERM, on its standard error, what has kept it.
    void ask_why();

    /// What it has printed beyond the lines heard, after waiting a little for more.
    std::string overheard(double seconds);

    /// Ends it, whatever it is doing; returns how it ended.
    std::string end();

    /// The end of what it wrote to its standard error; empty where nothing was.
    std::string errors() const { return tail_.last_lines(); }

private:
    bool send(std::string_view& text);
    bool receive();

    Spawned child_;
    Tail tail_;
    std::string received_;
};

}  // namespace gathercheck
