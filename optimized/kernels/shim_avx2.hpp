// SPDX-License-Identifier: Apache-2.0
// Intrinsics of AVX2.
#pragma once

#include <immintrin.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

constexpr bool has_gathers(xsimd::avx2) { return true; }

template <class A>
Batch<std::int32_t, A> narrow(Batch<std::int64_t, A> low, Batch<std::int64_t, A> high,
                              xsimd::avx2) {
    const __m256 halves = _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                                            _MM_SHUFFLE(2, 0, 2, 0));
    return _mm256_permute4x64_epi64(_mm256_castps_si256(halves), _MM_SHUFFLE(3, 1, 2, 0));
}

template <class A>
Batch<std::int64_t, A> widen(const std::byte* from, xsimd::avx2) {
    return _mm256_cvtepi32_epi64(load<std::int32_t, Sixteen>(from));
}

template <class A>
Batch<std::int64_t, A> multiply_low(Batch<std::int64_t, A> a, Batch<std::int64_t, A> b,
                                    xsimd::avx2) {
    return _mm256_mul_epi32(a, b);
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
struct ByteTableAvx2 {
    static constexpr std::int64_t entries = 16;
    explicit ByteTableAvx2(const std::byte* table)
        : bytes(_mm256_broadcastsi128_si256(load<std::uint8_t, Sixteen>(table))) {}
    Batch<std::uint8_t, A> lookup(Batch<std::uint8_t, A> keys) const {
        return _mm256_shuffle_epi8(bytes, keys);
    }
    Batch<std::uint8_t, A> bytes;
};
template <class A>
ByteTableAvx2<A> register_table(Width<1>, xsimd::avx2);

template <class A>
struct DwordTableAvx2 {
    static constexpr std::int64_t entries = 16;
    explicit DwordTableAvx2(const std::byte* table)
        : low(load<std::uint32_t, A>(table)), high(load<std::uint32_t, A>(table + 32)) {}
    Batch<std::uint32_t, A> lookup(Batch<std::uint32_t, A> keys) const {
        // Bit 3 of a key chooses the half; moved to the sign it drives the blend.
        const __m256 from_low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, keys));
        const __m256 from_high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, keys));
        const __m256 choice = _mm256_castsi256_ps(_mm256_slli_epi32(keys, 28));
        return _mm256_castps_si256(_mm256_blendv_ps(from_low, from_high, choice));
    }
    Batch<std::uint32_t, A> low;
    Batch<std::uint32_t, A> high;
};
template <class A>
DwordTableAvx2<A> register_table(Width<4>, xsimd::avx2);

}  // namespace
}  // namespace gathercheck::optimized
