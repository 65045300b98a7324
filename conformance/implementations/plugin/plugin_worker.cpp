// SPDX-License-Identifier: Apache-2.0
// Loads a plug-in, keeps it away from the protocol, and runs its calls on guarded buffers.
#include "conformance/implementations/plugin/plugin_worker.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/in_process/guarded_call.hpp"
#include "conformance/implementations/worker/worker_messages.hpp"
#include "conformance/implementations/worker/worker_streams.hpp"
#include "conformance/plugin.h"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

constexpr int exit_unavailable = 3;
constexpr int exit_bad_input = 4;
constexpr int exit_after_fault = 70;
constexpr std::int64_t highest_alignment = 4096;

/// What the struct had from the start; members behind are zero where a plug-in has none.
constexpr std::size_t size_of_first =
    offsetof(gathercheck_implementation, message) + sizeof(gathercheck_implementation::message);

// The numbers of the interface are those of the table of element types.
static_assert(GATHERCHECK_BOOLEAN == static_cast<int>(ElementType::boolean));
static_assert(GATHERCHECK_U64 == static_cast<int>(ElementType::u64));
static_assert(GATHERCHECK_I64 == static_cast<int>(ElementType::i64));
static_assert(GATHERCHECK_F64 == static_cast<int>(ElementType::f64));
static_assert(GATHERCHECK_F8E8M0 == static_cast<int>(ElementType::f8e8m0));
static_assert(GATHERCHECK_NF4 == static_cast<int>(ElementType::nf4));
static_assert(GATHERCHECK_STRING == static_cast<int>(ElementType::string));
static_assert(GATHERCHECK_STRING + 1 == element_type_count);
static_assert(sizeof(gathercheck_string) == sizeof(StringElement));
static_assert(std::size(decltype(gathercheck_descriptor::shape){}) == max_rank);

/// The standard streams, taken away from the plug-in: it reads nothing, and what it prints goes to
/// standard error.
struct Channel {
    FileHandle in;
    FileHandle out;
};

std::optional<Channel> take_standard_streams() {
    std::fflush(stdout);
    Channel channel;
    channel.in = FileHandle(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    channel.out = FileHandle(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    const FileHandle nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!channel.in || !channel.out || ::dup2(nothing.number(), STDIN_FILENO) < 0 ||
        ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return std::nullopt;
    }
    return channel;
}

/// What the handler of memory faults needs for its answer; it cannot ask for memory.
struct AnswerAtHand {
    int out = -1;
    FixedText start;                 ///< up to the text of the answer
    std::vector<std::string> names;  ///< of the inputs, as they stand in JSON
    bool shifted = false;
    std::atomic_flag given = ATOMIC_FLAG_INIT;
};
AnswerAtHand answer_at_hand;

constexpr std::string_view at_odd_addresses = "; its tensors began at odd addresses";

void answer_fault(const MemoryFault& fault) {
    // Another thread of the plug-in may have come here first, and ends the process.
    while (answer_at_hand.given.test_and_set()) ::pause();
    FixedText text = answer_at_hand.start;
    const auto& names = answer_at_hand.names;
    append_fault(text, fault,
                 fault.input < names.size() ? std::string_view(names[fault.input]) : "an input");
    if (answer_at_hand.shifted) text.append(at_odd_addresses);
    text.append("\"}\n");
    write_all(answer_at_hand.out, text.view());
    ::_exit(exit_after_fault);
}

void explain_other_fault() {
    if (!answer_at_hand.shifted) return;
    write_all(STDERR_FILENO,
              "gathercheck: the tensors begin at odd addresses here, since the plug-in says that "
              "its alignment is 1\n");
}

/// What a plug-in is at before its first answer, for who asks why there is none.
struct Loading {
    std::string file;
    std::atomic<const char*> step = nullptr;  ///< no: it is loaded, or there is none
};
Loading loading;

/// Says on standard error what became of that. Safe in a signal handler.
void explain_loading(std::string_view what, std::string_view more) {
    const char* const step = loading.step.exchange(nullptr);
    if (step == nullptr) return;
    for (const std::string_view part :
         {std::string_view("gathercheck: the plug-in "), std::string_view(loading.file),
          std::string_view(": "), std::string_view(step), what, more, std::string_view("\n")}) {
        write_all(STDERR_FILENO, part);
    }
}

/// The runner has waited long enough.
void explain_delay(int) {
    explain_loading(" did not return", "");
    ::_exit(exit_bad_input);
}

/// The default comes next: a fault is met again, and abort insists.
void explain_signal(int number) {
    explain_loading(" ended the process by ", number == SIGABRT  ? "SIGABRT"
                                              : number == SIGBUS ? "SIGBUS"
                                              : number == SIGFPE ? "SIGFPE"
                                              : number == SIGILL ? "SIGILL"
                                                                 : "SIGSEGV");
}

/// While it lives, an end of the process, and a wish of the runner's for one, are explained.
class ExplainedLoading {
public:
    explicit ExplainedLoading(const std::string& file) {
        loading.file = file;
#ifdef __GLIBC__
        // With code 3 the plug-in has said itself why it cannot be used here.
        ::on_exit(
            [](int status, void*) {
                if (status != exit_unavailable) explain_loading(" ended the process by exit", "");
            },
            nullptr);
#endif
        handle(SIGTERM, explain_delay);
        for (const int number : faults) handle(number, explain_signal);
    }
    ~ExplainedLoading() {
        loading.step = nullptr;
        for (const int number : faults) ::signal(number, SIG_DFL);
        ::signal(SIGTERM, SIG_DFL);
    }
    ExplainedLoading(const ExplainedLoading&) = delete;
    ExplainedLoading& operator=(const ExplainedLoading&) = delete;

private:
    static constexpr std::array<int, 5> faults{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

    static void handle(int number, void (*handler)(int)) {
        struct sigaction action{};
        action.sa_handler = handler;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(number, &action, nullptr);
    }
};

/// A plug-in's own functions run behind this: an exception that comes out ends the process, with
/// its text on standard error.
template <class Function, class... Arguments>
auto call_plugin(Function function, Arguments... arguments) noexcept {
    return function(arguments...);
}

std::string_view text_or(const char* text, std::string_view fallback) {
    return text == nullptr ? fallback : std::string_view(text);
}

/// A call as the plug-in sees it. What it points at are the tensors of a guarded call.
class PluginCall {
public:
    PluginCall(const CallAsked& asked, const Call& call) {
        for (const Attribute& attribute : call.attributes) add(attribute);
        for (const Input& input : call.inputs) add(input, is_constant(asked.route, input.name));
        call_.operator_version = asked.operator_version.c_str();
        call_.attributes = attributes_.data();
        call_.attribute_count = static_cast<std::int64_t>(attributes_.size());
        call_.inputs = inputs_.data();
        call_.input_count = static_cast<std::int64_t>(inputs_.size());
        call_.dynamic_shapes = asked.route.shapes == Shapes::dynamic ? 1 : 0;
        at_build_ = inputs_;
        for (gathercheck_tensor& tensor : at_build_) {
            if (tensor.constant != 0) continue;
            tensor.contents = nullptr;
            tensor.bytes = 0;
            if (call_.dynamic_shapes != 0) tensor.shape = unknown_shape.data();
        }
        build_call_ = call_;
        build_call_.inputs = at_build_.data();
    }
    PluginCall(const PluginCall&) = delete;
    PluginCall& operator=(const PluginCall&) = delete;

    const gathercheck_call* at_build() const { return &build_call_; }
    const gathercheck_call* at_run() const { return &call_; }

private:
    static constexpr auto unknown_shape = [] {
        std::array<std::int64_t, static_cast<std::size_t>(max_rank)> dims{};
        dims.fill(-1);
        return dims;
    }();

    static bool is_constant(const Route& route, std::string_view input) {
        if (input == "axis") return route.axis == AxisOperand::constant;
        if (input == "indices") return route.operands != Operands::runtime;
        return route.operands == Operands::folded;
    }

    void add(const Attribute& attribute) {
        gathercheck_attribute& added = attributes_.emplace_back();
        added.name = attribute.name.c_str();
        added.kind = static_cast<std::int64_t>(attribute.value.index());
        std::visit(Fill{added}, attribute.value);
    }

    struct Fill {
        gathercheck_attribute& added;

        void operator()(std::int64_t value) const { added.integer = value; }
        void operator()(double value) const { added.decimal = value; }
        void operator()(bool value) const { added.integer = value ? 1 : 0; }
        void operator()(const std::string& value) const { set_text(value); }
        void operator()(const std::vector<std::int64_t>& value) const {
            added.integers = value.data();
            added.count = static_cast<std::int64_t>(value.size());
        }
        void operator()(const OtherValue& value) const { set_text(value.json); }
        void set_text(const std::string& text) const {
            added.text = {text.data(), static_cast<std::int64_t>(text.size())};
        }
    };

    void add(const Input& input, bool constant) {
        gathercheck_tensor& added = inputs_.emplace_back();
        added.name = input.name.c_str();
        added.type = static_cast<std::int64_t>(input.tensor.type);
        added.rank = input.tensor.shape.rank();
        added.shape = input.tensor.shape.begin();
        added.contents = input.tensor.contents;
        if (added.contents != nullptr) {
            added.bytes = byte_size({input.tensor.type, input.tensor.shape}).value_or(0);
        }
        added.constant = constant ? 1 : 0;
    }

    std::vector<gathercheck_attribute> attributes_;
    std::vector<gathercheck_tensor> inputs_;
    std::vector<gathercheck_tensor> at_build_;
    gathercheck_call call_{};
    gathercheck_call build_call_{};
};
static_assert(std::variant_size_v<AttributeValue> == GATHERCHECK_OTHER + 1);
static_assert(std::is_same_v<std::variant_alternative_t<GATHERCHECK_INTEGERS, AttributeValue>,
                             std::vector<std::int64_t>>);

/// Type and shape as a plug-in gives them; or what is wrong with them.
std::variant<Descriptor, std::string> read_plugin_shape(std::int64_t type, std::int64_t rank,
                                                        const std::int64_t* shape) {
    if (type < 0 || type >= static_cast<std::int64_t>(element_type_count)) {
        return "an element type of number " + std::to_string(type);
    }
    if (rank < 0 || rank > max_rank) return "a rank of " + std::to_string(rank);
    if (rank > 0 && shape == nullptr) return "no shape";
    Descriptor result;
    result.type = static_cast<ElementType>(type);
    for (std::int64_t k = 0; k < rank; ++k) {
        if (shape[k] < 0) return "a dimension of " + std::to_string(shape[k]);
        result.shape.push_back(shape[k]);
    }
    return result;
}

/// The output of one run: the buffer made ready for it, or one that the plug-in asks for.
class PluginOutput : public gathercheck_output {
public:
    explicit PluginOutput(GuardedCall& guarded) : gathercheck_output{}, guarded_(guarded) {
        gathercheck_output::allocate = [](gathercheck_output* self, std::int64_t type,
                                          std::int64_t rank, const std::int64_t* shape) {
            return static_cast<PluginOutput*>(self)->make_asked(type, rank, shape);
        };
    }

    /// Makes the buffer that the plug-in is given. False where there is no memory for it.
    bool make(const Descriptor& descriptor) {
        const auto size = byte_size(descriptor);
        const auto placed =
            size ? guarded_.place_output(static_cast<std::size_t>(*size)) : std::nullopt;
        if (!placed) {
            no_room_ = no_room_for(descriptor);
            return false;
        }
        descriptor_ = descriptor;
        bytes_ = *placed;
        contents = bytes_.data();
        bytes = static_cast<std::int64_t>(bytes_.size());
        return true;
    }

    const std::optional<Descriptor>& descriptor() const { return descriptor_; }
    std::span<const std::byte> written() const { return bytes_; }
    const std::string& no_room() const { return no_room_; }
    const std::string& fault() const { return fault_; }

private:
    void* make_asked(std::int64_t type, std::int64_t rank, const std::int64_t* shape) {
        if (asked_) {
            fault_ = "allocate was called twice";
            return nullptr;
        }
        asked_ = true;
        const auto descriptor = read_plugin_shape(type, rank, shape);
        if (const auto* why = std::get_if<std::string>(&descriptor)) {
            fault_ = "allocate was given " + *why;
            return nullptr;
        }
        return make(std::get<Descriptor>(descriptor)) ? contents : nullptr;
    }

    GuardedCall& guarded_;
    std::optional<Descriptor> descriptor_;
    std::span<std::byte> bytes_;
    std::string no_room_;
    std::string fault_;
    bool asked_ = false;
};

/// A loaded plug-in.
class Plugin {
public:
    /// The text is why the file is none.
    static std::variant<Plugin, std::string> load(const std::string& file);

    WorkerHello hello() const;

    /// The answer to a call, with the checks of all memory around it.
    std::string answer(const CallAsked& asked);

private:
    explicit Plugin(const gathercheck_implementation& implementation)
        : implementation_(implementation) {}

    struct Answer {
        std::string line;
        bool unsafe = false;  ///< memory around the call was damaged
    };

    Answer answer_placed(const CallAsked& asked, const Placement& placement);
    std::string ask(const CallAsked& asked, GuardedCall& guarded) const;
    std::string ask_prepared(const CallAsked& asked, GuardedCall& guarded, const PluginCall& call,
                             void* handle) const;
    std::string failed(const CallAsked& asked, std::string_view function, int status, void* handle,
                       const gathercheck_error& error) const;

    gathercheck_implementation implementation_{};
    GuardedPool pool_;
};

std::optional<std::string> fault_of(const gathercheck_implementation& implementation) {
    if (text_or(implementation.name, "").empty()) return "its name is missing";
    if (implementation.prepare == nullptr) return "its function prepare is missing";
    if (implementation.run == nullptr) return "its function run is missing";
    if (implementation.claim_count < 0 ||
        (implementation.claim_count > 0 && implementation.claims == nullptr)) {
        return "its claims are missing";
    }
    const std::int64_t alignment = implementation.alignment;
    if (alignment < 0 || alignment > highest_alignment || (alignment & (alignment - 1)) != 0) {
        return "its alignment is " + std::to_string(alignment) +
               ", not 0 or a power of two up to " + std::to_string(highest_alignment);
    }
    return std::nullopt;
}

std::variant<Plugin, std::string> Plugin::load(const std::string& file) {
    // Without a slash the name would be looked up among the system's libraries.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    const ExplainedLoading explained(file);
    loading.step = "its initialisation (dlopen)";
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::string(text_or(::dlerror(), "unknown reason"));
    void* const symbol = ::dlsym(library, "gathercheck_plugin");
    if (symbol == nullptr) {
        return "it exports no function gathercheck_plugin (see plugin.h; in C++ it must be extern "
               "\"C\")";
    }
    loading.step = "its function gathercheck_plugin";
    const auto function = std::bit_cast<decltype(&gathercheck_plugin)>(symbol);
    const gathercheck_implementation* given =
        call_plugin(function, std::uint32_t{GATHERCHECK_PLUGIN_VERSION});
    if (given == nullptr) {
        return "it does not know version " + std::to_string(GATHERCHECK_PLUGIN_VERSION) +
               " of the plug-in interface, which is the one spoken here; build it with this "
               "gathercheck's plugin.h";
    }
    std::uint64_t size = 0;
    std::memcpy(&size, given, sizeof size);
    if (size < size_of_first) {
        return "its struct says that it has " + std::to_string(size) + " bytes, it must have " +
               std::to_string(size_of_first) + "; set size to sizeof(gathercheck_implementation)";
    }
    gathercheck_implementation implementation{};
    std::memcpy(&implementation, given, std::min<std::uint64_t>(size, sizeof implementation));
    if (auto why = fault_of(implementation)) return std::move(*why);
    return Plugin(implementation);
}

WorkerHello Plugin::hello() const {
    WorkerHello hello;
    hello.name = implementation_.name;
    hello.version = text_or(implementation_.version, "");
    hello.language = text_or(implementation_.language, "c");
    hello.device = text_or(implementation_.device, "cpu");
    hello.describes = implementation_.describe != nullptr;
    hello.reports_unsafe = true;
    for (std::int64_t k = 0; k < implementation_.claim_count; ++k) {
        const gathercheck_claim& claim = implementation_.claims[k];
        hello.claims.push_back({text_or(claim.operators, ""), text_or(claim.data, ""),
                                text_or(claim.indices, ""), text_or(claim.operands, ""),
                                text_or(claim.shapes, ""), text_or(claim.axis, ""),
                                implementation_.claim_attributes == nullptr
                                    ? std::string_view()
                                    : text_or(implementation_.claim_attributes[k], "")});
    }
    return hello;
}

std::string Plugin::answer(const CallAsked& asked) {
    Placement placement;
    placement.pass = asked.pass;
    placement.read_only_inputs = true;
    placement.alignment =
        static_cast<std::size_t>(std::max<std::int64_t>(implementation_.alignment, 1));
    Answer answer = answer_placed(asked, placement);
    const bool again = implementation_.alignment == 1 && !asked.describe && asked.pass != 0;
    if (!again || answer.unsafe) return std::move(answer.line);
    placement.shift = 1;
    // Where the two differ, so do the runner's two passes: the other one is not shifted.
    return answer_placed(asked, placement).line;
}

Plugin::Answer Plugin::answer_placed(const CallAsked& asked, const Placement& placement) {
    // What is copied is compared afterwards.
    std::list<std::string> characters;
    GuardedCall guarded(pool_, placement);
    Call& call = guarded.call();
    call.attributes = asked.attributes;
    answer_at_hand.start = {};
    const std::string start = text_answer(asked.seq, "unsafe", "");
    answer_at_hand.start.append(std::string_view(start).substr(0, start.size() - 3));
    answer_at_hand.names.clear();
    answer_at_hand.shifted = placement.shift != 0;
    for (const AskedInput& input : asked.inputs) {
        constexpr std::size_t longest = 64;
        answer_at_hand.names.push_back(inside_json_string(input.name.substr(0, longest)));
        call.inputs.push_back({input.name, {input.tensor.type, input.tensor.shape, nullptr}});
    }
    for (std::size_t k = 0; k < asked.inputs.size(); ++k) {
        const AskedInput& input = asked.inputs[k];
        if (!input.has_contents) continue;
        bool placed = false;
        if (input.tensor.type == ElementType::string) {
            std::vector<std::int64_t> lengths;
            std::string& all = characters.emplace_back();
            for (const std::string& text : *input.tensor.strings) {
                lengths.push_back(static_cast<std::int64_t>(text.size()));
                all += text;
            }
            placed = guarded.place_strings(k, std::as_bytes(std::span(lengths)),
                                           std::as_bytes(std::span(all)));
        } else {
            placed = guarded.place_input(k, input.tensor.contents);
        }
        if (placed) continue;
        return {text_answer(asked.seq, "unsupported",
                            "no guarded memory is to be had here for input " + std::to_string(k) +
                                ", " + input.name)};
    }
    guarded.protect_inputs();
    std::string answer = ask(asked, guarded);
    if (auto damage = guarded.damage()) {
        if (placement.shift != 0) *damage += at_odd_addresses;
        return {text_answer(asked.seq, "unsafe", *damage), true};
    }
    return {std::move(answer)};
}

std::string Plugin::ask(const CallAsked& asked, GuardedCall& guarded) const {
    const PluginCall call(asked, guarded.call());
    void* handle = nullptr;
    gathercheck_error error{};
    const int status = call_plugin(implementation_.prepare, call.at_build(), &handle, &error);
    if (status != GATHERCHECK_OK) return failed(asked, "prepare", status, nullptr, error);
    std::string answer = ask_prepared(asked, guarded, call, handle);
    if (implementation_.release != nullptr) call_plugin(implementation_.release, handle);
    return answer;
}

std::string Plugin::ask_prepared(const CallAsked& asked, GuardedCall& guarded,
                                 const PluginCall& call, void* handle) const {
    PluginOutput output(guarded);
    gathercheck_descriptor described{};
    described.type = -1;
    described.rank = -1;
    if (implementation_.describe != nullptr) {
        gathercheck_error error{};
        const int status = call_plugin(implementation_.describe, handle, &described, &error);
        if (status != GATHERCHECK_OK) return failed(asked, "describe", status, handle, error);
    }
    DescriptorOutcome known;
    known.known_rank = described.rank >= 0;
    if (described.rank > max_rank || described.rank < -1) {
        return text_answer(asked.seq, "broken",
                           "describe gave a rank of " + std::to_string(described.rank));
    }
    bool complete = known.known_rank && described.type >= 0;
    for (std::int64_t k = 0; k < described.rank; ++k) {
        const std::int64_t dim = described.shape[k];
        known.shape.push_back(dim == -1 ? std::nullopt : std::optional(dim));
        complete = complete && dim != -1;
    }
    // What is known must be sound; unknown dimensions are looked at as if they were 0.
    std::array<std::int64_t, static_cast<std::size_t>(max_rank)> dims{};
    for (std::size_t k = 0; k < known.shape.size(); ++k) dims[k] = known.shape[k].value_or(0);
    const auto sound = read_plugin_shape(described.type == -1 ? 0 : described.type,
                                         std::max(described.rank, std::int64_t{0}), dims.data());
    if (const auto* why = std::get_if<std::string>(&sound)) {
        return text_answer(asked.seq, "broken", "describe gave " + *why);
    }
    if (asked.describe) {
        if (described.type < 0) {
            return text_answer(asked.seq, "broken", "describe did not give the element type");
        }
        known.type = std::get<Descriptor>(sound).type;
        return descriptor_answer(asked.seq, known);
    }
    if (complete && !output.make(std::get<Descriptor>(sound))) {
        return text_answer(asked.seq, "unsupported", output.no_room());
    }
    gathercheck_error error{};
    const int status = call_plugin(implementation_.run, handle, call.at_run(),
                                   static_cast<gathercheck_output*>(&output), &error);
    if (!output.fault().empty()) return text_answer(asked.seq, "broken", output.fault());
    if (!output.no_room().empty()) return text_answer(asked.seq, "unsupported", output.no_room());
    if (status != GATHERCHECK_OK) return failed(asked, "run", status, handle, error);
    if (!output.descriptor()) {
        return text_answer(asked.seq, "broken",
                           "run made no output: describe left its shape open, and allocate was not "
                           "called");
    }
    if (output.descriptor()->type == ElementType::string) {
        const auto strings = guarded.strings_of(output.written());
        if (const auto* why = std::get_if<std::string>(&strings)) {
            return text_answer(asked.seq, "unsafe", *why);
        }
    }
    return output_answer(asked.seq, {output.descriptor()->type, output.descriptor()->shape,
                                     output.written().data()});
}

std::string Plugin::failed(const CallAsked& asked, std::string_view function, int status,
                           void* handle, const gathercheck_error& error) const {
    std::string message;
    if (implementation_.message != nullptr) {
        message = text_or(call_plugin(implementation_.message, handle), "");
    }
    switch (status) {
        case GATHERCHECK_REJECTED:
            break;
        case GATHERCHECK_UNSUPPORTED:
            return text_answer(asked.seq, "unsupported", message);
        case GATHERCHECK_BROKEN:
            return text_answer(asked.seq, "broken", message);
        default:
            return text_answer(
                asked.seq, "broken",
                std::string(function) + " returned " + std::to_string(status) +
                    ", which is none of GATHERCHECK_OK, _REJECTED, _UNSUPPORTED and _BROKEN");
    }
    std::string_view phase;
    if (error.phase == GATHERCHECK_PHASE_BUILD) phase = name(Phase::build);
    if (error.phase == GATHERCHECK_PHASE_SHAPE) phase = name(Phase::shape);
    if (error.phase == GATHERCHECK_PHASE_RUN) phase = name(Phase::run);
    if (phase.empty() && error.phase != GATHERCHECK_PHASE_UNKNOWN) {
        return text_answer(
            asked.seq, "broken",
            std::string(function) + " gave an error the phase " + std::to_string(error.phase));
    }
    return rejected_answer(asked.seq, message, phase, text_or(error.category, ""));
}

int fail(const std::string& file, const std::string& why) {
    std::fprintf(stderr, "gathercheck: the plug-in %s cannot be used: %s\n", file.c_str(),
                 why.c_str());
    return exit_bad_input;
}

}  // namespace

int serve_plugin(const std::string& file) {
    const auto channel = take_standard_streams();
    if (!channel) return fail(file, std::string("no descriptor: ") + std::strerror(errno));
    ::signal(SIGPIPE, SIG_DFL);
    auto loaded = Plugin::load(file);
    if (const auto* why = std::get_if<std::string>(&loaded)) return fail(file, *why);
    Plugin& plugin = std::get<Plugin>(loaded);
    answer_at_hand.out = channel->out.number();
    report_memory_faults(answer_fault, explain_other_fault);

    LineReader lines(channel->in.number());
    const auto refusal = serve(
        lines, channel->out.number(), [&] { return hello_answer(plugin.hello()); },
        [&](const CallAsked& asked) { return plugin.answer(asked); });
    if (!refusal) return 0;
    if (refusal->is_of_version) return fail(file, refusal->why);
    std::fprintf(stderr, "gathercheck: %s\n", refusal->why.c_str());
    return exit_bad_input;
}

}  // namespace gathercheck
