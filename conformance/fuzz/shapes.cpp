// SPDX-License-Identifier: Apache-2.0
// Shapes of legal calls, family by family.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "conformance/fuzz/draft.hpp"

namespace gathercheck {
namespace {

/// 1 to `highest`, small ones far more often.
std::int64_t draw_rank(Choices& choices, std::int64_t lowest, std::int64_t highest) {
    const std::uint64_t usual = std::min<std::uint64_t>(4, static_cast<std::uint64_t>(highest));
    if (choices.one_in(8)) {
        return lowest + static_cast<std::int64_t>(
                            choices.below(static_cast<std::uint64_t>(highest - lowest) + 1));
    }
    const auto least = std::max<std::int64_t>(lowest, 1);
    return least +
           static_cast<std::int64_t>(choices.below(usual - static_cast<std::uint64_t>(least) + 1));
}

std::int64_t draw_to(Choices& choices, std::int64_t last) {
    return static_cast<std::int64_t>(choices.below(static_cast<std::uint64_t>(last) + 1));
}

/// The product, where 0 counts as 1; the greatest number where it is beyond 63 bits.
std::int64_t times(std::int64_t elements, std::int64_t dim) {
    return multiply(elements, std::max<std::int64_t>(1, dim))
        .value_or(std::numeric_limits<std::int64_t>::max());
}

std::size_t place(std::int64_t dim) { return static_cast<std::size_t>(dim); }

void draw_dims(Sizes& sizes, std::int64_t rank, Dims& dims) {
    while (std::ssize(dims) < rank) dims.push_back(sizes.next(elements_of(dims)));
}

constexpr std::int64_t highest_rank = 8;

/// Makes a dimension larger than floats, counters or offsets are good for; another one is then 0,
/// so that no memory is needed. `others`: the dimensions that can be. True where it does, seldom.
bool draw_giant(Choices& choices, std::int64_t dim, Dims others, Dims& dims) {
    std::erase(others, dim);
    if (others.empty() || !choices.one_in(32)) return false;
    constexpr std::array<std::int64_t, 6> giants{
        (std::int64_t{1} << 24) + 1, std::int64_t{1} << 31,       (std::int64_t{1} << 32) + 1,
        (std::int64_t{1} << 31) - 1, (std::int64_t{1} << 53) + 1, (std::int64_t{1} << 16) + 1};
    dims[place(dim)] = choices.one_of(std::span<const std::int64_t>(giants));
    dims[place(choices.one_of(std::span<const std::int64_t>(others)))] = 0;
    return true;
}

Dims numbers_from(std::int64_t first, std::int64_t last) {
    Dims numbers;
    for (std::int64_t k = first; k < last; ++k) numbers.push_back(k);
    return numbers;
}

void draw_gather(Choices& choices, Sizes& sizes, Draft& draft) {
    const OperatorInfo& op = draft.op;
    const std::int64_t rank = draw_rank(choices, 1, highest_rank);
    draw_dims(sizes, rank, draft.data);
    if (op.axis != AxisSource::none) draft.axis = draw_to(choices, rank - 1);
    const std::int64_t lowest = op.indices_rank == IndicesRank::any ? 0 : 1;
    const std::int64_t highest =
        op.indices_rank == IndicesRank::exactly_one ? 1 : highest_rank + 1 - rank;
    const std::int64_t indices_rank =
        highest <= lowest ? lowest : draw_rank(choices, lowest, std::min(highest, highest_rank));
    if (op.batch_dims != BatchDims::none && choices.one_in(3)) {
        const bool one_less = op.batch_dims == BatchDims::from_zero && indices_rank > 0;
        draft.batch_dims =
            draw_to(choices, std::min(draft.axis, indices_rank - (one_less ? 1 : 0)));
    }
    draw_giant(choices, draft.axis, numbers_from(draft.batch_dims, rank), draft.data);
    std::int64_t output =
        elements_of(draft.data) / std::max<std::int64_t>(1, draft.data[place(draft.axis)]);
    for (std::int64_t k = 0; k < indices_rank; ++k) {
        const bool batch = k < draft.batch_dims;
        const std::int64_t dim = batch ? draft.data[place(k)] : sizes.next(output);
        if (!batch) output = times(output, dim);
        draft.indices.push_back(dim);
    }
}

void draw_gather_elements(Choices& choices, Sizes& sizes, Draft& draft) {
    const std::int64_t rank = draw_rank(choices, 1, highest_rank);
    draw_dims(sizes, rank, draft.data);
    if (draft.op.axis != AxisSource::none) draft.axis = draw_to(choices, rank - 1);
    draft.indices = draft.data;
    draft.indices[place(draft.axis)] = 1;
    draft.indices[place(draft.axis)] = sizes.next(elements_of(draft.indices));
    if (draft.op.other_dims == OtherDims::equal) return;
    for (std::int64_t k = 0; k < rank; ++k) {
        if (k == draft.axis || !choices.one_in(3)) continue;
        std::int64_t& dim = draft.indices[place(k)];
        if (draft.op.other_dims == OtherDims::not_larger) {
            dim = draw_to(choices, dim);
        } else if (choices.one_in(2)) {
            draft.data[place(k)] = 1;
        } else {
            dim = 1;
        }
    }
}

void draw_gather_nd(Choices& choices, Sizes& sizes, Draft& draft) {
    const std::int64_t rank = draw_rank(choices, 1, highest_rank);
    draw_dims(sizes, rank, draft.data);
    const std::int64_t indices_rank = draw_rank(choices, 1, 4);
    if (draft.op.batch_dims != BatchDims::none && choices.one_in(3)) {
        draft.batch_dims = draw_to(choices, std::min(rank, indices_rank) - 1);
    }
    const std::int64_t length = 1 + draw_to(choices, rank - draft.batch_dims - 1);
    draw_giant(choices, draft.batch_dims, numbers_from(draft.batch_dims + length, rank),
               draft.data);
    std::int64_t output = 1;
    for (std::int64_t k = draft.batch_dims + length; k < rank; ++k) {
        output = times(output, draft.data[place(k)]);
    }
    for (std::int64_t k = 0; k < indices_rank - 1; ++k) {
        const bool batch = k < draft.batch_dims;
        const std::int64_t dim =
            batch ? draft.data[place(k)]
                  : sizes.next(std::max(output, times(elements_of(draft.indices), length)));
        output = times(output, dim);
        draft.indices.push_back(dim);
    }
    draft.indices.push_back(length);
}

/// The numbers 0 to count - 1, in an order that is drawn; in their own for the simplest choices.
Dims draw_order(Choices& choices, Dims numbers) {
    for (std::size_t k = 0; k + 1 < numbers.size(); ++k) {
        std::swap(numbers[k],
                  numbers[k + static_cast<std::size_t>(choices.below(numbers.size() - k))]);
    }
    return numbers;
}

/// The size of a slice that is no dimension of the result: 1, or seldom 0, which is allowed too.
std::int64_t draw_slice_of_one(Choices& choices, std::int64_t dim) {
    return dim == 0 || choices.one_in(16) ? 0 : 1;
}

void draw_stablehlo(Choices& choices, Sizes& sizes, Draft& draft) {
    GatherAttributes& numbers = draft.numbers;
    const std::int64_t rank = draw_rank(choices, 1, 6);
    draw_dims(sizes, rank, draft.data);
    // The result has no elements either where all dimensions are the window's.
    const bool is_giant =
        draw_giant(choices, draw_to(choices, rank - 1), numbers_from(0, rank), draft.data);
    std::int64_t windows = 0;
    std::int64_t output = 1;
    Dims indexed;  // dimensions that a start index may be for
    for (std::int64_t k = 0; k < rank; ++k) {
        const std::int64_t dim = draft.data[place(k)];
        const std::uint64_t role = is_giant ? 3 : choices.below(5);
        if (role == 4) {
            numbers.operand_batching_dims.push_back(k);
            numbers.slice_sizes.push_back(draw_slice_of_one(choices, dim));
            output = times(output, dim);
            continue;
        }
        indexed.push_back(k);
        if (role < 2) {
            numbers.collapsed_slice_dims.push_back(k);
            numbers.slice_sizes.push_back(draw_slice_of_one(choices, dim));
            continue;
        }
        ++windows;
        const std::int64_t size = !is_giant && choices.one_in(2) ? draw_to(choices, dim) : dim;
        numbers.slice_sizes.push_back(size);
        output = times(output, size);
    }
    numbers.start_index_map = draw_order(choices, indexed);
    numbers.start_index_map.resize(place(draw_to(choices, std::ssize(indexed))));

    // The dimensions of start_indices but for the one of the index vectors.
    Dims batch;
    for (std::int64_t k : numbers.operand_batching_dims) batch.push_back(draft.data[place(k)]);
    const std::int64_t further = draw_rank(choices, 0, 3);
    for (std::int64_t k = 0; k < further; ++k) {
        const std::int64_t vector = std::max<std::int64_t>(1, std::ssize(numbers.start_index_map));
        batch.push_back(sizes.next(std::max(output, times(elements_of(batch), vector))));
        output = times(output, batch.back());
    }
    Dims order(batch.size());
    std::iota(order.begin(), order.end(), 0);
    order = draw_order(choices, order);
    for (const std::int64_t from : order) draft.indices.push_back(batch[place(from)]);
    numbers.index_vector_dim = std::ssize(batch) - draw_to(choices, std::ssize(batch));
    const bool implicit = numbers.start_index_map.size() == 1 &&
                          numbers.index_vector_dim == std::ssize(batch) && choices.one_in(2);
    if (!implicit) {
        draft.indices.insert(draft.indices.begin() + numbers.index_vector_dim,
                             std::ssize(numbers.start_index_map));
    }
    for (std::int64_t b = 0; b < std::ssize(numbers.operand_batching_dims); ++b) {
        const std::int64_t at = std::ranges::find(order, b) - order.begin();
        const bool behind = !implicit && at >= numbers.index_vector_dim;
        numbers.start_indices_batching_dims.push_back(at + (behind ? 1 : 0));
    }
    // Where in the output the dimensions of the window stand.
    Dims places(batch.size() + place(windows));
    std::iota(places.begin(), places.end(), 0);
    std::ranges::reverse(places);  // simplest: the last ones
    places = draw_order(choices, places);
    places.resize(place(windows));
    std::ranges::sort(places);
    numbers.offset_dims = places;
}

/// No index is in the range of a dimension without elements: where there are indices, they pick
/// from others.
void keep_indices_in_range(Draft& draft) {
    if (std::ranges::find(draft.indices, 0) != draft.indices.end()) return;
    const bool tuples = draft.op.family == Family::gather_nd;
    const std::int64_t first = tuples ? draft.batch_dims : draft.axis;
    const std::int64_t last = tuples ? first + draft.indices.back() : first + 1;
    for (std::int64_t k = first; k < last; ++k) {
        std::int64_t& dim = draft.data[place(k)];
        dim = std::max<std::int64_t>(1, dim);
    }
}

/// How axis and batch_dims are written: as they are, from the end, or not at all.
void draw_writing(Choices& choices, Draft& draft) {
    const OperatorInfo& op = draft.op;
    const std::int64_t rank = std::ssize(draft.data);
    if (op.axis != AxisSource::none) {
        draft.written_axis = draft.axis;
        if (op.negative_axis && choices.one_in(3)) draft.written_axis = draft.axis - rank;
        const bool is_default = op.axis == AxisSource::attribute && op.axis_default &&
                                (op.axis_default_is_of_1d
                                     ? rank == 1
                                     : draft.axis == (*op.axis_default < 0 ? *op.axis_default + rank
                                                                           : *op.axis_default));
        if (is_default && choices.one_in(3)) draft.written_axis.reset();
        if (op.axis == AxisSource::input && choices.one_in(4)) {
            draft.axis_type = draw_type(choices, op.axis_types, draft.axis_type);
            if (is_unsigned(draft.axis_type)) draft.written_axis = draft.axis;
        }
        // OpenVINO's axis may be a list of one; a dialect may leave that open.
        const bool may_be_list = op.axis == AxisSource::input && !is_declared(op.version);
        if (may_be_list && choices.one_in(4)) draft.axis_shape = {1};
    }
    if (op.batch_dims != BatchDims::none) {
        const std::int64_t indices_rank = std::ssize(draft.indices);
        draft.written_batch_dims = draft.batch_dims;
        const bool can_be_negative =
            op.batch_dims == BatchDims::negative_too && draft.batch_dims < indices_rank &&
            indices_rank - draft.batch_dims <= std::min(rank, indices_rank);
        if (can_be_negative && choices.one_in(3)) {
            draft.written_batch_dims = draft.batch_dims - indices_rank;
        }
        if (draft.batch_dims == 0 && choices.one_in(2)) draft.written_batch_dims.reset();
    }
}

}  // namespace

ElementType draw_type(Choices& choices, TypeSet of, ElementType otherwise) {
    std::array<ElementType, element_type_count> types{};
    std::size_t count = 0;
    for (const ElementTypeInfo& row : element_types()) {
        if (of.contains(row.type)) types[count++] = row.type;
    }
    if (count == 0) return otherwise;
    return choices.one_of(std::span<const ElementType>(types).first(count));
}

bool is_unsigned(ElementType type) { return info(type).kind == ElementKind::unsigned_integer; }

bool is_among(std::int64_t dim, const Dims& several) {
    return std::ranges::find(several, dim) != several.end();
}

std::int64_t elements_of(const Dims& dims) {
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) count = times(count, dim);
    return count;
}

std::vector<std::int64_t> usual_thresholds() {
    return {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 32768, 65536};
}

Sizes::Sizes(Choices& choices, const CallSpace& space) : choices_(choices), space_(space) {
    // Large tensors take time that many small ones would make more of.
    if (choices_.one_in(4096)) {
        most_ = space_.largest;
        large_ = true;
    } else if (choices_.one_in(64)) {
        most_ = std::min<std::int64_t>(4096, space_.largest);
    } else {
        most_ = std::min<std::int64_t>(320, space_.largest);
    }
}

std::int64_t Sizes::any() {
    // Whichever dimension gets them, the others have little room.
    if (large_ && choices_.one_in(2)) {
        const std::int64_t room = most_ >> (4 - choices_.below(5));
        return 1 + static_cast<std::int64_t>(
                       choices_.below(static_cast<std::uint64_t>(std::max<std::int64_t>(1, room))));
    }
    constexpr std::array<std::int64_t, 6> small{1, 2, 3, 4, 5, 0};
    const std::uint64_t kind = choices_.below(8);
    if (kind < 5) return choices_.one_of(std::span<const std::int64_t>(small));
    if (kind == 5) return static_cast<std::int64_t>(choices_.below(300));
    const auto several = std::span(space_.thresholds);
    if (several.empty()) return 1;
    return choices_.one_of(std::span<const std::int64_t>(several)) + 1 -
           static_cast<std::int64_t>(choices_.below(3));
}

std::int64_t Sizes::next(std::int64_t elements) {
    return std::min(any(), std::max<std::int64_t>(1, most_ / std::max<std::int64_t>(1, elements)));
}

std::int64_t Draft::picked_from(std::int64_t position) const {
    const auto size_of = [&](std::int64_t dim) {
        return dim < std::ssize(data) ? data[static_cast<std::size_t>(dim)] : 1;
    };
    switch (op.family) {
        case Family::gather:
        case Family::gather_elements:
            return size_of(axis);
        case Family::gather_nd:
            return size_of(batch_dims + position % std::max<std::int64_t>(
                                                       1, indices.empty() ? 1 : indices.back()));
        case Family::stablehlo_gather: {
            std::int64_t component = 0;
            if (numbers.index_vector_dim < std::ssize(indices) && numbers.index_vector_dim >= 0) {
                std::int64_t stride = 1;
                for (std::int64_t k = std::ssize(indices) - 1; k > numbers.index_vector_dim; --k) {
                    stride *= indices[static_cast<std::size_t>(k)];
                }
                component = position / std::max<std::int64_t>(1, stride) %
                            std::max<std::int64_t>(
                                1, indices[static_cast<std::size_t>(numbers.index_vector_dim)]);
            }
            if (component >= std::ssize(numbers.start_index_map)) return 1;
            const std::int64_t dim = numbers.start_index_map[static_cast<std::size_t>(component)];
            if (dim < 0 || dim >= std::ssize(data)) return 1;
            // The slice must fit behind it.
            const std::int64_t slice = dim < std::ssize(numbers.slice_sizes)
                                           ? numbers.slice_sizes[static_cast<std::size_t>(dim)]
                                           : 1;
            return size_of(dim) - slice + 1;
        }
    }
    return 1;
}

void redraw_sizes(Choices& choices, const CallSpace& space, Draft& draft) {
    if (draft.op.family == Family::stablehlo_gather || draft.data.empty() ||
        draft.indices.empty()) {
        return;
    }
    Sizes sizes(choices, space);
    const auto draw = [&](std::int64_t elements) {
        return std::max<std::int64_t>(1, sizes.next(elements));
    };
    std::int64_t data = 1;
    for (std::int64_t& dim : draft.data) {
        dim = draw(data);
        data = times(data, dim);
    }
    std::int64_t output = data;
    const bool elements = draft.op.family == Family::gather_elements;
    const bool tuples = draft.op.family == Family::gather_nd;
    for (std::int64_t k = 0; k < std::ssize(draft.indices); ++k) {
        if (tuples && k + 1 == std::ssize(draft.indices)) break;  // the length of tuples stays
        const bool of_data = elements ? k != draft.axis : k < draft.batch_dims;
        std::int64_t& dim = draft.indices[place(k)];
        dim = of_data ? draft.data[place(k)] : draw(output);
        if (!of_data) output = times(output, dim);
    }
}

namespace {

/// The same of dimensions that nothing else depends on: those of start_indices that are neither of
/// the index vectors nor batching, and of operand those whose slice is the whole dimension.
void draw_huge_stablehlo(Choices& choices, std::int64_t huge, Draft& draft) {
    GatherAttributes& numbers = draft.numbers;
    if (choices.one_in(2)) {
        for (std::int64_t k = 0; k < std::ssize(draft.indices); ++k) {
            const bool is_batching = is_among(k, numbers.start_indices_batching_dims);
            if (k == numbers.index_vector_dim || is_batching) continue;
            draft.indices[place(k)] = huge;
            if (choices.one_in(2)) return;
        }
        return;
    }
    for (std::int64_t k = 0; k < std::ssize(draft.data); ++k) {
        std::int64_t& dim = draft.data[place(k)];
        const bool is_window = !is_among(k, numbers.collapsed_slice_dims) &&
                               !is_among(k, numbers.operand_batching_dims);
        if (!is_window || numbers.slice_sizes[place(k)] != dim) continue;
        dim = numbers.slice_sizes[place(k)] = huge;
        if (choices.one_in(2)) return;
    }
}

}  // namespace

void draw_huge(Choices& choices, Draft& draft) {
    constexpr std::array<std::int64_t, 6> huge{std::int64_t{1} << 31,       std::int64_t{1} << 16,
                                               (std::int64_t{1} << 32) + 1, std::int64_t{1} << 62,
                                               std::int64_t{1} << 47,       std::int64_t{1} << 30};
    const auto draw = [&] { return choices.one_of(std::span<const std::int64_t>(huge)); };
    if (draft.op.family == Family::stablehlo_gather) {
        return draw_huge_stablehlo(choices, draw(), draft);
    }
    const bool elements = draft.op.family == Family::gather_elements;
    const bool tuples = draft.op.family == Family::gather_nd;
    for (std::uint64_t times = 1 + choices.below(3); times > 0; --times) {
        const bool in_data = choices.one_in(2);
        Dims& dims = in_data ? draft.data : draft.indices;
        const std::int64_t last = std::ssize(dims) - (tuples && !in_data ? 1 : 0);
        if (last <= 0) continue;
        const auto k = static_cast<std::int64_t>(choices.below(static_cast<std::uint64_t>(last)));
        const bool shared = elements ? k != draft.axis : k < draft.batch_dims;
        dims[place(k)] = draw();
        if (!shared) continue;
        if (k < std::ssize(draft.data)) draft.data[place(k)] = dims[place(k)];
        if (k < std::ssize(draft.indices)) draft.indices[place(k)] = dims[place(k)];
    }
}

void draw_shapes(Choices& choices, const CallSpace& space, Draft& draft) {
    Sizes sizes(choices, space);
    switch (draft.op.family) {
        case Family::gather:
            draw_gather(choices, sizes, draft);
            break;
        case Family::gather_elements:
            draw_gather_elements(choices, sizes, draft);
            break;
        case Family::gather_nd:
            draw_gather_nd(choices, sizes, draft);
            break;
        case Family::stablehlo_gather:
            draw_stablehlo(choices, sizes, draft);
            break;
    }
    if (draft.op.family != Family::stablehlo_gather) keep_indices_in_range(draft);
    draw_writing(choices, draft);
}

}  // namespace gathercheck
