// SPDX-License-Identifier: Apache-2.0
// Which checks a call exercised.
#include "reference/exercised.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace gathercheck;

namespace {

std::array<std::byte, 8> bytes_of(std::int64_t value) {
    std::array<std::byte, 8> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// Gather of one i64 index out of three u8 elements.
Exercised with_index(OperatorVersion version, const std::byte* index, std::int64_t axis = 0) {
    static constexpr std::array<std::byte, 3> data{};
    Call call;
    call.version = version;
    call.attributes = {{"axis", axis}};
    call.inputs = {{"data", {ElementType::u8, Shape{3}, data.data()}},
                   {"indices", {ElementType::i64, Shape{1}, index}}};
    return exercised(call);
}

}  // namespace

TEST_CASE("a good call passes every check that its version has") {
    const auto index = bytes_of(2);
    const Exercised result = with_index(OperatorVersion::onnx_gather_13, index.data());
    CHECK_FALSE(result.broken.has_value());
    CHECK(result.passed.contains(Check::inputs_count));
    CHECK(result.passed.contains(Check::axis_range));
    CHECK(result.passed.contains(Check::index_range));
    CHECK_FALSE(result.passed.contains(Check::batch_dims_range));
}

TEST_CASE("nothing after the check that a call breaks is exercised") {
    const auto index = bytes_of(3);
    const Exercised result = with_index(OperatorVersion::onnx_gather_13, index.data(), 1);
    CHECK(result.broken == Check::axis_range);
    CHECK(result.passed.contains(Check::data_rank));
    CHECK(result.evaluated(Check::axis_range));
    CHECK_FALSE(result.evaluated(Check::output_size));
    CHECK_FALSE(result.evaluated(Check::index_range));
}

TEST_CASE("an index out of bounds is broken after every other check has passed") {
    const auto index = bytes_of(3);
    const Exercised result = with_index(OperatorVersion::onnx_gather_13, index.data());
    CHECK(result.broken == Check::index_range);
    CHECK(result.passed.contains(Check::output_size));
}

TEST_CASE("indices without contents exercise no check of index values") {
    const Exercised result = with_index(OperatorVersion::onnx_gather_13, nullptr);
    CHECK_FALSE(result.broken.has_value());
    CHECK_FALSE(result.evaluated(Check::index_range));
}
