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
    table.slices[width][0] = move_slices<Position, Short>;
    table.slices[width][1] = move_slices<Position, StartAndEnd<16>>;
    table.slices[width][2] = move_slices<Position, StartAndEnd<32>>;
    table.slices[width][3] = move_slices<Position, StartAndEnd<64>>;
    table.slices[width][4] = move_slices<Position, StartAndEnd<128>>;
    table.slices[width][5] = move_slices<Position, StartAndEnd<256>>;
    table.slices[width][6] = move_slices<Position, Lines<1024>>;
    table.slices[width][7] = move_slices<Position, Memcpy>;
    table.bits[width] = move_bits<Position>;
    table.classify[width] = classify<Position, A>;
    table.first_of_rows[width] = first_of_rows<Position, A>;
    table.place_columns[width] = place_columns<Position, A>;
}

template <class A>
constexpr Kernels all_kernels(InstructionSet set) {
    Kernels table{};
    table.set = set;
    add_kernels_by_width<std::int32_t, A>(table, static_cast<int>(PositionWidth::narrow));
    add_kernels_by_width<std::int64_t, A>(table, static_cast<int>(PositionWidth::wide));
    table.stream = stream<A>;
    table.fence = [] { fence(Sixteen{}); };
    return table;
}

}  // namespace
}  // namespace gathercheck::optimized
