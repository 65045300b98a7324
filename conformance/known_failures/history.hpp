// SPDX-License-Identifier: Apache-2.0
// The history of findings: which versions of an engine were asked, and which of them show a bug.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "conformance/known_failures/findings.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// Of one finding. Each version that was asked is in one of the other lists.
struct FindingHistory {
    std::vector<std::string> asked;  ///< the oldest first, as the others
    std::vector<std::string> shown;
    std::vector<std::string> not_shown;
    std::vector<std::string> otherwise;  ///< its calls fail, but in another way
    std::vector<std::string> not_run;    ///< where nothing can be said: it could not be asked
};

/// "since 1.25.0, not in 1.24.4; fixed in 1.30.0, in 1.29.0 still". `what` each of them is called.
std::string to_string(const FindingHistory& history, const std::string& what = "version");

/// By the id of the finding.
using FindingHistories = std::map<std::string, FindingHistory, std::less<>>;

/// The folder beside the files of findings that holds the histories.
inline constexpr std::string_view history_folder = "history";

/// Loads every ENGINE.json of a folder; a folder that is not there holds none. Unknown findings,
/// and versions that were not asked or stand in no list or in two, are problems.
std::variant<FindingHistories, std::vector<Problem>> load_histories(
    const std::filesystem::path& folder, const FindingCatalogue& findings);

}  // namespace gathercheck
