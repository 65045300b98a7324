// SPDX-License-Identifier: Apache-2.0
// Random legal calls of StableHLO's gather.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "reference/check_stablehlo.hpp"
#include "reference/shape.hpp"

namespace gathercheck::test {

struct StablehloCall {
    Shape operand;
    Shape start_indices;
    GatherAttributes attributes;
};

/// Any layout there is, or one as frontends make it, of which other operators have the like.
/// `random` has between(first, last) and one_in(n); `empty_slices`: a collapsed dimension may have
/// a slice size of 0, of which no sentence says what it gives.
template <class Random>
StablehloCall random_stablehlo_call(Random& random, bool empty_slices) {
    enum class Kind : std::uint8_t { batching, picked, window };
    using List = std::vector<std::int64_t>;
    const auto shuffle = [&](List& list) {
        for (std::size_t k = list.size(); k > 1; --k) {
            std::swap(list[k - 1], list[static_cast<std::size_t>(
                                       random.between(0, static_cast<std::int64_t>(k) - 1))]);
        }
    };
    const auto dim = [&] { return random.one_in(20) ? 0 : random.between(1, 5); };
    const bool plain = random.one_in(2);
    const bool elements = plain && random.one_in(3);
    const std::int64_t rank = random.between(elements ? 1 : 0, 5);

    StablehloCall call;
    GatherAttributes& of = call.attributes;
    for (std::int64_t d = 0; d < rank; ++d) call.operand.push_back(dim());

    // Which dimensions of operand are batching, which collapse, which are the window's.
    std::vector<Kind> kinds(static_cast<std::size_t>(rank), Kind::window);
    if (elements) {
        std::ranges::fill(kinds, Kind::batching);
        kinds[static_cast<std::size_t>(random.between(0, rank - 1))] = Kind::picked;
    } else if (plain) {
        const std::int64_t batches = random.between(0, rank);
        const std::int64_t first = random.between(batches, rank);
        const std::int64_t last = std::min(rank, first + random.between(1, 2));
        for (std::int64_t d = 0; d < last; ++d) {
            if (d < batches) kinds[static_cast<std::size_t>(d)] = Kind::batching;
            if (d >= first) kinds[static_cast<std::size_t>(d)] = Kind::picked;
        }
    } else {
        for (Kind& kind : kinds) kind = static_cast<Kind>(random.between(0, 2));
    }
    List can_move;
    for (std::int64_t d = 0; d < rank; ++d) {
        const std::int64_t size = call.operand[d];
        const Kind kind = kinds[static_cast<std::size_t>(d)];
        std::int64_t slice = std::min<std::int64_t>(size, 1);
        if (kind == Kind::batching) of.operand_batching_dims.push_back(d);
        if (kind == Kind::picked) {
            of.collapsed_slice_dims.push_back(d);
            if (empty_slices && random.one_in(30)) slice = 0;
            if (!empty_slices && size == 0) {
                call.operand[d] = 1;
                slice = 1;
            }
        }
        if (kind == Kind::window)
            slice = plain || random.one_in(2) ? size : random.between(0, size);
        if (kind == Kind::picked || (kind == Kind::window && !plain)) can_move.push_back(d);
        of.slice_sizes.push_back(slice);
    }
    of.start_index_map = can_move;
    if (!plain) {
        shuffle(of.start_index_map);
        of.start_index_map.resize(static_cast<std::size_t>(
            random.between(0, static_cast<std::int64_t>(can_move.size()))));
    }

    // The dimensions of start_indices without that of the index vectors.
    const auto batching = static_cast<std::int64_t>(of.operand_batching_dims.size());
    const std::int64_t batch_rank = elements ? rank : batching + random.between(0, 2);
    List batch_dims;
    List places;
    for (std::int64_t d = 0; d < batch_rank; ++d) {
        batch_dims.push_back(dim());
        if (!elements || kinds[static_cast<std::size_t>(d)] == Kind::batching) places.push_back(d);
    }
    if (!plain) shuffle(places);
    const auto components = static_cast<std::int64_t>(of.start_index_map.size());
    const bool bare = components == 1 && random.one_in(2);
    const std::int64_t along = plain ? batch_rank : random.between(0, batch_rank);
    for (std::int64_t k = 0; k < batching; ++k) {
        const std::int64_t place = places[static_cast<std::size_t>(k)];
        batch_dims[static_cast<std::size_t>(place)] =
            call.operand[of.operand_batching_dims[static_cast<std::size_t>(k)]];
        of.start_indices_batching_dims.push_back(place + (bare || place < along ? 0 : 1));
    }
    for (const std::int64_t size : batch_dims) call.start_indices.push_back(size);
    of.index_vector_dim = batch_rank;
    if (!bare) {
        batch_dims.insert(batch_dims.begin() + along, components);
        call.start_indices = Shape(batch_dims);
        of.index_vector_dim = along;
    }

    // Where the window's dimensions are in the result.
    const std::int64_t window = std::ranges::count(kinds, Kind::window);
    List dims;
    for (std::int64_t d = 0; d < batch_rank + window; ++d) dims.push_back(d);
    if (plain && !elements) {
        // Before the picked dimensions, or behind all others.
        std::int64_t before = 0;
        const auto picked = std::ranges::find(kinds, Kind::picked);
        for (auto kind = kinds.begin(); kind != picked; ++kind) before += *kind == Kind::window;
        dims.erase(dims.begin() + batching + before, dims.begin() + before + batch_rank);
        dims.erase(dims.begin(), dims.begin() + batching);
    } else {
        shuffle(dims);
        dims.resize(static_cast<std::size_t>(window));
        std::ranges::sort(dims);
    }
    of.offset_dims = dims;
    return call;
}

}  // namespace gathercheck::test
