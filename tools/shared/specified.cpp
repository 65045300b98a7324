// SPDX-License-Identifier: Apache-2.0
// From a call to what a version says of it.
#include "tools/shared/specified.hpp"

#include <algorithm>
#include <utility>

#include "conformance/dialect/dialect.hpp"
#include "conformance/judge/classify.hpp"
#include "conformance/judge/prepared_case.hpp"
#include "conformance/load/derive.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/select/as_taken_by.hpp"
#include "conformance/select/errors_of.hpp"
#include "tools/shared/ask_reference.hpp"
#include "tools/shared/dialects.hpp"

namespace gathercheck {
namespace {

/// Calls with more elements are no precedents: what they show, smaller ones do.
constexpr std::int64_t most_elements_of_precedents = 4096;

Says says_of(const std::vector<ResolvedAlternative>& alternatives) {
    if (alternatives.empty()) return Says::open;
    if (!holds_error(alternatives)) return Says::output;
    return holds_output(alternatives) ? Says::either : Says::error;
}

Says says_of(const Expectation& expectation) {
    if (expectation.is_unspecified()) return Says::open;
    if (expectation.must_be_rejected()) return Says::error;
    return expectation.may_be_rejected() ? Says::either : Says::output;
}

/// True where an index outside the range is taken, as by a version that gives it a meaning.
bool has_index_out_of_range(const Equations& equations, const Call& call) {
    if (info(call.version).out_of_bounds == OutOfBounds::reject) return false;
    const auto answer = equations.evaluate(call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    return known != nullptr && std::ranges::any_of(known->sources, &Source::out_of_range);
}

/// "value", "zero", ... of the first output among the alternatives.
std::string word_of(const Equations& equations, const Call& call, const SpecifiedAnswer& answer) {
    if (answer.says == Says::open) return "open";
    if (answer.says == Says::error) return "error";
    if (answer.says == Says::either) return "either";
    const ResolvedOutput* output = answer.output();
    const TensorView* indices = call.input("indices");
    if (output == nullptr || !output->contents || indices == nullptr) return "value";
    if (has_index_out_of_range(equations, call)) {
        // Said by the rule: what is picked may be what another rule picks, too.
        return info(call.version).out_of_bounds == OutOfBounds::zero ? "zero" : "clamp";
    }
    const std::string word = classify(equations, call, ValueOutcome{*output->contents});
    return word == "other" ? "value" : word;
}

/// What the reference did, as an expectation; nothing where it did none of these.
std::optional<ResolvedAlternative> as_expected(const Outcome& outcome) {
    if (const auto* value = std::get_if<ValueOutcome>(&outcome)) {
        return ResolvedOutput{{value->output.type, value->output.shape}, value->output, {}};
    }
    if (const auto* descriptor = std::get_if<DescriptorOutcome>(&outcome)) {
        Descriptor known{descriptor->type, {}};
        for (const auto& dim : descriptor->shape) known.shape.push_back(dim.value_or(0));
        return ResolvedOutput{std::move(known), std::nullopt, {}};
    }
    if (const auto* rejected = std::get_if<Rejected>(&outcome)) {
        if (rejected->category) return ExpectedError{*rejected->category, rejected->phase};
    }
    return std::nullopt;
}

std::string shape_tag(const Call& call) {
    const TensorView* axis = call.input("axis");
    return axis == nullptr ? "" : " axis-rank=" + std::to_string(axis->shape.rank());
}

std::string types_tag(const Call& call) {
    std::string tag = " types=";
    for (const Input& input : call.inputs) tag += std::string(name(input.tensor.type)) + ",";
    return tag;
}

/// What a text that names no types says the same of.
std::string kind_of(ElementType type) {
    if (is_integer(type)) return is_packed(type) ? "packed integer" : "integer";
    return std::to_string(static_cast<int>(info(type).kind));
}

/// The operand whose type is not allowed, where the check is about that; else null.
const TensorView* operand_of_type(Check broken, const Call& call) {
    if (broken == Check::data_type) return call.input("data");
    if (broken == Check::indices_type) return call.input("indices");
    return broken == Check::axis_type ? call.input("axis") : nullptr;
}

bool has_negative_index(const Call& call) {
    const TensorView* indices = call.input("indices");
    return indices != nullptr && has_negative_element(*indices);
}

bool has_negative_batch_dims(const Call& call) {
    const auto* batch_dims = call.attribute<std::int64_t>("batch_dims");
    return batch_dims != nullptr && *batch_dims < 0;
}

/// What makes calls alike as far as a text may leave them open, the most exact first: the check
/// that they break or what of a legal call texts are silent about; then the same without element
/// types, but for the one that breaks a check, or for its kind.
std::vector<std::string> signatures(const Equations& equations, const Call& call,
                                    std::optional<Check> broken) {
    std::string tag;
    if (broken) {
        tag = "breaks " + std::to_string(static_cast<int>(*broken));
        if (*broken == Check::attribute_unknown || *broken == Check::attribute_kind) {
            for (const Attribute& attribute : call.attributes) {
                tag += " " + attribute.name;
                if (*broken == Check::attribute_kind) {
                    tag += ":" + std::to_string(attribute.value.index());
                }
            }
            return {tag, tag.substr(0, tag.find(' ', 7))};
        }
        if (*broken == Check::inputs_count) {
            return {tag + " " + std::to_string(call.inputs.size()), tag};
        }
        if (*broken == Check::index_range && has_negative_index(call)) tag += " negative-index";
        if (*broken == Check::batch_dims_range && has_negative_batch_dims(call)) tag += " negative";
        if (const TensorView* of_type = operand_of_type(*broken, call)) {
            return {tag + types_tag(call), tag + " type=" + std::string(name(of_type->type)),
                    tag + " kind=" + kind_of(of_type->type), tag};
        }
        return {tag + types_tag(call), tag};
    }
    tag = "keeps";
    if (has_index_out_of_range(equations, call)) {
        tag += " out-of-range";  // that one of them is negative, too, is no matter then
    } else if (has_negative_index(call)) {
        tag += " negative-index";
    }
    tag += shape_tag(call);
    const TensorView* data = call.input("data");
    const TensorView* indices = call.input("indices");
    if (info(call.version).family == Family::gather_elements && data != nullptr &&
        indices != nullptr && data->shape != indices->shape) {
        tag += " other-shape";
    }
    return {tag + types_tag(call), tag};
}

/// The case without the attributes that the version does not have.
Case without_unknown_attributes(Case taken, OperatorVersion version) {
    std::erase_if(taken.attributes, [&](const Attribute& attribute) {
        return !takes_attribute(version, attribute.name);
    });
    return taken;
}

/// Allows what else may be meant by zeros, where the type has no zero, or another one than all bits
/// zero: a string of one NUL, and the code of nf4 whose value is 0. The text leaves them open.
void allow_other_zeros(const Equations& equations, const Call& call, SpecifiedAnswer& answer) {
    static const Tensor one_nul = string_tensor({1}, {std::string(1, '\0')});
    static const Tensor zero_of_nf4{ElementType::nf4, {1}, {std::byte{7}}, {}};
    if (answer.says != Says::output || info(call.version).out_of_bounds != OutOfBounds::zero)
        return;
    const ResolvedOutput* output = answer.output();
    if (output == nullptr || !output->contents) return;
    const ElementType type = output->descriptor.type;
    const bool has_other =
        type == ElementType::string || type == ElementType::nf4 || type == ElementType::f8e8m0;
    if (!has_other) return;
    const auto evaluated = equations.evaluate(call);
    const auto& sources = std::get<EquationAnswer>(evaluated).sources;
    if (std::ranges::none_of(sources, &Source::out_of_range)) return;
    if (type == ElementType::f8e8m0) {
        answer.says = Says::open;
        answer.alternatives.clear();
        answer.why = "the text says zeros, and f8e8m0 cannot express zero";
        return;
    }
    const Tensor& zero = type == ElementType::string ? one_nul : zero_of_nf4;
    ResolvedOutput other = *output;
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (!sources[k].out_of_range) continue;
        copy_element(type, zero.contents.data(), 0, other.contents->contents.data(),
                     static_cast<std::int64_t>(k));
    }
    answer.alternatives.emplace_back(std::move(other));
}

/// By how many errors a call may be rejected.
std::ptrdiff_t errors(const Expectation& expectation) {
    return std::ranges::count_if(expectation.alternatives, [](const Alternative& each) {
        return std::holds_alternative<ExpectedError>(each);
    });
}

/// Allows each error by which the call may be rejected.
void allow_errors_of(const Call& call, SpecifiedAnswer& answer) {
    for (const Error& error : errors_of(call)) {
        const bool is_there =
            std::ranges::any_of(answer.alternatives, [&](const ResolvedAlternative& each) {
                const auto* expected = std::get_if<ExpectedError>(&each);
                return expected != nullptr && expected->category == error.category;
            });
        if (is_there) continue;
        answer.alternatives.emplace_back(ExpectedError{error.category, std::nullopt});
        if (std::ranges::find(answer.rules, error.rule) == answer.rules.end()) {
            answer.rules.push_back(error.rule);
        }
    }
}

bool has_empty_input(const Call& call) {
    return std::ranges::any_of(call.inputs, [](const Input& input) {
        return element_count(input.tensor.shape) == std::int64_t{0};
    });
}

std::int64_t elements_of(const Call& call) {
    std::int64_t count = 0;
    for (const Input& input : call.inputs) count += element_count(input.tensor.shape).value_or(0);
    return count;
}

}  // namespace

const ResolvedOutput* SpecifiedAnswer::output() const {
    for (const ResolvedAlternative& each : alternatives) {
        if (const auto* found = std::get_if<ResolvedOutput>(&each)) return found;
    }
    return nullptr;
}

const ExpectedError* SpecifiedAnswer::error() const {
    for (const ResolvedAlternative& each : alternatives) {
        if (const auto* found = std::get_if<ExpectedError>(&each)) return found;
    }
    return nullptr;
}

std::int64_t elements_of(const Case& tested) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t count = 0;
    for (const NamedTensorSpec& input : tested.inputs) {
        count += std::min(element_count(input.tensor.descriptor.shape).value_or(most), most);
    }
    return count;
}

std::variant<SpecifiedAnswer, Specified::Untold> Specified::answer(const Case& taken,
                                                                   OperatorVersion version) {
    if (taken.expectation(version) != nullptr) return by_case(taken, version);
    const auto expectation =
        derived_expectation(taken, version, declared_dialects(), loaded_.equations);
    // Of what is refused by the letter, a like case may say that the text leaves it open.
    if (expectation && !expectation->must_be_rejected()) {
        Case probe = taken;
        probe.family = family_of(taken);
        probe.expect = {*expectation};
        return by_case(probe, version);
    }
    return derived(taken, version);
}

std::variant<SpecifiedAnswer, Specified::Untold> Specified::by_case(const Case& tested,
                                                                    OperatorVersion version) {
    if (auto why = lacks_memory(tested, version, loaded_.equations)) {
        return Untold{std::move(*why)};
    }
    const auto prepared = prepare(tested, version, loaded_.equations, loaded_.rules);
    if (!prepared->fault.empty()) return Untold{prepared->fault, true};
    const Call& call = prepared->call.call;
    SpecifiedAnswer answer;
    answer.alternatives = prepared->alternatives;
    answer.says = says_of(answer.alternatives);
    answer.why = tested.expectation(version)->unspecified;
    answer.rules = prepared->rules;
    answer.broken = exercised(call).broken;
    answer.word = word_of(loaded_.equations, call, answer);
    return answer;
}

std::variant<SpecifiedAnswer, Specified::Untold> Specified::derived(const Case& taken,
                                                                    OperatorVersion version) {
    Case probe = taken;  // memory is told of what has an expectation
    probe.expect = {{{version}, {}, {ExpectedOutput{FromEquation{}, {}}}, {}}};
    if (auto why = lacks_memory(probe, version, loaded_.equations)) return Untold{std::move(*why)};
    const OwnedCall owned = make_call(taken, version);
    const Call& call = owned.call;
    const Outcome outcome = ask_reference(call, taken.is_described());
    auto reading = as_expected(outcome);
    if (!reading) return Untold{"the reference " + to_string(outcome), true};
    const std::string against = equations_against(loaded_.equations, call, *reading, outcome);
    if (!against.empty()) {
        return Untold{"the reference says " + to_string(outcome) + ", but " + against, true};
    }
    if (auto* output = std::get_if<ResolvedOutput>(&*reading); output && output->contents) {
        // The strings of the reference's output are those of this call, which ends here.
        const auto known = loaded_.equations.evaluate(call);
        output->contents = assemble(std::get<EquationAnswer>(known), *call.input("data"));
    }
    SpecifiedAnswer answer;
    answer.alternatives = {std::move(*reading)};
    answer.says = says_of(answer.alternatives);
    answer.broken = exercised(call).broken;
    const auto* rejected = std::get_if<Rejected>(&outcome);
    if (rejected != nullptr && !rejected->rule.empty()) answer.rules = {rejected->rule};
    take_precedent(answer, call, version);
    allow_other_zeros(loaded_.equations, call, answer);
    if (answer.says == Says::open && answer.broken == Check::attribute_unknown) {
        take_error_of_rest(answer, taken, version);
    }
    if (answer.says == Says::error) allow_errors_of(call, answer);
    answer.word = word_of(loaded_.equations, call, answer);
    return answer;
}

const Specified::Precedents& Specified::precedents(OperatorVersion version) {
    const auto found = precedents_.find(version);
    if (found != precedents_.end()) return found->second;
    Precedents& learnt = precedents_[version];
    for (const Case& tested : loaded_.suite.cases) {
        const Expectation* expectation = tested.expectation(version);
        if (expectation == nullptr || elements_of(tested) > most_elements_of_precedents) continue;
        const OwnedCall owned = make_call(tested, version);
        const Call& call = owned.call;
        const std::optional<Check> broken = exercised(call).broken;
        const Says says = says_of(*expectation);
        // That a call breaks one rule does not tell what becomes of another that it breaks, too.
        if (says == Says::error && errors(*expectation) > 1) continue;
        std::set<std::string> rules;
        for (const std::string& id : expectation->rules) {
            const Rule* rule = loaded_.rules.find(id);
            if (rule != nullptr && rule->version == version) rules.insert(id);
        }
        for (const std::string& signature : signatures(loaded_.equations, call, broken)) {
            Votes& votes = learnt[signature];
            // What has none shows little.
            const std::int64_t elements =
                has_empty_input(call) ? most_elements_of_precedents : elements_of(call);
            if (votes.counts[says]++ == 0) {
                votes.rules[says] = rules;
            } else {
                std::erase_if(votes.rules[says],
                              [&](const std::string& id) { return !rules.contains(id); });
            }
            const Case*& first = votes.first[says];
            if (first == nullptr || elements < votes.elements[says]) {
                first = &tested;
                votes.elements[says] = elements;
            }
        }
    }
    return learnt;
}

void Specified::take_precedent(SpecifiedAnswer& answer, const Call& call, OperatorVersion version) {
    const Precedents& known = precedents(version);
    for (const std::string& signature : signatures(loaded_.equations, call, answer.broken)) {
        const auto found = known.find(signature);
        if (found == known.end()) continue;
        const Votes& votes = found->second;
        const auto most = std::ranges::max_element(votes.counts, {},
                                                   [](const auto& count) { return count.second; });
        const Says says = most->first;
        const Case& first = *votes.first.at(says);
        const Expectation& expectation = *first.expectation(version);
        const std::set<std::string>& cited = votes.rules.at(says);
        if (says == Says::open) {
            answer.says = Says::open;
            answer.alternatives.clear();
            answer.why = expectation.unspecified;
            answer.like = first.id;
        } else if (says == Says::either && answer.says != Says::either) {
            // The other way is what the equations, or a like case's error, say.
            if (answer.says == Says::error) {
                const auto output = loaded_.equations.evaluate(call);
                const auto* value = std::get_if<EquationAnswer>(&output);
                const TensorView* data = call.input("data");
                if (value != nullptr && value->bad_index && answer.broken != Check::index_range) {
                    // Taken or not, the call breaks the rule of indices, too.
                    answer.broken = Check::index_range;
                    return take_precedent(answer, call, version);
                }
                if (value == nullptr || value->bad_index || data == nullptr) return;
                ResolvedOutput resolved{value->output, std::nullopt, {}};
                if (data->contents != nullptr) resolved.contents = assemble(*value, *data);
                answer.alternatives.emplace_back(std::move(resolved));
            } else {
                for (const Alternative& each : expectation.alternatives) {
                    const auto* error = std::get_if<ExpectedError>(&each);
                    if (error != nullptr) answer.alternatives.emplace_back(*error);
                }
            }
            answer.says = says_of(answer.alternatives);
            answer.like = first.id;
        }
        for (const std::string& id : cited) {
            if (std::ranges::find(answer.rules, id) == answer.rules.end()) {
                answer.rules.push_back(id);
            }
        }
        return;
    }
}

void Specified::take_error_of_rest(SpecifiedAnswer& answer, const Case& taken,
                                   OperatorVersion version) {
    const Case rest = without_unknown_attributes(taken, version);
    if (rest.attributes.size() == taken.attributes.size()) return;
    auto said = this->answer(rest, version);
    auto* of_rest = std::get_if<SpecifiedAnswer>(&said);
    if (of_rest == nullptr || of_rest->says != Says::error) return;
    answer = std::move(*of_rest);
    // The suite's own reading, which is the first, names what is checked first.
    answer.alternatives.insert(answer.alternatives.begin(),
                               ExpectedError{Category::unknown_attribute, std::nullopt});
    answer.rules.emplace_back(rule_id(version, Check::attribute_unknown));
}

std::string equations_against(const Equations& equations, const Call& call,
                              const ResolvedAlternative& reading, const Outcome& reference) {
    const auto answer = equations.evaluate(call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    if (const auto* error = std::get_if<ExpectedError>(&reading)) {
        if (error->category != Category::index_out_of_bounds) return {};  // not theirs to say
        if (known == nullptr) {
            return "the equations have no meaning for this call: " + std::get<std::string>(answer);
        }
        return known->bad_index ? "" : "by the equations every index is within its range";
    }
    const auto& expected = std::get<ResolvedOutput>(reading);
    if (known == nullptr) {
        return "the equations have no meaning for this call: " + std::get<std::string>(answer);
    }
    if (known->bad_index) {
        return "by the equations the index at flat position " + std::to_string(*known->bad_index) +
               " is out of range";
    }
    if (known->output != expected.descriptor) {
        return "by the equations the output is " + std::string(name(known->output.type)) + " " +
               to_string(known->output.shape);
    }
    const TensorView* data = call.input("data");
    if (data == nullptr || data->contents == nullptr) return {};
    const Tensor assembled = assemble(*known, *data);
    // The expected contents may be a digest only: then the reference, which was judged by it,
    // stands in.
    const Tensor* contents = expected.contents ? &*expected.contents : nullptr;
    if (contents == nullptr) {
        const auto* value = std::get_if<ValueOutcome>(&reference);
        if (value == nullptr) return {};
        contents = &value->output;
    }
    const auto place = first_difference(assembled, *contents);
    return place ? "by the equations element " + std::to_string(*place) + " of the output differs"
                 : "";
}

}  // namespace gathercheck
