// SPDX-License-Identifier: Apache-2.0
// Kernels that move rows of whole bytes.
#pragma once

#include <bit>
#include <limits>

#include "optimized/kernels.hpp"
#include "optimized/kernels/indices.hpp"

namespace gathercheck::optimized {
namespace {

template <int Bytes>
void copy(std::byte* to, const std::byte* from) {
    if constexpr (Bytes == 1) {
        *to = *from;
    } else if constexpr (Bytes == 2) {
        store_one(to, load_one<std::uint16_t>(from));
    } else if constexpr (Bytes == 4) {
        store_one(to, load_one<std::uint32_t>(from));
    } else if constexpr (Bytes == 8) {
        store_one(to, load_one<std::uint64_t>(from));
    } else if constexpr (Bytes == 16) {
        store(to, load<std::uint8_t, Sixteen>(from));
#if defined(__AVX2__)
    } else if constexpr (Bytes == 32) {
        store(to, load<std::uint8_t, ThirtyTwo>(from));
#endif
    } else {
        constexpr int first = std::bit_floor(Bytes - 1U);
        copy<first>(to, from);
        copy<Bytes - first>(to + first, from + first);
    }
}

/// Rows of at least Start and at most Start + End bytes: two moves that overlap in
/// the middle stay inside the row.
template <int Start, int End = Start>
struct StartAndEnd {
    static_assert(End <= Start);
    static constexpr std::int64_t most = Start + End;
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        copy<Start>(to, from);
        copy<End>(to + bytes - End, from + bytes - End);
    }
};

/// A row of at most so many bytes together with what follows it: half as many moves. Only where
/// that is of the same table, and what it is written over is written afterwards.
template <int Bytes>
struct WithNext {
    static constexpr std::int64_t most = Bytes;
    void operator()(std::byte* to, const std::byte* from, std::int64_t /*bytes*/) const {
        copy<Bytes>(to, from);
    }
};

/// Single elements.
template <int Bytes>
struct Whole {
    static constexpr std::int64_t width = Bytes;
    void operator()(std::byte* to, const std::byte* from, std::int64_t /*bytes*/) const {
        copy<Bytes>(to, from);
    }
};

/// What the compiler knows of a width.
template <class MoveRow>
std::int64_t known_width(std::int64_t bytes) {
    if constexpr (requires { MoveRow::width; }) return MoveRow::width;
    return bytes;
}

/// The same of the widest.
template <class MoveRow>
constexpr std::int64_t widest() {
    if constexpr (requires { MoveRow::width; }) return MoveRow::width;
    if constexpr (requires { MoveRow::most; }) return MoveRow::most;
    return std::numeric_limits<std::int64_t>::max();
}

/// One move where registers are that wide. Not for shorter rows, whose stores are seldom aligned:
/// two of 32 bytes are faster there.
inline void copy_line(std::byte* to, const std::byte* from) {
#if defined(__AVX512BW__)
    store(to, load<std::uint8_t, xsimd::avx512bw>(from));
#else
    copy<64>(to, from);
#endif
}

template <int Count>
struct WholeLines {
    static constexpr std::int64_t width = Count * line_bytes;
    void operator()(std::byte* to, const std::byte* from, std::int64_t /*bytes*/) const {
        for (std::int64_t k = 0; k < width; k += line_bytes) copy_line(to + k, from + k);
    }
};

/// Rows above 128 bytes and up to Most. A loop that is known to be short the compiler writes out.
template <std::int64_t Most>
struct Lines {
    static constexpr std::int64_t most = Most;

    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        if (bytes > Most) __builtin_unreachable();
        for (std::int64_t k = 0; k + line_bytes < bytes; k += line_bytes) {
            copy_line(to + k, from + k);
        }
        copy_line(to + bytes - line_bytes, from + bytes - line_bytes);
    }
};

#if defined(__AVX2__)
/// The same where each store of Lines, or each other one, would cross a line, which takes twice as
/// long: only those at the ends do.
template <std::int64_t Most>
struct AlignedLines {
    static constexpr std::int64_t most = Most;

    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        copy<part>(to, from);
        const auto start = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to));
        std::int64_t k = part - start % part;
        for (; k + line_bytes < bytes; k += line_bytes) copy_line(to + k, from + k);
        copy_line(to + bytes - line_bytes, from + bytes - line_bytes);
    }

private:
    /// What is stored at a time.
#if defined(__AVX512BW__)
    static constexpr std::int64_t part = 64;
#else
    static constexpr std::int64_t part = 32;
#endif
};
#endif

/// Longer rows: memcpy knows more ways, but to begin one of them costs it as much as moving some
/// hundred bytes.
struct Memcpy {
    void operator()(std::byte* to, const std::byte* from, std::int64_t bytes) const {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
};

/// Asks for the start of a row of at most Most bytes, for the level 1 or, more of it, the level 2
/// cache; what follows it the hardware fetches by itself.
template <std::int64_t Most, int Level>
[[gnu::always_inline]] inline void ask_for(const std::byte* row, std::int64_t bytes) {
    constexpr std::int64_t longest = Level == 1 ? 256 : 2048;
    constexpr std::int64_t most = Most < longest ? Most : longest;
    constexpr int locality = 4 - Level;
    const std::int64_t last = (bytes < most ? bytes : most) - 1;
    __builtin_prefetch(row, 0, locality);
    for (std::int64_t k = line_bytes; k < last && k < most; k += line_bytes) {
        __builtin_prefetch(row + k, 0, locality);
    }
    __builtin_prefetch(row + last, 0, locality);
}

/// How far ahead lines of the output are asked for.
constexpr std::int64_t output_ahead = 1024;

/// Stores that wait for their lines hold up what is behind them on some CPUs. There lines of the
/// output of a job that a level 1 cache does not hold are asked for in advance; others would only
/// be in the way, as would be asking for a line again for each of many short rows. Longer rows
/// memcpy and hardware know.
template <class MoveRow, class Job>
bool asks_for_output(const Job& job) {
    constexpr std::int64_t shortest = 16;
    constexpr std::int64_t longest = 1024;
    return widest<MoveRow>() > shortest && widest<MoveRow>() <= longest &&
           job.rows * job.lanes * job.unit_bytes >= job.prefetch_output_from;
}

/// The lines of a row of the output.
template <class MoveRow>
[[gnu::always_inline]] inline void ask_for_output(const std::byte* to, std::int64_t bytes) {
    __builtin_prefetch(to + output_ahead, 1);
    if constexpr (widest<MoveRow>() > line_bytes) {
        for (std::int64_t k = line_bytes; k < bytes; k += line_bytes) {
            __builtin_prefetch(to + output_ahead + k, 1);
        }
    }
}

template <class Position, class MoveRow>
InstructionSet move_rows(const MoveJob& job) {
    constexpr std::int64_t together = 8;  // what a loop costs is little beside so many
    const MoveRow move_row;
    const auto* positions = static_cast<const std::byte*>(job.positions);
    const std::byte* table = job.table;
    std::byte* output = job.output;
    const std::int64_t lanes = job.lanes;
    const std::int64_t pitch = job.pitch;
    const std::int64_t bytes = job.unit_bytes;
    const std::int64_t ahead = job.ahead;
    const bool asks = asks_for_output<MoveRow>(job);
    std::int64_t sharing = 0;  // rows with these positions so far
    for (std::int64_t r = 0; r < job.rows; ++r) {
        std::byte* to = output;
        const auto from = [&](std::int64_t k) {
            return table + element<Position>(positions, k) * pitch;
        };
        if (job.marked) {
            for (std::int64_t k = 0; k < lanes; ++k, to += bytes) {
                if (element<Position>(positions, k) < 0) {
                    std::memset(to, 0, static_cast<std::size_t>(bytes));
                } else {
                    move_row(to, from(k), bytes);
                }
            }
        } else {
            std::int64_t k = 0;
            if (ahead > 0) {
                const std::int64_t beyond = job.following < ahead ? job.following : ahead;
                const std::int64_t last = lanes + beyond - ahead;
                const auto move_and_ask =
                    [&]<int Level, bool Asks>() __attribute__((always_inline)) {
                        for (; k < last; ++k, to += bytes) {
                            ask_for<widest<MoveRow>(), Level>(from(k + ahead), bytes);
                            if constexpr (Asks) ask_for_output<MoveRow>(to, bytes);
                            move_row(to, from(k), bytes);
                        }
                    };
                if (job.far) {
                    move_and_ask.template operator()<2, false>();
                } else if (asks) {
                    move_and_ask.template operator()<1, true>();
                } else {
                    move_and_ask.template operator()<1, false>();
                }
            }
            const auto move_all = [&]<bool Asks>() __attribute__((always_inline)) {
                for (; k + together <= lanes; k += together) {
                    for (std::int64_t j = k; j < k + together; ++j, to += bytes) {
                        if constexpr (Asks) ask_for_output<MoveRow>(to, bytes);
                        move_row(to, from(j), bytes);
                    }
                }
            };
            if (asks) {
                move_all.template operator()<true>();
            } else {
                move_all.template operator()<false>();
            }
            for (; k < lanes; ++k, to += bytes) move_row(to, from(k), bytes);
        }
        table += job.row_step * pitch;
        output += job.output_step * bytes;
        if (++sharing == job.sharing) {
            positions += job.positions_step * static_cast<std::int64_t>(sizeof(Position));
            sharing = 0;
        }
    }
    return compiled_for;
}

/// The position that an index names, which is below the extent where that is legal. Negative ones
/// count from `from_end`, the extent or 0.
[[gnu::always_inline]] inline std::uint64_t position_of(std::int64_t index,
                                                        std::uint64_t from_end) {
    return static_cast<std::uint64_t>(index) + (static_cast<std::uint64_t>(index >> 63) & from_end);
}

/// Rows by the indices of a table, `count` of them, checked one by one. False after an
/// illegal one.
template <class Index, class MoveRow>
bool pick_each_row(const PickJob& job, const std::byte* table, const std::byte* indices,
                   std::int64_t count, std::byte* output) {
    using Limb = std::uint64_t;
    const MoveRow move_row;
    const std::int64_t pitch = known_width<MoveRow>(job.pitch);
    const std::int64_t bytes = known_width<MoveRow>(job.unit_bytes);
    const auto extent = static_cast<Limb>(job.extent);
    const Limb from_end = job.first < 0 ? extent : 0;
    for (std::int64_t k = 0; k < count; ++k, output += bytes) {
        const Limb position = position_of(element<Index>(indices, k), from_end);
        if (position >= extent) [[unlikely]]
            return false;
        move_row(output, table + static_cast<std::int64_t>(position) * pitch, bytes);
    }
    return true;
}

/// A vector of indices is checked at a time, just before its rows move: a pass of its
/// own over the indices would cost as much as a third of that of short rows. By MoveBefore,
/// which may be a WithNext, where that is possible.
template <bool Asks, class Index, class MoveRow, class A, class MoveBefore = MoveRow>
InstructionSet pick_rows_in_order(const PickJob& job, const std::byte* table,
                                  const std::byte* indices, std::byte* output) {
    constexpr std::int64_t vector = lanes_of<Index, A>;
    constexpr auto size = static_cast<std::int64_t>(sizeof(Index));
    constexpr std::int64_t left = std::is_same_v<MoveBefore, MoveRow> ? 0 : 1;  // rows behind
    const MoveBefore move_row;
    const RangeCheck<Index> range(0, job.extent - 1 - left);
    const Batch<Index, A> bias(range.bias);
    const Batch<Index, A> limit(range.limit);
    const std::int64_t lanes = job.lanes;
    const std::int64_t pitch = known_width<MoveRow>(job.pitch);
    const std::int64_t bytes = known_width<MoveRow>(job.unit_bytes);
    for (std::int64_t r = 0; r < job.rows; ++r) {
        std::int64_t k = 0;
        if constexpr (vector >= 4) {
            for (; k + vector + left <= lanes; k += vector) {
                const std::byte* from = indices + k * size;
                std::byte* to = output + k * bytes;
                if (xsimd::any(load<Index, A>(from) + bias > limit)) [[unlikely]] {
                    if (!pick_each_row<Index, MoveRow>(job, table, from, vector, to)) {
                        return InstructionSet::none;
                    }
                    continue;
                }
                for (std::int64_t j = 0; j < vector; ++j, to += bytes) {
                    if constexpr (Asks) ask_for_output<MoveRow>(to, bytes);
                    move_row(to, table + element<Index>(from, j) * pitch, bytes);
                }
            }
        }
        if (k < lanes && !pick_each_row<Index, MoveRow>(job, table, indices + k * size, lanes - k,
                                                        output + k * bytes)) {
            return InstructionSet::none;
        }
        table += job.row_step * pitch;
        indices += lanes * size;
        output += lanes * bytes;
    }
    return compiled_for;
}

template <class Index, class MoveRow, class A>
InstructionSet pick_rows(const PickJob& job, const std::byte* table, const std::byte* indices,
                         std::byte* output) {
    return asks_for_output<MoveRow>(job)
               ? pick_rows_in_order<true, Index, MoveRow, A>(job, table, indices, output)
               : pick_rows_in_order<false, Index, MoveRow, A>(job, table, indices, output);
}

/// Rows of at least half and at most so many bytes.
template <int Bytes, class Index, class A>
InstructionSet pick_short_rows(const PickJob& job, const std::byte* table, const std::byte* indices,
                               std::byte* output) {
    using Exact = StartAndEnd<Bytes / 2>;
    // The last one of a table has nothing behind it: of few rows it is met too often.
    constexpr std::int64_t least_rows = 64;
    if (job.extent < least_rows) return pick_rows<Index, Exact, A>(job, table, indices, output);
    return pick_rows_in_order<false, Index, Exact, A, WithNext<Bytes>>(job, table, indices, output);
}

/// Calls run with what moves rows of so many bytes, above 128 and up to Most, to `output`.
template <std::int64_t Most, class Run>
auto with_lines([[maybe_unused]] std::byte* output, [[maybe_unused]] std::int64_t bytes,
                const Run& run) {
#if defined(__AVX2__)
    const auto start = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(output));
    if ((start | bytes) % line_bytes != 0) return run(AlignedLines<Most>{});
    if constexpr (Most <= 1024) {  // the usual ones: a loop over lines would take a tenth more
        if (bytes == WholeLines<4>::width) return run(WholeLines<4>{});
        if (bytes == WholeLines<8>::width) return run(WholeLines<8>{});
    }
#endif
    return run(Lines<Most>{});
}

template <std::int64_t Most, class Position>
InstructionSet move_long_rows(const MoveJob& job) {
    return with_lines<Most>(job.output, job.unit_bytes, [&]<class MoveRow>(MoveRow) {
        return move_rows<Position, MoveRow>(job);
    });
}

template <std::int64_t Most, class Index, class A>
InstructionSet pick_long_rows(const PickJob& job, const std::byte* table, const std::byte* indices,
                              std::byte* output) {
    return with_lines<Most>(output, job.unit_bytes, [&]<class MoveRow>(MoveRow) {
        return pick_rows<Index, MoveRow, A>(job, table, indices, output);
    });
}

/// Of many lines that follow one another a CPU brings more in advance where it reads them by
/// parts of 32 bytes.
constexpr std::int64_t long_stream = 64 * 1024;

/// Whole lines, to where lines begin, by vectors of A.
template <class A>
void stream_lines(std::byte* to, const std::byte* from, std::int64_t bytes) {
    constexpr std::int64_t lanes = lanes_of<std::uint8_t, A>;
    for (std::int64_t k = 0; k < bytes; k += line_bytes) {
        for (std::int64_t part = k; part < k + line_bytes; part += lanes) {
            stream_vector(to + part, load<std::uint8_t, A>(from + part));
        }
    }
}

/// Whole lines go past the caches; the parts of lines at both ends do not.
template <class A>
void stream(std::byte* to, const std::byte* from, std::int64_t bytes) {
    const std::int64_t before =
        -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (line_bytes - 1);
    if (bytes < before + line_bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return;
    }
    std::memcpy(to, from, static_cast<std::size_t>(before));
    const std::int64_t lines = (bytes - before) / line_bytes * line_bytes;
#if defined(__AVX2__)
    using Parts = ThirtyTwo;
#else
    using Parts = A;
#endif
    if (lines < long_stream) {
        stream_lines<A>(to + before, from + before, lines);
    } else {
        stream_lines<Parts>(to + before, from + before, lines);
    }
    const std::int64_t done = before + lines;
    std::memcpy(to + done, from + done, static_cast<std::size_t>(bytes - done));
}

}  // namespace
}  // namespace gathercheck::optimized
