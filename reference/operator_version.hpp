// SPDX-License-Identifier: Apache-2.0
// Operator versions: one table says how they differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "reference/element_type.hpp"
#include "reference/error.hpp"
#include "reference/out_of_bounds.hpp"

namespace gathercheck {

/// One operator in one version of one specification: a row of the table of operator versions. Those
/// of the enumerators are written in operator_version.cpp, in their order; others are declared at
/// run time (declare) and follow.
enum class OperatorVersion : std::uint8_t {
    openvino_gather_1,
    openvino_gather_7,
    openvino_gather_8,
    openvino_gather_elements_6,
    openvino_gather_nd_5,
    openvino_gather_nd_8,
    onnx_gather_1,
    onnx_gather_11,
    onnx_gather_13,
    onnx_gather_elements_11,
    onnx_gather_elements_13,
    onnx_gather_nd_11,
    onnx_gather_nd_12,
    onnx_gather_nd_13,
    stablehlo_gather,
};

/// Of the enumerators.
inline constexpr std::size_t enumerated_version_count = 15;

/// Of all rows, declared ones too.
inline constexpr std::size_t max_operator_versions = 64;

/// The operators behind all versions; each has a file of its own here.
enum class Family : std::uint8_t { gather, gather_elements, gather_nd, stablehlo_gather };

/// Where a version takes the axis from.
enum class AxisSource : std::uint8_t { none, attribute, input };

/// What batch_dims may be.
enum class BatchDims : std::uint8_t {
    none,          ///< the version has no such attribute
    negative_too,  ///< in [-min(N, M), min(N, M)], a negative one counts from
                   ///< rank(indices)
    from_zero,     ///< in [0, min(N, M) - 1]
};

/// What rank indices may have.
enum class IndicesRank : std::uint8_t { any, at_least_one, exactly_one };

/// GatherElements: what the dimensions of indices other than axis must be.
enum class OtherDims : std::uint8_t {
    equal,       ///< data's
    not_larger,  ///< at most data's
    broadcast,   ///< data's, or 1 in one of the two: the output has the larger
};

/// The checks of a call, in the order in which they are made. Each rests on one
/// rule of a version.
enum class Check : std::uint8_t {
    inputs_count,
    attribute_unknown,
    attribute_kind,
    attributes_given,
    data_type,
    indices_type,
    axis_type,
    data_rank,
    indices_rank,
    rank_equal,
    axis_given,
    axis_shape,
    axis_range,
    batch_dims_range,
    batch_dims_le_axis,
    batch_shape,
    other_dims,
    tuple_length_min,
    tuple_length_max,
    // The constraints of StableHLO's gather, in its order: C1 to C21.
    operand_rank,
    index_vector_dim_range,
    start_index_map_size,
    offset_dims_order,
    offset_dims_range,
    window_dims_unique,
    collapsed_slice_dims_order,
    collapsed_slice_dims_range,
    collapsed_slice_sizes,
    operand_batching_dims_order,
    operand_batching_dims_range,
    operand_batching_sizes,
    start_indices_batching_dims_unique,
    start_indices_batching_dims_range,
    index_vector_dim_not_batching,
    batching_dims_size,
    batching_dims_shape,
    start_index_map_unique,
    start_index_map_range,
    slice_sizes_size,
    slice_sizes_range,
    output_size,
    index_range,
};

inline constexpr std::size_t check_count = 42;

/// A set of checks.
struct CheckSet {
    std::uint64_t members = 0;

    constexpr void insert(Check check) {
        members |= std::uint64_t{1} << static_cast<unsigned>(check);
    }
    constexpr bool contains(Check check) const {
        return (members >> static_cast<unsigned>(check) & 1U) != 0;
    }
    /// True where every check of the set is made after `check`.
    constexpr bool all_after(Check check) const {
        const std::uint64_t up_to = (std::uint64_t{2} << static_cast<unsigned>(check)) - 1;
        return (members & up_to) == 0;
    }
};

/// One row of the table of operator versions.
struct OperatorInfo {
    OperatorVersion version;
    std::string_view name;           ///< "openvino.Gather-7"
    std::string_view specification;  ///< "openvino", "onnx" or "stablehlo"
    std::string_view type;           ///< the operator's name in its specification: "Gather"
    int number = 0;                  ///< 7; for ONNX the opset that introduced the version; 0: none
    Family family;
    AxisSource axis = AxisSource::none;
    std::optional<std::int64_t> axis_default = 0;  ///< of an attribute; nothing: it must be given
    bool axis_default_is_of_1d = false;            ///< the default holds for data of one dimension
    bool negative_axis = true;                     ///< axis in [-N, N-1]; false: in [0, N-1]
    BatchDims batch_dims = BatchDims::none;        ///< defaults to 0
    TypeSet data_types;
    TypeSet indices_types;
    TypeSet axis_types = {};  ///< of the axis input
    bool negative_indices;    ///< true: indices in [-s, s-1]; false: in [0, s-1]
    OutOfBounds out_of_bounds = OutOfBounds::reject;
    OtherDims other_dims = OtherDims::equal;
    IndicesRank indices_rank;
    bool fuses_batch_dims = false;  ///< GatherND-5: the batch dimensions become one in the output
    std::string_view rules;         ///< prefix of the version's rule ids: "ov.gather-7"
    std::array<std::string_view, check_count>
        check_rules;  ///< the rest of each check's rule id; empty
                      ///< where the version has no such check
};

/// All rows, in the order of the enumerators.
std::span<const OperatorInfo> operator_versions();

const OperatorInfo& info(OperatorVersion version);

/// Whether a version was declared at run time.
inline bool is_declared(OperatorVersion version) {
    return static_cast<std::size_t>(version) >= enumerated_version_count;
}

/// Adds a row behind all others and gives its version; `row.version` is ignored. The texts
/// are copied. The text is why there can be no such row: its name is taken, or there are
/// max_operator_versions. Not thread-safe: at the start of a program, before anything reads the
/// table; spans of it taken before do not have the row.
std::variant<OperatorVersion, std::string> declare(OperatorInfo row);

/// "openvino.Gather-7".
std::string_view name(OperatorVersion version);

/// The operator version of a name like "openvino.Gather-7"; nothing for an
/// unknown name.
std::optional<OperatorVersion> operator_version(std::string_view name);

/// Id of the rule that a check of a version rests on: "ov.gather-7.axis.range".
/// Empty where the version has no such check.
std::string rule_id(OperatorVersion version, Check check);

/// The phase in which a check can be made.
Phase phase(Check check);

/// The number of inputs that the version takes.
std::int64_t input_count(OperatorVersion version);

}  // namespace gathercheck
