// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <variant>

#include "conformance/records/record_files.hpp"

namespace gathercheck {

std::string why_not_written(const std::string& output, const std::vector<std::string>& inputs) {
    namespace fs = std::filesystem;
    if (output.empty() || output == "-") return {};
    std::error_code error;
    const fs::file_status status = fs::status(output, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) return {};  // a terminal, /dev/null
    for (const std::string& input : inputs) {
        if (input.empty() || input == "-") continue;
        const bool same = fs::exists(status) ? fs::equivalent(output, input, error)
                                             : fs::weakly_canonical(output, error) ==
                                                   fs::weakly_canonical(input, error);
        if (!same) continue;
        return "cannot write " + output + ": it is an input" +
               (output == input ? "" : ", " + input) +
               ", which would be lost; name another file for the output";
    }
    return {};
}

std::string write_output(const std::string& output, const std::string& text,
                         const std::vector<std::string>& inputs) {
    if (output.empty()) {
        std::fputs(text.c_str(), stdout);
        return {};
    }
    std::string why_not = why_not_written(output, inputs);
    if (!why_not.empty()) return why_not;
    std::ofstream stream(output, std::ios::binary);
    stream << text;
    stream.close();
    return stream ? "" : "cannot write " + output + ": " + std::strerror(errno);
}

std::vector<std::string> records_in(const std::string& folder) {
    std::vector<std::string> files;
    const auto found = record_files_in(folder);
    if (const auto* paths = std::get_if<std::vector<std::filesystem::path>>(&found)) {
        for (const std::filesystem::path& path : *paths) files.push_back(path.string());
    }
    return files;
}

std::vector<std::string> files_of(const Suite& suite) {
    std::set<std::string> files;
    for (const Case& each : suite.cases) files.insert(each.file);
    return {files.begin(), files.end()};
}

}  // namespace gathercheck
