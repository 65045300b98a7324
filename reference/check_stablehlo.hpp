// SPDX-License-Identifier: Apache-2.0
// StableHLO's gather: its attributes, and the constraints that they keep with the shapes of operand
// (data) and start_indices (indices).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/call.hpp"
#include "reference/error.hpp"
#include "reference/operator_version.hpp"
#include "reference/shape.hpp"

namespace gathercheck {

/// The attributes, named as the specification names them.
struct GatherAttributes {
    std::vector<std::int64_t> offset_dims;
    std::vector<std::int64_t> collapsed_slice_dims;
    std::vector<std::int64_t> operand_batching_dims;
    std::vector<std::int64_t> start_indices_batching_dims;
    std::vector<std::int64_t> start_index_map;
    std::int64_t index_vector_dim = 0;
    std::vector<std::int64_t> slice_sizes;
    bool indices_are_sorted = false;
};

/// A check that a call breaks, and how.
struct BrokenCheck {
    Check check;
    Category category;
    std::string detail;
};

/// Whether StableHLO's gather has an attribute of that name.
bool is_gather_attribute(std::string_view name);

/// Reads the attributes, all of which are known; the check that they break first: a value of the
/// wrong kind, or one that is required and not there.
std::optional<BrokenCheck> read_attributes(std::span<const Attribute> attributes,
                                           GatherAttributes& into);

/// The attributes as a call has them; indices_are_sorted only where it is true.
std::vector<Attribute> attributes_of(GatherAttributes attributes);

/// The first of the constraints C1 to C21, in the specification's order, that a call breaks.
std::optional<BrokenCheck> broken_constraint(const GatherAttributes& attributes,
                                             const Shape& operand, const Shape& start_indices);

/// shape(result) of C22, for a call that keeps the constraints; it may have more than max_rank
/// dimensions.
std::vector<std::int64_t> result_shape(const GatherAttributes& attributes,
                                       const Shape& start_indices);

/// The entries of [0, rank - 1] that are in neither list: the dimensions of result that are
/// batch_dims, or those of operand that offset_dims run through.
std::vector<std::int64_t> other_dims(std::int64_t rank, std::span<const std::int64_t> first,
                                     std::span<const std::int64_t> second = {});

/// Whether some element of the output is to come from a dimension of operand of which the slice has
/// none: a collapsed dimension whose slice size is 0. No sentence says what such a call gives.
bool collapses_nothing(const GatherAttributes& attributes, const Shape& result);

}  // namespace gathercheck
