// SPDX-License-Identifier: Apache-2.0
// What lies in a folder and is no file.
#pragma once

#include <filesystem>
#include <string>

namespace gathercheck {

/// What a path is that is no file: "a folder", "a pipe", "a socket", "a device"; else empty.
/// Whoever goes through a folder reads none of them: a pipe may never end. One that a user names is
/// read.
std::string special_file(const std::filesystem::path& path);

}  // namespace gathercheck
