// SPDX-License-Identifier: Apache-2.0
// The room of the threads that ask implementations; who wants it for himself goes first.
#include "conformance/util/fork_gate.hpp"

#include <mutex>
#include <shared_mutex>

namespace gathercheck {
namespace {

/// Held by who wants the room for himself, so that nobody else comes in meanwhile.
std::mutex door;
std::shared_mutex room;
thread_local bool several = false;
thread_local bool inside = false;

void enter() {
    const std::lock_guard through(door);
    room.lock_shared();
    inside = true;
}

void leave() {
    inside = false;
    room.unlock_shared();
}

}  // namespace

OneOfSeveral::OneOfSeveral() {
    several = true;
    enter();
}

OneOfSeveral::~OneOfSeveral() {
    leave();
    several = false;
}

bool is_one_of_several() { return several; }

Waiting::Waiting() : left_(inside) {
    if (left_) leave();
}

Waiting::~Waiting() {
    if (left_) enter();
}

Alone::Alone() {
    door.lock();
    room.lock();
}

Alone::~Alone() {
    room.unlock();
    door.unlock();
}

}  // namespace gathercheck
