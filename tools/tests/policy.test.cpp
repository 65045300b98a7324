// SPDX-License-Identifier: Apache-2.0
// Tests of the out-of-bounds map.
#include "conformance/policy.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <optional>

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
            const std::string_view id = question.case_of(info.family);
            if (id.empty()) continue;
            INFO(id << " for " << name(info.version));
            const auto found = std::ranges::find(shipped().suite.cases, id, &Case::id);
            REQUIRE(found != shipped().suite.cases.end());
            CHECK(found->expectation(info.version) != nullptr);
        }
    }
}

TEST_CASE("what passed, what departs and what is open have their words") {
    const auto answer = [](const ExecutionRecord& record, std::string_view title) {
        return answer_to(map_of({record}).rows(), title);
    };
    const PolicyAnswer legal =
        answer(record_of("gather-index-minus-1-i64", Verdict::pass, "value"), "-1");
    CHECK(legal.word == "value");
    CHECK(legal.standing == Standing::conforms);
    ExecutionRecord rejected =
        record_of("gather-index-equal-to-size-i64", Verdict::pass, "rejected");
    CHECK(answer(rejected, "s").word == "error");
    rejected.phase = "run";
    CHECK(answer(rejected, "s").word == "error (run)");
    const PolicyAnswer clamped =
        answer(record_of("gather-index-equal-to-size-i64", Verdict::fail, "value", "clamp"), "s");
    CHECK(clamped.word == "clamp");
    CHECK(clamped.standing == Standing::departs);
    CHECK(answer(record_of("gather-index-equal-to-size-i64", Verdict::fail, "value", "other"), "s")
              .word == "garbage");
    CHECK(answer(record_of("gather-index-equal-to-size-i64", Verdict::crash, "crash"), "s").word ==
          "crash");
    CHECK(answer(record_of("gather-index-equal-to-size-i64", Verdict::unspecified, "value", "wrap"),
                 "s")
              .standing == Standing::open);
    const PolicyAnswer absent = answer(rejected, "-1");
    CHECK(absent.word == "-");
    CHECK(absent.standing == Standing::not_asked);
}

TEST_CASE("versions and routes with the same answers share a row") {
    std::vector<ExecutionRecord> records;
    for (const OperatorVersion version :
         {OperatorVersion::onnx_gather_11, OperatorVersion::onnx_gather_13}) {
        for (const Operands operands : {Operands::runtime, Operands::constant}) {
            ExecutionRecord record =
                record_of("gather-index-equal-to-size-i64", Verdict::pass, "rejected");
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
    CHECK(rows[2].answers[2].word == "zero");
    CHECK(policy_text(rows).find("onnx.Gather-13") != std::string::npos);
    CHECK(policy_text(rows).find("zero !") != std::string::npos);
}

TEST_CASE("a bar in a name does not break a Markdown table") {
    ExecutionRecord record = record_of("gather-index-equal-to-size-i64", Verdict::pass, "rejected");
    record.implementation = "exec:a | b";
    CHECK(policy_markdown(map_of({record}).rows()).find("exec:a \\| b") != std::string::npos);
}
