// SPDX-License-Identifier: Apache-2.0
// Known failures: what a file may say, and what it makes of a record.
#include "conformance/known_failures.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "conformance/tests/temporary.hpp"

namespace gathercheck {
namespace {

std::variant<KnownFailures, std::vector<Problem>> load(const std::string& text) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "engine.json") << text;
    return load_known_failures(folder.path() / "engine.json");
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

TEST_CASE("a file is about one version or a range of versions") {
    KnownFailures known;
    known.versions = "1.31.1";
    CHECK(known.covers("1.31.1"));
    CHECK_FALSE(known.covers("1.31.2"));
    known.versions = "1.9 - 1.31.1";
    CHECK(known.covers("1.10.0"));
    CHECK(known.covers("1.31.1"));
    CHECK_FALSE(known.covers("1.32"));
    CHECK_FALSE(known.covers("1.8.9"));
}

}  // namespace gathercheck
