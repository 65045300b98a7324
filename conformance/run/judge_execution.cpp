// SPDX-License-Identifier: Apache-2.0
// One execution judged: the verdict, what a wrong answer shows, and known failures.
#include "conformance/run/judge_execution.hpp"

#include <utility>

#include "conformance/judge/classify.hpp"
#include "conformance/judge/judge.hpp"
#include "conformance/judge/treatment.hpp"
#include "conformance/select/policy_questions.hpp"

namespace gathercheck {
namespace {

/// What happened to bad indices is not asked of wrong outputs of larger calls.
constexpr std::int64_t treatment_bytes = std::int64_t{1} << 20;

/// True where a wrong output may show what the implementation does with bad indices.
bool shows_treatment(const ExecutionRecord& record, const PreparedCase& prepared) {
    return (record.failure == Failure::accepted || record.failure == Failure::wrong_value) &&
           record.outcome == "value" && prepared.bytes <= treatment_bytes;
}

std::string treatment(const Equations& equations, const Execution& execution,
                      const PreparedCase& prepared, const Outcome& outcome) {
    return (is_policy_case(execution.tested->id) ? classify_probe : classify)(
        equations, prepared.call.call, outcome);
}

}  // namespace

JudgedExecution judge_execution(const Answering& answering, const Equations& equations,
                                const Execution& execution, const PreparedCase& prepared,
                                bool control_passed, const Outcome& outcome) {
    ExecutionRecord record;
    record.implementation = answering.name;
    record.version = answering.introduction.version;
    record.operator_version = execution.version;
    record.route = execution.route;
    record.case_id = execution.tested->id;
    record.case_hash = execution.tested->hash.substr(0, case_hash_digits);
    record.outcome = kind_name(outcome);
    if (const auto* rejected = std::get_if<Rejected>(&outcome)) {
        if (rejected->category) record.category = name(*rejected->category);
        if (rejected->phase) record.phase = name(*rejected->phase);
    }
    if (!prepared.fault.empty()) {
        record.verdict = Verdict::broken;
        record.detail = "the case is wrong: " + prepared.fault;
        return {std::move(record), std::nullopt};
    }
    const Question question{prepared.alternatives, prepared.rules,
                            answering.introduction.follows_suite, execution.claimed,
                            control_passed};
    Judgement judgement = judge(question, outcome);
    if (answering.introduction.witness) judgement = of_witness(std::move(judgement));
    record.verdict = judgement.verdict;
    record.failure = judgement.failure;
    record.detail = std::move(judgement.detail);
    if (record.verdict == Verdict::unspecified) {
        record.classification = treatment(equations, execution, prepared, outcome);
        record.detail = to_string(outcome);
    } else if (record.verdict == Verdict::pass && record.outcome == "descriptor" &&
               !holds_output(prepared.alternatives)) {
        record.classification = left_to_the_run;
    } else if (shows_treatment(record, prepared)) {
        record.classification = treatment(equations, execution, prepared, outcome);
    }
    if (answering.known_failures != nullptr) apply(*answering.known_failures, record);
    if (record.verdict == Verdict::fail || record.verdict == Verdict::difference) {
        record.answer = answer_digest(outcome);
    }
    if (record.verdict == Verdict::unspecified || !wrong_outcome(record).empty()) {
        record.got =
            recorded_answers(outcome, prepared.alternatives, answering.introduction.follows_suite);
        record.expected = recorded_expectations(prepared.alternatives);
    }
    if (is_looked_at(record.verdict)) record.title = execution.tested->title;
    if (record.verdict != Verdict::known_failure && !wrong_outcome(record).empty()) {
        record.rules = prepared.rules;
    }
    return {std::move(record), judgement.element};
}

}  // namespace gathercheck
