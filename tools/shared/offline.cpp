// SPDX-License-Identifier: Apache-2.0
// What the verbs calls and judge must agree on.
#include "tools/shared/offline.hpp"

#include <utility>

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

}  // namespace gathercheck
