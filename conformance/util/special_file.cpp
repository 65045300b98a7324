// SPDX-License-Identifier: Apache-2.0
// Asks the file system what a path is.
#include "conformance/util/special_file.hpp"

#include <system_error>

namespace gathercheck {

std::string special_file(const std::filesystem::path& path) {
    using enum std::filesystem::file_type;
    std::error_code error;
    const std::filesystem::file_type type = std::filesystem::status(path, error).type();
    if (type == directory) return "a folder";
    if (type == fifo) return "a pipe";
    if (type == socket) return "a socket";
    return type == block || type == character ? "a device" : "";
}

}  // namespace gathercheck
