// SPDX-License-Identifier: Apache-2.0
// What the verbs calls and judge must agree on.
#include "tools/shared/offline.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include "conformance/implementations/worker/offline.hpp"
#include "conformance/implementations/worker/protocol.hpp"

namespace gathercheck {

std::variant<Introduction, std::string> introduction_of(const std::string& hello) {
    if (hello.empty()) {
        Introduction anybody;
        anybody.claims = claims_of_table();
        return anybody;
    }
    auto read = read_hello(hello);
    if (const auto* malformed = std::get_if<Malformed>(&read)) return malformed->why;
    return std::get<Introduction>(std::move(read));
}

bool load_known_failures_of(const std::string& path, const LoadedSuite& loaded,
                            const std::string& version, std::optional<KnownFailures>& known) {
    if (path.empty()) return true;
    auto file = load_known_failures(path, loaded.rules, loaded.findings);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&file)) {
        print_problems(*problems);
        return false;
    }
    known = std::get<KnownFailures>(std::move(file));
    if (known->covers(version)) return true;
    std::fprintf(stderr,
                 "gathercheck: the known failures of %s are about versions %s; this is '%s': they "
                 "are not applied\n",
                 path.c_str(), known->versions_text().c_str(), version.c_str());
    known.reset();
    return true;
}

}  // namespace gathercheck
