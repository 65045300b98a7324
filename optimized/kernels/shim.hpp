// SPDX-License-Identifier: Apache-2.0
// What xsimd has no word for, as overloads on its tags of instruction sets: a tag finds the
// overload of the nearest set that it extends. One file for each family of sets.
#pragma once

#include "optimized/kernels.hpp"
#include "optimized/kernels/arch.hpp"

namespace gathercheck::optimized {
namespace {

/// No masked gathers.
constexpr bool has_gathers(AnyArch) { return false; }

}  // namespace
}  // namespace gathercheck::optimized

// Functions in the files included:
//   concat_even(low, high, tag)               the even lanes of two vectors of i32; concat_odd the
//                                             odd ones
//   widen(from, tag)                          i32s from memory as a vector of i64 (with gathers)
//   gather(base, offsets, mask, tag)          elements at base + offset * width; 0 where the mask
//                                             is not set, and nothing is loaded there
//   to_words(a, b, tag)                       vectors of i32, below 2^15, as one of u16
//   to_bytes(a, b, c, d, tag)                 vectors of i32, below 2^8, as one of u8
//   shuffle_bytes(table, keys, tag)           in each 16 bytes by themselves; 0 for keys from
//                                             0x80 on
//   broadcast(bytes, tag)                     16 bytes, again and again
//   permute(table, keys, tag)                 the lanes of a vector that keys name (AVX2, of
//                                             dwords; AVX-512)
//   permute(low, high, keys, tag)             the same of two vectors (AVX-512)
//   select_by_bit<Bit>(keys, low, high, tag)  high where Bit is set in a key (as permute)
//   fence(tag)                                orders non-temporal stores before all that follow
#if defined(__x86_64__)
#include "optimized/kernels/shim_sse.hpp"
#endif
#if defined(__AVX2__)
#include "optimized/kernels/shim_avx2.hpp"
#endif
#if defined(__AVX512F__)
#include "optimized/kernels/shim_avx512.hpp"
#endif
#if defined(__aarch64__)
#include "optimized/kernels/shim_neon.hpp"
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
#include "optimized/kernels/shim_generic.hpp"
#endif

namespace gathercheck::optimized {
namespace {

/// The low halves of two vectors of i64.
template <class A>
Batch<std::int32_t, A> low_halves(Batch<std::int64_t, A> low, Batch<std::int64_t, A> high) {
    const auto first = xsimd::bitwise_cast<std::int32_t>(low);
    const auto second = xsimd::bitwise_cast<std::int32_t>(high);
    if constexpr (low_first) return concat_even(first, second, A{});
    return concat_odd(first, second, A{});
}

/// 0, 1, 2 and so on.
template <class T, class A>
Batch<T, A> iota() {
    constexpr std::int64_t lanes = lanes_of<T, A>;
    alignas(64) T numbers[lanes];
    for (std::int64_t k = 0; k < lanes; ++k) numbers[k] = static_cast<T>(k);
    return Batch<T, A>::load_aligned(numbers);
}

}  // namespace
}  // namespace gathercheck::optimized
