// SPDX-License-Identifier: Apache-2.0
// Dialects: what they declare, what is refused, and the expectations derived from them.
#include "conformance/dialect/dialect.hpp"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conformance/load/derive.hpp"
#include "conformance/tests/equations.hpp"
#include "conformance/tests/places.hpp"

namespace gathercheck {
namespace {

std::filesystem::path written(const std::string& text) {
    static int number = 0;
    const auto file = std::filesystem::temp_directory_path() /
                      ("gathercheck-dialect-" + std::to_string(::getpid()) + "-" +
                       std::to_string(number++) + ".json");
    std::ofstream(file) << text;
    return file;
}

/// A dialect of one operator, whose entry this ends.
std::string one(const std::string& name, const std::string& rest) {
    return R"({"dialect": "mine", "operators": [{"operator": ")" + name + R"(", )" + rest + "}]}";
}

const std::string types = R"("types": {"data": ["f32"], "indices": ["i32"]})";
const std::string axis = R"("axis": {"from": "attribute", "default": 0})";

std::string problem_of(const std::string& text) {
    const auto file = written(text);
    const auto loaded = load_dialect(file);
    std::filesystem::remove(file);
    const auto* problems = std::get_if<std::vector<Problem>>(&loaded);
    if (problems == nullptr) return "";
    return problems->front().pointer + ": " + problems->front().reason;
}

Dialect dialect_of(const std::string& text) {
    const auto file = written(text);
    auto loaded = load_dialect(file);
    std::filesystem::remove(file);
    REQUIRE(std::holds_alternative<Dialect>(loaded));
    return std::get<Dialect>(std::move(loaded));
}

Equations equations_with(const Dialect& dialect) {
    auto loaded = Equations::load(test::equations_file());
    REQUIRE(std::holds_alternative<Equations>(loaded));
    Equations equations = std::get<Equations>(std::move(loaded));
    REQUIRE(add_equations(dialect, equations).empty());
    return equations;
}

/// A case of onnx.Gather-13 with data [1, 2, 3].
Case gather_case(std::vector<std::int32_t> indices, ElementType type = ElementType::f32) {
    Case made;
    made.id = "made";
    made.axis = 0;
    Tensor values{ElementType::i32, {static_cast<std::int64_t>(indices.size())}, {}, nullptr};
    values.contents.resize(indices.size() * sizeof(std::int32_t));
    std::memcpy(values.contents.data(), indices.data(), values.contents.size());
    made.inputs = {{"data", {{type, {3}}, Fill{AddressFill{1}}}},
                   {"indices", {{values.type, values.shape}, values}}};
    made.expect.push_back({{OperatorVersion::onnx_gather_13}, {}, {}, "not at issue"});
    return made;
}

const Expectation* derived(std::vector<std::int32_t> indices, const Dialect& dialect,
                           const Equations& equations, Suite& suite,
                           ElementType type = ElementType::f32) {
    suite.cases = {gather_case(std::move(indices), type)};
    derive_expectations(suite, equations, std::span(&dialect, 1));
    return suite.cases.front().expectation(dialect.operators.front().version);
}

OutOfRange policy_of(const Alternative& alternative) {
    return std::get<FromEquation>(std::get<ExpectedOutput>(alternative).output).outside;
}

}  // namespace

TEST_CASE("what a dialect says wrongly is refused with its place") {
    CHECK(problem_of(R"({"dialect": "mine", "operators": []})") ==
          "/operators: is an empty list; declare an operator");
    CHECK(problem_of(
              one("other.Gather", R"("family": "gather", )" + axis + ", " + types +
                                      R"(, "indices": {"negative": true, "outside": "error"})"))
              .starts_with("/operators/0/operator: \"other.Gather\" does not begin with"));
    CHECK(problem_of(
              one("mine.Scatter", R"("family": "scatter", )" + axis + ", " + types +
                                      R"(, "indices": {"negative": true, "outside": "error"})")) ==
          "/operators/0/family: \"scatter\" is none of \"gather\", \"gather_elements\", "
          "\"gather_nd\"");
    CHECK(problem_of(one("mine.A", R"("family": "gather", )" + types +
                                       R"(, "indices": {"negative": true, "outside": "error"})")) ==
          "/operators/0: \"axis\" is missing; say where it comes from");
    CHECK(problem_of(one("mine.B", R"("family": "gather_nd", )" + axis + ", " + types +
                                       R"(, "indices": {"negative": true, "outside": "error"})")) ==
          "/operators/0: gather_nd has no axis; remove it");
    CHECK(problem_of(one("mine.C", R"("family": "gather", )" + axis +
                                       R"(, "types": {"data": ["f31"], "indices": ["f32"]}, )"
                                       R"("indices": {"negative": true, "outside": "error"})"))
              .starts_with("/operators/0/types/data: \"f31\" is no element type"));
    CHECK(problem_of(one("mine.D", R"("family": "gather", )" + axis + ", " + types +
                                       R"(, "indices": {"negative": true, "outside": "error"}, )"
                                       R"("open": {"tuple": "why"})")) ==
          "/operators/0/open/tuple: \"tuple\" is no check of this operator");
    const std::string taken =
        one("mine.Taken", R"("family": "gather", )" + axis + ", " + types +
                              R"(, "indices": {"negative": true, "outside": "error"})");
    CHECK(problem_of(taken) == "");
    CHECK(problem_of(taken) ==
          "/operators/0/operator: mine.Taken is there already; give it another name");
}

TEST_CASE("an equation of a dialect that is wrong is refused") {
    const Dialect dialect = dialect_of(
        one("mine.Equation", R"("family": "gather", )" + axis + ", " + types +
                                 R"(, "indices": {"negative": true, "outside": "sideways"})"));
    auto loaded = Equations::load(test::equations_file());
    const auto problems = add_equations(dialect, std::get<Equations>(loaded));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().pointer == "/operators/0/index/outside");
}

TEST_CASE("a dialect derives outputs, errors and what it leaves open") {
    const Dialect dialect = dialect_of(one(
        "mine.Derived", R"("family": "gather", )" + axis + ", " + types +
                            R"(, "indices": {"negative": false, "outside": ["clamp", "error"]}, )"
                            R"("rules": "mine.d", "open": {"axis.range": "nobody says"})"));
    const Equations equations = equations_with(dialect);
    Suite suite;

    const Expectation* inside = derived({2, 0}, dialect, equations, suite);
    REQUIRE(inside != nullptr);
    CHECK(inside->derived);
    CHECK(inside->rules == std::vector<std::string>{"mine.d.output"});
    CHECK(policy_of(inside->alternatives.at(0)) == OutOfRange::as_stated);

    const Expectation* outside = derived({0, -1}, dialect, equations, suite);
    REQUIRE(outside != nullptr);
    CHECK(outside->rules == std::vector<std::string>{"mine.d.indices.range"});
    REQUIRE(outside->alternatives.size() == 2);
    CHECK(policy_of(outside->alternatives[0]) == OutOfRange::clamp);
    CHECK(std::get<ExpectedError>(outside->alternatives[1]).category ==
          Category::index_out_of_bounds);

    CHECK(derived({0}, dialect, equations, suite, ElementType::f64) == nullptr);  // not listed

    suite.cases = {gather_case({0})};
    suite.cases.front().axis = 5;
    derive_expectations(suite, equations, std::span(&dialect, 1));
    const Expectation* open = suite.cases.front().expectation(dialect.operators.front().version);
    REQUIRE(open != nullptr);
    CHECK(open->is_unspecified());
    CHECK(open->unspecified == "nobody says");

    suite.cases = {gather_case({0})};
    suite.cases.front().attributes = {{"batch_dims", std::int64_t{0}}};
    derive_expectations(suite, equations, std::span(&dialect, 1));
    CHECK(suite.cases.front().expect.size() == 1);  // it has no such attribute
}

TEST_CASE("a declared version has rules of its own where no file has them") {
    const Dialect dialect =
        dialect_of(one("mine.Rules", R"("family": "gather_elements", )" + axis + ", " + types +
                                         R"(, "indices": {"negative": true, "outside": "zero"})"));
    RuleCatalogue rules;
    add_rules(dialect, rules);
    const Rule* range = rules.find("mine.Rules.indices.range");
    REQUIRE(range != nullptr);
    CHECK(range->errors == std::vector<Category>{Category::index_out_of_bounds});
    CHECK(rules.find("mine.Rules.output") != nullptr);
    CHECK(rules.find("mine.Rules.indices.last-dim") == nullptr);  // of tuples
}

}  // namespace gathercheck
