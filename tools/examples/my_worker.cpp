// SPDX-License-Identifier: Apache-2.0
// A worker to start from: ONNX Gather-13 on f32 data. Put your engine in place of gather().
#include "gathercheck_worker.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace gathercheck_worker;

const Json hello = {
    {"message", "hello"},
    {"protocol", 1},
    {"implementation", {{"name", "my engine"}, {"version", "0.1"}, {"language", "c++"}}},
    {"claims", {{{"operators", {"onnx.Gather-13"}}, {"data", {"f32"}}, {"indices", {"i64"}}}}}};

/// Your engine: data as outer blocks of `size` rows of `row` bytes.
void gather(const Tensor& data, const Tensor& indices, std::size_t axis, Tensor& output) {
    std::int64_t outer = 1;
    std::int64_t row = 4;
    for (std::size_t k = 0; k < axis; ++k) outer *= data.shape[k];
    for (std::size_t k = axis + 1; k < data.shape.size(); ++k) row *= data.shape[k];
    const std::int64_t size = data.shape[axis];
    for (std::int64_t k = 0; k < indices.count(); ++k) {
        const auto index = indices.at<std::int64_t>(k);
        if (index < -size || index >= size) throw Rejected("index " + std::to_string(index), "run");
    }
    for (std::int64_t block = 0; block < outer; ++block) {
        for (std::int64_t k = 0; k < indices.count(); ++k) {
            const auto index = (indices.at<std::int64_t>(k) + size) % size;
            const auto* from = data.bytes.data() + (block * size + index) * row;
            output.bytes.insert(output.bytes.end(), from, from + row);
        }
    }
}

Tensor run(const Call& call) {
    const Tensor* data = call.input("data");
    const Tensor* indices = call.input("indices");
    if (data == nullptr || indices == nullptr || call.inputs.size() != 2)
        throw Rejected("operands", "build");
    const Json axis = call.attributes.value("axis", Json(0));
    if (call.attributes.size() != call.attributes.count("axis") || !axis.is_number_integer())
        throw Rejected("attributes", "build");
    if (data->type != "f32" || indices->type != "i64") throw Unsupported("f32 by i64 only");
    const auto rank = static_cast<std::int64_t>(data->shape.size());
    if (axis < -rank || axis >= rank) throw Rejected("axis " + axis.dump(), "shape");
    const auto place = static_cast<std::size_t>((axis.get<std::int64_t>() + rank) % rank);
    Tensor output{"f32", data->shape, {}, {}};
    const auto at = output.shape.erase(output.shape.begin() + static_cast<std::ptrdiff_t>(place));
    output.shape.insert(at, indices->shape.begin(), indices->shape.end());
    gather(*data, *indices, place, output);
    return output;
}

}  // namespace

int main() { return serve(hello, run); }
