// SPDX-License-Identifier: Apache-2.0
// Mutants that leave out a check, give another error, or make the checks in another order.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

constexpr std::int64_t two_gib = std::int64_t{1} << 31;

struct CheckName {
    Check check;
    std::string_view name;
    std::string_view what;
};

constexpr std::array<CheckName, check_count> check_names{{
    {Check::inputs_count, "inputs-count", "the number of inputs"},
    {Check::attribute_unknown, "attribute-unknown", "that the attributes are the operator's"},
    {Check::attribute_kind, "attribute-kind", "that an attribute is an integer"},
    {Check::attributes_given, "attributes-given", "that the attributes are there"},
    {Check::data_type, "data-type", "the element type of data"},
    {Check::indices_type, "indices-type", "the element type of indices"},
    {Check::axis_type, "axis-type", "the element type of axis"},
    {Check::data_rank, "data-rank", "that data has a dimension"},
    {Check::indices_rank, "indices-rank", "that indices has a dimension"},
    {Check::rank_equal, "rank-equal", "that data and indices have one rank"},
    {Check::axis_given, "axis-given", "that axis is there where it has no default"},
    {Check::axis_shape, "axis-shape", "that axis is one number"},
    {Check::axis_range, "axis-range", "the range of axis"},
    {Check::batch_dims_range, "batch-dims-range", "the range of batch_dims"},
    {Check::batch_dims_le_axis, "batch-dims-le-axis", "that batch_dims is at most axis"},
    {Check::batch_shape, "batch-shape", "that the batch dimensions are equal"},
    {Check::other_dims, "other-dims", "the dimensions off the axis"},
    {Check::tuple_length_min, "tuple-length-min", "that a tuple has a component"},
    {Check::tuple_length_max, "tuple-length-max", "that a tuple is not too long"},
    {Check::operand_rank, "operand-rank", "C1 of StableHLO's gather"},
    {Check::index_vector_dim_range, "index-vector-dim-range", "C2 of StableHLO's gather"},
    {Check::start_index_map_size, "start-index-map-size", "C3 of StableHLO's gather"},
    {Check::offset_dims_order, "offset-dims-order", "C4 of StableHLO's gather"},
    {Check::offset_dims_range, "offset-dims-range", "C5 of StableHLO's gather"},
    {Check::window_dims_unique, "window-dims-unique", "C6 of StableHLO's gather"},
    {Check::collapsed_slice_dims_order, "collapsed-slice-dims-order", "C7 of StableHLO's gather"},
    {Check::collapsed_slice_dims_range, "collapsed-slice-dims-range", "C8 of StableHLO's gather"},
    {Check::collapsed_slice_sizes, "collapsed-slice-sizes", "C9 of StableHLO's gather"},
    {Check::operand_batching_dims_order, "operand-batching-dims-order",
     "C10 of StableHLO's gather"},
    {Check::operand_batching_dims_range, "operand-batching-dims-range",
     "C11 of StableHLO's gather"},
    {Check::operand_batching_sizes, "operand-batching-sizes", "C12 of StableHLO's gather"},
    {Check::start_indices_batching_dims_unique, "start-indices-batching-dims-unique",
     "C13 of StableHLO's gather"},
    {Check::start_indices_batching_dims_range, "start-indices-batching-dims-range",
     "C14 of StableHLO's gather"},
    {Check::index_vector_dim_not_batching, "index-vector-dim-not-batching",
     "C15 of StableHLO's gather"},
    {Check::batching_dims_size, "batching-dims-size", "C16 of StableHLO's gather"},
    {Check::batching_dims_shape, "batching-dims-shape", "C17 of StableHLO's gather"},
    {Check::start_index_map_unique, "start-index-map-unique", "C18 of StableHLO's gather"},
    {Check::start_index_map_range, "start-index-map-range", "C19 of StableHLO's gather"},
    {Check::slice_sizes_size, "slice-sizes-size", "C20 of StableHLO's gather"},
    {Check::slice_sizes_range, "slice-sizes-range", "C21 of StableHLO's gather"},
    {Check::output_size, "output-size", "that sizes fit 63 bits"},
    {Check::index_range, "index-range", "the index values"},
}};

Versions versions_with(Check check) {
    Versions versions;
    for (const OperatorInfo& op : operator_versions()) {
        if (!rule_id(op.version, check).empty() &&
            (check != Check::index_range || rejects_bad_indices(op))) {
            versions.push_back(op.version);
        }
    }
    return versions;
}

void add_missing_checks(Theme& theme) {
    for (const CheckName& row : check_names) {
        theme.add("no-check-" + std::string(row.name), "nothing checks " + std::string(row.what),
                  versions_with(row.check),
                  {.accepts = [check = row.check](const Call& call, const Error& error) {
                      return is_of(call, error, check);
                  }});
    }
    const auto accepts_count = [](std::string name, std::string idea, auto wrong, Theme& to) {
        to.add(std::move(name), std::move(idea), newest_versions(),
               {.accepts = [wrong](const Call& call, const Error& error) {
                   const auto count = static_cast<std::int64_t>(call.inputs.size());
                   return error.category == Category::wrong_input_count &&
                          wrong(count, input_count(call.version));
               }});
    };
    accepts_count(
        "surplus-input-ignored", "inputs that are too many are ignored",
        [](auto count, auto right) { return count > right; }, theme);
    accepts_count(
        "missing-input-guessed", "an absent input is made up",
        [](auto count, auto right) { return count < right; }, theme);
    theme.add("whole-number-attribute", "an attribute of 1.0 is taken for an integer",
              versions_with(Check::attribute_kind),
              {.accepts = [](const Call& call, const Error& error) {
                  return is_of(call, error, Check::attribute_kind) &&
                         std::ranges::any_of(call.attributes, [](const Attribute& attribute) {
                             return std::holds_alternative<double>(attribute.value);
                         });
              }});
    theme.add("attribute-as-text", "an attribute that is text is taken for its number",
              versions_with(Check::attribute_kind),
              {.accepts = [](const Call& call, const Error& error) {
                  return is_of(call, error, Check::attribute_kind) &&
                         std::ranges::any_of(call.attributes, [](const Attribute& attribute) {
                             return std::holds_alternative<std::string>(attribute.value);
                         });
              }});
    theme.add(
        "attribute-as-list", "an attribute that is a list is taken for its first number",
        versions_with(Check::attribute_kind), {.accepts = [](const Call& call, const Error& error) {
            return is_of(call, error, Check::attribute_kind) &&
                   std::ranges::any_of(call.attributes, [](const Attribute& attribute) {
                       return std::holds_alternative<std::vector<std::int64_t>>(attribute.value);
                   });
        }});
}

void add_wrong_errors(Theme& theme) {
    struct Swap {
        Check check;
        Category given;
        std::string_view name;
    };
    static constexpr std::array<Swap, 8> swaps{{
        {Check::inputs_count, Category::missing_attribute, "wrong-count-is-missing-attribute"},
        {Check::attribute_unknown, Category::invalid_attribute, "unknown-attribute-is-invalid"},
        {Check::axis_range, Category::invalid_attribute, "axis-range-is-invalid-attribute"},
        {Check::axis_shape, Category::rank_mismatch, "axis-shape-is-rank-mismatch"},
        {Check::batch_dims_le_axis, Category::batch_dims_out_of_range,
         "batch-dims-gt-axis-is-range"},
        {Check::batch_shape, Category::shape_mismatch, "batch-shape-is-shape-mismatch"},
        {Check::tuple_length_min, Category::index_tuple_too_long, "empty-tuple-is-too-long"},
        {Check::index_range, Category::axis_out_of_range, "index-range-is-axis-range"},
    }};
    for (const Swap& swap : swaps) {
        theme.add(std::string(swap.name),
                  "the error is " + std::string(name(swap.given)) + ", which is another one",
                  versions_with(swap.check), {.error = [swap](const Call& call, Error error) {
                      if (is_of(call, error, swap.check)) error.category = swap.given;
                      return error;
                  }});
    }
    theme.add("error-cites-no-rule", "errors name no rule",
              {OperatorVersion::openvino_gather_7, OperatorVersion::onnx_gather_13},
              {.error = [](const Call&, Error error) {
                  error.rule.clear();
                  return error;
              }});
    theme.add("error-cites-another-rule", "every error cites the rule on the rank of data",
              {OperatorVersion::openvino_gather_7, OperatorVersion::onnx_gather_13},
              {.error = [](const Call& call, Error error) {
                  error.rule = rule_id(call.version, Check::data_rank);
                  return error;
              }});
    theme.add("error-in-run-phase", "static errors come up only when the call is run",
              newest_versions(), {.error = [](const Call&, Error error) {
                  error.phase = Phase::run;
                  return error;
              }});
    theme.add("error-throws", "an error of the axis is an exception that nobody catches",
              versions_where(has_axis), {.error = [](const Call&, Error error) -> Error {
                  if (error.category != Category::axis_out_of_range) return error;
                  throw std::out_of_range("axis");
              }});
}

/// The error of what is left of a call once one thing is put right; nothing where that is all.
std::optional<Error> error_of(const Call& call) {
    const auto checked = check(call);
    return checked ? std::nullopt : std::optional(checked.error());
}

/// A bug that looks for other errors first, in a copy of the call that `repair` has mended.
template <class Repair>
Bug checked_last(Category category, Repair repair) {
    return {.error = [category, repair](const Call& call, Error error) {
        if (error.category != category) return error;
        EditedCall mended(call);
        repair(mended);
        return error_of(mended.call).value_or(error);
    }};
}

void add_orders(Theme& theme) {
    theme.add("input-count-checked-last", "surplus inputs are noticed after everything else",
              newest_versions(), checked_last(Category::wrong_input_count, [](EditedCall& call) {
                  std::erase_if(call.call.inputs, [&](const Input& input) {
                      return input.name != "data" && input.name != "indices" &&
                             (input.name != "axis" || !has_axis_input(call.op()));
                  });
              }));
    theme.add("attributes-checked-last", "unknown attributes are noticed after everything else",
              newest_versions(), checked_last(Category::unknown_attribute, [](EditedCall& call) {
                  std::erase_if(call.call.attributes, [&](const Attribute& attribute) {
                      const bool axis = attribute.name == "axis" && has_axis(call.op()) &&
                                        !has_axis_input(call.op());
                      const bool batch =
                          attribute.name == "batch_dims" && has_batch_dims(call.op());
                      return !axis && !batch;
                  });
              }));
    theme.add("types-checked-last", "element types are checked after ranks and shapes",
              newest_versions(), checked_last(Category::unsupported_type, [](EditedCall& call) {
                  for (Input& input : call.call.inputs) {
                      const bool data = input.name == "data";
                      const bool axis = input.name == "axis";
                      // The axis of a wrong type counts for 0.
                      if (axis && !call.op().axis_types.contains(input.tensor.type)) {
                          const Shape shape = input.tensor.shape;
                          const auto count = std::max<std::int64_t>(elements(shape), 1);
                          const std::vector<std::int64_t> zeros(static_cast<std::size_t>(count));
                          input.tensor = call.integers(shape, zeros);
                      } else if (!axis) {
                          input.tensor.type = data ? ElementType::f32 : ElementType::i64;
                      }
                  }
              }));
    theme.add("indices-type-checked-first", "of two wrong types that of indices is reported",
              versions_where(is_gather), {.error = [](const Call& call, Error error) {
                  const OperatorInfo& op = info(call.version);
                  const TensorView* indices = call.input("indices");
                  if (!is_of(call, error, Check::data_type) || indices == nullptr ||
                      op.indices_types.contains(indices->type)) {
                      return error;
                  }
                  return broken(call.version, Check::indices_type, Category::unsupported_type);
              }});
    theme.add("batch-dims-checked-before-axis", "batch_dims is looked at before the axis",
              versions_where(counts_batch_dims_back),
              checked_last(Category::axis_out_of_range,
                           [](EditedCall& call) { call.set_axis(call.N() - 1); }));
    theme.add("batch-shape-checked-before-axis",
              "equal batch dimensions are asked for before "
              "batch_dims is held against the axis",
              versions_where(counts_batch_dims_back),
              checked_last(Category::batch_dims_gt_axis,
                           [](EditedCall& call) { call.set_axis(call.N() - 1); }));
    theme.add(
        "axis-checked-last", "the axis is checked after ranks and shapes",
        versions_where(is_gather_elements),
        checked_last(Category::axis_out_of_range, [](EditedCall& call) { call.set_axis(0); }));
    theme.add("index-values-checked-first", "index values are looked at before shapes",
              versions_where(rejects_bad_indices), {.error = [](const Call& call, Error error) {
                  const TensorView* data = call.input("data");
                  const TensorView* indices = call.input("indices");
                  if (error.phase != Phase::shape || data == nullptr || indices == nullptr ||
                      indices->contents == nullptr || data->shape.rank() == 0 ||
                      !info(call.version).indices_types.contains(indices->type)) {
                      return error;
                  }
                  const std::int64_t largest = *std::ranges::max_element(data->shape.dims());
                  for (std::int64_t k = 0; k < elements(indices->shape); ++k) {
                      const auto index = integer_element(indices->type, indices->contents, k);
                      if (index && -largest <= *index && *index < largest) continue;
                      return broken(call.version, Check::index_range,
                                    Category::index_out_of_bounds);
                  }
                  return error;
              }});
}

/// A bug that takes legal sizes for too large.
template <class Refuses>
Bug refuses_size(Refuses refuses) {
    return {.checked = [refuses](CheckedCall& call) -> std::optional<Error> {
        if (!refuses(call)) return std::nullopt;
        return broken(call.version, Check::output_size, Category::too_large);
    }};
}

void add_sizes(Theme& theme) {
    theme.add("output-at-most-2-gib", "an output of 2 GiB or more is refused", newest_versions(),
              refuses_size([](const CheckedCall& call) {
                  return byte_size(call.output).value_or(0) >= two_gib;
              }));
    theme.add("data-at-most-2-gib", "data of 2 GiB or more is refused", newest_versions(),
              refuses_size([](const CheckedCall& call) {
                  return byte_size({call.data.type, call.data.shape}).value_or(0) >= two_gib;
              }));
    theme.add("output-count-in-32-bits", "dimensions of the output are cut to 32 bits",
              newest_versions(), {.descriptor = [](Descriptor& output, const CheckedCall&) {
                  for (std::int64_t d = 0; d < output.shape.rank(); ++d) {
                      output.shape[d] &= 0xFFFFFFFF;
                  }
              }});
    theme.add("output-product-wraps", "the size of the output may wrap, that of inputs may not",
              newest_versions(), {.accepts = [](const Call& call, const Error& error) {
                  if (error.category != Category::too_large) return false;
                  const TensorView* data = call.input("data");
                  const TensorView* indices = call.input("indices");
                  return byte_size({data->type, data->shape}) &&
                         byte_size({indices->type, indices->shape});
              }});
    theme.add("input-product-wraps", "the size of an input may wrap, that of the output may not",
              newest_versions(), {.accepts = [](const Call& call, const Error& error) {
                  if (error.category != Category::too_large) return false;
                  const TensorView* data = call.input("data");
                  const TensorView* indices = call.input("indices");
                  return !byte_size({data->type, data->shape}) ||
                         !byte_size({indices->type, indices->shape});
              }});
    theme.add("only-elements-counted", "elements are counted for overflow, bytes are not",
              newest_versions(), {.accepts = [](const Call& call, const Error& error) {
                  if (error.category != Category::too_large) return false;
                  const TensorView* data = call.input("data");
                  return element_count(data->shape) && !byte_size({data->type, data->shape});
              }});
    theme.add("zero-size-overflows", "an empty tensor of huge other dimensions is too large",
              newest_versions(), refuses_size([](const CheckedCall& call) {
                  const auto overflows = [](const Shape& shape) {
                      std::int64_t product = 1;
                      for (const std::int64_t dim : shape) {
                          const auto next = multiply(product, std::max<std::int64_t>(dim, 1));
                          if (!next) return true;
                          product = *next;
                      }
                      return false;
                  };
                  return overflows(call.data.shape) || overflows(call.output.shape);
              }));
}

}  // namespace

std::vector<Mutant> error_mutants() {
    Theme theme("checks and errors");
    add_missing_checks(theme);
    add_wrong_errors(theme);
    add_orders(theme);
    add_sizes(theme);
    return theme.take();
}

}  // namespace gathercheck::mutant
