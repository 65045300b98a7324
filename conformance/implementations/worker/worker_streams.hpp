// SPDX-License-Identifier: Apache-2.0
// A worker's ends of its pipes, where it waits for what the runner says and answers it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/implementations/worker/worker_messages.hpp"
#include "conformance/util/line_buffer.hpp"

namespace gathercheck {

/// Reads lines from a descriptor.
class LineReader {
public:
    explicit LineReader(int descriptor) : descriptor_(descriptor) {}

    /// The next line, good until the next call; nothing at the end.
    std::optional<std::string_view> next();

private:
    int descriptor_;
    LineBuffer buffer_;
    bool taken_ = false;  ///< the first line of the buffer was given out
};

/// Why a worker goes on no more.
struct Refusal {
    std::string why;
    bool is_of_version = false;  ///< the runner speaks no version of the protocol that is ours
};

/// The worker's side of the protocol: answers messages until goodbye, until their end, or until
/// nobody reads the answers. `hello` and `answer` give lines of worker_messages.hpp. Nothing at an
/// orderly end.
std::optional<Refusal> serve(LineReader& lines, int out, const std::function<std::string()>& hello,
                             const std::function<std::string(const CallAsked&)>& answer);

/// False where nobody reads any more. Safe in a signal handler.
bool write_all(int descriptor, std::string_view text);

}  // namespace gathercheck
