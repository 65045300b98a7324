// SPDX-License-Identifier: Apache-2.0
// The two sides of the in-process runner: what they share, and what the forked child does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "conformance/implementations/in_process/guarded_call.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/util/shared_area.hpp"

namespace gathercheck {

/// Where a batch stands; in memory that outlives the child.
struct BatchState {
    std::atomic<std::uint64_t> begun{0};     ///< requests begun
    std::atomic<std::uint64_t> answered{0};  ///< requests whose answers lie in the answers' area
    std::atomic<std::int64_t> began_at{0};   ///< when the last call was begun: nanoseconds of Clock
    std::atomic<std::uint32_t> earlier{0};   ///< calls done that come before it in its sequence
    std::atomic<bool> faulted{false};        ///< a guard was hit and `fault` is set
    MemoryFault fault;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

/// What both sides share.
struct Shared {
    std::unique_ptr<SharedArea> requests;  ///< a count, then each request: its size, its content
    std::unique_ptr<SharedArea> answers;   ///< each answer: its size, how many earlier calls were
                                           ///< done, the nanoseconds it took, its content
    BatchState* state = nullptr;
};

/// Kinds of an answer.
enum class AnswerKind : std::uint8_t {
    value,
    descriptor,
    rejected,
    unsupported,
    unsafe_memory,
    crash,
    broken,
};

void pack_request(Packer& packer, const Request& request);

/// The child's whole life: answers a batch for each byte that comes in over `channel`, and sends a
/// byte back when the batch is done and now and then before. Never returns, and no exit handler of
/// the parent runs.
[[noreturn]] void serve_batches(const BuiltIn& built_in, Shared& shared, const FileHandle& channel,
                                const FileHandle& errors, double seconds_per_call);

}  // namespace gathercheck
