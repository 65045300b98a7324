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
Batch<std::int32_t, A> narrow(Batch<std::int64_t, A> low, Batch<std::int64_t, A> high,
                              xsimd::avx2) {
    return of_each_pair<0>(low, high);
}

template <class A>
Batch<std::int32_t, A> seconds(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                               xsimd::avx2) {
    return of_each_pair<1>(low, high);
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
Batch<std::uint16_t, A> to_words(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b, xsimd::avx2) {
    // Packing works on each 16 bytes by themselves.
    return _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), _MM_SHUFFLE(3, 1, 2, 0));
}

template <class A>
Batch<std::uint8_t, A> to_bytes(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                Batch<std::int32_t, A> c, Batch<std::int32_t, A> d, xsimd::avx2) {
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
NibbleTables<A, 1, 4, 8> register_tables(Width<1>, xsimd::avx2);

template <class T, class A>
Batch<T, A> load_where(const std::byte* from, Mask<T, A> mask, xsimd::avx2) {
    static_assert(sizeof(T) == 4);
    return _mm256_maskload_epi32(reinterpret_cast<const int*>(from), mask);
}

/// One register for each eight entries.
template <class A, int Registers>
struct DwordTableAvx2 {
    using Half = DwordTableAvx2<A, Registers / 2>;
    static constexpr std::int64_t entries = 2 * Half::entries;

    explicit DwordTableAvx2(const std::byte* table) : low(table), high(table + Half::entries * 4) {}
    DwordTableAvx2(const std::byte* table, std::int64_t count)
        : low(table), high(table, count, Half::entries) {}
    DwordTableAvx2(const std::byte* table, std::int64_t count, std::int64_t first)
        : low(table, count, first), high(table, count, first + Half::entries) {}
    Batch<std::uint32_t, A> lookup(Batch<std::uint32_t, A> keys) const {
        // The bit of the keys that chooses the half, moved to the sign, drives the blend.
        constexpr int shift = Registers == 2 ? 28 : 27;
        const __m256i half = _mm256_slli_epi32(keys, shift);
        return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low.lookup(keys)),
                                                    _mm256_castsi256_ps(high.lookup(keys)),
                                                    _mm256_castsi256_ps(half)));
    }

    Half low;
    Half high;
};

template <class A>
struct DwordTableAvx2<A, 1> {
    static constexpr std::int64_t entries = 8;

    explicit DwordTableAvx2(const std::byte* table) : values(load<std::uint32_t, A>(table)) {}
    DwordTableAvx2(const std::byte* table, std::int64_t count, std::int64_t first = 0)
        : values(load_entries<std::uint32_t, A>(table, count, first)) {}
    Batch<std::uint32_t, A> lookup(Batch<std::uint32_t, A> keys) const {
        return _mm256_permutevar8x32_epi32(values, keys);
    }

    Batch<std::uint32_t, A> values;
};
template <class A>
TableList<DwordTableAvx2<A, 1>, DwordTableAvx2<A, 2>, DwordTableAvx2<A, 4>> register_tables(
    Width<4>, xsimd::avx2);

}  // namespace
}  // namespace gathercheck::optimized
