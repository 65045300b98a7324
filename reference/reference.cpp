// SPDX-License-Identifier: Apache-2.0
// The two steps of the reference: describe the output, then check the index
// values and move the elements.
#include "reference/reference.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace gathercheck::reference {

Result<Descriptor> output_descriptor(const Call& call) {
    const Result<CheckedCall> checked = check(call);
    if (!checked) return checked.error();
    return checked->output;
}

std::optional<std::int64_t> picked_coordinate(const OperatorInfo& op,
                                              std::optional<std::int64_t> index, std::int64_t s) {
    const std::int64_t first = op.negative_indices ? -s : 0;
    if (!index || *index < first || *index >= s) {
        if (op.out_of_bounds != OutOfBounds::clamp || s == 0) return std::nullopt;
        index = index ? std::clamp(*index, first, s - 1) : s - 1;
    }
    return *index < 0 ? *index + s : *index;
}

Result<void> run(const Call& call, std::span<std::byte> output) {
    const Result<CheckedCall> checked = check(call);
    if (!checked) return checked.error();
    const std::int64_t size = *byte_size(checked->output);
    if (static_cast<std::int64_t>(output.size()) != size) {
        return Error{Category::output_shape_mismatch, Phase::run, "",
                     "the output buffer has " + std::to_string(output.size()) +
                         " bytes, the output " + std::to_string(size)};
    }
    const Result<void> in_bounds = check_index_values(*checked);
    if (!in_bounds) return in_bounds.error();
    // A packed output shares bytes between elements; its spare bits are zero.
    if (is_packed(checked->output.type) && !output.empty()) {
        std::memset(output.data(), 0, output.size());
    }
    switch (info(call.version).family) {
        case Family::gather:
            gather(*checked, output.data());
            break;
        case Family::gather_elements:
            gather_elements(*checked, output.data());
            break;
        case Family::gather_nd:
            gather_nd(*checked, output.data());
            break;
    }
    return {};
}

}  // namespace gathercheck::reference
