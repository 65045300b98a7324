// SPDX-License-Identifier: Apache-2.0
// What the command comes with: the shipped data beside its executable, and the implementations it
// knows by name.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/implementation.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {

/// Folders of the shipped data: those that the environment variable GATHERCHECK_SHARE names, else
/// those beside the executable or its folder (a build tree, an installation), else those that this
/// was built with.
struct Installed {
    std::filesystem::path cases;
    std::filesystem::path rules;
    std::filesystem::path equations;
    std::filesystem::path dialects;
    std::filesystem::path known_failures;
    std::filesystem::path findings;
    std::filesystem::path adapters;
    std::filesystem::path
        protocol;  ///< the document; data that others have put together may lack it
};

/// The file of this program, links followed; empty where the system does not say.
std::filesystem::path this_executable();

/// The folder of optional modules, beside the folder that this program lies in.
std::filesystem::path modules_folder();

/// The text is why the data cannot be found.
std::variant<Installed, std::string> find_installed();

/// The Python of the adapters: the one that GATHERCHECK_PYTHON names, else that of tools/setup.sh
/// where this is its build tree, else python3.
std::string adapter_python();

/// Where tools/setup.sh puts an engine that Python does not run, in GATHERCHECK_ENGINES or else its
/// own folder: ENGINE for each implementation ENGINE or ENGINE:WAY.
std::filesystem::path folder_of_engine(std::string_view implementation);

/// The same for messages, of where GATHERCHECK_PYTHON names none.
std::string default_adapter_python();

/// What installs the engine of an implementation, for messages: an extra of the wheel, where this
/// is its program; else a script of the source tree, which no other place has. "NAME" is any
/// engine.
std::string how_to_install(std::string_view implementation);

/// Where the worker protocol stands, for messages: the shipped document.
std::string protocol_document();

/// The names of the shipped adapters.
std::vector<std::string> adapter_names();

/// One name that `--implementation` takes.
struct KnownImplementation {
    std::string name;
    std::string what;         ///< one line for people
    std::string unavailable;  ///< why it cannot run here; empty where it can, or where only
                              ///< starting it shows
    bool by_default = false;  ///< runs where no implementation is asked for
};

/// Every name, in the order in which they run by default. `more` are those of a program that brings
/// its own.
std::vector<KnownImplementation> known_implementations(const std::vector<BuiltIn>& more);

/// What `--implementation` takes, taken apart: "my_engine=exec:./worker" is the program
/// "exec:./worker" by the name "my_engine"; anything else is its own name.
struct AskedImplementation {
    std::string name;
    std::string what;

    /// A program or a library that its author brings.
    bool is_brought() const { return what.starts_with("exec:") || what.starts_with("plugin:"); }
};
AskedImplementation asked_implementation(const std::string& text);

/// What starts the worker of a name: "onnxruntime", "exec:COMMAND LINE", "NAME=exec:...". The text
/// is why there is none.
std::variant<Command, std::string> worker_command(const std::string& name,
                                                  const Installed& installed);

/// The implementation of a name: "reference", "optimized", "optimized:avx2", "onnxruntime",
/// "plugin:FILE", "exec:COMMAND LINE", "NAME=exec:COMMAND LINE". The text is why there is none.
std::variant<std::unique_ptr<Implementation>, std::string> make_implementation(
    const std::string& name, const Installed& installed, const Limits& limits,
    const std::vector<BuiltIn>& more);

/// The name by which a program introduces itself; empty where it does not start.
std::string own_name(const std::string& asked, const Installed& installed, const Limits& limits);

/// A plug-in that is asked for without a name, by the one by which it introduces itself:
/// "acme=plugin:FILE". Anything else as it is, and a plug-in whose own name cannot be taken.
std::string by_own_name(const std::string& asked, const Installed& installed, const Limits& limits,
                        const std::vector<BuiltIn>& more);

/// The code behind a name that make_implementation() runs in this process, "mutant:NAME" for a
/// planted bug; nothing for a program.
std::optional<BuiltIn> built_in_of(const std::string& name, const std::vector<BuiltIn>& more);

/// True for an implementation whose models are slow to build: by default it gets a sample of the
/// sweeps.
bool is_slow(const std::string& name);

}  // namespace gathercheck
