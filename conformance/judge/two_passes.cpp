// SPDX-License-Identifier: Apache-2.0
// Telling answers that differ from memory that is not the call's.
#include "conformance/judge/two_passes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "conformance/judge/judge.hpp"
#include "conformance/util/guarded_buffer.hpp"
#include "conformance/util/number.hpp"
#include "reference/element_type.hpp"
#include "reference/shape.hpp"

namespace gathercheck {
namespace {

/// True where element k is what memory full of the pattern holds there.
bool holds(const Tensor& output, std::int64_t k, std::byte pattern) {
    if (output.type == ElementType::string) return false;
    if (is_packed(output.type)) {
        std::array<std::byte, 8> memory;
        memory.fill(pattern);
        // Eight elements of any width are whole bytes.
        return element_bits(output.type, output.contents.data(), k) ==
               element_bits(output.type, memory.data(), k % 8);
    }
    const std::int64_t width = bits(output.type) / 8;
    const std::byte* element = output.contents.data() + k * width;
    return std::all_of(element, element + width, [&](std::byte byte) { return byte == pattern; });
}

/// True where element k, the first that differs between two runs, holds `a` in the first and `b` in
/// the second. A few bits may do so by chance: of a packed type all elements that differ must, and
/// be enough together.
bool differ_as(const Tensor& first, std::byte a, const Tensor& second, std::byte b,
               std::int64_t k) {
    const auto both = [&](std::int64_t j) { return holds(first, j, a) && holds(second, j, b); };
    if (!is_packed(first.type)) return both(k);
    constexpr std::int64_t enough = 7;  // an element of 4 bits, seen twice, that differs anyway
    const std::int64_t count = element_count(first.shape).value_or(0);
    std::int64_t bits_seen = 0;
    for (std::int64_t j = k; j < count; ++j) {
        if (element_bits(first.type, first.contents.data(), j) ==
            element_bits(second.type, second.contents.data(), j)) {
            continue;
        }
        if (!both(j)) return false;
        bits_seen += 2 * bits(first.type) - 1;
    }
    return bits_seen >= enough;
}

/// Where an element came from that differs between two runs, if that is no memory of the call's;
/// empty where it does not tell. Adapters surround inputs with the output's patterns too, in either
/// order.
std::string_view strange_origin(const Tensor& first, const Tensor& second, std::int64_t k) {
    const auto hold = [&](std::byte a, std::byte b) {
        return differ_as(first, a, second, b, k) || differ_as(first, b, second, a, k);
    };
    if (hold(output_pattern(0), output_pattern(1))) {
        return "was never written, or comes from outside the inputs";
    }
    if (hold(canary_pattern(0), canary_pattern(1))) return "comes from outside the inputs";
    return {};
}

/// Keeps an outcome, if it is an answer, as one of those that differ.
void add_answer(NotDeterministic& outcome, Outcome&& answer) {
    std::visit(
        [&]<class Answer>(Answer&& one) {
            using Kind = std::remove_cvref_t<Answer>;
            if constexpr (std::is_same_v<Kind, ValueOutcome> ||
                          std::is_same_v<Kind, DescriptorOutcome> ||
                          std::is_same_v<Kind, Rejected> || std::is_same_v<Kind, Unsupported>) {
                outcome.answers.emplace_back(std::forward<Answer>(one));
            }
        },
        std::move(answer));
}

}  // namespace

bool is_fatal(const Outcome& outcome) {
    return std::holds_alternative<Crash>(outcome) || std::holds_alternative<Timeout>(outcome) ||
           std::holds_alternative<Broken>(outcome) || std::holds_alternative<NotRun>(outcome);
}

Outcome merge(Outcome first, Outcome second) {
    const auto differ = [&](std::string what = {}) {
        if (what.empty()) what = "first " + to_string(first) + ", then " + to_string(second);
        NotDeterministic result{std::move(what)};
        add_answer(result, std::move(first));
        add_answer(result, std::move(second));
        return Outcome(std::move(result));
    };
    if (is_fatal(first) || std::holds_alternative<UnsafeMemory>(first)) return first;
    if (std::holds_alternative<NotRun>(second)) return first;  // what was answered stays so
    if (is_fatal(second) || std::holds_alternative<UnsafeMemory>(second)) return second;
    if (first.index() != second.index()) {
        return differ();
    }
    if (const auto* a = std::get_if<ValueOutcome>(&first)) {
        const auto& b = std::get<ValueOutcome>(second);
        if (a->output.type != b.output.type || a->output.shape != b.output.shape) {
            return differ();
        }
        const auto place = first_difference(a->output, b.output);
        if (!place) return first;
        const std::string element = "element " + std::to_string(*place) + " of the output";
        const std::string_view origin = strange_origin(a->output, b.output, *place);
        if (!origin.empty()) return UnsafeMemory{element + " " + std::string(origin)};
        return differ(element + " is " + element_text(a->output, *place) + " in one run and " +
                      element_text(b.output, *place) + " in another");
    }
    if (const auto* a = std::get_if<Rejected>(&first)) {
        if (a->category != std::get<Rejected>(second).category) {
            return differ();
        }
    }
    return first;
}

}  // namespace gathercheck
