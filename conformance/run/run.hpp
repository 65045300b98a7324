// SPDX-License-Identifier: Apache-2.0
// Runs: cases on implementations, judged and recorded; the only part with effects.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/judge/prepared_case.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/load/load.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/records/record.hpp"
#include "conformance/reproducers/reproducer.hpp"
#include "conformance/run/recorded.hpp"
#include "conformance/select/select.hpp"

namespace gathercheck {

/// One implementation to be run, and what is known of it.
struct Contender {
    std::unique_ptr<Implementation> implementation;
    bool asked_by_name = true;
    const KnownFailures* known_failures = nullptr;  ///< may be null
    bool known_failures_are_of_suite =
        true;  ///< an entry for a case that the suite lacks is an error
    Sweeps sweeps = Sweeps::all;
    std::string program = {};  ///< what `gathercheck smoke` takes, where it is a program that one
                               ///< brings; else empty
    bool retypes = true;  ///< cases of which no claim covers the element types are asked in others
};

/// Looks at one judged execution before it is recorded; the case lives as long as the suite.
using Judged =
    std::function<void(const Case& tested, const Outcome& outcome, const ExecutionRecord& record)>;

struct RunOptions {
    Filter filter;
    Shard shard;
    bool strict = false;  ///< expired known failures, and differences of witnesses that are not
                          ///< among them, are disagreements
    std::string today;    ///< "2026-11-21", for the expiry of known failures
    /// Gets each failure, known ones too, with a stand-alone program that shows it in the
    /// implementation's own API; returns the name of the file that it made of it. Empty: no
    /// program is asked for.
    std::function<std::string(const ExecutionRecord& failed, const Reproducer& reproducer)>
        keep_reproducer;
    /// Gets each known failure that no run can confirm any more. May be empty.
    std::function<void(const std::string& implementation, const KnownFailure& entry)> gone;
    /// True once the run is to end early; what has no answer then is not recorded. May be empty.
    std::function<bool()> interrupted;
    Judged judged = {};  ///< may be empty
    /// What an earlier part of this run has recorded: that is not asked and not recorded again,
    /// and counts as if it were. May be null.
    const Recorded* recorded = nullptr;
    /// Gets why this cannot be a part of the recorded run; nothing is recorded then any more. Used
    /// with `recorded` only.
    std::function<void(const std::string& why)> refuse = {};
};

/// How far a run is.
struct Progress {
    std::string implementation;
    std::int64_t done = 0;
    std::int64_t total = 0;
};

/// Runs every contender on the suite. `record` gets each record as soon as it is known, `progress`
/// is called often and may be empty. Two runs of each call are made, in different order and
/// surroundings; answers that differ are an outcome of their own. Implementations are gone
/// afterwards. What is recorded of a run that is interrupted is the beginning of what would have
/// been. Returns how many executions were recorded.
std::int64_t run(const Suite& suite, const RuleCatalogue& rules, const Equations& equations,
                 std::vector<Contender>& contenders, const RunOptions& options,
                 const std::function<void(const Record&)>& record,
                 const std::function<void(const Progress&)>& progress);

}  // namespace gathercheck
