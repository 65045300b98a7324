// SPDX-License-Identifier: Apache-2.0
// Relations between calls: what the outputs of other calls say of the output of one, whatever
// reference and equations say. They hold for every gather, and where a text is open too.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// Other calls, and what must be the output of the first one if all of them give one.
struct RelatedCalls {
    std::string_view relation;  ///< "indices reversed: slices reversed"
    std::vector<GeneratedCall> calls;

    /// What their outputs make; nothing where one of them has not the type and shape of its call's
    /// output, which is that call's matter. One output a call.
    std::optional<Tensor> combined(std::span<const Tensor> outputs) const;

    /// The same of outputs of the right types and shapes.
    std::function<Tensor(std::span<const Tensor> outputs)> combine;
};

/// Every relation that is about a call and its output; none for a sequence, and for a call that
/// breaks a check. `space` has the versions and routes that may be asked.
std::vector<RelatedCalls> related_calls(const GeneratedCall& call, const Tensor& output,
                                        const CallSpace& space);

}  // namespace gathercheck
