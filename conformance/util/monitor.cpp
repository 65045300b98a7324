// SPDX-License-Identifier: Apache-2.0
// Starting one child, waiting, and killing until nothing is left. Nothing here takes memory or a
// lock: another thread of the process that was forked may have held it.
#include "conformance/util/monitor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace gathercheck {
namespace {

void tell(int socket, MonitorReport::Kind kind, int value) {
    const MonitorReport report{kind, value};
    while (::send(socket, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

void wake_up(int) {}

/// Of all that this process handles only a child's end is left.
void reset_handlers() {
    for (int number = 1; number <= SIGRTMAX; ++number) {
        struct sigaction present{};
        if (::sigaction(number, nullptr, &present) != 0) continue;
        const bool is_handled = (present.sa_flags & SA_SIGINFO) != 0 ||
                                (present.sa_handler != SIG_DFL && present.sa_handler != SIG_IGN);
        if (is_handled) ::signal(number, SIG_DFL);
    }
    struct sigaction child{};
    child.sa_handler = wake_up;  // SIG_IGN would lose how it ended
    ::sigaction(SIGCHLD, &child, nullptr);
}

/// The child's first steps. Comes back only with the reason why it could not begin.
int begin_life(const ChildStart& start, pid_t monitor) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != monitor) ::_exit(EXIT_FAILURE);  // it has gone before that held
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    return start.begin(start.context);
}

/// A function of its own: what vfork returns to twice has no variable that could be clobbered.
[[gnu::noinline]] pid_t start_program(const ChildStart& start, pid_t monitor,
                                      volatile int& failure) {
    const pid_t id = ::vfork();
    if (id != 0) return id;
    failure = begin_life(start, monitor);
    ::_exit(EXIT_FAILURE);
}

pid_t start_fork(const ChildStart& start, pid_t monitor) {
    const pid_t id = ::fork();
    if (id != 0) return id;
    begin_life(start, monitor);
    ::_exit(EXIT_FAILURE);
}

/// Sleeps until a child ends, the socket has something to say, or so much time has passed.
void sleep_until_woken(pollfd* socket, int milliseconds) {
    sigset_t all_but_child;
    sigfillset(&all_but_child);
    sigdelset(&all_but_child, SIGCHLD);
    const timespec pause{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
    ::ppoll(socket, socket == nullptr ? 0 : 1, milliseconds < 0 ? nullptr : &pause, &all_but_child);
}

/// Kills each child of this process. False where the system does not list them.
bool kill_children() {
    const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) return false;
    std::array<char, 4096> text;
    pid_t id = 0;
    for (;;) {
        const ssize_t count = ::read(list, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        for (ssize_t k = 0; k < count; ++k) {
            const char character = text[static_cast<std::size_t>(k)];
            if (character >= '0' && character <= '9') {
                id = id * 10 + (character - '0');
                continue;
            }
            if (id > 0) ::kill(id, SIGKILL);
            id = 0;
        }
    }
    ::close(list);
    return true;
}

class Monitor {
public:
    Monitor(pid_t child, int socket) : child_(child), socket_(socket) {}

    void wait_for_end() {
        for (;;) {
            pollfd socket{socket_, POLLIN, 0};
            sleep_until_woken(&socket, -1);
            if (socket.revents != 0) {
                // Unread, it would be an error at the other end, before the report is.
                char byte = 0;
                ::recv(socket_, &byte, 1, MSG_DONTWAIT);
                return;
            }
            reap_before_end();
        }
    }

    /// Kills, takes over the orphans that come of it, and kills these, until there is none. What
    /// cannot be killed (a program of another user's) is left after some seconds.
    void end_all() {
        constexpr int most_pauses = 10'000;
        constexpr int most_pauses_unlisted = 100;
        for (int pauses = 0; pauses < most_pauses; ++pauses) {
            if (!reaped_) {  // as long as it is not, its number and its group's are its own
                ::kill(-child_, SIGKILL);
                ::kill(child_, SIGKILL);
            }
            const bool listed = kill_children();
            if (!reap_all()) return;
            if (!listed && reaped_ && pauses > most_pauses_unlisted) return;
            sleep_until_woken(nullptr, 1);
        }
    }

private:
    void tell_end(int code, int status) {
        if (told_) return;
        told_ = true;
        tell(socket_,
             code == CLD_EXITED ? MonitorReport::Kind::exited : MonitorReport::Kind::killed,
             status);
    }

    /// Zombies that it left here; it stays one itself.
    void reap_before_end() {
        while (!told_) {
            siginfo_t ended{};
            if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return;
            if (ended.si_pid == 0) return;
            if (ended.si_pid == child_) {
                tell_end(ended.si_code, ended.si_status);
            } else {
                ::waitpid(ended.si_pid, nullptr, WNOHANG);
            }
        }
    }

    /// False where there is no child any more.
    bool reap_all() {
        for (;;) {
            siginfo_t ended{};
            if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG) != 0) return errno != ECHILD;
            if (ended.si_pid == 0) return true;
            if (ended.si_pid != child_) continue;
            tell_end(ended.si_code, ended.si_status);
            reaped_ = true;
        }
    }

    pid_t child_;
    int socket_;
    bool told_ = false;
    bool reaped_ = false;
};

}  // namespace

void close_descriptors(unsigned first, unsigned last) {
    if (first > last) return;
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, first, last, 0U) == 0) return;
#endif
    const long most = ::sysconf(_SC_OPEN_MAX);
    for (unsigned number = first; number <= last && number < static_cast<unsigned>(most);
         ++number) {
        ::close(static_cast<int>(number));
    }
}

void monitor_child(const ChildStart& start, int socket) {
    // Out of the group that a terminal interrupts, and under a name of its own.
    ::setpgid(0, 0);
    reset_handlers();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_NAME, "worker-monitor");
    const pid_t monitor = ::getpid();
    volatile int failure = 0;
    const pid_t child =
        start.execs ? start_program(start, monitor, failure) : start_fork(start, monitor);
    const int reason = child < 0 ? errno : failure;
    // Nothing that is open here is the monitor's business, and some would be missed if it stayed.
    close_descriptors(0, static_cast<unsigned>(socket) - 1);
    close_descriptors(static_cast<unsigned>(socket) + 1, ~0U);
    if (reason != 0) {
        if (child > 0) ::waitpid(child, nullptr, 0);
        tell(socket, MonitorReport::Kind::not_started, reason);
        ::_exit(EXIT_FAILURE);
    }
    ::setpgid(child, child);  // the child does the same: whoever comes first
    tell(socket, MonitorReport::Kind::started, child);
    Monitor watch(child, socket);
    watch.wait_for_end();
    watch.end_all();
    ::_exit(EXIT_SUCCESS);
}

}  // namespace gathercheck
