// SPDX-License-Identifier: Apache-2.0
// Placing tensors in guarded buffers, and the signal handler that tells which one was left.
#include "conformance/implementations/in_process/guarded_call.hpp"

#include <fcntl.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <system_error>

namespace gathercheck {
namespace {

/// One guarded buffer of the call at hand.
struct Placed {
    MemoryFault::Buffer what = MemoryFault::Buffer::input;
    std::uint32_t input = 0;
    GuardedBuffer* buffer = nullptr;
};

/// What the signal handler looks at: it has no other way to learn of the call at hand.
struct AtHand {
    static constexpr std::size_t most = 128;
    std::array<Placed, most> placed;
    std::atomic<std::size_t> count{0};
    void (*report)(const MemoryFault& fault) = nullptr;
    void (*before_death)(int signal, std::uintptr_t instruction) = nullptr;
};
AtHand at_hand;

Access access_of([[maybe_unused]] void* context) {
#if defined(__x86_64__)
    constexpr long long write_bit = 2;
    const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    return (registers[REG_ERR] & write_bit) != 0 ? Access::write : Access::read;
#else
    return Access::unknown;
#endif
}

std::uintptr_t instruction_of([[maybe_unused]] void* context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(
        static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#else
    return 0;
#endif
}

MemoryFault fault_at(const Placed& placed, Access access, std::int64_t offset,
                     std::uintptr_t instruction = 0) {
    return {placed.what,
            placed.input,
            access,
            offset,
            static_cast<std::int64_t>(placed.buffer->contents().size()),
            instruction};
}

/// One line of /proc/self/maps: "begin-end mode offset device inode     path".
struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::string_view path;
};

Mapping mapping_of(std::string_view line) {
    constexpr int hexadecimal = 16;
    Mapping mapping;
    const char* const last = line.data() + line.size();
    const auto [dash, first] = std::from_chars(line.data(), last, mapping.begin, hexadecimal);
    if (first != std::errc{} || dash == last) return {};
    if (std::from_chars(dash + 1, last, mapping.end, hexadecimal).ec != std::errc{}) return {};
    const std::size_t slash = line.find('/');
    if (slash != std::string_view::npos) mapping.path = line.substr(slash);
    return mapping;
}

extern "C" void on_memory_fault(int number, siginfo_t* information, void* context) {
    const auto address = std::bit_cast<std::uintptr_t>(information->si_addr);
    const std::size_t count = at_hand.count.load();
    for (std::size_t k = 0; information->si_code > 0 && k < count; ++k) {
        const auto offset = at_hand.placed[k].buffer->offset_in_guard(address);
        if (!offset) continue;
        at_hand.report(
            fault_at(at_hand.placed[k], access_of(context), *offset, instruction_of(context)));
    }
    // Not ours: die of it as if there were no handler.
    if (at_hand.before_death != nullptr) at_hand.before_death(number, instruction_of(context));
    struct sigaction defaults{};
    defaults.sa_handler = SIG_DFL;
    ::sigaction(number, &defaults, nullptr);
    ::raise(number);
}

std::string_view input_name(const MemoryFault& fault, const Call& call) {
    return fault.input < call.inputs.size() ? std::string_view(call.inputs[fault.input].name)
                                            : "an input";
}

}  // namespace

void FixedText::append(std::string_view text) {
    const std::size_t size = std::min(text.size(), bytes_.size() - size_);
    std::memcpy(bytes_.data() + size_, text.data(), size);
    size_ += size;
}

void FixedText::append(std::int64_t number) {
    std::array<char, 24> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    append(std::string_view(digits.data(), static_cast<std::size_t>(written.ptr - digits.data())));
}

void FixedText::append_hexadecimal(std::uint64_t number) {
    constexpr int hexadecimal = 16;
    std::array<char, 24> digits;
    const auto written =
        std::to_chars(digits.data(), digits.data() + digits.size(), number, hexadecimal);
    append(std::string_view(digits.data(), static_cast<std::size_t>(written.ptr - digits.data())));
}

bool append_module(FixedText& text, std::uintptr_t address) {
    const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (address == 0 || file < 0) return false;
    // The mappings of a file follow one another; the first is that of its first byte.
    std::array<char, 4096> path{};
    std::size_t path_size = 0;
    std::uintptr_t base = 0;
    bool is_found = false;
    std::array<char, 4096> buffer{};
    std::size_t kept = 0;
    while (!is_found) {
        const ::ssize_t more = ::read(file, buffer.data() + kept, buffer.size() - kept);
        if (more <= 0) break;
        kept += static_cast<std::size_t>(more);
        std::string_view rest(buffer.data(), kept);
        for (std::size_t end = rest.find('\n'); end != std::string_view::npos && !is_found;
             end = rest.find('\n')) {
            const Mapping mapping = mapping_of(rest.substr(0, end));
            rest.remove_prefix(end + 1);
            if (mapping.path.empty() || mapping.path.size() > path.size()) continue;
            if (mapping.path != std::string_view(path.data(), path_size)) {
                path_size = mapping.path.copy(path.data(), path.size());
                base = mapping.begin;
            }
            is_found = address >= mapping.begin && address < mapping.end;
        }
        kept = rest.size() == buffer.size() ? 0 : rest.size();  // no line is that long
        std::memmove(buffer.data(), rest.data(), kept);
    }
    ::close(file);
    if (!is_found) return false;
    const std::string_view name(path.data(), path_size);
    text.append(name.substr(name.rfind('/') + 1));
    text.append("+0x");
    text.append_hexadecimal(address - base);
    return true;
}

void append_fault(FixedText& text, const MemoryFault& fault, std::string_view input) {
    switch (fault.access) {
        case Access::unknown:
            text.append("touched memory ");
            break;
        case Access::read:
            text.append("read ");
            break;
        case Access::write:
            text.append("wrote ");
            break;
    }
    const bool inside = fault.offset >= 0 && fault.offset < fault.size;
    text.append(inside ? "to " : fault.offset < 0 ? "before the start of " : "past the end of ");
    if (fault.buffer == MemoryFault::Buffer::output) {
        text.append("output");
    } else {
        if (fault.buffer == MemoryFault::Buffer::characters) text.append("the characters of ");
        text.append(input);
        if (inside) text.append(", which is an input");
    }
    text.append(", at byte ");
    text.append(fault.offset);
    text.append(" of its ");
    text.append(fault.size);
    text.append(" bytes");
}

std::string to_string(const MemoryFault& fault, const Call& call) {
    FixedText text;
    append_fault(text, fault, input_name(fault, call));
    FixedText module;
    if (append_module(module, fault.instruction)) {
        text.append("; by the instruction at ");
        text.append(module.view());
    }
    return std::string(text.view());
}

void report_memory_faults(void (*report)(const MemoryFault& fault),
                          void (*before_death)(int signal, std::uintptr_t instruction)) {
    at_hand.report = report;
    at_hand.before_death = before_death;
    constexpr std::size_t stack_size = std::size_t{1} << 16;
    static std::array<std::byte, stack_size> stack;
    stack_t alternate{};
    alternate.ss_sp = stack.data();
    alternate.ss_size = stack.size();
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_memory_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGSEGV, &action, nullptr);
    ::sigaction(SIGBUS, &action, nullptr);
}

GuardedCall::GuardedCall(GuardedPool& pool, const Placement& placement)
    : pool_(pool), placement_(placement) {
    at_hand.count.store(0);
}

GuardedCall::~GuardedCall() {
    at_hand.count.store(0);
    pool_.release();
}

/// An empty span with a null pointer where there is no memory.
std::span<std::byte> GuardedCall::place(MemoryFault::Buffer what, std::size_t input,
                                        std::size_t size) {
    const std::size_t count = at_hand.count.load();
    if (count == AtHand::most) return {};
    const std::size_t room = size + placement_.alignment - 1 + placement_.shift;
    if (room < size) return {};
    const bool read_only = placement_.read_only_inputs && what != MemoryFault::Buffer::output;
    GuardedBuffer* const buffer = pool_.acquire(room, read_only);
    if (buffer == nullptr) return {};
    const Flush flush = flush_of(placement_.pass);
    std::size_t gap = placement_.shift;
    if (flush == Flush::end && gap == 0) gap = (buffer->capacity() - size) % placement_.alignment;
    const auto contents = buffer->place(size, flush, canary_pattern(placement_.pass), gap);
    at_hand.placed[count] = {what, static_cast<std::uint32_t>(input), buffer};
    at_hand.count.store(count + 1);
    return contents;
}

std::span<std::byte> GuardedCall::place_copy(MemoryFault::Buffer what, std::size_t input,
                                             std::span<const std::byte> original) {
    const auto contents = place(what, input, original.size());
    if (contents.data() == nullptr) return contents;
    const std::size_t placed = at_hand.count.load() - 1;
    if (!original.empty()) {
        std::memcpy(at_hand.placed[placed].buffer->writable().data(), original.data(),
                    original.size());
    }
    originals_.push_back({placed, original});
    return contents;
}

bool GuardedCall::place_input(std::size_t input, std::span<const std::byte> contents) {
    const auto placed = place_copy(MemoryFault::Buffer::input, input, contents);
    call_.inputs[input].tensor.contents = placed.data();
    return placed.data() != nullptr;
}

bool GuardedCall::place_strings(std::size_t input, std::span<const std::byte> lengths,
                                std::span<const std::byte> characters) {
    const auto placed = place_copy(MemoryFault::Buffer::characters, input, characters);
    if (placed.data() == nullptr) return false;
    if (call_.inputs[input].name == "data") data_characters_ = placed;

    const std::size_t count = lengths.size() / sizeof(std::int64_t);
    std::vector<std::byte>& elements = string_elements_.emplace_back();
    elements.resize(count * sizeof(StringElement));
    // The characters of an element are bytes like any others.
    const char* next = static_cast<const char*>(static_cast<const void*>(placed.data()));
    for (std::size_t k = 0; k < count; ++k) {
        std::int64_t length = 0;
        std::memcpy(&length, lengths.data() + k * sizeof length, sizeof length);
        const StringElement element{next, length};
        std::memcpy(elements.data() + k * sizeof element, &element, sizeof element);
        next += length;
    }
    return place_input(input, elements);
}

std::optional<std::span<std::byte>> GuardedCall::place_output(std::size_t size) {
    constexpr std::size_t unasked = std::size_t{64} << 20;
    // It exists three times on its way to whoever asked.
    if (size > unasked && size > available_memory() / 3) return std::nullopt;
    const auto contents = place(MemoryFault::Buffer::output, 0, size);
    if (contents.data() == nullptr) return std::nullopt;
    std::memset(contents.data(), std::to_integer<int>(output_pattern(placement_.pass)),
                contents.size());
    return contents;
}

std::optional<std::string> GuardedCall::damage() const {
    const std::size_t count = at_hand.count.load();
    for (std::size_t k = 0; k < count; ++k) {
        const Placed& placed = at_hand.placed[k];
        if (const auto offset = placed.buffer->changed_slack()) {
            return to_string(fault_at(placed, Access::write, *offset), call_);
        }
    }
    for (const Original& original : originals_) {
        const Placed& placed = at_hand.placed[original.placed];
        const auto now_there = placed.buffer->contents();
        if (original.bytes.empty() ||
            std::memcmp(now_there.data(), original.bytes.data(), now_there.size()) == 0) {
            continue;
        }
        const auto differs = std::ranges::mismatch(now_there, original.bytes).in1;
        return to_string(fault_at(placed, Access::write, differs - now_there.begin()), call_);
    }
    return std::nullopt;
}

std::variant<std::vector<std::string_view>, std::string> GuardedCall::strings_of(
    std::span<const std::byte> output) const {
    return strings_in(output, data_characters_, placement_.pass);
}

std::variant<std::vector<std::string_view>, std::string> strings_in(
    std::span<const std::byte> output, std::span<const std::byte> characters, int pass) {
    const std::size_t count = output.size() / sizeof(StringElement);
    const auto first = std::bit_cast<std::uintptr_t>(characters.data());
    std::vector<std::string_view> strings;
    strings.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
        const auto bytes = output.subspan(k * sizeof(StringElement), sizeof(StringElement));
        StringElement element;
        std::memcpy(&element, bytes.data(), sizeof element);
        const auto place = std::bit_cast<std::uintptr_t>(element.bytes);
        const auto length = static_cast<std::uint64_t>(element.length);
        if (place == 0 && length == 0) {
            strings.emplace_back();
            continue;
        }
        const bool inside = place >= first && place - first <= characters.size() &&
                            length <= characters.size() - (place - first);
        if (!inside) {
            const bool untouched = std::ranges::all_of(
                bytes, [&](std::byte byte) { return byte == output_pattern(pass); });
            return "string element " + std::to_string(k) +
                   (untouched ? " was never written" : " points outside the data tensor");
        }
        strings.push_back(element.view());
    }
    return strings;
}

std::string no_room_for(const Descriptor& output) {
    const auto size = byte_size(output);
    std::string why =
        "the output is " + std::string(name(output.type)) + " " + to_string(output.shape);
    why += size ? ", " + std::to_string(*size) + " bytes, and " +
                      std::to_string(available_memory()) +
                      " bytes of memory are available here for three copies of it"
                : ", more bytes than 63 bits can count";
    return why;
}

}  // namespace gathercheck
