// SPDX-License-Identifier: Apache-2.0
// Every kernel over the sizes at which it changes its way, between guard pages.
#include "optimized/kernels.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "optimized/cpu.hpp"
#include "optimized/tests/support.hpp"

namespace gathercheck::optimized::test {
namespace {

const std::vector<const Kernels*>& all_kernels() {
    static const std::vector<const Kernels*> all = [] {
        std::vector<const Kernels*> tables;
        for (const Target& target : targets()) {
            if (target.available()) tables.push_back(kernels(target.instruction_set));
        }
        return tables;
    }();
    return all;
}

constexpr Flush both_ends[] = {Flush::at_start, Flush::at_end};

/// Calls `check(kind, Raw{})` for each type of indices.
template <class Check>
void each_index_type(Check check) {
    check(IndexKind::i8, std::int8_t{});
    check(IndexKind::i16, std::int16_t{});
    check(IndexKind::i32, std::int32_t{});
    check(IndexKind::i64, std::int64_t{});
    check(IndexKind::u8, std::uint8_t{});
    check(IndexKind::u16, std::uint16_t{});
    check(IndexKind::u32, std::uint32_t{});
    check(IndexKind::u64, std::uint64_t{});
}

/// What a resolve kernel gives: positions, or nothing where it rejects.
template <class Raw>
std::optional<std::vector<std::int64_t>> resolved(const Kernels& table, IndexKind kind, int width,
                                                  const std::vector<Raw>& indices, Flush flush,
                                                  ResolveJob job) {
    const Guarded given(bytes_of(indices), flush);
    job.indices = given.data();
    job.count = static_cast<std::int64_t>(indices.size());
    std::vector<std::int32_t> narrow(indices.size());
    std::vector<std::int64_t> wide(indices.size());
    const InstructionSet ran = table.resolve[static_cast<int>(kind)][width](
        job, width == 0 ? static_cast<void*>(narrow.data()) : wide.data());
    if (ran == InstructionSet::none) return std::nullopt;
    REQUIRE(ran == table.set);
    if (width == 0) wide.assign(narrow.begin(), narrow.end());
    return wide;
}

/// The definition: the position of an index, -1 where it is out of bounds.
template <class Raw>
std::int64_t position_of(Raw index, std::int64_t extent, bool negative_allowed) {
    if (std::cmp_less(index, 0)) {
        const bool legal = negative_allowed && static_cast<std::int64_t>(index) >= -extent;
        return legal ? static_cast<std::int64_t>(index) + extent : -1;
    }
    return std::cmp_less(index, extent) ? static_cast<std::int64_t>(index) : -1;
}

/// The definition: the position of the index in bounds that is nearest.
template <class Raw>
std::int64_t nearest_position(Raw index, std::int64_t extent, bool negative_allowed) {
    if (std::cmp_greater_equal(index, extent)) return extent - 1;
    if (std::cmp_greater_equal(index, 0)) return static_cast<std::int64_t>(index);
    const std::int64_t position = position_of(index, extent, negative_allowed);
    return position >= 0 ? position : 0;
}

TEST_CASE("resolving finds one index out of bounds wherever it stands", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        each_index_type([&]<class Raw>(IndexKind kind, Raw) {
            for (const std::size_t count : {1U, 2U, 3U, 7U, 16U, 31U, 64U, 65U, 100U}) {
                std::vector<Raw> indices(count, Raw{4});
                const ResolveJob job{.extent = 5, .negative_allowed = false};
                for (const int width : {0, 1}) {
                    INFO(name(table->set)
                         << " kind " << static_cast<int>(kind) << " count " << count);
                    REQUIRE(resolved(*table, kind, width, indices, Flush::at_end, job) ==
                            std::vector<std::int64_t>(count, 4));
                    for (Raw& index : indices) {
                        for (const Raw wrong :
                             {Raw{5}, std::numeric_limits<Raw>::max(), static_cast<Raw>(-1)}) {
                            index = wrong;
                            const Flush flush = wrong == Raw{5} ? Flush::at_start : Flush::at_end;
                            REQUIRE_FALSE(resolved(*table, kind, width, indices, flush, job));
                        }
                        index = Raw{4};
                    }
                }
            }
        });
    }
}

TEST_CASE("resolving takes both ends of every range, and nothing next to them", "[kernels]") {
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const auto power = [](int bit) { return std::int64_t{1} << bit; };
    for (const Kernels* table : all_kernels()) {
        each_index_type([&]<class Raw>(IndexKind kind, Raw) {
            for (const std::int64_t s :
                 {std::int64_t{1}, std::int64_t{2}, std::int64_t{100}, std::int64_t{127},
                  std::int64_t{128}, std::int64_t{129}, std::int64_t{255}, std::int64_t{256},
                  std::int64_t{257}, power(15), power(16), power(31), power(31) + 1, power(32),
                  power(32) + 1, largest}) {
                for (const Raw value :
                     {Raw{0}, Raw{1}, Raw{99}, Raw{100}, Raw{126}, Raw{127}, static_cast<Raw>(-1),
                      static_cast<Raw>(-2), static_cast<Raw>(-100), static_cast<Raw>(-101),
                      static_cast<Raw>(power(32) + 1), static_cast<Raw>(s - 1), static_cast<Raw>(s),
                      static_cast<Raw>(-s), static_cast<Raw>(-s - 1),
                      std::numeric_limits<Raw>::max(), std::numeric_limits<Raw>::min()}) {
                    INFO(name(table->set) << " kind " << static_cast<int>(kind) << " s " << s
                                          << " value " << static_cast<std::int64_t>(value));
                    for (const bool negative : {false, true}) {
                        const std::int64_t position = position_of(value, s, negative);
                        for (const int width : {0, 1}) {
                            if (width == 0 && s > power(31)) continue;
                            for (const std::size_t count : {1U, 70U}) {
                                const auto found = resolved(
                                    *table, kind, width, std::vector<Raw>(count, value),
                                    Flush::at_end, {.extent = s, .negative_allowed = negative});
                                REQUIRE(found.has_value() == (position >= 0));
                                if (found) {
                                    REQUIRE(*found == std::vector<std::int64_t>(count, position));
                                }
                                REQUIRE(resolved(*table, kind, width,
                                                 std::vector<Raw>(count, value), Flush::at_end,
                                                 {.extent = s,
                                                  .negative_allowed = negative,
                                                  .beyond = OutOfBounds::clamp}) ==
                                        std::vector<std::int64_t>(
                                            count, nearest_position(value, s, negative)));
                            }
                        }
                    }
                }
            }
        });
    }
}

TEST_CASE("resolving wraps, and zero-fills or clamps what is out of bounds where that is asked for",
          "[kernels]") {
    constexpr std::int64_t extent = 50;
    for (const Kernels* table : all_kernels()) {
        each_index_type([&]<class Raw>(IndexKind kind, Raw) {
            for (const std::size_t count : {1U, 3U, 8U, 16U, 17U, 40U, 99U}) {
                for (const std::int64_t range : {100, 130}) {  // in bounds, and some beyond
                    std::vector<Raw> values;
                    std::vector<std::int64_t> expected;
                    for (std::size_t k = 0; k < count; ++k) {
                        values.push_back(
                            static_cast<Raw>(static_cast<std::int64_t>(k) * 7 % range - range / 2));
                        expected.push_back(position_of(values.back(), extent, true));
                    }
                    const bool legal = std::ranges::count(expected, -1) == 0;
                    for (const int width : {0, 1}) {
                        INFO(name(table->set)
                             << " kind " << static_cast<int>(kind) << " count " << count);
                        ResolveJob job{.extent = extent,
                                       .negative_allowed = true,
                                       .beyond = OutOfBounds::zero};
                        REQUIRE(resolved(*table, kind, width, values, Flush::at_end, job) ==
                                expected);
                        for (const bool negative : {false, true}) {
                            std::vector<std::int64_t> nearest;
                            for (const Raw value : values) {
                                nearest.push_back(nearest_position(value, extent, negative));
                            }
                            const ResolveJob clamping{.extent = extent,
                                                      .negative_allowed = negative,
                                                      .beyond = OutOfBounds::clamp};
                            REQUIRE(resolved(*table, kind, width, values, Flush::at_end,
                                             clamping) == nearest);
                            REQUIRE(resolved(*table, kind, width, values, Flush::at_start,
                                             clamping) == nearest);
                        }
                        job.beyond = OutOfBounds::reject;
                        const auto strict =
                            resolved(*table, kind, width, values, Flush::at_start, job);
                        REQUIRE(strict.has_value() == legal);
                        if (strict) REQUIRE(*strict == expected);
                    }
                }
            }
        });
    }
}

template <class Position>
void check_place_columns(const Kernels& table, int width) {
    for (const std::int64_t picks : {1, 5, 16, 33}) {
        std::vector<Position> positions;
        std::vector<Position> expected;
        for (std::int64_t k = 0; k < 3 * picks; ++k) {
            const std::int64_t position = k * 5 % 7;
            positions.push_back(static_cast<Position>(position));
            expected.push_back(static_cast<Position>(position * 100 + k % picks * 3));
        }
        const Guarded places(bytes_of(positions), Flush::at_end);
        table.place_columns[width](places.data(), 3, picks, 100, 3);
        INFO(name(table.set) << " width " << width << " picks " << picks);
        REQUIRE(values_of<Position>(places.span()) == expected);
    }
}

TEST_CASE("positions along an axis become places in data", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_place_columns<std::int32_t>(*table, 0);
        check_place_columns<std::int64_t>(*table, 1);
    }
}

/// Where whole lines do not begin with lines of the output, which buffers flush with pages do.
constexpr std::size_t beside_lines = 4;

/// A buffer in which `contents` lie there.
std::vector<std::byte> with_margins(const std::vector<std::byte>& contents) {
    auto all = filled(beside_lines + contents.size() + 64, 0xA5);
    std::ranges::copy(contents, all.begin() + beside_lines);
    return all;
}

/// Runs a move on guarded copies at both ends and compares it with the
/// definition in kernels.hpp, unit by unit. The job's `following` positions come last.
template <class Position>
void check_move(Move move, InstructionSet set, MoveJob job, std::int64_t unit_bytes,
                const std::vector<std::byte>& table, const std::vector<Position>& positions) {
    const auto bytes = static_cast<std::size_t>(unit_bytes);
    std::vector<std::byte> expected(static_cast<std::size_t>(job.rows * job.picks) * bytes);
    for (std::int64_t r = 0; r < job.rows; ++r) {
        for (std::int64_t l = 0; l < job.picks; ++l) {
            const Position position =
                positions[static_cast<std::size_t>(r / job.sharing * job.picks + l)];
            if (position < 0) continue;
            const std::int64_t unit = r * job.row_step + position;
            std::memcpy(expected.data() + static_cast<std::size_t>(r * job.picks + l) * bytes,
                        table.data() + unit * unit_bytes, bytes);
        }
    }
    job.positions_step = job.output_step = job.picks;
    job.unit_bytes = job.pitch = unit_bytes;
    for (const Flush flush : both_ends) {
        const Guarded from(table, flush);
        const Guarded places(bytes_of(positions), flush);
        const Guarded output(filled(expected.size(), 0xA5), flush);
        job.table = from.data();
        job.positions = places.data();
        job.output = output.data();
        REQUIRE(move(job) == set);
        REQUIRE(std::vector<std::byte>(output.span().begin(), output.span().end()) == expected);
    }
    std::vector<std::byte> output = with_margins(filled(expected.size(), 0x5A));
    job.table = table.data();
    job.positions = positions.data();
    job.output = output.data() + beside_lines;
    REQUIRE(move(job) == set);
    REQUIRE((output == with_margins(expected)));
}

template <class Position>
std::vector<Position> some_positions(Random& random, std::size_t count, std::int64_t units,
                                     bool zero_fill) {
    std::vector<Position> positions(count);
    for (Position& position : positions) {
        position = static_cast<Position>(
            zero_fill && random.one_in(3) ? -1 : random.between(0, units - 1));
    }
    positions.front() = static_cast<Position>(units - 1);
    positions.back() = 0;
    return positions;
}

template <class Position>
void check_elements(const Kernels& table, int width) {
    Random random(1);
    for (int log = 0; log < element_width_count; ++log) {
        const std::int64_t bytes = std::int64_t{1} << log;
        for (const std::size_t count : {1U, 3U, 4U, 8U, 15U, 16U, 33U, 64U, 130U}) {
            for (const bool zero_fill : {false, true}) {
                constexpr std::int64_t rows = 3;
                constexpr std::int64_t sharing = 2;  // or none does
                const std::int64_t units = random.between(1, 90);
                MoveJob job{};
                job.picks = static_cast<std::int64_t>(count);
                job.row_step = random.between(0, 9);
                job.zero_fill = zero_fill;
                const auto contents = random.bytes(static_cast<std::size_t>(
                    (units + (sharing * rows - 1) * job.row_step) * bytes));
                const auto positions =
                    some_positions<Position>(random, rows * count, units, zero_fill);
                for (int method = 0; method < method_count; ++method) {
                    job.prefetch_distance = random.between(0, 2) * 40;
                    INFO(name(table.set)
                         << " bytes " << bytes << " count " << count << " method " << method
                         << " width " << width << " zero-fill " << zero_fill);
                    const Move move = table.elements[method][width][log];
                    job.rows = rows;
                    job.sharing = 1;
                    check_move(move, table.set, job, bytes, contents, positions);
                    job.rows = sharing * rows;
                    job.sharing = sharing;
                    check_move(move, table.set, job, bytes, contents, positions);
                }
            }
        }
    }
}

TEST_CASE("elements of every width are moved by every method", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_elements<std::int32_t>(*table, 0);
        check_elements<std::int64_t>(*table, 1);
    }
}

template <class Position>
void check_register_tables(const Kernels& table, int width) {
    Random random(3);
    const auto check = [&](int log, int size, std::int64_t entries) {
        const std::int64_t bytes = std::int64_t{1} << log;
        for (const std::int64_t picks : {1, 31, 32, 64, 77}) {
            constexpr std::int64_t rows = 2;
            constexpr std::int64_t sharing = 3;  // or none does
            const auto contents =
                random.bytes(static_cast<std::size_t>(sharing * rows * entries * bytes));
            const auto positions = some_positions<Position>(
                random, static_cast<std::size_t>(rows * picks), entries, false);
            MoveJob job{};
            job.picks = picks;
            job.row_step = entries;
            job.entries = entries;
            INFO(name(table.set) << " bytes " << bytes << " entries " << entries << " picks "
                                 << picks << " width " << width);
            const Move move = table.register_tables[width][log][size];
            job.rows = rows;
            check_move(move, table.set, job, bytes, contents, positions);
            job.rows = sharing * rows;
            job.sharing = sharing;
            check_move(move, table.set, job, bytes, contents, positions);
        }
    };
    for (int log = 0; log < element_width_count; ++log) {
        for (int size = 0; size < table_size_count; ++size) {
            const std::int64_t most = table.table_entries[log][size];
            for (std::int64_t entries = 1; entries <= most; entries += entries < most - 3 ? 3 : 1) {
                check(log, size, entries);
            }
        }
    }
}

TEST_CASE("tables in registers give what tables in memory give, at every size", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_register_tables<std::int32_t>(*table, 0);
        check_register_tables<std::int64_t>(*table, 1);
    }
}

/// The class of slices of so many bytes.
std::size_t class_of(std::int64_t bytes) {
    return static_cast<std::size_t>(std::ranges::lower_bound(slice_class_widths, bytes) -
                                    slice_class_widths);
}

/// Widths of every class, its first and last among them.
const std::vector<std::int64_t>& slice_widths() {
    static const std::vector<std::int64_t> all = [] {
        std::vector<std::int64_t> widths(259);
        std::iota(widths.begin(), widths.end(), 2);
        for (const std::int64_t most : slice_class_widths) {
            if (most >= widths.back()) widths.insert(widths.end(), {most - 1, most, most + 1});
        }
        for (const std::int64_t width : {330, 384, 385, 1020, 1100, 5000}) widths.push_back(width);
        return widths;
    }();
    return all;
}

template <class Position>
void check_slices(const Kernels& table, int width, std::int64_t bytes) {
    Random random(4);
    for (const bool zero_fill : {false, true}) {
        for (const std::int64_t distance : {0, 1, 2, 20}) {
            constexpr std::int64_t units = 4;
            constexpr std::int64_t sharing = 2;  // or none does
            const auto contents =
                random.bytes(static_cast<std::size_t>(2 * sharing * units * bytes));
            const auto positions = some_positions<Position>(random, 2 * 5, units, zero_fill);
            MoveJob job{};
            job.rows = 2;
            job.picks = 5;
            job.row_step = units;
            job.prefetch_distance = distance;
            job.zero_fill = zero_fill;
            INFO(name(table.set) << " bytes " << bytes << " width " << width << " distance "
                                 << distance << " zero-fill " << zero_fill);
            const Move move = table.slices[width][class_of(bytes)];
            check_move(move, table.set, job, bytes, contents, positions);
            job.rows = 2 * sharing;
            job.sharing = sharing;
            check_move(move, table.set, job, bytes, contents, positions);
            job.rows = job.sharing = 1;
            for (const std::int64_t following : {1, 4}) {
                job.picks = 10 - following;
                job.following = following;
                check_move(move, table.set, job, bytes, contents, positions);
            }
        }
    }
}

TEST_CASE("slices of every width are moved whole, and nothing beside them", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        for (const std::int64_t bytes : slice_widths()) {
            if (bytes > 130 && bytes < 256 && bytes % 16 > 1) continue;  // enough of a kind
            check_slices<std::int32_t>(*table, 0, bytes);
            check_slices<std::int64_t>(*table, 1, bytes);
        }
    }
}

TEST_CASE("rows of a job may lie apart in the output, and units overlap in data") {
    // Slices of 3 bytes, one every 2 bytes of data.
    const auto data = bytes_of(std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const std::vector<std::int32_t> positions{1, 0};
    for (const Kernels* table : all_kernels()) {
        INFO(name(table->set));
        std::vector<std::byte> output = filled(15, 0xEE);
        MoveJob job{};
        job.table = data.data();
        job.positions = positions.data();
        job.output = output.data();
        job.rows = 2;
        job.picks = 2;
        job.row_step = 2;
        job.output_step = 3;
        job.unit_bytes = 3;
        job.pitch = 2;
        table->slices[0][class_of(3)](job);
        CHECK(values_of<std::uint8_t>(output) ==
              std::vector<std::uint8_t>{2, 3, 4, 0, 1, 2, 0xEE, 0xEE, 0xEE, 6, 7, 8, 4, 5, 6});
        job.unit_bytes = 4;
        job.row_step = 1;
        output = filled(20, 0xEE);
        job.output = output.data();
        table->elements[0][0][2](job);
        CHECK(values_of<std::uint8_t>(output) ==
              std::vector<std::uint8_t>{4,    5,    6, 7, 0,  1,  2, 3, 0xEE, 0xEE,
                                        0xEE, 0xEE, 8, 9, 10, 11, 4, 5, 6,    7});
    }
}

/// Bit k of a stream of bits, the low part of a byte first.
std::uint64_t bit_of(std::span<const std::byte> bytes, std::int64_t k) {
    return std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(k / 8)]) >> (k % 8) & 1U;
}

/// Two jobs one after another, and what the first leaves in the sink.
template <class Position>
void check_bits(const Kernels& table, int width, std::int64_t unit_bits, bool zero_fill) {
    Random random(6);
    constexpr std::int64_t units = 20;
    constexpr std::int64_t picks = 9;
    BitsJob job{};
    job.base = 3;
    job.picks = picks;
    job.index_step = 2;
    job.column_step = 1;
    job.unit_bits = unit_bits;
    job.zero_fill = zero_fill;
    const std::int64_t last_unit = job.base + (units - 1) * job.index_step + picks - 1;
    const auto contents =
        random.bytes(static_cast<std::size_t>((last_unit + 1) * unit_bits + 7) / 8);
    auto positions = some_positions<Position>(random, picks, units, zero_fill);
    positions.back() = Position{units - 1};
    std::vector<std::uint64_t> expected;
    for (std::int64_t k = 0; k < 2 * picks * unit_bits; ++k) {
        const std::int64_t pick = k / unit_bits % picks;
        const std::int64_t position = positions[static_cast<std::size_t>(pick)];
        const std::int64_t unit = job.base + position * job.index_step + pick * job.column_step;
        expected.push_back(position < 0 ? 0 : bit_of(contents, unit * unit_bits + k % unit_bits));
    }
    const std::size_t whole_bytes = expected.size() / 8;
    for (const Flush flush : both_ends) {
        const Guarded data(contents, flush);
        const Guarded places(bytes_of(positions), flush);
        const Guarded output(filled(whole_bytes, 0xA5), flush);
        job.data = data.data();
        job.data_end = data.data() + contents.size();
        job.positions = places.data();
        BitSink sink{output.data()};
        REQUIRE(table.bits[width](job, sink) == table.set);
        REQUIRE(table.bits[width](job, sink) == table.set);
        REQUIRE(sink.next == output.data() + whole_bytes);
        REQUIRE(sink.held_bits == static_cast<int>(expected.size() % 8));
        std::vector<std::uint64_t> written;
        for (std::size_t k = 0; k < expected.size(); ++k) {
            written.push_back(k / 8 < whole_bytes
                                  ? bit_of(output.span(), static_cast<std::int64_t>(k))
                                  : sink.held >> (k % 8) & 1U);
        }
        REQUIRE(written == expected);
    }
}

TEST_CASE("units of any number of bits are moved, and nothing beside them", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        for (const std::int64_t bits : {1,  2,  3,  4,  5,  6,  7,  9,   12,  15,  17,  28,
                                        55, 56, 57, 63, 64, 65, 68, 111, 112, 113, 200, 1001}) {
            for (const bool zero_fill : {false, true}) {
                INFO(name(table->set) << " bits " << bits << " zero-fill " << zero_fill);
                check_bits<std::int32_t>(*table, 0, bits, zero_fill);
                check_bits<std::int64_t>(*table, 1, bits, zero_fill);
            }
        }
    }
}

template <class Position>
void check_patterns(const Kernels& table, int width) {
    const auto classified = [&](const std::vector<Position>& positions) {
        const Guarded places(bytes_of(positions), Flush::at_end);
        return table.classify[width](places.data(), static_cast<std::int64_t>(positions.size()));
    };
    for (const std::size_t count : {2U, 3U, 4U, 7U, 8U, 16U, 17U, 31U, 64U, 100U}) {
        INFO(name(table.set) << " width " << width << " count " << count);
        const std::vector<Position> same(count, Position{5});
        std::vector<Position> rising(count, Position{7});
        for (std::size_t k = 0; k < count; ++k) rising[k] += static_cast<Position>(k);
        REQUIRE(classified(same) == Pattern::constant);
        REQUIRE(classified(rising) == Pattern::consecutive);
        for (std::size_t k = 0; k < count && count > 2; ++k) {
            std::vector<Position> other = same;
            other[k] += 2;
            REQUIRE(classified(other) == Pattern::none);
            other = rising;
            other[k] += 2;
            REQUIRE(classified(other) == Pattern::none);
        }
        // Two rows of these.
        std::vector<Position> rows = same;
        rows.resize(2 * count, Position{9});
        const auto firsts = [&] {
            std::vector<Position> found(2, Position{-1});
            const Guarded places(bytes_of(rows), Flush::at_end);
            const bool all = table.first_of_rows[width](
                places.data(), 2, static_cast<std::int64_t>(count), found.data());
            return all ? found : std::vector<Position>{};
        };
        REQUIRE(firsts() == std::vector<Position>{5, 9});
        rows[count + 1] = 8;
        REQUIRE(firsts().empty());
    }
}

TEST_CASE("patterns of positions are seen, and one position off is seen too", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_patterns<std::int32_t>(*table, 0);
        check_patterns<std::int64_t>(*table, 1);
    }
}

TEST_CASE("tuples of every length become positions, across batches", "[kernels]") {
    constexpr std::int64_t extents[] = {3, 4, 2, 5, 3};
    struct Layout {
        std::int64_t per_batch;
        std::int64_t from_end;  // each so many-th index is negative; 0: none is
    };
    for (const Kernels* table : all_kernels()) {
        for (const Layout layout : {Layout{5, 3}, Layout{70, 3}, Layout{70, 0}, Layout{70, 311}})
            each_index_type([&]<class Raw>(IndexKind kind, Raw) {
                for (const std::int64_t n : {1, 2, 3, 4, 5}) {
                    const auto [per_batch, from_end] = layout;
                    std::int64_t strides[5];
                    std::int64_t rows = 1;
                    for (std::int64_t t = n - 1; t >= 0; rows *= extents[t], --t) strides[t] = rows;
                    for (const std::int64_t count : {1, 4, 9, 40, 77, 163}) {
                        std::vector<Raw> values;
                        std::vector<std::int64_t> expected;
                        for (std::int64_t k = 0; k < count; ++k) {
                            std::int64_t position = 1000 + (k + 3) / per_batch * rows;
                            for (std::int64_t t = 0; t < n; ++t) {
                                const std::int64_t at = (k * 7 + t) % extents[t];
                                const bool negative = std::is_signed_v<Raw> && from_end != 0 &&
                                                      (k * n + t) % from_end == from_end - 1;
                                values.push_back(static_cast<Raw>(negative ? at - extents[t] : at));
                                position += at * strides[t];
                            }
                            expected.push_back(position);
                        }
                        const Guarded indices(bytes_of(values), Flush::at_end);
                        FlattenJob job{indices.data(), count, n,    extents, strides, 3,
                                       per_batch,      1000,  rows, true};
                        std::vector<std::int32_t> narrow(expected.size());
                        std::vector<std::int64_t> wide(expected.size());
                        const auto& flatten = table->flatten[static_cast<int>(kind)];
                        REQUIRE(flatten[0](job, narrow.data()) == table->set);
                        REQUIRE(flatten[1](job, wide.data()) == table->set);
                        INFO(name(table->set) << " kind " << static_cast<int>(kind) << " n " << n
                                              << " count " << count << " in batches of "
                                              << per_batch << " negative " << from_end);
                        REQUIRE(wide == expected);
                        REQUIRE(std::vector<std::int64_t>(narrow.begin(), narrow.end()) ==
                                expected);

                        // One component of one tuple is out of bounds.
                        const std::int64_t place = count * n * 2 / 3;
                        const std::int64_t s = extents[place % n];
                        std::vector<Raw> wrong = values;
                        std::vector<Raw> ones{static_cast<Raw>(s), std::numeric_limits<Raw>::max()};
                        if (std::is_signed_v<Raw>) ones.push_back(static_cast<Raw>(-s - 1));
                        if (sizeof(Raw) == 8) {  // the low halves are legal
                            ones.push_back(static_cast<Raw>(std::uint64_t{1} << 32));
                            ones.push_back(static_cast<Raw>(std::uint64_t{1} << 63));
                        }
                        for (const Raw one : ones) {
                            wrong[static_cast<std::size_t>(place)] = one;
                            const Guarded bad(bytes_of(wrong), Flush::at_end);
                            job.indices = bad.data();
                            REQUIRE(flatten[0](job, narrow.data()) == InstructionSet::none);
                            REQUIRE(flatten[1](job, wide.data()) == InstructionSet::none);
                        }
                        wrong[static_cast<std::size_t>(place)] = static_cast<Raw>(-1);
                        for (Raw& x : wrong)
                            x = std::cmp_less(x, 0) && &x != &wrong[static_cast<std::size_t>(place)]
                                    ? Raw{0}
                                    : x;
                        const Guarded negative(bytes_of(wrong), Flush::at_end);
                        job.indices = negative.data();
                        job.negative_allowed = false;
                        REQUIRE(flatten[0](job, narrow.data()) == InstructionSet::none);
                    }
                }
            });
    }
}

TEST_CASE("streams and fills write what they should, and nothing beside it", "[kernels]") {
    Random random(5);
    for (const Kernels* table : all_kernels()) {
        for (const std::int64_t bytes : {0, 1, 63, 64, 65, 128, 200, 1000, 4096, 65536, 70001}) {
            const auto contents = random.bytes(static_cast<std::size_t>(bytes));
            for (const Flush flush : both_ends) {
                const Guarded from(contents, flush);
                const Guarded output(filled(contents.size(), 0xA5), flush);
                table->stream(output.data(), from.data(), bytes);
                table->fence();
                INFO(name(table->set) << " bytes " << bytes);
                REQUIRE(std::ranges::equal(output.span(), contents));
            }
        }
        for (int log = 0; log < element_width_count; ++log) {
            const std::size_t bytes = std::size_t{1} << log;
            const auto contents = random.bytes(bytes);
            for (const std::size_t count : {0U, 1U, 5U, 33U}) {
                const Guarded output(filled(count * bytes, 0xA5), Flush::at_end);
                table->fill[log](contents.data(), static_cast<std::int64_t>(count), output.data());
                for (std::size_t k = 0; k < count * bytes; ++k) {
                    REQUIRE(output.span()[k] == contents[k % bytes]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace gathercheck::optimized::test
