// SPDX-License-Identifier: Apache-2.0
// Coverage: what a case is to the rules that it names, by its expectation and by what its call
// exercised.
#include "conformance/documents/coverage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace gathercheck;

namespace {

using Ids = std::vector<std::string>;
constexpr OperatorVersion version = OperatorVersion::onnx_gather_13;

Rule rule(const std::string& id, std::vector<Category> errors, const std::string& same_check = {}) {
    Rule result{};
    result.id = "onnx.gather-13." + id;
    result.version = version;
    result.errors = std::move(errors);
    result.positive = "a good call";
    result.negative = result.errors.empty() ? "" : "a bad call";
    if (!same_check.empty()) result.same_check = "onnx.gather-13." + same_check;
    return result;
}

RuleCatalogue catalogue() {
    RuleCatalogue rules;
    rules.add(rule("axis.range", {Category::axis_out_of_range}));
    rules.add(rule("axis.negative", {Category::axis_out_of_range}, "axis.range"));
    rules.add(rule("indices.error", {Category::index_out_of_bounds}));
    rules.add(rule("formula", {}));
    Rule untestable = rule("words", {});
    untestable.untestable = "nothing shows it";
    rules.add(untestable);
    return rules;
}

Case a_case(const std::string& id, const Ids& rules, std::vector<Alternative> alternatives) {
    Case result;
    result.id = id;
    Expectation expectation;
    expectation.versions = {version};
    for (const std::string& name : rules) expectation.rules.push_back("onnx.gather-13." + name);
    expectation.alternatives = std::move(alternatives);
    result.expect = {expectation};
    return result;
}

Measured a_value() {
    Measured measured;
    measured.exercised.passed.insert(Check::axis_range);
    measured.exercised.passed.insert(Check::index_range);
    measured.value = true;
    return measured;
}

Measured broken(Check check) {
    Measured measured;
    if (check == Check::index_range) measured.exercised.passed.insert(Check::axis_range);
    measured.exercised.broken = check;
    return measured;
}

const Alternative output = ExpectedOutput{FromEquation{}, {}};
const Alternative bad_axis = ExpectedError{Category::axis_out_of_range, {}};
const Alternative bad_index = ExpectedError{Category::index_out_of_bounds, {}};

Coverage cover_one(const Case& tested, const Measured& measured) {
    Suite suite;
    suite.cases = {tested};
    const RuleCatalogue rules = catalogue();
    Coverage result = cover(suite, rules, {version}, [&](const Call&, bool) { return measured; });
    for (RuleCoverage& each : result.rules) each.rule = nullptr;  // the catalogue is gone
    return result;
}

// In the order of the ids.
constexpr std::size_t negative_axis = 0;
constexpr std::size_t axis = 1;
constexpr std::size_t formula = 2;
constexpr std::size_t indices = 3;
constexpr std::size_t words = 4;

}  // namespace

TEST_CASE("a case with an output keeps the rules that it names and no others") {
    const Coverage coverage =
        cover_one(a_case("good", {"axis.range", "formula"}, {output}), a_value());
    CHECK(coverage.problems.empty());
    CHECK(coverage.rules[axis].positive == Ids{"good"});
    CHECK(coverage.rules[axis].status == RuleStatus::untested);
    CHECK(coverage.rules[formula].positive == Ids{"good"});
    CHECK(coverage.rules[formula].status == RuleStatus::tested);
    CHECK(coverage.rules[negative_axis].positive.empty());
    CHECK(coverage.rules[words].status == RuleStatus::untestable);
    CHECK(coverage.rules[indices].kept == 1);
    CHECK(coverage.versions.at(0).untested == 3);
}

TEST_CASE("a case that breaks a check is credited to every rule that rests on it") {
    const auto of_primary =
        cover_one(a_case("bad", {"axis.range"}, {bad_axis}), broken(Check::axis_range));
    CHECK(of_primary.problems.empty());
    CHECK(of_primary.rules[axis].negative == Ids{"bad"});
    CHECK(of_primary.rules[negative_axis].negative == Ids{"bad"});
    CHECK(of_primary.rules[axis].broken == 1);
    const auto of_other =
        cover_one(a_case("bad", {"axis.negative"}, {bad_axis}), broken(Check::axis_range));
    CHECK(of_other.rules[axis].negative == Ids{"bad"});
}

TEST_CASE("an unspecified outcome counts as the negative") {
    const auto coverage =
        cover_one(a_case("open", {"indices.error"}, {}), broken(Check::index_range));
    CHECK(coverage.problems.empty());
    CHECK(coverage.rules[indices].negative == Ids{"open"});
}

TEST_CASE("of two broken rules the later one stands beside and earns nothing") {
    const auto coverage = cover_one(a_case("two", {"axis.range", "indices.error"}, {bad_axis}),
                                    broken(Check::axis_range));
    CHECK(coverage.problems.empty());
    CHECK(coverage.rules[axis].negative == Ids{"two"});
    CHECK(coverage.rules[indices].negative.empty());
    CHECK(coverage.rules[indices].beside == Ids{"two"});
}

TEST_CASE("a claim whose call never comes to the check is a problem and earns nothing") {
    Case tested = a_case("never", {"indices.error"}, {bad_index});
    tested.file = "cases.json";
    tested.pointer = "/cases/0";
    const auto coverage = cover_one(tested, broken(Check::axis_range));
    REQUIRE(coverage.problems.size() == 1);
    CHECK(to_string(coverage.problems[0]) ==
          "cases.json: /cases/0: case never for onnx.Gather-13 names rule "
          "onnx.gather-13.indices.error, but its call never comes to a check of that rule: it is "
          "rejected at the check of onnx.gather-13.axis.range");
    CHECK(coverage.rules[indices].negative.empty());
}

TEST_CASE("a claim to break a rule that the call keeps is a problem") {
    const auto coverage =
        cover_one(a_case("kept", {"axis.range"}, {bad_axis}), broken(Check::index_range));
    CHECK(coverage.problems.size() == 1);
    CHECK(coverage.rules[axis].negative.empty());
}

TEST_CASE("a claim to keep a rule that no check guards needs a value") {
    const auto coverage =
        cover_one(a_case("none", {"formula"}, {output}), broken(Check::axis_range));
    CHECK(coverage.problems.size() == 1);
    CHECK(coverage.rules[formula].positive.empty());
}

TEST_CASE("a sweep counts once for a rule") {
    Suite suite;
    suite.cases = {a_case("sweep/type=f16", {"formula"}, {output}),
                   a_case("sweep/type=f32", {"formula"}, {output})};
    for (Case& each : suite.cases) each.from_sweep = true;
    const RuleCatalogue rules = catalogue();
    const auto coverage =
        cover(suite, rules, {version}, [](const Call&, bool) { return a_value(); });
    CHECK(coverage.rules[formula].positive == Ids{"sweep"});
    CHECK(coverage.rules[formula].kept == 2);
    CHECK(coverage.versions.at(0).swept == 2);
}

TEST_CASE("what an untested rule lacks is said with what a case must show") {
    const RuleCatalogue rules = catalogue();
    const auto coverage =
        cover(Suite{}, rules, {version}, [](const Call&, bool) { return a_value(); });
    CHECK(missing(coverage.rules[axis]) ==
          "no case keeps it; one must show: a good call; no case breaks it; one must show: a bad "
          "call");
    CHECK(missing(coverage.rules[words]).empty());
}
