// SPDX-License-Identifier: Apache-2.0
// The static checks: every category, the order of the checks, and what is not an error.
#include "reference/check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

using namespace test;
using enum OperatorVersion;

const Tensor data_2x3 = i32({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor two_indices = i64({2}, {0, 1});
const Tensor axis_0 = i64({}, {0});

std::string error_of(const Call& call) { return answer(call).error; }

}  // namespace

TEST_CASE("every check of every version has a rule in one place and operator names are unique") {
    std::set<std::string_view> names;
    for (const OperatorInfo& row : operator_versions()) {
        CHECK(names.insert(row.name).second);
        CHECK(operator_version(row.name) == row.version);
        for (const Check always : {Check::inputs_count, Check::attribute_unknown, Check::data_type,
                                   Check::indices_type, Check::output_size}) {
            CHECK(rule_id(row.version, always).starts_with(std::string(row.rules) + "."));
        }
        // StableHLO's gather takes scalars, and any index.
        for (const Check usual : {Check::data_rank, Check::index_range}) {
            CHECK(rule_id(row.version, usual).empty() == (row.family == Family::stablehlo_gather));
        }
    }
    CHECK(rule_id(openvino_gather_7, Check::axis_range) == "ov.gather-7.axis.range");
    CHECK(rule_id(onnx_gather_13, Check::axis_shape).empty());
    CHECK(operator_version("onnx.Gather-12") == std::nullopt);
}

TEST_CASE("a missing, a surplus and a misnamed input are a wrong input count") {
    Call one{onnx_gather_13, {}, {{"data", data_2x3.view()}}};
    CHECK(error_of(one) == "wrong_input_count onnx.gather-13.inputs.count");
    CHECK(error_of(call(onnx_gather_13, data_2x3, two_indices, axis_0)) ==
          "wrong_input_count onnx.gather-13.inputs.count");
    CHECK(error_of(call(openvino_gather_8, data_2x3, two_indices)) ==
          "wrong_input_count ov.gather-8.inputs.count");
    Call misnamed{onnx_gather_13, {}, {{"data", data_2x3.view()}, {"index", two_indices.view()}}};
    CHECK(error_of(misnamed) == "wrong_input_count onnx.gather-13.inputs.count");
}

TEST_CASE("attributes must be known and integers") {
    CHECK(error_of(call(openvino_gather_1, data_2x3, two_indices, axis_0,
                        {{"axis", std::int64_t{0}}})) ==
          "unknown_attribute ov.gather-1.attributes.none");
    CHECK(error_of(call(onnx_gather_11, data_2x3, two_indices, {{"axis", 0.0}})) ==
          "invalid_attribute onnx.gather-11.axis.type");
    CHECK(error_of(call(onnx_gather_11, data_2x3, two_indices, {{"axis", true}})) ==
          "invalid_attribute onnx.gather-11.axis.type");
    CHECK(error_of(call(openvino_gather_7, data_2x3, two_indices, axis_0,
                        {{"batch_dims", OtherValue{"null"}}})) ==
          "invalid_attribute ov.gather-7.batch_dims.type");
}

TEST_CASE("element types are checked in the order data, indices, axis") {
    const Tensor bf16 = tensor(ElementType::bf16, {2}, {1, 2});
    const Tensor f32_indices = tensor(ElementType::f32, {2}, {0, 0});
    CHECK(error_of(call(onnx_gather_11, bf16, two_indices)) ==
          "unsupported_type onnx.gather-11.types.T");
    CHECK(error_of(call(onnx_gather_13, bf16, two_indices)).empty());
    CHECK(error_of(call(onnx_gather_13, bf16, f32_indices)) ==
          "unsupported_type onnx.gather-13.types.Tind");
    CHECK(error_of(call(onnx_gather_11, bf16, f32_indices)) ==
          "unsupported_type onnx.gather-11.types.T");
    CHECK(error_of(call(openvino_gather_8, data_2x3, two_indices, f32_indices)) ==
          "unsupported_type ov.gather-8.types.T_AXIS");
}

TEST_CASE("ranks that are too small come before ranks that differ") {
    const Tensor scalar = i32({}, {7});
    const Tensor no_tuple = i64({}, {0});
    CHECK(error_of(call(onnx_gather_13, scalar, two_indices)) ==
          "rank_too_small onnx.gather-13.data.rank");
    CHECK(error_of(call(openvino_gather_elements_6, data_2x3, no_tuple)) ==
          "rank_too_small ov.gather-elements-6.rank.equal");
    CHECK(error_of(call(openvino_gather_elements_6, data_2x3, two_indices)) ==
          "rank_mismatch ov.gather-elements-6.rank.equal");
}

TEST_CASE("the axis input has one element, and its value is in range") {
    CHECK(error_of(call(openvino_gather_7, data_2x3, two_indices, i64({2}, {0, 0}))) ==
          "axis_not_scalar ov.gather-7.axis.scalar-or-1d");
    CHECK(error_of(call(openvino_gather_7, data_2x3, two_indices, i64({1, 1}, {0}))) ==
          "axis_not_scalar ov.gather-7.axis.scalar-or-1d");
    CHECK(error_of(call(openvino_gather_7, data_2x3, two_indices, i64({1}, {-2}))).empty());
    CHECK(error_of(call(openvino_gather_7, data_2x3, two_indices, i64({}, {2}))) ==
          "axis_out_of_range ov.gather-7.axis.range");
    CHECK(error_of(
              call(openvino_gather_7, data_2x3, two_indices, tensor(ElementType::u64, {}, {-1}))) ==
          "axis_out_of_range ov.gather-7.axis.range");
    const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    CHECK(error_of(call(onnx_gather_1, data_2x3, two_indices, {{"axis", lowest}})) ==
          "axis_out_of_range onnx.gather-1.axis.range");
}

TEST_CASE("batch_dims is held against its literal range before it is normalised") {
    const Tensor data = i32({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor indices = i64({2, 1}, {0, 2});
    const auto with = [&](std::int64_t batch_dims, std::int64_t axis) {
        return error_of(
            call(openvino_gather_8, data, indices, i64({}, {axis}), {{"batch_dims", batch_dims}}));
    };
    CHECK(with(-1, 1).empty());
    CHECK(with(-2, 0).empty());
    CHECK(with(-3, 0) == "batch_dims_out_of_range ov.gather-8.batch_dims.range");
    CHECK(with(3, 1) == "batch_dims_out_of_range ov.gather-8.batch_dims.range");
    CHECK(with(2, 1) == "batch_dims_gt_axis ov.gather-8.batch_dims.le-axis");
    CHECK(with(-1, 0) == "batch_dims_gt_axis ov.gather-8.batch_dims.le-axis");
}

TEST_CASE("batch dimensions are equal, not broadcast") {
    CHECK(error_of(call(openvino_gather_7, data_2x3, i64({1, 1}, {0}), i64({}, {1}),
                        {{"batch_dims", std::int64_t{1}}})) ==
          "batch_shape_mismatch ov.gather-7.batch_dims.equal-shape");
}

TEST_CASE("GatherElements-6 wants equal other dimensions, ONNX only none that is larger") {
    const Tensor shorter = i64({1, 2}, {0, 1});
    const Tensor taller = i64({3, 1}, {0, 0, 0});
    const std::vector<Attribute> axis_1{{"axis", std::int64_t{1}}};
    CHECK(error_of(call(openvino_gather_elements_6, data_2x3, shorter, axis_1)) ==
          "shape_mismatch ov.gather-elements-6.shape.equal-except-axis");
    CHECK(error_of(call(onnx_gather_elements_13, data_2x3, shorter, axis_1)).empty());
    CHECK(error_of(call(onnx_gather_elements_13, data_2x3, taller, axis_1)) ==
          "shape_mismatch onnx.gather-elements-13.shape.other-dims");
}

TEST_CASE("GatherND tuples have at least one component and at most rank(data) - batch_dims") {
    CHECK(error_of(call(onnx_gather_nd_11, data_2x3, i64({2, 0}, {}))) ==
          "index_tuple_empty onnx.gather-nd-11.indices.last-dim");
    CHECK(error_of(call(onnx_gather_nd_11, data_2x3, i64({1, 3}, {0, 0, 0}))) ==
          "index_tuple_too_long onnx.gather-nd-11.indices.last-dim");
    CHECK(error_of(call(onnx_gather_nd_12, data_2x3, i64({2, 2}, {0, 0, 0, 0}),
                        {{"batch_dims", std::int64_t{1}}})) ==
          "index_tuple_too_long onnx.gather-nd-12.indices.last-dim");
    CHECK(error_of(
              call(onnx_gather_nd_12, data_2x3, two_indices, {{"batch_dims", std::int64_t{1}}})) ==
          "batch_dims_out_of_range onnx.gather-nd-12.batch_dims.range");
}

TEST_CASE("an output that cannot be addressed is too large, an empty one is not") {
    const std::int64_t large = std::int64_t{1} << 31;
    const TensorView data{ElementType::f32, Shape{large, 2}, nullptr};
    const TensorView indices{ElementType::i64, Shape{large, 2}, nullptr};
    const Call huge{onnx_gather_13, {}, {{"data", data}, {"indices", indices}}};
    const auto checked = check(huge);
    CHECK(checked.ok());  // 2^34 bytes can be addressed
    const TensorView larger{ElementType::i64, Shape{large, large / 4}, nullptr};
    const auto refused = check({onnx_gather_13, {}, {{"data", data}, {"indices", larger}}});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().category == Category::too_large);
    CHECK(refused.error().rule == "onnx.gather-13.output.too-large");
    const TensorView empty{ElementType::f32, Shape{large, large, large, 0}, nullptr};
    CHECK(check({onnx_gather_13, {}, {{"data", empty}, {"indices", indices}}}).ok());
}

TEST_CASE("a negative dimension is refused as what it is, before anything is computed with it") {
    const auto refused = [](const Shape& data, const Shape& indices, OperatorVersion version) {
        const auto result = check({version,
                                   {},
                                   {{"data", {ElementType::f32, data, nullptr}},
                                    {"indices", {ElementType::i64, indices, nullptr}}}});
        if (result) return std::string("taken");
        CHECK(result.error().category == Category::too_large);
        CHECK(result.error().phase == Phase::shape);
        return result.error().detail;
    };
    CHECK(refused(Shape{-3}, Shape{2}, onnx_gather_13) ==
          "dimension 0 of data is -3: a dimension must not be negative");
    CHECK(refused(Shape{3}, Shape{2, -1}, onnx_gather_13) ==
          "dimension 1 of indices is -1: a dimension must not be negative");
    // Two of them have a product that is none, and beside a 0 there is no element to miss.
    CHECK(refused(Shape{-3, -3}, Shape{2}, onnx_gather_13) ==
          "dimension 0 of data is -3: a dimension must not be negative");
    CHECK(refused(Shape{0, -3}, Shape{0}, onnx_gather_13) ==
          "dimension 1 of data is -3: a dimension must not be negative");
    // A tuple of -1 components is not an empty one.
    CHECK(refused(Shape{3}, Shape{2, -1}, onnx_gather_nd_13) ==
          "dimension 1 of indices is -1: a dimension must not be negative");
    CHECK(refused(Shape{3}, Shape{-2}, onnx_gather_elements_13) ==
          "dimension 0 of indices is -2: a dimension must not be negative");
}

TEST_CASE("an output of more than 64 dimensions is too large") {
    Shape many;
    for (int k = 0; k < 40; ++k) many.push_back(1);
    const TensorView data{ElementType::u8, many, nullptr};
    const TensorView indices{ElementType::i64, many, nullptr};
    const auto refused = check({onnx_gather_13, {}, {{"data", data}, {"indices", indices}}});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().category == Category::too_large);
}

TEST_CASE("an error says which argument, which numbers and which phase") {
    const auto refused =
        check(call(onnx_gather_13, data_2x3, two_indices, {{"axis", std::int64_t{2}}}));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().phase == Phase::shape);
    CHECK(refused.error().detail == "axis is 2, outside [-2, 1] for data of rank 2");
}

TEST_CASE("a checked call says which checks it passed") {
    const auto checked = check(call(openvino_gather_8, data_2x3, two_indices, axis_0));
    REQUIRE(checked.ok());
    CHECK(checked->passed.contains(Check::axis_range));
    CHECK(checked->passed.contains(Check::batch_dims_le_axis));
    CHECK_FALSE(checked->passed.contains(Check::rank_equal));
    CHECK_FALSE(checked->passed.contains(Check::index_range));
}

TEST_CASE("of each two checks a set says which is made after the other, up to the last") {
    static_assert(static_cast<std::size_t>(Check::index_range) + 1 == check_count);
    for (std::size_t a = 0; a < check_count; ++a)
        for (std::size_t b = 0; b < check_count; ++b) {
            CheckSet one;
            one.insert(static_cast<Check>(a));
            CAPTURE(a, b);
            CHECK(one.all_after(static_cast<Check>(b)) == (a > b));
        }
}

}  // namespace gathercheck
