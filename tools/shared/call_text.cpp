// SPDX-License-Identifier: Apache-2.0
// Words for calls.
#include "tools/shared/call_text.hpp"

#include <algorithm>
#include <variant>

#include "conformance/model/outcome.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {

std::string tensor_text(const Tensor& tensor) {
    std::string text = std::string(name(tensor.type)) + " " + to_string(tensor.shape);
    const std::int64_t count = element_count(tensor.shape).value_or(0);
    if (tensor.contents.empty())
        return text + (count == 0 ? " without elements" : " (no contents)");
    text += " = ";
    for (std::int64_t k = 0; k < std::min(count, shown_elements); ++k) {
        text += (k == 0 ? "" : ", ") + element_text(tensor, k);
    }
    return text + (count > shown_elements ? ", ..." : "");
}

std::string input_text(const TensorSpec& tensor) {
    if (!lacks_memory(tensor)) return tensor_text(materialise(tensor));
    const auto& [type, shape] = tensor.descriptor;
    return std::string(name(type)) + " " + to_string(shape) + ", too large to be shown";
}

std::string alternative_text(const ResolvedAlternative& alternative) {
    if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
        return "the error " + std::string(name(error->category)) +
               (error->phase ? " in phase " + std::string(name(*error->phase)) : "");
    }
    const auto& output = std::get<ResolvedOutput>(alternative);
    if (output.contents) return "the output " + tensor_text(*output.contents);
    std::string text = "an output of type " + std::string(name(output.descriptor.type)) +
                       " and shape " + to_string(output.descriptor.shape);
    return output.sha256.empty() ? text : text + " with SHA-256 " + output.sha256;
}

}  // namespace gathercheck
