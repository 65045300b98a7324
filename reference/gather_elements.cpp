// SPDX-License-Identifier: Apache-2.0
// GatherElements: one element of data for each element of indices; OpenVINO
// GatherElements-6 and ONNX GatherElements-11, -13.
#include <cstdint>

#include "reference/reference.hpp"

namespace gathercheck::reference {

// For r = 3:
//
//   out[i][j][k] = data[indices[i][j][k]][j][k]   if axis = 0
//   out[i][j][k] = data[i][indices[i][j][k]][k]   if axis = 1
//   out[i][j][k] = data[i][j][indices[i][j][k]]   if axis = 2
//
// and so on for other ranks. A negative index counts from the end of the axis.
void gather_elements(const CheckedCall& call, std::byte* output) {
    const TensorView& data = call.data;
    const TensorView& indices = call.indices;
    const std::int64_t axis = call.axis;
    const std::int64_t s = data.shape[axis];
    if (*element_count(indices.shape) == 0) return;

    Shape o = first_coordinate(indices.shape);
    std::int64_t to = 0;
    do {
        const std::int64_t index = *integer_element(indices.type, indices.contents, to);
        Shape source = o;
        source[axis] = index < 0 ? index + s : index;
        copy_element(data.type, data.contents, position(data.shape, source), output, to);
        ++to;
    } while (next_coordinate(indices.shape, o));
}

}  // namespace gathercheck::reference
