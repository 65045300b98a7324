// SPDX-License-Identifier: Apache-2.0
// Lookup tables in registers, and the kernel that moves elements by them.
//
// A table has a number of entries, a constructor from that many entries in memory, and lookup(keys)
// for keys below it.
#pragma once

#include <bit>

#include "optimized/kernels/elements.hpp"

namespace gathercheck::optimized {
namespace {

/// Types of tables, the smallest first.
template <class... Table>
struct TableList {
    static_assert(sizeof...(Table) <= table_size_count);
};

/// A width in bytes as a type.
template <int Bytes>
struct Width {};

template <class A>
TableList<> register_tables(AnyArch, AnyArch);

#if defined(__AVX2__)
template <class T, class A>
struct OneRegister {
    static constexpr std::int64_t entries = lanes_of<T, A>;

    explicit OneRegister(const std::byte* table) : values(load<T, A>(table)) {}
    Batch<T, A> lookup(Batch<T, A> keys) const { return permute(values, keys, A{}); }

    Batch<T, A> values;
};

/// Two tables, between which a bit of the keys chooses.
template <class T, class A, class Half>
struct Doubled {
    static constexpr std::int64_t entries = 2 * Half::entries;
    static constexpr int bit = std::countr_zero(static_cast<unsigned>(Half::entries));

    explicit Doubled(const std::byte* table)
        : low(table), high(table + Half::entries * size_of<T>) {}
    Batch<T, A> lookup(Batch<T, A> keys) const {
        return select_by_bit<bit>(keys, low.lookup(keys), high.lookup(keys), A{});
    }

    Half low;
    Half high;
};
#endif

#if defined(__SSSE3__)
/// Tables of 16 bytes. Shuffling gives 0 for a key with its highest bit set, so of the results for
/// all tables, or-ed, the right one remains: keys are moved so that only those of the table at hand
/// stay below 0x80.
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
template <class A, int... Tables>
using NibbleTables = TableList<NibbleTable<A, Tables>...>;

template <class A>
NibbleTables<A, 1, 4> register_tables(Width<1>, xsimd::ssse3);  // larger ones gain nothing
#endif

#if defined(__AVX2__)
template <class A>
NibbleTables<A, 1, 4, 8> register_tables(Width<1>, xsimd::avx2);

template <class T, class A, class One = OneRegister<T, A>, class Two = Doubled<T, A, One>>
using UpToFour = TableList<One, Two, Doubled<T, A, Two>>;
template <class A>
UpToFour<std::uint32_t, A> register_tables(Width<4>, xsimd::avx2);
#endif

#if defined(__AVX512F__)
/// One permutation looks up in both.
template <class T, class A>
struct TwoRegisters {
    static constexpr std::int64_t entries = 2 * lanes_of<T, A>;

    explicit TwoRegisters(const std::byte* table)
        : low(load<T, A>(table)), high(load<T, A>(table + line_bytes)) {}
    Batch<T, A> lookup(Batch<T, A> keys) const { return permute(low, high, keys, A{}); }

    Batch<T, A> low;
    Batch<T, A> high;
};

template <class T, class A, class Two = TwoRegisters<T, A>>
using OneTwoFour = TableList<OneRegister<T, A>, Two, Doubled<T, A, Two>>;
template <class T, class A, class Two = TwoRegisters<T, A>, class Four = Doubled<T, A, Two>,
          class Eight = Doubled<T, A, Four>>
using OneToSixteen = TableList<OneRegister<T, A>, Two, Four, Eight, Doubled<T, A, Eight>>;

template <class A>
OneTwoFour<std::uint64_t, A> register_tables(Width<8>, xsimd::avx512f);
template <class A>
OneToSixteen<std::uint32_t, A> register_tables(Width<4>, xsimd::avx512f);
template <class A>
OneTwoFour<std::uint16_t, A> register_tables(Width<2>, xsimd::avx512bw);
template <class A>
NibbleTables<A, 1, 4, 8, 16> register_tables(Width<1>, xsimd::avx512bw);
#if defined(__AVX512VBMI__)
template <class A>
OneTwoFour<std::uint8_t, A> register_tables(Width<1>, xsimd::avx512vbmi);
#endif
#endif

#if defined(__aarch64__)
template <class A>
struct ByteTableNeon {
    static constexpr std::int64_t entries = 64;
    explicit ByteTableNeon(const std::byte* table)
        : bytes{load<std::uint8_t, A>(table), load<std::uint8_t, A>(table + 16),
                load<std::uint8_t, A>(table + 32), load<std::uint8_t, A>(table + 48)} {}
    Batch<std::uint8_t, A> lookup(Batch<std::uint8_t, A> keys) const {
        return vqtbl4q_u8(bytes, keys);
    }
    uint8x16x4_t bytes;
};
template <class A>
TableList<ByteTableNeon<A>> register_tables(Width<1>, xsimd::neon64);
#endif

template <class A, int Bytes>
using RegisterTables = decltype(register_tables<A>(Width<Bytes>{}, A{}));

/// A table that fits into registers.
template <int Bytes, class Position, class Table, class A>
InstructionSet move_by_register_table(const MoveJob& job) {
    using Key = Unit<Bytes>;
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    if (job.picks < lanes) return move_by_loads<Bytes, Position>(job);
    each_row<Bytes, Position>(
        job, [&](const std::byte* from, const std::byte* positions, std::byte* output) {
            alignas(64) std::byte padded[Table::entries * Bytes];
            if (job.entries < Table::entries) {
                std::memcpy(padded, from, static_cast<std::size_t>(job.entries * Bytes));
                from = padded;
            }
            const Table table(from);
            each_vector(job.picks, lanes, [&](std::int64_t k) __attribute__((always_inline)) {
                const auto keys = load_keys<Key, Position, A>(positions + k * size_of<Position>);
                store(output + k * Bytes, table.lookup(keys));
            });
        });
    return compiled_for;
}

}  // namespace
}  // namespace gathercheck::optimized
