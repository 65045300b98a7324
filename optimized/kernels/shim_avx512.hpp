// SPDX-License-Identifier: Apache-2.0
// Intrinsics of AVX-512.
#pragma once

#include <immintrin.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

constexpr bool has_gathers(xsimd::avx512f) { return true; }
constexpr bool has_pick_lanes(xsimd::avx512f) { return true; }

template <class A>
Batch<std::int32_t, A> pick_lanes(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                  Batch<std::int32_t, A> lanes, xsimd::avx512f) {
    return _mm512_permutex2var_epi32(low, lanes, high);
}

template <class A>
Batch<std::int32_t, A> narrow(Batch<std::int64_t, A> low, Batch<std::int64_t, A> high,
                              xsimd::avx512f) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(low, even, high);
}

template <class A>
Batch<std::int32_t, A> seconds(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                               xsimd::avx512f) {
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return pick_lanes<A>(low, high, odd, A{});
}

template <class A>
Batch<std::int64_t, A> widen(const std::byte* from, xsimd::avx512f) {
    return _mm512_cvtepi32_epi64(load<std::int32_t, ThirtyTwo>(from));
}

template <class A>
Batch<std::int64_t, A> multiply_low(Batch<std::int64_t, A> a, Batch<std::int64_t, A> b,
                                    xsimd::avx512f) {
    return _mm512_mul_epi32(a, b);
}

template <class A>
Batch<std::int32_t, A> gather(const std::byte* base, Batch<std::int32_t, A> offsets,
                              Mask<std::int32_t, A> mask, xsimd::avx512f) {
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, offsets, base, 4);
}

template <class A>
Batch<std::int64_t, A> gather(const std::byte* base, Batch<std::int64_t, A> offsets,
                              Mask<std::int64_t, A> mask, xsimd::avx512f) {
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), mask, offsets, base, 8);
}

template <class A>
Batch<std::uint16_t, A> to_words(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                 xsimd::avx512bw) {
    // Packing works on each 16 bytes by themselves.
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),
                                    _mm512_packus_epi32(a, b));
}

template <class A>
Batch<std::uint8_t, A> to_bytes(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                Batch<std::int32_t, A> c, Batch<std::int32_t, A> d,
                                xsimd::avx512bw) {
    const __m512i packed =
        _mm512_packus_epi16(_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d));
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), packed);
}

template <class A>
Batch<std::uint8_t, A> shuffle_bytes(Batch<std::uint8_t, A> table, Batch<std::uint8_t, A> keys,
                                     xsimd::avx512bw) {
    return _mm512_shuffle_epi8(table, keys);
}

template <class A>
Batch<std::uint8_t, A> broadcast(Batch<std::uint8_t, Sixteen> bytes, xsimd::avx512bw) {
    return _mm512_broadcast_i32x4(bytes);
}

template <class T, class A>
Batch<T, A> load_where(const std::byte* from, Mask<T, A> mask, xsimd::avx512bw) {
    if constexpr (sizeof(T) == 8) return _mm512_maskz_loadu_epi64(mask, from);
    if constexpr (sizeof(T) == 4) return _mm512_maskz_loadu_epi32(mask, from);
    if constexpr (sizeof(T) == 2) return _mm512_maskz_loadu_epi16(mask, from);
    if constexpr (sizeof(T) == 1) return _mm512_maskz_loadu_epi8(mask, from);
}

/// One test; GCC 12 makes two steps of the same in other words.
template <class T, class A>
Mask<T, A> has_bits(const Batch<T, A>& x, const Batch<T, A>& bits) {
    if constexpr (sizeof(T) == 8) return _mm512_test_epi64_mask(x, bits);
    if constexpr (sizeof(T) == 4) return _mm512_test_epi32_mask(x, bits);
    if constexpr (sizeof(T) == 2) return _mm512_test_epi16_mask(x, bits);
    if constexpr (sizeof(T) == 1) return _mm512_test_epi8_mask(x, bits);
}

/// One register.
template <class T, class A>
struct OneTable {
    static constexpr std::int64_t entries = lanes_of<T, A>;

    explicit OneTable(const std::byte* table) : values(load<T, A>(table)) {}
    OneTable(const std::byte* table, std::int64_t count, std::int64_t first = 0)
        : values(load_entries<T, A>(table, count, first)) {}
    Batch<T, A> lookup(Batch<T, A> keys) const {
        if constexpr (sizeof(T) == 8) return _mm512_permutexvar_epi64(keys, values);
        if constexpr (sizeof(T) == 4) return _mm512_permutexvar_epi32(keys, values);
        if constexpr (sizeof(T) == 2) return _mm512_permutexvar_epi16(keys, values);
#if defined(__AVX512VBMI__)
        if constexpr (sizeof(T) == 1) return _mm512_permutexvar_epi8(keys, values);
#endif
    }

    Batch<T, A> values;
};

/// Pairs of registers; one permutation looks up in each, and the higher bits of
/// the keys choose between them.
template <class T, class A, int Pairs>
struct PairTable {
    using Half = PairTable<T, A, Pairs / 2>;
    static constexpr std::int64_t entries = 2 * Half::entries;

    explicit PairTable(const std::byte* table)
        : low(table), high(table + Half::entries * static_cast<std::int64_t>(sizeof(T))) {}
    PairTable(const std::byte* table, std::int64_t count)
        : low(table), high(table, count, Half::entries) {}
    PairTable(const std::byte* table, std::int64_t count, std::int64_t first)
        : low(table, count, first), high(table, count, first + Half::entries) {}

    Batch<T, A> lookup(Batch<T, A> keys) const {
        return xsimd::select(has_bits(keys, Batch<T, A>(static_cast<T>(Half::entries))),
                             high.lookup(keys), low.lookup(keys));
    }

    Half low;
    Half high;
};

template <class T, class A>
struct PairTable<T, A, 1> {
    static constexpr std::int64_t lanes = lanes_of<T, A>;
    static constexpr std::int64_t entries = 2 * lanes;

    explicit PairTable(const std::byte* table) : low(table), high(table + 64) {}
    PairTable(const std::byte* table, std::int64_t count) : low(table), high(table, count, lanes) {}
    PairTable(const std::byte* table, std::int64_t count, std::int64_t first)
        : low(table, count, first), high(table, count, first + lanes) {}

    Batch<T, A> lookup(Batch<T, A> keys) const {
        if constexpr (sizeof(T) == 8) {
            return _mm512_permutex2var_epi64(low.values, keys, high.values);
        }
        if constexpr (sizeof(T) == 4) {
            return _mm512_permutex2var_epi32(low.values, keys, high.values);
        }
        if constexpr (sizeof(T) == 2) {
            return _mm512_permutex2var_epi16(low.values, keys, high.values);
        }
#if defined(__AVX512VBMI__)
        if constexpr (sizeof(T) == 1) {
            return _mm512_permutex2var_epi8(low.values, keys, high.values);
        }
#endif
    }

    OneTable<T, A> low;
    OneTable<T, A> high;
};

template <class A, class T, int... Pairs>
using OneAndPairs = TableList<OneTable<T, A>, PairTable<T, A, Pairs>...>;
template <class A>
OneAndPairs<A, std::uint64_t, 1, 2> register_tables(Width<8>, xsimd::avx512f);
template <class A>
OneAndPairs<A, std::uint32_t, 1, 2, 4, 8> register_tables(Width<4>, xsimd::avx512f);
template <class A>
OneAndPairs<A, std::uint16_t, 1, 2> register_tables(Width<2>, xsimd::avx512bw);
template <class A>
NibbleTables<A, 1, 4, 8, 16> register_tables(Width<1>, xsimd::avx512bw);
#if defined(__AVX512VBMI__)
template <class A>
OneAndPairs<A, std::uint8_t, 1, 2> register_tables(Width<1>, xsimd::avx512vbmi);
#endif

}  // namespace
}  // namespace gathercheck::optimized
