// SPDX-License-Identifier: Apache-2.0
// Mutants that misjudge which index values are in bounds, or what follows where they are not.
#include <algorithm>
#include <cstring>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

std::int64_t clamped(std::int64_t index, const IndexPlace& place) {
    if (place.s == 0) return index;
    return std::clamp(index, place.first(), place.s - 1);
}

/// The size of the dimension that an index would pick from, were that dimension another one.
std::int64_t size_of(const CheckedCall& call, std::int64_t dimension) {
    return call.data.shape[dimension];
}

/// The first index that is out of bounds; nothing where there is none.
std::optional<std::int64_t> first_bad_index(const CheckedCall& call) {
    if (call.indices.contents == nullptr) return std::nullopt;
    const std::int64_t s = call.data.shape[call.axis];
    for (std::int64_t k = 0; k < elements(call.indices.shape); ++k) {
        const auto index = integer_element(call.indices.type, call.indices.contents, k);
        if (!index || *index < -s || *index >= s) return k;
    }
    return std::nullopt;
}

}  // namespace

std::vector<Mutant> bounds_mutants() {
    Theme theme("bounds");
    const Versions rejecting = versions_where(rejects_bad_indices);
    const Versions negative = versions_where(takes_negative);
    const Versions zeroing{OperatorVersion::openvino_gather_8};

    theme.add("index-s-accepted", "an index equal to the size of the axis takes the last element",
              all_versions(), {.index = [](std::int64_t index, const IndexPlace& place) {
                  return index == place.s ? index - 1 : index;
              }});
    theme.add("index-s-minus-1-refused", "the last element of the axis is out of bounds",
              all_versions(), {.index = [](std::int64_t index, const IndexPlace& place) {
                  return index == place.s - 1 ? beyond : index;
              }});
    theme.add("index-minus-s-refused", "the most negative legal index, -s, is out of bounds",
              negative, {.index = [](std::int64_t index, const IndexPlace& place) {
                  return index == -place.s ? beyond : index;
              }});
    theme.add("index-below-minus-s-accepted", "an index of -s-1 takes the first element", negative,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return index == -place.s - 1 && place.s > 0 ? 0 : index;
              }});
    theme.add("lower-bound-unchecked", "an index below the range takes the first element", negative,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return index < place.first() && place.s > 0 ? 0 : index;
              }});
    theme.add("upper-bound-unchecked", "an index above the range takes the last element",
              all_versions(), {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.s > 0 ? std::min(index, place.s - 1) : index;
              }});
    theme.add("index-clamped", "indices out of bounds are clamped to the range", all_versions(),
              {.index = clamped});
    theme.add("index-wraps", "indices are taken modulo the size of the axis", all_versions(),
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.s == 0 ? index : (index % place.s + place.s) % place.s;
              }});
    theme.add("first-index-unchecked", "the first index is not checked", rejecting,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.k == 0 ? clamped(index, place) : index;
              }});
    theme.add("only-first-index-checked", "only the first index is checked", rejecting,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.k == 0 ? index : clamped(index, place);
              }});
    theme.add("last-index-unchecked", "the last index is not checked", rejecting,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.k == place.count - 1 ? clamped(index, place) : index;
              }});
    theme.add("middle-indices-unchecked", "only the first and the last index are checked",
              rejecting, {.index = [](std::int64_t index, const IndexPlace& place) {
                  const bool middle = place.k > 0 && place.k < place.count - 1;
                  return middle ? clamped(index, place) : index;
              }});
    for (const std::int64_t lanes : {4, 16}) {
        const std::string width = std::to_string(lanes);
        theme.add("tail-unchecked-" + width,
                  "indices behind the last whole vector of " + width + " are not checked",
                  rejecting, {.index = [lanes](std::int64_t index, const IndexPlace& place) {
                      const bool tail = place.k >= place.count / lanes * lanes;
                      return tail ? clamped(index, place) : index;
                  }});
        theme.add("vectors-unchecked-" + width,
                  "only the indices behind the last whole vector of " + width + " are checked",
                  rejecting, {.index = [lanes](std::int64_t index, const IndexPlace& place) {
                      const bool tail = place.k >= place.count / lanes * lanes;
                      return tail ? index : clamped(index, place);
                  }});
    }
    theme.add("bounds-of-first-dimension",
              "indices are checked against the first dimension of data", versions_where(has_axis),
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  const std::int64_t s = size_of(place.call, 0);
                  return index < -s || index >= s ? beyond : clamped(index, place);
              }});
    theme.add("bounds-of-last-dimension", "indices are checked against the last dimension of data",
              versions_where(has_axis), {.index = [](std::int64_t index, const IndexPlace& place) {
                  const std::int64_t s = size_of(place.call, place.call.data.shape.rank() - 1);
                  return index < -s || index >= s ? beyond : clamped(index, place);
              }});
    theme.add("bounds-of-all-data", "indices are checked against the number of elements of data",
              all_versions(), {.index = [](std::int64_t index, const IndexPlace& place) {
                  const std::int64_t s = elements(place.call.data.shape);
                  return index < -s || index >= s ? index : clamped(index, place);
              }});
    theme.add("components-bound-by-first",
              "every component of a tuple is checked against the first dimension",
              versions_where(is_gather_nd),
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  const std::int64_t s = size_of(place.call, place.call.batch_dims);
                  return index < -s || index >= s ? beyond : clamped(index, place);
              }});
    theme.add("components-bound-by-largest",
              "every component of a tuple is checked against the largest dimension",
              versions_where(is_gather_nd),
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  const std::int64_t s = *std::ranges::max_element(place.call.data.shape.dims());
                  return index < -s || index >= s ? index : clamped(index, place);
              }});
    theme.add("last-component-unchecked", "the last component of a tuple is not checked",
              versions_where(is_gather_nd),
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  const Shape& shape = place.call.indices.shape;
                  const std::int64_t n = shape[shape.rank() - 1];
                  return place.k % n == n - 1 ? clamped(index, place) : index;
              }});
    theme.add(
        "empty-output-unchecked", "with nothing to copy, indices are not checked", rejecting,
        {.unchecked = [](const CheckedCall& call) { return elements(call.output.shape) == 0; }});
    theme.add("one-element-axis-unchecked", "on an axis of size 1 every index takes the element",
              all_versions(), {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.s == 1 ? 0 : index;
              }});
    theme.add("bad-index-writes-zeros", "an index out of bounds gives zeros, as in Gather-8",
              {OperatorVersion::onnx_gather_1, OperatorVersion::onnx_gather_11,
               OperatorVersion::onnx_gather_13},
              {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  call.version = OperatorVersion::openvino_gather_8;
                  return std::nullopt;
              }});
    theme.add("bad-index-refused", "an index out of bounds is refused, not answered with zeros",
              zeroing, {.checked = [](CheckedCall& call) -> std::optional<Error> {
                  const auto bad = first_bad_index(call);
                  return bad ? std::optional(index_error(call, *bad)) : std::nullopt;
              }});
    theme.add("bad-index-ends-the-call", "from the first index out of bounds on all is zero",
              zeroing, {.contents = [](const Finished& finished) {
                  const CheckedCall& call = finished.call;
                  const auto bad = first_bad_index(call);
                  // With one outer slice the output is the slices in the order of the indices.
                  if (!bad || elements(call.data.shape.slice(0, call.axis)) != 1) return;
                  const std::int64_t slice = slice_elements(call);
                  for (std::int64_t k = *bad * slice; k < elements(call.output.shape); ++k) {
                      zero_element(call.output.type, finished.contents.data(), k);
                  }
              }});
    theme.add("bad-index-writes-one-zero",
              "an index out of bounds zeroes one element, and copies the rest of a first slice",
              zeroing, {.source = [](std::int64_t source, const SourcePlace& place) {
                  const std::int64_t slice = slice_elements(place.call);
                  return source == nowhere && place.k % slice != 0 ? place.k % slice : source;
              }});
    theme.add("bad-index-writes-ones", "an index out of bounds gives all-one bits", zeroing,
              {.contents = [](const Finished& finished) {
                  const CheckedCall& call = finished.call;
                  if (bits(call.output.type) % 8 != 0 || call.output.type == ElementType::string) {
                      return;
                  }
                  const auto bad = first_bad_index(call);
                  if (!bad || *bad != 0 || finished.contents.empty()) return;
                  std::memset(finished.contents.data(), 0xFF,
                              static_cast<std::size_t>(bits(call.output.type) / 8));
              }});
    return theme.take();
}

}  // namespace gathercheck::mutant
