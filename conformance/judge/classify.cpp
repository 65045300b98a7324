// SPDX-License-Identifier: Apache-2.0
// Comparing an output with what each treatment of bad indices would have given.
#include "conformance/judge/classify.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/judge/judge.hpp"

namespace gathercheck {
namespace {

constexpr std::array<std::pair<OutOfRange, std::string_view>, 4> treatments{{
    {OutOfRange::zero, "zero"},
    {OutOfRange::clamp, "clamp"},
    {OutOfRange::wrap, "wrap"},
    {OutOfRange::first_element, "first element"},
}};

std::string classify_value(const Equations& equations, const Call& call, const Tensor& output) {
    const TensorView* data = call.input("data");
    const TensorView* indices = call.input("indices");
    if (data == nullptr || indices == nullptr || indices->contents == nullptr) return "value";

    // Which treatments give an output of the right type and shape, and what each puts where an
    // index is bad.
    std::vector<std::string_view> names;
    std::vector<Tensor> candidates;
    std::vector<Source> sources;
    for (const auto& [policy, name] : treatments) {
        const auto answer = equations.evaluate(call, policy);
        const auto* found = std::get_if<EquationAnswer>(&answer);
        if (found == nullptr) continue;
        if (found->output.type != output.type || found->output.shape != output.shape)
            return "other";
        sources = found->sources;
        names.push_back(name);
        candidates.push_back(assemble(*found, *data));
    }
    if (names.empty()) return "value";

    bool any_bad = false;
    const auto same = [&](const Tensor& candidate, std::size_t k) {
        return same_element(candidate, output, static_cast<std::int64_t>(k));
    };
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (sources[k].out_of_range) {
            any_bad = true;
        } else if (!same(candidates.front(), k)) {
            return "other";  // an element that a good index picked is wrong too
        }
    }
    if (!any_bad) return "value";

    // One treatment for all bad indices, if there is one; else the first that fits each of them.
    for (std::size_t t = 0; t < names.size(); ++t) {
        bool fits = true;
        for (std::size_t k = 0; fits && k < sources.size(); ++k) {
            fits = !sources[k].out_of_range || same(candidates[t], k);
        }
        if (fits) return std::string(names[t]);
    }
    std::vector<bool> used(names.size());
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (!sources[k].out_of_range) continue;
        std::optional<std::size_t> fitting;
        for (std::size_t t = 0; t < names.size() && !fitting; ++t) {
            if (same(candidates[t], k)) fitting = t;
        }
        if (!fitting) return "other";
        used[*fitting] = true;
    }
    std::string joined;
    for (std::size_t t = 0; t < names.size(); ++t) {
        if (used[t]) joined += (joined.empty() ? "" : "+") + std::string(names[t]);
    }
    return joined;
}

/// True where the output is what the low 32 bits of the indices pick.
bool is_cut_to_32_bits(const Equations& equations, const Call& call, const Tensor& output) {
    const TensorView& indices = *call.input("indices");
    if (bits(indices.type) != 64 || indices.type == ElementType::f64) return false;
    const std::int64_t count = element_count(indices.shape).value_or(0);
    std::vector<std::int64_t> cut(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
        cut[static_cast<std::size_t>(k)] =
            static_cast<std::int32_t>(element_bits(indices.type, indices.contents, k));
    }
    Call of_cut = call;
    for (Input& input : of_cut.inputs) {
        if (input.name != "indices") continue;
        input.tensor = {ElementType::i64, indices.shape,
                        reinterpret_cast<const std::byte*>(cut.data())};
    }
    const auto answer = equations.evaluate(of_cut, OutOfRange::as_stated);
    const auto* found = std::get_if<EquationAnswer>(&answer);
    return found != nullptr && !found->bad_index &&
           same_tensor(assemble(*found, *call.input("data")), output);
}

}  // namespace

std::string classify(const Equations& equations, const Call& call, const Outcome& outcome) {
    if (std::holds_alternative<Rejected>(outcome)) return "error";
    if (std::holds_alternative<Unsupported>(outcome)) return "unsupported";
    if (std::holds_alternative<NotDeterministic>(outcome)) return "not deterministic";
    if (std::holds_alternative<DescriptorOutcome>(outcome)) return "value";
    if (const auto* value = std::get_if<ValueOutcome>(&outcome)) {
        std::string treatment = classify_value(equations, call, value->output);
        if (treatment == "other" && is_cut_to_32_bits(equations, call, value->output)) {
            treatment = "cut to 32 bits";
        }
        return treatment;
    }
    return std::string(kind_name(outcome));
}

}  // namespace gathercheck
