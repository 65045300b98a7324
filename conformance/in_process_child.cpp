// SPDX-License-Identifier: Apache-2.0
// The forked child of the in-process runner: guarded buffers, the two steps of a call, and checks
// of all memory around it.
#include "conformance/in_process_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "conformance/guarded_buffer.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {
namespace {

constexpr int guard_exit_code = 70;

/// One guarded buffer of the call at hand.
struct Placed {
    MemoryFault::Buffer what = MemoryFault::Buffer::input;
    std::uint32_t input = 0;
    const GuardedBuffer* buffer = nullptr;
};

/// What the signal handler looks at: it has no other way to learn of the call at hand.
struct AtHand {
    static constexpr std::size_t most = 128;
    std::array<Placed, most> placed;
    std::atomic<std::size_t> count{0};
    BatchState* state = nullptr;
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

MemoryFault fault_at(const Placed& placed, Access access, std::int64_t offset) {
    return {placed.what, placed.input, access, offset,
            static_cast<std::int64_t>(placed.buffer->contents().size())};
}

extern "C" void on_memory_fault(int number, siginfo_t* information, void* context) {
    const auto address = std::bit_cast<std::uintptr_t>(information->si_addr);
    const std::size_t count = at_hand.count.load();
    for (std::size_t k = 0; information->si_code > 0 && k < count; ++k) {
        const auto offset = at_hand.placed[k].buffer->offset_in_guard(address);
        if (!offset) continue;
        at_hand.state->fault = fault_at(at_hand.placed[k], access_of(context), *offset);
        at_hand.state->faulted.store(true);
        ::_exit(guard_exit_code);
    }
    // Not ours: die of it as if there were no handler.
    struct sigaction defaults {};
    defaults.sa_handler = SIG_DFL;
    ::sigaction(number, &defaults, nullptr);
    ::raise(number);
}

void install_handlers() {
    constexpr std::size_t stack_size = std::size_t{1} << 16;
    static std::array<std::byte, stack_size> stack;
    stack_t alternate{};
    alternate.ss_sp = stack.data();
    alternate.ss_size = stack.size();
    ::sigaltstack(&alternate, nullptr);

    struct sigaction defaults {};
    defaults.sa_handler = SIG_DFL;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGCHLD, SIGABRT,
                             SIGFPE, SIGILL, SIGTRAP}) {
        ::sigaction(number, &defaults, nullptr);
    }
    struct sigaction action {};
    action.sa_sigaction = on_memory_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGSEGV, &action, nullptr);
    ::sigaction(SIGBUS, &action, nullptr);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_range_of(unsigned first, unsigned last) {
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

/// Nothing that the parent has open is the implementation's business.
void take_descriptors(const Shared& shared, const FileHandle& channel, const FileHandle& errors) {
    ::dup2(errors.number(), STDOUT_FILENO);
    ::dup2(errors.number(), STDERR_FILENO);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing != STDIN_FILENO) ::dup2(nothing, STDIN_FILENO);

    std::array<int, 3> kept{channel.number(), shared.requests->descriptor(),
                            shared.answers->descriptor()};
    std::ranges::sort(kept);
    unsigned first = STDERR_FILENO + 1;
    for (const int number : kept) {
        close_range_of(first, static_cast<unsigned>(number) - 1);
        first = static_cast<unsigned>(number) + 1;
    }
    close_range_of(first, ~0U);
}

/// An implementation that ends the process must not run what the parent has registered.
void keep_exit_handlers_away() {
#ifdef __GLIBC__
    ::on_exit([](int status, void*) { ::_exit(status); }, nullptr);
#else
    std::atexit([] { ::_exit(EXIT_FAILURE); });
#endif
    std::at_quick_exit([] { ::_exit(EXIT_FAILURE); });
}

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
        .count();
}

void put_kind(Packer& packer, AnswerKind kind) { packer.put(kind); }

void put_text_answer(Packer& packer, AnswerKind kind, std::string_view text) {
    put_kind(packer, kind);
    packer.put_text(text);
}

void put_shape(Packer& packer, const Shape& shape) {
    packer.put(shape.rank());
    packer.put_bytes(std::as_bytes(shape.dims()));
}

void put_rejection(Packer& packer, const Error& error) {
    put_kind(packer, AnswerKind::rejected);
    packer.put(error.category);
    packer.put(error.phase);
    packer.put_text(error.rule);
    packer.put_text(error.detail);
}

/// Says what is wrong with a descriptor that no implementation may give; nothing where it is sound.
std::optional<std::string> fault_of(const Descriptor& descriptor) {
    const auto number = static_cast<std::size_t>(descriptor.type);
    if (number >= element_type_count) {
        return "output_descriptor gave an element type of number " + std::to_string(number);
    }
    const std::int64_t rank = descriptor.shape.rank();
    if (rank < 0 || rank > max_rank) {
        return "output_descriptor gave a rank of " + std::to_string(rank);
    }
    for (const std::int64_t dim : descriptor.shape) {
        if (dim < 0) return "output_descriptor gave a dimension of " + std::to_string(dim);
    }
    return std::nullopt;
}

/// One call with its inputs in guarded buffers.
class GuardedCall {
public:
    GuardedCall(GuardedPool& pool, Unpacker request) : pool_(pool), request_(request) {
        at_hand.count.store(0);
    }
    GuardedCall(const GuardedCall&) = delete;
    GuardedCall& operator=(const GuardedCall&) = delete;
    ~GuardedCall() {
        at_hand.count.store(0);
        pool_.release();
    }

    /// Unpacks the request. The reason where there is no memory for it.
    std::optional<std::string> unpack();

    /// A filled buffer for the output; nothing where there is none to be had.
    std::optional<std::span<std::byte>> output(std::size_t size);

    /// The first thing wrong with the memory around and inside the call's buffers.
    std::optional<std::string> damage() const;

    /// Packs an output that was written; or says why its strings cannot be read.
    void pack_output(Packer& packer, const Descriptor& descriptor,
                     std::span<const std::byte> contents) const;

    const Call& call() const { return call_; }
    bool describe() const { return describe_; }

private:
    struct Original {
        std::size_t placed = 0;  ///< position in at_hand
        std::span<const std::byte> bytes;
    };

    std::span<std::byte> place(MemoryFault::Buffer what, std::size_t input, std::size_t size);
    bool place_copy(MemoryFault::Buffer what, std::size_t input,
                    std::span<const std::byte> original);
    bool unpack_strings(std::size_t input, TensorView& tensor);
    void unpack_attributes();
    bool unpack_input(std::size_t k);
    void pack_strings(Packer& packer, const Descriptor& descriptor,
                      std::span<const std::byte> contents) const;

    GuardedPool& pool_;
    Unpacker request_;
    Call call_;
    bool describe_ = false;
    int pass_ = 0;
    std::vector<Original> originals_;
    std::vector<std::vector<std::byte>> string_elements_;
    std::span<const std::byte> data_characters_;
};

/// An empty span with a null pointer where there is no memory.
std::span<std::byte> GuardedCall::place(MemoryFault::Buffer what, std::size_t input,
                                        std::size_t size) {
    const std::size_t count = at_hand.count.load();
    if (count == AtHand::most) return {};
    GuardedBuffer* const buffer = pool_.acquire(size);
    if (buffer == nullptr) return {};
    const auto contents = buffer->place(size, flush_of(pass_), canary_pattern(pass_));
    at_hand.placed[count] = {what, static_cast<std::uint32_t>(input), buffer};
    at_hand.count.store(count + 1);
    return contents;
}

bool GuardedCall::place_copy(MemoryFault::Buffer what, std::size_t input,
                             std::span<const std::byte> original) {
    const auto contents = place(what, input, original.size());
    if (contents.data() == nullptr) return false;
    if (!original.empty()) std::memcpy(contents.data(), original.data(), original.size());
    originals_.push_back({at_hand.count.load() - 1, original});
    return true;
}

bool GuardedCall::unpack_strings(std::size_t input, TensorView& tensor) {
    const auto count = request_.get<std::uint64_t>();
    const auto lengths = request_.get_bytes(count * sizeof(std::int64_t));
    const auto size = request_.get<std::uint64_t>();
    if (!place_copy(MemoryFault::Buffer::characters, input, request_.get_bytes(size))) return false;
    const auto characters = at_hand.placed[at_hand.count.load() - 1].buffer->contents();
    if (call_.inputs[input].name == "data") data_characters_ = characters;

    std::vector<std::byte>& elements = string_elements_.emplace_back();
    elements.resize(static_cast<std::size_t>(count) * sizeof(StringElement));
    // The characters of an element are bytes like any others.
    const char* next = static_cast<const char*>(static_cast<const void*>(characters.data()));
    for (std::size_t k = 0; k < count; ++k) {
        std::int64_t length = 0;
        std::memcpy(&length, lengths.data() + k * sizeof length, sizeof length);
        const StringElement element{next, length};
        std::memcpy(elements.data() + k * sizeof element, &element, sizeof element);
        next += length;
    }
    if (!place_copy(MemoryFault::Buffer::input, input, elements)) return false;
    tensor.contents = at_hand.placed[at_hand.count.load() - 1].buffer->contents().data();
    return true;
}

void GuardedCall::unpack_attributes() {
    const auto count = request_.get<std::uint32_t>();
    call_.attributes.reserve(count);
    for (std::uint32_t k = 0; k < count; ++k) {
        Attribute attribute;
        attribute.name = request_.get_text();
        switch (request_.get<std::uint8_t>()) {
            case 0:
                attribute.value = request_.get<std::int64_t>();
                break;
            case 1:
                attribute.value = request_.get<double>();
                break;
            case 2:
                attribute.value = request_.get<bool>();
                break;
            case 3:
                attribute.value = request_.get_text();
                break;
            case 4: {
                std::vector<std::int64_t> list(
                    static_cast<std::size_t>(request_.get<std::uint64_t>()));
                for (std::int64_t& entry : list) entry = request_.get<std::int64_t>();
                attribute.value = std::move(list);
                break;
            }
            default:
                attribute.value = OtherValue{request_.get_text()};
                break;
        }
        call_.attributes.push_back(std::move(attribute));
    }
}

bool GuardedCall::unpack_input(std::size_t k) {
    Input& input = call_.inputs[k];
    input.name = request_.get_text();
    input.tensor.type = request_.get<ElementType>();
    const auto rank = request_.get<std::int64_t>();
    for (std::int64_t d = 0; d < rank; ++d) {
        input.tensor.shape.push_back(request_.get<std::int64_t>());
    }
    if (!request_.get<bool>()) return true;
    if (input.tensor.type == ElementType::string) return unpack_strings(k, input.tensor);
    const auto size = request_.get<std::uint64_t>();
    if (!place_copy(MemoryFault::Buffer::input, k, request_.get_bytes(size))) return false;
    input.tensor.contents = at_hand.placed[at_hand.count.load() - 1].buffer->contents().data();
    return true;
}

std::optional<std::string> GuardedCall::unpack() {
    call_.version = request_.get<OperatorVersion>();
    describe_ = request_.get<bool>();
    pass_ = request_.get<std::uint8_t>();
    unpack_attributes();
    call_.inputs.resize(request_.get<std::uint32_t>());
    for (std::size_t k = 0; k < call_.inputs.size(); ++k) {
        if (unpack_input(k)) continue;
        return "no guarded memory is to be had here for input " + std::to_string(k) + ", " +
               call_.inputs[k].name;
    }
    return std::nullopt;
}

std::optional<std::span<std::byte>> GuardedCall::output(std::size_t size) {
    constexpr std::size_t unasked = std::size_t{64} << 20;
    // It exists three times on its way to the parent.
    if (size > unasked && size > available_memory() / 3) return std::nullopt;
    const auto contents = place(MemoryFault::Buffer::output, 0, size);
    if (contents.data() == nullptr) return std::nullopt;
    std::memset(contents.data(), std::to_integer<int>(output_pattern(pass_)), contents.size());
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

void GuardedCall::pack_strings(Packer& packer, const Descriptor& descriptor,
                               std::span<const std::byte> contents) const {
    const std::size_t count = contents.size() / sizeof(StringElement);
    const auto first = std::bit_cast<std::uintptr_t>(data_characters_.data());
    std::vector<std::string_view> strings;
    strings.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
        const auto bytes = contents.subspan(k * sizeof(StringElement), sizeof(StringElement));
        StringElement element;
        std::memcpy(&element, bytes.data(), sizeof element);
        const auto place = std::bit_cast<std::uintptr_t>(element.bytes);
        const auto length = static_cast<std::uint64_t>(element.length);
        if (place == 0 && length == 0) {
            strings.emplace_back();
            continue;
        }
        const bool inside = place >= first && place - first <= data_characters_.size() &&
                            length <= data_characters_.size() - (place - first);
        if (!inside) {
            const bool untouched = std::ranges::all_of(
                bytes, [&](std::byte byte) { return byte == output_pattern(pass_); });
            put_text_answer(
                packer, AnswerKind::unsafe_memory,
                "string element " + std::to_string(k) +
                    (untouched ? " was never written" : " points outside the data tensor"));
            return;
        }
        strings.push_back(element.view());
    }
    put_kind(packer, AnswerKind::value);
    packer.put(descriptor.type);
    put_shape(packer, descriptor.shape);
    for (const std::string_view text : strings) packer.put_text(text);
}

void GuardedCall::pack_output(Packer& packer, const Descriptor& descriptor,
                              std::span<const std::byte> contents) const {
    if (descriptor.type == ElementType::string) {
        pack_strings(packer, descriptor, contents);
        return;
    }
    put_kind(packer, AnswerKind::value);
    packer.put(descriptor.type);
    put_shape(packer, descriptor.shape);
    packer.put<std::uint64_t>(contents.size());
    packer.put_bytes(contents);
}

/// Runs both steps and packs what came of them; the caller checks the memory around.
void ask(const BuiltIn& built_in, GuardedCall& guarded, Packer& packer) {
    const Call& call = guarded.call();
    const Result<Descriptor> described = built_in.output_descriptor(call);
    if (!described) return put_rejection(packer, described.error());
    if (auto fault = fault_of(*described)) {
        return put_text_answer(packer, AnswerKind::broken, *fault);
    }
    if (guarded.describe()) {
        put_kind(packer, AnswerKind::descriptor);
        packer.put(described->type);
        return put_shape(packer, described->shape);
    }
    const auto size = byte_size(*described);
    const auto output = size ? guarded.output(static_cast<std::size_t>(*size)) : std::nullopt;
    if (!output) {
        std::string why = "the output is " + std::string(name(described->type)) + " " +
                          to_string(described->shape);
        why += size ? ", " + std::to_string(*size) + " bytes, and " +
                          std::to_string(available_memory()) +
                          " bytes of memory are available here for three copies of it"
                    : ", more bytes than 63 bits can count";
        return put_text_answer(packer, AnswerKind::unsupported, why);
    }
    const Result<void> ran = built_in.run(call, *output);
    if (!ran) return put_rejection(packer, ran.error());
    guarded.pack_output(packer, *described, *output);
}

void answer(const BuiltIn& built_in, GuardedPool& pool, Unpacker request, Packer& packer) {
    const std::size_t start = packer.position();
    GuardedCall guarded(pool, request);
    if (auto why = guarded.unpack()) {
        put_text_answer(packer, AnswerKind::unsupported, *why);
        return;
    }
    try {
        ask(built_in, guarded, packer);
    } catch (const std::exception& error) {
        packer.rewind(start);
        put_text_answer(packer, AnswerKind::crash,
                        std::string("threw an exception: ") + error.what());
    } catch (...) {
        packer.rewind(start);
        put_text_answer(packer, AnswerKind::crash, "threw something that is no std::exception");
    }
    if (const auto damage = guarded.damage()) {
        packer.rewind(start);
        put_text_answer(packer, AnswerKind::unsafe_memory, *damage);
    }
    if (!packer.ok()) {
        packer.rewind(start);
        put_text_answer(packer, AnswerKind::unsupported,
                        "no memory is to be had here to hand the output over");
    }
}

/// Tells the parent that there is something to read.
void notify(const FileHandle& channel) {
    const char byte = 0;
    while (::send(channel.number(), &byte, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

void answer_batch(const BuiltIn& built_in, Shared& shared, GuardedPool& pool,
                  const FileHandle& channel, unsigned longest_seconds) {
    constexpr std::int64_t silence = 20'000'000;  // nanoseconds
    constexpr std::size_t kept = std::size_t{64} << 20;
    if (!shared.requests->follow()) ::_exit(EXIT_FAILURE);
    if (shared.answers->bytes().size() > kept) shared.answers->shrink(kept / 16);
    Unpacker requests(shared.requests->bytes());
    Packer packer(*shared.answers);
    const auto count = requests.get<std::uint64_t>();
    std::int64_t notified = now();
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto size = requests.get<std::uint64_t>();
        const Unpacker request(requests.get_bytes(size));
        const std::int64_t began = now();
        if (began - notified > silence) {
            notify(channel);
            notified = began;
        }
        shared.state->began_at.store(began);
        shared.state->begun.store(k + 1);
        // Should the parent be gone, nobody else ends a call that hangs.
        ::alarm(longest_seconds);
        const std::size_t start = packer.position();
        packer.put<std::uint64_t>(0);
        answer(built_in, pool, request, packer);
        packer.put_at<std::uint64_t>(start, packer.position() - start - sizeof(std::uint64_t));
        shared.state->answered.store(k + 1);
    }
    ::alarm(0);
    notify(channel);
}

struct PackAttribute {
    Packer& packer;

    void operator()(std::int64_t value) const { packer.put(value); }
    void operator()(double value) const { packer.put(value); }
    void operator()(bool value) const { packer.put(value); }
    void operator()(const std::string& value) const { packer.put_text(value); }
    void operator()(const std::vector<std::int64_t>& value) const {
        packer.put<std::uint64_t>(value.size());
        packer.put_bytes(std::as_bytes(std::span(value)));
    }
    void operator()(const OtherValue& value) const { packer.put_text(value.json); }
};

void pack_strings(Packer& packer, const TensorView& tensor, std::uint64_t size) {
    const std::uint64_t count = size / sizeof(StringElement);
    const auto element = [&](std::uint64_t k) {
        StringElement result;
        std::memcpy(&result, tensor.contents + k * sizeof result, sizeof result);
        return result;
    };
    std::uint64_t characters = 0;
    packer.put(count);
    for (std::uint64_t k = 0; k < count; ++k) {
        packer.put(element(k).length);
        characters += static_cast<std::uint64_t>(element(k).length);
    }
    packer.put(characters);
    for (std::uint64_t k = 0; k < count; ++k) {
        packer.put_bytes(std::as_bytes(std::span(element(k).view())));
    }
}

}  // namespace

std::string to_string(const MemoryFault& fault, const Call& call) {
    std::string name = "output";
    if (fault.buffer != MemoryFault::Buffer::output) {
        name = fault.input < call.inputs.size() ? call.inputs[fault.input].name : "an input";
        if (fault.buffer == MemoryFault::Buffer::characters) name = "the characters of " + name;
    }
    std::string text;
    switch (fault.access) {
        case Access::unknown:
            text = "touched memory ";
            break;
        case Access::read:
            text = "read ";
            break;
        case Access::write:
            text = "wrote ";
            break;
    }
    if (fault.offset < 0) {
        text += "before the start of ";
    } else if (fault.offset >= fault.size) {
        text += "past the end of ";
    } else {
        text += "to ";
        if (fault.buffer != MemoryFault::Buffer::output) name += ", which is an input";
    }
    return text + name + ", at byte " + std::to_string(fault.offset) + " of its " +
           std::to_string(fault.size) + " bytes";
}

void pack_request(Packer& packer, const Request& request) {
    const Call& call = *request.call;
    packer.put(call.version);
    packer.put(request.describe);
    packer.put(static_cast<std::uint8_t>(request.pass == 0 ? 0 : 1));
    packer.put(static_cast<std::uint32_t>(call.attributes.size()));
    for (const Attribute& attribute : call.attributes) {
        packer.put_text(attribute.name);
        packer.put(static_cast<std::uint8_t>(attribute.value.index()));
        std::visit(PackAttribute{packer}, attribute.value);
    }
    packer.put(static_cast<std::uint32_t>(call.inputs.size()));
    for (const Input& input : call.inputs) {
        const TensorView& tensor = input.tensor;
        packer.put_text(input.name);
        packer.put(tensor.type);
        put_shape(packer, tensor.shape);
        const auto size = byte_size({tensor.type, tensor.shape});
        // Without elements there is nothing to point at, unless the call is described.
        const bool has_contents =
            size && (tensor.contents != nullptr || (*size == 0 && !request.describe));
        packer.put(has_contents);
        if (!has_contents) continue;
        const auto bytes = static_cast<std::uint64_t>(*size);
        if (tensor.type == ElementType::string) {
            pack_strings(packer, tensor, bytes);
            continue;
        }
        packer.put(bytes);
        packer.put_bytes({tensor.contents, static_cast<std::size_t>(bytes)});
    }
}

void serve_batches(const BuiltIn& built_in, Shared& shared, const FileHandle& channel,
                   const FileHandle& errors, double seconds_per_call) {
    ::setpgid(0, 0);
    keep_exit_handlers_away();
    take_descriptors(shared, channel, errors);
    install_handlers();
    shared.requests->make_read_only();
    at_hand.state = shared.state;
    const auto longest = static_cast<unsigned>(std::clamp(std::ceil(seconds_per_call), 0.0, 1e8));
    GuardedPool pool;
    for (;;) {
        char byte = 0;
        const ssize_t count = ::recv(channel.number(), &byte, 1, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) ::_exit(EXIT_SUCCESS);
        answer_batch(built_in, shared, pool, channel, longest + 10);
    }
}

}  // namespace gathercheck
