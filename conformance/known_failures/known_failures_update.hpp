// SPDX-License-Identifier: Apache-2.0
// Known failures brought up to date: what a run saw, written into the file in the form it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/known_failures/known_failures.hpp"
#include "conformance/load/load.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/records/record.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// What the entries that an update adds say. A text that is empty is for a person to write: until
/// then the loader refuses the file.
struct NewEntries {
    /// Beside the rules that their cases name. Of several causes that the diagnosis tells apart it
    /// cannot be true: these entries keep its words, and the reason is that of the others.
    std::string reason;
    bool has_finding = false;  ///< `finding` stands in place of both
    std::string finding;
    /// What the diagnosis found, by execution_key().
    std::unordered_map<std::uint64_t, std::string> causes = {};
};

/// The text of a known-failure file after an update, and how many exact executions it gained and
/// lost.
struct UpdatedKnownFailures {
    std::string text;
    std::int64_t added = 0;
    std::set<OperatorVersion> added_versions;
    std::int64_t dropped = 0;
    std::int64_t diagnosed = 0;  ///< of those added: their reason is what the diagnosis found
    std::int64_t blank = 0;      ///< their reason is empty
    bool is_reason_used = true;  ///< false: one was given, and the diagnosis told several causes
};

/// Collects what a run saw of one implementation.
class KnownFailuresUpdate {
public:
    explicit KnownFailuresUpdate(std::string implementation)
        : KnownFailuresUpdate(implementation, implementation) {}

    /// `implementation` as it is recorded, and as the file names it.
    KnownFailuresUpdate(std::string implementation, std::string written_as)
        : implementation_(std::move(implementation)), written_as_(std::move(written_as)) {}

    /// Records of other implementations are left out.
    void add(const Record& record);

    /// An entry that no run can confirm any more: its case or its route is gone.
    void drop(const KnownFailure& entry);

    const std::string& implementation() const { return implementation_; }
    const std::string& version() const { return version_; }
    bool saw_failures() const;

    /// `file` brought up to date; an empty path stands for a file that is yet to be made. Entries
    /// that hold, and those that the run did not come to, stay as they are, in their order; what
    /// does not hold any more is taken out of them; failures that no entry lists come last, and say
    /// what `added` says. A file about other versions becomes one about the version that ran.
    std::variant<UpdatedKnownFailures, std::vector<Problem>> update(
        const std::filesystem::path& file, const Suite& suite, const RuleCatalogue& rules,
        const FindingCatalogue& findings, const NewEntries& added = {}) const;

private:
    using Key = std::tuple<std::string, OperatorVersion, Route>;
    using Cause = std::pair<std::string, std::string>;  // a wrong outcome, and the reason for it

    /// Whether what was seen of an execution, if anything, is among the outcomes.
    bool holds(const Key& key, const std::vector<std::string>& outcomes) const;
    /// The failures that are not listed, each with what is to be written of it.
    std::map<Key, Cause> new_failures(const std::set<Key>& listed, const NewEntries& added,
                                      UpdatedKnownFailures& updated) const;

    std::string implementation_;
    std::string written_as_;
    std::string version_;
    bool witness_ = false;
    struct Seen {
        std::string wrong;  // the wrong outcome; empty where there was none
        std::uint64_t key = 0;
    };

    std::map<Key, Seen> seen_;
    std::set<Key> gone_;
};

}  // namespace gathercheck
