// SPDX-License-Identifier: Apache-2.0
#include "conformance/select/errors_of.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gathercheck {
namespace {

using enum OperatorVersion;

constexpr std::array<std::int64_t, 2> values{0, 5};

Call call_of(OperatorVersion version, const Shape& data, ElementType indices_type) {
    Call call;
    call.version = version;
    call.inputs.push_back({"data", {ElementType::f32, data, nullptr}});
    const auto* indices = reinterpret_cast<const std::byte*>(values.data());
    call.inputs.push_back({"indices", {indices_type, {2}, indices}});
    return call;
}

std::string errors(const Call& call) {
    std::string text;
    for (const Error& error : errors_of(call)) {
        text += (text.empty() ? "" : " ") + std::string(name(error.category));
    }
    return text;
}

}  // namespace

TEST_CASE("a call that breaks one rule has its error, a legal one has none") {
    CHECK(errors(call_of(onnx_gather_13, {6}, ElementType::i64)).empty());
    CHECK(errors(call_of(onnx_gather_13, {3}, ElementType::i64)) == "index_out_of_bounds");
    CHECK(errors(call_of(openvino_gather_8, {3}, ElementType::i64)) == "wrong_input_count");
    CHECK(errors(call_of(onnx_gather_13, {6}, ElementType::u8)) == "unsupported_type");
}

TEST_CASE("a call that breaks several rules has the error of each") {
    Call call = call_of(onnx_gather_13, {3}, ElementType::i64);
    call.attributes = {{"axis", 1.0}, {"mode", std::int64_t{0}}};
    CHECK(errors(call) == "unknown_attribute invalid_attribute index_out_of_bounds");
    call.attributes = {{"axis", std::int64_t{4}}};
    CHECK(errors(call) == "axis_out_of_range index_out_of_bounds");
    CHECK(errors(call_of(onnx_gather_13, {}, ElementType::i64))
              .starts_with("rank_too_small axis_out_of_range"));
    CHECK(errors(call_of(onnx_gather_elements_13, {}, ElementType::u8)) ==
          "unsupported_type rank_too_small axis_out_of_range");
}

TEST_CASE("an unknown attribute of StableHLO's gather leaves its other attributes there") {
    using List = std::vector<std::int64_t>;
    Call call = call_of(stablehlo_gather, {6}, ElementType::f32);
    call.attributes = {{"offset_dims", List{}},           {"collapsed_slice_dims", List{0}},
                       {"operand_batching_dims", List{}}, {"start_indices_batching_dims", List{}},
                       {"start_index_map", List{0}},      {"index_vector_dim", std::int64_t{1}},
                       {"slice_sizes", List{1}},          {"unknown", std::int64_t{0}}};
    CHECK(errors(call) == "unknown_attribute unsupported_type");
}

TEST_CASE("inputs that are not there leave attributes and types unknown") {
    Call call = call_of(onnx_gather_13, {3}, ElementType::i64);
    call.inputs.pop_back();
    call.attributes = {{"mode", std::int64_t{0}}};
    CHECK(errors(call) == "wrong_input_count unknown_attribute");
}

}  // namespace gathercheck
