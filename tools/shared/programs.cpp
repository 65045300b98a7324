// SPDX-License-Identifier: Apache-2.0
// One function a language.
#include "tools/shared/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "conformance/reproducers/reproducer.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/installed.hpp"

namespace gathercheck {
namespace {

/// Of address space. Engines ask for memory without end on some calls, and show it under a limit
/// only; WebAssembly and Rust programs reserve much and take little.
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
constexpr std::uint64_t usual_memory = 4 * gibibyte;
constexpr std::uint64_t memory_of_front_end = 6 * gibibyte;
constexpr std::uint64_t memory_reserved = 64 * gibibyte;
constexpr std::size_t megabyte = std::size_t{1} << 20;

bool is_on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const std::filesystem::path folder(rest.substr(0, end));
        if (::access((folder / program).c_str(), X_OK) == 0) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

/// A program by its name on the PATH or by its place, which holds from any folder.
std::string from_any_folder(const std::string& program) {
    std::error_code error;
    if (program.find('/') == std::string::npos) return program;
    return std::filesystem::absolute(program, error).string();
}

HowToRun in_python(const std::string& implementation) {
    const std::string python = from_any_folder(adapter_python());
    HowToRun how;
    if (implementation ==
        "torch") {  // its adapter, too, goes to the Python that Debian's belongs to
        how.command = {"/bin/sh", "-c",
                       "\"$0\" -c 'import importlib.util as u, sys; "
                       "sys.exit(u.find_spec(\"torch\") is None)' && exec \"$0\" -B \"$1\"; "
                       "exec /usr/bin/python3 -B \"$1\"",
                       python, "{file}"};
    } else {
        how.command = {python, "-B", "{file}"};
    }
    how.bytes_of_memory = implementation == "openvino:onnx" ? memory_of_front_end : usual_memory;
    return how;
}

HowToRun in_node(const std::string& implementation) {
    HowToRun how;
    how.command = {"node", "{file}"};
    how.bytes_of_memory = memory_reserved;
    if (!is_on_path("node")) how.not_here = "there is no node; install Node.js 20 or newer";
    std::error_code error;
    const std::filesystem::path packages =
        std::filesystem::absolute(folder_of_engine(implementation), error);
    if (!implementation.empty() && std::filesystem::is_directory(packages, error)) {
        how.place = packages;
    } else if (!implementation.empty() && how.not_here.empty()) {
        how.not_here = "there is no folder " + packages.string() + " with its packages";
    }
    return how;
}

HowToRun compiled(const std::string& implementation, bool is_c) {
    const char* chosen = std::getenv(is_c ? "CC" : "CXX");
    const std::string compiler =
        chosen != nullptr && *chosen != '\0' ? chosen : (is_c ? "cc" : "c++");
    HowToRun how;
    how.build = {from_any_folder(compiler), "{file}", "-o", "{folder}/program"};
    if (implementation == "onnx-shapes") {
        for (const char* option :
             {"-DONNX_ML=1", "-DONNX_NAMESPACE=onnx", "-lonnx", "-lonnx_proto", "-lprotobuf"}) {
            how.build.emplace_back(option);
        }
    }
    how.command = {"{folder}/program"};
    how.bytes_of_memory = usual_memory;
    return how;
}

/// Whether the package of the adapters in Rust has the feature of an engine.
bool is_in_rust(const std::string& implementation, const std::filesystem::path& package) {
    const auto text = read_file(package / "Cargo.toml", megabyte);
    const auto* manifest = std::get_if<std::string>(&text);
    return manifest != nullptr && !implementation.empty() &&
           manifest->find("\n" + implementation + " = [") != std::string::npos;
}

/// The package of the adapters in Rust, with this program alone. All of an engine are built in one
/// folder, where the crates are built already: one after the other, as each replaces the program of
/// the last.
HowToRun in_rust(const std::string& implementation, const std::filesystem::path& adapters) {
    std::error_code error;
    const auto target = std::filesystem::absolute(folder_of_engine(implementation), error);
    const auto package = std::filesystem::absolute(adapters / "rust", error);
    HowToRun how;
    if (!is_in_rust(implementation, package)) {
        how.not_here = "nothing here knows how such a Rust program is built, as " +
                       (package / "Cargo.toml").string() +
                       " has no feature of its engine; its worker may tell, by \"command\" in its "
                       "answer to reproduce";
        return how;
    }
    if (!is_on_path("cargo")) how.not_here = "there is no cargo";
    if (!std::filesystem::is_directory(target, error)) {
        how.not_here = "there is no folder " + target.string() + " with the crate";
    }
    how.build = {"flock",
                 (target / "reproducers.lock").string(),
                 "/bin/sh",
                 "-c",
                 "set -e; mkdir -p package/src/bin; cd package; "
                 "cp \"$1/Cargo.toml\" \"$1/Cargo.lock\" .; cp \"$2\" src/bin/reproducer.rs; "
                 "cargo build --quiet --release --locked --target-dir \"$3\" --features \"$4\" "
                 "--bin reproducer; "
                 "cp \"$3/release/reproducer\" ../program",
                 "sh",
                 package.string(),
                 "{file}",
                 target.string(),
                 implementation};
    how.command = {"{folder}/program"};
    how.bytes_of_memory = memory_reserved;
    return how;
}

/// The module of an engine's adapter, with another main.go in place of its own.
HowToRun in_go(const std::string& implementation, const std::filesystem::path& adapters) {
    HowToRun how;
    std::error_code error;
    const auto module = std::filesystem::absolute(adapters / implementation, error);
    if (!is_on_path("go")) how.not_here = "there is no go";
    if (!std::filesystem::exists(module / "go.sum", error)) {
        how.not_here = "there is no " + (module / "go.sum").string() + " to build it by";
    }
    how.build = {"/bin/sh",
                 "-c",
                 "set -e; mkdir module; cp -r \"$1\" \"$1/../gathercheck_go\" module; "
                 "cd module/\"${1##*/}\"; cp \"$2\" main.go; "
                 "go build -o ../../program .",
                 "sh",
                 module.string(),
                 "{file}"};
    how.command = {"{folder}/program"};
    how.bytes_of_memory = memory_reserved;
    return how;
}

HowToRun by_language(std::string_view language, const std::string& implementation,
                     const std::filesystem::path& adapters) {
    if (language == "python") return in_python(implementation);
    if (language == "javascript") return in_node(implementation);
    if (language == "c++" || language == "c") return compiled(implementation, language == "c");
    if (language == "rust") return in_rust(implementation, adapters);
    if (language == "go") return in_go(implementation, adapters);
    HowToRun how;
    if (language == "shell") {
        how.command = {"/bin/sh", "{file}"};
        how.bytes_of_memory = usual_memory;
    } else {
        how.not_here =
            "its language is not known by its name; a worker may tell what runs it, by \"command\" "
            "in its answer to reproduce";
    }
    return how;
}

/// The engine whose folder it lies in; empty where that is none.
std::string engine_of_folder(const std::filesystem::path& file,
                             const std::vector<std::string>& engines) {
    std::error_code error;
    const std::string folder =
        std::filesystem::absolute(file, error).parent_path().filename().string();
    for (const std::string& engine : engines) {
        std::string name = engine;
        std::ranges::replace(name, ':', '-');
        if (name == folder) return engine;
    }
    return {};
}

}  // namespace

ProgramToVerify program_of(const std::filesystem::path& file, const std::filesystem::path& adapters,
                           HeadCommand command, std::uint64_t bytes_of_memory) {
    const std::vector<std::string> engines = adapter_names();
    ReproducerHead head = read_reproducer_head(file, engines);
    if (head.implementation.empty()) head.implementation = engine_of_folder(file, engines);
    ProgramToVerify program{file, std::move(head.shows), std::move(head.fault), {}};
    if (head.command.empty()) {
        program.how = by_language(language_of_reproducer(file), head.implementation, adapters);
    } else if (command == HeadCommand::yes) {
        program.how.command = std::move(head.command);
    } else {
        program.how.not_here =
            "its head holds a command; that is run only where the file itself is named";
    }
    if (!head.implementation.empty()) {
        program.how.remedy = how_to_install(head.implementation) + " installs it";
        if (!program.how.not_here.empty()) program.how.not_here += "; " + program.how.remedy;
    }
    if (bytes_of_memory != 0) program.how.bytes_of_memory = bytes_of_memory;
    return program;
}

std::string verified_text(std::int64_t shown, std::int64_t run, std::int64_t not_run,
                          std::int64_t silent) {
    std::string text = std::to_string(shown) + " of " + count_of(run, "reproducer") +
                       (run == 1 ? " shows what it says" : " show what they say");
    if (not_run > 0) text += "; cannot be run here: " + std::to_string(not_run);
    if (silent > 0) text += "; say nothing that can be checked: " + std::to_string(silent);
    return text;
}

}  // namespace gathercheck
