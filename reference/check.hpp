// SPDX-License-Identifier: Apache-2.0
// The static checks of a call: everything that can be decided without index
// values, in one fixed order.
#pragma once

#include <cstdint>
#include <memory>

#include "reference/call.hpp"
#include "reference/error.hpp"

namespace gathercheck {

struct GatherAttributes;  // check_stablehlo.hpp

/// A call that passed every static check: what is left is to check the index
/// values and move elements. It borrows the contents of the call's inputs.
struct CheckedCall {
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    TensorView data;
    TensorView indices;
    std::int64_t axis = 0;        ///< normalised: in [0, rank(data) - 1]; 0 where there is none
    std::int64_t batch_dims = 0;  ///< normalised: not negative
    std::shared_ptr<const GatherAttributes> attributes;  ///< of StableHLO's gather; else none
    Descriptor output;
    CheckSet passed;  ///< the checks that the version has and that the call passed
};

/// Checks a call in this order: number of inputs, attributes, element types,
/// that no dimension is negative, ranks, axis, batch_dims, batch dimensions, other
/// dimensions, tuple length, StableHLO's constraints, sizes. The error names the first rule broken.
/// Of all contents it reads the axis input only, which must be there; data and indices may be
/// without contents. Thread-safe: it has no state.
Result<CheckedCall> check(const Call& call);

/// The same checks from the dimensions on, for a caller whose operands have neither
/// attributes nor element types to check. `axis` and `batch_dims` are as given,
/// whichever way the version takes them; 0 where it has none.
Result<CheckedCall> check_operands(OperatorVersion version, const TensorView& data,
                                   const TensorView& indices, std::int64_t axis,
                                   std::int64_t batch_dims);

/// The dimension of data that the index at a flat position of indices picks from.
std::int64_t picked_dimension(const CheckedCall& call, std::int64_t flat_position);

/// Reads and checks every index value of a checked call against [-s, s-1] or
/// [0, s-1], as its version says; for GatherND each component against its own
/// dimension. No error where the version gives an index out of bounds a
/// meaning. Needs the contents of indices.
Result<void> check_index_values(const CheckedCall& call);

/// The error of an index value out of bounds: the one at `flat_position` of
/// indices.
Error index_error(const CheckedCall& call, std::int64_t flat_position);

}  // namespace gathercheck
