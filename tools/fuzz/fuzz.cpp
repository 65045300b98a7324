// SPDX-License-Identifier: Apache-2.0
// Mutated inputs for everything that reads: whatever comes is taken or refused with a reason, in
// time, without a death. usage: gathercheck_fuzz KIND --spec FOLDER --corpus FOLDER [--seconds N]
// [--seed S] [--save FOLDER] [--replay FILE]
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/fuzz/mutate.hpp"
#include "tools/fuzz/node_tests.hpp"
#include "tools/fuzz/random.hpp"
#include "tools/fuzz/targets.hpp"

namespace gathercheck::fuzz {
namespace {

namespace fs = std::filesystem;

/// A new input.
using Mutate = std::function<std::string(Random&)>;

struct Options {
    std::string kind;
    fs::path spec;
    fs::path corpus;
    fs::path save = ".";
    std::string replay;
    double seconds = 10;
    std::uint64_t seed = 1;
};

constexpr double seconds_of_one = 30;  // on a loaded machine, with sanitizers
constexpr long most_kilobytes = 3L << 20;

/// Where the child says what it is at.
struct Shared {
    std::atomic<std::uint64_t> done{0};
    std::size_t size = 0;
    std::array<char, 500> complaint{};
    std::array<char, largest_input> input{};
};

constexpr int complained = 99;

[[noreturn]] void loop(Shared& shared, const Target& target, const Mutate& mutate,
                       std::uint64_t seed, std::chrono::steady_clock::time_point end) {
    while (std::chrono::steady_clock::now() < end) {
        Random random(seed * 1'000'003 + shared.done);
        const std::string input = mutate(random);
        shared.size = std::min(input.size(), largest_input);
        std::memcpy(shared.input.data(), input.data(), shared.size);
        std::string why = target(input);
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        if (why.empty() && used.ru_maxrss > most_kilobytes) why = "more than 3 GiB of memory";
        if (!why.empty()) {
            std::strncpy(shared.complaint.data(), why.c_str(), shared.complaint.size() - 1);
            _exit(complained);
        }
        ++shared.done;
    }
    _exit(0);
}

/// What came of a child: nothing, or how it went wrong.
std::string watch(pid_t child, const Shared& shared) {
    std::uint64_t seen = shared.done;
    auto since = std::chrono::steady_clock::now();
    for (;;) {
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) == child) {
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
            if (WIFEXITED(status) && WEXITSTATUS(status) == complained) {
                return shared.complaint.data();
            }
            return WIFSIGNALED(status) ? std::string("killed by ") + strsignal(WTERMSIG(status))
                                       : "ended with code " + std::to_string(WEXITSTATUS(status));
        }
        const auto now = std::chrono::steady_clock::now();
        if (seen != shared.done) since = now;
        seen = shared.done;
        if (std::chrono::duration<double>(now - since).count() > seconds_of_one) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return "no end";
        }
        ::usleep(20'000);
    }
}

int fuzz(const Options& options, const Target& target, const Mutate& mutate) {
    void* memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 3;
    auto& shared = *new (memory) Shared;
    const auto begin = std::chrono::steady_clock::now();
    const auto end = begin + std::chrono::milliseconds(std::int64_t(options.seconds * 1000));
    int failures = 0;
    for (;;) {
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) loop(shared, target, mutate, options.seed, end);
        const std::string why = watch(child, shared);
        if (why.empty()) break;
        const fs::path file = options.save / (options.kind + "-" + std::to_string(options.seed) +
                                              "-" + std::to_string(shared.done));
        std::ofstream(file, std::ios::binary)
            .write(shared.input.data(), static_cast<std::streamsize>(shared.size));
        std::printf(
            "%s: FAILED: %s; the input is kept: %s\n  again: gathercheck_fuzz %s --spec %s "
            "--corpus %s --replay %s\n",
            options.kind.c_str(), why.c_str(), file.c_str(), options.kind.c_str(),
            options.spec.c_str(), options.corpus.c_str(), file.c_str());
        ++shared.done;
        if (++failures == 5) break;
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto count = static_cast<double>(shared.done);
    std::printf("%s: seed %llu, %.0f executions in %.1f s, %.0f a second, %d failed\n",
                options.kind.c_str(), static_cast<unsigned long long>(options.seed), count, seconds,
                count / seconds, failures);
    return failures == 0 ? 0 : 1;
}

int fuzz_kind(const Options& options) {
    const auto made = target_of(options.kind, {options.spec, options.corpus});
    if (const auto* problem = std::get_if<std::string>(&made)) {
        std::fprintf(stderr, "%s\n", problem->c_str());
        return 3;
    }
    const auto& target = std::get<std::optional<Target>>(made);
    if (!target) {
        std::fprintf(stderr, "there is no kind '%s' here\n", options.kind.c_str());
        return options.kind == "import" ? 77 : 4;
    }
    if (!options.replay.empty()) {
        const std::string why = (*target)(content_of(options.replay));
        std::printf("%s\n", why.empty() ? "taken or refused as it must be" : why.c_str());
        return why.empty() ? 0 : 1;
    }
    if (options.kind == "import") return fuzz(options, *target, mutate_node_test);
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(options.corpus / options.kind)) {
        files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::vector<std::string> seeds;
    for (const fs::path& file : files) seeds.push_back(content_of(file));
    return fuzz(options, *target, [&](Random& random) { return mutate_text(random, seeds); });
}

}  // namespace
}  // namespace gathercheck::fuzz

int main(int argc, char** argv) {
    gathercheck::fuzz::Options options;
    if (argc > 1) options.kind = argv[1];
    for (int k = 2; k + 1 < argc; k += 2) {
        const std::string_view name = argv[k];
        const std::string_view value = argv[k + 1];
        const char* end = value.data() + value.size();
        if (name == "--spec") options.spec = value;
        if (name == "--corpus") options.corpus = value;
        if (name == "--save") options.save = value;
        if (name == "--replay") options.replay = value;
        if (name == "--seconds") std::from_chars(value.data(), end, options.seconds);
        if (name == "--seed") std::from_chars(value.data(), end, options.seed);
    }
    return gathercheck::fuzz::fuzz_kind(options);
}
