// SPDX-License-Identifier: Apache-2.0
// What the verbs calls and judge must agree on.
#pragma once

#include <string>
#include <variant>

#include "conformance/model/implementation.hpp"

namespace gathercheck {

/// What a worker's hello says; without one, somebody who claims everything by the plain route. The
/// text is what is wrong with it.
std::variant<Introduction, std::string> introduction_of(const std::string& hello);

}  // namespace gathercheck
