// SPDX-License-Identifier: Apache-2.0
// Intrinsics of AVX-512.
#pragma once

#include <immintrin.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

constexpr bool has_gathers(xsimd::avx512f) { return true; }

template <class A>
Batch<std::int32_t, A> concat_even(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                   xsimd::avx512f) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(low, even, high);
}

template <class A>
Batch<std::int32_t, A> concat_odd(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                  xsimd::avx512f) {
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_epi32(low, odd, high);
}

template <class A>
Batch<std::int64_t, A> widen(const std::byte* from, xsimd::avx512f) {
    return _mm512_cvtepi32_epi64(load<std::int32_t, ThirtyTwo>(from));
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
Batch<T, A> permute(Batch<T, A> table, Batch<T, A> keys, xsimd::avx512bw) {
    if constexpr (sizeof(T) == 8) return _mm512_permutexvar_epi64(keys, table);
    if constexpr (sizeof(T) == 4) return _mm512_permutexvar_epi32(keys, table);
    if constexpr (sizeof(T) == 2) return _mm512_permutexvar_epi16(keys, table);
#if defined(__AVX512VBMI__)
    if constexpr (sizeof(T) == 1) return _mm512_permutexvar_epi8(keys, table);
#endif
}

template <class T, class A>
Batch<T, A> permute(Batch<T, A> low, Batch<T, A> high, Batch<T, A> keys, xsimd::avx512bw) {
    if constexpr (sizeof(T) == 8) return _mm512_permutex2var_epi64(low, keys, high);
    if constexpr (sizeof(T) == 4) return _mm512_permutex2var_epi32(low, keys, high);
    if constexpr (sizeof(T) == 2) return _mm512_permutex2var_epi16(low, keys, high);
#if defined(__AVX512VBMI__)
    if constexpr (sizeof(T) == 1) return _mm512_permutex2var_epi8(low, keys, high);
#endif
}

/// One test of bits; GCC 12 makes two steps of the same in xsimd's words.
template <int Bit, class T, class A>
Batch<T, A> select_by_bit(Batch<T, A> keys, Batch<T, A> low, Batch<T, A> high, xsimd::avx512bw) {
    const Batch<T, A> bit(static_cast<T>(T{1} << Bit));
    if constexpr (sizeof(T) == 8) {
        return _mm512_mask_blend_epi64(_mm512_test_epi64_mask(keys, bit), low, high);
    }
    if constexpr (sizeof(T) == 4) {
        return _mm512_mask_blend_epi32(_mm512_test_epi32_mask(keys, bit), low, high);
    }
    if constexpr (sizeof(T) == 2) {
        return _mm512_mask_blend_epi16(_mm512_test_epi16_mask(keys, bit), low, high);
    }
    if constexpr (sizeof(T) == 1) {
        return _mm512_mask_blend_epi8(_mm512_test_epi8_mask(keys, bit), low, high);
    }
}

}  // namespace
}  // namespace gathercheck::optimized
