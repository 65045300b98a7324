// SPDX-License-Identifier: Apache-2.0
// Expectations by checks and equations.
#include "conformance/load/derive.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/model/dimension_numbers.hpp"
#include "conformance/select/select.hpp"
#include "reference/check.hpp"
#include "reference/check_stablehlo.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t most_index_values = 65536;

bool is_of_family(const Case& tested, Family family) {
    return std::ranges::any_of(tested.expect, [&](const Expectation& expectation) {
        return std::ranges::any_of(expectation.versions, [&](OperatorVersion version) {
            return info(version).family == family;
        });
    });
}

bool has_types_of(const Case& tested, const OperatorInfo& op) {
    const auto listed = [&](std::string_view name, TypeSet types) {
        const TensorSpec* input = tested.input(name);
        return input != nullptr && types.contains(input->descriptor.type);
    };
    return listed("data", op.data_types) && listed("indices", op.indices_types);
}

/// Whether the call has the version's attributes and inputs, of types that it lists.
bool can_be_call_of(const Case& tested, const OperatorInfo& op) {
    const bool axis_input = op.axis == AxisSource::input;
    for (const Attribute& attribute : tested.attributes) {
        if (!has_attribute(op.version, attribute.name)) return false;
    }
    const TensorSpec* axis = tested.input("axis");
    if (tested.axis && op.axis == AxisSource::none) return false;
    if (axis_input ? axis == nullptr && !tested.axis : axis != nullptr) return false;
    if (tested.inputs.size() != (axis != nullptr ? 3U : 2U)) return false;
    return has_types_of(tested, op) &&
           (axis == nullptr || op.axis_types.contains(axis->descriptor.type));
}

/// The least and the greatest value of each component of the tuples of a tensor of indices, and
/// whether one is beyond 63 bits.
struct Extremes {
    std::vector<std::int64_t> least;
    std::vector<std::int64_t> greatest;
    bool beyond = false;

    Extremes(const Tensor& indices, std::int64_t components)
        : least(static_cast<std::size_t>(components), 0), greatest(least) {
        const std::int64_t count = *element_count(indices.shape);
        for (std::int64_t k = 0; k < count; ++k) {
            const auto c = static_cast<std::size_t>(k % components);
            const auto value = integer_element(indices.type, indices.contents.data(), k);
            beyond = beyond || !value;
            if (!value) continue;
            least[c] = k < components ? *value : std::min(least[c], *value);
            greatest[c] = k < components ? *value : std::max(greatest[c], *value);
        }
        any = count > 0;
    }

    bool any = false;

    bool within(const CheckedCall& call) const {
        if (!any) return true;
        if (beyond) return false;
        const OperatorInfo& op = info(call.version);
        for (std::size_t c = 0; c < least.size(); ++c) {
            const auto first = static_cast<std::int64_t>(c);  // of its values
            const std::int64_t s = call.data.shape[picked_dimension(call, first)];
            if (least[c] < (op.negative_indices ? -s : 0) || greatest[c] >= s) return false;
        }
        return true;
    }
};

/// Whether a component picks from a dimension of size 0.
bool picks_from_nothing(const CheckedCall& call, std::int64_t components) {
    for (std::int64_t c = 0; c < components; ++c) {
        if (call.data.shape[picked_dimension(call, c)] == 0) return true;
    }
    return false;
}

/// What the equations allow of an index outside its range.
void add_outside(std::span<const Outside> outside, bool from_nothing, Expectation& expectation) {
    for (const Outside each : outside) {
        switch (each) {
            case Outside::error:
                expectation.alternatives.emplace_back(
                    ExpectedError{Category::index_out_of_bounds, std::nullopt});
                break;
            case Outside::zero:
                expectation.alternatives.emplace_back(
                    ExpectedOutput{FromEquation{OutOfRange::zero}, {}});
                break;
            case Outside::clamp:
                if (from_nothing) {
                    expectation.alternatives.clear();
                    expectation.unspecified =
                        "an index into a dimension of size 0 has no nearest one in its range";
                    return;
                }
                expectation.alternatives.emplace_back(
                    ExpectedOutput{FromEquation{OutOfRange::clamp}, {}});
                break;
            case Outside::unspecified:
                expectation.unspecified = "no sentence says what an index outside its range does";
                break;
        }
    }
}

class Deriver {
public:
    Deriver(const Case& tested, const Equations& equations)
        : tested_(tested), equations_(equations) {}

    /// `declared`: null for an enumerated version.
    std::optional<Expectation> expectation(OperatorVersion version,
                                           const DeclaredOperator* declared) {
        Expectation derived;
        derived.versions = {version};
        derived.derived = true;
        if (const auto special = special_shape(declared, Special::unspecified)) {
            derived.rules = {special->rule};
            derived.unspecified = special->reason;
            return derived;
        }
        const OwnedCall call = describe_call(tested_, version);
        const Result<CheckedCall> checked = check(call.call);
        if (!checked) {
            derived.rules = {checked.error().rule};
            if (declared != nullptr) derived.unspecified = declared->why_open(checked.error().rule);
            if (!derived.unspecified.empty()) return derived;
            derived.alternatives.emplace_back(
                ExpectedError{checked.error().category, std::nullopt});
            return derived;
        }
        derived.rules = {output_rule(version)};
        if (checked->attributes != nullptr) {
            if (collapses_nothing(*checked->attributes, checked->output.shape)) {
                derived.rules = {std::string(info(version).rules) + ".semantics.collapsed-empty"};
                derived.unspecified =
                    "a collapsed dimension of slice size 0 has no element to give";
                return derived;
            }
        } else if (!tested_.is_described()) {
            const Shape& shape = checked->indices.shape;
            const std::int64_t components =
                info(version).family == Family::gather_nd ? shape[shape.rank() - 1] : 1;
            if (*element_count(shape) > most_index_values) return std::nullopt;
            if (!extremes(components).within(*checked)) {
                derived.rules = {rule_id(version, Check::index_range)};
                add_outside(equations_.outside(version), picks_from_nothing(*checked, components),
                            derived);
                return derived;
            }
        }
        if (const Expectation* written = boolean_bytes(version)) {
            derived.alternatives = written->alternatives;
            return derived;
        }
        derived.alternatives.emplace_back(ExpectedOutput{FromEquation{}, {}});
        if (const auto special = special_shape(declared, Special::output_or_error)) {
            derived.rules.push_back(special->rule);
            derived.alternatives.emplace_back(
                ExpectedError{Category::index_out_of_bounds, std::nullopt});
        }
        return derived;
    }

private:
    /// Which bytes a boolean may come as is no matter of the version: a written expectation that
    /// allows several. Null where there is none.
    const Expectation* boolean_bytes(OperatorVersion version) const {
        if (tested_.input("data")->descriptor.type != ElementType::boolean) return nullptr;
        const Family family = info(version).family;
        const auto found = std::ranges::find_if(tested_.expect, [&](const Expectation& written) {
            return written.alternatives.size() > 1 && !written.may_be_rejected() &&
                   (family == Family::stablehlo_gather ||
                    info(written.versions.front()).family == family);
        });
        return found == tested_.expect.end() ? nullptr : &*found;
    }

    struct SpecialShape {
        std::string rule;
        std::string reason;  ///< why it is open what follows
    };

    /// A tensor of a shape that the dialect says to lead to that.
    std::optional<SpecialShape> special_shape(const DeclaredOperator* version,
                                              Special leads_to) const {
        if (version == nullptr) return std::nullopt;
        const DeclaredOperator& declared = *version;
        for (const auto& [input, empty] : {std::pair{"data", declared.empty_data},
                                           std::pair{"indices", declared.empty_indices}}) {
            const auto dims = tested_.input(input)->descriptor.shape.dims();
            if (empty != leads_to || std::ranges::find(dims, 0) == dims.end()) continue;
            return SpecialShape{empty_rule(declared.version, input),
                                "no sentence says what a dimension of size 0 leads to"};
        }
        const TensorSpec* axis = tested_.input("axis");
        if (declared.axis_of_one_element == leads_to && axis != nullptr &&
            axis->descriptor.shape == Shape{1}) {
            return SpecialShape{rule_id(declared.version, Check::axis_shape),
                                "no sentence says whether the axis may be a list of one"};
        }
        return std::nullopt;
    }

    const Extremes& extremes(std::int64_t components) {
        if (!extremes_) {
            const Tensor indices = materialise(*tested_.input("indices"));
            extremes_.emplace(indices, components);
        }
        return *extremes_;
    }

    const Case& tested_;
    const Equations& equations_;
    std::optional<Extremes> extremes_;  // of one family, whose components are the same
};

}  // namespace

bool can_be_stablehlo_gather(const Case& tested) {
    return has_types_of(tested, info(OperatorVersion::stablehlo_gather)) &&
           dimension_numbers(tested).has_value();
}

std::optional<Expectation> derived_expectation(const Case& tested, OperatorVersion version,
                                               std::span<const Dialect> dialects,
                                               const Equations& equations) {
    if (tested.input("data") == nullptr || tested.input("indices") == nullptr) return std::nullopt;
    Deriver deriver(tested, equations);
    if (version == OperatorVersion::stablehlo_gather) return deriver.expectation(version, nullptr);
    for (const Dialect& dialect : dialects) {
        const auto found =
            std::ranges::find(dialect.operators, version, &DeclaredOperator::version);
        if (found != dialect.operators.end()) return deriver.expectation(version, &*found);
    }
    return std::nullopt;
}

void derive_expectations(Suite& suite, const Equations& equations,
                         std::span<const Dialect> dialects, bool stablehlo) {
    const std::set<const Case*> sampled = sample_of_sweeps(suite.cases);
    for (Case& tested : suite.cases) {
        if (!tested.after.empty()) continue;
        std::vector<Expectation> derived;
        Deriver deriver(tested, equations);
        const auto add = [&](OperatorVersion version, const DeclaredOperator* declared) {
            if (tested.expectation(version) != nullptr) return;
            if (auto expectation = deriver.expectation(version, declared)) {
                expectation->in_sample = !tested.from_sweep || sampled.contains(&tested);
                derived.push_back(std::move(*expectation));
            }
        };
        if (stablehlo && can_be_stablehlo_gather(tested)) {
            add(OperatorVersion::stablehlo_gather, nullptr);
        }
        for (const Dialect& dialect : dialects) {
            for (const DeclaredOperator& declared : dialect.operators) {
                const OperatorInfo& op = info(declared.version);
                if (is_of_family(tested, op.family) && can_be_call_of(tested, op)) {
                    add(declared.version, &declared);
                }
            }
        }
        std::ranges::move(derived, std::back_inserter(tested.expect));
    }
}

}  // namespace gathercheck
