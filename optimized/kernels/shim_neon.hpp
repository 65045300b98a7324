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
ByteTableNeon<A> register_table(Width<1>, xsimd::neon64);

}  // namespace
}  // namespace gathercheck::optimized
