// SPDX-License-Identifier: Apache-2.0
// Files of records: what executions share is written once, and read back with each.
#include "conformance/records/record_writer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/records/record_reader.hpp"
#include "conformance/tests/temporary.hpp"

using namespace gathercheck;

namespace {

ExecutionRecord pass(const std::string& id) {
    ExecutionRecord record;
    record.implementation = "engine";
    record.version = "1";
    record.case_id = id;
    record.case_hash = "00c0ffee";
    record.outcome = "value";
    return record;
}

ExecutionRecord known_failure(const std::string& id) {
    ExecutionRecord record = pass(id);
    record.verdict = Verdict::known_failure;
    record.failure = Failure::wrong_value;
    record.title = "a title";
    record.reason = "it clamps";
    record.finding = "engine-clamps";
    record.rules = {"onnx.gather-13.indices.error"};
    record.reproducer = "made/x.py";
    record.microseconds = 7;
    return record;
}

RunRecord header() {
    RunRecord run;
    run.suite_version = run.tool_version = "1.0.0";
    run.started = "2026-01-01T00:00:00Z";
    return run;
}

const std::string context =
    R"({"record":"common","number":0,"members":{"record":"execution","implementation":"engine",)"
    R"("version":"1","operator":"onnx.Gather-13",)"
    R"("route":{"operands":"runtime","shapes":"static"}}})"
    "\n";

std::string written(const std::vector<Record>& records) {
    RecordWriter writer;
    std::string text;
    for (const Record& record : records) text += writer.lines(record);
    return text;
}

std::variant<std::vector<Record>, Problem> read(const std::string& text) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "run.jsonl";
    std::ofstream(file, std::ios::binary) << text;
    return read_records(file);
}

}  // namespace

TEST_CASE("passes share who was asked, what, and what came") {
    RecordWriter writer;
    ExecutionRecord one = pass("gather-x");
    one.microseconds = 12;
    CHECK(writer.lines(one) ==
          context +
              R"({"record":"common","number":1,"members":{"case_hash":"00c0ffee",)"
              R"("case":"gather-x"}})"
              "\n"
              R"({"record":"common","number":2,"members":{"verdict":"pass","outcome":"value"}})"
              "\n"
              R"({"of":[0,1,2],"us":12})"
              "\n");
    CHECK(writer.lines(one) == "{\"of\":[0,1,2],\"us\":12}\n");
    ExecutionRecord other = pass("gather-y");
    CHECK(writer.lines(other) ==
          R"({"record":"common","number":3,"members":{"case_hash":"00c0ffee","case":"gather-y"}})"
          "\n{\"of\":[0,3,2]}\n");
}

TEST_CASE("a failure has a line in which one can search") {
    RecordWriter writer;
    CHECK(writer.lines(known_failure("gather-x")) ==
          context +
              R"({"record":"common","number":1,"members":{"finding":"engine-clamps",)"
              R"("reason":"it clamps","rules":["onnx.gather-13.indices.error"]}})"
              "\n"
              R"({"of":[0,1],"case_hash":"00c0ffee","case":"gather-x","verdict":"known failure",)"
              R"("title":"a title","failure":"wrong value","outcome":"value",)"
              R"("reproducer":"made/x.py","us":7})"
              "\n");
}

TEST_CASE("what is written is read back with all its members") {
    ExecutionRecord unspecified = pass("gather-z");
    unspecified.verdict = Verdict::unspecified;
    unspecified.classification = "zero";
    unspecified.got = {RecordedAnswer{ElementType::f32, {{1}}, true, {"0"}}};
    ExecutionRecord fixed = known_failure("gather-f");
    fixed.verdict = Verdict::fixed;
    ExecutionRecord failed = known_failure("gather-g");
    failed.verdict = Verdict::fail;
    failed.reason = failed.finding = {};
    // Members that a pass has not today are not lost.
    ExecutionRecord odd = pass("gather-odd");
    odd.rules = {"a rule"};
    odd.reproducer = "x.py";
    const std::vector<Record> records{header(),
                                      pass("gather-x"),
                                      known_failure("gather-x"),
                                      unspecified,
                                      fixed,
                                      failed,
                                      odd,
                                      pass("gather-x"),
                                      NoteRecord{"engine", "warning", "x"},
                                      EndRecord{7, 1, 2, false}};
    const auto back = read(written(records));
    REQUIRE(std::holds_alternative<std::vector<Record>>(back));
    const auto& found = std::get<std::vector<Record>>(back);
    REQUIRE(found.size() == records.size());
    for (std::size_t k = 0; k < records.size(); ++k) {
        CHECK(to_json_line(found[k]) == to_json_line(records[k]));
    }
}

TEST_CASE("a writer may begin behind any line, and files may be put together") {
    const std::string one = written({header(), pass("gather-x"), pass("gather-y")});
    const std::string more = written({known_failure("gather-y"), pass("gather-z")});
    const auto back = read(one + more + one);
    REQUIRE(std::holds_alternative<std::vector<Record>>(back));
    const auto& found = std::get<std::vector<Record>>(back);
    REQUIRE(found.size() == 8);
    CHECK(to_json_line(found[2]) == to_json_line(pass("gather-y")));
    CHECK(to_json_line(found[3]) == to_json_line(known_failure("gather-y")));
    CHECK(to_json_line(found[4]) == to_json_line(pass("gather-z")));
    CHECK(to_json_line(found[7]) == to_json_line(pass("gather-y")));
}

TEST_CASE("a line that refers to what nobody declared is refused, by its number") {
    const std::string text = written({header(), pass("gather-x")});
    for (const std::string& bad :
         {text + "{\"of\":[0,1,7]}\n{}\n", text + "{\"of\":[]}\n{}\n", text + "{\"of\":0}\n{}\n",
          text + written({header()}) + "{\"of\":[0,1,2]}\n{}\n",
          text + "{\"record\":\"common\",\"number\":\"0\",\"members\":{}}\n{}\n",
          text + "{\"record\":\"common\",\"number\":0}\n{}\n"}) {
        CAPTURE(bad);
        const auto refused = read(bad);
        REQUIRE(std::holds_alternative<Problem>(refused));
        CHECK(std::get<Problem>(refused).reason.find("is no record of schema 1 to 2") !=
              std::string::npos);
    }
}

TEST_CASE("records of a newer schema are refused for that") {
    const auto refused = read("{\"record\":\"run\",\"schema\":3}\n{}\n");
    REQUIRE(std::holds_alternative<Problem>(refused));
    CHECK(std::get<Problem>(refused).reason ==
          "line 1 is of schema 3, and this gathercheck reads schema 1 to 2; use the newer one that "
          "wrote it");
}

TEST_CASE("records of schema 1 are read") {
    const auto back =
        read(R"({"record":"run","schema":1,"suite":{"version":"1.0.0","hash":"a","cases":1},)"
             R"("tool":{"version":"1.0.0"},"command":["gathercheck"],"started":"",)"
             R"("machine":{"cpu":"c","system":"s"}})"
             "\n"
             R"({"record":"execution","implementation":"engine","version":"1",)"
             R"("operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},)"
             R"("case":"gather-x","verdict":"fail","failure":"wrong value","outcome":"value",)"
             R"("got":"f32 [1] = [2.0]; 1 of 1 element differs: output[0]"})"
             "\n");
    REQUIRE(std::holds_alternative<std::vector<Record>>(back));
    const auto& found = std::get<std::vector<Record>>(back);
    REQUIRE(found.size() == 2);
    CHECK(std::get<RunRecord>(found[0]).schema == 1);
    const auto& execution = std::get<ExecutionRecord>(found[1]);
    CHECK(wrong_output_text(execution) == "f32 [1] = [2.0]; 1 of 1 element differs: output[0]");
    CHECK_FALSE(execution.microseconds);
    CHECK(execution.case_hash.empty());
}
