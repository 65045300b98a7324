// SPDX-License-Identifier: Apache-2.0
// A worker's ends of its pipes, where it waits for what the runner says.
#pragma once

#include <optional>
#include <string_view>

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

/// False where nobody reads any more. Safe in a signal handler.
bool write_all(int descriptor, std::string_view text);

}  // namespace gathercheck
