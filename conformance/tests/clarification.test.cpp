// SPDX-License-Identifier: Apache-2.0
// Clarifications: what the loader takes, what it refuses, and the shipped ones.
#include "conformance/documents/clarification.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/documents/observation.hpp"
#include "conformance/tests/load_fixture.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/temporary.hpp"

using namespace gathercheck;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view good = R"({
  "id": "past-the-end", "title": "t", "topic": "indices",
  "operators": ["onnx.Gather-13", "openvino.Gather-8"],
  "rules": ["onnx.gather-13.indices.range", "ov.gather-8.formula"],
  "says": "s", "silent": "n",
  "readings": [ { "reading": "r", "for": "f" }, { "reading": "q", "against": "a" } ],
  "why": "w", "cases": ["one-past-the-end"], "question": "?"
})";

const Suite& suite() {
    static const Suite loaded =
        std::get<Suite>(load_cases_text(fixture::document, "document.json", fixture::rules()));
    return loaded;
}

std::variant<std::vector<Clarification>, std::vector<Problem>> load(
    const std::vector<std::pair<std::string, std::string>>& files) {
    const test::TemporaryFolder folder;
    for (const auto& [name, text] : files) std::ofstream(folder.path() / name) << text;
    return load_clarifications(folder.path(), suite(), fixture::rules());
}

struct Doubt {
    std::string_view pointer;
    std::string_view value;  ///< empty: removed
    std::string_view at;
    std::string_view reason;
};

}  // namespace

TEST_CASE("a clarification is read whole, its first reading first") {
    const auto loaded = load({{"past-the-end.json", std::string(good)}});
    REQUIRE(std::holds_alternative<std::vector<Clarification>>(loaded));
    const auto& entries = std::get<0>(loaded);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].id == "past-the-end");
    CHECK(entries[0].versions ==
          std::vector{OperatorVersion::onnx_gather_13, OperatorVersion::openvino_gather_8});
    REQUIRE(entries[0].readings.size() == 2);
    CHECK(entries[0].readings[0].reading == "r");
    CHECK(entries[0].readings[0].in_favour == "f");
    CHECK(entries[0].readings[0].against.empty());
    CHECK(entries[0].cases == std::vector<std::string>{"one-past-the-end"});
}

TEST_CASE("clarifications come in the order of topics, then of ids; observations are no entry") {
    const auto entry = [](const char* id, const char* topic) {
        Json value = Json::parse(good);
        value["id"] = id;
        value["topic"] = topic;
        return std::pair(std::string(id) + ".json", value.dump());
    };
    const auto loaded = load({entry("a", "text"),
                              entry("b", "axis"),
                              entry("c", "indices"),
                              entry("d", "axis"),
                              {"observed.json", "{"},
                              {"README.md", "#"}});
    REQUIRE(std::holds_alternative<std::vector<Clarification>>(loaded));
    std::string order;
    for (const Clarification& each : std::get<0>(loaded)) order += each.id;
    CHECK(order == "cbda");
}

TEST_CASE("a call has the open points that name its case, or a reading that is cited") {
    const auto loaded = load({{"past-the-end.json", std::string(good)}});
    REQUIRE(std::holds_alternative<std::vector<Clarification>>(loaded));
    const auto& entries = std::get<0>(loaded);
    Case tested = suite().cases.front();
    REQUIRE(tested.id == "one-past-the-end");
    using enum OperatorVersion;
    const RuleCatalogue& rules = fixture::rules();
    const auto points = [&](OperatorVersion version, const std::vector<std::string>& cited,
                            const RuleCatalogue& catalogue) {
        return open_points(entries, tested, version, cited, catalogue).size();
    };
    CHECK(points(onnx_gather_13, {}, rules) == 1);
    CHECK(points(onnx_gather_11, {}, rules) == 0);  // which the entry is not about
    tested.written = tested.id;                     // in other element types
    tested.id += "/data=f32";
    CHECK(points(onnx_gather_13, {}, rules) == 1);
    tested.id = "another";
    tested.written = {};
    const std::vector<std::string> cited{"onnx.gather-13.indices.range"};
    CHECK(points(onnx_gather_13, cited, rules) == 0);
    Rule reading = *rules.find(cited.front());
    reading.level = "reading";
    RuleCatalogue of_readings;
    of_readings.add(reading);
    CHECK(points(onnx_gather_13, cited, of_readings) == 1);
    CHECK(points(openvino_gather_8, cited, of_readings) == 0);
    CHECK(open_point_text(entries.front()) ==
          "Open point: t (gathercheck clarifications past-the-end)");
}

TEST_CASE("clarifications that are doubtful are refused with file, pointer and remedy") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/engines", "\"x\"", "/engines", "unknown here"},
             {"/title", "", "", "\"title\" is missing"},
             {"/why", "\"\"", "/why", "not empty"},
             {"/id", "\"Past\"", "/id", "no kebab-case id"},
             {"/id", "\"other\"", "/id", "is not the name of its file, \"past-the-end\""},
             {"/topic", "\"weather\"", "/topic", "write one of indices, axis, batch-dimensions"},
             {"/operators", "[]", "/operators", "empty list"},
             {"/operators/0", "\"onnx.Gather-12\"", "/operators", "is no operator version"},
             {"/rules/0", "\"onnx.gather-13.none\"", "/rules", "is no rule"},
             {"/rules/0", "\"onnx.gather-11.formula\"", "/rules", "which \"operators\" lacks"},
             {"/cases/0", "\"none\"", "/cases", "is no case"},
             {"/cases", "[\"one-past-the-end\", \"one-past-the-end\"]", "/cases/1", "twice"},
             {"/cases", "", "", "write either the \"cases\""},
             {"/no_case", "\"x\"", "", "write either the \"cases\""},
             {"/readings/1", "", "/readings", "fewer than two readings"},
             {"/readings/0/for", "", "/readings/0", "neither what is \"for\""},
             {"/readings/0/best", "true", "/readings/0/best", "unknown here"},
         }) {
        CAPTURE(doubt.pointer, doubt.value);
        Json root = Json::parse(good);
        const Json::json_pointer place{std::string(doubt.pointer)};
        if (doubt.value.empty() && root[place.parent_pointer()].is_array()) {
            root[place.parent_pointer()].erase(1);
        } else if (doubt.value.empty()) {
            root[place.parent_pointer()].erase(place.back());
        } else {
            root[place] = Json::parse(doubt.value);
        }
        const auto loaded = load({{"past-the-end.json", root.dump()}});
        REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
        const Problem& problem = std::get<1>(loaded).front();
        CHECK(problem.file.ends_with("past-the-end.json"));
        CHECK(problem.pointer == doubt.at);
        CAPTURE(problem.reason);
        CHECK(problem.reason.find(doubt.reason) != std::string::npos);
    }
}

TEST_CASE("a case that expects nothing of the versions concerned pins nothing") {
    Json root = Json::parse(good);
    root["cases"] = {"huge"};  // for openvino.Gather-8 only
    CHECK(std::holds_alternative<std::vector<Clarification>>(
        load({{"past-the-end.json", root.dump()}})));
    root["operators"] = {"onnx.Gather-13"};
    root["rules"] = {"onnx.gather-13.formula"};
    const auto loaded = load({{"past-the-end.json", root.dump()}});
    REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
    CHECK(std::get<1>(loaded).front().reason.find("expects nothing of any version") !=
          std::string::npos);
}

TEST_CASE("a folder without clarifications is refused") {
    CHECK(std::holds_alternative<std::vector<Problem>>(load({})));
    CHECK(std::holds_alternative<std::vector<Problem>>(
        load_clarifications("no-such-folder", suite(), fixture::rules())));
}

TEST_CASE("the shipped clarifications and observations are well formed") {
    fixture::declare_shipped_dialects();
    const auto rules = load_rules(fixture::spec_cases() / "rules");
    REQUIRE(std::holds_alternative<RuleCatalogue>(rules));
    const auto shipped =
        load_cases({fixture::spec_cases() / "cases"}, std::get<RuleCatalogue>(rules));
    REQUIRE(std::holds_alternative<Suite>(shipped));
    const fs::path folder = fixture::spec_cases() / "clarifications";
    const auto loaded =
        load_clarifications(folder, std::get<Suite>(shipped), std::get<RuleCatalogue>(rules));
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        FAIL(to_string(problems->front()));
    }
    CHECK(std::get<0>(loaded).size() >= 70);
    const auto observed = load_observed(folder / observed_file, std::get<Suite>(shipped));
    if (const auto* problems = std::get_if<std::vector<Problem>>(&observed)) {
        FAIL(to_string(problems->front()));
    }
    CHECK_FALSE(std::get<0>(observed).empty());
}
