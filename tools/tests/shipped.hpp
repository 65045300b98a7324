// SPDX-License-Identifier: Apache-2.0
// The shipped suite, loaded once for all tests that need it.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <optional>

#include "tools/shared/suite.hpp"

namespace gathercheck {

inline const LoadedSuite& shipped() {
    static const std::optional<LoadedSuite> loaded = load_suite({});
    REQUIRE(loaded);
    return *loaded;
}

}  // namespace gathercheck
