// SPDX-License-Identifier: Apache-2.0
// Which known finding a failing call is most like, of those whose calls fail as it does.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/retype.hpp"

namespace gathercheck {

/// Not thread-safe. Borrows the cases and the known failures.
class KnownLikeness {
public:
    /// `known`: may be null; then nothing is like any call.
    KnownLikeness(std::span<const Case> cases, const KnownFailures* known);

    /// The id of the finding whose known failures - of the same operator version and outcome, and
    /// where `rules` are named of one of these, or of a wrong value or a crash nearly the same call
    /// - have the call with most in common: element types, what is empty, a scalar or giant,
    /// batches, how axis, batch_dims and indices stand to their ranges, the route. Empty where
    /// there is none.
    std::string finding_of(const GeneratedCall& call, const std::string& outcome,
                           std::span<const std::string> rules);

    /// The findings that the known failures of an operator version show.
    std::set<std::string> findings_of(OperatorVersion version) const;

private:
    /// Of a number: what engines that cut, wrap or do not compare numbers tell apart.
    enum class Magnitude : std::uint8_t { none, zero, positive, negative, far, far_below };

    /// What calls have in common.
    struct Traits {
        ElementType data = ElementType::f32;
        ElementType indices = ElementType::i64;
        bool no_data = false;  ///< no elements
        bool no_indices = false;
        bool scalar = false;        ///< data of rank 0
        bool giant = false;         ///< a dimension that no tensor with elements here has
        bool single_batch = false;  ///< batch dimensions that are all 1
        bool empty_slice = false;   ///< StableHLO's: a slice size of 0
        bool axis_list = false;     ///< an axis that is no scalar
        Magnitude axis = Magnitude::none;
        Magnitude batch_dims = Magnitude::none;
        Magnitude farthest_index = Magnitude::none;
    };

    static Magnitude magnitude(std::int64_t number);
    static Magnitude farthest(const TensorView& tensor);
    static Traits traits_of(const Call& call);
    const Traits& traits_of(const KnownFailure& entry, const Case& tested);
    static int in_common(const Traits& a, const Traits& b);

    CasesById cases_;
    RetypedCases retyped_;
    std::map<OperatorVersion, std::vector<const KnownFailure*>> entries_;
    std::map<std::pair<const Case*, OperatorVersion>, Traits> traits_;  ///< of known failures
};

}  // namespace gathercheck
