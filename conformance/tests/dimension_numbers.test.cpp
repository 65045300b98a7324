// SPDX-License-Identifier: Apache-2.0
// Calls of the other operators as calls of StableHLO's gather.
#include "conformance/model/dimension_numbers.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "reference/check.hpp"

namespace gathercheck {
namespace {

Case case_of(OperatorVersion version, const Shape& data, const Shape& indices,
             std::vector<Attribute> attributes) {
    Case made;
    made.attributes = std::move(attributes);
    made.inputs = {{"data", {{ElementType::f32, data}, {}}},
                   {"indices", {{ElementType::i64, indices}, {}}}};
    made.expect.push_back({{version}, {}, {}, "open"});
    return made;
}

/// "offset_dims [1] collapsed_slice_dims [0] ..."; "none" where there are none.
std::string numbers(const Case& of) {
    const auto found = dimension_numbers(of);
    if (!found) return "none";
    std::string text;
    for (const auto& [name, value] : *found) {
        text += (text.empty() ? "" : " ") + name + " " + to_string(value);
    }
    const OwnedCall call = describe_call(of, OperatorVersion::stablehlo_gather);
    CHECK(check(call.call).ok());
    return text;
}

using enum OperatorVersion;
constexpr std::int64_t one = 1;

}  // namespace

TEST_CASE("Gather collapses its axis and batches what comes before") {
    CHECK(numbers(case_of(onnx_gather_13, {4, 3, 2}, {5, 6}, {{"axis", one}})) ==
          "offset_dims [0, 3] collapsed_slice_dims [1] operand_batching_dims [] "
          "start_indices_batching_dims [] start_index_map [1] slice_sizes [4, 1, 2] "
          "index_vector_dim 2");
    Case batched = case_of(openvino_gather_8, {2, 3, 4}, {2, 5}, {{"batch_dims", -one}});
    batched.axis = 2;
    CHECK(numbers(batched) ==
          "offset_dims [1] collapsed_slice_dims [2] operand_batching_dims [0] "
          "start_indices_batching_dims [0] start_index_map [2] slice_sizes [1, 3, 1] "
          "index_vector_dim 2");
}

TEST_CASE("GatherElements batches all dimensions but the axis, where they are equal") {
    CHECK(numbers(case_of(onnx_gather_elements_13, {4, 3}, {4, 7}, {{"axis", one}})) ==
          "offset_dims [] collapsed_slice_dims [1] operand_batching_dims [0] "
          "start_indices_batching_dims [0] start_index_map [1] slice_sizes [1, 1] "
          "index_vector_dim 2");
    CHECK(numbers(case_of(onnx_gather_elements_13, {4, 3}, {2, 7}, {{"axis", one}})) == "none");
}

TEST_CASE("GatherND has index vectors along the last dimension") {
    CHECK(numbers(case_of(onnx_gather_nd_13, {2, 3, 4, 5}, {2, 6, 2}, {{"batch_dims", one}})) ==
          "offset_dims [2] collapsed_slice_dims [1, 2] operand_batching_dims [0] "
          "start_indices_batching_dims [0] start_index_map [1, 2] slice_sizes [1, 1, 1, 5] "
          "index_vector_dim 2");
    CHECK(numbers(case_of(onnx_gather_nd_13, {2}, {6, 2}, {})) == "none");
}

TEST_CASE("what has no dimension numbers is left alone") {
    CHECK(numbers(case_of(onnx_gather_13, {2}, {3}, {{"axis", one}})) == "none");
    CHECK(numbers(case_of(onnx_gather_13, {2}, {3}, {{"axis", 1.0}})) == "none");
    CHECK(numbers(case_of(onnx_gather_13, {2}, {3}, {{"mode", one}})) == "none");
    CHECK(numbers(case_of(onnx_gather_nd_13, {2}, {3, 1}, {{"axis", one}})) == "none");
    CHECK(numbers(case_of(onnx_gather_elements_13, {2}, {3}, {{"batch_dims", one}})) == "none");
    CHECK(numbers(case_of(stablehlo_gather, {2}, {3}, {{"axis", one}})) == "none");
}

}  // namespace gathercheck
