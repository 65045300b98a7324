// SPDX-License-Identifier: Apache-2.0
// Reproducers: names that are safe for files and never meet, and heads that stay comments.
#include "conformance/reproducer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

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
    CHECK(reproducer_text(record, "python", "print(1)\n") ==
          "# Case gather-x, onnx.Gather-13, constant/dynamic, on engine 1.2.\n"
          "# wrong value: one\n"
          "# two three\n"
          "print(1)\n");
    CHECK(reproducer_text(record, "fortran", "PRINT *, 1\n") == "PRINT *, 1\n");
}

}  // namespace gathercheck
