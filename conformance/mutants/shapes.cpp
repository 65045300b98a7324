// SPDX-License-Identifier: Apache-2.0
// Mutants that give a wrong shape, or stumble over ranks and empty tensors.
#include <algorithm>
#include <csignal>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

using I = std::int64_t;

/// A bug that gives another output shape.
template <class Change>
Bug shape_becomes(Change change) {
    return {.descriptor = [change](Descriptor& output, const CheckedCall& call) {
        output.shape = change(output.shape, call);
    }};
}

Shape joined(const Shape& a, const Shape& b) {
    Shape all = a;
    for (const I dim : b) {
        if (all.rank() < max_rank) all.push_back(dim);
    }
    return all;
}

Shape without_ones(const Shape& shape) {
    Shape rest;
    for (const I dim : shape) {
        if (dim != 1) rest.push_back(dim);
    }
    return rest;
}

/// A bug that refuses calls that are legal.
template <class Refuses>
Bug refuses_where(Refuses refuses) {
    return {.checked = [refuses](CheckedCall& call) -> std::optional<Error> {
        if (!refuses(call)) return std::nullopt;
        return broken(call.version, Check::data_rank, Category::rank_too_small);
    }};
}

bool is_empty(const TensorView& tensor) { return elements(tensor.shape) == 0; }

}  // namespace

std::vector<Mutant> shape_mutants() {
    Theme theme("shapes and emptiness");
    const Versions gather = versions_where(is_gather);

    theme.add("scalar-index-keeps-the-axis", "scalar indices leave an axis of size 1", gather,
              shape_becomes([](const Shape& shape, const CheckedCall& call) {
                  if (call.indices.shape.rank() != 0) return shape;
                  return joined(joined(shape.slice(0, call.axis), Shape{1}),
                                shape.slice(call.axis, shape.rank()));
              }));
    theme.add("one-index-drops-the-axis", "indices of one element are taken for a scalar", gather,
              shape_becomes([](const Shape& shape, const CheckedCall& call) {
                  if (call.indices.shape != Shape{1} || call.batch_dims != 0) return shape;
                  return joined(shape.slice(0, call.axis),
                                shape.slice(call.axis + 1, shape.rank()));
              }));
    theme.add("scalar-output-is-1d", "an output of rank 0 is given shape [1]", newest_versions(),
              shape_becomes([](const Shape& shape, const CheckedCall&) {
                  return shape.rank() == 0 ? Shape{1} : shape;
              }));
    theme.add("one-element-output-is-scalar", "an output of shape [1] is given rank 0",
              newest_versions(), shape_becomes([](const Shape& shape, const CheckedCall&) {
                  return shape == Shape{1} ? Shape{} : shape;
              }));
    theme.add(
        "ones-squeezed", "dimensions of size 1 are dropped from the output", newest_versions(),
        shape_becomes([](const Shape& shape, const CheckedCall&) { return without_ones(shape); }));
    theme.add("leading-one-dropped", "a leading dimension of size 1 is dropped", newest_versions(),
              shape_becomes([](const Shape& shape, const CheckedCall&) {
                  const bool leads = shape.rank() > 1 && shape[0] == 1;
                  return leads ? shape.slice(1, shape.rank()) : shape;
              }));
    theme.add("trailing-one-dropped", "a trailing dimension of size 1 is dropped",
              newest_versions(), shape_becomes([](const Shape& shape, const CheckedCall&) {
                  const bool trails = shape.rank() > 1 && shape[shape.rank() - 1] == 1;
                  return trails ? shape.slice(0, shape.rank() - 1) : shape;
              }));
    theme.add("indices-flattened", "indices of more dimensions come out as one", gather,
              shape_becomes([](const Shape& shape, const CheckedCall& call) {
                  const I count = call.indices.shape.rank() - call.batch_dims;
                  if (count < 2) return shape;
                  Shape flat = shape.slice(0, call.axis);
                  flat.push_back(elements(shape.slice(call.axis, call.axis + count)));
                  return joined(flat, shape.slice(call.axis + count, shape.rank()));
              }));
    theme.add("indices-shape-first", "the shape of indices comes first, whatever the axis", gather,
              shape_becomes([](const Shape& shape, const CheckedCall& call) {
                  const I end = call.axis + call.indices.shape.rank() - call.batch_dims;
                  const Shape first =
                      joined(shape.slice(0, call.batch_dims), shape.slice(call.axis, end));
                  return joined(joined(first, shape.slice(call.batch_dims, call.axis)),
                                shape.slice(end, shape.rank()));
              }));
    theme.add("batch-dims-repeated", "the batch dimensions of indices come out again", gather,
              shape_becomes([](const Shape& shape, const CheckedCall& call) {
                  const Shape again = call.indices.shape.slice(0, call.batch_dims);
                  return joined(joined(shape.slice(0, call.axis), again),
                                shape.slice(call.axis, shape.rank()));
              }));
    theme.add("output-has-shape-of-data", "the output has the shape of data where ranks agree",
              newest_versions(), shape_becomes([](const Shape& shape, const CheckedCall& call) {
                  const Shape& data = call.data.shape;
                  return data.rank() == shape.rank() ? data : shape;
              }));
    theme.add("output-shape-reversed", "the dimensions of the output are reversed",
              newest_versions(), shape_becomes([](const Shape& shape, const CheckedCall&) {
                  Shape reversed;
                  for (I d = shape.rank() - 1; d >= 0; --d) reversed.push_back(shape[d]);
                  return reversed;
              }));
    theme.add("empty-dimension-becomes-one", "a dimension of size 0 comes out as 1",
              newest_versions(), shape_becomes([](Shape shape, const CheckedCall&) {
                  for (I d = 0; d < shape.rank(); ++d) shape[d] = std::max<I>(shape[d], 1);
                  return shape;
              }));
    theme.add("empty-output-is-flat", "an output without elements has shape [0]", newest_versions(),
              shape_becomes([](const Shape& shape, const CheckedCall&) {
                  return elements(shape) == 0 ? Shape{0} : shape;
              }));
    theme.add("tuple-dimension-kept", "the tuple length of GatherND stays in the output's shape",
              versions_where(is_gather_nd),
              shape_becomes([](const Shape& shape, const CheckedCall& call) {
                  const Shape& indices = call.indices.shape;
                  const I slice =
                      call.data.shape.rank() - call.batch_dims - indices[indices.rank() - 1];
                  const I at = shape.rank() - slice;
                  return joined(joined(shape.slice(0, at), Shape{indices[indices.rank() - 1]}),
                                shape.slice(at, shape.rank()));
              }));
    theme.add(
        "slice-dimensions-of-front",
        "the slice of GatherND has the first dimensions of data, not the last",
        versions_where(is_gather_nd),
        shape_becomes([](const Shape& shape, const CheckedCall& call) {
            const Shape& indices = call.indices.shape;
            const I slice = call.data.shape.rank() - call.batch_dims - indices[indices.rank() - 1];
            return joined(shape.slice(0, shape.rank() - slice), call.data.shape.slice(0, slice));
        }));
    for (const I most : {3, 4, 5, 6, 7}) {
        const std::string text = std::to_string(most);
        theme.add("data-rank-at-most-" + text,
                  "data of more than " + text + " dimensions is refused", gather,
                  refuses_where(
                      [most](const CheckedCall& call) { return call.data.shape.rank() > most; }));
    }
    for (const I most : {1, 2, 3}) {
        const std::string text = std::to_string(most);
        theme.add("indices-rank-at-most-" + text,
                  "indices of more than " + text + " dimensions are refused", gather,
                  refuses_where([most](const CheckedCall& call) {
                      return call.indices.shape.rank() > most;
                  }));
    }
    theme.add(
        "scalar-indices-refused", "indices of rank 0 are refused", gather,
        refuses_where([](const CheckedCall& call) { return call.indices.shape.rank() == 0; }));
    theme.add("data-rank-1-refused", "data of rank 1 is refused", newest_versions(),
              refuses_where([](const CheckedCall& call) { return call.data.shape.rank() == 1; }));
    theme.add("empty-data-refused", "data without elements is refused", newest_versions(),
              refuses_where([](const CheckedCall& call) { return is_empty(call.data); }));
    theme.add("empty-indices-refused", "indices without elements are refused", newest_versions(),
              refuses_where([](const CheckedCall& call) { return is_empty(call.indices); }));
    theme.add("empty-axis-refused", "an axis of size 0 is refused, even where nothing is picked",
              versions_where(has_axis), refuses_where([](const CheckedCall& call) {
                  return call.data.shape[call.axis] == 0 && is_empty(call.indices);
              }));
    theme.add("empty-slices-refused", "picking slices without elements is refused",
              newest_versions(), refuses_where([](const CheckedCall& call) {
                  return elements(call.output.shape) == 0 && !is_empty(call.indices);
              }));
    theme.add("empty-batch-refused", "a batch of size 0 is refused", versions_where(has_batch_dims),
              refuses_where([](const CheckedCall& call) {
                  return elements(call.data.shape.slice(0, call.batch_dims)) == 0;
              }));
    theme.add("empty-axis-divides-by-zero", "an axis of size 0 is divided by",
              {OperatorVersion::onnx_gather_13},
              {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  if (call.data.shape[call.axis] == 0) std::raise(SIGFPE);
                  return std::nullopt;
              }});
    theme.add("empty-indices-divide-by-zero", "a dimension of size 0 of indices is divided by",
              {OperatorVersion::onnx_gather_13},
              {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  if (is_empty(call.indices)) std::raise(SIGFPE);
                  return std::nullopt;
              }});
    theme.add("ones-in-data-are-broadcast",
              "GatherElements accepts any size of indices where data has size 1",
              versions_where(is_gather_elements),
              {.accepts = [](const Call& call, const Error& error) {
                  if (error.category != Category::shape_mismatch) return false;
                  return std::ranges::count(call.input("data")->shape.dims(), 1) > 0;
              }});
    theme.add("shorter-indices-refused",
              "GatherElements refuses indices that are smaller than data off the axis",
              {OperatorVersion::onnx_gather_elements_11, OperatorVersion::onnx_gather_elements_13},
              {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  for (I d = 0; d < call.data.shape.rank(); ++d) {
                      if (d == call.axis || call.data.shape[d] == call.indices.shape[d]) continue;
                      return broken(call.version, Check::other_dims, Category::shape_mismatch);
                  }
                  return std::nullopt;
              }});
    theme.add("shorter-indices-accepted",
              "GatherElements-6 accepts indices that are smaller than data off the axis",
              {OperatorVersion::openvino_gather_elements_6},
              {.accepts = [](const Call& call, const Error& error) {
                  if (error.category != Category::shape_mismatch) return false;
                  const Shape& data = call.input("data")->shape;
                  const Shape& indices = call.input("indices")->shape;
                  for (I d = 0; d < data.rank(); ++d) {
                      if (indices[d] > data[d]) return false;
                  }
                  return true;
              }});
    theme.add("longer-indices-refused",
              "GatherElements refuses indices that are longer than data on the axis",
              versions_where(is_gather_elements),
              {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  if (call.indices.shape[call.axis] <= call.data.shape[call.axis]) {
                      return std::nullopt;
                  }
                  return broken(call.version, Check::other_dims, Category::shape_mismatch);
              }});
    theme.add("equal-shapes-demanded",
              "GatherElements refuses indices of another length than data on the axis",
              versions_where(is_gather_elements),
              {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  if (call.indices.shape[call.axis] >= call.data.shape[call.axis]) {
                      return std::nullopt;
                  }
                  return broken(call.version, Check::other_dims, Category::shape_mismatch);
              }});
    return theme.take();
}

}  // namespace gathercheck::mutant
