// SPDX-License-Identifier: Apache-2.0
// Puts all kernels of one instruction set into its table.
#pragma once

#include "optimized/kernels/bits.hpp"
#include "optimized/kernels/elements.hpp"
#include "optimized/kernels/indices.hpp"
#include "optimized/kernels/picks.hpp"
#include "optimized/kernels/rows.hpp"
#include "optimized/kernels/tuples.hpp"

namespace gathercheck::optimized {
namespace {

template <class Raw, IndexKind Kind, class A>
constexpr void add_index_kernels(Kernels& table) {
    constexpr int kind = static_cast<int>(Kind);
    table.scan[kind] = scan<Raw, A>;
    table.scan_tuples[kind] = scan_tuples<Raw, A>;
    table.wrap[kind][0] = wrap<Raw, std::int32_t, A>;
    table.wrap[kind][1] = wrap<Raw, std::int64_t, A>;
    table.flatten[kind][0] = flatten<Raw, std::int32_t, A>;
    table.flatten[kind][1] = flatten<Raw, std::int64_t, A>;
}

template <int Bytes, int Log, class Position, int Which, class A, class... Table>
constexpr void add_register_tables(Kernels& table, TableList<Table...>) {
    [[maybe_unused]] int size = 0;
    if constexpr (Bytes <= 4) {
        ((table.pick_tables[Which][Log][size++] = pick_from_table<Bytes, Position, Table, A>), ...);
        size = 0;
    }
    constexpr std::int64_t worth_a_load = 16;
    constexpr std::int64_t worth_a_copy = 32;
    constexpr std::int64_t least = (is_loaded<Table> && ...) ? worth_a_load : worth_a_copy;
    constexpr std::int64_t lanes = lanes_of<Unit<Bytes>, A>;
    table.table_picks[Log] = least < lanes ? lanes : least;
    ((table.table_entries[Log][size] = Table::entries,
      table.tables[Which][Log][size++] = move_by_table<Bytes, Position, Table, A>),
     ...);
}

template <int Bytes, int Log, class Position, int Which, class A>
constexpr void add_element_kernels(Kernels& table) {
    constexpr int loads = static_cast<int>(Method::loads);
    constexpr int gathers = static_cast<int>(Method::gathers);
    table.elements[loads][Which][Log] = move_by_loads<Bytes, Position, false>;
    table.lanes[loads][Which][Log] = move_by_loads<Bytes, Position, true>;
    constexpr bool gathered = has_gathers(A{}) && (Bytes == 4 || Bytes == 8);
    if constexpr (gathered) {
        table.elements[gathers][Which][Log] = move_by_gathers<Bytes, Position, false, A>;
        table.lanes[gathers][Which][Log] = move_by_gathers<Bytes, Position, true, A>;
    } else {
        table.elements[gathers][Which][Log] = move_by_loads<Bytes, Position, false>;
        table.lanes[gathers][Which][Log] = move_by_loads<Bytes, Position, true>;
    }
    table.pick[loads][Which][Log] = pick_checked<Bytes, Position, false, A>;
    table.pick_lanes[loads][Which][Log] = pick_checked<Bytes, Position, true, A>;
    table.pick_columns[loads][Which][Log] = pick_columns<Bytes, Position, A>;
    if constexpr (gathered) {
        table.pick[gathers][Which][Log] = pick_by_gathers<Bytes, Position, false, A>;
        table.pick_lanes[gathers][Which][Log] = pick_by_gathers<Bytes, Position, true, A>;
        table.pick_columns[gathers][Which][Log] = pick_columns_by_gathers<Bytes, Position, A>;
    } else {
        table.pick[gathers][Which][Log] = table.pick[loads][Which][Log];
        table.pick_lanes[gathers][Which][Log] = table.pick_lanes[loads][Which][Log];
        table.pick_columns[gathers][Which][Log] = table.pick_columns[loads][Which][Log];
    }
    table.pick_scattered[Which][Log] = pick_rows<Position, Whole<Bytes>, A>;
    table.pick_far[Which][Log] = pick_far<Bytes, Position, A>;
    table.fill[Log] = fill<Bytes>;
    add_register_tables<Bytes, Log, Position, Which, A>(table, RegisterTables<A, Bytes>{});
}

template <RowClass Class, class MoveRow, class Position, int Which, class A>
constexpr void add_row_kernels(Kernels& table) {
    table.rows[Which][static_cast<int>(Class)] = move_rows<Position, MoveRow>;
    table.pick_rows[Which][static_cast<int>(Class)] = pick_rows<Position, MoveRow, A>;
}

template <RowClass Class, int Bytes, class Position, int Which, class A>
constexpr void add_short_row_kernels(Kernels& table) {
    table.rows[Which][static_cast<int>(Class)] = move_rows<Position, StartAndEnd<Bytes / 2>>;
    table.pick_rows[Which][static_cast<int>(Class)] = pick_short_rows<Bytes, Position, A>;
}

template <RowClass Class, class Position, int Which, class A>
constexpr void add_long_row_kernels(Kernels& table) {
    constexpr std::int64_t most = row_class_most[static_cast<int>(Class)];
    table.rows[Which][static_cast<int>(Class)] = move_long_rows<most, Position>;
    table.pick_rows[Which][static_cast<int>(Class)] = pick_long_rows<most, Position, A>;
}

template <class Position, int Which, class A>
constexpr void add_move_kernels(Kernels& table) {
    add_element_kernels<1, 0, Position, Which, A>(table);
    add_element_kernels<2, 1, Position, Which, A>(table);
    add_element_kernels<4, 2, Position, Which, A>(table);
    add_element_kernels<8, 3, Position, Which, A>(table);
    add_element_kernels<16, 4, Position, Which, A>(table);
    // Of longer ones too many would begin in one line and end in another.
    add_short_row_kernels<RowClass::to_4, 4, Position, Which, A>(table);
    add_short_row_kernels<RowClass::to_8, 8, Position, Which, A>(table);
    add_short_row_kernels<RowClass::to_16, 16, Position, Which, A>(table);
    add_row_kernels<RowClass::to_24, StartAndEnd<16, 8>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_31, StartAndEnd<16>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_32, Whole<32>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_48, StartAndEnd<32, 16>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_64, StartAndEnd<32>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_72, StartAndEnd<64, 8>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_80, StartAndEnd<64, 16>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_96, StartAndEnd<64, 32>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_112, StartAndEnd<96, 16>, Position, Which, A>(table);
    add_row_kernels<RowClass::to_128, StartAndEnd<64>, Position, Which, A>(table);
    add_long_row_kernels<RowClass::to_1024, Position, Which, A>(table);
#if defined(__AVX2__)
    add_long_row_kernels<RowClass::to_3072, Position, Which, A>(table);
#else
    add_row_kernels<RowClass::to_3072, Memcpy, Position, Which, A>(table);
#endif
    add_row_kernels<RowClass::more, Memcpy, Position, Which, A>(table);
    // What is known of tuples fills too many of 16 registers to fetch beside it.
    constexpr bool has_registers = lanes_of<std::int32_t, A> == 16;
    if constexpr (has_registers) table.pick_tuples[Which] = pick_tuples<Position, A>;
    table.bits[Which] = move_bits<Position>;
    table.classify[Which] = classify<Position, A>;
    table.first_of_rows[Which] = first_of_rows<Position, A>;
}

template <class A>
constexpr Kernels all_kernels(InstructionSet set) {
    Kernels table{};
    table.set = set;
    add_index_kernels<std::int8_t, IndexKind::i8, A>(table);
    add_index_kernels<std::int16_t, IndexKind::i16, A>(table);
    add_index_kernels<std::int32_t, IndexKind::i32, A>(table);
    add_index_kernels<std::int64_t, IndexKind::i64, A>(table);
    add_index_kernels<std::uint8_t, IndexKind::u8, A>(table);
    add_index_kernels<std::uint16_t, IndexKind::u16, A>(table);
    add_index_kernels<std::uint32_t, IndexKind::u32, A>(table);
    add_index_kernels<std::uint64_t, IndexKind::u64, A>(table);
    add_move_kernels<std::int32_t, 0, A>(table);
    add_move_kernels<std::int64_t, 1, A>(table);
    table.resolve = resolve<A>;
    table.stream = stream<A>;
    table.fence = [] { fence(Sixteen{}); };
    return table;
}

}  // namespace
}  // namespace gathercheck::optimized
