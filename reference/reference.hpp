// SPDX-License-Identifier: Apache-2.0
// The reference implementation: every operator version in plain loops that read
// like the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "reference/call.hpp"
#include "reference/check.hpp"
#include "reference/error.hpp"
#include "reference/tensor.hpp"

namespace gathercheck::reference {

/// Element type and shape of the output, or the error that can be known without
/// index values.
Result<Descriptor> output_descriptor(const Call& call);

/// Runs the call. `output` must have exactly the byte size of the output's
/// descriptor and must not overlap an input; a wrong size is the error
/// output_shape_mismatch. Every index is checked before the first element is
/// written: after an error the output is untouched. The spare bits of a packed
/// output's last byte are written zero. Strings in the output borrow from the
/// data tensor. Thread-safe: it has no state.
Result<void> run(const Call& call, std::span<std::byte> output);

/// Where an index picks along a dimension of size s: itself, counted from the end where it is
/// negative, or the nearest index where the version clamps. Nothing where zeros take the place of
/// what it picks. `index`: nothing for a u64 value beyond 63 bits.
std::optional<std::int64_t> picked_coordinate(const OperatorInfo& op,
                                              std::optional<std::int64_t> index, std::int64_t s);

/// The three operators, one file each, for a call that passed all checks, index
/// values included.
void gather(const CheckedCall& call, std::byte* output);
void gather_elements(const CheckedCall& call, std::byte* output);
void gather_nd(const CheckedCall& call, std::byte* output);

}  // namespace gathercheck::reference
