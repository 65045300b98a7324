// SPDX-License-Identifier: Apache-2.0
// gathercheck verify: kept reproducers are run, and each must show what it says.
#include <unistd.h>
#include <memory>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "conformance/reproducers/reproducer.hpp"
#include "conformance/reproducers/verify.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/installed.hpp"
#include "tools/shared/interruption.hpp"
#include "tools/shared/programs.hpp"
#include "tools/shared/progress_line.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct VerifyVerb {
    std::vector<std::string> paths;  ///< reproducers, and folders of them
    double seconds = 60;             ///< that a program may take that comes to an end
    int jobs = 1;
};

/// The programs of a folder and of those within, in the order of their names; those whose names
/// begin with a dot are left out. The text is why they cannot be listed.
std::variant<std::vector<std::filesystem::path>, std::string> programs_in(
    const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    std::filesystem::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(error)) {
        std::error_code none;
        if (entry->path().filename().string().starts_with('.')) {
            entry.disable_recursion_pending();
            continue;
        }
        const bool is_program = !language_of_reproducer(entry->path()).empty();
        if (is_program && entry->is_regular_file(none)) files.push_back(entry->path());
    }
    if (error) return error.message();
    std::ranges::sort(files);
    return files;
}

/// The programs that paths name, each once: files first, then those of folders. Otherwise why not.
std::variant<std::vector<ProgramToVerify>, std::string> programs_of(
    const std::vector<std::string>& paths, const std::filesystem::path& adapters) {
    std::vector<ProgramToVerify> programs;
    std::set<std::string> seen;
    const auto add = [&](const std::filesystem::path& file, HeadCommand command) {
        std::error_code error;
        if (!seen.insert(std::filesystem::weakly_canonical(file, error).string()).second) return;
        programs.push_back(program_of(file, adapters, command));
    };
    std::vector<std::filesystem::path> of_folders;
    for (const std::string& path : paths) {
        std::error_code error;
        if (std::filesystem::is_regular_file(path, error)) {
            add(path, HeadCommand::yes);
        } else if (std::filesystem::is_directory(path, error)) {
            auto files = programs_in(path);
            if (const auto* why = std::get_if<std::string>(&files)) {
                return "cannot read " + path + ": " + *why;
            }
            const auto& list = std::get<0>(files);
            if (list.empty()) {
                return path +
                       " holds no reproducer: a file that ends with .py, .cpp, .c, .js, .rs, .go "
                       "or .sh";
            }
            of_folders.insert(of_folders.end(), list.begin(), list.end());
        } else {
            return path + " is no file and no folder";
        }
    }
    for (const std::filesystem::path& file : of_folders) add(file, HeadCommand::no);
    return programs;
}

/// How many programs came to each result.
struct VerifiedCounts {
    std::int64_t shown = 0;
    std::int64_t not_run = 0;
    std::int64_t failed = 0;
};

/// Prints each program that did not show what it says, or was not run.
VerifiedCounts print_results(const std::vector<ProgramToVerify>& programs,
                             const std::vector<Verification>& results) {
    VerifiedCounts counts;
    for (std::size_t k = 0; k < programs.size(); ++k) {
        const auto& [result, why] = results[k];
        const std::string file = printable(programs[k].file.generic_string());
        if (result == Verification::Result::shown) ++counts.shown;
        if (result == Verification::Result::not_shown) {
            ++counts.failed;
            std::printf("FAILED  %s: %s\n", file.c_str(), why.c_str());
        }
        if (result == Verification::Result::not_run) {
            ++counts.not_run;
            std::printf("not run  %s: %s\n", file.c_str(), why.c_str());
        }
    }
    return counts;
}

/// 0: each shows what it says; 1: one does not; 3: interrupted; 77: none can be run here.
int verify_verb(const VerifyVerb& options) {
    const auto found = find_installed();
    if (const auto* why = std::get_if<std::string>(&found)) return refuse(*why);
    const auto named = programs_of(options.paths, std::get<Installed>(found).adapters);
    if (const auto* why = std::get_if<std::string>(&named)) return refuse(*why);
    const auto& programs = std::get<std::vector<ProgramToVerify>>(named);
    watch_for_interruption();
    VerifyLimits limits;
    limits.seconds = options.seconds;
    limits.interrupted = is_interrupted;
    ProgressLine line;
    std::size_t done = 0;
    const auto progress = [&] {
        line.show(std::to_string(++done) + " of " + std::to_string(programs.size()));
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto results = verify_all(programs, options.jobs, limits, progress);
    line.clear();
    const auto [shown, not_run, failed] = print_results(programs, results);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const bool partial = is_interrupted();
    constexpr int exit_none_can_be_run = 77;
    const int exit_code = partial              ? 3
                          : failed > 0         ? 1
                          : shown + failed > 0 ? 0
                                               : exit_none_can_be_run;
    std::printf("%s%s; %.0f s (exit %d)\n",
                verified_text(shown, shown + failed, not_run, 0).c_str(),
                partial ? "; interrupted: the others were not run" : "", taken.count(), exit_code);
    return exit_code;
}

}  // namespace

void add_verify_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<VerifyVerb>();
    const Verb verb = command.add_verb(
        "verify", "Run kept reproducers and see that each shows what its line \"shows:\" says");
    verb.add_option("paths", options->paths,
                    "Reproducers that `gathercheck run --reproducers FOLDER` wrote, and folders of "
                    "them")
        .required()
        .type_name("PATH");
    verb.add_option("--jobs", options->jobs, "Programs that run side by side")
        .in(Range<int>{1, 256})
        .show_default()
        .type_name("N");
    verb.add_option("--time-limit", options->seconds,
                    "Seconds that a program may take that comes to an end")
        .in(seconds_allowed)
        .show_default();
    verb.footer(
        "Each runs in a folder of its own, with a limit of its address space (4 GiB; 6 GiB for "
        "openvino:onnx;\n64 GiB for JavaScript, Rust and Go, which reserve much; none for a "
        "command of "
        "its own). What runs it:\n"
        "  .py        the Python of the adapters (GATHERCHECK_PYTHON, else " +
        default_adapter_python() +
        ")\n"
        "  .js        node, in the folder of the engine's packages (GATHERCHECK_ENGINES)\n"
        "  .cpp, .c   CXX or c++, CC or cc; with ONNX's library for onnx-shapes\n"
        "  .rs        cargo, with the crates of the engine as tools/setup.sh NAME of the source "
        "tree installs them\n"
        "  .go        go, with the modules of the adapter of its engine\n"
        "  .sh        /bin/sh\n"
        "A line \"command: [\"python3\",\"{file}\"]\" of a file's head, as a worker may have "
        "given, is "
        "run\ninstead, but only where the file itself is named as a PATH: in a folder such files "
        "are not run.\nReproducers are programs: verify those that you would run.\n\n"
        "Example:\n  gathercheck verify build/reproducers --jobs 2\n\n"
        "Exit code: 0 each shows what it says; 1 one does not; 3 interrupted; 4 bad input or "
        "usage; "
        "77 none\ncan be run here. What cannot be run is named with what it lacks.");
    verb.callback([options, &exit_code] { exit_code = verify_verb(*options); });
}

}  // namespace gathercheck
