// SPDX-License-Identifier: Apache-2.0
// Selection: patterns, filters, claims, routes, samples and shards.
#include "conformance/select/select.hpp"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gathercheck {
namespace {

using enum OperatorVersion;

Case make_case(const std::string& id, std::vector<OperatorVersion> versions,
               ElementType data = ElementType::f32, bool error = false) {
    Case tested;
    tested.id = id;
    tested.from_sweep = id.find('/') != std::string::npos;
    const Fill zeros{AffineFill{0, 0, 0}};
    tested.inputs = {{"data", {{data, Shape{2}}, zeros}},
                     {"indices", {{ElementType::i64, Shape{1}}, zeros}}};
    Alternative alternative = ExpectedOutput{TensorSpec{{data, Shape{1}}, {}}, {}};
    if (error) alternative = ExpectedError{Category::unsupported_type, {}};
    tested.expect.push_back({std::move(versions), {"onnx.gather-13.types.T"}, {alternative}, {}});
    return tested;
}

Introduction introduction(Claim claim) {
    Introduction result;
    result.claims = {std::move(claim)};
    return result;
}

std::vector<std::string> routes_of(const std::vector<Execution>& executions) {
    std::vector<std::string> routes;
    for (const Execution& execution : executions) routes.push_back(to_string(execution.route));
    return routes;
}

Filter filter_of(const std::vector<std::string>& terms) {
    return std::get<Filter>(parse_filter(terms));
}

}  // namespace

TEST_CASE("patterns know * and ?") {
    CHECK(matches_pattern("gather-*", "gather-axis"));
    CHECK(matches_pattern("*-axis", "gather-axis"));
    CHECK(matches_pattern("g?ther-*x*", "gather-axis"));
    CHECK(matches_pattern("*", ""));
    CHECK_FALSE(matches_pattern("gather", "gather-axis"));
    CHECK_FALSE(matches_pattern("?", ""));
    CHECK(matches_pattern("*a*b*c", "xxaxxbxxbxc"));
}

TEST_CASE("terms of one key are alternatives, keys go together") {
    const Case a = make_case("gather-a", {onnx_gather_13, onnx_gather_11});
    const Filter filter =
        filter_of({"case=gather-a", "case=gather-b", "operator=onnx.Gather-13", "type=f*"});
    CHECK(filter.matches(a));
    CHECK(filter.matches(a, onnx_gather_13));
    CHECK_FALSE(filter.matches(a, onnx_gather_11));
    CHECK_FALSE(filter_of({"type=i*"}).matches(a));
    CHECK(filter_of({"rule=*.types.*"}).matches(a, onnx_gather_13));
    CHECK_FALSE(filter_of({"rule=*.types.*"}).matches(a, onnx_gather_11));
}

TEST_CASE("a bare word is part of a case id, also of a sweep's") {
    CHECK(filter_of({"her-a"}).matches(make_case("gather-a", {onnx_gather_13})));
    CHECK(filter_of({"s/type=f16"}).matches(make_case("s/type=f16", {onnx_gather_13})));
}

TEST_CASE("a bad filter term is named") {
    const std::vector<std::string> unknown{"colour=red"};
    CHECK(std::get<std::string>(parse_filter(unknown)).find("'colour'") != std::string::npos);
    const std::vector<std::string> empty{"case="};
    CHECK(std::holds_alternative<std::string>(parse_filter(empty)));
}

TEST_CASE("only claimed versions, types and routes are run") {
    const Case f32 = make_case("a", {onnx_gather_13, onnx_gather_11});
    const Case f64 = make_case("b", {onnx_gather_13}, ElementType::f64);
    const std::vector<const Case*> cases{&f32, &f64};
    const Claim claim{{onnx_gather_13}, {ElementType::f32}, {ElementType::i64}};
    const auto executions = select_executions(cases, {}, Sweeps::all, introduction(claim));
    REQUIRE(executions.size() == 1);
    CHECK(executions[0].tested == &f32);
    CHECK(executions[0].version == onnx_gather_13);
    CHECK(executions[0].claimed);
}

TEST_CASE("a call that must be rejected is sent whatever types are claimed") {
    const Case rejected = make_case("a", {onnx_gather_13}, ElementType::f64, true);
    const std::vector<const Case*> cases{&rejected};
    const Claim claim{{onnx_gather_13}, {ElementType::f32}, {ElementType::i64}};
    const auto executions = select_executions(cases, {}, Sweeps::all, introduction(claim));
    REQUIRE(executions.size() == 1);
    CHECK_FALSE(executions[0].claimed);
}

TEST_CASE("an axis of a type that no claim knows is sent without a claim") {
    Case rejected = make_case("a", {openvino_gather_8}, ElementType::f32, true);
    Case legal = make_case("b", {openvino_gather_8});
    const Fill zeros{AffineFill{0, 0, 0}};
    for (Case* tested : {&rejected, &legal}) {
        tested->inputs.push_back({"axis", {{ElementType::i8, Shape{}}, zeros}});
    }
    const std::vector<const Case*> cases{&rejected, &legal};
    const Claim claim{{openvino_gather_8}, {ElementType::f32}, {ElementType::i64}};
    const auto executions = select_executions(cases, {}, Sweeps::all, introduction(claim));
    REQUIRE(executions.size() == 2);
    CHECK_FALSE(executions[0].claimed);
    CHECK(executions[1].claimed);
}

TEST_CASE(
    "a claim covers the values of attributes that it names, a call without one has the default") {
    Case absent = make_case("a", {openvino_gather_8, onnx_gather_13});
    Case zero = make_case("b", {openvino_gather_8});
    Case one = make_case("c", {openvino_gather_8});
    Case rejected = make_case("d", {openvino_gather_8}, ElementType::f32, true);
    zero.attributes = {{"batch_dims", std::int64_t{0}}};
    one.attributes = {{"batch_dims", std::int64_t{1}}};
    rejected.attributes = one.attributes;
    const std::vector<const Case*> cases{&absent, &zero, &one, &rejected};
    Claim claim{{openvino_gather_8, onnx_gather_13}, {ElementType::f32}, {ElementType::i64}};
    const auto asked = [&] {
        std::string ids;
        for (const Execution& each :
             select_executions(cases, {}, Sweeps::all, introduction(claim))) {
            ids += each.tested->id + (each.claimed ? " " : "? ");
        }
        return ids;
    };
    CHECK(asked() == "a a b c d ");
    claim.attributes = {{"batch_dims", {0}}};
    CHECK(asked() == "a a b d? ");
    claim.attributes = {{"batch_dims", {2, 1}}};
    CHECK(asked() == "a c d ");  // ONNX Gather has no batch_dims
    absent.axis = 1;
    claim.attributes = {{"axis", {0}}};
    CHECK(asked() == "a b c d ");  // and in OpenVINO's the axis is an operand
}

TEST_CASE("types go together only within one claim") {
    const Case mixed = make_case("a", {onnx_gather_13});
    const std::vector<const Case*> cases{&mixed};
    Introduction two;
    two.claims = {{{onnx_gather_13}, {ElementType::f32}, {ElementType::i32}},
                  {{onnx_gather_13}, {ElementType::u8}, {ElementType::i64}}};
    CHECK(select_executions(cases, {}, Sweeps::all, two).empty());
}

TEST_CASE("routes that mean nothing are left out") {
    const Case onnx = make_case("a", {onnx_gather_13});
    const Case openvino = make_case("b", {openvino_gather_8});
    Claim claim{{onnx_gather_13, openvino_gather_8}, {ElementType::f32}, {ElementType::i64}};
    claim.operands = {Operands::runtime, Operands::constant, Operands::folded};
    claim.shapes = {Shapes::fixed, Shapes::dynamic};
    claim.axes = {AxisOperand::constant, AxisOperand::runtime};
    const std::vector<const Case*> one{&onnx};
    CHECK(routes_of(select_executions(one, {}, Sweeps::all, introduction(claim))) ==
          std::vector<std::string>{"runtime/static", "runtime/dynamic", "constant/static",
                                   "constant/dynamic", "folded/static"});
    const std::vector<const Case*> other{&openvino};
    CHECK(select_executions(other, {}, Sweeps::all, introduction(claim)).size() == 9);
    const Filter only = filter_of({"route=*/axis-runtime"});
    CHECK(select_executions(other, only, Sweeps::all, introduction(claim)).size() == 4);
    CHECK(select_executions(other, only, Sweeps::sample, introduction(claim)).empty());
    Case of_axis = openvino;
    of_axis.expect[0].rules = {"ov.gather-8.axis.negative"};
    const std::vector<const Case*> third{&of_axis};
    for (const char* rule : {"ov.gather-8.axis.negative", "ov.gather-8.indices.zero-fill",
                             "ov.gather-8.indices.negative", "ov.gather-8.data.rank"}) {
        of_axis.expect[0].rules = {rule};
        CHECK(select_executions(third, only, Sweeps::sample, introduction(claim)).size() == 4);
    }
    of_axis.expect[0].rules = {"ov.gather-8.types.T_IND"};
    CHECK(select_executions(third, only, Sweeps::sample, introduction(claim)).empty());
}

TEST_CASE("described calls go to implementations that describe, once") {
    Case described = make_case("a", {onnx_gather_13});
    described.inputs[0].tensor.contents = std::monostate{};
    const std::vector<const Case*> cases{&described};
    Introduction who = introduction({{onnx_gather_13}, {ElementType::f32}, {ElementType::i64}});
    who.claims[0].operands = {Operands::runtime, Operands::constant};
    CHECK(select_executions(cases, {}, Sweeps::all, who).empty());
    who.describes = true;
    CHECK(select_executions(cases, {}, Sweeps::all, who).size() == 1);
}

TEST_CASE("a sample has every value of every list of a sweep") {
    std::vector<Case> cases;
    for (const char* type : {"f32", "f16", "u8", "i64"}) {
        for (const char* axis : {"0", "1", "-1"}) {
            cases.push_back(
                make_case("s/type=" + std::string(type) + "/axis=" + axis, {onnx_gather_13}));
        }
    }
    cases.push_back(make_case("by-hand", {onnx_gather_13}));
    const auto sample = select_cases(cases, {}, Sweeps::sample, {});
    std::set<std::string> values;
    for (const Case* tested : sample) {
        const std::string& id = tested->id;
        const std::size_t slash = id.find('/');
        if (slash == std::string::npos) continue;
        values.insert(id.substr(slash + 1, id.rfind('/') - slash - 1));
        values.insert(id.substr(id.rfind('/') + 1));
    }
    CHECK(values == std::set<std::string>{"type=f32", "type=f16", "type=u8", "type=i64", "axis=0",
                                          "axis=1", "axis=-1"});
    CHECK(sample.size() < cases.size());
    CHECK(sample.back()->id == "by-hand");
    CHECK(select_cases(cases, {}, Sweeps::none, {}).size() == 1);
    CHECK(select_cases(cases, {}, Sweeps::all, {}).size() == 13);
    CHECK(select_cases(cases, filter_of({"case=s/type=f32/axis=0"}), Sweeps::none, {}).size() == 1);
}

TEST_CASE("shards share the cases without overlap") {
    std::vector<Case> cases;
    for (int k = 0; k < 10; ++k)
        cases.push_back(make_case("c" + std::to_string(k), {onnx_gather_13}));
    std::set<const Case*> seen;
    for (const std::int64_t index : {1, 2, 3}) {
        for (const Case* tested : select_cases(cases, {}, Sweeps::all, {index, 3})) {
            CHECK(seen.insert(tested).second);
        }
    }
    CHECK(seen.size() == 10);
}

TEST_CASE("a sequence is run where one model serves it, or by the first route where none is kept") {
    Case sequence = make_case("a", {onnx_gather_13});
    Case earlier = sequence;
    earlier.inputs[0].tensor.descriptor.shape = {3};
    sequence.after = {"b"};
    sequence.earlier = {std::make_shared<const Case>(earlier)};
    Introduction all = introduction({{onnx_gather_13},
                                     {ElementType::f32},
                                     {ElementType::i64},
                                     {Operands::runtime, Operands::constant, Operands::folded},
                                     {Shapes::fixed, Shapes::dynamic}});
    const std::vector<const Case*> cases{&sequence};
    const auto routes = [&] { return routes_of(select_executions(cases, {}, Sweeps::all, all)); };
    CHECK(routes() == std::vector<std::string>{"runtime/static"});
    all.keeps_models = true;
    CHECK(routes() == std::vector<std::string>{"runtime/dynamic", "constant/dynamic"});
    all.runs_sequences = false;
    CHECK(routes().empty());
}

TEST_CASE("a sample leaves a run-time axis to the sequences that need one") {
    Case sequence = make_case("a", {openvino_gather_8});
    sequence.axis = 0;
    sequence.expect[0].rules = {"ov.gather-8.semantics.formula"};
    Case earlier = sequence;
    sequence.after = {"b"};
    sequence.earlier = {std::make_shared<const Case>(earlier)};
    earlier.axis = -1;
    Case of_two_axes = sequence;
    of_two_axes.earlier = {std::make_shared<const Case>(earlier)};
    Introduction openvino = introduction({{openvino_gather_8},
                                          {ElementType::f32},
                                          {ElementType::i64},
                                          {Operands::runtime},
                                          {Shapes::fixed},
                                          {AxisOperand::constant, AxisOperand::runtime}});
    openvino.keeps_models = true;
    const std::vector<const Case*> cases{&sequence, &of_two_axes};
    CHECK(routes_of(select_executions(cases, {}, Sweeps::sample, openvino)) ==
          std::vector<std::string>{"runtime/static", "runtime/static/axis-runtime"});
}

}  // namespace gathercheck
