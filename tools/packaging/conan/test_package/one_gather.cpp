// SPDX-License-Identifier: Apache-2.0
// A program with one gather: exit code 0 where it is right.
#include <array>
#include <cstddef>
#include <cstdint>
#include <gathercheck/optimized/gather.hpp>
#include <span>

int main() {
    using namespace gathercheck;
    const std::array<float, 3> numbers = {10, 20, 30};
    const std::array<std::int64_t, 2> picks = {2, -3};
    const TensorView data{ElementType::f32, {3}, std::as_bytes(std::span(numbers)).data()};
    const TensorView indices{ElementType::i64, {2}, std::as_bytes(std::span(picks)).data()};
    std::array<float, 2> output = {};
    const auto done =
        optimized::gather(data, indices, 0, 0, std::as_writable_bytes(std::span(output)));
    return done && output == std::array<float, 2>{30, 10} ? 0 : 1;
}
