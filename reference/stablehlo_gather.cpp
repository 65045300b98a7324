// SPDX-License-Identifier: Apache-2.0
// StableHLO's gather: slices of operand (data) from offsets in start_indices (indices).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/check_stablehlo.hpp"
#include "reference/reference.hpp"

namespace gathercheck::reference {
namespace {

/// clamp(start, 0, last); nothing is a u64 value beyond 63 bits.
std::int64_t clamp(std::optional<std::int64_t> start, std::int64_t last) {
    return start ? std::clamp(*start, std::int64_t{0}, last) : last;
}

bool is_inside(const Shape& shape, const Shape& coordinate) {
    for (std::int64_t d = 0; d < shape.rank(); ++d) {
        if (coordinate[d] >= shape[d]) return false;
    }
    return true;
}

}  // namespace

// result[result_index] = operand[operand_index], where the names are the specification's and stand
// in its order.
void stablehlo_gather(const CheckedCall& call, std::byte* output) {
    const GatherAttributes& of = *call.attributes;
    const TensorView& operand = call.data;
    const TensorView& start_indices = call.indices;
    const Shape& result = call.output.shape;
    if (*element_count(result) == 0) return;

    const auto batch_dims = other_dims(result.rank(), of.offset_dims);
    const auto offset_operand_dims =
        other_dims(operand.shape.rank(), of.collapsed_slice_dims, of.operand_batching_dims);
    const bool has_vectors = of.index_vector_dim < start_indices.shape.rank();

    Shape result_index = first_coordinate(result);
    std::int64_t to = 0;
    do {
        Shape batch_index;
        for (const std::int64_t d : batch_dims) batch_index.push_back(result_index[d]);

        // start_indices[bi0, ..., :, ..., biN], or [start_indices[batch_index]]
        const auto start_index = [&](std::int64_t d_start) {
            Shape at = batch_index;
            if (has_vectors) {
                at = batch_index.slice(0, of.index_vector_dim);
                at.push_back(d_start);
                for (std::int64_t k = of.index_vector_dim; k < batch_index.rank(); ++k) {
                    at.push_back(batch_index[k]);
                }
            }
            return integer_element(start_indices.type, start_indices.contents,
                                   position(start_indices.shape, at));
        };

        Shape full_start_index = first_coordinate(operand.shape);
        for (std::size_t d_start = 0; d_start < of.start_index_map.size(); ++d_start) {
            const std::int64_t d_operand = of.start_index_map[d_start];
            const std::int64_t slice_size = of.slice_sizes[static_cast<std::size_t>(d_operand)];
            full_start_index[d_operand] = clamp(start_index(static_cast<std::int64_t>(d_start)),
                                                operand.shape[d_operand] - slice_size);
        }

        Shape full_batching_index = first_coordinate(operand.shape);
        for (std::size_t i = 0; i < of.operand_batching_dims.size(); ++i) {
            const std::int64_t d_start = of.start_indices_batching_dims[i];
            full_batching_index[of.operand_batching_dims[i]] =
                batch_index[d_start - (d_start < of.index_vector_dim ? 0 : 1)];
        }

        Shape full_offset_index = first_coordinate(operand.shape);
        for (std::size_t k = 0; k < of.offset_dims.size(); ++k) {
            full_offset_index[offset_operand_dims[k]] = result_index[of.offset_dims[k]];
        }

        Shape operand_index = first_coordinate(operand.shape);
        for (std::int64_t d = 0; d < operand_index.rank(); ++d) {
            operand_index[d] = full_start_index[d] + full_batching_index[d] + full_offset_index[d];
        }
        if (is_inside(operand.shape, operand_index)) {
            copy_element(operand.type, operand.contents, position(operand.shape, operand_index),
                         output, to);
        } else {  // a collapsed dimension of slice size 0, of which the text says nothing
            zero_element(operand.type, output, to);
        }
        ++to;
    } while (next_coordinate(result, result_index));
}

}  // namespace gathercheck::reference
