// SPDX-License-Identifier: Apache-2.0
// One call in the form that each operator version has for it.
#include "conformance/select/as_taken_by.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "conformance/tests/sample.hpp"

namespace gathercheck {
namespace {

/// Data and indices for one version, with an output that nobody looks at.
Case asked_of(std::string_view version) {
    Case asked;
    asked.id = "asked";
    asked.inputs = {{"data", {{ElementType::f32, Shape{2, 2}}, Fill{MarkFill{1}}}},
                    {"indices", {{ElementType::i64, Shape{1}}, Fill{AffineFill{0, 0, 0}}}}};
    asked.expect.push_back(
        {{*operator_version(version)}, {}, {ExpectedOutput{FromEquation{}, {}}}, {}});
    return asked;
}

TakenCase taken(const Case& asked, std::string_view version, Form form = Form::as_named) {
    return as_taken_by(asked, *operator_version(version), form);
}

NamedTensorSpec axis_input(Shape shape, std::vector<std::int64_t> values) {
    const Descriptor descriptor{ElementType::i64, shape};
    return {"axis", {descriptor, fixture::tensor(ElementType::i64, shape, values)}};
}

}  // namespace

TEST_CASE("a version that the case names takes the case itself") {
    const Case asked = asked_of("onnx.Gather-13");
    CHECK(taken(asked, "onnx.Gather-13").taken.get() == &asked);
    CHECK(taken(asked, "onnx.Gather-13", Form::own).taken.get() == &asked);
}

TEST_CASE("an axis goes where the version has it") {
    Case attribute = asked_of("onnx.Gather-13");
    attribute.attributes.push_back({"axis", std::int64_t{1}});
    const TakenCase as_input = taken(attribute, "openvino.Gather-8");
    REQUIRE(as_input.taken != nullptr);
    CHECK(as_input.taken->axis == 1);
    CHECK(as_input.taken->attributes.empty());
    CHECK(as_input.taken->expect.empty());

    Case input = asked_of("openvino.Gather-8");
    input.inputs.push_back(axis_input({1}, {1}));
    const TakenCase as_attribute = taken(input, "onnx.Gather-13");
    REQUIRE(as_attribute.taken != nullptr);
    CHECK(as_attribute.taken->axis == 1);
    CHECK(as_attribute.taken->inputs.size() == 2);
}

TEST_CASE("an axis that is no one integer, or stands twice, cannot be moved") {
    Case two = asked_of("openvino.Gather-8");
    two.inputs.push_back(axis_input({2}, {0, 1}));
    CHECK(taken(two, "onnx.Gather-13").taken == nullptr);
    CHECK(taken(two, "onnx.Gather-13").why_not ==
          "its axis is an attribute, and the call's is a tensor i64 [2]");
    Case words = asked_of("onnx.Gather-13");
    words.attributes.push_back({"axis", std::string("0")});
    CHECK(taken(words, "openvino.Gather-8").why_not ==
          "its axis is an input, and the call's is the attribute \"0\"");
    words.axis = 0;
    CHECK(taken(words, "onnx.Gather-11").why_not == "it has one axis, and the call two");
}

TEST_CASE("no axis is 0 where a version of the case takes it for that") {
    CHECK(taken(asked_of("onnx.Gather-13"), "openvino.Gather-8").taken->axis == 0);
    CHECK_FALSE(taken(asked_of("openvino.Gather-8"), "openvino.Gather-7").taken->axis.has_value());
    Case free = asked_of("onnx.Gather-13");
    free.expect.clear();
    CHECK(taken(free, "openvino.Gather-8").taken->axis == 0);
    CHECK_FALSE(taken(free, "onnx.Gather-13").taken->axis.has_value());
}

TEST_CASE("an attribute that the version lacks is left out where it says nothing") {
    Case asked = asked_of("openvino.Gather-8");
    asked.axis = 0;
    asked.attributes.push_back({"batch_dims", std::int64_t{0}});
    CHECK(taken(asked, "onnx.Gather-13").taken->attributes.empty());
    CHECK(taken(asked, "openvino.Gather-7").taken->attributes.size() == 1);
    asked.attributes.front().value = std::int64_t{1};
    CHECK(taken(asked, "onnx.Gather-13").why_not == "it has no batch_dims");
    asked.attributes.front().name = "mode";
    CHECK(taken(asked, "onnx.Gather-13").taken->attributes.size() == 1);
}

TEST_CASE("a case that names a version in a form that is not its own is ported, if asked to be") {
    Case asked = asked_of("onnx.Gather-13");
    asked.inputs.push_back(axis_input({}, {1}));
    CHECK(taken(asked, "onnx.Gather-13").taken->inputs.size() == 3);
    const TakenCase own = taken(asked, "onnx.Gather-13", Form::own);
    CHECK(own.taken->inputs.size() == 2);
    CHECK(own.taken->axis == 1);
    CHECK(own.taken->expect.empty());
}

TEST_CASE("a version of another family has no words for a call") {
    CHECK(taken(asked_of("onnx.Gather-13"), "onnx.GatherND-13").why_not ==
          "it is of the family gather_nd");
    Case asked = asked_of("onnx.GatherND-13");
    asked.expect.clear();
    asked.axis = 0;
    CHECK(taken(asked, "onnx.GatherND-13").why_not == "it has no axis");
}

}  // namespace gathercheck
