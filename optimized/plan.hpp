// SPDX-License-Identifier: Apache-2.0
// Plan: a call in canonical form, units moved from computed positions, and how they are moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "optimized/access.hpp"
#include "optimized/kernels.hpp"
#include "optimized/tuning.hpp"
#include "reference/check.hpp"
#include "reference/operator_version.hpp"
#include "reference/tensor.hpp"

namespace gathercheck::optimized {

/// What an index means that picks from a dimension of size s.
struct IndexRule {
    bool negative = true;  ///< [-s, s-1] is in bounds, a negative one counts from the end; false:
                           ///< [0, s-1] is
    OutOfBounds beyond = OutOfBounds::reject;  ///< what any other index leads to

    static const IndexRule from_zero;     ///< [0, s-1], anything else is an error
    static const IndexRule from_end_too;  ///< [-s, s-1], anything else is an error
    static const IndexRule zeros_beyond;  ///< [-s, s-1], anything else picks zeros
    static const IndexRule clamped;       ///< anything is taken for the nearest of [0, s-1]

    friend bool operator==(const IndexRule&, const IndexRule&) = default;
};
inline constexpr IndexRule IndexRule::from_zero{false, OutOfBounds::reject};
inline constexpr IndexRule IndexRule::from_end_too{true, OutOfBounds::reject};
inline constexpr IndexRule IndexRule::zeros_beyond{true, OutOfBounds::zero};
inline constexpr IndexRule IndexRule::clamped{false, OutOfBounds::clamp};

/// Where the positions of a call's units come from.
enum class Front : std::uint8_t {
    nothing,      ///< the output has no elements: indices are checked, nothing is moved
    zeros,        ///< data has no elements: every index is out of bounds and gives zeros
    axis,         ///< Gather: B batches of O tables of A units; P picks serve all tables of a batch
    tuples,       ///< GatherND: B batches of one table; P tuples pick from each
    elementwise,  ///< GatherElements: one element for each index, all coordinates but one its own
};

/// How small_calls.hpp runs a plan.
enum class SmallCall : std::uint8_t { no, few_picks, single_block };

/// Positions that are resolved at a time: they stay in L1 beside what they pick.
inline constexpr std::int64_t block_positions = 1024;

/// Positions of more units need 64 bits.
inline constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();

/// A call, checked and prepared: it can be run any number of times on buffers that fit its
/// descriptors, by several threads at once. It is a value without any allocation; only the
/// functions of gather.hpp and make_plan make one, and its members are not for users.
struct alignas(64) Plan {
    const Kernels* kernels = nullptr;
    std::int64_t output_bytes = 0;
    std::int64_t index_count = 0;
    SmallCall small = SmallCall::no;
    bool serial = false;           ///< not worth a second thread, whoever has some
    bool trusted_indices = false;  ///< trust_indices
    bool empty_extent = false;     ///< some extent is 0: no index is in bounds
    bool packed = false;           ///< units are no whole bytes
    bool versioned = true;         ///< false: made from typed operands, errors name no rule
    IndexRule rule;
    IndexKind kind = IndexKind::i64;
    PositionWidth width = PositionWidth::narrow;  ///< of positions
    Front front = Front::nothing;

    // Units are slices of bytes, elements, or packed bits. GatherND with one component is Gather.
    std::int64_t unit_bits = 0;
    std::int64_t pitch = 0;  ///< bytes from one unit of data to the next
    std::int64_t batches = 1;
    std::int64_t tables = 1;  ///< O, in a batch
    std::int64_t picks = 1;   ///< P, in a batch; elementwise in a row
    std::int64_t table_units = 0;
    std::int64_t components = 1;
    std::int64_t first_unit = 0;  ///< packed: of data; units may begin within its first byte
    Shape extents;                ///< one for each component

    // Front elementwise: an odometer of dimensions of indices around rows of picks. Neighbours in a
    // row are neighbours in indices too, unless these are broadcast.
    std::int64_t rows = 1;
    std::int64_t row_step = 0;
    std::int64_t column_step = 0;  ///< units of data from one pick of a row to the next
    std::int64_t index_step = 1;   ///< units of data that one step of an index moves by
    Shape outer_sizes;
    Shape outer_steps;
    bool broadcasts_indices = false;  ///< some indices serve several picks; by one thread then

    Shape strides;  ///< tuples: units that one step of a component moves by
    Access access;
    CheckedCall call;  ///< without contents

    /// Whether there are units to move.
    bool moves() const { return front != Front::nothing && front != Front::zeros; }
    /// All positions are below.
    std::int64_t position_limit() const {
        return front == Front::tuples ? batches * table_units : table_units;
    }
    /// Whether each pick of a row has a column of its own, or indices do not count units.
    bool has_columns() const { return column_step != 0 || index_step != 1; }
    /// The farthest unit of a table, from its start.
    std::int64_t reach() const {
        return (position_limit() - 1) * index_step + (picks - 1) * column_step;
    }
};

/// The plan of a checked call. `versioned` and `rule` as in Plan.
Plan make_plan(const CheckedCall& call, bool versioned, IndexRule rule, const Kernels& kernels,
               const Tuning& tuning);

/// Makes a plan of Gather or GatherElements by i32 or i64 indices run without a check of these, all
/// of which must be in bounds then and none negative: only to measure what the check costs.
void trust_indices(Plan& plan);

/// The rule of an operator version.
IndexRule index_rule(OperatorVersion version);

}  // namespace gathercheck::optimized
