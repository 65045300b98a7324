// SPDX-License-Identifier: Apache-2.0
// The static checks of a call, in their fixed order, and the check of index
// values.
#include "reference/check.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "reference/exercised.hpp"

namespace gathercheck {
namespace {

std::string range_text(std::int64_t first, std::int64_t last) {
    std::string text = "[";
    text += std::to_string(first) + ", " + std::to_string(last) + "]";
    return text;
}

/// The checks of one call, in order. Each function makes the checks of one step
/// and returns the error of the first that the call breaks.
class Checker {
public:
    explicit Checker(const Call& call) : call_(&call), op_(info(call.version)) {
        checked_.version = call.version;
    }

    Checker(OperatorVersion version, const TensorView& data, const TensorView& indices,
            std::int64_t axis, std::int64_t batch_dims)
        : op_(info(version)) {
        checked_.version = version;
        checked_.data = data;
        checked_.indices = indices;
        axis_ = axis;
        checked_.batch_dims = batch_dims;
    }

    /// The steps from the first one on; without a call, from the dimensions on.
    Result<CheckedCall> check() {
        using Step = std::optional<Error> (Checker::*)();
        static constexpr std::array<Step, 10> steps{
            &Checker::inputs,     &Checker::attributes, &Checker::types,
            &Checker::dims,       &Checker::ranks,      &Checker::axis,
            &Checker::batch_dims, &Checker::shapes,     &Checker::output_descriptor,
            &Checker::sizes};
        for (const Step step : std::span(steps).subspan(call_ != nullptr ? 0 : 3)) {
            if (auto error = (this->*step)()) return std::move(*error);
        }
        return checked_;
    }

    /// After check().
    Exercised exercised() const { return {checked_.passed, broken_}; }

private:
    std::int64_t N() const { return checked_.data.shape.rank(); }
    std::int64_t M() const { return checked_.indices.shape.rank(); }

    Error broken(Check check, Category category, std::string detail) {
        broken_ = check;
        return {category, phase(check), rule_id(checked_.version, check), std::move(detail)};
    }

    void passed(Check check) {
        if (!op_.check_rules[static_cast<std::size_t>(check)].empty())
            checked_.passed.insert(check);
    }

    std::optional<Error> inputs() {
        static constexpr std::array<std::string_view, 3> names{"data", "indices", "axis"};
        const auto expected = static_cast<std::size_t>(input_count(call_->version));
        const auto given = std::span(names).first(expected);
        const bool complete = std::ranges::all_of(
            given, [&](std::string_view input) { return call_->input(input) != nullptr; });
        if (!complete || call_->inputs.size() != expected) {
            std::string detail = std::string(op_.name) + " takes " + std::to_string(expected) +
                                 " inputs (data, indices" + (expected == 3 ? ", axis" : "") +
                                 "), the call has " + std::to_string(call_->inputs.size());
            for (const Input& input : call_->inputs) {
                detail += (&input == call_->inputs.data() ? ": " : ", ") + input.name;
            }
            return broken(Check::inputs_count, Category::wrong_input_count, std::move(detail));
        }
        checked_.data = *call_->input("data");
        checked_.indices = *call_->input("indices");
        if (expected == 3) axis_input_ = call_->input("axis");
        passed(Check::inputs_count);
        return std::nullopt;
    }

    std::optional<Error> attributes() {
        const bool has_axis = op_.axis == AxisSource::attribute;
        const bool has_batch_dims = op_.batch_dims != BatchDims::none;
        for (const Attribute& attribute : call_->attributes) {
            if (attribute.name == "axis" && has_axis) continue;
            if (attribute.name == "batch_dims" && has_batch_dims) continue;
            return broken(Check::attribute_unknown, Category::unknown_attribute,
                          std::string(op_.name) + " has no attribute " + attribute.name);
        }
        passed(Check::attribute_unknown);
        for (const Attribute& attribute : call_->attributes) {
            const auto* value = std::get_if<std::int64_t>(&attribute.value);
            if (value == nullptr) {
                return broken(Check::attribute_kind, Category::invalid_attribute,
                              "attribute " + attribute.name + " is " + to_string(attribute.value) +
                                  ", not an integer");
            }
            if (attribute.name == "axis") axis_ = *value;
            if (attribute.name == "batch_dims") checked_.batch_dims = *value;
        }
        passed(Check::attribute_kind);
        return std::nullopt;
    }

    std::optional<Error> types() {
        const auto not_allowed = [&](Check check, std::string_view input, ElementType type) {
            return broken(check, Category::unsupported_type,
                          std::string(op_.name) + " does not allow " + std::string(input) +
                              " of element type " + std::string(name(type)));
        };
        if (!op_.data_types.contains(checked_.data.type)) {
            return not_allowed(Check::data_type, "data", checked_.data.type);
        }
        passed(Check::data_type);
        if (!op_.indices_types.contains(checked_.indices.type)) {
            return not_allowed(Check::indices_type, "indices", checked_.indices.type);
        }
        passed(Check::indices_type);
        if (axis_input_ != nullptr && !op_.axis_types.contains(axis_input_->type)) {
            return not_allowed(Check::axis_type, "axis", axis_input_->type);
        }
        passed(Check::axis_type);
        return std::nullopt;
    }

    /// No tensor has a negative dimension; what follows counts on that.
    std::optional<Error> dims() {
        for (const auto& [input, shape] : {std::pair{"data", &checked_.data.shape},
                                           std::pair{"indices", &checked_.indices.shape}}) {
            for (std::int64_t k = 0; k < shape->rank(); ++k) {
                if ((*shape)[k] >= 0) continue;
                return broken(Check::output_size, Category::too_large,
                              "dimension " + std::to_string(k) + " of " + input + " is " +
                                  std::to_string((*shape)[k]) +
                                  ": a dimension must not be negative");
            }
        }
        return std::nullopt;
    }

    std::optional<Error> ranks() {
        if (N() < 1) {
            return broken(Check::data_rank, Category::rank_too_small,
                          "data has rank 0, at least 1 is needed");
        }
        passed(Check::data_rank);
        if (op_.indices_rank != IndicesRank::any && M() < 1) {
            return broken(Check::indices_rank, Category::rank_too_small,
                          "indices has rank 0, at least 1 is needed");
        }
        if (op_.indices_rank == IndicesRank::exactly_one && M() != 1) {
            return broken(Check::indices_rank, Category::rank_mismatch,
                          "indices has rank " + std::to_string(M()) + ", 1 is needed");
        }
        passed(Check::indices_rank);
        if (op_.family == Family::gather_elements && N() != M()) {
            return broken(Check::rank_equal, Category::rank_mismatch,
                          "data has rank " + std::to_string(N()) + ", indices has rank " +
                              std::to_string(M()));
        }
        passed(Check::rank_equal);
        return std::nullopt;
    }

    std::optional<Error> axis() {
        if (op_.axis == AxisSource::none) return std::nullopt;
        std::optional<std::int64_t> axis = axis_;
        if (op_.axis == AxisSource::attribute && !axis) {
            if (!op_.axis_default || (op_.axis_default_is_of_1d && N() != 1)) {
                return broken(
                    Check::axis_given, Category::missing_attribute,
                    "the call has no axis, which " + std::string(op_.name) +
                        (op_.axis_default ? " needs for data of rank " + std::to_string(N())
                                          : " needs"));
            }
            axis = op_.axis_default;
        }
        passed(Check::axis_given);
        if (axis_input_ != nullptr) {
            const Shape& shape = axis_input_->shape;
            if (shape != Shape{} && shape != Shape{1}) {
                return broken(Check::axis_shape, Category::axis_not_scalar,
                              "axis has shape " + to_string(shape) + ", not [] or [1]");
            }
            passed(Check::axis_shape);
            if (axis_input_->contents == nullptr) {
                return broken(Check::axis_range, Category::axis_out_of_range,
                              "the value of axis is not known: the call gives the axis input no "
                              "contents");
            }
            axis = integer_element(axis_input_->type, axis_input_->contents, 0);
        }
        const std::int64_t first = op_.negative_axis ? -N() : 0;
        if (!axis || *axis < first || *axis >= N()) {
            const std::string text =
                axis_input_ == nullptr ? std::to_string(*axis)
                                       : integer_text(axis_input_->type, axis_input_->contents, 0);
            return broken(Check::axis_range, Category::axis_out_of_range,
                          "axis is " + text + ", outside " + range_text(first, N() - 1) +
                              " for data of rank " + std::to_string(N()));
        }
        passed(Check::axis_range);
        checked_.axis = *axis < 0 ? *axis + N() : *axis;
        return std::nullopt;
    }

    std::optional<Error> batch_dims() {
        if (op_.batch_dims == BatchDims::none) return std::nullopt;
        const std::int64_t given = checked_.batch_dims;
        const std::int64_t smaller = std::min(N(), M());
        const bool negative_too = op_.batch_dims == BatchDims::negative_too;
        const std::int64_t first = negative_too ? -smaller : 0;
        const std::int64_t last = negative_too ? smaller : std::max<std::int64_t>(smaller - 1, 0);
        if (given < first || given > last) {
            return broken(Check::batch_dims_range, Category::batch_dims_out_of_range,
                          "batch_dims is " + std::to_string(given) + ", outside " +
                              range_text(first, last) + " for data of rank " + std::to_string(N()) +
                              " and indices of rank " + std::to_string(M()));
        }
        passed(Check::batch_dims_range);
        const std::int64_t b = given < 0 ? given + M() : given;
        if (op_.family == Family::gather && b > checked_.axis) {
            return broken(Check::batch_dims_le_axis, Category::batch_dims_gt_axis,
                          "batch_dims is " + std::to_string(given) + " (normalised " +
                              std::to_string(b) + "), axis is " + std::to_string(checked_.axis) +
                              ": batch_dims must not exceed axis");
        }
        passed(Check::batch_dims_le_axis);
        checked_.batch_dims = b;
        for (std::int64_t k = 0; k < b; ++k) {
            if (checked_.data.shape[k] != checked_.indices.shape[k]) {
                return broken(Check::batch_shape, Category::batch_shape_mismatch,
                              "batch dimension " + std::to_string(k) + " is " +
                                  std::to_string(checked_.data.shape[k]) + " in data and " +
                                  std::to_string(checked_.indices.shape[k]) + " in indices");
            }
        }
        passed(Check::batch_shape);
        return std::nullopt;
    }

    std::optional<Error> shapes() {
        const Shape& data = checked_.data.shape;
        const Shape& indices = checked_.indices.shape;
        if (op_.family == Family::gather_elements) {
            for (std::int64_t k = 0; k < N(); ++k) {
                if (k == checked_.axis || other_dim_fits(data[k], indices[k])) continue;
                return broken(Check::other_dims, Category::shape_mismatch,
                              "dimension " + std::to_string(k) + " is " +
                                  std::to_string(indices[k]) + " in indices and " +
                                  std::to_string(data[k]) + " in data: it must be " +
                                  std::string(other_dim_wanted()) +
                                  " in every dimension but axis " + std::to_string(checked_.axis));
            }
            passed(Check::other_dims);
        }
        if (op_.family == Family::gather_nd) {
            const std::int64_t n = indices[M() - 1];
            if (n < 1) {
                return broken(Check::tuple_length_min, Category::index_tuple_empty,
                              "the last dimension of indices is 0: an index tuple needs a "
                              "component");
            }
            passed(Check::tuple_length_min);
            if (n > N() - checked_.batch_dims) {
                return broken(Check::tuple_length_max, Category::index_tuple_too_long,
                              "the last dimension of indices is " + std::to_string(n) +
                                  ", more than rank(data) - batch_dims = " +
                                  std::to_string(N() - checked_.batch_dims));
            }
            passed(Check::tuple_length_max);
        }
        return std::nullopt;
    }

    bool other_dim_fits(std::int64_t data, std::int64_t indices) const {
        switch (op_.other_dims) {
            case OtherDims::equal:
                return indices == data;
            case OtherDims::not_larger:
                return indices <= data;
            case OtherDims::broadcast:
                return indices == data || indices == 1 || data == 1;
        }
        return false;
    }

    std::string_view other_dim_wanted() const {
        switch (op_.other_dims) {
            case OtherDims::equal:
                return "equal";
            case OtherDims::not_larger:
                return "at most that";
            case OtherDims::broadcast:
                return "equal, or 1 in one of the two,";
        }
        return {};
    }

    std::optional<Error> output_descriptor() {
        const Shape& data = checked_.data.shape;
        const Shape& indices = checked_.indices.shape;
        const std::int64_t b = checked_.batch_dims;
        std::array<std::int64_t, 2 * static_cast<std::size_t>(max_rank)> dims;
        std::size_t rank = 0;
        const auto append = [&](const Shape& shape, std::int64_t first, std::int64_t last) {
            for (std::int64_t k = first; k < last; ++k) dims[rank++] = shape[k];
        };
        switch (op_.family) {
            case Family::gather:  // data.shape[:axis] + indices.shape[b:] +
                                  // data.shape[axis+1:]
                append(data, 0, checked_.axis);
                append(indices, b, M());
                append(data, checked_.axis + 1, N());
                break;
            case Family::gather_elements:  // indices.shape, in each dimension but axis data's where
                                           // indices' is 1 and broadcast
                for (std::int64_t k = 0; k < M(); ++k) {
                    const bool from_data = op_.other_dims == OtherDims::broadcast &&
                                           k != checked_.axis && indices[k] == 1;
                    dims[rank++] = from_data ? data[k] : indices[k];
                }
                break;
            case Family::gather_nd:  // indices.shape[:-1] + data.shape[b+n:]
                if (op_.fuses_batch_dims && b > 1) {
                    // [prod(indices.shape[:b])] + indices.shape[b:-1] + data.shape[b+n:]
                    const auto fused = element_count(indices.slice(0, b));
                    if (!fused) return too_large("the product of the batch dimensions");
                    dims[rank++] = *fused;
                    append(indices, b, M() - 1);
                } else {
                    append(indices, 0, M() - 1);
                }
                append(data, b + indices[M() - 1], N());
                break;
        }
        if (static_cast<std::int64_t>(rank) > max_rank) {
            return broken(Check::output_size, Category::too_large,
                          "the output has " + std::to_string(rank) + " dimensions, more than " +
                              std::to_string(max_rank));
        }
        checked_.output = {checked_.data.type, Shape(std::span(dims.data(), rank))};
        return std::nullopt;
    }

    std::optional<Error> sizes() {
        if (!byte_size({checked_.data.type, checked_.data.shape})) {
            return too_large("data of shape " + to_string(checked_.data.shape));
        }
        if (!byte_size({checked_.indices.type, checked_.indices.shape})) {
            return too_large("indices of shape " + to_string(checked_.indices.shape));
        }
        if (!byte_size(checked_.output)) {
            return too_large("the output of shape " + to_string(checked_.output.shape));
        }
        passed(Check::output_size);
        return std::nullopt;
    }

    Error too_large(const std::string& what) {
        return broken(Check::output_size, Category::too_large,
                      what + " does not fit a byte count of 63 bits");
    }

    const Call* call_ = nullptr;
    const OperatorInfo& op_;
    const TensorView* axis_input_ = nullptr;
    std::optional<std::int64_t> axis_;  ///< as given
    CheckedCall checked_;
    std::optional<Check> broken_;
};

}  // namespace

Result<CheckedCall> check(const Call& call) { return Checker(call).check(); }

Exercised exercised(const Call& call) {
    Checker checker(call);
    const Result<CheckedCall> checked = checker.check();
    Exercised result = checker.exercised();
    if (!checked) return result;
    const bool has_check = !rule_id(call.version, Check::index_range).empty();
    const TensorView& indices = checked->indices;
    if (!has_check || (indices.contents == nullptr && *element_count(indices.shape) != 0)) {
        return result;
    }
    if (check_index_values(*checked)) {
        result.passed.insert(Check::index_range);
    } else {
        result.broken = Check::index_range;
    }
    return result;
}

Result<CheckedCall> check_operands(OperatorVersion version, const TensorView& data,
                                   const TensorView& indices, std::int64_t axis,
                                   std::int64_t batch_dims) {
    return Checker(version, data, indices, axis, batch_dims).check();
}

Error index_error(const CheckedCall& call, std::int64_t flat_position) {
    const OperatorInfo& op = info(call.version);
    const TensorView& indices = call.indices;
    const bool tuples = op.family == Family::gather_nd;
    const std::int64_t n = tuples ? indices.shape[indices.shape.rank() - 1] : 1;
    const std::int64_t dimension = tuples ? call.batch_dims + flat_position % n : call.axis;
    const std::int64_t s = call.data.shape[dimension];
    const std::int64_t first = op.negative_indices ? -s : 0;
    const std::string range =
        s == 0 ? "any range: that dimension is empty" : range_text(first, s - 1);
    return {Category::index_out_of_bounds, Phase::run, rule_id(call.version, Check::index_range),
            "the index at flat position " + std::to_string(flat_position) + " of indices is " +
                integer_text(indices.type, indices.contents, flat_position) + ", outside " + range +
                "; it picks from dimension " + std::to_string(dimension) + " of data, of size " +
                std::to_string(s)};
}

Result<void> check_index_values(const CheckedCall& call) {
    const OperatorInfo& op = info(call.version);
    if (op.out_of_bounds != OutOfBounds::reject) return {};
    const TensorView& indices = call.indices;
    const std::int64_t count = *element_count(indices.shape);
    const bool tuples = op.family == Family::gather_nd;
    const std::int64_t n = tuples ? indices.shape[indices.shape.rank() - 1] : 1;
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t dimension = tuples ? call.batch_dims + k % n : call.axis;
        const std::int64_t s = call.data.shape[dimension];
        const auto index = integer_element(indices.type, indices.contents, k);
        const std::int64_t first = op.negative_indices ? -s : 0;
        if (!index || *index < first || *index >= s) return index_error(call, k);
    }
    return {};
}

}  // namespace gathercheck
