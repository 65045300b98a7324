// SPDX-License-Identifier: Apache-2.0
// The same in plain C++, for machines whose intrinsics nobody has written here.
#pragma once

#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

/// Every second lane of two vectors from lane `first` on.
template <class A>
Batch<std::int32_t, A> every_second(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                    std::int64_t first) {
    constexpr std::int64_t lanes = lanes_of<std::int32_t, A>;
    alignas(64) std::int32_t from[2 * lanes];
    alignas(64) std::int32_t to[lanes];
    low.store_aligned(from);
    high.store_aligned(from + lanes);
    for (std::int64_t k = 0; k < lanes; ++k) to[k] = from[2 * k + first];
    return Batch<std::int32_t, A>::load_aligned(to);
}

template <class A>
Batch<std::int32_t, A> concat_even(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                   AnyArch) {
    return every_second(low, high, 0);
}

template <class A>
Batch<std::int32_t, A> concat_odd(Batch<std::int32_t, A> low, Batch<std::int32_t, A> high,
                                  AnyArch) {
    return every_second(low, high, 1);
}

inline void fence(AnyArch) {}  // its stores are ordinary ones

}  // namespace
}  // namespace gathercheck::optimized
