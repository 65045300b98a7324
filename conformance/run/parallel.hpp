// SPDX-License-Identifier: Apache-2.0
// Several instances of one implementation that answer side by side, and look like one.
#pragma once

#include <functional>
#include <memory>

#include "conformance/model/implementation.hpp"

namespace gathercheck {

/// Makes one instance with these limits.
using MakeImplementation = std::function<std::unique_ptr<Implementation>(const Limits& limits)>;

/// As many instances as `jobs` says, at least one, made by `make` at once. All must start, and
/// introduce themselves alike. Requests are shared out among them, and outcomes come in the order
/// of the requests; the limit on restarts holds for all together and counts in that order too, so
/// that the outcomes are those of a single instance. `limits.interrupted` is called by several
/// threads. One job is what `make` makes.
std::unique_ptr<Implementation> parallel(int jobs, const Limits& limits,
                                         const MakeImplementation& make);

}  // namespace gathercheck
