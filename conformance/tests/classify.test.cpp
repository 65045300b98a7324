// SPDX-License-Identifier: Apache-2.0
// Classes of answers where no sentence decides.
#include "conformance/judge/classify.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <variant>

#include "conformance/tests/equations.hpp"
#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

using test::i32;
using test::i64;

std::string class_of(const Outcome& outcome) {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({4}, {3, 10, -20, 0});
    const Tensor axis = i64({}, {0});
    return classify(test::equations(),
                    test::call(OperatorVersion::openvino_gather_7, data, indices, axis), outcome);
}

std::string class_of_values(const std::vector<std::int64_t>& values) {
    return class_of(ValueOutcome{i32({4}, values)});
}

}  // namespace

TEST_CASE("one treatment of all bad indices is named") {
    CHECK(class_of_values({4, 0, 0, 1}) == "zero");
    CHECK(class_of_values({4, 5, 1, 1}) == "clamp");
    CHECK(class_of_values({4, 1, 1, 1}) == "wrap");  // 10 and -20 modulo 5 are 0: index 0 as well
}

TEST_CASE("different treatments are joined") {
    CHECK(class_of_values({4, 0, 1, 1}) == "zero+clamp");
}

TEST_CASE("what fits nothing, or has a good element wrong, is other") {
    CHECK(class_of_values({4, 99, 0, 1}) == "other");
    CHECK(class_of_values({9, 0, 0, 1}) == "other");
    CHECK(class_of(ValueOutcome{i32({2, 2}, {4, 0, 0, 1})}) == "other");
}

TEST_CASE("indices that lost their high bits are recognised") {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({3}, {3, (std::int64_t{1} << 32) + 1, 0});
    const Tensor axis = i64({}, {0});
    const Call call = test::call(OperatorVersion::openvino_gather_7, data, indices, axis);
    CHECK(classify(test::equations(), call, ValueOutcome{i32({3}, {4, 2, 1})}) == "cut to 32 bits");
    CHECK(classify(test::equations(), call, ValueOutcome{i32({3}, {4, 3, 1})}) == "wrap");
    CHECK(classify(test::equations(), call, ValueOutcome{i32({3}, {4, 2, 2})}) == "other");
}

TEST_CASE("answers without an output have classes of their own") {
    CHECK(class_of(Rejected{}) == "error");
    CHECK(class_of(Unsupported{}) == "unsupported");
    CHECK(class_of(NotDeterministic{}) == "not deterministic");
}

}  // namespace gathercheck
