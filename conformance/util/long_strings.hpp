// SPDX-License-Identifier: Apache-2.0
// Long strings of a JSON text, such as base64, kept from a parser that would look at each of their
// characters several times.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gathercheck {

/// A text with "" in place of each long string that stands there as it is: ASCII, no escape, no
/// control character. Where the rest is JSON, so is the whole.
struct WithoutLongStrings {
    /// A string, the how many-th of the text, keys counted too; its characters lie in the original.
    struct Taken {
        std::size_t number = 0;
        std::string_view characters;
    };

    std::string text;
    std::vector<Taken> taken;
};

/// Takes out what has at least `shortest` characters. Nothing is taken behind a string that has no
/// end.
WithoutLongStrings without_long_strings(std::string_view text, std::size_t shortest);

}  // namespace gathercheck
