// SPDX-License-Identifier: Apache-2.0
// Records: written and read back, and what is left of a file that was cut short.
#include "conformance/records/record_reader.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/tests/temporary.hpp"

namespace gathercheck {
namespace {

const RunRecord header{"1.0.0",
                       "abc",
                       3,
                       "1.0.0",
                       {"gathercheck", "run"},
                       "2026-01-01T00:00:00Z",
                       "a CPU",
                       "a system",
                       "Debian",
                       "gathercheck run --cases my.json ",
                       "--no-known-failures ",
                       {}};

ExecutionRecord execution() {
    ExecutionRecord record;
    record.implementation = "optimized:avx2";
    record.version = "1.0.0";
    record.operator_version = OperatorVersion::openvino_gather_8;
    record.route = {Operands::constant, Shapes::dynamic, AxisOperand::runtime};
    record.case_id = "gather-x";
    record.title = "a title";
    record.rules = {"ov.gather-8.output.type"};
    record.shown_by = "kept/x.py";
    record.reproducer = "made/x.py";
    record.verdict = Verdict::fail;
    record.failure = Failure::wrong_value;
    record.outcome = "value";
    record.answer = "0123456789abcdef";
    record.detail = "element 0: \"quoted\"\nsecond line";
    RecordedAnswer answer{ElementType::f32, {{1}}, true, {"1.0"}};
    record.expected = {answer};
    answer.first = {"2.0"};
    answer.differing = 1;
    answer.differences = {{{0}, "1.0", "2.0"}};
    record.got = {answer};
    record.finding = "engine-a-bug";
    record.case_hash = "00c0ffee";
    record.microseconds = 25;
    return record;
}

}  // namespace

TEST_CASE("an execution is one line of JSON with the words of the route") {
    CHECK(
        to_json_line(execution()) ==
        R"({"record":"execution","implementation":"optimized:avx2","version":"1.0.0",)"
        R"("operator":"openvino.Gather-8","route":{"operands":"constant","shapes":"dynamic",)"
        R"("axis":"runtime"},"case_hash":"00c0ffee","case":"gather-x","verdict":"fail",)"
        R"("title":"a title",)"
        R"("failure":"wrong value","outcome":"value","answer":"0123456789abcdef",)"
        R"("detail":"element 0: \"quoted\"\nsecond line","got":{"type":"f32","shape":[1],)"
        R"("first":["2.0"],"differing":1,"differences":[{"at":[0],"expected":"1.0","got":"2.0"}]},)"
        R"("expected":{"type":"f32","shape":[1],"first":["1.0"]},)"
        R"("finding":"engine-a-bug",)"
        R"("rules":["ov.gather-8.output.type"],"shown_by":"kept/x.py","reproducer":"made/x.py",)"
        R"("us":25})");
}

TEST_CASE("a header tells what the run was asked for, and is read back with it") {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "run.jsonl";
    RunRecord asked = header;
    asked.settings =
        RunSettings{"/a folder", {"reference"}, {"my.json"}, {"type=f32"}, {"known.json"},
                    false,       true,          "it clamps", true,         "all",
                    "1/2",       "made",        true,        0.5,          0.25,
                    7,           1024,          "e-clamps"};
    const std::string line = to_json_line(asked);
    CHECK(line.ends_with(
        R"("options":{"folder":"/a folder","implementations":["reference"],"cases":["my.json"],)"
        R"("filters":["type=f32"],"known_failures":["known.json"],"update_known_failures":true,)"
        R"("reason":"it clamps","finding":"e-clamps","strict":true,"sweeps":"all","shard":"1/2","reproducers":"made","verify":true,"time_limit":0.5,)"
        R"("known_timeout_limit":0.25,)"
        R"("restarts":7,"memory_limit":1024}})"));
    std::ofstream(file, std::ios::binary) << line << "\n" << to_json_line(header) << "\n";
    const auto read = read_records(file);
    REQUIRE(std::holds_alternative<std::vector<Record>>(read));
    const auto& records = std::get<std::vector<Record>>(read);
    CHECK(to_json_line(records[0]) == line);
    CHECK_FALSE(std::get<RunRecord>(records[1]).settings);
}

TEST_CASE("claims and what is not implemented are kept with the implementation, and read back") {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "run.jsonl";
    ImplementationRecord implementation{"engine", "started", "", true, "1", "c++", "cpu", "", ""};
    Claim claim;
    claim.versions = {OperatorVersion::onnx_gather_13};
    claim.data = {ElementType::f32};
    claim.indices = {ElementType::i64};
    Claim refused = claim;
    refused.data = {ElementType::c64};
    refused.operands = {Operands::constant, Operands::folded};
    implementation.claims = {claim};
    implementation.not_implemented = {{refused, "no complex numbers"}};
    const std::string line = to_json_line(implementation);
    CHECK(line.ends_with(
        R"("claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"],)"
        R"("operands":["runtime"],"shapes":["static"],"axis":["constant"]}],)"
        R"("not_implemented":[{"operators":["onnx.Gather-13"],"data":["c64"],"indices":["i64"],)"
        R"("operands":["constant","folded"],"shapes":["static"],"axis":["constant"],)"
        R"("why":"no complex numbers"}]})"));
    std::ofstream(file) << line << '\n';
    const auto read = std::get<std::vector<Record>>(read_records(file));
    REQUIRE(read.size() == 1);
    CHECK(to_json_line(read[0]) == line);
    std::ofstream(file) << R"({"record":"implementation","implementation":"x","state":"started",)"
                        << R"("asked_by_name":true,"claims":[{"data":[]}]})" << '\n';
    CHECK(std::holds_alternative<Problem>(read_records(file)));
}

TEST_CASE("records know where their lines end") {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "run.jsonl";
    const std::string line = to_json_line(execution());
    std::ofstream(file, std::ios::binary) << line << "\n" << line;
    const auto read = read_record_lines(file);
    REQUIRE(std::holds_alternative<RecordLines>(read));
    const auto& lines = std::get<RecordLines>(read).lines;
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].end == line.size() + 1);
    CHECK(lines[0].has_newline);
    CHECK(lines[1].end == 2 * line.size() + 1);
    CHECK_FALSE(lines[1].has_newline);
}

TEST_CASE("what is written is read back") {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "run.jsonl";
    const std::vector<Record> records{
        header,
        ImplementationRecord{"reference", "started", "", false, "1.0.0", "C++", "cpu", "known.json",
                             std::string(64, 'a')},
        execution(),
        NoteRecord{"reference", "warning", "text"},
        NoteRecord{"reference", "warning", "text", "one of several"},
        EndRecord{1, 1, 11.283086429999999, true}};
    {
        std::ofstream stream(file);
        for (const Record& record : records) stream << to_json_line(record) << "\n";
    }
    const auto read = read_records(file);
    const auto* back = std::get_if<std::vector<Record>>(&read);
    REQUIRE(back != nullptr);
    REQUIRE(back->size() == records.size());
    for (std::size_t k = 0; k < records.size(); ++k) {
        CHECK(to_json_line((*back)[k]) == to_json_line(records[k]));
    }
}

TEST_CASE("bytes that are not UTF-8 do not stop a record") {
    ExecutionRecord record = execution();
    record.detail = "engine printed \xFF\xFE";
    CHECK(to_json_line(record).find("engine printed") != std::string::npos);
}

TEST_CASE("a last line that was cut short is left out, another bad line is refused") {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "run.jsonl";
    const std::string whole = to_json_line(execution());
    std::ofstream(file) << to_json_line(header) << "\n" << whole.substr(0, whole.size() / 2);
    const auto partial = read_records(file);
    REQUIRE(std::holds_alternative<std::vector<Record>>(partial));
    CHECK(std::get<std::vector<Record>>(partial).size() == 1);
    std::ofstream(file) << whole.substr(0, 20) << "\n" << to_json_line(header) << "\n";
    const auto refused = read_records(file);
    REQUIRE(std::holds_alternative<Problem>(refused));
    CHECK(std::get<Problem>(refused).reason.find("line 1") != std::string::npos);
    CHECK(std::holds_alternative<Problem>(read_records(folder.path() / "missing")));
}

TEST_CASE("what counts as a wrong outcome") {
    CHECK(wrong_outcome(Verdict::fail, Failure::wrong_value) == "wrong value");
    CHECK(wrong_outcome(Verdict::crash, Failure::none) == "crash");
    CHECK(wrong_outcome(Verdict::timeout, Failure::none) == "timeout");
    CHECK(wrong_outcome(Verdict::pass, Failure::none).empty());
    CHECK(wrong_outcome(Verdict::broken, Failure::none).empty());
}

TEST_CASE("an answer is known again by its digest") {
    const auto output = [](ElementType type, Shape shape, std::vector<std::uint8_t> bytes) {
        Tensor tensor{type, std::move(shape), {}, nullptr};
        for (const std::uint8_t byte : bytes) tensor.contents.push_back(std::byte{byte});
        return answer_digest(ValueOutcome{tensor});
    };
    const std::string one = output(ElementType::u8, {2}, {1, 2});
    CHECK(one.size() == 16);
    CHECK(one == output(ElementType::u8, {2}, {1, 2}));
    for (const std::string& other :
         {output(ElementType::u8, {2}, {1, 3}), output(ElementType::i8, {2}, {1, 2}),
          output(ElementType::u8, {2, 1}, {1, 2}), output(ElementType::u8, {1}, {1})}) {
        CHECK(one != other);
    }
    // The high half of the last byte is spare.
    CHECK(output(ElementType::u4, {3}, {0x21, 0x03}) == output(ElementType::u4, {3}, {0x21, 0xF3}));
    CHECK(output(ElementType::u4, {3}, {0x21, 0x03}) != output(ElementType::u4, {3}, {0x21, 0x04}));
    CHECK(output(ElementType::u4, {4}, {0x21, 0x03}) != output(ElementType::u4, {4}, {0x21, 0xF3}));
    CHECK_FALSE(output(ElementType::u4, {0}, {}).empty());
    const auto strings = [](std::vector<std::string> texts) {
        const auto count = static_cast<std::int64_t>(texts.size());
        return answer_digest(ValueOutcome{string_tensor({count}, std::move(texts))});
    };
    CHECK(strings({"a", "bc"}) == strings({"a", "bc"}));
    CHECK(strings({"a", "bc"}) != strings({"ab", "c"}));
    CHECK(strings({"a", "bc"}) != strings({"a", "bd"}));
}

TEST_CASE("so is a descriptor that is known as a whole, and nothing else") {
    const auto described = [](std::vector<std::optional<std::int64_t>> shape, bool known_rank) {
        return answer_digest(DescriptorOutcome{ElementType::f32, std::move(shape), known_rank});
    };
    CHECK(described({2, 3}, true).size() == 16);
    CHECK(described({2, 3}, true) == described({2, 3}, true));
    CHECK(described({2, 3}, true) != described({3, 2}, true));
    CHECK(described({2, std::nullopt}, true).empty());
    CHECK(described({}, false).empty());
    CHECK(answer_digest(Rejected{}).empty());
    CHECK(answer_digest(Crash{"gone"}).empty());
}

}  // namespace gathercheck
