// SPDX-License-Identifier: Apache-2.0
// Names of error categories and phases.
#include "reference/error.hpp"

#include <algorithm>
#include <array>

namespace gathercheck {
namespace {

constexpr std::array<std::string_view, category_count> category_names{
    "wrong_input_count",   "unsupported_type",      "unknown_attribute",
    "missing_attribute",   "invalid_attribute",     "rank_too_small",
    "axis_not_scalar",     "axis_out_of_range",     "batch_dims_out_of_range",
    "batch_dims_gt_axis",  "batch_shape_mismatch",  "rank_mismatch",
    "shape_mismatch",      "index_tuple_too_long",  "index_tuple_empty",
    "index_out_of_bounds", "output_shape_mismatch", "output_type_mismatch",
    "too_large",
};
static_assert(static_cast<std::size_t>(Category::too_large) + 1 == category_count);

constexpr std::array<std::string_view, 3> phase_names{"build", "shape", "run"};

}  // namespace

std::string_view name(Category category) {
    return category_names[static_cast<std::size_t>(category)];
}

std::optional<Category> category(std::string_view name) {
    const auto found = std::ranges::find(category_names, name);
    if (found == category_names.end()) return std::nullopt;
    return static_cast<Category>(found - category_names.begin());
}

std::string_view name(Phase phase) { return phase_names[static_cast<std::size_t>(phase)]; }

std::optional<Phase> phase(std::string_view name) {
    const auto found = std::ranges::find(phase_names, name);
    if (found == phase_names.end()) return std::nullopt;
    return static_cast<Phase>(found - phase_names.begin());
}

std::string to_string(const Error& error) {
    const std::string rule = error.rule.empty() ? "" : " (rule " + error.rule + ")";
    return std::string(name(error.category)) + rule + ": " + error.detail;
}

}  // namespace gathercheck
