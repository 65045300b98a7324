// SPDX-License-Identifier: Apache-2.0
// Compiles one family of kernels anew, for mutants that are in the headers of kernels/: as few as
// the bug can be in, since dozens of mutants are compiled. Positions of 64 bits need tables of 2^31
// units; only indices that are looked at unchecked have them in small ones.
#pragma once

#include <utility>

#include "optimized/kernels/all_kernels.hpp"

namespace gathercheck::optimized {
namespace {

using Mutated = xsimd::fma3<xsimd::avx2>;
static_assert(compiled_for == InstructionSet::avx2);

// Templates: what a mutant does not ask for is not compiled.

/// Calls add.operator()<Raw>(number) for each type of indices, in the order of IndexKind.
template <class Add>
void each_index_kind(Add add) {
    int kind = 0;
    [&]<class... Raw>(std::tuple<Raw...>*) {
        (add.template operator()<Raw>(kind++), ...);
    }(static_cast<std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t>*>(nullptr));
}

template <class A = Mutated>
void plant_resolve(Kernels& table) {
    each_index_kind(
        [&]<class Raw>(int kind) { table.resolve[kind][0] = resolve<Raw, std::int32_t, A>; });
}

template <class A = Mutated>
void plant_flatten(Kernels& table) {
    each_index_kind(
        [&]<class Raw>(int kind) { table.flatten[kind][0] = flatten<Raw, std::int32_t, A>; });
}

template <class A = Mutated>
void plant_place_columns(Kernels& table) {
    table.place_columns[0] = place_columns<std::int32_t, A>;
}

template <class A = Mutated>
void plant_patterns(Kernels& table) {
    table.classify[0] = classify<std::int32_t, A>;
    table.classify[1] = classify<std::int64_t, A>;
    table.first_of_rows[0] = first_of_rows<std::int32_t, A>;
    table.first_of_rows[1] = first_of_rows<std::int64_t, A>;
}

template <class A = Mutated>
void plant_elements(Kernels& table) {
    constexpr auto loads = static_cast<int>(Method::loads);
    constexpr auto gathers = static_cast<int>(Method::gathers);
    [&]<int... Log>(std::integer_sequence<int, Log...>) {
        ((table.elements[loads][0][Log] = move_by_loads<1 << Log, std::int32_t>), ...);
        ((table.elements[gathers][0][Log] = move_by_loads<1 << Log, std::int32_t>), ...);
        ((table.fill[Log] = fill<1 << Log>), ...);
    }(std::make_integer_sequence<int, element_width_count>());
    table.elements[gathers][0][2] = move_by_gathers<4, std::int32_t, A>;
    table.elements[gathers][0][3] = move_by_gathers<8, std::int32_t, A>;
}

template <class A = Mutated>
void plant_register_tables(Kernels& table) {
    add_register_tables<1, std::int32_t, A>(table, 0, 0, RegisterTables<A, 1>{});
    add_register_tables<4, std::int32_t, A>(table, 2, 0, RegisterTables<A, 4>{});
}

template <class A = Mutated>
void plant_slices(Kernels& table) {
    add_slice_kernels<std::int32_t, Short, StartAndEnd<16>, StartAndEnd<32>, StartAndEnd<64>,
                      StartAndEnd<128>, StartAndEnd<256>, Lines<1024>, Memcpy>(table, 0);
}

template <class A = Mutated>
void plant_packed(Kernels& table) {
    table.bits[0] = move_bits<std::int32_t>;
}

template <class A = Mutated>
void plant_stream(Kernels& table) {
    table.stream = stream<A>;
}

}  // namespace
}  // namespace gathercheck::optimized
