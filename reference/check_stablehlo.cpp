// SPDX-License-Identifier: Apache-2.0
// The constraints of StableHLO's gather, each with the specification's text above it.
#include "reference/check_stablehlo.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gathercheck {
namespace {

using List = std::vector<std::int64_t>;

struct ListAttribute {
    std::string_view name;
    List GatherAttributes::* member;
};

constexpr std::array<ListAttribute, 6> lists{{
    {"offset_dims", &GatherAttributes::offset_dims},
    {"collapsed_slice_dims", &GatherAttributes::collapsed_slice_dims},
    {"operand_batching_dims", &GatherAttributes::operand_batching_dims},
    {"start_indices_batching_dims", &GatherAttributes::start_indices_batching_dims},
    {"start_index_map", &GatherAttributes::start_index_map},
    {"slice_sizes", &GatherAttributes::slice_sizes},
}};
constexpr std::string_view index_vector_dim_name = "index_vector_dim";
constexpr std::string_view sorted_name = "indices_are_sorted";

bool contains(const List& list, std::int64_t entry) {
    return std::ranges::find(list, entry) != list.end();
}

bool is_unique(List list) {
    std::ranges::sort(list);
    return std::ranges::adjacent_find(list) == list.end();
}

List concatenate(List first, const List& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// 0 <= each entry < end.
bool in_range(const List& list, std::int64_t end) {
    return std::ranges::all_of(list, [&](std::int64_t entry) { return 0 <= entry && entry < end; });
}

std::string text(const List& list) { return to_string(AttributeValue(list)); }

/// One call's constraints.
struct Constraints {
    const GatherAttributes& of;
    const Shape& operand;
    const Shape& start_indices;

    /// slice_sizes[dims...] <= 1. What slice_sizes has no entry for is C20's business.
    bool collapse(const List& dims) const {
        return std::ranges::all_of(dims, [&](std::int64_t d) {
            return d >= std::ssize(of.slice_sizes) ||
                   of.slice_sizes[static_cast<std::size_t>(d)] <= 1;
        });
    }

    std::int64_t batch_rank() const {
        return start_indices.rank() - (of.index_vector_dim < start_indices.rank() ? 1 : 0);
    }

    std::int64_t index_vector_size() const {
        return of.index_vector_dim < start_indices.rank() ? start_indices[of.index_vector_dim] : 1;
    }

    std::optional<BrokenCheck> first() const;
};

std::optional<BrokenCheck> Constraints::first() const {
    const auto invalid = [](Check check, std::string detail) {
        return BrokenCheck{check, Category::invalid_attribute, std::move(detail)};
    };
    const auto range = [&](Check check, std::string_view name, const List& list,
                           const std::string& of_what, std::int64_t rank) {
        return invalid(check, std::string(name) + " is " + text(list) + ", " + of_what +
                                  " has rank " + std::to_string(rank));
    };
    const std::int64_t rank = operand.rank();

    // (C1) rank(operand) = size(offset_dims) + size(collapsed_slice_dims) +
    //      size(operand_batching_dims)
    if (rank != std::ssize(of.offset_dims) + std::ssize(of.collapsed_slice_dims) +
                    std::ssize(of.operand_batching_dims)) {
        return BrokenCheck{Check::operand_rank, Category::rank_mismatch,
                           "data has rank " + std::to_string(rank) + ", but offset_dims " +
                               text(of.offset_dims) + ", collapsed_slice_dims " +
                               text(of.collapsed_slice_dims) + " and operand_batching_dims " +
                               text(of.operand_batching_dims) + " have another number of entries"};
    }
    // (C2) 0 <= index_vector_dim <= rank(start_indices)
    if (of.index_vector_dim < 0 || of.index_vector_dim > start_indices.rank()) {
        return invalid(Check::index_vector_dim_range,
                       "index_vector_dim is " + std::to_string(of.index_vector_dim) +
                           ", outside [0, " + std::to_string(start_indices.rank()) + "]");
    }
    // (C3) size(start_index_map) = index_vector_dim < rank(start_indices) ?
    //      dim(start_indices, index_vector_dim) : 1
    if (std::ssize(of.start_index_map) != index_vector_size()) {
        return BrokenCheck{Check::start_index_map_size, Category::shape_mismatch,
                           "start_index_map is " + text(of.start_index_map) +
                               ", but an index vector has " + std::to_string(index_vector_size()) +
                               " components"};
    }
    // (C4) is_unique(offset_dims) and is_sorted(offset_dims)
    if (!is_unique(of.offset_dims) || !std::ranges::is_sorted(of.offset_dims)) {
        return invalid(Check::offset_dims_order,
                       "offset_dims is " + text(of.offset_dims) + ", not unique and sorted");
    }
    // (C5) 0 <= offset_dims < rank(result)
    const std::int64_t result_rank = batch_rank() + std::ssize(of.offset_dims);
    if (!in_range(of.offset_dims, result_rank)) {
        return range(Check::offset_dims_range, "offset_dims", of.offset_dims, "the output",
                     result_rank);
    }
    // (C6) is_unique(concatenate(collapsed_slice_dims, operand_batching_dims))
    if (!is_unique(concatenate(of.collapsed_slice_dims, of.operand_batching_dims))) {
        return invalid(Check::window_dims_unique,
                       "collapsed_slice_dims " + text(of.collapsed_slice_dims) +
                           " and operand_batching_dims " + text(of.operand_batching_dims) +
                           " name a dimension twice");
    }
    // (C7) is_sorted(collapsed_slice_dims)
    if (!std::ranges::is_sorted(of.collapsed_slice_dims)) {
        return invalid(Check::collapsed_slice_dims_order,
                       "collapsed_slice_dims is " + text(of.collapsed_slice_dims) + ", not sorted");
    }
    // (C8) 0 <= collapsed_slice_dims < rank(operand)
    if (!in_range(of.collapsed_slice_dims, rank)) {
        return range(Check::collapsed_slice_dims_range, "collapsed_slice_dims",
                     of.collapsed_slice_dims, "data", rank);
    }
    // (C9) slice_sizes[collapsed_slice_dims...] <= 1
    if (!collapse(of.collapsed_slice_dims)) {
        return invalid(Check::collapsed_slice_sizes,
                       "slice_sizes " + text(of.slice_sizes) + " has an entry above 1 among " +
                           "collapsed_slice_dims " + text(of.collapsed_slice_dims));
    }
    // (C10) is_sorted(operand_batching_dims)
    if (!std::ranges::is_sorted(of.operand_batching_dims)) {
        return invalid(
            Check::operand_batching_dims_order,
            "operand_batching_dims is " + text(of.operand_batching_dims) + ", not sorted");
    }
    // (C11) 0 <= operand_batching_dims < rank(operand)
    if (!in_range(of.operand_batching_dims, rank)) {
        return range(Check::operand_batching_dims_range, "operand_batching_dims",
                     of.operand_batching_dims, "data", rank);
    }
    // (C12) slice_sizes[operand_batching_dims...] <= 1
    if (!collapse(of.operand_batching_dims)) {
        return invalid(Check::operand_batching_sizes,
                       "slice_sizes " + text(of.slice_sizes) + " has an entry above 1 among " +
                           "operand_batching_dims " + text(of.operand_batching_dims));
    }
    // (C13) is_unique(start_indices_batching_dims)
    if (!is_unique(of.start_indices_batching_dims)) {
        return invalid(Check::start_indices_batching_dims_unique,
                       "start_indices_batching_dims is " + text(of.start_indices_batching_dims) +
                           ", not unique");
    }
    // (C14) 0 <= start_indices_batching_dims < rank(start_indices)
    if (!in_range(of.start_indices_batching_dims, start_indices.rank())) {
        return range(Check::start_indices_batching_dims_range, "start_indices_batching_dims",
                     of.start_indices_batching_dims, "indices", start_indices.rank());
    }
    // (C15) index_vector_dim not in start_indices_batching_dims
    if (contains(of.start_indices_batching_dims, of.index_vector_dim)) {
        return invalid(Check::index_vector_dim_not_batching,
                       "index_vector_dim is " + std::to_string(of.index_vector_dim) +
                           ", which is among start_indices_batching_dims " +
                           text(of.start_indices_batching_dims));
    }
    // (C16) size(operand_batching_dims) == size(start_indices_batching_dims)
    if (of.operand_batching_dims.size() != of.start_indices_batching_dims.size()) {
        return invalid(Check::batching_dims_size,
                       "operand_batching_dims is " + text(of.operand_batching_dims) +
                           ", start_indices_batching_dims " + text(of.start_indices_batching_dims) +
                           ": they have different lengths");
    }
    // (C17) dim(operand, operand_batching_dims...) =
    //       dim(start_indices, start_indices_batching_dims...)
    for (std::size_t k = 0; k < of.operand_batching_dims.size(); ++k) {
        const std::int64_t of_operand = of.operand_batching_dims[k];
        const std::int64_t of_indices = of.start_indices_batching_dims[k];
        if (operand[of_operand] == start_indices[of_indices]) continue;
        return BrokenCheck{Check::batching_dims_shape, Category::batch_shape_mismatch,
                           "dimension " + std::to_string(of_operand) + " of data is " +
                               std::to_string(operand[of_operand]) + ", but dimension " +
                               std::to_string(of_indices) + " of indices, which goes with it, is " +
                               std::to_string(start_indices[of_indices])};
    }
    // (C18) is_unique(concatenate(start_index_map, operand_batching_dims))
    if (!is_unique(concatenate(of.start_index_map, of.operand_batching_dims))) {
        return invalid(Check::start_index_map_unique,
                       "start_index_map " + text(of.start_index_map) +
                           " and operand_batching_dims " + text(of.operand_batching_dims) +
                           " name a dimension twice");
    }
    // (C19) 0 <= start_index_map < rank(operand)
    if (!in_range(of.start_index_map, rank)) {
        return range(Check::start_index_map_range, "start_index_map", of.start_index_map, "data",
                     rank);
    }
    // (C20) size(slice_sizes) = rank(operand)
    if (std::ssize(of.slice_sizes) != rank) {
        return BrokenCheck{
            Check::slice_sizes_size, Category::rank_mismatch,
            "slice_sizes is " + text(of.slice_sizes) + ", data has rank " + std::to_string(rank)};
    }
    // (C21) 0 <= slice_sizes <= shape(operand)
    for (std::int64_t k = 0; k < rank; ++k) {
        const std::int64_t size = of.slice_sizes[static_cast<std::size_t>(k)];
        if (0 <= size && size <= operand[k]) continue;
        return invalid(Check::slice_sizes_range, "the slice size of dimension " +
                                                     std::to_string(k) + " is " +
                                                     std::to_string(size) + ", outside [0, " +
                                                     std::to_string(operand[k]) + "]");
    }
    return std::nullopt;
}

}  // namespace

bool is_gather_attribute(std::string_view name) {
    return name == index_vector_dim_name || name == sorted_name ||
           std::ranges::find(lists, name, &ListAttribute::name) != lists.end();
}

std::optional<BrokenCheck> read_attributes(std::span<const Attribute> attributes,
                                           GatherAttributes& into) {
    bool has_index_vector_dim = false;
    std::array<bool, lists.size()> has{};
    const auto of_wrong_kind = [](const Attribute& attribute, std::string_view wanted) {
        return BrokenCheck{Check::attribute_kind, Category::invalid_attribute,
                           "attribute " + attribute.name + " is " + to_string(attribute.value) +
                               ", not " + std::string(wanted)};
    };
    for (const Attribute& attribute : attributes) {
        const auto* const list = std::ranges::find(lists, attribute.name, &ListAttribute::name);
        if (list != lists.end()) {
            const auto* value = std::get_if<List>(&attribute.value);
            if (value == nullptr) return of_wrong_kind(attribute, "a list of integers");
            into.*(list->member) = *value;
            has[static_cast<std::size_t>(list - lists.begin())] = true;
        } else if (attribute.name == index_vector_dim_name) {
            const auto* value = std::get_if<std::int64_t>(&attribute.value);
            if (value == nullptr) return of_wrong_kind(attribute, "an integer");
            into.index_vector_dim = *value;
            has_index_vector_dim = true;
        } else {
            const auto* value = std::get_if<bool>(&attribute.value);
            if (value == nullptr) return of_wrong_kind(attribute, "true or false");
            into.indices_are_sorted = *value;
        }
    }
    std::string_view missing = has_index_vector_dim ? "" : index_vector_dim_name;
    const auto* const absent = std::ranges::find(has, false);
    if (absent != has.end()) missing = lists[static_cast<std::size_t>(absent - has.begin())].name;
    if (missing.empty()) return std::nullopt;
    return BrokenCheck{Check::attributes_given, Category::missing_attribute,
                       "the call has no attribute " + std::string(missing)};
}

std::vector<Attribute> attributes_of(GatherAttributes attributes) {
    std::vector<Attribute> list;
    for (const auto& [name, member] : lists) {
        list.push_back({std::string(name), std::move(attributes.*member)});
    }
    list.push_back({std::string(index_vector_dim_name), attributes.index_vector_dim});
    if (attributes.indices_are_sorted) list.push_back({std::string(sorted_name), true});
    return list;
}

std::optional<BrokenCheck> broken_constraint(const GatherAttributes& attributes,
                                             const Shape& operand, const Shape& start_indices) {
    return Constraints{attributes, operand, start_indices}.first();
}

std::vector<std::int64_t> other_dims(std::int64_t rank, std::span<const std::int64_t> first,
                                     std::span<const std::int64_t> second) {
    List dims;
    for (std::int64_t d = 0; d < rank; ++d) {
        if (std::ranges::find(first, d) == first.end() &&
            std::ranges::find(second, d) == second.end()) {
            dims.push_back(d);
        }
    }
    return dims;
}

std::vector<std::int64_t> result_shape(const GatherAttributes& attributes,
                                       const Shape& start_indices) {
    // batch_dim_sizes and offset_dim_sizes, each put where its dimensions are in the result.
    const std::array<std::int64_t, 1> index_vector_dim{attributes.index_vector_dim};
    const List batch_dim_sizes = other_dims(start_indices.rank(), index_vector_dim);
    const List offset_dim_sizes =
        other_dims(std::ssize(attributes.slice_sizes), attributes.collapsed_slice_dims,
                   attributes.operand_batching_dims);
    const std::size_t rank = batch_dim_sizes.size() + offset_dim_sizes.size();
    const List batch_dims = other_dims(static_cast<std::int64_t>(rank), attributes.offset_dims);
    List shape(rank);
    for (std::size_t k = 0; k < batch_dims.size(); ++k) {
        shape[static_cast<std::size_t>(batch_dims[k])] = start_indices[batch_dim_sizes[k]];
    }
    for (std::size_t k = 0; k < offset_dim_sizes.size(); ++k) {
        shape[static_cast<std::size_t>(attributes.offset_dims[k])] =
            attributes.slice_sizes[static_cast<std::size_t>(offset_dim_sizes[k])];
    }
    return shape;
}

bool collapses_nothing(const GatherAttributes& attributes, const Shape& result) {
    const bool collapsed = std::ranges::any_of(
        attributes.collapsed_slice_dims,
        [&](std::int64_t d) { return attributes.slice_sizes[static_cast<std::size_t>(d)] == 0; });
    return collapsed && std::ranges::find(result, 0) == result.end();
}

}  // namespace gathercheck
