// SPDX-License-Identifier: Apache-2.0
// GatherElements along another axis than the last, where columns of data are copied first.
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "optimized/dispatch.hpp"
#include "optimized/parts.hpp"
#include "optimized/tests/executors.hpp"
#include "optimized/tests/support.hpp"

namespace gathercheck::optimized::test {
namespace {

/// Data [blocks, extent, wide] and indices [blocks, rows, lanes], axis 1.
struct Geometry {
    std::int64_t blocks;
    std::int64_t extent;
    std::int64_t wide;
    std::int64_t rows;
    std::int64_t lanes;
};

std::int64_t index_at(const Geometry& geometry, std::int64_t k) {
    const std::int64_t position = k * 104'729 % geometry.extent;
    return k % 5 == 0 ? position - geometry.extent : position;
}

OwnedCall call_of(const Geometry& geometry, ElementType type, std::size_t size) {
    const auto& [blocks, extent, wide, rows, lanes] = geometry;
    OwnedCall call{};
    call.version = OperatorVersion::onnx_gather_elements_13;
    call.axis = 1;
    Random random(7);
    call.data.type = type;
    call.data.shape = {blocks, extent, wide};
    call.data.contents = random.bytes(static_cast<std::size_t>(blocks * extent * wide) * size);
    std::vector<std::int64_t> indices;
    for (std::int64_t k = 0; k < blocks * rows * lanes; ++k) {
        indices.push_back(index_at(geometry, k));
    }
    call.indices = tensor(ElementType::i64, {blocks, rows, lanes}, indices);
    return call;
}

std::vector<std::byte> expected_output(const Geometry& geometry, const OwnedCall& call,
                                       std::size_t size) {
    const auto& [blocks, extent, wide, rows, lanes] = geometry;
    std::vector<std::byte> output;
    for (std::int64_t k = 0; k < blocks * rows * lanes; ++k) {
        const std::int64_t row = (index_at(geometry, k) + extent) % extent;
        const std::int64_t unit = (k / (rows * lanes) * extent + row) * wide + k % lanes;
        const std::byte* from = call.data.contents.data() + static_cast<std::size_t>(unit) * size;
        output.insert(output.end(), from, from + size);
    }
    return output;
}

/// As a machine plans it of whose caches data is too large.
Plan plan_of(OwnedCall& call, const Row& row, std::int64_t columns_bytes,
             Method method = Method::loads, bool stream = false, std::int64_t least_columns = 1) {
    Choices choices = Choices::of_this_machine(row.instruction_set);
    choices.methods.fill(method);
    if (stream) choices.stream_from = 0;
    choices.prefetch_from = 128;
    choices.columns_bytes = columns_bytes;
    choices.least_columns = least_columns;
    const Kernels& table = *kernels(row.instruction_set);
    const Plan plan =
        make_plan(*check(call.call()), true, index_rule(call.version), table, choices);
    const int log = std::countr_zero(static_cast<std::uint64_t>(plan.unit_bits / 8));
    if (plan.columns > 0 && plan.table_units * plan.unit_bits / 8 < 2 * choices.prefetch_from) {
        const auto width = static_cast<std::size_t>(plan.in_place);
        REQUIRE(plan.pick_columns ==
                table.pick_columns[static_cast<std::size_t>(method)][width][log]);
    }
    return plan;
}

/// How elements are picked from the copy, and whether past the caches.
struct Way {
    Method method;
    bool stream;
};
constexpr std::array<Way, 4> ways{{{Method::loads, false},
                                   {Method::gathers, false},
                                   {Method::loads, true},
                                   {Method::gathers, true}}};

/// Calls use(way, plan) for each way on each row.
template <class Use>
void each_plan(OwnedCall& call, std::int64_t columns_bytes, const Use& use) {
    for (const Row& row : rows()) {
        if (!row.available()) continue;
        for (const Way& way : ways) {
            INFO(row.name << (way.method == Method::gathers ? " by gathers" : " by loads")
                          << (way.stream ? ", past the caches: " : ": ") << call.text());
            use(plan_of(call, row, columns_bytes, way.method, way.stream));
        }
    }
}

TEST_CASE("columns of data are copied some at a time, and each pick is the right one") {
    struct Case {
        ElementType type;
        std::size_t size;
    };
    for (const Case& one : {Case{ElementType::u8, 1}, Case{ElementType::f16, 2},
                            Case{ElementType::f32, 4}, Case{ElementType::f64, 8}}) {
        for (const Geometry& geometry :
             {Geometry{1, 50, 300, 70, 300}, Geometry{1, 50, 300, 70, 271},
              Geometry{3, 40, 192, 21, 192}, Geometry{1, 3, 1500, 2, 1499}}) {
            OwnedCall call = call_of(geometry, one.type, one.size);
            const std::vector<std::byte> expected = expected_output(geometry, call, one.size);
            each_plan(call, geometry.extent * 128, [&](const Plan& plan) {
                REQUIRE(plan.columns == static_cast<std::int64_t>(128 / one.size));
                for (const int parts : {1, 2, 3, 7}) {
                    // Rows of the output begin with lines, or 8 bytes behind them.
                    for (const std::size_t offset : {std::size_t{0}, std::size_t{8}}) {
                        INFO(parts << " parts, " << offset << " bytes behind a line");
                        InTurn executor(parts);
                        const Guarded buffer(filled(offset + expected.size(), 0xA5),
                                             Flush::at_start);
                        const Outcome outcome = execute_in_parts(
                            plan, call.data.contents.data(), call.indices.contents.data(),
                            buffer.data() + offset, executor, parts);
                        REQUIRE(outcome.bad_position == -1);
                        REQUIRE(outcome.moved == plan.kernels->set);
                        const auto output = buffer.span().subspan(offset);
                        REQUIRE((std::vector<std::byte>(output.begin(), output.end()) == expected));
                        REQUIRE((offset == 0 || buffer.data()[offset - 1] == std::byte{0xA5}));
                    }
                }
            });
        }
    }
}

TEST_CASE("an illegal index is seen in every column, and the first one is named") {
    const Geometry geometry{1, 50, 300, 70, 271};
    OwnedCall call = call_of(geometry, ElementType::f32, 4);
    std::vector<std::int64_t> indices = values_of<std::int64_t>(call.indices.contents);
    std::vector<std::byte> output(indices.size() * 4);
    using Limits = std::numeric_limits<std::int64_t>;
    each_plan(call, geometry.extent * 128, [&](const Plan& plan) {
        REQUIRE(plan.columns == 32);
        for (std::size_t place = 0; place < indices.size(); place += 997) {
            for (const std::int64_t wrong :
                 {geometry.extent, -geometry.extent - 1, Limits::max(), Limits::min(),
                  (std::int64_t{1} << 32) + 1, -(std::int64_t{1} << 32) - 1}) {
                INFO(wrong << " at " << place);
                const std::int64_t good = std::exchange(indices[place], wrong);
                const std::int64_t last = std::exchange(indices.back(), geometry.extent);
                const Outcome outcome =
                    execute(plan, call.data.contents.data(),
                            reinterpret_cast<const std::byte*>(indices.data()), output.data());
                REQUIRE(outcome.bad_position == static_cast<std::int64_t>(place));
                indices.back() = last;
                indices[place] = good;
            }
        }
    });
}

TEST_CASE("columns are copied only where picks make up for it") {
    const auto columns = [](const Geometry& geometry, std::int64_t columns_bytes) {
        OwnedCall call = call_of(geometry, ElementType::f32, 4);
        return plan_of(call, best_row(), columns_bytes).columns;
    };
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 256) == 64);
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 300) == 64);
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 10'000) == 200);
    // A line of each row at least, while that is no more than four times as large.
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 16) == 16);
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 15) == 0);
    CHECK(columns({1, 64, 200, 64, 200}, 0) == 0);
    // A row for four of data's at least.
    CHECK(columns({1, 64, 200, 16, 200}, 64 * 256) == 64);
    CHECK(columns({1, 64, 200, 15, 200}, 64 * 256) == 0);
    CHECK(columns({1, 7, 200, 2, 200}, 7 * 256) == 64);
    CHECK(columns({1, 7, 200, 1, 200}, 7 * 256) == 0);
    CHECK(columns({1, 4, 200, 1, 200}, 4 * 256) == 0);
}

TEST_CASE("few columns are copied only of tables whose pages no CPU remembers") {
    const auto columns = [](const Geometry& geometry, std::int64_t columns_bytes) {
        OwnedCall call = call_of(geometry, ElementType::f32, 4);
        return plan_of(call, best_row(), columns_bytes, Method::loads, false, 64).columns;
    };
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 4 * 80) == 80);
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 4 * 48) == 64);
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 4 * 32) == 64);
    CHECK(columns({1, 64, 200, 64, 200}, 64 * 4 * 31) == 0);
    // All that there are, however few.
    CHECK(columns({1, 64, 200, 64, 40}, 64 * 4 * 32) == 40);
    const std::int64_t many = 8 * 1024 * 1024 / (200 * 4) + 1;
    CHECK(columns({1, many, 200, many / 2, 200}, many * 4 * 31) == 48);
    CHECK(columns({1, many - 1, 200, many / 2, 200}, many * 4 * 31) == 0);
}

TEST_CASE("a call by columns is not cut into parts with few rows each") {
    const Geometry geometry{1, 200, 300, 900, 300};
    OwnedCall call = call_of(geometry, ElementType::f32, 4);
    Plan plan = plan_of(call, best_row(), geometry.extent * 256);
    REQUIRE(plan.columns == 64);
    setenv("GATHERCHECK_WAKE_COST", "1", 1);
    InTurn three(3);
    InTurn ten(10);
    CHECK(parts_for(plan, three) == 9);
    CHECK(parts_for(plan, ten) == 40);  // more threads are worth more than columns
    const Grid grid = grid_of(plan);
    CHECK(piece_of(plan, grid, 0, 50 * geometry.lanes).plan.columns == 64);
    CHECK(piece_of(plan, grid, 0, 49 * geometry.lanes).plan.columns == 0);
    plan.columns = 0;
    CHECK(parts_for(plan, three) == 12);
    unsetenv("GATHERCHECK_WAKE_COST");
}

}  // namespace
}  // namespace gathercheck::optimized::test
