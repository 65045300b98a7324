// SPDX-License-Identifier: Apache-2.0
// Reads cache sizes, times vector gathers against loads once, and heeds the environment.
#include "optimized/tuning.hpp"

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
#include <utility>

#include "optimized/cpu.hpp"

namespace gathercheck::optimized {
namespace {

constexpr std::int64_t KiB = 1024;
constexpr std::int64_t MiB = 1024 * KiB;
constexpr std::int64_t GiB = 1024 * MiB;

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

const char* variable(const char* name) {
    const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here sets it
    return text != nullptr && *text != '\0' ? text : nullptr;
}

std::int64_t nanoseconds_in(const char* name) {
    const char* text = variable(name);
    if (text == nullptr) return -1;
    const std::string_view digits(text);
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
    return error == std::errc() && end == digits.end() && number >= 0 ? number : -1;
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

/// Times how long a kernel takes to move elements of 4 or 8 bytes from a table in L1.
class GatherProbe {
public:
    static constexpr std::int64_t picks = 1024;

    explicit GatherProbe(std::int64_t element_bytes) {
        std::uint32_t state = 1;
        for (std::int32_t& position : positions_) {
            state = state * 1664525U + 1013904223U;
            position = static_cast<std::int32_t>((state >> 4) % entries);
        }
        job_ = {.table = table_,
                .positions = positions_,
                .output = output_,
                .picks = picks,
                .row_step = 0,
                .positions_step = 0,
                .output_step = 0,
                .unit_bytes = element_bytes,
                .pitch = element_bytes,
                .entries = entries};
    }

    /// The least of the two ways' nanoseconds, timed in turn: whatever else the CPU does makes them
    /// longer.
    std::pair<double, double> time_both(Move first, Move second) const {
        constexpr int rounds = 25;
        std::pair<double, double> least{nanoseconds(first), nanoseconds(second)};
        for (int round = 1; round < rounds; ++round) {
            least.first = std::min(least.first, nanoseconds(first));
            least.second = std::min(least.second, nanoseconds(second));
        }
        return least;
    }

private:
    static constexpr std::uint32_t entries = 512;

    double nanoseconds(Move move) const {
        const auto start = std::chrono::steady_clock::now();
        move(job_);
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
            .count();
    }

    alignas(64) std::byte table_[entries * 8] = {};
    alignas(64) std::int32_t positions_[picks] = {};
    alignas(64) std::byte output_[picks * 8] = {};
    MoveJob job_{};
};

/// The tuning for one instruction set, and why it is so.
class Tuner {
public:
    explicit Tuner(InstructionSet set) {
        report("level 2 cache", bytes_text(caches().level2), std::string(caches().origin));
        report("level 3 cache", bytes_text(caches().level3), std::string(caches().origin));
        tune_method(*kernels(set), 2, "elements of 4 bytes");
        tune_method(*kernels(set), 3, "elements of 8 bytes");
        tune_size(tuning_.prefetch_from, "prefetches, from tables of", "GATHERCHECK_PREFETCH_FROM",
                  caches().level2, "the level 2 cache");
        tune_size(tuning_.prefetch_elements_from, "the same of elements, from tables of",
                  "GATHERCHECK_PREFETCH_ELEMENTS_FROM", caches().level3, "the level 3 cache");
        // A larger cache is one that many cores or guests share.
        tune_size(tuning_.stream_from, "non-temporal stores, from outputs of",
                  "GATHERCHECK_STREAM_FROM", std::min(caches().level3, 32 * MiB),
                  "the level 3 cache, at most 32 MiB");
    }

    const Tuning& tuning() const { return tuning_; }
    const std::vector<Setting>& settings() const { return settings_; }

private:
    void report(std::string_view name, std::string value, std::string origin) {
        settings_.push_back({name, std::move(value), std::move(origin)});
    }

    static std::string bytes_text(std::int64_t bytes) { return std::to_string(bytes) + " bytes"; }

    void tune_size(std::int64_t& size, std::string_view name, const char* override_name,
                   std::int64_t value, std::string origin) {
        size = value;
        if (const char* text = variable(override_name)) {
            if (const auto given = size_in(text)) {
                size = *given;
                origin = override_name;
            } else {
                origin += "; " + std::string(override_name) + " is not a size like 64K: " + text;
            }
        }
        report(name, bytes_text(size), std::move(origin));
    }

    /// Gathers are microcode on some CPUs and slowed down by mitigations on others.
    void tune_method(const Kernels& table, int log, std::string_view name) {
        const Move loads = table.elements[static_cast<int>(Method::loads)][0][log];
        const Move gathers = table.elements[static_cast<int>(Method::gathers)][0][log];
        const char* const text = variable("GATHERCHECK_GATHERS");
        const std::string_view given = text != nullptr ? text : "";
        bool faster = false;
        std::string origin = "the instruction set has no gathers";
        if (gathers != loads && (given == "1" || given == "0")) {
            faster = given == "1";
            origin = "GATHERCHECK_GATHERS";
        } else if (gathers != loads) {
            const auto [by_loads, by_gathers] =
                GatherProbe(std::int64_t{1} << log).time_both(loads, gathers);
            faster = by_gathers < by_loads;
            origin = std::to_string(GatherProbe::picks) + " picks took " +
                     std::to_string(static_cast<int>(by_gathers)) + " ns by gathers, " +
                     std::to_string(static_cast<int>(by_loads)) + " ns by loads";
        }
        if (faster) tuning_.methods[static_cast<std::size_t>(log)] = Method::gathers;
        report(name, faster ? "gathers" : "loads", std::move(origin));
    }

    Tuning tuning_;
    std::vector<Setting> settings_;
};

const Tuner& tuner(InstructionSet set) {
    static std::array<std::optional<Tuner>, instruction_set_count> tuners;
    static std::array<std::once_flag, instruction_set_count> made;
    const auto k = static_cast<std::size_t>(set);
    assert(kernels(set) != nullptr);
    std::call_once(made[k], [&] { tuners[k].emplace(set); });
    return *tuners[k];
}

}  // namespace

const Caches& caches() {
    static const Caches read = read_caches();
    return read;
}

const Tuning& Tuning::of_this_machine(InstructionSet set) { return tuner(set).tuning(); }

std::vector<Setting> settings(InstructionSet set) { return tuner(set).settings(); }

std::int64_t wake_cost_of_environment() { return nanoseconds_in("GATHERCHECK_WAKE_COST"); }

std::int64_t spin_time_of_environment() {
    const std::int64_t spin_time = nanoseconds_in("GATHERCHECK_SPIN_TIME");
    return spin_time >= 0 ? spin_time : nanoseconds_in("GATHERCHECK_STAND_BY");
}

}  // namespace gathercheck::optimized
