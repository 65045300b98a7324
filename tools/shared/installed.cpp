// SPDX-License-Identifier: Apache-2.0
// The one list of built-in implementations and shipped adapters.
#include "tools/shared/installed.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "conformance/mutants/mutants.hpp"
#include "conformance/select/filter_check.hpp"
#include "optimized/gather.hpp"
#include "optimized/tuning.hpp"
#include "reference/reference.hpp"

namespace gathercheck {
namespace {

/// What runs an adapter.
enum class Runner : std::uint8_t {
    python,   ///< a script among the adapters
    node,     ///< a script among the adapters, and its packages in a folder of the engines
    built,    ///< a program in the folder of the engines, which tools/setup.sh builds
    shipped,  ///< a program beside this one
};

struct Adapter {
    std::string_view name;
    Runner runner = Runner::python;
    std::string_view file;  ///< and the arguments that it is given, with blanks between
    std::string_view what;
    std::uint64_t bytes_of_memory = 0;  ///< its limit where none is given; 0: none
    bool is_extra = false;              ///< the wheel has an extra of its engine's name
};

constexpr std::array adapters{
#include "engines.inc"  // of tools/engines/engines.txt
};

/// A folder of tools/setup.sh, build/NAME: it is found where this program stands in a build tree
/// of build/.
std::filesystem::path of_setup(std::string_view name) {
    return this_executable().parent_path().parent_path().parent_path() / name;
}

/// This program stands in a build tree of build/.
bool is_in_source_tree() {
    std::error_code error;
    return std::filesystem::exists(this_executable().parent_path() / "../../../tools/setup.sh",
                                   error);
}

/// This program is that of the Python package.
bool is_of_wheel() {
    std::error_code error;
    return std::filesystem::exists(this_executable().parent_path() / "../__init__.py", error);
}

/// A program that is not there ends a worker as a missing engine does: with code 3 and the remedy.
std::vector<std::string> program(const std::filesystem::path& file, const std::string& remedy,
                                 std::vector<std::string> arguments) {
    std::vector<std::string> command{
        "/bin/sh", "-c",
        "command -v \"$1\" >/dev/null || { echo \"$1 is not there; remedy: $0\" >&2; exit 3; }; "
        "exec \"$@\"",
        remedy, file.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

/// The command that starts an adapter.
std::vector<std::string> command_of(const Adapter& adapter, const Installed& installed) {
    std::istringstream words{std::string(adapter.file)};
    std::string file;
    words >> file;
    const std::vector<std::string> arguments(std::istream_iterator<std::string>(words), {});
    const std::filesystem::path script = installed.adapters / file;
    const std::filesystem::path engine = folder_of_engine(adapter.name);
    std::vector<std::string> command;
    switch (adapter.runner) {
        case Runner::python:
            command = {adapter_python(), "-B", script.string()};
            break;
        case Runner::node:
            command =
                program("node", "install Node.js 20 or newer", {script.string(), engine.string()});
            break;
        case Runner::built:
            command = program(engine / file, how_to_install(adapter.name), {});
            break;
        case Runner::shipped:
            command = program(
                this_executable().parent_path() / file,
                "install ONNX (Debian: libonnx-dev libprotobuf-dev) and build again, or take "
                "onnx:inference, which is the same of the package onnx",
                {});
            break;
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

/// The limits, with the adapter's own where no limit of memory is given. The time to start follows
/// that of a call: a plug-in is only loaded, other programs load an engine.
Limits limits_of(const std::string& name, Limits limits) {
    const double at_least = name.starts_with("plugin:") ? 5 : Limits{}.seconds_to_start;
    limits.seconds_to_start = std::max(at_least, 3 * limits.seconds_per_call);
    const auto* adapter = std::ranges::find(adapters, std::string_view(name), &Adapter::name);
    if (limits.bytes_of_memory == 0 && adapter != adapters.end()) {
        limits.bytes_of_memory = adapter->bytes_of_memory;
    }
    return limits;
}

/// A command line for the shell. A simple command replaces the shell, so that its end is seen as
/// what it is.
std::string shell_command(const std::string& line) {
    const std::string first =
        line.substr(0, line.find_first_of(" \t", line.find_first_not_of(" \t")));
    const bool simple = line.find_first_of(";&|<>()`!\n") == std::string::npos &&
                        first.find('=') == std::string::npos && first != "exec";
    return simple ? "exec " + line : line;
}

/// What a plan is made for.
std::string plan_key(const Call& call) {
    std::string key;
    for (const Input& input : call.inputs) {
        key += std::string(name(input.tensor.type)) + to_string(input.tensor.shape);
        if (input.name != "axis") continue;
        const auto axis = integer_element(input.tensor.type, input.tensor.contents, 0);
        key += "=" + (axis ? std::to_string(*axis) : "?");
    }
    return key;
}

/// Runs the calls of a sequence by plans that are kept, and others without one.
struct KeptPlans {
    const optimized::Target& target;
    bool kept = false;
    std::map<std::string, optimized::Plan> plans = {};

    Result<void> run(const Call& call, std::span<std::byte> output) {
        if (!kept) return target.run(call, output);
        const std::string key = plan_key(call);
        auto found = plans.find(key);
        if (found == plans.end()) {
            const Result<optimized::Plan> made = optimized::plan(call, target);
            if (!made) return made.error();
            found = plans.emplace(key, *made).first;
        }
        return optimized::run(found->second, call.input("data")->contents,
                              call.input("indices")->contents, output);
    }
};

BuiltIn built_in(std::string name, const optimized::Target& target) {
    const auto plans = std::make_shared<KeptPlans>(KeptPlans{target});
    BuiltIn result;
    result.name = std::move(name);
    result.version = GATHERCHECK_VERSION;
    if (!target.available()) {
        result.unavailable = "this CPU or this build lacks the instruction set";
    }
    result.output_descriptor = target.output_descriptor;
    result.run = [plans](const Call& call, std::span<std::byte> output) {
        return plans->run(call, output);
    };
    result.follows_suite = true;
    result.new_model = [plans](std::size_t calls) {
        plans->kept = calls > 1;
        plans->plans.clear();
    };
    result.thresholds = [set = target.instruction_set] {
        const auto& tuning = optimized::Tuning::of_this_machine(set);
        return std::vector{tuning.prefetch_from, tuning.prefetch_elements_from,
                           tuning.stream_from / 2, tuning.stream_from};
    };
    return result;
}

/// The best target, cut into three parts that share the threads of an arena: small cases
/// would not be worth that. The arena stays, so that threads are at hand from call to call.
Result<void> run_in_parts(const Call& call, std::span<std::byte> output) {
    static const auto executor = optimized::make_executor(3);
    const auto done = optimized::trace(optimized::best_target(), call, output, executor.get(), 3);
    if (!done) return done.error();
    return {};
}

std::vector<BuiltIn> built_ins() {
    std::vector<BuiltIn> all;
    all.push_back({"reference",
                   GATHERCHECK_VERSION,
                   "",
                   reference::output_descriptor,
                   reference::run,
                   {},
                   true});
    for (const optimized::Target& target : optimized::targets()) {
        all.push_back(built_in("optimized:" + std::string(target.name), target));
    }
    return all;
}

/// Why a program cannot be given that name; empty where it can.
std::string fault_of_name(const std::string& name, const std::vector<BuiltIn>& more) {
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
    if (name.empty() || name.find_first_not_of(allowed) != std::string::npos) {
        return "'" + name +
               "' is no name for a program: it has letters, digits, '_', '-', '.' and '+' only, as "
               "in my_engine=exec:./my_worker";
    }
    const auto is_taken = [&](const KnownImplementation& known) { return known.name == name; };
    if (name == "default" || std::ranges::any_of(known_implementations(more), is_taken)) {
        return name + " is the name of another implementation; give the program one of its own";
    }
    return {};
}

/// What a name that is none is likely meant to be: a program without "exec:", or the first word of
/// a command line without quotes.
std::string advice_for(const std::string& name) {
    std::error_code error;
    const std::string program = name.substr(0, name.find(' '));
    const bool is_file = std::filesystem::is_regular_file(program, error);
    constexpr std::array<std::string_view, 5> runners{"python", "python3", "node", "bash", "sh"};
    const bool is_runner = std::ranges::find(runners, program) != runners.end();
    if (!is_file && !is_runner && name.find(' ') == std::string::npos) return {};
    std::string line = name;
    if (is_file && program.find('/') == std::string::npos) line = "./" + line;
    if (program.ends_with(".so")) return "a shared library is plugin:" + line + "; ";
    if (program.ends_with(".py")) line = "python3 " + name;
    if (is_runner && name == program) line += " FILE";
    return "a program is 'exec:" + line + "', in quotes; ";
}

}  // namespace

std::string how_to_install(std::string_view implementation) {
    const std::string engine(implementation.substr(0, implementation.find(':')));
    const auto is_of_engine = [&](const Adapter& adapter) {
        return adapter.name.substr(0, adapter.name.find(':')) == engine;
    };
    const auto* adapter = std::ranges::find_if(adapters, is_of_engine);
    const bool is_known = adapter != adapters.end();
    if (is_of_wheel() && (!is_known || adapter->is_extra)) {
        return "pip install 'gathercheck[" + engine + "]'";
    }
    const std::string setup = "tools/setup.sh " + engine;
    if (is_in_source_tree()) return setup;
    const bool is_python = !is_known || adapter->runner == Runner::python;
    return setup + " in a source tree of gathercheck, and " +
           (is_python ? "GATHERCHECK_PYTHON=TREE/build/venv/bin/python"
                      : "GATHERCHECK_ENGINES=TREE/build/engines");
}

std::string protocol_document() {
    std::error_code error;
    const auto installed = find_installed();
    if (const auto* found = std::get_if<Installed>(&installed)) {
        if (std::filesystem::exists(found->protocol, error)) return found->protocol.string();
    }
    return "conformance/protocol.md of the source tree";
}

std::string default_adapter_python() {
    if (is_of_wheel()) return "the Python that this command was installed into";
    return is_in_source_tree() ? "build/venv, else python3" : "python3";
}

std::string adapter_python() {
    const char* chosen = std::getenv("GATHERCHECK_PYTHON");
    if (chosen != nullptr && *chosen != '\0') return chosen;
    std::error_code error;
    const auto ours = of_setup("venv") / "bin" / "python";
    return std::filesystem::exists(ours, error) ? ours.string() : "python3";
}

std::filesystem::path folder_of_engine(std::string_view implementation) {
    const char* chosen = std::getenv("GATHERCHECK_ENGINES");
    const std::filesystem::path folder =
        chosen != nullptr && *chosen != '\0' ? chosen : of_setup("engines");
    return folder / implementation.substr(0, implementation.find(':'));
}

std::vector<std::string> adapter_names() {
    std::vector<std::string> names;
    for (const Adapter& adapter : adapters) names.emplace_back(adapter.name);
    return names;
}

std::vector<KnownImplementation> known_implementations(const std::vector<BuiltIn>& more) {
    std::vector<KnownImplementation> known;
    for (const BuiltIn& built_in : built_ins()) {
        const bool is_reference = built_in.name == "reference";
        known.push_back({built_in.name,
                         is_reference ? "plain loops that read like the specification"
                                      : "vectorised, this instruction set",
                         built_in.unavailable, true});
    }
    for (const BuiltIn& built_in : more) {
        known.push_back({built_in.name, "of this program", built_in.unavailable, false});
    }
    known.push_back({"optimized", "the best optimized target of this CPU", "", false});
    known.push_back({"optimized:threads", "the same, every call cut into parts", "", false});
    for (const Adapter& adapter : adapters) {
        known.push_back({std::string(adapter.name), std::string(adapter.what), "", false});
    }
    known.push_back({"plugin:FILE", "a shared library with the interface of plugin.h", "", false});
    known.push_back({"exec:COMMAND LINE", "a program that speaks the worker protocol", "", false});
    known.push_back(
        {"NAME=exec:... or plugin:...", "the same by a name of your choice", "", false});
    return known;
}

AskedImplementation asked_implementation(const std::string& text) {
    for (const std::string_view kind : {"=exec:", "=plugin:"}) {
        const std::size_t place = text.find(kind);
        // What stands in a command line is the program's.
        const bool is_in_command = text.starts_with(kind.substr(1)) || text.starts_with("exec:") ||
                                   text.starts_with("plugin:");
        if (place == std::string::npos || is_in_command) continue;
        return {text.substr(0, place), text.substr(place + 1)};
    }
    return {text, text};
}

std::variant<Command, std::string> worker_command(const std::string& asked,
                                                  const Installed& installed) {
    const std::string name = asked_implementation(asked).what;
    for (const Adapter& adapter : adapters) {
        if (adapter.name != name) continue;
        return Command{command_of(adapter, installed), {}};
    }
    if (name.starts_with("exec:")) {
        const std::string command = name.substr(5);
        if (command.find_first_not_of(' ') == std::string::npos) {
            return "exec: names no command; write e.g. 'exec:./my_worker --fast'";
        }
        return Command{{"/bin/sh", "-c", shell_command(command)}, {}};
    }
    if (name.starts_with("plugin:")) {
        std::error_code error;
        const std::filesystem::path file = name.substr(7);
        if (!std::filesystem::is_regular_file(file, error)) {
            return "plugin: " + (file.empty() ? "names no file" : file.string() + " is no file") +
                   "; write e.g. plugin:./my_plugin.so";
        }
        return Command{{this_executable().string(), "worker", "--plugin", file.string()}, {}};
    }
    return "'" + name + "' is no program that speaks the worker protocol";
}

std::optional<BuiltIn> built_in_of(const std::string& name, const std::vector<BuiltIn>& more) {
    for (const std::vector<BuiltIn>& several : {more, built_ins()}) {
        const auto found = std::ranges::find(several, name, &BuiltIn::name);
        if (found != several.end()) return *found;
    }
    constexpr std::string_view planted = "mutant:";
    if (name.starts_with(planted)) {
        const auto mutant =
            std::ranges::find(mutants(), name.substr(planted.size()), &Mutant::name);
        if (mutant == mutants().end()) return std::nullopt;
        BuiltIn with_bug = mutant->built_in;
        with_bug.name = name;
        return with_bug;
    }
    if (name == "optimized") return built_in(name, optimized::best_target());
    if (name == "optimized:threads") {
        BuiltIn in_parts = built_in(name, optimized::best_target());
        in_parts.run = run_in_parts;
        return in_parts;
    }
    return std::nullopt;
}

std::variant<std::unique_ptr<Implementation>, std::string> make_implementation(
    const std::string& asked, const Installed& installed, const Limits& limits,
    const std::vector<BuiltIn>& more) {
    const auto [given_name, name] = asked_implementation(asked);
    if (given_name != name) {
        const std::string why = fault_of_name(given_name, more);
        if (!why.empty()) return why;
    }
    if (const auto built_in = built_in_of(name, more)) return in_process(*built_in, limits);
    if (is_slow(name) || name.starts_with("plugin:")) {
        auto command = worker_command(name, installed);
        if (auto* why = std::get_if<std::string>(&command)) return std::move(*why);
        auto& [arguments, environment] = std::get<Command>(command);
        return worker(given_name, std::move(arguments), std::move(environment),
                      limits_of(name, limits));
    }
    std::string names;
    std::vector<std::string> each;
    for (const KnownImplementation& known : known_implementations(more)) {
        names += (names.empty() ? "" : ", ") + known.name;
        each.push_back(known.name);
    }
    const std::string near = near_names(name, each);
    if (!near.empty()) {
        return "there is no implementation '" + name + "'" + near +
               "; `gathercheck list implementations` shows all";
    }
    return "there is no implementation '" + name + "'; " + advice_for(name) + "there are " + names;
}

std::string own_name(const std::string& asked, const Installed& installed, const Limits& limits) {
    auto made = make_implementation(asked, installed, limits, {});
    if (!std::holds_alternative<std::unique_ptr<Implementation>>(made)) return {};
    Implementation& implementation = *std::get<0>(made);
    return implementation.start() ? std::string() : implementation.introduction().name;
}

std::string by_own_name(const std::string& asked, const Installed& installed, const Limits& limits,
                        const std::vector<BuiltIn>& more) {
    if (!asked.starts_with("plugin:")) return asked;
    const std::string name = own_name(asked, installed, limits);
    return fault_of_name(name, more).empty() ? name + "=" + asked : asked;
}

bool is_slow(const std::string& asked) {
    const std::string name = asked_implementation(asked).what;
    return std::ranges::any_of(adapters,
                               [&](const Adapter& adapter) { return adapter.name == name; }) ||
           name.starts_with("exec:");
}

std::filesystem::path modules_folder() {
    return this_executable().parent_path().parent_path() / GATHERCHECK_MODULES;
}

}  // namespace gathercheck
