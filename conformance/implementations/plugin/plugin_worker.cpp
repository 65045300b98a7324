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
#include <cstdio>
#include <cstring>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/in_process/guarded_call.hpp"
#include "conformance/implementations/plugin/plugin_call.hpp"
#include "conformance/implementations/worker/worker_messages.hpp"
#include "conformance/implementations/worker/worker_streams.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

constexpr int exit_unavailable = 3;
constexpr int exit_bad_input = 4;
constexpr int exit_after_fault = 70;

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

/// A name as it may stand in a string of JSON; what may not is left out.
void append_json(FixedText& text, std::string_view name) {
    for (const char& c : name) {
        const bool is_plain = c >= ' ' && c < 0x7F && c != '"' && c != '\\';
        if (is_plain) text.append(std::string_view(&c, 1));
    }
}

void answer_fault(const MemoryFault& fault) {
    // Another thread of the plug-in may have come here first, and ends the process.
    while (answer_at_hand.given.test_and_set()) ::pause();
    FixedText text = answer_at_hand.start;
    const auto& names = answer_at_hand.names;
    append_fault(text, fault,
                 fault.input < names.size() ? std::string_view(names[fault.input]) : "an input");
    if (answer_at_hand.shifted) text.append(at_odd_addresses);
    FixedText module;
    if (append_module(module, fault.instruction)) {
        text.append("; by the instruction at ");
        append_json(text, module.view());
    }
    text.append("\"}\n");
    write_all(answer_at_hand.out, text.view());
    ::_exit(exit_after_fault);
}

void explain_other_fault(int number, std::uintptr_t instruction) {
    FixedText text;
    text.append(number == SIGBUS ? "gathercheck: SIGBUS by the instruction at "
                                 : "gathercheck: SIGSEGV by the instruction at ");
    if (append_module(text, instruction)) {
        text.append("\n");
        write_all(STDERR_FILENO, text.view());
    }
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

/// A loaded plug-in.
class Plugin {
public:
    /// The text is why the file is none.
    static std::variant<Plugin, std::string> load(const std::string& file);

    WorkerHello hello() const { return hello_of(implementation_); }

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

    gathercheck_implementation implementation_{};
    GuardedPool pool_;
};

std::variant<Plugin, std::string> Plugin::load(const std::string& file) {
    // Without a slash the name would be looked up among the system's libraries.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    const ExplainedLoading explained(file);
    loading.step = "its initialisation (dlopen)";
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = ::dlerror();
        return std::string(why == nullptr ? "unknown reason" : why);
    }
    void* const symbol = ::dlsym(library, "gathercheck_plugin");
    if (symbol == nullptr) {
        return "it exports no function gathercheck_plugin (see plugin.h; in C++ it must be extern "
               "\"C\")";
    }
    loading.step = "its function gathercheck_plugin";
    const auto function = std::bit_cast<decltype(&gathercheck_plugin)>(symbol);
    const gathercheck_implementation* given =
        call_plugin(function, std::uint32_t{GATHERCHECK_PLUGIN_VERSION});
    auto implementation = read_implementation(given);
    if (auto* why = std::get_if<std::string>(&implementation)) return std::move(*why);
    return Plugin(std::get<gathercheck_implementation>(implementation));
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
    std::string answer = ask(asked, guarded);
    if (auto damage = guarded.damage()) {
        if (placement.shift != 0) *damage += at_odd_addresses;
        return {text_answer(asked.seq, "unsafe", *damage), true};
    }
    return {std::move(answer)};
}

std::string Plugin::ask(const CallAsked& asked, GuardedCall& guarded) const {
    const PluginCall call(asked.operator_version.c_str(), asked.route, guarded.call());
    PluginHandle handle(implementation_);
    const PluginAnswer answer = ask_plugin(
        implementation_, call, asked.describe,
        [&](std::size_t size) { return guarded.place_output(size); }, handle);
    const std::int64_t seq = asked.seq;
    if (const auto* wrote = std::get_if<PluginWrote>(&answer)) {
        if (wrote->descriptor.type == ElementType::string) {
            const auto strings = guarded.strings_of(wrote->bytes);
            if (const auto* why = std::get_if<std::string>(&strings)) {
                return text_answer(seq, "unsafe", *why);
            }
        }
        return output_answer(
            seq, {wrote->descriptor.type, wrote->descriptor.shape, wrote->bytes.data()});
    }
    if (const auto* known = std::get_if<DescriptorOutcome>(&answer)) {
        return descriptor_answer(seq, *known);
    }
    if (const auto* unsupported = std::get_if<Unsupported>(&answer)) {
        return text_answer(seq, "unsupported", unsupported->why);
    }
    if (const auto* broken = std::get_if<Broken>(&answer)) {
        return text_answer(seq, "broken", broken->what);
    }
    const auto& rejected = std::get<PluginRejected>(answer);
    const std::string_view phase = rejected.phase ? name(*rejected.phase) : std::string_view();
    return rejected_answer(seq, rejected.message, phase, rejected.category);
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
