// SPDX-License-Identifier: Apache-2.0
// Retyped cases: what the reference and the equations say of them all, which types are nearest, and
// what is never retyped.
#include "conformance/model/retype.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/select.hpp"
#include "tools/shared/ask_reference.hpp"
#include "tools/tests/shipped.hpp"

namespace gathercheck {
namespace {

using enum ElementType;
using enum OperatorVersion;

const Case& shipped_case(std::string_view id) {
    static const CasesById cases(shipped().suite.cases);
    const Case* found = cases.find(id);
    REQUIRE(found != nullptr);
    return *found;
}

Claim claim_of(OperatorVersion version, TypeSet data, TypeSet indices) {
    Claim claim;
    claim.versions = {version};
    claim.data = data;
    claim.indices = indices;
    return claim;
}

/// Id of what is asked of one who claims this; "" for nothing.
std::string asked(std::string_view id, OperatorVersion version, std::vector<Claim> claims) {
    RetypedCases retyped;
    const Case* found = retyped.claimed(shipped_case(id), version, Route{}, claims);
    return found == nullptr ? "" : found->id;
}
std::string asked(std::string_view id, OperatorVersion version, TypeSet data, TypeSet indices) {
    return asked(id, version, {claim_of(version, data, indices)});
}

/// What is wrong with a case by the reference and the equations; empty where nothing is.
std::string refuted(const Case& tested, OperatorVersion version) {
    const LoadedSuite& loaded = shipped();
    const auto prepared = prepare(tested, version, loaded.equations, loaded.rules);
    if (!prepared->fault.empty()) return prepared->fault;
    const Call& call = prepared->call.call;
    const Outcome outcome = ask_reference(call, tested.is_described());
    const Question question{prepared->alternatives, prepared->rules, true, true, true};
    const Judgement judgement = judge(question, outcome);
    if (judgement.verdict != Verdict::pass && judgement.verdict != Verdict::unspecified) {
        return std::string(name(judgement.failure)) + ": " + judgement.detail;
    }
    const auto* value = std::get_if<ValueOutcome>(&outcome);
    if (value == nullptr || prepared->alternatives.empty()) return {};
    const auto answer = loaded.equations.evaluate(call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    if (known == nullptr) return std::get<std::string>(answer);
    if (!same_tensor(assemble(*known, *call.input("data")), value->output)) {
        return "the equations give another output";
    }
    return {};
}

}  // namespace

TEST_CASE("the reference and the equations agree with every case in every other pair of types",
          "[release]") {
    RetypedCases retyped;
    std::int64_t judged = 0;
    std::uint64_t turn = 0;
    for (const Case& tested : shipped().suite.cases) {
        if (tested.from_sweep) continue;
        for (const ElementTypeInfo& data : element_types()) {
            for (const ElementTypeInfo& indices : element_types()) {
                const Case* made = retyped.in_types(tested, {data.type, indices.type});
                if (made == nullptr || made == &tested) continue;
                for (const Expectation& expectation : made->expect) {
                    for (const OperatorVersion version : expectation.versions) {
                        // Pairs in turn: all of them would take minutes under sanitizers.
                        if (turn++ % 7 != 0) continue;
                        INFO(made->id << " for " << name(version));
                        const std::string why = refuted(*made, version);
                        if (!why.empty()) FAIL(why);
                        ++judged;
                    }
                }
            }
        }
    }
    CHECK(judged > 20000);
}

TEST_CASE("a claim of other types is asked nearly all that one of the written types is") {
    const LoadedSuite& loaded = shipped();
    const auto cases = select_cases(loaded.suite.cases, {}, Sweeps::none, {});
    const auto count = [&](OperatorVersion version, TypeSet data, TypeSet indices) {
        Introduction introduction;
        introduction.claims = {claim_of(version, data, indices)};
        std::int64_t values = 0;
        for (const Execution& one :
             select_executions(cases, {}, Sweeps::none, introduction, &loaded.suite.retyped)) {
            const Expectation& expectation = *one.tested->expectation(version);
            values +=
                one.claimed && !expectation.may_be_rejected() && !expectation.is_unspecified();
        }
        return values;
    };
    for (const OperatorInfo& op : operator_versions().first(enumerated_version_count)) {
        INFO(op.name);
        const std::int64_t wide = count(op.version, {i32}, {i64});
        CHECK(wide > 50);
        for (const ElementType data : {f32, f64, i64, i16, u16}) {
            INFO(name(data));
            CHECK(count(op.version, {data}, {i64}) * 20 >= wide * 19);
        }
        if (!op.indices_types.contains(i32)) continue;
        CHECK(count(op.version, {f32}, {i32}) * 20 >= count(op.version, {f32}, {i64}) * 18);
    }
}

TEST_CASE("what everything is claimed of is asked as it is written") {
    const LoadedSuite& loaded = shipped();
    Introduction introduction;
    introduction.claims = claims_of_table();
    const auto cases = select_cases(loaded.suite.cases, {}, Sweeps::none, {});
    for (const Execution& one :
         select_executions(cases, {}, Sweeps::none, introduction, &loaded.suite.retyped)) {
        INFO(one.tested->id);
        CHECK(one.tested->written.empty());
    }
}

TEST_CASE("the nearest types are chosen, whatever the order of claims") {
    const std::string_view written = "gather-dimension-of-one-at-0";  // i16, i64
    const auto of = [&](TypeSet data, TypeSet indices) {
        return asked(written, onnx_gather_13, data, indices);
    };
    CHECK(of({i16}, {i64}) == written);
    CHECK(of({i16}, {i32}) == std::string(written) + "/indices=i32");
    CHECK(of({f32, f64, u8, u16, i32, i64}, {i64}) == std::string(written) + "/data=i32");
    CHECK(of({f32, f64, u8, u16, i8}, {i64}) == std::string(written) + "/data=i8");
    CHECK(of({f32, f64, u8, u16}, {i64}) == std::string(written) + "/data=u16");
    CHECK(of({f64, f32, bf16}, {i32}) == std::string(written) + "/data=bf16/indices=i32");
    // As few changes as possible, then data first.
    const Claim other_data = claim_of(onnx_gather_13, {i32}, {i64});
    const Claim other_indices = claim_of(onnx_gather_13, {i16}, {i32});
    const Claim both = claim_of(onnx_gather_13, {i64}, {i32});
    const std::string expected = std::string(written) + "/indices=i32";
    CHECK(asked(written, onnx_gather_13, {other_data, other_indices, both}) == expected);
    CHECK(asked(written, onnx_gather_13, {both, other_indices, other_data}) == expected);
    // Types go together only within one claim.
    CHECK(asked(written, onnx_gather_13,
                {claim_of(onnx_gather_13, {i16}, {}), claim_of(onnx_gather_13, {f32}, {i32})}) ==
          std::string(written) + "/data=f32/indices=i32");
    CHECK(of({string}, {i64}).empty());
}

TEST_CASE("what depends on element types is not retyped") {
    // A rule about types; strings; packed elements.
    for (const char* id : {"gather-type-f16-values", "gather-type-f32-patterns",
                           "versions-i32-indices", "gather-index-negative-strings",
                           "gather-empty-type-u1", "gather-index-type-u16-maximum"}) {
        INFO(id);
        CHECK(asked(id, openvino_gather_8, {bf16}, {i8}).empty());
    }
    // A size that is too large in the written type.
    CHECK(asked("gather-size-bytes-overflow", onnx_gather_13, {u8}, {i32}).empty());
    CHECK(asked("gather-size-bytes-overflow", onnx_gather_13, {f64}, {i64}) ==
          "gather-size-bytes-overflow/indices=i64");
    // Strings stay strings where only the indices are changed.
    CHECK(asked("gather-index-negative-strings", onnx_gather_13, {string, f32}, {i32}) ==
          "gather-index-negative-strings/indices=i32");
    CHECK(asked("gather-nd-type-f32-patterns", openvino_gather_nd_8, {f32}, {i32}) ==
          "gather-nd-type-f32-patterns/indices=i32");
}

TEST_CASE("a number that a type cannot hold keeps the case from it") {
    const std::string written = "gather-index-u32-that-16-bits-would-make-legal";
    CHECK(asked(written, openvino_gather_8, {f32}, {i32}) == written + "/indices=i32");
    CHECK(asked(written, openvino_gather_8, {f32}, {i16}).empty());
    CHECK(asked("gather-large-values-in-data", onnx_gather_13, {u8}, {i64}).empty());
}

TEST_CASE("all calls of a sequence are retyped") {
    RetypedCases retyped;
    const Case& written = shipped_case("sequence-other-indices");
    const Case* made = retyped.in_types(written, {f64, i32});
    REQUIRE(made != nullptr);
    REQUIRE(made->earlier.size() == written.earlier.size());
    CHECK(made->earlier.front()->id == written.earlier.front()->id + "/data=f64/indices=i32");
    CHECK(made->after.front() == made->earlier.front()->id);
    CHECK(made->earlier.front()->inputs.front().tensor.descriptor.type == f64);
}

TEST_CASE("a retyped case is found by its id, written in one way") {
    const CasesById cases(shipped().suite.cases);
    RetypedCases retyped;
    const std::string written = "gather-dimension-of-one-at-0";  // i16, i64
    const auto finds = [&](const std::string& parts) {
        const Case* found = retyped.find(cases, written + parts);
        return found != nullptr && found->id == written + parts;
    };
    CHECK(finds(""));
    CHECK(finds("/data=f32"));
    CHECK(finds("/indices=i32"));
    CHECK(finds("/data=f32/indices=i32"));
    CHECK_FALSE(finds("/indices=i32/data=f32"));
    CHECK_FALSE(finds("/data=i16"));
    CHECK_FALSE(finds("/data=i16/indices=i32"));
    CHECK_FALSE(finds("/data=string"));
    CHECK_FALSE(finds("/data=float32"));
    CHECK_FALSE(finds("/data=f32/indices=i32/indices=i32"));
    CHECK(id_as_written("a/data=f32/indices=i32") == "a");
    CHECK(id_as_written("a/indices=i32") == "a");
    CHECK(id_as_written("a/type=f32") == "a/type=f32");
}

TEST_CASE("a filter finds retyped cases by the written id and by their own") {
    const LoadedSuite& loaded = shipped();
    const auto ids = [&](const std::string& term) {
        const std::vector<std::string> terms{term};
        const Filter filter = std::get<Filter>(parse_filter(terms));
        Introduction introduction;
        introduction.claims = {claim_of(onnx_gather_13, {f32}, {i32})};
        std::set<std::string> found;
        const auto cases = select_cases(loaded.suite.cases, filter, Sweeps::none, {});
        for (const Execution& one :
             select_executions(cases, filter, Sweeps::none, introduction, &loaded.suite.retyped)) {
            found.insert(one.tested->id);
        }
        return found;
    };
    const std::string written = "gather-dimension-of-one-at-0";
    const std::string own = written + "/data=f32/indices=i32";
    CHECK(ids("case=" + written) == std::set{own});
    CHECK(ids("case=" + own) == std::set{own});
    CHECK(ids(own) == std::set{own});
    CHECK(ids("case=" + written + "/data=f64/indices=i32").empty());
    CHECK(ids("case=*-at-?/data=f32*").contains(own));
    CHECK(ids("case=*/data=f64").empty());
}

TEST_CASE("what must be rejected is asked as it is written, and in claimed types too") {
    const LoadedSuite& loaded = shipped();
    Introduction introduction;
    introduction.claims = {claim_of(onnx_gather_13, {f64}, {i32})};
    const Case& written = shipped_case("gather-axis-error-in-shape-phase");
    const std::vector<const Case*> cases{&written};
    std::map<std::string, bool> found;
    for (const Execution& one :
         select_executions(cases, {}, Sweeps::none, introduction, &loaded.suite.retyped)) {
        found.emplace(one.tested->id, one.claimed);
    }
    REQUIRE(found.size() == 2);
    CHECK_FALSE(found.at(written.id));
    CHECK(found.rbegin()->second);
}

}  // namespace gathercheck
