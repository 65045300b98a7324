// SPDX-License-Identifier: Apache-2.0
// Which combinations of operands, shapes and axis are routes.
#include "conformance/model/routes.hpp"

namespace gathercheck {

std::vector<Route> routes(OperatorVersion version) {
    const bool axis_input = info(version).axis == AxisSource::input;
    std::vector<Route> result;
    for (const Operands operands : {Operands::runtime, Operands::constant, Operands::folded}) {
        for (const Shapes shapes : {Shapes::fixed, Shapes::dynamic}) {
            for (const AxisOperand axis : {AxisOperand::constant, AxisOperand::runtime}) {
                if (axis == AxisOperand::runtime && !axis_input) continue;
                const bool folded = operands == Operands::folded;
                if (folded && (shapes == Shapes::dynamic || axis == AxisOperand::runtime)) continue;
                result.push_back({operands, shapes, axis});
            }
        }
    }
    return result;
}

}  // namespace gathercheck
