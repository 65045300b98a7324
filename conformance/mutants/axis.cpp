// SPDX-License-Identifier: Apache-2.0
// Mutants that misread the axis.
#include <algorithm>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

/// A bug that reads another axis than the one given.
template <class Read>
Bug axis_read_as(Read read) {
    return {.call = [read](EditedCall& edited) -> std::optional<Error> {
        const auto axis = edited.axis();
        if (axis) edited.set_axis(read(*axis, edited.N(), edited.M()));
        return std::nullopt;
    }};
}

/// A bug that reads another axis, but only where the one given is legal.
template <class Read>
Bug legal_axis_read_as(Read read) {
    return axis_read_as([read](std::int64_t axis, std::int64_t N, std::int64_t M) {
        return axis < -N || axis >= N ? axis : read(axis, N, M);
    });
}

/// A bug that refuses some legal axes.
template <class Refuses>
Bug axis_refused(Refuses refuses) {
    return axis_read_as([refuses](std::int64_t axis, std::int64_t N, std::int64_t) {
        return refuses(axis, N) ? N : axis;
    });
}

std::int64_t sign_extended(std::int64_t value, int width) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << (64 - width)) >>
           (64 - width);
}

}  // namespace

std::vector<Mutant> axis_mutants() {
    Theme theme("axis");
    const Versions with_axis = versions_where(has_axis);
    const Versions with_input = versions_where(has_axis_input);
    const Versions with_attribute =
        versions_where([](const OperatorInfo& op) { return op.axis == AxisSource::attribute; });
    using I = std::int64_t;

    theme.add("axis-ignored", "the axis is always 0", with_axis,
              legal_axis_read_as([](I, I, I) { return I{0}; }));
    theme.add("axis-always-last", "the axis is always the last", with_axis,
              legal_axis_read_as([](I, I, I) { return I{-1}; }));
    theme.add(
        "axis-from-the-end", "axes are counted from the last one on", with_axis,
        legal_axis_read_as([](I axis, I N, I) { return axis < 0 ? -N - axis - 1 : N - 1 - axis; }));
    theme.add("axis-default-last", "an absent axis is the last one", with_attribute,
              {.call = [](EditedCall& edited) -> std::optional<Error> {
                  const auto& given = edited.call.attributes;
                  if (std::ranges::find(given, "axis", &Attribute::name) == given.end()) {
                      edited.set_attribute("axis", -1);
                  }
                  return std::nullopt;
              }});
    theme.add("axis-default-one", "an absent axis is 1", with_attribute,
              {.call = [](EditedCall& edited) -> std::optional<Error> {
                  const auto& given = edited.call.attributes;
                  if (std::ranges::find(given, "axis", &Attribute::name) == given.end()) {
                      edited.set_attribute("axis", 1);
                  }
                  return std::nullopt;
              }});
    theme.add("axis-required", "an absent axis is an error", with_attribute,
              {.call = [](EditedCall& edited) -> std::optional<Error> {
                  const auto& given = edited.call.attributes;
                  if (std::ranges::find(given, "axis", &Attribute::name) != given.end()) {
                      return std::nullopt;
                  }
                  return Error{Category::missing_attribute, Phase::build, "", "axis is absent"};
              }});
    theme.add("negative-axis-refused", "a negative axis is out of range", with_axis,
              axis_refused([](I axis, I) { return axis < 0; }));
    theme.add("negative-axis-off-by-one", "axis -1 is the last but one", with_axis,
              legal_axis_read_as(
                  [](I axis, I N, I) { return axis >= 0 ? axis : (axis + N - 1 + N) % N; }));
    theme.add("negative-axis-from-indices",
              "a negative axis counts from the rank of indices, not of data", with_axis,
              legal_axis_read_as([](I axis, I N, I M) {
                  return axis >= 0 ? axis : std::clamp<I>(axis + M, 0, N - 1);
              }));
    theme.add("negative-axis-from-output", "a negative axis counts from the rank of the output",
              versions_where(is_gather), legal_axis_read_as([](I axis, I N, I M) {
                  return axis >= 0 ? axis : std::clamp<I>(axis + N + M - 1, 0, N - 1);
              }));
    theme.add("negative-axis-taken-for-0", "a negative axis is taken for 0", with_axis,
              legal_axis_read_as([](I axis, I, I) { return std::max<I>(axis, 0); }));
    theme.add("negative-axis-clamped-to-0", "a negative axis is taken for 0, also one out of range",
              with_axis, axis_read_as([](I axis, I, I) { return std::max<I>(axis, 0); }));
    theme.add("axis-sign-lost", "the sign of the axis is lost", with_axis,
              legal_axis_read_as(
                  [](I axis, I N, I) { return axis < 0 ? std::min(-axis, N - 1) : axis; }));
    theme.add("axis-N-accepted", "an axis equal to the rank is the last one", with_axis,
              axis_read_as([](I axis, I N, I) { return axis == N ? N - 1 : axis; }));
    theme.add("axis-below-minus-N-accepted", "axis -N-1 is the first one", with_axis,
              axis_read_as([](I axis, I N, I) { return axis == -N - 1 ? 0 : axis; }));
    theme.add("axis-minus-N-refused", "axis -N is out of range", with_axis,
              axis_refused([](I axis, I N) { return axis == -N; }));
    theme.add("axis-N-minus-1-refused", "axis N-1 is out of range where N is more than 1",
              with_axis, axis_refused([](I axis, I N) { return N > 1 && axis == N - 1; }));
    theme.add("axis-wraps", "the axis is taken modulo the rank", with_axis,
              axis_read_as([](I axis, I N, I) { return N == 0 ? axis : (axis % N + N) % N; }));
    theme.add(
        "axis-clamped", "an axis out of range is clamped", with_axis,
        axis_read_as([](I axis, I N, I) { return N == 0 ? axis : std::clamp(axis, -N, N - 1); }));
    for (const int width : {8, 32}) {
        const std::string text = std::to_string(width);
        theme.add("axis-cut-to-" + text + "-bits", "the axis is cut to " + text + " bits",
                  with_axis,
                  axis_read_as([width](I axis, I, I) { return sign_extended(axis, width); }));
    }
    using enum ElementType;
    for (const ElementType type : {u8, u16, u32, u64}) {
        theme.add("signed-axis-" + std::string(name(type)),
                  "an axis of type " + std::string(name(type)) + " is read as signed", with_input,
                  {.call = [type](EditedCall& edited) -> std::optional<Error> {
                      const TensorView* axis = edited.input("axis");
                      if (axis == nullptr || axis->type != type || axis->contents == nullptr ||
                          elements(axis->shape) != 1) {
                          return std::nullopt;
                      }
                      const auto pattern = element_bits(type, axis->contents, 0);
                      edited.set_axis(sign_extended(static_cast<I>(pattern), bits(type)));
                      return std::nullopt;
                  }});
    }
    theme.add("axis-1d-refused", "an axis of shape [1] is no scalar", with_input,
              {.call = [](EditedCall& edited) -> std::optional<Error> {
                  const TensorView* axis = edited.input("axis");
                  if (axis == nullptr || axis->shape != Shape{1}) return std::nullopt;
                  return broken(edited.call.version, Check::axis_shape, Category::axis_not_scalar);
              }});
    theme.add("axis-first-of-many", "of an axis input with several elements the first one counts",
              with_input, {.call = [](EditedCall& edited) -> std::optional<Error> {
                  const TensorView* axis = edited.input("axis");
                  const auto value = edited.axis();
                  if (value && axis->shape.rank() == 1) {
                      *edited.input("axis") = edited.integers(Shape{}, std::array{*value});
                  }
                  return std::nullopt;
              }});
    theme.add("axis-any-rank", "an axis of shape [1, 1] is as good as a scalar", with_input,
              {.call = [](EditedCall& edited) -> std::optional<Error> {
                  const TensorView* axis = edited.input("axis");
                  const auto value = edited.axis();
                  if (value && elements(axis->shape) == 1) {
                      *edited.input("axis") = edited.integers(Shape{}, std::array{*value});
                  }
                  return std::nullopt;
              }});
    return theme.take();
}

}  // namespace gathercheck::mutant
