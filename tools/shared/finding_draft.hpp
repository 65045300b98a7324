// SPDX-License-Identifier: Apache-2.0
// What fuzzing found, as the draft of a finding: all that can be told without a person.
#pragma once

#include <string>

#include "conformance/model/implementation.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/fuzz_session.hpp"

namespace gathercheck {

/// "onnx-gather-13" of "onnx.Gather-13": lower-case letters and digits, and a hyphen for what is
/// between them.
std::string part_of_id(const std::string& text);

/// A file of findings (schemas/findings.schema.json) with one of them. `id` is that of the case
/// that shows it, `reproducer` the program's path below the folder `reproducers`, empty where there
/// is none. The statement is what was seen; what is done instead of what must be is for a person to
/// write.
Json finding_draft(const FuzzFailure& failure, const std::string& implementation,
                   const Introduction& introduction, const std::string& id,
                   const std::string& reproducer, const RuleCatalogue& catalogue);

}  // namespace gathercheck
