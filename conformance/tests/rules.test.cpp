// SPDX-License-Identifier: Apache-2.0
// The rule catalogue's loader, and the shipped catalogue against the checks of the reference.
#include "conformance/model/rules.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "conformance/tests/load_fixture.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/temporary.hpp"

using namespace gathercheck;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view document = R"({
  "rules": [
    { "id": "onnx.gather-13.axis.range", "operator": "onnx.Gather-13", "statement": "s",
      "level": "stated", "document": "onnx/Gather", "section": "Attributes",
      "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "also": [
        { "document": "onnx/Gather-13", "section": "Inputs",
          "sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c" }],
      "errors": ["axis_out_of_range"], "phase": "shape", "positive": "p", "negative": "n" },
    { "id": "onnx.gather-13.axis.text", "operator": "onnx.Gather-13", "statement": "s",
      "level": "derived", "document": "onnx/Gather", "section": "Attributes",
      "no_sentence": "why", "errors": ["axis_out_of_range"], "phase": "shape",
      "positive": "p", "untestable": "u", "same_check": "onnx.gather-13.axis.range" },
    { "id": "onnx.gather-13.formula", "operator": "onnx.Gather-13", "statement": "s",
      "level": "reading", "document": "onnx/Gather", "section": "Description",
      "no_sentence": "why", "positive": "p" }
  ]
})";

/// A folder with the document as the rules of onnx.Gather-13, removed at the end.
class Folder {
public:
    explicit Folder(std::string_view text) {
        std::ofstream(path() / "onnx.Gather-13.json") << text;
        std::ofstream(path() / "informative.json") << "{";  // not named after a version: skipped
    }
    const fs::path& path() const { return folder_.path(); }

private:
    test::TemporaryFolder folder_;
};

struct Doubt {
    std::string_view pointer;
    std::string_view value;  ///< empty: removed
    std::string_view at;
    std::string_view reason;
};

}  // namespace

TEST_CASE("a catalogue becomes its rules") {
    const Folder folder(document);
    const auto result = load_rules(folder.path());
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(to_string(problems->front()));
    }
    const auto& catalogue = std::get<RuleCatalogue>(result);
    CHECK(catalogue.rules().size() == 3);
    const Rule* rule = catalogue.find("onnx.gather-13.axis.range");
    REQUIRE(rule != nullptr);
    CHECK(rule->version == OperatorVersion::onnx_gather_13);
    CHECK(rule->level == "stated");
    CHECK(rule->errors == std::vector{Category::axis_out_of_range});
    CHECK(rule->phase == Phase::shape);
    CHECK(rule->negative == "n");
    const auto said = sentences(*rule);
    REQUIRE(said.size() == 2);
    CHECK(said[0].document == "onnx/Gather");
    CHECK(said[0].section == "Attributes");
    CHECK(said[0].sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(said[1].document == "onnx/Gather-13");
    CHECK(said[1].section == "Inputs");
    CHECK(said[1].sha256 == "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c");
    CHECK(sentences(*catalogue.find("onnx.gather-13.formula")).empty());
    CHECK(catalogue.find("onnx.gather-13.axis.text")->untestable == "u");
    CHECK(catalogue.find("onnx.gather-13.formula")->errors.empty());
    CHECK_FALSE(catalogue.find("onnx.gather-13.formula")->phase);
    CHECK(catalogue.find("onnx.gather-13") == nullptr);
}

TEST_CASE("rules that are doubtful are refused with file, pointer and remedy") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/rules", "[]", "/rules", "empty list"},
             {"/more", "1", "/more", "unknown here"},
             {"/rules/0", "1", "/rules/0", "write an object"},
             {"/rules/0/statement", "", "/rules/0", "\"statement\" is missing"},
             {"/rules/0/statement", "\"\"", "/rules/0/statement", "not empty"},
             {"/rules/0/note", "\"x\"", "/rules/0/note", "unknown here"},
             {"/rules/0/operator", "\"onnx.Gather-11\"", "/rules/0/operator",
              "is not onnx.Gather-13"},
             {"/rules/2/id", "\"onnx.gather-11.formula\"", "/rules/2/id",
              "does not begin with \"onnx.gather-13.\""},
             {"/rules/2/id", "\"onnx.gather-13.axis.range\"", "/rules/2/id", "stands twice"},
             {"/rules/0/level", "\"guessed\"", "/rules/0/level", "is no level"},
             {"/rules/0/sha256", "\"E3\"", "/rules/0/sha256", "64 lower-case hex digits"},
             {"/rules/0/sha256", "", "/rules/0", "write either the \"sha256\""},
             {"/rules/0/no_sentence", "\"x\"", "/rules/0", "write either the \"sha256\""},
             {"/rules/0/also", "[]", "/rules/0/also", "empty list"},
             {"/rules/0/also", "{}", "/rules/0/also", "write a list"},
             {"/rules/2/also", "[]", "/rules/2/also", "stands without \"sha256\""},
             {"/rules/0/also/0/section", "", "/rules/0/also/0", "\"section\" is missing"},
             {"/rules/0/also/0/level", "\"stated\"", "/rules/0/also/0/level", "unknown here"},
             {"/rules/0/also/0/sha256", "\"b5\"", "/rules/0/also/0/sha256", "64 lower-case"},
             {"/rules/0/also/0",
              R"({"document": "onnx/Gather", "section": "Inputs", "sha256":
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})",
              "/rules/0/also/0", "has already"},
             {"/rules/0/errors", "[]", "/rules/0/errors", "empty list"},
             {"/rules/0/errors", "[\"wrong\"]", "/rules/0/errors", "is no category"},
             {"/rules/0/phase", "\"late\"", "/rules/0/phase", "is no phase"},
             {"/rules/0/phase", "", "/rules/0", "\"phase\" is missing beside \"errors\""},
             {"/rules/0/negative", "", "/rules/0", "\"negative\" is missing beside \"errors\""},
             {"/rules/2/negative", "\"n\"", "/rules/2", "\"negative\" stands without \"errors\""},
             {"/rules/1/same_check", "\"onnx.gather-13.none\"", "/rules/1/same_check",
              "is no rule of this version"},
             {"/rules/1/same_check", "\"onnx.gather-13.axis.text\"", "/rules/1/same_check",
              "rests on another rule itself"},
             {"/rules/1/same_check", "\"onnx.gather-13.formula\"", "/rules/1/same_check",
              "cannot produce every error"},
         }) {
        CAPTURE(doubt.pointer, doubt.value);
        Json root = Json::parse(document);
        const Json::json_pointer place{std::string(doubt.pointer)};
        if (doubt.value.empty()) {
            root[place.parent_pointer()].erase(place.back());
        } else {
            root[place] = Json::parse(doubt.value);
        }
        const Folder folder(root.dump());
        const auto result = load_rules(folder.path());
        const auto* problems = std::get_if<std::vector<Problem>>(&result);
        REQUIRE(problems != nullptr);
        CHECK(problems->front().file == (folder.path() / "onnx.Gather-13.json").generic_string());
        CHECK(problems->front().pointer == doubt.at);
        CAPTURE(problems->front().reason);
        CHECK(problems->front().reason.find(doubt.reason) != std::string::npos);
        CHECK(problems->front().reason.find_first_of(";,") != std::string::npos);
    }
}

TEST_CASE("a folder of rules may say where its documents can be read") {
    const Folder folder(document);
    const auto with = [&](std::string_view text) {
        std::ofstream(folder.path() / addresses_file) << text;
        return load_rules(folder.path());
    };
    const auto good = with(R"({"addresses": {"onnx/Gather": "https://example.org/gather"}})");
    REQUIRE(std::holds_alternative<RuleCatalogue>(good));
    CHECK(std::get<RuleCatalogue>(good).address("onnx/Gather") == "https://example.org/gather");
    CHECK(std::get<RuleCatalogue>(good).address("onnx/GatherND-13").empty());
    for (const auto& [text, pointer] : std::initializer_list<std::pair<const char*, const char*>>{
             {"{}", ""},
             {R"({"addresses": []})", "/addresses"},
             {R"({"addresses": {"a": 1}})", "/addresses/a"},
             {R"({"addresses": {"a": "http://example.org"}})", "/addresses/a"}}) {
        CAPTURE(text);
        const auto bad = with(text);
        const auto* problems = std::get_if<std::vector<Problem>>(&bad);
        REQUIRE(problems != nullptr);
        CHECK(problems->front().file == (folder.path() / addresses_file).generic_string());
        CHECK(problems->front().pointer == pointer);
    }
}

TEST_CASE("every document of the shipped rules has an address") {
    const auto loaded = load_rules(fixture::spec_cases() / "rules");
    REQUIRE(std::holds_alternative<RuleCatalogue>(loaded));
    const auto& catalogue = std::get<RuleCatalogue>(loaded);
    for (const auto& [id, rule] : catalogue.rules()) {
        CAPTURE(id, rule.document);
        CHECK_FALSE(catalogue.address(rule.document).empty());
        for (const Sentence& each : sentences(rule)) {
            CHECK_FALSE(catalogue.address(each.document).empty());
        }
    }
}

TEST_CASE("a folder of rules that is missing, empty or broken is named") {
    const auto missing = load_rules("/nonexistent/rules");
    CHECK(std::get<std::vector<Problem>>(missing)[0].reason.find("cannot be searched") !=
          std::string::npos);
    const Folder folder("{\"rules\": [");
    CHECK(std::get<std::vector<Problem>>(load_rules(folder.path()))[0].reason.find("not JSON") !=
          std::string::npos);
    fs::remove(folder.path() / "onnx.Gather-13.json");
    CHECK(std::get<std::vector<Problem>>(load_rules(folder.path()))[0].reason.find(
              "no file named after an operator version") != std::string::npos);
}

TEST_CASE("every check of every version rests on a rule of the shipped catalogue") {
    const auto result = load_rules(fixture::spec_cases() / "rules");
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(to_string(problems->front()));
    }
    const auto& catalogue = std::get<RuleCatalogue>(result);
    for (const OperatorInfo& row : operator_versions().first(enumerated_version_count)) {
        for (std::size_t k = 0; k < check_count; ++k) {
            const Check check = static_cast<Check>(k);
            const std::string id = rule_id(row.version, check);
            if (id.empty()) continue;
            INFO("reference/operator_version.cpp rests a check of "
                 << row.name << " on the rule " << id << ", which spec_cases/rules/" << row.name
                 << ".json must have");
            const Rule* rule = catalogue.find(id);
            REQUIRE(rule != nullptr);
            CHECK(rule->version == row.version);
            const bool rejects =
                check != Check::index_range || row.out_of_bounds == OutOfBounds::reject;
            CHECK((!rejects || !rule->errors.empty()));
        }
    }
}
