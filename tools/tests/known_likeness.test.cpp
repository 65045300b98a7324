// SPDX-License-Identifier: Apache-2.0
// Tests of which known finding a failing call is said to be like.
#include "tools/shared/known_likeness.hpp"

#include <catch2/catch_test_macros.hpp>
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
    // Of another outcome, rule or operator version none is.
    CHECK(likeness.finding_of(call_of(ElementType::i64, {5}), "timeout", none).empty());
    CHECK(likeness
              .finding_of(call_of(ElementType::i64, {5}), "wrong value",
                          std::vector<std::string>{"other.rule"})
              .empty());
    GeneratedCall other = call_of(ElementType::i64, {5});
    other.version = OperatorVersion::openvino_gather_7;
    CHECK(likeness.finding_of(other, "wrong value", none).empty());
    CHECK(KnownLikeness(cases, nullptr)
              .finding_of(call_of(ElementType::i64, {5}), "wrong value", none)
              .empty());
}
