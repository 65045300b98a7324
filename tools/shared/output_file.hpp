// SPDX-License-Identifier: Apache-2.0
// Files that a verb writes: never one that it reads.
#pragma once

#include <string>
#include <vector>

#include "conformance/load/load.hpp"

namespace gathercheck {

/// Why a file must not be written: it is one of the inputs, by whatever name, or through a link.
/// Empty where it may. Inputs without a name are none.
std::string why_not_written(const std::string& output, const std::vector<std::string>& inputs);

/// Writes a text into the output, or to stdout where it has no name; why not, else empty.
std::string write_output(const std::string& output, const std::string& text,
                         const std::vector<std::string>& inputs);

/// The files of records of a folder; none where it has no name or cannot be read.
std::vector<std::string> records_in(const std::string& folder);

/// The files that the cases come from.
std::vector<std::string> files_of(const Suite& suite);

}  // namespace gathercheck
