// SPDX-License-Identifier: Apache-2.0
// The contract of every kernel: jobs, function types and the table that one instruction set fills.
// Included by the files of every instruction set: no code here but declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "optimized/cpu.hpp"
#include "reference/out_of_bounds.hpp"

namespace gathercheck::optimized {

/// Bytes of a cache line.
inline constexpr std::int64_t line_bytes = 64;

/// A threshold in bytes that no tensor reaches.
inline constexpr std::int64_t never = std::int64_t{1} << 62;

/// Element types of indices, as the kernels count them.
enum class IndexKind : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64 };
inline constexpr int index_kind_count = 8;

/// A position is an index after wrapping: the number of a unit in its table, not negative.
/// Positions below 2^31 are i32, the others i64. -1 says that the unit is zero-filled.
enum class PositionWidth : std::uint8_t { narrow, wide };
inline constexpr int position_width_count = 2;

/// Checks and wraps `count` indices that pick from a dimension of size `extent`, which is not 0.
struct ResolveJob {
    const std::byte* indices = nullptr;
    std::int64_t count = 0;
    std::int64_t extent = 0;
    bool negative_allowed = false;             ///< in [-extent, -1]: counted from the end
    OutOfBounds beyond = OutOfBounds::reject;  ///< of any other index; zero: position -1
};
/// Writes `count` positions; none after an index that is rejected, when they are unspecified.
using ResolveIndices = InstructionSet (*)(const ResolveJob& job, void* positions);

/// Checks tuples of indices and flattens each to a position, across batches. Component t picks
/// from a dimension of size extents[t]; no extent is 0.
struct FlattenJob {
    const std::byte* indices;  ///< of the first tuple
    std::int64_t count;        ///< tuples
    std::int64_t components;
    const std::int64_t* extents;
    const std::int64_t* strides;   ///< units that one step of a component moves by, 1 of the last
    std::int64_t number_in_batch;  ///< of the first tuple
    std::int64_t per_batch;        ///< tuples of a batch
    std::int64_t base;             ///< first unit of the first tuple's batch
    std::int64_t batch_units;
    bool negative_allowed;
    OutOfBounds beyond = OutOfBounds::reject;  ///< as in ResolveJob
};
/// As ResolveIndices.
using FlattenTuples = InstructionSet (*)(const FlattenJob& job, void* positions);

/// Turns positions of `rows` rows of `picks` each into places, where pick k of a row is in column
/// k: places[k] = positions[k] * index_step + k * column_step. A job then moves units by them.
using PlaceColumns = void (*)(void* positions, std::int64_t rows, std::int64_t picks,
                              std::int64_t index_step, std::int64_t column_step);

/// What positions that follow one another have in common.
enum class Pattern : std::uint8_t { none, consecutive, constant };

/// Looks at `count` positions, none of them -1, or at indices that are not checked yet.
using Classify = Pattern (*)(const void* positions, std::int64_t count);

/// Whether in each of `rows` rows of `picks` positions all are the same. If so, writes one for
/// each row to `firsts`, of the same width.
using FirstOfRows = bool (*)(const void* positions, std::int64_t rows, std::int64_t picks,
                             void* firsts);

/// Moves rows * picks units (slices of whole bytes, or elements) from computed places to computed
/// places. Unit k of row r comes from
///     r * row_step + positions[r / sharing * positions_step + k]
/// units after `table` and goes r * output_step + k units after `output`. Kernels touch exactly the
/// units named, in any order, and exactly the bytes of the output, which overlaps nothing.
struct MoveJob {
    const std::byte* table;
    const void* positions;
    std::byte* output;
    std::int64_t rows = 1;
    std::int64_t picks;
    std::int64_t row_step;
    std::int64_t sharing = 1;  ///< so many rows, one after another, have the same positions;
                               ///< `rows` is a multiple of it
    std::int64_t positions_step;
    std::int64_t output_step;
    std::int64_t unit_bytes;
    std::int64_t pitch;                  ///< slices: bytes from one unit of the table to the next
    std::int64_t entries;                ///< register tables: units in the table
    std::int64_t prefetch_distance = 0;  ///< slices, and elements by loads: in picks; 0: none
    std::int64_t following = 0;          ///< slices: positions behind the last one, to prefetch by
    bool zero_fill = false;              ///< some positions are -1; never for register tables
};
using Move = InstructionSet (*)(const MoveJob& job);

/// Writes the unit at `from` `count` times.
using Fill = void (*)(const std::byte* from, std::int64_t count, std::byte* output);

/// Copies by non-temporal stores: whole lines of `to` do not pass through the caches.
using Stream = void (*)(std::byte* to, const std::byte* from, std::int64_t bytes);
/// Orders non-temporal stores before all that follow.
using Fence = void (*)();

/// Where packed elements are written: a stream of bits, the low part of a byte first. Whole bytes
/// leave `held` at once; the rest waits for the next job.
struct BitSink {
    std::byte* next;
    std::uint64_t held = 0;
    int held_bits = 0;  ///< below 8 between jobs
};

/// Moves `picks` units that are no whole bytes: unit u of the data occupies bits u * unit_bits and
/// following, and pick k is unit base + positions[k] * index_step + k * column_step.
struct BitsJob {
    const std::byte* data;
    const std::byte* data_end;
    const void* positions;
    std::int64_t base;  ///< units before those that positions count from
    std::int64_t picks;
    std::int64_t index_step;
    std::int64_t column_step;
    std::int64_t unit_bits;
    bool zero_fill;
};
using MoveBits = InstructionSet (*)(const BitsJob& job, BitSink& sink);

/// How elements of 1, 2, 4, 8 and 16 bytes are read.
enum class Method : std::uint8_t {
    loads,    ///< scalar loads, combined in a register
    gathers,  ///< vector gathers where the instruction set has them for the width, else loads
};
inline constexpr int method_count = 2;

/// Elements by the logarithm of their width.
inline constexpr int element_width_count = 5;

/// Sizes of lookup tables in registers, smallest first.
inline constexpr int table_size_count = 5;

/// Slices by their width: the widest of each class in bytes, but for the last, which has no limit.
inline constexpr std::int64_t slice_class_widths[] = {8, 16, 32, 64, 128, 256, 1024};
inline constexpr int slice_class_count = std::size(slice_class_widths) + 1;

/// All kernels of one instruction set.
struct Kernels {
    InstructionSet set;
    ResolveIndices resolve[index_kind_count][position_width_count];
    FlattenTuples flatten[index_kind_count][position_width_count];
    Classify classify[position_width_count];
    FirstOfRows first_of_rows[position_width_count];
    PlaceColumns place_columns[position_width_count];
    Move elements[method_count][position_width_count][element_width_count];
    /// Lookup tables in registers, by size; null from the first size on that the set lacks.
    Move register_tables[position_width_count][element_width_count][table_size_count];
    std::int64_t table_entries[element_width_count][table_size_count];  ///< the most of each size
    Move slices[position_width_count][slice_class_count];
    MoveBits bits[position_width_count];
    Fill fill[element_width_count];
    Stream stream;
    Fence fence;
};

}  // namespace gathercheck::optimized
