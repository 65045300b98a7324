// SPDX-License-Identifier: Apache-2.0
// Mutants that walk memory in the wrong order, and mutants that go wrong from some length on.
#include <algorithm>

#include "conformance/mutants/bug.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck::mutant {
namespace {

using I = std::int64_t;

/// A bug that puts at output element k what belongs at another one.
template <class Place>
Bug output_permuted(Place place) {
    return {.source = [place](I, const SourcePlace& at) {
        const I from = place(at.k, at.call);
        const bool inside = 0 <= from && from < static_cast<I>(at.sources.size());
        return inside ? at.sources[static_cast<std::size_t>(from)] : nowhere;
    }};
}

/// A bug that picks another index of indices, by flat position.
template <class Place>
Bug indices_permuted(Place place) {
    return {.index = [place](I index, const IndexPlace& at) {
        const TensorView& indices = at.call.indices;
        const I from = place(at.k, at.call);
        if (from < 0 || from >= at.count) return index;
        return integer_element(indices.type, indices.contents, from).value_or(beyond);
    }};
}

/// Position k of a row-major tensor, were its contents column-major.
I transposed(const Shape& shape, I k) {
    const Shape at = coordinate_of(shape, k);
    I position = 0;
    for (I d = shape.rank() - 1; d >= 0; --d) position = position * shape[d] + at[d];
    return position;
}

/// A bug that gives zeros for output elements past a length.
template <class Length>
Bug zero_from(Length length) {
    return {.source = [length](I source, const SourcePlace& at) {
        return at.k < length(static_cast<I>(at.sources.size())) ? source : nowhere;
    }};
}

I bytes_per_element(const CheckedCall& call) { return std::max<I>(1, bits(call.output.type) / 8); }

}  // namespace

std::vector<Mutant> layout_mutants() {
    Theme theme("layout");
    const Versions gather{OperatorVersion::openvino_gather_8, OperatorVersion::onnx_gather_13};
    const Versions by_element = versions_where(is_gather_elements);
    const Versions by_tuple = versions_where(is_gather_nd);

    theme.add("data-column-major", "data is read in column-major order", newest_versions(),
              {.source = [](I source, const SourcePlace& at) {
                  return source == nowhere ? source : transposed(at.call.data.shape, source);
              }});
    theme.add("output-column-major", "the output is written in column-major order",
              newest_versions(), output_permuted([](I k, const CheckedCall& call) {
                  return transposed(call.output.shape, k);
              }));
    theme.add("indices-column-major", "indices are read in column-major order",
              versions_where([](const OperatorInfo& op) { return !is_gather_nd(op); }),
              indices_permuted(
                  [](I k, const CheckedCall& call) { return transposed(call.indices.shape, k); }));
    theme.add("indices-reversed", "indices are read from the last to the first", gather,
              {.index = [](I, const IndexPlace& at) {
                  const TensorView& indices = at.call.indices;
                  return integer_element(indices.type, indices.contents, at.count - 1 - at.k)
                      .value_or(beyond);
              }});
    theme.add("tuples-reversed", "the components of a tuple are read from the last to the first",
              by_tuple, indices_permuted([](I k, const CheckedCall& call) {
                  const I n = call.indices.shape[call.indices.shape.rank() - 1];
                  return k / n * n + n - 1 - k % n;
              }));
    theme.add("output-reversed", "the output is written from the last element to the first",
              newest_versions(), output_permuted([](I k, const CheckedCall& call) {
                  return elements(call.output.shape) - 1 - k;
              }));
    theme.add("output-all-zeros", "every element of the output is zero, or an empty string",
              newest_versions(), {.contents = [](const Finished& finished) {
                  std::ranges::fill(finished.contents, std::byte{0});
              }});
    theme.add("slices-before-outer", "the slices of one index lie together, whatever is outside it",
              gather, output_permuted([](I k, const CheckedCall& call) {
                  // Outer and picked dimensions change places.
                  const I slice = slice_elements(call);
                  const I outer = elements(call.data.shape.slice(0, call.axis));
                  const I picked = elements(call.output.shape) / (slice * outer);
                  const I row = k / slice;
                  return (row % outer * picked + row / outer) * slice + k % slice;
              }));
    theme.add("slices-interleaved", "the elements of slices are interleaved", newest_versions(),
              output_permuted([](I k, const CheckedCall& call) {
                  const I slice = slice_elements(call);
                  const I rows = elements(call.output.shape) / slice;
                  return k % rows * slice + k / rows;
              }));
    theme.add("slices-reversed", "the elements of each slice are reversed", newest_versions(),
              output_permuted([](I k, const CheckedCall& call) {
                  const I slice = slice_elements(call);
                  return k / slice * slice + slice - 1 - k % slice;
              }));
    theme.add("slices-of-one-element", "of each slice only the first element is copied, everywhere",
              newest_versions(), output_permuted([](I k, const CheckedCall& call) {
                  return k - k % slice_elements(call);
              }));
    theme.add("outer-slice-zero", "every outer slice picks from the first one", gather,
              {.source = [](I source, const SourcePlace& at) {
                  const Shape& data = at.call.data.shape;
                  const I size = elements(data.slice(at.call.axis, data.rank()));
                  return source == nowhere ? source : source % size;
              }});
    theme.add("index-is-a-flat-position", "an index counts elements of data, not slices", gather,
              {.source = [](I source, const SourcePlace& at) {
                  if (source == nowhere) return source;
                  const I slice = slice_elements(at.call);
                  return source / slice % at.call.data.shape[at.call.axis];
              }});
    theme.add("slice-starts-one-early", "each slice is read from one element too early",
              newest_versions(), {.source = [](I source, const SourcePlace& at) {
                  return slice_elements(at.call) > 1 && source > 0 ? source - 1 : source;
              }});
    theme.add("elements-with-strides-of-indices",
              "GatherElements walks data with the strides of indices", by_element,
              {.source = [](I source, const SourcePlace& at) {
                  const Shape at_data = coordinate_of(at.call.data.shape, source);
                  return position(at.call.indices.shape, at_data);
              }});
    theme.add("elements-of-first-row",
              "GatherElements uses the indices of the first row in every row", by_element,
              indices_permuted([](I k, const CheckedCall& call) {
                  const Shape& shape = call.indices.shape;
                  return k % shape[shape.rank() - 1];
              }));
    theme.add("elements-off-axis-zero", "GatherElements reads at coordinate 0 off the axis",
              by_element, {.source = [](I source, const SourcePlace& at) {
                  const Shape& data = at.call.data.shape;
                  Shape coordinate = first_coordinate(data);
                  coordinate[at.call.axis] = coordinate_of(data, source)[at.call.axis];
                  return position(data, coordinate);
              }});
    theme.add("elements-first-only-off-axis",
              "GatherElements reads at coordinate 0 of the last dimension but the axis", by_element,
              {.source = [](I source, const SourcePlace& at) {
                  const Shape& data = at.call.data.shape;
                  Shape coordinate = coordinate_of(data, source);
                  const I last = data.rank() - 1;
                  if (at.call.axis != last) coordinate[last] = 0;
                  return position(data, coordinate);
              }});
    theme.add("tuple-last-component-only", "of a tuple only the last component counts", by_tuple,
              {.index = [](I index, const IndexPlace& at) {
                  const I n = at.call.indices.shape[at.call.indices.shape.rank() - 1];
                  return at.k % n == n - 1 || !at.legal(index) ? index : 0;
              }});
    theme.add("tuple-first-component-only", "of a tuple only the first component counts", by_tuple,
              {.index = [](I index, const IndexPlace& at) {
                  const I n = at.call.indices.shape[at.call.indices.shape.rank() - 1];
                  return at.k % n == 0 || !at.legal(index) ? index : 0;
              }});
    theme.add("first-index-for-all", "every place picks what the first index picks", gather,
              indices_permuted([](I, const CheckedCall&) { return I{0}; }));
    theme.add("repeated-index-once", "an index that repeats the one before gives zeros",
              versions_where(is_gather), {.source = [](I source, const SourcePlace& at) {
                  const I before = at.k - slice_elements(at.call);
                  const bool again =
                      before >= 0 && at.sources[static_cast<std::size_t>(before)] == source;
                  return again ? nowhere : source;
              }});
    theme.add("indices-sorted", "slices come out in ascending order of where they lie", gather,
              {.source = [](I, const SourcePlace& at) {
                  std::vector<I> sorted(at.sources.begin(), at.sources.end());
                  std::ranges::sort(sorted);
                  return sorted[static_cast<std::size_t>(at.k)];
              }});
    theme.add("identity-copies", "with as many indices as the axis has elements, data is copied",
              gather, {.source = [](I source, const SourcePlace& at) {
                  return at.call.output.shape == at.call.data.shape && source != nowhere ? at.k
                                                                                         : source;
              }});
    theme.add("identity-copies-tuples", "with as many tuples as data has slices, data is copied",
              by_tuple, {.source = [](I source, const SourcePlace& at) {
                  return at.call.output.shape == at.call.data.shape ? at.k : source;
              }});
    theme.add("identity-copies-elements", "with as many indices as data has elements, it is copied",
              by_element, {.source = [](I source, const SourcePlace& at) {
                  return at.call.output.shape == at.call.data.shape ? at.k : source;
              }});
    theme.add("tuples-sorted", "elements come out in ascending order of where they lie", by_tuple,
              {.source = [](I source, const SourcePlace& at) {
                  if (slice_elements(at.call) > 1) return source;
                  std::vector<I> sorted(at.sources.begin(), at.sources.end());
                  std::ranges::sort(sorted);
                  return sorted[static_cast<std::size_t>(at.k)];
              }});
    theme.add("tuples-across-rows", "slices of GatherND are taken across data, not along it",
              by_tuple, {.source = [](I source, const SourcePlace& at) {
                  const I slice = slice_elements(at.call);
                  const I slices = elements(at.call.data.shape) / slice;
                  return source == nowhere ? source : source % slice * slices + source / slice;
              }});
    return theme.take();
}

std::vector<Mutant> tail_mutants() {
    Theme theme("tails and thresholds");
    const Versions gather{OperatorVersion::openvino_gather_8, OperatorVersion::onnx_gather_13};

    theme.add("last-element-missing", "the last element of the output is zero", newest_versions(),
              zero_from([](I count) { return count - 1; }));
    for (const I lanes : {2, 4, 8, 16, 32, 64}) {
        const std::string text = std::to_string(lanes);
        theme.add("tail-zero-" + text,
                  "elements behind the last whole vector of " + text + " are zero, if there is one",
                  gather, zero_from([lanes](I count) {
                      return count < lanes ? count : count / lanes * lanes;
                  }));
    }
    for (const I length : {16, 64, 256, 1024}) {
        const std::string text = std::to_string(length);
        theme.add("zero-from-" + text, "output elements from " + text + " on are zero", gather,
                  zero_from([length](I) { return length; }));
    }
    for (const I length : {16, 32, 64, 256}) {
        const std::string text = std::to_string(length);
        theme.add("table-of-" + text,
                  "an axis of more than " + text + " elements is read modulo " + text, gather,
                  {.index = [length](I index, const IndexPlace& at) {
                      return at.legal(index) && index >= length ? index % length : index;
                  }});
    }
    for (const I width : {8, 16, 32, 64}) {
        const std::string text = std::to_string(width);
        theme.add("slice-cut-to-" + text + "-bytes",
                  "of a slice only the first " + text + " bytes are copied", gather,
                  {.source = [width](I source, const SourcePlace& at) {
                      const I within = at.k % slice_elements(at.call);
                      return within * bytes_per_element(at.call) < width ? source : nowhere;
                  }});
    }
    theme.add("slice-tail-zero-16", "bytes of a slice behind its last whole 16 are zero", gather,
              {.source = [](I source, const SourcePlace& at) {
                  const I width = bytes_per_element(at.call);
                  const I size = slice_elements(at.call) * width;
                  const I within = at.k % slice_elements(at.call) * width;
                  return size < 16 || within < size / 16 * 16 ? source : nowhere;
              }});
    theme.add("odd-slices-cut", "slices of an odd number of elements lose the last", gather,
              {.source = [](I source, const SourcePlace& at) {
                  const I slice = slice_elements(at.call);
                  const bool last = at.k % slice == slice - 1;
                  return slice % 2 == 1 && slice > 1 && last ? nowhere : source;
              }});
    theme.add("long-runs-copied", "from 8 indices on, runs are taken to ascend by one", gather,
              {.index = [](I index, const IndexPlace& at) {
                  if (at.count < 8) return index;
                  const TensorView& indices = at.call.indices;
                  const auto first = integer_element(indices.type, indices.contents, at.k / 8 * 8);
                  const I run = first.value_or(beyond) == beyond ? beyond : *first + at.k % 8;
                  return at.legal(index) && at.legal(run) ? run : index;
              }});
    return theme.take();
}

}  // namespace gathercheck::mutant
