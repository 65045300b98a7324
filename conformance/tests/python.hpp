// SPDX-License-Identifier: Apache-2.0
// For tests: runs a Python script that checks something with a package of Python's.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "conformance/tests/places.hpp"

namespace gathercheck {

struct PythonAnswer {
    int code = -1;
    std::string output;

    /// No Python, or none with the package that the script needs.
    bool cannot() const { return code == 77 || code == 127; }
};

/// Runs a script in the first Python of GATHERCHECK_PYTHON, build/venv and python3 that has what it
/// needs. `arguments` are words of a shell.
inline PythonAnswer run_python(const std::filesystem::path& script,
                               const std::string& arguments = {}) {
    const auto run = [](const std::string& command) {
        PythonAnswer answer;
        std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
        if (pipe == nullptr) return answer;
        std::array<char, 4096> buffer{};
        while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
            answer.output += buffer.data();
        }
        const int status = pclose(pipe);
        if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
        return answer;
    };
    const auto root = fixture::source_tree();
    const char* given = std::getenv("GATHERCHECK_PYTHON");
    PythonAnswer answer;
    for (const std::string& python :
         {std::string(given == nullptr ? "" : given), (root / "build/venv/bin/python").string(),
          std::string("python3")}) {
        if (python.empty()) continue;
        const PythonAnswer tried =
            run("'" + python + "' -W ignore '" + script.string() + "' " + arguments);
        if (answer.output.empty() || !tried.cannot()) answer = tried;
        if (!tried.cannot()) break;
    }
    return answer;
}

}  // namespace gathercheck
