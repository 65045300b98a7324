// SPDX-License-Identifier: Apache-2.0
// Tests of what calls are generated for an implementation.
#include "tools/shared/fuzz_session.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "optimized/gather.hpp"
#include "optimized/tuning.hpp"
#include "tools/shared/installed.hpp"

using namespace gathercheck;

namespace {

bool has_threshold(const CallSpace& space, std::int64_t elements) {
    return std::ranges::count(space.thresholds, elements) > 0;
}

}  // namespace

TEST_CASE("sizes at which a built-in implementation changes what it does are asked") {
    BuiltIn built_in;
    built_in.thresholds = [] { return std::vector<std::int64_t>{2320}; };
    const CallSpace space = space_of({}, {}, &built_in, 1160);
    for (const std::int64_t elements : {1160, 580, 290, 145}) {
        INFO(elements);
        CHECK(has_threshold(space, elements));
    }
    CHECK_FALSE(has_threshold(space, 2320));  // more elements than its tensors may have
    CHECK_FALSE(has_threshold(space_of({}, {}, nullptr, 1160), 580));
}

TEST_CASE("the optimized library's own thresholds are among them") {
    const auto optimized = built_in_of("optimized", {});
    REQUIRE(optimized);
    const auto& tuning =
        optimized::Tuning::of_this_machine(optimized::best_target().instruction_set);
    const std::vector<std::int64_t> thresholds = optimized->thresholds();
    CHECK(std::ranges::count(thresholds, tuning.prefetch_from) == 1);
    CHECK(std::ranges::count(thresholds, tuning.stream_from) == 1);
}
