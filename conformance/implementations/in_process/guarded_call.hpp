// SPDX-License-Identifier: Apache-2.0
// One call with its tensors in guarded buffers: placing them, telling what was touched outside, and
// checking all memory around them afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/util/guarded_buffer.hpp"
#include "reference/call.hpp"

namespace gathercheck {

enum class Access : std::uint8_t { unknown, read, write };

/// A byte outside a buffer that was touched.
struct MemoryFault {
    enum class Buffer : std::uint8_t {
        input,       ///< the contents of an input
        characters,  ///< the characters that an input's string elements point into
        output,
    };
    Buffer buffer = Buffer::input;
    std::uint32_t input = 0;  ///< which input
    Access access = Access::unknown;
    std::int64_t offset = 0;         ///< from the first byte of the buffer
    std::int64_t size = 0;           ///< of the buffer
    std::uintptr_t instruction = 0;  ///< address of the one that touched it; 0: not known
};

/// A short text that needs no memory from the system, for signal handlers. What does not fit is
/// left out.
class FixedText {
public:
    void append(std::string_view text);
    void append(std::int64_t number);
    void append_hexadecimal(std::uint64_t number);
    std::string_view view() const { return {bytes_.data(), size_}; }

private:
    std::array<char, 1024> bytes_;
    std::size_t size_ = 0;
};

/// Appends "my_plugin.so+0x1234": the file that an address of this process is mapped from, without
/// its folder, and how far behind its first byte in memory, which addr2line takes. False, and
/// nothing appended, where it is of none. Safe in a signal handler.
bool append_module(FixedText& text, std::uintptr_t address);

/// Appends "wrote past the end of output, at byte 24 of its 24 bytes". `input` is the name of the
/// input that it is about. Safe in a signal handler.
void append_fault(FixedText& text, const MemoryFault& fault, std::string_view input);

/// The same, and which instruction it was, where that is known. An address of a child that this
/// process forked is one of this process, too.
std::string to_string(const MemoryFault& fault, const Call& call);

/// From here on a fault in a guard of the call at hand is given to `report`, which runs in the
/// signal handler and must end the process; one elsewhere ends the process as if there were no
/// handler, after `before_death`, which gets the address of the instruction, 0 where not known.
void report_memory_faults(void (*report)(const MemoryFault& fault),
                          void (*before_death)(int signal, std::uintptr_t instruction) = nullptr);

/// Where the buffers of a call lie.
struct Placement {
    int pass = 0;               ///< 0: against their end guard; 1: against their start guard
    std::size_t alignment = 1;  ///< of their first byte: a power of two, at most 4096
    std::size_t shift = 0;      ///< bytes between contents and the guard; instead of an alignment
    bool read_only_inputs = false;  ///< writing to an input is a fault
};

/// One call with its tensors in guarded buffers. Only one at a time exists in a process, since
/// signal handlers have to find it.
class GuardedCall {
public:
    GuardedCall(GuardedPool& pool, const Placement& placement);
    GuardedCall(const GuardedCall&) = delete;
    GuardedCall& operator=(const GuardedCall&) = delete;
    ~GuardedCall();

    /// Attributes and inputs are the caller's to set; `place...` sets the contents of an input.
    Call& call() { return call_; }
    const Call& call() const { return call_; }
    const Placement& placement() const { return placement_; }

    /// Copies the contents of an input, which must outlive the call, into a guarded buffer. False
    /// where there is no memory.
    bool place_input(std::size_t input, std::span<const std::byte> contents);

    /// The same for strings: their lengths as packed 64-bit integers, and all characters.
    bool place_strings(std::size_t input, std::span<const std::byte> lengths,
                       std::span<const std::byte> characters);

    /// A filled buffer for the output; nothing where there is none to be had.
    std::optional<std::span<std::byte>> place_output(std::size_t size);

    /// The strings of an output of strings; or what is wrong with one of them.
    std::variant<std::vector<std::string_view>, std::string> strings_of(
        std::span<const std::byte> output) const;

    /// The first thing wrong with the memory around and inside the call's buffers.
    std::optional<std::string> damage() const;

private:
    struct Original {
        std::size_t placed = 0;  ///< position among the placed buffers
        std::span<const std::byte> bytes;
    };

    std::span<std::byte> place(MemoryFault::Buffer what, std::size_t input, std::size_t size);
    std::span<std::byte> place_copy(MemoryFault::Buffer what, std::size_t input,
                                    std::span<const std::byte> original);

    GuardedPool& pool_;
    Placement placement_;
    Call call_;
    std::vector<Original> originals_;
    std::vector<std::vector<std::byte>> string_elements_;
    std::span<const std::byte> data_characters_;
};

/// The same of strings that must point into these characters, of an output that was filled with the
/// pattern of a pass.
std::variant<std::vector<std::string_view>, std::string> strings_in(
    std::span<const std::byte> output, std::span<const std::byte> characters, int pass);

/// Says why there can be no output of a descriptor, with a sentence for people.
std::string no_room_for(const Descriptor& output);

}  // namespace gathercheck
