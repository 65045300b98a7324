// SPDX-License-Identifier: Apache-2.0
// Conformance statements: exactly what one run showed of an implementation, and what it did not.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/load/load.hpp"
#include "conformance/model/route.hpp"
#include "conformance/records/record.hpp"
#include "reference/element_type.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// What was shown of one operator version.
struct OperatorStatement {
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::set<Route> routes;
    TypeSet data;  ///< of passing calls that gave a value; empty where the suite is another
    TypeSet indices;
    std::set<std::string> cases;      ///< that were executed
    std::int64_t cases_of_suite = 0;  ///< that the suite has for the version
    std::array<std::int64_t, verdict_count> verdicts{};

    std::int64_t count(Verdict verdict) const {
        return verdicts[static_cast<std::size_t>(verdict)];
    }
};

/// Executions that are recorded as known failures for one reason.
struct KnownFailureStatement {
    std::string reason;
    std::int64_t executions = 0;
    std::set<OperatorVersion> versions;
    std::string example;  ///< id of a case
    std::set<std::string> rules;
    std::set<std::string> shown_by;  ///< reproducers
};

/// What one run showed of one implementation.
struct ConformanceStatement {
    RunRecord run;  ///< the first, where shards of one run are put together
    std::vector<std::vector<std::string>> commands;  ///< of each run
    ImplementationRecord implementation;
    std::string trouble;         ///< of the harness or the adapter; empty where there was none
    bool disagrees = false;      ///< the known failures and the run do not say the same
    bool is_whole = false;       ///< the run came to its end
    bool is_this_suite = false;  ///< the suite at hand is the one that was run
    std::vector<OperatorStatement> operators;  ///< in the order of the table of operator versions
    std::vector<KnownFailureStatement> known_failures;

    std::int64_t count(Verdict verdict) const;
    /// Nothing failed, something passed, everything that was asked was answered, nothing went wrong
    /// beside it, and the run came to its end. Known failures are failures that are listed: a
    /// statement names them. A witness promises nothing that could hold.
    bool holds() const;
};

/// The statements of a run, or of the shards of one, or why there is none: one for each
/// implementation that started, and for those that should have. `suite` is the one at hand.
std::variant<std::vector<ConformanceStatement>, std::string> statements_of(
    std::span<const Record> records, const Suite& suite);

/// A statement in Markdown, to be put on a page; and as JSON.
std::string claim_markdown(const ConformanceStatement& statement);
std::string claim_json(std::span<const ConformanceStatement> statements);

}  // namespace gathercheck
