// SPDX-License-Identifier: Apache-2.0
// A worker for tests: answers run messages with their data, and misbehaves as its argument says
// when the attribute axis is 9.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace {

using Json = nlohmann::ordered_json;

void say(const std::string& text) {
    std::cout << text;
    std::cout.flush();
}

void say_line(const Json& message) { say(message.dump() + "\n"); }

[[noreturn]] void hang() {
    for (;;) ::pause();
}

/// Appends to the file that the environment names, if it does.
void note(const char* variable, const std::string& line) {
    if (const char* file = std::getenv(variable))
        std::ofstream(file, std::ios::app) << line << "\n";
}

/// A process of its own that keeps all pipes open.
void leave_grandchild() {
    const pid_t id = ::fork();
    if (id == 0) hang();
    note("FAKE_WORKER_GRANDCHILD", std::to_string(id));
}

Json hello(const std::string& mode) {
    Json message = {
        {"message", "hello"},
        {"protocol", mode == "other-version" ? 2 : 1},
        {"implementation",
         {{"name", "fake"}, {"version", "0.1"}, {"language", "c++"}, {"device", "cpu"}}},
        {"claims",
         {{{"operators", {"onnx.Gather-13", "future.Gather-99"}},
           {"data", {"f32", "string", "posit8"}},
           {"indices", {"i64"}},
           {"operands", {"runtime", "constant", "telepathic"}},
           {"shapes", {"static", "dynamic"}},
           {"colour", "blue"}}}},
        {"answers", {"describe", "run", "sing"}},
        {"features", {"reproduce", "fly"}},
        {"mood", {{"good", true}}}};
    if (mode == "long-name") message["implementation"]["device"] = std::string(257, 'n');
    if (mode == "claims-nothing") message["claims"] = Json::array();
    if (mode == "claims-unknown") message["claims"][0]["operators"] = {"future.Gather-99"};
    if (mode == "runs-only") message["answers"] = {"run"};
    if (std::getenv("FAKE_WORKER_KEEPS_MODELS") != nullptr) message["features"].push_back("models");
    return message;
}

void start(const std::string& mode) {
    if (mode == "dies-at-start") {
        std::cerr << "cannot find my settings\n";
        std::exit(1);
    }
    if (mode == "unavailable") {
        std::cerr << "the package fake-engine is missing; remedy: install it\n";
        std::exit(3);
    }
    if (mode == "unavailable-without-a-word") std::exit(3);
    if (mode == "hangs-at-start") hang();
    if (mode == "slow-start") std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (mode == "starts-once") {
        const std::string file = std::getenv("FAKE_WORKER_STARTED");
        if (std::ifstream(file)) {
            std::cerr << "no second time\n";
            std::exit(1);
        }
        std::ofstream(file) << "once\n";
    }
}

void misbehave(const std::string& mode, const Json& message, Json answer) {
    const Json seq = message["seq"];
    if (mode == "rubbish") return say("Welcome to the engine!\n");
    if (mode == "no-object") return say("[1, 2]\n");
    if (mode == "wrong-seq") {
        answer["seq"] = seq.get<int>() + 1;
        return say_line(answer);
    }
    if (mode == "two-answers") return say(answer.dump() + "\n" + answer.dump() + "\n");
    if (mode == "two-forms") {
        answer["unsupported"] = "and yet it moves";
        return say_line(answer);
    }
    if (mode == "bad-length") {
        answer["output"]["base64"] = "AAAA";
        return say_line(answer);
    }
    if (mode == "admits-a-fault") return say_line({{"seq", seq}, {"broken", "index out of mind"}});
    if (mode == "hangs") hang();
    if (mode == "dies") {
        std::cerr << "one\ntwo\nlast words\n";
        ::_exit(9);
    }
    if (mode == "aborts") ::abort();
    if (mode == "dies-in-a-line") {
        say("{\"seq\":");
        ::_exit(0);
    }
    if (mode == "dies-with-grandchild") {
        leave_grandchild();
        ::_exit(1);
    }
    if (mode == "hangs-with-grandchild") {
        leave_grandchild();
        hang();
    }
    if (mode == "answers-and-dies") {
        say_line(answer);
        ::_exit(4);
    }
    if (mode == "asks-for-another") {
        answer["restart"] = true;
        return say_line(answer);
    }
    if (mode == "asks-for-another-in-words") {
        answer["restart"] = "please";
        return say_line(answer);
    }
    if (mode == "closes-its-output") {
        ::close(STDOUT_FILENO);
        hang();
    }
    if (mode == "answers-twice-later") {
        say_line(answer);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return say_line(answer);
    }
    if (mode == "loud") {
        const std::string line(1000, 'x');
        for (int k = 0; k < 5000; ++k) std::cerr << line << "\n";
        return say_line(answer);
    }
    if (mode == "talks-for-ever") {
        for (;;) std::cerr << "still at it\n";
    }
    if (mode == "long-message" || mode == "long-unsupported" || mode == "long-fault") {
        const std::string text(std::size_t{8} << 20, 'm');
        if (mode == "long-message")
            return say_line({{"seq", seq}, {"rejected", {{"message", text}}}});
        return say_line({{"seq", seq}, {mode == "long-fault" ? "broken" : "unsupported", text}});
    }
    if (mode == "whispers") {  // much standard error in small pieces
        for (int k = 0; k < 100'000; ++k) {
            if (::write(STDERR_FILENO, "whisper whisper\n", 16) < 0) return;
        }
        return say_line(answer);
    }
    if (mode == "endless-lines") {
        // Several at a time: of one alone it would hang on the scheduler whether a second is seen.
        for (;;) say("a line\nand another line\nand another line\n");
    }
    if (mode == "endless-line") {
        const std::string part(std::size_t{1} << 20, 'x');
        for (;;) say(part);
    }
    say_line(answer);
}

void answer(const std::string& mode, const Json& message) {
    const std::string kind = message["message"];
    const Json seq = message["seq"];
    if (kind == "reproduce") {
        return say_line(
            {{"seq", seq},
             {"source",
              "call " + seq.dump() + " in " + message["language"].get<std::string>() + ": " +
                  message["operator"].get<std::string>() +
                  (message.contains("before") ? " after " + std::to_string(message["before"].size())
                                              : "")}});
    }
    const Json& data = message["inputs"]["data"];
    if (kind == "describe") {
        const Json descriptor = {{"type", data["type"]}, {"shape", {2, nullptr}}};
        return say_line({{"seq", seq}, {"descriptor", descriptor}});
    }
    const Json good = {{"seq", seq}, {"output", data}, {"time", 0.25}};
    if (message["attributes"].value("axis", Json()) == 9) return misbehave(mode, message, good);
    if (message["attributes"].value("axis", Json()) == 7) {
        return say_line({{"seq", seq},
                         {"rejected",
                          {{"phase", "shape"},
                           {"category", "axis_out_of_range"},
                           {"message", "axis 7 is too much"}}}});
    }
    say_line(good);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "healthy";
    if (mode == "stubborn") ::signal(SIGTERM, SIG_IGN);
    note("FAKE_WORKER_PROCESS", std::to_string(::getpid()));
    start(mode);
    std::string line;
    while (std::getline(std::cin, line)) {
        note("FAKE_WORKER_LOG", line);
        if (mode == "constant" && line.find("\"seq\":") != std::string::npos) {
            const std::size_t seq = line.find("\"seq\":") + 6;
            say("{\"seq\":" + line.substr(seq, line.find(',', seq) - seq) +
                ",\"output\":{\"type\":\"f32\",\"shape\":[2],\"base64\":\"AACAPwAAAEA=\"}}\n");
            continue;
        }
        const Json message = Json::parse(line);
        const std::string kind = message["message"];
        if (kind == "goodbye") break;
        if (kind != "hello") {
            answer(mode, message);
        } else if (mode == "endless-at-start") {
            for (const std::string part(std::size_t{1} << 20, 'x');;) say(part);
        } else if (mode == "rubbish-at-start") {
            say("Engine 3.1 ready.\n");
        } else {
            say_line(hello(mode));
        }
        if (mode == "deaf") hang();
    }
    if (mode == "stubborn") hang();
    return 0;
}
