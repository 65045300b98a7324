// SPDX-License-Identifier: Apache-2.0
// Calls that cases make: where the axis goes, what order inputs have, what a described call holds.
#include "conformance/model/case.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <utility>

#include "conformance/tests/load_fixture.hpp"

using namespace gathercheck;

namespace {

Case one_case(std::string_view inputs, std::string_view more = "") {
    const std::string text = R"({"cases": [{"id": "a", "title": "t", )" + std::string(more) +
                             R"("inputs": )" + std::string(inputs) +
                             R"(, "expect": [{"for": ["onnx.Gather-13", "openvino.Gather-8"],
                                "rules": ["onnx.gather-13.formula", "ov.gather-8.formula"],
                                "unspecified": "u"}]}]})";
    auto result = load_cases_text(text, "x.json", fixture::rules());
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(to_string(problems->front()));
    }
    return std::get<Suite>(std::move(result)).cases.at(0);
}

constexpr std::string_view surplus = R"({
    "zeta": {"type": "u8", "shape": [1], "values": [9]},
    "data": {"type": "u8", "shape": [2], "values": [1, 2]},
    "indices": {"type": "i64", "shape": [], "values": [1]},
    "alpha": {"type": "u8", "shape": [1], "values": [8]} })";

}  // namespace

TEST_CASE("the axis is handed over as the attribute where the version has one") {
    const Case from = one_case(surplus, R"("axis": -1, "attributes": {"other": 3}, )");
    const OwnedCall made = make_call(from, OperatorVersion::onnx_gather_13);
    CHECK(made.call.version == OperatorVersion::onnx_gather_13);
    REQUIRE(made.call.attributes.size() == 2);
    CHECK(made.call.attributes[0].name == "other");
    CHECK(made.call.attributes[1].name == "axis");
    CHECK(made.call.attributes[1].value == AttributeValue(std::int64_t{-1}));
    CHECK(made.call.inputs.size() == 4);
    CHECK(made.call.input("axis") == nullptr);
}

TEST_CASE("the axis is handed over as a scalar i64 third input where the version takes one") {
    const Case from = one_case(surplus, R"("axis": -1, )");
    const OwnedCall made = make_call(from, OperatorVersion::openvino_gather_8);
    CHECK(made.call.attributes.empty());
    REQUIRE(made.call.inputs.size() == 5);
    CHECK(made.call.inputs[2].name == "axis");
    const TensorView& axis = made.call.inputs[2].tensor;
    CHECK(axis.type == ElementType::i64);
    CHECK(axis.shape == Shape{});
    CHECK(integer_element(axis.type, axis.contents, 0) == -1);
}

TEST_CASE("inputs keep the order of the file, surplus ones too") {
    const OwnedCall made = make_call(one_case(surplus), OperatorVersion::onnx_gather_13);
    REQUIRE(made.call.inputs.size() == 4);
    CHECK(made.call.inputs[0].name == "zeta");
    CHECK(made.call.inputs[1].name == "data");
    CHECK(made.call.inputs[2].name == "indices");
    CHECK(made.call.inputs[3].name == "alpha");
}

TEST_CASE("what is absent stays absent") {
    const OwnedCall made = make_call(one_case("{}"), OperatorVersion::openvino_gather_8);
    CHECK(made.call.attributes.empty());
    CHECK(made.call.inputs.empty());
}

TEST_CASE("a call's views stay good when it is moved") {
    OwnedCall first = make_call(one_case(surplus), OperatorVersion::onnx_gather_13);
    const OwnedCall second = std::move(first);
    CHECK(integer_element(ElementType::u8, second.call.input("data")->contents, 1) == 2);
    CHECK(second.call.input("data")->contents == second.tensors[1].second.contents.data());
}

TEST_CASE("a described call has types and shapes, and the contents of the axis only") {
    const Case from = one_case(R"({"data": {"type": "u8", "shape": [4294967296, 8]},
                                   "indices": {"type": "i64", "shape": [5]}})",
                               R"("axis": 0, )");
    CHECK(from.is_described());
    const OwnedCall made = make_call(from, OperatorVersion::openvino_gather_8);
    CHECK(made.call.input("data")->contents == nullptr);
    CHECK(made.call.input("data")->shape == Shape{4294967296, 8});
    CHECK(made.call.input("indices")->contents == nullptr);
    CHECK(made.call.input("axis")->contents != nullptr);
}
