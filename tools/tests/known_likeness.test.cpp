// SPDX-License-Identifier: Apache-2.0
// Tests of which known finding a failing call is said to be like.
#include "tools/shared/known_likeness.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace gathercheck;

namespace {

constexpr OperatorVersion gather = OperatorVersion::openvino_gather_8;

Case case_of(std::string id, ElementType data, Shape shape) {
    Case made;
    made.id = std::move(id);
    made.inputs.push_back({"data", {{data, std::move(shape)}, {}}});
    made.inputs.push_back({"indices", {{ElementType::i64, {1}}, {}}});
    return made;
}

KnownFailure failure_of(const std::string& case_id, const std::string& outcome,
                        const std::string& finding) {
    KnownFailure entry;
    entry.case_id = case_id;
    entry.version = gather;
    entry.outcomes = {outcome};
    entry.rules = {"some.rule"};
    entry.finding = finding;
    return entry;
}

GeneratedCall call_of(ElementType data, Shape shape) {
    GeneratedCall call;
    call.version = gather;
    call.inputs.emplace_back("data", Tensor{data, std::move(shape), {}, {}});
    call.inputs.emplace_back("indices", Tensor{ElementType::i64, {1}, {}, {}});
    return call;
}

}  // namespace

TEST_CASE("a failing call is like the finding whose calls have most in common with it") {
    const std::vector<Case> cases{case_of("of-i64", ElementType::i64, {2}),
                                  case_of("of-f64", ElementType::f64, {2}),
                                  case_of("of-nothing", ElementType::i64, {2, 0})};
    KnownFailures known;
    known.add(failure_of("of-i64", "wrong value", "narrowed"));
    known.add(failure_of("of-f64", "wrong value", "rounded"));
    known.add(failure_of("of-nothing", "crash", "divided"));
    KnownLikeness likeness(cases, &known);
    const std::vector<std::string> none;

    CHECK(likeness.finding_of(call_of(ElementType::i64, {5}), "wrong value", none) == "narrowed");
    CHECK(likeness.finding_of(call_of(ElementType::f64, {5}), "wrong value", none) == "rounded");
    CHECK(likeness.finding_of(call_of(ElementType::i8, {0, 3}), "crash", none) == "divided");
    // Of another outcome or operator version none is, and of another rule those alone that have
    // nearly all in common.
    CHECK(likeness.finding_of(call_of(ElementType::i64, {5}), "timeout", none).empty());
    const std::vector<std::string> other_rule{"other.rule"};
    CHECK(likeness.finding_of(call_of(ElementType::i64, {5}), "wrong value", other_rule) ==
          "narrowed");
    CHECK(likeness.finding_of(call_of(ElementType::i8, {0}), "wrong value", other_rule).empty());
    GeneratedCall other = call_of(ElementType::i64, {5});
    other.version = OperatorVersion::openvino_gather_7;
    CHECK(likeness.finding_of(other, "wrong value", none).empty());
    CHECK(KnownLikeness(cases, nullptr)
              .finding_of(call_of(ElementType::i64, {5}), "wrong value", none)
              .empty());
}

TEST_CASE("a call is also like a known failure of a case in other element types") {
    std::vector<Case> cases{case_of("picks", ElementType::i32, {0})};
    cases.front().expect = {{{gather}, {"some.rule"}, {ExpectedOutput{FromEquation{}, {}}}, {}}};
    for (NamedTensorSpec& input : cases.front().inputs) {
        input.tensor.contents =
            Tensor{input.tensor.descriptor.type, input.tensor.descriptor.shape, {}, {}};
    }
    cases.front().inputs.back().tensor.contents =
        Tensor{ElementType::i64, {1}, std::vector<std::byte>(sizeof(std::int64_t)), {}};
    KnownFailures known;
    known.add(failure_of("picks/data=f32", "crash", "retyped"));
    const std::vector<std::string> none;
    CHECK(KnownLikeness(cases, &known).finding_of(call_of(ElementType::f32, {0}), "crash", none) ==
          "retyped");
}

TEST_CASE("an index of 0 is as one in the range, a negative or a far one is not") {
    const auto indices_of = [](std::int64_t index) {
        Tensor indices{ElementType::i64, {1}, std::vector<std::byte>(sizeof index), {}};
        std::memcpy(indices.contents.data(), &index, sizeof index);
        return indices;
    };
    std::vector<Case> cases{case_of("picks-1", ElementType::i64, {2})};
    cases.front().inputs.back().tensor.contents = indices_of(1);
    KnownFailures known;
    known.add(failure_of("picks-1", "wrong value", "narrowed"));
    KnownLikeness likeness(cases, &known);
    const std::vector<std::string> other_rule{"other.rule"};
    const auto finding_of = [&](std::int64_t index) {
        GeneratedCall call = call_of(ElementType::f32, {5});
        call.inputs.back().second = indices_of(index);
        return likeness.finding_of(call, "wrong value", other_rule);
    };
    CHECK(finding_of(0) == "narrowed");
    CHECK(finding_of(3) == "narrowed");
    CHECK(finding_of(-1).empty());
    CHECK(finding_of(std::int64_t{1} << 40).empty());
}

TEST_CASE("how numbers stand to their ranges tells findings apart") {
    const auto with_batch_dims = [](Case made, std::int64_t batch_dims) {
        made.attributes.push_back({"batch_dims", batch_dims});
        return made;
    };
    const std::vector<Case> cases{
        with_batch_dims(case_of("below", ElementType::f32, {2}), -2),
        with_batch_dims(case_of("far-above", ElementType::f32, {2}), std::int64_t{1} << 40),
        with_batch_dims(case_of("above", ElementType::f32, {2}), 1)};
    KnownFailures known;
    known.add(failure_of("below", "crash", "negative"));
    known.add(failure_of("far-above", "crash", "wraps"));
    known.add(failure_of("above", "crash", "not compared"));
    KnownLikeness likeness(cases, &known);
    const auto finding_of = [&](std::int64_t batch_dims) {
        GeneratedCall call = call_of(ElementType::i8, {3});
        call.attributes.push_back({"batch_dims", batch_dims});
        return likeness.finding_of(call, "crash", std::vector<std::string>{});
    };
    CHECK(finding_of(-7) == "negative");
    CHECK(finding_of(std::int64_t{1} << 62) == "wraps");
    CHECK(finding_of(3) == "not compared");
    CHECK(likeness.findings_of(gather) ==
          std::set<std::string>{"negative", "not compared", "wraps"});
}
