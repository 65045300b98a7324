// SPDX-License-Identifier: Apache-2.0
// Starting, watching and ending child processes.
#include "conformance/subprocess.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

#include "conformance/fork_gate.hpp"
#include "conformance/json.hpp"

extern char** environ;

namespace gathercheck {
namespace {

std::string system_reason(int number) { return std::generic_category().message(number); }

/// A megabyte where the system grants it: fewer turns for large messages.
void widen(const FileHandle& handle) { ::fcntl(handle.number(), F_SETPIPE_SZ, 1 << 20); }

/// This process's environment with some variables set.
std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
    const auto name = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const bool replaced = std::ranges::any_of(
            added, [&](const std::string& other) { return name(other) == name(*entry); });
        if (!replaced) result.emplace_back(*entry);
    }
    result.insert(result.end(), added.begin(), added.end());
    return result;
}

/// The strings as exec wants them.
std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (std::string& text : strings) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// Attributes and file actions of one spawn.
class SpawnSettings {
public:
    SpawnSettings() {
        posix_spawnattr_init(&attributes_);
        posix_spawn_file_actions_init(&actions_);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
        sigset_t defaults;
        sigemptyset(&defaults);
        for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
            sigaddset(&defaults, number);
        }
        posix_spawnattr_setsigdefault(&attributes_, &defaults);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }

    void place(const FileHandle& handle, int number) {
        posix_spawn_file_actions_adddup2(&actions_, handle.number(), number);
    }
    const posix_spawnattr_t* attributes() const { return &attributes_; }
    const posix_spawn_file_actions_t* actions() const { return &actions_; }

private:
    posix_spawnattr_t attributes_{};
    posix_spawn_file_actions_t actions_{};
};

}  // namespace

Clock::duration duration_of(double seconds) {
    constexpr double longest = 1e9;
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::clamp(seconds, 0.0, longest)));
}

void FileHandle::close() {
    // On Linux the descriptor is gone even where close reports an interruption.
    if (number_ >= 0) ::close(std::exchange(number_, -1));
}

bool lift(FileHandle& handle) {
    if (handle.number() > STDERR_FILENO) return true;
    const int lifted = ::fcntl(handle.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (lifted < 0) return false;
    handle = FileHandle(lifted);
    return true;
}

void set_non_blocking(const FileHandle& handle) {
    const int flags = ::fcntl(handle.number(), F_GETFL);
    ::fcntl(handle.number(), F_SETFL, flags | O_NONBLOCK);
}

std::variant<Pipe, std::string> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_reason(errno);
    Pipe pipe{FileHandle(ends[0]), FileHandle(ends[1])};
    if (!lift(pipe.read) || !lift(pipe.write)) return system_reason(errno);
    return pipe;
}

void ignore_broken_pipes() {
    struct sigaction present {};
    if (::sigaction(SIGPIPE, nullptr, &present) != 0) return;
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return;
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, nullptr);
}

Process::Process(pid_t id) : id_(id) {
#ifdef SYS_pidfd_open
    handle_ = FileHandle(static_cast<int>(::syscall(SYS_pidfd_open, id, 0U)));
#endif
}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      handle_(std::move(other.handle_)),
      exit_code_(other.exit_code_) {}

Process& Process::operator=(Process&& other) noexcept {
    if (this == &other) return *this;
    end();
    id_ = std::exchange(other.id_, -1);
    handle_ = std::move(other.handle_);
    exit_code_ = other.exit_code_;
    return *this;
}

bool Process::has_ended() const {
    if (id_ <= 0) return true;
    siginfo_t information{};
    // The child is left a zombie, so that its number and its group's stay its own.
    const int status =
        ::waitid(P_PID, static_cast<id_t>(id_), &information, WEXITED | WNOHANG | WNOWAIT);
    return status != 0 || information.si_pid != 0;
}

std::string Process::end() {
    if (id_ <= 0) return "not started";
    ::kill(-id_, SIGKILL);
    ::kill(id_, SIGKILL);  // in case it has left its group
    int status = 0;
    pid_t reaped = 0;
    do {
        reaped = ::waitpid(id_, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    id_ = -1;
    handle_.close();
    exit_code_.reset();
    if (reaped < 0) return "lost: " + system_reason(errno);
    if (WIFSIGNALED(status)) return "killed by " + signal_name(WTERMSIG(status));
    exit_code_ = WEXITSTATUS(status);
    return "exited with code " + std::to_string(*exit_code_);
}

void Process::limit_memory(std::uint64_t bytes) const {
    if (id_ <= 0) return;
    const rlimit limit{bytes, bytes};
    ::prlimit(id_, RLIMIT_AS, &limit, nullptr);
}

bool Process::wait(std::span<pollfd> watched, Clock::time_point deadline) const {
    constexpr std::size_t most = 7;
    std::array<pollfd, most + 1> entries{};
    const std::size_t count = std::min(watched.size(), most);
    std::copy_n(watched.begin(), count, entries.begin());
    entries[count] = {handle_.number(), POLLIN, 0};
    constexpr std::int64_t longest = 60'000;
    // Without a handle on the process its end is looked for now and then, and one of several
    // threads looks whether a signal came to another.
    const bool several = is_one_of_several();
    const std::int64_t slice = !handle_ ? 20 : several ? 50 : longest;
    // A CPU that falls asleep takes longer to wake up than most calls take.
    const Clock::time_point drowsy =
        several ? Clock::time_point::min() : Clock::now() + std::chrono::microseconds(100);
    for (;;) {
        const Clock::time_point now = Clock::now();
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
        const bool stays_awake = now < drowsy && now < deadline;
        const auto pause =
            stays_awake ? 0 : static_cast<int>(std::clamp<std::int64_t>(left, 0, slice));
        const int ready = [&] {
            const Waiting waiting;
            return ::poll(entries.data(), count + 1, pause);
        }();
        if (ready > 0) {
            for (std::size_t k = 0; k < count; ++k) watched[k].revents = entries[k].revents;
            return true;
        }
        for (std::size_t k = 0; k < count; ++k) watched[k].revents = 0;
        if (ready < 0 && errno == EINTR) return true;
        if (stays_awake) {
            ::sched_yield();
            continue;
        }
        if (!handle_ && has_ended()) return true;
        if (left <= 0) return false;
        if (several) return true;
    }
}

std::variant<Spawned, std::string> spawn(const Command& command) {
    if (command.arguments.empty() || command.arguments.front().empty()) {
        return std::string("no program is named");
    }
    std::array<Pipe, 3> pipes;
    for (Pipe& pipe : pipes) {
        auto made = make_pipe();
        if (auto* reason = std::get_if<std::string>(&made)) return std::move(*reason);
        pipe = std::move(std::get<Pipe>(made));
    }
    auto& [input, output, errors] = pipes;
    SpawnSettings settings;
    settings.place(input.read, STDIN_FILENO);
    settings.place(output.write, STDOUT_FILENO);
    settings.place(errors.write, STDERR_FILENO);
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment = merged_environment(command.environment);
    pid_t id = -1;
    const int failure =
        ::posix_spawnp(&id, arguments.front().c_str(), settings.actions(), settings.attributes(),
                       pointers(arguments).data(), pointers(environment).data());
    if (failure != 0) return system_reason(failure);
    Spawned spawned{Process(id), std::move(input.write), std::move(output.read),
                    std::move(errors.read)};
    widen(spawned.input);
    widen(spawned.output);
    set_non_blocking(spawned.input);
    set_non_blocking(spawned.output);
    set_non_blocking(spawned.errors);
    return spawned;
}

std::string signal_name(int number) {
    switch (number) {
        case SIGABRT:
            return "SIGABRT";
        case SIGALRM:
            return "SIGALRM";
        case SIGBUS:
            return "SIGBUS";
        case SIGFPE:
            return "SIGFPE";
        case SIGHUP:
            return "SIGHUP";
        case SIGILL:
            return "SIGILL";
        case SIGINT:
            return "SIGINT";
        case SIGKILL:
            return "SIGKILL";
        case SIGPIPE:
            return "SIGPIPE";
        case SIGQUIT:
            return "SIGQUIT";
        case SIGSEGV:
            return "SIGSEGV";
        case SIGSYS:
            return "SIGSYS";
        case SIGTERM:
            return "SIGTERM";
        case SIGTRAP:
            return "SIGTRAP";
        case SIGUSR1:
            return "SIGUSR1";
        case SIGUSR2:
            return "SIGUSR2";
        case SIGXCPU:
            return "SIGXCPU";
        case SIGXFSZ:
            return "SIGXFSZ";
        default:
            return "signal " + std::to_string(number);
    }
}

bool Tail::drain(const FileHandle& from) {
    if (!from) return false;
    std::array<char, 65536> chunk;
    for (int turns = 0; turns < 16; ++turns) {  // a flood must not keep us here
        const ssize_t count = ::read(from.number(), chunk.data(), chunk.size());
        if (count > 0) {
            add({chunk.data(), static_cast<std::size_t>(count)});
            if (static_cast<std::size_t>(count) < chunk.size()) return true;
            continue;
        }
        if (count < 0 && errno == EINTR) continue;
        return count < 0 && errno == EAGAIN;
    }
    return true;
}

void Tail::add(std::string_view text) {
    if (text.size() >= most) {
        text_ = text.substr(text.size() - most);
        return;
    }
    text_ += text;
    if (text_.size() > most) text_.erase(0, text_.size() - most);
}

std::string Tail::last_lines(int lines) const {
    std::vector<std::string_view> found;
    std::string_view rest = text_;
    while (!rest.empty() && found.size() < static_cast<std::size_t>(lines)) {
        const std::size_t newline = rest.rfind('\n');
        const bool whole = newline == std::string_view::npos;
        std::string_view line = whole ? rest : rest.substr(newline + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        if (!line.empty()) found.push_back(line);
        rest = whole ? std::string_view{} : rest.substr(0, newline);
    }
    std::string result;
    for (auto line = found.rbegin(); line != found.rend(); ++line) {
        if (!result.empty()) result += " | ";
        constexpr std::size_t longest = 400;
        result += printable(line->size() <= longest ? *line : line->substr(0, longest));
        if (line->size() > longest) result += "...";
    }
    return result;
}

std::string memory_limit_text(std::uint64_t bytes) {
    if (bytes == 0) return {};
    return " (its memory limit is " + std::to_string(bytes) + " bytes)";
}

std::string stopped_at_limit(int ends) {
    return "its process died, hung or broke the protocol " + std::to_string(ends) +
           " times, which is the limit; the rest was not asked";
}

std::string with_errors(std::string what, const Tail& errors) {
    const std::string lines = errors.last_lines();
    if (!lines.empty()) what += "; its stderr ends: " + lines;
    return what;
}

}  // namespace gathercheck
