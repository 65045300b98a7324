// SPDX-License-Identifier: Apache-2.0
// Every kernel over the sizes at which it changes its way, between guard pages.
#include "optimized/kernels.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

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
                      static_cast<Raw>((std::int64_t{1} << 32) + 1), static_cast<Raw>(s - 1),
                      static_cast<Raw>(s), static_cast<Raw>(-s), static_cast<Raw>(-s - 1),
                      std::numeric_limits<Raw>::max(), std::numeric_limits<Raw>::min()}) {
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

void check_resolve(const Kernels& table) {
    Random random(7);
    for (const std::int64_t extent : {std::int64_t{1}, std::int64_t{50}, std::int64_t{1} << 31}) {
        for (const std::int64_t first : {std::int64_t{0}, -extent}) {
            for (const std::size_t count : {1U, 15U, 16U, 17U, 40U, 300U}) {
                std::vector<std::int64_t> indices;
                std::vector<std::int32_t> expected;
                for (std::size_t k = 0; k < count; ++k) {
                    const std::int64_t index = random.between(first, extent - 1);
                    indices.push_back(index);
                    expected.push_back(
                        static_cast<std::int32_t>(index < 0 ? index + extent : index));
                }
                INFO(name(table.set)
                     << " extent " << extent << " first " << first << " count " << count);
                std::vector<std::int32_t> positions(count);
                const auto resolved = [&](Flush flush) {
                    const Guarded given(bytes_of(indices), flush);
                    return table.resolve(given.data(), static_cast<std::int64_t>(count), first,
                                         extent, positions.data());
                };
                for (const Flush flush : both_ends) {
                    REQUIRE(resolved(flush) == table.set);
                    REQUIRE((positions == expected));
                    const std::size_t place = flush == Flush::at_end ? count - 1 : count / 2;
                    const std::int64_t kept = indices[place];
                    for (const std::int64_t wrong :
                         {extent, first - 1, std::numeric_limits<std::int64_t>::max(),
                          std::numeric_limits<std::int64_t>::min()}) {
                        indices[place] = wrong;
                        INFO("index " << wrong << " at " << place);
                        REQUIRE(resolved(flush) == InstructionSet::none);
                    }
                    indices[place] = kept;
                }
            }
        }
    }
}

TEST_CASE("resolving checks indices and gives their positions in one pass", "[kernels]") {
    for (const Kernels* table : all_kernels()) check_resolve(*table);
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
    std::vector<std::byte> expected(static_cast<std::size_t>(job.rows * job.lanes) * bytes);
    for (std::int64_t r = 0; r < job.rows; ++r) {
        for (std::int64_t l = 0; l < job.lanes; ++l) {
            const Position position =
                positions[static_cast<std::size_t>(r / job.sharing * job.lanes + l)];
            if (position < 0) continue;
            const std::int64_t unit =
                r * job.row_step + position * job.index_step + l * job.lane_step;
            std::memcpy(expected.data() + static_cast<std::size_t>(r * job.lanes + l) * bytes,
                        table.data() + unit * unit_bytes, bytes);
        }
    }
    job.positions_step = job.output_step = job.lanes;
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
                job.marked = marked;
                for (int method = 0; method < method_count; ++method) {
                    for (const std::int64_t ahead : {0, 8, 50}) {
                        job.ahead = ahead;
                        INFO(name(table.set)
                             << " bytes " << bytes << " count " << count << " method " << method
                             << " width " << width << " marked " << marked << " ahead " << ahead);
                        check_move(table.elements[method][width][log], table.set, job, bytes,
                                   contents, positions);
                    }
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
                constexpr std::int64_t sharing = 2;  // or none does
                const std::int64_t index_step = lanes * 3 + 1;
                const std::int64_t row_step = random.between(0, 9);
                const std::int64_t units = (sharing * rows - 1) * row_step +
                                           (entries - 1) * index_step + (lanes - 1) * lane_step + 1;
                const auto contents = random.bytes(static_cast<std::size_t>(units * bytes));
                const auto positions = some_positions<Position>(
                    random, static_cast<std::size_t>(rows * lanes), entries, false);
                MoveJob job{};
                job.lanes = lanes;
                job.row_step = row_step;
                job.index_step = index_step;
                job.lane_step = lane_step;
                for (int method = 0; method < method_count; ++method) {
                    INFO(name(table.set) << " bytes " << bytes << " lanes " << lanes << " method "
                                         << method << " width " << width);
                    const Move move = table.lanes[method][width][log];
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

TEST_CASE("lanes that step in data are moved by every method", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_lanes<std::int32_t>(*table, 0);
        check_lanes<std::int64_t>(*table, 1);
    }
}

template <class Position>
void check_register_tables(const Kernels& table, int width) {
    Random random(3);
    const auto check = [&](int log, int size, std::int64_t entries) {
        const std::int64_t bytes = std::int64_t{1} << log;
        for (const std::int64_t lanes : {1, 31, 32, 64, 77}) {
            constexpr std::int64_t rows = 2;
            constexpr std::int64_t sharing = 3;  // or none does
            const auto contents =
                random.bytes(static_cast<std::size_t>(sharing * rows * entries * bytes));
            const auto positions = some_positions<Position>(
                random, static_cast<std::size_t>(rows * lanes), entries, false);
            MoveJob job{};
            job.lanes = lanes;
            job.row_step = entries;
            job.index_step = 1;
            job.entries = entries;
            INFO(name(table.set) << " bytes " << bytes << " entries " << entries << " lanes "
                                 << lanes << " width " << width);
            const Move move = table.tables[width][log][size];
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

/// Runs a pick on guarded copies at both ends and compares it with the definition
/// in kernels.hpp; then with one illegal index at several places.
template <class Index>
void check_pick(Pick pick, InstructionSet set, PickJob job, std::int64_t unit_bytes,
                const std::vector<std::byte>& table, std::vector<Index> indices) {
    const auto bytes = static_cast<std::size_t>(unit_bytes);
    const std::int64_t rows = static_cast<std::int64_t>(indices.size()) / job.lanes * job.tables;
    std::vector<std::byte> expected(static_cast<std::size_t>(rows * job.lanes) * bytes);
    std::byte* next = expected.data();
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t l = 0; l < job.lanes; ++l) {
            const Index index = indices[static_cast<std::size_t>(r / job.tables * job.lanes + l)];
            const std::int64_t position = index < 0 ? index + job.extent : index;
            const std::int64_t unit =
                r * job.row_step + position * job.index_step + l * job.lane_step;
            std::memcpy(next, table.data() + unit * unit_bytes, bytes);
            next += bytes;
        }
    }
    for (const Flush flush : both_ends) {
        const Guarded from(table, flush);
        const Guarded output(filled(expected.size(), 0xA5), flush);
        if (job.stream && reinterpret_cast<std::uintptr_t>(output.data()) % 64 != 0) continue;
        const auto picked = [&] {
            const Guarded given(bytes_of(indices), flush);
            return pick(job, from.data(), given.data(), output.data());
        };
        REQUIRE(picked() == set);
        REQUIRE(std::vector<std::byte>(output.span().begin(), output.span().end()) == expected);
        for (const std::size_t k : {std::size_t{0}, indices.size() / 2, indices.size() - 1}) {
            const Index kept = indices[k];
            for (const std::int64_t wrong :
                 {job.extent, job.first - 1, std::int64_t{std::numeric_limits<Index>::max()},
                  std::int64_t{std::numeric_limits<Index>::min()},
                  static_cast<std::int64_t>(static_cast<Index>(std::int64_t{1} << 31)),
                  static_cast<std::int64_t>(static_cast<Index>((std::int64_t{1} << 32) - 1)),
                  static_cast<std::int64_t>(static_cast<Index>(std::int64_t{1} << 40 | 1))}) {
                if (wrong >= job.first && wrong < job.extent) continue;
                indices[k] = static_cast<Index>(wrong);
                INFO("index " << wrong << " at " << k);
                REQUIRE(picked() == InstructionSet::none);
            }
            indices[k] = kept;
        }
    }
    if (job.stream) return;  // lines begin with lines then
    std::vector<std::byte> output = with_margins(filled(expected.size(), 0x5A));
    const auto given = bytes_of(indices);
    REQUIRE(pick(job, table.data(), given.data(), output.data() + beside_lines) == set);
    REQUIRE((output == with_margins(expected)));
}

template <class Index>
std::vector<Index> some_indices(Random& random, std::int64_t count, const PickJob& job) {
    std::vector<Index> indices(static_cast<std::size_t>(count));
    for (Index& index : indices) {
        index = static_cast<Index>(random.between(job.first, job.extent - 1));
    }
    const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(indices.size() / 2);
    indices.front() = *middle = static_cast<Index>(job.extent - 1);
    indices.back() = static_cast<Index>(job.first);
    return indices;
}

/// Lanes of two rows that, with their indices, a level 1 cache does not hold.
constexpr std::int64_t past_level_1 = 4200;

template <class Index>
void check_picks(const Kernels& table, int width) {
    Random random(5);
    const auto check = [&](Pick pick, int log, std::int64_t extent, std::int64_t lanes,
                           std::int64_t lane_step, bool negative, bool columns = false,
                           std::int64_t tables = 1) {
        // Where rows are short, of 64 lanes four are taken at once, of 31 eight.
        const std::int64_t rows = lanes == 31 ? 9 : lanes == 64 ? 5 : 2;
        const std::int64_t bytes = std::int64_t{1} << log;
        PickJob job{};
        job.rows = rows;
        job.tables = tables;
        job.lanes = lanes;
        job.extent = extent;
        job.first = negative ? -extent : 0;
        job.lane_step = lane_step;
        job.index_step = lane_step == 0 ? 1 : lanes * lane_step + 2;
        job.row_step = columns ? 0 : lane_step == 0 ? extent : 1;
        job.pitch = columns ? lanes : 0;
        const std::int64_t units = (rows * tables - 1) * job.row_step +
                                   (extent - 1) * job.index_step + (lanes - 1) * job.lane_step + 1;
        const auto contents = random.bytes(static_cast<std::size_t>(units * bytes));
        INFO(name(table.set) << " bytes " << bytes << " extent " << extent << " lanes " << lanes
                             << " lane step " << lane_step << " width " << width);
        const auto indices = some_indices<Index>(random, rows * lanes, job);
        std::vector<Index> seldom = indices;  // negative: one, late
        for (Index& index : seldom) index = index < 0 ? index + static_cast<Index>(extent) : index;
        if (negative) seldom[seldom.size() * 5 / 6] = Index{-1};
        struct AskedFor {
            std::int64_t next_table;
            std::int64_t ahead;
        };
        for (const auto [next_table, ahead] :
             {AskedFor{0, 0}, AskedFor{extent * bytes, 0}, AskedFor{0, 24}, AskedFor{0, 150}}) {
            job.far = next_table > 0 || ahead > 0;
            job.prefetch_output_from = job.far ? 0 : never;
            job.next_table = next_table;
            job.ahead = ahead;
            check_pick(pick, table.set, job, bytes, contents, indices);
            check_pick(pick, table.set, job, bytes, contents, seldom);
        }
        if (tables > 1) return;
        job.rows = 1;
        job.stream = true;
        check_pick(pick, table.set, job, bytes, contents,
                   std::vector<Index>(indices.begin(), indices.begin() + lanes));
        table.fence();
    };
    const auto check_tables = [&](int log, std::int64_t lanes, bool negative) {
        for (int size = 0; size < table_size_count; ++size) {
            const Pick pick = table.pick_tables[width][log][size];
            const std::int64_t most = table.table_entries[log][size];
            REQUIRE((pick != nullptr) == (most > 0 && log <= 2));
            if (pick == nullptr) continue;
            const std::int64_t least = size == 0 ? 1 : table.table_entries[log][size - 1] + 1;
            for (const std::int64_t extent : {least, (least + most) / 2, most}) {
                check(pick, log, extent, lanes, 0, negative);
                if (lanes >= table.table_picks[log]) {
                    check(pick, log, extent, lanes, 0, negative, false, 2);
                }
            }
        }
    };
    for (int log = 0; log < element_width_count; ++log) {
        for (const bool negative : {false, true}) {
            for (const std::int64_t lanes : {1, 7, 16, 31, 64, 255, 256, 300, 600}) {
                for (int method = 0; method < method_count; ++method) {
                    check(table.pick[method][width][log], log, 70, lanes, 0, negative);
                    for (const std::int64_t lane_step : {1, 3}) {
                        check(table.pick_lanes[method][width][log], log, 5, lanes, lane_step,
                              negative);
                    }
                    check(table.pick_columns[method][width][log], log, 5, lanes, 1, negative, true);
                }
                check(table.pick_scattered[width][log], log, 70, lanes, 0, negative);
                check(table.pick_far[width][log], log, 70, lanes, 0, negative);
                check_tables(log, lanes, negative);
            }
            if (negative) check_tables(log, past_level_1, negative);
        }
    }
}

TEST_CASE("picks are checked and moved in one pass, and illegal ones are seen", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_picks<std::int32_t>(*table, 0);
        check_picks<std::int64_t>(*table, 1);
    }
}

/// Of `count` indices, none negative, each may be the illegal one, or the only one that counts from
/// the end. Elements have 2^log bytes.
template <class Index>
void check_each_odd_one(const Kernels& table, int width, int log, std::int64_t count) {
    constexpr std::int64_t extent = 70;
    const auto bytes = std::size_t{1} << log;
    Random random(11);
    PickJob job{};
    job.rows = 1;
    job.lanes = count;
    job.extent = extent;
    std::vector<Index> indices = some_indices<Index>(random, count, job);
    const auto data = random.bytes(extent * bytes);
    std::vector<std::byte> output(indices.size() * bytes);
    const Pick pick = table.pick[static_cast<int>(Method::loads)][width][log];
    const auto picked = [&] {
        return pick(job, data.data(), reinterpret_cast<const std::byte*>(indices.data()),
                    output.data());
    };
    std::vector<std::byte> right(output.size());
    for (std::size_t k = 0; k < indices.size(); ++k) {
        std::memcpy(&right[k * bytes], &data[static_cast<std::size_t>(indices[k]) * bytes], bytes);
    }
    REQUIRE(picked() == table.set);
    REQUIRE((output == right));
    std::vector<Index> wrong{static_cast<Index>(extent), Index{-1}};
    if constexpr (sizeof(Index) == 8) wrong.push_back(Index{1} << 32);
    for (std::size_t k = 0; k < indices.size(); ++k) {
        INFO(name(table.set) << " element bytes " << bytes << " at " << k << " of " << count);
        const Index kept = indices[k];
        job.first = 0;
        for (const Index one : wrong) {
            indices[k] = one;
            REQUIRE(picked() == InstructionSet::none);
        }
        job.first = -extent;
        indices[k] = static_cast<Index>(kept - extent);
        output.assign(output.size(), std::byte{0});
        REQUIRE(picked() == table.set);
        REQUIRE((output == right));
        indices[k] = kept;
    }
}

TEST_CASE("an odd index is seen wherever it is among others", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        for (int log = 0; log <= 3; ++log) {
            for (const std::int64_t count : {16, 17, 64, 65, 71, 100, 127, 256, 300}) {
                check_each_odd_one<std::int32_t>(*table, 0, log, count);
                check_each_odd_one<std::int64_t>(*table, 1, log, count);
            }
        }
    }
}

TEST_CASE("a long stream of indices with one illegal one at its end is refused", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        PickJob job{};
        job.rows = 1;
        job.lanes = 5000;
        job.index_step = 1;
        job.extent = 9;
        job.first = 0;
        std::vector<std::int64_t> indices(5000, 8);
        indices.back() = -1;
        const std::vector<std::byte> contents(9 * 8, std::byte{1});
        std::vector<std::byte> output(5000 * 8);
        const auto bytes = bytes_of(indices);
        INFO(name(table->set));
        CHECK(table->pick[0][1][3](job, contents.data(), bytes.data(), output.data()) ==
              InstructionSet::none);
    }
}

/// Calls check(bytes, row class) for widths of every class, its first and last among them.
template <class Check>
void each_row_width(const Check& check) {
    const auto check_all = [&](std::int64_t first, std::int64_t last, RowClass row_class) {
        for (std::int64_t bytes = first; bytes <= last; ++bytes) check(bytes, row_class);
    };
    check_all(2, 4, RowClass::to_4);
    check_all(4, 8, RowClass::to_8);
    check_all(8, 16, RowClass::to_16);
    check_all(16, 24, RowClass::to_24);
    check_all(25, 31, RowClass::to_31);
    check(32, RowClass::to_32);
    check_all(33, 48, RowClass::to_48);
    check_all(49, 64, RowClass::to_64);
    check_all(65, 72, RowClass::to_72);
    check_all(73, 80, RowClass::to_80);
    check_all(81, 96, RowClass::to_96);
    check_all(97, 112, RowClass::to_112);
    check_all(113, 128, RowClass::to_128);
    check_all(129, 260, RowClass::to_1024);
    check_all(1020, 1024, RowClass::to_1024);
    check_all(1025, 1030, RowClass::to_3072);
    check_all(3068, 3072, RowClass::to_3072);
    check_all(3073, 3078, RowClass::more);
    check(5000, RowClass::more);
}

template <class Position>
void check_rows(const Kernels& table, int width) {
    Random random(4);
    const auto check = [&](std::int64_t bytes, RowClass row_class) {
        for (const bool marked : {false, true}) {
            for (const std::int64_t ahead : {0, 1, 2}) {
                constexpr std::int64_t units = 4;
                constexpr std::int64_t sharing = 2;  // or none does
                const auto contents =
                    random.bytes(static_cast<std::size_t>(2 * sharing * units * bytes));
                const auto positions = some_positions<Position>(random, 2 * 5, units, marked);
                MoveJob job{};
                job.rows = 2;
                job.lanes = 5;
                job.row_step = units;
                job.index_step = 1;
                job.ahead = ahead;
                job.far = ahead > 1;
                job.prefetch_output_from = ahead < 2 ? 0 : never;
                job.marked = marked;
                INFO(name(table.set) << " bytes " << bytes << " width " << width << " ahead "
                                     << ahead << " marked " << marked);
                const Move move = table.rows[width][static_cast<int>(row_class)];
                check_move(move, table.set, job, bytes, contents, positions);
                job.rows = 2 * sharing;
                job.sharing = sharing;
                check_move(move, table.set, job, bytes, contents, positions);
                job.sharing = 1;
                for (const std::int64_t following : {1, 4}) {
                    job.rows = 1;
                    job.lanes = 10 - following;
                    job.following = following;
                    check_move(move, table.set, job, bytes, contents, positions);
                }
            }
        }
    };
    each_row_width(check);
}

TEST_CASE("rows of every width are moved whole, and nothing beside them", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_rows<std::int32_t>(*table, 0);
        check_rows<std::int64_t>(*table, 1);
    }
}

template <class Index>
void check_picked_rows(const Kernels& table, int width) {
    Random random(6);
    each_row_width([&](std::int64_t bytes, RowClass row_class) {
        if (bytes > 130 && bytes % 16 > 1) return;  // enough of a kind
        PickJob job{};
        job.rows = 2;
        job.extent = job.row_step = bytes <= 16 ? 64 : 5;  // short ones are many
        job.index_step = 1;
        job.unit_bytes = job.pitch = bytes;
        job.prefetch_output_from = bytes % 2 == 0 ? 0 : never;
        const auto contents =
            random.bytes(static_cast<std::size_t>(job.rows * job.row_step * bytes));
        for (const bool negative : {false, true}) {
            job.first = negative ? -job.extent : 0;
            // Of no vector, of some with a rest, and without.
            for (const std::int64_t lanes : {3, 21, 32}) {
                job.lanes = lanes;
                INFO(name(table.set) << " bytes " << bytes << " width " << width << " lanes "
                                     << lanes << " negative " << negative);
                check_pick(table.pick_rows[width][static_cast<int>(row_class)], table.set, job,
                           bytes, contents, some_indices<Index>(random, 2 * lanes, job));
            }
        }
    });
}

TEST_CASE("rows are checked and moved in one pass, and illegal ones are seen", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_picked_rows<std::int32_t>(*table, 0);
        check_picked_rows<std::int64_t>(*table, 1);
    }
}

TEST_CASE("rows of a job may share positions, lie apart in the output and overlap in data") {
    // Rows of 3 bytes, one every 2 bytes of data.
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
        job.lanes = 2;
        job.row_step = 2;
        job.output_step = 3;
        job.unit_bytes = 3;
        job.pitch = 2;
        table->rows[0][static_cast<int>(RowClass::to_4)](job);
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
        const auto firsts = [&](bool far) {
            std::vector<Position> found(2, Position{-1});
            const Guarded places(bytes_of(rows), Flush::at_end);
            const bool all = table.first_of_rows[width](
                places.data(), 2, static_cast<std::int64_t>(count), far, found.data());
            return all ? found : std::vector<Position>{};
        };
        REQUIRE(firsts(false) == std::vector<Position>{5, 9});
        REQUIRE(firsts(true) == std::vector<Position>{5, 9});
        rows[count + 1] = 8;
        REQUIRE(firsts(false).empty());
        REQUIRE(firsts(true).empty());
    }
}

TEST_CASE("patterns of positions are seen, and one position off is seen too", "[kernels]") {
    for (const Kernels* table : all_kernels()) {
        check_patterns<std::int32_t>(*table, 0);
        check_patterns<std::int64_t>(*table, 1);
    }
}

/// Where there is a kernel for the tuples it picks, or refuses, what `expected` says by position:
/// nothing where some tuple is illegal.
template <class Raw>
void check_pick_of_tuples(const Kernels& table, const FlattenJob& job,
                          const std::vector<std::int64_t>& expected) {
    const PickTuples pick = table.pick_tuples[sizeof(Raw) == 8 ? 1 : 0];
    REQUIRE((pick != nullptr) ==
            (table.set == InstructionSet::avx512bw || table.set == InstructionSet::avx512vbmi));
    if (pick == nullptr || !std::is_signed_v<Raw> || sizeof(Raw) < 4) return;
    if (job.components < 2 || job.components > 4) return;
    const std::int64_t batches = (job.in_batch + job.count - 1) / job.per_batch + 1;
    std::vector<std::uint32_t> contents(
        static_cast<std::size_t>(job.base + batches * job.batch_rows));
    std::iota(contents.begin(), contents.end(), 7U);
    const Guarded from(bytes_of(contents), Flush::at_end);
    const Guarded output(filled(static_cast<std::size_t>(job.count) * 4, 0xA5), Flush::at_end);
    if (expected.empty()) {
        REQUIRE(pick(job, from.data(), output.data()) == InstructionSet::none);
        return;
    }
    REQUIRE(pick(job, from.data(), output.data()) == table.set);
    std::vector<std::uint32_t> picked;
    for (const std::int64_t k : expected) picked.push_back(contents[static_cast<std::size_t>(k)]);
    const auto bytes = bytes_of(picked);
    REQUIRE(std::ranges::equal(output.span(), bytes));
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
                        FlattenJob job{indices.data(), count, n,         extents,
                                       strides,        3,     per_batch, 1000,
                                       rows,           true,  true,      count % 2 == 0};
                        std::vector<std::int32_t> narrow(expected.size());
                        std::vector<std::int64_t> wide(expected.size());
                        const auto& flatten = table->flatten[static_cast<int>(kind)];
                        REQUIRE(flatten[0](job, narrow.data()) == table->set);
                        REQUIRE(flatten[1](job, wide.data()) == table->set);
                        check_pick_of_tuples<Raw>(*table, job, expected);
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
                            check_pick_of_tuples<Raw>(*table, job, {});
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
                        check_pick_of_tuples<Raw>(*table, job, {});
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
