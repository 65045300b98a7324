// SPDX-License-Identifier: Apache-2.0
// What the compiler was told to compile this file for, and the vector types
// that follow from it. For the files of kernels/ only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "optimized/cpu.hpp"

// Everything in the headers of this folder has internal linkage: each
// instruction set's file gets a copy of its own, and the linker can never put
// one compiled for AVX-512 where SSE2 is wanted.
namespace gathercheck::optimized {
namespace {

/// From the compiler's own macros, not from what the build says it asked for:
/// kernels return it as evidence.
constexpr InstructionSet compiled_for =
#if defined(__AVX512VBMI__)
    InstructionSet::avx512vbmi;
#elif defined(__AVX512BW__)
    InstructionSet::avx512bw;
#elif defined(__AVX2__)
    InstructionSet::avx2;
#elif defined(__SSE4_2__)
    InstructionSet::sse4_2;
#elif defined(__SSE2__)
    InstructionSet::sse2;
#elif defined(__aarch64__)
    InstructionSet::neon64;
#else
    InstructionSet::generic;
#endif

template <class T, class A>
using Batch = xsimd::batch<T, A>;
template <class T, class A>
using Mask = xsimd::batch_bool<T, A>;

/// Lanes of a vector of T. A vector type that the flags do not cover has size 0
/// and no error, so this must not be 0.
template <class T, class A>
constexpr std::int64_t lanes_of = static_cast<std::int64_t>(Batch<T, A>::size);

/// Vectors of 16 bytes, and the widest for moves: 32 bytes where there are any
/// (64 are not faster for rows).
#if defined(__x86_64__)
using Sixteen = xsimd::sse2;
#elif defined(__aarch64__)
using Sixteen = xsimd::neon64;
#else
using Sixteen = xsimd::emulated<128>;
#endif
#if defined(__AVX2__)
using ThirtyTwo = xsimd::avx2;
#endif

/// Whether the first byte of a number is its lowest.
constexpr bool low_first = std::endian::native == std::endian::little;

/// Overload of last resort, for instruction sets without one of their own.
struct AnyArch {
    template <class A>
    constexpr AnyArch(A) {}  // not explicit: any tag converts
};

/// Loads and stores of tensors, which need not be aligned.
template <class T, class A>
Batch<T, A> load(const std::byte* from) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
    return xsimd::bitwise_cast<T>(Batch<std::uint8_t, A>::load_unaligned(bytes));
}

template <class T, class A>
void store(std::byte* to, Batch<T, A> value) {
    xsimd::bitwise_cast<std::uint8_t>(value).store_unaligned(reinterpret_cast<std::uint8_t*>(to));
}

template <class T>
T load_one(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store_one(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

template <class T>
constexpr std::int64_t size_of = static_cast<std::int64_t>(sizeof(T));

/// The k-th T of an array that need not be aligned.
template <class T>
T element(const std::byte* array, std::int64_t k) {
    return load_one<T>(array + k * size_of<T>);
}

}  // namespace
}  // namespace gathercheck::optimized
