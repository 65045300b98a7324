// SPDX-License-Identifier: Apache-2.0
// Intrinsics of 64-bit NEON.
#pragma once

#include <arm_neon.h>

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

template <class A>
Batch<std::int32_t, A> concat_even(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                   xsimd::neon64) {
    return vuzp1q_s32(low, high);
}

template <class A>
Batch<std::int32_t, A> concat_odd(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                  xsimd::neon64) {
    return vuzp2q_s32(low, high);
}

template <class A>
Batch<std::uint8_t, A> to_bytes(Batch<std::int32_t, A> a, Batch<std::int32_t, A> b,
                                Batch<std::int32_t, A> c, Batch<std::int32_t, A> d, xsimd::neon64) {
    return vcombine_u8(vmovn_u16(vreinterpretq_u16_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b)))),
                       vmovn_u16(vreinterpretq_u16_s16(vcombine_s16(vmovn_s32(c), vmovn_s32(d)))));
}

inline void fence(xsimd::neon64) {}  // one thread sees its own stores in order

}  // namespace
}  // namespace gathercheck::optimized
