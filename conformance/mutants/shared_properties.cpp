// SPDX-License-Identifier: Apache-2.0
#include "conformance/mutants/shared_properties.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

namespace gathercheck {
namespace {

const TensorSpec* input(const AskedCall& call, std::string_view name) {
    return call.tested->input(name);
}

std::string rank_of(const AskedCall& call, std::string_view name) {
    const TensorSpec* tensor = input(call, name);
    if (tensor == nullptr) return {};
    return std::string(name) + " of rank " + std::to_string(tensor->descriptor.shape.rank());
}

std::string type_of(const AskedCall& call, std::string_view of) {
    const TensorSpec* tensor = input(call, of);
    if (tensor == nullptr) return {};
    return std::string(of) + " of type " + std::string(name(tensor->descriptor.type));
}

/// Nothing where the version has none, or demands one and the case gives none.
std::optional<std::int64_t> axis_of(const AskedCall& call) {
    const AxisSource source = info(call.version).axis;
    if (source == AxisSource::none) return std::nullopt;
    if (call.tested->axis || source == AxisSource::input) return call.tested->axis;
    return 0;
}

std::string sign_of_axis(const AskedCall& call) {
    const auto axis = axis_of(call);
    if (!axis) return {};
    return *axis < 0 ? "a negative axis" : "an axis that is not negative";
}

std::string value_of_axis(const AskedCall& call) {
    const auto axis = axis_of(call);
    return axis ? "axis " + std::to_string(*axis) : std::string();
}

std::string batch_dims(const AskedCall& call) {
    const auto found = std::ranges::find(call.tested->attributes, "batch_dims", &Attribute::name);
    if (found == call.tested->attributes.end()) return {};
    const auto* value = std::get_if<std::int64_t>(&found->value);
    return value != nullptr && *value != 0 ? "batch_dims other than 0" : "";
}

std::string negative_index(const AskedCall& call) {
    const TensorSpec* spec = input(call, "indices");
    if (spec == nullptr) return {};
    const Tensor indices = materialise(*spec);
    if (indices.contents.empty()) return {};
    const std::int64_t count = element_count(indices.shape).value_or(0);
    for (std::int64_t k = 0; k < count; ++k) {
        if (integer_element(indices.type, indices.contents.data(), k).value_or(0) < 0) {
            return "a negative index";
        }
    }
    return {};
}

std::string empty_operand(const AskedCall& call) {
    const bool any = std::ranges::any_of(call.tested->inputs, [](const NamedTensorSpec& one) {
        return element_count(one.tensor.descriptor.shape) == 0;
    });
    return any ? "an operand without elements" : "";
}

/// In words; empty for a call that has none of the kind.
using Words = std::string (*)(const AskedCall& call);

/// Reading indices comes last.
struct Property {
    Words words;
    std::string_view of;
    bool is_narrower = false;  ///< says nothing more where another one of the same is shared
};
constexpr std::array<Property, 12> properties{{
    {[](const AskedCall& call) { return rank_of(call, "indices"); }, "rank of indices"},
    {[](const AskedCall& call) { return rank_of(call, "data"); }, "rank of data"},
    {sign_of_axis, "axis"},
    {value_of_axis, "axis", true},
    {batch_dims, "batch_dims"},
    {empty_operand, "sizes"},
    {[](const AskedCall& call) { return type_of(call, "data"); }, "type of data"},
    {[](const AskedCall& call) { return type_of(call, "indices"); }, "type of indices"},
    {[](const AskedCall& call) { return std::string(name(call.route.shapes)) + " shapes"; },
     "route"},
    {[](const AskedCall& call) { return std::string(name(call.route.operands)) + " operands"; },
     "route"},
    {[](const AskedCall& call) { return "the route " + to_string(call.route); }, "route", true},
    {negative_index, "signs of indices"},
}};

}  // namespace

bool moves_elements(const AskedCall& call) {
    return !call.tested->expectation(call.version)->must_be_rejected() &&
           empty_operand(call).empty();
}

std::vector<std::string> shared_properties(std::span<const AskedCall> failing,
                                           std::span<const AskedCall> passing) {
    std::vector<std::string> shared;
    if (failing.empty()) return shared;
    std::set<std::string_view> told;
    for (const Property& property : properties) {
        if (property.is_narrower && told.contains(property.of)) continue;
        const std::string what = property.words(failing.front());
        const auto has_it = [&](const AskedCall& call) { return property.words(call) == what; };
        if (!what.empty() && std::ranges::all_of(failing, has_it) &&
            std::ranges::none_of(passing, has_it)) {
            shared.push_back(what);
            told.insert(property.of);
        }
    }
    return shared;
}

}  // namespace gathercheck
