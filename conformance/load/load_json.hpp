// SPDX-License-Identifier: Apache-2.0
// The inside of the loader, shared by its .cpp files only: JSON values to parts of cases.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

/// Contents larger than this are refused: such a case is to be a described one.
inline constexpr std::int64_t max_contents_bytes = std::int64_t{1} << 34;

/// A sweep with more combinations than this is refused.
inline constexpr std::size_t max_combinations = 100'000;

/// The value of an attribute, whatever it is.
AttributeValue read_attribute(const Json& value);

/// {"type", "shape"} and one of values, bits, fill, or none of them.
std::optional<TensorSpec> read_input(const Json& value, const Place& at, Problems& problems);

/// The same and sha256, or in a sweep the string "equation".
std::optional<ExpectedOutput> read_output(const Json& value, const Place& at, bool in_sweep,
                                          Problems& problems);

/// One case; `value` has no sweep (any more). Its file and pointer are set, its hash is not.
std::optional<Case> read_case(const Json& value, const Place& at, bool in_sweep,
                              const RuleCatalogue& rules, Problems& problems);

/// True for a name of lower-case letters, digits, dots and single hyphens between them.
bool is_kebab_case(std::string_view text);

/// Calls `each` with every combination of a case's sweep: an id, and the case with every
/// placeholder replaced, which is good until `each` returns. `each` returns false to end it.
void expand_sweep(const Json& value, const Place& at, Problems& problems,
                  const std::function<bool(const Json& expanded, const std::string& id)>& each);

}  // namespace gathercheck
