// SPDX-License-Identifier: Apache-2.0
// Diagnosis: which misreading of the specification gives the very answers that an implementation
// gave where it failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/case.hpp"
#include "conformance/equation.hpp"
#include "conformance/implementation.hpp"
#include "conformance/outcome.hpp"
#include "conformance/record.hpp"
#include "conformance/rules.hpp"

namespace gathercheck {

/// A semantics of its own: right but for one idea.
struct Misreading {
    std::string name;  ///< "index-clamped"
    std::string idea;  ///< what it does wrong, as a statement
    BuiltIn built_in;  ///< claims the versions that the idea is about; it may die
};

/// What each misreading answers to each call that is of one of its versions, NotRun elsewhere; some
/// of the answers are crashes. `describe` says for each call whether it is a described one.
std::vector<std::vector<Outcome>> answers_of(std::span<const Misreading* const> misreadings,
                                             std::span<const OwnedCall> calls,
                                             const std::vector<bool>& describe);

/// Every misreading: the planted bugs that depend on nothing but the call, and what can take the
/// place of an index out of bounds. `equations` must outlive them.
std::vector<Misreading> misreadings(const Equations& equations);

/// Collects the failures of one implementation and explains them. Not thread-safe.
class Diagnosis {
public:
    /// Both must outlive this.
    Diagnosis(const Equations& equations, const RuleCatalogue& rules)
        : equations_(equations), rules_(rules) {}

    /// One execution with its verdict; `tested` must outlive this. Failures whose outcome is no
    /// answer (a crash, a time limit) are not explained.
    void add(const Case& tested, const Outcome& outcome, const ExecutionRecord& record);

    /// The same of an execution of which only the record is left.
    void add_recorded(const Case& tested, const ExecutionRecord& record);

    /// One sentence: "all 37 failures are explained by: indices out of bounds are clamped to the
    /// range (index-clamped)". Empty where nothing failed that could be explained.
    std::string text() const;

private:
    /// An outcome, or the digest of one that is not kept.
    using Answer = std::variant<Outcome, std::string>;

    struct Failed {
        const Case* tested;
        OperatorVersion version;
        Answer answer;
    };
    struct Passed {
        const Case* tested;
        OperatorVersion version;

        friend bool operator==(const Passed&, const Passed&) = default;
    };

    struct Candidate {
        const Misreading* misreading;
        std::vector<bool> explains;     ///< one for each failure
        std::int64_t contradicted = 0;  ///< passing calls that it would have got wrong
    };

    static bool same_answer(const Answer& theirs, const Outcome& ours);
    std::vector<Candidate> candidates(std::span<const Misreading> misreadings) const;
    void look_at_passes(std::vector<Candidate>& candidates) const;

    const Equations& equations_;
    const RuleCatalogue& rules_;
    std::vector<Failed> failed_;
    std::vector<Passed> passed_;  ///< once for each route
    std::int64_t bytes_ = 0;
    std::int64_t left_out_ = 0;
};

}  // namespace gathercheck
