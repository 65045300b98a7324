// SPDX-License-Identifier: Apache-2.0
// Built-in implementations that read, write, hang and die where they should not.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/model/implementation.hpp"
#include "conformance/tests/sample.hpp"
#include "conformance/util/guarded_buffer.hpp"
#include "reference/reference.hpp"

using namespace gathercheck;

namespace {

using Run = Result<void> (*)(const Call&, std::span<std::byte>);
using fixture::tensor;

using Describe = Result<Descriptor> (*)(const Call&);

/// A call of onnx.Gather-13 and the tensors behind it.
struct Sample {
    Tensor data = tensor<float>(ElementType::f32, {3, 2}, {1, 2, 3, 4, 5, 6});
    Tensor indices = tensor<std::int64_t>(ElementType::i64, {2}, {0, 1});
    Call call;

    explicit Sample(std::vector<std::int64_t> picks = {0, 1})
        : Sample(tensor<float>(ElementType::f32, {3, 2}, {1, 2, 3, 4, 5, 6}), std::move(picks)) {}
    Sample(Tensor data_tensor, const std::vector<std::int64_t>& picks)
        : data(std::move(data_tensor)),
          indices(tensor<std::int64_t>(ElementType::i64, {static_cast<std::int64_t>(picks.size())},
                                       picks)) {
        call.inputs = {{"data", data.view()}, {"indices", indices.view()}};
    }
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
};

/// The call at which a fake misbehaves: its first index is 2. It behaves at all others.
const std::vector<std::int64_t> trigger{2, 0};

std::int64_t first_index(const Call& call) {
    std::int64_t value = 0;
    const TensorView* indices = call.input("indices");
    if (element_count(indices->shape) != 0) std::memcpy(&value, indices->contents, sizeof value);
    return value;
}

using Misbehaviour = void (*)(const Call&, std::span<std::byte>);

/// What `run_unless_triggered` does when triggered; children inherit it when they start.
Misbehaviour misbehaviour = nullptr;

Result<void> run_unless_triggered(const Call& call, std::span<std::byte> output) {
    Result<void> result = reference::run(call, output);
    if (first_index(call) == 2) misbehaviour(call, output);
    return result;
}

BuiltIn built_in(Run run, Describe describe = reference::output_descriptor) {
    return {"fake", "1", "", describe, run};
}

/// Long enough for a busy machine; what hangs by design gets less.
Limits limits_of(double seconds_per_call) {
    Limits limits;
    limits.seconds_per_call = seconds_per_call;
    return limits;
}

std::vector<Outcome> answers(Implementation& implementation, std::span<const Request> requests) {
    std::vector<Outcome> outcomes;
    implementation.answer(requests, [&](std::size_t request, Outcome outcome) {
        REQUIRE(request == outcomes.size());
        outcomes.push_back(std::move(outcome));
    });
    REQUIRE(outcomes.size() == requests.size());
    return outcomes;
}

std::unique_ptr<Implementation> started(const BuiltIn& fake, const Limits& limits) {
    auto implementation = in_process(fake, limits);
    const auto failed = implementation->start();
    REQUIRE(!failed);
    return implementation;
}

std::vector<Outcome> answers(const BuiltIn& fake, std::span<const Request> requests,
                             double seconds_per_call = 20) {
    return answers(*started(fake, limits_of(seconds_per_call)), requests);
}

/// The outcome in words, but for the instruction of a fault: it is of this program, wherever the
/// linker put it.
std::string text_of(const Outcome& outcome) {
    constexpr std::string_view by_instruction = "; by the instruction at ";
    std::string text = to_string(outcome);
    const std::size_t instruction = text.find(by_instruction);
    if (instruction == std::string::npos) return text;
    CHECK(text.substr(instruction + by_instruction.size()).starts_with("conformance_tests+0x"));
    text.resize(instruction);
    return text;
}

/// What comes of one call, after which a good call must be answered as ever.
std::string outcome_of(const BuiltIn& fake, const Call& call, int pass,
                       double seconds_per_call = 20) {
    const Sample good;
    const std::vector<Request> requests{{&call, {}, false, pass}, {&good.call, {}, false, 0}};
    const std::vector<Outcome> outcomes = answers(fake, requests, seconds_per_call);
    CHECK(to_string(outcomes[1]) == "f32 [2, 2] = [1, 2, 3, 4]");
    return text_of(outcomes[0]);
}

std::string outcome_of(Misbehaviour misbehave, int pass, double seconds_per_call = 20) {
    misbehaviour = misbehave;
    const Sample bad(trigger);
    return outcome_of(built_in(run_unless_triggered), bad.call, pass, seconds_per_call);
}

/// Reads or writes one byte that the compiler must not leave out, nor know to be out of bounds.
std::byte touch(const std::byte* place) {
    const volatile std::byte* volatile hidden = place;
    return *hidden;
}
void scribble(const std::byte* place) {
    volatile std::byte* volatile hidden = const_cast<std::byte*>(place);
    *hidden = std::byte{0x77};
}

void read_past_data(const Call& call, std::span<std::byte>) {
    touch(call.input("data")->contents + 24);
}
void read_before_data(const Call& call, std::span<std::byte>) {
    touch(call.input("data")->contents - 1);
}
void read_past_indices(const Call& call, std::span<std::byte>) {
    touch(call.input("indices")->contents + 16);
}
void read_before_indices(const Call& call, std::span<std::byte>) {
    touch(call.input("indices")->contents - 8);
}
void write_past_output(const Call&, std::span<std::byte> output) {
    scribble(output.data() + output.size());
}
void write_before_output(const Call&, std::span<std::byte> output) { scribble(output.data() - 1); }
void read_far_past_data(const Call& call, std::span<std::byte>) {
    touch(call.input("data")->contents + 100'000);
}
void write_data(const Call& call, std::span<std::byte>) {
    scribble(call.input("data")->contents + 5);
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

/// Whether a process still does anything: a zombie that nobody reaps does not.
bool runs(pid_t id) {
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z';
}

/// The process that this one has started; 0 where the kernel does not list it.
pid_t only_child(pid_t of) {
    const std::string id = std::to_string(of);
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    pid_t child = 0;
    children >> child;
    return child;
}

bool soon_gone(pid_t id) {
    for (int k = 0; k < 200 && runs(id); ++k) ::usleep(5000);
    return !runs(id);
}

/// Memory that children share.
template <class T>
T& shared() {
    static void* memory =
        ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return *static_cast<T*>(memory);
}

}  // namespace

TEST_CASE("the reference in a child answers with value, rejection and descriptor") {
    const BuiltIn reference{"reference", "1.0.0", "", reference::output_descriptor, reference::run};
    const auto implementation = started(reference, Limits{});
    CHECK(implementation->name() == "reference");
    CHECK(implementation->introduction().claims.size() == operator_versions().size());
    CHECK(implementation->introduction().describes);

    const Sample good({2, 0});
    const Sample bad({3, 0});
    Sample described;
    for (Input& input : described.call.inputs) input.tensor.contents = nullptr;
    described.call.inputs[0].tensor.shape = {std::int64_t{1} << 40, 5};
    const std::vector<Request> requests{{&good.call, {}, false, 0},
                                        {&bad.call, {}, false, 1},
                                        {&described.call, {}, true, 0},
                                        {&good.call, {}, false, 1}};
    const std::vector<Outcome> outcomes = answers(*implementation, requests);
    CHECK(to_string(outcomes[0]) == "f32 [2, 2] = [5, 6, 1, 2]");
    REQUIRE(std::holds_alternative<Rejected>(outcomes[1]));
    const auto& rejected = std::get<Rejected>(outcomes[1]);
    CHECK(rejected.category == Category::index_out_of_bounds);
    CHECK(rejected.phase == Phase::run);
    CHECK(rejected.rule.starts_with("onnx.gather-13."));
    CHECK(!rejected.message.empty());
    CHECK(to_string(outcomes[2]) == "f32 [2, 5]");
    CHECK(to_string(outcomes[3]) == "f32 [2, 2] = [5, 6, 1, 2]");
}

TEST_CASE("an implementation that cannot run here is unavailable with its reason") {
    BuiltIn absent = built_in(reference::run);
    absent.unavailable = "this CPU has no AVX-512";
    const auto failed = in_process(absent, Limits{})->start();
    REQUIRE(failed);
    CHECK(failed->kind == NotStarted::Kind::unavailable);
    CHECK(failed->why == "this CPU has no AVX-512");
}

TEST_CASE("a read one byte past an input is unsafe memory where the end guard is") {
    CHECK(outcome_of(read_past_data, 0) ==
          "unsafe memory: read past the end of data, at byte 24 of its 24 bytes");
    CHECK(outcome_of(read_past_indices, 0) ==
          "unsafe memory: read past the end of indices, at byte 16 of its 16 bytes");
}

TEST_CASE("a read one byte before an input is unsafe memory where the start guard is") {
    CHECK(outcome_of(read_before_data, 1) ==
          "unsafe memory: read before the start of data, at byte -1 of its 24 bytes");
    CHECK(outcome_of(read_before_indices, 1) ==
          "unsafe memory: read before the start of indices, at byte -8 of its 16 bytes");
}

TEST_CASE("a read far past an input is unsafe memory on both passes") {
    for (const int pass : {0, 1}) {
        CHECK(outcome_of(read_far_past_data, pass) ==
              "unsafe memory: read past the end of data, at byte 100000 of its 24 bytes");
    }
}

TEST_CASE("a write past the output is unsafe memory on both passes") {
    for (const int pass : {0, 1}) {
        CHECK(outcome_of(write_past_output, pass) ==
              "unsafe memory: wrote past the end of output, at byte 16 of its 16 bytes");
    }
}

TEST_CASE("a write before the output is unsafe memory on both passes") {
    for (const int pass : {0, 1}) {
        CHECK(outcome_of(write_before_output, pass) ==
              "unsafe memory: wrote before the start of output, at byte -1 of its 16 bytes");
    }
}

TEST_CASE("a write to an input is unsafe memory") {
    for (const int pass : {0, 1}) {
        CHECK(outcome_of(write_data, pass) ==
              "unsafe memory: wrote to data, which is an input, at byte 5 of its 24 bytes");
    }
}

TEST_CASE("unwritten elements hold the pattern of their pass") {
    const Run nothing = [](const Call&, std::span<std::byte>) { return Result<void>(); };
    const Sample sample;
    const std::vector<Request> requests{{&sample.call, {}, false, 0}, {&sample.call, {}, false, 1}};
    const std::vector<Outcome> outcomes = answers(built_in(nothing), requests);
    for (const int pass : {0, 1}) {
        const Tensor& output =
            std::get<ValueOutcome>(outcomes[static_cast<std::size_t>(pass)]).output;
        CHECK(output.contents == std::vector<std::byte>(16, output_pattern(pass)));
    }
}

TEST_CASE("a call that hangs is a timeout, and the next is answered") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(outcome_of(
              [](const Call&, std::span<std::byte>) {
                  for (;;) ::pause();
              },
              0, 0.5) == "timeout: no answer in 0.5 s");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("a call that hangs and talks is a timeout too") {
    CHECK(outcome_of(
              [](const Call&, std::span<std::byte>) {
                  for (;;) std::fputs("still at it\n", stderr);
              },
              0, 0.5) == "timeout: no answer in 0.5 s");
}

TEST_CASE("a signal is a crash with its name and the last words") {
    CHECK(outcome_of(
              [](const Call&, std::span<std::byte>) {
                  std::fputs("first\nassertion failed: x > 0\n", stderr);
                  std::abort();
              },
              0) == "crash: killed by SIGABRT; its stderr ends: first | assertion failed: x > 0");
}

TEST_CASE("a wild pointer is a crash, not unsafe memory") {
    CHECK(outcome_of(
              [](const Call&, std::span<std::byte>) {
                  scribble(std::bit_cast<const std::byte*>(std::uintptr_t{64}));
              },
              0) == "crash: killed by SIGSEGV");
    CHECK(outcome_of([](const Call&, std::span<std::byte>) { ::raise(SIGSEGV); }, 0) ==
          "crash: killed by SIGSEGV");
}

TEST_CASE("an exit is a crash with its code, and no exit handler of the parent runs") {
    shared<int>() = 0;
    static const pid_t parent = ::getpid();
    std::atexit([] {
        if (::getpid() != parent) shared<int>() = 1;
    });
    CHECK(outcome_of([](const Call&, std::span<std::byte>) { std::exit(5); }, 0) ==
          "crash: exited with code 5");
    CHECK(shared<int>() == 0);
}

TEST_CASE("an exception is a crash with its text") {
    CHECK(outcome_of(
              [](const Call&, std::span<std::byte>) { throw std::runtime_error("no such axis"); },
              0) == "crash: threw an exception: no such axis");
    CHECK(outcome_of([](const Call&, std::span<std::byte>) { throw 7; }, 0) ==
          "crash: threw something that is no std::exception");
}

TEST_CASE("an exception does not hide a write past the output") {
    CHECK(outcome_of(
              [](const Call& call, std::span<std::byte> output) {
                  write_past_output(call, output);
                  throw 7;
              },
              1) == "unsafe memory: wrote past the end of output, at byte 16 of its 16 bytes");
}

TEST_CASE("what a call prints reaches neither stdout nor the outcome") {
    CHECK(outcome_of(
              [](const Call&, std::span<std::byte>) {
                  std::puts("chatter");
                  std::fflush(stdout);
              },
              0) == "f32 [2, 2] = [5, 6, 1, 2]");
}

TEST_CASE("a dead child whose own child lives on is a crash at once, and the group ends") {
    shared<pid_t>() = 0;
    const auto begin = std::chrono::steady_clock::now();
    CHECK(outcome_of(
              [](const Call&, std::span<std::byte>) {
                  const pid_t id = ::fork();
                  if (id == 0) {
                      for (;;) ::pause();
                  }
                  shared<pid_t>() = id;
                  ::_exit(6);
              },
              0) == "crash: exited with code 6");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    REQUIRE(shared<pid_t>() > 0);
    CHECK(soon_gone(shared<pid_t>()));
}

TEST_CASE("a death between calls is a crash of the next call") {
    const Run dies_later = [](const Call& call, std::span<std::byte> output) {
        if (first_index(call) == 2) ::alarm(0), ::signal(SIGALRM, SIG_IGN);
        return reference::run(call, output);
    };
    const auto implementation = started(built_in(dies_later), limits_of(20));
    const Sample sample;
    const std::vector<Request> one{{&sample.call, {}, false, 0}};
    CHECK(kind_name(answers(*implementation, one)[0]) == "value");
    const pid_t monitor = only_child(::getpid());
    if (monitor == 0) SKIP("the kernel does not list children");
    const pid_t child = only_child(monitor);
    ::kill(child, SIGKILL);
    while (runs(child)) ::usleep(1000);
    CHECK(to_string(answers(*implementation, one)[0]) ==
          "crash: died before this call began: killed by SIGKILL");
    CHECK(kind_name(answers(*implementation, one)[0]) == "value");
}

TEST_CASE("a child ends with its monitor, and another pair takes over") {
    const auto implementation = started(built_in(reference::run), limits_of(20));
    const Sample sample;
    const std::vector<Request> one{{&sample.call, {}, false, 0}};
    const pid_t monitor = only_child(::getpid());
    if (monitor == 0) SKIP("the kernel does not list children");
    const pid_t child = only_child(monitor);
    ::kill(monitor, SIGKILL);
    CHECK(soon_gone(child));
    CHECK(to_string(answers(*implementation, one)[0]) ==
          "crash: died before this call began: lost, and its monitor with it, which was killed by "
          "SIGKILL");
    CHECK(kind_name(answers(*implementation, one)[0]) == "value");
}

TEST_CASE("strings come back by their characters, zero bits are the empty string") {
    const Tensor data =
        string_tensor({4}, {"plain", "", std::string("nul\0inside", 10), std::string(100, 'x')});
    Sample sample(data, {3, 0, 9, 2, 1});
    sample.call.version = OperatorVersion::openvino_gather_8;
    const Tensor axis = tensor<std::int64_t>(ElementType::i64, {}, {0});
    sample.call.inputs.push_back({"axis", axis.view()});
    for (const int pass : {0, 1}) {
        const std::vector<Request> requests{{&sample.call, {}, false, pass}};
        const Outcome outcome = answers(built_in(reference::run), requests)[0];
        INFO(to_string(outcome));
        REQUIRE(std::holds_alternative<ValueOutcome>(outcome));
        CHECK(*std::get<ValueOutcome>(outcome).output.strings ==
              std::vector<std::string>{std::string(100, 'x'), "plain", "",
                                       std::string("nul\0inside", 10), ""});
    }
}

TEST_CASE("a string element that points elsewhere is unsafe memory and is not read") {
    const Run garbage = [](const Call& call, std::span<std::byte> output) {
        Result<void> result = reference::run(call, output);
        if (first_index(call) != 2) return result;
        const StringElement wild{std::bit_cast<const char*>(std::uintptr_t{64}), 1000};
        std::memcpy(output.data() + sizeof wild, &wild, sizeof wild);
        return result;
    };
    const Run too_long = [](const Call& call, std::span<std::byte> output) {
        Result<void> result = reference::run(call, output);
        if (first_index(call) != 2) return result;
        const std::int64_t length = std::numeric_limits<std::int64_t>::max();
        std::memcpy(output.data() + sizeof(const char*), &length, sizeof length);
        return result;
    };
    const Run unwritten = [](const Call& call, std::span<std::byte> output) {
        return first_index(call) == 2 ? Result<void>() : reference::run(call, output);
    };
    const Sample sample(string_tensor({3}, {"a", "bb", "ccc"}), trigger);
    for (const int pass : {0, 1}) {
        CHECK(outcome_of(built_in(garbage), sample.call, pass) ==
              "unsafe memory: string element 1 points outside the data tensor");
        CHECK(outcome_of(built_in(too_long), sample.call, pass) ==
              "unsafe memory: string element 0 points outside the data tensor");
        CHECK(outcome_of(built_in(unwritten), sample.call, pass) ==
              "unsafe memory: string element 0 was never written");
    }
}

TEST_CASE("a read past the characters of a string is unsafe memory") {
    const Run reads = [](const Call& call, std::span<std::byte> output) {
        if (call.input("data")->type == ElementType::string) {
            StringElement last;
            std::memcpy(&last, call.input("data")->contents + 2 * sizeof last, sizeof last);
            const volatile char next = last.bytes[last.length];
            static_cast<void>(next);
        }
        return reference::run(call, output);
    };
    const Sample sample(string_tensor({3}, {"a", "bb", "ccc"}), {0, 1});
    CHECK(outcome_of(built_in(reads), sample.call, 0) ==
          "unsafe memory: read past the end of the characters of data, at byte 6 of its 6 bytes");
}

TEST_CASE("empty buffers have pointers that are not null and must not be touched") {
    const Describe describe = [](const Call& call) -> Result<Descriptor> {
        if (call.input("data")->contents == nullptr) std::abort();
        return reference::output_descriptor(call);
    };
    const Run run = [](const Call& call, std::span<std::byte> output) {
        if (output.data() == nullptr) std::abort();
        if (output.empty() && first_index(call) == 2) scribble(output.data());
        return reference::run(call, output);
    };
    const Sample legal(Tensor{ElementType::f32, {3, 0}, {}, nullptr}, {0, 1});
    CHECK(outcome_of(built_in(run, describe), legal.call, 0) == "f32 [2, 0] = []");
    CHECK(outcome_of(built_in(run, describe), legal.call, 1) == "f32 [2, 0] = []");
    const Sample touched(Tensor{ElementType::f32, {3, 0}, {}, nullptr}, trigger);
    CHECK(outcome_of(built_in(run, describe), touched.call, 0) ==
          "unsafe memory: wrote past the end of output, at byte 0 of its 0 bytes");
}

TEST_CASE("an output beyond all memory is unsupported with its numbers, and is not attempted") {
    const Describe huge = [](const Call& call) -> Result<Descriptor> {
        if (first_index(call) == 2) return Descriptor{ElementType::f64, {std::int64_t{1} << 44, 3}};
        return reference::output_descriptor(call);
    };
    const Sample bad(trigger);
    const std::string outcome = outcome_of(built_in(reference::run, huge), bad.call, 0);
    CHECK(
        outcome.starts_with("unsupported: the output is f64 [17592186044416, 3], "
                            "422212465065984 bytes, and "));
    const Describe uncountable = [](const Call& call) -> Result<Descriptor> {
        if (first_index(call) == 2) return Descriptor{ElementType::f64, {std::int64_t{1} << 61}};
        return reference::output_descriptor(call);
    };
    CHECK(
        outcome_of(built_in(reference::run, uncountable), bad.call, 0) ==
        "unsupported: the output is f64 [2305843009213693952], more bytes than 63 bits can count");
}

TEST_CASE("a descriptor that makes no sense is broken") {
    const Describe negative = [](const Call& call) -> Result<Descriptor> {
        if (first_index(call) == 2) return Descriptor{ElementType::f32, {2, -1}};
        return reference::output_descriptor(call);
    };
    const Sample bad(trigger);
    CHECK(outcome_of(built_in(reference::run, negative), bad.call, 0) ==
          "broken: output_descriptor gave a dimension of -1");
}

TEST_CASE("attributes of every kind reach the implementation") {
    const Run complain = [](const Call& call, std::span<std::byte>) -> Result<void> {
        std::string text;
        for (const Attribute& attribute : call.attributes) {
            text += attribute.name + "#" + std::to_string(attribute.value.index()) + " ";
        }
        text += std::to_string(std::get<std::int64_t>(call.attributes[0].value)) + " ";
        text += std::to_string(std::get<double>(call.attributes[1].value)) + " ";
        text += std::get<bool>(call.attributes[2].value) ? "true " : "false ";
        text += std::get<std::string>(call.attributes[3].value) + " ";
        text += std::to_string(std::get<4>(call.attributes[4].value)[1]) + " ";
        text += std::get<OtherValue>(call.attributes[5].value).json;
        return Error{Category::invalid_attribute, Phase::build, "some.rule", text};
    };
    const Describe describe = [](const Call&) -> Result<Descriptor> {
        return Descriptor{ElementType::f32, {2, 2}};
    };
    Sample sample;
    sample.call.attributes = {{"i", std::int64_t{-3}},
                              {"d", 2.5},
                              {"b", true},
                              {"s", std::string("text")},
                              {"l", std::vector<std::int64_t>{4, -5}},
                              {"o", OtherValue{"{\"a\":null}"}}};
    const std::vector<Request> requests{{&sample.call, {}, false, 0}};
    CHECK(to_string(answers(built_in(complain, describe), requests)[0]) ==
          "rejected at build as invalid_attribute (rule some.rule): i#0 d#1 b#2 s#3 l#4 o#5 -3 "
          "2.500000 true text -5 {\"a\":null}");
}

TEST_CASE("a batch is answered in order around the calls that kill the child") {
    misbehaviour = [](const Call&, std::span<std::byte>) { std::abort(); };
    const auto implementation = started(built_in(run_unless_triggered), limits_of(20));
    const Sample good;
    const Sample bad(trigger);
    std::vector<Request> requests(3000, Request{&good.call, {}, false, 0});
    for (const std::size_t place : {0U, 700U, 1500U, 2999U}) requests[place].call = &bad.call;
    const std::vector<Outcome> outcomes = answers(*implementation, requests);
    std::size_t values = 0;
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
        const bool dies = requests[k].call == &bad.call;
        if (kind_name(outcomes[k]) != (dies ? "crash" : "value")) FAIL(k);
        if (!dies) ++values;
    }
    CHECK(values == 2996);
}

TEST_CASE("after the limit on restarts the rest is not run") {
    Limits limits = limits_of(20);
    limits.restarts = 2;
    misbehaviour = [](const Call&, std::span<std::byte>) { std::abort(); };
    const auto implementation = started(built_in(run_unless_triggered), limits);
    const Sample good;
    const Sample bad(trigger);
    const std::vector<Request> requests{{&bad.call, {}, false, 0},
                                        {&good.call, {}, false, 0},
                                        {&bad.call, {}, false, 0},
                                        {&good.call, {}, false, 0}};
    const std::vector<Outcome> outcomes = answers(*implementation, requests);
    CHECK(kind_name(outcomes[0]) == "crash");
    CHECK(kind_name(outcomes[1]) == "value");
    CHECK(kind_name(outcomes[2]) == "crash");
    CHECK(to_string(outcomes[3]) ==
          "not run: its process died, hung or broke the protocol 2 times, which is the limit; the "
          "rest was not asked");
}

TEST_CASE("an end that is expected does not count towards the limit") {
    Limits limits = limits_of(20);
    limits.restarts = 1;
    misbehaviour = [](const Call&, std::span<std::byte>) { std::abort(); };
    const auto implementation = started(built_in(run_unless_triggered), limits);
    const Sample good;
    const Sample bad(trigger);
    const std::vector<Request> requests{{&bad.call, {}, false, 0, true},
                                        {&bad.call, {}, false, 0, true},
                                        {&good.call, {}, false, 0},
                                        {&bad.call, {}, false, 0},
                                        {&good.call, {}, false, 0}};
    const std::vector<Outcome> outcomes = answers(*implementation, requests);
    CHECK(kind_name(outcomes[1]) == "crash");
    CHECK(kind_name(outcomes[2]) == "value");
    CHECK(kind_name(outcomes[3]) == "crash");
    CHECK(kind_name(outcomes[4]) == "not run");
}

TEST_CASE("the calls of a sequence are asked in their order, of one model, each time anew") {
    static std::string seen;  // the child's own
    BuiltIn fake = built_in([](const Call& call, std::span<std::byte> output) -> Result<void> {
        seen += std::to_string(first_index(call));
        std::memcpy(output.data(), seen.data(), std::min(seen.size(), output.size()));
        return {};
    });
    fake.output_descriptor = [](const Call&) -> Result<Descriptor> {
        return Descriptor{ElementType::u8, Shape{4}};
    };
    fake.new_model = [](std::size_t calls) { seen = std::to_string(calls); };
    const Sample zero({0});
    const Sample one({1});
    const std::vector<EarlierCall> before{{&one.call, "one"}, {&zero.call, "zero"}};
    const std::vector<Request> requests{{&one.call, {}, false, 0, false, before},
                                        {&zero.call},
                                        {&one.call, {}, false, 1, false, before}};
    const auto outcomes = answers(fake, requests);
    // "3101": three calls, of indices 1, 0 and 1.
    CHECK(to_string(outcomes[0]) == "u8 [4] = [51, 49, 48, 49]");
    CHECK(to_string(outcomes[1]) == "u8 [4] = [49, 48, 165, 165]");
    CHECK(to_string(outcomes[2]) == "u8 [4] = [51, 49, 48, 49]");
}

TEST_CASE("an end over an earlier call is the sequence's outcome, and names the call") {
    const Sample bad(trigger);
    const Sample good;
    const std::vector<EarlierCall> before{{&good.call, "good-one"}, {&bad.call, "bad-one"}};
    const std::vector<Request> requests{{&good.call, {}, false, 0, false, before}, {&good.call}};
    const auto outcome = [&](Misbehaviour misbehave, double seconds = 20) {
        misbehaviour = misbehave;
        const auto outcomes = answers(built_in(run_unless_triggered), requests, seconds);
        CHECK(to_string(outcomes[1]) == "f32 [2, 2] = [1, 2, 3, 4]");
        return text_of(outcomes[0]);
    };
    const std::string where = "in the earlier call of case bad-one";
    CHECK(outcome(read_past_data) ==
          "unsafe memory: " + where + ": read past the end of data, at byte 24 of its 24 bytes");
    CHECK(outcome([](const Call&, std::span<std::byte>) {
              std::abort();
          }).starts_with("crash: " + where + ": killed by"));
    CHECK(outcome([](const Call&, std::span<std::byte>) { throw std::runtime_error("no"); }) ==
          "crash: " + where + ": threw an exception: no");
    CHECK(outcome(
              [](const Call&, std::span<std::byte>) {
                  for (;;) ::pause();
              },
              0.5) == "timeout: no answer in 0.5 s " + where);
}

TEST_CASE("a rejection before it does not end a sequence") {
    const Sample bad({7});
    const Sample good;
    const std::vector<EarlierCall> before{{&bad.call, "bad"}};
    const auto outcomes = answers(built_in(reference::run),
                                  std::vector<Request>{{&good.call, {}, false, 0, false, before}});
    CHECK(to_string(outcomes[0]) == "f32 [2, 2] = [1, 2, 3, 4]");
}

TEST_CASE("a callback that throws in the middle of a batch leaves the implementation usable") {
    misbehaviour = [](const Call&, std::span<std::byte>) { ::usleep(15'000); };
    const auto implementation = started(built_in(run_unless_triggered), limits_of(20));
    const Sample slow(trigger);
    const std::vector<Request> requests(10, Request{&slow.call, {}, false, 0});
    CHECK_THROWS_AS(implementation->answer(requests,
                                           [](std::size_t, const Outcome&) {
                                               throw std::runtime_error("the disk is full");
                                           }),
                    std::runtime_error);
    const Sample sample;
    const std::vector<Request> next(3, Request{&sample.call, {}, false, 0});
    for (const Outcome& outcome : answers(*implementation, next)) {
        CHECK(to_string(outcome) == "f32 [2, 2] = [1, 2, 3, 4]");
    }
}

TEST_CASE("inputs and outputs of many megabytes go through") {
    const std::int64_t rows = 5 << 20;
    Tensor data{ElementType::c128, {rows, 1}, {}, nullptr};
    data.contents.resize(static_cast<std::size_t>(rows) * 16);
    data.contents[data.contents.size() - 16] = std::byte{42};
    const Sample large(std::move(data), {rows - 1, 0});
    const Sample all(
        Tensor{ElementType::c128, {1, 1 << 20}, std::vector<std::byte>(16 << 20), nullptr},
        {0, 0, 0, 0, 0});
    const Sample small;
    const std::vector<Request> requests{{&large.call, {}, false, 0},
                                        {&all.call, {}, false, 1},
                                        {&small.call, {}, false, 0},
                                        {&large.call, {}, false, 1}};
    const auto implementation = started(built_in(reference::run), Limits{});
    const std::vector<Outcome> outcomes = answers(*implementation, requests);
    for (const std::size_t k : {0U, 3U}) {
        REQUIRE(std::holds_alternative<ValueOutcome>(outcomes[k]));
        const Tensor& output = std::get<ValueOutcome>(outcomes[k]).output;
        REQUIRE(output.contents.size() == 32);
        CHECK(output.contents[0] == std::byte{42});
        CHECK(output.contents[16] == std::byte{0});
    }
    REQUIRE(std::holds_alternative<ValueOutcome>(outcomes[1]));
    CHECK(std::get<ValueOutcome>(outcomes[1]).output.contents.size() == 80U << 20U);
    CHECK(kind_name(outcomes[2]) == "value");
}

TEST_CASE("nothing stays behind: no descriptor, no zombie, no process") {
    const std::size_t before = open_descriptors();
    {
        misbehaviour = [](const Call&, std::span<std::byte>) { std::abort(); };
        const auto implementation = started(built_in(run_unless_triggered), limits_of(20));
        const Sample bad(trigger);
        const std::vector<Request> requests(10, Request{&bad.call, {}, false, 0});
        answers(*implementation, requests);
        answers(*implementation, requests);
    }
    CHECK(open_descriptors() == before);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("the child holds no descriptor of the harness but those it needs") {
    const Run counts = [](const Call&, std::span<std::byte>) -> Result<void> {
        return Error{Category::too_large, Phase::run, "some.rule",
                     std::to_string(open_descriptors())};
    };
    std::array<int, 2> foreign{};
    REQUIRE(::pipe(foreign.data()) == 0);
    const Sample sample;
    const std::vector<Request> requests{{&sample.call, {}, false, 0}};
    // The standard streams, the channel, two areas of memory, and the folder that is being listed.
    CHECK(to_string(answers(built_in(counts), requests)[0]) ==
          "rejected at run as too_large (rule some.rule): 7");
    ::close(foreign[0]);
    ::close(foreign[1]);
}

TEST_CASE("a harness whose stdout and stdin are closed pipes goes on") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const int input = ::dup(STDIN_FILENO);
    const int output = ::dup(STDOUT_FILENO);
    std::fflush(stdout);
    ::close(STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    const Sample sample;
    const std::vector<Request> requests{{&sample.call, {}, false, 0}};
    const Run chatty = [](const Call& call, std::span<std::byte> out) {
        std::puts("chatter");
        std::fflush(stdout);
        return reference::run(call, out);
    };
    const auto implementation = in_process(built_in(chatty), limits_of(20));
    const bool good = !implementation->start().has_value();
    std::string outcome;
    if (good) {
        implementation->answer(requests,
                               [&](std::size_t, const Outcome& got) { outcome = to_string(got); });
    }
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::close(input);
    ::close(output);
    CHECK(outcome == "f32 [2, 2] = [1, 2, 3, 4]");
}

TEST_CASE("small calls a second", "[.speed]") {
    const auto implementation = started(built_in(reference::run), Limits{});
    const Sample sample;
    std::vector<Request> requests;
    for (int k = 0; k < 100'000; ++k) requests.push_back({&sample.call, {}, false, k % 2});
    for (const std::size_t batch : {std::size_t{100'000}, std::size_t{64}, std::size_t{1}}) {
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t k = 0; k + batch <= requests.size(); k += batch) {
            implementation->answer(std::span(requests).subspan(k, batch),
                                   [](std::size_t, const Outcome&) {});
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        std::printf("%zu requests together: %.0f a second\n", batch,
                    static_cast<double>(requests.size()) / took.count());
    }
}
