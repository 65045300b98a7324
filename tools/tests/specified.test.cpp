// SPDX-License-Identifier: Apache-2.0
// Tests of what is said of calls that no case asks.
#include "tools/shared/specified.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/model/case.hpp"
#include "tools/tests/shipped.hpp"

using namespace gathercheck;

TEST_CASE("a call that breaks two rules is no precedent for one that breaks one of them") {
    // gather-two-rules-attribute-unknown-and-kind has attributes of these names, and must be
    // rejected: its axis is no integer.
    Case asked;
    asked.id = "asked";
    asked.attributes = {{"axis", std::int64_t{0}}, {"mode", std::int64_t{0}}};
    const std::vector<std::byte> zero(4);
    for (const auto& [name, type] :
         {std::pair{"data", ElementType::f32}, std::pair{"indices", ElementType::i32}}) {
        asked.inputs.push_back({name, {{type, {1}}, Tensor{type, {1}, zero, {}}}});
    }
    Specified specified(shipped());
    for (const OperatorVersion version :
         {OperatorVersion::onnx_gather_1, OperatorVersion::onnx_gather_13}) {
        const auto answer = specified.answer(asked, version);
        REQUIRE(std::holds_alternative<SpecifiedAnswer>(answer));
        CHECK(std::get<SpecifiedAnswer>(answer).says == Says::open);
    }
}
