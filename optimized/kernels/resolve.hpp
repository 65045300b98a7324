// SPDX-License-Identifier: Apache-2.0
// Kernels that check indices and wrap and narrow them to positions, in one pass.
#pragma once

#include "optimized/kernels.hpp"
#include "optimized/kernels/prefetch.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

/// Negative indices count from `from_end`, which is the extent, or 0 where they are out of bounds.
/// Taken without sign, a negative one is the greater of the two; one out of bounds stays beyond all
/// positions.
template <class A>
[[gnu::always_inline]] inline Batch<std::uint32_t, A> wrap(Batch<std::uint32_t, A> index,
                                                           Batch<std::uint32_t, A> from_end) {
    return xsimd::min(index, index + from_end);
}

/// Whether all positions that were added lie in a table.
template <class A>
class PositionCheck {
public:
    explicit PositionCheck(std::int64_t extent) : last_(static_cast<std::uint32_t>(extent - 1)) {}

    [[gnu::always_inline]] void add(const Batch<std::uint32_t, A>& position) {
        max_ = xsimd::max(max_, position);
    }
    bool failed() const { return xsimd::any(max_ > last_); }

private:
    Batch<std::uint32_t, A> last_;
    Batch<std::uint32_t, A> max_{0};
};

/// Reads indices of type i32 or i64 as vectors of 32 bits, and remembers whether one had more.
template <class Raw, class A>
class NarrowReader {
public:
    using Vector = Batch<std::uint32_t, A>;

    static constexpr std::int64_t lanes = lanes_of<std::uint32_t, A>;
    static constexpr std::int64_t vector_bytes = lanes * size_of<Raw>;

    [[gnu::always_inline]] Vector operator()(const std::byte* from) {
        if constexpr (sizeof(Raw) == 4) {
            return load<std::uint32_t, A>(from);
        } else {
            const auto low = load<std::int64_t, A>(from);
            const auto high = load<std::int64_t, A>(from + vector_bytes / 2);
            // Moved so that those of 32 bits have no bits above.
            const Batch<std::int64_t, A> lowest(std::int64_t{1} << 31);
            moved_ = moved_ | (low + lowest) | (high + lowest);
            return xsimd::bitwise_cast<std::uint32_t>(low_halves(low, high));
        }
    }

    bool failed() const {
        if constexpr (sizeof(Raw) == 4) return false;
        const auto high_bits = xsimd::bitwise_cast<std::uint64_t>(moved_) >> 32;
        return xsimd::any(xsimd::bitwise_cast<std::uint32_t>(high_bits) != Vector(0));
    }

private:
    Batch<std::int64_t, A> moved_{0};
};

/// An index as a position, which is below `extent` where the index is legal.
template <class Raw>
std::uint64_t wrapped(Raw index, std::uint64_t from_end) {
    if constexpr (std::is_signed_v<Raw>) {
        const std::int64_t wide = index;
        return static_cast<std::uint64_t>(wide) +
               (static_cast<std::uint64_t>(wide >> 63) & from_end);
    } else {
        return index;
    }
}

/// An index as the position of the nearest one in bounds.
template <class Raw>
std::uint64_t clamped(Raw index, std::uint64_t extent, bool negative_allowed) {
    if constexpr (std::is_signed_v<Raw>) {
        const auto size = static_cast<std::int64_t>(extent);
        const std::int64_t first = negative_allowed ? -size : 0;
        const std::int64_t nearest = index < first ? first : index >= size ? size - 1 : index;
        return static_cast<std::uint64_t>(nearest < 0 ? nearest + size : nearest);
    } else {
        return index < extent ? index : extent - 1;
    }
}

/// False after an index that is rejected.
template <class Raw, class Position>
bool resolve_each(const ResolveJob& job, Position* positions) {
    const auto extent = static_cast<std::uint64_t>(job.extent);
    const std::uint64_t from_end = job.negative_allowed ? extent : 0;
    bool failed = false;
    for (std::int64_t k = 0; k < job.count; ++k) {
        const std::uint64_t position = wrapped(element<Raw>(job.indices, k), from_end);
        const bool out_of_bounds = position >= extent;
        failed |= out_of_bounds;
        positions[k] = out_of_bounds ? Position{-1} : static_cast<Position>(position);
    }
    return job.beyond == OutOfBounds::zero || !failed;
}

template <class Raw, class Position>
void clamp_each(const ResolveJob& job, Position* positions) {
    const auto extent = static_cast<std::uint64_t>(job.extent);
    for (std::int64_t k = 0; k < job.count; ++k) {
        asm volatile("");  // not to be vectorised: few calls come here
        positions[k] = static_cast<Position>(
            clamped(element<Raw>(job.indices, k), extent, job.negative_allowed));
    }
}

/// The same for a vector of i32 or i64 or more. The extent has 31 bits.
template <class Raw, class A>
void clamp_vectors(const ResolveJob& job, std::int32_t* positions) {
    using Vector = Batch<Raw, A>;
    constexpr std::int64_t lanes = lanes_of<std::int32_t, A>;
    const Vector first(job.negative_allowed ? static_cast<Raw>(-job.extent) : 0);
    const Vector last(static_cast<Raw>(job.extent - 1));
    const Batch<std::uint32_t, A> from_end(
        job.negative_allowed ? static_cast<std::uint32_t>(job.extent) : 0);
    const auto nearest = [&](const std::byte* from) __attribute__((always_inline)) {
        return xsimd::min(xsimd::max(load<Raw, A>(from), first), last);
    };
    const auto step = [&](std::int64_t k) __attribute__((always_inline)) {
        const std::byte* from = job.indices + k * size_of<Raw>;
        Batch<std::uint32_t, A> index;
        if constexpr (sizeof(Raw) == 4) {
            index = xsimd::bitwise_cast<std::uint32_t>(nearest(from));
        } else {
            index = xsimd::bitwise_cast<std::uint32_t>(
                low_halves(nearest(from), nearest(from + lanes / 2 * size_of<Raw>)));
        }
        wrap(index, from_end).store_unaligned(reinterpret_cast<std::uint32_t*>(positions) + k);
    };
    std::int64_t k = 0;
    for (; k + lanes <= job.count; k += lanes) step(k);
    if (k < job.count) step(job.count - lanes);  // the rest, some of it a second time
}

template <class Raw, class A>
bool resolve_vectors(const ResolveJob& job, std::int32_t* positions) {
    NarrowReader<Raw, A> read;
    PositionCheck<A> check(job.extent);
    const Batch<std::uint32_t, A> from_end(
        job.negative_allowed ? static_cast<std::uint32_t>(job.extent) : 0);
    const auto step = [&](std::int64_t k) __attribute__((always_inline)) {
        const auto position = wrap(read(job.indices + k * size_of<Raw>), from_end);
        check.add(position);
        position.store_unaligned(reinterpret_cast<std::uint32_t*>(positions) + k);
    };
    // A line of indices, or a vector that is longer.
    constexpr std::int64_t line = line_bytes / size_of<Raw>;
    constexpr std::int64_t together = line < read.lanes ? read.lanes : line;
    std::int64_t k = 0;
    for (; k + together <= job.count; k += together) {
        prefetch_next_block(job.indices + k * size_of<Raw>, together * size_of<Raw>,
                            job.count * size_of<Raw>);
        for (std::int64_t j = k; j < k + together; j += read.lanes) step(j);
    }
    for (; k + read.lanes <= job.count; k += read.lanes) step(k);
    if (k < job.count) step(job.count - read.lanes);  // the rest, some of it a second time
    return !check.failed() && !read.failed();
}

template <class Raw, class Position, class A>
InstructionSet resolve(const ResolveJob& job, void* positions) {
    auto* to = static_cast<Position*>(positions);
    bool legal = false;
    constexpr bool vectors =
        std::is_signed_v<Raw> && sizeof(Raw) >= 4 && std::is_same_v<Position, std::int32_t>;
    if constexpr (vectors) {
        if (job.count >= lanes_of<std::int32_t, A> && job.beyond != OutOfBounds::zero) {
            if (job.beyond == OutOfBounds::reject) {
                legal = resolve_vectors<Raw, A>(job, to);
            } else {
                clamp_vectors<Raw, A>(job, to);
                legal = true;
            }
            return legal ? compiled_for : InstructionSet::none;
        }
    }
    if (job.beyond == OutOfBounds::clamp) {
        clamp_each<Raw>(job, to);
        legal = true;
    } else {
        legal = resolve_each<Raw>(job, to);
    }
    return legal ? compiled_for : InstructionSet::none;
}

template <class Position, class A>
void place_columns(void* positions, std::int64_t rows, std::int64_t picks, std::int64_t index_step,
                   std::int64_t column_step) {
    using Modular = std::make_unsigned_t<Position>;
    const auto step = static_cast<Modular>(index_step);
    const auto column = static_cast<Modular>(column_step);
    auto* to = static_cast<Modular*>(positions);
    for (std::int64_t r = 0; r < rows; ++r, to += picks) {
        for (std::int64_t k = 0; k < picks; ++k) {
            to[k] = static_cast<Modular>(to[k] * step + static_cast<Modular>(k) * column);
        }
    }
}

}  // namespace
}  // namespace gathercheck::optimized
