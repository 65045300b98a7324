// SPDX-License-Identifier: Apache-2.0
// Texts made short, never within a character: of implementations, short enough to be kept (a
// message of a gigabyte would make a record that no reader takes), and of people, short enough to
// be read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gathercheck {

/// Of a message as much is recorded and shown.
inline constexpr std::size_t longest_message = 4096;

/// The start of a text, at most so many bytes, that does not end within a character of UTF-8.
std::string_view start_of(std::string_view text, std::size_t longest);

/// A text as people see it: whole, or its start of at most so many bytes and "...".
std::string shortened(std::string_view text, std::size_t longest);

/// A message as it is kept: whole, or its start and "... (N bytes more)".
std::string capped(std::string text);

}  // namespace gathercheck
