// SPDX-License-Identifier: Apache-2.0
// Goes from quote to quote.
#include "conformance/util/long_strings.hpp"

namespace gathercheck {
namespace {

/// True for characters that stand for themselves between quotes. Without a way out of the loop it
/// takes many of them at once.
bool is_plain(std::string_view characters) {
    unsigned char other = 0;
    for (const char character : characters) {
        const auto byte = static_cast<signed char>(character);  // beyond ASCII it is negative
        other |= static_cast<unsigned char>(byte < 0x20);
        other |= static_cast<unsigned char>(byte == '\\');
    }
    return other == 0;
}

/// Where the string that begins at `begin` ends: at the next quote that no backslash stands before.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return end < text.size() ? end : std::string_view::npos;
}

}  // namespace

WithoutLongStrings without_long_strings(std::string_view text, std::size_t shortest) {
    WithoutLongStrings result;
    std::size_t copied = 0;
    std::size_t begin = text.find('"');
    for (std::size_t number = 0; begin != std::string_view::npos; ++number) {
        ++begin;
        std::size_t end = text.find('"', begin);
        const std::string_view characters = text.substr(begin, end - begin);
        if (end != std::string_view::npos && characters.size() >= shortest &&
            is_plain(characters)) {
            result.taken.push_back({number, characters});
            result.text += text.substr(copied, begin - copied);
            copied = end;
        } else if (characters.find('\\') != std::string_view::npos) {
            end = end_of_string(text, begin);
        }
        if (end == std::string_view::npos) break;
        begin = text.find('"', end + 1);
    }
    result.text += text.substr(copied);
    return result;
}

}  // namespace gathercheck
