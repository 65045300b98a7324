// SPDX-License-Identifier: Apache-2.0
// Recorded answers as JSON: shared by the .cpp files that write or read records.
#pragma once

#include <optional>
#include <vector>

#include "conformance/records/recorded_answer.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

Json to_json(const RecordedAnswer& answer);
/// One as an object, several as a list of them.
Json to_json(const std::vector<RecordedAnswer>& answers);

/// Reads what to_json() wrote, and the text that schema 1 had; nothing where it is neither.
std::optional<std::vector<RecordedAnswer>> read_recorded_answers(const Json& value);

}  // namespace gathercheck
