// SPDX-License-Identifier: Apache-2.0
// Compressing what is written: by the program gzip, as input_file reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gathercheck {

/// The bytes of a gzip file; nothing where there is no such program, or it failed.
std::optional<std::string> gzipped(std::string_view text);

}  // namespace gathercheck
