// SPDX-License-Identifier: Apache-2.0
// Words for generated calls.
#include "tools/shared/fuzz_text.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/model/outcome.hpp"

namespace gathercheck {

std::string tensors_text(const GeneratedCall& call) {
    std::string text;
    for (const auto& [name, tensor] : call.inputs) {
        text += (text.empty() ? "" : ", ") + name + " ";
        text += call.described && name != "axis"
                    ? std::string(gathercheck::name(tensor.type)) + " " + to_string(tensor.shape)
                    : to_string(Outcome(ValueOutcome{tensor}));
    }
    for (const Attribute& attribute : call.attributes) {
        text += ", " + attribute.name + " " + to_string(attribute.value);
    }
    return text;
}

std::vector<std::string> rules_of(const SpecifiedAnswer& specified, const GeneratedCall& call,
                                  const RuleCatalogue& catalogue) {
    const OperatorVersion version = call.version;
    std::vector<std::string> rules;
    for (const std::string& id : specified.rules) {
        const Rule* rule = catalogue.find(id);
        if (rule != nullptr && rule->version == version) rules.push_back(id);
    }
    if (!rules.empty()) return rules;
    const std::string prefix(info(version).rules);
    // A shrunk call has a negative number where a simpler one does not show the failure.
    const auto cite_if = [&](bool is_negative, const char* rest) {
        if (is_negative && catalogue.find(prefix + rest) != nullptr) rules.push_back(prefix + rest);
    };
    const Call view = call.view();
    const auto is_negative_input = [&](std::string_view name) {
        const TensorView* tensor = view.input(name);
        return tensor != nullptr && has_negative_element(*tensor);
    };
    const auto* axis = view.attribute<std::int64_t>("axis");
    cite_if(is_negative_input("indices"), ".indices.negative");
    cite_if(axis != nullptr ? *axis < 0 : is_negative_input("axis"), ".axis.negative");
    if (!rules.empty()) return rules;
    for (const char* rest : {".semantics.formula", ".semantics.slice-per-entry", ".output"}) {
        if (catalogue.find(prefix + rest) != nullptr) return {prefix + rest};
    }
    for (const auto& [id, rule] : catalogue.rules()) {
        if (rule.version == version) return {id};
    }
    return rules;
}

std::string failure_text(const FuzzFailure& failure, const RuleCatalogue& catalogue) {
    std::string text = failure.title + "\n   " + shown(failure.detail) +
                       "\n   call: " + tensors_text(failure.call) + "; route " +
                       to_string(failure.route) + "\n";
    for (const GeneratedCall::Inputs& inputs : failure.call.earlier) {
        GeneratedCall earlier;
        earlier.inputs = inputs;
        text += "   after: " + tensors_text(earlier) + "\n";
    }
    if (!failure.by_itself && failure.needed.empty()) {
        text +=
            "   alone in a process of its own it passes: what was asked before it makes it "
            "fail, or chance\n";
    }
    for (const GeneratedCall& before : failure.needed) {
        text += "   only behind: " + std::string(name(before.version)) + ", " +
                tensors_text(before) + "\n";
    }
    for (const std::string& id : rules_of(failure.specified, failure.call, catalogue)) {
        const Rule* rule = catalogue.find(id);
        if (rule != nullptr) text += "   rule " + id + ": " + rule->statement + "\n";
    }
    return text;
}

}  // namespace gathercheck
