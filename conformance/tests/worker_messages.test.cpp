// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol: what the runner writes is read back, and the other way round.
#include "conformance/implementations/worker/worker_messages.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace gathercheck;

namespace {

std::string without_newline(std::string line) {
    REQUIRE(line.ends_with('\n'));
    line.pop_back();
    return line;
}

template <class T>
T asked(const std::string& line) {
    const auto message = read_worker_message(line);
    REQUIRE(std::holds_alternative<WorkerMessage>(message));
    REQUIRE(std::holds_alternative<T>(std::get<WorkerMessage>(message)));
    return std::get<T>(std::get<WorkerMessage>(message));
}

std::string refusal(const std::string& line) {
    const auto message = read_worker_message(line);
    REQUIRE(std::holds_alternative<Malformed>(message));
    return std::get<Malformed>(message).why;
}

std::string outcome(const std::string& answer, bool describe = false) {
    const auto read = read_answer(without_newline(answer), 7, describe, true);
    if (const auto* malformed = std::get_if<Malformed>(&read)) return "! " + malformed->why;
    return to_string(std::get<Answer>(read).outcome);
}

}  // namespace

TEST_CASE("a worker reads the call that the runner has written") {
    const Tensor words = string_tensor({2}, {std::string("a\0b", 3), ""});
    const Tensor indices{ElementType::i8, {1}, {std::byte{0xFF}}, nullptr};
    Call call;
    call.version = OperatorVersion::openvino_gather_8;
    call.attributes = {{"i", std::int64_t{-1}},
                       {"d", 0.5},
                       {"b", true},
                       {"s", std::string("t")},
                       {"o", OtherValue{"[1,null]"}},
                       {"l", std::vector<std::int64_t>{1, -2}}};
    call.inputs = {{"data", words.view()},
                   {"indices", indices.view()},
                   {"axis", {ElementType::i64, {3}, nullptr}}};
    Request request{&call, {Operands::folded, Shapes::dynamic, AxisOperand::runtime}};
    request.pass = 1;
    const auto read =
        asked<CallAsked>(without_newline(call_message(7, request, call_members(request), true)));
    CHECK(!read.describe);
    CHECK(read.seq == 7);
    CHECK(read.pass == 1);
    CHECK(read.operator_version == "openvino.Gather-8");
    CHECK(read.route == request.route);
    REQUIRE(read.attributes.size() == call.attributes.size());
    for (std::size_t k = 0; k < call.attributes.size(); ++k) {
        CHECK(read.attributes[k].name == call.attributes[k].name);
        CHECK(read.attributes[k].value == call.attributes[k].value);
    }
    REQUIRE(read.inputs.size() == 3);
    CHECK(*read.inputs[0].tensor.strings == *words.strings);
    CHECK(read.inputs[1].tensor.contents == indices.contents);
    CHECK(read.inputs[1].has_contents);
    CHECK(read.inputs[2].tensor.shape == Shape{3});
    CHECK(!read.inputs[2].has_contents);
}

TEST_CASE("a worker reads hello and goodbye, and keeps the number of what it does not know") {
    CHECK(asked<HelloAsked>(without_newline(hello_message())).min == 1);
    CHECK(asked<HelloAsked>(without_newline(hello_message())).max == 1);
    asked<GoodbyeSaid>(without_newline(goodbye_message()));
    CHECK(asked<OtherAsked>(R"({"message":"sing","seq":3})").seq == 3);
    CHECK(asked<OtherAsked>(R"({"message":"sing"})").seq == std::nullopt);
}

TEST_CASE("a worker names what is wrong with a message") {
    CHECK(refusal("[]") == "is a list, not an object");
    CHECK(refusal(R"({"message":"run","inputs":{}})") == "\"seq\" is not an integer");
    CHECK(refusal(R"({"message":"run","seq":1})") == "\"inputs\" is not an object");
    CHECK(refusal(R"({"message":"run","seq":1,"inputs":{"data":7}})") ==
          "an input is not an object");
    CHECK(refusal(R"({"message":"run","seq":1,"inputs":{"data":{"type":"f33","shape":[]}}})") ==
          "input \"data\": \"type\" is \"f33\", which is no element type");
    CHECK(refusal(R"({"message":"run","seq":1,"inputs":{},"attributes":[]})") ==
          "\"attributes\" is not an object");
    CHECK(refusal(R"({"message":"hello"})") == "\"protocol\" is not an object");
}

TEST_CASE("the runner reads every answer of a worker") {
    const Tensor output{ElementType::u4, {3}, {std::byte{0x21}, std::byte{0x03}}, nullptr};
    CHECK(outcome(output_answer(7, output.view())) == "u4 [3] = [1, 2, 3]");
    const Tensor words = string_tensor({1}, {"a\"b"});
    CHECK(outcome(output_answer(7, words.view())) == "string [1] = [\"a\"b\"]");
    CHECK(outcome(descriptor_answer(7, {ElementType::f32, {2, std::nullopt}, true}), true) ==
          "f32 [2, ?]");
    CHECK(outcome(descriptor_answer(7, {ElementType::f32, {}, false}), true) ==
          to_string(Outcome(DescriptorOutcome{ElementType::f32, {}, false})));
    CHECK(outcome(rejected_answer(7, "no \"good\"", "shape", "rank_mismatch")) ==
          "rejected at shape as rank_mismatch: no \"good\"");
    CHECK(outcome(rejected_answer(7, "no", "", "")) == "rejected: no");
    CHECK(outcome(text_answer(7, "unsupported", "why\n")) == "unsupported: why\\x0a");
    CHECK(outcome(text_answer(7, "broken", "\xFF")) == "broken: \\xff");
    CHECK(outcome(text_answer(7, "unsafe", "read a byte")) == "unsafe memory: read a byte");
}

TEST_CASE("the runner reads a worker's hello") {
    WorkerHello hello{"n", "1", "c", "cpu", {}, true, true};
    hello.claims.push_back(
        {"onnx.Gather-11 onnx.Gather-13", "f32  string ", "i64", "runtime folded", "dynamic", ""});
    const auto read = read_hello(without_newline(hello_answer(hello)));
    REQUIRE(std::holds_alternative<Introduction>(read));
    const auto& introduction = std::get<Introduction>(read);
    CHECK(introduction.name == "n");
    CHECK(introduction.describes);
    CHECK(introduction.reports_unsafe);
    REQUIRE(introduction.claims.size() == 1);
    const Claim& claim = introduction.claims[0];
    CHECK(claim.versions ==
          std::vector{OperatorVersion::onnx_gather_11, OperatorVersion::onnx_gather_13});
    CHECK(claim.data.contains(ElementType::string));
    CHECK(claim.operands == std::vector{Operands::runtime, Operands::folded});
    CHECK(claim.shapes == std::vector{Shapes::dynamic});
    CHECK(claim.axes == std::vector{AxisOperand::constant});
    CHECK(claim.attributes.empty());
    hello.claims.front().attributes = "axis=-1,0";
    const auto again = read_hello(hello_answer(hello));
    REQUIRE(std::holds_alternative<Introduction>(again));
    CHECK(std::get<Introduction>(again).claims[0].attributes.at("axis") ==
          std::vector<std::int64_t>{-1, 0});
    hello.claims.front().attributes = "axis=last";
    CHECK(std::get<Malformed>(read_hello(hello_answer(hello))).pointer ==
          "/claims/0/attributes/axis/0");
}

TEST_CASE("an answer of unsafe memory is only for workers with that feature") {
    const std::string line = R"({"seq":7,"unsafe":"read a byte"})";
    const auto without = read_answer(line, 7, false);
    REQUIRE(std::holds_alternative<Malformed>(without));
    CHECK(std::get<Malformed>(without).why ==
          "holds none of output, rejected, unsupported, broken, descriptor");
    const auto with = read_answer(line, 7, false, true);
    REQUIRE(std::holds_alternative<Answer>(with));
    CHECK(std::holds_alternative<UnsafeMemory>(std::get<Answer>(with).outcome));
}
