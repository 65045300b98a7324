// SPDX-License-Identifier: Apache-2.0
// The judge: each verdict and each kind of failure.
#include "conformance/judge/judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

using test::i32;

const std::vector<std::string> rules{"onnx.gather-13.indices.error"};

ResolvedAlternative output(const Tensor& tensor) {
    return ResolvedOutput{{tensor.type, tensor.shape}, tensor, {}};
}

ResolvedAlternative error(Category category, std::optional<Phase> phase = {}) {
    return ExpectedError{category, phase};
}

Rejected rejected(Category category, const std::string& rule, Phase phase = Phase::run) {
    return {category, phase, rule, "said so"};
}

Question question(const std::vector<ResolvedAlternative>& alternatives) {
    Question result;
    result.alternatives = alternatives;
    result.rules = rules;
    return result;
}

}  // namespace

TEST_CASE("equal bytes pass") {
    const std::vector<ResolvedAlternative> expected{output(i32({2}, {1, 2}))};
    CHECK(judge(question(expected), ValueOutcome{i32({2}, {1, 2})}).verdict == Verdict::pass);
}

TEST_CASE("a wrong element, shape and type are told apart") {
    const std::vector<ResolvedAlternative> expected{output(i32({2}, {1, 2}))};
    const Judgement value = judge(question(expected), ValueOutcome{i32({2}, {1, 3})});
    CHECK(value.verdict == Verdict::fail);
    CHECK(value.failure == Failure::wrong_value);
    CHECK(value.detail == "element 1 of [2]: expected 2, got 3");
    CHECK(judge(question(expected), ValueOutcome{i32({2, 1}, {1, 2})}).failure ==
          Failure::wrong_shape);
    CHECK(judge(question(expected), ValueOutcome{test::i64({2}, {1, 2})}).failure ==
          Failure::wrong_type);
}

TEST_CASE("NaN payloads and the sign of zero count, spare bits do not") {
    const Tensor quiet = test::tensor(ElementType::f32, {1}, {0x7FC00001});
    const Tensor other = test::tensor(ElementType::f32, {1}, {0x7FC00002});
    CHECK(same_tensor(quiet, quiet));
    CHECK_FALSE(same_tensor(quiet, other));
    const Tensor zero = test::tensor(ElementType::f32, {1}, {0});
    const Tensor minus_zero = test::tensor(ElementType::f32, {1}, {0x80000000});
    CHECK_FALSE(same_tensor(zero, minus_zero));
    Tensor packed = test::tensor(ElementType::u4, {1}, {7});
    Tensor spare = packed;
    spare.contents[0] |= std::byte{0xF0};
    CHECK(same_tensor(packed, spare));
}

TEST_CASE("a NaN for a NaN will do, but not for what follows the suite") {
    struct Row {
        ElementType type;
        std::vector<std::int64_t> bits;
        std::vector<std::int64_t> other;
        bool equal;
    };
    const std::vector<Row> rows{
        {ElementType::f32, {0x7F800001, 0x3F800000}, {0x7FC00001, 0x3F800000}, true},
        {ElementType::f32, {0x7F800001, 0x3F800000}, {0x7FC00001, 0x3F800001}, false},
        {ElementType::f32, {0x7F800001, 0}, {0x7F800000, 0}, false},
        {ElementType::f32, {0, 0}, {0x80000000, 0}, false},
        {ElementType::f16, {0x7C01, 1}, {0x7E01, 1}, true},
        {ElementType::bf16, {0x7F81, 1}, {0xFFC1, 1}, true},
        {ElementType::f64, {0x7FF0000000000001, 1}, {0x7FF8000000000000, 1}, true},
        {ElementType::f8e5m2, {0x7D, 1}, {0x7F, 1}, true},
        {ElementType::u32, {0x7F800001, 1}, {0x7FC00001, 1}, false},
        {ElementType::c64, {0x7F80000180000000, 1}, {0x7FC0000180000000, 1}, true},
        {ElementType::c64, {0x7F80000180000000, 1}, {0x7FC0000100000000, 1}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(name(row.type), row.other.front());
        const std::vector<ResolvedAlternative> expected{
            output(test::tensor(row.type, {2}, row.bits))};
        const ValueOutcome answer{test::tensor(row.type, {2}, row.other)};
        Question asked = question(expected);
        CHECK((judge(asked, answer).verdict == Verdict::pass) == row.equal);
        asked.follows_suite = true;
        CHECK(judge(asked, answer).failure == Failure::wrong_value);
    }
}

TEST_CASE("strings are compared by their characters") {
    const Tensor a = string_tensor({2}, {std::string("x\0y", 3), "z"});
    const Tensor b = string_tensor({2}, {std::string("x\0y", 3), "z"});
    const Tensor c = string_tensor({2}, {std::string("x\0w", 3), "z"});
    CHECK(same_tensor(a, b));
    CHECK(first_difference(a, c) == 0);
}

TEST_CASE("answers that differ where an error is expected are told as accepted") {
    const std::vector<ResolvedAlternative> expected{error(Category::index_out_of_bounds)};
    const Judgement accepted =
        judge(question(expected), NotDeterministic{"element 0 is 1 in one run and 2 in another"});
    CHECK(accepted.failure == Failure::not_deterministic);
    CHECK(accepted.detail ==
          "expected the error index_out_of_bounds, accepted the call with answers that differ: "
          "element 0 is 1 in one run and 2 in another");
    const Judgement rejected = judge(
        question(expected),
        NotDeterministic{"first rejected as too_large, then rejected as index_out_of_bounds"});
    CHECK(rejected.detail.starts_with(
        "expected the error index_out_of_bounds, got different ones: first rejected"));
    const std::vector<ResolvedAlternative> either{expected.front(), output(i32({1}, {1}))};
    CHECK(judge(question(either), NotDeterministic{"x"}).detail == "x");
}

TEST_CASE("an output where an error is expected is a failure of its own kind") {
    const std::vector<ResolvedAlternative> expected{error(Category::index_out_of_bounds)};
    const Judgement judgement = judge(question(expected), ValueOutcome{i32({1}, {0})});
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(judgement.failure == Failure::accepted);
}

TEST_CASE("a rejection where an output is expected is a failure of its own kind") {
    const std::vector<ResolvedAlternative> expected{output(i32({1}, {0}))};
    CHECK(judge(question(expected), Rejected{}).failure == Failure::rejected);
}

TEST_CASE("a rejection without category passes where an error is expected and the control passed") {
    const std::vector<ResolvedAlternative> expected{error(Category::index_out_of_bounds)};
    Question asked = question(expected);
    CHECK(judge(asked, Rejected{}).verdict == Verdict::pass);
    asked.control_passed = false;
    CHECK(judge(asked, Rejected{}).verdict == Verdict::unsupported);
}

TEST_CASE("a category that is given is judged, and for the suite's own rows the rule too") {
    const std::vector<ResolvedAlternative> expected{error(Category::index_out_of_bounds)};
    Question asked = question(expected);
    CHECK(judge(asked, rejected(Category::axis_out_of_range, "")).failure == Failure::wrong_error);
    CHECK(judge(asked, rejected(Category::index_out_of_bounds, "")).verdict == Verdict::pass);
    asked.follows_suite = true;
    CHECK(judge(asked, rejected(Category::index_out_of_bounds, "onnx.gather-13.axis.range"))
              .failure == Failure::wrong_error);
    CHECK(judge(asked, rejected(Category::index_out_of_bounds, rules.front())).verdict ==
          Verdict::pass);
}

TEST_CASE("the phase counts only for the suite's own rows, and where it is given on both sides") {
    const std::vector<ResolvedAlternative> expected{
        error(Category::index_out_of_bounds, Phase::run)};
    Question asked = question(expected);
    Rejected early = rejected(Category::index_out_of_bounds, rules.front(), Phase::build);
    CHECK(judge(asked, early).verdict == Verdict::pass);
    asked.follows_suite = true;
    CHECK(judge(asked, early).failure == Failure::wrong_error);
    early.phase = std::nullopt;
    CHECK(judge(asked, early).verdict == Verdict::pass);
}

TEST_CASE("any alternative passes, but the suite's own rows must give the first") {
    const std::vector<ResolvedAlternative> expected{output(i32({1}, {3})),
                                                    error(Category::index_out_of_bounds)};
    Question asked = question(expected);
    CHECK(judge(asked, ValueOutcome{i32({1}, {3})}).verdict == Verdict::pass);
    CHECK(judge(asked, Rejected{}).verdict == Verdict::pass);
    CHECK(judge(asked, ValueOutcome{i32({1}, {4})}).failure == Failure::wrong_value);
    asked.follows_suite = true;
    CHECK(judge(asked, Rejected{}).failure == Failure::rejected);
}

TEST_CASE("another category than that of an alternative behind an output is a failure") {
    const std::vector<ResolvedAlternative> either{output(i32({1}, {1})),
                                                  error(Category::index_out_of_bounds)};
    const Judgement judgement =
        judge(question(either), rejected(Category::unsupported_type, "onnx.gather-13.types.T"));
    CHECK(judgement.failure == Failure::wrong_error);
    CHECK(judgement.detail.find("index_out_of_bounds") != std::string::npos);
}

TEST_CASE("a shape-only expectation takes any contents") {
    const std::vector<ResolvedAlternative> expected{
        ResolvedOutput{{ElementType::i32, {2}}, {}, {}}};
    CHECK(judge(question(expected), ValueOutcome{i32({2}, {8, 9})}).verdict == Verdict::pass);
    DescriptorOutcome described{ElementType::i32, {std::nullopt}, true};
    CHECK(judge(question(expected), described).verdict == Verdict::pass);
    described.shape = {3};
    CHECK(judge(question(expected), described).failure == Failure::wrong_shape);
    described.shape = {2, 1};
    CHECK(judge(question(expected), described).failure == Failure::wrong_shape);
    described.known_rank = false;
    CHECK(judge(question(expected), described).verdict == Verdict::pass);
    described.type = ElementType::f32;
    CHECK(judge(question(expected), described).failure == Failure::wrong_type);
}

TEST_CASE("contents can be expected by their digest") {
    // sha256 of the bytes 01 00 00 00.
    const std::string digest = "67abdd721024f0ff4e0b3f4c2fc13bc5bad42d0b7851d456d88d203d15aaa450";
    const std::vector<ResolvedAlternative> expected{
        ResolvedOutput{{ElementType::i32, {1}}, {}, digest}};
    CHECK(judge(question(expected), ValueOutcome{i32({1}, {1})}).verdict == Verdict::pass);
    CHECK(judge(question(expected), ValueOutcome{i32({1}, {2})}).failure == Failure::wrong_value);
}

TEST_CASE("unsupported is a failure only where the call is legal and claimed") {
    const std::vector<ResolvedAlternative> expected{output(i32({1}, {0}))};
    Question asked = question(expected);
    CHECK(judge(asked, Unsupported{"why"}).failure == Failure::unsupported);
    asked.claimed = false;
    CHECK(judge(asked, Unsupported{"why"}).verdict == Verdict::unsupported);
    const ResolvedAlternative refused = error(Category::index_out_of_bounds);
    for (const std::vector<ResolvedAlternative>& may_be_rejected :
         {std::vector{refused}, std::vector{refused, expected.front()},
          std::vector{expected.front(), refused}}) {
        CHECK(judge(question(may_be_rejected), Unsupported{"why"}).verdict == Verdict::unsupported);
    }
}

TEST_CASE("a descriptor of a call that must be rejected leaves the error to the run") {
    const std::vector<ResolvedAlternative> refused{error(Category::axis_out_of_range)};
    const DescriptorOutcome described{ElementType::i32, {2}, true};
    Question asked = question(refused);
    CHECK(judge(asked, described).verdict == Verdict::pass);
    CHECK(judge(asked, ValueOutcome{i32({1}, {0})}).failure == Failure::accepted);
    asked.follows_suite = true;
    CHECK(judge(asked, described).failure == Failure::accepted);
    const std::vector<ResolvedAlternative> either{error(Category::too_large),
                                                  output(i32({1}, {3}))};
    CHECK(judge(question(either), described).failure == Failure::wrong_shape);
}

TEST_CASE("where nothing is specified every answer is, but memory safety is always judged") {
    const Question asked = question({});
    CHECK(judge(asked, ValueOutcome{i32({1}, {0})}).verdict == Verdict::unspecified);
    CHECK(judge(asked, Rejected{}).verdict == Verdict::unspecified);
    CHECK(judge(asked, NotDeterministic{}).verdict == Verdict::unspecified);
    CHECK(judge(asked, UnsafeMemory{}).failure == Failure::unsafe_memory);
    CHECK(judge(asked, Crash{}).verdict == Verdict::crash);
}

TEST_CASE("crash, timeout, broken, not run and different answers keep their names") {
    const std::vector<ResolvedAlternative> expected{output(i32({1}, {0}))};
    const Question asked = question(expected);
    CHECK(judge(asked, Crash{}).verdict == Verdict::crash);
    CHECK(judge(asked, Timeout{}).verdict == Verdict::timeout);
    CHECK(judge(asked, Broken{}).verdict == Verdict::broken);
    CHECK(judge(asked, NotRun{}).verdict == Verdict::not_run);
    CHECK(judge(asked, NotDeterministic{}).failure == Failure::not_deterministic);
}

TEST_CASE("what a witness does wrong is a difference, unless memory is touched or it ends") {
    const std::vector<ResolvedAlternative> expected{output(i32({1}, {0}))};
    const auto of = [&](const Outcome& outcome) {
        return of_witness(judge(question(expected), outcome));
    };
    CHECK(of(ValueOutcome{i32({1}, {0})}).verdict == Verdict::pass);
    CHECK(of(ValueOutcome{i32({1}, {1})}).verdict == Verdict::difference);
    CHECK(of(ValueOutcome{i32({1}, {1})}).failure == Failure::wrong_value);
    CHECK(of(UnsafeMemory{}).verdict == Verdict::fail);
    CHECK(of(Crash{}).verdict == Verdict::crash);
    CHECK(of(Timeout{}).verdict == Verdict::timeout);
}

TEST_CASE("verdicts and failures are found by their names") {
    for (std::size_t k = 0; k < verdict_count; ++k) {
        CHECK(verdict(name(static_cast<Verdict>(k))) == static_cast<Verdict>(k));
    }
    for (std::size_t k = 0; k < failure_count; ++k) {
        CHECK(failure(name(static_cast<Failure>(k))) == static_cast<Failure>(k));
    }
    CHECK(verdict("passed") == std::nullopt);
}

}  // namespace gathercheck
