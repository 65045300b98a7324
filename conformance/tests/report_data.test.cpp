// SPDX-License-Identifier: Apache-2.0
// Reports: what they show of records, that they are well formed, and what they make of text of
// others.
#include "conformance/report/report_data.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace gathercheck {
namespace {

using enum OperatorVersion;

ExecutionRecord execution(const std::string& id, Verdict verdict, Failure failure = Failure::none) {
    ExecutionRecord record;
    record.implementation = "engine";
    record.version = "1.2";
    record.operator_version = onnx_gather_13;
    record.case_id = id;
    record.verdict = verdict;
    record.failure = failure;
    record.outcome = "value";
    return record;
}

ReportData report(const std::vector<ExecutionRecord>& executions, bool partial = false) {
    ReportData data;
    RunRecord run;
    run.suite_version = "1.0.0";
    run.suite_hash = std::string(64, 'a');
    run.started = "2026-11-21T10:00:00Z";
    run.command = {"gathercheck", "run", "--filter", "a b"};
    run.cpu = "a <fast> CPU";
    run.system = "Linux";
    run.repeat = "gathercheck run --cases my.json ";
    data.add(run);
    ImplementationRecord implementation;
    implementation.name = "engine";
    implementation.version = "1.2";
    implementation.state = "started";
    implementation.asked_by_name = true;
    data.add(implementation);
    for (const ExecutionRecord& record : executions) data.add(record);
    EndRecord end;
    end.partial = partial;
    end.seconds = 1.25;
    data.add(end);
    return data;
}

ExecutionRecord failure() {
    ExecutionRecord record = execution("bad", Verdict::fail, Failure::wrong_value);
    record.title = "a <title>";
    record.detail = "element 0: expected \"2\", got <1> & \x01\xFF";
    record.reproducer = "made/bad.py";
    return record;
}

ExecutionRecord known() {
    ExecutionRecord record =
        execution("sweep/type=f32", Verdict::known_failure, Failure::wrong_value);
    record.reason = "it clamps";
    record.rules = {"onnx.gather-13.indices.error"};
    record.shown_by = "kept/clamps.py";
    return record;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("text of others is text in XML, whatever it holds") {
    CHECK(xml_text("a<b>&\"\n\t") == "a&lt;b&gt;&amp;&quot;\n\t");
    CHECK(xml_text(std::string("\0\x1B", 2)) == "\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(xml_text("\xC3\xA9\xF0\x9F\x98\x80") == "\xC3\xA9\xF0\x9F\x98\x80");
    CHECK(xml_text("\xC3") == "\xEF\xBF\xBD");
    CHECK(xml_text("\xED\xA0\x80").find('\xED') == std::string::npos);
    CHECK(xml_text("\xC0\xAFx") == "\xEF\xBF\xBD\xEF\xBF\xBDx");
}

TEST_CASE("the share that passed is rounded down and counts known failures as failures") {
    CHECK(pass_share(report({execution("a", Verdict::pass)}).tally()) == 1000);
    std::vector<ExecutionRecord> many(2000, execution("a", Verdict::pass));
    many.push_back(known());
    many.push_back(execution("u", Verdict::unspecified));
    CHECK(pass_share(report(many).tally()) == 999);
    CHECK(!pass_share(report({execution("u", Verdict::unsupported)}).tally()));
    CHECK(share_text(999) == "99.9 %");
    CHECK(share_text(1000) == "100 %");
}

TEST_CASE("records of several runs of one implementation are one row") {
    ReportData data = report({execution("a", Verdict::pass)});
    const ReportData other = report({execution("b", Verdict::pass)});
    data.add(other.runs().front().run);
    ImplementationRecord again = other.tally().implementations().front().record;
    data.add(again);
    data.add(execution("b", Verdict::pass));
    CHECK(data.tally().partial());
    data.add(EndRecord{});
    CHECK(!data.tally().partial());
    REQUIRE(data.tally().implementations().size() == 1);
    CHECK(data.tally().implementations().front().count(Verdict::pass) == 2);
}

TEST_CASE("an interrupted run is trouble, whatever passed") {
    CHECK(report({execution("a", Verdict::pass)}).tally().exit_code() == 0);
    CHECK(report({execution("a", Verdict::pass)}, true).tally().exit_code() == 3);
    CHECK(has(markdown_report(report({execution("a", Verdict::pass)}, true)), "cut short"));
    CHECK(has(junit_report(report({execution("a", Verdict::pass)}, true)), "errors=\"1\""));
}

TEST_CASE("JUnit has a test for each case and operator, and skips known failures with the reason") {
    const std::string text =
        junit_report(report({execution("good", Verdict::pass), execution("good", Verdict::pass),
                             failure(), known(), execution("sweep/type=f64", Verdict::pass)}));
    CHECK(has(text,
              "<testsuite name=\"engine\" tests=\"3\" failures=\"1\" errors=\"0\" "
              "skipped=\"1\" time=\"1.250\" timestamp=\"2026-11-21T10:00:00\">"));
    CHECK(has(text,
              "<testsuites name=\"gathercheck\" tests=\"3\" failures=\"1\" errors=\"0\" "
              "time=\"1.250\">"));
    CHECK(has(text, "<property name=\"command\" value=\"gathercheck run --filter 'a b'\"/>"));
    CHECK(has(text,
              "<testcase classname=\"engine.onnx.Gather-13\" name=\"good\" "
              "time=\"0.000\"/>"));
    CHECK(has(text,
              "<failure type=\"wrong value\" message=\"wrong value: element 0: expected "
              "&quot;2&quot;, got &lt;1&gt; &amp; "));
    CHECK(has(text,
              "repeat: gathercheck run --cases my.json --implementation engine --filter "
              "case=bad"));
    CHECK(has(text, "reproducer: made/bad.py"));
    CHECK(has(text,
              "<testcase classname=\"engine.onnx.Gather-13\" name=\"sweep\" time=\"0.000\">\n      "
              "<skipped message=\"known failure: it clamps\"/>"));
    CHECK(!has(text, "\x01"));
}

TEST_CASE("JUnit has the time of the calls of a test, all together") {
    ExecutionRecord one = execution("sweep/a=1", Verdict::pass);
    one.microseconds = 1500;
    ExecutionRecord other = execution("sweep/a=2", Verdict::pass);
    other.microseconds = 2000000;
    CHECK(has(junit_report(report({one, other})), "name=\"sweep\" time=\"2.001500\"/>"));
}

TEST_CASE("JUnit gives no implementation the time that it shared with others") {
    ReportData data = report({execution("a", Verdict::pass)});
    ImplementationRecord other = data.tally().implementations().front().record;
    other.name = "other";
    data.add(other);
    const std::string text = junit_report(data);
    CHECK(has(text,
              "<testsuites name=\"gathercheck\" tests=\"1\" failures=\"0\" errors=\"0\" "
              "time=\"1.250\">"));
    CHECK(has(text,
              "<testsuite name=\"engine\" tests=\"1\" failures=\"0\" errors=\"0\" "
              "skipped=\"0\" time=\"0.000\""));
}

TEST_CASE("JUnit says what did not start, and what was never run") {
    ReportData data;
    data.add(RunRecord{});
    data.add(ImplementationRecord{"engine", "broken", "no hello", true, "", "", "", ""});
    data.add(ImplementationRecord{"row", "unavailable", "no such CPU", false, "", "", "", ""});
    data.add(EndRecord{});
    const std::string text = junit_report(data);
    CHECK(has(text, "<error type=\"the run\" message=\"broken: no hello\"/>"));
    CHECK(has(text, "<skipped message=\"unavailable: no such CPU\"/>"));
    CHECK(has(junit_report(report({execution("a", Verdict::not_run)})), "failures=\"1\""));
}

TEST_CASE("a fixed entry is a failure in JUnit, and a broken adapter an error") {
    CHECK(has(junit_report(report({execution("a", Verdict::fixed)})),
              "<failure type=\"fixed\" message=\"fixed: no failure any more"));
    CHECK(has(junit_report(report({execution("a", Verdict::broken)})), "<error type=\"broken\""));
}

TEST_CASE("Markdown is short, however much fails") {
    std::vector<ExecutionRecord> many;
    for (int k = 0; k < 500; ++k) {
        many.push_back(failure());
        many.back().case_id = "bad-" + std::to_string(k);
    }
    ReportData data = report(many);
    for (int k = 0; k < 100; ++k) {
        data.add(ImplementationRecord{"row-" + std::to_string(k), "unavailable", "", false, "", "",
                                      "", ""});
        data.add(NoteRecord{"engine", "warning", "text"});
    }
    const std::string text = markdown_report(data);
    CHECK(std::ranges::count(text, '\n') <= 60);
    CHECK(has(text, "| engine | 1.2 |"));
    CHECK(has(text, "- **engine** onnx.Gather-13 `bad-0`: wrong value: element 0: expected"));
    CHECK(has(text, "and 482 more executions"));
    CHECK(!has(text, "<1>"));
}

TEST_CASE("a badge says the share and has the colour of the conclusion") {
    CHECK(has(badge(report({execution("a", Verdict::pass)})), "#2e7d32"));
    const std::string text = badge(report({execution("a", Verdict::pass), failure()}));
    CHECK(has(text, "<title>gathercheck engine: 50 % pass</title>"));
    CHECK(has(text, "#c62828"));
}

}  // namespace gathercheck
