// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol: reading what the runner asks, writing the answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/protocol.hpp"

namespace gathercheck {

/// The runner introduces itself, with the range of versions that it speaks.
struct HelloAsked {
    std::int64_t min = 0;
    std::int64_t max = 0;
};

/// An input of a call as it came.
struct AskedInput {
    std::string name;
    Tensor tensor;
    bool has_contents = false;
};

/// A run or describe message.
struct CallAsked {
    bool describe = false;
    std::int64_t seq = 0;
    int pass = 0;
    std::string operator_version;  ///< a name, known here or not
    Route route;
    std::vector<Attribute> attributes;
    std::vector<AskedInput> inputs;
};

/// A message of a kind that is not known here; answered as unsupported where it has a number.
struct OtherAsked {
    std::string message;
    std::optional<std::int64_t> seq;
};

struct GoodbyeSaid {};

using WorkerMessage = std::variant<HelloAsked, CallAsked, OtherAsked, GoodbyeSaid>;

/// A message of the runner.
std::variant<WorkerMessage, Malformed> read_worker_message(std::string_view line);

/// Lists of names with spaces between, as a worker's hello claims them. An empty one of operands,
/// shapes, axis or attributes is left out. The last is of names with values: "batch_dims=0,1".
struct ClaimedNames {
    std::string_view operators;
    std::string_view data;
    std::string_view indices;
    std::string_view operands;
    std::string_view shapes;
    std::string_view axis;
    std::string_view attributes = {};
};

/// What a worker's hello says.
struct WorkerHello {
    std::string_view name;
    std::string_view version;
    std::string_view language;
    std::string_view device;
    std::vector<ClaimedNames> claims;
    bool describes = false;
    bool reports_unsafe = false;
};

/// Every answer ends with its newline.
std::string hello_answer(const WorkerHello& hello);
std::string output_answer(std::int64_t seq, const TensorView& output);
std::string descriptor_answer(std::int64_t seq, const DescriptorOutcome& descriptor);

/// `phase` and `category` are left out where they are empty.
std::string rejected_answer(std::int64_t seq, std::string_view message, std::string_view phase,
                            std::string_view category);

/// "unsupported", "broken" or "unsafe".
std::string text_answer(std::int64_t seq, std::string_view form, std::string_view text);

/// What goes into a JSON string for a text: control characters and broken UTF-8 shown, the rest
/// escaped.
std::string inside_json_string(std::string_view text);

}  // namespace gathercheck
