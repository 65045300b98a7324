// SPDX-License-Identifier: Apache-2.0
// Tests of the mutants: names and ideas, and that each differs from the reference where it should.
#include "conformance/mutants/mutants.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <set>

#include "reference/reference.hpp"
#include "tools/tests/shipped.hpp"

using namespace gathercheck;

namespace {

const Mutant& find(const std::string& name) {
    for (const Mutant& mutant : mutants()) {
        if (mutant.name == name) return mutant;
    }
    FAIL("there is no mutant " << name);
    return unchanged();
}

/// data = [10, 20, 30] of f32, the indices given, axis 0.
struct SmallCall {
    std::array<float, 3> data{10, 20, 30};
    std::array<std::int64_t, 2> indices;
    Call call;

    explicit SmallCall(std::array<std::int64_t, 2> chosen) : indices(chosen) {
        call.version = OperatorVersion::onnx_gather_13;
        const auto* picked_from = reinterpret_cast<const std::byte*>(data.data());
        const auto* picks = reinterpret_cast<const std::byte*>(indices.data());
        call.inputs = {{"data", {ElementType::f32, Shape{3}, picked_from}},
                       {"indices", {ElementType::i64, Shape{2}, picks}}};
    }
    SmallCall(const SmallCall&) = delete;
    SmallCall& operator=(const SmallCall&) = delete;

    std::array<float, 2> answer(const Mutant& mutant) const {
        std::array<float, 2> output{-1, -1};
        const auto done = mutant.built_in.run(call, std::as_writable_bytes(std::span(output)));
        REQUIRE(done);
        return output;
    }
};

}  // namespace

TEST_CASE("there are at least 60 mutants, each with a name and an idea of its own") {
    REQUIRE(!shipped().suite.cases.empty());  // some are of declared versions alone
    std::set<std::string> names;
    for (const Mutant& mutant : mutants()) {
        CHECK(names.insert(mutant.name).second);
        CHECK(!mutant.idea.empty());
        CHECK(!mutant.built_in.claims.empty());
        CHECK(mutant.built_in.follows_suite);
    }
    CHECK(names.size() >= 60);
}

TEST_CASE("without a bug the steps of a mutant are the reference's") {
    const SmallCall good({2, -3});
    CHECK(good.answer(unchanged()) == std::array<float, 2>{30, 10});
    const SmallCall bad({0, 3});
    std::array<float, 2> output{-1, -1};
    const auto done = unchanged().built_in.run(bad.call, std::as_writable_bytes(std::span(output)));
    REQUIRE(!done);
    CHECK(done.error().category == Category::index_out_of_bounds);
    CHECK(output == std::array<float, 2>{-1, -1});
}

TEST_CASE("a bug in reading indices picks another element") {
    CHECK(SmallCall({0, 3}).answer(find("index-clamped")) == std::array<float, 2>{10, 30});
    CHECK(SmallCall({0, 4}).answer(find("index-wraps")) == std::array<float, 2>{10, 20});
    CHECK(SmallCall({0, -1}).answer(find("negative-off-by-one")) == std::array<float, 2>{10, 20});
}

TEST_CASE("a bug in the order of elements keeps the elements") {
    CHECK(SmallCall({0, 1}).answer(find("output-reversed")) == std::array<float, 2>{20, 10});
    CHECK(SmallCall({1, 0}).answer(find("indices-sorted")) == std::array<float, 2>{10, 20});
}

TEST_CASE("a bug in the descriptor changes nothing else") {
    const SmallCall call({0, 1});
    const auto described = find("output-has-type-of-indices").built_in.output_descriptor(call.call);
    REQUIRE(described);
    CHECK(described->type == ElementType::i64);
    CHECK(described->shape == Shape{2});
}

TEST_CASE("a missing check gives an output for what must be refused") {
    SmallCall call({0, 1});
    call.call.attributes = {{"axis", std::int64_t{1}}};
    CHECK(!unchanged().built_in.output_descriptor(call.call));
    CHECK(find("no-check-axis-range").built_in.output_descriptor(call.call));
    CHECK(!find("no-check-index-range").built_in.output_descriptor(call.call));
}
