// SPDX-License-Identifier: Apache-2.0
// Coverage: the rules of the catalogue joined with the cases that claim them and with what their
// calls really exercised.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/problem.hpp"
#include "reference/exercised.hpp"

namespace gathercheck {

/// What a call did on the reference.
struct Measured {
    Exercised exercised;
    bool value = false;  ///< it gave an output, or its descriptor where only that was asked for
};
using Measure = std::function<Measured(const Call& call, bool describe)>;

enum class RuleStatus : std::uint8_t { tested, untested, untestable };

std::string_view name(RuleStatus status);

/// One rule with the cases that claim it. A sweep stands once, under its own id.
struct RuleCoverage {
    const Rule* rule = nullptr;
    RuleStatus status = RuleStatus::untested;
    std::vector<std::string> positive;  ///< they keep it
    std::vector<std::string> negative;  ///< they break it, or the rule that it shares a check with
    std::vector<std::string> beside;    ///< they are rejected for another rule, before this one
    std::int64_t kept = 0;    ///< calls of all cases that passed a check of the rule; for one that
                              ///< rests on no check: that gave a value
    std::int64_t broken = 0;  ///< calls that broke such a check
};

/// What an untested rule lacks, with what the cases must show; empty for any other.
std::string missing(const RuleCoverage& rule);

struct VersionCoverage {
    OperatorVersion version;
    std::int64_t hand_written = 0;  ///< cases
    std::int64_t swept = 0;         ///< cases that sweeps expand to
    std::int64_t rules = 0;
    std::int64_t tested = 0;
    std::int64_t untested = 0;
    std::int64_t untestable = 0;
};

struct Coverage {
    std::vector<RuleCoverage> rules;  ///< sorted by id
    std::vector<VersionCoverage> versions;
    std::vector<Problem> problems;  ///< claims that the calls do not bear out
};

/// Id of a case; of one that a sweep expands to, the id of the sweep.
std::string family_id(const Case& tested);

/// Joins rules, cases and what `measure` says of each call, for the versions named.
Coverage cover(const Suite& suite, const RuleCatalogue& rules,
               const std::vector<OperatorVersion>& versions, const Measure& measure);

}  // namespace gathercheck
