// SPDX-License-Identifier: Apache-2.0
// Names of the kinds of contenders.
#include "tools/bench/contender.hpp"

namespace gathercheck::bench {

std::string_view name(Kind kind) {
    switch (kind) {
        case Kind::ours:
            return "ours";
        case Kind::variant:
            return "variant";
        case Kind::peer:
            return "peer";
        case Kind::plain:
            return "plain";
        case Kind::bound:
            return "bound";
        case Kind::lines:
            return "lines";
    }
    return "";
}

}  // namespace gathercheck::bench
