// SPDX-License-Identifier: Apache-2.0
// Bytes as a pipe gives them, and the lines that they make.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace gathercheck {

/// Bytes are read to where they stay, and looked at once. All views hold until `room` is called.
class LineBuffer {
public:
    /// Where the next bytes are to be written; never empty.
    std::span<char> room();

    /// So many were written there.
    void add(std::size_t count);

    /// All that is here, and its first line, without the newline; nothing while that has no end.
    std::string_view text() const { return {bytes_.get() + begin_, end_ - begin_}; }
    std::optional<std::string_view> line() const;

    /// Without its first line.
    void drop_line();
    void clear() { begin_ = end_ = searched_ = 0; }

private:
    static constexpr std::size_t least = std::size_t{1} << 16;  ///< of room
    static constexpr std::size_t kept = std::size_t{1} << 22;   ///< of memory, once it is empty

    /// Looks for the end of the first line from here on.
    void search(std::size_t from);

    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t searched_ = 0;  ///< no newline lies before it; at a newline: the first one
};

}  // namespace gathercheck
