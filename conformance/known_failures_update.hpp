// SPDX-License-Identifier: Apache-2.0
// Known failures brought up to date: what a run saw, written into the file in the form it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/known_failures.hpp"
#include "conformance/load.hpp"
#include "conformance/problem.hpp"
#include "conformance/record.hpp"
#include "conformance/rules.hpp"

namespace gathercheck {

/// The text of a known-failure file after an update, and how many exact executions it gained and
/// lost.
struct UpdatedKnownFailures {
    std::string text;
    std::int64_t added = 0;  ///< where no reason is given theirs is empty: the loader refuses the
                             ///< file until a person has written it
    std::int64_t dropped = 0;
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
    /// does not hold any more is taken out of them; failures that no entry lists come last, with
    /// the rules that their cases in `suite` name, and with `reason`. A file about other versions becomes one about
    /// the version that ran.
    std::variant<UpdatedKnownFailures, std::vector<Problem>> update(
        const std::filesystem::path& file, const Suite& suite, const RuleCatalogue& rules,
        const std::string& reason = {}) const;

private:
    using Key = std::tuple<std::string, OperatorVersion, Route>;

    std::string implementation_;
    std::string written_as_;
    std::string version_;
    std::map<Key, std::string> seen_;  // the wrong outcome; empty where there was none
    std::set<Key> gone_;
};

}  // namespace gathercheck
