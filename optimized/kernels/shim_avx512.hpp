// SPDX-License-Identifier: Apache-2.0
// Intrinsics of AVX-512.
#pragma once

#include <immintrin.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

constexpr bool has_gathers(xsimd::avx512f) { return true; }

template <class A>
Batch<std::int32_t, A> narrow(Batch<std::int64_t, A> low, Batch<std::int64_t, A> high,
                              xsimd::avx512f) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(low, even, high);
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
Batch<T, A> load_first(const std::byte* from, std::int64_t bytes, xsimd::avx512bw) {
    // A masked load beside a page that is not there is slow, even of nothing.
    constexpr std::int64_t all = 64;
    if (bytes >= all) return load<T, A>(from);
    if (bytes <= 0) return Batch<T, A>(T{0});
    const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1;
    return xsimd::bitwise_cast<T>(Batch<std::uint8_t, A>(_mm512_maskz_loadu_epi8(mask, from)));
}

/// Pairs of registers; one permutation looks up in each, and the higher bits of
/// the keys choose between them.
template <class T, class A, int Pairs>
struct PairTable {
    static constexpr int pair_entries = 2 * static_cast<int>(lanes_of<T, A>);
    static constexpr std::int64_t entries = Pairs * pair_entries;

    PairTable(const std::byte* table, std::int64_t bytes) {
        for (int k = 0; k < 2 * Pairs; ++k, bytes -= 64) {
            registers[k] = load_first<T, A>(table + k * 64, bytes, A{});
        }
    }
    Batch<T, A> lookup(Batch<T, A> keys) const { return among<0, Pairs>(keys); }

    template <int First, int Count>
    Batch<T, A> among(Batch<T, A> keys) const {
        if constexpr (Count == 1) {
            const Batch<T, A>& low = registers[2 * First];
            const Batch<T, A>& high = registers[2 * First + 1];
            if constexpr (sizeof(T) == 8) return _mm512_permutex2var_epi64(low, keys, high);
            if constexpr (sizeof(T) == 4) return _mm512_permutex2var_epi32(low, keys, high);
            if constexpr (sizeof(T) == 2) return _mm512_permutex2var_epi16(low, keys, high);
#if defined(__AVX512VBMI__)
            if constexpr (sizeof(T) == 1) return _mm512_permutex2var_epi8(low, keys, high);
#endif
        } else {
            const Batch<T, A> bit(static_cast<T>(Count / 2 * pair_entries));
            return xsimd::select((keys & bit) != Batch<T, A>(T{0}),
                                 among<First + Count / 2, Count / 2>(keys),
                                 among<First, Count / 2>(keys));
        }
    }
    Batch<T, A> registers[2 * Pairs];
};
template <class A>
TableList<PairTable<std::uint64_t, A, 1>, PairTable<std::uint64_t, A, 2>> register_tables(
    Width<8>, xsimd::avx512f);
template <class A>
TableList<PairTable<std::uint32_t, A, 1>, PairTable<std::uint32_t, A, 2>,
          PairTable<std::uint32_t, A, 4>, PairTable<std::uint32_t, A, 8>>
    register_tables(Width<4>, xsimd::avx512f);
template <class A>
TableList<PairTable<std::uint16_t, A, 1>, PairTable<std::uint16_t, A, 2>> register_tables(
    Width<2>, xsimd::avx512bw);
template <class A>
NibbleTables<A, 1, 4, 8, 16> register_tables(Width<1>, xsimd::avx512bw);
#if defined(__AVX512VBMI__)
template <class A>
TableList<PairTable<std::uint8_t, A, 1>, PairTable<std::uint8_t, A, 2>> register_tables(
    Width<1>, xsimd::avx512vbmi);
#endif

}  // namespace
}  // namespace gathercheck::optimized
