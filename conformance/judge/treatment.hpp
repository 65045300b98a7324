// SPDX-License-Identifier: Apache-2.0
// Treatments of indices that are negative or beyond the end, told apart by the outputs they give.
#pragma once

#include <string>
#include <vector>

#include "conformance/model/outcome.hpp"
#include "conformance/oracle/equation.hpp"

namespace gathercheck {

/// What one treatment of the index values outside [0, s-1] makes of a call.
struct TreatedOutput {
    /// "value" (as an index in range) where all values are in the version's range, else "wrap";
    /// "zero", "clamp", "first element"; "wrap as unsigned", "clamp as unsigned"; "cut to 32 bits"
    /// (16, 8) where the low bits are in reach of [-s, s-1]; "cut to 32 bits, clamp" and
    /// "cut to 32 bits, wrap" where they are not, or negative; "cut to 32 bits unsigned, wrap".
    std::string name;
    Tensor output;
};

/// All treatments that a call can tell anything of: a reading that changes none of its values is
/// left out. Empty where the equations have no meaning for the call.
std::vector<TreatedOutput> treated_outputs(const Equations& equations, const Call& call);

/// Like classify(), for a call that is made to tell treatments apart, negative indices in range
/// too: the name of the treatment that gives the output; all that do, joined with " or ", where it
/// does not tell them apart; two names joined with "+" where some indices were treated by the one
/// and some by the other; "other" for none; "empty output" for no elements.
std::string classify_probe(const Equations& equations, const Call& call, const Outcome& outcome);

}  // namespace gathercheck
