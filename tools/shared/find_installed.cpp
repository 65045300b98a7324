// SPDX-License-Identifier: Apache-2.0
// The places where the shipped data may lie. It is apart from the list of implementations, so that
// a program without these has it, too.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "tools/shared/installed.hpp"

namespace gathercheck {

std::filesystem::path this_executable() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
}

std::variant<Installed, std::string> find_installed() {
    std::vector<std::filesystem::path> places;
    const char* chosen = std::getenv("GATHERCHECK_SHARE");
    std::error_code error;
    if (chosen != nullptr && *chosen != '\0') {
        places.emplace_back(chosen);
    } else {
        const std::filesystem::path executable = this_executable();
        places.push_back(executable.parent_path().parent_path() / "share" / "gathercheck");
        places.push_back(executable.parent_path() / "share" / "gathercheck");
#ifdef GATHERCHECK_SHARE
        places.emplace_back(GATHERCHECK_SHARE);
#endif
#ifdef GATHERCHECK_INSTALLED_SHARE
        places.emplace_back(GATHERCHECK_INSTALLED_SHARE);
#endif
    }
    for (const std::filesystem::path& share : places) {
        const std::filesystem::path data = share / "spec_cases";
        if (!std::filesystem::is_directory(data, error)) continue;
        return Installed{data / "cases",          data / "rules",
                         data / "equations.json", data / "dialects",
                         data / "known_failures", data / "findings",
                         share / "adapters",      share / "conformance" / "protocol.md"};
    }
    return places.front().generic_string() +
           " has no folder spec_cases: the shipped cases and rules belong there; install "
           "gathercheck "
           "again, run it from its build tree, or set GATHERCHECK_SHARE";
}

}  // namespace gathercheck
