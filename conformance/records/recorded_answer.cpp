// SPDX-License-Identifier: Apache-2.0
#include "conformance/records/recorded_answer.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "conformance/util/capped.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

RecordedAnswer recorded(const Descriptor& descriptor) {
    RecordedAnswer answer;
    answer.type = descriptor.type;
    answer.shape.emplace(descriptor.shape.begin(), descriptor.shape.end());
    return answer;
}

/// The contents that are expected of an output of this type and shape; null where there are none.
const Tensor* comparable(std::span<const ResolvedAlternative> alternatives, const Tensor& actual) {
    for (const ResolvedAlternative& alternative : alternatives) {
        const auto* output = std::get_if<ResolvedOutput>(&alternative);
        if (output != nullptr && output->contents && output->descriptor.type == actual.type &&
            output->descriptor.shape == actual.shape) {
            return &*output->contents;
        }
    }
    return nullptr;
}

void add_differences(RecordedAnswer& answer, const Tensor& expected, const Tensor& actual,
                     bool every_bit) {
    answer.differing = 0;
    const std::int64_t count = element_count(actual.shape).value_or(0);
    for (std::int64_t k = 0; k < count; ++k) {
        if (every_bit ? same_element(expected, actual, k) : same_value(expected, actual, k)) {
            continue;
        }
        ++*answer.differing;
        if (answer.differences.size() == recorded_differences) continue;
        const Shape at = coordinate_of(actual.shape, k);
        answer.differences.push_back(
            {{at.begin(), at.end()}, element_text(expected, k), element_text(actual, k)});
    }
}

/// One answer; nothing where none came.
struct Recorded {
    std::span<const ResolvedAlternative> alternatives;
    bool every_bit = false;

    using Answers = std::vector<RecordedAnswer>;

    Answers operator()(const ValueOutcome& value) const {
        RecordedAnswer answer = recorded(value.output);
        if (const Tensor* expected = comparable(alternatives, value.output)) {
            add_differences(answer, *expected, value.output, every_bit);
        }
        return {std::move(answer)};
    }
    Answers operator()(const DescriptorOutcome& described) const {
        RecordedAnswer answer;
        answer.type = described.type;
        if (described.known_rank) answer.shape = described.shape;
        return {std::move(answer)};
    }
    Answers operator()(const Rejected& rejected) const {
        RecordedAnswer answer;
        if (rejected.category) answer.error = name(*rejected.category);
        if (rejected.phase) answer.phase = name(*rejected.phase);
        answer.message = shortened(rejected.message, recorded_message_bytes);
        return {std::move(answer)};
    }
    Answers operator()(const NotDeterministic& outcome) const {
        Answers all;
        for (const auto& each : outcome.answers) {
            for (RecordedAnswer& one : std::visit(*this, each)) all.push_back(std::move(one));
        }
        return all;
    }
    Answers operator()(const Unsupported&) const { return {}; }
    Answers operator()(const UnsafeMemory&) const { return {}; }
    Answers operator()(const Crash&) const { return {}; }
    Answers operator()(const Timeout&) const { return {}; }
    Answers operator()(const Broken&) const { return {}; }
    Answers operator()(const NotRun&) const { return {}; }
};

std::string shape_text(const std::vector<std::optional<std::int64_t>>& shape) {
    std::string text;
    for (const auto& dim : shape) {
        text += (text.empty() ? "" : ", ") + (dim ? std::to_string(*dim) : std::string("?"));
    }
    return "[" + text + "]";
}

std::string elements_text(const RecordedAnswer& answer) {
    constexpr std::size_t most_elements = 16;
    constexpr std::size_t most_characters = 160;
    std::int64_t count = 1;
    for (const auto& dim : *answer.shape) count *= dim.value_or(0);
    std::string text;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        if (k != 0) text += ", ";
        if (k == most_elements || k == answer.first.size() || text.size() > most_characters) {
            text += "...";
            break;
        }
        text += answer.first[k];
    }
    text = " = [" + text + "]";
    if (answer.differences.empty()) return text;
    std::string place;
    for (const std::int64_t k : answer.differences.front().at) {
        place += (place.empty() ? "" : ", ") + std::to_string(k);
    }
    return text + "; " + std::to_string(*answer.differing) + " of " + count_of(count, "element") +
           (answer.differing == 1 ? " differs: output[" : " differ, the first is output[") + place +
           "]";
}

}  // namespace

RecordedAnswer recorded(const Tensor& tensor) {
    RecordedAnswer answer = recorded(Descriptor{tensor.type, tensor.shape});
    const std::int64_t count = element_count(tensor.shape).value_or(0);
    answer.has_elements = count == 0 || !tensor.contents.empty();
    if (!answer.has_elements) return answer;
    for (std::int64_t k = 0; k < std::min(count, recorded_elements); ++k) {
        answer.first.push_back(element_text(tensor, k));
    }
    return answer;
}

std::vector<RecordedAnswer> recorded_answers(const Outcome& outcome,
                                             std::span<const ResolvedAlternative> alternatives,
                                             bool every_bit) {
    return std::visit(Recorded{alternatives, every_bit}, outcome);
}

std::vector<RecordedAnswer> recorded_expectations(
    std::span<const ResolvedAlternative> alternatives) {
    std::vector<RecordedAnswer> all;
    for (const ResolvedAlternative& alternative : alternatives) {
        if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
            RecordedAnswer answer;
            answer.error = name(error->category);
            if (error->phase) answer.phase = name(*error->phase);
            all.push_back(std::move(answer));
            continue;
        }
        const auto& output = std::get<ResolvedOutput>(alternative);
        all.push_back(output.contents ? recorded(*output.contents) : recorded(output.descriptor));
        all.back().sha256 = output.sha256;
    }
    return all;
}

std::string to_string(const RecordedAnswer& answer) {
    if (!answer.text.empty()) return answer.text;
    if (!answer.type) {
        return "rejected" + (answer.phase.empty() ? "" : " at " + answer.phase) +
               (answer.error.empty() ? "" : " as " + answer.error) +
               (answer.message.empty() ? "" : ": " + answer.message);
    }
    const std::string type(name(*answer.type));
    if (!answer.shape) return type + " of unknown rank";
    return type + " " + shape_text(*answer.shape) +
           (answer.has_elements ? elements_text(answer) : "");
}

}  // namespace gathercheck
