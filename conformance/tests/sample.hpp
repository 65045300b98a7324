// SPDX-License-Identifier: Apache-2.0
// For tests: tensors of given elements, and the call that fake implementations are asked for.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reference/reference.hpp"

namespace gathercheck::fixture {

/// A tensor whose elements are `values`, of the C++ type that has their width.
template <class T>
Tensor tensor(ElementType type, Shape shape, const std::vector<T>& values) {
    Tensor result{type, std::move(shape), {}, nullptr};
    const auto bytes = std::as_bytes(std::span(values));
    result.contents.assign(bytes.begin(), bytes.end());
    return result;
}

/// A call of onnx.Gather-13 and its tensors; the fake worker misbehaves at axis 9 and rejects
/// axis 7.
struct Sample {
    Tensor data = tensor<float>(ElementType::f32, {2}, {1, 2});
    Tensor indices;
    Call call;

    explicit Sample(std::int64_t axis = 0, std::int64_t index = 0)
        : indices(tensor<std::int64_t>(ElementType::i64, {1}, {index})) {
        call.attributes = {{"axis", axis}};
        call.inputs = {{"data", data.view()}, {"indices", indices.view()}};
    }
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
};

}  // namespace gathercheck::fixture
