// SPDX-License-Identifier: Apache-2.0
// Mutants that read or write beside their tensors, or leave elements unwritten.
#include <algorithm>
#include <cstring>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

std::int64_t size_of(const TensorView& tensor) {
    return byte_size({tensor.type, tensor.shape}).value_or(0);
}

/// Reads a byte, whether or not it is anybody's.
void touch(const std::byte* place) {
    [[maybe_unused]] const std::byte byte = *static_cast<const volatile std::byte*>(place);
}

void poke(std::byte* place) { *static_cast<volatile std::byte*>(place) = std::byte{0x5A}; }

std::int64_t rounded_up(std::int64_t size, std::int64_t to) { return (size + to - 1) / to * to; }

/// A bug beside the answer, which is right. It is one of the code for f64 data: most of these end
/// the process, which costs time.
template <class Act>
Bug beside(Act act) {
    return {.write = [act](const Finished& finished, std::span<std::byte> output) {
        std::ranges::copy(finished.contents, output.begin());
        if (!output.empty() && finished.call.data.type == ElementType::f64) {
            act(finished.call, output);
        }
    }};
}

Versions gather_versions() { return {OperatorVersion::onnx_gather_13}; }

}  // namespace

std::vector<Mutant> memory_mutants() {
    Theme theme("memory");
    using Output = std::span<std::byte>;

    theme.add("reads-past-data", "the byte behind data is read", gather_versions(),
              beside([](const CheckedCall& call, Output) {
                  touch(call.data.contents + size_of(call.data));
              }));
    theme.add("reads-before-data", "the byte before data is read", gather_versions(),
              beside([](const CheckedCall& call, Output) { touch(call.data.contents - 1); }));
    theme.add("reads-past-indices", "the byte behind indices is read", gather_versions(),
              beside([](const CheckedCall& call, Output) {
                  touch(call.indices.contents + size_of(call.indices));
              }));
    theme.add("reads-before-indices", "the byte before indices is read", gather_versions(),
              beside([](const CheckedCall& call, Output) { touch(call.indices.contents - 1); }));
    for (const std::int64_t width : {16, 64}) {
        const std::string text = std::to_string(width);
        theme.add("reads-data-by-" + text, "data is read in whole vectors of " + text + " bytes",
                  gather_versions(), beside([width](const CheckedCall& call, Output) {
                      touch(call.data.contents + rounded_up(size_of(call.data), width) - 1);
                  }));
        theme.add("writes-output-by-" + text,
                  "the output is written in whole vectors of " + text + " bytes", gather_versions(),
                  beside([width](const CheckedCall&, Output output) {
                      const auto size = static_cast<std::int64_t>(output.size());
                      for (std::int64_t k = size; k < rounded_up(size, width); ++k) {
                          poke(output.data() + k);
                      }
                  }));
    }
    theme.add("reads-indices-as-i64", "indices are read by 8 bytes, whatever their type",
              gather_versions(), beside([](const CheckedCall& call, Output) {
                  const std::int64_t last = elements(call.indices.shape) - 1;
                  touch(call.indices.contents + last * bits(call.indices.type) / 8 + 7);
              }));
    theme.add("reads-data-unchecked", "data is read before the index is checked",
              {OperatorVersion::onnx_gather_13},
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  const CheckedCall& call = place.call;
                  const std::int64_t stride =
                      size_of(call.data) / std::max<std::int64_t>(place.s, 1);
                  if (call.data.type == ElementType::f64 && !place.legal(index) && index > 0 &&
                      index < (std::int64_t{1} << 31)) {
                      touch(call.data.contents + index * stride);
                  }
                  return index;
              }});
    theme.add(
        "writes-past-output", "the byte behind the output is written", gather_versions(),
        beside([](const CheckedCall&, Output output) { poke(output.data() + output.size()); }));
    theme.add("writes-before-output", "the byte before the output is written", gather_versions(),
              beside([](const CheckedCall&, Output output) { poke(output.data() - 1); }));
    theme.add("writes-to-data", "data is used as scratch memory", gather_versions(),
              beside([](const CheckedCall& call, Output) {
                  poke(const_cast<std::byte*>(call.data.contents));
              }));
    theme.add("normalises-indices-in-place", "negative indices are made positive where they lie",
              gather_versions(), {.write = [](const Finished& finished, Output output) {
                  std::ranges::copy(finished.contents, output.begin());
                  const CheckedCall& call = finished.call;
                  auto* contents = const_cast<std::byte*>(call.indices.contents);
                  const TensorView& indices = call.indices;
                  for (std::int64_t k = 0; k < elements(indices.shape); ++k) {
                      const auto index = integer_element(indices.type, contents, k);
                      if (!index || *index >= 0 || bits(indices.type) < 64) continue;
                      set_element_bits(indices.type, contents, k,
                                       static_cast<std::uint64_t>(*index + 1));
                  }
              }});
    theme.add("last-element-unwritten", "the last element is not written", gather_versions(),
              {.write = [](const Finished& finished, Output output) {
                  const std::int64_t width = std::max(bits(finished.call.output.type) / 8, 1);
                  if (output.empty()) return;
                  std::copy(finished.contents.begin(), finished.contents.end() - width,
                            output.begin());
              }});
    theme.add("first-element-unwritten", "the first element is not written", gather_versions(),
              {.write = [](const Finished& finished, Output output) {
                  const std::int64_t width = std::max(bits(finished.call.output.type) / 8, 1);
                  if (output.empty()) return;
                  std::copy(finished.contents.begin() + width, finished.contents.end(),
                            output.begin() + width);
              }});
    theme.add("nothing-written", "the output is not written at all", gather_versions(),
              {.write = [](const Finished&, Output) {}});
    theme.add("zeros-unwritten", "what Gather-8 gives for an index out of bounds is not written",
              {OperatorVersion::openvino_gather_8},
              {.write = [](const Finished& finished, Output output) {
                  const CheckedCall& call = finished.call;
                  const bool whole = bits(call.output.type) % 8 == 0;
                  const std::int64_t s = call.data.shape[call.axis];
                  const auto first =
                      elements(call.indices.shape) == 0
                          ? std::nullopt
                          : integer_element(call.indices.type, call.indices.contents, 0);
                  const bool bad = first && (*first < -s || *first >= s);
                  const std::size_t from =
                      bad && whole ? static_cast<std::size_t>(bits(call.output.type) / 8) : 0;
                  if (output.size() < from) return;
                  std::ranges::copy(finished.contents.subspan(from), output.subspan(from).begin());
              }});
    theme.add("string-one-too-long", "a string takes one byte of its neighbour along",
              gather_versions(), {.contents = [](const Finished& finished) {
                  if (finished.call.output.type != ElementType::string) return;
                  for (std::size_t at = 0; at < finished.contents.size(); at += 16) {
                      StringElement element;
                      std::memcpy(&element, finished.contents.data() + at, sizeof element);
                      ++element.length;
                      std::memcpy(finished.contents.data() + at, &element, sizeof element);
                  }
              }});
    theme.add("string-points-elsewhere", "strings of the output are copies that nobody keeps",
              gather_versions(), {.contents = [](const Finished& finished) {
                  if (finished.call.output.type != ElementType::string) return;
                  static char gone[] = "gone";
                  for (std::size_t at = 0; at < finished.contents.size(); at += 16) {
                      StringElement element;
                      std::memcpy(&element, finished.contents.data() + at, sizeof element);
                      element.bytes = gone;
                      std::memcpy(finished.contents.data() + at, &element, sizeof element);
                  }
              }});
    return theme.take();
}

}  // namespace gathercheck::mutant
