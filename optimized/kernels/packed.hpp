// SPDX-License-Identifier: Apache-2.0
// Kernels that move units which are no whole bytes: packed elements and slices of them.
#pragma once

#include "optimized/kernels.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

/// At most this many bits are moved at once: with up to 7 bits before them in
/// their first byte, or held back in the sink, they fit 64.
constexpr std::int64_t most_bits = 56;

/// Appends the low `count` bits of `bits`, whose other bits are zero.
inline void append(BitSink& sink, std::uint64_t bits, std::int64_t count) {
    sink.held |= bits << sink.held_bits;
    sink.held_bits += static_cast<int>(count);
    while (sink.held_bits >= 8) {
        *sink.next++ = static_cast<std::byte>(sink.held & 0xFFU);
        sink.held >>= 8;
        sink.held_bits -= 8;
    }
}

/// `count` bits from bit `first` of the data on. Reads eight bytes where there
/// are eight, else the bytes that hold the bits.
inline std::uint64_t extract(const std::byte* data, const std::byte* data_end, std::int64_t first,
                             std::int64_t count) {
    const std::byte* from = data + first / 8;
    const std::int64_t before = first % 8;
    std::uint64_t word = 0;
    if (data_end - from >= 8) {
        word = load_one<std::uint64_t>(from);
    } else {
        std::memcpy(&word, from, static_cast<std::size_t>((before + count + 7) / 8));
    }
    if constexpr (!low_first) word = __builtin_bswap64(word);
    return word >> before & ((std::uint64_t{1} << count) - 1);
}

template <class Position>
InstructionSet move_bits(const BitsJob& job, BitSink& target) {
    BitSink sink = target;
    const auto* positions = static_cast<const std::byte*>(job.positions);
    for (std::int64_t k = 0; k < job.picks; ++k) {
        const std::int64_t position = element<Position>(positions, k);
        const std::int64_t unit = job.base + position * job.index_step + k * job.column_step;
        const bool zero = job.zero_fill && position < 0;
        for (std::int64_t done = 0; done < job.unit_bits; done += most_bits) {
            const std::int64_t left = job.unit_bits - done;
            const std::int64_t count = left < most_bits ? left : most_bits;
            append(sink,
                   zero ? 0 : extract(job.data, job.data_end, unit * job.unit_bits + done, count),
                   count);
        }
    }
    target = sink;
    return compiled_for;
}

}  // namespace
}  // namespace gathercheck::optimized
