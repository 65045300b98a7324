// SPDX-License-Identifier: Apache-2.0
// Known failures: what a file may say, and what it makes of a record.
#include "conformance/known_failures/known_failures.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/known_failures/version_pattern.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/shipped_rules.hpp"
#include "conformance/tests/temporary.hpp"

namespace gathercheck {
namespace {

/// Two rules of one operator version and one of another.
RuleCatalogue catalogue() {
    RuleCatalogue rules;
    for (const auto& [id, version] :
         {std::pair("onnx.gather-13.indices.error", OperatorVersion::onnx_gather_13),
          std::pair("onnx.gather-13.indices.range", OperatorVersion::onnx_gather_13),
          std::pair("onnx.gather-11.indices.error", OperatorVersion::onnx_gather_11)}) {
        Rule rule;
        rule.id = id;
        rule.version = version;
        rules.add(std::move(rule));
    }
    return rules;
}

/// One finding of onnx.Gather-13.
FindingCatalogue findings() {
    Finding finding;
    finding.id = "engine-clamps";
    finding.statement = "indices are clamped";
    finding.rules = {"onnx.gather-13.indices.error"};
    finding.reproducer = "reproducers/engine/clamps.py";
    finding.link = "https://example.org/1";
    FindingCatalogue catalogue;
    catalogue.add(std::move(finding));
    return catalogue;
}

/// Beside the file stands the program kept/shows.py.
std::variant<KnownFailures, std::vector<Problem>> load(const std::string& text) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "kept");
    std::ofstream(folder.path() / "kept" / "shows.py") << "print('output')\n";
    std::ofstream(folder.path() / "engine.json") << text;
    return load_known_failures(folder.path() / "engine.json", catalogue(), findings());
}

std::string entry(const std::string& fields) {
    return R"({"implementation":"engine","versions":"1.2","failures":[{)" + fields + "}]}";
}

const std::string good =
    R"("case":["a","b"],"operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},)"
    R"("outcomes":["wrong value","crash"],"reason":"clamps")";

ExecutionRecord record(const std::string& id, Verdict verdict, Failure failure = Failure::none) {
    ExecutionRecord result;
    result.case_id = id;
    result.verdict = verdict;
    result.failure = failure;
    return result;
}

}  // namespace

TEST_CASE("an entry may name several cases, and each is one exact execution") {
    const auto loaded = load(entry(good));
    REQUIRE(std::holds_alternative<KnownFailures>(loaded));
    const auto& known = std::get<KnownFailures>(loaded);
    CHECK(known.entries().size() == 2);
    CHECK(known.find("b", OperatorVersion::onnx_gather_13, {}) != nullptr);
    CHECK(known.find("b", OperatorVersion::onnx_gather_11, {}) == nullptr);
    CHECK(known.find("b", OperatorVersion::onnx_gather_13, {Operands::constant}) == nullptr);
}

TEST_CASE("a listed failure is known, another kind is not, and none is fixed") {
    const auto loaded = load(entry(good));
    const auto& known = std::get<KnownFailures>(loaded);
    ExecutionRecord wrong = record("a", Verdict::fail, Failure::wrong_value);
    apply(known, wrong);
    CHECK(wrong.verdict == Verdict::known_failure);
    CHECK(wrong.reason == "clamps");
    ExecutionRecord crashed = record("a", Verdict::crash);
    apply(known, crashed);
    CHECK(crashed.verdict == Verdict::known_failure);
    ExecutionRecord other = record("a", Verdict::fail, Failure::wrong_shape);
    apply(known, other);
    CHECK(other.verdict == Verdict::fail);
    ExecutionRecord passed = record("a", Verdict::pass);
    apply(known, passed);
    CHECK(passed.verdict == Verdict::fixed);
    ExecutionRecord unlisted = record("c", Verdict::fail, Failure::wrong_value);
    apply(known, unlisted);
    CHECK(unlisted.verdict == Verdict::fail);
    ExecutionRecord adapter = record("a", Verdict::broken);
    apply(known, adapter);
    CHECK(adapter.verdict == Verdict::broken);
}

TEST_CASE("an entry that lists pass may also be right, but not wrong in another way") {
    const auto loaded = load(entry(
        R"("case":"a","operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},)"
        R"("outcomes":["wrong value","pass"],"reason":"reads outside data")"));
    REQUIRE(std::holds_alternative<KnownFailures>(loaded));
    const auto& known = std::get<KnownFailures>(loaded);
    ExecutionRecord passed = record("a", Verdict::pass);
    apply(known, passed);
    CHECK(passed.verdict == Verdict::pass);
    ExecutionRecord wrong = record("a", Verdict::fail, Failure::wrong_value);
    apply(known, wrong);
    CHECK(wrong.verdict == Verdict::known_failure);
    ExecutionRecord crashed = record("a", Verdict::crash);
    apply(known, crashed);
    CHECK(crashed.verdict == Verdict::crash);
}

TEST_CASE("entries without a reason, with unknown words or that stand twice are refused") {
    const std::vector<std::string> bad{
        R"("case":"a","operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},"outcomes":["crash"])",
        good + R"(,"since":"1.0")",
        good + R"(,"expires":"soon")",
        good + R"(,"expires":"2026-02-30")",
        R"("case":"a","operator":"onnx.Gather-12","route":{"operands":"runtime","shapes":"static"},"outcomes":["crash"],"reason":"r")",
        R"("case":"a","operator":"onnx.Gather-13","route":{"operands":"lazy","shapes":"static"},"outcomes":["crash"],"reason":"r")",
        R"("case":"a","operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},"outcomes":["pass"],"reason":"r")",
        R"("case":["a","a"],"operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},"outcomes":["crash"],"reason":"r")",
    };
    for (const std::string& fields : bad) {
        const auto loaded = load(entry(fields));
        INFO(fields);
        REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
        CHECK(std::get<std::vector<Problem>>(loaded).front().pointer.starts_with("/failures/0"));
    }
    CHECK(std::holds_alternative<std::vector<Problem>>(load("{")));
}

TEST_CASE("an entry cites rules of its operator versions, and a record gets those of its own") {
    const auto loaded = load(entry(
        R"("case":"a","operator":["onnx.Gather-11","onnx.Gather-13"],)"
        R"("route":{"operands":"runtime","shapes":"static"},"outcomes":["crash"],"reason":"r",)"
        R"("rule":["onnx.gather-13.indices.error","onnx.gather-11.indices.error"],)"
        R"("reproducer":"kept/shows.py")"));
    REQUIRE(std::holds_alternative<KnownFailures>(loaded));
    const auto& known = std::get<KnownFailures>(loaded);
    CHECK(lacking_evidence(known).size() == 1);  // in a file that ships it would name a finding
    ExecutionRecord crashed = record("a", Verdict::crash);
    crashed.operator_version = OperatorVersion::onnx_gather_11;
    apply(known, crashed);
    CHECK(crashed.rules == std::vector<std::string>{"onnx.gather-11.indices.error"});
    CHECK(crashed.shown_by ==
          (std::filesystem::path(known.file).parent_path() / "kept/shows.py").generic_string());
    ExecutionRecord passed = record("a", Verdict::pass);
    apply(known, passed);
    CHECK(passed.rules == std::vector<std::string>{"onnx.gather-13.indices.error"});
}

TEST_CASE("a rule that is not there or of another operator version is refused, with its place") {
    const std::vector<std::pair<std::string, std::string>> bad{
        {R"("rule":"onnx.gather-13.indices.eror")", "is no rule of the catalogue; `gathercheck"},
        {R"("rule":"onnx.gather-11.indices.error")", "is a rule of onnx.Gather-11, which"},
        {R"("rule":[])", "empty"},
        {R"("rule":7)", "string"},
        {R"("reproducer":"kept/no.py")",
         "is no file; make it with `gathercheck run --reproducers`"},
        {R"("reproducer":"kept")", "is no file"},
        {R"("reproducer":"../shows.py")", "does not lie below the folder"},
        {R"("reproducer":"/etc/passwd")", "does not lie below the folder"},
    };
    for (const auto& [field, reason] : bad) {
        const auto loaded = load(entry(good + "," + field));
        INFO(field);
        REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
        const Problem& problem = std::get<std::vector<Problem>>(loaded).front();
        CHECK(problem.pointer == "/failures/0/" + field.substr(1, field.find('"', 1) - 1));
        CHECK(problem.reason.find(reason) != std::string::npos);
    }
    const auto lacks_one = load(entry(
        R"("case":"a","operator":["onnx.Gather-11","onnx.Gather-13"],)"
        R"("route":{"operands":"runtime","shapes":"static"},"outcomes":["crash"],"reason":"r",)"
        R"("rule":"onnx.gather-13.indices.error")"));
    REQUIRE(std::holds_alternative<std::vector<Problem>>(lacks_one));
    CHECK(std::get<std::vector<Problem>>(lacks_one).front().reason ==
          "no rule of onnx.Gather-11 is cited; add the one that it breaks for that version");
}

TEST_CASE("the entries of a witness have reasons and rules, and show no finding") {
    const std::string execution =
        R"("case":"a","operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},)"
        R"("outcomes":["wrong value"],)";
    const auto lacking = [&](const std::string& evidence) {
        std::string text = entry(execution + evidence);
        text.insert(1, "\"witness\":true,");
        const auto loaded = load(text);
        REQUIRE(std::holds_alternative<KnownFailures>(loaded));
        const auto& known = std::get<KnownFailures>(loaded);
        CHECK(known.witness);
        const auto problems = lacking_evidence(known);
        return problems.empty() ? std::string() : problems.front().reason;
    };
    CHECK(lacking(R"("reason":"r","rule":"onnx.gather-13.indices.error")").empty());
    CHECK(lacking(R"("reason":"r")").starts_with("tells no rule"));
    CHECK(lacking(R"("finding":"engine-clamps")")
              .starts_with("names a finding, and is of a witness"));
    std::string text = entry(execution + R"("reason":"r")");
    text.insert(1, "\"witness\":1,");
    const auto loaded = load(text);
    REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
    CHECK(std::get<std::vector<Problem>>(loaded).front().pointer == "/witness");
}

TEST_CASE("an entry that names a finding has its reason, rules, reproducer and link") {
    const std::string execution =
        R"("case":"a","operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},)"
        R"("outcomes":["crash"])";
    const auto loaded = load(entry(execution + R"(,"finding":"engine-clamps")"));
    REQUIRE(std::holds_alternative<KnownFailures>(loaded));
    const auto& known = std::get<KnownFailures>(loaded);
    CHECK(lacking_evidence(known).empty());
    const KnownFailure& found = known.entries().front();
    CHECK(found.finding == "engine-clamps");
    CHECK(found.reason == "indices are clamped");
    CHECK(found.rules == std::vector<std::string>{"onnx.gather-13.indices.error"});
    CHECK(found.reproducer == "reproducers/engine/clamps.py");
    CHECK(found.link == "https://example.org/1");

    const auto first_problem = [](const std::string& fields) {
        const auto refused = load(entry(fields));
        REQUIRE(std::holds_alternative<std::vector<Problem>>(refused));
        return std::get<std::vector<Problem>>(refused).front();
    };
    const Problem unknown = first_problem(execution + R"(,"finding":"engine-clamp")");
    CHECK(unknown.pointer == "/failures/0/finding");
    CHECK(unknown.reason ==
          "\"engine-clamp\" is no finding of the catalogue; near it are engine-clamps");
    CHECK(first_problem(execution + R"(,"finding":"")").pointer == "/failures/0/finding");
    CHECK(first_problem(execution).reason.find("says neither") == 0);
    const Problem twice =
        first_problem(execution + R"(,"finding":"engine-clamps","reason":"it clamps")");
    CHECK(twice.pointer == "/failures/0/reason");
    CHECK(twice.reason.find("names a finding") != std::string::npos);
    const Problem other =
        first_problem(R"("case":"a","operator":["onnx.Gather-11","onnx.Gather-13"],)"
                      R"("route":{"operands":"runtime","shapes":"static"},"outcomes":["crash"],)"
                      R"("finding":"engine-clamps")");
    CHECK(other.reason.find("cites no rule of onnx.Gather-11") != std::string::npos);
}

TEST_CASE("each shipped known failure names a finding") {
    const RuleCatalogue& catalogue = fixture::shipped_rules();
    const auto shipped = load_findings(fixture::spec_cases() / "findings", catalogue);
    REQUIRE(std::holds_alternative<FindingCatalogue>(shipped));
    int files = 0;
    const std::filesystem::path folder = fixture::spec_cases() / "known_failures";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".json") continue;
        INFO(file.path());
        const auto loaded =
            load_known_failures(file.path(), catalogue, std::get<FindingCatalogue>(shipped));
        REQUIRE(std::holds_alternative<KnownFailures>(loaded));
        for (const Problem& problem : lacking_evidence(std::get<KnownFailures>(loaded))) {
            FAIL_CHECK(to_string(problem));
        }
        ++files;
    }
    CHECK(files >= 11);
}

TEST_CASE("a file is about the versions that one of its patterns covers") {
    const auto covers = [](std::vector<std::string> patterns, const std::string& version) {
        KnownFailures known;
        known.versions = std::move(patterns);
        return known.covers(version);
    };
    CHECK(covers({"1.31.1"}, "1.31.1"));
    CHECK(covers({"1.31.1"}, "1.31.1+cpu"));
    CHECK_FALSE(covers({"1.31.1+cpu"}, "1.31.1"));
    CHECK_FALSE(covers({"1.31.1"}, "1.31.2"));
    CHECK_FALSE(covers({"1.31.1"}, "1.31.1rc1"));
    for (const std::string range : {"1.9 - 1.31.1", ">=1.9 <=1.31.1", ">= 1.9, <= 1.31.1"}) {
        INFO(range);
        CHECK(covers({range}, "1.9"));
        CHECK(covers({range}, "1.10.0"));
        CHECK(covers({range}, "1.31.1"));
        CHECK(covers({range}, "1.31.1+cu12"));
        CHECK_FALSE(covers({range}, "1.31.1.post1"));
        CHECK_FALSE(covers({range}, "1.32"));
        CHECK_FALSE(covers({range}, "1.8.9"));
        CHECK_FALSE(covers({range}, "1.9rc1"));
        CHECK_FALSE(covers({range}, "main"));
    }
    CHECK(covers({">=1.20 <1.32"}, "1.32-dev"));  // what comes before a version is less than it
    CHECK_FALSE(covers({">1.31"}, "1.31.0"));
    CHECK(covers({">1.31"}, "1.31-2"));
    CHECK(covers({">1.31.0rc1"}, "1.31.0rc2"));
    CHECK(covers({">=1.0rc2"}, "1.0rc10"));
    CHECK(covers({">=1.0-rc.2"}, "1.0-rc.10"));
    CHECK(covers({">=1.0.post2"}, "1.0.post10"));
    CHECK_FALSE(covers({"<1.0rc2"}, "1.0rc10"));
    CHECK(covers({"<1.0rc10"}, "1.0rc2"));
    CHECK(covers({"1.31.*"}, "1.31"));
    CHECK(covers({"1.31.*"}, "v1.31.7rc1"));
    CHECK_FALSE(covers({"1.31.*"}, "1.310"));
    CHECK(covers({"1.30.*", "1.31.1"}, "1.30.4"));
    CHECK(covers({"1.30.*", "1.31.1"}, "1.31.1"));
    CHECK_FALSE(covers({"1.30.*", "1.31.1"}, "1.31.2"));
    for (const std::string version : {"1.2", "main", "built on a Monday"}) {
        CHECK(covers({"*"}, version));
        CHECK(covers({pattern_of(version)}, version));
        CHECK(covers({"=" + version}, version));
    }
}

TEST_CASE(
    "a pattern of versions that is not understood is refused, with its place and what may be") {
    const auto with_versions = [](const std::string& versions) {
        return load(R"({"implementation":"engine","versions":)" + versions + R"(,"failures":[]})");
    };
    for (const std::string pattern :
         {"any",        "1.x",          "~1.2", "^1.2",   "!=1.2",   "==1.2",       "1.2 || 1.3",
          "1.30, 1.31", ">=1.2 banana", ">=",   ">=1.2,", "1.2 -",   "1.32 - 1.30", "1.2 - any",
          "*.1",        "1.*.2",        "1.2*", ".*",     "1.2rc.*", "=",           " ",
          "1.2 1.3",    "<=main"}) {
        INFO(pattern);
        const auto loaded = with_versions("\"" + pattern + "\"");
        REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
        const Problem& problem = std::get<std::vector<Problem>>(loaded).front();
        CHECK(problem.pointer == "/versions");
        CHECK(problem.reason.find("is no pattern of versions: ") != std::string::npos);
        CHECK(problem.reason.find(version_patterns) != std::string::npos);
    }
    const auto listed = with_versions(R"(["1.2","all"])");
    REQUIRE(std::holds_alternative<std::vector<Problem>>(listed));
    CHECK(std::get<std::vector<Problem>>(listed).front().pointer == "/versions/1");
    for (const std::string bad : {"7", "[]", "\"\"", "{}"}) {
        INFO(bad);
        CHECK(std::holds_alternative<std::vector<Problem>>(with_versions(bad)));
    }
    CHECK(std::holds_alternative<KnownFailures>(with_versions(R"(["1.30.*","1.31.1"])")));
}

TEST_CASE("what memory turns into each other is one known failure, and nothing else is") {
    const std::string accepted = "accepted what must be rejected";
    const std::string varies = "not deterministic";
    CHECK(expects({accepted}, varies));
    CHECK(expects({"wrong value"}, varies));
    CHECK(expects({varies}, accepted));
    CHECK(expects({varies}, "wrong value"));
    CHECK_FALSE(expects({accepted}, "wrong value"));
    CHECK_FALSE(expects({accepted}, "unsafe memory"));
    CHECK_FALSE(expects({varies}, "unsafe memory"));
    CHECK_FALSE(expects({varies}, "wrong shape"));
    CHECK_FALSE(expects({"crash"}, varies));
    CHECK_FALSE(expects({accepted, varies}, "pass"));
    CHECK_FALSE(expects({"pass", "crash"}, varies));
}

}  // namespace gathercheck
