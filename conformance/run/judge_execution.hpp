// SPDX-License-Identifier: Apache-2.0
// The record of one execution: its verdict, with what is known of whoever answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "conformance/judge/prepared_case.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/records/record.hpp"
#include "conformance/select/select.hpp"

namespace gathercheck {

/// Who answers, and what is known of it.
struct Answering {
    const std::string& name;
    const Introduction& introduction;
    const KnownFailures* known_failures = nullptr;  ///< may be null
};

struct JudgedExecution {
    ExecutionRecord record;
    std::optional<std::int64_t> element;  ///< flat position of the first wrong one
};

/// Judges an outcome. `control_passed` counts where the call may be rejected.
JudgedExecution judge_execution(const Answering& answering, const Equations& equations,
                                const Execution& execution, const PreparedCase& prepared,
                                bool control_passed, const Outcome& outcome);

}  // namespace gathercheck
