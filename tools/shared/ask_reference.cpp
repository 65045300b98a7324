// SPDX-License-Identifier: Apache-2.0
// The reference's answer to a call, as an outcome.
#include "tools/shared/ask_reference.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "reference/reference.hpp"

namespace gathercheck {

Outcome ask_reference(const Call& call, bool describe) {
    const Result<Descriptor> descriptor = reference::output_descriptor(call);
    const auto rejected = [](const Error& error) {
        return Rejected{error.category, error.phase, error.rule, error.detail};
    };
    if (!descriptor) return rejected(descriptor.error());
    if (describe) {
        DescriptorOutcome outcome;
        outcome.type = descriptor->type;
        for (const std::int64_t dim : descriptor->shape) outcome.shape.emplace_back(dim);
        return outcome;
    }
    Tensor output;
    output.type = descriptor->type;
    output.shape = descriptor->shape;
    output.contents.resize(static_cast<std::size_t>(*byte_size(*descriptor)));
    const Result<void> done = reference::run(call, output.contents);
    if (!done) return rejected(done.error());
    return ValueOutcome{std::move(output)};
}

}  // namespace gathercheck
