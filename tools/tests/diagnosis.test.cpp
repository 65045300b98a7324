// SPDX-License-Identifier: Apache-2.0
// Tests of the diagnosis: what it says of implementations whose misreading is known.
#include "tools/diagnosis.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <set>
#include <string>

#include "conformance/run.hpp"
#include "tools/tests/shipped.hpp"

using namespace gathercheck;

namespace {

const std::vector<Misreading>& known() {
    static const std::vector<Misreading> all = misreadings(shipped().equations);
    return all;
}

const Misreading& find(const std::string& name) {
    for (const Misreading& misreading : known()) {
        if (misreading.name == name) return misreading;
    }
    FAIL("there is no misreading " << name);
    return known().front();
}

/// What an implementation that answers as `misreading` does gives for the hand-written cases.
template <class Use>
void answer_cases(const Misreading& misreading, Use use) {
    const LoadedSuite& loaded = shipped();
    std::vector<const Case*> cases;
    std::vector<std::shared_ptr<const PreparedCase>> prepared;
    std::vector<OwnedCall> calls;
    std::vector<bool> described;
    for (const Case& tested : loaded.suite.cases) {
        if (tested.from_sweep) continue;
        for (const Claim& claim : misreading.built_in.claims) {
            const OperatorVersion version = claim.versions.front();
            if (tested.expectation(version) == nullptr) continue;
            auto one = prepare(tested, version, loaded.equations, loaded.rules);
            if (one->bytes > 1 << 20) continue;
            calls.push_back(make_call(tested, version));
            described.push_back(tested.is_described());
            cases.push_back(&tested);
            prepared.push_back(std::move(one));
        }
    }
    const Misreading* const one = &misreading;
    const std::vector<Outcome> answers = answers_of({&one, 1}, calls, described).front();
    for (std::size_t k = 0; k < answers.size(); ++k) {
        const Question question{prepared[k]->alternatives, {}, false, true, true, false};
        const Judgement judgement = judge(question, answers[k]);
        ExecutionRecord record;
        record.implementation = "theirs";
        record.operator_version = calls[k].call.version;
        record.case_id = cases[k]->id;
        record.verdict = judgement.verdict;
        record.failure = judgement.failure;
        use(*cases[k], answers[k], record);
    }
}

std::string diagnosed(const Misreading& theirs) {
    Diagnosis diagnosis(shipped().equations, shipped().rules);
    answer_cases(theirs,
                 [&](const Case& tested, const Outcome& outcome, const ExecutionRecord& record) {
                     diagnosis.add(tested, outcome, record);
                 });
    return diagnosis.text();
}

}  // namespace

TEST_CASE("the usual misreadings are named, and explain every failure") {
    for (const char* name :
         {"axis-ignored", "axis-always-last", "index-clamped", "index-wraps",
          "negative-takes-first", "bad-index-zero-filled", "bad-index-takes-first",
          "output-reversed", "openvino.Gather-8-as-openvino.Gather-7", "elements-as-gather"}) {
        const std::string text = diagnosed(find(name));
        INFO(name << ": " << text);
        CHECK(text.starts_with("all "));
        CHECK(text.find("(" + std::string(name) + ")") != std::string::npos);
        CHECK(text.find("contradict") == std::string::npos);
    }
}

TEST_CASE("two misreadings at once are told apart") {
    Diagnosis diagnosis(shipped().equations, shipped().rules);
    const auto add_of = [&](OperatorVersion version) {
        return [&diagnosis, version](const Case& tested, const Outcome& outcome,
                                     const ExecutionRecord& record) {
            if (record.operator_version == version) diagnosis.add(tested, outcome, record);
        };
    };
    answer_cases(find("index-clamped"), add_of(OperatorVersion::onnx_gather_13));
    answer_cases(find("axis-ignored"), add_of(OperatorVersion::openvino_gather_7));
    const std::string text = diagnosis.text();
    INFO(text);
    CHECK(text.find("(index-clamped") != std::string::npos);
    CHECK(text.find("(axis-ignored") != std::string::npos);
    CHECK(text.find(" of the other ") != std::string::npos);
}

TEST_CASE("of failures that are records only the same is said, whatever they answered") {
    for (const char* name : {"index-clamped", "axis-ignored", "elements-as-gather"}) {
        Diagnosis diagnosis(shipped().equations, shipped().rules);
        std::int64_t turn = 0;
        answer_cases(find(name), [&](const Case& tested, const Outcome& outcome,
                                     const ExecutionRecord& record) {
            if (++turn % 2 == 0) return diagnosis.add(tested, outcome, record);
            ExecutionRecord recorded = record;
            recorded.outcome = kind_name(outcome);
            recorded.answer = answer_digest(outcome);
            diagnosis.add_recorded(tested, recorded);
        });
        CHECK(diagnosis.text() == diagnosed(find(name)));
        CHECK(diagnosis.text().find("(" + std::string(name) + ")") != std::string::npos);
    }
}

TEST_CASE("a recorded failure that holds no answer is told as not looked at") {
    const LoadedSuite& loaded = shipped();
    Diagnosis diagnosis(loaded.equations, loaded.rules);
    ExecutionRecord record;
    record.operator_version = OperatorVersion::openvino_gather_7;
    record.verdict = Verdict::fail;
    for (const Case& tested : loaded.suite.cases) {
        if (tested.id != "documented-gather-7-example-5") continue;
        for (const char* outcome : {"rejected", "not deterministic"}) {
            record.outcome = outcome;
            diagnosis.add_recorded(tested, record);
        }
    }
    CHECK(diagnosis.text().ends_with("(1 failure of another kind not looked at)"));
}

TEST_CASE("answers that no misreading gives are not explained, and nothing is said of none") {
    const LoadedSuite& loaded = shipped();
    Diagnosis diagnosis(loaded.equations, loaded.rules);
    CHECK(diagnosis.text().empty());
    for (const Case& tested : loaded.suite.cases) {
        if (tested.id != "documented-gather-7-example-5") continue;
        Tensor output;
        output.type = ElementType::f32;
        output.shape = Shape{77};
        output.contents.resize(77 * 4);
        ExecutionRecord record;
        record.operator_version = OperatorVersion::openvino_gather_7;
        record.verdict = Verdict::fail;
        record.failure = Failure::wrong_shape;
        diagnosis.add(tested, ValueOutcome{output}, record);
    }
    CHECK(diagnosis.text() == "no misreading that is known here explains the failure");
}
