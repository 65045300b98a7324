// SPDX-License-Identifier: Apache-2.0
#include "tools/site/names.hpp"

#include <cstdio>

namespace gathercheck {

std::string file_name(std::string_view id) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    std::string name;
    for (const char character : id) {
        if (plain.find(character) != std::string_view::npos) {
            name += character;
            continue;
        }
        char code[8];
        std::snprintf(code, sizeof code, "~%02X", static_cast<unsigned char>(character));
        name += code;
    }
    return name + ".html";
}

std::string page_path(std::string_view folder, const std::string& id) {
    return std::string(folder) + "/" + file_name(id);
}

std::string root_of(std::string_view path) {
    return path.find('/') == std::string_view::npos ? "" : "../";
}

}  // namespace gathercheck
