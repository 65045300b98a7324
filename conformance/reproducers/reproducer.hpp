// SPDX-License-Identifier: Apache-2.0
// Reproducers: stand-alone programs that show a failure in an engine's own API, as files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/records/record.hpp"

namespace gathercheck {

/// Where the reproducer of an execution belongs below a folder of them:
/// "onnxruntime/gather-x.onnx.Gather-13.runtime-static.py". Names are safe for files; what a file
/// name cannot hold is replaced, and a hash keeps such names apart.
std::filesystem::path reproducer_file(const ExecutionRecord& failed, const std::string& language);

/// A stand-alone program that makes a call, and what it shows.
struct Reproducer {
    std::string language;
    std::string source;
    std::vector<std::string>
        command;                     ///< what runs it, "{file}" being its name; empty: by language
    std::string shows;               ///< in the words of `shows`; empty: nothing to be checked
    std::vector<std::string> rules;  ///< ids of the rules that the failure breaks
};

/// What the program of a failed call shows when it runs alone, so that a machine can look:
/// "an output", "an output other than [2] 0000803f...", "a description", "refused: TEXT",
/// "a crash", "a crash or an output", "no end in 10 seconds"; empty where only we can see it.
/// `expected` is empty where the case is unspecified. spec_cases/findings/README.md explains the
/// words.
std::string shows(std::span<const ResolvedAlternative> expected, const Outcome& outcome);

/// The source under a comment that says what it shows, and what the rules say.
std::string reproducer_text(const ExecutionRecord& failed, const Reproducer& reproducer,
                            const RuleCatalogue& rules);

/// What the comment at the beginning of a program says to a machine.
struct ReproducerHead {
    std::string implementation;        ///< "openvino:onnx"; empty: it does not tell
    std::vector<std::string> command;  ///< as of Reproducer
    std::string shows;                 ///< the same
    std::string fault;                 ///< why it cannot be read; else empty
};

/// Reads the head of a file. `known` are the names of implementations that it may be on: any other
/// name is not told from the version behind it.
ReproducerHead read_reproducer_head(const std::filesystem::path& file,
                                    std::span<const std::string> known);

/// The language of a file of reproducer_file(): "python"; empty where its name tells none.
std::string_view language_of_reproducer(const std::filesystem::path& file);

}  // namespace gathercheck
