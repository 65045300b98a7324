// SPDX-License-Identifier: Apache-2.0
// Puts all kernels of one instruction set into its table: one line a kernel.
#pragma once

#include "optimized/kernels/elements.hpp"
#include "optimized/kernels/flatten.hpp"
#include "optimized/kernels/packed.hpp"
#include "optimized/kernels/patterns.hpp"
#include "optimized/kernels/register_tables.hpp"
#include "optimized/kernels/resolve.hpp"
#include "optimized/kernels/slices.hpp"
#include "optimized/kernels/stores.hpp"

namespace gathercheck::optimized {
namespace {

template <class Raw, class Position, class A>
constexpr void add_index_kernels(Kernels& table, IndexKind kind, int width) {
    table.resolve[static_cast<int>(kind)][width] = resolve<Raw, Position, A>;
    table.flatten[static_cast<int>(kind)][width] = flatten<Raw, Position, A>;
}

template <int Bytes, class Position, class A, class... Table>
constexpr void add_register_tables(Kernels& table, int log, int width, TableList<Table...>) {
    [[maybe_unused]] int size = 0;
    ((table.table_entries[log][size] = Table::entries,
      table.register_tables[width][log][size++] =
          move_by_register_table<Bytes, Position, Table, A>),
     ...);
}

template <int Bytes, class Position, class A>
constexpr void add_element_kernels(Kernels& table, int log, int width) {
    table.elements[static_cast<int>(Method::loads)][width][log] = move_by_loads<Bytes, Position>;
    table.elements[static_cast<int>(Method::gathers)][width][log] = move_by_loads<Bytes, Position>;
    if constexpr (has_gathers(A{}) && (Bytes == 4 || Bytes == 8)) {
        table.elements[static_cast<int>(Method::gathers)][width][log] =
            move_by_gathers<Bytes, Position, A>;
    }
    table.fill[log] = fill<Bytes>;
    add_register_tables<Bytes, Position, A>(table, log, width, RegisterTables<A, Bytes>{});
}

/// Whether these are the kernels of slice_class_widths.
template <class... MoveSlice>
constexpr bool are_slice_classes() {
    constexpr std::int64_t widest[] = {MoveSlice::most...};
    if (std::size(widest) != slice_class_count) return false;
    for (int k = 0; k + 1 < slice_class_count; ++k) {
        if (widest[k] != slice_class_widths[k]) return false;
    }
    return true;
}

/// Of every class, narrowest first.
template <class Position, class... MoveSlice>
constexpr void add_slice_kernels(Kernels& table, int width) {
    static_assert(are_slice_classes<MoveSlice...>(),
                  "each class of slices has its widest in slice_class_widths (kernels.hpp) and, at "
                  "the same place, a kernel with this `most`; the last class has a kernel only");
    int slice_class = 0;
    ((table.slices[width][slice_class++] = move_slices<Position, MoveSlice>), ...);
}

template <class Position, class A>
constexpr void add_kernels_by_width(Kernels& table, int width) {
    add_index_kernels<std::int8_t, Position, A>(table, IndexKind::i8, width);
    add_index_kernels<std::int16_t, Position, A>(table, IndexKind::i16, width);
    add_index_kernels<std::int32_t, Position, A>(table, IndexKind::i32, width);
    add_index_kernels<std::int64_t, Position, A>(table, IndexKind::i64, width);
    add_index_kernels<std::uint8_t, Position, A>(table, IndexKind::u8, width);
    add_index_kernels<std::uint16_t, Position, A>(table, IndexKind::u16, width);
    add_index_kernels<std::uint32_t, Position, A>(table, IndexKind::u32, width);
    add_index_kernels<std::uint64_t, Position, A>(table, IndexKind::u64, width);
    add_element_kernels<1, Position, A>(table, 0, width);
    add_element_kernels<2, Position, A>(table, 1, width);
    add_element_kernels<4, Position, A>(table, 2, width);
    add_element_kernels<8, Position, A>(table, 3, width);
    add_element_kernels<16, Position, A>(table, 4, width);
    add_slice_kernels<Position, Short, StartAndEnd<16>, StartAndEnd<32>, StartAndEnd<64>,
                      StartAndEnd<128>, StartAndEnd<256>, Lines<1024>, Memcpy>(table, width);
    table.bits[width] = move_bits<Position>;
    table.classify[width] = classify<Position, A>;
    table.first_of_rows[width] = first_of_rows<Position, A>;
    table.place_columns[width] = place_columns<Position, A>;
}

template <class A, InstructionSet Set>
constexpr Kernels all_kernels() {
    static_assert(compiled_for == Set,
                  "the flags of this file (optimized/CMakeLists.txt) are those of another "
                  "instruction set, or compiled_for (arch.hpp) does not know this one");
    static_assert(A::supported(),
                  "the flags of this file (optimized/CMakeLists.txt) lack some "
                  "that xsimd asks for");
    Kernels table{};
    table.set = Set;
    add_kernels_by_width<std::int32_t, A>(table, static_cast<int>(PositionWidth::narrow));
    add_kernels_by_width<std::int64_t, A>(table, static_cast<int>(PositionWidth::wide));
    table.stream = stream<A>;
    table.fence = [] { fence(Sixteen{}); };
    return table;
}

}  // namespace
}  // namespace gathercheck::optimized
