// SPDX-License-Identifier: Apache-2.0
// Known failures that no execution of a run is of, and so none can confirm.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/known_failures/known_failures.hpp"
#include "conformance/run/prepared_cases.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/select.hpp"

namespace gathercheck {

struct UnmatchedEntry {
    const KnownFailure* entry = nullptr;
    std::string why;  ///< "known.json: /failures/0: the suite has no case ...; remove the entry"
};

/// Those of the contender's known failures, of which it has some. What the filter, the sweeps or a
/// shard leave out is not compared: `selected` and `executions` are the run's.
std::vector<UnmatchedEntry> unmatched_entries(const Contender& contender, const Filter& filter,
                                              PreparedCases& cases,
                                              std::span<const Case* const> selected,
                                              std::span<const Execution> executions);

}  // namespace gathercheck
