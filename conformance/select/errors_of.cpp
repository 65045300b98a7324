// SPDX-License-Identifier: Apache-2.0
// Mending a call until the reference takes it.
#include "conformance/select/errors_of.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/model/retype.hpp"
#include "reference/check.hpp"
#include "reference/check_stablehlo.hpp"
#include "reference/exercised.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t zero = 0;

/// The call that is being mended. What is put in place of contents that do not fit any more is
/// none: index values of such a call are not looked at.
struct Patient {
    Call call;
    const OperatorInfo& op = info(call.version);

    TensorView* input(std::string_view name) {
        const auto found = std::ranges::find(call.inputs, name, &Input::name);
        return found == call.inputs.end() ? nullptr : &found->tensor;
    }

    void replace(std::string_view name, ElementType type, const Shape& shape) {
        TensorView* of = input(name);
        if (of != nullptr) *of = {type, shape, nullptr};
    }

    void set_attribute(std::string_view name) {
        std::erase_if(call.attributes, [&](const Attribute& each) { return each.name == name; });
        call.attributes.push_back({std::string(name), zero});
    }

    /// An axis of 0, as the version takes it.
    void set_axis() {
        if (op.axis == AxisSource::attribute) {
            set_attribute("axis");
        } else if (TensorView* axis = input("axis")) {
            *axis = {ElementType::i64, {}, reinterpret_cast<const std::byte*>(&zero)};
        }
    }

    /// The inputs that the version has, those that are missing without contents.
    void give_inputs() {
        Patient given{call};
        given.call.inputs.clear();
        for (const std::string_view name : {"data", "indices", "axis"}) {
            if (std::ssize(given.call.inputs) == input_count(call.version)) break;
            const TensorView* there = input(name);
            const ElementType type = name == "data"      ? first_of(op.data_types)
                                     : name == "indices" ? first_of(op.indices_types)
                                                         : first_of(op.axis_types);
            given.call.inputs.push_back(
                {std::string(name), there != nullptr ? *there : TensorView{type, {1}, nullptr}});
        }
        if (op.axis == AxisSource::input && input("axis") == nullptr) given.set_axis();
        call = std::move(given.call);
    }

    ElementType first_of(TypeSet types) const {
        for (const ElementTypeInfo& row : element_types()) {
            if (types.contains(row.type)) return row.type;
        }
        return ElementType::f32;
    }

    /// Takes away what breaks a check; false where that is not so simple.
    bool mend(Check check) {
        using enum Check;
        if (check == inputs_count) {
            give_inputs();
        } else if (check == attribute_unknown) {
            std::erase_if(call.attributes, [&](const Attribute& each) {
                return !takes_attribute(call.version, each.name);
            });
        } else if (check == attribute_kind && op.family != Family::stablehlo_gather) {
            for (Attribute& each : call.attributes) {
                if (!std::holds_alternative<std::int64_t>(each.value)) each.value = zero;
            }
        } else if (check == data_type) {
            replace("data", first_of(op.data_types), input("data")->shape);
        } else if (check == indices_type) {
            replace("indices", first_of(op.indices_types), input("indices")->shape);
        } else if (check == data_rank) {
            replace("data", input("data")->type, {1});
        } else if (check == indices_rank) {
            replace("indices", input("indices")->type, {1});
        } else if (check == axis_type || check == axis_given || check == axis_shape ||
                   check == axis_range) {
            set_axis();
        } else if (check == batch_dims_range || check == batch_dims_le_axis) {
            set_attribute("batch_dims");
        } else {
            return false;
        }
        return true;
    }
};

bool has_axis(const OperatorInfo& op) { return op.axis != AxisSource::none; }

}  // namespace

bool takes_attribute(OperatorVersion version, std::string_view name) {
    return info(version).family == Family::stablehlo_gather ? is_gather_attribute(name)
                                                            : has_attribute(version, name);
}

std::vector<Error> errors_of(const Call& call) {
    std::vector<Error> errors;
    Patient patient{call};
    for (std::size_t round = 0; round < check_count; ++round) {
        const Result<CheckedCall> checked = check(patient.call);
        if (checked) {
            const bool has_values = checked->indices.contents != nullptr;
            const Result<void> values = has_values ? check_index_values(*checked) : Result<void>{};
            if (!values) errors.push_back(values.error());
            break;
        }
        errors.push_back(checked.error());
        const std::optional<Check> broken = exercised(patient.call).broken;
        if (broken == Check::data_rank && has_axis(patient.op)) {
            // No axis is in the range of rank 0.
            errors.push_back({Category::axis_out_of_range, phase(Check::axis_range),
                              std::string(rule_id(call.version, Check::axis_range)), "axis"});
        }
        if (!broken || !patient.mend(*broken)) break;
    }
    return errors;
}

}  // namespace gathercheck
