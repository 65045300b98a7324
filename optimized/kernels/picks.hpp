// SPDX-License-Identifier: Apache-2.0
// Kernels that check indices and pick the elements that they name in one pass.
#pragma once

#include "optimized/kernels/elements.hpp"
#include "optimized/kernels/indices.hpp"
#include "optimized/kernels/rows.hpp"

namespace gathercheck::optimized {
namespace {

/// Lines that are on their way out past the caches take room from those that come.
inline std::int64_t bytes_ahead_of(bool streamed) {
    return streamed ? bytes_ahead / 2 : bytes_ahead;
}

struct NoNarrower {};

/// Reads indices of one table, checks them and gives their positions, a vector of Position at
/// a time: i32, or i64 for elements of 8 bytes by gathers. Positions of illegal ones are any
/// numbers.
template <class Index, class A, class Position = std::int32_t>
class IndexReader {
public:
    using Vector = Batch<Position, A>;

    static constexpr std::int64_t lanes = lanes_of<Position, A>;
    static constexpr std::int64_t vector_bytes = lanes * raw_size<Index>;

    [[gnu::always_inline]] explicit IndexReader(const PickJob& job)
        : from_end_(static_cast<Position>(-job.first)), wrapped_(job.extent), as_is_(job.extent) {}

    /// Of one vector; negative ones count from the end.
    [[gnu::always_inline]] Vector positions(const std::byte* from) {
        const auto at = count_from_end(indices(from), from_end_);
        wrapped_.add(at);
        return at;
    }

    /// That, and which of them may be used.
    [[gnu::always_inline]] Vector positions(const std::byte* from, Mask<Position, A>& legal) {
        const auto at = positions(from);
        legal = wrapped_.legal(at);
        return at;
    }

    /// Of indices that should not be negative: as they are.
    [[gnu::always_inline]] Vector as_they_are(const std::byte* from) {
        Vector x;
        if constexpr (narrows) {
            x = narrowed_.as_they_are(from);
        } else {
            x = indices(from);
        }
        as_is_.add(x);
        return x;
    }

    /// Whether all of those so far were legal and not negative.
    [[gnu::always_inline]] bool all_as_they_are() const {
        bool lost_bits = false;
        if constexpr (narrows) lost_bits = narrowed_.lost_high_bits();
        return !as_is_.broken() && !lost_bits;
    }

    /// Whether one of the others so far was illegal.
    [[gnu::always_inline]] bool bad() const {
        bool lost_bits = false;
        if constexpr (narrows) lost_bits = narrowed_.lost_bits();
        return wrapped_.broken() || lost_bits;
    }

private:
    static constexpr bool narrows = sizeof(Index) > sizeof(Position);

    [[gnu::always_inline]] Vector indices(const std::byte* from) {
        if constexpr (narrows) {
            return narrowed_(from);
        } else if constexpr (sizeof(Index) == sizeof(Position)) {
            return load_once<Index, A>(from);
        } else {
            return widen<A>(from, A{});
        }
    }

    Vector from_end_;
    PositionCheck<Position, A> wrapped_;
    PositionCheck<Position, A> as_is_;
    [[no_unique_address]] std::conditional_t<narrows, Narrower<A>, NoNarrower> narrowed_;
};

/// On the way to the next row's table.
[[gnu::always_inline]] inline void ask_for_table(const PickJob& job, const std::byte* next) {
    for (std::int64_t k = 0; k < job.next_table; k += line_bytes) __builtin_prefetch(next + k);
}

/// Places of the elements that a piece of a row of picks names, in the lane flavour
/// or the other; false after an illegal index. Asks for indices so many bytes ahead.
template <class Index, bool Lanes, class A>
bool find_places(const PickJob& job, const std::byte* from, std::int64_t first, std::int64_t count,
                 std::int32_t* places, std::int64_t ahead = bytes_ahead) {
    constexpr std::int64_t lanes = lanes_of<std::int32_t, A>;
    // Without sign: the place of an illegal index may be anything.
    using Place = std::uint32_t;
    const auto step = static_cast<Place>(job.index_step);
    const auto lane_step = static_cast<Place>(job.lane_step);
    const auto at = static_cast<Place>(first) * lane_step;
    if (count < lanes) {
        const RangeCheck<Index> range(job.first, job.extent - 1);
        bool bad = false;
        for (std::int64_t k = 0; k < count; ++k) {
            const auto x = element<Index>(from, k);
            bad |= range.broken_by(x);
            auto place = static_cast<Place>(x);
            if (x < 0) place += static_cast<Place>(job.extent);
            if (Lanes) place = place * step + at + static_cast<Place>(k) * lane_step;
            places[k] = static_cast<std::int32_t>(place);
        }
        return !bad;
    }
    IndexReader<Index, A> read(job);
    const Batch<Place, A> steps(step);
    const auto lane_places = count_up<Place, A>() * Batch<Place, A>(lane_step);
    const auto place = [&](std::int64_t k) __attribute__((always_inline)) {
        const auto positions = read.positions(from + k * raw_size<Index>);
        if constexpr (Lanes) {
            const auto start = at + static_cast<Place>(k) * lane_step;
            const auto here = xsimd::bitwise_cast<Place>(positions) * steps + lane_places +
                              Batch<Place, A>(start);
            xsimd::bitwise_cast<std::int32_t>(here).store_unaligned(places + k);
        } else {
            positions.store_unaligned(places + k);
        }
    };
    // As many as are one line of indices, or more.
    constexpr std::int64_t vectors = (line_bytes + read.vector_bytes - 1) / read.vector_bytes;
    std::int64_t k = 0;
    for (; k + vectors * lanes <= count; k += vectors * lanes) {
        for (std::int64_t b = 0; b < vectors * read.vector_bytes; b += line_bytes) {
            ask_ahead(from + k * raw_size<Index> + b, ahead);
        }
        for (std::int64_t v = 0; v < vectors; ++v) place(k + v * lanes);
    }
    for (; k + lanes <= count; k += lanes) place(k);
    if (k < count) place(count - lanes);
    return !read.bad();
}

template <class A>
InstructionSet resolve(const std::byte* indices, std::int64_t count, std::int64_t first,
                       std::int64_t extent, std::int32_t* positions) {
    PickJob job{};
    job.first = first;
    job.extent = extent;
    const bool legal = find_places<std::int64_t, false, A>(job, indices, 0, count, positions);
    return legal ? compiled_for : InstructionSet::none;
}

/// Whether Count indices, which fill a vector at least, are positions as they are: by halves of 32
/// bits, taken without sign. Low ones lie in the table, high ones are 0.
template <class Index, std::int64_t Count, class A>
class AreLegal {
public:
    [[gnu::always_inline]] explicit AreLegal(const PickJob& job)
        : lasts_(lasts(static_cast<std::uint64_t>(job.extent - 1))) {}

    [[gnu::always_inline]] bool operator()(const std::byte* from) const {
        constexpr auto vector = static_cast<std::int64_t>(sizeof(Half));
        constexpr std::int64_t bytes = Count * raw_size<Index>;
        static_assert(bytes % vector == 0);
        if constexpr (has_signless_extremes) {
            Half largest = load<std::uint32_t, A>(from);
            for (std::int64_t b = vector; b < bytes; b += vector) {
                largest = xsimd::max(largest, load<std::uint32_t, A>(from + b));
            }
            // Shorter vectors have no such comparison, and would take several steps to make one.
            if constexpr (vector < line_bytes) {
                return xsimd::all(xsimd::max(largest, lasts_) == lasts_);
            }
            return xsimd::all(largest <= lasts_);
        } else {
            Mask<std::uint32_t, A> illegal(false);
            for (std::int64_t b = 0; b < bytes; b += vector) {
                illegal = illegal | (load<std::uint32_t, A>(from + b) > lasts_);
            }
            return xsimd::none(illegal);
        }
    }

private:
    using Half = Batch<std::uint32_t, A>;

    static Half lasts(std::uint64_t last) {
        if constexpr (sizeof(Index) == 4) return Half(static_cast<std::uint32_t>(last));
        return xsimd::bitwise_cast<std::uint32_t>(Batch<std::uint64_t, A>(last));
    }

    Half lasts_;
};

/// A, or vectors of 32 bytes where those of A are longer than so many bytes.
template <std::int64_t Bytes, class A>
#if defined(__AVX512F__)
using FittingSet = std::conditional_t<(Bytes < line_bytes), ThirtyTwo, A>;
#else
using FittingSet = A;
#endif

/// Asks for the next row's table, so many lines at a time: those that a CPU waits for are few, and
/// picks want some of them.
class TableAhead {
public:
    [[gnu::always_inline]] TableAhead(const std::byte* next, std::int64_t bytes,
                                      std::int64_t lines_at_once)
        : next_(next), end_(next + bytes), lines_at_once_(lines_at_once) {}

    [[gnu::always_inline]] void ask(std::int64_t /*k*/) {
        for (std::int64_t l = 0; l < lines_at_once_ && next_ < end_; ++l) {
            __builtin_prefetch(next_);
            next_ += line_bytes;
        }
    }

private:
    const std::byte* next_;
    const std::byte* end_;
    std::int64_t lines_at_once_;
};

/// Elements of a row by indices that serve as they are, each vector of which is checked just
/// before. How many were picked: all, or those before the step in which one is negative or illegal.
/// Indices to come and what `others` asks for are asked for at each step.
template <int Bytes, class Index, class A, class Others>
std::int64_t pick_as_they_are(const PickJob& job, const std::byte* table, const std::byte* indices,
                              std::byte* output, Others others) {
    constexpr std::int64_t together = picked_together<Bytes>;
    constexpr std::int64_t step_bytes = together * raw_size<Index>;
    const AreLegal<Index, together, FittingSet<step_bytes, A>> are_legal(job);
    const std::int64_t lanes = job.lanes;
    const std::int64_t in_steps = lanes / together * together;
    const auto* positions = reinterpret_cast<const Index*>(indices);
    const std::int64_t done = pick_places<Bytes>(
        table, positions, in_steps, output, [&](std::int64_t k) __attribute__((always_inline)) {
            const std::byte* from = indices + k * raw_size<Index>;
            for (std::int64_t b = 0; b < step_bytes; b += line_bytes) ask_ahead(from + b);
            others.ask(k);
            return are_legal(from);
        });
    const std::int64_t rest = lanes - in_steps;
    if (done < in_steps || rest == 0) return done;
    if (!are_legal(indices + (lanes - together) * raw_size<Index>)) return done;
    pick_places<Bytes>(table, positions + done, rest, output + done * Bytes);
    return lanes;
}

/// Elements of some rows, or of one from lane `first` on, whose indices are checked and their
/// places kept before they are fetched: so few that the next ones are checked while elements
/// arrive. False after an illegal index.
template <int Bytes, class Index, bool Lanes, class A>
bool pick_by_places(const PickJob& job, const std::byte* table, const std::byte* indices,
                    std::int64_t first, std::int64_t rows, std::byte* output) {
    constexpr std::int64_t most = 256;
    alignas(64) std::int32_t places[most];
    // Parts of a row, or some rows: to begin with a few indices costs as much as with many.
    const std::int64_t lanes_at_once = job.lanes < most ? job.lanes : most;
    const std::int64_t rows_at_once = Lanes || first > 0 ? 1 : most / lanes_at_once;
    for (std::int64_t r = 0; r < rows; r += rows_at_once) {
        const std::int64_t rows_left = rows - r;
        const std::int64_t some = rows_left < rows_at_once ? rows_left : rows_at_once;
        for (std::int64_t k = first; k < job.lanes; k += lanes_at_once) {
            const std::int64_t left = job.lanes - k;
            const std::int64_t lanes = left < lanes_at_once ? left : lanes_at_once;
            if (!find_places<Index, Lanes, A>(job, indices, k, some * lanes, places)) return false;
            const std::byte* source = table;
            for (std::int64_t n = 0; n < some; ++n) {
                const std::byte* next = source + job.row_step * Bytes;
                if (k == first) ask_for_table(job, next);
                pick_places<Bytes>(source, places + n * lanes, lanes, output);
                source = next;
                output += lanes * Bytes;
            }
            indices += some * lanes * raw_size<Index>;
        }
        table += some * job.row_step * Bytes;
    }
    return true;
}

/// The same where elements come from afar: while some are picked the next ones are asked for, which
/// have been checked.
template <int Bytes, class Index, bool Lanes, class A>
bool pick_by_places_ahead(const PickJob& job, const std::byte* table, const std::byte* indices,
                          std::int64_t first, std::int64_t rows, std::byte* output) {
    constexpr std::int64_t most = 128;
    alignas(64) std::int32_t places[2][most];
    const std::int64_t all = job.lanes - first;
    for (std::int64_t r = 0; r < rows; ++r) {
        const auto count_from = [&](std::int64_t k) { return all - k < most ? all - k : most; };
        const auto find = [&](std::int64_t k, std::int32_t* found) {
            return find_places<Index, Lanes, A>(job, indices + k * raw_size<Index>, first + k,
                                                count_from(k), found);
        };
        std::int32_t* here = places[0];
        std::int32_t* next = places[1];
        if (!find(0, here)) return false;
        ask_for_elements<Bytes>(table, here, count_from(0));
        for (std::int64_t k = 0; k < all; k += most) {
            const std::int64_t following = k + most < all ? count_from(k + most) : 0;
            if (following > 0 && !find(k + most, next)) return false;
            const ElementsAhead<Bytes, std::int32_t> others(table, next, following);
            pick_places<Bytes>(table, here, count_from(k), output + k * Bytes,
                               [&](std::int64_t j) __attribute__((always_inline)) {
                                   others.ask(j);
                                   return true;
                               });
            std::swap(here, next);
        }
        table += job.row_step * Bytes;
        indices += all * raw_size<Index>;
        output += all * Bytes;
    }
    return true;
}

/// Elements of rows of picks: of long rows by indices as they are, until one of these is negative;
/// more are expected then.
template <int Bytes, class Index, bool Lanes, class A>
InstructionSet pick_checked(const PickJob& job, const std::byte* table, const std::byte* indices,
                            std::byte* output) {
    std::int64_t r = 0;
    const auto pick_rest = job.ahead > 0 ? pick_by_places_ahead<Bytes, Index, Lanes, A>
                                         : pick_by_places<Bytes, Index, Lanes, A>;
    if constexpr (!Lanes && Bytes <= 8) {
        // To begin a row costs as much as two steps of places for some rows together.
        const std::int64_t long_row = (job.rows == 1 ? 1 : 2) * picked_together<Bytes>;
        // Wide indices, each of which needs a load of its own, only where checking them is quick or
        // elements come from afar.
        constexpr bool quick = sizeof(Index) == 4 || has_signless_extremes;
        bool as_they_are = job.lanes >= long_row && (quick || job.far);
        const std::int64_t next_lines = (job.next_table + line_bytes - 1) / line_bytes;
        const std::int64_t steps = job.lanes / picked_together<Bytes>;
        const std::int64_t lines_at_once =
            as_they_are && next_lines > 0 ? (next_lines - 1) / steps + 1 : 0;
        const auto pick_row = [&](auto others) __attribute__((always_inline)) {
            return pick_as_they_are<Bytes, Index, A>(job, table, indices, output, others);
        };
        for (; as_they_are && r < job.rows; ++r) {
            const bool asks = job.ahead > 0 && !follow_closely<Bytes, Index>(indices, job.lanes);
            const std::int64_t done =
                asks ? pick_row(ask_for_first<Bytes, Index>(table, indices, job.lanes, job.ahead))
                     : pick_row(
                           TableAhead(table + job.row_step * Bytes, job.next_table, lines_at_once));
            as_they_are = done == job.lanes;
            if (!as_they_are && !pick_rest(job, table, indices + done * raw_size<Index>, done, 1,
                                           output + done * Bytes)) {
                return InstructionSet::none;
            }
            table += job.row_step * Bytes;
            indices += job.lanes * raw_size<Index>;
            output += job.lanes * Bytes;
        }
    }
    return pick_rest(job, table, indices, 0, job.rows - r, output) ? compiled_for
                                                                   : InstructionSet::none;
}

/// Gathers leave out what is out of bounds: an index is checked just before its element is fetched.
/// Asks for indices and for the output so many bytes ahead: stores that wait for their lines would
/// hold up the gathers behind them.
template <int Bytes, class Index, bool Lanes, class A, class Reader>
[[gnu::always_inline]] inline void gather_row(Reader& read, const PickJob& job,
                                              const std::byte* table, const std::byte* indices,
                                              std::byte* output, std::int64_t ahead,
                                              std::int64_t written_ahead) {
    using Vector = typename Reader::Vector;
    using Position = typename Vector::value_type;
    constexpr std::int64_t lanes = Reader::lanes;
    const Vector step(static_cast<Position>(job.index_step));
    const Vector lane_places =
        times(count_up<Position, A>(), Vector(static_cast<Position>(job.lane_step)));
    const auto pick = [&](std::int64_t k) __attribute__((always_inline)) {
        Mask<Position, A> legal;
        auto place = read.positions(indices + k * raw_size<Index>, legal);
        if constexpr (Lanes) {
            place =
                times(place, step) + lane_places + Vector(static_cast<Position>(k * job.lane_step));
        }
        return gather(table, place, legal, A{});
    };
    const auto pick_all = [&](auto put) __attribute__((always_inline)) {
        // As many as are one line of indices, or more.
        constexpr std::int64_t vectors =
            (line_bytes + Reader::vector_bytes - 1) / Reader::vector_bytes;
        std::int64_t k = 0;
        for (; k + vectors * lanes <= job.lanes; k += vectors * lanes) {
            for (std::int64_t b = 0; b < vectors * Reader::vector_bytes; b += line_bytes) {
                ask_ahead(indices + k * raw_size<Index> + b, ahead);
            }
            for (std::int64_t v = 0; v < vectors; ++v) {
                put(output + (k + v * lanes) * Bytes, pick(k + v * lanes));
            }
        }
        for (; k + lanes <= job.lanes; k += lanes) put(output + k * Bytes, pick(k));
        const std::int64_t last = job.lanes - lanes;
        if (k < job.lanes) store(output + last * Bytes, pick(last));  // some a second time
    };
    if (job.stream) {
        pick_all([](std::byte* to, auto picked)
                     __attribute__((always_inline)) { stream_vector(to, picked); });
    } else {
        pick_all([&](std::byte* to, auto picked) __attribute__((always_inline)) {
            __builtin_prefetch(to + written_ahead, 1);
            store(to, picked);
        });
    }
}

/// Positions of elements by gathers have their width.
template <int Bytes, class Index, class A>
using GatherReader =
    IndexReader<Index, A, std::conditional_t<Bytes == 8, std::int64_t, std::int32_t>>;

/// Elements of 4 and 8 bytes by gathers.
template <int Bytes, class Index, bool Lanes, class A>
InstructionSet pick_by_gathers(const PickJob& job, const std::byte* table, const std::byte* indices,
                               std::byte* output) {
    GatherReader<Bytes, Index, A> read(job);
    if (job.lanes < read.lanes) {
        return pick_checked<Bytes, Index, Lanes, A>(job, table, indices, output);
    }
    for (std::int64_t r = 0; r < job.rows; ++r) {
        const std::byte* next = table + job.row_step * Bytes;
        ask_for_table(job, next);
        gather_row<Bytes, Index, Lanes, A>(read, job, table, indices, output,
                                           bytes_ahead_of(job.stream), output_ahead);
        table = next;
        indices += job.lanes * raw_size<Index>;
        output += job.lanes * Bytes;
    }
    return read.bad() ? InstructionSet::none : compiled_for;
}

/// Some columns of a table, where rows of indices and of the output lie `pitch` apart: by
/// `pick_row(indices, output, units ahead)`, which says no after an illegal index. What is asked
/// for are rows further down, as hardware would not fetch them in advance.
template <int Bytes, class Index, class PickRow>
[[gnu::always_inline]] inline InstructionSet pick_each_column_row(const PickJob& job,
                                                                  const std::byte* indices,
                                                                  std::byte* output,
                                                                  PickRow pick_row) {
    constexpr std::int64_t least = 2;
    const std::int64_t row_bytes = job.lanes * raw_size<Index>;
    const std::int64_t most = bytes_ahead / (row_bytes < line_bytes ? line_bytes : row_bytes);
    const std::int64_t rows_ahead = most < least ? least : most;
    const std::int64_t ahead = rows_ahead * job.pitch;
    for (std::int64_t r = 0; r < job.rows; ++r) {
        if (!pick_row(indices, output, ahead)) return InstructionSet::none;
        indices += job.pitch * raw_size<Index>;
        output += job.pitch * Bytes;
    }
    return compiled_for;
}

template <int Bytes, class Index, class A>
InstructionSet pick_columns(const PickJob& job, const std::byte* table, const std::byte* indices,
                            std::byte* output) {
    constexpr std::int64_t most = 512;
    alignas(64) std::int32_t places[most];
    const auto pick_row = [&](const std::byte* from, std::byte* to, std::int64_t ahead) {
        for (std::int64_t k = 0; k < job.lanes; k += most) {
            const std::int64_t rest = job.lanes - k;
            const std::int64_t count = rest < most ? rest : most;
            std::byte* output_k = to + k * Bytes;
            for (std::int64_t b = 0; b < count * Bytes; b += line_bytes) {
                __builtin_prefetch(output_k + ahead * Bytes + b, 1);
            }
            if (!find_places<Index, true, A>(job, from + k * raw_size<Index>, k, count, places,
                                             ahead * raw_size<Index>)) {
                return false;
            }
            pick_places<Bytes>(table, places, count, output_k);
        }
        return true;
    };
    return pick_each_column_row<Bytes, Index>(job, indices, output, pick_row);
}

template <int Bytes, class Index, class A>
InstructionSet pick_columns_by_gathers(const PickJob& job, const std::byte* table,
                                       const std::byte* indices, std::byte* output) {
    GatherReader<Bytes, Index, A> read(job);
    if (job.lanes < read.lanes) return pick_columns<Bytes, Index, A>(job, table, indices, output);
    const auto pick_row = [&](const std::byte* from, std::byte* to, std::int64_t ahead) {
        gather_row<Bytes, Index, true, A>(read, job, table, from, to, ahead * raw_size<Index>,
                                          ahead * Bytes);
        return true;
    };
    pick_each_column_row<Bytes, Index>(job, indices, output, pick_row);
    return read.bad() ? InstructionSet::none : compiled_for;
}

/// One row: each just after its own check; false after an illegal index.
template <int Bytes, class Index>
bool pick_one_by_one(const PickJob& job, const std::byte* table, const std::byte* indices,
                     std::byte* output) {
    constexpr std::int64_t together = line_bytes / raw_size<Index>;
    for (std::int64_t k = 0; k < job.lanes; k += together) {
        const std::byte* from = indices + k * raw_size<Index>;
        const std::int64_t rest = job.lanes - k;
        const std::int64_t count = rest < together ? rest : together;
        ask_ahead(from);
        if (!pick_each_row<Index, Whole<Bytes>>(job, table, from, count, output + k * Bytes)) {
            return false;
        }
    }
    return true;
}

/// Elements of tables whose pages a CPU does not remember, of which a level 2 cache still holds
/// those picked. Where they lie in any order each waits for a translation, and a CPU that begins
/// too many at once gets in its own way: they are picked one by one. Where they ascend they share
/// pages.
template <int Bytes, class Index, class A>
InstructionSet pick_far(const PickJob& job, const std::byte* table, const std::byte* indices,
                        std::byte* output) {
    constexpr std::int64_t most = 512;
    PickJob piece = job;
    piece.rows = 1;
    for (std::int64_t r = 0; r < job.rows; ++r) {
        for (std::int64_t k = 0; k < job.lanes; k += piece.lanes) {
            piece.lanes = job.lanes - k < most ? job.lanes - k : most;
            if (begin_ascending<Index>(indices, piece.lanes)) {
                if (pick_rows<Index, Whole<Bytes>, A>(piece, table, indices, output) ==
                    InstructionSet::none) {
                    return InstructionSet::none;
                }
            } else if (!pick_one_by_one<Bytes, Index>(piece, table, indices, output)) {
                return InstructionSet::none;
            }
            indices += piece.lanes * raw_size<Index>;
            output += piece.lanes * Bytes;
        }
        table += job.row_step * Bytes;
    }
    return compiled_for;
}

/// Lanes [first, end) of the rows of some tables in registers that share their indices, by
/// positions that `read_next` gives. `end` is a vector or more: where the last one is not whole,
/// lanes before `first` may be written once more.
template <bool Asks, int Bytes, class Index, class A, class Table, std::size_t Tables,
          class ReadNext>
[[gnu::always_inline]] inline void look_up(const PickJob& job, const Table (&tables)[Tables],
                                           const std::byte* indices, std::byte* output,
                                           std::int64_t first, std::int64_t end,
                                           ReadNext read_next) {
    constexpr std::int64_t lanes = lanes_of<Unit<Bytes>, A>;
    constexpr std::int64_t step_bytes = lanes * raw_size<Index>;
    constexpr std::int64_t steps = (line_bytes + step_bytes - 1) / step_bytes;
    const std::int64_t output_step = job.lanes * Bytes;
    const auto pick = [&](std::int64_t k, auto put) __attribute__((always_inline)) {
        const auto keys = read_keys<Bytes, A>(indices + k * raw_size<Index>,
                                              IndexReader<Index, A>::vector_bytes, read_next);
        std::byte* to = output + k * Bytes;
        for (const Table& table : tables) {
            if constexpr (Asks) __builtin_prefetch(to + output_ahead, 1);
            put(to, table.lookup(keys));
            to += output_step;
        }
    };
    const auto keep = [](std::byte* to, auto picked)
                          __attribute__((always_inline)) { store(to, picked); };
    // What is read in order a CPU brings by itself, and asking keeps it from that; but it falls
    // behind where as much as it reads goes past the caches.
    const auto pick_all = [&]<bool AsksForIndices>(auto put) __attribute__((always_inline)) {
        std::int64_t k = first;
        for (; k + steps * lanes <= end; k += steps * lanes) {
            if constexpr (AsksForIndices) {
                for (std::int64_t b = 0; b < steps * step_bytes; b += line_bytes) {
                    ask_ahead(indices + k * raw_size<Index> + b, bytes_ahead_of(true));
                }
            }
            for (std::int64_t s = 0; s < steps; ++s) pick(k + s * lanes, put);
        }
        for (; k + lanes <= end; k += lanes) pick(k, put);
        if (k < end) pick(end - lanes, keep);
    };
    if (job.stream) {
        const auto send = [](std::byte* to, auto picked)
                              __attribute__((always_inline)) { stream_vector(to, picked); };
        pick_all.template operator()<(Bytes >= raw_size<Index>)>(send);
    } else {
        pick_all.template operator()<false>(keep);
    }
}

/// In rows of so many indices or more none is taken to be negative until one is seen, which takes
/// half as many steps.
constexpr std::int64_t many_lanes = 256;

/// Rows that share their indices between `Tables` tables in registers. `Many`: they have many
/// lanes; `Asks`: lines of the output are asked for.
template <bool Many, bool Asks, int Bytes, class Index, class Table, std::size_t Tables, class A>
InstructionSet pick_from_registers(const PickJob& job, const std::byte* table,
                                   const std::byte* indices, std::byte* output) {
    constexpr std::int64_t piece = 256;  // few enough to pick them once more
    static_assert(piece % lanes_of<Unit<Bytes>, A> == 0);
    const std::int64_t all = job.lanes;
    IndexReader<Index, A> read(job);
    bool negative = !Many;  // one was, or illegal: others are expected
    for (std::int64_t r = 0; r < job.rows; ++r) {
        const auto next_table = [&](std::size_t) __attribute__((always_inline)) {
            const std::byte* here = table;
            table += job.row_step * Bytes;
            ask_for_table(job, here + static_cast<std::int64_t>(Tables) * job.row_step * Bytes);
            return table_of<Table, Bytes, true>(here, job.extent);
        };
        const auto pick_row = [&]<std::size_t... T>(
                                  std::index_sequence<T...>) __attribute__((always_inline)) {
            const Table tables[] = {next_table(T)...};
            const auto pick = [&](std::int64_t first, std::int64_t end,
                                  auto read_next) __attribute__((always_inline)) {
                look_up<Asks, Bytes, Index, A>(job, tables, indices, output, first, end, read_next);
            };
            std::int64_t k = 0;
            for (; k < all && !negative; k += piece) {
                const std::int64_t end = all - k < piece ? all : k + piece;
                pick(k, end, [&](const std::byte* from) __attribute__((always_inline)) {
                    return read.as_they_are(from);
                });
                negative = !read.all_as_they_are();
            }
            if (negative) {
                const std::int64_t first = k > 0 ? k - piece : 0;
                pick(first, all, [&](const std::byte* from) __attribute__((always_inline)) {
                    return read.positions(from);
                });
            }
        };
        pick_row(std::make_index_sequence<Tables>());
        indices += all * raw_size<Index>;
        output += static_cast<std::int64_t>(Tables) * all * Bytes;
    }
    return read.bad() ? InstructionSet::none : compiled_for;
}

/// The same, as suits the job.
template <int Bytes, class Index, class Table, std::size_t Tables, class A>
InstructionSet pick_from_tables(const PickJob& job, const std::byte* table,
                                const std::byte* indices, std::byte* output) {
    const auto pick = [&]<bool Asks>() {
        return job.lanes < many_lanes
                   ? pick_from_registers<false, Asks, Bytes, Index, Table, Tables, A>(
                         job, table, indices, output)
                   : pick_from_registers<true, Asks, Bytes, Index, Table, Tables, A>(
                         job, table, indices, output);
    };
    // Where less is written than read it is the indices that are waited for.
    if constexpr (static_cast<std::int64_t>(Tables) * Bytes >= raw_size<Index>) {
        constexpr std::int64_t bytes = static_cast<std::int64_t>(Tables) * Bytes + raw_size<Index>;
        if (job.rows * job.lanes * bytes >= job.prefetch_output_from && !job.stream) {
            return pick.template operator()<true>();
        }
    }
    return pick.template operator()<false>();
}

/// As move_by_table, of one or two tables.
template <int Bytes, class Index, class Table, class A>
InstructionSet pick_from_table(const PickJob& job, const std::byte* table, const std::byte* indices,
                               std::byte* output) {
    if (job.lanes < lanes_of<Unit<Bytes>, A>) {
        return pick_checked<Bytes, Index, false, A>(job, table, indices, output);
    }
    return job.tables == 1
               ? pick_from_tables<Bytes, Index, Table, 1, A>(job, table, indices, output)
               : pick_from_tables<Bytes, Index, Table, 2, A>(job, table, indices, output);
}

}  // namespace
}  // namespace gathercheck::optimized
