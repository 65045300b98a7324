// SPDX-License-Identifier: Apache-2.0
// Reading lines and writing answers, over interruptions.
#include "conformance/implementations/worker/worker_streams.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gathercheck {

std::optional<std::string_view> LineReader::next() {
    if (std::exchange(taken_, false)) buffer_.drop_line();
    while (!buffer_.line()) {
        const auto room = buffer_.room();
        const ssize_t count = ::read(descriptor_, room.data(), room.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return std::nullopt;
        buffer_.add(static_cast<std::size_t>(count));
    }
    taken_ = true;
    return buffer_.line();
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace gathercheck
