// SPDX-License-Identifier: Apache-2.0
// Fuzzing an implementation: generated calls asked, judged, and those that fail shrunk and grouped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "conformance/fuzz/compare_in_process.hpp"
#include "conformance/fuzz/space_coverage.hpp"
#include "conformance/judge/judge.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/select/select.hpp"
#include "tools/shared/known_likeness.hpp"
#include "tools/shared/specified.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// Who is asked. All is borrowed.
struct FuzzTarget {
    Implementation& implementation;        ///< started
    const BuiltIn* built_in = nullptr;     ///< the same as code of this process; null: it is not
    const KnownFailures* known = nullptr;  ///< may be null
    /// The same implementation in a process of its own, not started. Empty: what fails is not asked
    /// again in one.
    std::function<std::unique_ptr<Implementation>()> afresh = nullptr;
};

struct FuzzOptions {
    std::uint64_t seed = 0;
    int shrink_attempts = 2000;   ///< calls asked to shrink one failure
    double shrink_seconds = 30;   ///< after that much time the simplest found so far is taken; a
                                  ///< fifth of it where it is like a known finding
    std::size_t most_kinds = 50;  ///< of failures that are shrunk; what is of further kinds counts
    Limits limits;
};

/// Failures of one kind that are like one finding: the same operator, outcome and broken check, the
/// same treatment of indices out of bounds, and the same known finding that they are most like, or
/// none. They are told by their first call, shrunk.
struct FuzzFailure {
    std::string kind;   ///< what is the same, in all versions of the operator
    std::string title;  ///< "onnx.Gather-13: wrong value of a legal call"
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::map<OperatorVersion, std::uint64_t> versions;  ///< how many calls of each
    Route route;
    Verdict verdict = Verdict::fail;
    Failure failure = Failure::none;
    std::string outcome;        ///< as known failures name it: "wrong value", "crash"
    std::string detail;         ///< what was expected and what came
    SpecifiedAnswer specified;  ///< what the texts say of the call
    std::vector<SpecifiedAnswer> specified_earlier;  ///< of the calls before it in a sequence
    std::uint64_t number = 0;                        ///< of the first call that showed it
    std::string finding;                             ///< known, that it is most like; empty: none
    GeneratedCall call;                              ///< shrunk, unless it needs others before it
    Choices::Sequence choices;                       ///< that decode to it
    /// Calls of no sequence that it needs before it in one process, in their order: state that
    /// outlives a call. Empty where it fails by itself.
    std::vector<GeneratedCall> needed;
    bool by_itself = true;  ///< false: alone in a process of its own it passes, and what it needs
                            ///< is known at most by `needed`
    Outcome answer;         ///< what came

    std::uint64_t calls() const;
    std::int64_t elements() const;  ///< of data
    std::string group() const;      ///< what no other failure of a session has
    bool is_relation() const;       ///< other calls contradict it; what came may be right
};

/// The call as a case without expectations.
Case as_case(const GeneratedCall& call);

/// What an implementation claims, as a space of calls, narrowed to versions that a filter takes.
/// Types are in the order of simplicity: what people read first. `built_in`: the implementation as
/// code of this process, which may keep models though it does not say so, and knows where it
/// changes what it does; null: it is not. `largest`: the elements that the largest tensors may
/// have.
CallSpace space_of(const Introduction& introduction, const Filter& filter, const BuiltIn* built_in,
                   std::int64_t largest);

/// Not thread-safe. What it is made with must outlive it.
class FuzzSession {
public:
    FuzzSession(const LoadedSuite& loaded, const FuzzTarget& target, CallSpace space,
                const FuzzOptions& options);

    /// Asks the calls of these numbers, or fewer where it is interrupted; returns how many.
    std::uint64_t run(CallNumbers numbers);

    /// Asks one call; where it fails it is kept as it is, without choices to shrink.
    void ask(const GeneratedCall& call);

    /// In the order in which their kinds were met.
    const std::vector<FuzzFailure>& failures() const { return failures_; }
    std::uint64_t failed() const { return failed_; }  ///< calls
    double seconds_shrinking() const { return seconds_shrinking_; }
    /// Of the known findings those that a failing call was most like, and all
    /// of the operator versions asked.
    const std::set<std::string>& met() const { return met_; }
    std::set<std::string> known_findings() const;
    const SpaceCoverage& coverage() const { return coverage_; }
    const CallSpace& space() const { return space_; }

    /// A failure that a call shows now; nothing where it passes, or cannot be asked. `relations`:
    /// where other calls contradict it, too.
    std::optional<FuzzFailure> failure_of(const GeneratedCall& call, bool relations = false);

    /// The same at less cost: what is answered as the reference does is not looked at.
    std::optional<FuzzFailure> departure_of(const GeneratedCall& call);

private:
    struct Asked;

    GeneratedCall call_of(std::uint64_t number, Choices::Sequence& choices) const;
    std::uint64_t compare(const CallNumbers& numbers);
    void find_needed(const CallNumbers& numbers, std::vector<std::uint64_t> passed_alone);
    bool passes_afresh(const FuzzFailure& failure);
    /// Asks afresh what is of a group that is not told yet, and marks what passes then.
    void mark_by_itself(FuzzFailure& failure);
    std::optional<FuzzFailure> failure_behind(std::span<const std::uint64_t> before,
                                              std::uint64_t number);
    std::uint64_t ask_and_judge(std::span<const std::uint64_t> numbers, bool counted);
    std::vector<Outcome> answers_to(std::vector<Asked>& asked,
                                    std::span<const Outcome> expected = {});
    std::optional<FuzzFailure> judged(const GeneratedCall& call, const Outcome& outcome);
    std::optional<FuzzFailure> related(const GeneratedCall& call, const Outcome& outcome,
                                       std::uint64_t number);
    void keep(FuzzFailure failure);
    void shrink_failure(FuzzFailure& failure);
    /// A failure of one call whose other members are filled: counted, and with what it is like.
    FuzzFailure made(FuzzFailure failure);
    bool interrupted() const {
        return options_.limits.interrupted && options_.limits.interrupted();
    }

    const LoadedSuite& loaded_;
    FuzzTarget target_;
    Implementation* asked_;  ///< target_.implementation, or one afresh
    CallSpace space_;
    FuzzOptions options_;
    Specified specified_;
    KnownLikeness likeness_;
    std::vector<FuzzFailure> failures_;
    std::map<std::string, std::size_t> groups_;  ///< places in failures_
    std::map<std::string, int> passed_afresh_;   ///< how often a kind failed not by itself
    std::uint64_t failed_ = 0;
    std::set<std::string> met_;  ///< findings
    double seconds_shrinking_ = 0;
    int searches_ = 0;  ///< for calls that another needs
    SpaceCoverage coverage_;
};

}  // namespace gathercheck
