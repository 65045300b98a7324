// SPDX-License-Identifier: Apache-2.0
// Deriving the legal variant of a call.
#include "conformance/select/control.hpp"

#include <algorithm>
#include <variant>

namespace gathercheck {
namespace {

Tensor integers(ElementType type, const Shape& shape, std::initializer_list<int> values) {
    Tensor tensor;
    tensor.type = type;
    tensor.shape = shape;
    tensor.contents.resize(
        static_cast<std::size_t>(*byte_size(type, static_cast<std::int64_t>(values.size()))));
    std::int64_t k = 0;
    for (const int value : values) {
        set_element_bits(type, tensor.contents.data(), k++, static_cast<std::uint64_t>(value));
    }
    return tensor;
}

NamedTensorSpec* find_input(Case& from, std::string_view name) {
    const auto found = std::ranges::find(from.inputs, name, &NamedTensorSpec::name);
    return found == from.inputs.end() ? nullptr : &*found;
}

/// True where the expectation can only be an error of index values.
bool only_indices_are_bad(const Expectation& expectation) {
    return std::ranges::all_of(expectation.alternatives, [](const Alternative& alternative) {
        const auto* error = std::get_if<ExpectedError>(&alternative);
        return error == nullptr || error->category == Category::index_out_of_bounds;
    });
}

/// Every dimension that an index can pick from has at least one element.
bool has_nothing_empty(const Case& from) {
    return std::ranges::all_of(from.inputs, [](const NamedTensorSpec& input) {
        return *element_count(input.tensor.descriptor.shape) > 0;
    });
}

}  // namespace

Case derive_control(const Case& of, OperatorVersion version) {
    const OperatorInfo& op = info(version);
    const Expectation& expectation = *of.expectation(version);

    Case control;
    control.id = of.id + "/control/" + std::string(op.name);
    control.title = "the legal variant of " + of.id;
    control.file = of.file;
    control.pointer = of.pointer;
    // No rules: they are about what is rejected, the control is shared by cases of many.
    control.expect.push_back({{version}, {}, {ExpectedOutput{FromEquation{}, {}}}, {}});

    if (only_indices_are_bad(expectation) && has_nothing_empty(of) && !of.is_described()) {
        control.axis = of.axis;
        control.attributes = of.attributes;
        control.inputs = of.inputs;
        if (NamedTensorSpec* indices = find_input(control, "indices")) {
            indices->tensor.contents = Fill{AffineFill{0, 0, 0}};
            return control;
        }
    }

    // A small call that every case of this version and element type can share.
    ElementType type = ElementType::f32;
    for (const NamedTensorSpec& input : of.inputs) {
        const ElementType given = input.tensor.descriptor.type;
        if (input.name == "data" && op.data_types.contains(given)) type = given;
    }
    control.id = "control/" + std::string(op.name) + "/" + std::string(name(type));
    control.title = "a small legal call";
    control.inputs.push_back({"data", {{type, Shape{3, 2}}, Fill{MarkFill{1}}}});
    const ElementType i64 = ElementType::i64;
    switch (op.family) {
        case Family::gather:
            control.inputs.push_back({"indices", {{i64, Shape{2}}, integers(i64, {2}, {0, 1})}});
            break;
        case Family::gather_elements:  // every dimension but the axis as data's
            control.inputs.push_back(
                {"indices", {{i64, Shape{2, 2}}, integers(i64, {2, 2}, {0, 1, 2, 0})}});
            break;
        case Family::gather_nd:
            control.inputs.push_back(
                {"indices", {{i64, Shape{2, 1}}, integers(i64, {2, 1}, {0, 1})}});
            break;
        case Family::stablehlo_gather:  // whole rows
            control.inputs.push_back({"indices", {{i64, Shape{2}}, integers(i64, {2}, {0, 1})}});
            using List = std::vector<std::int64_t>;
            control.attributes = {
                {"offset_dims", List{1}},          {"collapsed_slice_dims", List{0}},
                {"operand_batching_dims", List{}}, {"start_indices_batching_dims", List{}},
                {"start_index_map", List{0}},      {"index_vector_dim", std::int64_t{1}},
                {"slice_sizes", List{1, 2}}};
            break;
    }
    if (op.axis != AxisSource::none) control.axis = 0;
    if (of.is_described()) {
        control.id += "/described";
        for (NamedTensorSpec& input : control.inputs) input.tensor.contents = std::monostate{};
    }
    return control;
}

}  // namespace gathercheck
