// SPDX-License-Identifier: Apache-2.0
// Updates of known-failure files: what stays, what goes, what comes, and the form on disk.
#include "conformance/known_failures/known_failures_update.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "conformance/tests/places.hpp"
#include "conformance/tests/shipped_rules.hpp"
#include "conformance/tests/temporary.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;
using enum OperatorVersion;

std::string content(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

ImplementationRecord started(const std::string& version = "1.2") {
    ImplementationRecord record;
    record.name = "engine";
    record.state = "started";
    record.version = version;
    return record;
}

ExecutionRecord execution(const std::string& id, OperatorVersion version, Route route,
                          Verdict verdict, Failure failure = Failure::none) {
    ExecutionRecord record;
    record.implementation = "engine";
    record.case_id = id;
    record.operator_version = version;
    record.route = route;
    record.verdict = verdict;
    record.failure = failure;
    record.outcome = verdict == Verdict::pass ? "value" : "crash";
    return record;
}

const RuleCatalogue& catalogue() { return fixture::shipped_rules(); }

/// The shipped findings.
const FindingCatalogue& findings() {
    static const auto loaded = load_findings(fixture::spec_cases() / "findings", catalogue());
    return std::get<FindingCatalogue>(loaded);
}

/// Cases x and y, which name a rule of their versions each, and others of other versions.
Suite suite() {
    Suite made;
    for (const std::string id : {"x", "y", "z"}) {
        Case& tested = made.cases.emplace_back();
        tested.id = id;
        Expectation& expectation = tested.expect.emplace_back();
        expectation.versions = {onnx_gather_11, onnx_gather_13};
        const std::string rule = id == "z" ? "axis.range" : "indices.error";
        expectation.rules = {"onnx.gather-11." + rule, "onnx.gather-13." + rule};
    }
    return made;
}

const Route runtime{};
const Route constant{Operands::constant, Shapes::fixed};

/// What becomes of a file of one entry about cases a and b by two routes.
class Updated {
public:
    Updated() {
        std::ofstream(file_) << R"({
  "implementation": "engine",
  "versions": "1.2",
  "failures": [
    {
      "case": ["a", "b"],
      "operator": "onnx.Gather-13",
      "route": [{"operands": "constant", "shapes": "static"}, {"operands": "runtime", "shapes": "static"}],
      "outcomes": ["wrong value", "crash"],
      "reason": "it clamps",
      "rule": "onnx.gather-13.indices.error",
      "link": "https://example.org/1",
      "expires": "2027-12-31"
    }
  ]
}
)";
        update_.add(started());
    }
    void saw(const std::string& id, const Route& route, Verdict verdict,
             Failure failure = Failure::none) {
        update_.add(execution(id, onnx_gather_13, route, verdict, failure));
    }
    KnownFailuresUpdate& update() { return update_; }
    std::string before() const { return content(file_); }
    UpdatedKnownFailures after(const NewEntries& added = {}) const {
        auto result = update_.update(file_, suite(), catalogue(), findings(), added);
        REQUIRE(std::holds_alternative<UpdatedKnownFailures>(result));
        return std::get<UpdatedKnownFailures>(std::move(result));
    }

private:
    test::TemporaryFolder folder_;
    fs::path file_ = folder_.path() / "engine.json";
    KnownFailuresUpdate update_{"engine"};
};

}  // namespace

TEST_CASE("an update without a change leaves each shipped file as it is, byte for byte") {
    const fs::path folder = fixture::spec_cases() / "known_failures";
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        const auto loaded = load_known_failures(entry.path(), catalogue(), findings());
        REQUIRE(std::holds_alternative<KnownFailures>(loaded));
        const auto& known = std::get<KnownFailures>(loaded);
        KnownFailuresUpdate update(known.implementation);
        ImplementationRecord implementation = started(known.versions.front());
        implementation.name = known.implementation;
        update.add(implementation);
        for (const KnownFailure& failure : known.entries()) {
            ExecutionRecord record =
                execution(failure.case_id, failure.version, failure.route, Verdict::known_failure);
            record.implementation = known.implementation;
            const auto kind = gathercheck::failure(failure.outcomes.front());
            if (kind) record.failure = *kind;
            record.outcome = failure.outcomes.front();
            update.add(record);
        }
        const auto result = update.update(entry.path(), suite(), catalogue(), findings());
        REQUIRE(std::holds_alternative<UpdatedKnownFailures>(result));
        const auto& updated = std::get<UpdatedKnownFailures>(result);
        INFO(entry.path());
        CHECK(updated.text == content(entry.path()));
        CHECK(updated.dropped == 0);
        CHECK(updated.added == 0);
        ++files;
    }
    CHECK(files >= 3);
}

TEST_CASE("what a run did not come to stays, and so do crashes that are known") {
    Updated updated;
    updated.saw("a", runtime, Verdict::known_failure);
    updated.saw("b", runtime, Verdict::not_run);
    CHECK(updated.after().text == updated.before());
}

TEST_CASE("what fails no more is taken out of its entry, and the rest keeps its reason") {
    Updated updated;
    updated.saw("a", runtime, Verdict::fixed);
    const UpdatedKnownFailures after = updated.after();
    CHECK(after.dropped == 1);
    CHECK(after.added == 0);
    CHECK(after.text == R"({
  "implementation": "engine",
  "versions": "1.2",
  "failures": [
    {
      "case": "a",
      "operator": "onnx.Gather-13",
      "route": {"operands": "constant", "shapes": "static"},
      "outcomes": ["wrong value", "crash"],
      "reason": "it clamps",
      "rule": "onnx.gather-13.indices.error",
      "link": "https://example.org/1",
      "expires": "2027-12-31"
    },
    {
      "case": "b",
      "operator": "onnx.Gather-13",
      "route": [{"operands": "constant", "shapes": "static"}, {"operands": "runtime", "shapes": "static"}],
      "outcomes": ["wrong value", "crash"],
      "reason": "it clamps",
      "rule": "onnx.gather-13.indices.error",
      "link": "https://example.org/1",
      "expires": "2027-12-31"
    }
  ]
}
)");
}

TEST_CASE("an entry that is left with fewer operator versions cites only their rules") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "engine.json") << R"({"implementation":"engine","versions":"1.2",
        "failures":[{"case":"x","operator":["onnx.Gather-11","onnx.Gather-13"],
        "route":{"operands":"runtime","shapes":"static"},"outcomes":["crash"],"reason":"it dies",
        "rule":["onnx.gather-11.indices.error","onnx.gather-13.indices.error"]}]})";
    KnownFailuresUpdate update("engine");
    update.add(started());
    update.add(execution("x", onnx_gather_11, runtime, Verdict::pass));
    const auto result =
        update.update(folder.path() / "engine.json", suite(), catalogue(), findings());
    REQUIRE(std::holds_alternative<UpdatedKnownFailures>(result));
    CHECK(std::get<UpdatedKnownFailures>(result).text.find(
              R"("rule": "onnx.gather-13.indices.error")") != std::string::npos);
}

TEST_CASE("an entry of which nothing holds goes") {
    Updated updated;
    for (const char* id : {"a", "b"}) {
        updated.saw(id, runtime, Verdict::pass);
        updated.saw(id, constant, Verdict::fixed);
    }
    CHECK(
        updated.after().text ==
        "{\n  \"implementation\": \"engine\",\n  \"versions\": \"1.2\",\n  \"failures\": []\n}\n");
}

TEST_CASE("an entry that no run can confirm any more goes") {
    Updated updated;
    for (const char* id : {"a", "b"}) {
        for (const Route& route : {runtime, constant}) {
            KnownFailure entry;
            entry.case_id = id;
            entry.version = onnx_gather_13;
            entry.route = route;
            updated.update().drop(entry);
        }
    }
    CHECK(updated.after().dropped == 4);
}

TEST_CASE("new failures come last, with the rules of their cases, and wait for a reason") {
    Updated updated;
    for (const char* id : {"y", "z", "x"}) {
        for (const OperatorVersion version : {onnx_gather_11, onnx_gather_13}) {
            updated.update().add(
                execution(id, version, runtime, Verdict::fail, Failure::wrong_shape));
        }
    }
    const UpdatedKnownFailures after = updated.after();
    CHECK(after.added == 6);
    const std::string added = R"(
    {
      "case": "z",
      "operator": ["onnx.Gather-11", "onnx.Gather-13"],
      "route": {"operands": "runtime", "shapes": "static"},
      "outcomes": ["wrong shape"],
      "reason": "",
      "rule": ["onnx.gather-11.axis.range", "onnx.gather-13.axis.range"]
    },
    {
      "case": ["x", "y"],
      "operator": ["onnx.Gather-11", "onnx.Gather-13"],
      "route": {"operands": "runtime", "shapes": "static"},
      "outcomes": ["wrong shape"],
      "reason": "",
      "rule": ["onnx.gather-11.indices.error", "onnx.gather-13.indices.error"]
    }
  ]
}
)";
    CHECK(after.text.ends_with(added));
    const std::string before = updated.before();
    CHECK(after.text.starts_with(before.substr(0, before.find("\n  ]\n")) + ","));
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "new.json") << after.text;
    const auto loaded = load_known_failures(folder.path() / "new.json", catalogue(), findings());
    REQUIRE(std::holds_alternative<std::vector<Problem>>(loaded));
    CHECK(std::get<std::vector<Problem>>(loaded).front().pointer == "/failures/1/reason");
}

TEST_CASE("a failure that changed its kind wants a new reason") {
    Updated updated;
    updated.saw("b", constant, Verdict::fail, Failure::wrong_type);
    const UpdatedKnownFailures after = updated.after();
    CHECK(after.dropped == 1);
    CHECK(after.added == 1);
    CHECK(after.text.find("\"outcomes\": [\"wrong type\"],\n      \"reason\": \"\"") !=
          std::string::npos);
}

TEST_CASE("garbage that is the same twice or not moves no entry") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "engine.json")
        << R"({"implementation":"my engine","versions":["1.1","1.*"],
        "failures":[{"case":"x","operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},
        "outcomes":["accepted what must be rejected"],"reason":"it reads outside"}]})";
    std::string texts[2];
    for (const Failure failure : {Failure::accepted, Failure::not_deterministic}) {
        KnownFailuresUpdate update("exec:./engine", "my engine");
        ImplementationRecord record = started();
        record.name = "exec:./engine";
        update.add(record);
        ExecutionRecord one = execution("x", onnx_gather_13, runtime, Verdict::fail, failure);
        one.implementation = "exec:./engine";
        update.add(one);
        const auto result =
            update.update(folder.path() / "engine.json", suite(), catalogue(), findings());
        REQUIRE(std::holds_alternative<UpdatedKnownFailures>(result));
        const auto& updated = std::get<UpdatedKnownFailures>(result);
        CHECK(updated.added == 0);
        CHECK(updated.dropped == 0);
        texts[failure == Failure::accepted ? 0 : 1] = updated.text;
    }
    CHECK(texts[0] == texts[1]);
    CHECK(texts[0].starts_with(
        "{\n  \"implementation\": \"my engine\",\n  \"versions\": [\"1.1\", \"1.*\"],\n"));
}

TEST_CASE("new failures may come with a reason") {
    Updated updated;
    updated.saw("x", runtime, Verdict::crash);
    CHECK(updated.after({"it \"dies\"", false, {}}).text.find("\"reason\": \"it \\\"dies\\\"\"") !=
          std::string::npos);
}

TEST_CASE("new failures have what the diagnosis found as their reason, an entry for each cause") {
    Updated updated;
    const Route folded{Operands::folded, Shapes::fixed};
    NewEntries added;
    for (const Route& route : {runtime, constant, folded}) {
        updated.saw("x", route, Verdict::fail, Failure::wrong_value);
        if (route == folded) continue;
        const std::uint64_t key = execution_key(
            execution("x", onnx_gather_13, route, Verdict::fail, Failure::wrong_value));
        added.causes[key] = route == runtime ? "it clamps" : "perhaps it wraps";
    }
    const UpdatedKnownFailures after = updated.after(added);
    CHECK(after.diagnosed == 2);
    CHECK(after.blank == 1);
    for (const char* reason : {"it clamps", "perhaps it wraps", ""}) {
        CHECK(after.text.find("\"reason\": \"" + std::string(reason) + "\",\n      \"rule\"") !=
              std::string::npos);
    }

    // What the diagnosis tells apart keeps its words; a reason is that of the others.
    added.reason = "ticket 7";
    const UpdatedKnownFailures filled = updated.after(added);
    CHECK(filled.is_reason_used);
    CHECK(filled.diagnosed == 2);
    CHECK(filled.blank == 0);
    for (const char* reason : {"it clamps", "perhaps it wraps", "ticket 7"}) {
        CHECK(filled.text.find("\"reason\": \"" + std::string(reason) + "\"") != std::string::npos);
    }
    added.causes[execution_key(
        execution("x", onnx_gather_13, folded, Verdict::fail, Failure::wrong_value))] = "it casts";
    CHECK(!updated.after(added).is_reason_used);
    CHECK(updated.after(added).text.find("ticket 7") == std::string::npos);
    added.causes.clear();
    CHECK(updated.after(added).is_reason_used);
    CHECK(updated.after(added).blank == 0);
    CHECK(updated.after(added).text.find("ticket 7") != std::string::npos);
}

TEST_CASE("new failures may come with a finding, whose rules stand for theirs") {
    Updated updated;
    updated.saw("x", runtime, Verdict::crash);
    const UpdatedKnownFailures after = updated.after({{}, true, "engine-dies"});
    CHECK(after.added == 1);
    CHECK(after.added_versions == std::set{onnx_gather_13});
    CHECK(
        after.text.find("\"outcomes\": [\"crash\"],\n      \"finding\": \"engine-dies\"\n    }") !=
        std::string::npos);
    CHECK(updated.after({{}, true, {}}).text.find("\"finding\": \"\"\n") != std::string::npos);
}

TEST_CASE("an entry that is left with fewer executions keeps its finding") {
    const test::TemporaryFolder folder;
    const Finding& shipped = findings().findings().front();
    const std::string file = (folder.path() / "engine.json").string();
    std::ofstream(file)
        << R"({"implementation":"engine","versions":"1.2","failures":[{"case":["x","y"],)"
        << R"("operator":")" << name(shipped.call.version)
        << R"(","route":{"operands":"runtime","shapes":"static"},)"
        << R"("outcomes":["crash"],"finding":")" << shipped.id << "\"}]}";
    KnownFailuresUpdate update("engine");
    update.add(started());
    update.add(execution("x", shipped.call.version, runtime, Verdict::pass));
    const auto result = update.update(file, suite(), catalogue(), findings());
    REQUIRE(std::holds_alternative<UpdatedKnownFailures>(result));
    const auto& updated = std::get<UpdatedKnownFailures>(result);
    CHECK(updated.dropped == 1);
    CHECK(updated.text.find("\"case\": \"y\"") != std::string::npos);
    CHECK(updated.text.find("\"finding\": \"" + shipped.id + "\"") != std::string::npos);
    CHECK(updated.text.find("\"rule\"") == std::string::npos);
}

TEST_CASE("a version without a number is written so that the file is understood") {
    KnownFailuresUpdate update("engine");
    update.add(started("main"));
    update.add(execution("a", onnx_gather_13, runtime, Verdict::crash));
    const auto result = update.update({}, suite(), catalogue(), findings());
    REQUIRE(std::holds_alternative<UpdatedKnownFailures>(result));
    CHECK(std::get<UpdatedKnownFailures>(result).text.find("\"versions\": \"=main\"") !=
          std::string::npos);
}

TEST_CASE("a file about another version becomes one about the version that ran") {
    Updated updated;
    updated.update().add(started("1.3"));
    updated.saw("a", runtime, Verdict::crash);
    const UpdatedKnownFailures after = updated.after();
    CHECK(after.dropped == 0);
    CHECK(after.added == 0);
    CHECK(after.text.find("\"versions\": \"1.3\"") != std::string::npos);
}

TEST_CASE("a file that is yet to be made has what failed") {
    KnownFailuresUpdate update("engine");
    update.add(started());
    CHECK(!update.saw_failures());
    update.add(execution("a", onnx_gather_13, runtime, Verdict::crash));
    CHECK(update.saw_failures());
    const auto result = update.update({}, suite(), catalogue(), findings());
    REQUIRE(std::holds_alternative<UpdatedKnownFailures>(result));
    CHECK(std::get<UpdatedKnownFailures>(result).text == R"({
  "implementation": "engine",
  "versions": "1.2",
  "failures": [
    {
      "case": "a",
      "operator": "onnx.Gather-13",
      "route": {"operands": "runtime", "shapes": "static"},
      "outcomes": ["crash"],
      "reason": ""
    }
  ]
}
)");
}

}  // namespace gathercheck
