// SPDX-License-Identifier: Apache-2.0
// The run: two passes, controls, known failures, what is recorded, and exit codes.
#include "conformance/run/run.hpp"
#include "conformance/records/tally.hpp"
#include "conformance/util/subprocess.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/report/report.hpp"
#include "conformance/tests/equations.hpp"
#include "conformance/util/guarded_buffer.hpp"
#include "reference/reference.hpp"
#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

using enum OperatorVersion;

/// Answers by a function; claims onnx.Gather-13 on f32.
class Scripted final : public Implementation {
public:
    using Answer = std::function<Outcome(const Request&)>;
    explicit Scripted(Answer answer, std::optional<NotStarted> not_started = {})
        : answer_(std::move(answer)), not_started_(std::move(not_started)) {
        introduction_.version = "1.2";
        introduction_.claims = {
            {{onnx_gather_13}, {ElementType::f32, ElementType::i32}, {ElementType::i64}}};
    }
    const std::string& name() const override { return name_; }
    std::optional<NotStarted> start() override { return not_started_; }
    const Introduction& introduction() const override { return introduction_; }
    int ends() const override { return ends_; }
    void answer(std::span<const Request> requests, const Answered& answered) override {
        for (std::size_t k = 0; k < requests.size(); ++k) {
            Outcome outcome = answer_(requests[k]);
            const bool ended =
                std::holds_alternative<Crash>(outcome) || std::holds_alternative<Timeout>(outcome);
            if (ended && !requests[k].may_crash) ++ends_;
            answered(k, std::move(outcome));
        }
    }
    std::optional<ProgramSource> reproduce(const Request&) override { return std::nullopt; }

private:
    int ends_ = 0;
    std::string name_ = "scripted";
    Introduction introduction_;
    Answer answer_;
    std::optional<NotStarted> not_started_;
};

Outcome by_reference(const Request& request) {
    const auto descriptor = reference::output_descriptor(*request.call);
    if (!descriptor) return Rejected{};
    Tensor output{descriptor->type, descriptor->shape, {}, {}};
    output.contents.resize(static_cast<std::size_t>(*byte_size(*descriptor)),
                           output_pattern(request.pass));
    if (!reference::run(*request.call, output.contents)) return Rejected{};
    return ValueOutcome{std::move(output)};
}

Case make_case(const std::string& id, std::vector<std::int64_t> indices, Alternative expected) {
    Case tested;
    tested.id = id;
    const auto count = static_cast<std::int64_t>(indices.size());
    tested.inputs = {{"data", {{ElementType::i32, Shape{3}}, test::i32({3}, {10, 20, 30})}},
                     {"indices", {{ElementType::i64, Shape{count}}, test::i64({count}, indices)}}};
    tested.expect.push_back(
        {{onnx_gather_13}, {"onnx.gather-13.indices.error"}, {std::move(expected)}, {}});
    return tested;
}

Alternative output(std::vector<std::int64_t> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return ExpectedOutput{TensorSpec{{ElementType::i32, Shape{count}}, test::i32({count}, values)},
                          {}};
}

Suite suite() {
    Suite result;
    result.cases.push_back(make_case("good", {2, 0}, output({30, 10})));
    result.cases.push_back(
        make_case("bad-index", {3}, ExpectedError{Category::index_out_of_bounds, {}}));
    return result;
}

struct RunResult {
    std::vector<Record> records;
    Tally tally;
    std::int64_t executions = 0;

    const ExecutionRecord& of(const std::string& id) const {
        for (const Record& record : records) {
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution != nullptr && execution->case_id == id) return *execution;
        }
        FAIL("no record of " << id);
        std::abort();
    }
};

RunResult run_it(Scripted::Answer answer, const KnownFailures* known = nullptr,
                 std::optional<NotStarted> not_started = {}, bool by_name = true,
                 std::function<bool()> interrupted = {}, const Suite& cases = suite()) {
    RunResult result;
    std::vector<Contender> contenders;
    contenders.push_back(
        {std::make_unique<Scripted>(std::move(answer), std::move(not_started)), by_name, known});
    RunOptions options;
    options.today = "2026-06-01";
    options.interrupted = std::move(interrupted);
    result.executions = run(cases, RuleCatalogue{}, test::equations(), contenders, options,
                            [&](const Record& record) {
                                result.records.push_back(record);
                                result.tally.add(record);
                            },
                            {});
    return result;
}

KnownFailures known_failure(const std::string& id, const std::string& outcome,
                            const std::string& expires = {}) {
    KnownFailures known;
    known.file = "known.json";
    known.implementation = "scripted";
    known.versions = {"1.2"};
    known.add({id, onnx_gather_13, {}, {outcome}, "a reason", {}, {}, {}, expires, "/failures/0"});
    return known;
}

Outcome wrong_value(const Request& request) {
    Outcome outcome = by_reference(request);
    auto* value = std::get_if<ValueOutcome>(&outcome);
    // Only the case "good" has two indices: the control of "bad-index" stays right.
    if (value != nullptr && value->output.shape == Shape{2}) {
        value->output.contents[0] ^= std::byte{1};
    }
    return outcome;
}

}  // namespace

TEST_CASE("an implementation that is right conforms") {
    const RunResult result = run_it(by_reference);
    CHECK(result.of("good").verdict == Verdict::pass);
    CHECK(result.of("bad-index").verdict == Verdict::pass);
    CHECK(result.tally.exit_code() == 0);
}

TEST_CASE("a wrong value does not conform, and the report repeats it") {
    const RunResult result = run_it(wrong_value);
    CHECK(result.of("good").failure == Failure::wrong_value);
    CHECK(result.tally.exit_code() == 1);
    RunRecord run;
    run.repeat = "./gathercheck run --cases my.json ";
    run.repeat_known_failures = "--known-failures known.json ";
    const std::string text = failure_text(result.of("good"), run);
    CHECK(text ==
          "FAIL  scripted  onnx.Gather-13  runtime/static  good\n"
          "  wrong value: element 0 of [2]: expected 30, got 31\n"
          "  got i32 [2] = [31, 10]; 1 of 2 elements differs: output[0]\n"
          "  repeat: ./gathercheck run --cases my.json --known-failures known.json "
          "--implementation scripted --filter case=good --filter operator=onnx.Gather-13 --filter "
          "route=runtime/static\n");
}

TEST_CASE("an interrupted run records what was answered twice, up to the first that was not") {
    for (const bool at_first : {true, false}) {
        bool interrupted = false;
        int asked_again = 0;
        const auto answer = [&](const Request& request) -> Outcome {
            // The second time round the last comes first.
            const bool is_good = request.call->input("indices")->shape == Shape{2};
            asked_again += is_good && request.pass == 1;
            interrupted = interrupted || (at_first && asked_again == 1);
            return interrupted ? NotRun{"interrupted"} : by_reference(request);
        };
        const RunResult result = run_it(answer, nullptr, {}, true, [&] { return interrupted; });
        CHECK(result.executions == (at_first ? 0 : 2));
        CHECK(result.records.size() == (at_first ? 1U : 3U));
    }
}

TEST_CASE("an implementation that rejects everything passes no rejection") {
    const RunResult result = run_it([](const Request&) -> Outcome { return Rejected{}; });
    CHECK(result.of("good").failure == Failure::rejected);
    CHECK(result.of("bad-index").verdict == Verdict::unsupported);
    CHECK(result.tally.exit_code() == 1);
}

TEST_CASE("an implementation that clamps is told what it accepted") {
    const RunResult result = run_it([](const Request& request) -> Outcome {
        Outcome outcome = by_reference(request);
        if (!std::holds_alternative<Rejected>(outcome)) return outcome;
        return ValueOutcome{test::i32({1}, {30})};
    });
    CHECK(result.of("bad-index").failure == Failure::accepted);
}

TEST_CASE("answers that differ between the passes are not deterministic") {
    const RunResult result = run_it([](const Request& request) {
        return request.pass == 0 ? by_reference(request) : wrong_value(request);
    });
    CHECK(result.of("good").failure == Failure::not_deterministic);
}

TEST_CASE("packed elements that hold a pattern of each pass show the same, given enough bits") {
    const auto result_with = [](ElementType type, std::int64_t count) {
        return run_it([=](const Request& request) -> Outcome {
            // The first element is written, those behind are not.
            const std::byte unwritten = output_pattern(request.pass);
            Tensor output{type, {count}, {unwritten, unwritten}, nullptr};
            set_element_bits(type, output.contents.data(), 0, 1);
            return ValueOutcome{output};
        });
    };
    const RunResult nibble = result_with(ElementType::u4, 4);
    CHECK(nibble.of("good").detail ==
          "element 1 of the output was never written, or comes from outside the inputs");
    CHECK(result_with(ElementType::u1, 16).of("good").failure == Failure::unsafe_memory);
}

TEST_CASE("a few bits that differ are not taken for a pattern") {
    const RunResult result = run_it([](const Request& request) -> Outcome {
        const Tensor output{ElementType::u1, {2}, {std::byte(request.pass == 0 ? 1 : 2)}, nullptr};
        return ValueOutcome{output};
    });
    CHECK(result.of("good").failure == Failure::not_deterministic);
}

TEST_CASE("an element that holds a pattern of each pass shows memory that is not the call's") {
    const auto result_with = [](const std::function<std::byte(int)>& pattern) {
        return run_it([=](const Request& request) -> Outcome {
            Outcome outcome = by_reference(request);
            if (auto* value = std::get_if<ValueOutcome>(&outcome)) {
                for (std::size_t k = 4; k < value->output.contents.size(); ++k) {
                    value->output.contents[k] = pattern(request.pass);
                }
            }
            return outcome;
        });
    };
    const RunResult unwritten = result_with(output_pattern);
    CHECK(unwritten.of("good").failure == Failure::unsafe_memory);
    CHECK(unwritten.of("good").detail ==
          "element 1 of the output was never written, or comes from outside the inputs");

    const RunResult outside = result_with([](int pass) { return output_pattern(1 - pass); });
    CHECK(outside.of("good").failure == Failure::unsafe_memory);

    const RunResult canary = result_with(canary_pattern);
    CHECK(canary.of("good").failure == Failure::unsafe_memory);
    CHECK(canary.of("good").detail == "element 1 of the output comes from outside the inputs");

    const RunResult others = result_with([](int pass) { return std::byte(7 + pass); });
    CHECK(others.of("good").failure == Failure::not_deterministic);
}

TEST_CASE("a sequence is asked as a whole in both passes, and only its last call is judged") {
    Suite sequences = suite();
    Case last = make_case("last", {1, 1}, output({20, 20}));
    last.after = {"bad-index", "good"};
    for (const std::size_t k : {1U, 0U}) {
        last.earlier.push_back(std::make_shared<const Case>(sequences.cases[k]));
    }
    sequences.cases = {last};
    std::vector<std::string> asked;
    std::vector<Contender> contenders;
    contenders.push_back({std::make_unique<Scripted>([&](const Request& request) {
                              std::string text = std::to_string(request.pass);
                              for (const EarlierCall& each : request.before) {
                                  text += " " + std::string(each.case_id) +
                                          to_string(each.call->input("indices")->shape);
                              }
                              asked.push_back(text);
                              return by_reference(request);
                          }),
                          true, nullptr});
    Tally tally;
    run(sequences, RuleCatalogue{}, test::equations(), contenders, RunOptions{},
        [&](const Record& record) { tally.add(record); }, {});
    CHECK(asked == std::vector<std::string>{"0 bad-index[1] good[2]", "1 bad-index[1] good[2]"});
    CHECK(tally.exit_code() == 0);
}

TEST_CASE("what died is not asked a second time") {
    int asked = 0;
    const RunResult result = run_it([&](const Request& request) -> Outcome {
        if (element_count(request.call->input("indices")->shape) == 2) {
            ++asked;
            return Crash{"signal 11"};
        }
        return by_reference(request);
    });
    CHECK(asked == 1);
    CHECK(result.of("good").verdict == Verdict::crash);
    CHECK(result.tally.exit_code() == 1);
}

TEST_CASE("a broken adapter is trouble, never non-conformity") {
    const RunResult result = run_it([](const Request&) -> Outcome { return Broken{"rubbish"}; });
    CHECK(result.of("good").verdict == Verdict::broken);
    CHECK(result.tally.exit_code() == 3);
    CHECK(result.tally.trouble() == "the adapter of scripted broke 2 executions, shown as BROKEN");
}

TEST_CASE("a known failure is green, a change of it is not") {
    const KnownFailures known = known_failure("good", "wrong value");
    const RunResult same = run_it(wrong_value, &known);
    CHECK(same.of("good").verdict == Verdict::known_failure);
    CHECK(same.of("good").reason == "a reason");
    CHECK(same.tally.exit_code() == 0);  // the rejection of bad-index passed

    const RunResult fixed = run_it(by_reference, &known);
    CHECK(fixed.of("good").verdict == Verdict::fixed);
    CHECK(fixed.tally.exit_code() == 2);

    const KnownFailures other = known_failure("good", "wrong shape");
    const RunResult changed = run_it(wrong_value, &other);
    CHECK(changed.of("good").verdict == Verdict::fail);
    CHECK(changed.tally.exit_code() == 1);
}

TEST_CASE("an implementation is told of a call that it is known to die or hang on") {
    const auto told = [](const KnownFailures* known) {
        std::vector<bool> good;
        run_it(
            [&](const Request& request) {
                if (request.call->inputs.back().tensor.shape == Shape{2}) {
                    good.push_back(request.may_crash);
                } else {
                    CHECK_FALSE(request.may_crash);
                }
                return by_reference(request);
            },
            known);
        return good;
    };
    for (const std::string outcome : {"crash", "timeout", "unsafe memory"}) {
        const KnownFailures known = known_failure("good", outcome);
        CHECK(told(&known) == std::vector{true, true});
    }
    const KnownFailures survives = known_failure("good", "wrong value");
    CHECK(told(&survives) == std::vector{false, false});
    CHECK(told(nullptr) == std::vector{false, false});
}

TEST_CASE("an entry for a case that the suite lacks is a disagreement") {
    const KnownFailures known = known_failure("no-such-case", "wrong value");
    const RunResult result = run_it(by_reference, &known);
    REQUIRE(result.tally.notes().size() == 1);
    CHECK(result.tally.notes()[0].level == "disagreement");
    CHECK(result.tally.exit_code() == 2);
}

TEST_CASE("an entry past its date is a warning") {
    const KnownFailures known = known_failure("good", "wrong value", "2026-05-31");
    const RunResult result = run_it(wrong_value, &known);
    REQUIRE(result.tally.notes().size() == 1);
    CHECK(result.tally.notes()[0].level == "warning");
    CHECK(result.tally.exit_code() == 0);
}

TEST_CASE("known failures of another version are not used, and that is said") {
    KnownFailures known = known_failure("good", "wrong value");
    known.versions = {"9.9"};
    const RunResult result = run_it(wrong_value, &known);
    CHECK(result.of("good").verdict == Verdict::fail);
    REQUIRE(result.tally.notes().size() == 1);
    CHECK(result.tally.notes()[0].text.find("9.9") != std::string::npos);
}

TEST_CASE("garbage that differs between runs is one known failure in each of them") {
    const std::string accepted = "accepted what must be rejected";
    for (const std::string& recorded : {accepted, std::string("not deterministic")}) {
        const KnownFailures known = known_failure("bad-index", recorded);
        for (int number = 0; number < 4; ++number) {
            // What lies behind data: the same in both passes, or not.
            const RunResult result = run_it(
                [&](const Request& request) -> Outcome {
                    Outcome outcome = by_reference(request);
                    if (!std::holds_alternative<Rejected>(outcome)) return outcome;
                    return ValueOutcome{test::i32({1}, {number % 2 == 0 ? 7 : 7 + request.pass})};
                },
                &known);
            CHECK(result.of("bad-index").failure ==
                  (number % 2 == 0 ? Failure::accepted : Failure::not_deterministic));
            CHECK(result.of("bad-index").verdict == Verdict::known_failure);
            CHECK(result.tally.exit_code() == 0);
        }
    }
}

TEST_CASE("an implementation that answers none of its calls is given up early") {
    Suite many;
    for (int k = 0; k < 60; ++k) {
        many.cases.push_back(make_case("good-" + std::to_string(k), {2, 0}, output({30, 10})));
    }
    int calls = 0;
    const auto dies_until = [&](int last) {
        return [&calls, last](const Request& request) -> Outcome {
            if (++calls <= last) return Crash{"killed by SIGSEGV; its stderr ends: oh no"};
            return by_reference(request);
        };
    };
    const RunResult dead = run_it(dies_until(1000), nullptr, {}, true, {}, many);
    CHECK(calls == 5);
    CHECK(dead.executions == 60);
    CHECK(dead.of("good-1").verdict == Verdict::crash);
    CHECK(dead.of("good-2").verdict == Verdict::not_run);
    CHECK(dead.of("good-59").detail ==
          "none of its first 5 calls, which are from all parts of the run, was answered; the last: "
          "crash: killed by SIGSEGV; its stderr ends: oh no; the rest was not asked");
    CHECK(dead.tally.exit_code() == 1);

    // It dies at the start, but not everywhere.
    for (const int last : {1, 2, 4}) {
        calls = 0;
        const RunResult alive = run_it(dies_until(last), nullptr, {}, true, {}, many);
        INFO(last);
        CHECK(alive.of("good-59").verdict == Verdict::pass);
        CHECK(alive.tally.exit_code() == 1);
    }

    // Of a few calls all are asked.
    Suite few;
    few.cases.assign(many.cases.begin(), many.cases.begin() + 5);
    CHECK(run_it(dies_until(1000), nullptr, {}, true, {}, few).of("good-4").verdict ==
          Verdict::crash);

    // What is known to end it tells nothing.
    KnownFailures known = known_failure("good-0", "crash");
    for (int k = 1; k < 59; ++k) {
        known.add({"good-" + std::to_string(k),
                   onnx_gather_13,
                   {},
                   {"crash"},
                   "a reason",
                   {},
                   {},
                   {},
                   {},
                   "/failures/1"});
    }
    calls = 0;
    const RunResult last_one = run_it(dies_until(59), &known, {}, true, {}, many);
    CHECK(last_one.of("good-38").verdict == Verdict::known_failure);
    CHECK(last_one.of("good-59").verdict == Verdict::pass);
}

TEST_CASE("notes that say the same of several are one") {
    Tally tally;
    tally.add(NoteRecord{"x", "warning", "it died", "case a"});
    CHECK(tally.notes()[0].text == "it died: case a");
    for (int k = 0; k < 12; ++k) tally.add(NoteRecord{"x", "warning", "it died", "case b"});
    tally.add(NoteRecord{"y", "warning", "it died", "case a"});
    tally.add(NoteRecord{"x", "warning", "it hung"});
    REQUIRE(tally.notes().size() == 3);
    CHECK(tally.notes()[0].text == "it died: case a (and 12 more)");
    CHECK(tally.notes()[2].text == "it hung");
}

TEST_CASE("the conclusion counts known failures") {
    Tally tally;
    tally.add(ImplementationRecord{"x", "started", "", true, "1", "", "", ""});
    ExecutionRecord record;
    record.implementation = "x";
    record.version = "1";
    record.verdict = Verdict::known_failure;
    CHECK(exit_code_text(0, "", tally) == "conforms");
    tally.add(record);
    CHECK(exit_code_text(0, "", tally) == "conforms but for 1 known failure");
    tally.add(record);
    CHECK(exit_code_text(0, "", tally) == "conforms but for 2 known failures");
    CHECK(exit_code_text(1, "", tally) == "does not conform");
}

TEST_CASE("a program that was given a name is repeated by both") {
    RunRecord run;
    run.settings.emplace();
    run.settings->implementations = {"reference", "scripted=exec:./a b"};
    ExecutionRecord record;
    record.implementation = "scripted";
    CHECK(repeat_line(record, run).find(" --implementation 'scripted=exec:./a b' --filter") !=
          std::string::npos);
}

TEST_CASE("known failures of others do not stop the line that repeats a failure") {
    RunRecord run;
    run.repeat_known_failures = "--known-failures a.json --known-failures b.json ";
    run.settings.emplace();
    run.settings->implementations = {"a", "b"};
    run.settings->known_failures = {"a.json", "b.json"};
    ExecutionRecord record;
    record.implementation = "b";
    record.verdict = Verdict::fail;
    CHECK(repeat_line(record, run)
              .starts_with("gathercheck run --no-known-failures --implementation b --filter "));
    record.verdict = Verdict::fixed;
    CHECK(repeat_line(record, run)
              .starts_with("gathercheck run --known-failures a.json --known-failures b.json "
                           "--implementation a "
                           "--implementation b --filter "));
    run.settings->implementations = {"b"};
    record.verdict = Verdict::fail;
    CHECK(repeat_line(record, run)
              .starts_with("gathercheck run --known-failures a.json --known-failures b.json "
                           "--implementation b "
                           "--filter "));
}

TEST_CASE("what is asked for by name and unavailable is trouble, a default row is not") {
    const NotStarted unavailable{NotStarted::Kind::unavailable, "no such CPU"};
    CHECK(run_it(by_reference, nullptr, unavailable, true).tally.exit_code() == 3);
    CHECK(run_it(by_reference, nullptr, unavailable, false).tally.exit_code() == 0);
    const NotStarted broken{NotStarted::Kind::broken, "no hello"};
    CHECK(run_it(by_reference, nullptr, broken, false).tally.exit_code() == 3);
}

TEST_CASE("a run in which nothing passed is never green") {
    Tally nothing;
    CHECK(nothing.trouble() == "no implementation was run");
    CHECK(nothing.exit_code() == 3);
    nothing.add(ImplementationRecord{"x", "started", "", true, "1", "", "", ""});
    CHECK(nothing.exit_code() == 3);
    ExecutionRecord unsupported;
    unsupported.implementation = "x";
    unsupported.version = "1";
    unsupported.verdict = Verdict::unsupported;
    nothing.add(unsupported);
    CHECK(nothing.exit_code() == 3);
    ExecutionRecord not_run = unsupported;
    not_run.verdict = Verdict::not_run;
    nothing.add(not_run);
    CHECK(nothing.trouble() == "nothing passed on x");
    CHECK(nothing.exit_code() == 3);
    ExecutionRecord passed = unsupported;
    passed.verdict = Verdict::pass;
    nothing.add(passed);
    CHECK(nothing.trouble().empty());
    CHECK(nothing.exit_code() == 1);  // the rest was not run
}

TEST_CASE("who was judged in any way is alive, who takes no call is not") {
    ExecutionRecord record;
    record.implementation = "x";
    record.version = "1";
    struct Row {
        Verdict verdict;
        const char* outcome;
        const char* classification;
        bool is_filtered;
        int exit_code;
    };
    for (const auto& [verdict, outcome, classification, is_filtered, exit_code] :
         {Row{Verdict::known_failure, "value", "", false, 0},
          Row{Verdict::known_failure, "crash", "", false, 3},
          Row{Verdict::known_failure, "unsupported", "", false, 3},
          Row{Verdict::known_failure, "crash", "", true, 0},
          Row{Verdict::known_failure, "unsupported", "", true, 3},
          Row{Verdict::unspecified, "value", "clamp", false, 0},
          Row{Verdict::unspecified, "unsupported", "unsupported", true, 3}}) {
        Tally tally;
        if (is_filtered) tally.set_filtered();
        tally.add(ImplementationRecord{"x", "started", "", true, "1", "", "", ""});
        record.verdict = verdict;
        record.outcome = outcome;
        record.classification = classification;
        tally.add(record);
        INFO(name(verdict) << " " << outcome << " " << is_filtered);
        CHECK(tally.exit_code() == exit_code);
    }
}

TEST_CASE("the summary has a column for each verdict that occurs") {
    const RunResult result = run_it(wrong_value);
    CHECK(summary_text(result.tally)
              .starts_with("implementation  version  pass  fail  executions\n"
                           "scripted        1.2         1     1           2\n"));
}

TEST_CASE("words for a shell are quoted where they must be") {
    CHECK(shell_word("optimized:avx2") == "optimized:avx2");
    CHECK(shell_word("exec:./a b") == "'exec:./a b'");
    CHECK(shell_word("it's") == "'it'\\''s'");
    CHECK(shell_word("") == "''");
}

TEST_CASE("warnings that differ in numbers and in what they quote are one") {
    Tally tally;
    for (const char* text : {"a call: broken: answer to 17 is {\"seq\":17}",
                             "a call: broken: answer to 4 is {\"sequence\":4}"}) {
        tally.add(NoteRecord{"theirs", "warning", text});
    }
    REQUIRE(tally.notes().size() == 1);
    CHECK(tally.notes().front().text.ends_with("(and 1 more)"));
    tally.add(NoteRecord{"theirs", "disagreement", "case a-1"});
    tally.add(NoteRecord{"theirs", "disagreement", "case a-2"});
    CHECK(tally.notes().size() == 3);
}

}  // namespace gathercheck
