// SPDX-License-Identifier: Apache-2.0
// Growing, searching and dropping.
#include "conformance/util/line_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gathercheck {

std::span<char> LineBuffer::room() {
    if (begin_ == end_) {
        clear();
        if (capacity_ > kept) capacity_ = 0;
    }
    if (capacity_ - end_ < least) {
        const std::string_view present = text();
        const bool fits = capacity_ >= 2 * present.size() + least;
        const std::size_t size = fits ? capacity_ : std::max(2 * capacity_, 4 * least);
        auto bytes = std::make_unique_for_overwrite<char[]>(size);
        std::ranges::copy(present, bytes.get());
        bytes_ = std::move(bytes);
        capacity_ = size;
        end_ -= begin_;
        searched_ -= begin_;
        begin_ = 0;
    }
    return {bytes_.get() + end_, capacity_ - end_};
}

void LineBuffer::add(std::size_t count) {
    const std::size_t before = end_;
    end_ += count;
    if (searched_ == before) search(before);
}

std::optional<std::string_view> LineBuffer::line() const {
    if (searched_ == end_) return std::nullopt;
    return text().substr(0, searched_ - begin_);
}

void LineBuffer::drop_line() {
    if (searched_ == end_) return clear();
    begin_ = searched_ + 1;
    search(begin_);
}

void LineBuffer::search(std::size_t from) {
    const void* found = from == end_ ? nullptr : std::memchr(&bytes_[from], '\n', end_ - from);
    searched_ = found == nullptr
                    ? end_
                    : static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.get());
}

}  // namespace gathercheck
