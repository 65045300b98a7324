// SPDX-License-Identifier: Apache-2.0
#include "optimized/windows.hpp"

#include <algorithm>
#include <array>

#include "reference/check_stablehlo.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck::optimized {
namespace {

using List = std::vector<std::int64_t>;

/// Elements from one step in each dimension to the next.
Shape steps_of(const Shape& shape) {
    Shape steps = first_coordinate(shape);
    std::int64_t step = 1;
    for (std::int64_t k = shape.rank() - 1; k >= 0; step *= shape[k--]) steps[k] = step;
    return steps;
}

/// A call in the specification's terms, and what follows from it.
struct Terms {
    const CheckedCall& call;
    const GatherAttributes& of = *call.attributes;
    const Shape& data = call.data.shape;
    List batches = batches_of(call);  ///< the dimensions of indices but that of the index vectors
    List window = other_dims(data.rank(), of.collapsed_slice_dims, of.operand_batching_dims);
    List vectors = other_dims(call.output.shape.rank(), of.offset_dims);

    static List batches_of(const CheckedCall& call) {
        const std::array<std::int64_t, 1> along{call.attributes->index_vector_dim};
        return other_dims(call.indices.shape.rank(), along);
    }

    std::int64_t slice(std::int64_t d) const { return of.slice_sizes[static_cast<std::size_t>(d)]; }
    std::int64_t batch_of(std::int64_t d) const { return d - (d < of.index_vector_dim ? 0 : 1); }

    /// Whether the batching dimensions are the first of data, and of indices in the same order.
    bool batches_lead() const {
        for (std::size_t k = 0; k < of.operand_batching_dims.size(); ++k) {
            const auto place = static_cast<std::int64_t>(k);
            if (of.operand_batching_dims[k] != place ||
                batch_of(of.start_indices_batching_dims[k]) != place) {
                return false;
            }
        }
        return true;
    }

    /// Whether slices hold dimensions first to last - 1 of data whole.
    bool whole(std::int64_t first, std::int64_t last) const {
        for (std::int64_t d = first; d < last; ++d) {
            if (slice(d) != data[d]) return false;
        }
        return true;
    }

    /// The output's dimensions, each by where its coordinate belongs: to a dimension of `batches`,
    /// or behind them to one of data.
    List order() const {
        List order(static_cast<std::size_t>(call.output.shape.rank()));
        for (std::size_t k = 0; k < vectors.size(); ++k) {
            order[static_cast<std::size_t>(vectors[k])] = static_cast<std::int64_t>(k);
        }
        for (std::size_t k = 0; k < window.size(); ++k) {
            order[static_cast<std::size_t>(of.offset_dims[k])] = std::ssize(batches) + window[k];
        }
        return order;
    }

    /// The same but for dimensions of size 1, which change no place.
    bool has_order(List wanted) const {
        const auto is_one = [&](std::int64_t k) {
            const std::int64_t d = k - std::ssize(batches);
            return d < 0 ? call.indices.shape[batches[static_cast<std::size_t>(k)]] == 1
                         : slice(d) == 1;
        };
        List given = order();
        std::erase_if(given, is_one);
        std::erase_if(wanted, is_one);
        return given == wanted;
    }

    /// Whether slices of dimension a, one wide, are what Gather picks.
    bool is_gather(std::int64_t a) const {
        const std::int64_t b = std::ssize(of.operand_batching_dims);
        const std::int64_t M = std::ssize(batches);
        if (!batches_lead() || a < b || slice(a) != 1 || !whole(b, a) ||
            !whole(a + 1, data.rank())) {
            return false;
        }
        List wanted;
        for (std::int64_t k = 0; k < b; ++k) wanted.push_back(k);
        for (std::int64_t d = b; d < a; ++d) wanted.push_back(M + d);
        for (std::int64_t k = b; k < M; ++k) wanted.push_back(k);
        for (std::int64_t d = a + 1; d < data.rank(); ++d) wanted.push_back(M + d);
        return has_order(std::move(wanted));
    }

    /// Whether all other dimensions of data are those of indices.
    bool is_gather_elements(std::int64_t a) const {
        if (std::ssize(batches) != data.rank() || slice(a) != 1 || !window.empty() ||
            std::ssize(of.operand_batching_dims) != data.rank() - 1) {
            return false;
        }
        for (std::size_t k = 0; k < of.operand_batching_dims.size(); ++k) {
            if (of.operand_batching_dims[k] != batch_of(of.start_indices_batching_dims[k])) {
                return false;
            }
        }
        return true;
    }

    /// Whether the index vectors are tuples of GatherND.
    bool is_gather_nd() const {
        const std::int64_t b = std::ssize(of.operand_batching_dims);
        const std::int64_t n = std::ssize(of.start_index_map);
        if (n == 0 || !batches_lead() || of.index_vector_dim + 1 != call.indices.shape.rank() ||
            !whole(b + n, data.rank())) {
            return false;
        }
        for (std::int64_t t = 0; t < n; ++t) {
            const std::int64_t d = of.start_index_map[static_cast<std::size_t>(t)];
            if (d != b + t || slice(d) != 1) return false;
        }
        List wanted;
        for (std::int64_t k = 0; k < std::ssize(batches); ++k) wanted.push_back(k);
        for (std::int64_t d = b + n; d < data.rank(); ++d) {
            wanted.push_back(std::ssize(batches) + d);
        }
        return has_order(std::move(wanted));
    }
};

}  // namespace

std::optional<CheckedCall> lowered(const CheckedCall& call) {
    const Terms terms{call};
    CheckedCall other = call;
    other.attributes = nullptr;
    other.batch_dims = std::ssize(terms.of.operand_batching_dims);
    if (terms.is_gather_nd()) {
        other.version = OperatorVersion::onnx_gather_nd_13;
        return other;
    }
    if (terms.of.start_index_map.size() != 1) return std::nullopt;
    other.axis = terms.of.start_index_map.front();
    other.indices.shape = {};
    for (const std::int64_t d : terms.batches) other.indices.shape.push_back(call.indices.shape[d]);
    if (terms.is_gather(other.axis)) {
        other.version = OperatorVersion::openvino_gather_8;
        return other;
    }
    if (terms.is_gather_elements(other.axis)) {
        other.version = OperatorVersion::onnx_gather_elements_13;
        other.batch_dims = 0;
        return other;
    }
    return std::nullopt;
}

Windows windows_of(const CheckedCall& call) {
    const Terms terms{call};
    const GatherAttributes& of = terms.of;
    const Shape& output = call.output.shape;
    const Shape data_steps = steps_of(call.data.shape);
    const Shape index_steps = steps_of(call.indices.shape);
    const Shape output_steps = steps_of(output);

    Windows windows;
    const bool has_vectors = of.index_vector_dim < call.indices.shape.rank();
    for (std::size_t t = 0; t < of.start_index_map.size(); ++t) {
        const std::int64_t d = of.start_index_map[t];
        const std::int64_t extent = call.data.shape[d];
        windows.components.push_back(
            {.index_step =
                 has_vectors ? static_cast<std::int64_t>(t) * index_steps[of.index_vector_dim] : 0,
             .last = extent - terms.slice(d),
             .extent = extent,
             .data_step = data_steps[d]});
    }
    for (std::size_t k = 0; k < terms.batches.size(); ++k) {
        const std::int64_t d = terms.batches[k];
        windows.vectors.push_back(call.indices.shape[d]);
        windows.vector_index_steps.push_back(index_steps[d]);
        windows.vector_output_steps.push_back(output_steps[terms.vectors[k]]);
        const auto batching = std::ranges::find(of.start_indices_batching_dims, d);
        const auto i = static_cast<std::size_t>(batching - of.start_indices_batching_dims.begin());
        windows.vector_data_steps.push_back(batching == of.start_indices_batching_dims.end()
                                                ? 0
                                                : data_steps[of.operand_batching_dims[i]]);
    }
    // The innermost dimensions of a window make up a run while they follow each other on both
    // sides.
    std::size_t rank = terms.window.size();
    while (rank > 0 && data_steps[terms.window[rank - 1]] == windows.run &&
           output_steps[of.offset_dims[rank - 1]] == windows.run) {
        windows.run *= terms.slice(terms.window[--rank]);
    }
    for (std::size_t k = 0; k < rank; ++k) {
        windows.window.push_back(terms.slice(terms.window[k]));
        windows.window_data_steps.push_back(data_steps[terms.window[k]]);
        windows.window_output_steps.push_back(output_steps[of.offset_dims[k]]);
    }
    return windows;
}

}  // namespace gathercheck::optimized
