// SPDX-License-Identifier: Apache-2.0
// Answers and hellos of the worker protocol, and the exact reason where they are refused.
#include "conformance/implementations/worker/protocol.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace gathercheck;

namespace {

std::string run_answer(const std::string& line) {
    const auto answer = read_answer(line, 7, false);
    if (const auto* malformed = std::get_if<Malformed>(&answer)) return "! " + malformed->why;
    return to_string(std::get<Answer>(answer).outcome);
}

std::string describe_answer(const std::string& line) {
    const auto answer = read_answer(line, 7, true);
    if (const auto* malformed = std::get_if<Malformed>(&answer)) return "! " + malformed->why;
    return to_string(std::get<Answer>(answer).outcome);
}

std::string hello(const std::string& line) {
    const auto answer = read_hello(line);
    if (const auto* malformed = std::get_if<Malformed>(&answer)) return "! " + malformed->why;
    return "good";
}

/// A hello that is good but for the members given.
std::string hello_with(const std::string& protocol, const std::string& implementation,
                       const std::string& rest) {
    return hello(R"({"message":"hello","protocol":)" + protocol + R"(,"implementation":)" +
                 implementation + "," + rest + "}");
}

const std::string named = R"({"name":"x"})";
const std::string claims =
    R"("claims":[{"operators":["onnx.Gather-1"],"data":["f32"],"indices":["i64"]}])";

}  // namespace

TEST_CASE("what is not implemented is like a claim, with a reason") {
    const auto with = [](const std::string& refusals) {
        return hello_with("1", named, claims + R"(,"not_implemented":)" + refusals);
    };
    const std::string refused = R"("operators":["onnx.Gather-1"],"data":["c64"],"indices":["i64"])";
    CHECK(with("[]") == "good");
    CHECK(with("[{" + refused + R"(,"why":"no"}])") == "good");
    CHECK(with(R"({"why":"no"})").starts_with("! \"not_implemented\" is "));
    CHECK(with("[{" + refused + R"(,"why":"no"},{"why":"no"}])") ==
          "! not_implemented 1: \"operators\" is missing, not a list");
    CHECK(with("[{" + refused + "}]") == "! not_implemented 0: \"why\" is missing, not a string");
    CHECK(with("[{" + refused + R"(,"why":""}])") ==
          "! not_implemented 0: \"why\" is empty; give the engine's own words");
}

TEST_CASE("the four forms of an answer") {
    CHECK(run_answer(R"({"seq":7,"output":{"type":"f32","shape":[2],"base64":"AACAPwAAAEA="}})") ==
          "f32 [2] = [1, 2]");
    CHECK(run_answer(R"({"seq":7,"output":{"type":"string","shape":[1,2],"values":["a",""]}})") ==
          R"(string [1, 2] = ["a", ""])");
    CHECK(run_answer(R"({"seq":7,"output":{"type":"i4","shape":[3],"base64":"IQM="}})") ==
          "i4 [3] = [1, 2, 3]");
    CHECK(run_answer(R"({"seq":7,"output":{"type":"i4","shape":[0],"base64":""}})") ==
          "i4 [0] = []");
    CHECK(run_answer(R"({"seq":7,"rejected":{"phase":"run","message":"no"}})") ==
          "rejected at run: no");
    CHECK(run_answer(R"({"seq":7,"rejected":{"category":"too_large"}})") ==
          "rejected as too_large");
    CHECK(run_answer(R"({"seq":7,"unsupported":"no complex numbers"})") ==
          "unsupported: no complex numbers");
    CHECK(run_answer(R"({"seq":7,"broken":"adapter fault"})") == "broken: adapter fault");
    CHECK(run_answer("{\"seq\":7,\"broken\":\"x\",\"time\":1.5}\r") == "broken: x");
}

TEST_CASE("the descriptor of a described call") {
    CHECK(describe_answer(R"({"seq":7,"descriptor":{"type":"f32","shape":[2,null]}})") ==
          "f32 [2, ?]");
    CHECK(describe_answer(R"({"seq":7,"descriptor":{"type":"f32","shape":null}})") ==
          "f32 of unknown rank");
    CHECK(describe_answer(R"({"seq":7,"descriptor":{"type":"f32"}})") ==
          "! \"descriptor\": \"shape\" is missing, not a list");
    CHECK(describe_answer(R"({"seq":7,"rejected":{}})") == "rejected");
    CHECK(describe_answer(R"({"seq":7,"output":{"type":"f32","shape":[0],"base64":""}})") ==
          "! holds output, which answers run messages");
    CHECK(run_answer(R"({"seq":7,"descriptor":{"type":"f32","shape":[]}})") ==
          "! holds descriptor, which answers describe messages");
}

TEST_CASE("an answer must be one object with the number and one form") {
    CHECK(run_answer("").starts_with("! not JSON"));
    CHECK(run_answer("7") == "! is the integer 7, not an object");
    CHECK(run_answer(R"({"seq":7} {"seq":7})").starts_with("! not JSON"));
    CHECK(run_answer(R"({"unsupported":"x"})") ==
          "! \"seq\" is missing, not the number asked under");
    CHECK(run_answer(R"({"seq":"7","unsupported":"x"})") ==
          "! \"seq\" is the string \"7\", not the number asked under");
    CHECK(run_answer(R"({"seq":7.0,"unsupported":"x"})") ==
          "! \"seq\" is the decimal 7.0, not the number asked under");
    CHECK(run_answer(R"({"seq":8,"unsupported":"x"})") == "! \"seq\" is 8, asked was 7");
    CHECK(run_answer(R"({"seq":7})") ==
          "! holds none of output, rejected, unsupported, broken, descriptor");
    CHECK(run_answer(R"({"seq":7,"unsupported":"x","broken":"y"})") ==
          "! holds both unsupported and broken");
    CHECK(run_answer(R"({"seq":7,"seq":7,"broken":"y"})")
              .starts_with("! the key \"seq\" stands twice"));
    CHECK(run_answer(R"({"seq":7,"unsupported":null})") ==
          "! \"unsupported\": is null, not a string");
}

TEST_CASE("an output must be a tensor, to the byte") {
    const auto output = [](const std::string& text) {
        return run_answer(R"({"seq":7,"output":)" + text + "}");
    };
    CHECK(output("[]") == "! \"output\": is a list, not an object");
    CHECK(output(R"({"shape":[],"base64":""})") ==
          "! \"output\": \"type\" is missing, not a string");
    CHECK(output(R"({"type":"float","shape":[],"base64":""})") ==
          "! \"output\": \"type\" is \"float\", which is no element type");
    CHECK(output(R"({"type":"f32","base64":""})") ==
          "! \"output\": \"shape\" is missing, not a list");
    CHECK(output(R"({"type":"f32","shape":[-1],"base64":""})") ==
          "! \"output\": an entry of \"shape\" is the integer -1, not a size");
    CHECK(output(R"({"type":"f32","shape":[2.0],"base64":""})") ==
          "! \"output\": an entry of \"shape\" is the decimal 2.0, not a size");
    CHECK(output(R"({"type":"f32","shape":[null],"base64":""})") ==
          "! \"output\": an entry of \"shape\" is null, not a size");
    CHECK(output(R"({"type":"f32","shape":[4611686018427387904,4],"base64":""})") ==
          "! \"output\": the shape [4611686018427387904, 4] is too large to be true");
    CHECK(output(R"({"type":"f32","shape":[1]})") ==
          "! \"output\": \"base64\" is missing, not the string that contents travel in");
    CHECK(output(R"({"type":"f32","shape":[1],"values":[1]})") ==
          "! \"output\": \"base64\" is missing, not the string that contents travel in");
    CHECK(output(R"({"type":"f32","shape":[1],"base64":"AAAA"})") ==
          "! \"output\": \"base64\" holds 3 bytes, f32 [1] has 4");
    CHECK(output(R"({"type":"f32","shape":[1],"base64":"AAAAA==="})") ==
          "! \"output\": \"base64\" is the string \"AAAAA===\", which is not base64");
    CHECK(output(R"({"type":"string","shape":[1],"base64":""})") ==
          "! \"output\": \"values\" is missing, not the list that strings travel in");
    CHECK(output(R"({"type":"string","shape":[2],"values":["a"]})") ==
          "! \"output\": \"values\" holds 1 strings, the shape [2] has 2 elements");
    CHECK(output(R"({"type":"string","shape":[1],"values":[7]})") ==
          "! \"output\": an entry of \"values\" is the integer 7, not a string");
    std::string many = "[1";
    for (int k = 1; k < 65; ++k) many += ",1";
    CHECK(output(R"({"type":"u8","shape":)" + many + R"(],"base64":"AA=="})") ==
          "! \"output\": \"shape\" has 65 dimensions, more than 64");
}

TEST_CASE("a rejection's phase and category must be known words") {
    CHECK(run_answer(R"({"seq":7,"rejected":"no"})") ==
          "! \"rejected\": is the string \"no\", not an object");
    CHECK(run_answer(R"({"seq":7,"rejected":{"phase":"load"}})") ==
          "! \"rejected\": \"phase\" is \"load\", not build, shape or run");
    CHECK(run_answer(R"({"seq":7,"rejected":{"category":"bad"}})") ==
          "! \"rejected\": \"category\" is \"bad\", which is no category of errors");
    CHECK(run_answer(R"({"seq":7,"rejected":{"message":7}})") ==
          "! \"rejected\": \"message\" is the integer 7, not a string");
}

TEST_CASE("a hello needs a version, a name and an operator version") {
    CHECK(hello_with("1", named, claims) == "good");
    CHECK(hello(R"({"message":"run"})") == "! \"message\" is the string \"run\", not \"hello\"");
    CHECK(hello_with("\"1\"", named, claims) ==
          "! \"protocol\" is the string \"1\", not the one version chosen");
    CHECK(hello_with("0", named, claims) ==
          "! no common protocol version: it chose 0, offered were 1 to 1");
    CHECK(hello_with("1", "7", claims) == "! \"implementation\" is the integer 7, not an object");
    CHECK(hello_with("1", "{}", claims) ==
          "! \"implementation\": \"name\" is missing, not a string");
    CHECK(hello_with("1", R"({"name":"x","version":3})", claims) ==
          "! \"implementation\": \"version\" is the integer 3, not a string");
    CHECK(hello_with("1", named, R"("answers":["run"])") == "! \"claims\" is missing, not a list");
    CHECK(hello_with("1", named, R"("claims":["onnx.Gather-1"])") ==
          "! claim 0: is the string \"onnx.Gather-1\", not an object");
    CHECK(hello_with("1", named, R"("claims":[{"operators":["onnx.Gather-1"],"data":["f32"]}])") ==
          "! claim 0: \"indices\" is missing, not a list");
    CHECK(hello_with("1", named, claims + R"(,"answers":["sing"])") ==
          "! \"answers\" holds neither \"run\" nor \"describe\"");
    CHECK(hello_with("1", named, claims + R"(,"features":"all")") ==
          "! \"features\" is the string \"all\", not a list");
}

TEST_CASE("the size of a message is known before it is made") {
    const std::string text("\x01\"plain", 7);
    const Tensor words = string_tensor({2}, {text, ""});
    Call call;
    call.attributes = {{"axis", std::int64_t{1}}};
    call.inputs = {{"data", words.view()},
                   {"indices", {ElementType::i64, {1 << 20, 3}, nullptr}},
                   {"empty", {ElementType::f32, {0}, nullptr}}};
    const Request request{&call};
    CHECK(call_members(request).size() <= size_of_call_members(request));
}

TEST_CASE("what is wrong with a line is pointed at") {
    const auto in_hello = [](const std::string& line) {
        return std::get<Malformed>(read_hello(line)).pointer;
    };
    const auto in_answer = [](const std::string& line) {
        return std::get<Malformed>(read_answer(line, 7, false)).pointer;
    };
    const std::string hello = R"({"message":"hello","protocol":1,"implementation":)";
    CHECK(in_hello("7").empty());
    CHECK(in_hello(R"({"message":"run"})") == "/message");
    CHECK(in_hello(R"({"message":"hello"})") == "/protocol");
    CHECK(in_hello(hello + "7}") == "/implementation");
    CHECK(in_hello(hello + R"({"name":7}})") == "/implementation/name");
    CHECK(in_hello(hello + R"({"name":""}})") == "/implementation/name");
    CHECK(in_hello(hello + R"({"name":"x"}})") == "/claims");
    CHECK(in_hello(hello + R"({"name":"x"},"claims":[7]})") == "/claims/0");
    std::string many = "7";
    for (int k = 0; k < 1000; ++k) many += ",7";
    CHECK(in_hello(hello + R"({"name":"x"},"claims":[)" + many + "]}") == "/claims");
    CHECK(in_hello(hello + R"({"name":"x"},"claims":[{"operators":["a",7]}]})") ==
          "/claims/0/operators/1");
    CHECK(in_hello(hello + R"({"name":"x"},)" + claims + R"(,"features":7})") == "/features");
    CHECK(in_answer(R"({"seq":8})") == "/seq");
    CHECK(in_answer(R"({"seq":7,"output":{"type":"f32","shape":[1],"base64":"AA=="}})") ==
          "/output/base64");
    CHECK(in_answer(R"({"seq":7,"output":{"type":"f32","shape":[1,-1]}})") == "/output/shape/1");
    CHECK(in_answer(R"({"seq":7,"rejected":{"phase":"x"}})") == "/rejected/phase");
    CHECK(in_answer(R"({"seq":7,"unsupported":7})") == "/unsupported");
}
