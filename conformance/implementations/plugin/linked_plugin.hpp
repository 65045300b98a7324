// SPDX-License-Identifier: Apache-2.0
// A plug-in that is part of this program, asked in this process: a sanitizer watches it.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "conformance/model/implementation.hpp"
#include "conformance/plugin.h"

namespace gathercheck {

/// The plug-in behind the struct that its gathercheck_plugin() returned. Its tensors lie in memory
/// from the heap, each of exactly so many bytes, so that AddressSanitizer sees every byte outside;
/// that an input was written to, or an output was not, is an outcome. What ends it ends this
/// process. The text is why the struct cannot be used.
std::variant<std::unique_ptr<Implementation>, std::string> linked_plugin(
    const gathercheck_implementation* given);

}  // namespace gathercheck
