// SPDX-License-Identifier: Apache-2.0
// Printing and walking shapes.
#include "reference/shape.hpp"

namespace gathercheck {

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
