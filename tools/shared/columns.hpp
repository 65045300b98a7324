// SPDX-License-Identifier: Apache-2.0
// Text in columns for a terminal that is not wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gathercheck {

/// Columns that pages of text keep to.
inline constexpr std::size_t text_columns = 100;

/// The lines of a paragraph of at most `width` columns; a word that is longer has a line of its own.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

/// A paragraph whose lines all begin with `indent` and keep to text_columns.
std::string paragraph(std::string_view text, std::string_view indent);

/// Rows of cells: column k is at most widths[k] columns wide and as narrow as its cells let it be,
/// the last has what is left of text_columns; what is wider is broken. Each line begins with two
/// blanks.
std::string columns(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<std::size_t>& widths);

}  // namespace gathercheck
