// SPDX-License-Identifier: Apache-2.0
// What records tell beyond their members.
#include "conformance/records/record.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

#include "conformance/util/sha256.hpp"
#include "reference/byte_order.hpp"

namespace gathercheck {

bool is_looked_at(Verdict verdict) {
    switch (verdict) {
        case Verdict::fail:
        case Verdict::crash:
        case Verdict::timeout:
        case Verdict::broken:
        case Verdict::known_failure:
        case Verdict::fixed:
        case Verdict::difference:
            return true;
        case Verdict::pass:
        case Verdict::unsupported:
        case Verdict::unavailable:
        case Verdict::unspecified:
        case Verdict::not_run:
            break;
    }
    return false;
}

std::string wrong_output_text(const ExecutionRecord& execution) {
    const bool is_output = execution.failure == Failure::wrong_value ||
                           execution.failure == Failure::wrong_shape ||
                           execution.failure == Failure::wrong_type;
    if (!is_output || execution.outcome != "value" || execution.got.empty()) return {};
    return to_string(execution.got.front());
}

bool says_something(const ExecutionRecord& execution) {
    switch (execution.verdict) {
        case Verdict::unavailable:
        case Verdict::broken:
        case Verdict::not_run:
            return false;
        case Verdict::pass:
        case Verdict::fail:
        case Verdict::crash:
        case Verdict::timeout:
        case Verdict::unsupported:
        case Verdict::unspecified:
        case Verdict::known_failure:
        case Verdict::fixed:
        case Verdict::difference:
            break;
    }
    return true;
}

bool lacked_memory(const ExecutionRecord& execution) {
    return execution.verdict == Verdict::not_run && execution.classification == too_little_memory;
}

std::string answer_digest(const Outcome& outcome) {
    constexpr std::size_t digits = 16;
    Sha256 digest;
    if (const auto* descriptor = std::get_if<DescriptorOutcome>(&outcome)) {
        const bool complete =
            descriptor->known_rank &&
            std::ranges::all_of(descriptor->shape, [](const auto& dim) { return dim.has_value(); });
        if (!complete) return {};
        digest.update("descriptor " + to_string(outcome));
        return digest.hex().substr(0, digits);
    }
    const auto* value = std::get_if<ValueOutcome>(&outcome);
    if (value == nullptr) return {};
    const Tensor& output = value->output;
    digest.update(std::string(name(output.type)) + " " + to_string(output.shape) + " ");
    const std::int64_t count = element_count(output.shape).value_or(0);
    if (output.type == ElementType::string) {
        for (std::int64_t k = 0; k < count; ++k) {
            StringElement element;
            std::memcpy(&element,
                        output.contents.data() + k * static_cast<std::int64_t>(sizeof element),
                        sizeof element);
            digest.update(std::to_string(element.length) + " ");
            digest.update(element.view());
        }
        return digest.hex().substr(0, digits);
    }
    const LittleEndian sent(output.type, output.contents);
    const auto bytes = sent.bytes();
    // Spare bits of a last byte say nothing.
    const auto used = static_cast<unsigned>(count * bits(output.type) % 8);
    digest.update(bytes.first(bytes.size() - (used == 0 ? 0 : 1)));
    if (used != 0) {
        const std::byte last = bytes.back() & static_cast<std::byte>((1U << used) - 1U);
        digest.update(std::span(&last, 1));
    }
    return digest.hex().substr(0, digits);
}

std::uint64_t execution_key(const ExecutionRecord& record) {
    const std::string text = record.implementation + '\n' +
                             std::string(name(record.operator_version)) + '\n' +
                             to_string(record.route) + '\n' + record.case_id;
    return std::hash<std::string>{}(text);
}

std::string wrong_outcome(Verdict verdict, Failure failure) {
    switch (verdict) {
        case Verdict::fail:
        case Verdict::difference:
        case Verdict::known_failure:
            return std::string(failure == Failure::none ? name(verdict) : name(failure));
        case Verdict::crash:
        case Verdict::timeout:
            return std::string(name(verdict));
        case Verdict::pass:
        case Verdict::unsupported:
        case Verdict::unavailable:
        case Verdict::broken:
        case Verdict::unspecified:
        case Verdict::fixed:
        case Verdict::not_run:
            break;
    }
    return {};
}

std::string wrong_outcome(const ExecutionRecord& record) {
    if (record.verdict == Verdict::known_failure && record.failure == Failure::none) {
        return record.outcome;  // "crash" or "timeout"
    }
    return wrong_outcome(record.verdict, record.failure);
}

}  // namespace gathercheck
