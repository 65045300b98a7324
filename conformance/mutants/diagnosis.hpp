// SPDX-License-Identifier: Apache-2.0
// Diagnosis: which misreading of the specification gives the very answers that an implementation
// gave where it failed, for which of its operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/model/outcome.hpp"
#include "conformance/model/route.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/mutants/shared_properties.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/records/record.hpp"

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

/// "onnx.Gather-11,13, onnx.GatherND-13": versions in the order of the table.
std::string versions_text(std::span<const OperatorVersion> versions);

/// What explains the failures of one implementation.
struct Explanation {
    std::string text;  ///< one sentence; empty where nothing failed that could be explained
    /// By execution_key(): "indices out of bounds are clamped to the range (index-clamped)", with
    /// "perhaps" before it, and another cause behind it, as `text` has it.
    std::unordered_map<std::uint64_t, std::string> causes;
};

/// Collects the failures of one implementation and explains them. A cause may hold for some of its
/// operator versions only, and within them on some routes or for some types only: calls that passed
/// there contradict it, other calls do not. Not thread-safe.
class Diagnosis {
public:
    /// Both must outlive this.
    Diagnosis(const Equations& equations, const RuleCatalogue& rules)
        : equations_(equations), rules_(rules) {}

    /// One execution with its verdict; `tested` must outlive this. Failures whose outcome is no
    /// answer (a crash, unsafe memory) are explained by an index that is not checked, or not at
    /// all.
    void add(const Case& tested, const Outcome& outcome, const ExecutionRecord& record);

    /// The same of an execution of which only the record is left.
    void add_recorded(const Case& tested, const ExecutionRecord& record);

    /// "all 37 failures are explained by: indices out of bounds are clamped to the range
    /// (index-clamped)", or several causes with the share of each; where there is none, what the
    /// failing calls have in common.
    Explanation explain() const;

    std::string text() const { return explain().text; }

private:
    friend class Diagnosing;

    /// No answer that could be compared.
    struct NoAnswer {
        bool may_be_memory;  ///< memory of others could have caused it
    };
    /// An outcome, the digest of one that is not kept, or none.
    using Answer = std::variant<Outcome, std::string, NoAnswer>;

    struct Failed {
        const Case* tested;
        OperatorVersion version;
        Route route;
        Answer answer;
        bool is_other = false;  ///< of a digest: it accepted an index out of bounds, and treated it
                                ///< in none of the ways that have a name
        std::uint64_t key = 0;
        std::string kind = {};  ///< of what is no answer: "crash"
    };
    const Equations& equations_;
    const RuleCatalogue& rules_;
    std::vector<Failed> failed_;
    std::vector<AskedCall> passed_;
    std::int64_t bytes_ = 0;
    std::int64_t wrong_errors_ = 0;
    bool has_fixed_ = false;  ///< known failures that fail no more, which passed or were left open
};

}  // namespace gathercheck
