// SPDX-License-Identifier: Apache-2.0
// Prepared cases: a case's call of one operator version, ready to be asked and to be judged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/oracle/equation.hpp"
#include "reference/call.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// A case's call of one version with what is expected of it, contents and all.
struct PreparedCase {
    OwnedCall call;
    std::vector<OwnedCall> earlier_calls;  ///< of a sequence
    std::vector<EarlierCall> before;       ///< the same, as they are asked
    std::vector<ResolvedAlternative> alternatives;
    std::vector<std::string> rules;  ///< the case's rules of the version, and the primary rule of
                                     ///< the check that each of them rests on; each once
    std::string fault;  ///< why the expected output cannot be known: the case is wrong; else empty
    std::int64_t bytes = 0;
};

/// Makes the call and resolves the expected outputs. Precondition: the case is for that version.
std::shared_ptr<const PreparedCase> prepare(const Case& tested, OperatorVersion version,
                                            const Equations& equations, const RuleCatalogue& rules);

}  // namespace gathercheck
