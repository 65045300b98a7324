// SPDX-License-Identifier: Apache-2.0
// Findings held against the known failures that name them: each is one bug, shown by its own
// executions.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/known_failures/findings.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// An exact execution that shows a finding.
struct FindingExecution {
    const KnownFailures* file = nullptr;
    const KnownFailure* entry = nullptr;
};

/// The executions of each finding, by its id, in the order of the files. They borrow from `files`.
using FindingExecutions = std::map<std::string, std::vector<FindingExecution>, std::less<>>;
FindingExecutions executions_of(const std::vector<KnownFailures>& files);

/// What the head of a reproducer says of the call that it makes
/// (conformance/reproducers/reproducer.hpp).
struct ReproducedCall {
    FindingCall call;
    std::string observed;  ///< what came of it, in words: "wrong value: element 0 of [2]: ..."
    std::string shows;     ///< what is to be seen
};

/// Nothing where the program does not begin with such a head.
std::optional<ReproducedCall> reproduced_call(std::string_view program);

/// What is wrong with the findings of shipped data. A finding has executions, on each of its
/// implementations and on no other, and on a version that it was seen in; its rules are of their
/// operator versions; its call is one of them and came to its outcome, as that of no other finding
/// of an implementation did. Where executions may pass, one is there that fails whatever memory
/// holds: it neither passes nor depends on bytes that are not the call's. Its reproducer makes a
/// call of its own. Each file in the folder of reproducers shows a finding.
std::vector<Problem> check_findings(const FindingCatalogue& findings,
                                    const FindingExecutions& executions, const RuleCatalogue& rules,
                                    const std::filesystem::path& folder);

}  // namespace gathercheck
