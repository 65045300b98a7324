// SPDX-License-Identifier: Apache-2.0
// Kernels that check indices and pick the elements that they name in one pass.
#pragma once

#include "optimized/kernels/elements.hpp"
#include "optimized/kernels/indices.hpp"

namespace gathercheck::optimized {
namespace {

/// Reads indices of one table, checks them and gives their positions, a vector of
/// i32 at a time. Positions of illegal ones are any numbers.
template <class Index, class A>
class IndexReader {
public:
    static constexpr std::int64_t lanes = lanes_of<std::int32_t, A>;

    explicit IndexReader(const PickJob& job)
        : range_(job.first, job.extent - 1),
          each_(job.first, job.extent - 1),
          extent_(static_cast<std::int32_t>(job.extent)) {}

    /// Checks as many as a vector holds.
    [[gnu::always_inline]] Batch<std::int32_t, A> check(const std::byte* from) {
        return checked(from);
    }

    /// Whether an i32 among those is negative.
    bool negative() const { return xsimd::any(signs_ < Batch<std::int32_t, A>(0)); }

    [[gnu::always_inline]] Batch<std::int32_t, A> operator()(const std::byte* from) {
        const Batch<std::int32_t, A> zero(0);
        const auto x = checked(from);
        return xsimd::select(x < zero, x + Batch<std::int32_t, A>(extent_), x);
    }

    /// The k-th index from `from` on.
    std::int32_t one(const std::byte* from, std::int64_t k) {
        const auto x = element<Index>(from, k);
        bad_one_ |= each_.broken_by(x);
        const auto low = static_cast<std::int32_t>(x);
        return low < 0 ? low + extent_ : low;
    }

    /// Whether one read so far is illegal.
    bool bad() const {
        if constexpr (halves) {
            return bad_one_ || xsimd::any(bad_) || xsimd::any(odd_ != Batch<std::int32_t, A>(0));
        } else {
            return bad_one_ || xsimd::any(bad_);
        }
    }

private:
    /// While elements are fetched the stream of indices would run dry: it is asked for so
    /// far ahead.
    static constexpr std::int64_t bytes_ahead = 4096;

    /// i64 indices by their halves, as scan_halves does it.
    static constexpr bool halves = sizeof(Index) == 8 && has_high_halves(A{});
    using Compared = std::conditional_t<halves, std::int32_t, Index>;

    [[gnu::always_inline]] Batch<std::int32_t, A> checked(const std::byte* from) {
        const Batch<Compared, A> bias(range_.bias);
        const Batch<Compared, A> limit(range_.limit);
        for (std::int64_t k = 0; k < lanes * raw_size<Index>; k += 64) {
            __builtin_prefetch(from + bytes_ahead + k);
        }
        if constexpr (sizeof(Index) == 4) {
            const auto x = load<Index, A>(from);
            bad_ = bad_ | (x + bias > limit);
            signs_ = signs_ | x;
            return x;
        } else {
            const auto a = load<Index, A>(from);
            const auto b = load<Index, A>(from + lanes / 2 * raw_size<Index>);
            const auto x = narrow<A>(a, b, A{});
            if constexpr (halves) {
                bad_ = bad_ | (x + bias > limit);
                odd_ = odd_ | (high_halves<A>(a, b, A{}) ^ (x >> 31));
            } else {
                bad_ = bad_ | (a + bias > limit) | (b + bias > limit);
            }
            return x;
        }
    }

    RangeCheck<Compared> range_;
    RangeCheck<Index> each_;
    std::int32_t extent_;
    Mask<Compared, A> bad_{false};
    Batch<std::int32_t, A> odd_{0};
    Batch<std::int32_t, A> signs_{0};
    bool bad_one_ = false;
};

/// Calls `pick(table of the row, indices of the row, output of the row)` for each
/// row of a job, until it returns false.
template <int Bytes, class Index, class Pick>
void each_row_of_picks(const PickJob& job, Pick pick) {
    const std::byte* table = job.table;
    const std::byte* indices = job.indices;
    std::byte* output = job.output;
    for (std::int64_t r = 0; r < job.rows; ++r) {
        for (std::int64_t k = 0; k < job.next_table; k += 64) {
            __builtin_prefetch(table + job.row_step * Bytes + k);
        }
        if (!pick(table, indices, output)) return;
        table += job.row_step * Bytes;
        indices += job.lanes * raw_size<Index>;
        output += job.lanes * Bytes;
    }
}

/// Some indices are checked and their places kept, then their elements are
/// fetched: so few that the next ones are checked while elements arrive.
template <int Bytes, class Index, bool Lanes, bool Gathers, class A>
IndexSummary pick_checked(const PickJob& job) {
    constexpr std::int64_t lanes = lanes_of<std::int32_t, A>;
    constexpr std::int64_t most = 256;
    IndexReader<Index, A> read(job);
    alignas(64) std::int32_t places[most];
    const auto step = static_cast<std::int32_t>(job.index_step);
    const auto lane_step = static_cast<std::int32_t>(job.lane_step);
    const Batch<std::int32_t, A> steps(step);
    const Batch<std::int32_t, A> lane_places =
        count_up<std::int32_t, A>() * Batch<std::int32_t, A>(lane_step);
    each_row_of_picks<Bytes, Index>(job, [&](const std::byte* table, const std::byte* indices,
                                             std::byte* output) {
        // Elements first to first + count - 1 of the row, at most `most`.
        const auto pick = [&](std::int64_t first, std::int64_t count) {
            const std::byte* from = indices + first * raw_size<Index>;
            const auto at = static_cast<std::int32_t>(first) * lane_step;
            const auto place = [&](std::int64_t k) {
                auto places_here = read(from + k * raw_size<Index>);
                if constexpr (Lanes) {
                    const auto here = at + static_cast<std::int32_t>(k) * lane_step;
                    places_here = places_here * steps + lane_places + Batch<std::int32_t, A>(here);
                }
                places_here.store_unaligned(places + k);
            };
            if (count >= lanes) {
                for (std::int64_t k = 0; k + lanes <= count; k += lanes) place(k);
                if (count % lanes != 0) place(count - lanes);
            } else {
                for (std::int64_t k = 0; k < count; ++k) {
                    const std::int32_t position = read.one(from, k);
                    places[k] =
                        Lanes ? position * step + at + static_cast<std::int32_t>(k) * lane_step
                              : position;
                }
            }
            if (read.bad()) return false;
            if constexpr (Gathers) {
                MoveJob move{};
                move.table = table;
                move.positions = places;
                move.output = output + first * Bytes;
                move.rows = 1;
                move.lanes = count;
                move_by_gathers<Bytes, std::int32_t, false, A>(move);
            } else {
                const Source<Bytes, std::int32_t, false> source{
                    table, reinterpret_cast<const std::byte*>(places), 1, 0};
                pick_by_loads<Bytes>(source, count, output + first * Bytes);
            }
            return true;
        };
        std::int64_t k = 0;
        for (; k + most <= job.lanes; k += most) {
            if (!pick(k, most)) return false;
        }
        return k == job.lanes || pick(k, job.lanes - k);
    });
    return {read.bad(), false, compiled_for};
}

/// As move_by_table.
template <int Bytes, class Index, class Table, class A>
IndexSummary pick_from_table(const PickJob& job) {
    using Key = Unit<Bytes>;
    constexpr std::int64_t lanes = lanes_of<Key, A>;
    constexpr std::int64_t part = lanes_of<std::int32_t, A>;
    if (job.lanes < lanes) return pick_checked<Bytes, Index, false, false, A>(job);
    IndexReader<Index, A> read(job);
    each_row_of_picks<Bytes, Index>(
        job, [&](const std::byte* from, const std::byte* indices, std::byte* output) {
            alignas(64) std::byte copy[Table::entries * Bytes];
            if (job.extent != Table::entries) {
                std::memcpy(copy, from, static_cast<std::size_t>(job.extent * Bytes));
                from = copy;
            }
            const Table table(from);
            const auto pick = [&](std::int64_t k) __attribute__((always_inline)) {
                const auto positions = [&](int which) __attribute__((always_inline)) {
                    return read(indices + (k + which * part) * raw_size<Index>);
                };
                Batch<Key, A> keys;
                if constexpr (Bytes == 4) {
                    keys = xsimd::bitwise_cast<Key>(positions(0));
                } else if constexpr (Bytes == 2) {
                    const auto a = positions(0);
                    keys = to_words<A>(a, positions(1), A{});
                } else {
                    const auto a = positions(0);
                    const auto b = positions(1);
                    const auto c = positions(2);
                    keys = to_bytes<A>(a, b, c, positions(3), A{});
                }
                store(output + k * Bytes, table.lookup(keys));
            };
            for (std::int64_t k = 0; k + lanes <= job.lanes; k += lanes) pick(k);
            if (job.lanes % lanes != 0) pick(job.lanes - lanes);
            return !read.bad();
        });
    return {read.bad(), false, compiled_for};
}

}  // namespace
}  // namespace gathercheck::optimized
