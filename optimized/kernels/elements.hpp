// SPDX-License-Identifier: Apache-2.0
// Kernels that move single elements of 1, 2, 4, 8 and 16 bytes.
#pragma once

#include <utility>

#include "optimized/kernels.hpp"
#include "optimized/kernels/indices.hpp"
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

template <class Position>
constexpr std::int64_t position_size = static_cast<std::int64_t>(sizeof(Position));

/// Where the elements of one row of a job come from, in either flavour. No
/// position is -1.
template <int Bytes, class Position, bool Lanes>
struct Source {
    const std::byte* table;
    const std::byte* positions;
    std::int64_t index_step;
    std::int64_t lane_step;

    Unit<Bytes> at(std::int64_t position, std::int64_t k) const {
        const std::int64_t place = Lanes ? position * index_step + k * lane_step : position;
        return load_one<Unit<Bytes>>(table + place * Bytes);
    }
    Unit<Bytes> operator[](std::int64_t k) const { return at(element<Position>(positions, k), k); }

    /// Elements k and k + 1. One load brings two narrow positions: the load ports
    /// are what limits these kernels.
    std::pair<Unit<Bytes>, Unit<Bytes>> two(std::int64_t k) const {
        if constexpr (sizeof(Position) == 4) {
            auto both = load_one<std::uint64_t>(positions + k * position_size<Position>);
            // GCC would load a half of it anew.
            if constexpr (Bytes == 8) asm("" : "+r"(both));
            return {at(static_cast<std::int64_t>(both & 0xFFFFFFFFU), k),
                    at(static_cast<std::int64_t>(both >> 32), k + 1)};
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
[[gnu::always_inline]] inline auto pick_vector(const From& from, std::int64_t k,
                                               std::index_sequence<Pair...>) {
    if constexpr (Bytes == 1) {
        // Two by two: inserting words takes half as many steps.
        const auto word = [&](std::size_t pair) {
            const auto [first, second] = from.two(k + 2 * static_cast<std::int64_t>(pair));
            return static_cast<std::uint16_t>(first | second << 8);
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

/// Elements that pick_by_loads picks in one step of its loop.
template <int Bytes>
constexpr std::int64_t picked_together = Bytes <= 8 ? 64 / Bytes : 2;

struct GoOn {
    constexpr bool operator()(std::int64_t /*k*/) const { return true; }
};

/// `from` by value: what is stored cannot be part of it. Before elements from number k on are
/// picked together go_on(k) is asked, and no further ones are picked if it says no: not before the
/// last few. Returns how many were picked.
template <int Bytes, class From, class Condition = GoOn>
[[gnu::always_inline]] inline std::int64_t pick_by_loads(From from, std::int64_t count,
                                                         std::byte* output, Condition go_on = {}) {
    std::int64_t k = 0;
    if constexpr (Bytes <= 8) {
        constexpr int lanes = 16 / Bytes;
        const auto vector = [&](std::int64_t first) __attribute__((always_inline)) {
            return pick_vector<Bytes, Sixteen>(from, first, std::make_index_sequence<lanes / 2>());
        };
        static_assert(picked_together<Bytes> == 4 * lanes);
        for (; k + 4 * lanes <= count; k += 4 * lanes) {
            if (!go_on(k)) [[unlikely]]
                return k;
#if defined(__AVX2__)
            // Where two elements fill a register of 16 bytes it is stores that are waited for.
            if constexpr (Bytes == 8) {
                const auto wide = [&](std::int64_t first) __attribute__((always_inline)) {
                    return pick_vector<Bytes, ThirtyTwo>(from, first,
                                                         std::make_index_sequence<lanes>());
                };
                const auto a = wide(k);
                const auto b = wide(k + 2 * lanes);
                store(output + k * Bytes, a);
                store(output + (k + 2 * lanes) * Bytes, b);
                continue;
            }
#endif
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
    for (; k + 2 <= count; k += 2) {
        if constexpr (Bytes > 8) {
            static_assert(picked_together<Bytes> == 2);
            if (!go_on(k)) [[unlikely]]
                return k;
        }
        const auto [first, second] = from.two(k);
        store_one(output + k * Bytes, first);
        store_one(output + (k + 1) * Bytes, second);
    }
    if (k < count) store_one(output + k * Bytes, from[k]);
    return count;
}

/// Asks for the elements at `count` places, for the level 2 cache: more lines are on their way to
/// it at a time than to a level 1 cache. Places may be illegal.
template <int Bytes, class Place>
[[gnu::always_inline]] inline void ask_for_elements(const std::byte* table, const Place* places,
                                                    std::int64_t count) {
    const auto start = reinterpret_cast<std::uintptr_t>(table);
    for (std::int64_t k = 0; k < count; ++k) {
        const auto place = static_cast<std::uintptr_t>(static_cast<std::int64_t>(places[k]));
        __builtin_prefetch(reinterpret_cast<const void*>(start + place * Bytes), 0, level_2);
    }
}

/// Whether the first indices ascend: in any other order that is most unlikely.
template <class Index>
bool begin_ascending(const std::byte* indices, std::int64_t count) {
    constexpr std::int64_t looked_at = 8;
    if (count < looked_at) return false;
    bool ascend = true;
    for (std::int64_t k = 1; k < looked_at; ++k) {
        ascend &= element<Index>(indices, k - 1) <= element<Index>(indices, k);
    }
    return ascend;
}

/// Whether elements mostly follow one another so closely that hardware, which sees lines in order,
/// has them on their way.
template <int Bytes, class Place>
bool follow_closely(const std::byte* places, std::int64_t count) {
    const auto first = static_cast<std::uint64_t>(element<Place>(places, 0));
    const auto last = static_cast<std::uint64_t>(element<Place>(places, count - 1));
    const auto most = static_cast<std::uint64_t>(count * (line_bytes / Bytes));
    return begin_ascending<Place>(places, count) && last - first < most;
}

/// Asks for elements, as many at a time as are picked together of others.
template <int Bytes, class Place>
class ElementsAhead {
public:
    [[gnu::always_inline]] ElementsAhead(const std::byte* table, const Place* places,
                                         std::int64_t count)
        : table_(table), places_(places), count_(count) {}

    /// Those from number k on, if that many are left.
    [[gnu::always_inline]] void ask(std::int64_t k) const {
        constexpr std::int64_t together = picked_together<Bytes>;
        if (k + together <= count_) ask_for_elements<Bytes>(table_, places_ + k, together);
    }

private:
    const std::byte* table_;
    const Place* places_;
    std::int64_t count_;
};

/// Asks for the first elements of some; for the others while those so many before them are picked.
template <int Bytes, class Place>
[[gnu::always_inline]] inline ElementsAhead<Bytes, Place> ask_for_first(const std::byte* table,
                                                                        const std::byte* places,
                                                                        std::int64_t count,
                                                                        std::int64_t ahead) {
    const auto* first = reinterpret_cast<const Place*>(places);
    ask_for_elements<Bytes>(table, first, ahead < count ? ahead : count);
    return {table, first + ahead, count - ahead};
}

/// Moves the elements at `count` places of a table.
template <int Bytes, class Place, class Condition = GoOn>
[[gnu::always_inline]] inline std::int64_t pick_places(const std::byte* table, const Place* places,
                                                       std::int64_t count, std::byte* output,
                                                       Condition go_on = {}) {
    return pick_by_loads<Bytes>(
        Source<Bytes, Place, false>{table, reinterpret_cast<const std::byte*>(places), 1, 0}, count,
        output, go_on);
}

/// Calls `pick(table of the row, positions of the row, output of the row)` for
/// each row of a job.
template <int Bytes, class Position, class Pick>
void each_row(const MoveJob& job, Pick pick) {
    const auto* positions = static_cast<const std::byte*>(job.positions);
    const std::byte* table = job.table;
    std::byte* output = job.output;
    for (std::int64_t r = 0; r < job.rows; r += job.sharing) {
        for (std::int64_t s = 0; s < job.sharing; ++s) {
            for (std::int64_t k = 0; k < job.next_table; k += 64) {
                __builtin_prefetch(table + job.row_step * Bytes + k);
            }
            pick(table, positions, output);
            table += job.row_step * Bytes;
            output += job.output_step * Bytes;
        }
        positions += job.positions_step * position_size<Position>;
    }
}

/// Some positions are -1.
template <int Bytes, class Position>
void pick_marked(const Source<Bytes, Position, false>& from, std::int64_t count,
                 std::byte* output) {
    for (std::int64_t k = 0; k < count; ++k) {
        const bool zero = element<Position>(from.positions, k) < 0;
        store_one(output + k * Bytes, zero ? Unit<Bytes>{} : from[k]);
    }
}

template <int Bytes, class Position, bool Lanes>
InstructionSet move_by_loads(const MoveJob& job) {
    each_row<Bytes, Position>(job, [&](const std::byte* table, const std::byte* positions,
                                       std::byte* output) {
        const Source<Bytes, Position, Lanes> from{table, positions, job.index_step, job.lane_step};
        if constexpr (!Lanes) {
            if (job.marked) return pick_marked<Bytes, Position>(from, job.lanes, output);
        }
        if constexpr (!Lanes) {
            if (job.ahead > 0 && !follow_closely<Bytes, Position>(positions, job.lanes)) {
                const auto others =
                    ask_for_first<Bytes, Position>(table, positions, job.lanes, job.ahead);
                pick_by_loads<Bytes>(from, job.lanes, output,
                                     [&](std::int64_t k) __attribute__((always_inline)) {
                                         others.ask(k);
                                         return true;
                                     });
                return;
            }
        }
        pick_by_loads<Bytes>(from, job.lanes, output);
    });
    return compiled_for;
}

/// A vector of the positions from `positions` on, which are below 2^31.
template <class Position, class A>
Batch<std::int32_t, A> load_narrow(const std::byte* positions) {
    if constexpr (sizeof(Position) == 4) {
        return load<std::int32_t, A>(positions);
    } else {
        return narrow<A>(load<std::int64_t, A>(positions),
                         load<std::int64_t, A>(positions + lanes_of<std::int64_t, A> * 8), A{});
    }
}

/// Vectors of positions that `read_next(positions)` gives, as keys of elements of that width.
template <int Bytes, class A, class ReadNext>
[[gnu::always_inline]] inline Batch<Unit<Bytes>, A> read_keys(const std::byte* positions,
                                                              std::int64_t vector_bytes,
                                                              ReadNext read_next) {
    const auto a = read_next(positions);
    if constexpr (Bytes == 4) {
        return xsimd::bitwise_cast<Unit<Bytes>>(a);
    } else {
        const auto b = read_next(positions + vector_bytes);
        if constexpr (Bytes == 2) {
            return to_words<A>(a, b, A{});
        } else {
            const auto c = read_next(positions + 2 * vector_bytes);
            const auto d = read_next(positions + 3 * vector_bytes);
            return to_bytes<A>(a, b, c, d, A{});
        }
    }
}

/// Positions as a vector of Key, which has the element's width and can hold them.
template <class Key, class Position, class A>
Batch<Key, A> load_keys(const std::byte* positions) {
    if constexpr (sizeof(Key) == 8) {
        if constexpr (sizeof(Position) == 8) return load<Key, A>(positions);
        return xsimd::bitwise_cast<Key>(widen<A>(positions, A{}));
    } else {
        constexpr std::int64_t vector_bytes = lanes_of<std::int32_t, A> * position_size<Position>;
        return read_keys<sizeof(Key), A>(positions, vector_bytes, [](const std::byte* from) {
            return load_narrow<Position, A>(from);
        });
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
                const auto position = xsimd::bitwise_cast<Key>(
                    load_keys<Unit<Bytes>, Position, A>(positions + k * position_size<Position>));
                const auto there = !(position < zero);
                auto place = position;
                if constexpr (Lanes) {
                    place = times(position, step) + lane_places +
                            Batch<Key, A>(static_cast<Key>(k * job.lane_step));
                }
                return gather(table, place, there, A{});
            };
            std::int64_t k = 0;
            for (; k + lanes <= job.lanes; k += lanes) store(output + k * Bytes, pick(k));
            const std::int64_t last = job.lanes - lanes;
            if (k < job.lanes) store(output + last * Bytes, pick(last));  // some a second time
        });
    return compiled_for;
}

/// Whether tables that fill their registers only in part are loaded as they are; others are copied
/// first.
template <class Table>
constexpr bool is_loaded = std::is_constructible_v<Table, const std::byte*, std::int64_t>;

/// So many entries in registers; nothing behind them is read. `Fits`: a smaller table has no room
/// for them.
template <class Table, int Bytes, bool Fits = false>
[[gnu::always_inline]] inline Table table_of(const std::byte* from, std::int64_t entries) {
    if constexpr (is_loaded<Table> && Fits) {
        return Table(from, entries);
    } else if constexpr (is_loaded<Table>) {
        return Table(from, entries, 0);
    } else {
        if (entries == Table::entries) return Table(from);
        alignas(64) std::byte copy[Table::entries * Bytes];
        std::memcpy(copy, from, static_cast<std::size_t>(entries * Bytes));
        return Table(copy);
    }
}

/// A table that fits into registers.
template <int Bytes, class Position, class Table, class A>
InstructionSet move_by_table(const MoveJob& job) {
    using Key = Unit<Bytes>;
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    static_assert(lanes > 0);
    if (job.lanes < lanes) return move_by_loads<Bytes, Position, false>(job);
    each_row<Bytes, Position>(job, [&](const std::byte* from, const std::byte* positions,
                                       std::byte* output) {
        const auto table = table_of<Table, Bytes>(from, job.entries);
        const auto pick = [&](std::int64_t k) {
            const auto keys = load_keys<Key, Position, A>(positions + k * position_size<Position>);
            store(output + k * Bytes, table.lookup(keys));
        };
        std::int64_t k = 0;
        for (; k + lanes <= job.lanes; k += lanes) pick(k);
        if (k < job.lanes) pick(job.lanes - lanes);
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
