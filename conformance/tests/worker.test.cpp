// SPDX-License-Identifier: Apache-2.0
// Worker programs that keep to the protocol, and every way not to.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/model/implementation.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/sample.hpp"
#include "conformance/tests/temporary.hpp"

using namespace gathercheck;
using gathercheck::test::TemporaryFolder;

namespace {

using fixture::Sample;
using fixture::tensor;

/// Long enough for a busy machine; what hangs by design gets less.
Limits limits_of(double seconds_per_call) {
    Limits limits;
    limits.seconds_per_call = seconds_per_call;
    limits.seconds_to_start = 20;
    return limits;
}
Limits usual_limits() { return limits_of(20); }

std::unique_ptr<Implementation> fake(const std::string& mode,
                                     std::vector<std::string> environment = {},
                                     const Limits& limits = usual_limits()) {
    return worker("fake", {fixture::fake_worker(), mode}, std::move(environment), limits);
}

std::string reason(const std::optional<NotStarted>& failed) {
    if (!failed) return "started";
    return (failed->kind == NotStarted::Kind::broken ? "broken: " : "unavailable: ") + failed->why;
}

std::vector<std::string> answers(Implementation& implementation,
                                 std::span<const Request> requests) {
    std::vector<std::string> outcomes;
    implementation.answer(requests, [&](std::size_t request, const Outcome& outcome) {
        REQUIRE(request == outcomes.size());
        outcomes.push_back(to_string(outcome));
    });
    REQUIRE(outcomes.size() == requests.size());
    return outcomes;
}

const std::string good_answer = "f32 [2] = [1, 2]";

/// What comes of the call at which the worker misbehaves; the calls around it are answered.
std::string outcome_of(const std::string& mode, std::vector<std::string> environment = {},
                       double seconds_per_call = 20, bool asks_ahead = false) {
    Limits limits = limits_of(seconds_per_call);
    limits.asks_ahead = asks_ahead;
    const auto implementation = fake(mode, std::move(environment), limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample bad(9);
    const std::vector<Request> requests{{&good.call}, {&bad.call}, {&good.call}};
    const std::vector<std::string> outcomes = answers(*implementation, requests);
    CHECK(outcomes[0] == good_answer);
    CHECK(outcomes[2] == good_answer);
    return outcomes[1];
}

std::string content(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Whether a process still does anything: a zombie that nobody reaps does not.
bool runs(long id) {
    const std::string text = content("/proc/" + std::to_string(id) + "/stat");
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z';
}

/// True where every process whose number stands in the file is gone within a second.
bool all_gone(const std::filesystem::path& file) {
    std::ifstream stream(file);
    long id = 0;
    int count = 0;
    while (stream >> id) {
        ++count;
        for (int k = 0; k < 200 && runs(id); ++k) ::usleep(5000);
        if (runs(id)) return false;
    }
    return count > 0;
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("the hello of a worker that is started again says so") {
    const test::TemporaryFolder folder;
    const auto log = folder.path() / "log";
    outcome_of("aborts", {"FAKE_WORKER_LOG=" + log.string()});
    const std::string said = content(log);
    const std::string hello = R"({"message":"hello","protocol":{"min":1,"max":1},"suite":"1.1.0")";
    CHECK(said.starts_with(hello + "}\n"));
    CHECK(said.find("\n" + hello + R"(,"restart":true})") != std::string::npos);
}

TEST_CASE("a healthy worker introduces itself; what is unknown in its hello is left out") {
    const auto implementation = fake("healthy");
    REQUIRE(reason(implementation->start()) == "started");
    CHECK(implementation->name() == "fake");
    CHECK(!implementation->introduction().follows_suite);
    const Introduction& introduction = implementation->introduction();
    CHECK(introduction.name == "fake");
    CHECK(introduction.version == "0.1");
    CHECK(introduction.language == "c++");
    CHECK(introduction.device == "cpu");
    CHECK(introduction.runs);
    CHECK(introduction.describes);
    CHECK(introduction.reproduces);
    REQUIRE(introduction.claims.size() == 1);
    const Claim& claim = introduction.claims[0];
    CHECK(claim.versions == std::vector{OperatorVersion::onnx_gather_13});
    CHECK(claim.data.contains(ElementType::f32));
    CHECK(claim.data.contains(ElementType::string));
    CHECK(!claim.data.contains(ElementType::f64));
    CHECK(claim.operands == std::vector{Operands::runtime, Operands::constant});
    CHECK(claim.shapes == std::vector{Shapes::fixed, Shapes::dynamic});
    CHECK(claim.axes == std::vector{AxisOperand::constant});
}

TEST_CASE("a healthy worker's outputs, rejections and descriptors are outcomes") {
    const auto implementation = fake("healthy");
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample rejected(7);
    Sample described;
    for (Input& input : described.call.inputs) input.tensor.contents = nullptr;
    Sample strings;
    const Tensor words = string_tensor({2}, {std::string("a\0b", 3), "\u00e9\"\\"});
    strings.call.inputs[0].tensor = words.view();
    const std::vector<Request> requests{
        {&good.call}, {&rejected.call}, {&described.call, {}, true}, {&strings.call}};
    std::vector<Outcome> outcomes;
    implementation->answer(
        requests, [&](std::size_t, Outcome outcome) { outcomes.push_back(std::move(outcome)); });
    REQUIRE(outcomes.size() == 4);
    CHECK(to_string(outcomes[0]) == good_answer);
    CHECK(to_string(outcomes[1]) == "rejected at shape as axis_out_of_range: axis 7 is too much");
    CHECK(to_string(outcomes[2]) == "f32 [2, ?]");
    REQUIRE(std::holds_alternative<ValueOutcome>(outcomes[3]));
    CHECK(*std::get<ValueOutcome>(outcomes[3]).output.strings == *words.strings);
}

TEST_CASE("messages carry the call, its route, and nothing that is expected") {
    const TemporaryFolder folder;
    {
        const auto implementation =
            fake("healthy", {"FAKE_WORKER_LOG=" + (folder.path() / "log").string()});
        REQUIRE(reason(implementation->start()) == "started");
        Sample sample;
        const Tensor axis = tensor<std::int64_t>(ElementType::i64, {}, {-1});
        const Tensor words = string_tensor({2}, {"plain", "\"\n\x01"});
        sample.call.version = OperatorVersion::openvino_gather_8;
        sample.call.attributes = {{"batch_dims", std::int64_t{-1}},
                                  {"d", 0.5},
                                  {"b", true},
                                  {"s", std::string("t")},
                                  {"l", std::vector<std::int64_t>{1, -2}},
                                  {"o", OtherValue{"{\"x\":[null]}"}}};
        sample.call.inputs.push_back({"axis", axis.view()});
        sample.call.inputs.push_back({"surplus", words.view()});
        Sample described;
        for (Input& input : described.call.inputs) input.tensor.contents = nullptr;
        described.call.inputs[0].tensor.shape = {3, 0};
        Sample empty;
        empty.call.inputs[0].tensor = {ElementType::u4, {0, 5}, nullptr};
        const Route route{Operands::constant, Shapes::dynamic, AxisOperand::runtime};
        const std::vector<Request> requests{
            {&sample.call, route}, {&described.call, {}, true}, {&empty.call, {}, false, 1}};
        answers(*implementation, requests);
    }
    CHECK(content(folder.path() / "log") ==
          R"({"message":"hello","protocol":{"min":1,"max":1},"suite":"1.1.0"}
{"message":"run","seq":1,"pass":0,"operator":"openvino.Gather-8","route":{"operands":"constant","shapes":"dynamic","axis":"runtime"},"attributes":{"batch_dims":-1,"d":0.5,"b":true,"s":"t","l":[1,-2],"o":{"x":[null]}},"inputs":{"data":{"type":"f32","shape":[2],"base64":"AACAPwAAAEA="},"indices":{"type":"i64","shape":[1],"base64":"AAAAAAAAAAA="},"axis":{"type":"i64","shape":[],"base64":"//////////8="},"surplus":{"type":"string","shape":[2],"values":["plain","\"\u000a\u0001"]}}}
{"message":"describe","seq":2,"pass":0,"operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},"attributes":{"axis":0},"inputs":{"data":{"type":"f32","shape":[3,0]},"indices":{"type":"i64","shape":[1]}}}
{"message":"run","seq":3,"pass":1,"operator":"onnx.Gather-13","route":{"operands":"runtime","shapes":"static"},"attributes":{"axis":0},"inputs":{"data":{"type":"u4","shape":[0,5],"base64":""},"indices":{"type":"i64","shape":[1],"base64":"AAAAAAAAAAA="}}}
{"message":"goodbye"}
)");
}

TEST_CASE("a reproducer is asked for under the number of the call") {
    const auto implementation = fake("healthy");
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample rejected(7);
    const std::vector<Request> requests{{&rejected.call}, {&good.call}, {&rejected.call}};
    answers(*implementation, requests);
    CHECK(implementation->reproduce(requests[1])->text == "call 2 in c++: onnx.Gather-13");
    CHECK(implementation->reproduce(requests[2])->text == "call 3 in c++: onnx.Gather-13");
    const Sample never_asked(5);
    CHECK(implementation->reproduce({&never_asked.call})->text == "call 4 in c++: onnx.Gather-13");
}

TEST_CASE("the calls of a sequence have one number, another one each time it is asked") {
    const TemporaryFolder folder;
    const std::string log = (folder.path() / "log").string();
    const Sample first(7);
    const Sample last(5);
    const std::vector<EarlierCall> before{{&first.call, "first"}, {&last.call, "second"}};
    const std::vector<Request> requests{{&last.call, {}, false, 0, false, before},
                                        {&last.call},
                                        {&last.call, {}, false, 1, false, before}};
    const auto models_of = [&](std::vector<std::string> environment) {
        std::filesystem::remove(log);
        environment.push_back("FAKE_WORKER_LOG=" + log);
        {
            const auto implementation = fake("healthy", std::move(environment));
            REQUIRE(reason(implementation->start()) == "started");
            // A rejection before it is no business of the last call's.
            CHECK(answers(*implementation, requests) == std::vector<std::string>(3, good_answer));
        }
        std::ifstream stream(log);
        std::string models;
        for (std::string line; std::getline(stream, line);) {
            if (line.find("\"run\"") == std::string::npos) continue;
            const std::size_t place = line.find("\"model\":");
            models += place == std::string::npos ? '-' : line[place + 8];
        }
        return models;
    };
    CHECK(models_of({"FAKE_WORKER_KEEPS_MODELS=1"}) == "111-222");
    CHECK(models_of({}) == "-------");
}

TEST_CASE("a worker that ends over an earlier call has ended over the sequence, which names it") {
    const Sample good;
    const Sample bad(9);
    const std::vector<EarlierCall> before{{&good.call, "good-one"}, {&bad.call, "bad-one"}};
    const std::vector<Request> requests{{&good.call, {}, false, 0, false, before}, {&good.call}};
    const auto outcome = [&](const std::string& mode, double seconds = 20) {
        const auto implementation = fake(mode, {}, limits_of(seconds));
        REQUIRE(reason(implementation->start()) == "started");
        const auto outcomes = answers(*implementation, requests);
        CHECK(outcomes[1] == good_answer);
        return outcomes[0];
    };
    CHECK(outcome("aborts").starts_with("crash: in the earlier call of case bad-one: killed by"));
    CHECK(outcome("hangs", 0.5) ==
          "timeout: no answer in 0.5 s in the earlier call of case bad-one");
    CHECK(outcome("rubbish").starts_with("broken: in the earlier call of case bad-one: answer "));
    CHECK(outcome("admits-a-fault") ==
          "broken: in the earlier call of case bad-one: index out of mind");
    // What it does after a good answer is found before the next call of the sequence.
    CHECK(outcome("answers-and-dies").starts_with("crash: "));
}

TEST_CASE(
    "a reproducer of a sequence is asked for with all its calls, of workers that keep models") {
    const Sample good;
    const std::vector<EarlierCall> before{{&good.call, "one"}, {&good.call, "two"}};
    const Request sequence{&good.call, {}, false, 0, false, before};
    const auto keeps = fake("healthy", {"FAKE_WORKER_KEEPS_MODELS=1"});
    REQUIRE(reason(keeps->start()) == "started");
    answers(*keeps, std::vector<Request>{sequence});
    CHECK(keeps->reproduce(sequence)->text == "call 4 in c++: onnx.Gather-13 after 2");
    const auto other = fake("healthy");
    REQUIRE(reason(other->start()) == "started");
    CHECK_FALSE(other->reproduce(sequence));
}

TEST_CASE("a described call is unsupported by a worker that only runs") {
    const auto implementation = fake("runs-only");
    REQUIRE(reason(implementation->start()) == "started");
    const Sample sample;
    const std::vector<Request> requests{{&sample.call, {}, true}, {&sample.call}};
    const std::vector<std::string> outcomes = answers(*implementation, requests);
    CHECK(outcomes[0] == "unsupported: it does not answer describe messages");
    CHECK(outcomes[1] == good_answer);
}

TEST_CASE("a worker that does not start says why") {
    Limits short_start = usual_limits();
    short_start.seconds_to_start = 0.3;
    const auto start = [&](const std::string& mode) {
        const Limits limits = mode == "hangs-at-start" ? short_start : usual_limits();
        return reason(fake(mode, {}, limits)->start());
    };
    CHECK(start("dies-at-start") ==
          "broken: ended before its hello: exited with code 1; its stderr ends: cannot find my "
          "settings");
    CHECK(start("unavailable") ==
          "unavailable: the package fake-engine is missing; remedy: install it");
    CHECK(start("unavailable-without-a-word") ==
          "broken: ended before its hello: exited with code 3");
    CHECK(start("hangs-at-start") == "broken: no hello within 0.3 s");
    CHECK(start("rubbish-at-start")
              .starts_with("broken: no hello as the protocol wants it: not "
                           "JSON at line 1, column 1: "));
    CHECK(start("rubbish-at-start").ends_with(": Engine 3.1 ready."));
    CHECK(start("other-version")
              .starts_with("broken: no hello as the protocol wants it: no common protocol version: "
                           "it chose 2, "
                           "offered were 1 to 1: {\"message\":\"hello\","));
    CHECK(start("claims-nothing")
              .starts_with("broken: no hello as the protocol wants it: it claims no operator "
                           "version that this suite "
                           "knows; names are like \"onnx.Gather-13\": {"));
    CHECK(start("claims-unknown")
              .starts_with(
                  "broken: no hello as the protocol wants it: it claims no operator version"));
    CHECK(start("slow-start") == "started");
}

TEST_CASE("a program that cannot be started is broken with its name") {
    const auto start = [](std::vector<std::string> command) {
        return reason(worker("x", std::move(command), {}, usual_limits())->start());
    };
    CHECK(start({"/no/such/program"}) ==
          "broken: the program /no/such/program cannot be started: No such file or directory");
    CHECK(start({"/"}) == "broken: the program / cannot be started: Permission denied");
    CHECK(start({}) == "broken: the program  cannot be started: no program is named");
    CHECK(start({"true"}) == "broken: ended before its hello: exited with code 0");
}

TEST_CASE("an answer that breaks the protocol is broken with its line") {
    CHECK(outcome_of("rubbish").ends_with(": Welcome to the engine!"));
    CHECK(outcome_of("rubbish").starts_with("broken: answer not JSON at line 1, column 1: "));
    CHECK(outcome_of("no-object") == "broken: answer is a list, not an object: [1, 2]");
    CHECK(outcome_of("wrong-seq")
              .starts_with("broken: answer \"seq\" is 3, asked was 2: {\"seq\":3,"));
    CHECK(outcome_of("two-answers")
              .starts_with("broken: answer is followed by a second one: {\"seq\":2,"));
    CHECK(outcome_of("two-forms").starts_with("broken: answer holds both output and unsupported"));
    CHECK(
        outcome_of("bad-length")
            .starts_with("broken: answer \"output\": \"base64\" holds 3 bytes, f32 [2] has 8: {"));
    const auto begin = std::chrono::steady_clock::now();
    CHECK(outcome_of("closes-its-output") ==
          "broken: answer cannot come: it closed its standard output");
    CHECK(seconds_since(begin) < 15);
}

TEST_CASE("a fault that the adapter admits is broken and needs no restart") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "processes";
    CHECK(outcome_of("admits-a-fault", {"FAKE_WORKER_PROCESS=" + file.string()}) ==
          "broken: index out of mind");
    const std::string started = content(file);
    CHECK(std::count(started.begin(), started.end(), '\n') == 1);
}

TEST_CASE("a second answer that comes later is found before the next call") {
    const auto implementation = fake("answers-twice-later");
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample bad(9);
    const std::vector<Request> first{{&bad.call}};
    CHECK(answers(*implementation, first)[0] == good_answer);
    ::usleep(200'000);
    const std::vector<Request> rest{{&good.call}, {&good.call}};
    const std::vector<std::string> outcomes = answers(*implementation, rest);
    CHECK(outcomes[0].starts_with(
        "broken: answer wrote a line that nobody had asked for: {\"seq\":1,"));
    CHECK(outcomes[1] == good_answer);
}

TEST_CASE("a worker that dies is a crash with its last words") {
    CHECK(outcome_of("dies") ==
          "crash: exited with code 9; its stderr ends: one | two | last words");
    CHECK(outcome_of("aborts") == "crash: killed by SIGABRT");
    CHECK(outcome_of("dies-in-a-line") ==
          "crash: exited with code 0 after the start of an answer: {\"seq\":");
}

TEST_CASE("a worker that answers and then dies has answered; the next call finds it dead") {
    const auto implementation = fake("answers-and-dies");
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample bad(9);
    const std::vector<Request> first{{&bad.call}};
    CHECK(answers(*implementation, first)[0] == good_answer);
    ::usleep(100'000);
    const std::vector<Request> rest{{&good.call}, {&good.call}};
    const std::vector<std::string> outcomes = answers(*implementation, rest);
    CHECK(outcomes[0] == "crash: died before this call was sent: exited with code 4");
    CHECK(outcomes[1] == good_answer);
}

TEST_CASE("a worker that hangs is a timeout") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(outcome_of("hangs", {}, 0.5) == "timeout: no answer in 0.5 s");
    CHECK(outcome_of("talks-for-ever", {}, 0.5) == "timeout: no answer in 0.5 s");
    CHECK(seconds_since(begin) < 10);
}

TEST_CASE("a call that is known to take too long is waited for shorter, where that is asked") {
    Limits limits = usual_limits();
    limits.seconds_of_known_timeout = 0.125;
    const auto implementation = fake("hangs", {}, limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample bad(9);
    Request known{&bad.call};
    known.known_timeout = true;
    CHECK(
        answers(*implementation, {&known, 1}).front().starts_with("timeout: no answer in 0.125 s"));
    limits.seconds_per_call = 0.25;
    limits.seconds_of_known_timeout = 0;
    const auto other = fake("hangs", {}, limits);
    REQUIRE(reason(other->start()) == "started");
    CHECK(answers(*other, {&known, 1}).front().starts_with("timeout: no answer in 0.25 s"));
}

TEST_CASE("a death is seen at once though a grandchild keeps the pipes open, and it ends too") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "grandchild";
    const auto begin = std::chrono::steady_clock::now();
    CHECK(outcome_of("dies-with-grandchild", {"FAKE_WORKER_GRANDCHILD=" + file.string()}) ==
          "crash: exited with code 1");
    CHECK(seconds_since(begin) < 10);
    CHECK(all_gone(file));
}

TEST_CASE("a timeout ends the whole process group") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "grandchild";
    CHECK(outcome_of("hangs-with-grandchild", {"FAKE_WORKER_GRANDCHILD=" + file.string()}, 0.5) ==
          "timeout: no answer in 0.5 s");
    CHECK(all_gone(file));
}

TEST_CASE("megabytes on stderr neither block a worker nor count") {
    CHECK(outcome_of("loud") == good_answer);
}

TEST_CASE("a worker that reads no more is a timeout even for a message larger than any pipe") {
    const auto implementation = fake("deaf", {}, limits_of(0.5));
    REQUIRE(reason(implementation->start()) == "started");
    Sample sample;
    const Tensor large{ElementType::u8, {8 << 20}, std::vector<std::byte>(8 << 20), nullptr};
    sample.call.inputs[0].tensor = large.view();
    const std::vector<Request> requests{{&sample.call}};
    CHECK(answers(*implementation, requests)[0] == "timeout: no answer in 0.5 s");
}

TEST_CASE("messages and answers of many megabytes go through") {
    const auto implementation = fake("healthy");
    REQUIRE(reason(implementation->start()) == "started");
    Sample sample;
    Tensor large{ElementType::u8, {8 << 20}, std::vector<std::byte>(8 << 20), nullptr};
    large.contents.back() = std::byte{42};
    sample.call.inputs[0].tensor = large.view();
    const std::vector<Request> requests{{&sample.call}};
    implementation->answer(requests, [&](std::size_t, const Outcome& outcome) {
        REQUIRE(std::holds_alternative<ValueOutcome>(outcome));
        CHECK(std::get<ValueOutcome>(outcome).output.contents == large.contents);
    });
}

TEST_CASE("after the limit on restarts the rest of a worker's run is not run") {
    Limits limits = usual_limits();
    limits.restarts = 2;
    const auto implementation = fake("dies", {}, limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample bad(9);
    const std::vector<Request> requests{{&bad.call}, {&good.call}, {&bad.call}, {&good.call}};
    const std::vector<std::string> outcomes = answers(*implementation, requests);
    CHECK(outcomes[1] == good_answer);
    CHECK(outcomes[2].starts_with("crash: exited with code 9"));
    CHECK(outcomes[3] ==
          "not run: its process died, hung or broke the protocol 2 times, which is the limit; "
          "the rest was not asked");
    CHECK(answers(*implementation, requests)[0].starts_with("not run: "));
}

TEST_CASE("a worker that asks for another process gets one, which is no end of it") {
    const TemporaryFolder folder;
    const std::string processes = (folder.path() / "processes").string();
    Limits limits = usual_limits();
    limits.restarts = 0;
    const auto implementation =
        fake("asks-for-another", {"FAKE_WORKER_PROCESS=" + processes}, limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample last(9);
    // Only after the last call of a sequence: its calls are of one process.
    const std::vector<EarlierCall> before{{&last.call, "one"}, {&good.call, "two"}};
    const std::vector<Request> requests{
        {&good.call}, {&good.call, {}, false, 0, false, before}, {&last.call}, {&good.call}};
    for (const std::string& outcome : answers(*implementation, requests)) {
        CHECK(outcome == good_answer);
    }
    CHECK(implementation->ends() == 0);
    const std::string started = content(processes);
    CHECK(std::count(started.begin(), started.end(), '\n') == 3);
    CHECK(
        outcome_of("asks-for-another-in-words")
            .starts_with("broken: answer \"restart\" is the string \"please\", not true or false"));
}

TEST_CASE("a small call is sent before the answer to the last one is read") {
    const TemporaryFolder folder;
    const auto log = folder.path() / "log";
    Limits limits = usual_limits();
    limits.asks_ahead = true;
    const auto implementation = fake("healthy", {"FAKE_WORKER_LOG=" + log.string()}, limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const std::vector<EarlierCall> before{{&good.call, "one"}};
    const std::vector<Request> requests{
        {&good.call}, {&good.call}, {&good.call, {}, false, 0, false, before}, {&good.call}};
    std::vector<bool> was_asked;
    implementation->answer(requests, [&](std::size_t request, const Outcome& outcome) {
        CHECK(to_string(outcome) == good_answer);
        CHECK(!implementation->took());
        if (request == 3) return;
        // Of the sequence, which is one message more, nothing is.
        const std::string next = "\"seq\":" + std::to_string(request < 2 ? request + 2 : 5) + ",";
        const int tries = request == 1 ? 20 : 1000;
        const auto is_there = [&] { return content(log).find(next) != std::string::npos; };
        for (int k = 0; k < tries && !is_there(); ++k) ::usleep(5000);
        was_asked.push_back(is_there());
    });
    CHECK(was_asked == std::vector<bool>{true, false, true});
}

TEST_CASE("a worker that is asked ahead is judged call by call as any other") {
    for (const std::string mode : {"dies", "aborts", "dies-in-a-line", "no-object", "rubbish",
                                   "wrong-seq", "two-forms", "bad-length", "admits-a-fault"}) {
        CAPTURE(mode);
        CHECK(outcome_of(mode, {}, 20, true) == outcome_of(mode));
    }
    CHECK(outcome_of("hangs", {}, 0.5, true) == "timeout: no answer in 0.5 s");
    const TemporaryFolder folder;
    const std::string processes = (folder.path() / "processes").string();
    CHECK(outcome_of("asks-for-another", {"FAKE_WORKER_PROCESS=" + processes}, 20, true) ==
          good_answer);
    const std::string started = content(processes);
    CHECK(std::count(started.begin(), started.end(), '\n') == 2);
}

TEST_CASE("what was sent ahead of calls that nobody waits for is forgotten") {
    Limits limits = usual_limits();
    limits.asks_ahead = true;
    const auto implementation = fake("healthy", {}, limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const std::vector<Request> requests{{&good.call}, {&good.call}};
    const auto leave = [](std::size_t, const Outcome&) { throw std::runtime_error("enough"); };
    CHECK_THROWS_AS(implementation->answer(requests, leave), std::runtime_error);
    CHECK(answers(*implementation, requests) == std::vector<std::string>(2, good_answer));
    CHECK_THROWS_AS(implementation->answer(requests, leave), std::runtime_error);
    CHECK(implementation->reproduce(requests[0]));
}

TEST_CASE("a worker's end that is expected does not count towards the limit") {
    Limits limits = usual_limits();
    limits.restarts = 1;
    const auto implementation = fake("dies", {}, limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample bad(9);
    Request expected{&bad.call};
    expected.may_crash = true;
    const std::vector<Request> requests{
        expected, expected, {&good.call}, {&bad.call}, {&good.call}};
    const std::vector<std::string> outcomes = answers(*implementation, requests);
    CHECK(outcomes[1].starts_with("crash: exited with code 9"));
    CHECK(outcomes[2] == good_answer);
    CHECK(outcomes[3].starts_with("crash: exited with code 9"));
    CHECK(outcomes[4].starts_with("not run: "));
    const auto reproducer = implementation->reproduce(requests[0]);
    REQUIRE(reproducer);
    CHECK(reproducer->text.ends_with(" in c++: onnx.Gather-13"));
    CHECK(answers(*implementation, std::span(requests).last(1)).front().starts_with("not run: "));
}

TEST_CASE("a worker that died is started again to reproduce it, and its limit is not touched") {
    Limits limits = limits_of(5);
    limits.restarts = 2;
    const auto implementation = fake("dies", {}, limits);
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const Sample bad(9);
    const std::vector<Request> requests{{&bad.call}, {&good.call}};
    CHECK(answers(*implementation, std::span(requests).first(1)).front().starts_with("crash: "));
    CHECK(implementation->reproduce(requests[0]));
    CHECK(answers(*implementation, std::span(requests).last(1)).front() == good_answer);
}

TEST_CASE("a worker that does not come back leaves the rest not run, with its reason") {
    const TemporaryFolder folder;
    const auto processes = folder.path() / "processes";
    const auto implementation =
        fake("starts-once", {"FAKE_WORKER_STARTED=" + (folder.path() / "started").string(),
                             "FAKE_WORKER_PROCESS=" + processes.string()});
    REQUIRE(reason(implementation->start()) == "started");
    const Sample good;
    const std::vector<Request> requests{{&good.call}};
    CHECK(answers(*implementation, requests)[0] == good_answer);
    const auto child = static_cast<pid_t>(std::stol(content(processes)));
    ::kill(child, SIGTERM);
    while (runs(child)) ::usleep(1000);
    const std::vector<Request> rest{{&good.call}, {&good.call}};
    const std::vector<std::string> outcomes = answers(*implementation, rest);
    CHECK(outcomes[0] == "crash: died before this call was sent: killed by SIGTERM");
    CHECK(outcomes[1] ==
          "not run: the worker could not be started again: ended before its hello: exited with "
          "code 1; its stderr ends: no second time");
}

TEST_CASE("a worker has five seconds after goodbye, and nothing of it stays behind") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "processes";
    const std::size_t before = open_descriptors();
    const auto begin = std::chrono::steady_clock::now();
    {
        const auto implementation = fake("stubborn", {"FAKE_WORKER_PROCESS=" + file.string()});
        REQUIRE(reason(implementation->start()) == "started");
    }
    CHECK(seconds_since(begin) > 4.9);
    CHECK(seconds_since(begin) < 15);
    CHECK(all_gone(file));
    CHECK(open_descriptors() == before);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("workers and their restarts leak no descriptor and end at goodbye at once") {
    const std::size_t before = open_descriptors();
    const auto begin = std::chrono::steady_clock::now();
    {
        const auto implementation = fake("aborts");
        REQUIRE(reason(implementation->start()) == "started");
        const Sample bad(9);
        const std::vector<Request> requests(5, Request{&bad.call});
        answers(*implementation, requests);
        const Sample good;
        const std::vector<Request> one{{&good.call}};
        CHECK(answers(*implementation, one)[0] == good_answer);
    }
    CHECK(seconds_since(begin) < 4.9);
    CHECK(open_descriptors() == before);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("no descriptor of a worker's is handed to other programs") {
    const auto handed_on = [] {
        std::vector<int> numbers;
        for (int number = 0; number < 1024; ++number) {
            const int flags = ::fcntl(number, F_GETFD);
            if (flags >= 0 && (flags & FD_CLOEXEC) == 0) numbers.push_back(number);
        }
        return numbers;
    };
    const std::vector<int> before = handed_on();
    const auto implementation = fake("healthy");
    REQUIRE(reason(implementation->start()) == "started");
    CHECK(handed_on() == before);
}

TEST_CASE("what is longer than any answer to the call is broken, soon and in little memory") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(outcome_of("endless-line").starts_with("broken: answer is longer than 16782"));
    CHECK(outcome_of("endless-lines").starts_with("broken: answer is followed by a second one: "));
    CHECK(reason(fake("endless-at-start")->start())
              .starts_with("broken: no hello as the protocol wants it: is longer than 16777216 "
                           "bytes, which is more than it can need: xxx"));
    CHECK(seconds_since(begin) < 15);
}

TEST_CASE("of a long message the start is an outcome") {
    const std::string start(4096, 'm');
    const std::string rest = "... (8384512 bytes more)";
    CHECK(outcome_of("long-message") == "rejected: " + start + rest);
    CHECK(outcome_of("long-unsupported") == "unsupported: " + start + rest);
    CHECK(outcome_of("long-fault") == "broken: " + start + rest);
    CHECK(reason(fake("long-name")->start())
              .starts_with("broken: no hello as the protocol wants it: the implementation's "
                           "\"device\" has 257 bytes, more than 256: \"nnn"));
}

TEST_CASE("standard error in small pieces is read in large ones") {
    // Two hundred thousand writes: as fast as the worker makes them.
    const auto begin = std::chrono::steady_clock::now();
    CHECK(outcome_of("whispers") == good_answer);
    CHECK(seconds_since(begin) < 15);
}

TEST_CASE("what a call costs beyond the worker's own time", "[.speed]") {
    // It answers every line alike: what is measured is the runner and the pipes.
    const auto implementation = worker("echo", {fixture::fake_worker(), "constant"}, {}, Limits{});
    REQUIRE(reason(implementation->start()) == "started");
    const Sample sample;
    const std::vector<Request> requests(20'000, Request{&sample.call});
    const auto begin = std::chrono::steady_clock::now();
    implementation->answer(requests, [](std::size_t, const Outcome&) {});
    std::printf("%.1f us a call\n", seconds_since(begin) / 20'000 * 1e6);
}
