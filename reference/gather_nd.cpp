// SPDX-License-Identifier: Apache-2.0
// GatherND: slices of data, picked by tuples of indices; OpenVINO GatherND-5,
// -8, ONNX GatherND-11, -12, -13 and their like elsewhere.
#include <cstdint>

#include "reference/reference.hpp"

namespace gathercheck::reference {

// With b = batch_dims, M = rank(indices) and n = indices.shape[M-1], the length
// of a tuple:
//
//   output[i_0, ..., i_{M-2}, p_{b+n}, ..., p_{N-1}] =
//     data[i_0, ..., i_{b-1}, k_0, ..., k_{n-1}, p_{b+n}, ..., p_{N-1}]
//     where k_t = indices[i_0, ..., i_{M-2}, t]
//
// What a component outside [0, s-1] stands for is the version's
// (picked_coordinate). GatherND-5 writes
// its batch dimensions as one, which changes the output's shape and not the
// order of its elements: this walks the unfused shape.
void gather_nd(const CheckedCall& call, std::byte* output) {
    const OperatorInfo& op = info(call.version);
    const TensorView& data = call.data;
    const TensorView& indices = call.indices;
    const std::int64_t b = call.batch_dims;
    const std::int64_t M = indices.shape.rank();
    const std::int64_t N = data.shape.rank();
    const std::int64_t n = indices.shape[M - 1];
    const Shape tuples = indices.shape.slice(0, M - 1);  // one tuple for each i_0 .. i_{M-2}
    const Shape slice = data.shape.slice(b + n, N);      // what one tuple picks
    if (*element_count(call.output.shape) == 0) return;

    std::int64_t to = 0;
    Shape i = first_coordinate(tuples);
    do {
        Shape source = i.slice(0, b);
        Shape component = i;
        component.push_back(0);
        bool zeros = false;
        for (std::int64_t t = 0; t < n; ++t) {
            component[M - 1] = t;
            const std::int64_t s = data.shape[b + t];
            const auto k = picked_coordinate(
                op,
                integer_element(indices.type, indices.contents, position(indices.shape, component)),
                s);
            zeros = zeros || !k;
            source.push_back(k.value_or(0));
        }
        Shape p = first_coordinate(slice);
        do {
            Shape from = source;
            for (const std::int64_t coordinate : p) from.push_back(coordinate);
            if (zeros) {
                zero_element(data.type, output, to);
            } else {
                copy_element(data.type, data.contents, position(data.shape, from), output, to);
            }
            ++to;
        } while (next_coordinate(slice, p));
    } while (next_coordinate(tuples, i));
}

}  // namespace gathercheck::reference
