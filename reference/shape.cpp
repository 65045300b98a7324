// SPDX-License-Identifier: Apache-2.0
// Counting, printing and walking shapes.
#include "reference/shape.hpp"

#include <algorithm>
#include <limits>

namespace gathercheck {

std::optional<std::int64_t> multiply(std::int64_t a, std::int64_t b) {
    if (a != 0 && b > std::numeric_limits<std::int64_t>::max() / a) return std::nullopt;
    return a * b;
}

std::optional<std::int64_t> element_count(const Shape& shape) {
    if (std::ranges::find(shape.dims(), 0) != shape.dims().end()) return 0;
    std::int64_t count = 1;
    for (const std::int64_t dim : shape) {
        const auto product = multiply(count, dim);
        if (!product) return std::nullopt;
        count = *product;
    }
    return count;
}

std::string to_string(const Shape& shape) {
    std::string text = "[";
    for (std::int64_t k = 0; k < shape.rank(); ++k) {
        if (k != 0) text += ", ";
        text += std::to_string(shape[k]);
    }
    return text + "]";
}

std::int64_t position(const Shape& shape, const Shape& coordinate) {
    std::int64_t result = 0;
    for (std::int64_t k = 0; k < shape.rank(); ++k) result = result * shape[k] + coordinate[k];
    return result;
}

bool next_coordinate(const Shape& shape, Shape& coordinate) {
    for (std::int64_t k = shape.rank() - 1; k >= 0; --k) {
        if (++coordinate[k] < shape[k]) return true;
        coordinate[k] = 0;
    }
    return false;
}

Shape first_coordinate(const Shape& shape) {
    Shape zeros;
    for (std::int64_t k = 0; k < shape.rank(); ++k) zeros.push_back(0);
    return zeros;
}

}  // namespace gathercheck
