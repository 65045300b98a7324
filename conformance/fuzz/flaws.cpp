// SPDX-License-Identifier: Apache-2.0
// Breaking each check of the table.
#include <algorithm>
#include <array>
#include <limits>

#include "conformance/fuzz/draft.hpp"

namespace gathercheck {
namespace {

std::size_t place(std::int64_t dim) { return static_cast<std::size_t>(dim); }

/// One of all types that are not of the set.
ElementType draw_other_type(Choices& choices, TypeSet listed, ElementType otherwise) {
    TypeSet others;
    for (const ElementTypeInfo& row : element_types()) {
        if (!listed.contains(row.type)) others = others | TypeSet{row.type};
    }
    return draw_type(choices, others, otherwise);
}

/// A number outside [lowest, highest], near its ends, beyond every rank, or far away.
std::int64_t draw_outside(Choices& choices, std::int64_t lowest, std::int64_t highest) {
    using Limits = std::numeric_limits<std::int64_t>;
    const std::array<std::int64_t, 10> outside{
        highest + 1,   lowest - 1,    highest + 2,           lowest - 2,
        Limits::max(), Limits::min(), std::int64_t{1} << 32, -(std::int64_t{1} << 32),
        highest + 99,  lowest - 99};
    return choices.one_of(std::span<const std::int64_t>(outside));
}

/// Another size than a dimension has.
void change_dim(Choices& choices, std::int64_t& dim) {
    const std::array<std::int64_t, 4> others{dim + 1, dim > 0 ? dim - 1 : 2, dim == 1 ? 3 : 1,
                                             dim == 0 ? 1 : 0};
    dim = choices.one_of(std::span<const std::int64_t>(others));
}

std::int64_t draw_dim_number(Choices& choices, const Dims& dims) {
    return static_cast<std::int64_t>(choices.below(dims.size()));
}

/// Changes a list of dimension numbers in one place.
void change_list(Choices& choices, std::int64_t rank, Dims& list) {
    const std::uint64_t how = choices.below(4);
    const std::size_t at = list.empty() ? 0 : static_cast<std::size_t>(choices.below(list.size()));
    const std::int64_t number =
        static_cast<std::int64_t>(choices.below(static_cast<std::uint64_t>(rank) + 3)) - 1;
    if (list.empty() || how == 0) {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), number);
    } else if (how == 1) {
        list[at] = number;
    } else if (how == 2) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
        std::swap(list[at], list.back());
    }
}

/// StableHLO's constraints are about lists that refer to each other: any change of one breaks some.
void change_numbers(Choices& choices, Draft& draft) {
    GatherAttributes& numbers = draft.numbers;
    const std::int64_t rank = std::ssize(draft.data);
    switch (choices.below(8)) {
        case 0:
            return change_list(choices, rank, numbers.offset_dims);
        case 1:
            return change_list(choices, rank, numbers.collapsed_slice_dims);
        case 2:
            return change_list(choices, rank, numbers.operand_batching_dims);
        case 3:
            return change_list(choices, std::ssize(draft.indices),
                               numbers.start_indices_batching_dims);
        case 4:
            return change_list(choices, rank, numbers.start_index_map);
        case 5:
            numbers.index_vector_dim = draw_outside(choices, 0, std::ssize(draft.indices));
            return;
        case 6:
            return change_list(choices, rank, numbers.slice_sizes);
        default:
            if (draft.indices.empty()) return;
            return change_dim(choices,
                              draft.indices[place(draw_dim_number(choices, draft.indices))]);
    }
}

std::int64_t highest_batch_dims(const Draft& draft) {
    const auto lesser = std::min(std::ssize(draft.data), std::ssize(draft.indices));
    return draft.op.batch_dims == BatchDims::from_zero ? lesser - 1 : lesser;
}

/// Of larger tensors no dimensions are copied to others: their product may need any memory.
constexpr std::int64_t most_shared = 4096;

/// Makes the first `count` dimensions of data and indices batch dimensions of equal sizes, as far
/// as there are so many, so that nothing but that number is wrong.
void share_dims(Draft& draft, std::int64_t count) {
    if (elements_of(draft.data) > most_shared || draft.data.empty() || draft.indices.empty()) {
        return;
    }
    const std::int64_t rank = std::ssize(draft.data);
    const bool tuples = draft.op.family == Family::gather_nd;
    if (tuples) {
        const std::int64_t behind = std::max<std::int64_t>(1, rank - count);
        draft.indices.back() = std::min(draft.indices.back(), behind);
    } else {
        while (std::ssize(draft.indices) < std::min(count, rank)) draft.indices.push_back(1);
    }
    const std::int64_t last = std::ssize(draft.indices) - (tuples ? 1 : 0);
    for (std::int64_t k = 0; k < last; ++k) {
        std::int64_t& dim = draft.indices[place(k)];
        dim = k < std::min(count, rank) ? draft.data[place(k)] : std::min<std::int64_t>(dim, 2);
    }
    // The tuples' own dimension is one of the batch dimensions, too.
    if (tuples && last < std::min(count, rank)) {
        draft.data[place(last)] = draft.indices.back();
        if (elements_of(draft.data) > most_shared) draft.data[place(last)] = 1;
    }
}

/// Makes batch dimensions differ, in one size or in their order.
void change_batch_shape(Choices& choices, Draft& draft) {
    const std::int64_t most = draft.op.family == Family::gather_nd
                                  ? std::min(std::ssize(draft.data), std::ssize(draft.indices)) - 1
                                  : std::min(draft.axis, std::ssize(draft.indices));
    if (draft.batch_dims == 0 && most > 0) {
        draft.batch_dims =
            1 + static_cast<std::int64_t>(choices.below(static_cast<std::uint64_t>(most)));
        draft.written_batch_dims = draft.batch_dims;
        share_dims(draft, draft.batch_dims);
    }
    const auto last = std::min({draft.batch_dims, most, std::ssize(draft.indices)});
    if (last <= 0) return;
    const auto at =
        place(static_cast<std::int64_t>(choices.below(static_cast<std::uint64_t>(last))));
    if (last > 1 && choices.one_in(3)) {
        std::swap(draft.indices[at], draft.indices[(at + 1) % place(last)]);
    } else {
        change_dim(choices, draft.indices[at]);
    }
}

void change_other_dim(Choices& choices, Draft& draft) {
    const std::int64_t k = draw_dim_number(choices, draft.data);
    if (k == draft.axis || k >= std::ssize(draft.indices)) return;
    change_dim(choices, draft.indices[place(k)]);
}

/// Makes an output of more elements than 63 bits count, of data without elements: each index picks
/// from a dimension of size 0. Only where data shares two further dimensions with the output, and
/// indices one more.
void make_uncountable(Draft& draft) {
    GatherAttributes& numbers = draft.numbers;
    const bool is_stablehlo = draft.op.family == Family::stablehlo_gather;
    const bool tuples = draft.op.family == Family::gather_nd;
    if (draft.op.family == Family::gather_elements || draft.indices.empty()) return;
    Dims picked;
    Dims shared;
    for (std::int64_t k = draft.batch_dims; k < std::ssize(draft.data); ++k) {
        if (is_stablehlo && is_among(k, numbers.operand_batching_dims)) continue;
        const bool is_picked = is_stablehlo ? is_among(k, numbers.collapsed_slice_dims)
                               : tuples     ? k < draft.batch_dims + draft.indices.back()
                                            : k == draft.axis;
        (is_picked ? picked : shared).push_back(k);
    }
    Dims counted;
    for (std::int64_t k = draft.batch_dims; k < std::ssize(draft.indices); ++k) {
        const bool is_of_vector = is_stablehlo ? k == numbers.index_vector_dim
                                               : tuples && k + 1 == std::ssize(draft.indices);
        if (is_of_vector || is_among(k, numbers.start_indices_batching_dims)) continue;
        counted.push_back(k);
    }
    if (picked.empty() || shared.size() < 2 || counted.empty()) return;
    const auto set = [&](std::int64_t k, std::int64_t dim) {
        draft.data[place(k)] = dim;
        if (is_stablehlo) numbers.slice_sizes[place(k)] = dim;
    };
    // Of two of these and any type 63 bits still count the bytes, of 64 times as many not.
    constexpr std::int64_t half = std::int64_t{1} << 29;
    for (std::size_t k = 0; k < shared.size(); ++k) set(shared[k], k < 2 ? half : 1);
    set(picked.front(), 0);
    draft.indices[place(counted.front())] = 64;
}

}  // namespace

void break_check(Choices& choices, Check check, Draft& draft) {
    const OperatorInfo& op = draft.op;
    const std::int64_t rank = std::ssize(draft.data);
    switch (check) {
        case Check::inputs_count:
            draft.surplus_input = choices.one_in(2);
            if (!draft.surplus_input) draft.left_out.emplace_back("indices");
            return;
        case Check::attribute_unknown:
            // No message can say one twice.
            draft.further = {{choices.one_in(2) ? "mode" : "unknown", std::int64_t{0}}};
            return;
        case Check::attribute_kind: {
            constexpr std::array<std::string_view, 3> names{"axis", "batch_dims", "slice_sizes"};
            const std::string name(choices.one_of(std::span<const std::string_view>(names)));
            const std::array<AttributeValue, 4> values{1.0, std::string("1"), 0.5,
                                                       std::vector<std::int64_t>{1}};
            draft.other_kind = {{name, choices.one_of(std::span<const AttributeValue>(values))}};
            return;
        }
        case Check::attributes_given: {
            constexpr std::array<std::string_view, 4> names{"slice_sizes", "offset_dims",
                                                            "start_index_map", "index_vector_dim"};
            draft.left_out.emplace_back(choices.one_of(std::span<const std::string_view>(names)));
            return;
        }
        case Check::data_type:
            draft.data_type = draw_other_type(choices, op.data_types, draft.data_type);
            return;
        case Check::indices_type:
            draft.indices_type = draw_other_type(choices, op.indices_types, draft.indices_type);
            return;
        case Check::axis_type:
            draft.axis_type = draw_other_type(choices, op.axis_types, draft.axis_type);
            return;
        case Check::data_rank:
            draft.data.clear();
            return;
        case Check::indices_rank:
            draft.indices.clear();
            if (op.indices_rank == IndicesRank::exactly_one && choices.one_in(2)) {
                draft.indices = {2, 1};
            }
            return;
        case Check::rank_equal:
            if (choices.one_in(2) && !draft.indices.empty()) {
                draft.indices.pop_back();
            } else {
                draft.indices.push_back(1);
            }
            return;
        case Check::axis_given:
            draft.written_axis.reset();
            draft.left_out.emplace_back("axis");
            return;
        case Check::axis_shape:
            draft.axis_shape = {static_cast<std::int64_t>(choices.below(3))};
            if (draft.axis_shape.front() == 1) draft.axis_shape.push_back(1);
            return;
        case Check::axis_range:
            draft.written_axis = draw_outside(choices, op.negative_axis ? -rank : 0, rank - 1);
            if (op.axis == AxisSource::input && is_unsigned(draft.axis_type) && choices.one_in(2)) {
                // A legal axis where its bits are read as signed.
                const auto dims = static_cast<std::uint64_t>(std::max<std::int64_t>(1, rank));
                draft.written_axis = -1 - static_cast<std::int64_t>(choices.below(dims));
            }
            return;
        case Check::batch_dims_range: {
            const std::int64_t highest = highest_batch_dims(draft);
            const std::int64_t outside = draw_outside(
                choices, op.batch_dims == BatchDims::negative_too ? -highest : 0, highest);
            draft.written_batch_dims = outside;
            // As who takes it may read it: as it is, or from the end once more.
            const std::int64_t count = std::max<std::int64_t>(1, std::ssize(draft.indices));
            const std::int64_t read = outside < 0 ? (outside % count + count) % count : outside;
            if (read <= rank) share_dims(draft, read);
            return;
        }
        case Check::batch_dims_le_axis:
            draft.written_batch_dims = draft.axis + 1;
            share_dims(draft, draft.axis + 1);
            return;
        case Check::batch_shape:
            return change_batch_shape(choices, draft);
        case Check::other_dims:
            if (!draft.data.empty()) change_other_dim(choices, draft);
            return;
        case Check::tuple_length_min:
            if (draft.indices.empty()) return;
            draft.indices.back() = 0;
            // Who takes that gives all of data for each tuple: few, then.
            if (elements_of(draft.data) <= 64) return;
            for (std::size_t k = place(draft.batch_dims); k + 1 < draft.indices.size(); ++k) {
                draft.indices[k] = std::min<std::int64_t>(draft.indices[k], 2);
            }
            return;
        case Check::tuple_length_max:
            if (!draft.indices.empty()) {
                draft.indices.back() = std::max<std::int64_t>(0, rank - draft.batch_dims) + 1;
            }
            return;
        case Check::index_range:
            draft.bad_indices = 1 + static_cast<std::int64_t>(choices.below(2));
            if (choices.one_in(8) && draft.axis < rank) draft.data[place(draft.axis)] = 0;
            return;
        case Check::output_size:
            return make_uncountable(draft);
        case Check::operand_rank:
        case Check::index_vector_dim_range:
        case Check::start_index_map_size:
        case Check::offset_dims_order:
        case Check::offset_dims_range:
        case Check::window_dims_unique:
        case Check::collapsed_slice_dims_order:
        case Check::collapsed_slice_dims_range:
        case Check::collapsed_slice_sizes:
        case Check::operand_batching_dims_order:
        case Check::operand_batching_dims_range:
        case Check::operand_batching_sizes:
        case Check::start_indices_batching_dims_unique:
        case Check::start_indices_batching_dims_range:
        case Check::index_vector_dim_not_batching:
        case Check::batching_dims_size:
        case Check::batching_dims_shape:
        case Check::start_index_map_unique:
        case Check::start_index_map_range:
        case Check::slice_sizes_size:
        case Check::slice_sizes_range:
            return change_numbers(choices, draft);
    }
}

}  // namespace gathercheck
