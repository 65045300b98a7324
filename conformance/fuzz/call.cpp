// SPDX-License-Identifier: Apache-2.0
// From choices to a call: version, types, shapes, what is broken, contents, route.
#include "conformance/fuzz/call.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "conformance/fuzz/draft.hpp"
#include "reference/reference.hpp"

namespace gathercheck {
namespace {

/// Checks that a version has, which one of its calls may break.
std::span<const Check> checks_of(OperatorVersion version, std::array<Check, check_count>& room) {
    std::size_t count = 0;
    const OperatorInfo& op = info(version);
    for (std::size_t k = 0; k < check_count; ++k) {
        if (!op.check_rules[k].empty()) room[count++] = Check{static_cast<std::uint8_t>(k)};
    }
    return std::span<const Check>(room).first(count);
}

/// Of 16 calls 11 are legal, one has an index out of bounds, three break one check and one breaks
/// two. True where it is made to break some, though it may be legal after all.
bool draw_flaws(Choices& choices, Draft& draft) {
    const std::uint64_t kind = choices.below(16);
    if (kind < 11) return false;
    if (kind == 11) {
        break_check(choices, Check::index_range, draft);
        return true;
    }
    std::array<Check, check_count> room{};
    const std::span<const Check> checks = checks_of(draft.op.version, room);
    for (int left = kind == 15 ? 2 : 1; left > 0; --left) {
        break_check(choices, choices.one_of(checks), draft);
    }
    return true;
}

/// What a model holds is the same in all its calls: all but data.
void keep_constants(const GeneratedCall::Inputs& of_model, GeneratedCall::Inputs& inputs) {
    for (auto& [name, tensor] : inputs) {
        if (name == "data") continue;
        const auto same = std::ranges::find(of_model, name, &std::pair<std::string, Tensor>::first);
        if (same != of_model.end()) tensor = same->second;
    }
}

/// Whether one model that is built for the route serves the calls of both inputs: it knows element
/// types and ranks, shapes where they are static, and what is constant.
bool one_model_serves(const GeneratedCall::Inputs& a, const GeneratedCall::Inputs& b,
                      const Route& route) {
    return std::ranges::equal(a, b, [&](const auto& left, const auto& right) {
        const Tensor& one = left.second;
        const Tensor& other = right.second;
        const bool same_shape = route.shapes == Shapes::dynamic
                                    ? one.shape.rank() == other.shape.rank()
                                    : one.shape == other.shape;
        return left.first == right.first && one.type == other.type && same_shape &&
               (!is_constant(left.first, route) || one.contents == other.contents);
    });
}

/// Another axis of the same draft, where it is an input and no batch dimension depends on it.
void redraw_axis(Choices& choices, Draft& draft) {
    const bool free =
        draft.op.axis == AxisSource::input && draft.written_axis && draft.batch_dims == 0;
    if (!free || draft.data.size() < 2 || !choices.one_in(2)) return;
    draft.axis = static_cast<std::int64_t>(choices.below(draft.data.size()));
    draft.written_axis = draft.axis;
}

/// Leaves no dimension larger than 1.
void make_small(Draft& draft) {
    for (Dims* dims : {&draft.data, &draft.indices}) {
        for (std::int64_t& dim : *dims) dim = std::min<std::int64_t>(dim, 1);
    }
}

/// Whether what comes out has no more elements than calls of the space may have.
bool is_small(const Call& call, const CallSpace& space) {
    const Result<Descriptor> output = reference::output_descriptor(call);
    if (!output) return true;
    const auto count = element_count(output->shape);
    return count && *count <= space.largest;
}

}  // namespace

Call GeneratedCall::view(const Inputs& of) const {
    Call call;
    call.version = version;
    call.attributes = attributes;
    call.inputs.reserve(of.size());
    for (const auto& [name, tensor] : of) {
        call.inputs.push_back({name, tensor.view()});
        if (described && name != "axis") call.inputs.back().tensor.contents = nullptr;
    }
    return call;
}

const Tensor* GeneratedCall::input(std::string_view name) const {
    const auto found = std::ranges::find(inputs, name, &std::pair<std::string, Tensor>::first);
    return found == inputs.end() ? nullptr : &found->second;
}

GeneratedCall generate(Choices& choices, const CallSpace& space) {
    const CallsOfVersion& of = choices.one_of(std::span(space.versions));
    GeneratedCall made;
    made.version = of.version;
    made.route = choices.one_of(std::span(of.routes));
    Draft draft(of.version);
    draft.open_contents = space.open_contents;
    draft.data_type = choices.one_of(std::span(of.data));
    draft.indices_type = choices.one_of(std::span(of.indices));
    draw_shapes(choices, space, draft);
    // Described calls have one route: without contents no operand is constant.
    const bool can_be_described =
        space.described && std::ranges::find(of.routes, Route{}) != of.routes.end();
    if (can_be_described && choices.one_in(32)) {
        draft.described = made.described = true;
        made.route = {};
        // Some of these have more elements than can be counted.
        if (!space.legal_only) draw_huge(choices, draft);
    }
    const Draft legal = draft;
    const bool flawed = !space.legal_only && draw_flaws(choices, draft);
    // A model that holds all operands has one call to give. Giant tensors without elements are no
    // part of a sequence: who takes the axis of another call makes a giant output of them.
    const bool sequence = space.sequences && !made.described &&
                          made.route.operands != Operands::folded &&
                          elements_of(legal.data) <= space.largest &&
                          elements_of(draft.data) <= space.largest && choices.one_in(16);
    made.inputs = draw_inputs(choices, draft);
    made.attributes = attributes_of(draft);
    // What is broken may not be: 2^32 as an axis of i32 is 0, and what had no elements, for all its
    // giant dimension, has an output of that many.
    if (flawed && !made.described && !is_small(made.view(), space)) {
        make_small(draft);
        made.inputs = draw_inputs(choices, draft);
        made.attributes = attributes_of(draft);
    }
    if (!sequence) return made;
    const bool other_sizes = !space.keeps_models || made.route.shapes == Shapes::dynamic;
    for (std::uint64_t more = 1 + choices.below(2); more > 0; --more) {
        Draft earlier = choices.one_in(2) ? legal : draft;
        if (other_sizes && !flawed && choices.one_in(2)) {
            redraw_sizes(choices, space, earlier);
        }
        if (made.route.axis == AxisOperand::runtime || !space.keeps_models) {
            redraw_axis(choices, earlier);
        }
        earlier.left_out = draft.left_out;
        earlier.surplus_input = draft.surplus_input;
        made.earlier.push_back(draw_inputs(choices, earlier));
        if (made.route.operands == Operands::constant) {
            keep_constants(made.inputs, made.earlier.back());
        }
        // What is broken in the last call may be what a model knows.
        const bool is_kept =
            !space.keeps_models || one_model_serves(made.inputs, made.earlier.back(), made.route);
        // Another axis, or sizes that constants are not of, may make far more of the same tensors.
        if (!is_kept || !is_small(made.view(made.earlier.back()), space)) made.earlier.pop_back();
    }
    return made;
}

}  // namespace gathercheck
