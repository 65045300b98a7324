// SPDX-License-Identifier: Apache-2.0
// GatherElements: one element of data for each element of indices; OpenVINO
// GatherElements-6, ONNX GatherElements-11, -13 and their like elsewhere.
#include <cstdint>

#include "reference/reference.hpp"

namespace gathercheck::reference {
namespace {

/// The coordinate o of the output in a tensor of this shape: 0 where a dimension of size 1 other
/// than axis was broadcast.
Shape within(const Shape& shape, Shape o, std::int64_t axis) {
    for (std::int64_t k = 0; k < o.rank(); ++k) {
        if (k != axis && shape[k] == 1) o[k] = 0;
    }
    return o;
}

}  // namespace

// For r = 3:
//
//   out[i][j][k] = data[indices[i][j][k]][j][k]   if axis = 0
//   out[i][j][k] = data[i][indices[i][j][k]][k]   if axis = 1
//   out[i][j][k] = data[i][j][indices[i][j][k]]   if axis = 2
//
// and so on for other ranks. Where dimensions are broadcast, the coordinate in one
// of size 1 is 0. What an index outside [0, s-1] stands for is the version's
// (picked_coordinate).
void gather_elements(const CheckedCall& call, std::byte* output) {
    const OperatorInfo& op = info(call.version);
    const TensorView& data = call.data;
    const TensorView& indices = call.indices;
    const std::int64_t axis = call.axis;
    const std::int64_t s = data.shape[axis];
    const Shape& shape = call.output.shape;
    if (*element_count(shape) == 0) return;

    Shape o = first_coordinate(shape);
    std::int64_t to = 0;
    do {
        const std::int64_t by = position(indices.shape, within(indices.shape, o, axis));
        const auto k =
            picked_coordinate(op, integer_element(indices.type, indices.contents, by), s);
        if (k) {
            Shape source = within(data.shape, o, axis);
            source[axis] = *k;
            copy_element(data.type, data.contents, position(data.shape, source), output, to);
        } else {
            zero_element(data.type, output, to);
        }
        ++to;
    } while (next_coordinate(shape, o));
}

}  // namespace gathercheck::reference
