// SPDX-License-Identifier: Apache-2.0
// Intrinsics of AVX2.
#pragma once

#include <immintrin.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

constexpr bool has_gathers(xsimd::avx2) { return true; }

/// Of each pair of dwords of two vectors the first or, `Which` being 1, the second.
template <int Which>
__m256i of_each_pair(__m256i low, __m256i high) {
    constexpr int chosen = _MM_SHUFFLE(2 + Which, Which, 2 + Which, Which);
    const __m256 halves =
        _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), chosen);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(halves), _MM_SHUFFLE(3, 1, 2, 0));
}

template <class A>
Batch<std::int32_t, A> concat_even(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                   xsimd::avx2) {
    return of_each_pair<0>(low, high);
}

template <class A>
Batch<std::int32_t, A> concat_odd(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                  xsimd::avx2) {
    return of_each_pair<1>(low, high);
}

template <class A>
Batch<std::int64_t, A> widen(const std::byte* from, xsimd::avx2) {
    return _mm256_cvtepi32_epi64(load<std::int32_t, Sixteen>(from));
}

// The masks of both come from a comparison: with a constant one g++ leaves the
// destination register as it is, and every gather waits for the one before.
template <class A>
Batch<std::int32_t, A> gather(const std::byte* base, Batch<std::int32_t, A> offsets,
                              Mask<std::int32_t, A> mask, xsimd::avx2) {
    return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), reinterpret_cast<const int*>(base),
                                       offsets, mask, 4);
}

template <class A>
Batch<std::int64_t, A> gather(const std::byte* base, Batch<std::int64_t, A> offsets,
                              Mask<std::int64_t, A> mask, xsimd::avx2) {
    return _mm256_mask_i64gather_epi64(_mm256_setzero_si256(),
                                       reinterpret_cast<const long long*>(base), offsets, mask, 8);
}

template <class A>
Batch<std::uint8_t, A> to_bytes(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                Batch<std::int32_t, A> c, Batch<std::int32_t, A> d, xsimd::avx2) {
    // Packing works on each 16 bytes by themselves.
    const __m256i packed = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

template <class A>
Batch<std::uint8_t, A> shuffle_bytes(Batch<std::uint8_t, A> table, Batch<std::uint8_t, A> keys,
                                     xsimd::avx2) {
    return _mm256_shuffle_epi8(table, keys);
}

template <class A>
Batch<std::uint8_t, A> broadcast(Batch<std::uint8_t, Sixteen> bytes, xsimd::avx2) {
    return _mm256_broadcastsi128_si256(bytes);
}

template <class A>
Batch<std::uint32_t, A> permute(Batch<std::uint32_t, A> table, Batch<std::uint32_t, A> keys,
                                xsimd::avx2) {
    return _mm256_permutevar8x32_epi32(table, keys);
}

template <int Bit, class A>
Batch<std::uint32_t, A> select_by_bit(Batch<std::uint32_t, A> keys, Batch<std::uint32_t, A> low,
                                      Batch<std::uint32_t, A> high, xsimd::avx2) {
    const __m256i sign = _mm256_slli_epi32(keys, 31 - Bit);
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                                                _mm256_castsi256_ps(sign)));
}

}  // namespace
}  // namespace gathercheck::optimized
