// SPDX-License-Identifier: Apache-2.0
// Verdicts: what is expected, against what came.
#include "conformance/judge/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "conformance/util/number.hpp"
#include "conformance/util/sha256.hpp"
#include "reference/byte_order.hpp"

namespace gathercheck {
namespace {

constexpr std::array<std::string_view, verdict_count> verdict_names{
    "pass",   "fail",        "crash",         "timeout", "unsupported", "unavailable",
    "broken", "unspecified", "known failure", "fixed",   "difference",  "not run"};
static_assert(static_cast<std::size_t>(Verdict::not_run) + 1 == verdict_count);

constexpr std::array<std::string_view, failure_count> failure_names{
    "",
    "wrong value",
    "wrong shape",
    "wrong type",
    "accepted what must be rejected",
    "rejected what must be accepted",
    "wrong error",
    "unsafe memory",
    "not deterministic",
    "unsupported though claimed"};
static_assert(static_cast<std::size_t>(Failure::unsupported) + 1 == failure_count);

Judgement fail(Failure failure, std::string detail) {
    return {Verdict::fail, failure, std::move(detail)};
}

std::string with_commas(std::span<const std::string> words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// Flat position of the first element that is neither the same nor a NaN for a NaN.
std::optional<std::int64_t> first_other_value(const Tensor& a, const Tensor& b) {
    const std::optional<std::int64_t> first = first_difference(a, b);
    if (!first) return std::nullopt;
    const std::int64_t count = *element_count(a.shape);
    for (std::int64_t k = *first; k < count; ++k) {
        if (!same_value(a, b, k)) return k;
    }
    return std::nullopt;
}

/// How an output differs from an expected one; pass where it does not. Of a NaN the bits count only
/// where `every_bit` does.
Judgement compare(const ResolvedOutput& expected, const Tensor& actual, bool every_bit) {
    const Descriptor& descriptor = expected.descriptor;
    if (actual.type != descriptor.type) {
        return fail(Failure::wrong_type, "expected element type " +
                                             std::string(name(descriptor.type)) + ", got " +
                                             std::string(name(actual.type)));
    }
    if (actual.shape != descriptor.shape) {
        return fail(Failure::wrong_shape, "expected shape " + to_string(descriptor.shape) +
                                              ", got " + to_string(actual.shape));
    }
    if (expected.contents) {
        const auto place = every_bit ? first_difference(*expected.contents, actual)
                                     : first_other_value(*expected.contents, actual);
        if (!place) return {};
        Judgement judgement =
            fail(Failure::wrong_value, "element " + std::to_string(*place) + " of " +
                                           to_string(descriptor.shape) + ": expected " +
                                           element_text(*expected.contents, *place) + ", got " +
                                           element_text(actual, *place));
        judgement.element = place;
        return judgement;
    }
    if (!expected.sha256.empty()) {
        const std::string digest = sha256_hex(LittleEndian(actual.type, actual.contents).bytes());
        if (digest == expected.sha256) return {};
        return fail(Failure::wrong_value,
                    "expected contents of SHA-256 " + expected.sha256 + ", got " + digest);
    }
    return {};
}

/// The same for a described call: every dimension that it knows must be right.
Judgement compare(const ResolvedOutput& expected, const DescriptorOutcome& actual, bool) {
    const Descriptor& descriptor = expected.descriptor;
    if (actual.type != descriptor.type) {
        return fail(Failure::wrong_type, "expected element type " +
                                             std::string(name(descriptor.type)) + ", got " +
                                             std::string(name(actual.type)));
    }
    if (!actual.known_rank) return {};
    std::string shape;
    bool same = static_cast<std::int64_t>(actual.shape.size()) == descriptor.shape.rank();
    for (std::size_t k = 0; k < actual.shape.size(); ++k) {
        const auto& dim = actual.shape[k];
        shape += (k == 0 ? "" : ", ") + (dim ? std::to_string(*dim) : std::string("?"));
        if (same && dim && *dim != descriptor.shape[static_cast<std::int64_t>(k)]) same = false;
    }
    if (same) return {};
    return fail(Failure::wrong_shape,
                "expected shape " + to_string(descriptor.shape) + ", got [" + shape + "]");
}

/// Judges an output (or its description) against the alternatives that count.
template <class Answer>
Judgement judge_answer(const Question& question, const Answer& answer, const Outcome& outcome) {
    if (question.alternatives.empty()) return {Verdict::unspecified, Failure::none, {}};
    const auto alternatives =
        question.follows_suite ? question.alternatives.first(1) : question.alternatives;
    std::optional<Judgement> closest;
    for (const ResolvedAlternative& alternative : alternatives) {
        const auto* output = std::get_if<ResolvedOutput>(&alternative);
        if (output == nullptr) continue;
        Judgement judgement = compare(*output, answer, question.follows_suite);
        if (judgement.verdict == Verdict::pass) return judgement;
        if (!closest) closest = std::move(judgement);
    }
    if (closest) return *closest;
    const auto& error = std::get<ExpectedError>(alternatives.front());
    return fail(Failure::accepted, "expected the error " + std::string(name(error.category)) +
                                       ", got " + to_string(outcome));
}

struct Judge {
    const Question& question;

    Judgement operator()(const ValueOutcome& outcome) const {
        return judge_answer(question, outcome.output, outcome);
    }
    Judgement operator()(const DescriptorOutcome& outcome) const {
        // Which errors are found without contents is left to whoever describes: the run remains.
        const bool leaves_it_to_the_run = !question.follows_suite &&
                                          !question.alternatives.empty() &&
                                          !holds_output(question.alternatives);
        if (leaves_it_to_the_run) return {};
        return judge_answer(question, outcome, outcome);
    }
    Judgement operator()(const Rejected& outcome) const { return judge_rejection(outcome); }
    Judgement operator()(const Unsupported& outcome) const {
        if (question.alternatives.empty()) return {Verdict::unspecified, Failure::none, {}};
        if (question.claimed && !holds_error(question.alternatives)) {
            return fail(Failure::unsupported, outcome.why);
        }
        return {Verdict::unsupported, Failure::none, outcome.why};
    }
    Judgement operator()(const UnsafeMemory& outcome) const {
        return fail(Failure::unsafe_memory, outcome.what);
    }
    Judgement operator()(const Crash& outcome) const {
        return {Verdict::crash, Failure::none, outcome.what};
    }
    Judgement operator()(const Timeout& outcome) const {
        return {Verdict::timeout, Failure::none, to_string(Outcome(outcome))};
    }
    Judgement operator()(const Broken& outcome) const {
        return {Verdict::broken, Failure::none, outcome.what};
    }
    Judgement operator()(const NotRun& outcome) const {
        return {Verdict::not_run, Failure::none, outcome.why};
    }
    Judgement operator()(const NotDeterministic& outcome) const {
        if (question.alternatives.empty()) return {Verdict::unspecified, Failure::none, {}};
        return fail(Failure::not_deterministic, demanded_error(outcome.what) + outcome.what);
    }

private:
    Judgement judge_rejection(const Rejected& rejected) const;

    /// What is worse than that answers differ: that there is one, where all that may come is an
    /// error. `what` differs.
    std::string demanded_error(const std::string& what) const {
        const auto alternatives =
            question.follows_suite ? question.alternatives.first(1) : question.alternatives;
        const bool is_all = std::ranges::all_of(alternatives, [](const auto& alternative) {
            return std::holds_alternative<ExpectedError>(alternative);
        });
        if (!is_all) return {};
        const bool is_rejected =
            what.starts_with("first rejected") && what.find(", then rejected") != std::string::npos;
        return "expected the error " +
               std::string(name(std::get<ExpectedError>(alternatives.front()).category)) +
               (is_rejected ? ", got different ones: "
                            : ", accepted the call with answers that differ: ");
    }
};

Judgement Judge::judge_rejection(const Rejected& rejected) const {
    if (question.alternatives.empty()) return {Verdict::unspecified, Failure::none, {}};
    const auto alternatives =
        question.follows_suite ? question.alternatives.first(1) : question.alternatives;
    const auto error =
        std::ranges::find_if(alternatives, [&](const ResolvedAlternative& alternative) {
            const auto* expected = std::get_if<ExpectedError>(&alternative);
            return expected != nullptr &&
                   (!rejected.category || *rejected.category == expected->category);
        });
    const auto any_error = std::ranges::find_if(alternatives, [](const auto& alternative) {
        return std::holds_alternative<ExpectedError>(alternative);
    });
    if (any_error == alternatives.end()) {
        return fail(Failure::rejected, "expected an output, got " + to_string(Outcome(rejected)));
    }
    if (!question.control_passed) {
        return {
            Verdict::unsupported, Failure::none,
            "the legal variant of this call did not pass either, so the rejection shows nothing"};
    }
    if (error == alternatives.end()) {
        return fail(Failure::wrong_error,
                    "expected the error " +
                        std::string(name(std::get<ExpectedError>(*any_error).category)) + ", got " +
                        to_string(Outcome(rejected)));
    }
    const auto& expected = std::get<ExpectedError>(*error);
    // No text prescribes a phase.
    if (question.follows_suite && expected.phase && rejected.phase &&
        *rejected.phase != *expected.phase) {
        return fail(Failure::wrong_error, "expected the error in phase " +
                                              std::string(name(*expected.phase)) + ", got it in " +
                                              std::string(name(*rejected.phase)));
    }
    if (question.follows_suite &&
        std::ranges::find(question.rules, rejected.rule) == question.rules.end()) {
        return fail(Failure::wrong_error, "the error cites rule " + rejected.rule +
                                              ", the case rests on " + with_commas(question.rules));
    }
    return {};
}

}  // namespace

std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> verdict(std::string_view name) {
    const auto found = std::ranges::find(verdict_names, name);
    if (found == verdict_names.end()) return std::nullopt;
    return static_cast<Verdict>(found - verdict_names.begin());
}

Judgement of_witness(Judgement judgement) {
    if (judgement.verdict == Verdict::fail && judgement.failure != Failure::unsafe_memory) {
        judgement.verdict = Verdict::difference;
    }
    return judgement;
}

std::string_view name(Failure failure) { return failure_names[static_cast<std::size_t>(failure)]; }

std::optional<Failure> failure(std::string_view name) {
    const auto found = std::ranges::find(failure_names, name);
    if (found == failure_names.end()) return std::nullopt;
    return static_cast<Failure>(found - failure_names.begin());
}

int gravity(Verdict verdict, Failure failure) {
    switch (verdict) {
        case Verdict::crash:
            return 1;
        case Verdict::timeout:
            return 2;
        case Verdict::broken:
            return 11;
        case Verdict::fixed:
            return 12;
        case Verdict::fail:
        case Verdict::difference:
        case Verdict::pass:
        case Verdict::unsupported:
        case Verdict::unavailable:
        case Verdict::unspecified:
        case Verdict::known_failure:
        case Verdict::not_run:
            break;
    }
    switch (failure) {
        case Failure::unsafe_memory:
            return 0;
        case Failure::not_deterministic:
            return 3;
        case Failure::wrong_value:
            return 4;
        case Failure::wrong_shape:
            return 5;
        case Failure::wrong_type:
            return 6;
        case Failure::accepted:
            return 7;
        case Failure::rejected:
            return 8;
        case Failure::unsupported:
            return 9;
        case Failure::wrong_error:
        case Failure::none:
            break;
    }
    return 10;
}

bool holds_error(std::span<const ResolvedAlternative> alternatives) {
    return std::ranges::any_of(alternatives, [](const ResolvedAlternative& alternative) {
        return std::holds_alternative<ExpectedError>(alternative);
    });
}

bool holds_output(std::span<const ResolvedAlternative> alternatives) {
    return std::ranges::any_of(alternatives, [](const ResolvedAlternative& alternative) {
        return std::holds_alternative<ResolvedOutput>(alternative);
    });
}

Judgement judge(const Question& question, const Outcome& outcome) {
    return std::visit(Judge{question}, outcome);
}

bool same_element(const Tensor& a, const Tensor& b, std::int64_t k) {
    if (a.type == ElementType::string) {
        StringElement left;
        StringElement right;
        std::memcpy(&left, a.contents.data() + k * 16, sizeof left);
        std::memcpy(&right, b.contents.data() + k * 16, sizeof right);
        return left.view() == right.view();
    }
    if (bits(a.type) <= 64) {
        return element_bits(a.type, a.contents.data(), k) ==
               element_bits(b.type, b.contents.data(), k);
    }
    const std::int64_t width = bits(a.type) / 8;
    return std::memcmp(a.contents.data() + k * width, b.contents.data() + k * width,
                       static_cast<std::size_t>(width)) == 0;
}

bool same_value(const Tensor& a, const Tensor& b, std::int64_t k) {
    if (same_element(a, b, k)) return true;
    const bool complex = info(a.type).kind == ElementKind::complex;
    if (!complex && info(a.type).kind != ElementKind::floating) return false;
    if (!complex) {
        return std::isnan(float_value(a.type, element_bits(a.type, a.contents.data(), k))) &&
               std::isnan(float_value(a.type, element_bits(b.type, b.contents.data(), k)));
    }
    const ElementType part = a.type == ElementType::c64 ? ElementType::f32 : ElementType::f64;
    return std::ranges::all_of(std::array{2 * k, 2 * k + 1}, [&](std::int64_t p) {
        const std::uint64_t left = element_bits(part, a.contents.data(), p);
        const std::uint64_t right = element_bits(part, b.contents.data(), p);
        return left == right ||
               (std::isnan(float_value(part, left)) && std::isnan(float_value(part, right)));
    });
}

std::optional<std::int64_t> first_difference(const Tensor& a, const Tensor& b) {
    const std::int64_t count = *element_count(a.shape);
    if (a.type != ElementType::string && !is_packed(a.type) && a.contents == b.contents) {
        return std::nullopt;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        if (!same_element(a, b, k)) return k;
    }
    return std::nullopt;
}

bool same_tensor(const Tensor& a, const Tensor& b) {
    return a.type == b.type && a.shape == b.shape && !first_difference(a, b);
}

}  // namespace gathercheck
