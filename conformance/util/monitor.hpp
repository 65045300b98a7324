// SPDX-License-Identifier: Apache-2.0
// The process between this one and a child, which ends the child and all that came of it, whatever
// becomes of this one.
//
// A process group is not enough: a process leaves it by setsid, and nobody is left to kill the
// group once this process has been killed. So each child has a monitor for a parent, a fork of this
// process that runs none of its code. Orphans below the monitor become its children (it is their
// subreaper), so that it finds them all; and the socket that it shares with this process tells it
// when that one wants the end, or has met its own. No process is touched that is not below the
// monitor.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace gathercheck {

/// What a monitor tells over its socket, one packet each.
struct MonitorReport {
    enum class Kind : std::int32_t {
        started,      ///< value: the number of the child's process
        not_started,  ///< value: errno
        exited,       ///< value: its exit code
        killed,       ///< value: the number of the signal
    };
    Kind kind = Kind::started;
    std::int32_t value = 0;
};

/// How a child begins its life.
struct ChildStart {
    /// Returns only where it cannot begin: with errno. The child leads its own group by then.
    int (*begin)(const void* context) = nullptr;
    const void* context = nullptr;
    /// It execs, and until then does what is safe after vfork only. Else it is a fork.
    bool execs = false;
};

/// The whole life of a monitor, in a process just forked with all signals blocked. Starts the
/// child, tells how it ended, and ends it with all that is below, once a packet comes or the other
/// end of the socket is closed. Safe in a fork of a process with several threads.
[[noreturn]] void monitor_child(const ChildStart& start, int socket);

/// Closes the descriptors from `first` to `last`.
void close_descriptors(unsigned first, unsigned last);

}  // namespace gathercheck
