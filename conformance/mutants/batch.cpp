// SPDX-License-Identifier: Apache-2.0
// Mutants that misread batch_dims, or mix the batches.
#include <algorithm>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

using I = std::int64_t;

/// A bug that reads another batch_dims than the one given.
template <class Read>
Bug batch_dims_read_as(Read read) {
    return {.call = [read](EditedCall& edited) -> std::optional<Error> {
        const auto given = edited.attribute("batch_dims");
        if (given) edited.set_attribute("batch_dims", read(*given, edited.N(), edited.M()));
        return std::nullopt;
    }};
}

/// A bug that refuses a batch_dims that may be legal.
template <class Refuses>
Bug batch_dims_refused(Refuses refuses) {
    return {.call = [refuses](EditedCall& edited) -> std::optional<Error> {
        const auto given = edited.attribute("batch_dims");
        if (!given || !refuses(*given, edited.N(), edited.M())) return std::nullopt;
        return broken(edited.call.version, Check::batch_dims_range,
                      Category::batch_dims_out_of_range);
    }};
}

/// Elements of data or indices in one batch.
I batch_size(const Shape& shape, I batch_dims) {
    return elements(shape.slice(batch_dims, shape.rank()));
}

}  // namespace

std::vector<Mutant> batch_mutants() {
    Theme theme("batch");
    const Versions batched = versions_where(has_batch_dims);
    const Versions back = versions_where(counts_batch_dims_back);

    theme.add("batch-dims-ignored", "batch_dims is taken for 0", batched,
              batch_dims_read_as([](I, I, I) { return I{0}; }));
    theme.add("batch-dims-at-most-one", "batch_dims above 1 is taken for 1", batched,
              batch_dims_read_as([](I given, I, I) { return std::min<I>(given, 1); }));
    theme.add("batch-dims-one-less", "one batch dimension too few is used", batched,
              batch_dims_read_as([](I given, I, I) { return given > 0 ? given - 1 : given; }));
    theme.add("negative-batch-dims-from-data", "a negative batch_dims counts from the rank of data",
              back, batch_dims_read_as([](I given, I N, I M) {
                  return given >= 0 || given < -M ? given : std::min(given + N, M);
              }));
    theme.add("negative-batch-dims-refused", "a negative batch_dims is out of range", back,
              batch_dims_refused([](I given, I, I) { return given < 0; }));
    theme.add("negative-batch-dims-mirrored", "the sign of batch_dims is lost", back,
              batch_dims_read_as(
                  [](I given, I, I M) { return given < 0 && given >= -M ? -given : given; }));
    theme.add("negative-batch-dims-off-by-one", "batch_dims -1 is the rank of indices", back,
              batch_dims_read_as([](I given, I, I M) {
                  return given >= 0 || given < -M ? given : given + M + 1;
              }));
    theme.add("negative-batch-dims-accepted", "a negative batch_dims of GatherND is taken for 0",
              {OperatorVersion::openvino_gather_nd_5, OperatorVersion::openvino_gather_nd_8,
               OperatorVersion::onnx_gather_nd_12, OperatorVersion::onnx_gather_nd_13},
              batch_dims_read_as([](I given, I, I) { return std::max<I>(given, 0); }));
    theme.add("batch-dims-M-refused", "batch_dims equal to the rank of indices is out of range",
              back, batch_dims_refused([](I given, I, I M) { return given == M && M > 0; }));
    theme.add("batch-dims-minus-M-refused", "batch_dims -rank(indices) is out of range", back,
              batch_dims_refused([](I given, I, I M) { return given == -M && M > 0; }));
    theme.add("batch-dims-below-minus-M-accepted", "batch_dims below -rank(indices) is taken for 0",
              back, batch_dims_read_as([](I given, I, I M) { return given < -M ? 0 : given; }));
    theme.add("batch-dims-clamped", "batch_dims above its range is clamped", batched,
              batch_dims_read_as([](I given, I N, I M) { return std::min({given, N, M}); }));
    theme.add("batch-dims-cut-to-32-bits", "batch_dims is cut to 32 bits", batched,
              batch_dims_read_as(
                  [](I given, I, I) { return static_cast<I>(static_cast<std::int32_t>(given)); }));
    theme.add("batch-dims-equal-to-axis-refused", "batch_dims must be less than axis", back,
              {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  if (call.batch_dims == 0 || call.batch_dims < call.axis) return std::nullopt;
                  return broken(call.version, Check::batch_dims_le_axis,
                                Category::batch_dims_gt_axis);
              }});
    theme.add("only-first-batch-dim-compared", "only the first batch dimensions must be equal",
              batched, {.accepts = [](const Call& call, const Error& error) {
                  const Shape& data = call.input("data")->shape;
                  const Shape& indices = call.input("indices")->shape;
                  return error.category == Category::batch_shape_mismatch && data[0] == indices[0];
              }});
    theme.add("only-last-batch-dim-compared", "only the first batch dimension is not compared",
              batched, {.accepts = [](const Call& call, const Error& error) {
                  const Shape& data = call.input("data")->shape;
                  const Shape& indices = call.input("indices")->shape;
                  return error.category == Category::batch_shape_mismatch && data[0] != indices[0];
              }});
    theme.add("batch-of-one-broadcast", "a batch dimension of 1 in data fits any in indices",
              batched, {.accepts = [](const Call& call, const Error& error) {
                  return error.category == Category::batch_shape_mismatch &&
                         call.input("data")->shape[0] == 1;
              }});
    theme.add("batch-of-one-indices-broadcast",
              "a batch dimension of 1 in indices fits any in data", batched,
              {.accepts = [](const Call& call, const Error& error) {
                  return error.category == Category::batch_shape_mismatch &&
                         call.input("indices")->shape[0] == 1;
              }});
    theme.add("batch-of-one-is-no-batch", "batch dimensions that are all 1 are left out of account",
              batched, {.call = [](EditedCall& edited) -> std::optional<Error> {
                  const auto given = edited.attribute("batch_dims");
                  if (!given || *given <= 0 || *given > edited.N()) return std::nullopt;
                  const Shape batch = edited.input("data")->shape.slice(0, *given);
                  if (elements(batch) == 1) edited.set_attribute("batch_dims", 0);
                  return std::nullopt;
              }});
    theme.add(
        "indices-of-first-batch", "every batch uses the indices of the first one", batched,
        {.index = [](I index, const IndexPlace& place) {
            const TensorView& indices = place.call.indices;
            const I size = batch_size(indices.shape, place.call.batch_dims);
            if (place.k < size) return index;
            return integer_element(indices.type, indices.contents, place.k % size).value_or(beyond);
        }});
    theme.add("indices-of-previous-batch", "batches after the second use the indices of the second",
              batched, {.index = [](I index, const IndexPlace& place) {
                  const TensorView& indices = place.call.indices;
                  const I size = batch_size(indices.shape, place.call.batch_dims);
                  if (place.k < 2 * size) return index;
                  return integer_element(indices.type, indices.contents, size + place.k % size)
                      .value_or(beyond);
              }});
    theme.add("data-of-first-batch", "every batch picks from the data of the first one", batched,
              {.source = [](I source, const SourcePlace& place) {
                  const I size = batch_size(place.call.data.shape, place.call.batch_dims);
                  return source == nowhere ? source : source % size;
              }});
    theme.add("data-of-last-batch", "every batch picks from the data of the last one", batched,
              {.source = [](I source, const SourcePlace& place) {
                  const Shape& data = place.call.data.shape;
                  const I size = batch_size(data, place.call.batch_dims);
                  return source == nowhere ? source : elements(data) - size + source % size;
              }});
    theme.add("batch-dims-fused", "the batch dimensions become one, as in GatherND-5",
              {OperatorVersion::openvino_gather_nd_8, OperatorVersion::onnx_gather_nd_12,
               OperatorVersion::onnx_gather_nd_13},
              {.descriptor = [](Descriptor& output, const CheckedCall& call) {
                  const I b = call.batch_dims;
                  if (b < 2) return;
                  Shape shape{elements(output.shape.slice(0, b))};
                  for (I d = b; d < output.shape.rank(); ++d) shape.push_back(output.shape[d]);
                  output.shape = shape;
              }});
    theme.add("batch-dims-not-fused", "the batch dimensions of GatherND-5 stay apart",
              {OperatorVersion::openvino_gather_nd_5},
              {.descriptor = [](Descriptor& output, const CheckedCall& call) {
                  const Shape& indices = call.indices.shape;
                  const I b = call.batch_dims;
                  if (b < 2) return;
                  Shape shape = indices.slice(0, b);
                  for (I d = 1; d < output.shape.rank(); ++d) shape.push_back(output.shape[d]);
                  output.shape = shape;
              }});
    return theme.take();
}

}  // namespace gathercheck::mutant
