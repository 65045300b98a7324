// SPDX-License-Identifier: Apache-2.0
// What access decides by sizes: prefetch distances, the kind of store, kernels.
#include "optimized/access.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "optimized/cpu.hpp"
#include "optimized/gather.hpp"
#include "optimized/plan.hpp"
#include "reference/check.hpp"
#include "reference/check_stablehlo.hpp"

namespace gathercheck::optimized::test {
namespace {

const Kernels& best_kernels() { return *kernels(best_target().instruction_set); }

/// Of f32 along axis 0, by i64 indices.
Plan plan_by(const Tuning& tuning, OperatorVersion version, const Shape& data,
             const Shape& indices) {
    const auto checked = check_operands(version, {ElementType::f32, data, nullptr},
                                        {ElementType::i64, indices, nullptr}, 0, 0);
    REQUIRE(checked.ok());
    return make_plan(*checked, true, index_rule(version), best_kernels(), tuning);
}

Plan plan_gather_by(const Tuning& tuning, const Shape& data, const Shape& indices) {
    return plan_by(tuning, OperatorVersion::onnx_gather_13, data, indices);
}

TEST_CASE("slices and elements are prefetched from tables of some size on") {
    Tuning tuning;
    tuning.prefetch_from = 100'000;
    tuning.prefetch_elements_from = 4'000'000;
    const auto distance = [&](std::int64_t units, std::int64_t wide) {
        return plan_gather_by(tuning, {units, wide}, {1000}).access.prefetch_distance;
    };
    CHECK(distance(391, 64) == 32);
    CHECK(distance(390, 64) == 0);
    CHECK(distance(1000, 256) == 8);
    CHECK(distance(1000, 100'000) == 2);
    CHECK(distance(1'000'000, 1) == 128);
    CHECK(distance(999'999, 1) == 0);
}

TEST_CASE("whole rows of GatherElements are prefetched as slices of Gather are") {
    Tuning tuning;
    tuning.prefetch_from = 100'000;
    const auto access = [&](std::int64_t units, std::int64_t wide) {
        return plan_by(tuning, OperatorVersion::onnx_gather_elements_13, {units, wide}, {200, wide})
            .access;
    };
    CHECK(access(1000, 64).whole_rows_distance == 32);
    CHECK(access(100, 64).whole_rows_distance == 0);
    CHECK(access(100, 64).move_whole_rows[0] != nullptr);
    CHECK(access(100, 5000).move_whole_rows[0] == nullptr);  // no row fits a block
}

TEST_CASE("StableHLO's gather goes the way of the operator that picks the same") {
    const auto front = [](const Shape& data, const Shape& indices, const GatherAttributes& of) {
        const auto checked = check({OperatorVersion::stablehlo_gather,
                                    attributes_of(of),
                                    {{"data", {ElementType::f32, data, nullptr}},
                                     {"indices", {ElementType::i64, indices, nullptr}}}});
        REQUIRE(checked.ok());
        const Plan plan =
            make_plan(*checked, true, index_rule(checked->version), best_kernels(), Tuning{});
        CHECK(plan.rule == IndexRule::clamped);
        return plan.front;
    };
    GatherAttributes rows{{1}, {0}, {}, {}, {0}, 1, {1, 4}, false};
    CHECK(front({9, 4}, {5}, rows) == Front::axis);
    rows.offset_dims = {0};
    CHECK(front({9, 4}, {5}, rows) == Front::windows);
    CHECK(front({9, 4}, {1}, rows) ==
          Front::axis);  // where a dimension of 1 is makes no difference
    rows.slice_sizes = {1, 3};
    CHECK(front({9, 4}, {1}, rows) == Front::windows);
    CHECK(front({9, 4}, {5, 2}, {{}, {0, 1}, {}, {}, {0, 1}, 1, {1, 1}, false}) == Front::tuples);
    CHECK(front({9, 4}, {5, 2}, {{}, {0, 1}, {}, {}, {1, 0}, 1, {1, 1}, false}) == Front::windows);
    CHECK(front({9, 4}, {9, 7}, {{}, {1}, {0}, {0}, {1}, 2, {1, 1}, false}) == Front::axis);
    CHECK(front({4, 9}, {7, 9}, {{}, {0}, {1}, {1}, {0}, 2, {1, 1}, false}) == Front::elementwise);
    CHECK(front({9, 4}, {7, 9}, {{}, {1}, {0}, {1}, {1}, 2, {1, 1}, false}) == Front::windows);
}

TEST_CASE("outputs are streamed where the caches do not hold what a call touches") {
    Tuning tuning;
    tuning.stream_from = 100'000;
    const auto streaming = [&](std::int64_t units, std::int64_t picks, std::int64_t wide) {
        return plan_gather_by(tuning, {units, wide}, {picks}).access.streaming;
    };
    // Output alone.
    CHECK(streaming(2, 25'000, 1));
    CHECK_FALSE(streaming(2, 12'000, 1));  // 48,000 + 96,000 + 8 bytes
    // With indices and what is read of data.
    CHECK(streaming(800, 800, 16));          // 51,200 + 6,400 + 51,200 bytes
    CHECK(streaming(700, 800, 16));          // 51,200 + 6,400 + 44,800 bytes
    CHECK_FALSE(streaming(500, 800, 16));    // 51,200 + 6,400 + 32,000 bytes
    CHECK_FALSE(streaming(5'000, 781, 16));  // an output of 49,984 bytes
    // Parts, where the output alone is as much.
    const auto in_parts = [&](std::int64_t picks) {
        return plan_gather_by(tuning, {2, 1}, {picks}).access.streaming_in_parts;
    };
    CHECK(in_parts(25'000));
    CHECK_FALSE(in_parts(24'999));
}

TEST_CASE("elements are gathered from tables that L2 holds, where gathers are faster") {
    Tuning tuning;
    tuning.methods.fill(Method::gathers);
    tuning.register_tables = false;
    tuning.prefetch_from = 10'000;
    const auto& elements = best_kernels().elements;
    const Move by_loads = elements[static_cast<int>(Method::loads)][0][2];
    const Move by_gathers = elements[static_cast<int>(Method::gathers)][0][2];
    CHECK(plan_gather_by(tuning, {4'999}, {100}).access.move[0] == by_gathers);
    CHECK(plan_gather_by(tuning, {5'000}, {100}).access.move[0] == by_loads);
    tuning.methods.fill(Method::loads);
    CHECK(plan_gather_by(tuning, {4'999}, {100}).access.move[0] == by_loads);
}

TEST_CASE("a table is loaded into registers for picks that are worth it") {
    const Tuning tuning;
    const auto in_registers = [&](std::int64_t units, std::int64_t picks) {
        return plan_gather_by(tuning, {units}, {picks}).access.by_register_table;
    };
    CHECK(in_registers(8, 32) == (best_kernels().table_entries[2][0] >= 8));
    CHECK_FALSE(in_registers(8, 31));
    CHECK_FALSE(in_registers(257, 1000));
}

}  // namespace
}  // namespace gathercheck::optimized::test
