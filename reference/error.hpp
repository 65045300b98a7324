// SPDX-License-Identifier: Apache-2.0
// Errors: a category, the phase and the rule it breaks, and a sentence for
// people; Result carries a value or one.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace gathercheck {

/// What is wrong with a call. Tests match the category, never the sentence.
enum class Category : std::uint8_t {
    wrong_input_count,        ///< the number of inputs differs from the operator's
    unsupported_type,         ///< the element type of an input is not allowed for the
                              ///< operator version
    unknown_attribute,        ///< an attribute that the operator version does not define
    missing_attribute,        ///< a required attribute is absent
    invalid_attribute,        ///< an attribute's value is of the wrong kind
    rank_too_small,           ///< data (or indices, where it matters) has no dimension
    axis_not_scalar,          ///< the axis input is neither 0-D nor 1-D with one element
    axis_out_of_range,        ///< axis is outside [-N, N-1], or [0, N-1]
    batch_dims_out_of_range,  ///< batch_dims is outside its range
    batch_dims_gt_axis,       ///< batch_dims exceeds axis, both normalised
    batch_shape_mismatch,     ///< the batch dimensions of data and indices differ
    rank_mismatch,            ///< the ranks of data and indices differ (GatherElements), or indices
                              ///< has more dimensions than its one
    shape_mismatch,           ///< GatherElements: a dimension other than axis does not fit
    index_tuple_too_long,     ///< GatherND: a tuple is longer than data has
                              ///< dimensions to index
    index_tuple_empty,        ///< GatherND: a tuple has no component
    index_out_of_bounds,      ///< an index value is outside the operator version's
                              ///< range
    output_shape_mismatch,    ///< the output produced has another shape than
                              ///< declared
    output_type_mismatch,     ///< the output produced has another element type than
                              ///< declared
    too_large,                ///< a size, count or byte length that cannot be represented
};

inline constexpr std::size_t category_count = 19;

std::string_view name(Category category);
std::optional<Category> category(std::string_view name);

/// When an error can be known.
enum class Phase : std::uint8_t {
    build,  ///< from attributes, counts and element types
    shape,  ///< from ranks, dimensions and the contents of the axis input
    run,    ///< from index values
};

std::string_view name(Phase phase);
std::optional<Phase> phase(std::string_view name);

struct Error {
    Category category;
    Phase phase;
    std::string rule;    ///< id of the rule in the catalogue, e.g.
                         ///< "onnx.gather-13.axis.range"
    std::string detail;  ///< names the argument and the offending numbers; nothing
                         ///< matches on it
};

/// "axis_out_of_range (rule onnx.gather-13.axis.range): axis is 3, ..."; "axis_out_of_range: ..."
/// where there is no rule.
std::string to_string(const Error& error);

/// A value, or the error that stands in its place.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return content_.index() == 0; }
    explicit operator bool() const { return ok(); }
    const T& value() const {
        assert(ok());
        return *std::get_if<0>(&content_);
    }
    T& value() {
        assert(ok());
        return *std::get_if<0>(&content_);
    }
    const T& operator*() const { return value(); }
    T& operator*() { return value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }
    const Error& error() const {
        assert(!ok());
        return *std::get_if<1>(&content_);
    }

private:
    std::variant<T, Error> content_;
};

/// Success, or an error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() noexcept {}  // a defaulted one would clear all of it where it is made by {}
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    const Error& error() const {
        assert(!ok());
        return *error_;
    }

private:
    std::optional<Error> error_;
};

}  // namespace gathercheck
