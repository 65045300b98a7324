// SPDX-License-Identifier: Apache-2.0
// Shapes: counts and walks.
#include "reference/shape.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

namespace gathercheck {

TEST_CASE("a shape without dimensions has one element") { CHECK(element_count(Shape{}) == 1); }

TEST_CASE("a dimension of zero empties a shape, however large the others") {
    const std::int64_t large = std::int64_t{1} << 62;
    CHECK(element_count(Shape{large, large, 0}) == 0);
    CHECK(element_count(Shape{0, large, large}) == 0);
}

TEST_CASE("a count beyond 63 bits is not given") {
    const std::int64_t large = std::int64_t{1} << 32;
    CHECK(element_count(Shape{large, large / 4}) == std::int64_t{1} << 62);
    CHECK(element_count(Shape{large, large / 2}) == std::nullopt);
    CHECK(element_count(Shape{large, large}) == std::nullopt);
}

TEST_CASE("coordinates are walked in row-major order") {
    const Shape shape{2, 3};
    Shape coordinate = first_coordinate(shape);
    std::vector<std::int64_t> positions;
    do {
        positions.push_back(position(shape, coordinate));
    } while (next_coordinate(shape, coordinate));
    CHECK(positions == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
    CHECK(coordinate == Shape{0, 0});
}

TEST_CASE("a scalar is walked once") {
    Shape coordinate = first_coordinate(Shape{});
    CHECK(position(Shape{}, coordinate) == 0);
    CHECK_FALSE(next_coordinate(Shape{}, coordinate));
}

TEST_CASE("shapes of different rank differ") {
    CHECK(Shape{2} != Shape{2, 1});
    CHECK(Shape{} != Shape{0});
    CHECK(to_string(Shape{2, 0, 7}) == "[2, 0, 7]");
}

}  // namespace gathercheck
