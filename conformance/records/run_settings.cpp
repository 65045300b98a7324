// SPDX-License-Identifier: Apache-2.0
#include "conformance/records/run_settings.hpp"

#include "conformance/util/subprocess.hpp"

namespace gathercheck {

std::string options_for_part(const RunSettings& settings) {
    std::string options;
    const auto add = [&](const char* option, const std::string& value) {
        options += (options.empty() ? "" : " ") + std::string(option) + " " + shell_word(value);
    };
    for (const std::string& filter : settings.filters) add("--filter", filter);
    if (settings.sweeps == "sample" || settings.sweeps == "none") {
        add("--sweeps", settings.sweeps);
    }
    return options;
}

}  // namespace gathercheck
