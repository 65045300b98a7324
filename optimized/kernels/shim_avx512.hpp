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
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
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

/// Two registers of entries.
template <class T, class A>
struct PairTableAvx512 {
    static constexpr std::int64_t entries = 2 * lanes_of<T, A>;
    explicit PairTableAvx512(const std::byte* table)
        : low(load<T, A>(table)), high(load<T, A>(table + 64)) {}
    Batch<T, A> lookup(Batch<T, A> keys) const {
        if constexpr (sizeof(T) == 8) return _mm512_permutex2var_epi64(low, keys, high);
        if constexpr (sizeof(T) == 4) return _mm512_permutex2var_epi32(low, keys, high);
        if constexpr (sizeof(T) == 2) return _mm512_permutex2var_epi16(low, keys, high);
#if defined(__AVX512VBMI__)
        if constexpr (sizeof(T) == 1) return _mm512_permutex2var_epi8(low, keys, high);
#endif
    }
    Batch<T, A> low;
    Batch<T, A> high;
};
template <class A>
PairTableAvx512<std::uint64_t, A> register_table(Width<8>, xsimd::avx512f);
template <class A>
PairTableAvx512<std::uint32_t, A> register_table(Width<4>, xsimd::avx512f);
template <class A>
PairTableAvx512<std::uint16_t, A> register_table(Width<2>, xsimd::avx512bw);

template <class A>
struct ByteTableAvx512bw {
    static constexpr std::int64_t entries = 16;
    explicit ByteTableAvx512bw(const std::byte* table)
        : bytes(_mm512_broadcast_i32x4(load<std::uint8_t, Sixteen>(table))) {}
    Batch<std::uint8_t, A> lookup(Batch<std::uint8_t, A> keys) const {
        return _mm512_shuffle_epi8(bytes, keys);
    }
    Batch<std::uint8_t, A> bytes;
};
template <class A>
ByteTableAvx512bw<A> register_table(Width<1>, xsimd::avx512bw);

#if defined(__AVX512VBMI__)
template <class A>
PairTableAvx512<std::uint8_t, A> register_table(Width<1>, xsimd::avx512vbmi);
#endif

}  // namespace
}  // namespace gathercheck::optimized
