// SPDX-License-Identifier: Apache-2.0
// Controls: the derived legal variant is legal for every version.
#include "conformance/select/control.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "reference/check.hpp"
#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

Case rejected(OperatorVersion version, Category category, ElementType data = ElementType::f32) {
    Case tested;
    tested.id = "bad";
    tested.inputs = {{"data", {{data, Shape{2, 2}}, Fill{MarkFill{1}}}},
                     {"indices", {{ElementType::i64, Shape{2, 2}}, Fill{AffineFill{9, 0, 0}}}}};
    if (info(version).axis != AxisSource::none) tested.axis = 1;
    tested.expect.push_back({{version}, {}, {ExpectedError{category, {}}}, {}});
    return tested;
}

}  // namespace

TEST_CASE("where only indices are bad the control is the same call with indices of 0") {
    const Case control =
        derive_control(rejected(OperatorVersion::onnx_gather_13, Category::index_out_of_bounds),
                       OperatorVersion::onnx_gather_13);
    CHECK(control.axis == 1);
    CHECK(control.inputs[0].tensor.descriptor.shape == Shape{2, 2});
    const Tensor indices = materialise(control.inputs[1].tensor);
    CHECK(integer_element(indices.type, indices.contents.data(), 3) == 0);
}

TEST_CASE("the derived control is legal for every version and keeps a legal element type") {
    for (const OperatorInfo& row : operator_versions().first(enumerated_version_count)) {
        INFO(row.name);
        for (const Category category :
             {Category::index_out_of_bounds, Category::axis_out_of_range}) {
            const Case control =
                derive_control(rejected(row.version, category, ElementType::f16), row.version);
            const OwnedCall owned = make_call(control, row.version);
            const auto checked = check(owned.call);
            REQUIRE(checked.ok());
            CHECK(check_index_values(*checked).ok());
            CHECK(checked->data.type == ElementType::f16);
        }
    }
}

TEST_CASE("an element type that is not allowed is replaced") {
    const Case control = derive_control(
        rejected(OperatorVersion::openvino_gather_8, Category::unsupported_type, ElementType::c64),
        OperatorVersion::openvino_gather_8);
    CHECK(control.inputs[0].tensor.descriptor.type == ElementType::f32);
}

}  // namespace gathercheck
