// SPDX-License-Identifier: Apache-2.0
// Which prepared cases are kept, and where controls come from.
#include "conformance/run/prepared_cases.hpp"

#include <cstdint>

#include "conformance/select/control.hpp"
#include "reference/element_type.hpp"

namespace gathercheck {
namespace {

/// A call that is larger is made anew for each implementation instead of being kept.
constexpr std::int64_t kept_bytes = std::int64_t{1} << 20;

/// The element types of a call; those of the controls of all calls where it lacks an input.
Types types_of(const Case& tested) {
    Types types{ElementType::f32, ElementType::i64};
    for (const NamedTensorSpec& input : tested.inputs) {
        if (input.name == "data") types.data = input.tensor.descriptor.type;
        if (input.name == "indices") types.indices = input.tensor.descriptor.type;
    }
    return types;
}

}  // namespace

PreparedCasePointer PreparedCases::prepared(const Case& tested, OperatorVersion version) {
    const Key key(&tested, version);
    const auto found = prepared_.find(key);
    if (found != prepared_.end()) return {found->second.get(), nullptr};
    auto fresh = prepare(tested, version, equations_, rules_);
    if (fresh->bytes > kept_bytes) return {fresh.get(), fresh};
    return {prepared_.emplace(key, std::move(fresh)).first->second.get(), nullptr};
}

const Case& PreparedCases::control_of(const Execution& execution, const Introduction* claiming) {
    const Case& control = control_of(*execution.tested, execution.version);
    if (claiming == nullptr || !execution.claimed) return control;
    const Case* nearest =
        retyped_.claimed(control, execution.version, execution.route, claiming->claims);
    return nearest != nullptr ? *nearest : control;
}

const Case& PreparedCases::control_of(const Case& tested, OperatorVersion version) {
    const auto [place, is_new] = controls_.try_emplace(Key(&tested, version), nullptr);
    if (is_new) place->second = find_control(tested, version);
    return *place->second;
}

const Case* PreparedCases::find_control(const Case& tested, OperatorVersion version) {
    if (!tested.control.empty()) {
        const Case* control = by_id_.find(tested.control);
        if (control != nullptr && !tested.written.empty()) {
            control = retyped_.in_types(*control, types_of(tested));
        }
        if (control != nullptr && control->expectation(version) != nullptr) return control;
    }
    Case derived = derive_control(tested, version);
    return &derived_.try_emplace(derived.id, std::move(derived)).first->second;
}

}  // namespace gathercheck
