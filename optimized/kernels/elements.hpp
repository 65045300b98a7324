// SPDX-License-Identifier: Apache-2.0
// Kernels that move single elements of 1, 2, 4, 8 and 16 bytes.
#pragma once

#include "optimized/kernels.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

struct Sixteenth {
    std::uint64_t low;
    std::uint64_t high;
};
template <int Bytes>
using Unit = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<
        Bytes == 2, std::uint16_t,
        std::conditional_t<Bytes == 4, std::uint32_t,
                           std::conditional_t<Bytes == 8, std::uint64_t, Sixteenth>>>>;

/// Where the elements of one row of a job come from, in either flavour.
template <int Bytes, class Position, bool Lanes, bool Marked>
struct Source {
    const std::byte* table;
    const std::byte* positions;
    std::int64_t index_step;
    std::int64_t lane_step;

    Unit<Bytes> operator[](std::int64_t k) const {
        const std::int64_t position = element<Position>(positions, k);
        if constexpr (Marked) {
            if (position < 0) return {};
        }
        const std::int64_t place = Lanes ? position * index_step + k * lane_step : position;
        return load_one<Unit<Bytes>>(table + place * Bytes);
    }
};

template <int Bytes, class From>
void pick_by_loads(const From& from, std::int64_t count, std::byte* output) {
    std::int64_t k = 0;
    if constexpr (Bytes == 4) {
        // Four loads into one register and one store beat four stores.
        using Four = Batch<std::uint32_t, Sixteen>;
        for (; k + 4 <= count; k += 4) {
            store(output + k * Bytes, Four(from[k], from[k + 1], from[k + 2], from[k + 3]));
        }
    }
    for (; k < count; ++k) store_one(output + k * Bytes, from[k]);
}

/// Calls `pick(table of the row, positions of the row, output of the row)` for
/// each row of a job.
template <int Bytes, class Position, class Pick>
void each_row(const MoveJob& job, Pick pick) {
    const auto* positions = static_cast<const std::byte*>(job.positions);
    const std::byte* table = job.table;
    std::byte* output = job.output;
    for (std::int64_t r = 0; r < job.rows; ++r) {
        pick(table, positions, output);
        table += job.row_step * Bytes;
        positions += job.lanes * static_cast<std::int64_t>(sizeof(Position));
        output += job.lanes * Bytes;
    }
}

template <int Bytes, class Position, bool Lanes, bool Marked>
void move_by_loads_as(const MoveJob& job) {
    each_row<Bytes, Position>(
        job, [&](const std::byte* table, const std::byte* positions, std::byte* output) {
            const Source<Bytes, Position, Lanes, Marked> from{table, positions, job.index_step,
                                                              job.lane_step};
            pick_by_loads<Bytes>(from, job.lanes, output);
        });
}

template <int Bytes, class Position, bool Lanes>
InstructionSet move_by_loads(const MoveJob& job) {
    if (!Lanes && job.marked) {
        move_by_loads_as<Bytes, Position, Lanes, !Lanes>(job);
    } else {
        move_by_loads_as<Bytes, Position, Lanes, false>(job);
    }
    return compiled_for;
}

/// Positions below 2^31 as a vector of Key, which has the element's width.
template <class Key, class Position, class A>
Batch<Key, A> load_keys(const std::byte* positions) {
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    using Signed = std::make_signed_t<Key>;
    if constexpr (sizeof(Key) == sizeof(Position)) {
        return load<Key, A>(positions);
    } else if constexpr (sizeof(Key) == 4) {
        return xsimd::bitwise_cast<Key>(narrow<A>(load<std::int64_t, A>(positions),
                                                  load<std::int64_t, A>(positions + lanes / 2 * 8),
                                                  A{}));
    } else if constexpr (sizeof(Key) == 8) {
        return xsimd::bitwise_cast<Key>(widen<A>(positions, A{}));
    } else {
        alignas(64) Signed keys[lanes];
        for (std::int64_t k = 0; k < lanes; ++k) {
            keys[k] = static_cast<Signed>(element<Position>(positions, k));
        }
        return Batch<Key, A>::load_aligned(reinterpret_cast<const Key*>(keys));
    }
}

template <class A>
Batch<std::int32_t, A> times(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b) {
    return a * b;
}

template <class A>
Batch<std::int64_t, A> times(Batch<std::int64_t, A> a, Batch<std::int64_t, A> b) {
    return multiply_low(a, b, A{});
}

template <class Key, class A>
Batch<Key, A> count_up() {
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    alignas(64) Key numbers[lanes];
    for (std::int64_t k = 0; k < lanes; ++k) numbers[k] = static_cast<Key>(k);
    return Batch<Key, A>::load_aligned(numbers);
}

/// Vector gathers; every place of the table is below 2^31.
template <int Bytes, class Position, bool Lanes, class A>
InstructionSet move_by_gathers(const MoveJob& job) {
    using Key = std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>;
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    static_assert(lanes > 0);
    if (job.lanes < lanes) return move_by_loads<Bytes, Position, Lanes>(job);
    const Batch<Key, A> zero(Key{0});
    const Batch<Key, A> step(static_cast<Key>(job.index_step));
    const Batch<Key, A> lane_places =
        times(count_up<Key, A>(), Batch<Key, A>(static_cast<Key>(job.lane_step)));
    each_row<Bytes, Position>(
        job, [&](const std::byte* table, const std::byte* positions, std::byte* output) {
            const auto pick = [&](std::int64_t k) {
                const auto position = load_keys<Key, Position, A>(
                    positions + k * static_cast<std::int64_t>(sizeof(Position)));
                const auto there = !(position < zero);
                auto place = position;
                if constexpr (Lanes) {
                    place = times(position, step) + lane_places +
                            Batch<Key, A>(static_cast<Key>(k * job.lane_step));
                }
                store(output + k * Bytes, gather(table, place, there, A{}));
            };
            for (std::int64_t k = 0; k + lanes <= job.lanes; k += lanes) pick(k);
            pick(job.lanes - lanes);  // the rest, some of it a second time
        });
    return compiled_for;
}

/// A table that fits into registers. It is copied first: nothing beyond its end
/// is read.
template <int Bytes, class Position, class A>
InstructionSet move_by_table(const MoveJob& job) {
    using Key = Unit<Bytes>;
    using Table = RegisterTable<A, Bytes>;
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    static_assert(lanes > 0);
    if (job.lanes < lanes) return move_by_loads<Bytes, Position, false>(job);
    each_row<Bytes, Position>(
        job, [&](const std::byte* from, const std::byte* positions, std::byte* output) {
            alignas(64) std::byte copy[Table::entries * Bytes];
            std::memcpy(copy, from, static_cast<std::size_t>(job.entries * Bytes));
            const Table table(copy);
            const auto pick = [&](std::int64_t k) {
                const auto keys = load_keys<Key, Position, A>(
                    positions + k * static_cast<std::int64_t>(sizeof(Position)));
                store(output + k * Bytes, table.lookup(keys));
            };
            for (std::int64_t k = 0; k + lanes <= job.lanes; k += lanes) pick(k);
            pick(job.lanes - lanes);
        });
    return compiled_for;
}

}  // namespace
}  // namespace gathercheck::optimized
