// SPDX-License-Identifier: Apache-2.0
// What a plan decides by sizes: which rows are asked for in advance, and which outputs are written
// past the caches.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "optimized/dispatch.hpp"
#include "optimized/optimized.hpp"
#include "optimized/plan.hpp"
#include "reference/check.hpp"

namespace gathercheck::optimized::test {
namespace {

/// Of f32 along axis 0, by i64 indices.
Plan plan_by(const Choices& choices, OperatorVersion version, const Shape& data,
             const Shape& indices) {
    const auto checked = check_operands(version, {ElementType::f32, data, nullptr},
                                        {ElementType::i64, indices, nullptr}, 0, 0);
    REQUIRE(checked.ok());
    const Kernels& table = *kernels(best_row().instruction_set);
    return make_plan(*checked, true, index_rule(version), table, choices);
}

Plan plan_gather_by(const Choices& choices, const Shape& data, const Shape& indices) {
    return plan_by(choices, OperatorVersion::onnx_gather_13, data, indices);
}

TEST_CASE("rows of large tables are asked for in advance, but not a few") {
    Choices choices;
    choices.prefetch_from = 100'000;
    const auto ahead = [&](std::int64_t rows, std::int64_t picks, std::int64_t wide) {
        return plan_gather_by(choices, {rows, wide}, {picks}).job.ahead;
    };
    CHECK(ahead(391, 1000, 64) == 16);
    CHECK(ahead(390, 1000, 64) == 0);
    CHECK(ahead(1000, 128, 64) == 0);
    CHECK(ahead(1000, 129, 64) == 16);
    CHECK(ahead(10'000, 129, 5) == 16);  // 2,580 bytes, but too many rows
    CHECK(ahead(1000, 32, 256) == 0);
    CHECK(ahead(1000, 33, 256) == 4);
    choices.few_bytes = 0;
    CHECK(ahead(1000, 8, 64) == 16);
}

TEST_CASE("whole rows of GatherElements are asked for as rows of Gather are") {
    Choices choices;
    choices.prefetch_from = 100'000;
    choices.columns_bytes = 0;
    const auto ahead = [&](std::int64_t rows) {
        return plan_by(choices, OperatorVersion::onnx_gather_elements_13, {1000, 64}, {rows, 64})
            .rows_ahead;
    };
    CHECK(ahead(128) == 0);
    CHECK(ahead(129) == 16);
}

TEST_CASE("elements of large calls are asked for in advance where their table is far away") {
    Choices choices;
    choices.prefetch_from = 10'000;
    choices.prefetch_elements_from = 100'000;
    const auto asked_for = [&](std::int64_t table, std::int64_t picks) {
        const Plan plan = plan_gather_by(choices, {table}, {picks});
        CHECK(plan.job.ahead == plan.pick_job.ahead);
        return plan.job.ahead > 0;
    };
    // An f32 and an i64 for each pick.
    CHECK(asked_for(5'000, 6'667));        // 20,000 + 53,336 + 26,668 bytes
    CHECK_FALSE(asked_for(5'000, 6'666));  // 20,000 + 53,328 + 26,664 bytes
    CHECK_FALSE(asked_for(4'999, 10'000));
    // Hardly two of one line: one by one.
    CHECK_FALSE(asked_for(50'000, 20));
    // Tables whose pages a CPU does not remember, by picks that the level 2 cache does not hold.
    choices.prefetch_elements_from = 1'000'000'000;
    CHECK(asked_for(5'000'000, 2'000));
    CHECK_FALSE(asked_for(4'000'000, 2'000));
    CHECK_FALSE(asked_for(5'000'000, 1'000));
    choices.prefetch_from = 128'001;
    CHECK_FALSE(asked_for(5'000'000, 2'000));
}

TEST_CASE("from a size on indices of tuples and of GatherElements come from past the caches") {
    Choices choices;
    choices.prefetch_elements_from = 16'000;
    const auto tuples = [&](std::int64_t picks) {
        return plan_by(choices, OperatorVersion::onnx_gather_nd_13, {8, 8}, {picks, 2});
    };
    CHECK_FALSE(tuples(999).far_indices);  // i64
    CHECK(tuples(1'000).far_indices);
    const auto elements = [&](std::int64_t rows) {
        return plan_by(choices, OperatorVersion::onnx_gather_elements_13, {8, 16}, {rows, 16});
    };
    CHECK_FALSE(elements(124).far_indices);
    CHECK(elements(125).far_indices);
}

TEST_CASE("an output is asked for where the choices say so") {
    Choices choices;
    CHECK(plan_gather_by(choices, {8, 17}, {100}).pick_job.prefetch_output_from == never);
    choices.prefetch_output_from = 1'000;
    const Plan plan = plan_gather_by(choices, {8, 17}, {100});
    CHECK(plan.job.prefetch_output_from == 1'000);
    CHECK(plan.pick_job.prefetch_output_from == 1'000);
}

TEST_CASE("outputs go past the caches where these do not hold what a call touches") {
    Choices choices;
    choices.stream_from = 100'000;
    const auto plan = [&](std::int64_t rows, std::int64_t picks, std::int64_t wide) {
        return plan_gather_by(choices, {rows, wide}, {picks});
    };
    // Output alone.
    CHECK(plan(2, 25'000, 1).stream);
    CHECK_FALSE(plan(2, 24'999, 1).stream);
    // Rows of 64 bytes with their indices and the rows of data that they come from.
    CHECK(plan(800, 800, 16).stream);          // 51,200 + 51,200 + 6,400 bytes
    CHECK(plan(700, 800, 16).stream);          // 51,200 + 44,800 + 6,400 bytes
    CHECK_FALSE(plan(500, 800, 16).stream);    // 51,200 + 32,000 + 6,400 bytes
    CHECK_FALSE(plan(5'000, 781, 16).stream);  // an output of 49,984 bytes
    // Of elements only runs.
    const Plan elements = plan(50'000, 12'500, 1);
    CHECK_FALSE(elements.stream);
    CHECK(elements.stream_runs);
    CHECK_FALSE(plan(50'000, 12'499, 1).stream_runs);
}

}  // namespace
}  // namespace gathercheck::optimized::test
