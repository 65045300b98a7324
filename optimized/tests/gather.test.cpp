// SPDX-License-Identifier: Apache-2.0
// Literal calls on every target, the rows themselves, and the typed face.
#include "optimized/gather.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "optimized/cpu.hpp"
#include "optimized/tests/executors.hpp"
#include "optimized/tests/support.hpp"

namespace gathercheck::optimized::test {
namespace {

using enum ElementType;
using enum OperatorVersion;

/// Runs a call on every available target and returns what all of them gave; the
/// call must be legal.
template <class T>
std::vector<T> on_every_target(OwnedCall owned) {
    std::optional<std::vector<std::byte>> common;
    for (const Target& target : targets()) {
        if (!target.available()) continue;
        INFO("target " << target.name << ": " << owned.text());
        const auto descriptor = target.output_descriptor(owned.call());
        REQUIRE(descriptor.ok());
        std::vector<std::byte> output =
            filled(static_cast<std::size_t>(*byte_size(*descriptor)), 0xEE);
        const auto done = target.run(owned.call(), output);
        if (!done) FAIL(to_string(done.error()));
        if (common) CHECK(output == *common);
        common = output;
    }
    return values_of<T>(*common);
}

/// The same for a call that every target must reject.
std::string rejected_by_every_target(OwnedCall owned, std::size_t size) {
    std::optional<std::string> common;
    for (const Target& target : targets()) {
        if (!target.available()) continue;
        INFO("target " << target.name << ": " << owned.text());
        std::vector<std::byte> output = filled(size, 0x5A);
        const auto done = target.run(owned.call(), output);
        REQUIRE(!done.ok());
        if (common) CHECK(to_string(done.error()) == *common);
        common = to_string(done.error());
    }
    return *common;
}

Tensor counting(const Shape& shape, std::int32_t first) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(*element_count(shape)));
    for (std::int32_t& value : values) value = first++;
    return tensor(i32, shape, values);
}

using Ints = std::vector<std::int32_t>;

TEST_CASE("targets stand best first under the names of their instruction sets") {
    std::vector<std::string_view> names;
    for (const Target& target : targets()) names.push_back(target.name);
    CHECK(names == std::vector<std::string_view>{"avx512vbmi", "avx512bw", "avx2", "sse4_2", "sse2",
                                                 "neon64", "generic"});
}

TEST_CASE("the best target is the first that is available") {
    CHECK(best_target().available());
    for (const Target& target : targets()) {
        if (&target == &best_target()) break;
        CHECK_FALSE(target.available());
    }
}

TEST_CASE("a target is available exactly where the CPU has its instruction set") {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const auto available = [](InstructionSet set) {
        return std::ranges::find(targets(), set, &Target::instruction_set)->available();
    };
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512bw = avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    CHECK(available(InstructionSet::sse2));
    CHECK(available(InstructionSet::sse4_2) == (__builtin_cpu_supports("sse4.2") != 0));
    CHECK(available(InstructionSet::avx2) == avx2);
    CHECK(available(InstructionSet::avx512bw) == avx512bw);
    CHECK(
        available(InstructionSet::avx512vbmi) ==
        (avx512bw && __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vbmi")));
    CHECK_FALSE(available(InstructionSet::neon64));
    CHECK_FALSE(available(InstructionSet::generic));
#else
#if defined(__aarch64__)
    constexpr auto only = InstructionSet::neon64;
#else
    constexpr auto only = InstructionSet::generic;
#endif
    for (const Target& target : targets()) {
        CHECK(target.available() == (target.instruction_set == only));
    }
#endif
}

TEST_CASE("a target that is not available has no kernels to run") {
    for (const Target& target : targets()) {
        const Kernels* table = kernels(target.instruction_set);
        CHECK(target.available() == (table != nullptr));
        if (table != nullptr) CHECK(table->set == target.instruction_set);
    }
}

TEST_CASE("the kernels that run are compiled for the target's instruction set") {
    // Each of these reaches another family of kernels.
    std::vector<OwnedCall> calls;
    for (const std::int64_t bytes : {1, 2, 3, 4, 6, 8, 12, 16, 24, 48, 96, 200, 2000}) {
        Tensor data;
        data.type = u8;
        data.shape = {5, bytes};
        data.contents.resize(static_cast<std::size_t>(5 * bytes));
        calls.push_back({onnx_gather_13,
                         data,
                         tensor<std::int64_t>(i64, {40}, std::vector<std::int64_t>(40, -2)),
                         0,
                         0,
                         {}});
    }
    calls.push_back({onnx_gather_elements_13,
                     counting({3, 4}, 0),
                     tensor<std::int32_t>(i32, {3, 4}, Ints(12, 1)),
                     0,
                     0,
                     {}});
    calls.push_back({onnx_gather_nd_13,
                     counting({3, 4}, 0),
                     tensor<std::int64_t>(i64, {2, 2}, {1, 1, 2, 2}),
                     0,
                     0,
                     {}});
    calls.push_back({openvino_gather_8,
                     tensor<std::uint8_t>(u4, {3}, {0x21, 0x03}),
                     tensor<std::int8_t>(i8, {3}, {2, 7, 0}),
                     0,
                     0,
                     {}});
    for (const Target& target : targets()) {
        if (!target.available()) continue;
        for (OwnedCall& owned : calls) {
            INFO("target " << target.name << ": " << owned.text());
            const auto descriptor = output_descriptor(owned.call());
            std::vector<std::byte> output(static_cast<std::size_t>(*byte_size(*descriptor)));
            const auto ran = trace(target, owned.call(), output);
            REQUIRE(ran.ok());
            CHECK(name(ran->scanned) == target.name);
            CHECK(name(ran->moved) == target.name);
        }
    }
}

TEST_CASE("Gather picks rows along the first axis") {
    CHECK(on_every_target<std::int32_t>({onnx_gather_13,
                                         counting({3, 2}, 10),
                                         tensor<std::int64_t>(i64, {2, 2}, {0, 1, 1, 2}),
                                         0,
                                         0,
                                         {}}) == Ints{10, 11, 12, 13, 12, 13, 14, 15});
}

TEST_CASE("Gather picks elements along the last axis, negative ones from the end") {
    CHECK(on_every_target<std::int32_t>({onnx_gather_11,
                                         counting({2, 3}, 0),
                                         tensor<std::int32_t>(i32, {2}, {-1, 0}),
                                         1,
                                         0,
                                         {}}) == Ints{2, 0, 5, 3});
}

TEST_CASE("Gather-7 gives each batch its own indices") {
    CHECK(on_every_target<std::int32_t>({openvino_gather_7,
                                         counting({2, 5}, 1),
                                         tensor<std::uint8_t>(u8, {2, 3}, {0, 0, 4, 4, 0, 0}),
                                         1,
                                         1,
                                         {}}) == Ints{1, 1, 5, 10, 6, 6});
}

TEST_CASE("Gather-7 reuses the indices of a batch for all its tables") {
    CHECK(on_every_target<std::int32_t>({openvino_gather_7,
                                         counting({2, 2, 2}, 0),
                                         tensor<std::int64_t>(i64, {2, 3}, {0, 0, 1, 1, 1, 0}),
                                         2,
                                         1,
                                         {}}) == Ints{0, 0, 1, 2, 2, 3, 5, 5, 4, 7, 7, 6});
}

TEST_CASE("Gather-8 writes zeros for indices beyond the axis") {
    CHECK(on_every_target<std::int32_t>({openvino_gather_8,
                                         counting({3}, 7),
                                         tensor<std::int32_t>(i32, {5}, {3, 2, -4, -3, 0}),
                                         0,
                                         0,
                                         {}}) == Ints{0, 9, 0, 7, 7});
}

TEST_CASE("Gather-8 takes a u64 index beyond 63 bits for one beyond the axis") {
    CHECK(on_every_target<std::int32_t>({openvino_gather_8,
                                         counting({3}, 7),
                                         tensor<std::uint64_t>(u64, {2}, {~std::uint64_t{0}, 1}),
                                         0,
                                         0,
                                         {}}) == Ints{0, 8});
}

TEST_CASE("Gather-8 fills the output with zeros where data has no elements") {
    CHECK(on_every_target<std::int32_t>({openvino_gather_8,
                                         counting({2, 0}, 7),
                                         tensor<std::int32_t>(i32, {2}, {0, 5}),
                                         1,
                                         0,
                                         {}}) == Ints{0, 0, 0, 0});
}

TEST_CASE("a scalar index takes its dimension away") {
    CHECK(on_every_target<std::int32_t>(
              {onnx_gather_1, counting({4}, 5), tensor<std::int64_t>(i64, {}, {2}), 0, 0, {}}) ==
          Ints{7});
}

TEST_CASE("GatherElements-6 keeps all coordinates but one") {
    CHECK(on_every_target<std::int32_t>({openvino_gather_elements_6,
                                         counting({3, 3}, 1),
                                         tensor<std::int32_t>(i32, {2, 3}, {1, 2, 0, 2, 0, 0}),
                                         0,
                                         0,
                                         {}}) == Ints{4, 8, 3, 7, 2, 3});
}

TEST_CASE("GatherElements takes indices that are smaller than data beside the axis") {
    CHECK(on_every_target<std::int32_t>({onnx_gather_elements_13,
                                         counting({2, 3, 4}, 0),
                                         tensor<std::int64_t>(i64, {2, 2, 1}, {2, 0, 1, -1}),
                                         1,
                                         0,
                                         {}}) == Ints{8, 0, 16, 20});
}

TEST_CASE("GatherND picks slices by tuples") {
    CHECK(on_every_target<std::int32_t>({onnx_gather_nd_11,
                                         counting({2, 2, 2}, 0),
                                         tensor<std::int64_t>(i64, {2, 2}, {0, 1, -1, 0}),
                                         0,
                                         0,
                                         {}}) == Ints{2, 3, 4, 5});
}

TEST_CASE("GatherND picks elements in batches") {
    CHECK(on_every_target<std::int32_t>({onnx_gather_nd_12,
                                         counting({2, 2, 2}, 0),
                                         tensor<std::int64_t>(i64, {2, 1}, {1, 0}),
                                         0,
                                         1,
                                         {}}) == Ints{2, 3, 4, 5});
}

TEST_CASE("GatherND-5 makes one dimension of its batch dimensions") {
    OwnedCall owned{openvino_gather_nd_5,
                    counting({2, 2, 3}, 0),
                    tensor<std::int64_t>(i64, {2, 2, 1}, {0, 1, 2, 0}),
                    0,
                    2,
                    {}};
    CHECK(output_descriptor(owned.call())->shape == Shape{4});
    CHECK(on_every_target<std::int32_t>(owned) == Ints{0, 4, 8, 9});
}

TEST_CASE("packed elements leave the spare bits zero and ignore those of data") {
    // 1, 2, 3, 4, 5 in three bits each; the last bit of the second byte is spare.
    CHECK(on_every_target<std::uint8_t>({openvino_gather_7,
                                         tensor<std::uint8_t>(u3, {5}, {0xD1, 0xD8}),
                                         tensor<std::int8_t>(i8, {3}, {4, 3, 0}),
                                         0,
                                         0,
                                         {}}) == std::vector<std::uint8_t>{0x65, 0x00});
}

TEST_CASE("strings are moved as they are") {
    const Tensor words = string_tensor({3}, {"zero", "", std::string("a\0b", 3)});
    OwnedCall owned{onnx_gather_13, words, tensor<std::int64_t>(i64, {3}, {2, 0, 1}), 0, 0, {}};
    const auto moved = on_every_target<StringElement>(owned);
    CHECK(moved[0].view() == std::string_view("a\0b", 3));
    CHECK(moved[1].view() == "zero");
    CHECK(moved[2].view().empty());
}

TEST_CASE("no indices give no output and no error") {
    CHECK(on_every_target<std::int32_t>(
              {onnx_gather_13, counting({0}, 0), tensor<std::int64_t>(i64, {0}, {}), 0, 0, {}})
              .empty());
}

TEST_CASE("an index out of bounds is an error also where the output is empty") {
    CHECK(
        rejected_by_every_target(
            {onnx_gather_13, counting({3, 0}, 0), tensor<std::int64_t>(i64, {2}, {0, 3}), 0, 0, {}},
            0) ==
        "index_out_of_bounds (rule onnx.gather-13.indices.error): the index at flat position 1 "
        "of indices is 3, outside [-3, 2]; it picks from dimension 0 of data, of size 3");
}

TEST_CASE("the first index out of bounds is named") {
    std::vector<std::int64_t> many(5000, 1);
    many[4711] = -4;
    many[4999] = 3;
    CHECK(rejected_by_every_target(
              {onnx_gather_13, counting({3}, 0), tensor<std::int64_t>(i64, {5000}, many), 0, 0, {}},
              20000)
              .find("flat position 4711 of indices is -4") != std::string::npos);
}

TEST_CASE("a component of a tuple is checked against its own dimension") {
    CHECK(rejected_by_every_target({onnx_gather_nd_13,
                                    counting({2, 3}, 0),
                                    tensor<std::int64_t>(i64, {3, 2}, {1, 2, 0, 2, 2, 1}),
                                    0,
                                    0,
                                    {}},
                                   12)
              .find("flat position 4 of indices is 2, outside [-2, 1]") != std::string::npos);
}

TEST_CASE("an output of the wrong size is an error") {
    OwnedCall owned{
        onnx_gather_13, counting({3}, 0), tensor<std::int64_t>(i64, {1}, {0}), 0, 0, {}};
    std::vector<std::byte> output = filled(5, 0x5A);
    const auto done = run(owned.call(), output);
    REQUIRE(!done.ok());
    CHECK(done.error().category == Category::output_shape_mismatch);
    CHECK(output == filled(5, 0x5A));
}

TEST_CASE("positions may be beyond 2^31") {
    // A table of 2 GiB and some, of which a few pages are touched.
    constexpr std::int64_t size = (std::int64_t{1} << 31) + 5000;
    void* const mapped = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) SKIP("no address space for the table");
    auto* const table = static_cast<std::byte*>(mapped);
    table[size - 1] = std::byte{7};
    table[size - 4096] = std::byte{9};
    table[3] = std::byte{5};
    const std::vector<std::uint32_t> unsigned_values{static_cast<std::uint32_t>(size - 1), 3,
                                                     static_cast<std::uint32_t>(size - 4096)};
    const std::vector<std::int64_t> signed_values{-1, 3, -4096};
    const Tensor unsigned_indices = tensor(u32, {3}, unsigned_values);
    const Tensor signed_indices = tensor(i64, {3}, signed_values);
    const std::vector<std::uint8_t> expected{7, 5, 9};
    for (const Target& target : targets()) {
        if (!target.available()) continue;
        INFO("target " << target.name);
        std::vector<std::byte> output(3);
        for (const Tensor* indices : {&unsigned_indices, &signed_indices}) {
            const auto planned = plan_gather({u8, {size}}, {indices->type, indices->shape}, 0, 0,
                                             IndexRule::from_end_too, target);
            REQUIRE(planned.ok());
            REQUIRE(run(*planned, table, indices->contents.data(), output).ok());
            CHECK(values_of<std::uint8_t>(output) == expected);
            const auto by_element = plan_gather_elements(
                {u8, {size}}, {indices->type, indices->shape}, 0, true, target);
            REQUIRE(run(*by_element, table, indices->contents.data(), output).ok());
            CHECK(values_of<std::uint8_t>(output) == expected);
        }
    }
    munmap(mapped, static_cast<std::size_t>(size));
}

TEST_CASE("picks from far apart are the right ones, and each is checked") {
    constexpr std::int64_t bytes = 18'000'006;
    const auto value = [](std::int64_t place) {
        return static_cast<std::uint8_t>(place * 7 + place / 256 + place / 65536);
    };
    std::vector<std::byte> data(bytes);
    for (std::int64_t k = 0; k < bytes; ++k) {
        data[static_cast<std::size_t>(k)] = std::byte{value(k)};
    }
    struct Case {
        std::int64_t tables;
        std::int64_t picks;
        bool ascending;  ///< else in any order, and every fifth from the end
    };
    for (const Case& one : {Case{6, 20, false}, Case{6, 500, false}, Case{6, 500, true},
                            Case{1, 3001, false}, Case{1, 3001, true}, Case{1, 40'000, false}}) {
        const std::int64_t extent = bytes / one.tables;
        std::vector<std::int64_t> indices;
        std::vector<std::uint8_t> expected;
        for (std::int64_t k = 0; k < one.tables * one.picks; ++k) {
            const std::int64_t index = one.ascending ? k % one.picks * 997 : k * 104'729 % extent;
            indices.push_back(!one.ascending && k % 5 == 0 ? index - extent : index);
            expected.push_back(value(k / one.picks * extent + index));
        }
        const auto* const from = reinterpret_cast<const std::byte*>(indices.data());
        for (const Target& target : targets()) {
            if (!target.available()) continue;
            INFO("target " << target.name << ", " << one.picks << " picks from each of "
                           << one.tables);
            const auto planned = plan_gather_elements(
                {u8, {one.tables, extent}}, {i64, {one.tables, one.picks}}, 1, true, target);
            REQUIRE(planned.ok());
            std::vector<std::byte> output(expected.size());
            REQUIRE(run(*planned, data.data(), from, output).ok());
            CHECK((values_of<std::uint8_t>(output) == expected));
            for (const std::size_t place :
                 {std::size_t{0}, std::size_t{9}, indices.size() / 2, indices.size() - 1}) {
                const std::int64_t good = std::exchange(indices[place], extent);
                const auto done = run(*planned, data.data(), from, output);
                REQUIRE_FALSE(done.ok());
                CHECK(done.error().detail.find("flat position " + std::to_string(place) + " ") !=
                      std::string::npos);
                indices[place] = good;
            }
        }
    }
}

template <class Unit, class Index>
void check_shared_indices(ElementType type, ElementType index_type, std::int64_t tables,
                          std::int64_t picks, bool negative) {
    constexpr std::int64_t batches = 3;
    constexpr std::int64_t extent = 16;
    std::vector<Unit> data;
    for (std::int64_t k = 0; k < batches * tables * extent; ++k) {
        data.push_back(static_cast<Unit>(k * 5 + 1));
    }
    std::vector<Index> indices;
    for (std::int64_t k = 0; k < batches * picks; ++k) {
        indices.push_back(static_cast<Index>(k * 7 % extent));
    }
    if (negative) indices[indices.size() - 9] -= Index{extent};  // late
    std::vector<Unit> expected;
    for (std::int64_t table = 0; table < batches * tables; ++table) {
        for (std::int64_t k = 0; k < picks; ++k) {
            const std::int64_t pick = table / tables * picks + k;
            expected.push_back(data[static_cast<std::size_t>(table * extent + pick * 7 % extent)]);
        }
    }
    const std::size_t wrong = indices.size() - 20;
    const auto owned = [&](OperatorVersion version, Index index) {
        indices[wrong] = index;
        return OwnedCall{version,
                         tensor<Unit>(type, {batches, tables, extent}, data),
                         tensor<Index>(index_type, {batches, picks}, indices),
                         2,
                         1,
                         {}};
    };
    const Index right = indices[wrong];
    OwnedCall legal = owned(openvino_gather_8, right);
    OwnedCall beyond = owned(openvino_gather_8, Index{extent});
    OwnedCall illegal = owned(openvino_gather_7, Index{extent});
    std::vector<Unit> with_zeros = expected;
    for (std::int64_t table = (batches - 1) * tables; table < batches * tables; ++table) {
        with_zeros[static_cast<std::size_t>((table + 1) * picks - 20)] = Unit{};
    }
    for (const Target& target : targets()) {
        if (!target.available()) continue;
        for (const int parts : {1, 2, 3, 7}) {
            INFO("target " << target.name << " in " << parts << " parts: " << legal.text());
            InTurn executor(parts);
            std::vector<std::byte> output = filled(expected.size() * sizeof(Unit), 0xEE);
            REQUIRE(trace(target, legal.call(), output, &executor, parts).ok());
            CHECK((values_of<Unit>(output) == expected));
            REQUIRE(trace(target, beyond.call(), output, &executor, parts).ok());
            CHECK((values_of<Unit>(output) == with_zeros));
            if (negative) continue;  // Gather-7 has none
            const auto done = trace(target, illegal.call(), output, &executor, parts);
            REQUIRE_FALSE(done.ok());
            CHECK(done.error().detail.find("flat position " + std::to_string(wrong) + " ") !=
                  std::string::npos);
        }
    }
}

TEST_CASE("a number of parts that cannot be is refused, one that is absurd does no harm") {
    const std::vector<float> data{1, 2, 3};
    const std::vector<std::int64_t> indices{2, 0};
    const Call call{
        OperatorVersion::onnx_gather_13,
        {},
        {{"data", {f32, Shape{3}, reinterpret_cast<const std::byte*>(data.data())}},
         {"indices", {i64, Shape{2}, reinterpret_cast<const std::byte*>(indices.data())}}}};
    std::vector<std::byte> output = filled(2 * sizeof(float), 0xEE);
    InTurn executor(4);
    for (const int parts : {-1, std::numeric_limits<int>::min()}) {
        for (Executor* given :
             {static_cast<Executor*>(nullptr), static_cast<Executor*>(&executor)}) {
            const auto refused = trace(best_target(), call, output, given, parts);
            REQUIRE_FALSE(refused.ok());
            CHECK(refused.error().category == Category::too_large);
            CHECK(refused.error().detail == "parts is " + std::to_string(parts) +
                                                ": give a number of parts, or 0 for as many as "
                                                "are worth it");
        }
    }
    CHECK(output == filled(2 * sizeof(float), 0xEE));
    REQUIRE(trace(best_target(), call, output, &executor, std::numeric_limits<int>::max()).ok());
    CHECK((values_of<float>(output) == std::vector<float>{3, 1}));
}

TEST_CASE("typed operands with a negative dimension are refused") {
    const auto why = [](const Result<Plan>& plan) {
        if (plan) return std::string("planned");
        CHECK(plan.error().category == Category::too_large);
        CHECK(plan.error().rule.empty());
        return plan.error().detail;
    };
    const Descriptor good{f32, Shape{3}};
    const Descriptor bad{f32, Shape{-3}};
    const Descriptor indices{i64, Shape{2}};
    const Descriptor bad_indices{i64, Shape{-2}};
    const std::string of_data = "dimension 0 of data is -3: a dimension must not be negative";
    const std::string of_indices = "dimension 0 of indices is -2: a dimension must not be negative";
    CHECK(why(plan_gather(bad, indices, 0)) == of_data);
    CHECK(why(plan_gather(good, bad_indices, 0)) == of_indices);
    CHECK(why(plan_gather({f32, Shape{-3, -3}}, indices, 0)) == of_data);
    CHECK(why(plan_gather_elements(bad, indices, 0)) == of_data);
    CHECK(why(plan_gather_elements(good, bad_indices, 0)) == of_indices);
    CHECK(why(plan_gather_nd(bad, {i64, Shape{2, 1}})) == of_data);
    CHECK(why(plan_gather_nd(good, {i64, Shape{-2, 1}})) == of_indices);
}

TEST_CASE("tables share the indices of their batch, however many of both there are") {
    for (const std::int64_t tables : {1, 2, 3}) {
        for (const std::int64_t picks : {30, 300, 2000, 17000}) {
            for (const bool negative : {false, true}) {
                check_shared_indices<float, std::int64_t>(f32, i64, tables, picks, negative);
                check_shared_indices<float, std::int32_t>(f32, i32, tables, picks, negative);
                check_shared_indices<std::uint8_t, std::int64_t>(u8, i64, tables, picks, negative);
                check_shared_indices<std::uint8_t, std::int32_t>(u8, i32, tables, picks, negative);
            }
        }
    }
}

TEST_CASE("a plan can be run again on other buffers") {
    const auto planned = plan_gather({i32, {3, 2}}, {i64, {2}}, 0);
    REQUIRE(planned.ok());
    CHECK(output_descriptor(*planned) == Descriptor{i32, {2, 2}});
    const Tensor first = counting({3, 2}, 0);
    const Tensor second = counting({3, 2}, 100);
    std::vector<std::byte> output(16);
    const Tensor some = tensor<std::int64_t>(i64, {2}, {2, 0});
    const Tensor others = tensor<std::int64_t>(i64, {2}, {-2, -2});
    const Tensor wrong = tensor<std::int64_t>(i64, {2}, {0, 3});
    REQUIRE(run(*planned, first.contents.data(), some.contents.data(), output).ok());
    CHECK(values_of<std::int32_t>(output) == Ints{4, 5, 0, 1});
    const auto rejected = run(*planned, first.contents.data(), wrong.contents.data(), output);
    REQUIRE(!rejected.ok());
    CHECK(to_string(rejected.error()).find("flat position 1 of indices is 3") != std::string::npos);
    CHECK(rejected.error().rule.empty());
    REQUIRE(run(*planned, second.contents.data(), others.contents.data(), output).ok());
    CHECK(values_of<std::int32_t>(output) == Ints{102, 103, 102, 103});
}

TEST_CASE("a plan of a call names the rules of its version") {
    OwnedCall owned{openvino_gather_elements_6,
                    counting({3}, 0),
                    tensor<std::int32_t>(i32, {1}, {-1}),
                    0,
                    0,
                    {}};
    const auto planned = plan(owned.call(nullptr, nullptr));
    REQUIRE(planned.ok());
    std::vector<std::byte> output(4);
    const auto done =
        run(*planned, owned.data.contents.data(), owned.indices.contents.data(), output);
    REQUIRE(!done.ok());
    CHECK(done.error().rule == "ov.gather-elements-6.indices.error");
}

TEST_CASE("typed gathers take any element type and any index type") {
    const Tensor data = tensor<std::uint64_t>(c64, {2, 2}, {1, 2, 3, 4});
    const Tensor indices = tensor<std::uint16_t>(u16, {1}, {1});
    std::vector<std::byte> output(16);
    REQUIRE(gather(data.view(), indices.view(), -1, 0, output).ok());
    CHECK(values_of<std::uint64_t>(output) == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("typed gathers follow the rule of indices that they are given") {
    const Tensor data = counting({2}, 5);
    const Tensor indices = tensor<std::int8_t>(i8, {2}, {-1, 1});
    const Tensor beyond = tensor<std::int8_t>(i8, {2}, {-3, -2});
    std::vector<std::byte> output(8);
    CHECK_FALSE(gather(data.view(), indices.view(), 0, 0, output, IndexRule::from_zero).ok());
    REQUIRE(gather(data.view(), indices.view(), 0, 0, output).ok());
    CHECK(values_of<std::int32_t>(output) == Ints{6, 6});
    REQUIRE(gather(data.view(), beyond.view(), 0, 0, output, IndexRule::zeros_beyond).ok());
    CHECK(values_of<std::int32_t>(output) == Ints{0, 5});
}

TEST_CASE("typed GatherElements and GatherND need no call") {
    const Tensor data = counting({2, 2}, 0);
    const Tensor indices = tensor<std::int64_t>(i64, {2, 2}, {0, 0, 1, -2});
    std::vector<std::byte> output(16);
    REQUIRE(gather_elements(data.view(), indices.view(), 1, output).ok());
    CHECK(values_of<std::int32_t>(output) == Ints{0, 0, 3, 2});
    output.resize(8);
    REQUIRE(gather_nd(data.view(), indices.view(), 0, output).ok());
    CHECK(values_of<std::int32_t>(output) == Ints{0, 2});
    CHECK_FALSE(gather_elements(data.view(), indices.view(), 1, output, false).ok());
    CHECK_FALSE(gather_nd(data.view(), indices.view(), 0, output, false).ok());
}

TEST_CASE("errors of typed operands have a category and no rule") {
    const auto no_axis = plan_gather({f32, {2, 2}}, {i64, {1}}, 2);
    REQUIRE(!no_axis.ok());
    CHECK(no_axis.error().category == Category::axis_out_of_range);
    CHECK(no_axis.error().rule.empty());
    CHECK(to_string(no_axis.error()).starts_with("axis_out_of_range: "));
    const auto no_index = plan_gather({f32, {2, 2}}, {f32, {1}}, 0);
    REQUIRE(!no_index.ok());
    CHECK(no_index.error().category == Category::unsupported_type);
    const auto no_rank = plan_gather_elements({f32, {2, 2}}, {i64, {1}}, 0);
    REQUIRE(!no_rank.ok());
    CHECK(no_rank.error().category == Category::rank_mismatch);
    const auto no_tuple = plan_gather_nd({f32, {2}}, {i64, {1, 2}});
    REQUIRE(!no_tuple.ok());
    CHECK(no_tuple.error().category == Category::index_tuple_too_long);
}

}  // namespace
}  // namespace gathercheck::optimized::test
