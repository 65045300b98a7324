// SPDX-License-Identifier: Apache-2.0
// A program of ours in another process that is asked and answers in JSON lines.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "conformance/util/json.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck::bench {

/// The destructor ends the program.
class Exchange {
public:
    /// The text is the system's reason.
    static std::variant<Exchange, std::string> start(std::vector<std::string> arguments);

    /// Sends one line and waits for the answer; the text is why there is none.
    std::variant<Json, std::string> ask(const Json& question, double seconds);
    /// The next line that it writes.
    std::variant<Json, std::string> receive(double seconds);

private:
    explicit Exchange(Spawned spawned) : spawned_(std::move(spawned)) {}

    Spawned spawned_;
    Tail errors_;
    std::string unread_;
};

}  // namespace gathercheck::bench
