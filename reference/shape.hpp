// SPDX-License-Identifier: Apache-2.0
// Shape: the dimensions of a tensor in a fixed array, and walks over
// coordinates.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace gathercheck {

/// The highest rank of a tensor here. A call whose output would have more
/// dimensions is rejected with too_large.
inline constexpr std::int64_t max_rank = 64;

/// a * b; nothing when that does not fit 63 bits. Neither factor may be
/// negative.
inline std::optional<std::int64_t> multiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

/// A list of at most max_rank integers: dimensions, or the coordinates of one
/// element. It owns its numbers and never allocates.
class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
    explicit Shape(std::span<const std::int64_t> dims) {
        for (const std::int64_t dim : dims) push_back(dim);
    }
    Shape(const Shape& other) { copy(other); }
    Shape& operator=(const Shape& other) {
        copy(other);
        return *this;
    }

    std::int64_t rank() const { return rank_; }
    std::int64_t operator[](std::int64_t k) const {
        assert(k >= 0 && k < rank_);
        return dims_[static_cast<std::size_t>(k)];
    }
    std::int64_t& operator[](std::int64_t k) {
        assert(k >= 0 && k < rank_);
        return dims_[static_cast<std::size_t>(k)];
    }
    /// Precondition: rank() < max_rank.
    void push_back(std::int64_t dim) {
        assert(rank_ < max_rank);
        dims_[static_cast<std::size_t>(rank_++)] = dim;
    }
    const std::int64_t* begin() const { return dims_.data(); }
    const std::int64_t* end() const { return dims_.data() + rank_; }
    std::span<const std::int64_t> dims() const { return {begin(), end()}; }

    /// Dimensions first to last - 1.
    Shape slice(std::int64_t first, std::int64_t last) const {
        assert(0 <= first && first <= last && last <= rank_);
        return Shape(std::span(begin() + first, begin() + last));
    }

    friend bool operator==(const Shape& a, const Shape& b) {
        if (a.rank_ != b.rank_) return false;
        for (std::int64_t k = 0; k < a.rank_; ++k) {
            if (a[k] != b[k]) return false;
        }
        return true;
    }

private:
    void copy(const Shape& other) {
        rank_ = other.rank_;
        for (std::int64_t k = 0; k < rank_; ++k) {
            dims_[static_cast<std::size_t>(k)] = other.dims_[static_cast<std::size_t>(k)];
        }
    }

    std::array<std::int64_t, static_cast<std::size_t>(max_rank)> dims_;  // the first rank_ are set
    std::int64_t rank_ = 0;
};

/// Number of elements: 0 when a dimension is 0, whatever the others; nothing
/// when it does not fit 63 bits. The shape [] has one element.
inline std::optional<std::int64_t> element_count(const Shape& shape) {
    bool empty = false;
    for (const std::int64_t dim : shape) empty = empty || dim == 0;
    if (empty) return 0;
    std::int64_t count = 1;
    for (const std::int64_t dim : shape) {
        const auto product = multiply(count, dim);
        if (!product) return std::nullopt;
        count = *product;
    }
    return count;
}

/// "[2, 3]".
std::string to_string(const Shape& shape);

/// Row-major position of the element at `coordinate` in a tensor of shape
/// `shape`.
std::int64_t position(const Shape& shape, const Shape& coordinate);

/// Moves `coordinate` to the next element in row-major order, the last
/// dimension fastest; false, and back to all zeros, after the last one. Start
/// with `first_coordinate`; a shape without elements must not be walked.
bool next_coordinate(const Shape& shape, Shape& coordinate);

/// A coordinate of zeros for a tensor of this shape.
Shape first_coordinate(const Shape& shape);

}  // namespace gathercheck
