// SPDX-License-Identifier: Apache-2.0
// Calls that are run at once: a few picks, for which kernels would only be a way round, and those
// of one block. For `run` of a plan and for execute; inline, since what a call costs is most of
// what such calls take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "optimized/plan.hpp"

namespace gathercheck::optimized {

/// Calls `move(number, position)` for each pick of a plan that has a few. False after an index
/// out of bounds.
template <class Index, class MoveUnit>
[[gnu::always_inline]] inline bool each_of_few(const Plan& plan, const std::byte* indices,
                                               MoveUnit move) {
    const std::int64_t extent = plan.extents[0];
    const std::int64_t first = first_index(plan, extent);
    for (std::int64_t k = 0; k < plan.picks; ++k) {
        Index index = 0;
        std::memcpy(&index, indices + k * static_cast<std::int64_t>(sizeof index), sizeof index);
        if (index < first || index >= extent) return false;
        move(k, index < 0 ? index + extent : index);
    }
    return true;
}

/// The same where indices are i32 or i64.
template <class MoveUnit>
[[gnu::always_inline]] inline bool each_of_few(const Plan& plan, const std::byte* indices,
                                               MoveUnit move) {
    return plan.kind == IndexKind::i32 ? each_of_few<std::int32_t>(plan, indices, move)
                                       : each_of_few<std::int64_t>(plan, indices, move);
}

/// Elements of at most 8 bytes. False after an index out of bounds, or where units are others.
inline bool pick_few_elements(const Plan& plan, const std::byte* data, const std::byte* indices,
                              std::byte* output) {
    const auto pick = [&]<class Unit>(Unit) __attribute__((always_inline)) {
        constexpr auto bytes = static_cast<std::int64_t>(sizeof(Unit));
        return each_of_few(
            plan, indices,
            [&](std::int64_t k, std::int64_t position) __attribute__((always_inline)) {
                std::memcpy(output + k * bytes, data + position * bytes, sizeof(Unit));
            });
    };
    switch (plan.unit_bits) {
        case 8:
            return pick(std::uint8_t{});
        case 16:
            return pick(std::uint16_t{});
        case 32:
            return pick(std::uint32_t{});
        case 64:
            return pick(std::uint64_t{});
        default:
            return false;
    }
}

/// Positions that are looked at together for what they have in common, and how
/// few are not worth looking at.
inline constexpr std::int64_t pattern_block = 512;
inline constexpr std::int64_t pattern_least = 8;

/// Whether the second position is the first or the one behind it.
template <class Position>
bool steps_by_one_at_most(const std::byte* positions) {
    Position first[2];
    std::memcpy(first, positions, sizeof first);
    // Without sign: what is not checked yet may be anything.
    using Limb = std::make_unsigned_t<Position>;
    return static_cast<Limb>(static_cast<Limb>(first[1]) - static_cast<Limb>(first[0])) <= 1;
}

/// Whether two positions may be the first ones of a pattern.
inline bool starts_as_pattern(const std::byte* positions, PositionWidth width) {
    return width == PositionWidth::narrow ? steps_by_one_at_most<std::int32_t>(positions)
                                          : steps_by_one_at_most<std::int64_t>(positions);
}

/// What `count` positions, or indices not checked yet, have in common, where the plan
/// has something faster for that than picking.
inline Pattern pattern_of(const Plan& plan, const std::byte* positions, PositionWidth width,
                          std::int64_t count) {
    if (!plan.patterns || count < pattern_least) return Pattern::none;
    if (!starts_as_pattern(positions, width)) return Pattern::none;  // as most
    const Pattern found = plan.kernels->classify[static_cast<std::size_t>(width)](positions, count);
    return found == plan.copied || found == plan.filled ? found : Pattern::none;
}

/// Whether the indices of a plan that is one block have something in common.
inline bool has_pattern(const Plan& plan, const std::byte* indices) {
    const std::int64_t count = std::min(plan.picks, pattern_block);
    return pattern_of(plan, indices, plan.in_place, count) != Pattern::none;
}

/// Whether a plan is checked and moved as a whole by one kernel.
inline bool is_one_pick(const Plan& plan) { return plan.at_once && plan.pick != nullptr; }

/// Such a plan. None where indices have something in common, or one is out of bounds: all is
/// still to be done then.
inline InstructionSet pick_at_once(const Plan& plan, const std::byte* data,
                                   const std::byte* indices, std::byte* output) {
    if (has_pattern(plan, indices)) return InstructionSet::none;
    return plan.pick(plan.pick_job, data, indices, output);
}

}  // namespace gathercheck::optimized
