// SPDX-License-Identifier: Apache-2.0
// Intrinsics of 64-bit NEON.
#pragma once

#include <arm_neon.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

template <class A>
Batch<std::int32_t, A> narrow(Batch<std::int64_t, A> low, Batch<std::int64_t, A> high,
                              xsimd::neon64) {
    return vcombine_s32(vmovn_s64(low), vmovn_s64(high));
}

template <class A>
Batch<std::uint16_t, A> to_words(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                 xsimd::neon64) {
    return vreinterpretq_u16_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b)));
}

template <class A>
Batch<std::uint8_t, A> to_bytes(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                Batch<std::int32_t, A> c, Batch<std::int32_t, A> d,
                                xsimd::neon64 arch) {
    return vcombine_u8(vmovn_u16(to_words<A>(a, b, arch)), vmovn_u16(to_words<A>(c, d, arch)));
}

inline void fence(xsimd::neon64) {}  // one thread sees its own stores in order

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

}  // namespace
}  // namespace gathercheck::optimized
