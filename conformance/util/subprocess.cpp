// SPDX-License-Identifier: Apache-2.0
// Starting, watching and ending child processes.
#include "conformance/util/subprocess.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <system_error>

#include "conformance/util/awake.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/fork_gate.hpp"
#include "conformance/util/json.hpp"

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

/// What a program is started with. All is made before the fork.
struct Program {
    std::array<int, 3> streams;  ///< become the standard ones
    char* const* arguments;
    char* const* environment;
};

/// Returns only where it cannot be executed.
int execute(const void* context) {
    const Program& program = *static_cast<const Program*>(context);
    for (std::size_t k = 0; k < program.streams.size(); ++k) {
        if (::dup2(program.streams[k], static_cast<int>(k)) < 0) return errno;
    }
    ::execvpe(program.arguments[0], program.arguments, program.environment);
    return errno;
}

/// While it lives, no signal comes to this thread.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

/// Waits for a packet. Nothing where none can come any more, or none is there and `waits` is false.
std::optional<MonitorReport> receive_report(const FileHandle& socket, bool waits) {
    MonitorReport report;
    ssize_t count = 0;
    do {
        count = ::recv(socket.number(), &report, sizeof report, waits ? 0 : MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count != static_cast<ssize_t>(sizeof report)) return std::nullopt;
    return report;
}

/// Reaps it; how it ended, for people.
std::string reap(pid_t id) {
    int status = 0;
    pid_t reaped = 0;
    do {
        reaped = ::waitpid(id, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    if (reaped < 0) return system_reason(errno);
    if (WIFSIGNALED(status)) return "killed by " + signal_name(WTERMSIG(status));
    return "exited with code " + std::to_string(WEXITSTATUS(status));
}

/// Waits for the end of a monitor, which its own child may have stopped: it is told to go on, and
/// killed once it has had the time that it gives to what cannot be killed. Its child dies of that.
void wake_until_ended(pid_t monitor) {
    constexpr auto longest = std::chrono::seconds(12);
    constexpr timespec pause{0, 1'000'000};
    const Clock::time_point deadline = Clock::now() + longest;
    for (;;) {
        siginfo_t ended{};
        const int failed =
            ::waitid(P_PID, static_cast<id_t>(monitor), &ended, WEXITED | WNOHANG | WNOWAIT);
        if ((failed != 0 && errno != EINTR) || ended.si_pid == monitor) return;
        ::kill(monitor, Clock::now() < deadline ? SIGCONT : SIGKILL);
        ::nanosleep(&pause, nullptr);
    }
}

/// A line of a Python stack that is of the template of workers, which called what died.
bool is_template_frame(std::string_view line) {
    return line.starts_with("File \"") && line.find("gathercheck/worker.py\", line ") != line.npos;
}

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
    struct sigaction present{};
    if (::sigaction(SIGPIPE, nullptr, &present) != 0) return;
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return;
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, nullptr);
}

std::variant<Process, std::string> Process::start(const ChildStart& start) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return system_reason(errno);
    }
    Process process;
    process.socket_ = FileHandle(ends[0]);
    FileHandle theirs(ends[1]);
    if (!lift(process.socket_) || !lift(theirs)) return system_reason(errno);
    {
        const SignalsBlocked blocked;
        process.monitor_ = ::fork();
        if (process.monitor_ == 0) monitor_child(start, theirs.number());
    }
    if (process.monitor_ < 0) return system_reason(errno);
    theirs.close();
    const auto report = receive_report(process.socket_, true);
    if (report && report->kind == MonitorReport::Kind::started) {
        process.id_ = report->value;
        return process;
    }
    std::string how = reap(process.monitor_);
    if (report) return system_reason(report->value);
    return "its monitor was lost: " + how;
}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      monitor_(std::exchange(other.monitor_, -1)),
      socket_(std::move(other.socket_)),
      exit_code_(other.exit_code_) {}

Process& Process::operator=(Process&& other) noexcept {
    if (this == &other) return *this;
    end();
    id_ = std::exchange(other.id_, -1);
    monitor_ = std::exchange(other.monitor_, -1);
    socket_ = std::move(other.socket_);
    exit_code_ = other.exit_code_;
    return *this;
}

bool Process::has_ended() const {
    if (id_ <= 0) return true;
    char first = 0;
    const ssize_t count = ::recv(socket_.number(), &first, 1, MSG_DONTWAIT | MSG_PEEK);
    return count >= 0 || (errno != EAGAIN && errno != EINTR);
}

std::string Process::end() {
    if (id_ <= 0) return "not started";
    // Said, not only meant by closing: a copy of this end may be in a fork of this process.
    const char now = 0;
    while (::send(socket_.number(), &now, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
    wake_until_ended(monitor_);
    const std::string how = reap(monitor_);
    const auto report = receive_report(socket_, false);
    id_ = -1;
    monitor_ = -1;
    socket_.close();
    exit_code_.reset();
    if (!report) return "lost, and its monitor with it, which was " + how;
    if (report->kind == MonitorReport::Kind::killed)
        return "killed by " + signal_name(report->value);
    exit_code_ = report->value;
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
    entries[count] = {socket_.number(), POLLIN, 0};
    constexpr std::int64_t longest = 60'000;
    // One of several threads looks now and then whether a signal came to another.
    const bool several = is_one_of_several();
    const std::int64_t slice = several ? 50 : longest;
    const Clock::time_point drowsy = several ? Clock::time_point::min() : Clock::now() + time_awake;
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
        if (left <= 0) return false;
        if (several) return true;
    }
}

void Process::wait_for_end(Clock::time_point deadline) const {
    while (!has_ended() && wait({}, deadline)) {
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
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment = merged_environment(command.environment);
    const std::vector<char*> argument_pointers = pointers(arguments);
    const std::vector<char*> environment_pointers = pointers(environment);
    const Program program{{input.read.number(), output.write.number(), errors.write.number()},
                          argument_pointers.data(),
                          environment_pointers.data()};
    auto started = Process::start({execute, &program, true});
    if (auto* reason = std::get_if<std::string>(&started)) return std::move(*reason);
    Spawned spawned{std::move(std::get<Process>(started)), std::move(input.write),
                    std::move(output.read), std::move(errors.read)};
    widen(spawned.input);
    widen(spawned.output);
    widen(spawned.errors);
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
    drained_ = 0;
    if (!from) return false;
    std::array<char, 65536> chunk;
    for (int turns = 0; turns < 16; ++turns) {  // a flood must not keep us here
        const ssize_t count = ::read(from.number(), chunk.data(), chunk.size());
        if (count > 0) {
            add({chunk.data(), static_cast<std::size_t>(count)});
            drained_ += static_cast<std::size_t>(count);
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
        if (!line.empty() && !is_template_frame(line)) found.push_back(line);
        rest = whole ? std::string_view{} : rest.substr(0, newline);
    }
    std::string result;
    for (auto line = found.rbegin(); line != found.rend(); ++line) {
        if (!result.empty()) result += " | ";
        constexpr std::size_t longest = 400;
        result += printable(start_of(*line, longest));
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

std::string shell_word(const std::string& word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=,@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'') {
            quoted += "'\\''";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

}  // namespace gathercheck
