// SPDX-License-Identifier: Apache-2.0
// What xsimd has no word for, as overloads on its tags of instruction sets: a
// tag finds the overload of the nearest set that it extends.
#pragma once

#include "optimized/kernels/arch.hpp"

namespace gathercheck::optimized {
namespace {

/// No masked gathers.
constexpr bool has_gathers(AnyArch) { return false; }

template <class A>
Batch<std::int64_t, A> widen(const std::byte* from, AnyArch) {
    constexpr std::int64_t lanes = lanes_of<std::int64_t, A>;
    alignas(64) std::int64_t wide[lanes];
    for (std::int64_t k = 0; k < lanes; ++k) wide[k] = element<std::int32_t>(from, k);
    return Batch<std::int64_t, A>::load_aligned(wide);
}

/// A width in bytes as a type.
template <int Bytes>
struct Width {};

/// A table of elements in registers: none.
struct NoTable {
    static constexpr std::int64_t entries = 0;
};
template <class A>
NoTable register_table(AnyArch, AnyArch);

}  // namespace
}  // namespace gathercheck::optimized

// Functions in the files included:
//   narrow(low, high, tag)                 the low halves of two vectors of i64 as one of i32
//   widen(from, tag)                       i32s from memory as a vector of i64
//   multiply_low(a, b, tag)                products of the low halves of i64 lanes (with gathers)
//   gather(base, offsets, mask, tag)       elements at base + offset * width; 0 where the mask is
//                                          not set, and nothing is loaded there
//   register_table<A>(Width<n>, tag)       the type of a table in registers: entries, a constructor
//                                          from padded bytes, and lookup(keys) with keys < entries
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

namespace gathercheck::optimized {
namespace {

template <class A, int Bytes>
using RegisterTable = decltype(register_table<A>(Width<Bytes>{}, A{}));

}  // namespace
}  // namespace gathercheck::optimized
