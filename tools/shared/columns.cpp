// SPDX-License-Identifier: Apache-2.0
// Breaking text into lines.
#include "tools/shared/columns.hpp"

#include <algorithm>

#include "conformance/util/json.hpp"

namespace gathercheck {

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
            lines.emplace_back();
        }
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
    }
    return lines;
}

std::string paragraph(std::string_view text, std::string_view indent) {
    std::string result;
    for (const std::string& line : lines_of(printable(text), text_columns - indent.size())) {
        result += std::string(indent) + line + "\n";
    }
    return result;
}

std::string columns(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<std::size_t>& widths) {
    constexpr std::size_t gap = 2;
    std::vector<std::size_t> fitting(widths.size());
    std::vector<std::vector<std::vector<std::string>>> broken;
    for (const auto& row : rows) {
        auto& cells = broken.emplace_back();
        for (std::size_t k = 0; k + 1 < row.size() && k < widths.size(); ++k) {
            cells.push_back(lines_of(printable(row[k]), widths[k]));
            for (const std::string& line : cells.back()) {
                fitting[k] = std::max(fitting[k], line.size());
            }
        }
    }
    std::size_t before = gap;
    for (const std::size_t width : fitting) before += width + (width == 0 ? 0 : gap);
    const std::size_t left = before + 20 < text_columns ? text_columns - before : 20;
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        auto& cells = broken[r];
        cells.push_back(lines_of(printable(rows[r].back()), left));
        std::size_t height = 0;
        for (const auto& cell : cells) height = std::max(height, cell.size());
        for (std::size_t h = 0; h < height; ++h) {
            std::string line;
            std::size_t begin = gap;
            for (std::size_t k = 0; k < cells.size(); ++k) {
                if (h < cells[k].size() && !cells[k][h].empty()) {
                    line.resize(std::max(begin, line.size()), ' ');
                    line += cells[k][h];
                }
                if (k < fitting.size()) begin += fitting[k] + (fitting[k] == 0 ? 0 : gap);
            }
            text += line + "\n";
        }
    }
    return text;
}

}  // namespace gathercheck
