// SPDX-License-Identifier: Apache-2.0
// Mutants that misread the dimension numbers of StableHLO's gather, or where its windows may start.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "conformance/mutants/bug.hpp"
#include "reference/check_stablehlo.hpp"

namespace gathercheck::mutant {
namespace {

/// A bug that reads other attributes than those given, in a call that is legal.
template <class Edit>
Bug read_as(Edit edit) {
    return {.checked = [edit](CheckedCall& call) -> std::optional<Error> {
        auto read = std::make_shared<GatherAttributes>(*call.attributes);
        edit(*read, std::as_const(call));
        call.attributes = std::move(read);
        return std::nullopt;
    }};
}

}  // namespace

std::vector<Mutant> window_mutants() {
    Theme theme("windows");
    const Versions versions{OperatorVersion::stablehlo_gather};
    using I = std::int64_t;

    theme.add("window-start-counts-back", "a start below 0 counts from the end", versions,
              {.index = [](I index, const IndexPlace& at) {
                  return index < 0 ? std::max<I>(index, -at.s) + at.s : index;
              }});
    theme.add("window-start-wraps", "a start beyond the dimension is taken modulo its size",
              versions, {.index = [](I index, const IndexPlace& at) {
                  return at.s > 0 && index >= at.s ? index % at.s : index;
              }});
    theme.add("window-start-beyond-is-first", "a start beyond the dimension is 0", versions,
              {.index = [](I index, const IndexPlace& at) { return index >= at.s ? 0 : index; }});
    theme.add("window-cut-off", "a start is clamped to the dimension, and what lies beyond is 0",
              versions, read_as([](GatherAttributes& read, const CheckedCall&) {
                  std::ranges::fill(read.slice_sizes, 1);
              }));
    theme.add("window-never-moves", "every window starts at 0", versions,
              read_as([](GatherAttributes& read, const CheckedCall& call) {
                  std::ranges::copy(call.data.shape, read.slice_sizes.begin());
              }));
    theme.add("window-map-as-set", "the components of an index vector are for ascending dimensions",
              versions, read_as([](GatherAttributes& read, const CheckedCall&) {
                  std::ranges::sort(read.start_index_map);
              }));
    theme.add("window-map-counts-up", "component k is for dimension k", versions,
              read_as([](GatherAttributes& read, const CheckedCall&) {
                  std::iota(read.start_index_map.begin(), read.start_index_map.end(), I{0});
              }));
    theme.add("window-batching-as-set", "start_indices_batching_dims is read in ascending order",
              versions, read_as([](GatherAttributes& read, const CheckedCall& call) {
                  auto& dims = read.start_indices_batching_dims;
                  auto sorted = dims;
                  std::ranges::sort(sorted);
                  for (std::size_t k = 0; k < dims.size(); ++k) {
                      const I size = call.data.shape[read.operand_batching_dims[k]];
                      if (call.indices.shape[sorted[k]] != size) return;
                  }
                  dims = std::move(sorted);
              }));
    theme.add("window-batching-dims-leading", "the first dimensions of the result are for batching",
              versions, read_as([](GatherAttributes& read, const CheckedCall& call) {
                  I place = 0;
                  for (I& d : read.start_indices_batching_dims) {
                      d = place + (place < read.index_vector_dim ? 0 : 1);
                      ++place;
                      if (d >= call.indices.shape.rank()) d = 0;
                  }
              }));
    theme.add("window-offsets-behind", "the window's dimensions are the last of the result",
              versions, {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  auto read = std::make_shared<GatherAttributes>(*call.attributes);
                  const I first = call.output.shape.rank() - std::ssize(read->offset_dims);
                  std::iota(read->offset_dims.begin(), read->offset_dims.end(), first);
                  call.output.shape = Shape(result_shape(*read, call.indices.shape));
                  call.attributes = std::move(read);
                  return std::nullopt;
              }});
    theme.add("window-of-one-row-collapses", "a window of size 1 has no dimension in the result",
              versions, {.descriptor = [](Descriptor& output, const CheckedCall& call) {
                  Shape shape;
                  for (I d = 0; d < output.shape.rank(); ++d) {
                      const auto& offsets = call.attributes->offset_dims;
                      const bool offset = std::ranges::find(offsets, d) != offsets.end();
                      if (!offset || output.shape[d] != 1) shape.push_back(output.shape[d]);
                  }
                  output.shape = shape;
              }});
    return theme.take();
}

}  // namespace gathercheck::mutant
