// SPDX-License-Identifier: Apache-2.0
// Generated calls and their failures in words, for people.
#pragma once

#include <string>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "conformance/model/rules.hpp"
#include "tools/shared/fuzz_session.hpp"
#include "tools/shared/specified.hpp"

namespace gathercheck {

/// "data f32 [2] = [1, 2], indices i64 [1] = [0], axis 0".
std::string tensors_text(const GeneratedCall& call);

/// The rules that a case of this call cites: those that decide it, else those about the negative
/// index or axis that it has, else one about the output.
std::vector<std::string> rules_of(const SpecifiedAnswer& specified, const GeneratedCall& call,
                                  const RuleCatalogue& catalogue);

/// A failure, a line each: what it is, what was expected and what came, the call, its rules.
std::string failure_text(const FuzzFailure& failure, const RuleCatalogue& catalogue);

}  // namespace gathercheck
