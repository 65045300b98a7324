// SPDX-License-Identifier: Apache-2.0
// Making a case's calls, and what is expected of them.
#include "conformance/judge/prepared_case.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "conformance/model/fill.hpp"

namespace gathercheck {
namespace {

ResolvedOutput resolve(const ExpectedOutput& expected, const Equations& equations, const Call& call,
                       std::string& fault) {
    if (const auto* spec = std::get_if<TensorSpec>(&expected.output)) {
        ResolvedOutput output{spec->descriptor, std::nullopt, expected.sha256};
        if (spec->has_contents()) output.contents = materialise(*spec);
        return output;
    }
    const OutOfRange outside = std::get<FromEquation>(expected.output).outside;
    const auto answer = equations.evaluate(call, outside);
    if (const auto* reason = std::get_if<std::string>(&answer)) {
        fault = "the equations give this call no output: " + *reason;
        return {};
    }
    const auto& known = std::get<EquationAnswer>(answer);
    if (known.bad_index && outside == OutOfRange::as_stated) {
        fault = "the equations give this call no output: the index at flat position " +
                std::to_string(*known.bad_index) + " is outside the range";
        return {};
    }
    const TensorView* data = call.input("data");
    if (data == nullptr || data->contents == nullptr) return {known.output, std::nullopt, {}};
    return {known.output, assemble(known, *data), {}};
}

}  // namespace

std::shared_ptr<const PreparedCase> prepare(const Case& tested, OperatorVersion version,
                                            const Equations& equations,
                                            const RuleCatalogue& rules) {
    auto prepared = std::make_shared<PreparedCase>();
    const auto add_rule = [&](const std::string& id) {
        if (std::ranges::find(prepared->rules, id) == prepared->rules.end()) {
            prepared->rules.push_back(id);
        }
    };
    for (const std::string& id : tested.expectation(version)->rules) {
        const Rule* rule = rules.find(id);
        if (rule == nullptr || rule->version != version) continue;
        add_rule(id);
        if (!rule->same_check.empty()) add_rule(rule->same_check);
    }
    prepared->call = make_call(tested, version);
    const auto count_bytes = [&](const OwnedCall& call) {
        for (const auto& [name, tensor] : call.tensors) {
            prepared->bytes += static_cast<std::int64_t>(tensor.contents.size());
        }
    };
    count_bytes(prepared->call);
    for (const auto& each : tested.earlier) {
        prepared->earlier_calls.push_back(make_call(*each, version));
        count_bytes(prepared->earlier_calls.back());
    }
    for (std::size_t k = 0; k < tested.earlier.size(); ++k) {
        prepared->before.push_back({&prepared->earlier_calls[k].call, tested.earlier[k]->id});
    }
    for (const Alternative& alternative : tested.expectation(version)->alternatives) {
        if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
            prepared->alternatives.emplace_back(*error);
            continue;
        }
        ResolvedOutput output = resolve(std::get<ExpectedOutput>(alternative), equations,
                                        prepared->call.call, prepared->fault);
        if (output.contents) {
            prepared->bytes += static_cast<std::int64_t>(output.contents->contents.size());
        }
        prepared->alternatives.emplace_back(std::move(output));
    }
    return prepared;
}

}  // namespace gathercheck
