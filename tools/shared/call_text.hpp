// SPDX-License-Identifier: Apache-2.0
// Calls and what is expected of them in words, for people.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/judge/judge.hpp"
#include "conformance/model/case.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// Elements shown of a tensor.
inline constexpr std::int64_t shown_elements = 24;

/// "f32 [2] = 1, 2"; the first elements of a long one.
std::string tensor_text(const Tensor& tensor);

/// The same of an input of a case; only type and shape where there is no memory for it.
std::string input_text(const TensorSpec& tensor);

/// "the output f32 [2] = 1, 2", "the error index_out_of_bounds in phase run".
std::string alternative_text(const ResolvedAlternative& alternative);

}  // namespace gathercheck
