// SPDX-License-Identifier: Apache-2.0
// Threads and fork: a child is made by fork only while every other thread that asks implementations
// stands still.
//
// A forked child has the memory of the whole process but one thread of it. What another thread held
// at that moment (a lock of the allocator, a half-made static variable) is held in the child for
// ever. So threads that ask implementations side by side are in one room; each leaves it while it
// waits, for a process or for another thread, and holds nothing then; who forks waits until nobody
// else is in the room, and lets nobody in. Programs that are started anew (posix_spawn) need none
// of this.
#pragma once

namespace gathercheck {

/// While it lives, its thread is one of several that ask implementations.
class OneOfSeveral {
public:
    OneOfSeveral();
    ~OneOfSeveral();
    OneOfSeveral(const OneOfSeveral&) = delete;
    OneOfSeveral& operator=(const OneOfSeveral&) = delete;
};

/// True within the life of a OneOfSeveral of this thread.
bool is_one_of_several();

/// While it lives, its thread only waits: it holds no lock that code in a forked child could want,
/// and allocates nothing. Does nothing for a thread that is alone.
class Waiting {
public:
    Waiting();
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    bool left_ = false;
};

/// While it lives, every other of several threads waits: now fork.
class Alone {
public:
    Alone();
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

private:
    Waiting outside_;
};

}  // namespace gathercheck
