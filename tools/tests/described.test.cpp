// SPDX-License-Identifier: Apache-2.0
// Described calls of the shipped suite: what shape inference can know of each operator version is
// asked of it.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/model/case.hpp"
#include "reference/operator_version.hpp"
#include "tools/tests/shipped.hpp"

namespace gathercheck {
namespace {

bool has_described(OperatorVersion version, bool legal, const std::string& rule) {
    return std::ranges::any_of(shipped().suite.cases, [&](const Case& one) {
        const Expectation* expected = one.is_described() ? one.expectation(version) : nullptr;
        if (expected == nullptr) return false;
        const bool may_be_refused = expected->is_unspecified() || expected->may_be_rejected();
        return legal != may_be_refused &&
               (rule.empty() || std::ranges::find(expected->rules, rule) != expected->rules.end());
    });
}

bool has_large(OperatorVersion version) {
    constexpr std::int64_t large = std::int64_t{1} << 32;
    return std::ranges::any_of(shipped().suite.cases, [&](const Case& one) {
        return one.is_described() && one.expectation(version) != nullptr &&
               std::ranges::any_of(one.inputs, [](const NamedTensorSpec& input) {
                   return std::ranges::any_of(input.tensor.descriptor.shape.dims(),
                                              [](std::int64_t dim) { return dim >= large; });
               });
    });
}

}  // namespace

TEST_CASE("each operator version has legal described calls, with dimensions of 2^32 too") {
    for (const OperatorInfo& version : operator_versions()) {
        CAPTURE(version.name);
        CHECK(has_described(version.version, true, ""));
        CHECK(has_large(version.version));
    }
}

TEST_CASE("each check of shapes of each operator version is broken by a described call") {
    for (const OperatorInfo& version : operator_versions()) {
        for (std::size_t k = 0; k < check_count; ++k) {
            const auto check = static_cast<Check>(k);
            const std::string rule = rule_id(version.version, check);
            if (rule.empty() || phase(check) != Phase::shape) continue;
            CAPTURE(version.name, rule);
            CHECK(has_described(version.version, false, rule));
        }
    }
}

}  // namespace gathercheck
