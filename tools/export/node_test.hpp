// SPDX-License-Identifier: Apache-2.0
// Export: one case of one operator version as the messages of an ONNX node test.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "conformance/judge/prepared_case.hpp"
#include "conformance/model/case.hpp"
#include "tools/import/onnx_messages.hpp"

namespace gathercheck {

/// Why ONNX, or a node test, has no way to say a call.
struct NotExpressible {
    std::string why;
};

/// The messages of a model and of each data set's inputs; a sequence has several data sets, the
/// case's own is the last.
struct NodeTestMessages {
    onnx_messages::Model model;
    std::vector<std::vector<onnx_messages::Tensor>> inputs;
};

/// `name` becomes that of the graph. Precondition: the version is one of ONNX's, and the case is
/// prepared for it.
std::variant<NodeTestMessages, NotExpressible> node_test_of(const std::string& name,
                                                            const Case& tested,
                                                            OperatorVersion version,
                                                            const PreparedCase& prepared);

/// The tensor of an expected output, which may be without contents where it has no elements.
std::variant<onnx_messages::Tensor, NotExpressible> tensor_of(const ResolvedOutput& output);

}  // namespace gathercheck
