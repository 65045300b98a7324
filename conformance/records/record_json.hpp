// SPDX-License-Identifier: Apache-2.0
// Records as JSON: shared by the .cpp files that write and read files of them.
#pragma once

#include <optional>

#include "conformance/records/record.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

/// {"operands": "runtime", "shapes": "static"}, and an axis that is given at run time.
Json route_json(const Route& route);

/// The members of an execution, in this order: who was asked in which way, what was asked, what
/// came of it, and what is known of a failure (an object that may be empty). The file that shows a
/// failure and the time are in none of them.
Json context_json(const ExecutionRecord& execution);
Json case_json(const ExecutionRecord& execution);
Json result_json(const ExecutionRecord& execution);
Json evidence_json(const ExecutionRecord& execution);

/// The record that a whole line is; nothing where it is none.
std::optional<Record> read_record(const Json& line);

}  // namespace gathercheck
