// SPDX-License-Identifier: Apache-2.0
// Reproducers: stand-alone programs that show a failure in an engine's own API, as files.
#pragma once

#include <filesystem>
#include <string>

#include "conformance/record.hpp"

namespace gathercheck {

/// Where the reproducer of an execution belongs below a folder of them:
/// "onnxruntime/gather-x.onnx.Gather-13.runtime-static.py". Names are safe for files; what a file
/// name cannot hold is replaced, and a hash keeps such names apart.
std::filesystem::path reproducer_file(const ExecutionRecord& failed, const std::string& language);

/// The source under a comment that says what it shows.
std::string reproducer_text(const ExecutionRecord& failed, const std::string& language,
                            const std::string& source);

}  // namespace gathercheck
