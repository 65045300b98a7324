// SPDX-License-Identifier: Apache-2.0
// Tests of the out-of-bounds map.
#include "conformance/report/policy.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/judge/treatment.hpp"
#include "tools/tests/shipped.hpp"

using namespace gathercheck;

namespace {

PolicyMap map_of(const std::vector<ExecutionRecord>& records) {
    PolicyMap map(shipped().suite, shipped().equations, shipped().rules);
    ImplementationRecord implementation;
    implementation.name = "theirs";
    implementation.version = "1";
    implementation.state = "started";
    map.add(implementation);
    for (const ExecutionRecord& record : records) map.add(record);
    return map;
}

ExecutionRecord record_of(const std::string& case_id, Verdict verdict, const std::string& outcome,
                          const std::string& classification = {}) {
    ExecutionRecord record;
    record.implementation = "theirs";
    record.version = "1";
    record.operator_version = OperatorVersion::onnx_gather_13;
    record.case_id = case_id;
    record.verdict = verdict;
    record.outcome = outcome;
    record.classification = classification;
    return record;
}

const PolicyAnswer& answer_to(const std::vector<PolicyRow>& rows, std::string_view title) {
    REQUIRE(rows.size() == 1);
    const auto found = std::ranges::find(policy_questions(), title, &PolicyQuestion::title);
    REQUIRE(found != policy_questions().end());
    return rows[0].answers[static_cast<std::size_t>(found - policy_questions().begin())];
}

}  // namespace

TEST_CASE("the suite has the cases of the map, for every version of their family") {
    for (const PolicyQuestion& question : policy_questions()) {
        for (const OperatorInfo& info : operator_versions()) {
            for (const std::string& id : {std::string(question.case_of(info.family)),
                                          question.alone_case_of(info.family)}) {
                if (id.empty()) continue;
                INFO(id << " for " << name(info.version));
                const auto found = std::ranges::find(shipped().suite.cases, id, &Case::id);
                REQUIRE(found != shipped().suite.cases.end());
                CHECK(found->expectation(info.version) != nullptr);
            }
        }
    }
}

TEST_CASE("what passed, what departs and what is open have their words") {
    const auto answer = [](const ExecutionRecord& record, std::string_view title) {
        return answer_to(map_of({record}).rows(), title);
    };
    const PolicyAnswer legal =
        answer(record_of("policy-gather-minus-1", Verdict::pass, "value"), "-1");
    CHECK(legal.word == "value");
    CHECK(legal.standing == Standing::conforms);
    ExecutionRecord rejected = record_of("policy-gather-size", Verdict::pass, "rejected");
    rejected.case_id = "policy-gather-i32-maximum";
    CHECK(answer(rejected, "2^31-1").word == "error");
    rejected.phase = "run";
    CHECK(answer(rejected, "2^31-1").word == "error (run)");
    const PolicyAnswer clamped =
        answer(record_of("policy-gather-size", Verdict::fail, "value", "clamp"), "s");
    CHECK(clamped.word == "clamp");
    CHECK(clamped.standing == Standing::departs);
    CHECK(answer(record_of("policy-gather-size", Verdict::fail, "value", "other"), "s").word ==
          "garbage");
    CHECK(answer(record_of("policy-gather-size", Verdict::crash, "crash"), "s").word == "crash");
    CHECK(answer(record_of("policy-gather-size", Verdict::unspecified, "value", "wrap"), "s")
              .standing == Standing::open);
    const PolicyAnswer absent = answer(rejected, "-1");
    CHECK(absent.word == "-");
    CHECK(absent.standing == Standing::not_asked);
}

TEST_CASE("an error is told of an index only where it is one without its neighbour, too") {
    ExecutionRecord both = record_of("policy-gather-size", Verdict::pass, "rejected");
    both.phase = "run";
    ExecutionRecord alone = record_of("policy-gather-size-alone", Verdict::pass, "rejected");
    CHECK(answer_to(map_of({both}).rows(), "s").word == "error (run) of s or s+1");
    CHECK(answer_to(map_of({both, alone}).rows(), "s").word == "error (run)");
    CHECK(is_policy_case("policy-gather-size-alone"));
    for (const auto& [treatment, word] :
         {std::pair("clamp", "clamp, s+1: error (run)"),
          std::pair("wrap or first element", "wrap or first element, s+1: error (run)")}) {
        alone = record_of("policy-gather-size-alone", Verdict::fail, "value", treatment);
        const PolicyAnswer answer = answer_to(map_of({alone, both}).rows(), "s");
        CHECK(answer.word == word);
        CHECK(answer.standing == Standing::departs);
        CHECK(answer.case_id == alone.case_id);
    }
    alone = record_of("policy-gather-size-alone", Verdict::crash, "crash");
    CHECK(answer_to(map_of({both, alone}).rows(), "s").word == "crash, s+1: error (run)");
    // An answer to both tells what is done with each.
    both = record_of("policy-gather-size", Verdict::fail, "value", "clamp");
    CHECK(answer_to(map_of({both, alone}).rows(), "s").word == "clamp");
    // That -1 is accepted and -2 is not departs where both are legal.
    both = record_of("policy-gather-minus-1", Verdict::fail, "rejected");
    alone = record_of("policy-gather-minus-1-alone", Verdict::pass, "value");
    const PolicyAnswer last = answer_to(map_of({both, alone}).rows(), "-1");
    CHECK(last.word == "value, -2: error");
    CHECK(last.standing == Standing::departs);
}

TEST_CASE("a case in other element types asks the same question") {
    const std::string asked = "policy-gather-size/data=f64/indices=i32";
    CHECK(is_policy_case(asked));
    CHECK_FALSE(is_policy_case("policy-gather-sizes"));
    const std::vector<PolicyRow> rows =
        map_of({record_of(asked, Verdict::fail, "value", "clamp"),
                record_of("policy-gather-minus-1/indices=i32", Verdict::pass, "value")})
            .rows();
    CHECK(answer_to(rows, "-1").word == "value");
    CHECK(answer_to(rows, "s").word == "clamp");
    CHECK(answer_to(rows, "s").case_id == asked);
    CHECK(answer_to(rows, "2^32+65793").word == "not in i32");
    CHECK(answer_to(rows, "-2^63").word == "not in i32");
    CHECK(answer_to(rows, "2^31-1").word == "-");
}

TEST_CASE("treatments that a question cannot tell apart are told by the others, or all named") {
    const auto below = record_of("policy-gather-below-minus-size", Verdict::fail, "value",
                                 "clamp or first element");
    const auto words = [&](const std::string& treatment_of_size) {
        return answer_to(map_of({below, record_of("policy-gather-size", Verdict::fail, "value",
                                                  treatment_of_size)})
                             .rows(),
                         "-s-1")
            .word;
    };
    CHECK(words("clamp") == "clamp");
    CHECK(words("first element") == "first element");
    CHECK(words("zero") == "clamp or first element");
    const auto highest = record_of("policy-gather-i64-maximum", Verdict::fail, "value",
                                   "first element or cut to 32 bits, clamp");
    const auto cut =
        record_of("policy-gather-two-to-32-plus-65793", Verdict::fail, "value", "cut to 32 bits");
    const auto clamped = record_of("policy-gather-size", Verdict::fail, "value", "clamp");
    CHECK(answer_to(map_of({highest, cut, clamped}).rows(), "2^63-1").word ==
          "cut to 32 bits, clamp");
    CHECK(answer_to(map_of({highest, cut}).rows(), "2^63-1").word == "first element");
    const auto any = record_of("policy-gather-size", Verdict::fail, "value",
                               "wrap or zero or clamp or first element");
    CHECK(answer_to(map_of({any}).rows(), "s").word == "unclear");
}

namespace {

/// True where two treatments are the same by their nature for the indices of a question.
bool are_alike(std::string_view title, bool alone, const std::string& a, const std::string& b) {
    const bool negative = title.starts_with("-");
    if (a == "clamp" && b == "first element") return negative;
    if (alone && negative && (a == "wrap" || a == "value") && b == "clamp as unsigned") return true;
    if (alone && !negative && a == "wrap" && b == "first element") return true;
    if (title.find("2^31") == std::string_view::npos &&
        title.find("2^63") == std::string_view::npos) {
        return false;
    }
    // The ends of the types are made of ones or zeros: cut to any width they are -1 or 0.
    const auto after_cut = [](const std::string& name) { return name.substr(name.find(" bits")); };
    if (!b.starts_with("cut")) return false;
    if (after_cut(b).starts_with(" bits unsigned")) return false;
    return a.starts_with("cut") ? after_cut(a) == after_cut(b)
                                : a == "first element" && after_cut(b) == " bits, clamp";
}

/// The cases of a question: as it is written, and in other element types.
std::vector<const Case*> asked_by(std::string_view id, RetypedCases& retyped) {
    const auto written = std::ranges::find(shipped().suite.cases, id, &Case::id);
    REQUIRE(written != shipped().suite.cases.end());
    std::vector<const Case*> cases{&*written};
    for (const ElementType data : {ElementType::f16, ElementType::f32, ElementType::i32}) {
        for (const ElementType indices : {ElementType::i32, ElementType::i64}) {
            const Case* made = retyped.in_types(*written, {data, indices});
            if (made != nullptr && made != &*written) cases.push_back(made);
        }
    }
    return cases;
}

}  // namespace

TEST_CASE("every case of the map tells the treatments apart and names each") {
    std::set<std::string> seen;
    RetypedCases retyped;
    for (const PolicyQuestion& question : policy_questions()) {
        if (question.title == "empty axis" || question.title == "no output") continue;
        const bool of_64_bits = question.title == "2^32+65793" || question.title == "2^63-1" ||
                                question.title == "-2^63";
        for (const OperatorInfo& info : operator_versions()) {
            bool in_i32 = false;
            std::vector<const Case*> cases = asked_by(question.case_of(info.family), retyped);
            const std::string alone_id = question.alone_case_of(info.family);
            if (!alone_id.empty()) {
                const auto more = asked_by(alone_id, retyped);
                cases.insert(cases.end(), more.begin(), more.end());
            }
            for (const Case* tested : cases) {
                const bool alone = tested->id.find("-alone") != std::string::npos;
                if (tested->expectation(info.version) == nullptr) continue;
                const auto prepared =
                    prepare(*tested, info.version, shipped().equations, shipped().rules);
                const Call& call = prepared->call.call;
                const bool is_i64 = call.input("indices")->type == ElementType::i64;
                in_i32 = in_i32 || !is_i64;
                const auto treated = treated_outputs(shipped().equations, call);
                std::set<std::string> names;
                for (const TreatedOutput& one : treated) {
                    INFO(tested->id << " for " << info.name << ": " << one.name);
                    names.insert(one.name);
                    std::string alike;
                    for (const TreatedOutput& other : treated) {
                        const bool same = same_tensor(one.output, other.output);
                        const bool may_be_same =
                            &one == &other ||
                            are_alike(question.title, alone, one.name, other.name) ||
                            are_alike(question.title, alone, other.name, one.name);
                        INFO("and " << other.name);
                        CHECK(same == may_be_same);
                        if (same) alike += (alike.empty() ? "" : " or ") + other.name;
                    }
                    const auto word_of = [&](const Tensor& output) {
                        return classify_probe(shipped().equations, call, ValueOutcome{output});
                    };
                    CHECK(word_of(one.output) == alike);
                    Tensor garbage = one.output;
                    garbage.contents.back() ^= std::byte{0x21};
                    CHECK(word_of(garbage) == "other");
                }
                INFO(tested->id << " for " << info.name);
                CHECK(names.contains("zero"));
                CHECK(names.contains("clamp"));
                CHECK(names.contains("first element"));
                CHECK((names.contains("wrap") || names.contains("value")));
                CHECK(names.contains("clamp as unsigned") == question.title.starts_with("-"));
                CHECK(names.contains("cut to 32 bits") == of_64_bits);
                if (question.title.starts_with("2^")) CHECK(names.contains("cut to 16 bits"));
                seen.insert(names.begin(), names.end());
            }
            INFO(question.title << " for " << info.name);
            CHECK(in_i32 == (!of_64_bits && info.indices_types.contains(ElementType::i32)));
        }
    }
    CHECK(seen.contains("cut to 8 bits"));
    CHECK(seen.contains("cut to 32 bits, clamp"));
}

TEST_CASE("answers to the cases of the map that are no single treatment") {
    const auto class_of = [](std::string_view id, OperatorVersion version,
                             const std::function<void(Tensor&)>& change) {
        const auto found = std::ranges::find(shipped().suite.cases, id, &Case::id);
        const auto prepared = prepare(*found, version, shipped().equations, shipped().rules);
        const auto treated = treated_outputs(shipped().equations, prepared->call.call);
        Tensor output = treated.front().output;
        change(output);
        return classify_probe(shipped().equations, prepared->call.call, ValueOutcome{output});
    };
    const OperatorVersion version = OperatorVersion::openvino_gather_8;
    // [1, -11, -10] of rows of two f32: -11 gives zeros, -10 the right row.
    CHECK(class_of("policy-gather-minus-size", version, [](Tensor& output) {
              std::fill_n(output.contents.begin() + 8, 8, std::byte{0});
          }) == "value+zero");
    CHECK(class_of("policy-gather-minus-size", version, [](Tensor& output) {
              std::fill_n(output.contents.begin(), 8, std::byte{0});
          }) == "other");  // the legal index
    CHECK(class_of("policy-gather-size", version,
                   [](Tensor& output) { output.shape = Shape{2, 3}; }) == "other");
    CHECK(class_of("policy-gather-empty-axis", version, [](Tensor&) {}) == "zero");
    CHECK(class_of("policy-gather-no-output", version, [](Tensor&) {}) == "empty output");
}

TEST_CASE("versions and routes with the same answers share a row") {
    std::vector<ExecutionRecord> records;
    for (const OperatorVersion version :
         {OperatorVersion::onnx_gather_11, OperatorVersion::onnx_gather_13}) {
        for (const Operands operands : {Operands::runtime, Operands::constant}) {
            ExecutionRecord record = record_of("policy-gather-size", Verdict::pass, "rejected");
            record.operator_version = version;
            record.route.operands = operands;
            records.push_back(record);
        }
    }
    CHECK(map_of(records).rows().size() == 1);
    records.back().outcome = "value";
    records.back().verdict = Verdict::fail;
    records.back().classification = "zero";
    const std::vector<PolicyRow> rows = map_of(records).rows();
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].routes.size() == 2);
    CHECK(answer_to({rows[2]}, "s").word == "zero");
    CHECK(policy_text(rows).find("onnx.Gather-13") != std::string::npos);
    CHECK(policy_text(rows).find("zero !") != std::string::npos);
}

TEST_CASE("a bar in a name does not break a Markdown table") {
    ExecutionRecord record = record_of("policy-gather-size", Verdict::pass, "rejected");
    record.implementation = "exec:a | b";
    CHECK(policy_markdown(map_of({record}).rows()).find("exec:a \\| b") != std::string::npos);
}
