// SPDX-License-Identifier: Apache-2.0
// Recorded answers: what came of a call, or was expected, as far as a record holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/model/outcome.hpp"
#include "reference/element_type.hpp"

namespace gathercheck {

/// How much of an answer a record holds; a message that is longer ends in "...".
inline constexpr std::int64_t recorded_elements = 64;
inline constexpr std::size_t recorded_differences = 16;
inline constexpr std::size_t recorded_message_bytes = 500;

/// An element that is another than the expected one.
struct ElementDifference {
    std::vector<std::int64_t> at;  ///< its coordinates
    std::string expected;
    std::string got;

    friend bool operator==(const ElementDifference&, const ElementDifference&) = default;
};

/// An output or its description, which have a type, or a rejection, which has none.
struct RecordedAnswer {
    std::optional<ElementType> type = {};
    /// Nothing: of unknown rank. A size that is nothing is unknown.
    std::optional<std::vector<std::optional<std::int64_t>>> shape = {};
    bool has_elements = false;            ///< `first` tells of some, if there are any
    std::vector<std::string> first = {};  ///< row-major, as element_text() has them
    std::string sha256 = {};              ///< of expected contents that are known by it alone
    /// Of an output where one of its type and shape was expected: how many elements are others, and
    /// the first of those.
    std::optional<std::int64_t> differing = {};
    std::vector<ElementDifference> differences = {};

    std::string error = {};    ///< of a rejection: its category; may be empty
    std::string phase = {};    ///< of a rejection; may be empty
    std::string message = {};  ///< of a rejection: in the words of whoever rejected
    std::string text = {};     ///< of a record of schema 1: all of it, for people

    friend bool operator==(const RecordedAnswer&, const RecordedAnswer&) = default;
};

/// An output or an input, with its first elements where its contents are known.
RecordedAnswer recorded(const Tensor& tensor);

/// What came, or all that came where two runs differed; nothing where no answer did. Of a NaN the
/// bits count only where `every_bit` does.
std::vector<RecordedAnswer> recorded_answers(const Outcome& outcome,
                                             std::span<const ResolvedAlternative> alternatives,
                                             bool every_bit);

/// What is allowed.
std::vector<RecordedAnswer> recorded_expectations(
    std::span<const ResolvedAlternative> alternatives);

/// For people: "i32 [2] = [1, 3]; 1 of 2 elements differs: output[1]", "rejected at run: ...".
std::string to_string(const RecordedAnswer& answer);

}  // namespace gathercheck
