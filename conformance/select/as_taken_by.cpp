// SPDX-License-Identifier: Apache-2.0
// Moving the axis and leaving out defaults.
#include "conformance/select/as_taken_by.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "conformance/model/dimension_numbers.hpp"
#include "conformance/model/retype.hpp"

namespace gathercheck {
namespace {

/// The integer of an axis input that an attribute can say, too.
std::optional<std::int64_t> one_integer(const TensorSpec& spec) {
    const Descriptor& axis = spec.descriptor;
    if (!is_integer(axis.type) || axis.shape.rank() > 1 || !spec.has_contents()) {
        return std::nullopt;
    }
    if (element_count(axis.shape) != std::int64_t{1}) return std::nullopt;
    const Tensor tensor = materialise(spec);
    return integer_element(tensor.type, tensor.contents.data(), 0);
}

std::string described(const TensorSpec& spec) {
    return std::string(name(spec.descriptor.type)) + " " + to_string(spec.descriptor.shape);
}

/// Moves an axis that stands among attributes or inputs to where the case format has it for both;
/// `is_moved` tells whether it did. Why it cannot be moved; empty where it can, or where there is
/// none.
std::string move_axis(Case& taken, AxisSource to, bool& is_moved) {
    const auto attribute = std::ranges::find(taken.attributes, "axis", &Attribute::name);
    const auto input = std::ranges::find(taken.inputs, "axis", &NamedTensorSpec::name);
    const bool is_attribute = attribute != taken.attributes.end();
    const bool is_input = input != taken.inputs.end();
    if (to == AxisSource::none) {
        return taken.axis || is_attribute || is_input ? "it has no axis" : "";
    }
    if (int{taken.axis.has_value()} + int{is_attribute} + int{is_input} > 1) {
        return "it has one axis, and the call two";
    }
    if (to == AxisSource::input && is_attribute) {
        const auto* integer = std::get_if<std::int64_t>(&attribute->value);
        if (integer == nullptr) {
            return "its axis is an input, and the call's is the attribute " +
                   to_string(attribute->value);
        }
        taken.axis = *integer;
        taken.attributes.erase(attribute);
        is_moved = true;
    } else if (to == AxisSource::attribute && is_input) {
        const auto integer = one_integer(input->tensor);
        if (!integer) {
            return "its axis is an attribute, and the call's is a tensor " +
                   described(input->tensor);
        }
        taken.axis = *integer;
        taken.inputs.erase(input);
        is_moved = true;
    }
    return {};
}

bool takes_no_axis_for_0(const Case& asked) {
    if (asked.expect.empty()) return true;
    return std::ranges::any_of(asked.expect, [](const Expectation& expectation) {
        return std::ranges::any_of(expectation.versions, [](OperatorVersion version) {
            return info(version).axis == AxisSource::attribute;
        });
    });
}

bool is_known_attribute(const std::string& attribute) {
    return std::ranges::any_of(operator_versions(), [&](const OperatorInfo& row) {
        return has_attribute(row.version, attribute);
    });
}

bool has_axis(const Case& asked) {
    const auto is_axis = [](const auto& each) { return each.name == "axis"; };
    return asked.axis || std::ranges::any_of(asked.attributes, is_axis) ||
           std::ranges::any_of(asked.inputs, is_axis);
}

}  // namespace

std::string_view name(Family family) {
    switch (family) {
        case Family::gather:
            return "gather";
        case Family::gather_elements:
            return "gather_elements";
        case Family::gather_nd:
            return "gather_nd";
        case Family::stablehlo_gather:
            return "stablehlo_gather";
    }
    return {};
}

std::vector<Family> families() {
    std::vector<Family> all;
    for (const OperatorInfo& row : operator_versions()) {
        if (std::ranges::find(all, row.family) == all.end()) all.push_back(row.family);
    }
    return all;
}

std::optional<Family> family_of(const Case& tested) {
    if (tested.family) return tested.family;
    for (const Expectation& expectation : tested.expect) {
        for (const OperatorVersion version : expectation.versions) return info(version).family;
    }
    return std::nullopt;
}

TakenCase as_taken_by(const Case& asked, OperatorVersion version, Form form) {
    const bool is_named = asked.expectation(version) != nullptr;
    const TakenCase itself{{std::shared_ptr<const Case>(), &asked}, {}};
    if (is_named && form == Form::as_named) return itself;
    const OperatorInfo& op = info(version);
    const auto family = family_of(asked);
    if (op.family == Family::stablehlo_gather && family != op.family) {
        if (dimension_numbers(asked)) return itself;
        return {nullptr, "it has no dimension numbers that say it"};
    }
    if (!is_named && family && *family != op.family) {
        return {nullptr, "it is of the family " + std::string(name(op.family))};
    }
    bool is_changed = false;
    auto taken = std::make_shared<Case>();
    taken->id = asked.id;
    taken->title = asked.title;
    taken->why = asked.why;
    taken->file = asked.file;
    taken->pointer = asked.pointer;
    taken->hash = asked.hash;
    taken->from_sweep = asked.from_sweep;
    taken->axis = asked.axis;
    taken->attributes = asked.attributes;
    taken->inputs = asked.inputs;
    if (std::string why = move_axis(*taken, op.axis, is_changed); !why.empty()) {
        return {nullptr, std::move(why)};
    }
    if (op.axis == AxisSource::input && !has_axis(*taken) && takes_no_axis_for_0(asked)) {
        taken->axis = 0;
        is_changed = true;
    }
    for (auto each = taken->attributes.begin(); each != taken->attributes.end();) {
        if (has_attribute(version, each->name) || !is_known_attribute(each->name)) {
            ++each;
            continue;
        }
        if (each->value != AttributeValue(std::int64_t{0})) {
            return {nullptr, "it has no " + each->name};
        }
        each = taken->attributes.erase(each);
        is_changed = true;
    }
    if (is_named && !is_changed) return itself;
    return {std::move(taken), {}};
}

}  // namespace gathercheck
