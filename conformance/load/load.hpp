// SPDX-License-Identifier: Apache-2.0
// Loading: the only part that knows the JSON of cases; it refuses anything doubtful.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/retype.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// A loaded suite: every case, sweeps expanded, in the order of files (sorted by path) and of
/// cases.
struct Suite {
    std::vector<Case> cases;
    std::string hash;  ///< SHA-256 over the hashes of all cases, sorted by id; lower-case hex
    /// The cases in other element types: no part of what is loaded, but made of it.
    mutable RetypedCases retyped;
};

/// Either a suite, or every problem found (never an empty list).
using LoadResult = std::variant<Suite, std::vector<Problem>>;

/// Loads case files: each path is a file, or a folder that is searched for *.json. Ids must be
/// unique over all of them.
LoadResult load_cases(const std::vector<std::filesystem::path>& paths, const RuleCatalogue& rules);

/// Loads one document, as if it stood in `file`.
LoadResult load_cases_text(std::string_view text, const std::string& file,
                           const RuleCatalogue& rules);

}  // namespace gathercheck
