// SPDX-License-Identifier: Apache-2.0
// The fast implementation: gathers for calls of every operator version, and for
// typed operands without a generic call's cost.
//
// What holds for every function here:
//
// * Contents are row-major and contiguous, as in reference/tensor.hpp. No buffer
//   needs an alignment. A tensor without elements may have a null pointer.
// * All element types of reference/element_type.hpp are moved as bits. Packed
//   types are bit streams: the spare bits of inputs are ignored, those of the
//   output's last byte are written zero. A string element is a StringElement that
//   borrows from the data tensor: its characters must outlive the output.
// * The output must overlap no input. Nothing outside the buffers is read or
//   written.
// * Every index is checked before its element is moved. Without an error every
//   byte of the output was written; after one its contents are unspecified.
// * Buffers are the caller's; nothing keeps a pointer to them after the call.
//   Moving elements allocates nothing. An error allocates its sentence.
// * All functions may be called from several threads at once, also with one plan,
//   as long as their outputs do not overlap.
// * A call runs on the calling thread alone, unless it is given an executor
//   (executor.hpp) and is large enough for several threads to be worth waking. The
//   output and the error are the same whatever the number of threads. The executor
//   may allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "optimized/cpu.hpp"
#include "optimized/executor.hpp"
#include "optimized/plan.hpp"
#include "reference/call.hpp"
#include "reference/error.hpp"
#include "reference/tensor.hpp"

namespace gathercheck::optimized {

/// What ran, as the kernels themselves report it.
struct Trace {
    InstructionSet scanned = InstructionSet::none;  ///< the check of index values
    InstructionSet moved = InstructionSet::none;    ///< the moves
};

/// A target: the library as one instruction set runs it, an implementation of its own. A target
/// that this CPU or this build lacks is not available; it must not be asked to run or plan, and
/// never runs as another one.
struct Target {
    std::string_view name;  ///< "avx2"
    InstructionSet instruction_set;

    /// Element type and shape of the output, or the error that can be known
    /// without index values. Of all contents it reads the axis input only. Works
    /// for every target.
    Result<Descriptor> (*output_descriptor)(const Call& call);

    /// Runs the call. `output` must have exactly the output's byte size; another
    /// one is the error output_shape_mismatch. Errors are the reference's, rule
    /// and sentence included. Precondition: available().
    Result<void> (*run)(const Call& call, std::span<std::byte> output);

    bool available() const;
};

/// All targets, best first, also those that are not available.
std::span<const Target> targets();

/// The first of them that is available; there always is one.
const Target& best_target();

// The names of before; they will be deprecated in the next version.
using Row = Target;
inline std::span<const Row> rows() { return targets(); }
inline const Row& best_row() { return best_target(); }

/// best_target() as two functions.
Result<Descriptor> output_descriptor(const Call& call);
Result<void> run(const Call& call, std::span<std::byte> output, Executor* executor = nullptr);

/// Runs the call as target.run does, and tells what ran. With an executor it is cut into
/// so many parts, even if they are not worth it; 0: into as many as are; below: too_large.
Result<Trace> trace(const Target& target, const Call& call, std::span<std::byte> output,
                    Executor* executor = nullptr, int parts = 0);

/// A plan for calls like this one, whose data and indices need no contents. What
/// is planned is the call's version, attributes, types, shapes and value of axis.
Result<Plan> plan(const Call& call, const Target& target = best_target());

// Typed operands. data may have any element type; indices i8 i16 i32 i64 u8 u16
// u32 or u64, else unsupported_type. A negative axis counts from rank(data), a
// negative batch_dims from rank(indices). Errors have the categories, phases and
// sentences of reference/check.hpp and name no rule: no operator version is
// involved. A negative dimension is the error too_large.

/// Gather: output shape data[:axis] + indices[batch_dims:] + data[axis+1:].
/// Needs rank(data) >= 1, axis in [-rank(data), rank(data) - 1], batch_dims in
/// [-m, m] with m the smaller rank and at most axis, and equal batch dimensions.
Result<Plan> plan_gather(const Descriptor& data, const Descriptor& indices, std::int64_t axis,
                         std::int64_t batch_dims = 0, IndexRule rule = IndexRule::from_end_too,
                         const Target& target = best_target());

/// GatherElements: output shape is that of indices. Needs equal ranks of at least
/// 1, and dimensions of indices other than axis not above data's. Indices are in
/// [-s, s-1], or in [0, s-1] without `from_end_too`; others are errors.
Result<Plan> plan_gather_elements(const Descriptor& data, const Descriptor& indices,
                                  std::int64_t axis, bool from_end_too = true,
                                  const Target& target = best_target());

/// GatherND with tuples of n = the last dimension of indices: output shape
/// indices[:-1] + data[batch_dims+n:]. Needs ranks of at least 1, batch_dims in
/// [0, smaller rank - 1], equal batch dimensions, 1 <= n <= rank(data) -
/// batch_dims. Indices as in GatherElements.
Result<Plan> plan_gather_nd(const Descriptor& data, const Descriptor& indices,
                            std::int64_t batch_dims = 0, bool from_end_too = true,
                            const Target& target = best_target());

/// Element type and shape of a plan's output.
const Descriptor& output_descriptor(const Plan& plan);

/// Runs a plan. `data` and `indices` hold what the plan's descriptors say. Errors:
/// output_shape_mismatch, index_out_of_bounds.
Result<void> run(const Plan& plan, const std::byte* data, const std::byte* indices,
                 std::span<std::byte> output, Executor* executor = nullptr);

/// Plan and run at once, by the best target.
Result<void> gather(const TensorView& data, const TensorView& indices, std::int64_t axis,
                    std::int64_t batch_dims, std::span<std::byte> output,
                    IndexRule rule = IndexRule::from_end_too, Executor* executor = nullptr);
Result<void> gather_elements(const TensorView& data, const TensorView& indices, std::int64_t axis,
                             std::span<std::byte> output, bool from_end_too = true,
                             Executor* executor = nullptr);
Result<void> gather_nd(const TensorView& data, const TensorView& indices, std::int64_t batch_dims,
                       std::span<std::byte> output, bool from_end_too = true,
                       Executor* executor = nullptr);

}  // namespace gathercheck::optimized
