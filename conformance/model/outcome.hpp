// SPDX-License-Identifier: Apache-2.0
// Outcomes: what an implementation did with one call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/error.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// It answered with a tensor.
struct ValueOutcome {
    Tensor output;
};

/// It answered a described call: a dimension it does not know is nothing.
struct DescriptorOutcome {
    ElementType type = ElementType::f32;
    std::vector<std::optional<std::int64_t>> shape;
    bool known_rank = true;  ///< false: `shape` says nothing
};

/// It said no, perhaps rightly.
struct Rejected {
    std::optional<Category> category;  ///< judged only where given
    std::optional<Phase> phase;
    std::string rule;     ///< in-process implementations only; empty otherwise
    std::string message;  ///< evidence, never a verdict
};

/// It cannot be asked this.
struct Unsupported {
    std::string why;
};

/// It touched memory outside a tensor, or left elements unwritten.
struct UnsafeMemory {
    std::string what;  ///< which buffer, which side, which offset
};

/// Its process died.
struct Crash {
    std::string what;  ///< signal or exit code, and the last lines of its stderr
};

/// It did not answer in time.
struct Timeout {
    double seconds = 0;
    std::string where = {};  ///< "in the earlier call of case ...", or empty
};

/// The adapter failed, or did not keep to the protocol.
struct Broken {
    std::string what;
};

/// It was never asked: an earlier crash or timeout ended its run.
struct NotRun {
    std::string why;
};

/// Two runs of one call gave different answers.
struct NotDeterministic {
    std::string what;
    std::vector<std::variant<ValueOutcome, DescriptorOutcome, Rejected, Unsupported>> answers = {};
};

using Outcome = std::variant<ValueOutcome, DescriptorOutcome, Rejected, Unsupported, UnsafeMemory,
                             Crash, Timeout, Broken, NotRun, NotDeterministic>;

/// "value", "rejected", "crash", ...
std::string_view kind_name(const Outcome& outcome);

/// True where no answer came, or none that can be trusted: the rest of a sequence is not asked.
bool ends_sequence(const Outcome& outcome);

/// The same, saying that it was the earlier call of that case in a sequence.
Outcome in_earlier_call(Outcome outcome, std::string_view case_id);

/// One line for people: "f32 [2] = [1, 2]", "rejected at run: ...".
std::string to_string(const Outcome& outcome);

}  // namespace gathercheck
