// SPDX-License-Identifier: Apache-2.0
#include "conformance/model/dimension_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "reference/check_stablehlo.hpp"
#include "reference/operator_version.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {
namespace {

using List = std::vector<std::int64_t>;

/// first, ..., last - 1.
List dims(std::int64_t first, std::int64_t last) {
    List list;
    for (std::int64_t d = first; d < last; ++d) list.push_back(d);
    return list;
}

List operator+(List first, const List& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// axis and batch_dims where the case gives them.
struct Given {
    std::optional<std::int64_t> axis;
    std::optional<std::int64_t> batch_dims;
};

std::optional<Given> given_by(const Case& of) {
    Given given{of.axis, std::nullopt};
    for (const Attribute& attribute : of.attributes) {
        const auto* value = std::get_if<std::int64_t>(&attribute.value);
        if (value == nullptr) return std::nullopt;
        if (attribute.name == "axis") {
            given.axis = *value;
        } else if (attribute.name == "batch_dims") {
            given.batch_dims = *value;
        } else {
            return std::nullopt;
        }
    }
    const TensorSpec* axis = of.input("axis");
    if (axis != nullptr) {
        const auto& [type, shape] = axis->descriptor;
        if (!is_integer(type) || element_count(shape) != 1 || !axis->has_contents()) {
            return std::nullopt;
        }
        const auto value = integer_element(type, materialise(*axis).contents.data(), 0);
        if (!value) return std::nullopt;
        given.axis = *value;
    }
    if (of.inputs.size() != (axis == nullptr ? 2U : 3U)) return std::nullopt;
    return given;
}

/// By tuples of n components, for the dimensions of data from `first` on, and b batch dimensions
/// before them. Indices have `batches` dimensions without that of the tuples; those of data between
/// come before those of indices that are no batch dimensions, and those after `first` + n at the
/// end.
std::vector<Attribute> by_tuples(const Shape& data, std::int64_t first, std::int64_t n,
                                 std::int64_t b, std::int64_t batches) {
    GatherAttributes of;
    const std::int64_t N = data.rank();
    const std::int64_t after = first + batches - b;  // where the last dimensions of data begin
    of.offset_dims = dims(b, first) + dims(after, after + N - first - n);
    of.collapsed_slice_dims = dims(first, first + n);
    of.operand_batching_dims = dims(0, b);
    of.start_indices_batching_dims = dims(0, b);
    of.start_index_map = dims(first, first + n);
    of.index_vector_dim = batches;
    for (std::int64_t d = 0; d < N; ++d) {
        const bool one = d < b || (first <= d && d < first + n);
        of.slice_sizes.push_back(one ? std::min<std::int64_t>(data[d], 1) : data[d]);
    }
    return attributes_of(std::move(of));
}

/// One element for each element of indices.
std::vector<Attribute> elementwise(const Shape& data, std::int64_t axis) {
    GatherAttributes of;
    const std::int64_t N = data.rank();
    of.collapsed_slice_dims = {axis};
    of.operand_batching_dims = dims(0, axis) + dims(axis + 1, N);
    of.start_indices_batching_dims = of.operand_batching_dims;
    of.start_index_map = {axis};
    of.index_vector_dim = N;
    for (const std::int64_t dim : data) of.slice_sizes.push_back(std::min<std::int64_t>(dim, 1));
    return attributes_of(std::move(of));
}

bool equal_but_axis(const Shape& data, const Shape& indices, std::int64_t axis) {
    if (data.rank() != indices.rank()) return false;
    for (std::int64_t d = 0; d < data.rank(); ++d) {
        if (d != axis && data[d] != indices[d]) return false;
    }
    return true;
}

}  // namespace

std::optional<Family> borrowed_family(const Case& of) {
    if (of.family && of.family != Family::stablehlo_gather) return of.family;
    for (const Expectation& expectation : of.expect) {
        for (const OperatorVersion version : expectation.versions) {
            if (info(version).family != Family::stablehlo_gather) return info(version).family;
        }
    }
    return std::nullopt;
}

std::optional<std::vector<Attribute>> dimension_numbers(const Case& of) {
    const std::optional<Family> family = borrowed_family(of);
    const TensorSpec* data_input = of.input("data");
    const TensorSpec* indices_input = of.input("indices");
    if (!family || data_input == nullptr || indices_input == nullptr) return std::nullopt;
    const std::optional<Given> given = given_by(of);
    if (!given) return std::nullopt;
    const Shape& data = data_input->descriptor.shape;
    const Shape& indices = indices_input->descriptor.shape;
    const std::int64_t N = data.rank();
    const std::int64_t M = indices.rank();
    std::int64_t b = given->batch_dims.value_or(0);
    if (b < 0) b += M;
    if (b < 0 || b > std::min(N, M)) return std::nullopt;

    if (family == Family::gather_nd) {
        if (given->axis || M == 0 || b >= M) return std::nullopt;
        const std::int64_t n = indices[M - 1];
        if (n > N - b) return std::nullopt;
        return by_tuples(data, b, n, b, M - 1);
    }
    std::int64_t axis = given->axis.value_or(0);
    if (axis < 0) axis += N;
    if (axis < 0 || axis >= N) return std::nullopt;
    if (family == Family::gather) {
        if (b > axis) return std::nullopt;
        return by_tuples(data, axis, 1, b, M);
    }
    if (given->batch_dims || !equal_but_axis(data, indices, axis)) return std::nullopt;
    return elementwise(data, axis);
}

}  // namespace gathercheck
