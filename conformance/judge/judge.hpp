// SPDX-License-Identifier: Apache-2.0
// The judge: a pure function from what a case expects and what an implementation did to a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/outcome.hpp"

namespace gathercheck {

/// What is said of one execution.
enum class Verdict : std::uint8_t {
    pass,
    fail,
    crash,
    timeout,
    unsupported,    ///< it said so of a call that it does not claim or that may be rejected; or it
                    ///< rejects the legal variant of a call as well
    unavailable,    ///< the implementation could not be started here
    broken,         ///< the adapter's fault, never the implementation's
    unspecified,    ///< no sentence decides; the class says what it did
    known_failure,  ///< a failure that its known-failure file records
    fixed,          ///< a pass where its known-failure file records a failure
    difference,     ///< a witness, which promises nothing, does what would be a fail of others
    not_run,        ///< an earlier crash or timeout ended the run
};

inline constexpr std::size_t verdict_count = 12;

/// "pass", "known failure", ...
std::string_view name(Verdict verdict);
std::optional<Verdict> verdict(std::string_view name);

/// Executions that do not conform, of anything that counts verdicts.
template <class Counts>
std::int64_t failures_of(const Counts& counts) {
    return counts.count(Verdict::fail) + counts.count(Verdict::crash) +
           counts.count(Verdict::timeout);
}

/// Why a verdict is fail or difference.
enum class Failure : std::uint8_t {
    none,
    wrong_value,
    wrong_shape,
    wrong_type,
    accepted,       ///< accepted what must be rejected
    rejected,       ///< rejected what must be accepted
    wrong_error,    ///< rejected rightly, but with another category, phase or rule than expected
    unsafe_memory,  ///< touched memory outside a tensor, or left elements unwritten
    not_deterministic,  ///< two runs of one call differ
    unsupported,        ///< answered unsupported to a legal call that it claims
};

inline constexpr std::size_t failure_count = 10;

/// "wrong value", "accepted what must be rejected", ...; empty for none.
std::string_view name(Failure failure);
std::optional<Failure> failure(std::string_view name);

/// The place of a failure in the order in which people are to see them, 0 the gravest: what damages
/// memory or ends a process, wrong answers, wrong refusals, the rest.
int gravity(Verdict verdict, Failure failure);

/// An expected output whose contents are known; `contents` is nothing where only type and shape
/// are.
struct ResolvedOutput {
    Descriptor descriptor;
    std::optional<Tensor> contents;
    std::string sha256;  ///< in place of contents; empty otherwise
};

using ResolvedAlternative = std::variant<ResolvedOutput, ExpectedError>;

/// Everything a verdict depends on.
struct Question {
    /// What is allowed; empty where the case is unspecified.
    std::span<const ResolvedAlternative> alternatives;
    /// The rules that an error may cite.
    std::span<const std::string> rules;
    /// The implementation must give the first alternative, an error with its category, the phase
    /// where the case gives one, and a rule; and find it without contents where it describes.
    bool follows_suite = false;
    /// What the implementation claims covers this call.
    bool claimed = true;
    /// The legal variant of a call that may be rejected passed. Without it a rejection shows
    /// nothing.
    bool control_passed = true;
};

struct Judgement {
    Verdict verdict = Verdict::pass;
    Failure failure = Failure::none;
    std::string detail;  ///< for people: what was expected and what came; empty for a pass
    std::optional<std::int64_t> element = {};  ///< flat position of the first wrong one, where type
                                               ///< and shape are right
};

bool holds_error(std::span<const ResolvedAlternative> alternatives);
bool holds_output(std::span<const ResolvedAlternative> alternatives);

/// The verdict on `outcome`. Depends on its arguments only.
Judgement judge(const Question& question, const Outcome& outcome);

/// The same of a witness: no failure, unless memory was touched that is not the call's.
Judgement of_witness(Judgement judgement);

/// True where two tensors have the same type, shape and contents: equality of bytes, spare bits of
/// packed types left out, strings by their characters.
bool same_tensor(const Tensor& a, const Tensor& b);

/// The same for element k of two tensors of one type.
bool same_element(const Tensor& a, const Tensor& b, std::int64_t k);

/// Whether they are the same or both are NaNs, of complex numbers part by part: no text says which
/// NaN a copy of one is.
bool same_value(const Tensor& a, const Tensor& b, std::int64_t k);

/// Flat position of the first element that differs between two tensors of one type and shape;
/// nothing where they are equal.
std::optional<std::int64_t> first_difference(const Tensor& a, const Tensor& b);

}  // namespace gathercheck
