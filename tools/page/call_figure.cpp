// SPDX-License-Identifier: Apache-2.0
#include "tools/page/call_figure.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "conformance/judge/prepared_case.hpp"
#include "conformance/model/fill.hpp"
#include "conformance/records/recorded_answer_json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/specified.hpp"

namespace gathercheck {
namespace {

/// Of calls with more elements nothing is computed: only the first of each input are told.
constexpr std::int64_t most_elements = std::int64_t{1} << 16;

Json shape_json(const Shape& shape) {
    Json dims = Json::array();
    for (const std::int64_t dim : shape) dims.push_back(dim);
    return dims;
}

Json descriptor_json(const Descriptor& descriptor) {
    return {{"type", name(descriptor.type)}, {"shape", shape_json(descriptor.shape)}};
}

/// The first elements of a fill, which are those of a short one; nothing where what stands in place
/// of some of them counts from the end.
std::optional<Tensor> first_of(const Fill& fill, ElementType type, std::int64_t count) {
    if (std::holds_alternative<ExceptFill>(fill.recipe)) return std::nullopt;
    const Descriptor first{type, {std::min(count, recorded_elements)}};
    if (refused(fill, first)) return std::nullopt;
    return filled(fill, first);
}

Json figure_of(const TensorSpec& spec) {
    const auto count = element_count(spec.descriptor.shape);
    if (count && *count <= most_elements) return to_json(recorded(materialise(spec)));
    Json figure = descriptor_json(spec.descriptor);
    std::optional<Tensor> first;
    if (const auto* fill = std::get_if<Fill>(&spec.contents)) {
        first = first_of(*fill, spec.descriptor.type, count.value_or(recorded_elements));
    }
    if (first) figure["first"] = recorded(*first).first;
    return figure;
}

void add_sources(Json& figure, const Call& call, const Equations& equations) {
    const auto answer = equations.evaluate(call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    if (known == nullptr) return;
    if (known->bad_index) figure["bad_index"] = *known->bad_index;
    if (known->bad_index || known->sources.empty()) return;
    const std::vector<std::int64_t> picks = equations.picks(call);
    const auto count = std::min(known->sources.size(), static_cast<std::size_t>(recorded_elements));
    for (std::size_t k = 0; k < count; ++k) {
        figure["sources"].push_back(known->sources[k].position);
        if (k < picks.size()) figure["picks"].push_back(picks[k]);
    }
}

bool is_small(const Case& tested, OperatorVersion version, const Equations& equations) {
    if (elements_of(tested) > most_elements) return false;
    const auto answer = equations.evaluate(describe_call(tested, version).call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    if (known == nullptr) return true;  // a call that must be rejected
    const auto count = element_count(known->output.shape);
    return count && *count <= most_elements;
}

/// The same without versions.
Json expectation_figure(const Case& tested, OperatorVersion version, const LoadedSuite& loaded) {
    const Expectation& expectation = *tested.expectation(version);
    Json figure = Json::object();
    if (expectation.is_unspecified()) figure["unspecified"] = expectation.unspecified;
    if (expectation.derived) figure["derived"] = true;
    if (!is_small(tested, version, loaded.equations)) {
        figure["too_large"] = true;
        return figure;
    }
    const auto prepared = prepare(tested, version, loaded.equations, loaded.rules);
    for (const RecordedAnswer& answer : recorded_expectations(prepared->alternatives)) {
        figure["alternatives"].push_back(to_json(answer));
    }
    add_sources(figure, prepared->call.call, loaded.equations);
    return figure;
}

}  // namespace

Json call_figure(const Case& tested) {
    Json figure = Json::object();
    for (const NamedTensorSpec& input : tested.inputs) {
        Json one{{"name", input.name}};
        one.update(figure_of(input.tensor));
        figure["inputs"].push_back(std::move(one));
    }
    if (tested.axis) figure["axis"] = *tested.axis;
    for (const Attribute& attribute : tested.attributes) {
        figure["attributes"].push_back({attribute.name, to_string(attribute.value)});
    }
    for (const auto& earlier : tested.earlier) figure["after"].push_back(earlier->id);
    return figure;
}

Json expectation_figures(const Case& tested, const std::set<OperatorVersion>& versions,
                         const LoadedSuite& loaded) {
    Json figures = Json::array();
    std::map<std::string, std::size_t> places;
    for (const OperatorVersion version : versions) {
        if (tested.expectation(version) == nullptr) continue;
        Json figure = expectation_figure(tested, version, loaded);
        const auto [place, is_new] = places.emplace(canonical_json(figure), figures.size());
        if (is_new) {
            figure["versions"] = Json::array();
            figures.push_back(std::move(figure));
        }
        figures[place->second]["versions"].push_back(static_cast<int>(version));
    }
    return figures;
}

}  // namespace gathercheck
