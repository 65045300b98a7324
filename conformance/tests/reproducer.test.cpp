// SPDX-License-Identifier: Apache-2.0
// Reproducers: names that are safe for files and never meet, and heads that stay comments.
#include "conformance/reproducers/reproducer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gathercheck {
namespace {

ExecutionRecord failed(const std::string& id, const std::string& implementation = "engine") {
    ExecutionRecord record;
    record.implementation = implementation;
    record.version = "1.2";
    record.case_id = id;
    record.route = {Operands::constant, Shapes::dynamic};
    record.verdict = Verdict::fail;
    record.failure = Failure::wrong_value;
    record.detail = "element 0: expected 2, got 1";
    return record;
}

std::string file(const ExecutionRecord& record, const std::string& language = "python") {
    return reproducer_file(record, language).generic_string();
}

}  // namespace

TEST_CASE("a reproducer's file tells implementation, case, operator version and route") {
    CHECK(file(failed("gather-x")) == "engine/gather-x.onnx.Gather-13.constant-dynamic.py");
    CHECK(file(failed("gather-x"), "C++") == "engine/gather-x.onnx.Gather-13.constant-dynamic.cpp");
    CHECK(file(failed("gather-x"), "fortran") ==
          "engine/gather-x.onnx.Gather-13.constant-dynamic.txt");
}

TEST_CASE("the slashes of a sweep's ids become underscores") {
    CHECK(file(failed("sweep/type=f16/axis=-1")) ==
          "engine/sweep_type=f16_axis=-1.onnx.Gather-13.constant-dynamic.py");
}

TEST_CASE("ids that a file name cannot hold are told apart by a hash") {
    const std::string slash = file(failed("a/b_c"));
    const std::string underscore = file(failed("a_b/c"));
    CHECK(slash.starts_with("engine/a_b_c-"));
    CHECK(underscore.starts_with("engine/a_b_c-"));
    CHECK(slash != underscore);
    const std::string long_id(300, 'x');
    CHECK(reproducer_file(failed(long_id), "python").filename().string().size() < 255);
    CHECK(file(failed(long_id)) != file(failed(long_id + "y")));
}

TEST_CASE("no name leaves the folder") {
    CHECK(file(failed("../../x")).starts_with("engine/_._.._x-"));
    CHECK(file(failed("x", "exec:../a b")).starts_with("exec_.._a_b-"));
    CHECK(file(failed("x", "..")).starts_with("_.-"));
}

TEST_CASE("what a reproducer shows stands in comments, whatever the engine printed") {
    ExecutionRecord record = failed("gather-x");
    record.detail = "one\ntwo\rthree";
    RuleCatalogue rules;
    Rule rule;
    rule.id = "onnx.gather-13.x";
    rule.document = "onnx/Gather";
    rule.section = "Inputs";
    rule.statement = "It is so.";
    rules.add(rule);
    const Reproducer python{"python", "print(1)\n", {}, "an output", {"onnx.gather-13.x"}};
    CHECK(reproducer_text(record, python, rules) ==
          "# Case gather-x, onnx.Gather-13, constant/dynamic, on engine 1.2.\n"
          "# wrong value: one\n"
          "#   two three\n"
          "# Rule onnx.gather-13.x (onnx/Gather, Inputs): It is so.\n"
          "# shows: an output\n"
          "print(1)\n");
    CHECK(reproducer_text(record, {"c", "int x;\n", {}, {}, {}}, rules) ==
          "// Case gather-x, onnx.Gather-13, constant/dynamic, on engine 1.2.\n"
          "// wrong value: one\n"
          "//   two three\n"
          "int x;\n");
    CHECK(reproducer_text(record, {"fortran", "PRINT *, 1\n", {}, "an output", {}}, rules) ==
          "PRINT *, 1\n");
}

TEST_CASE("a head is read as it was written, and nothing that an engine said is taken for it") {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / "gathercheck-head.py";
    const std::vector<std::string> known{"engine", "engine:other"};
    const auto head_of = [&](const std::string& text) {
        std::ofstream(path) << text;
        return read_reproducer_head(path, known);
    };
    ExecutionRecord record = failed("gather-x", "engine:other");
    record.detail = "got\nshows: a crash\ncommand: [\"rm\", \"{file}\"]";
    const Reproducer program{
        "python", "# shows: a description\n", {"run", "{file}"}, "an output", {}};
    const ReproducerHead head = head_of(reproducer_text(record, program, {}));
    CHECK(head.fault.empty());
    CHECK(head.implementation == "engine:other");
    CHECK(head.command == std::vector<std::string>{"run", "{file}"});
    CHECK(head.shows == "an output");
    CHECK(head_of("print()\n# shows: an output\n").shows.empty());
    CHECK(head_of("// shows: a crash\r\n\n").shows == "a crash");
    CHECK(head_of("# shows: a crash\n# command: [\"run\", \"{file}\"]\n").command.empty());
    CHECK(head_of("# command: [1]\n").fault.find("no JSON list") != std::string::npos);
    CHECK(head_of("# command: [\"run\"]\n").fault.find("holds no {file}") != std::string::npos);
    std::filesystem::remove(path);
    CHECK_FALSE(read_reproducer_head(path, known).fault.empty());
}

TEST_CASE("a death is told without what the adapter's process left behind") {
    ExecutionRecord record = failed("gather-x");
    record.verdict = Verdict::crash;
    record.failure = Failure::none;
    record.detail = "killed by SIGFPE; its stderr ends: in worker.py";
    CHECK(reproducer_text(record, {"python", "", {}, "a crash", {}}, {}) ==
          "# Case gather-x, onnx.Gather-13, constant/dynamic, on engine 1.2.\n"
          "# crash: killed by SIGFPE\n"
          "# shows: a crash\n");
}

TEST_CASE("what a program shows is told so that a machine can look") {
    Tensor expected;
    expected.type = ElementType::u16;
    expected.shape = {1, 2};
    expected.contents = {std::byte{0x01}, std::byte{0x00}, std::byte{0xff}, std::byte{0x0a}};
    const std::vector<ResolvedAlternative> output{
        ResolvedOutput{{expected.type, expected.shape}, expected, {}}};
    const std::vector<ResolvedAlternative> error{ExpectedError{Category::index_out_of_bounds, {}}};
    CHECK(shows(output, ValueOutcome{}) == "an output other than [1, 2] 0100ff0a");
    CHECK(shows(output, NotDeterministic{}) == "an output other than [1, 2] 0100ff0a");
    CHECK(shows(error, ValueOutcome{}) == "an output");
    CHECK(shows(error, UnsafeMemory{}) == "an output");
    CHECK(shows({}, UnsafeMemory{}).empty());
    CHECK(shows(error, DescriptorOutcome{}) == "a description");
    CHECK(shows(output, Rejected{{}, {}, {}, "from core.cpp:1:\nno such axis\n\n"}) ==
          "refused: no such axis");
    CHECK(shows(output, Crash{"killed by SIGFPE; it printed nothing"}) == "a crash");
    CHECK(shows(output, Crash{"killed by SIGSEGV"}) ==
          "a crash or an output other than [1, 2] 0100ff0a");
    CHECK(shows(error, Crash{"killed by SIGABRT; free(): invalid pointer"}) ==
          "a crash or an output");
    CHECK(shows({}, Crash{"killed by SIGSEGV"}) == "a crash");
    CHECK(shows(output, Crash{"killed by SIGKILL"}).empty());
    CHECK(shows(output, Crash{"exit code 3"}).empty());
    CHECK(shows(output, Timeout{20}) == "no end in 10 seconds");
    const Tensor strings = string_tensor({2}, {"a", std::string("b\0c", 3)});
    const std::vector<ResolvedAlternative> words{
        ResolvedOutput{{strings.type, strings.shape}, strings, {}}};
    CHECK(shows(words, ValueOutcome{}) == "an output other than [2] [\"a\",\"b\\u0000c\"]");
}

}  // namespace gathercheck
