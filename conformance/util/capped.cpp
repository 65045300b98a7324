// SPDX-License-Identifier: Apache-2.0
// Cutting texts between characters.
#include "conformance/util/capped.hpp"

namespace gathercheck {

std::string_view start_of(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return text;
    constexpr std::size_t most_following = 3;  // bytes of a character behind its first
    const auto follows = [&](std::size_t k) {
        return (static_cast<unsigned char>(text[k]) & 0xC0U) == 0x80;
    };
    std::size_t end = longest;
    while (end > 0 && longest - end < most_following && follows(end)) --end;
    return text.substr(0, follows(end) ? longest : end);  // what is no UTF-8 is cut anywhere
}

std::string shortened(std::string_view text, std::size_t longest) {
    const std::string_view start = start_of(text, longest);
    return std::string(start) + (start.size() < text.size() ? "..." : "");
}

std::string capped(std::string text) {
    if (text.size() <= longest_message) return text;
    const std::string_view start = start_of(text, longest_message);
    return std::string(start) + "... (" + std::to_string(text.size() - start.size()) +
           " bytes more)";
}

}  // namespace gathercheck
