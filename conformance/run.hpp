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

#include "conformance/equation.hpp"
#include "conformance/implementation.hpp"
#include "conformance/judge.hpp"
#include "conformance/known_failures.hpp"
#include "conformance/load.hpp"
#include "conformance/record.hpp"
#include "conformance/recorded.hpp"
#include "conformance/reproducer.hpp"
#include "conformance/rules.hpp"
#include "conformance/select.hpp"

namespace gathercheck {

/// A case's call of one version with what is expected of it, contents and all.
struct PreparedCase {
    OwnedCall call;
    std::vector<OwnedCall> earlier_calls;  ///< of a sequence
    std::vector<EarlierCall> before;       ///< the same, as they are asked
    std::vector<ResolvedAlternative> alternatives;
    std::vector<std::string> rules;  ///< the case's rules of the version, and the primary rule of
                                     ///< the check that each of them rests on
    std::string fault;  ///< why the expected output cannot be known: the case is wrong; else empty
    std::int64_t bytes = 0;
};

/// Makes the call and resolves the expected outputs. Precondition: the case is for that version.
std::shared_ptr<const PreparedCase> prepare(const Case& tested, OperatorVersion version,
                                            const Equations& equations, const RuleCatalogue& rules);

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

/// The verdicts on one implementation, counted.
struct ImplementationTally {
    ImplementationRecord record;
    std::array<std::int64_t, verdict_count> verdicts{};
    std::map<std::string, std::int64_t> classes;  ///< of the unspecified executions
    std::string stopped;                          ///< why some were not run; empty: all were

    std::int64_t count(Verdict verdict) const {
        return verdicts[static_cast<std::size_t>(verdict)];
    }
};

/// Counts records as they come; from the counts alone follow the summary and the exit code.
class Tally {
public:
    void add(const Record& record);

    const std::vector<ImplementationTally>& implementations() const { return implementations_; }

    /// Notes that say the same of several are one, which names the first and counts the others.
    const std::vector<NoteRecord>& notes() const { return notes_; }

    /// Executions that failed as they are known to.
    std::int64_t known_failures() const;

    /// Executions in which witnesses differ and are not known to.
    std::int64_t differences() const;

    /// Whatever started promises nothing, so that it cannot conform.
    bool only_witnesses() const;

    /// Records of an interrupted run, or of one that has no end.
    bool partial() const { return interrupted_ || ends_ < runs_; }

    /// What the records that were added lack, as check_records() found it; empty: they are complete.
    void set_lacking(std::vector<std::string> lacking) { lacking_ = std::move(lacking); }
    const std::vector<std::string>& lacking() const { return lacking_; }

    /// Of the harness or an adapter: an implementation that was asked for was not tested, or not
    /// all of it. The first in a few words; empty where there is none.
    std::string trouble() const;

    /// 3: there is trouble; 1: does not conform; 2: the known failures and the run disagree;
    /// 0: conforms, with at least one pass for every implementation asked for. The first that
    /// applies.
    int exit_code() const;

private:
    std::vector<ImplementationTally> implementations_;
    std::set<std::array<std::string, 3>> introduced_;  // by name, version and state
    std::map<std::pair<std::string, std::string>, std::size_t>
        places_;  // the last one, by name and version
    std::vector<NoteRecord> notes_;
    struct Folded {
        std::size_t place = 0;  // among the notes
        std::int64_t more = 0;  // that say the same
    };
    std::map<std::array<std::string, 3>, Folded> folded_;  // by implementation, level and text
    std::vector<std::string> lacking_;
    int runs_ = 0;
    int ends_ = 0;
    bool interrupted_ = false;
};

}  // namespace gathercheck
