// SPDX-License-Identifier: Apache-2.0
// Child processes: each leads a group of its own, ends with all that it started, even where this
// process is killed, leaves no zombie, and holds no descriptor that is not its business.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/util/monitor.hpp"

namespace gathercheck {

using Clock = std::chrono::steady_clock;

/// Seconds as a duration, at most some thirty years.
Clock::duration duration_of(double seconds);

/// The moment that lies `seconds` from now.
inline Clock::time_point after(double seconds) { return Clock::now() + duration_of(seconds); }

/// Owns one file descriptor.
class FileHandle {
public:
    FileHandle() = default;
    explicit FileHandle(int number) : number_(number) {}
    FileHandle(FileHandle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileHandle& operator=(FileHandle&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    ~FileHandle() { close(); }

    int number() const { return number_; }  ///< -1: none
    explicit operator bool() const { return number_ >= 0; }
    void close();

private:
    int number_ = -1;
};

/// Both ends are closed on exec and lie above the standard streams' numbers, whatever of those is
/// closed here.
struct Pipe {
    FileHandle read;
    FileHandle write;
};

/// The system's reason where there is none to be had.
std::variant<Pipe, std::string> make_pipe();

/// Moves a descriptor above the numbers of the standard streams. False where there is none left.
bool lift(FileHandle& handle);

/// Reads and writes on it no longer wait.
void set_non_blocking(const FileHandle& handle);

/// From here on writing to a pipe that nobody reads is an error instead of a signal, unless this
/// process handles that signal already. Children get the default back.
void ignore_broken_pipes();

/// A child and its monitor. The destructor ends both.
class Process {
public:
    /// A child that has begun its life, or the system's reason why it could not.
    static std::variant<Process, std::string> start(const ChildStart& start);

    Process() = default;
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() { end(); }

    explicit operator bool() const { return id_ > 0; }
    pid_t id() const { return id_; }

    /// True once it has ended; its number stays its own until `end`.
    bool has_ended() const;

    /// Kills it and whatever it has started, in its group or out of it, and returns when all that
    /// is gone. Returns how it ended: "killed by SIGSEGV" or "exited with code 1"; where it was
    /// still running, by our own kill.
    std::string end();

    /// From here on it, and what it starts, gets no memory that would make its address space larger
    /// than that.
    void limit_memory(std::uint64_t bytes) const;

    /// The exit code after `end`; nothing where a signal ended it.
    std::optional<int> exit_code() const { return exit_code_; }

    /// Waits until one of `watched` is ready, the process has ended, a signal came (maybe to
    /// another thread), or the deadline has passed. False only for the last. An entry with a
    /// negative descriptor is left out.
    bool wait(std::span<pollfd> watched, Clock::time_point deadline) const;
    /// Waits until it has ended, or the deadline has passed: who has closed its output may not be
    /// gone yet, and `end` would kill it.
    void wait_for_end(Clock::time_point deadline) const;

private:
    pid_t id_ = -1;
    pid_t monitor_ = -1;
    FileHandle socket_;  // shared with the monitor; readable once the process has ended
    std::optional<int> exit_code_;
};

/// What to start.
struct Command {
    std::vector<std::string> arguments;    ///< the program, looked up in PATH, and its arguments
    std::vector<std::string> environment;  ///< NAME=value, beside this process's own environment
};

/// A started program and our ends of its standard streams; they do not block.
struct Spawned {
    Process process;
    FileHandle input;   ///< what we write it reads
    FileHandle output;  ///< what it writes we read
    FileHandle errors;
};

/// A started program, or the system's reason why it could not be started.
std::variant<Spawned, std::string> spawn(const Command& command);

/// "SIGSEGV" for 11; "signal 99" for one without a name.
std::string signal_name(int number);

/// Keeps the end of what a process writes to its standard error.
class Tail {
public:
    /// Reads what is there without waiting. False once nothing more can come.
    bool drain(const FileHandle& from);

    /// The last time there was so much that more is to be expected at once.
    bool is_flooded() const { return drained_ >= flood; }
    void add(std::string_view text);
    void clear() { text_.clear(); }

    /// The last lines in one: at most `lines` of them, " | " between, control characters and broken
    /// UTF-8 escaped; without frames of gathercheck/worker.py. Empty where nothing was written.
    std::string last_lines(int lines = 6) const;

private:
    static constexpr std::size_t most = 4096;
    static constexpr std::size_t flood = std::size_t{1} << 18;
    std::string text_;
    std::size_t drained_ = 0;  // bytes, by the last call of `drain`
};

/// Behind how a process ended, which may have come of it: " (its memory limit is 1024 bytes)".
/// Empty where there is no limit.
std::string memory_limit_text(std::uint64_t bytes);

/// Why the rest of a run is not asked once the limit on restarts is reached.
std::string stopped_at_limit(int ends);

/// `what`, and what `errors` holds behind it: "killed by SIGABRT; its stderr ends: ...".
std::string with_errors(std::string what, const Tail& errors);

/// A word for a POSIX shell: as it is where nothing in it is special, else in single quotes.
std::string shell_word(const std::string& word);

}  // namespace gathercheck
