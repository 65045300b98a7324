// SPDX-License-Identifier: Apache-2.0
// Observations: what is taken from records, how it is kept, and how it is said.
#include "conformance/documents/observation.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/tests/load_fixture.hpp"
#include "conformance/tests/temporary.hpp"

using namespace gathercheck;

namespace {

constexpr Route run_time{};
constexpr Route constant{Operands::constant};
constexpr Route folded{Operands::folded};
constexpr Route dynamic{Operands::runtime, Shapes::dynamic};

const std::set<std::string, std::less<>> named{"one-past-the-end", "last-row"};

RunRecord started(const std::string& when) {
    RunRecord run;
    run.started = when;
    return run;
}

ExecutionRecord execution(const std::string& id, const Route& route, Verdict verdict,
                          const std::string& outcome) {
    ExecutionRecord record;
    record.implementation = "engine";
    record.version = "1.2";
    record.case_id = id;
    record.route = route;
    record.verdict = verdict;
    record.outcome = outcome;
    return record;
}

std::vector<Observed> observed(const std::vector<std::vector<Record>>& runs) {
    auto result = observe(runs, named);
    if (const auto* why = std::get_if<std::string>(&result)) FAIL(*why);
    return std::get<0>(std::move(result));
}

Observation did(Verdict verdict, const std::string& outcome, const std::string& classification = "",
                Failure failure = Failure::none) {
    Observation result;
    result.case_id = "last-row";
    result.routes = {run_time};
    result.verdict = verdict;
    result.outcome = outcome;
    result.classification = classification;
    result.failure = failure;
    return result;
}

}  // namespace

TEST_CASE("routes with the same result are one observation; cases that nobody names are none") {
    ExecutionRecord rejected = execution("one-past-the-end", folded, Verdict::pass, "rejected");
    rejected.phase = "build";
    const auto found =
        observed({{started("2026-11-21T10:00:00Z"),
                   execution("one-past-the-end", dynamic, Verdict::unspecified, "value"),
                   execution("one-past-the-end", run_time, Verdict::unspecified, "value"), rejected,
                   execution("huge", run_time, Verdict::pass, "value"),
                   execution("last-row", run_time, Verdict::broken, "broken"),
                   execution("last-row", constant, Verdict::not_run, "not run")}});
    REQUIRE(found.size() == 1);
    CHECK(found[0].implementation == "engine");
    CHECK(found[0].version == "1.2");
    CHECK(found[0].date == "2026-11-21");
    REQUIRE(found[0].observations.size() == 2);
    CHECK(found[0].observations[0].routes == std::vector{run_time, dynamic});
    CHECK(found[0].observations[1].routes == std::vector{folded});
    CHECK(found[0].observations[1].phase == "build");
}

TEST_CASE(
    "of an execution recorded twice the later run counts, in whichever order they are given") {
    const std::vector<Record> earlier{started("2026-11-20T10:00:00Z"),
                                      execution("last-row", run_time, Verdict::crash, "crash")};
    const std::vector<Record> later{started("2026-11-21T09:00:00Z"),
                                    execution("last-row", run_time, Verdict::pass, "value")};
    for (const auto& runs : {std::vector{earlier, later}, std::vector{later, earlier}}) {
        const auto found = observed(runs);
        REQUIRE(found.size() == 1);
        CHECK(found[0].date == "2026-11-21");
        REQUIRE(found[0].observations.size() == 1);
        CHECK(found[0].observations[0].verdict == Verdict::pass);
    }
}

TEST_CASE("what was asked in other element types is an observation of the case as written") {
    const auto found =
        observed({{started("2026-11-21T10:00:00Z"),
                   execution("last-row", run_time, Verdict::unsupported, "unsupported"),
                   execution("last-row/data=f64/indices=i32", run_time, Verdict::pass, "value")}});
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].observations.size() == 1);
    CHECK(found[0].observations[0].case_id == "last-row");
    CHECK(found[0].observations[0].verdict == Verdict::pass);
}

TEST_CASE("an observation tells what was done, not whether a failure is listed somewhere") {
    ExecutionRecord listed = execution("last-row", run_time, Verdict::known_failure, "value");
    listed.failure = Failure::wrong_value;
    ExecutionRecord died = execution("last-row", folded, Verdict::known_failure, "crash");
    const auto found = observed({{started("2026-11-21T10:00:00Z"), listed, died,
                                  execution("last-row", dynamic, Verdict::fixed, "value")}});
    REQUIRE(found[0].observations.size() == 3);
    CHECK(found[0].observations[0].verdict == Verdict::fail);
    CHECK(found[0].observations[0].failure == Failure::wrong_value);
    CHECK(found[0].observations[1].verdict == Verdict::pass);
    CHECK(found[0].observations[2].verdict == Verdict::crash);
}

TEST_CASE("the words of an implementation are not kept, its outputs are where nothing decides") {
    ExecutionRecord message = execution("last-row", run_time, Verdict::pass, "rejected");
    message.detail = "Exception from somewhere";
    ExecutionRecord output = execution("last-row", folded, Verdict::unspecified, "value");
    output.detail = "f32 [1] = [0]";
    const auto found = observed({{started("2026-11-21T10:00:00Z"), message, output}});
    CHECK(found[0].observations[0].value.empty());
    CHECK(found[0].observations[1].value == "f32 [1] = [0]");
}

TEST_CASE("records of two versions, or without the start of their run, cannot be used") {
    ExecutionRecord newer = execution("last-row", folded, Verdict::pass, "value");
    newer.version = "1.3";
    const std::vector<std::vector<Record>> two{
        {started("2026-11-21T10:00:00Z"), execution("last-row", run_time, Verdict::pass, "value"),
         newer}};
    const auto of_two = observe(two, named);
    REQUIRE(std::holds_alternative<std::string>(of_two));
    CHECK(std::get<std::string>(of_two).find("1.2 and 1.3") != std::string::npos);
    const std::vector<std::vector<Record>> headless{
        {execution("last-row", run_time, Verdict::pass, "value")}};
    CHECK(std::holds_alternative<std::string>(observe(headless, named)));
}

TEST_CASE("what is newly observed replaces all of that implementation and nothing of another") {
    const Observed old_engine{"engine", "1.1", "2026-01-01", {did(Verdict::crash, "crash")}};
    const Observed other{"another", "7", "2026-02-02", {did(Verdict::pass, "value")}};
    const Observed new_engine{"engine", "1.2", "2026-11-21", {did(Verdict::pass, "value")}};
    CHECK(updated({old_engine, other}, {new_engine}) == std::vector{other, new_engine});
}

TEST_CASE("observations survive their file, with lines that are not too long") {
    Observed all{"engine", "1.2", "2026-11-21", {}};
    Observation many = did(Verdict::unspecified, "value", "zero+wrap");
    many.value = std::string(120, 'x');
    many.routes = {run_time,
                   dynamic,
                   constant,
                   folded,
                   {Operands::runtime, Shapes::fixed, AxisOperand::runtime},
                   {Operands::runtime, Shapes::dynamic, AxisOperand::runtime},
                   {Operands::constant, Shapes::dynamic, AxisOperand::runtime}};
    all.observations = {did(Verdict::fail, "value", "", Failure::wrong_value), many};
    const std::string text = to_json({all});
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        CHECK(end - begin <= 160);
        begin = end + 1;
    }
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "observed.json") << text;
    const auto cases = load_cases_text(fixture::document, "document.json", fixture::rules());
    const auto loaded = load_observed(folder.path() / "observed.json", std::get<Suite>(cases));
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        FAIL(to_string(problems->front()));
    }
    CHECK(std::get<0>(loaded) == std::vector{all});
    CHECK(std::get<0>(load_observed(folder.path() / "none.json", std::get<Suite>(cases))).empty());
}

TEST_CASE("observations of unknown cases, versions, routes and words are refused") {
    const std::string entry =
        R"({"observed": [{"implementation": "e", "version": "1", "date": "2026-11-21", "observations": [
            {"case": "last-row", "operator": "onnx.Gather-13", "verdict": "pass", "outcome": "value",
             "routes": ["runtime/static"]}]}]})";
    const auto cases = load_cases_text(fixture::document, "document.json", fixture::rules());
    const auto problems_with = [&](const std::string& what, const std::string& instead) {
        const test::TemporaryFolder folder;
        std::string text = entry;
        text.replace(text.find(what), what.size(), instead);
        std::ofstream(folder.path() / "observed.json") << text;
        const auto loaded = load_observed(folder.path() / "observed.json", std::get<Suite>(cases));
        return std::holds_alternative<std::vector<Problem>>(loaded)
                   ? std::get<1>(loaded).front().pointer
                   : std::string("taken");
    };
    CHECK(problems_with("last-row", "last-row") == "taken");
    CHECK(problems_with("last-row", "no-case") == "/observed/0/observations/0/case");
    CHECK(problems_with("Gather-13", "Gather-12") == "/observed/0/observations/0/operator");
    CHECK(problems_with("\"pass\"", "\"good\"") == "/observed/0/observations/0/verdict");
    CHECK(problems_with("runtime/static", "lazy/static") == "/observed/0/observations/0/routes");
    CHECK(problems_with("\"date\"", "\"day\"") == "/observed/0/day");
}

TEST_CASE("an observation is said in a few words") {
    CHECK(in_words(did(Verdict::pass, "value")) == "gives the expected output");
    CHECK(in_words(did(Verdict::pass, "descriptor")) == "infers the expected shape");
    Observation rejected = did(Verdict::pass, "rejected");
    rejected.phase = "run";
    CHECK(in_words(rejected) == "rejects it at run time");
    rejected.category = "index_out_of_bounds";
    CHECK(in_words(rejected) == "rejects it at run time as `index_out_of_bounds`");
    CHECK(in_words(did(Verdict::fail, "value", "", Failure::accepted)) ==
          "accepts it, though it must be rejected");
    CHECK(in_words(did(Verdict::crash, "crash")) == "ends the process");
    CHECK(in_words(did(Verdict::unspecified, "value", "zero+wrap")) ==
          "gives zeros and counts a negative index from the end");
    Observation other = did(Verdict::unspecified, "value", "other");
    other.value = "i32 [1] = [7]";
    CHECK(in_words(other) == "gives something else: `i32 [1] = [7]`");
    CHECK(in_words(did(Verdict::unspecified, "rejected")) == "rejects it");
    CHECK(in_words(did(Verdict::unsupported, "unsupported")) == "does not support it");
}

TEST_CASE("statements say once what holds for several cases, and name the routes that depart") {
    const auto zeros = [](const std::string& id, OperatorVersion version, Route route,
                          const std::string& classification) {
        Observation result = did(Verdict::unspecified, "value", classification);
        result.case_id = id;
        result.version = version;
        result.routes = {route};
        return result;
    };
    constexpr auto v7 = OperatorVersion::openvino_gather_7;
    constexpr auto v1 = OperatorVersion::openvino_gather_1;
    Observed all{"engine", "1.2", "2026-11-21", {}};
    for (const std::string& id : {std::string("a"), std::string("b")}) {
        for (const OperatorVersion version : {v1, v7}) {
            all.observations.push_back(zeros(id, version, run_time, "zero"));
            all.observations.push_back(zeros(id, version, dynamic, "zero"));
            all.observations.push_back(zeros(id, version, folded, "clamp"));
        }
    }
    all.observations.push_back(zeros("c", v1, run_time, "zero"));
    const std::vector<std::string> cases{"b", "a", "c"};
    const auto said = statements(all, cases, std::array{v1, v7});
    REQUIRE(said.size() == 2);
    CHECK(said[0].text == "gives zeros; with folded operands it takes the nearest legal index");
    CHECK(said[0].cases == decltype(said[0].cases){{"b", {v1, v7}}, {"a", {v1, v7}}});
    CHECK(said[1].text == "gives zeros");
    CHECK(statements(all, cases, std::array{v7}).size() == 1);
}
