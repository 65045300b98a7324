// SPDX-License-Identifier: Apache-2.0
// Runs a fixed set of calls on one target, each in a function of its own name, whose instructions a
// profiler counts.
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "optimized/gather.hpp"

namespace gathercheck::optimized {
namespace {

using enum ElementType;

constexpr int repetitions = 10;

/// Numbers below `limit` that look random and are the same everywhere; below 0
/// too where `negatives`.
template <class T>
std::vector<T> numbers(std::size_t count, std::int64_t limit, bool negatives = false) {
    std::vector<T> result(count);
    std::uint32_t state = 1;
    for (T& number : result) {
        state = state * 1664525U + 1013904223U;
        number = static_cast<T>(static_cast<std::int64_t>(state >> 8) % limit);
        if (negatives && (state & 0x70U) == 0) number = static_cast<T>(number - limit);
    }
    return result;
}

template <class T>
const std::byte* bytes(const std::vector<T>& values) {
    return reinterpret_cast<const std::byte*>(values.data());
}

/// Under its own name for each Call.
template <class Call, class Run>
[[gnu::noinline]] void counted(Run run) {
    for (int k = 0; k < repetitions; ++k) run();
}

/// Runs a plan; Call gives the name.
template <class Call, class T>
bool count(const Result<Plan>& plan, const std::vector<T>& indices) {
    if (!plan) return false;
    const Descriptor& result = output_descriptor(*plan);
    const std::vector<std::uint8_t> data(std::size_t{1} << 20, 7);
    std::vector<std::byte> output(static_cast<std::size_t>(*byte_size(result)));
    bool done = true;
    counted<Call>([&] { done &= run(*plan, bytes(data), bytes(indices), output).ok(); });
    return done;
}

struct scalar_pick;
struct scalar_pick_at_once;
struct elements_4_bytes;
struct elements_4_bytes_i64_negatives;
struct elements_1_byte;
struct elements_8_bytes_for_64_tables;
struct table_of_16_bytes;
struct table_of_16_dwords;
struct two_tables_of_16_dwords;
struct rows_of_12_bytes;
struct rows_of_64_bytes;
struct rows_of_300_bytes;
struct gather_elements_last_axis;
struct gather_elements_first_axis;
struct gather_elements_equal_indices;
struct gather_nd_pairs;
struct packed_4_bits;

bool count_all(const Target& target) {
    const auto rule = IndexRule::from_end_too;
    const auto gathered = [&](ElementType type, const Shape& shape, ElementType index,
                              std::int64_t picks, std::int64_t axis = 0) {
        return plan_gather({type, shape}, {index, {picks}}, axis, 0, rule, target);
    };
    const auto few = numbers<std::int32_t>(4096, 16);
    const auto some = numbers<std::int32_t>(4096, 100);
    const auto many = numbers<std::int32_t>(4096, 1000);
    const auto many_wide = numbers<std::int64_t>(4096, 1000, true);
    const auto below_64 = numbers<std::int64_t>(4096, 64);
    const auto equal = std::vector<std::int64_t>(4096, 5);

    const std::vector<std::int64_t> pick{2};
    const std::vector<std::int64_t> four{1, 2, 3, 4};
    std::int64_t picked = 0;
    const auto output = std::as_writable_bytes(std::span(&picked, 1));
    bool done = count<scalar_pick>(plan_gather({i64, {4}}, {i64, {}}, 0, 0, rule, target), pick);
    // By the best target. The first call of all also finds out about the machine.
    const auto pick_at_once = [&] {
        done &= gather({i64, {4}, bytes(four)}, {i64, {}, bytes(pick)}, 0, 0, output, rule).ok();
    };
    pick_at_once();
    counted<scalar_pick_at_once>(pick_at_once);
    return done && picked == 3 && count<elements_4_bytes>(gathered(f32, {1000}, i32, 4096), many) &&
           count<elements_4_bytes_i64_negatives>(gathered(f32, {1000}, i64, 4096), many_wide) &&
           count<elements_1_byte>(gathered(u8, {1000}, i32, 4096), many) &&
           count<elements_8_bytes_for_64_tables>(gathered(f64, {64, 64}, i64, 128, 1), below_64) &&
           count<table_of_16_bytes>(gathered(u8, {16}, i32, 4096), few) &&
           count<table_of_16_dwords>(gathered(f32, {16}, i32, 4096), few) &&
           count<two_tables_of_16_dwords>(gathered(f32, {2, 16}, i32, 4096, 1), few) &&
           count<rows_of_12_bytes>(gathered(f32, {100, 3}, i32, 4096), some) &&
           count<rows_of_64_bytes>(gathered(f32, {100, 16}, i32, 4096), some) &&
           count<rows_of_300_bytes>(gathered(f32, {100, 75}, i32, 256), some) &&
           count<gather_elements_last_axis>(
               plan_gather_elements({f32, {64, 64}}, {i64, {64, 64}}, 1, true, target), below_64) &&
           count<gather_elements_first_axis>(
               plan_gather_elements({f32, {64, 64}}, {i64, {64, 64}}, 0, true, target), below_64) &&
           count<gather_elements_equal_indices>(
               plan_gather_elements({f32, {64, 16}}, {i64, {256, 16}}, 0, true, target), equal) &&
           count<gather_nd_pairs>(
               plan_gather_nd({f32, {64, 64}}, {i64, {2048, 2}}, 0, true, target), below_64) &&
           count<packed_4_bits>(gathered(u4, {1000}, i32, 1000), many);
}

}  // namespace
}  // namespace gathercheck::optimized

/// Argument: the target. 2: it is not available.
int main(int argc, char** argv) {
    using namespace gathercheck::optimized;
    if (argc != 2) return 1;
    for (const Target& target : targets()) {
        if (target.name != std::string_view(argv[1])) continue;
        if (!target.available()) return 2;
        return count_all(target) ? 0 : 1;
    }
    return 1;
}
