// SPDX-License-Identifier: Apache-2.0
// What a case knows of itself, and the calls that it makes.
#include "conformance/model/case.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "conformance/model/dimension_numbers.hpp"
#include "conformance/model/fill.hpp"

namespace gathercheck {
namespace {

Tensor scalar_i64(std::int64_t value) {
    Tensor tensor{ElementType::i64, {}, std::vector<std::byte>(sizeof value), nullptr};
    std::memcpy(tensor.contents.data(), &value, sizeof value);
    return tensor;
}

}  // namespace

Tensor materialise(const TensorSpec& spec) {
    if (const auto* tensor = std::get_if<Tensor>(&spec.contents)) return *tensor;
    if (const auto* fill = std::get_if<Fill>(&spec.contents)) return filled(*fill, spec.descriptor);
    return {spec.descriptor.type, spec.descriptor.shape, {}, nullptr};
}

namespace {

bool is_error(const Alternative& alternative) {
    return std::holds_alternative<ExpectedError>(alternative);
}

}  // namespace

bool Expectation::must_be_rejected() const {
    return !is_unspecified() && std::ranges::all_of(alternatives, is_error);
}

bool Expectation::may_be_rejected() const { return std::ranges::any_of(alternatives, is_error); }

bool Case::is_described() const {
    return std::ranges::any_of(inputs, [](const NamedTensorSpec& input) {
        return (input.name == "data" || input.name == "indices") && !input.tensor.has_contents();
    });
}

const TensorSpec* Case::input(std::string_view name) const {
    const auto found = std::ranges::find(inputs, name, &NamedTensorSpec::name);
    return found == inputs.end() ? nullptr : &found->tensor;
}

const Expectation* Case::expectation(OperatorVersion version) const {
    for (const Expectation& each : expect) {
        if (std::ranges::find(each.versions, version) != each.versions.end()) return &each;
    }
    return nullptr;
}

CasesById::CasesById(std::span<const Case> cases) {
    for (const Case& each : cases) cases_.emplace(each.id, &each);
}

const Case* CasesById::find(std::string_view id) const {
    const auto found = cases_.find(id);
    return found == cases_.end() ? nullptr : found->second;
}

namespace {

OwnedCall call_of(const Case& from, OperatorVersion version, bool with_contents) {
    OwnedCall result;
    result.tensors.reserve(from.inputs.size() + 1);
    auto numbers =
        info(version).family == Family::stablehlo_gather ? dimension_numbers(from) : std::nullopt;
    for (const NamedTensorSpec& input : from.inputs) {
        if (numbers && input.name == "axis") continue;  // it is in them
        const auto& [type, shape] = input.tensor.descriptor;
        const bool made = with_contents || input.name == "axis";
        result.tensors.emplace_back(
            input.name, made ? materialise(input.tensor) : Tensor{type, shape, {}, nullptr});
    }
    result.call.version = version;
    result.call.attributes = numbers ? *std::move(numbers) : from.attributes;
    if (from.axis && !numbers) {
        const AxisSource source = info(version).axis;
        assert(source != AxisSource::none);
        if (source == AxisSource::input) {
            // The third input; surplus ones come after it.
            const std::size_t place = std::min<std::size_t>(result.tensors.size(), 2);
            result.tensors.emplace(result.tensors.begin() + static_cast<std::ptrdiff_t>(place),
                                   "axis", scalar_i64(*from.axis));
        } else {
            result.call.attributes.push_back({"axis", *from.axis});
        }
    }
    for (const auto& [name, tensor] : result.tensors) {
        result.call.inputs.push_back({name, tensor.view()});
    }
    return result;
}

}  // namespace

OwnedCall make_call(const Case& from, OperatorVersion version) {
    return call_of(from, version, true);
}

OwnedCall describe_call(const Case& from, OperatorVersion version) {
    return call_of(from, version, false);
}

}  // namespace gathercheck
