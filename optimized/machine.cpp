// SPDX-License-Identifier: Apache-2.0
// Reads cache sizes, times gathers against loads once, and heeds the
// environment.
#include "optimized/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "optimized/dispatch.hpp"

namespace gathercheck::optimized {
namespace {

constexpr std::int64_t KiB = 1024;
constexpr std::int64_t MiB = 1024 * KiB;
constexpr std::int64_t GiB = 1024 * MiB;

/// Bytes that a level 1 cache holds beside what else a call touches.
constexpr std::int64_t near_bytes = 32 * KiB;

/// "65536", "64K", "1M" or "1G"; none where it is anything else.
std::optional<std::int64_t> size_in(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / GiB;
    if (unit.empty()) return number;
    if (unit.size() > 1 || number > most) return std::nullopt;
    switch (unit.front()) {
        case 'K':
        case 'k':
            return number * KiB;
        case 'M':
        case 'm':
            return number * MiB;
        case 'G':
        case 'g':
            return number * GiB;
        default:
            return std::nullopt;
    }
}

Caches read_caches() {
    Caches caches;
    for (int k = 0; k < 8; ++k) {
        const std::string folder =
            "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(k) + "/";
        const auto word = [&](const char* file) {
            std::string text;
            std::ifstream(folder + file) >> text;
            return text;
        };
        const std::string level = word("level");
        if (level.empty()) break;
        if (word("type") == "Instruction") continue;
        if (level == "2") caches.level2 = size_in(word("size")).value_or(0);
        if (level == "3") caches.level3 = size_in(word("size")).value_or(0);
    }
    caches.origin = "/sys/devices/system/cpu";
#if defined(_SC_LEVEL2_CACHE_SIZE)
    if (caches.level2 <= 0) {
        caches.level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
        caches.level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
        caches.origin = "sysconf";
    }
#endif
    if (caches.level2 <= 0) {
        caches.level2 = MiB;
        caches.origin = "assumed: the system does not tell";
    }
    if (caches.level3 < caches.level2) caches.level3 = caches.level2;
    return caches;
}

const Kernels& best_kernels() {
    for (std::size_t k = 0; k < instruction_set_count; ++k) {
        if (const Kernels* table = kernels(static_cast<InstructionSet>(k))) return *table;
    }
    assert(false);  // every x86-64 CPU has SSE2, and every aarch64 CPU has NEON
    return *kernels(InstructionSet::none);
}

template <class Kernel, class... Arguments>
double nanoseconds(Kernel kernel, Arguments&&... arguments) {
    const auto start = std::chrono::steady_clock::now();
    kernel(arguments...);
    const std::chrono::duration<double, std::nano> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
}

/// Positions that look random.
template <class Position>
void scatter(std::span<Position> positions, std::int64_t units, std::uint32_t& state) {
    for (Position& position : positions) {
        state = state * 1664525U + 1013904223U;
        position = static_cast<Position>(static_cast<std::int64_t>(state >> 4) % units);
    }
}

double median(std::vector<double> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::ranges::nth_element(numbers, middle);
    return *middle;
}

/// Medians: of two ways' times, in nanoseconds, and of their ratios by pairs, one right after
/// the other. Whatever else slows the CPU down does so to both.
struct PairTimes {
    double first = 0;
    double second = 0;
    double share = 1;  ///< of the first's time that the second takes
};

/// Each gives its nanoseconds.
template <class First, class Second>
PairTimes time_pairs(First first, Second second) {
    constexpr int rounds = 25;
    std::vector<double> firsts;
    std::vector<double> seconds;
    std::vector<double> shares;
    for (int round = 0; round < rounds; ++round) {
        firsts.push_back(first());
        seconds.push_back(second());
        shares.push_back(seconds.back() / firsts.back());
    }
    return {median(std::move(firsts)), median(std::move(seconds)), median(std::move(shares))};
}

std::string nanoseconds_text(double time) { return std::to_string(static_cast<int>(time)) + " ns"; }

/// Times how long a method takes to pick elements from a table that the first-level cache
/// holds, by i32 positions and by i64 indices that are checked.
class MethodTimer {
public:
    static constexpr std::int64_t picks = 2048;

    MethodTimer(const Kernels& kernels, int log)
        : kernels_(kernels), log_(static_cast<std::size_t>(log)) {
        std::uint32_t state = 1;
        scatter(std::span<std::int32_t>(positions_), entries, state);
        scatter(std::span<std::int64_t>(indices_), entries, state);
    }

    double operator()(Method method) {
        const std::int64_t bytes = std::int64_t{1} << log_;
        MoveJob move{};
        move.table = table_;
        move.positions = positions_;
        move.output = output_;
        move.rows = 1;
        move.lanes = picks / 2;
        move.index_step = 1;
        move.unit_bytes = move.pitch = bytes;
        PickJob pick{};
        pick.rows = 1;
        pick.lanes = picks / 2;
        pick.index_step = 1;
        pick.extent = entries;
        pick.unit_bytes = pick.pitch = bytes;
        const auto k = static_cast<std::size_t>(method);
        return nanoseconds(kernels_.elements[k][0][log_], move) +
               nanoseconds(kernels_.pick[k][1][log_], pick, table_,
                           reinterpret_cast<const std::byte*>(indices_), output_);
    }

private:
    static constexpr std::int64_t entries = 512;

    const Kernels& kernels_;
    std::size_t log_;
    alignas(64) std::byte table_[entries * 8] = {};
    alignas(64) std::int32_t positions_[picks / 2] = {};
    alignas(64) std::int64_t indices_[picks / 2] = {};
    alignas(64) std::byte output_[picks / 2 * 8] = {};
};

/// Rows into an output that the second-level cache holds and the first-level one does not, without
/// and with asking for its lines in advance.
PairTimes time_output(const Kernels& kernels) {
    constexpr std::int64_t bytes = 48;
    constexpr std::int64_t table_rows = 128;
    constexpr std::int64_t output_bytes = 128 * KiB;
    const std::vector<std::byte> table(table_rows * bytes, std::byte{1});
    std::vector<std::byte> output(output_bytes);
    std::vector<std::int32_t> positions(output_bytes / bytes);
    std::uint32_t state = 1;
    scatter(std::span<std::int32_t>(positions), table_rows, state);
    const auto time = [&](std::int64_t prefetch_output_from) {
        MoveJob job{};
        job.table = table.data();
        job.positions = positions.data();
        job.output = output.data();
        job.rows = 1;
        job.lanes = output_bytes / bytes;
        job.unit_bytes = job.pitch = bytes;
        job.prefetch_output_from = prefetch_output_from;
        return nanoseconds(kernels.rows[0][static_cast<int>(RowClass::to_48)], job);
    };
    return time_pairs([&] { return time(never); }, [&] { return time(0); });
}

/// Rows of 64 bytes from a table that the second-level cache does not hold, without and with
/// asking for them in advance.
constexpr std::int64_t timed_rows = 1024;

PairTimes time_short_rows() {
    constexpr std::int64_t bytes = 64;
    const std::int64_t rows = 4 * caches().level2 / bytes;
    std::vector<std::byte> table(static_cast<std::size_t>(rows * bytes), std::byte{1});
    std::vector<std::byte> output(timed_rows * bytes);
    std::vector<std::int32_t> positions(timed_rows);
    std::uint32_t state = 1;
    const Move move = best_kernels().rows[0][static_cast<int>(RowClass::to_64)];
    const auto time = [&](std::int64_t ahead) {
        scatter(std::span<std::int32_t>(positions), rows, state);  // each time from other places
        MoveJob job{};
        job.table = table.data();
        job.positions = positions.data();
        job.output = output.data();
        job.rows = 1;
        job.lanes = timed_rows;
        job.unit_bytes = job.pitch = bytes;
        job.ahead = ahead;
        return nanoseconds(move, job);
    };
    return time_pairs([&] { return time(0); }, [&] { return time(16); });
}

const PairTimes& short_rows() {
    static const PairTimes timed = time_short_rows();
    return timed;
}

const char* variable(const char* name) {
    const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here sets it
    return text != nullptr && *text != '\0' ? text : nullptr;
}

/// What a variable that is to be 1 or 0 says; none where it is anything else.
std::optional<bool> switch_in(const char* name) {
    const char* text = variable(name);
    if (text == nullptr) return std::nullopt;
    if (std::string_view(text) == "1") return true;
    if (std::string_view(text) == "0") return false;
    return std::nullopt;
}

constexpr const char* short_rows_variable = "GATHERCHECK_PREFETCH_SHORT_ROWS";

/// Of the time without asking for anything, what may be left when asking is worth it.
constexpr double worth_asking = 0.97;

bool prefetch_short_rows() {
    static const bool gains = [] {
        if (const auto given = switch_in(short_rows_variable)) return *given;
        return short_rows().share < worth_asking;
    }();
    return gains;
}

/// What is chosen for one instruction set, and why.
class Chooser {
public:
    explicit Chooser(InstructionSet set) {
        report("level 2 cache", bytes_text(caches().level2), std::string(caches().origin));
        report("level 3 cache", bytes_text(caches().level3), std::string(caches().origin));
        methods(*kernels(set));
        size(choices_.prefetch_from, "asked for in advance, from tables of",
             "GATHERCHECK_PREFETCH_FROM", caches().level2, "the level 2 cache");
        choices_.prefetch_short_rows = prefetch_short_rows;
        // What others who share it leave of the cache is not known.
        size(choices_.prefetch_elements_from, "elements asked for too, from calls of",
             "GATHERCHECK_PREFETCH_ELEMENTS_FROM", caches().level3 / 4,
             "a quarter of the level 3 cache");
        size(choices_.columns_bytes, "columns of tables copied together, about",
             "GATHERCHECK_COLUMNS", caches().level2 / 4, "a quarter of the level 2 cache");
        output(*kernels(set));
        // A larger cache is one that many cores or guests share.
        size(choices_.stream_from, "written past the caches, from outputs of",
             "GATHERCHECK_STREAM_FROM", std::min(caches().level3, 32 * MiB),
             "the level 3 cache, at most 32 MiB");
    }

    const Choices& choices() const { return choices_; }
    const std::vector<Setting>& settings() const { return settings_; }

private:
    void report(std::string_view name, std::string value, std::string origin) {
        settings_.push_back({name, std::move(value), std::move(origin)});
    }

    static std::string bytes_text(std::int64_t bytes) {
        return bytes == never ? "none" : std::to_string(bytes) + " bytes";
    }

    void size(std::int64_t& choice, std::string_view name, const char* override_name,
              std::int64_t value, std::string origin) {
        choice = value;
        if (const char* text = variable(override_name)) {
            if (const auto given = size_in(text)) {
                choice = *given;
                origin = override_name;
            } else {
                origin += "; " + std::string(override_name) + " is not a size like 64K: " + text;
            }
        }
        report(name, bytes_text(choice), std::move(origin));
    }

    /// Gathers are microcode on some CPUs and slowed down by mitigations on others.
    void methods(const Kernels& table) {
        const auto given = switch_in("GATHERCHECK_GATHERS");
        for (const int log : {2, 3}) {
            const auto log_index = static_cast<std::size_t>(log);
            const Move by_loads = table.elements[static_cast<int>(Method::loads)][0][log];
            const Move by_gathers = table.elements[static_cast<int>(Method::gathers)][0][log];
            Method& method = choices_.methods[log_index];
            std::string origin = "the instruction set has no gathers";
            if (by_gathers != by_loads && given) {
                method = *given ? Method::gathers : Method::loads;
                origin = "GATHERCHECK_GATHERS";
            } else if (by_gathers != by_loads) {
                MethodTimer time(table, log);
                const PairTimes times = time_pairs([&] { return time(Method::loads); },
                                                   [&] { return time(Method::gathers); });
                method = times.share < 1 ? Method::gathers : Method::loads;
                origin = std::to_string(MethodTimer::picks) + " picks took " +
                         nanoseconds_text(times.second) + " by gathers, " +
                         nanoseconds_text(times.first) + " by loads";
            }
            report(log == 2 ? "elements of 4 bytes" : "elements of 8 bytes",
                   method == Method::gathers ? "gathers" : "loads", std::move(origin));
        }
    }

    /// Some CPUs wait for lines that are written, and others have them in time.
    void output(const Kernels& table) {
        const PairTimes times = time_output(table);
        size(choices_.prefetch_output_from, "lines of it asked for, from outputs of",
             "GATHERCHECK_PREFETCH_OUTPUT_FROM", times.share < worth_asking ? near_bytes : never,
             "128 KiB by rows of 48 bytes took " + nanoseconds_text(times.second) +
                 " when asked for in advance, else " + nanoseconds_text(times.first));
    }

    Choices choices_;
    std::vector<Setting> settings_;
};

const Chooser& chooser(InstructionSet set) {
    static std::array<std::optional<Chooser>, instruction_set_count> choosers;
    static std::array<std::once_flag, instruction_set_count> made;
    const auto k = static_cast<std::size_t>(set);
    assert(kernels(set) != nullptr);
    std::call_once(made[k], [&] { choosers[k].emplace(set); });
    return *choosers[k];
}

}  // namespace

const Caches& caches() {
    static const Caches read = read_caches();
    return read;
}

const Choices& Choices::of_this_machine(InstructionSet set) { return chooser(set).choices(); }

std::vector<Setting> settings(InstructionSet set) {
    std::vector<Setting> all = chooser(set).settings();
    all.push_back({"rows below 128 bytes asked for too", prefetch_short_rows() ? "yes" : "no",
                   switch_in(short_rows_variable)
                       ? std::string(short_rows_variable)
                       : std::to_string(timed_rows) + " rows of 64 bytes took " +
                             nanoseconds_text(short_rows().second) +
                             " when asked for in advance, else " +
                             nanoseconds_text(short_rows().first)});
    return all;
}

}  // namespace gathercheck::optimized
