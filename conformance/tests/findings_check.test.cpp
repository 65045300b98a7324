// SPDX-License-Identifier: Apache-2.0
// Findings held against known failures: what is a problem, and that the shipped ones have none.
#include "conformance/known_failures/findings_check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
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
using enum OperatorVersion;

const RuleCatalogue& rules() { return fixture::shipped_rules(); }

/// Findings of one engine, and the known failures of its implementation "engine" of version 1.2.
struct Data {
    test::TemporaryFolder folder;
    std::vector<Finding> findings;
    std::vector<KnownFailures> files = std::vector<KnownFailures>(1);

    Data() {
        fs::create_directories(folder.path() / reproducers_folder);
        files.front().implementation = "engine";
        files.front().versions = {"1.2"};
        add("engine-clamps", "a");
        entry("engine-clamps", "a", {"accepted what must be rejected"});
    }

    Finding& add(const std::string& id, const std::string& case_id) {
        Finding& finding = findings.emplace_back();
        finding.id = id;
        finding.file = "engine.json";
        finding.pointer = "/findings/" + std::to_string(findings.size() - 1);
        finding.implementations = {"engine"};
        finding.rules = {"onnx.gather-13.indices.error"};
        finding.call = {case_id, onnx_gather_13, {}};
        finding.outcome = "accepted what must be rejected";
        finding.first = finding.last = "1.2";
        finding.reproducer = (folder.path() / reproducers_folder / (id + ".py")).string();
        write_program(finding,
                      "Case " + case_id + ", onnx.Gather-13, runtime/static, on engine 1.2.");
        return finding;
    }
    static void write_program(const Finding& finding, const std::string& head) {
        std::ofstream(finding.reproducer)
            << "# SPDX\n# " << head << "\n# shows: an output\nprint()\n";
    }
    void entry(const std::string& finding, const std::string& case_id,
               std::vector<std::string> outcomes) {
        KnownFailure known;
        known.finding = finding;
        known.case_id = case_id;
        known.version = onnx_gather_13;
        known.outcomes = std::move(outcomes);
        files.front().add(std::move(known));
    }
    FindingCatalogue catalogue() const {
        FindingCatalogue made;
        for (const Finding& finding : findings) made.add(finding);
        return made;
    }
    std::vector<Problem> problems() const {
        return check_findings(catalogue(), executions_of(files), rules(), folder.path());
    }
    /// The only one.
    Problem problem() const {
        const auto found = problems();
        REQUIRE(found.size() == 1);
        return found.front();
    }
};

}  // namespace

TEST_CASE("a finding that its own executions show has no problem") {
    CHECK(Data().problems().empty());
}

TEST_CASE("a finding without executions, or with others than it says, is a problem") {
    Data data;
    data.add("engine-dies", "b");
    CHECK(data.problem().pointer == "/findings/1");
    CHECK(data.problem().reason.starts_with("no known failure names engine-dies"));

    Data call;
    call.findings[0].call.case_id = "b";
    CHECK(call.problem().pointer == "/findings/0/call");
    CHECK(call.problem().reason ==
          "case b, onnx.Gather-13, runtime/static is no known failure that names engine-clamps; "
          "take one that is");

    Data outcome;
    outcome.findings[0].outcome = "crash";
    CHECK(outcome.problem().pointer == "/findings/0/outcome");

    Data rule;
    rule.findings[0].rules.emplace_back("onnx.gather-11.indices.error");
    CHECK(rule.problem().pointer == "/findings/0/rules");

    Data names;
    names.findings[0].implementations = {"engine", "engine:fast"};
    CHECK(names.problem().reason.starts_with("\"engine:fast\" has no known failure"));
    names.findings[0].implementations = {"engine:fast"};
    CHECK(names.problems().size() == 2);

    Data version;
    version.findings[0].last = "1.3";
    CHECK(version.problem().pointer == "/findings/0/seen/last");
}

TEST_CASE("two findings of an engine tell themselves apart by a call or by what came of it") {
    Data data;
    data.add("engine-dies", "b").outcome = "crash";
    data.entry("engine-dies", "b", {"crash"});
    CHECK(data.problems().empty());
    data.findings[0] = data.findings[1];
    data.findings[0].id = "engine-clamps";
    data.entry("engine-clamps", "c", {"crash"});
    bool is_told = false;
    for (const Problem& problem : data.problems()) {
        is_told = is_told || (problem.pointer == "/findings/1/call" &&
                              problem.reason.find("by engine-clamps already") != std::string::npos);
    }
    CHECK(is_told);
}

TEST_CASE("a program that shows no finding is left over") {
    Data data;
    const fs::path file = data.folder.path() / reproducers_folder / "left.py";
    std::ofstream(file) << "print()\n";
    CHECK(data.problem().file == file.generic_string());
    CHECK(data.problem().reason == "no finding names this reproducer; remove it");
}

TEST_CASE("a finding that may pass wants an execution that shows it whatever memory holds") {
    Data data;
    const std::string lacking =
        "executions of engine-reads may pass, and none fails whatever memory holds; add one that "
        "does, so that an engine that is mended is seen";
    data.add("engine-reads", "b").outcome = "wrong value";
    data.entry("engine-reads", "b", {"wrong value", "crash", "pass"});
    CHECK(data.problem().reason == lacking);
    CHECK(data.problem().pointer == "/findings/1");
    data.entry("engine-reads", "c", {"wrong value", "unsafe memory"});
    data.entry("engine-reads", "d", {"not deterministic"});
    CHECK(data.problem().reason == lacking);
    SECTION("a wrong answer is one") { data.entry("engine-reads", "e", {"wrong value"}); }
    SECTION("so is the poison of an adapter, found each time") {
        data.entry("engine-reads", "e", {"unsafe memory"});
    }
    CHECK(data.problems().empty());
}

TEST_CASE("a reproducer says which call it makes, by whatever route") {
    const auto head = reproduced_call(
        "// SPDX\n// engine: it clamps.\n// Case a/type=f32, onnx.Gather-13, "
        "folded/dynamic/axis-runtime, "
        "on engine 1.2.\n// wrong value: element 0 of [2]\n// in two lines\n// Rule x: y\n// "
        "shows: an "
        "output\ncode\n");
    REQUIRE(head.has_value());
    CHECK(head->call.case_id == "a/type=f32");
    CHECK(head->call.version == onnx_gather_13);
    CHECK(head->call.route == Route{Operands::folded, Shapes::dynamic, AxisOperand::runtime});
    CHECK(head->observed == "wrong value: element 0 of [2] in two lines");
    CHECK(head->shows == "an output");
    for (const char* bad :
         {"", "code", "# Case", "# Case a", "# Case a, b, c, on d",
          "# Case a, onnx.Gather-13, runtime, on d", "# Case a, onnx.Gather-13, , on d",
          "code\n# Case a, onnx.Gather-13, "
          "runtime/static, on engine 1.2."}) {
        INFO(bad);
        CHECK_FALSE(reproduced_call(bad));
    }
}

TEST_CASE("a finding is shown by a call of its own") {
    Data data;
    Data::write_program(data.findings[0], "Case b, onnx.Gather-13, runtime/static, on engine 1.2.");
    CHECK(data.problem().file == data.findings[0].reproducer);
    CHECK(data.problem().reason ==
          "its head tells of case b, onnx.Gather-13, runtime/static, which is no known failure "
          "that names engine-clamps; write it anew by `gathercheck run --reproducers`");
    Data::write_program(data.findings[0], "nothing");
    CHECK(data.problem().reason.starts_with("its head does not tell which call it makes"));
}

TEST_CASE("the shipped findings have no problem") {
    const fs::path folder = fixture::spec_cases() / "findings";
    const auto loaded = load_findings(folder, rules());
    REQUIRE(std::holds_alternative<FindingCatalogue>(loaded));
    const auto& findings = std::get<FindingCatalogue>(loaded);
    std::vector<KnownFailures> files;
    for (const auto& file : fs::directory_iterator(fixture::spec_cases() / "known_failures")) {
        if (file.path().extension() != ".json") continue;
        auto known = load_known_failures(file.path(), rules(), findings);
        REQUIRE(std::holds_alternative<KnownFailures>(known));
        files.push_back(std::get<KnownFailures>(std::move(known)));
    }
    const FindingExecutions executions = executions_of(files);
    for (const Problem& problem : check_findings(findings, executions, rules(), folder)) {
        FAIL_CHECK(to_string(problem));
    }
}

}  // namespace gathercheck
