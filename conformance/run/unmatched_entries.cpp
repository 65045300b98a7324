// SPDX-License-Identifier: Apache-2.0
// Entries of known failures compared with what a run selects and executes.
#include "conformance/run/unmatched_entries.hpp"

#include <set>
#include <string_view>
#include <tuple>

namespace gathercheck {

std::vector<UnmatchedEntry> unmatched_entries(const Contender& contender, const Filter& filter,
                                              PreparedCases& cases,
                                              std::span<const Case* const> selected,
                                              std::span<const Execution> executions) {
    std::set<std::string_view> selected_ids;
    for (const Case* tested : selected) selected_ids.insert(tested->id);
    std::set<std::tuple<std::string_view, OperatorVersion, Route>> executed;
    for (const Execution& execution : executions) {
        executed.emplace(execution.tested->id, execution.version, execution.route);
    }
    const KnownFailures& known = *contender.known_failures;
    std::vector<UnmatchedEntry> unmatched;
    const auto add = [&](const KnownFailure& entry, const std::string& why) {
        unmatched.push_back(
            {&entry, known.file + ": " + entry.pointer + ": " + why + "; remove the entry"});
    };
    for (const KnownFailure& entry : known.entries()) {
        const Case* named = cases.find(entry.case_id);
        if (named == nullptr) {
            if (contender.known_failures_are_of_suite) {
                add(entry, "the suite has no case " + entry.case_id);
            }
            continue;
        }
        if (!selected_ids.contains(named->written.empty() ? named->id : named->written) ||
            !filter.matches(*named) || !filter.matches(*named, entry.version) ||
            !filter.matches(entry.route)) {
            continue;
        }
        // Of a sample each case has one route; of the others this run cannot speak.
        if (contender.sweeps == Sweeps::sample && named->from_sweep) continue;
        if (!executed.contains({entry.case_id, entry.version, entry.route})) {
            add(entry, "case " + entry.case_id + " is not run for " +
                           std::string(name(entry.version)) + " by route " +
                           to_string(entry.route));
        }
    }
    return unmatched;
}

}  // namespace gathercheck
