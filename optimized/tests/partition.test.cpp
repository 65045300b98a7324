// SPDX-License-Identifier: Apache-2.0
// Parts and threads: where work is cut, when it is, and that nobody can tell.
#include "optimized/partition.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>

#ifdef __unix__
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "optimized/gather.hpp"
#include "optimized/tests/executors.hpp"
#include "optimized/tests/support.hpp"

namespace gathercheck::optimized::test {
namespace {

using Cells = std::vector<std::int64_t>;

Cells cuts(const Plan& plan, const std::byte* output, int parts) {
    const Grid grid = grid_of(plan);
    Cells cells;
    for (int k = 0; k <= parts; ++k) cells.push_back(cut(grid, output, k, parts));
    return cells;
}

/// A byte `offset` behind the beginning of a cache line.
const std::byte* at_line(std::size_t offset) {
    alignas(64) static const std::array<std::byte, 64> line{};
    return line.data() + offset;
}

Plan gather_plan(ElementType type, const Shape& data, const Shape& indices, std::int64_t axis,
                 std::int64_t batch_dims = 0) {
    return *plan_gather({type, data}, {ElementType::i64, indices}, axis, batch_dims);
}

/// What the environment says a wake costs, while this lives.
class WakeCost {
public:
    explicit WakeCost(const char* nanoseconds) { setenv("GATHERCHECK_WAKE_COST", nanoseconds, 1); }
    WakeCost(const WakeCost&) = delete;
    WakeCost& operator=(const WakeCost&) = delete;
    ~WakeCost() { unsetenv("GATHERCHECK_WAKE_COST"); }
};

/// A gather of `picks` f32 from a table of 1000, and its buffers.
struct Picks {
    explicit Picks(std::int64_t picks)
        : plan(gather_plan(ElementType::f32, {1000}, {picks}, 0)),
          indices(static_cast<std::size_t>(picks)),
          output(static_cast<std::size_t>(picks), -1) {
        std::iota(table.begin(), table.end(), 0);
        for (std::size_t k = 0; k < indices.size(); ++k) {
            indices[k] = static_cast<std::int64_t>(k * 7 % 1000);
        }
    }

    Result<void> operator()(Executor* executor) {
        return run(plan, std::as_bytes(std::span(table)).data(),
                   std::as_bytes(std::span(indices)).data(),
                   std::as_writable_bytes(std::span(output)), executor);
    }

    bool output_is_right() const {
        for (std::size_t k = 0; k < indices.size(); ++k) {
            if (output[k] != static_cast<std::int32_t>(k * 7 % 1000)) return false;
        }
        return true;
    }

    Plan plan;
    std::vector<std::int32_t> table = std::vector<std::int32_t>(1000);
    std::vector<std::int64_t> indices;
    std::vector<std::int32_t> output;
};

TEST_CASE("what a wake costs is timed but where the environment gives a number") {
    const auto runs_to_know = [](const char* said) {
        const WakeCost environment(said);
        Starting executor(2);
        const std::int64_t cost = executor.wake_cost(1000);
        if (executor.runs == 0) CHECK(std::to_string(cost) == said);
        CHECK(cost >= 0);
        return executor.runs.load();
    };
    CHECK(runs_to_know("7") == 0);
    CHECK(runs_to_know("0") == 0);
    for (const char* none : {"", "7us", "7 ", "-7", "fast", "99999999999999999999"}) {
        INFO(none);
        CHECK(runs_to_know(none) > 0);
    }
}

TEST_CASE("parts begin where a cache line of the output begins") {
    const Plan plan = gather_plan(ElementType::f32, {9}, {1000}, 0);
    CHECK(cuts(plan, at_line(0), 3) == Cells{0, 336, 672, 1000});
    CHECK(cuts(plan, at_line(4), 3) == Cells{0, 335, 671, 1000});
    // Nowhere, where elements lie across lines.
    CHECK(cuts(plan, at_line(1), 3) == Cells{0, 333, 666, 1000});
}

TEST_CASE("parts begin at whole rows where these are short") {
    // Rows of 3 elements of 4 bytes: each sixteenth begins with a line.
    const Plan plan = gather_plan(ElementType::f32, {9, 3}, {1000}, 0);
    CHECK(cuts(plan, at_line(0), 2) == Cells{0, 512, 1000});
    // 100 tables of 10 picks: each eighth table of the output begins with a line.
    const Plan tables = gather_plan(ElementType::f32, {100, 9}, {10}, 1);
    CHECK(cuts(tables, at_line(0), 2) == Cells{0, 560, 1000});
}

TEST_CASE("parts of a packed output begin at whole bytes") {
    const Plan plan = gather_plan(ElementType::i4, {9}, {21}, 0);
    CHECK(cuts(plan, at_line(1), 2) == Cells{0, 10, 21});
    CHECK(cuts(plan, at_line(1), 4) == Cells{0, 4, 10, 14, 21});
    // Tables of 5 picks: only each second one begins with a byte.
    const Plan tables = gather_plan(ElementType::i4, {6, 9}, {5}, 1);
    CHECK(cuts(tables, at_line(1), 3) == Cells{0, 10, 20, 30});
    CHECK(cuts(tables, at_line(1), 2) == Cells{0, 10, 30});
}

TEST_CASE("there may be more parts than cells") {
    const Plan plan = gather_plan(ElementType::f32, {9}, {2}, 0);
    CHECK(cuts(plan, at_line(0), 5) == Cells{0, 0, 0, 1, 1, 2});
}

TEST_CASE("parts begin within rows where these are few and large, but not near their ends") {
    const Plan plan = gather_plan(ElementType::u8, {9, 100'000}, {3}, 0);
    CHECK(cuts(plan, at_line(0), 2) == Cells{0, 149'184, 300'000});
    CHECK(cuts(plan, at_line(4), 2) == Cells{0, 149'180, 300'000});
    CHECK(cuts(plan, at_line(0), 3) == Cells{0, 100'000, 200'000, 300'000});
    const Grid grid = grid_of(plan);
    const Piece head = piece_of(plan, grid, 149'184, 300'000);
    CHECK(head.cells == 50'816);
    CHECK(head.data_bytes == 49'184);
    CHECK(head.first_index == 1);
    CHECK(head.output_bytes == 149'184);
    CHECK(head.plan.unit_bits == 50'816 * 8);
    CHECK(head.plan.pitch == 100'000);
}

TEST_CASE("large rows are put together from parts of them") {
    const Plan plan = gather_plan(ElementType::u8, {3, 100'000}, {2}, 0);
    std::vector<std::byte> data(300'000);
    for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::byte>(k / 7);
    const std::vector<std::byte> indices = bytes_of(std::vector<std::int64_t>{-1, 0});
    std::vector<std::byte> expected(data.begin() + 200'000, data.end());
    expected.insert(expected.end(), data.begin(), data.begin() + 100'000);
    for (const int parts : {2, 3, 7, 500}) {
        const Guarded output(200'000, Flush::at_end);
        InTurn executor(parts);
        const Outcome outcome =
            execute_in_parts(plan, data.data(), indices.data(), output.data(), executor, parts);
        CHECK(outcome.bad_position == -1);
        CHECK(std::ranges::equal(output.span(), expected));
    }
}

TEST_CASE("a part is the end of a table, whole tables, whole batches, and the same backwards") {
    // Batches, tables, picks: 4 x 3 x 5, of 8 bytes; a table has 7 elements.
    const Plan plan = gather_plan(ElementType::f64, {4, 3, 7}, {4, 5}, 2, 1);
    const Grid grid = grid_of(plan);
    struct Row {
        std::int64_t cells, data_bytes, first_index, output_bytes, batches, tables, picks;
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> pieces;
    for (std::int64_t cell = 3; cell < 52;) {
        const Piece piece = piece_of(plan, grid, cell, 52);
        pieces.push_back({piece.cells, piece.data_bytes, piece.first_index, piece.output_bytes,
                          piece.plan.batches, piece.plan.tables, piece.plan.picks});
        cell += piece.cells;
    }
    CHECK(pieces == std::vector<Row>{{2, 0, 3, 24, 1, 1, 2},      // the first table's picks 3 and 4
                                     {10, 56, 0, 40, 1, 2, 5},    // the first batch's other tables
                                     {30, 168, 5, 120, 2, 3, 5},  // batches 1 and 2
                                     {5, 504, 15, 360, 1, 1, 5},  // a table of batch 3
                                     {2, 560, 15, 400, 1, 1, 2}});  // picks of the next one
}

TEST_CASE("a small call never uses an executor") {
    const WakeCost cost("1");
    InTurn executor(4);
    Picks picks(512);
    REQUIRE(picks(&executor).ok());
    CHECK(executor.runs == 0);
    CHECK(picks.output_is_right());
}

TEST_CASE("a plan that is kept knows whether it may be worth an executor") {
    const WakeCost cost("1");
    const std::vector<std::byte> data(1 << 20);
    const std::vector<std::int64_t> indices(4096, 7);
    const auto runs = [&](std::int64_t rows, std::int64_t row_bytes) {
        const Result<Plan> planned =
            plan_gather({ElementType::u8, {16, row_bytes}}, {ElementType::i64, {rows}}, 0);
        REQUIRE(planned.ok());
        std::vector<std::byte> output(static_cast<std::size_t>(rows * row_bytes));
        InTurn executor(4);
        REQUIRE(
            run(*planned, data.data(), std::as_bytes(std::span(indices)).data(), output, &executor)
                .ok());
        return executor.runs;
    };
    CHECK(runs(1, 8192) == 0);
    CHECK(runs(8, 1024) == 0);
    CHECK(runs(1, 32768) == 0);
    CHECK(runs(4096, 64) > 0);
    CHECK(runs(64, 65536) > 0);
}

TEST_CASE("a call is cut where each part is worth more than waking a thread") {
    const Plan plan = gather_plan(ElementType::f32, {1000}, {100000}, 0);
    const double work = estimated_nanoseconds(plan);
    CHECK(work > 10'000);
    CHECK(work < 200'000);
    const auto parts = [&](double cost, int threads) {
        const WakeCost given(std::to_string(static_cast<std::int64_t>(cost)).c_str());
        InTurn executor(threads);
        return parts_for(plan, executor);
    };
    CHECK(parts(work, 8) == 1);
    CHECK(parts(work / 5, 8) == 1);
    CHECK(parts(work / 8, 8) == 2);
    CHECK(parts(work / 30, 8) == 8);
    CHECK(parts(work / 60, 8) == 16);
    CHECK(parts(work / 1000, 8) == 32);
    CHECK(parts(work / 100, 1) == 1);
}

TEST_CASE("what waking a thread costs is found out once") {
    InTurn never_together(2);
    // Neither job meets the other.
    CHECK(never_together.wake_cost(0) >= 100'000);
    const int runs = never_together.runs;
    CHECK(never_together.wake_cost(0) >= 100'000);
    CHECK(never_together.runs == runs);
}

TEST_CASE("many threads write the output that one does", "[threads]") {
    const WakeCost cost("0");
    Starting threads(3);
    const auto tbb = make_executor(3);
    const auto arena = make_arena_executor();
    for (Executor* executor : std::array<Executor*, 3>{&threads, tbb.get(), arena.get()}) {
        Picks picks(100'000);
        REQUIRE(picks(executor).ok());
        CHECK(picks.output_is_right());
    }
    CHECK(threads.runs > 0);
}

TEST_CASE("with many threads, too, the first index out of bounds is named", "[threads]") {
    const WakeCost cost("0");
    Starting executor(3);
    Picks picks(100'000);
    picks.indices[99'999] = 1000;
    picks.indices[70'000] = -1001;
    picks.indices[10'007] = 1000;
    const auto done = picks(&executor);
    REQUIRE(!done.ok());
    CHECK(to_string(done.error()).find("flat position 10007 of indices is 1000") !=
          std::string::npos);
    CHECK(executor.runs > 0);
}

TEST_CASE("several threads may share an executor", "[threads]") {
    const WakeCost cost("0");
    const auto executor = make_executor(2);
    std::array<Picks, 3> picks{Picks(50'000), Picks(60'000), Picks(70'000)};
    std::vector<std::thread> callers;
    for (Picks& mine : picks) {
        callers.emplace_back([&mine, &executor] {
            for (int k = 0; k < 20; ++k) static_cast<void>(mine(executor.get()));
        });
    }
    for (std::thread& caller : callers) caller.join();
    for (const Picks& mine : picks) CHECK(mine.output_is_right());
}

/// Jobs that count their calls and tell who did them. The first of two waits for the other one,
/// for seconds at most.
struct Witnessed {
    static constexpr auto patience = std::chrono::seconds(30);  // of a busy machine

    static void count_call(void* context, int k) {
        auto& witnessed = *static_cast<Witnessed*>(context);
        ++witnessed.calls[static_cast<std::size_t>(k)];
        witnessed.threads[static_cast<std::size_t>(k)] = std::this_thread::get_id();
    }

    static void meet(void* context, int k) {
        auto& witnessed = *static_cast<Witnessed*>(context);
        count_call(context, k);
        const auto start = std::chrono::steady_clock::now();
        while (k == 0 && witnessed.calls[1] == 0 &&
               std::chrono::steady_clock::now() - start < patience) {
            std::this_thread::yield();
        }
    }

    std::array<std::atomic<int>, 2> calls{};
    std::array<std::thread::id, 2> threads{};
};

TEST_CASE("an executor calls each job once", "[threads]") {
    for (const auto& executor : {make_executor(1), make_executor(64), make_arena_executor()}) {
        REQUIRE(executor->threads() >= 1);
        CHECK(executor->threads() <= 64);
        std::vector<std::atomic<int>> calls(static_cast<std::size_t>(executor->threads()));
        executor->run(
            executor->threads(),
            [](void* context, int k) {
                ++(*static_cast<std::vector<std::atomic<int>>*>(
                    context))[static_cast<std::size_t>(k)];
            },
            &calls);
        for (const auto& count : calls) CHECK(count == 1);
    }
    CHECK(make_executor(1)->threads() == 1);
    Witnessed none;
    for (const auto& executor : {make_executor(2), make_arena_executor()}) {
        executor->run(0, Witnessed::count_call, &none);
    }
    CHECK(none.calls[0] + none.calls[1] == 0);
}

TEST_CASE("who has helped with a call does the same job of the next one", "[threads]") {
    const auto executor = make_executor(2, 5'000'000'000);
    if (executor->threads() < 2) SKIP("oneTBB has one thread here");
    std::thread::id helper;
    for (int k = 0; k < 100; ++k) {
        Witnessed witnessed;
        executor->run(2, Witnessed::meet, &witnessed);
        CHECK(witnessed.calls[0] == 1);
        CHECK(witnessed.calls[1] == 1);
        CHECK(witnessed.threads[0] == std::this_thread::get_id());
        CHECK(witnessed.threads[1] != std::this_thread::get_id());
        if (k > 0) CHECK(witnessed.threads[1] == helper);
        helper = witnessed.threads[1];
    }
}

TEST_CASE("executors end while helpers spin or are being woken", "[threads]") {
    for (const std::int64_t spin_time : {std::int64_t{0}, std::int64_t{5'000'000'000}}) {
        for (int k = 0; k < 50; ++k) {
            const auto executor = make_executor(2, spin_time);
            std::vector<Witnessed> witnessed(3);
            for (Witnessed& each : witnessed) {
                executor->run(executor->threads(), Witnessed::count_call, &each);
            }
            for (const Witnessed& each : witnessed) CHECK(each.calls[0] == 1);
        }
    }
}

TEST_CASE("a call whose helpers do not come does all of its jobs, and its executor ends",
          "[threads]") {
    const auto busy = make_executor(64);
    struct Held {
        std::atomic<int> begun{0};
        std::atomic<bool> released{false};
    } held;
    std::thread caller([&] {
        busy->run(
            busy->threads(),
            [](void* context, int) {
                auto& mine = *static_cast<Held*>(context);
                ++mine.begun;
                while (!mine.released) std::this_thread::yield();
            },
            &held);
    });
    const auto start = std::chrono::steady_clock::now();
    while (held.begun < busy->threads() &&
           std::chrono::steady_clock::now() - start < Witnessed::patience) {
        std::this_thread::yield();
    }
    {
        const auto executor = make_executor(2);
        Witnessed witnessed;
        executor->run(executor->threads(), Witnessed::count_call, &witnessed);
        CHECK(witnessed.calls[0] == 1);
        CHECK(witnessed.threads[0] == std::this_thread::get_id());
        CHECK(witnessed.threads[static_cast<std::size_t>(executor->threads() - 1)] ==
              std::this_thread::get_id());
    }
    CHECK(held.begun == busy->threads());
    held.released = true;
    caller.join();
}

#ifdef __unix__
TEST_CASE("a forked child calls the executor that it was given, and ends it") {
    auto executor = make_executor(2, 5'000'000'000);
    Witnessed parents;
    if (executor->threads() < 2) SKIP("oneTBB has one thread here");
    executor->run(2, Witnessed::meet, &parents);  // whoever helped spins now
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(30);
        Witnessed childs;
        executor->run(2, Witnessed::count_call, &childs);
        executor.reset();
        _exit(childs.calls[0] == 1 && childs.calls[1] == 1 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
#endif

TEST_CASE("callers that share an executor have each of their jobs done once", "[threads]") {
    for (const std::int64_t spin_time : {std::int64_t{0}, std::int64_t{100'000}}) {
        const auto executor = make_executor(2, spin_time);
        std::vector<std::thread> callers;
        std::atomic<int> wrong{0};
        for (int caller = 0; caller < 3; ++caller) {
            callers.emplace_back([&] {
                for (int k = 0; k < 300; ++k) {
                    Witnessed witnessed;
                    executor->run(executor->threads(), Witnessed::count_call, &witnessed);
                    const int last = executor->threads() - 1;
                    if (witnessed.calls[0] != 1 ||
                        witnessed.calls[static_cast<std::size_t>(last)] != 1) {
                        ++wrong;
                    }
                }
            });
        }
        for (std::thread& caller : callers) caller.join();
        CHECK(wrong == 0);
    }
}

}  // namespace
}  // namespace gathercheck::optimized::test
