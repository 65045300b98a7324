// SPDX-License-Identifier: Apache-2.0
// Kernels on index values: check them, and turn them into positions.
#pragma once

#include <limits>

#include "optimized/kernels.hpp"
#include "optimized/kernels/shim.hpp"

namespace gathercheck::optimized {
namespace {

/// One range check as one addition and one signed comparison: x is in
/// [first, last] where x + bias <= limit. bias moves first to the smallest
/// signed number, in arithmetic modulo 2^bits; bounds beyond the type's are cut.
template <class Raw>
struct RangeCheck {
    using Signed = std::make_signed_t<Raw>;
    using Unsigned = std::make_unsigned_t<Raw>;
    using Limits = std::numeric_limits<Raw>;

    RangeCheck() = default;
    RangeCheck(std::int64_t first, std::int64_t last) {
        constexpr auto smallest = static_cast<Unsigned>(std::numeric_limits<Signed>::min());
        const Unsigned low = std::is_signed_v<Raw> && first < 0
                                 ? static_cast<Unsigned>(first < lowest() ? lowest() : first)
                                 : Unsigned{0};
        const Unsigned high = static_cast<Unsigned>(last > highest() ? highest() : last);
        bias = static_cast<Signed>(static_cast<Unsigned>(smallest - low));
        limit = static_cast<Signed>(static_cast<Unsigned>(high - low + smallest));
    }
    bool broken_by(Raw x) const {
        const auto moved =
            static_cast<Unsigned>(static_cast<Unsigned>(x) + static_cast<Unsigned>(bias));
        return static_cast<Signed>(moved) > limit;
    }
    static constexpr std::int64_t lowest() { return static_cast<std::int64_t>(Limits::min()); }
    static constexpr std::int64_t highest() {
        return sizeof(Raw) == 8 ? std::numeric_limits<std::int64_t>::max()
                                : static_cast<std::int64_t>(Limits::max());
    }

    Signed bias = 0;
    Signed limit = 0;
};

template <class Raw>
constexpr std::int64_t raw_size = static_cast<std::int64_t>(sizeof(Raw));

template <class Raw>
constexpr bool is_negative(Raw x) {
    if constexpr (std::is_signed_v<Raw>) return x < 0;
    return false;
}

/// Whether vectors of 32 bits have a minimum and a maximum without sign.
constexpr bool has_signless_extremes =
#if defined(__SSE4_1__) || defined(__aarch64__)
    true;
#else
    false;
#endif

/// Indices as positions: negative ones count from `from_end`, which is the extent, or 0 where
/// they are illegal. What is illegal stays negative or beyond the extent.
template <class T, class A>
[[gnu::always_inline]] inline Batch<T, A> count_from_end(Batch<T, A> x, Batch<T, A> from_end) {
    if constexpr (sizeof(T) == 4 && has_signless_extremes) {
        // Taken without sign, x is the greater of the two where it is negative.
        return xsimd::bitwise_cast<T>(xsimd::min(xsimd::bitwise_cast<std::uint32_t>(x),
                                                 xsimd::bitwise_cast<std::uint32_t>(x + from_end)));
    }
    return xsimd::select(x < Batch<T, A>(T{0}), x + from_end, x);
}

/// Whether positions lie in a table: all that were added, told at the end.
template <class Position, class A>
class PositionCheck {
public:
    using Vector = Batch<Position, A>;

    PositionCheck() = default;  // to be assigned
    [[gnu::always_inline]] explicit PositionCheck(std::int64_t extent)
        : last_(static_cast<Position>(extent - 1)) {}

    [[gnu::always_inline]] void add(const Vector& at) {
        if constexpr (by_maximum) {
            seen_ = signless(xsimd::max(signless(seen_), signless(at)));
        } else {
            seen_ = seen_ | at | (last_ - at);
        }
    }

    [[gnu::always_inline]] bool broken() const {
        if constexpr (by_maximum) return xsimd::any(signless(seen_) > signless(last_));
        return xsimd::any(seen_ < Vector(0));
    }

    /// Which of these do, whether they were added or not.
    [[gnu::always_inline]] Mask<Position, A> legal(const Vector& at) const {
#if defined(__AVX512F__)
        return xsimd::batch_bool_cast<Position>(signless(at) <= signless(last_));
#else
        if constexpr (by_maximum) {
            return at == signless(xsimd::min(signless(at), signless(last_)));
        }
        return !((at | (last_ - at)) < Vector(0));
#endif
    }

private:
    /// Taken without sign, the largest is past the last where any is negative or beyond. For sets
    /// that have no such maximum: a position or what is left to the last one is negative then.
#if defined(__AVX512F__)
    static constexpr bool by_maximum = true;
#else
    static constexpr bool by_maximum = sizeof(Position) == 4 && has_signless_extremes;
#endif
    using Limb = std::make_unsigned_t<Position>;

    [[gnu::always_inline]] static Batch<Limb, A> signless(const Vector& x) {
        return xsimd::bitwise_cast<Limb>(x);
    }
    [[gnu::always_inline]] static Vector signless(const Batch<Limb, A>& x) {
        return xsimd::bitwise_cast<Position>(x);
    }

    Vector last_;
    Vector seen_{0};
};

/// While one block of indices is checked, the next one, which begins where it
/// ends, is on its way: moving the block's units would let the stream of indices
/// run dry.
template <int Cache = level_1>
inline void ask_for_next(const std::byte* indices, std::int64_t block_bytes) {
    __builtin_prefetch(indices + block_bytes, 0, Cache);
}

/// While elements are fetched the stream of indices would run dry: it is asked for so
/// far ahead, each of its lines at least once. Not by whole pages: lines that lie pages apart share
/// a set of a level 1 cache. Inlined before GCC takes it for a function without effect.
constexpr std::int64_t bytes_ahead = 47 * line_bytes;
[[gnu::always_inline]] inline void ask_ahead(const std::byte* indices,
                                             std::int64_t ahead = bytes_ahead) {
    __builtin_prefetch(indices + ahead);
}

/// i64 indices against bounds of 32 bits, for sets that compare no 64-bit
/// integers or do it slowly: the high half must repeat the sign of the low one.
template <class A>
IndexSummary scan_halves(const std::byte* indices, std::int64_t count, std::int64_t first,
                         std::int64_t last) {
    constexpr std::int64_t lanes = lanes_of<std::int32_t, A>;
    constexpr std::int64_t size = raw_size<std::int64_t>;
    const RangeCheck<std::int32_t> range(first, last);
    const Batch<std::int32_t, A> bias(range.bias);
    const Batch<std::int32_t, A> limit(range.limit);
    Mask<std::int32_t, A> bad(false);
    Batch<std::int32_t, A> odd(0);
    Batch<std::int32_t, A> signs(0);
    const auto check = [&](std::int64_t k) {
        const auto a = load<std::int64_t, A>(indices + k * size);
        const auto b = load<std::int64_t, A>(indices + (k + lanes / 2) * size);
        const auto low = narrow<A>(a, b, A{});
        const auto high = high_halves<A>(a, b, A{});
        bad = bad | (low + bias > limit);
        odd = odd | (high ^ (low >> 31));
        signs = signs | high;
    };
    std::int64_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        ask_for_next(indices + k * size, count * size);
        check(k);
    }
    if (k < count) check(count - lanes);
    const Batch<std::int32_t, A> zero(0);
    return {xsimd::any(bad) || xsimd::any(odd != zero), xsimd::any(signs < zero), compiled_for};
}

template <class Raw, class A>
IndexSummary scan(const std::byte* indices, std::int64_t count, std::int64_t first,
                  std::int64_t last) {
    using Signed = std::make_signed_t<Raw>;
    constexpr std::int64_t lanes = lanes_of<Signed, A>;
    static_assert(lanes > 0);
    if constexpr (std::is_same_v<Raw, std::int64_t> && has_high_halves(A{})) {
        using Narrow = std::numeric_limits<std::int32_t>;
        if (count >= 2 * lanes && first >= Narrow::min() && last <= Narrow::max()) {
            return scan_halves<A>(indices, count, first, last);
        }
    }
    const RangeCheck<Raw> range(first, last);
    IndexSummary summary{false, false, compiled_for};
    if (count < lanes) {
        for (std::int64_t k = 0; k < count; ++k) {
            const Raw x = element<Raw>(indices, k);
            summary.out_of_bounds |= range.broken_by(x);
            summary.negative |= is_negative(x);
        }
        return summary;
    }
    const Batch<Signed, A> bias(range.bias);
    const Batch<Signed, A> limit(range.limit);
    Mask<Signed, A> bad(false);
    Batch<Signed, A> signs(Signed{0});
    const auto check = [&](std::int64_t k) {
        const auto x = load<Signed, A>(indices + k * raw_size<Raw>);
        bad = bad | (x + bias > limit);
        signs = signs | x;
    };
    std::int64_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        ask_for_next(indices + k * raw_size<Raw>, count * raw_size<Raw>);
        check(k);
    }
    if (k < count) check(count - lanes);  // the rest, some of it a second time
    summary.out_of_bounds = xsimd::any(bad);
    if constexpr (std::is_signed_v<Raw>) {
        summary.negative = xsimd::any(signs < Batch<Signed, A>(Signed{0}));
    }
    return summary;
}

/// Reads i64 indices as vectors of i32, and keeps whether one of them was none.
template <class A>
class Narrower {
public:
    [[gnu::always_inline]] Batch<std::int32_t, A> operator()(const std::byte* from) {
        constexpr std::int64_t half = lanes_of<std::int64_t, A>;
        const Batch<std::int64_t, A> lowest(std::int64_t{1} << (narrow_bits - 1));
        const auto a = load_once<std::int64_t, A>(from);
        const auto b = load_once<std::int64_t, A>(from + half * raw_size<std::int64_t>);
        moved_ = moved_ | (a + lowest) | (b + lowest);
        return narrow<A>(a, b, A{});
    }

    [[gnu::always_inline]] bool lost_bits() const { return has_high_bits(moved_); }

    /// The same of indices that should not be negative, and whether one was that or no u32.
    [[gnu::always_inline]] Batch<std::int32_t, A> as_they_are(const std::byte* from) {
        constexpr std::int64_t half = lanes_of<std::int64_t, A>;
        const auto a = load_once<std::int64_t, A>(from);
        const auto b = load_once<std::int64_t, A>(from + half * raw_size<std::int64_t>);
        seen_ = seen_ | a | b;
        return narrow<A>(a, b, A{});
    }

    [[gnu::always_inline]] bool lost_high_bits() const { return has_high_bits(seen_); }

private:
    static constexpr int narrow_bits = 32;

    [[gnu::always_inline]] static bool has_high_bits(const Batch<std::int64_t, A>& x) {
        const auto high =
            xsimd::bitwise_cast<std::int32_t>(xsimd::bitwise_cast<std::uint64_t>(x) >> narrow_bits);
        return xsimd::any(high != Batch<std::int32_t, A>(0));
    }

    Batch<std::int64_t, A> moved_{0};  // has high bits where one was no i32
    Batch<std::int64_t, A> seen_{0};   // has them where one of the others was negative or no u32
};

/// -1 for an index outside [-extent, extent - 1] where `mark`.
template <class Raw>
std::int64_t wrapped(Raw x, std::int64_t extent, bool mark) {
    if constexpr (std::is_signed_v<Raw>) {
        const std::int64_t value = x;
        const std::int64_t position = value < 0 ? value + extent : value;
        return mark && (position < 0 || position >= extent) ? -1 : position;
    } else {
        const std::uint64_t value = x;
        return mark && value >= static_cast<std::uint64_t>(extent)
                   ? -1
                   : static_cast<std::int64_t>(value);
    }
}

template <class Raw, class Position>
void wrap_each(const std::byte* indices, std::int64_t count, std::int64_t extent, bool mark,
               Position* positions) {
    for (std::int64_t k = 0; k < count; ++k) {
        positions[k] = static_cast<Position>(wrapped(element<Raw>(indices, k), extent, mark));
    }
}

template <bool Mark, class Raw, class A>
Batch<Raw, A> wrap_lanes(const std::byte* from, Batch<Raw, A> extent) {
    const auto position = count_from_end(load<Raw, A>(from), extent);
    if constexpr (!Mark) return position;
    const auto legal = (extent > position) & !(position < Batch<Raw, A>(Raw{0}));
    return xsimd::select(legal, position, Batch<Raw, A>(Raw{-1}));
}

/// Legal indices of a table of less than 2^31 entries fit 32 bits: narrowed
/// first, they take half as many steps.
template <class A>
Batch<std::int32_t, A> wrap_narrowed(const std::byte* from, Batch<std::int32_t, A> extent) {
    constexpr std::int64_t half = lanes_of<std::int64_t, A>;
    return count_from_end(
        narrow<A>(load<std::int64_t, A>(from),
                  load<std::int64_t, A>(from + half * raw_size<std::int64_t>), A{}),
        extent);
}

template <bool Mark, class Raw, class Position, class A>
void wrap_vectors(const std::byte* indices, std::int64_t count, std::int64_t extent,
                  Position* positions) {
    constexpr std::int64_t lanes = lanes_of<Position, A>;
    const Batch<Raw, A> extents(static_cast<Raw>(extent));
    [[maybe_unused]] const Batch<std::int32_t, A> narrow_extents(static_cast<std::int32_t>(extent));
    const auto step = [&](std::int64_t k) {
        const std::byte* from = indices + k * raw_size<Raw>;
        if constexpr (sizeof(Raw) == sizeof(Position)) {
            wrap_lanes<Mark, Raw, A>(from, extents).store_unaligned(positions + k);
        } else if constexpr (!Mark) {
            wrap_narrowed<A>(from, narrow_extents).store_unaligned(positions + k);
        } else {
            narrow<A>(wrap_lanes<Mark, Raw, A>(from, extents),
                      wrap_lanes<Mark, Raw, A>(from + lanes / 2 * raw_size<Raw>, extents), A{})
                .store_unaligned(positions + k);
        }
    };
    if (count < lanes) return wrap_each<Raw>(indices, count, extent, Mark, positions);
    std::int64_t k = 0;
    for (; k + lanes <= count; k += lanes) step(k);
    if (k < count) step(count - lanes);
}

template <class Raw, class Position, class A>
void wrap(const std::byte* indices, std::int64_t count, std::int64_t extent, bool mark,
          void* positions) {
    auto* out = static_cast<Position*>(positions);
    if constexpr (std::is_signed_v<Raw> && sizeof(Raw) >= sizeof(Position)) {
        if (mark) {
            wrap_vectors<true, Raw, Position, A>(indices, count, extent, out);
        } else {
            wrap_vectors<false, Raw, Position, A>(indices, count, extent, out);
        }
    } else {
        wrap_each<Raw>(indices, count, extent, mark, out);
    }
}

/// Whether `count` positions are their first one plus Step times their number,
/// Step being 0 or 1. Those `block_bytes` behind them are on their way to a cache then.
template <int Step, int Cache, class Position, class A>
bool steps_by(const std::byte* positions, std::int64_t count, std::int64_t block_bytes) {
    constexpr std::int64_t lanes = lanes_of<Position, A>;
    constexpr std::int64_t size = raw_size<Position>;
    const auto first = load_one<Position>(positions);
    using Limb = std::make_unsigned_t<Position>;  // unchecked indices may lie anywhere
    const auto expected = [&](std::int64_t k) {
        return static_cast<Position>(
            static_cast<Limb>(static_cast<Limb>(first) + static_cast<Limb>(k * Step)));
    };
    if (element<Position>(positions, count - 1) != expected(count - 1)) return false;
    if (count < lanes) {
        constexpr std::int64_t bytes = lanes_of<std::uint8_t, A>;
#if defined(__AVX2__)
        if constexpr (bytes == 64)
            return steps_by<Step, Cache, Position, ThirtyTwo>(positions, count, block_bytes);
#endif
        if constexpr (bytes == 32)
            return steps_by<Step, Cache, Position, Sixteen>(positions, count, block_bytes);
        for (std::int64_t k = 0; k < count; ++k) {
            if (element<Position>(positions, k) != expected(k)) return false;
        }
        return true;
    }
    Batch<Position, A> starts(first);
    if constexpr (Step != 0) {
        alignas(64) Position start[lanes];
        for (std::int64_t k = 0; k < lanes; ++k) start[k] = expected(k);
        starts = Batch<Position, A>::load_aligned(start);
    }
    const auto fits = [&](std::int64_t k) {
        ask_for_next<Cache>(positions + k * size, block_bytes);
        const auto here = load<Position, A>(positions + k * size);
        if constexpr (Step == 0) return xsimd::all(here == starts);
        return xsimd::all(here == starts + Batch<Position, A>(static_cast<Position>(k)));
    };
    for (std::int64_t k = 0; k + lanes <= count; k += lanes) {
        if (!fits(k)) return false;
    }
    return fits(count - lanes);
}

template <class Position, class A>
Pattern classify(const void* positions, std::int64_t count) {
    const auto* from = static_cast<const std::byte*>(positions);
    if (count < 2) return Pattern::none;
    using Limb = std::make_unsigned_t<Position>;
    const auto step = static_cast<Limb>(static_cast<Limb>(element<Position>(from, 1)) -
                                        static_cast<Limb>(element<Position>(from, 0)));
    const std::int64_t bytes = count * raw_size<Position>;
    if (step == 0 && steps_by<0, level_1, Position, A>(from, count, bytes))
        return Pattern::constant;
    if (step == 1 && steps_by<1, level_1, Position, A>(from, count, bytes))
        return Pattern::consecutive;
    return Pattern::none;
}

/// Rows of data are moved before the indices that follow are read.
template <class Position, class A>
bool first_of_rows(const void* positions, std::int64_t rows, std::int64_t lanes,
                   [[maybe_unused]] bool far, void* firsts) {
#if defined(__AVX512F__)
    // More of what follows is on its way where less is asked for at a time.
    if constexpr (!std::is_same_v<A, ThirtyTwo>) {
        if (far) return first_of_rows<Position, ThirtyTwo>(positions, rows, lanes, far, firsts);
    }
#endif
    const auto* from = static_cast<const std::byte*>(positions);
    auto* out = static_cast<Position*>(firsts);
    for (std::int64_t r = 0; r < rows; ++r) {
        if (!steps_by<0, level_2, Position, A>(from, lanes, rows * lanes * raw_size<Position>))
            return false;
        out[r] = load_one<Position>(from);
        from += lanes * raw_size<Position>;
    }
    return true;
}

}  // namespace
}  // namespace gathercheck::optimized
