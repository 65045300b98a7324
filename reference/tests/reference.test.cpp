// SPDX-License-Identifier: Apache-2.0
// The operators: values on documented examples, bounds rules, and what an output holds.
#include "reference/reference.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "reference/check_stablehlo.hpp"
#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

using namespace test;
using enum OperatorVersion;

}  // namespace

TEST_CASE("Gather-7 picks per batch") {
    const Tensor data = i32({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    const Tensor indices = i32({2, 3}, {0, 0, 4, 4, 0, 0});
    const Answer expected{{}, {2, 3}, {1, 1, 5, 10, 6, 6}};
    CHECK(answer(call(openvino_gather_7, data, indices, i64({}, {1}),
                      {{"batch_dims", std::int64_t{1}}})) == expected);
    CHECK(answer(call(openvino_gather_7, data, indices, i64({1}, {-1}),
                      {{"batch_dims", std::int64_t{-1}}})) == expected);
}

TEST_CASE("the dimensions of indices take the place of the axis") {
    const Tensor data = i32({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const Tensor indices = i64({2, 2}, {2, 0, 1, -1});
    CHECK(answer(call(onnx_gather_13, data, indices, {{"axis", std::int64_t{1}}})) ==
          Answer{{}, {2, 2, 2, 2}, {4, 5, 0, 1, 2, 3, 4, 5, 10, 11, 6, 7, 8, 9, 10, 11}});
}

TEST_CASE("a scalar index removes the axis") {
    const Tensor data = i32({3}, {10, 20, 30});
    CHECK(answer(call(onnx_gather_11, data, i64({}, {-1}))) == Answer{{}, {}, {30}});
}

TEST_CASE("Gather-8 writes zeros for an index out of bounds, others reject it") {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({4}, {3, 10, -20, -2});
    CHECK(answer(call(openvino_gather_8, data, indices, i64({}, {0}))) ==
          Answer{{}, {4}, {4, 0, 0, 4}});
    CHECK(answer(call(openvino_gather_7, data, indices, i64({}, {0}))).error ==
          "index_out_of_bounds ov.gather-7.indices.range");
    CHECK(answer(call(onnx_gather_13, data, indices)).error ==
          "index_out_of_bounds onnx.gather-13.indices.error");
}

TEST_CASE("negative indices count from the end only where the version says so") {
    const Tensor data = i32({3}, {1, 2, 3});
    const Tensor indices = i64({1}, {-1});
    CHECK(answer(call(onnx_gather_1, data, indices)) == Answer{{}, {1}, {3}});
    CHECK(answer(call(openvino_gather_1, data, indices, i64({}, {0}))).error ==
          "index_out_of_bounds ov.gather-1.indices.range");
    CHECK(answer(call(openvino_gather_elements_6, data, indices)).error ==
          "index_out_of_bounds ov.gather-elements-6.indices.error");
}

TEST_CASE("an index beyond 63 bits is out of bounds") {
    const Tensor data = i32({3}, {1, 2, 3});
    const Tensor indices =
        tensor(ElementType::u64, {2}, {1, std::numeric_limits<std::int64_t>::min()});
    CHECK(answer(call(openvino_gather_8, data, indices, i64({}, {0}))) == Answer{{}, {2}, {2, 0}});
}

TEST_CASE("an index out of bounds is an error also where the output is empty") {
    const Tensor data = i32({0, 3}, {});
    CHECK(answer(call(onnx_gather_13, data, i64({1}, {5}), {{"axis", std::int64_t{1}}})).error ==
          "index_out_of_bounds onnx.gather-13.indices.error");
    CHECK(answer(call(openvino_gather_8, data, i64({1}, {5}), i64({}, {1}))) ==
          Answer{{}, {0, 1}, {}});
}

TEST_CASE("after an error the output is untouched") {
    const Tensor data = i32({2}, {1, 2});
    const Tensor indices = i64({2}, {1, 9});
    std::vector<std::byte> output(8, std::byte{0x5A});
    CHECK_FALSE(reference::run(call(onnx_gather_13, data, indices), output).ok());
    CHECK(output == std::vector<std::byte>(8, std::byte{0x5A}));
}

TEST_CASE("an output buffer of the wrong size is refused") {
    const Tensor data = i32({2}, {1, 2});
    std::vector<std::byte> output(7);
    const auto done = reference::run(call(onnx_gather_13, data, i64({2}, {1, 0})), output);
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().category == Category::output_shape_mismatch);
}

TEST_CASE("the spare bits of a packed output are zero") {
    const Tensor data = tensor(ElementType::u4, {3}, {1, 2, 3});
    std::vector<std::byte> output(1, std::byte{0xFF});
    REQUIRE(
        reference::run(call(openvino_gather_8, data, i64({1}, {2}), i64({}, {0})), output).ok());
    CHECK(output[0] == std::byte{0x03});
}

TEST_CASE("GatherElements takes one element for each index") {
    const Tensor data = i32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const Tensor indices = i32({2, 3}, {1, 0, 1, 1, 2, 0});
    CHECK(answer(call(openvino_gather_elements_6, data, indices)) ==
          Answer{{}, {2, 3}, {4, 2, 6, 4, 8, 3}});
    CHECK(answer(call(onnx_gather_elements_11, data, i64({3, 1}, {2, 0, -1}),
                      {{"axis", std::int64_t{-1}}})) == Answer{{}, {3, 1}, {3, 4, 9}});
}

TEST_CASE("GatherND takes the slice that each tuple points at") {
    const Tensor data = i32({2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(answer(call(onnx_gather_nd_13, data, i64({2, 2}, {0, 1, -1, 0}))) ==
          Answer{{}, {2, 3}, {3, 4, 5, 6, 7, 8}});
    CHECK(answer(call(onnx_gather_nd_13, data, i64({2, 1}, {1, 0}),
                      {{"batch_dims", std::int64_t{1}}})) ==
          Answer{{}, {2, 3}, {3, 4, 5, 6, 7, 8}});
    CHECK(answer(call(onnx_gather_nd_13, data, i64({3}, {1, 1, 1}))) == Answer{{}, {}, {10}});
}

TEST_CASE("GatherND-5 makes one dimension of its batch dimensions, GatherND-8 keeps them") {
    const Tensor data = i32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor indices = i32({2, 2, 1}, {1, 0, 0, 1});
    const std::vector<Attribute> batch_dims{{"batch_dims", std::int64_t{2}}};
    CHECK(answer(call(openvino_gather_nd_5, data, indices, batch_dims)) ==
          Answer{{}, {4}, {2, 3, 5, 8}});
    CHECK(answer(call(openvino_gather_nd_8, data, indices, batch_dims)) ==
          Answer{{}, {2, 2}, {2, 3, 5, 8}});
}

TEST_CASE("a component of a tuple is held against its own dimension") {
    // The flat offset 0 * 3 + 4 would be inside the data.
    const Tensor data = i32({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(answer(call(onnx_gather_nd_13, data, i64({1, 2}, {0, 4}))).error ==
          "index_out_of_bounds onnx.gather-nd-13.indices.error");
}

TEST_CASE("StableHLO's gather moves windows to where they fit") {
    GatherAttributes of;
    of.offset_dims = {0, 2};
    of.start_index_map = {1, 0};
    of.index_vector_dim = 0;
    of.slice_sizes = {2, 3};
    const Tensor data = i32({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    // The vectors (column, row) are (0, 0), (9, 1) and (1, -1), along dimension 0.
    const Tensor indices = i64({2, 3}, {0, 9, 1, 0, 1, -1});
    CHECK(answer(call(stablehlo_gather, data, indices, attributes_of(of))) ==
          Answer{{}, {2, 3, 3}, {0, 1, 2, 5, 6, 7, 1, 2, 3, 4, 5, 6, 9, 10, 11, 5, 6, 7}});
    of.slice_sizes = {2, 5};
    CHECK(answer(call(stablehlo_gather, data, indices, attributes_of(of))).error ==
          "invalid_attribute stablehlo.gather.c21");
    of.offset_dims = {2, 0};
    CHECK(answer(call(stablehlo_gather, data, indices, attributes_of(of))).error ==
          "invalid_attribute stablehlo.gather.c4");
}

}  // namespace gathercheck
