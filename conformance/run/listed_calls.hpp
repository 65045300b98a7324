// SPDX-License-Identifier: Apache-2.0
// A list of calls, one an execution: what `gathercheck calls --expectations` writes down, and what
// numbers of answers to it mean.
#pragma once

#include <cstddef>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/run/prepared_cases.hpp"
#include "conformance/select/select.hpp"

namespace gathercheck {

/// One call. Its number is its place in the list, counted from 1.
struct ListedCall {
    Execution execution;      ///< of a control: the case that the control is
    bool is_control = false;  ///< it is asked for the sake of others
    std::size_t control = 0;  ///< number of its control, which stands before it; 0: it needs none
};

/// Every execution of the suite by those claims, and before it its control, each once. `retypes`:
/// in the nearest claimed element types, too.
std::vector<ListedCall> list_calls(const Suite& suite, PreparedCases& cases, const Filter& filter,
                                   Sweeps sweeps, const Introduction& introduction, bool retypes);

}  // namespace gathercheck
