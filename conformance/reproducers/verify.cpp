// SPDX-License-Identifier: Apache-2.0
// Folders, processes and limits of programs that are verified.
#include "conformance/reproducers/verify.hpp"

#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "conformance/reproducers/shown.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/fork_gate.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

constexpr double seconds_to_build = 600;
constexpr std::size_t most_output = std::size_t{1} << 26;
constexpr std::size_t most_errors = std::size_t{1} << 16;

/// A folder that is there as long as this is.
class OwnFolder {
public:
    OwnFolder() {
        std::error_code error;
        std::string name =
            (std::filesystem::temp_directory_path(error) / "gathercheck-XXXXXX").string();
        if (error) {
            why_ = error.message();
        } else if (::mkdtemp(name.data()) == nullptr) {
            why_ = std::strerror(errno);
        } else {
            path_ = name;
        }
    }
    ~OwnFolder() {
        std::error_code error;
        if (!path_.empty()) std::filesystem::remove_all(path_, error);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    const std::string& why() const { return why_; }  ///< where there is none

private:
    std::filesystem::path path_;
    std::string why_;
};

std::string replaced(std::string text, std::string_view what, const std::string& by) {
    for (std::size_t k = text.find(what); k != std::string::npos; k = text.find(what, k)) {
        text.replace(k, what.size(), by);
        k += by.size();
    }
    return text;
}

/// What is read of a pipe.
class Stream {
public:
    /// Beyond `most` bytes the beginning is dropped, if `keeps_end`, or nothing more is taken.
    Stream(FileHandle from, std::size_t most, bool keeps_end)
        : from_(std::move(from)), most_(most), keeps_end_(keeps_end) {}

    pollfd watched() const { return {from_.number(), POLLIN, 0}; }

    /// Reads what is there.
    void drain() {
        std::array<char, 65536> chunk;
        for (int turns = 0; from_ && turns < 64; ++turns) {
            const ssize_t count = ::read(from_.number(), chunk.data(), chunk.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0 && errno == EAGAIN) return;
            if (count <= 0) {
                from_.close();
                return;
            }
            text_.append(chunk.data(), static_cast<std::size_t>(count));
            if (text_.size() <= most_) continue;
            if (!keeps_end_) {
                is_full_ = true;
                return;
            }
            if (text_.size() > 2 * most_) text_.erase(0, text_.size() - most_);
        }
    }

    bool is_full() const { return is_full_; }
    std::string take() { return std::move(text_); }

private:
    FileHandle from_;
    std::size_t most_;
    bool keeps_end_;
    bool is_full_ = false;
    std::string text_;
};

struct Ran {
    ProgramEnd end;
    std::string trouble;  ///< why there is no end to judge; else empty
    bool interrupted = false;
};

class Runner {
public:
    explicit Runner(const VerifyLimits& limits) : limits_(limits) {}

    /// A program in a folder, until it ends or so much time has passed.
    Ran run(const std::vector<std::string>& arguments, const std::filesystem::path& place,
            const std::filesystem::path& own, std::uint64_t bytes_of_memory, double seconds) const {
        Command command{{"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", place.string()},
                        {"OMP_NUM_THREADS=1", "PYTHONUNBUFFERED=1", "PYTHONDONTWRITEBYTECODE=1",
                         "TMPDIR=" + own.string()}};
        command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
        auto started = spawn(command);
        if (const auto* why = std::get_if<std::string>(&started)) {
            return {{}, "it cannot be started: " + *why};
        }
        auto& spawned = std::get<Spawned>(started);
        Process& process = spawned.process;
        spawned.input.close();
        const rlimit no_core{0, 0};
        ::prlimit(process.id(), RLIMIT_CORE, &no_core, nullptr);
        if (bytes_of_memory != 0) process.limit_memory(bytes_of_memory);
        Stream output(std::move(spawned.output), most_output, false);
        Stream errors(std::move(spawned.errors), most_errors, true);
        const Clock::time_point deadline = after(seconds);
        Ran ran;
        while (!process.has_ended() && Clock::now() < deadline && !output.is_full()) {
            if (limits_.interrupted && limits_.interrupted()) {
                ran.interrupted = true;
                return ran;
            }
            std::array<pollfd, 2> watched{output.watched(), errors.watched()};
            process.wait(watched, deadline);
            if (watched[0].revents != 0) output.drain();
            if (watched[1].revents != 0) errors.drain();
        }
        ran.end.in_time = process.has_ended();
        const std::string how = process.end();  // and nobody can write any more
        output.drain();
        errors.drain();
        if (output.is_full()) {
            ran.trouble = "it printed more than " + std::to_string(most_output >> 20) + " MiB";
        }
        constexpr std::string_view killed = "killed by ";
        if (ran.end.in_time) ran.end.exit_code = process.exit_code();
        if (ran.end.in_time && how.starts_with(killed)) ran.end.signal = how.substr(killed.size());
        if (ran.end.in_time && !ran.end.exit_code && ran.end.signal.empty()) ran.trouble = how;
        ran.end.output = output.take();
        ran.end.errors = errors.take();
        return ran;
    }

private:
    const VerifyLimits& limits_;
};

/// What a program, or what makes it, lacks here, as it says itself: the line; empty where it says
/// nothing of the kind.
std::string what_lacks(const ProgramEnd& end) {
    if (!end.in_time || end.exit_code.value_or(0) == 0) return {};
    constexpr int not_found = 127;  // by the shell
    std::string_view text = end.errors;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t stop = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, stop - begin);
        begin = stop + 1;
        const auto has = [&](std::string_view part) {
            return line.find(part) != std::string_view::npos;
        };
        const bool lacks =
            line.starts_with("ModuleNotFoundError: ") ||
            (has("Error: Cannot find ") && (has("module") || has("package"))) ||
            (has("fatal error: ") && (has("No such file or directory") || has("file not found"))) ||
            (*end.exit_code == not_found && line.ends_with("not found"));
        if (!lacks) continue;
        Tail tail;
        tail.add(line);
        return tail.last_lines(1);
    }
    return {};
}

}  // namespace

Verification verify(const ProgramToVerify& program, const VerifyLimits& limits) {
    using Result = Verification::Result;
    const HowToRun& how = program.how;
    const std::string fault = program.fault.empty() ? fault_of_words(program.shows) : program.fault;
    if (!fault.empty()) return {Result::not_shown, fault};
    if (!how.not_here.empty()) return {Result::not_run, how.not_here};
    const auto lacks = [&](const std::string& what) {
        return Verification{Result::not_run, what + (how.remedy.empty() ? "" : "; " + how.remedy)};
    };
    const OwnFolder own;
    if (!own.why().empty()) return lacks("there is no folder for it: " + own.why());
    const std::filesystem::path file =
        own.path() / ("reproducer" + program.file.extension().string());
    std::error_code error;
    std::filesystem::copy_file(program.file, file, error);
    if (error) return {Result::not_shown, "it cannot be read: " + error.message()};
    const auto with_names = [&](std::vector<std::string> words) {
        for (std::string& word : words) {
            word = replaced(replaced(std::move(word), "{file}", file.string()), "{folder}",
                            own.path().string());
        }
        return words;
    };
    const Runner runner(limits);
    if (!how.build.empty()) {
        const Ran built =
            runner.run(with_names(how.build), own.path(), own.path(), 0, seconds_to_build);
        if (built.interrupted) return {Result::interrupted, {}};
        const std::string what = what_lacks(built.end);
        if (!what.empty()) return lacks(what);
        if (!built.trouble.empty()) return {Result::not_shown, built.trouble};
        if (built.end.exit_code != 0) {
            return {Result::not_shown, "it cannot be built: " + end_text(built.end)};
        }
    }
    const Ran ran = runner.run(with_names(how.command), how.place.empty() ? own.path() : how.place,
                               own.path(), how.bytes_of_memory,
                               seconds_without_end(program.shows).value_or(limits.seconds));
    if (ran.interrupted) return {Result::interrupted, {}};
    const std::string says = "it says '" + printable(start_of(program.shows, 300)) + "', but ";
    if (!ran.trouble.empty()) return {Result::not_shown, says + ran.trouble};
    if (is_shown(program.shows, ran.end)) return {};
    const std::string what = what_lacks(ran.end);
    if (!what.empty()) return lacks(what);
    std::string text = end_text(ran.end);
    if (!ran.end.in_time) {
        constexpr std::string_view no_end = "it did not end";
        text.insert(no_end.size(),
                    " within " + (std::ostringstream() << limits.seconds).str() + " s");
    }
    return {Result::not_shown, says + text};
}

std::vector<Verification> verify_all(std::span<const ProgramToVerify> programs, int jobs,
                                     const VerifyLimits& limits,
                                     const std::function<void()>& done) {
    std::vector<Verification> results(programs.size());
    std::atomic<std::size_t> next{0};
    std::mutex one_at_a_time;
    const auto work = [&] {
        for (std::size_t k = next++; k < programs.size(); k = next++) {
            if (limits.interrupted && limits.interrupted()) {
                results[k] = {Verification::Result::interrupted, {}};
                continue;
            }
            results[k] = verify(programs[k], limits);
            const std::lock_guard lock(one_at_a_time);
            if (done) done();
        }
    };
    std::vector<std::thread> threads;
    const std::size_t wanted = std::min(static_cast<std::size_t>(jobs), programs.size());
    try {
        for (std::size_t k = 1; k < wanted; ++k) {
            threads.emplace_back([&] {
                const OneOfSeveral room;  // it looks now and then whether a signal came
                work();
            });
        }
    } catch (const std::system_error&) {  // no more threads are to be had
    }
    {
        std::optional<OneOfSeveral> room;
        if (!threads.empty()) room.emplace();
        work();
    }
    for (std::thread& thread : threads) thread.join();
    return results;
}

}  // namespace gathercheck
