// SPDX-License-Identifier: Apache-2.0
// Every kernel over the sizes at which it changes its way, between guard pages.
#include "optimized/kernels.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "optimized/dispatch.hpp"
#include "optimized/tests/support.hpp"

namespace gathercheck::optimized::test {
namespace {

const std::vector<const Kernels*>& all_kernels() {
    static const std::vector<const Kernels*> all = [] {
        std::vector<const Kernels*> tables;
        for (const Row& row : rows()) {
            if (row.available()) tables.push_back(kernels(row.instruction_set));
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

TEST_CASE("a scan finds one illegal index wherever it stands", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        each_index_type([&]<class Raw>(IndexKind kind, Raw) {
            const ScanIndices scan = table->scan[static_cast<int>(kind)];
            for (const std::size_t count : {1U, 2U, 3U, 7U, 16U, 31U, 64U, 65U, 100U}) {
                for (const Flush flush : both_ends) {
                    const Guarded indices(bytes_of(std::vector<Raw>(count, Raw{4})), flush);
                    const auto scanned = [&] {
                        return scan(indices.data(), static_cast<std::int64_t>(count), 0, 4);
                    };
                    INFO(name(table->set)
                         << " kind " << static_cast<int>(kind) << " count " << count);
                    REQUIRE_FALSE(scanned().out_of_bounds);
                    REQUIRE_FALSE(scanned().negative);
                    for (std::size_t k = 0; k < count; ++k) {
                        for (const Raw wrong :
                             {Raw{5}, std::numeric_limits<Raw>::max(), static_cast<Raw>(-1)}) {
                            const Raw right{4};
                            std::memcpy(indices.data() + k * sizeof(Raw), &wrong, sizeof wrong);
                            const IndexSummary found = scanned();
                            REQUIRE(found.out_of_bounds);
                            REQUIRE(found.negative == (std::is_signed_v<Raw> && wrong < Raw{1}));
                            REQUIRE(found.executed == table->set);
                            std::memcpy(indices.data() + k * sizeof(Raw), &right, sizeof right);
                        }
                    }
                }
            }
        });
    }
}

TEST_CASE("a scan takes both ends of every range, and nothing next to them", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        each_index_type([&]<class Raw>(IndexKind kind, Raw) {
            const ScanIndices scan = table->scan[static_cast<int>(kind)];
            const auto in_range = [&](Raw value, std::int64_t first, std::int64_t last) {
                const std::vector<Raw> values(70, value);
                const auto bytes = bytes_of(values);
                const bool many = !scan(bytes.data(), 70, first, last).out_of_bounds;
                REQUIRE(!scan(bytes.data(), 1, first, last).out_of_bounds == many);
                return many;
            };
            constexpr auto largest =
                static_cast<std::int64_t>(std::numeric_limits<std::int64_t>::max());
            INFO(name(table->set) << " kind " << static_cast<int>(kind));
            for (const std::int64_t s :
                 {std::int64_t{1}, std::int64_t{2}, std::int64_t{100}, std::int64_t{127},
                  std::int64_t{128}, std::int64_t{129}, std::int64_t{255}, std::int64_t{256},
                  std::int64_t{257}, std::int64_t{32768}, std::int64_t{65536},
                  std::int64_t{1} << 31, (std::int64_t{1} << 31) + 1, std::int64_t{1} << 32,
                  (std::int64_t{1} << 32) + 1, largest}) {
                for (const Raw value :
                     {Raw{0}, Raw{1}, Raw{99}, Raw{100}, Raw{126}, Raw{127}, static_cast<Raw>(-1),
                      static_cast<Raw>(-2), static_cast<Raw>(-100), static_cast<Raw>(-101),
                      static_cast<Raw>(s - 1), static_cast<Raw>(s), static_cast<Raw>(-s),
                      static_cast<Raw>(-s - 1), std::numeric_limits<Raw>::max(),
                      std::numeric_limits<Raw>::min()}) {
                    const bool not_beyond =
                        std::is_signed_v<Raw>
                            ? static_cast<std::int64_t>(value) < s
                            : static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(s);
                    const bool not_negative = !std::is_signed_v<Raw> || !(value < Raw{0});
                    const bool not_before = not_negative || static_cast<std::int64_t>(value) >= -s;
                    INFO("s " << s << " value " << static_cast<std::int64_t>(value));
                    REQUIRE(in_range(value, 0, s - 1) == (not_beyond && not_negative));
                    REQUIRE(in_range(value, -s, s - 1) == (not_beyond && not_before));
                }
            }
        });
    }
}

TEST_CASE("a scan of tuples checks each component against its own dimension", "[kernels]") {
    constexpr std::int64_t extents[] = {3, 100, 2, 7, 5};
    for (const Kernels* table : all_kernels()) {
        each_index_type([&]<class Raw>(IndexKind kind, Raw) {
            const ScanTuples scan = table->scan_tuples[static_cast<int>(kind)];
            for (const std::int64_t n : {1, 2, 3, 5}) {
                for (const std::int64_t tuples : {1, 2, 13, 40}) {
                    std::vector<Raw> values;
                    for (std::int64_t k = 0; k < tuples * n; ++k) {
                        values.push_back(static_cast<Raw>(extents[k % n] - 1));
                    }
                    for (std::size_t k = 0; k < values.size(); ++k) {
                        INFO(name(table->set) << " kind " << static_cast<int>(kind) << " n " << n
                                              << " tuples " << tuples << " wrong at " << k);
                        const auto scanned = [&] {
                            const Guarded indices(bytes_of(values),
                                                  k % 2 == 0 ? Flush::at_end : Flush::at_start);
                            return scan(indices.data(), tuples, n, extents, false);
                        };
                        if (k == 0) REQUIRE_FALSE(scanned().out_of_bounds);
                        ++values[k];
                        REQUIRE(scanned().out_of_bounds);
                        --values[k];
                    }
                }
            }
        });
    }
}

TEST_CASE("wrapping gives positions, and marks what is out of bounds", "[kernels]") {
    constexpr std::int64_t extent = 50;
    for (const Kernels* table : all_kernels()) {
        each_index_type([&]<class Raw>(IndexKind kind, Raw) {
            for (const std::size_t count : {1U, 3U, 8U, 16U, 17U, 40U, 99U}) {
                std::vector<Raw> values;
                std::vector<std::int64_t> expected;
                for (std::size_t k = 0; k < count; ++k) {
                    const auto value =
                        static_cast<Raw>(static_cast<std::int64_t>(k) * 7 % 130 - 65);
                    const bool negative = std::is_signed_v<Raw> && value < Raw{0};
                    const auto place = static_cast<std::int64_t>(value) + (negative ? extent : 0);
                    values.push_back(value);
                    expected.push_back(place >= 0 && place < extent ? place : -1);
                }
                const Guarded indices(bytes_of(values), Flush::at_end);
                INFO(name(table->set) << " kind " << static_cast<int>(kind) << " count " << count);
                std::vector<std::int32_t> narrow(count);
                std::vector<std::int64_t> wide(count);
                const auto& wrap = table->wrap[static_cast<int>(kind)];
                wrap[0](indices.data(), static_cast<std::int64_t>(count), extent, true,
                        narrow.data());
                wrap[1](indices.data(), static_cast<std::int64_t>(count), extent, true,
                        wide.data());
                REQUIRE(wide == expected);
                REQUIRE(std::vector<std::int64_t>(narrow.begin(), narrow.end()) == expected);
            }
        });
    }
}

/// Runs a move on guarded copies at both ends and compares it with the
/// definition in kernels.hpp, unit by unit.
template <class Position>
void check_move(Move move, InstructionSet set, MoveJob job, std::int64_t unit_bytes,
                const std::vector<std::byte>& table, const std::vector<Position>& positions) {
    const auto bytes = static_cast<std::size_t>(unit_bytes);
    std::vector<std::byte> expected(positions.size() * bytes);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const auto r = static_cast<std::int64_t>(k) / job.lanes;
        const auto l = static_cast<std::int64_t>(k) % job.lanes;
        if (positions[k] < 0) continue;
        const std::int64_t unit =
            r * job.row_step + positions[k] * job.index_step + l * job.lane_step;
        std::memcpy(expected.data() + k * bytes, table.data() + unit * unit_bytes, bytes);
    }
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
}

template <class Position>
std::vector<Position> some_positions(Random& random, std::size_t count, std::int64_t units,
                                     bool marked) {
    std::vector<Position> positions(count);
    for (Position& position : positions) {
        position =
            static_cast<Position>(marked && random.one_in(3) ? -1 : random.between(0, units - 1));
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
            for (const bool marked : {false, true}) {
                const std::int64_t units = random.between(1, 90);
                const auto contents = random.bytes(static_cast<std::size_t>(units * bytes));
                const auto positions = some_positions<Position>(random, count, units, marked);
                MoveJob job{};
                job.rows = 1;
                job.lanes = static_cast<std::int64_t>(count);
                job.index_step = 1;
                job.row_bytes = bytes;
                job.marked = marked;
                for (int method = 0; method < method_count; ++method) {
                    INFO(name(table.set) << " bytes " << bytes << " count " << count << " method "
                                         << method << " width " << width << " marked " << marked);
                    check_move(table.elements[method][width][log], table.set, job, bytes, contents,
                               positions);
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
void check_lanes(const Kernels& table, int width) {
    Random random(2);
    for (int log = 0; log < element_width_count; ++log) {
        const std::int64_t bytes = std::int64_t{1} << log;
        for (const std::int64_t lanes : {1, 2, 5, 8, 16, 21, 40}) {
            for (const std::int64_t lane_step : {0, 1, 3}) {
                constexpr std::int64_t entries = 6;
                constexpr std::int64_t rows = 3;
                const std::int64_t index_step = lanes * 3 + 1;
                const std::int64_t row_step = random.between(0, 9);
                const std::int64_t units = (rows - 1) * row_step + (entries - 1) * index_step +
                                           (lanes - 1) * lane_step + 1;
                const auto contents = random.bytes(static_cast<std::size_t>(units * bytes));
                const auto positions = some_positions<Position>(
                    random, static_cast<std::size_t>(rows * lanes), entries, false);
                MoveJob job{};
                job.rows = rows;
                job.lanes = lanes;
                job.row_step = row_step;
                job.index_step = index_step;
                job.lane_step = lane_step;
                for (int method = 0; method < method_count; ++method) {
                    INFO(name(table.set) << " bytes " << bytes << " lanes " << lanes << " method "
                                         << method << " width " << width);
                    check_move(table.lanes[method][width][log], table.set, job, bytes, contents,
                               positions);
                }
            }
        }
    }
}

TEST_CASE("lanes that step in data are moved by every method", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_lanes<std::int32_t>(*table, 0);
        check_lanes<std::int64_t>(*table, 1);
    }
}

template <class Position>
void check_register_tables(const Kernels& table, int width) {
    Random random(3);
    for (int log = 0; log < element_width_count; ++log) {
        const std::int64_t bytes = std::int64_t{1} << log;
        for (std::int64_t entries = 1; entries <= table.table_entries[log]; ++entries) {
            for (const std::int64_t lanes : {1, 31, 32, 64, 77}) {
                constexpr std::int64_t rows = 2;
                const auto contents =
                    random.bytes(static_cast<std::size_t>(rows * entries * bytes));
                const auto positions = some_positions<Position>(
                    random, static_cast<std::size_t>(rows * lanes), entries, false);
                MoveJob job{};
                job.rows = rows;
                job.lanes = lanes;
                job.row_step = entries;
                job.index_step = 1;
                job.entries = entries;
                INFO(name(table.set) << " bytes " << bytes << " entries " << entries << " lanes "
                                     << lanes << " width " << width);
                check_move(table.tables[width][log], table.set, job, bytes, contents, positions);
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

template <class Position>
void check_rows(const Kernels& table, int width) {
    Random random(4);
    const auto check = [&](std::int64_t bytes, RowClass row_class) {
        for (const bool marked : {false, true}) {
            constexpr std::int64_t units = 4;
            const auto contents = random.bytes(static_cast<std::size_t>(units * bytes));
            const auto positions = some_positions<Position>(random, 5, units, marked);
            MoveJob job{};
            job.rows = 1;
            job.lanes = 5;
            job.index_step = 1;
            job.row_bytes = bytes;
            job.marked = marked;
            INFO(name(table.set) << " bytes " << bytes << " width " << width);
            check_move(table.rows[width][static_cast<int>(row_class)], table.set, job, bytes,
                       contents, positions);
        }
    };
    const auto check_all = [&](std::int64_t first, std::int64_t last, RowClass row_class) {
        for (std::int64_t bytes = first; bytes <= last; ++bytes) check(bytes, row_class);
    };
    check_all(2, 4, RowClass::to_4);
    check_all(4, 8, RowClass::to_8);
    check_all(8, 16, RowClass::to_16);
    check_all(16, 32, RowClass::to_32);
    check_all(33, 64, RowClass::to_64);
    check_all(65, 128, RowClass::to_128);
    check_all(129, 260, RowClass::more);
    check_all(1020, 1030, RowClass::more);
    check(5000, RowClass::more);
}

TEST_CASE("rows of every width are moved whole, and nothing beside them", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_rows<std::int32_t>(*table, 0);
        check_rows<std::int64_t>(*table, 1);
    }
}

}  // namespace
}  // namespace gathercheck::optimized::test
