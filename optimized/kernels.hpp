// SPDX-License-Identifier: Apache-2.0
// The table of function pointers that one instruction set's kernels form, and
// the jobs they take. Included by the files of every instruction set: no code
// here but declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "optimized/instruction_set.hpp"

namespace gathercheck::optimized {

/// Bytes that caches bring and stores past them send at a time.
inline constexpr std::int64_t line_bytes = 64;

/// A size in bytes that no tensor has.
inline constexpr std::int64_t never = std::int64_t{1} << 62;

/// What __builtin_prefetch calls the caches. More lines may be on their way to the second than to
/// the first, which hardware fetches for from there.
inline constexpr int level_1 = 3;
inline constexpr int level_2 = 2;

/// Element types of indices, as the kernels count them.
enum class IndexKind : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64 };
inline constexpr int index_kind_count = 8;

/// A position is an index after wrapping: the number of a row (or element) in
/// its table, not negative. Positions below 2^31 are i32, the others i64. -1
/// marks a row of zeros.
enum class PositionWidth : std::uint8_t { narrow, wide };
inline constexpr int position_width_count = 2;

/// What a pass over all indices found.
struct IndexSummary {
    bool out_of_bounds;
    bool negative;
    InstructionSet executed;
};

/// Checks `count` indices against [first, last], which is not empty. Reads all.
using ScanIndices = IndexSummary (*)(const std::byte* indices, std::int64_t count,
                                     std::int64_t first, std::int64_t last);

/// Checks `tuples` tuples of `components` indices, component t against
/// [-extents[t] or 0, extents[t] - 1]; no extent is 0.
using ScanTuples = IndexSummary (*)(const std::byte* indices, std::int64_t tuples,
                                    std::int64_t components, const std::int64_t* extents,
                                    bool negative_allowed);

/// Indices of one table to positions: wraps negative ones and narrows. `mark`:
/// an index outside [-extent, extent - 1] becomes -1; without it there is none.
using WrapIndices = void (*)(const std::byte* indices, std::int64_t count, std::int64_t extent,
                             bool mark, void* positions);

/// ScanIndices and WrapIndices in one pass: checks `count` i64 indices against [first, extent - 1],
/// where `first` is -extent or 0, and writes their positions, which are below 2^31. none after an
/// illegal index: what was written is unspecified then.
using ResolveIndices = InstructionSet (*)(const std::byte* indices, std::int64_t count,
                                          std::int64_t first, std::int64_t extent,
                                          std::int32_t* positions);

/// Tuples to positions, across batches. Component t is checked against
/// [-extents[t] or 0, extents[t] - 1]; no extent is 0. Positions of illegal tuples are
/// any numbers.
struct FlattenJob {
    const std::byte* indices;  ///< of the first tuple
    std::int64_t count;        ///< tuples
    std::int64_t components;
    const std::int64_t* extents;
    const std::int64_t* strides;  ///< rows that one step of a component moves by, 1 of the last
    std::int64_t in_batch;        ///< number of the first tuple within its batch
    std::int64_t per_batch;       ///< tuples of a batch
    std::int64_t base;            ///< first row of the first tuple's batch
    std::int64_t batch_rows;      ///< rows of a batch
    bool negative_allowed;
    bool checked;      ///< false: all are legal, and none is negative
    bool far = false;  ///< indices come from past the caches
};
/// none after an illegal index.
using FlattenTuples = InstructionSet (*)(const FlattenJob& job, void* positions);

/// Checks 2 to 4 components of type i32 or i64 as FlattenTuples does, and picks the element of 4
/// bytes that each tuple names from `table`, where rows are elements and places are below 2^31;
/// none after an illegal index: what `output` holds then is unspecified.
using PickTuples = InstructionSet (*)(const FlattenJob& job, const std::byte* table,
                                      std::byte* output);

/// What positions that follow one another have in common.
enum class Pattern : std::uint8_t { none, consecutive, constant };

/// Looks at `count` positions, none of them -1, or indices not checked yet.
using Classify = Pattern (*)(const void* positions, std::int64_t count);

/// Whether in each of `rows` rows of `lanes` positions all are the same. If so,
/// writes one for each row to `firsts`, of the same width. `far`: positions come from past the
/// caches.
using FirstOfRows = bool (*)(const void* positions, std::int64_t rows, std::int64_t lanes, bool far,
                             void* firsts);

/// Moves rows * lanes units (rows of bytes, or elements) from computed places to
/// computed places. Unit l of row r comes from
///     r * row_step + positions[r / sharing * positions_step + l] * index_step + l * lane_step
/// units after `table` and goes r * output_step + l units after `output`. Of the
/// kernels only the lane flavour reads index_step and lane_step, which are 1 and 0
/// for the others. Kernels touch exactly the units named, in any order and
/// with overlaps among them, and exactly the bytes of the output. The output
/// overlaps nothing.
struct MoveJob {
    const std::byte* table;
    const void* positions;
    std::byte* output;
    std::int64_t rows;
    std::int64_t lanes;
    std::int64_t row_step;
    std::int64_t sharing = 1;  ///< so many rows, one after another, have the same positions;
                               ///< `rows` is a multiple of it
    std::int64_t positions_step;
    std::int64_t output_step;
    std::int64_t index_step;
    std::int64_t lane_step;
    std::int64_t unit_bytes;
    std::int64_t pitch;       ///< row kernels only: bytes from one unit of the table to the next;
                              ///< unit_bytes but where units overlap or lie apart
    std::int64_t entries;     ///< register tables only: units in the table
    std::int64_t ahead;       ///< row kernels, and element kernels by loads: positions from the
                              ///< unit moved to the unit that is asked for in advance; 0: none is
    std::int64_t following;   ///< row kernels only: positions behind the last one, for that
    std::int64_t next_table;  ///< element kernels only: bytes to ask for from the next row's table
                              ///< on, whether there is a next row or not; 0: none
    bool marked;              ///< some positions are -1; never in the lane flavour
    std::int64_t prefetch_output_from = never;  ///< row kernels only: bytes of the output of a job
                                                ///< from which its lines are asked for in advance
    bool far;  ///< row kernels only: rows are asked for into the level 2 cache
};
using Move = InstructionSet (*)(const MoveJob& job);

/// Checks rows * lanes indices of type i32 or i64, which follow one another, and picks a unit by
/// each from each of the `tables` of its row: that of index l of row r in table t comes from
///     (r * tables + t) * row_step + position * index_step + l * lane_step
/// units after `table`, where `position` is the index, plus `extent` if it is negative, and goes
/// (r * tables + t) * lanes + l units after `output`. An index outside [first, extent - 1] names
/// nothing and is reported; what the output holds then is unspecified. Places of elements are
/// below 2^31. Only the lane flavour reads index_step and lane_step, which are 1 and 0 for the
/// others.
struct PickJob {
    std::int64_t rows;
    std::int64_t tables = 1;  ///< 1, or 2 for tables in registers with at least `table_picks` lanes
    std::int64_t lanes;
    std::int64_t row_step;
    std::int64_t index_step;
    std::int64_t lane_step;
    std::int64_t extent;      ///< tables in registers: what this size holds and no smaller one
    std::int64_t first;       ///< -extent or 0
    std::int64_t unit_bytes;  ///< row kernels only
    std::int64_t pitch;       ///< row kernels: as in MoveJob; column kernels: units from one row of
                              ///< indices to the next, and of the output
    std::int64_t next_table;  ///< element kernels only: as in MoveJob
    std::int64_t ahead;       ///< element kernels by loads only: as in MoveJob
    std::int64_t prefetch_output_from = never;  ///< row kernels: as in MoveJob; tables in
                                                ///< registers: bytes of the output and of indices
    bool far;     ///< element kernels only: most come from past the level 2 cache
    bool stream;  ///< gathers and register tables only: the output, one row of one table or for
                  ///< column kernels any number, each of which begins with a line, is written past
                  ///< the caches
};
/// none after an illegal index.
using Pick = InstructionSet (*)(const PickJob& job, const std::byte* table,
                                const std::byte* indices, std::byte* output);

/// Writes the unit at `from` `count` times.
using Fill = void (*)(const std::byte* from, std::int64_t count, std::byte* output);

/// Copies past the caches, to memory that is not read again soon.
using Stream = void (*)(std::byte* to, const std::byte* from, std::int64_t bytes);
/// After the last such copy, before anybody else reads what was written.
using Fence = void (*)();

/// Where packed elements are written: a stream of bits, the low part of a byte
/// first. Whole bytes leave `held` at once; the rest waits for the next job.
struct BitSink {
    std::byte* next;
    std::uint64_t held = 0;
    int held_bits = 0;  ///< below 8 between jobs
};

/// The same for units that are no whole bytes: unit u of the table occupies bits
/// u * unit_bits and following of `data`.
struct BitsJob {
    const std::byte* data;
    const std::byte* data_end;
    const void* positions;
    std::int64_t base;  ///< units before row 0
    std::int64_t rows;
    std::int64_t lanes;
    std::int64_t row_step;
    std::int64_t index_step;
    std::int64_t lane_step;
    std::int64_t unit_bits;
    bool marked;
};
using MoveBits = InstructionSet (*)(const BitsJob& job, BitSink& sink);

/// How elements of 1, 2, 4, 8 and 16 bytes are picked.
enum class Method : std::uint8_t {
    loads,    ///< scalar loads, put together in a register where that pays
    gathers,  ///< masked vector gathers where the set has them for the width, else loads
};
inline constexpr int method_count = 2;

/// Elements by the logarithm of their width.
inline constexpr int element_width_count = 5;

/// Sizes of tables in registers, smallest first.
inline constexpr int table_size_count = 5;

/// Rows by their width in bytes: a class covers the widths above the one before.
enum class RowClass : std::uint8_t {
    to_4,
    to_8,
    to_16,
    to_24,
    to_31,
    to_32,
    to_48,
    to_64,
    to_72,
    to_80,
    to_96,
    to_112,
    to_128,
    to_1024,
    to_3072,
    more,
};
inline constexpr int row_class_count = 16;

/// The widest row of each class but the last.
inline constexpr std::int64_t row_class_most[] = {4,  8,  16, 24,  31,  32,   48,  64,
                                                  72, 80, 96, 112, 128, 1024, 3072};
static_assert(std::size(row_class_most) + 1 == row_class_count);

/// All kernels of one instruction set.
struct Kernels {
    InstructionSet set;
    ScanIndices scan[index_kind_count];
    ScanTuples scan_tuples[index_kind_count];
    WrapIndices wrap[index_kind_count][position_width_count];
    ResolveIndices resolve;
    FlattenTuples flatten[index_kind_count][position_width_count];
    Move elements[method_count][position_width_count][element_width_count];
    Move lanes[method_count][position_width_count][element_width_count];  ///< lane flavour
    /// Tables in registers, by size; null from the first size on that the set lacks
    /// for the width.
    Move tables[position_width_count][element_width_count][table_size_count];
    std::int64_t table_entries[element_width_count][table_size_count];  ///< the most of each size
    /// Picks from a table that are worth putting it into registers, by element width; a table of
    /// more entries takes as many picks as those.
    std::int64_t table_picks[element_width_count];
    /// By the width of positions that such indices are, in either flavour; with
    /// tables as above, for elements of at most 4 bytes.
    Pick pick[method_count][position_width_count][element_width_count];
    Pick pick_lanes[method_count][position_width_count][element_width_count];
    Pick pick_tables[position_width_count][element_width_count][table_size_count];
    /// Of some columns of a wider table, all rows from the same: the lane flavour with a row_step
    /// of 0, where rows of indices do not follow one another.
    Pick pick_columns[method_count][position_width_count][element_width_count];
    /// Elements that have little in common: each by a load and a store, from tables past the
    /// caches; and many of them, from tables whose pages a CPU does not remember either.
    Pick pick_scattered[position_width_count][element_width_count];
    Pick pick_far[position_width_count][element_width_count];
    /// By the width of an index; null but with AVX-512.
    PickTuples pick_tuples[position_width_count];
    Fill fill[element_width_count];
    Move rows[position_width_count][row_class_count];
    Pick pick_rows[position_width_count][row_class_count];
    MoveBits bits[position_width_count];
    Classify classify[position_width_count];
    FirstOfRows first_of_rows[position_width_count];
    Stream stream;
    Fence fence;
};

}  // namespace gathercheck::optimized
