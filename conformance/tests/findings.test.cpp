// SPDX-License-Identifier: Apache-2.0
// Findings: what a file may say, and what the shipped ones do.
#include "conformance/known_failures/findings.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/tests/places.hpp"
#include "conformance/tests/shipped_rules.hpp"
#include "conformance/tests/temporary.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

const RuleCatalogue& rules() { return fixture::shipped_rules(); }

const std::string good =
    R"("id":"engine-clamps","implementations":["engine","engine:fast"],)"
    R"("severity":"missing error","statement":"an index is clamped",)"
    R"("rules":["onnx.gather-13.indices.error"],)"
    R"("call":{"case":"a","operator":"onnx.Gather-13","route":{"operands":)"
    R"("folded","shapes":"static"}},"outcome":"accepted what must be rejected",)"
    R"("reproducer":"engine/clamps.py","seen":{"first":"1.9","last":"1.10"})";

/// The good finding with one text replaced by another.
std::string with(const std::string& from, const std::string& to) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
}

/// Those findings of engine.json, beside which lie the programs clamps.py and dies.py.
std::variant<FindingCatalogue, std::vector<Problem>> load(const std::vector<std::string>& each) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder.path() / "reproducers" / "engine");
    for (const char* name : {"clamps.py", "dies.py"}) {
        std::ofstream(folder.path() / "reproducers" / "engine" / name) << "print('output')\n";
    }
    std::string text = R"({"engine":"The Engine","findings":[)";
    for (const std::string& fields : each) text += (text.back() == '[' ? "{" : ",{") + fields + "}";
    std::ofstream(folder.path() / "engine.json") << text << "]}";
    return load_findings(folder.path(), rules());
}

Problem problem_of(const std::vector<std::string>& each) {
    const auto loaded = load(each);
    REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
    return std::get<std::vector<Problem>>(loaded).front();
}

}  // namespace

TEST_CASE("a finding says what an engine does, which rules that breaks, and what shows it") {
    const auto one = load({good});
    REQUIRE(std::holds_alternative<FindingCatalogue>(one));
    const auto& catalogue = std::get<FindingCatalogue>(one);
    REQUIRE(catalogue.findings().size() == 1);
    const Finding* finding = catalogue.find("engine-clamps");
    REQUIRE(finding != nullptr);
    CHECK(finding->engine == "The Engine");
    CHECK(finding->implementations == std::vector<std::string>{"engine", "engine:fast"});
    CHECK(finding->severity == Severity::missing_error);
    CHECK(to_string(finding->call) == "case a, onnx.Gather-13, folded/static");
    CHECK(finding->outcome == "accepted what must be rejected");
    CHECK(finding->reproducer.ends_with("reproducers/engine/clamps.py"));
    CHECK(finding->first == "1.9");
    CHECK(finding->last == "1.10");
    CHECK(finding->rules_of(OperatorVersion::onnx_gather_13, rules()) ==
          std::vector<std::string>{"onnx.gather-13.indices.error"});
    CHECK(finding->rules_of(OperatorVersion::onnx_gather_11, rules()).empty());
    CHECK(catalogue.find("engine-dies") == nullptr);
}

TEST_CASE("the folder of findings may be missing, and then holds none") {
    const test::TemporaryFolder folder;
    const auto loaded = load_findings(folder.path() / "nowhere", rules());
    REQUIRE(std::holds_alternative<FindingCatalogue>(loaded));
    CHECK(std::get<FindingCatalogue>(loaded).findings().empty());
}

TEST_CASE("severities are ranked, and named once") {
    CHECK(name(severities.front()) == "memory outside");
    CHECK(name(severities.back()) == "open text");
    for (const Severity each : severities) CHECK(severity(name(each)) == each);
    CHECK_FALSE(severity("grave"));
    CHECK(Severity::crash < Severity::missing_error);
}

TEST_CASE("a finding that says too little, or what nobody knows, is refused with its place") {
    const std::vector<std::pair<std::string, std::string>> bad{
        {with("engine-clamps", "clamps"), "/findings/0/id"},
        {with("engine-clamps", "engine-Clamps"), "/findings/0/id"},
        {with("engine-clamps", "engine-clamps-"), "/findings/0/id"},
        {with("missing error", "grave"), "/findings/0/severity"},
        {with("indices.error", "indices.eror"), "/findings/0/rules"},
        {with(R"(["onnx.gather-13.indices.error"])", "[]"), "/findings/0/rules"},
        {with(R"(["onnx.gather-13.indices.error"])", R"("onnx.gather-13.indices.error")"),
         "/findings/0/rules"},
        {with("Gather-13", "Gather-12"), "/findings/0/call/operator"},
        {with("folded", "lazy"), "/findings/0/call/route"},
        {with("accepted what must be rejected", "pass"), "/findings/0/outcome"},
        {with("clamps.py", "none.py"), "/findings/0/reproducer"},
        {with("engine/clamps.py", "../../clamps.py"), "/findings/0/reproducer"},
        {with("\"1.10\"", "\"1.8\""), "/findings/0/seen"},
        {with("\"statement\":\"an index is clamped\",", ""), "/findings/0"},
        {good + ",\"reason\":\"r\"", "/findings/0/reason"},
        {with("[\"engine\",\"engine:fast\"]", "[]"), "/findings/0/implementations"},
    };
    for (const auto& [fields, pointer] : bad) {
        INFO(fields);
        CHECK(problem_of({fields}).pointer == pointer);
    }
}

TEST_CASE("a finding has a title, its own or the beginning of its statement") {
    const auto title_of = [](const std::string& fields) {
        const auto loaded = load({fields});
        REQUIRE(std::holds_alternative<FindingCatalogue>(loaded));
        return std::get<FindingCatalogue>(loaded).findings().front().title;
    };
    CHECK(title_of(good) == "an index is clamped");
    CHECK(title_of(with("is clamped", "is clamped; it is an error")) == "an index is clamped");
    CHECK(title_of(good + R"(,"title":"clamped indices")") == "clamped indices");
    const std::string longest(longest_title, 'x');
    CHECK(title_of(with("an index is clamped", longest + "; y")) == longest);
    CHECK(problem_of({with("an index is clamped", longest + "y")}).pointer == "/findings/0");
}

TEST_CASE("an id and a reproducer are those of one bug") {
    CHECK(
        problem_of({good, with("clamps.py", "dies.py")}).reason.find("an id is that of one bug") !=
        std::string::npos);
    const Problem same = problem_of({good, with("engine-clamps", "engine-dies")});
    CHECK(same.pointer == "/findings/1/reproducer");
    CHECK(same.reason ==
          "\"engine/clamps.py\" shows engine-clamps already; each bug has a program "
          "of its own");
}

TEST_CASE("an unknown id is answered with those that are near it") {
    const auto loaded = load({good});
    REQUIRE(std::holds_alternative<FindingCatalogue>(loaded));
    const auto& catalogue = std::get<FindingCatalogue>(loaded);
    CHECK(catalogue.near("engine-clmps") == std::vector<std::string>{"engine-clamps"});
    CHECK(catalogue.near("clamps") == std::vector<std::string>{"engine-clamps"});
    CHECK(catalogue.near("something else").empty());
    CHECK(catalogue.near("").empty());
}

TEST_CASE("the shipped findings load, and each kept program shows one of them") {
    const fs::path folder = fixture::spec_cases() / "findings";
    const auto loaded = load_findings(folder, rules());
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        for (const Problem& problem : *problems) UNSCOPED_INFO(to_string(problem));
        FAIL("the shipped findings are refused");
    }
    std::set<std::string> named;
    for (const Finding& finding : std::get<FindingCatalogue>(loaded).findings()) {
        named.insert(finding.reproducer);
    }
    CHECK(named.size() >= 60);
    for (const auto& file : fs::recursive_directory_iterator(folder / reproducers_folder)) {
        if (!file.is_regular_file()) continue;
        INFO(file.path());
        CHECK(named.contains(file.path().generic_string()));
        std::ifstream stream(file.path());
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        CHECK(text.find(" SPDX-License-Identifier: Apache-2.0\n") < 4);
        CHECK(text.find(" shows: ") != std::string::npos);
    }
}

}  // namespace gathercheck
