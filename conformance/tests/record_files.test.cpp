// SPDX-License-Identifier: Apache-2.0
// Files of records: what makes them complete, and which are not put together.
#include "conformance/records/record_files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/tests/temporary.hpp"
#include "conformance/util/bounded_lines.hpp"

using namespace gathercheck;

namespace {

RunRecord header(const std::string& shard = {}) {
    RunRecord run;
    run.suite_version = "1.0.0";
    run.suite_hash = std::string(64, 'a');
    run.tool_version = "1.0.0";
    run.started = "2026-11-21T10:00:00Z";
    run.settings.emplace();
    run.settings->shard = shard;
    run.command = {"gathercheck", "run", shard};
    return run;
}

ExecutionRecord execution(const std::string& id, Verdict verdict = Verdict::pass) {
    ExecutionRecord record;
    record.implementation = "engine";
    record.version = "1.2";
    record.case_id = id;
    record.verdict = verdict;
    record.outcome = "value";
    return record;
}

/// A complete file of passing executions.
RecordFileContent file(const std::string& name, const std::vector<std::string>& ids,
                       RunRecord run = header()) {
    ImplementationRecord implementation;
    implementation.name = "engine";
    implementation.version = "1.2";
    implementation.state = "started";
    RecordFileContent content{name, {run, implementation}, false};
    for (const std::string& id : ids) content.records.emplace_back(execution(id));
    content.records.emplace_back(EndRecord{static_cast<std::int64_t>(ids.size()), 0, 1, false});
    return content;
}

std::vector<std::string> lacking(const std::vector<RecordFileContent>& files) {
    const auto checked = check_records(files);
    REQUIRE(std::holds_alternative<std::vector<std::string>>(checked));
    return std::get<std::vector<std::string>>(checked);
}

std::string refused(const std::vector<RecordFileContent>& files) {
    const auto checked = check_records(files);
    REQUIRE(std::holds_alternative<Problem>(checked));
    return std::get<Problem>(checked).reason;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a record with all that its end counts lacks nothing") {
    CHECK(lacking({file("a", {"x", "y"})}).empty());
}

TEST_CASE("a record that lacks executions, its end or a verdict's weight says so with numbers") {
    RecordFileContent content = file("a", {"x", "y"});
    content.records.erase(content.records.begin() + 2);
    CHECK(lacking({content}) ==
          std::vector<std::string>{"a: its end counts 2 executions, and 1 is there"});
    content = file("a", {"x"});
    content.records.pop_back();
    CHECK(lacking({content}) ==
          std::vector<std::string>{"a: the run was cut short: 1 execution and no end"});
    content = file("a", {"x"});
    std::get<EndRecord>(content.records.back()).exit_code = 1;
    REQUIRE(lacking({content}).size() == 1);
    CHECK(has(lacking({content})[0], "its end gives exit code 1, and its lines give 0"));
    content = file("a", {"x"});
    content.records.emplace_back(execution("y"));
    CHECK(lacking({content}) == std::vector<std::string>{"a: 1 line behind the end of the run"});
    content = file("a", {"x"});
    content.ends_in_half_a_line = true;
    CHECK(lacking({content}) == std::vector<std::string>{"a ends in half a line"});
}

TEST_CASE("an implementation that was asked for must be told of") {
    RunRecord run = header();
    run.settings->implementations = {"engine", "other"};
    CHECK(lacking({file("a", {"x"}, run)}) ==
          std::vector<std::string>{"a: it was asked for other, of which no line tells"});
}

TEST_CASE("shards are complete together") {
    const RecordFileContent first = file("a", {"x"}, header("1/2"));
    const RecordFileContent second = file("b", {"y"}, header("2/2"));
    CHECK(lacking({first, second}).empty());
    CHECK(lacking({second}) ==
          std::vector<std::string>{"b: of the 2 shards of its run 1 is not here: 1"});
    CHECK(has(refused({first, file("c", {"y"}, header("2/3"))}), "is one of 3 shards"));
}

TEST_CASE("runs that do not belong together are refused") {
    RunRecord other = header();
    other.suite_hash = std::string(64, 'b');
    CHECK(
        has(refused({file("a", {"x"}), file("b", {"y"}, other)}), "the hash of the suite is bbb"));
    CHECK(has(refused({file("a", {"x"}), file("b", {"y"})}), "holds the run of a again"));
    other = header();
    other.started = "2026-11-22T10:00:00Z";
    CHECK(has(refused({file("a", {"x"}), file("b", {"x"}, other)}), "stands in a and in b"));
    CHECK(lacking({file("a", {"x"}), file("b", {"y"}, other)}).empty());
    CHECK(has(refused({file("a", {"x", "x"})}), "stands twice in a"));
}

TEST_CASE("a line beyond the limit is not read to its end") {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "lines";
    std::ofstream(path, std::ios::binary) << "12345\n\n" << std::string(200'000, 'x') << "\nlast";
    std::string line;
    BoundedLines all(path, 200'000);
    REQUIRE(all.next(line));
    CHECK(line == "12345");
    REQUIRE(all.next(line));
    CHECK(line.empty());
    REQUIRE(all.next(line));
    CHECK(line.size() == 200'000);
    CHECK(all.has_newline());
    REQUIRE(all.next(line));
    CHECK(line == "last");
    CHECK_FALSE(all.has_newline());
    CHECK_FALSE(all.next(line));
    CHECK_FALSE(all.is_too_long());
    BoundedLines some(path, 199'999);
    CHECK(some.next(line));
    CHECK(some.next(line));
    CHECK_FALSE(some.next(line));
    CHECK(some.is_too_long());
}
