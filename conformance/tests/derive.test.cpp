// SPDX-License-Identifier: Apache-2.0
// Dialects: what the loader refuses, and what a declaration makes of calls written for others.
#include "conformance/dialect/dialect.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/load/derive.hpp"
#include "conformance/load/load.hpp"
#include "conformance/tests/equations.hpp"
#include "conformance/tests/load_fixture.hpp"
#include "conformance/tests/temporary.hpp"

using namespace gathercheck;

namespace {

using Loaded = std::variant<Dialect, std::vector<Problem>>;

/// A dialect of one operator, a gather whose axis is an input, with further keys.
Loaded load(const std::string& dialect, const std::string& further,
            const std::string& of_axis = "") {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "dialect.json";
    std::ofstream(file) << R"({"dialect": ")" + dialect + R"(", "operators": [{"operator": ")" +
                               dialect +
                               R"(.Gather", "family": "gather", "axis": {"from": "input")" +
                               of_axis + R"(}, "types": {"data": ["f32"], "indices": ["i64"],
        "axis": ["i64"]}, "indices": {"negative": false, "outside": "error"})" +
                               further + "}]}";
    return load_dialect(file);
}

std::string refusal(const Loaded& loaded) {
    const auto* problems = std::get_if<std::vector<Problem>>(&loaded);
    return problems == nullptr ? "" : problems->front().pointer + ": " + problems->front().reason;
}

/// What the declaration makes of a call of ONNX or OpenVINO with data of that shape.
Expectation derived(const Dialect& dialect, const std::string& data, const std::string& axis) {
    const std::string text = R"({"cases": [{"id": "a", "title": "t", "inputs": {
        "data": {"type": "f32", "shape": )" +
                             data + R"(, "fill": {"address": 1}},
        "indices": {"type": "i64", "shape": [1], "values": [0]},
        "axis": {"type": "i64", "shape": )" +
                             axis + R"(, "values": [0]}},
        "expect": [{"for": ["openvino.Gather-8"], "rules": ["ov.gather-8.formula"],
                    "unspecified": "not asked here"}]}]})";
    auto loaded = load_cases_text(text, "x.json", fixture::rules());
    REQUIRE(std::holds_alternative<Suite>(loaded));
    Suite suite = std::get<Suite>(std::move(loaded));
    auto shipped = Equations::load(test::equations_file());
    REQUIRE(std::holds_alternative<Equations>(shipped));
    Equations& equations = std::get<Equations>(shipped);
    REQUIRE(add_equations(dialect, equations).empty());
    derive_expectations(suite, equations, std::span(&dialect, 1));
    const Expectation* expectation =
        suite.cases.front().expectation(dialect.operators.front().version);
    REQUIRE(expectation != nullptr);
    return *expectation;
}

}  // namespace

TEST_CASE("a dialect says what special shapes lead to") {
    const Loaded loaded =
        load("special", R"(, "empty": {"data": ["output", "error"], "indices": "unspecified"})",
             R"(, "of_one_element": "unspecified")");
    REQUIRE(refusal(loaded).empty());
    const Dialect& dialect = std::get<Dialect>(loaded);
    CHECK(derived(dialect, "[2, 3]", "[]").alternatives.size() == 1);
    const Expectation empty = derived(dialect, "[2, 0]", "[]");
    REQUIRE(empty.alternatives.size() == 2);
    CHECK(std::holds_alternative<ExpectedOutput>(empty.alternatives[0]));
    CHECK(std::holds_alternative<ExpectedError>(empty.alternatives[1]));
    CHECK(empty.rules.back() == "special.Gather.empty.data");
    const Expectation list = derived(dialect, "[2, 3]", "[1]");
    CHECK(list.is_unspecified());
    CHECK(list.rules == std::vector<std::string>{"special.Gather.axis.scalar-or-1d"});
    RuleCatalogue rules;
    add_rules(dialect, rules);
    CHECK(rules.find("special.Gather.empty.data") != nullptr);
    CHECK(rules.find("special.Gather.empty.indices") != nullptr);
}

TEST_CASE("what a dialect cannot say of special shapes is refused") {
    const std::string words = R"(is none of "output", "unspecified" and ["output", "error"])";
    CHECK(refusal(load("refused1", R"(, "empty": {"data": "error"})")) ==
          "/operators/0/empty/data: " + words);
    CHECK(refusal(load("refused2", "", R"(, "of_one_element": true)")) ==
          "/operators/0/axis/of_one_element: " + words);
    CHECK(refusal(load("refused3", R"(, "empty": {"axis": "output"})"))
              .starts_with("/operators/0/empty/axis: "));
}
