// SPDX-License-Identifier: Apache-2.0
// Kernels that check tuples of indices and flatten each to a position.
#pragma once

#include "optimized/kernels/resolve.hpp"

namespace gathercheck::optimized {
namespace {

/// Of a tuple: a tensor has no more dimensions.
constexpr std::int64_t max_components = 64;

/// Some tuples of one batch, which begins at unit `base`; false where an index is out of bounds.
/// Components: 0 where the number is none of the usual ones, for which the compiler unrolls.
template <std::int64_t Components, class Raw, class Position>
bool flatten_each(const FlattenJob& job, const std::byte* from, std::int64_t count,
                  std::int64_t base, Position* positions) {
    using Modular = std::make_unsigned_t<Position>;  // what is out of bounds may be anything
    // A quarter of the library if they were vectorised: tuples into tables of 2^31 units, which
    // memory bounds, and long tuples of narrow indices, which gain nothing.
    constexpr bool rare = sizeof(Position) == 8 || (Components == 0 && sizeof(Raw) < 4);
    const std::int64_t components = Components != 0 ? Components : job.components;
    const bool negative_allowed = job.negative_allowed;
    std::uint64_t extents[max_components];
    Modular strides[max_components];
    for (std::int64_t t = 0; t < components; ++t) {
        extents[t] = static_cast<std::uint64_t>(job.extents[t]);
        strides[t] = static_cast<Modular>(job.strides[t]);
    }
    std::uint64_t signs = 0;  // the first is set where an index is out of bounds
    for (std::int64_t k = 0; k < count; ++k) {
        auto position = static_cast<Modular>(base);
        for (std::int64_t t = 0; t < components; ++t) {
            if constexpr (rare) asm volatile("");  // not to be vectorised
            const std::uint64_t at =
                wrapped(element<Raw>(from, k * components + t), negative_allowed ? extents[t] : 0);
            signs |= at | (extents[t] - 1 - at);
            position = static_cast<Modular>(position + static_cast<Modular>(at) * strides[t]);
        }
        positions[k] = static_cast<Position>(position);
    }
    return signs >> 63 == 0;
}

/// Tuples of which some are out of bounds and clamped or give position -1: few calls have them.
template <class Raw, class Position>
void flatten_beyond(const FlattenJob& job, const std::byte* from, std::int64_t count,
                    std::int64_t base, Position* positions) {
    for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t position = base;
        bool zeros = false;
        for (std::int64_t t = 0; t < job.components; ++t) {
            asm volatile("");  // not to be vectorised
            const auto extent = static_cast<std::uint64_t>(job.extents[t]);
            const Raw index = element<Raw>(from, k * job.components + t);
            if (job.beyond == OutOfBounds::zero) {
                zeros |= wrapped(index, job.negative_allowed ? extent : 0) >= extent;
            }
            position += static_cast<std::int64_t>(clamped(index, extent, job.negative_allowed)) *
                        job.strides[t];
        }
        positions[k] = zeros ? Position{-1} : static_cast<Position>(position);
    }
}

/// Pairs of i32 or i64 whose positions have 32 bits, a vector of pairs or more.
template <class Raw, class A>
bool flatten_pairs(const FlattenJob& job, const std::byte* from, std::int64_t count,
                   std::int64_t base, std::int32_t* positions) {
    using Vector = Batch<std::uint32_t, A>;
    NarrowReader<Raw, A> read;
    PositionCheck<A> first_check(job.extents[0]);
    PositionCheck<A> second_check(job.extents[1]);
    const auto from_end = [&](std::int64_t t) {
        return Vector(job.negative_allowed ? static_cast<std::uint32_t>(job.extents[t]) : 0);
    };
    const Vector first_from_end = from_end(0);
    const Vector second_from_end = from_end(1);
    const Vector stride(static_cast<std::uint32_t>(job.strides[0]));
    const Vector bases(static_cast<std::uint32_t>(base));
    const auto step = [&](std::int64_t k) __attribute__((always_inline)) {
        const std::byte* pairs = from + k * 2 * size_of<Raw>;
        prefetch_next_block(pairs, 2 * read.vector_bytes, job.count * 2 * size_of<Raw>);
        const auto low = xsimd::bitwise_cast<std::int32_t>(read(pairs));
        const auto high = xsimd::bitwise_cast<std::int32_t>(read(pairs + read.vector_bytes));
        const auto first =
            wrap(xsimd::bitwise_cast<std::uint32_t>(concat_even(low, high, A{})), first_from_end);
        const auto second =
            wrap(xsimd::bitwise_cast<std::uint32_t>(concat_odd(low, high, A{})), second_from_end);
        first_check.add(first);
        second_check.add(second);
        (first * stride + second + bases)
            .store_unaligned(reinterpret_cast<std::uint32_t*>(positions) + k);
    };
    std::int64_t k = 0;
    for (; k + read.lanes <= count; k += read.lanes) step(k);
    if (k < count) step(count - read.lanes);  // the rest, some of it a second time
    return !first_check.failed() && !second_check.failed() && !read.failed();
}

template <class Raw, class Position, class A>
bool flatten_some(const FlattenJob& job, const std::byte* from, std::int64_t count,
                  std::int64_t base, Position* positions) {
    if (job.beyond != OutOfBounds::reject) {
        flatten_beyond<Raw>(job, from, count, base, positions);
        return true;
    }
    if constexpr (std::is_signed_v<Raw> && sizeof(Raw) >= 4 && sizeof(Position) == 4) {
        if (job.components == 2 && count >= lanes_of<std::int32_t, A>) {
            return flatten_pairs<Raw, A>(job, from, count, base, positions);
        }
    }
    if (job.components == 2) return flatten_each<2, Raw>(job, from, count, base, positions);
    if (job.components == 3) return flatten_each<3, Raw>(job, from, count, base, positions);
    return flatten_each<0, Raw>(job, from, count, base, positions);
}

template <class Raw, class Position, class A>
InstructionSet flatten(const FlattenJob& job, void* positions) {
    auto* to = static_cast<Position*>(positions);
    const std::byte* from = job.indices;
    std::int64_t left_in_batch = job.per_batch - job.number_in_batch;
    std::int64_t base = job.base;
    bool legal = true;
    for (std::int64_t left = job.count; left > 0;) {
        const std::int64_t count = left < left_in_batch ? left : left_in_batch;
        legal &= flatten_some<Raw, Position, A>(job, from, count, base, to);
        from += count * job.components * size_of<Raw>;
        to += count;
        left -= count;
        left_in_batch = job.per_batch;
        base += job.batch_units;
    }
    return legal ? compiled_for : InstructionSet::none;
}

}  // namespace
}  // namespace gathercheck::optimized
