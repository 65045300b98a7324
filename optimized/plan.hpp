// SPDX-License-Identifier: Apache-2.0
// Plan: a call in canonical form (units moved from computed positions) with its
// kernels chosen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optimized/kernels.hpp"
#include "optimized/machine.hpp"
#include "reference/check.hpp"
#include "reference/operator_version.hpp"
#include "reference/tensor.hpp"

namespace gathercheck::optimized {

/// What an index means that picks from a dimension of size s.
enum class IndexRule : std::uint8_t {
    from_zero,     ///< [0, s-1] is legal, anything else an error
    from_end_too,  ///< [-s, s-1] is legal, a negative one counts from the end; anything else an
                   ///< error
    zeros_beyond,  ///< the same, but anything else picks zeros; for Gather only
};

/// Where the positions of a call's units come from.
enum class Front : std::uint8_t {
    nothing,      ///< the output has no elements: indices are checked, nothing is moved
    zeros,        ///< data has no elements: every index is out of bounds and gives zeros
    axis,         ///< Gather: B batches of O tables of A units; P picks serve all tables of a batch
    tuples,       ///< GatherND: B batches of one table; P tuples pick from each
    elementwise,  ///< GatherElements: one element for each index, all coordinates but one its own
};

/// A call, checked and prepared: it can be run any number of times on buffers
/// that fit its descriptors, by several threads at once. It is a value without
/// any allocation; only the functions of optimized.hpp and make_plan make one,
/// and its members are not for users.
struct alignas(64) Plan {
    // What most runs read comes first and together: a run whose plan is in no cache waits
    // for each of its lines.
    const Kernels* kernels = nullptr;
    std::int64_t output_bytes = 0;
    std::int64_t index_count = 0;
    bool few = false;              ///< axis: a few units of whole bytes, i32 or i64 indices
    bool at_once = false;          ///< axis: all is one block, indices may serve as positions
    bool serial = false;           ///< not worth a second thread, whoever has some
    bool checked_indices = true;   ///< false: trust_indices
    bool empty_extent = false;     ///< some extent is 0: no index is legal
    bool usable_in_place = false;  ///< indices serve as positions as they are: i32 and i64 ones
                                   ///< without negatives
    bool narrow_first = false;     ///< such indices are read more than once: narrowed rather
    bool packed = false;           ///< units are no whole bytes
    bool stream = false;           ///< the output is written past the caches
    bool stream_runs = false;      ///< runs of neighbours are; so wherever `stream`
    bool pick_streams = false;     ///< `pick` does so by itself where that begins with a line
    bool far = false;              ///< data or output are larger than caches
    bool far_indices = false;  ///< they come from past the caches; not looked at for Front::axis
    bool patterns = false;     ///< positions are looked at for what follows
    bool versioned = true;     ///< false: made from typed operands, errors name no rule
    IndexRule rule = IndexRule::from_end_too;
    IndexKind kind = IndexKind::i64;
    PositionWidth in_place = PositionWidth::wide;    ///< of indices that serve as positions
    PositionWidth resolved = PositionWidth::narrow;  ///< of positions that are computed
    Front front = Front::nothing;
    Pattern copied = Pattern::none;  ///< positions that name neighbours in data, where they are
    Pattern filled = Pattern::none;  ///< those that name one element again and again

    // Units are rows of bytes, elements, or packed bits. Front axis and tuples; GatherND with
    // one component is Gather.
    std::int64_t unit_bits = 0;
    std::int64_t batches = 1;
    std::int64_t tables = 1;  ///< O, in a batch
    std::int64_t picks = 0;   ///< P, in a batch
    std::int64_t table_units = 0;
    std::int64_t components = 1;
    Shape extents;  ///< one for each component

    // How it is moved.
    std::int64_t block = 0;       ///< positions resolved at a time
    std::int64_t pick_block = 0;  ///< those that `pick` may take at a time
    Pick pick = nullptr;  ///< checks indices and moves units in one pass: where each index serves
                          ///< once, or two tables in registers
    PickJob pick_job{};   ///< for `pick`, of one row, which where at_once is the whole plan
    PickTuples pick_tuples = nullptr;             ///< the same for tuples
    Fill fill = nullptr;                          ///< of elements; null for rows
    Move move[position_width_count] = {};         ///< by position width
    Move marked_move[position_width_count] = {};  ///< for jobs with rows of zeros
    MoveJob job{};                                ///< what all jobs have in common

    // Front elementwise: an odometer of dimensions of indices around blocks of
    // rows of lanes. Neighbours in a row of lanes are neighbours in indices too.
    std::int64_t rows = 1;
    std::int64_t lanes = 1;
    std::int64_t row_step = 0;
    std::int64_t lane_step = 0;
    std::int64_t index_step = 1;
    std::int64_t columns = 0;     ///< lanes whose part of the table is copied together, and picked
                                  ///< from before the next ones are; 0: none is
    Pick pick_columns = nullptr;  ///< that does so
    std::int64_t rows_ahead = 0;  ///< `ahead` for rows_move
    Move rows_move[position_width_count] = {};  ///< of whole rows of lanes, where their indices
                                                ///< may all be the same

    std::int64_t first_unit = 0;  ///< packed: of data; units may begin within its first byte

    // Large.
    Shape strides;  ///< tuples: units that one step of a component moves by
    Shape outer_sizes;
    Shape outer_steps;
    CheckedCall call;  ///< without contents
};

/// The plan of a checked call. `versioned` and `rule` as in Plan.
Plan make_plan(const CheckedCall& call, bool versioned, IndexRule rule, const Kernels& kernels,
               const Choices& choices);

/// Sets what all jobs have in common by the plan's numbers of batches, tables and
/// picks, after these have become smaller.
void fit_jobs(Plan& plan);

/// Columns are copied only while rows are enough to make up for it; call after they have become
/// fewer.
void fit_columns(Plan& plan);

/// Makes a plan run without a check of its indices, all of which must be legal then
/// and none negative: only to measure what the check costs.
void trust_indices(Plan& plan);

/// The least index that a dimension of size `extent` has by the plan's rule.
inline std::int64_t first_index(const Plan& plan, std::int64_t extent) {
    return plan.rule == IndexRule::from_zero ? 0 : -extent;
}

/// The rule of an operator version.
IndexRule index_rule(OperatorVersion version);

}  // namespace gathercheck::optimized
