// SPDX-License-Identifier: Apache-2.0
// Fills: recipes for contents, made into tensors when they are needed.
#pragma once

#include <optional>
#include <string>

#include "conformance/model/case.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// Why a fill cannot be made for a tensor of this type and shape, as a clause that ends with the
/// remedy; nothing where it can. The tensor's bytes must be countable. What a fill holds in
/// `entries` is not looked at.
std::optional<std::string> refused(const Fill& fill, const Descriptor& descriptor);

/// The tensor that a fill makes; only where `refused` has nothing to say.
Tensor filled(const Fill& fill, const Descriptor& descriptor);

}  // namespace gathercheck
