// SPDX-License-Identifier: Apache-2.0
// Gather: slices of data along one axis, picked by indices; OpenVINO Gather-1,
// -7, -8, ONNX Gather-1, -11, -13 and their like elsewhere.
#include <cstdint>
#include <optional>

#include "reference/reference.hpp"

namespace gathercheck::reference {

// With b = batch_dims and M = rank(indices):
//
//   output[p_0, ..., p_{axis-1}, i_b, ..., i_{M-1}, p_{axis+1}, ..., p_{N-1}] =
//     data[p_0, ..., p_{axis-1}, k, p_{axis+1}, ..., p_{N-1}]
//     where k = indices[p_0, ..., p_{b-1}, i_b, ..., i_{M-1}]
//
// A version without batch_dims has b = 0. What a k outside [0, s-1] stands for is
// the version's (picked_coordinate); where it has no answer, such a k never gets
// here.
void gather(const CheckedCall& call, std::byte* output) {
    const OperatorInfo& op = info(call.version);
    const TensorView& data = call.data;
    const TensorView& indices = call.indices;
    const std::int64_t axis = call.axis;
    const std::int64_t b = call.batch_dims;
    const std::int64_t M = indices.shape.rank();
    const std::int64_t s = data.shape[axis];
    const Shape& shape = call.output.shape;
    if (*element_count(shape) == 0) return;

    Shape o = first_coordinate(shape);
    std::int64_t to = 0;
    do {
        // o = p_0 .. p_{axis-1}, i_b .. i_{M-1}, p_{axis+1} .. p_{N-1}
        const std::int64_t after = axis + (M - b);  // where p_{axis+1} stands in o
        Shape picked = o.slice(0, b);
        for (std::int64_t d = axis; d < after; ++d) picked.push_back(o[d]);
        const auto index =
            integer_element(indices.type, indices.contents, position(indices.shape, picked));

        Shape source = o.slice(0, axis);
        source.push_back(0);
        for (std::int64_t d = after; d < o.rank(); ++d) source.push_back(o[d]);
        if (const auto k = picked_coordinate(op, index, s)) {
            source[axis] = *k;
            copy_element(data.type, data.contents, position(data.shape, source), output, to);
        } else {
            zero_element(data.type, output, to);
        }
        ++to;
    } while (next_coordinate(shape, o));
}

}  // namespace gathercheck::reference
