// SPDX-License-Identifier: Apache-2.0
// Intrinsics of SSE2 to SSE4.2.
#pragma once

#include <immintrin.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

template <class A>
Batch<std::int32_t, A> concat_even(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                   xsimd::sse2) {
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), _MM_SHUFFLE(2, 0, 2, 0)));
}

template <class A>
Batch<std::int32_t, A> concat_odd(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                  xsimd::sse2) {
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), _MM_SHUFFLE(3, 1, 3, 1)));
}

inline void fence(xsimd::sse2) { _mm_sfence(); }

#if defined(__SSSE3__)
template <class A>
Batch<std::uint8_t, A> to_bytes(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                Batch<std::int32_t, A> c, Batch<std::int32_t, A> d, xsimd::ssse3) {
    return _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
}

template <class A>
Batch<std::uint8_t, A> shuffle_bytes(Batch<std::uint8_t, A> table, Batch<std::uint8_t, A> keys,
                                     xsimd::ssse3) {
    return _mm_shuffle_epi8(table, keys);
}

template <class A>
Batch<std::uint8_t, A> broadcast(Batch<std::uint8_t, Sixteen> bytes, xsimd::ssse3) {
    return static_cast<__m128i>(bytes);
}
#endif

}  // namespace
}  // namespace gathercheck::optimized
