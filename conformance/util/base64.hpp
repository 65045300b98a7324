// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648, with padding): raw bytes in JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gathercheck {

void append_base64(std::string& text, std::span<const std::byte> bytes);

/// The bytes; nothing for anything but the one encoding of them: wrong length, foreign characters,
/// white space, missing padding, bits set behind the last byte.
std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

}  // namespace gathercheck
