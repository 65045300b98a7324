// SPDX-License-Identifier: Apache-2.0
#include "conformance/util/bounded_lines.hpp"

#include <algorithm>

namespace gathercheck {

BoundedLines::BoundedLines(const std::filesystem::path& file, std::size_t limit)
    : file_(file), limit_(limit), buffer_(std::size_t{1} << 16) {}

bool BoundedLines::refill() {
    begin_ = 0;
    end_ = file_.read(buffer_);
    return end_ > 0;
}

bool BoundedLines::next(std::string& line) {
    line.clear();
    has_newline_ = false;
    bool any = false;
    while (begin_ < end_ || refill()) {
        any = true;
        const char* const from = buffer_.data() + begin_;
        const char* const last = buffer_.data() + end_;
        const char* const newline = std::find(from, last, '\n');
        const auto count = static_cast<std::size_t>(newline - from);
        if (count > limit_ - line.size()) {
            is_too_long_ = true;
            return false;
        }
        line.append(from, count);
        begin_ += count;
        if (begin_ == end_) continue;
        ++begin_;
        has_newline_ = true;
        return true;
    }
    return any;
}

}  // namespace gathercheck
