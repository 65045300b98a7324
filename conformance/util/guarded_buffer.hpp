// SPDX-License-Identifier: Apache-2.0
// Guarded buffers: memory whose contents lie flush against an inaccessible page, and whose slack on
// the other side is filled with a canary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gathercheck {

/// What the output of a pass (0 or 1) is filled with before the call: no bit of it is the same in
/// both, so an element that differs between the passes and holds these was never written. Adapters
/// use the same patterns, also around inputs.
constexpr std::byte output_pattern(int pass) {
    return pass == 0 ? std::byte{0xA5} : std::byte{0x5A};
}

/// What lies around contents of a pass, up to the guards.
constexpr std::byte canary_pattern(int pass) {
    return pass == 0 ? std::byte{0xC3} : std::byte{0x3C};
}

/// Where contents lie between the guards.
enum class Flush : std::uint8_t {
    end,    ///< their last byte is the last one before the end guard
    start,  ///< their first byte is the first one after the start guard
};

constexpr Flush flush_of(int pass) { return pass == 0 ? Flush::end : Flush::start; }

/// Accessible pages between two guards of inaccessible ones.
class GuardedBuffer {
public:
    /// Room for at least `size` bytes; nothing where the system has none. `read_only`: where it
    /// lies it can only be read, and is written through a second mapping of the same memory, so
    /// that a call changes no protection.
    static std::unique_ptr<GuardedBuffer> make(std::size_t size, bool read_only = false);

    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;
    ~GuardedBuffer();

    std::size_t capacity() const { return capacity_; }

    /// Lays out `size` bytes and fills the slack with the canary; `gap` bytes of it lie between
    /// the contents and the guard that they are flush with. Both together are at most the capacity.
    /// The contents are not touched; without any the span is empty but its pointer is not null.
    std::span<std::byte> place(std::size_t size, Flush flush, std::byte canary,
                               std::size_t gap = 0);

    /// Offset, from the first byte of the contents, of a byte of the slack that is no longer the
    /// canary; the one nearest to the contents.
    std::optional<std::int64_t> changed_slack() const;

    /// Offset of an address from the first byte of the contents, if it lies in a guard, or between
    /// them in a buffer that can only be read. Safe in a signal handler.
    std::optional<std::int64_t> offset_in_guard(std::uintptr_t address) const;

    std::span<std::byte> contents() const { return contents_; }

    /// The same bytes where they can be written.
    std::span<std::byte> writable() const {
        return {writable_ + (contents_.data() - accessible()), contents_.size()};
    }

private:
    GuardedBuffer(std::byte* mapping, std::byte* writable, std::size_t capacity)
        : mapping_(mapping), writable_(writable), capacity_(capacity) {}

    std::byte* accessible() const;
    bool is_read_only() const { return writable_ != accessible(); }

    std::byte* mapping_;
    std::byte* writable_;  ///< what lies between the guards, where it can be written
    std::size_t capacity_;
    std::span<std::byte> contents_;
    std::byte canary_{};
};

/// Hands out buffers and keeps the small ones for the next call, so that a call costs no system
/// call.
class GuardedPool {
public:
    /// A buffer for `size` bytes that is in use until `release`; null where the system has none.
    GuardedBuffer* acquire(std::size_t size, bool read_only = false);

    /// Takes all buffers back; the large ones go back to the system.
    void release();

private:
    struct SizeClass {
        std::vector<std::unique_ptr<GuardedBuffer>> buffers;
        std::size_t in_use = 0;
    };
    std::map<std::pair<std::size_t, bool>, SizeClass> classes_;  // by capacity and `read_only`
    std::vector<std::unique_ptr<GuardedBuffer>> large_;
};

/// Bytes of memory that can be had here without harm: free and reclaimable memory within this
/// process's control group. A very large number where the system does not say.
std::uint64_t available_memory();

}  // namespace gathercheck
