// SPDX-License-Identifier: Apache-2.0
// Intrinsics of SSE2 to SSE4.2.
#pragma once

#include <immintrin.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

template <class A>
Batch<std::int32_t, A> narrow(Batch<std::int64_t, A> low, Batch<std::int64_t, A> high,
                              xsimd::sse2) {
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), _MM_SHUFFLE(2, 0, 2, 0)));
}

#if defined(__SSSE3__)
template <class A>
struct ByteTableSsse3 {
    static constexpr std::int64_t entries = 16;
    explicit ByteTableSsse3(const std::byte* table) : bytes(load<std::uint8_t, A>(table)) {}
    Batch<std::uint8_t, A> lookup(Batch<std::uint8_t, A> keys) const {
        return _mm_shuffle_epi8(bytes, keys);
    }
    Batch<std::uint8_t, A> bytes;
};
template <class A>
ByteTableSsse3<A> register_table(Width<1>, xsimd::ssse3);
#endif

}  // namespace
}  // namespace gathercheck::optimized
