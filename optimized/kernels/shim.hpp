// SPDX-License-Identifier: Apache-2.0
// What xsimd has no word for, as overloads on its tags of instruction sets: a
// tag finds the overload of the nearest set that it extends.
#pragma once

#include "optimized/kernels.hpp"
#include "optimized/kernels/arch.hpp"

namespace gathercheck::optimized {
namespace {

/// No masked gathers.
constexpr bool has_gathers(AnyArch) { return false; }

/// No pick_lanes.
constexpr bool has_pick_lanes(AnyArch) { return false; }

/// No high_halves.
constexpr bool has_high_halves(AnyArch) { return false; }

template <class A>
Batch<std::int64_t, A> widen(const std::byte* from, AnyArch) {
    constexpr std::int64_t lanes = lanes_of<std::int64_t, A>;
    alignas(64) std::int64_t wide[lanes];
    for (std::int64_t k = 0; k < lanes; ++k) wide[k] = element<std::int32_t>(from, k);
    return Batch<std::int64_t, A>::load_aligned(wide);
}

/// A width in bytes as a type.
template <int Bytes>
struct Width {};

/// Types of tables in registers, the smallest first. A table has a number of entries, a constructor
/// from that many entries in memory, and lookup(keys) for keys below it. Some have two constructors
/// more, which read nothing behind `count` entries in memory:
///     Table(table, count)           from all of them; the next smaller type has no room for them,
///                                   so that its registers are loaded whole
///     Table(table, count, first)    from those that begin with number `first`, if there are any
template <class... Table>
struct TableList {
    static_assert(sizeof...(Table) <= table_size_count);
};
template <class A>
TableList<> register_tables(AnyArch, AnyArch);

/// A vector of the entries of a table of `count` from number `first` on; zeros behind the last one.
template <class T, class A>
Batch<T, A> load_entries(const std::byte* table, std::int64_t count, std::int64_t first);

/// Of bytes, where there is a shuffle of 16 of them.
template <class A, int Tables>
struct NibbleTable;
template <class A, int... Tables>
using NibbleTables = TableList<NibbleTable<A, Tables>...>;

}  // namespace
}  // namespace gathercheck::optimized

// Functions in the files included:
//   narrow(low, high, tag)                 the low halves of two vectors of i64 as one of i32
//   seconds(low, high, tag)                every second lane of two vectors of i32 (with gathers)
//   pick_lanes(low, high, lanes, tag)      the lanes so numbered of two vectors of i32 (AVX-512)
//   high_halves(low, high, tag)            the high ones; where 64-bit comparisons are slow
//   widen(from, tag)                       i32s from memory as a vector of i64
//   multiply_low(a, b, tag)                products of the low halves of i64 lanes (with gathers)
//   gather(base, offsets, mask, tag)       elements at base + offset * width; 0 where the mask is
//                                          not set, and nothing is loaded there
//   to_words(a, b, tag)                    vectors of i32 as one of u16; to_bytes of four as one
//                                          of u8. The values fit 15 and 8 bits
//   load_where(from, mask, tag)            what the mask says of a vector; zeros elsewhere (AVX2,
//                                          of dwords, and AVX-512)
//   shuffle_bytes(table, keys, tag)        in each 16 bytes by themselves; 0 for keys from 0x80 on
//   broadcast(bytes, tag)                  16 bytes, again and again
//   fence(tag)                             orders stores past the caches before all that follow
//   register_tables<A>(Width<n>, tag)      TableList for elements of n bytes
#if defined(__x86_64__)
#include "optimized/kernels/shim_sse.hpp"
#endif
#if defined(__AVX2__)
#include "optimized/kernels/shim_avx2.hpp"
#endif
#if defined(__AVX512F__)
#include "optimized/kernels/shim_avx512.hpp"
#endif
#if defined(__aarch64__)
#include "optimized/kernels/shim_neon.hpp"
#endif

namespace gathercheck::optimized {
namespace {

template <class T, class A>
Batch<T, A> count_up() {
    constexpr std::int64_t lanes = lanes_of<T, A>;
    alignas(64) T numbers[lanes];
    for (std::int64_t k = 0; k < lanes; ++k) numbers[k] = static_cast<T>(k);
    return Batch<T, A>::load_aligned(numbers);
}

#if defined(__AVX2__)
/// The lanes before those of `seconds`.
template <class A>
Batch<std::int32_t, A> firsts(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high) {
    return narrow<A>(xsimd::bitwise_cast<std::int64_t>(low),
                     xsimd::bitwise_cast<std::int64_t>(high), A{});
}

template <class T, class A>
[[gnu::always_inline]] inline Batch<T, A> load_entries(const std::byte* table, std::int64_t count,
                                                       std::int64_t first) {
    // A masked load beside a page that is not there is slow, even of nothing. Without a branch:
    // GCC would keep registers that are loaded on some ways only in memory.
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t loaded_from = first < count ? first : 0;
    const auto numbers = count_up<T, A>() + Batch<T, A>(static_cast<T>(first));
    const auto there = numbers <= Batch<T, A>(static_cast<T>(count - 1));
    return load_where<T, A>(table + loaded_from * size, there, A{});
}
#endif

#if defined(__SSSE3__)
/// Tables of 16 bytes. Shuffling gives 0 for a key with its highest bit set, so
/// of the results for all tables, or-ed, the right one remains: keys are moved so
/// that only those of the table at hand stay below 0x80.
template <class A, int Tables>
struct NibbleTable {
    static constexpr std::int64_t entries = 16 * Tables;
    using Bytes = Batch<std::uint8_t, A>;

    explicit NibbleTable(const std::byte* table) {
        for (int k = 0; k < Tables; ++k) {
            tables[k] = broadcast<A>(load<std::uint8_t, Sixteen>(table + k * 16), A{});
        }
    }
    Bytes lookup(Bytes keys) const {
        if constexpr (Tables == 1) return shuffle_bytes(tables[0], keys, A{});
        Bytes result(std::uint8_t{0});
        for (int k = 0; k < Tables; ++k) {
            const auto own = keys ^ Bytes(static_cast<std::uint8_t>(16 * k));  // below 16
            result = result | shuffle_bytes(tables[k], xsimd::sadd(own, Bytes(0x70)), A{});
        }
        return result;
    }
    Bytes tables[Tables];
};
#endif

template <class A, int Bytes>
using RegisterTables = decltype(register_tables<A>(Width<Bytes>{}, A{}));

}  // namespace
}  // namespace gathercheck::optimized
