// SPDX-License-Identifier: Apache-2.0
// Mutants that take one operator version for another, or one element type for another.
#include <array>
#include <utility>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

using enum OperatorVersion;

/// The same check's rule of another version.
Error translated(Error error, OperatorVersion from, OperatorVersion to) {
    for (std::size_t k = 0; k < check_count; ++k) {
        const auto check = static_cast<Check>(k);
        if (error.rule.empty() || error.rule != rule_id(from, check)) continue;
        error.rule = rule_id(to, check);
        break;
    }
    return error;
}

/// A bug that does what `as` does, in the cases that `applies` names.
template <class Applies>
Bug taken_for(OperatorVersion as, Applies applies) {
    return {
        .call = [as, applies](EditedCall& edited) -> std::optional<Error> {
            if (applies(edited)) edited.call.version = as;
            return std::nullopt;
        },
        .error = [as](const Call& call,
                      Error error) { return translated(std::move(error), as, call.version); },
    };
}

bool same_off_axis(const EditedCall& edited) {
    const TensorView* data = edited.call.input("data");
    const TensorView* indices = edited.call.input("indices");
    const auto axis = edited.axis();
    if (data == nullptr || indices == nullptr || !axis || edited.N() != edited.M() ||
        *axis < -edited.N() || *axis >= edited.N()) {
        return false;
    }
    const std::int64_t at = *axis < 0 ? *axis + edited.N() : *axis;
    for (std::int64_t d = 0; d < edited.N(); ++d) {
        if (d != at && data->shape[d] != indices->shape[d]) return false;
    }
    return true;
}

}  // namespace

std::vector<Mutant> confusion_mutants() {
    Theme theme("operator confusion");
    // Versions that take the same operands and differ in what they make of them.
    static constexpr std::array<std::pair<OperatorVersion, OperatorVersion>, 11> pairs{{
        {openvino_gather_8, openvino_gather_7},
        {openvino_gather_7, openvino_gather_1},
        {openvino_gather_elements_6, onnx_gather_elements_13},
        {onnx_gather_elements_13, openvino_gather_elements_6},
        {onnx_gather_elements_11, onnx_gather_elements_13},
        {onnx_gather_11, onnx_gather_13},
        {onnx_gather_13, onnx_gather_11},
        {openvino_gather_nd_5, openvino_gather_nd_8},
        {openvino_gather_nd_8, openvino_gather_nd_5},
        {onnx_gather_nd_12, onnx_gather_nd_13},
        {onnx_gather_nd_13, onnx_gather_nd_12},
    }};
    for (const auto& [of, as] : pairs) {
        theme.add(std::string(name(of)) + "-as-" + std::string(name(as)),
                  std::string(name(of)) + " does what " + std::string(name(as)) + " does", {of},
                  taken_for(as, [](const EditedCall&) { return true; }));
    }
    theme.add("elements-as-gather", "ONNX GatherElements does what Gather does",
              {onnx_gather_elements_13},
              taken_for(onnx_gather_13, [](const EditedCall&) { return true; }));
    theme.add("gather-as-elements",
              "ONNX Gather does what GatherElements does where the shapes allow it",
              {onnx_gather_13}, taken_for(onnx_gather_elements_13, same_off_axis));
    theme.add("gather-8-as-elements",
              "Gather-8 takes indices of data's rank and batch dimensions for GatherElements",
              {openvino_gather_7, openvino_gather_8},
              {.descriptor = [](Descriptor& output, const CheckedCall& call) {
                  if (call.data.shape.rank() == call.indices.shape.rank()) {
                      output.shape = call.indices.shape;
                  }
              }});
    theme.add("nd-as-gather", "GatherND with tuples of one does what Gather on axis 0 does",
              {openvino_gather_nd_8, onnx_gather_nd_11, onnx_gather_nd_13},
              {.descriptor = [](Descriptor& output, const CheckedCall& call) {
                  const Shape& indices = call.indices.shape;
                  if (indices[indices.rank() - 1] != 1 || output.shape.rank() == max_rank) return;
                  Shape shape = indices;
                  for (std::int64_t d = indices.rank() - 1; d < output.shape.rank(); ++d) {
                      shape.push_back(output.shape[d]);
                  }
                  output.shape = shape;
              }});
    theme.add("output-has-type-of-indices", "the output has the element type of indices",
              newest_versions(), {.descriptor = [](Descriptor& output, const CheckedCall& call) {
                  output.type = call.indices.type;
              }});
    using enum ElementType;
    static constexpr std::array<std::pair<ElementType, ElementType>, 10> types{{
        {bf16, f16},
        {f16, bf16},
        {u8, i8},
        {i8, u8},
        {boolean, u8},
        {f32, i32},
        {i64, u64},
        {f8e4m3, f8e5m2},
        {nf4, u4},
        {c64, f64},
    }};
    for (const auto& [right, wrong] : types) {
        theme.add(
            std::string(name(right)) + "-comes-out-as-" + std::string(name(wrong)),
            "the output of " + std::string(name(right)) + " data is declared " +
                std::string(name(wrong)),
            newest_versions(),
            {.descriptor = [right = right, wrong = wrong](Descriptor& output, const CheckedCall&) {
                if (output.type == right) output.type = wrong;
            }});
    }
    return theme.take();
}

}  // namespace gathercheck::mutant
