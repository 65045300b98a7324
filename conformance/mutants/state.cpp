// SPDX-License-Identifier: Apache-2.0
// Mutants that remember earlier calls, or whose answers differ from run to run.
#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

/// Version, types and shapes of a call: what a cache of plans may look at.
std::string shapes_of(const Call& call) {
    std::string key(name(call.version));
    for (const Input& input : call.inputs) {
        key += " " + std::string(name(input.tensor.type)) + to_string(input.tensor.shape);
    }
    return key;
}

std::string shapes_of(const CheckedCall& call) {
    return std::string(name(call.version)) + " " + std::string(name(call.data.type)) +
           to_string(call.data.shape) + " " + to_string(call.indices.shape) +
           std::to_string(call.axis) + " " + std::to_string(call.batch_dims);
}

bool is_legal(const EditedCall& edited) { return check(edited.call).ok(); }

}  // namespace

std::vector<Mutant> state_mutants() {
    Theme theme("state");
    using Numbers = std::map<std::string, std::int64_t>;
    using Answers = std::map<std::string, std::vector<std::byte>>;
    using Shapes = std::set<std::string>;

    theme.add(
        "axis-of-first-call", "a plan is kept by shapes alone: the first axis is used for all",
        versions_where(has_axis),
        {.call = [plans = std::make_shared<Numbers>()](EditedCall& edited) -> std::optional<Error> {
            const auto axis = edited.axis();
            if (!axis || !is_legal(edited)) return std::nullopt;
            edited.set_axis(plans->emplace(shapes_of(edited.call), *axis).first->second);
            return std::nullopt;
        }});
    theme.add(
        "batch-dims-of-first-call",
        "a plan is kept by shapes alone: the first batch_dims is used for all",
        versions_where(has_batch_dims),
        {.call = [plans = std::make_shared<Numbers>()](EditedCall& edited) -> std::optional<Error> {
            if (!is_legal(edited)) return std::nullopt;
            const std::int64_t given = edited.attribute("batch_dims").value_or(0);
            edited.set_attribute("batch_dims",
                                 plans->emplace(shapes_of(edited.call), given).first->second);
            return std::nullopt;
        }});
    theme.add("default-axis-is-the-last-one-given", "an absent axis is that of the call before",
              {OperatorVersion::onnx_gather_1, OperatorVersion::onnx_gather_11,
               OperatorVersion::onnx_gather_13, OperatorVersion::onnx_gather_elements_13},
              {.call = [last = std::make_shared<std::int64_t>(0)](
                           EditedCall& edited) -> std::optional<Error> {
                  const auto given = edited.attribute("axis");
                  if (given && is_legal(edited)) *last = *given;
                  if (edited.call.attributes.empty() && *last < edited.N()) {
                      edited.set_attribute("axis", *last);
                  }
                  return std::nullopt;
              }});
    theme.add("default-batch-dims-is-the-last-one-given",
              "an absent batch_dims is that of the call before", versions_where(has_batch_dims),
              {.call = [last = std::make_shared<std::int64_t>(0)](
                           EditedCall& edited) -> std::optional<Error> {
                  const auto given = edited.attribute("batch_dims");
                  if (given && is_legal(edited)) *last = *given;
                  if (edited.call.attributes.empty()) edited.set_attribute("batch_dims", *last);
                  return std::nullopt;
              }});
    theme.add("answer-of-first-call", "answers are kept by shapes: data is not looked at again",
              newest_versions(),
              {.contents = [answers = std::make_shared<Answers>()](const Finished& finished) {
                  if (finished.call.output.type == ElementType::string) return;
                  const auto& [key, answer] =
                      *answers
                           ->try_emplace(shapes_of(finished.call), finished.contents.begin(),
                                         finished.contents.end())
                           .first;
                  std::ranges::copy(answer, finished.contents.begin());
              }});
    theme.add("indices-of-first-call", "indices are taken for constants: the first ones are kept",
              versions_where(is_gather),
              {.index = [seen = std::make_shared<Numbers>()](std::int64_t index,
                                                             const IndexPlace& place) {
                  const std::string key = shapes_of(place.call) + "#" + std::to_string(place.k);
                  return place.legal(index) ? seen->emplace(key, index).first->second : index;
              }});
    theme.add(
        "checked-once", "indices are checked in the first call of given shapes only",
        versions_where(rejects_bad_indices),
        {.accepts = [seen = std::make_shared<Shapes>()](const Call& call, const Error& error) {
            // The shapes of two calls with a bad index are enough: one is a repeat.
            return error.category == Category::index_out_of_bounds &&
                   !seen->insert(shapes_of(call)).second;
        }});
    theme.add("error-remembered", "after an error a call of the same shapes fails as well",
              newest_versions(),
              {.call = [failed = std::make_shared<std::map<std::string, Error>>()](
                           EditedCall& edited) -> std::optional<Error> {
                  const auto checked = check(edited.call);
                  const std::string key = shapes_of(edited.call);
                  if (!checked) failed->emplace(key, checked.error());
                  const auto found = failed->find(key);
                  return found == failed->end() ? std::nullopt : std::optional(found->second);
              }});
    theme.add(
        "error-passes-once", "the call after a rejected one is rejected too", newest_versions(),
        {.call = [pending =
                      std::make_shared<bool>(false)](EditedCall& edited) -> std::optional<Error> {
            if (!is_legal(edited)) {
                *pending = true;
                return std::nullopt;
            }
            if (!std::exchange(*pending, false)) return std::nullopt;
            return broken(edited.call.version, Check::data_rank, Category::rank_too_small);
        }});
    theme.add("every-13th-call-wrong", "every 13th answer ends in a wrong byte", newest_versions(),
              {.contents = [count = std::make_shared<int>(0)](const Finished& finished) {
                  const bool wrong = ++*count % 13 == 0;
                  if (wrong && finished.call.output.type != ElementType::string &&
                      !finished.contents.empty()) {
                      finished.contents.back() ^= std::byte{1};
                  }
              }});
    theme.add("output-accumulates", "what the output held before shows through", newest_versions(),
              {.write = [](const Finished& finished, std::span<std::byte> output) {
                  std::ranges::transform(finished.contents, output, output.begin(),
                                         [](std::byte a, std::byte b) { return a | b; });
              }});
    theme.add("zero-bytes-not-written", "bytes that are zero are not written", newest_versions(),
              {.write = [](const Finished& finished, std::span<std::byte> output) {
                  std::ranges::transform(
                      finished.contents, output, output.begin(),
                      [](std::byte a, std::byte b) { return a == std::byte{} ? b : a; });
              }});
    theme.add("address-matters", "with an output that is not aligned to 16 bytes the last is zero",
              newest_versions(),
              {.write = [](const Finished& finished, std::span<std::byte> output) {
                  std::ranges::copy(finished.contents, output.begin());
                  const auto address = std::bit_cast<std::uintptr_t>(output.data());
                  if (!output.empty() && address % 16 != 0) output.back() = std::byte{};
              }});

    // What a prepared model keeps of its first call: only sequences see it.
    theme.add("model-keeps-indices", "a model keeps the indices of its first call",
              newest_versions(), [] {
                  const auto kept = std::make_shared<Numbers>();
                  return Bug{.index =
                                 [kept](std::int64_t index, const IndexPlace& place) {
                                     if (!place.legal(index)) return index;
                                     const auto key = std::to_string(place.k);
                                     const std::int64_t first =
                                         kept->emplace(key, index).first->second;
                                     return place.legal(first) ? first : index;
                                 },
                             .new_model = [kept] { kept->clear(); }};
              }());
    theme.add(
        "model-keeps-data",
        "a model keeps the data of its first call, where types and shapes "
        "are the same",
        newest_versions(), [] {
            const auto kept = std::make_shared<std::map<std::string, std::vector<std::byte>>>();
            return Bug{
                .checked = [kept](CheckedCall& call) -> std::optional<Error> {
                    if (call.data.contents == nullptr || call.data.type == ElementType::string) {
                        return std::nullopt;
                    }
                    const auto size = *byte_size({call.data.type, call.data.shape});
                    const auto first = kept->try_emplace(shapes_of(call), call.data.contents,
                                                         call.data.contents + size)
                                           .first;
                    call.data.contents = first->second.data();
                    return std::nullopt;
                },
                .new_model = [kept] { kept->clear(); }};
        }());
    theme.add("model-keeps-output-shape", "a model keeps the output shape of its first call",
              newest_versions(), [] {
                  const auto kept = std::make_shared<std::optional<Shape>>();
                  return Bug{.descriptor =
                                 [kept](Descriptor& output, const CheckedCall&) {
                                     if (!*kept) *kept = output.shape;
                                     output.shape = **kept;
                                 },
                             .new_model = [kept] { kept->reset(); }};
              }());
    theme.add("model-only-grows", "the output of a model never has fewer elements than before",
              newest_versions(), [] {
                  const auto kept = std::make_shared<std::optional<Shape>>();
                  return Bug{.descriptor =
                                 [kept](Descriptor& output, const CheckedCall&) {
                                     if (*kept && elements(**kept) > elements(output.shape)) {
                                         output.shape = **kept;
                                     }
                                     *kept = output.shape;
                                 },
                             .new_model = [kept] { kept->reset(); }};
              }());
    theme.add("model-keeps-axis", "a model keeps the axis of its first call",
              versions_where(has_axis_input), [] {
                  const auto kept = std::make_shared<std::optional<std::int64_t>>();
                  return Bug{.call = [kept](EditedCall& edited) -> std::optional<Error> {
                                 const auto axis = edited.axis();
                                 if (!axis || !is_legal(edited)) return std::nullopt;
                                 if (!*kept) *kept = axis;
                                 edited.set_axis(**kept);
                                 return std::nullopt;
                             },
                             .new_model = [kept] { kept->reset(); }};
              }());
    theme.add(
        "model-keeps-bad-index", "a model that met an index out of bounds refuses all that comes",
        versions_where(rejects_bad_indices), [] {
            const auto failed = std::make_shared<std::optional<Error>>();
            return Bug{.call = [failed](EditedCall&) -> std::optional<Error> { return *failed; },
                       .error =
                           [failed](const Call&, Error error) {
                               if (error.category == Category::index_out_of_bounds) {
                                   *failed = error;
                               }
                               return error;
                           },
                       .new_model = [failed] { failed->reset(); }};
        }());
    theme.add("model-checks-once", "a model checks the indices of its first call only",
              versions_where(rejects_bad_indices), [] {
                  const auto calls = std::make_shared<int>(0);
                  return Bug{.accepts =
                                 [calls](const Call&, const Error& error) {
                                     return error.category == Category::index_out_of_bounds &&
                                            *calls > 2;  // both steps of a call check it
                                 },
                             .checked = [calls](CheckedCall& call) -> std::optional<Error> {
                                 if (call.indices.contents != nullptr) ++*calls;
                                 return std::nullopt;
                             },
                             .new_model = [calls] { *calls = 0; }};
              }());
    return theme.take();
}

}  // namespace gathercheck::mutant
