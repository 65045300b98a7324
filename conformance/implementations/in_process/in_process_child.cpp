// SPDX-License-Identifier: Apache-2.0
// The forked child of the in-process runner: guarded buffers, the two steps of a call, and checks
// of all memory around it.
#include "conformance/implementations/in_process/in_process_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
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

#include "conformance/implementations/in_process/guarded_call.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {
namespace {

constexpr int guard_exit_code = 70;

BatchState* state_of_batch = nullptr;

void keep_fault(const MemoryFault& fault) {
    state_of_batch->fault = fault;
    state_of_batch->faulted.store(true);
    ::_exit(guard_exit_code);
}

void install_handlers() {
    struct sigaction defaults{};
    defaults.sa_handler = SIG_DFL;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGCHLD, SIGABRT,
                             SIGFPE, SIGILL, SIGTRAP}) {
        ::sigaction(number, &defaults, nullptr);
    }
    report_memory_faults(keep_fault);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
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
        close_descriptors(first, static_cast<unsigned>(number) - 1);
        first = static_cast<unsigned>(number) + 1;
    }
    close_descriptors(first, ~0U);
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

/// Packs answers, and remembers of which kind the last one is.
class AnswerPacker : public Packer {
public:
    using Packer::Packer;

    AnswerKind kind = AnswerKind::value;
};

void put_kind(AnswerPacker& packer, AnswerKind kind) {
    packer.kind = kind;
    packer.put(kind);
}

void put_text_answer(AnswerPacker& packer, AnswerKind kind, std::string_view text) {
    put_kind(packer, kind);
    packer.put_text(text);
}

void put_shape(Packer& packer, const Shape& shape) {
    packer.put(shape.rank());
    packer.put_bytes(std::as_bytes(shape.dims()));
}

void put_rejection(AnswerPacker& packer, const Error& error) {
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

/// Fills a guarded call from a packed one.
class RequestReader {
public:
    RequestReader(GuardedCall& guarded, Unpacker& request)
        : guarded_(guarded), call_(guarded.call()), request_(request) {}

    /// The reason where there is no memory for it.
    std::optional<std::string> read();

private:
    void read_attributes();
    bool read_input(std::size_t k);

    GuardedCall& guarded_;
    Call& call_;
    Unpacker& request_;
};

void RequestReader::read_attributes() {
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

bool RequestReader::read_input(std::size_t k) {
    Input& input = call_.inputs[k];
    input.name = request_.get_text();
    input.tensor.type = request_.get<ElementType>();
    const auto rank = request_.get<std::int64_t>();
    for (std::int64_t d = 0; d < rank; ++d) {
        input.tensor.shape.push_back(request_.get<std::int64_t>());
    }
    if (!request_.get<bool>()) return true;
    if (input.tensor.type == ElementType::string) {
        const auto count = request_.get<std::uint64_t>();
        const auto lengths = request_.get_bytes(count * sizeof(std::int64_t));
        const auto size = request_.get<std::uint64_t>();
        return guarded_.place_strings(k, lengths, request_.get_bytes(size));
    }
    const auto size = request_.get<std::uint64_t>();
    return guarded_.place_input(k, request_.get_bytes(size));
}

std::optional<std::string> RequestReader::read() {
    call_.version = request_.get<OperatorVersion>();
    read_attributes();
    call_.inputs.resize(request_.get<std::uint32_t>());
    for (std::size_t k = 0; k < call_.inputs.size(); ++k) {
        if (read_input(k)) continue;
        return "no guarded memory is to be had here for input " + std::to_string(k) + ", " +
               call_.inputs[k].name;
    }
    return std::nullopt;
}

/// Packs an output that was written; or says why its strings cannot be read.
void put_output(AnswerPacker& packer, const GuardedCall& guarded, const Descriptor& descriptor,
                std::span<const std::byte> contents) {
    std::vector<std::string_view> strings;
    if (descriptor.type == ElementType::string) {
        auto read = guarded.strings_of(contents);
        if (const auto* why = std::get_if<std::string>(&read)) {
            return put_text_answer(packer, AnswerKind::unsafe_memory, *why);
        }
        strings = std::get<0>(std::move(read));
    }
    put_kind(packer, AnswerKind::value);
    packer.put(descriptor.type);
    put_shape(packer, descriptor.shape);
    if (descriptor.type == ElementType::string) {
        for (const std::string_view text : strings) packer.put_text(text);
        return;
    }
    packer.put<std::uint64_t>(contents.size());
    packer.put_bytes(contents);
}

/// Runs both steps and packs what came of them; the caller checks the memory around.
void ask(const BuiltIn& built_in, GuardedCall& guarded, bool describe, AnswerPacker& packer) {
    const Call& call = guarded.call();
    const Result<Descriptor> described = built_in.output_descriptor(call);
    if (!described) return put_rejection(packer, described.error());
    if (auto fault = fault_of(*described)) {
        return put_text_answer(packer, AnswerKind::broken, *fault);
    }
    if (describe) {
        put_kind(packer, AnswerKind::descriptor);
        packer.put(described->type);
        return put_shape(packer, described->shape);
    }
    const auto size = byte_size(*described);
    const auto output = size ? guarded.place_output(static_cast<std::size_t>(*size)) : std::nullopt;
    if (!output) {
        return put_text_answer(packer, AnswerKind::unsupported, no_room_for(*described));
    }
    const Result<void> ran = built_in.run(call, *output);
    if (!ran) return put_rejection(packer, ran.error());
    put_output(packer, guarded, *described, *output);
}

/// Answers one call, the next of the request. False where it could not be read to its end.
bool answer_call(const BuiltIn& built_in, GuardedPool& pool, const Placement& placement,
                 bool describe, Unpacker& request, AnswerPacker& packer) {
    const std::size_t start = packer.position();
    GuardedCall guarded(pool, placement);
    if (auto why = RequestReader(guarded, request).read()) {
        put_text_answer(packer, AnswerKind::unsupported, *why);
        return false;
    }
    try {
        ask(built_in, guarded, describe, packer);
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
    return true;
}

/// True where what comes after it in a sequence is not asked.
bool ends_sequence(AnswerKind kind) {
    return kind == AnswerKind::unsafe_memory || kind == AnswerKind::crash ||
           kind == AnswerKind::broken;
}

void answer(const BuiltIn& built_in, GuardedPool& pool, BatchState& state, unsigned longest_seconds,
            Unpacker request, AnswerPacker& packer) {
    const std::size_t start = packer.position();
    const auto earlier = request.get<std::uint32_t>();
    const auto describe = request.get<bool>();
    Placement placement;
    placement.pass = request.get<std::uint8_t>();
    if (built_in.new_model) built_in.new_model(std::size_t{earlier} + 1);
    for (std::uint32_t done = 0;; ++done) {
        const std::int64_t began = now();
        state.earlier.store(done);
        state.began_at.store(began);
        // Should the parent be gone, nobody else ends a call that hangs.
        ::alarm(longest_seconds);
        packer.put(done);
        const std::size_t took = packer.position();
        packer.put<std::int64_t>(0);
        const bool read = answer_call(built_in, pool, placement, describe, request, packer);
        packer.put_at<std::int64_t>(took, now() - began);
        if (!read || done == earlier || ends_sequence(packer.kind)) return;
        packer.rewind(start);
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
    AnswerPacker packer(*shared.answers);
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
        shared.state->earlier.store(0);
        shared.state->began_at.store(began);
        shared.state->begun.store(k + 1);
        const std::size_t start = packer.position();
        packer.put<std::uint64_t>(0);
        answer(built_in, pool, *shared.state, longest_seconds, request, packer);
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

void pack_call(Packer& packer, const Call& call, bool describe) {
    packer.put(call.version);
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
        const bool has_contents = size && (tensor.contents != nullptr || (*size == 0 && !describe));
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

}  // namespace

void pack_request(Packer& packer, const Request& request) {
    packer.put(static_cast<std::uint32_t>(request.before.size()));
    packer.put(request.describe);
    packer.put(static_cast<std::uint8_t>(request.pass == 0 ? 0 : 1));
    for (const EarlierCall& each : request.before) pack_call(packer, *each.call, request.describe);
    pack_call(packer, *request.call, request.describe);
}

void serve_batches(const BuiltIn& built_in, Shared& shared, const FileHandle& channel,
                   const FileHandle& errors, double seconds_per_call) {
    keep_exit_handlers_away();
    take_descriptors(shared, channel, errors);
    install_handlers();
    shared.requests->make_read_only();
    state_of_batch = shared.state;
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
