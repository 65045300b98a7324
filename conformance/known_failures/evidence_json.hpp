// SPDX-License-Identifier: Apache-2.0
// The parts of JSON that findings and known failures share: routes, outcomes, cited rules and
// files. Included by .cpp files only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/model/route.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

/// Among the outcomes of an entry: reads of memory that is not the call's are right by luck now and
/// then, and an engine has other kernels on other CPUs.
inline constexpr std::string_view may_pass = "pass";

/// True for crash, timeout, and each kind of failure.
bool is_wrong_outcome(std::string_view word);

/// A route; a problem where it is none.
std::optional<Route> read_route(const Json& value, const Place& at, Problems& problems);

/// The rules that `key` cites, one or a list, each in the catalogue; none where there is no such
/// key. A problem for each that is not.
std::vector<const Rule*> read_rules(const Json& object, const Place& at, std::string_view key,
                                    const RuleCatalogue& catalogue, Problems& problems);

/// The file that `key` names from `folder`, as a path that can be opened; empty, and a problem,
/// where it does not lie below the folder; a problem where there is no such file.
std::string read_evidence_file(const Json& object, const Place& at, std::string_view key,
                               const std::filesystem::path& folder, Problems& problems);

}  // namespace gathercheck
