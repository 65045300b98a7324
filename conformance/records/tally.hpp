// SPDX-License-Identifier: Apache-2.0
// Tallies: records counted, for the summary and the exit code of a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/records/record.hpp"

namespace gathercheck {

/// The verdicts on one implementation, counted.
struct ImplementationTally {
    ImplementationRecord record;
    std::array<std::int64_t, verdict_count> verdicts{};
    std::map<std::string, std::int64_t> classes;  ///< of the unspecified executions
    std::map<std::string, std::int64_t> known;    ///< known failures by finding, else by reason
    std::int64_t refused =
        0;                   ///< known failures and unspecified executions that were "unsupported"
    std::int64_t ended = 0;  ///< known failures that are crashes and timeouts
    std::string stopped;     ///< why some were not run; empty: all were

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

    /// A filter chose what was run, so that a reader wants to know all of it.
    void set_filtered() { filtered_ = true; }
    bool is_filtered() const { return filtered_; }

    /// Something was run, and all of it are calls of which nothing is specified.
    bool only_unspecified() const;

    /// Whatever started promises nothing, so that it cannot conform.
    bool only_witnesses() const;

    /// Records of an interrupted run, or of one that has no end.
    bool partial() const { return interrupted_ || ends_ < runs_; }

    /// What the records that were added lack, as check_records() found it; empty: they are
    /// complete.
    void set_lacking(std::vector<std::string> lacking) { lacking_ = std::move(lacking); }
    const std::vector<std::string>& lacking() const { return lacking_; }

    /// Of the harness or an adapter: an implementation that was asked for was not tested, or not
    /// all of it. The first in a few words; empty where there is none.
    std::string trouble() const;

    /// 3: there is trouble; 1: does not conform; 2: the known failures and the run disagree;
    /// 0: conforms, with at least one answer for every implementation asked for that could be
    /// judged: a pass, a known failure, or anything where nothing is specified. The first that
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
    bool filtered_ = false;
};

}  // namespace gathercheck
