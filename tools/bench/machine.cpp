// SPDX-License-Identifier: Apache-2.0
// Asks the system about the machine, and places threads.
#include "tools/bench/machine.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "tools/bench/buffers.hpp"

namespace gathercheck::bench {
namespace {

/// The first line of a file; empty where it cannot be read.
std::string first_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

/// "48K" of the kernel's cache sizes.
std::int64_t size_of(const std::string& text) {
    char* end = nullptr;
    const std::int64_t number = std::strtoll(text.c_str(), &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

/// How many CPUs a list like "0-3,8" names.
int count_of(const std::string& list) {
    int count = 0;
    const char* at = list.c_str();
    while (*at != '\0') {
        char* end = nullptr;
        const long first = std::strtol(at, &end, 10);
        if (end == at) break;
        long last = first;
        if (*end == '-') last = std::strtol(end + 1, &end, 10);
        count += static_cast<int>(last - first + 1);
        at = *end == ',' ? end + 1 : end;
    }
    return std::max(count, 1);
}

std::vector<Cache> caches_of(int cpu) {
    std::vector<Cache> found;
    const std::filesystem::path folder =
        "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache";
    for (int k = 0;; ++k) {
        const std::filesystem::path one = folder / ("index" + std::to_string(k));
        const std::string level = first_line(one / "level");
        if (level.empty()) break;
        Cache cache;
        cache.level = std::atoi(level.c_str());
        cache.type = first_line(one / "type");
        std::ranges::transform(cache.type, cache.type.begin(), [](char letter) {
            return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        });
        cache.bytes = size_of(first_line(one / "size"));
        cache.shared_by = count_of(first_line(one / "shared_cpu_list"));
        found.push_back(cache);
    }
    return found;
}

std::map<std::string, std::string> first_of_cpuinfo() {
    std::map<std::string, std::string> facts;
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line) && !line.empty();) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
        const std::size_t value = line.find_first_not_of(" \t", colon + 1);
        facts[key] = value == std::string::npos ? "" : line.substr(value);
    }
    return facts;
}

/// "madvise" of "always [madvise] never".
std::string chosen(const std::string& line) {
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']');
    if (open == std::string::npos || close == std::string::npos) return line;
    return line.substr(open + 1, close - open - 1);
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB"};
    double amount = static_cast<double>(bytes);
    int unit = 0;
    while (amount >= 1024 && unit < 3) {
        amount /= 1024;
        ++unit;
    }
    char text[40];
    const bool whole = amount == static_cast<double>(static_cast<std::int64_t>(amount));
    std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", amount, units[unit]);
    return text;
}

MachineFacts machine_facts() {
    MachineFacts facts;
    const std::vector<int> cpus = allowed_cpus();
    facts.cpus = static_cast<int>(cpus.size());
    auto cpuinfo = first_of_cpuinfo();
    facts.cpu = cpuinfo["model name"];
    facts.vendor = cpuinfo["vendor_id"];
    if (!cpuinfo["cpu family"].empty()) {
        facts.family_model = "family " + cpuinfo["cpu family"] + " model " + cpuinfo["model"] +
                             " stepping " + cpuinfo["stepping"];
    } else if (!cpuinfo["CPU part"].empty()) {
        facts.family_model =
            "implementer " + cpuinfo["CPU implementer"] + " part " + cpuinfo["CPU part"];
    }
    facts.microcode = cpuinfo["microcode"];
    facts.caches = caches_of(cpus.front());
    facts.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    facts.gather_data_sampling =
        first_line("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling");
    facts.huge_pages = chosen(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
    utsname names{};
    if (uname(&names) == 0) facts.system = std::string(names.sysname) + " " + names.release;
#ifdef __GLIBC__
    facts.system += std::string(", glibc ") + gnu_get_libc_version();
#endif
    return facts;
}

std::int64_t last_level_cache_bytes(const MachineFacts& facts) {
    std::int64_t most = 0;
    for (const Cache& cache : facts.caches) most = std::max(most, cache.bytes);
    return most > 0 ? most : std::int64_t{32} << 20;
}

std::vector<int> allowed_cpus() { return cpus_of(0); }

std::vector<int> cpus_of(pid_t thread) {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cpus;
    if (sched_getaffinity(thread, sizeof set, &set) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
        }
    }
    if (cpus.empty()) cpus.push_back(0);
    return cpus;
}

bool confine(pid_t thread, const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
    return sched_setaffinity(thread, sizeof set, &set) == 0;
}

std::vector<pid_t> threads_of_process() {
    std::vector<pid_t> threads;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
        threads.push_back(std::atoi(entry.path().filename().c_str()));
    }
    std::ranges::sort(threads);
    return threads;
}

/// Whether a thread of this process runs or wants to, but the calling one. Their CPU time would
/// not tell: the system counts what runs on another CPU once in some milliseconds only.
bool others_run() {
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    return std::ranges::any_of(threads_of_process(), [&](pid_t thread) {
        if (thread == self) return false;
        std::string text;
        std::getline(std::ifstream("/proc/self/task/" + std::to_string(thread) + "/stat"), text);
        const std::size_t name_end = text.rfind(')');
        return name_end + 2 < text.size() && text[name_end + 2] == 'R';
    });
}

void wait_until_quiet() {
    constexpr long nap = 300'000;
    constexpr int most = 600;
    for (int k = 0; k < most && others_run(); ++k) {
        const timespec time{0, nap};
        nanosleep(&time, nullptr);
    }
}

void flush_caches(const MachineFacts& facts) {
    static Buffer other(static_cast<std::size_t>(
        std::max(3 * last_level_cache_bytes(facts), std::int64_t{96} << 20)));
    std::uint64_t sum = 0;
    const std::byte* const begin = other.data();
    for (std::size_t k = 0; k < other.size(); k += 64) {
        sum += std::to_integer<std::uint64_t>(begin[k]);
    }
    asm volatile("" : : "r"(sum) : "memory");
}

}  // namespace gathercheck::bench
