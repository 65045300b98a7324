// SPDX-License-Identifier: Apache-2.0
// One plan and one executor, used from many threads at once: for ThreadSanitizer above all.
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "optimized/gather.hpp"
#include "optimized/tests/executors.hpp"
#include "optimized/tests/support.hpp"

namespace gathercheck::optimized::test {
namespace {

using enum ElementType;

constexpr int callers = 6;
constexpr int calls = 8;

/// Does it on so many threads, which begin together.
void from_many_threads(const std::function<void(int)>& work) {
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < callers; ++k) {
        threads.emplace_back([&, k] {
            for (++ready; ready < callers;) std::this_thread::yield();
            work(k);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

/// A plan, and data that all callers share. The indices of caller c are those of caller 0 plus c,
/// one of them out of bounds for the last caller.
struct Shared {
    Result<Plan> plan;
    std::vector<std::byte> data;
    std::int64_t index_count;
    std::int64_t index_limit;

    std::vector<std::byte> indices_of(int caller) const {
        std::vector<std::int64_t> indices;
        for (std::int64_t k = 0; k < index_count; ++k) {
            indices.push_back((k * 7 + caller) % index_limit);
        }
        if (caller == callers - 1) indices[static_cast<std::size_t>(index_count / 2)] = index_limit;
        return bytes_of(indices);
    }
};

/// What is wrong with what many threads get, each of the same plan: nothing.
std::string difference(const Shared& shared, Executor* executor) {
    const Plan& plan = *shared.plan;
    const auto size = static_cast<std::size_t>(*byte_size(output_descriptor(plan)));
    std::array<std::vector<std::byte>, callers> expected;
    for (int k = 0; k < callers - 1; ++k) {
        auto& output = expected[static_cast<std::size_t>(k)];
        output.resize(size);
        const auto indices = shared.indices_of(k);
        if (!run(plan, shared.data.data(), indices.data(), output)) return "refused on one thread";
    }
    std::atomic<int> wrong{0};
    from_many_threads([&](int caller) {
        const auto indices = shared.indices_of(caller);
        for (int k = 0; k < calls; ++k) {
            std::vector<std::byte> output = filled(size, 0xEE);
            const auto done = run(plan, shared.data.data(), indices.data(), output, executor);
            const bool right = caller == callers - 1
                                   ? !done && done.error().category == Category::index_out_of_bounds
                                   : done && output == expected[static_cast<std::size_t>(caller)];
            if (!right) ++wrong;
        }
    });
    return wrong == 0 ? "" : std::to_string(wrong) + " calls went wrong";
}

TEST_CASE("one plan is run from many threads, with executors of each kind or none", "[threads]") {
    Random random(1);
    const auto data = random.bytes(1 << 16);
    const Shape rows{256, 64};
    const std::array<Shared, 4> all{{
        {plan_gather({f32, rows}, {i64, Shape{3000}}, 0), data, 3000, 256},
        {plan_gather({u4, Shape{256, 63}}, {i64, Shape{500}}, 0), data, 500, 256},
        {plan_gather_elements({f32, rows}, {i64, Shape{100, 64}}, 0), data, 6400, 256},
        {plan_gather_nd({f32, Shape{64, 64}}, {i64, Shape{2000, 2}}), data, 4000, 64},
    }};
    Starting threads(3);
    const auto tbb = make_executor(2);
    const auto arena = make_arena_executor();
    for (const Shared& shared : all) {
        REQUIRE(shared.plan.ok());
        for (Executor* executor :
             std::array<Executor*, 4>{nullptr, &threads, tbb.get(), arena.get()}) {
            CHECK(difference(shared, executor) == "");
        }
    }
}

TEST_CASE("what a process finds out once may be asked by many threads first", "[threads]") {
    const std::vector<float> numbers(1 << 20, 2.5F);
    const Tensor data = tensor(f32, Shape{1 << 20}, numbers);
    std::vector<std::int64_t> picks;
    for (std::int64_t k = 0; k < 20'000; ++k) picks.push_back(k * 51 % (1 << 20));
    const Tensor indices = tensor(i64, Shape{20'000}, picks);
    const auto executor = make_executor(2);
    std::atomic<int> wrong{0};
    from_many_threads([&](int) {
        std::vector<std::byte> output(picks.size() * sizeof(float));
        const auto done = gather(data.view(), indices.view(), 0, 0, output, IndexRule::from_end_too,
                                 executor.get());
        if (!done || values_of<float>(output) != std::vector<float>(picks.size(), 2.5F)) ++wrong;
    });
    CHECK(wrong == 0);
}

}  // namespace
}  // namespace gathercheck::optimized::test
