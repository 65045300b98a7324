// SPDX-License-Identifier: Apache-2.0
// Several instances side by side: the outcomes are those of one, in the same order.
#include "conformance/run/parallel.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "conformance/tests/places.hpp"
#include "conformance/tests/sample.hpp"
#include "conformance/tests/temporary.hpp"
#include "reference/reference.hpp"

using namespace gathercheck;
using gathercheck::test::TemporaryFolder;

namespace {

using fixture::Sample;

std::unique_ptr<Implementation> fakes(int jobs, const std::string& mode, const Limits& limits = {},
                                      const std::vector<std::string>& environment = {}) {
    return parallel(jobs, limits, [&](const Limits& of_instance) {
        return worker("fake", {fixture::fake_worker(), mode}, environment, of_instance);
    });
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

/// A good call at most places, a bad one at every fifth, one that is rejected at every seventh.
std::vector<Request> mixture(std::size_t count, const Call& good, const Call& bad,
                             const Call& rejected) {
    std::vector<Request> requests;
    for (std::size_t k = 0; k < count; ++k) {
        requests.push_back({k % 5 == 3 ? &bad : k % 7 == 2 ? &rejected : &good});
    }
    return requests;
}

/// The outcomes of a mixture by so many workers that misbehave so.
std::vector<std::string> outcomes_of(int jobs, const std::string& mode, Limits limits,
                                     std::size_t count = 60) {
    const Sample good;
    const Sample bad(9);
    const Sample rejected(7);
    const auto workers = fakes(jobs, mode, limits);
    const auto failed = workers->start();
    REQUIRE(!failed);
    return answers(*workers, mixture(count, good.call, bad.call, rejected.call));
}

Limits limits_of(double seconds_per_call) {
    Limits limits;
    limits.seconds_per_call = seconds_per_call;
    return limits;
}

}  // namespace

TEST_CASE("workers side by side give the outcomes of one worker, whatever it does", "[threads]") {
    for (const std::string mode :
         {"healthy", "dies", "aborts", "dies-in-a-line", "bad-length", "admits-a-fault", "loud"}) {
        INFO(mode);
        CHECK(outcomes_of(4, mode, {}) == outcomes_of(1, mode, {}));
    }
    CHECK(outcomes_of(4, "hangs", limits_of(0.3), 20) ==
          outcomes_of(1, "hangs", limits_of(0.3), 20));
}

TEST_CASE("workers that hang are waited for side by side", "[threads]") {
    const Sample bad(9);
    const std::vector<Request> requests(4, Request{&bad.call});
    const auto workers = fakes(4, "hangs", limits_of(1));
    REQUIRE(!workers->start());
    const auto begin = std::chrono::steady_clock::now();
    CHECK(answers(*workers, requests).back() == "timeout: no answer in 1 s");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));
}

TEST_CASE("the limit on restarts holds for all workers together, in the order of the requests",
          "[threads]") {
    for (const int restarts : {0, 1, 5}) {
        INFO(restarts);
        Limits limits;
        limits.restarts = restarts;
        const std::vector<std::string> outcomes = outcomes_of(4, "dies", limits);
        CHECK(outcomes == outcomes_of(1, "dies", limits));
        CHECK(outcomes.back().ends_with(" times, which is the limit; the rest was not asked"));
    }
}

TEST_CASE("ends that are expected, or come of an earlier part of the run, count as those of one",
          "[threads]") {
    const Sample good;
    const Sample bad(9);
    std::vector<Request> requests;
    for (std::size_t k = 0; k < 40; ++k) requests.push_back({k % 2 == 0 ? &bad.call : &good.call});
    for (std::size_t k = 0; k < 10; ++k) requests[k].may_crash = true;
    Limits limits;
    limits.restarts = 8;
    limits.ends = 5;
    std::vector<std::string> outcomes[2];
    for (const int jobs : {1, 4}) {
        const auto workers = fakes(jobs, "dies", limits);
        REQUIRE(!workers->start());
        outcomes[jobs / 4] = answers(*workers, requests);
    }
    CHECK(outcomes[0] == outcomes[1]);
    CHECK(outcomes[0][14].starts_with("crash: "));
    CHECK(outcomes[0][15] ==
          "not run: its process died, hung or broke the protocol 8 times, which is the limit; the "
          "rest was not asked");
}

TEST_CASE("workers that do not all start are not started, and that is said", "[threads]") {
    const TemporaryFolder folder;
    const auto alone = fakes(4, "dies-at-start");
    const auto failed = alone->start();
    REQUIRE(failed);
    CHECK(failed->why.starts_with("ended before its hello: exited with code 1"));

    int made = 0;
    const auto others = parallel(3, {}, [&](const Limits& limits) {
        const std::string mode = made++ == 0 ? "healthy" : "dies-at-start";
        return worker("fake", {fixture::fake_worker(), mode}, {}, limits);
    });
    const auto partly = others->start();
    REQUIRE(partly);
    CHECK(
        partly->why.starts_with("the first started, but number 2 of 3 did not, try fewer --jobs: "
                                "ended before its hello"));
}

TEST_CASE("workers that introduce themselves differently are refused", "[threads]") {
    int made = 0;
    const auto others = parallel(2, {}, [&](const Limits& limits) {
        const std::string mode = made++ == 0 ? "healthy" : "runs-only";
        return worker("fake", {fixture::fake_worker(), mode}, {}, limits);
    });
    const auto failed = others->start();
    REQUIRE(failed);
    CHECK(failed->kind == NotStarted::Kind::broken);
    CHECK(failed->why ==
          "the first and number 2 of 2 introduce themselves with different features; run it with "
          "--jobs 1");
}

TEST_CASE("a reproducer is asked of the worker that was asked the call", "[threads]") {
    const auto workers = fakes(4, "healthy");
    REQUIRE(!workers->start());
    std::vector<std::unique_ptr<Sample>> samples;
    std::vector<Request> requests;
    for (std::int64_t k = 0; k < 12; ++k) {
        samples.push_back(std::make_unique<Sample>(0, k));
        requests.push_back({&samples.back()->call});
    }
    answers(*workers, requests);
    // One that was not asked it would take a new number, beyond those of its calls.
    for (const Request& request : requests) {
        const auto source = workers->reproduce(request);
        REQUIRE(source);
        const int number = std::atoi(source->text.c_str() + std::strlen("call "));
        CHECK(number >= 1);
        CHECK(number <= 12);
    }
}

TEST_CASE("an interruption stops all workers, though all hang", "[threads]") {
    std::atomic<bool> interrupted{false};
    Limits limits = limits_of(60);
    limits.interrupted = [&] { return interrupted.load(); };
    const auto workers = fakes(4, "hangs", limits);
    REQUIRE(!workers->start());
    const Sample bad(9);
    const std::vector<Request> requests(40, Request{&bad.call});
    std::thread signal([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        interrupted = true;
    });
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& outcome : answers(*workers, requests)) {
        CHECK(outcome == "not run: interrupted");
    }
    signal.join();
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("a callback that throws leaves workers side by side usable", "[threads]") {
    const auto workers = fakes(3, "healthy");
    REQUIRE(!workers->start());
    const Sample good;
    const std::vector<Request> requests(50, Request{&good.call});
    CHECK_THROWS_AS(workers->answer(requests,
                                    [](std::size_t, const Outcome&) {
                                        throw std::runtime_error("the disk is full");
                                    }),
                    std::runtime_error);
    CHECK(answers(*workers, requests).back() == "f32 [2] = [1, 2]");
}

TEST_CASE("the processes of all workers end with them", "[threads]") {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "processes").string();
    {
        const auto workers = fakes(3, "dies", {}, {"FAKE_WORKER_PROCESS=" + file});
        REQUIRE(!workers->start());
        const Sample good;
        const Sample bad(9);
        answers(*workers, mixture(30, good.call, bad.call, good.call));
    }
    std::ifstream stream(file);
    int count = 0;
    for (long id = 0; stream >> id; ++count) CHECK(::kill(static_cast<pid_t>(id), 0) != 0);
    CHECK(count >= 3);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no child is left, not even a zombie
    CHECK(errno == ECHILD);
}

TEST_CASE("children of this process die and are forked again while other threads run",
          "[threads]") {
    const auto run = [](const Call& call, std::span<std::byte> output) {
        std::int64_t index = 0;
        std::memcpy(&index, call.input("indices")->contents, sizeof index);
        if (index == 1) std::abort();
        // What a lock left behind by another thread would stop.
        std::vector<std::string> texts;
        for (int k = 0; k < 50; ++k) texts.emplace_back(static_cast<std::size_t>(k * 40), 'x');
        return reference::run(call, output);
    };
    const BuiltIn fake{"fake", "1", "", reference::output_descriptor, run};
    const Sample good(0, 0);
    const Sample bad(0, 1);
    std::vector<Request> requests;
    for (std::size_t k = 0; k < 600; ++k) requests.push_back({k % 4 == 1 ? &bad.call : &good.call});
    Limits limits = limits_of(10);
    limits.restarts = 1000;
    std::vector<std::string> outcomes[2];
    for (const int jobs : {1, 4}) {
        const auto children = parallel(
            jobs, limits, [&](const Limits& of_instance) { return in_process(fake, of_instance); });
        REQUIRE(!children->start());
        outcomes[jobs / 4] = answers(*children, requests);
    }
    CHECK(outcomes[0] == outcomes[1]);
    CHECK(outcomes[0][0] == "f32 [1] = [1]");
    CHECK(outcomes[0][1] == "crash: killed by SIGABRT");
}
