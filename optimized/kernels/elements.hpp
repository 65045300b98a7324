// SPDX-License-Identifier: Apache-2.0
// Kernels that move single elements of 1, 2, 4, 8 and 16 bytes, by scalar loads or vector gathers.
#pragma once

#include <utility>

#include "optimized/kernels.hpp"
#include "optimized/kernels/prefetch.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

struct SixteenBytes {
    std::uint64_t low;
    std::uint64_t high;
};
template <int Bytes>
using Unit = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<
        Bytes == 2, std::uint16_t,
        std::conditional_t<Bytes == 4, std::uint32_t,
                           std::conditional_t<Bytes == 8, std::uint64_t, SixteenBytes>>>>;

/// Where the elements of one row of a job come from. No position is -1.
template <int Bytes, class Position>
struct Source {
    const std::byte* table;
    const std::byte* positions;

    Unit<Bytes> at(std::int64_t position) const {
        return load_one<Unit<Bytes>>(table + position * Bytes);
    }
    Unit<Bytes> operator[](std::int64_t k) const { return at(element<Position>(positions, k)); }

    /// Elements k and k + 1. One load brings two narrow positions: the load ports
    /// are what limits these kernels.
    std::pair<Unit<Bytes>, Unit<Bytes>> two(std::int64_t k) const {
        if constexpr (sizeof(Position) == 4) {
            auto both = load_one<std::uint64_t>(positions + k * size_of<Position>);
            // GCC would load a half of it anew.
            if constexpr (Bytes == 8) asm("" : "+r"(both));
            const auto low = static_cast<std::int64_t>(both & 0xFFFFFFFFU);
            const auto high = static_cast<std::int64_t>(both >> 32);
            return {at(low_first ? low : high), at(low_first ? high : low)};
        } else {
            return {(*this)[k], (*this)[k + 1]};
        }
    }
};

/// Takes a pair apart, as std::tie does; the linker has nothing to merge of it.
template <class T>
struct Both {
    T& first;
    T& second;

    void operator=(const std::pair<T, T>& values) const {
        first = values.first;
        second = values.second;
    }
};

/// As many elements from number k on as fill a register of A.
template <int Bytes, class A, class From, std::size_t... Pair>
[[gnu::always_inline]] inline auto load_vector(const From& from, std::int64_t k,
                                               std::index_sequence<Pair...>) {
    if constexpr (Bytes == 1) {
        // Two by two: inserting words takes half as many steps.
        const auto word = [&](std::size_t pair) {
            const auto [first, second] = from.two(k + 2 * static_cast<std::int64_t>(pair));
            return static_cast<std::uint16_t>(low_first ? first | second << 8
                                                        : first << 8 | second);
        };
        return Batch<std::uint16_t, A>(word(Pair)...);
    } else {
        Unit<Bytes> values[2 * sizeof...(Pair)];
        ((Both<Unit<Bytes>>{values[2 * Pair], values[2 * Pair + 1]} =
              from.two(k + 2 * static_cast<std::int64_t>(Pair))),
         ...);
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return Batch<Unit<Bytes>, A>(values[K]...);
        }(std::make_index_sequence<2 * sizeof...(Pair)>());
    }
}

/// `from` by value: what is stored cannot be part of it. `before(k)` is called before each line of
/// the output is put together.
template <int Bytes, class From, class Before>
[[gnu::always_inline]] inline void load_row(From from, std::int64_t count, std::byte* output,
                                            Before before) {
    std::int64_t k = 0;
    if constexpr (Bytes <= 8) {
        constexpr std::int64_t lanes = 16 / Bytes;
        const auto vector = [&](std::int64_t first) __attribute__((always_inline)) {
            return load_vector<Bytes, Sixteen>(from, first, std::make_index_sequence<lanes / 2>());
        };
        for (; k + 4 * lanes <= count; k += 4 * lanes) {
            before(k);
            // Stores after all loads: they leave the core together.
            const auto a = vector(k);
            const auto b = vector(k + lanes);
            const auto c = vector(k + 2 * lanes);
            const auto d = vector(k + 3 * lanes);
            store(output + k * Bytes, a);
            store(output + (k + lanes) * Bytes, b);
            store(output + (k + 2 * lanes) * Bytes, c);
            store(output + (k + 3 * lanes) * Bytes, d);
        }
        for (; k + lanes <= count; k += lanes) store(output + k * Bytes, vector(k));
    }
    for (; k < count; ++k) store_one(output + k * Bytes, from[k]);
}

/// Calls `move(table of the row, positions of the row, output of the row)` for each row of a job.
template <int Bytes, class Position, class MoveRow>
[[gnu::always_inline]] inline void each_row(const MoveJob& job, MoveRow move) {
    const auto* positions = static_cast<const std::byte*>(job.positions);
    const std::byte* table = job.table;
    std::byte* output = job.output;
    for (std::int64_t r = 0; r < job.rows; r += job.sharing) {
        for (std::int64_t s = 0; s < job.sharing; ++s) {
            move(table, positions, output);
            table += job.row_step * Bytes;
            output += job.output_step * Bytes;
        }
        positions += job.positions_step * size_of<Position>;
    }
}

/// The same, prefetching elements so many picks before they are loaded.
template <int Bytes, class Position>
void load_row_ahead(const Source<Bytes, Position>& from, std::int64_t count, std::byte* output,
                    std::int64_t distance) {
    constexpr std::int64_t together = line_bytes / Bytes;
    const auto prefetch = [&](std::int64_t k) __attribute__((always_inline)) {
        for (std::int64_t j = k; j < k + together && k + together <= count; ++j) {
            prefetch_element(from.table + element<Position>(from.positions, j) * Bytes);
        }
    };
    for (std::int64_t k = 0; k < distance; k += together) prefetch(k);
    load_row<Bytes>(from, count, output,
                    [&](std::int64_t k) __attribute__((always_inline)) { prefetch(k + distance); });
}

template <int Bytes, class Position>
InstructionSet move_by_loads(const MoveJob& job) {
    each_row<Bytes, Position>(
        job, [&](const std::byte* table, const std::byte* positions, std::byte* output) {
            const Source<Bytes, Position> from{table, positions};
            if (job.zero_fill) {
                for (std::int64_t k = 0; k < job.picks; ++k) {
                    const bool zero = element<Position>(positions, k) < 0;
                    store_one(output + k * Bytes, zero ? Unit<Bytes>{} : from[k]);
                }
            } else if (job.prefetch_distance > 0) {
                load_row_ahead(from, job.picks, output, job.prefetch_distance);
            } else {
                load_row<Bytes>(from, job.picks, output, [](std::int64_t) {});
            }
        });
    return compiled_for;
}

/// A vector of the positions from `positions` on, which are below 2^31.
template <class Position, class A>
Batch<std::int32_t, A> load_narrow(const std::byte* positions) {
    if constexpr (sizeof(Position) == 4) {
        return load<std::int32_t, A>(positions);
    } else {
        constexpr std::int64_t half = lanes_of<std::int64_t, A> * size_of<Position>;
        return low_halves(load<std::int64_t, A>(positions),
                          load<std::int64_t, A>(positions + half));
    }
}

/// Positions as a vector of Key, which has the element's width and can hold them.
template <class Key, class Position, class A>
Batch<Key, A> load_keys(const std::byte* positions) {
    constexpr std::int64_t step = lanes_of<std::int32_t, A> * size_of<Position>;
    const auto load_next = [&](std::int64_t vector) {
        return load_narrow<Position, A>(positions + vector * step);
    };
    if constexpr (sizeof(Key) == 8) {
        if constexpr (sizeof(Position) == 8) return load<Key, A>(positions);
        return xsimd::bitwise_cast<Key>(widen<A>(positions, A{}));
    } else if constexpr (sizeof(Key) == 4) {
        return xsimd::bitwise_cast<Key>(load_next(0));
    } else if constexpr (sizeof(Key) == 2) {
        return to_words<A>(load_next(0), load_next(1), A{});
    } else {
        return to_bytes<A>(load_next(0), load_next(1), load_next(2), load_next(3), A{});
    }
}

/// Calls `move(k)` for the first of each vector of `lanes` picks, some a second time at the end.
template <class MoveVector>
[[gnu::always_inline]] inline void each_vector(std::int64_t picks, std::int64_t lanes,
                                               MoveVector move) {
    std::int64_t k = 0;
    for (; k + lanes <= picks; k += lanes) move(k);
    if (k < picks) move(picks - lanes);
}

/// Vector gathers; every position is below 2^31.
template <int Bytes, class Position, class A>
InstructionSet move_by_gathers(const MoveJob& job) {
    using Key = std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>;
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    if (job.picks < lanes) return move_by_loads<Bytes, Position>(job);
    const Batch<Key, A> zero(Key{0});
    each_row<Bytes, Position>(
        job, [&](const std::byte* table, const std::byte* positions, std::byte* output) {
            each_vector(job.picks, lanes, [&](std::int64_t k) __attribute__((always_inline)) {
                const auto position = xsimd::bitwise_cast<Key>(
                    load_keys<Unit<Bytes>, Position, A>(positions + k * size_of<Position>));
                store(output + k * Bytes, gather(table, position, !(position < zero), A{}));
            });
        });
    return compiled_for;
}

template <int Bytes>
void fill(const std::byte* from, std::int64_t count, std::byte* output) {
    const auto value = load_one<Unit<Bytes>>(from);
    for (std::int64_t k = 0; k < count; ++k) store_one(output + k * Bytes, value);
}

}  // namespace
}  // namespace gathercheck::optimized
