// SPDX-License-Identifier: Apache-2.0
// Tests of the diagnosis: what it says of implementations whose misreading is known.
#include "conformance/mutants/diagnosis.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "conformance/mutants/bug.hpp"
#include "conformance/run/run.hpp"
#include "reference/reference.hpp"
#include "tools/tests/shipped.hpp"

using namespace gathercheck;

namespace {

const std::vector<Misreading>& known() {
    static const std::vector<Misreading> all = misreadings(shipped().equations);
    return all;
}

const Misreading& find(const std::string& name) {
    for (const Misreading& misreading : known()) {
        if (misreading.name == name) return misreading;
    }
    FAIL("there is no misreading " << name);
    return known().front();
}

/// What an implementation that answers as `misreading` does gives for the hand-written cases.
template <class Use>
void answer_cases(const Misreading& misreading, Use use) {
    const LoadedSuite& loaded = shipped();
    std::vector<const Case*> cases;
    std::vector<std::shared_ptr<const PreparedCase>> prepared;
    std::vector<OwnedCall> calls;
    std::vector<bool> described;
    for (const Case& tested : loaded.suite.cases) {
        if (tested.from_sweep) continue;
        for (const Claim& claim : misreading.built_in.claims) {
            const OperatorVersion version = claim.versions.front();
            if (tested.expectation(version) == nullptr) continue;
            auto one = prepare(tested, version, loaded.equations, loaded.rules);
            if (one->bytes > 1 << 20) continue;
            calls.push_back(make_call(tested, version));
            described.push_back(tested.is_described());
            cases.push_back(&tested);
            prepared.push_back(std::move(one));
        }
    }
    const Misreading* const one = &misreading;
    const std::vector<Outcome> answers = answers_of({&one, 1}, calls, described).front();
    for (std::size_t k = 0; k < answers.size(); ++k) {
        const Question question{prepared[k]->alternatives, {}, false, true, true};
        const Judgement judgement = judge(question, answers[k]);
        ExecutionRecord record;
        record.implementation = "theirs";
        record.operator_version = calls[k].call.version;
        record.case_id = cases[k]->id;
        record.verdict = judgement.verdict;
        record.failure = judgement.failure;
        use(*cases[k], answers[k], record);
    }
}

std::string diagnosed(const Misreading& theirs) {
    Diagnosis diagnosis(shipped().equations, shipped().rules);
    answer_cases(theirs,
                 [&](const Case& tested, const Outcome& outcome, const ExecutionRecord& record) {
                     diagnosis.add(tested, outcome, record);
                 });
    return diagnosis.text();
}

/// The reference, but for what `run` answers to calls of some versions.
BuiltIn only_for(const std::vector<OperatorVersion>& versions, const BuiltIn& wrong,
                 BuiltIn others = {}) {
    if (!others.run) {
        others.output_descriptor = reference::output_descriptor;
        others.run = reference::run;
    }
    const auto chosen = [versions](const Call& call) {
        return std::ranges::find(versions, call.version) != versions.end();
    };
    BuiltIn built_in;
    built_in.name = "theirs";
    built_in.version = "1";
    built_in.output_descriptor = [=](const Call& call) {
        return (chosen(call) ? wrong : others).output_descriptor(call);
    };
    built_in.run = [=](const Call& call, std::span<std::byte> output) {
        return (chosen(call) ? wrong : others).run(call, output);
    };
    return built_in;
}

/// The reference with another way to run calls.
template <class Run>
BuiltIn running(Run run) {
    BuiltIn built_in;
    built_in.output_descriptor = reference::output_descriptor;
    built_in.run = run;
    return built_in;
}

std::vector<OperatorVersion> of_family(Family family) {
    std::vector<OperatorVersion> versions;
    for (const OperatorInfo& one : operator_versions().first(enumerated_version_count)) {
        if (one.family == family) versions.push_back(one.version);
    }
    return versions;
}

/// What is said of an implementation after a run of the hand-written cases; `change` may change
/// what it answered.
template <class Change>
std::string diagnosed(const BuiltIn& theirs, Change change) {
    const LoadedSuite& loaded = shipped();
    Diagnosis diagnosis(loaded.equations, loaded.rules);
    Limits limits;
    limits.restarts = 10000;
    std::vector<Contender> contenders(1);
    contenders.front().implementation = in_process(theirs, limits);
    contenders.front().sweeps = Sweeps::none;
    RunOptions options;
    options.judged = [&](const Case& tested, const Outcome& outcome,
                         const ExecutionRecord& record) {
        change(diagnosis, tested, outcome, record);
    };
    run(loaded.suite, loaded.rules, loaded.equations, contenders, options, [](const Record&) {},
        {});
    return diagnosis.text();
}

std::string diagnosed(const BuiltIn& theirs) {
    return diagnosed(theirs,
                     [](Diagnosis& diagnosis, const Case& tested, const Outcome& outcome,
                        const ExecutionRecord& record) { diagnosis.add(tested, outcome, record); });
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// ONNX Gather that uses indices out of bounds as they are where `passes(index, s)`; `element`
/// copies the element of data at a flat position, which may be outside.
template <class Passes, class Element>
BuiltIn unchecked_gather(Passes passes, Element element) {
    return running([=](const Call& call, std::span<std::byte> output) -> Result<void> {
        const Result<CheckedCall> checked = check(call);
        if (!checked) return checked.error();
        const TensorView& data = checked->data;
        const TensorView& indices = checked->indices;
        const std::int64_t s = data.shape[checked->axis];
        const std::int64_t picks = mutant::elements(indices.shape);
        const std::int64_t inner = mutant::slice_elements(*checked);
        const std::int64_t outer = mutant::elements(data.shape.slice(0, checked->axis));
        std::int64_t to = 0;
        for (std::int64_t k = 0; k < picks; ++k) {
            const std::int64_t index = *integer_element(indices.type, indices.contents, k);
            const bool legal = index >= -s && index < s;
            if (!legal && !passes(index, s)) return reference::run(call, output);
        }
        for (std::int64_t o = 0; o < outer; ++o) {
            for (std::int64_t k = 0; k < picks; ++k) {
                const std::int64_t index = *integer_element(indices.type, indices.contents, k);
                // As a machine reckons: without an overflow that would be undefined.
                const auto row = static_cast<std::uint64_t>(o * s) +
                                 static_cast<std::uint64_t>(index < 0 ? index + s : index);
                for (std::int64_t i = 0; i < inner; ++i) {
                    const std::uint64_t from =
                        row * static_cast<std::uint64_t>(inner) + static_cast<std::uint64_t>(i);
                    element(data, static_cast<std::int64_t>(from), output, to++);
                }
            }
        }
        return {};
    });
}

constexpr auto any_index = [](std::int64_t, std::int64_t) { return true; };

/// The real memory, guarded as it is.
constexpr auto from_memory = [](const TensorView& data, std::int64_t from,
                                std::span<std::byte> output, std::int64_t to) {
    if (std::abs(from >> 1) > std::int64_t{1} << 30) std::raise(SIGSEGV);
    copy_element(data.type, data.contents, from, output.data(), to);
};

/// Memory around data in which the pattern of each element depends on its place; every third one is
/// zero.
constexpr auto from_imagined_memory = [](const TensorView& data, std::int64_t from,
                                         std::span<std::byte> output, std::int64_t to) {
    if (from >= 0 && from < mutant::elements(data.shape)) {
        copy_element(data.type, data.contents, from, output.data(), to);
    } else if (from % 3 == 0 || data.type == ElementType::string) {
        zero_element(data.type, output.data(), to);
    } else {
        std::vector<std::byte> memory(16);
        for (std::size_t k = 0; k < memory.size(); ++k) {
            memory[k] =
                static_cast<std::byte>(17 * (from % 251) + static_cast<std::int64_t>(k) * 29);
        }
        copy_element(data.type, memory.data(), 0, output.data(), to);
    }
};

constexpr auto zero_memory = [](const TensorView& data, std::int64_t from,
                                std::span<std::byte> output, std::int64_t to) {
    if (from >= 0 && from < mutant::elements(data.shape)) {
        copy_element(data.type, data.contents, from, output.data(), to);
    } else {
        zero_element(data.type, output.data(), to);
    }
};

const std::vector<OperatorVersion> onnx_gathers{OperatorVersion::onnx_gather_1,
                                                OperatorVersion::onnx_gather_11,
                                                OperatorVersion::onnx_gather_13};

}  // namespace

TEST_CASE("the usual misreadings are named, and explain every failure", "[release]") {
    for (const char* name :
         {"axis-ignored", "axis-always-last", "index-clamped", "index-wraps",
          "negative-takes-first", "bad-index-zero-filled", "bad-index-takes-first",
          "negative-axis-taken-for-0", "negative-axis-clamped-to-0", "negative-clamped-to-0",
          "output-reversed", "output-all-zeros", "openvino.Gather-8-as-openvino.Gather-7",
          "elements-as-gather"}) {
        const std::string text = diagnosed(find(name));
        INFO(name << ": " << text);
        CHECK(text.starts_with("all "));
        CHECK(text.find("(" + std::string(name) + ")") != std::string::npos);
        CHECK(text.find("contradict") == std::string::npos);
    }
}

TEST_CASE("two misreadings at once are told apart", "[release]") {
    Diagnosis diagnosis(shipped().equations, shipped().rules);
    const auto add_of = [&](OperatorVersion version) {
        return [&diagnosis, version](const Case& tested, const Outcome& outcome,
                                     const ExecutionRecord& record) {
            if (record.operator_version == version) diagnosis.add(tested, outcome, record);
        };
    };
    answer_cases(find("index-clamped"), add_of(OperatorVersion::onnx_gather_13));
    answer_cases(find("axis-ignored"), add_of(OperatorVersion::openvino_gather_7));
    const std::string text = diagnosis.text();
    INFO(text);
    CHECK(text.find("(index-clamped") != std::string::npos);
    CHECK(text.find("(axis-ignored") != std::string::npos);
    CHECK(text.find("; onnx.Gather-13: the other ") != std::string::npos);
}

TEST_CASE("of failures that are records only the same is said, whatever they answered",
          "[release]") {
    for (const char* name : {"index-clamped", "axis-ignored", "elements-as-gather"}) {
        Diagnosis diagnosis(shipped().equations, shipped().rules);
        std::int64_t turn = 0;
        answer_cases(find(name), [&](const Case& tested, const Outcome& outcome,
                                     const ExecutionRecord& record) {
            if (++turn % 2 == 0) return diagnosis.add(tested, outcome, record);
            ExecutionRecord recorded = record;
            recorded.outcome = kind_name(outcome);
            recorded.answer = answer_digest(outcome);
            diagnosis.add_recorded(tested, recorded);
        });
        CHECK(diagnosis.text() == diagnosed(find(name)));
        CHECK(diagnosis.text().find("(" + std::string(name) + ")") != std::string::npos);
    }
}

TEST_CASE("a recorded failure that holds no answer is told by its kind") {
    const LoadedSuite& loaded = shipped();
    Diagnosis diagnosis(loaded.equations, loaded.rules);
    ExecutionRecord record;
    record.operator_version = OperatorVersion::openvino_gather_7;
    record.verdict = Verdict::fail;
    for (const Case& tested : loaded.suite.cases) {
        if (tested.id != "documented-gather-7-example-5") continue;
        for (const char* outcome : {"rejected", "not deterministic"}) {
            record.outcome = outcome;
            diagnosis.add_recorded(tested, record);
        }
    }
    CHECK(diagnosis.text().ends_with("; outside this count: 1 x not deterministic"));
}

TEST_CASE("answers that no misreading gives are not explained, and nothing is said of none") {
    const LoadedSuite& loaded = shipped();
    Diagnosis diagnosis(loaded.equations, loaded.rules);
    CHECK(diagnosis.text().empty());
    for (const Case& tested : loaded.suite.cases) {
        if (tested.id != "documented-gather-7-example-5") continue;
        Tensor output;
        output.type = ElementType::f32;
        output.shape = Shape{77};
        output.contents.resize(77 * 4);
        ExecutionRecord record;
        record.operator_version = OperatorVersion::openvino_gather_7;
        record.verdict = Verdict::fail;
        record.failure = Failure::wrong_shape;
        diagnosis.add(tested, ValueOutcome{output}, record);
    }
    CHECK(diagnosis.text() == "no misreading that is known here explains the failure");
}

TEST_CASE("a bug of one operator is named, with that operator, beside others that are right",
          "[release]") {
    const std::string text = diagnosed(
        only_for(of_family(Family::gather_elements), find("negative-takes-first").built_in));
    INFO(text);
    CHECK(text.starts_with("openvino.GatherElements-6, onnx.GatherElements-11,13: all "));
    CHECK(has(text, "(negative-takes-first)"));
    CHECK(!has(text, "contradict"));
}

TEST_CASE("bugs of two operators are both named, each with its share and its operator",
          "[release]") {
    const std::string text = diagnosed(only_for(
        of_family(Family::gather), find("index-clamped").built_in,
        only_for(of_family(Family::gather_elements), find("negative-takes-first").built_in)));
    INFO(text);
    CHECK(has(text, "(index-clamped)"));
    CHECK(has(text, "openvino.GatherElements-6, onnx.GatherElements-11,13: the other "));
    CHECK(has(text, "(negative-takes-first)"));
    CHECK(!has(text, "contradict"));
    CHECK(!has(text, "none that is known"));
}

TEST_CASE("two bugs of one operator are both named, each with its share", "[release]") {
    // One line of a kernel has both: every index is clamped to [0, s-1].
    const BuiltIn both = running([](const Call& call, std::span<std::byte> output) -> Result<void> {
        const Result<CheckedCall> checked = check(call);
        if (!checked) return checked.error();
        const TensorView& indices = checked->indices;
        const std::int64_t s = checked->data.shape[checked->axis];
        std::vector<std::int64_t> clamped;
        for (std::int64_t k = 0; k < mutant::elements(indices.shape); ++k) {
            const std::int64_t index = *integer_element(indices.type, indices.contents, k);
            clamped.push_back(s == 0 ? index : std::clamp<std::int64_t>(index, 0, s - 1));
        }
        mutant::EditedCall edited(call);
        *edited.input("indices") = edited.integers(indices.shape, clamped);
        return reference::run(edited.call, output);
    });
    const std::string text = diagnosed(only_for(onnx_gathers, both));
    INFO(text);
    CHECK(has(text, "(index-clamped)"));
    CHECK(has(text, "the other "));
    CHECK(has(text, "(negative-takes-first)"));
}

TEST_CASE("an index that is not checked is told from one that is answered with zeros",
          "[release]") {
    SECTION("where the memory is guarded") {
        const std::string text =
            diagnosed(only_for(onnx_gathers, unchecked_gather(any_index, from_memory)));
        INFO(text);
        CHECK(has(text, "all "));
        CHECK(has(text, "(index-unchecked)"));
        CHECK(!has(text, "zero"));
        CHECK(!has(text, "outside this count"));
    }
    SECTION("where it holds whatever it holds, zeros too") {
        const std::string text =
            diagnosed(only_for(onnx_gathers, unchecked_gather(any_index, from_imagined_memory)));
        INFO(text);
        CHECK(has(text, "all "));
        CHECK(has(text, "(index-unchecked)"));
        CHECK(!has(text, "zero"));
    }
    SECTION("but not from zeros, if these are all that is seen") {
        std::string text;
        Diagnosis diagnosis(shipped().equations, shipped().rules);
        text = diagnosed(only_for(onnx_gathers, unchecked_gather(any_index, zero_memory)),
                         [&](Diagnosis& all, const Case& tested, const Outcome& outcome,
                             const ExecutionRecord& record) {
                             // A vector: nothing of data lies where such an index points to.
                             const bool is_vector =
                                 !tested.inputs.empty() &&
                                 tested.inputs.front().tensor.descriptor.shape.rank() == 1;
                             if (is_vector || record.verdict == Verdict::pass) {
                                 all.add(tested, outcome, record);
                             }
                         });
        INFO(text);
        CHECK(has(text, "zeros"));
        CHECK(has(text, ", or as well: "));
    }
}

TEST_CASE("a check that lets the size of the axis pass is told as that, wherever memory shows it",
          "[release]") {
    const auto size = [](std::int64_t index, std::int64_t s) { return index == s; };
    for (const BuiltIn& theirs :
         {unchecked_gather(size, from_memory), unchecked_gather(size, from_imagined_memory)}) {
        const std::string text = diagnosed(only_for(onnx_gathers, theirs));
        INFO(text);
        CHECK(has(text, "all "));
        CHECK(has(text, "(index-s-unchecked)"));
        CHECK(!has(text, "contradict"));
    }
}

TEST_CASE("a check that lets the index below the range pass is told as that", "[release]") {
    const auto below = [](std::int64_t index, std::int64_t s) { return index == -s - 1; };
    for (const BuiltIn& theirs :
         {unchecked_gather(below, from_memory), unchecked_gather(below, from_imagined_memory)}) {
        const std::string text = diagnosed(only_for(onnx_gathers, theirs));
        INFO(text);
        CHECK(has(text, "all "));
        CHECK(has(text, "(index-just-below-unchecked)"));
        CHECK(!has(text, "contradict"));
    }
}

TEST_CASE("who reads outside data without elements is not taken for one who checks no index",
          "[release]") {
    // A negative index is clamped to 0, which is outside of an axis without elements, too.
    const auto clamping =
        running([](const Call& call, std::span<std::byte> output) -> Result<void> {
            const Result<CheckedCall> checked = check(call);
            if (!checked) return checked.error();
            const TensorView& indices = checked->indices;
            const std::int64_t s = checked->data.shape[checked->axis];
            bool is_negative = false;
            for (std::int64_t k = 0; k < mutant::elements(indices.shape); ++k) {
                const std::int64_t index = *integer_element(indices.type, indices.contents, k);
                if (index >= std::max<std::int64_t>(s, 1)) return reference::run(call, output);
                is_negative = is_negative || index < 0;
            }
            if (s > 0 || !is_negative || output.empty()) {
                return find("negative-clamped-to-0").built_in.run(call, output);
            }
            copy_element(checked->data.type, checked->data.contents, 0, output.data(), 0);
            return {};
        });
    const std::string text = diagnosed(only_for(onnx_gathers, clamping));
    INFO(text);
    CHECK(has(text, "(negative-clamped-to-0)"));
    CHECK(!has(text, "unchecked"));
}

TEST_CASE("a cause that unexplained failures speak against is none that is sure", "[release]") {
    // Indices out of bounds are clamped; of data with more than two dimensions something else is
    // wrong besides.
    const BuiltIn theirs = running([](const Call& call, std::span<std::byte> output) {
        const bool is_wrong = !reference::run(call, output);
        const Result<void> done = find("index-clamped").built_in.run(call, output);
        const TensorView* data = call.input("data");
        if (done && is_wrong && data->shape.rank() > 2 && data->type == ElementType::f32) {
            for (std::byte& one : output) one ^= std::byte{0x15};
        }
        return done;
    });
    const std::string text = diagnosed(only_for(onnx_gathers, theirs));
    INFO(text);
    CHECK(has(text, "could be explained by: "));
    CHECK(has(text, "(index-clamped)"));
    CHECK(has(text, ", though not as "));
}

TEST_CASE("of one failure many misreadings are told as many, and none as its cause", "[release]") {
    Diagnosis diagnosis(shipped().equations, shipped().rules);
    bool any = false;
    answer_cases(find("index-clamped"),
                 [&](const Case& tested, const Outcome& outcome, const ExecutionRecord& record) {
                     if (any || record.operator_version != OperatorVersion::onnx_gather_13 ||
                         record.failure != Failure::accepted) {
                         return;
                     }
                     any = true;
                     diagnosis.add(tested, outcome, record);
                 });
    const Explanation found = diagnosis.explain();
    INFO(found.text);
    CHECK(
        found.text.starts_with("too few calls to tell: the failure could be explained by: indices "
                               "out of bounds are clamped to the range (index-clamped), or as "
                               "well: "));
    CHECK(has(found.text, ", or 2 others"));
    CHECK(found.causes.empty());
}

TEST_CASE("one call by three routes is one call, though it fails three times", "[release]") {
    Diagnosis diagnosis(shipped().equations, shipped().rules);
    bool any = false;
    answer_cases(find("index-clamped"), [&](const Case& tested, const Outcome& outcome,
                                            const ExecutionRecord& record) {
        if (record.operator_version != OperatorVersion::onnx_gather_13) return;
        const bool is_first = !any && record.failure == Failure::accepted;
        if (record.verdict == Verdict::pass) diagnosis.add(tested, outcome, record);
        if (!is_first) return;
        any = true;
        for (const Operands operands : {Operands::runtime, Operands::constant, Operands::folded}) {
            ExecutionRecord by_route = record;
            by_route.route.operands = operands;
            diagnosis.add(tested, outcome, by_route);
        }
    });
    const Explanation found = diagnosis.explain();
    INFO(found.text);
    CHECK(has(found.text, "all 3 failures could be explained by: "));
    CHECK(!has(found.text, "are explained by"));
    for (const auto& [key, cause] : found.causes) CHECK(cause.starts_with("perhaps "));
}

TEST_CASE("what is put in place of an index out of bounds is not taken for memory", "[release]") {
    // All bits set, as NaN is.
    const BuiltIn filled =
        unchecked_gather(any_index, [](const TensorView& data, std::int64_t from,
                                       std::span<std::byte> output, std::int64_t to) {
            if (from >= 0 && from < mutant::elements(data.shape)) {
                copy_element(data.type, data.contents, from, output.data(), to);
            } else {
                const std::vector<std::byte> ones(16, std::byte{0xFF});
                if (data.type == ElementType::string) {
                    zero_element(data.type, output.data(), to);
                } else {
                    copy_element(data.type, ones.data(), 0, output.data(), to);
                }
            }
        });
    const std::string text = diagnosed(
        only_for(onnx_gathers, filled), [](Diagnosis& all, const Case& tested,
                                           const Outcome& outcome, const ExecutionRecord& record) {
            const bool is_vector =
                !tested.inputs.empty() && tested.inputs.front().tensor.descriptor.shape.rank() == 1;
            if (is_vector || record.verdict == Verdict::pass) all.add(tested, outcome, record);
        });
    INFO(text);
    CHECK(!has(text, "unchecked"));
}

TEST_CASE("unsigned indices that are read as signed are named", "[release]") {
    const std::string text = diagnosed(find("signed-u8").built_in);
    INFO(text);
    CHECK(has(text, "explained by: "));
    CHECK(has(text, "read as signed"));
}

TEST_CASE("integers that pass through a float are named, whatever the version", "[release]") {
    for (const char* name : {"i64-through-f64", "i32-through-f32"}) {
        const BuiltIn& wrong = find(name).built_in;
        const std::string text = diagnosed(only_for(onnx_gathers, wrong));
        INFO(text);
        CHECK(has(text, "explained by: "));
        CHECK(has(text, "(" + std::string(name) + ")"));
    }
}

namespace {

/// The reference, but for data of a type that passes through a narrower one as this machine has it.
template <class Wide, class Narrow>
BuiltIn narrowing(ElementType type) {
    return running([type](const Call& call, std::span<std::byte> output) {
        const Result<void> done = reference::run(call, output);
        if (!done || call.input("data")->type != type) return done;
        for (std::size_t k = 0; k + sizeof(Wide) <= output.size(); k += sizeof(Wide)) {
            Wide wide;
            std::memcpy(&wide, output.data() + k, sizeof wide);
            const volatile auto narrow = static_cast<Narrow>(wide);
            wide = narrow;
            std::memcpy(output.data() + k, &wide, sizeof wide);
        }
        return done;
    });
}

}  // namespace

TEST_CASE("floats that pass through a narrower one are named", "[release]") {
    const std::string text = diagnosed(narrowing<double, float>(ElementType::f64));
    INFO(text);
    CHECK(text.starts_with("all "));
    CHECK(has(text, "(f64-through-f32)"));
    for (const char* name : {"f32-through-f16", "f16-through-bf16"}) {
        const std::string told = diagnosed(find(name));
        INFO(told);
        CHECK(told.starts_with("all "));
        CHECK(has(told, "(" + std::string(name) + ")"));
    }
}

TEST_CASE("of a bug that only some routes or types have the sentence says so", "[release]") {
    SECTION("with dynamic shapes") {
        const std::string text =
            diagnosed(find("negative-takes-first").built_in,
                      [](Diagnosis& all, const Case& tested, const Outcome& outcome,
                         const ExecutionRecord& record) {
                          ExecutionRecord dynamic = record;
                          dynamic.route.shapes = Shapes::dynamic;
                          all.add(tested, outcome, dynamic);
                          if (record.verdict != Verdict::fail) return;
                          ExecutionRecord fixed = record;
                          fixed.verdict = Verdict::pass;
                          fixed.failure = Failure::none;
                          all.add(tested, outcome, fixed);
                      });
        INFO(text);
        CHECK(has(text, "with dynamic shapes only: all "));
        CHECK(has(text, "(negative-takes-first)"));
    }
    SECTION("with i32 indices") {
        const BuiltIn theirs = running([](const Call& call, std::span<std::byte> output) {
            const TensorView* indices = call.input("indices");
            const bool wrong = indices != nullptr && indices->type == ElementType::i32;
            return wrong ? find("index-clamped").built_in.run(call, output)
                         : reference::run(call, output);
        });
        const std::string text = diagnosed(theirs);
        INFO(text);
        CHECK(has(text, "with i32 indices only: all "));
        CHECK(has(text, "(index-clamped)"));
    }
}

TEST_CASE("of a bug that no misreading has no cause is named", "[release]") {
    // Every element is the one after it in data, but for the last.
    const BuiltIn theirs = running([](const Call& call, std::span<std::byte> output) {
        const Result<void> done = reference::run(call, output);
        const TensorView* data = call.input("data");
        if (!done || data == nullptr || bits(data->type) % 8 != 0) return done;
        if (data->type == ElementType::string) return done;
        const auto width = static_cast<std::size_t>(bits(data->type) / 8);
        // The bytes of each element are turned by one, and their bits changed.
        for (std::size_t k = 0; k + width <= output.size(); k += width) {
            for (std::size_t j = 0; j < width; ++j) output[k + j] ^= std::byte{0x15};
        }
        return done;
    });
    const std::string text = diagnosed(theirs);
    INFO(text);
    CHECK(text.starts_with("no misreading that is known here explains the "));
}

TEST_CASE("every misreading is named, or one that is the same there, if one version has it",
          "[release]") {
    std::size_t turn = 0;
    for (const Misreading& misreading : known()) {
        if (++turn % 16 != 0) continue;
        const OperatorVersion version =
            misreading.built_in.claims[turn % misreading.built_in.claims.size()].versions.front();
        Diagnosis diagnosis(shipped().equations, shipped().rules);
        bool any = false;
        answer_cases(misreading, [&](const Case& tested, const Outcome& outcome,
                                     const ExecutionRecord& record) {
            if (record.operator_version != version) return;
            any =
                any || (record.verdict == Verdict::fail && record.failure != Failure::wrong_error);
            diagnosis.add(tested, outcome, record);
        });
        if (!any) continue;
        const std::string text = diagnosis.text();
        INFO(misreading.name << " of " << name(version) << ": " << text);
        const bool is_named = has(text, "(" + misreading.name + ")");
        const bool is_same = has(text, "all ") || has(text, "the failure could be");
        CHECK((is_named || is_same));
        CHECK(!has(text, "contradict"));
        CHECK(!has(text, "none that is known"));
    }
}
