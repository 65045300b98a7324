// SPDX-License-Identifier: Apache-2.0
// An in-process implementation of one's own: ONNX Gather-13 on f32 data, and the command around it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>

#include "tools/command.hpp"

namespace {

using namespace gathercheck;

std::int64_t axis_of(const Call& call) {
    for (const Attribute& attribute : call.attributes) {
        if (attribute.name == "axis") return std::get<std::int64_t>(attribute.value);
    }
    return 0;
}

/// A rejection: the category is judged where it is given a rule or none.
Error rejected(Category category, Phase phase) {
    return {category, phase, "", "my_gather says no"};
}

/// Step 1: type and shape of the output, from attributes, types and shapes alone.
Result<Descriptor> describe(const Call& call) {
    const TensorView* data = call.input("data");
    const TensorView* indices = call.input("indices");
    if (data == nullptr || indices == nullptr || call.inputs.size() != 2) {
        return rejected(Category::wrong_input_count, Phase::build);
    }
    for (const Attribute& attribute : call.attributes) {
        if (attribute.name != "axis") return rejected(Category::unknown_attribute, Phase::build);
        if (!std::holds_alternative<std::int64_t>(attribute.value)) {
            return rejected(Category::invalid_attribute, Phase::build);
        }
    }
    if (data->type != ElementType::f32 || indices->type != ElementType::i64) {
        return rejected(Category::unsupported_type, Phase::build);
    }
    const std::int64_t rank = data->shape.rank();
    if (rank < 1) return rejected(Category::rank_too_small, Phase::shape);
    std::int64_t axis = axis_of(call);
    if (axis < -rank || axis >= rank) return rejected(Category::axis_out_of_range, Phase::shape);
    if (axis < 0) axis += rank;
    if (rank + indices->shape.rank() - 1 > max_rank) {
        return rejected(Category::too_large, Phase::shape);
    }
    Descriptor output{data->type, data->shape.slice(0, axis)};
    for (const std::int64_t dim : indices->shape) output.shape.push_back(dim);
    for (const std::int64_t dim : data->shape.slice(axis + 1, rank)) output.shape.push_back(dim);
    if (!byte_size(output)) return rejected(Category::too_large, Phase::shape);
    return output;
}

/// Step 2: the elements, into a buffer of exactly the output's size.
Result<void> run(const Call& call, std::span<std::byte> output) {
    const TensorView& data = *call.input("data");
    const TensorView& indices = *call.input("indices");
    const std::int64_t rank = data.shape.rank();
    std::int64_t axis = axis_of(call);
    if (axis < 0) axis += rank;
    const std::int64_t size = data.shape[axis];
    const std::int64_t count = *element_count(indices.shape);
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t index = *integer_element(indices.type, indices.contents, k);
        if (index < -size || index >= size) {
            return rejected(Category::index_out_of_bounds, Phase::run);
        }
    }
    const std::int64_t outer = *element_count(data.shape.slice(0, axis));
    const std::int64_t row = *element_count(data.shape.slice(axis + 1, rank)) * 4;
    if (output.empty()) return {};
    std::byte* to = output.data();
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t k = 0; k < count; ++k) {
            std::int64_t index = *integer_element(indices.type, indices.contents, k);
            if (index < 0) index += size;
            std::memcpy(to, data.contents + (o * size + index) * row,
                        static_cast<std::size_t>(row));
            to += row;
        }
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    BuiltIn mine;
    mine.name = "my_gather";
    mine.version = "0.1";
    mine.output_descriptor = describe;
    mine.run = run;
    mine.claims = {{{OperatorVersion::onnx_gather_13}, {ElementType::f32}, {ElementType::i64}}};
    return command(argc, argv, {mine});
}
