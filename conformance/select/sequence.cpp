// SPDX-License-Identifier: Apache-2.0
// Which calls one model can serve, and by which routes.
#include "conformance/select/sequence.hpp"

#include <algorithm>
#include <string_view>

#include "conformance/judge/judge.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "reference/shape.hpp"

namespace gathercheck {
namespace {

bool has(const Call& call, const Attribute& attribute) {
    const auto found = std::ranges::find(call.attributes, attribute.name, &Attribute::name);
    return found != call.attributes.end() && found->value == attribute.value;
}

/// True where an operand has the same contents in both cases. Those that memory is too small for
/// are taken for different ones: such cases are not run anyway.
bool same_contents(const Case& a, const Case& b, std::string_view operand) {
    const TensorSpec* left = a.input(operand);
    const TensorSpec* right = b.input(operand);
    if (left == nullptr || right == nullptr) return left == right;
    if (lacks_memory(*left) || lacks_memory(*right)) return false;
    return same_tensor(materialise(*left), materialise(*right));
}

}  // namespace

std::optional<std::string> why_no_common_model(const Case& last, const Case& earlier,
                                               OperatorVersion version) {
    const OwnedCall of_last = describe_call(last, version);
    const OwnedCall of_earlier = describe_call(earlier, version);
    const Call& a = of_last.call;
    const Call& b = of_earlier.call;
    const auto in_b = [&](const Attribute& attribute) { return has(b, attribute); };
    if (a.attributes.size() != b.attributes.size() || !std::ranges::all_of(a.attributes, in_b)) {
        return "has other attributes";
    }
    if (!std::ranges::equal(a.inputs, b.inputs, {}, &Input::name, &Input::name)) {
        return "has other operands";
    }
    for (std::size_t k = 0; k < a.inputs.size(); ++k) {
        const TensorView& left = a.inputs[k].tensor;
        const TensorView& right = b.inputs[k].tensor;
        if (left.type != right.type) return "has another element type of " + a.inputs[k].name;
        if (left.shape.rank() != right.shape.rank()) {
            return "has another rank of " + a.inputs[k].name;
        }
    }
    return std::nullopt;
}

bool one_model_serves(const Case& tested, OperatorVersion version, const Route& route) {
    if (tested.earlier.empty()) return true;
    if (route.operands == Operands::folded) return false;
    const OwnedCall last = describe_call(tested, version);
    return std::ranges::all_of(tested.earlier, [&](const auto& each) {
        const OwnedCall earlier = describe_call(*each, version);
        for (std::size_t k = 0; k < last.tensors.size(); ++k) {
            const auto& [name, tensor] = last.tensors[k];
            const Tensor& other = earlier.tensors[k].second;
            if (is_constant(name, route)) {
                if (name == "axis" ? !same_tensor(tensor, other)
                                   : !same_contents(tested, *each, name)) {
                    return false;
                }
            } else if (route.shapes == Shapes::fixed && tensor.shape != other.shape) {
                return false;
            }
        }
        return true;
    });
}

}  // namespace gathercheck
