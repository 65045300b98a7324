// SPDX-License-Identifier: Apache-2.0
// Sweeps: ids, order and contents of the cases that they become, and the sweeps that are refused.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

#include "conformance/tests/load_fixture.hpp"

using namespace gathercheck;

namespace {

std::string with(std::string_view pointer, std::string_view value) {
    Json root = Json::parse(fixture::sweep);
    const Json::json_pointer place{std::string(pointer)};
    if (value.empty()) {
        root[place.parent_pointer()].erase(place.back());
    } else {
        root[place] = Json::parse(value);
    }
    return root.dump();
}

LoadResult load(std::string_view text) { return load_cases_text(text, "x.json", fixture::rules()); }

struct Doubt {
    std::string_view pointer;
    std::string_view value;
    std::string_view at;
    std::string_view reason;
};

}  // namespace

TEST_CASE("a sweep becomes a case for each combination, the last list fastest") {
    const auto result = load(fixture::sweep);
    const Suite& suite = std::get<Suite>(result);
    REQUIRE(suite.cases.size() == 12);
    CHECK(suite.cases[0].id == "small-sweep/type=f16/axis=0/indices=one");
    CHECK(suite.cases[1].id == "small-sweep/type=f16/axis=0/indices=none");
    CHECK(suite.cases[3].id == "small-sweep/type=f16/axis=-1/indices=one");
    CHECK(suite.cases[11].id == "small-sweep/type=string/axis=-1/indices=scalar");
    for (const Case& each : suite.cases) {
        CHECK(each.from_sweep);
        CHECK(each.pointer == "/cases/0");
        CHECK(each.title == "types and axes");
        CHECK(std::holds_alternative<FromEquation>(
            std::get<ExpectedOutput>(each.expect.at(0).alternatives.at(0)).output));
    }
    CHECK(suite.cases[11].axis == -1);
    CHECK(suite.cases[11].inputs[0].tensor.descriptor.type == ElementType::string);
    CHECK(suite.cases[1].inputs[1].tensor.descriptor.shape == Shape{0});
    CHECK(suite.cases[2].inputs[1].tensor.descriptor.shape == Shape{});
    CHECK(suite.cases[0].hash != suite.cases[1].hash);
}

TEST_CASE("adding a value to a sweep changes no other case") {
    const auto before = load(fixture::sweep);
    const auto after = load(with("/cases/0/sweep/type", R"(["f16", "string", "i8"])"));
    const Suite& small = std::get<Suite>(before);
    const Suite& large = std::get<Suite>(after);
    REQUIRE(large.cases.size() == 18);
    for (std::size_t k = 0; k < small.cases.size(); ++k) {
        CHECK(large.cases[k].id == small.cases[k].id);
        CHECK(large.cases[k].hash == small.cases[k].hash);
    }
}

TEST_CASE("sweeps that cannot be expanded are refused") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/cases/0/sweep", "{}", "/cases/0/sweep", "an empty object"},
             {"/cases/0/sweep", "[]", "/cases/0/sweep", "is a list"},
             {"/cases/0/id", "\"Small\"", "/cases/0/id", "kebab-case"},
             {"/cases/0/sweep/axis", "[]", "/cases/0/sweep/axis", "an empty list"},
             {"/cases/0/sweep/axis", "0", "/cases/0/sweep/axis", "is the integer 0"},
             {"/cases/0/sweep/axis", "[0, 0]", "/cases/0/sweep/axis/1", "stands twice"},
             {"/cases/0/sweep/axis", "[null]", "/cases/0/sweep/axis/0", "is null"},
             {"/cases/0/sweep/axis", "[[0]]", "/cases/0/sweep/axis/0", "is a list"},
             {"/cases/0/sweep/axis", "[\"$type\"]", "/cases/0/sweep/axis/0", "placeholder"},
             {"/cases/0/sweep/type", "[\"f 16\"]", "/cases/0/sweep/type/0", "part of an id"},
             {"/cases/0/sweep/a.b", "[1]", "/cases/0/sweep/a.b", "is no name of a list"},
             {"/cases/0/sweep/rank", "[1]", "/cases/0/sweep/rank", "no $rank stands"},
             {"/cases/0/sweep/indices/0/extra", "1", "/cases/0/sweep/indices",
              "no $indices.extra stands"},
             {"/cases/0/sweep/indices/0/name", "", "/cases/0/sweep/indices/0",
              "\"name\" is missing"},
             {"/cases/0/sweep/indices/1/values", "", "/cases/0/inputs/indices/values",
              "\"none\" of \"indices\" has no field \"values\""},
             {"/cases/0/inputs/indices/values", "\"$indices\"", "/cases/0/inputs/indices/values",
              "is an object; name one of its fields"},
             {"/cases/0/inputs/data/type", "\"$typ\"", "/cases/0/inputs/data/type",
              "placeholder of no list"},
             {"/cases/0/inputs/data/type", "\"$\"", "/cases/0/inputs/data/type",
              "placeholder of no list"},
             {"/cases/0/inputs/data/type", "\"$type.\"", "/cases/0/inputs/data/type",
              "placeholder of no list"},
             {"/cases/0/titel", "1", "/cases/0/titel", "unknown here"},
         }) {
        CAPTURE(doubt.pointer, doubt.value);
        const auto result = load(with(doubt.pointer, doubt.value));
        const auto* problems = std::get_if<std::vector<Problem>>(&result);
        REQUIRE(problems != nullptr);
        CHECK(problems->front().pointer == doubt.at);
        CAPTURE(problems->front().reason);
        CHECK(problems->front().reason.find(doubt.reason) != std::string::npos);
    }
}

TEST_CASE("a problem of one combination names it, and is reported once") {
    const auto result = load(with("/cases/0/sweep/type", R"(["f16", "f8"])"));
    const auto& problems = std::get<std::vector<Problem>>(result);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == "/cases/0/inputs/data/type");
    CHECK(problems[0].reason.ends_with("(in small-sweep/type=f8/axis=0/indices=one)"));
}

TEST_CASE("a sweep of too many combinations is refused before it is expanded") {
    Json root = Json::parse(fixture::sweep);
    Json& axis = root["cases"][0]["sweep"]["axis"];
    for (int k = 1; k < 50'000; ++k) axis.push_back(k);
    const auto result = load(root.dump());
    const auto& problems = std::get<std::vector<Problem>>(result);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == "/cases/0/sweep");
    CHECK(problems[0].reason.find("more than 100000 combinations") != std::string::npos);
}

TEST_CASE("a sweep's id is taken like any other") {
    Json root = Json::parse(fixture::sweep);
    root["cases"].push_back(root["cases"][0]);
    const auto result = load(root.dump());
    const auto& problems = std::get<std::vector<Problem>>(result);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == "/cases/1/id");
}

TEST_CASE("what is wrong in every combination is told once, and no combination becomes a case") {
    Json root = Json::parse(fixture::sweep);
    root["cases"][0]["expect"][0] = {{"for", {"onnx.Gather-13"}},
                                     {"rules", {"onnx.gather-13.axis.rangee"}},
                                     {"error", "axis_out_of_range"}};
    const auto result = load(root.dump());
    const auto& problems = std::get<std::vector<Problem>>(result);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == "/cases/0/expect/0/rules/0");
    CHECK(problems[0].reason.ends_with("(in small-sweep/type=f16/axis=0/indices=one)"));
}
