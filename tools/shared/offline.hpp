// SPDX-License-Identifier: Apache-2.0
// What the verbs calls and judge must agree on.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "conformance/known_failures/known_failures.hpp"
#include "conformance/model/implementation.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// What a worker's hello says; without one, somebody who claims everything by the plain route. The
/// text is what is wrong with it.
std::variant<Introduction, std::string> introduction_of(const std::string& hello);

/// The known failures of a file for those calls; nothing where the path is empty, or with a warning
/// where the file is about other versions than that of the implementation. False where the file is
/// refused, with its problems on stderr.
bool load_known_failures_of(const std::string& path, const LoadedSuite& loaded,
                            const std::string& version, std::optional<KnownFailures>& known);

}  // namespace gathercheck
