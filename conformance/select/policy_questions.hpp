// SPDX-License-Identifier: Apache-2.0
// The questions of the out-of-bounds map, and the cases that ask them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reference/operator_version.hpp"

namespace gathercheck {

/// One question of the map, asked by one case of each family of operators, or by two, in the
/// element types that they are written in or the nearest that an implementation claims.
struct PolicyQuestion {
    std::string_view title;            ///< of the column: "s", the size of the dimension
    std::string_view gather;           ///< id of the case
    std::string_view gather_elements;  ///< empty: the family has no such call
    std::string_view gather_nd;
    /// The other bad index of the call; where it is named, the one of the title is asked alone,
    /// too.
    std::string_view neighbour = {};

    std::string_view case_of(Family family) const;
    /// The case of the bad index alone; empty where there is none.
    std::string alone_case_of(Family family) const;
};

std::span<const PolicyQuestion> policy_questions();

/// True for the id of a case that asks one of them, as it is written or in other element types.
bool is_policy_case(std::string_view case_id);

}  // namespace gathercheck
