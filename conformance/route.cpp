// SPDX-License-Identifier: Apache-2.0
// Names of routes.
#include "conformance/route.hpp"

namespace gathercheck {

std::string_view name(Operands operands) {
    switch (operands) {
        case Operands::runtime:
            return "runtime";
        case Operands::constant:
            return "constant";
        case Operands::folded:
            return "folded";
    }
    return {};
}

std::string_view name(Shapes shapes) {
    switch (shapes) {
        case Shapes::fixed:
            return "static";
        case Shapes::dynamic:
            return "dynamic";
    }
    return {};
}

std::string_view name(AxisOperand axis) {
    switch (axis) {
        case AxisOperand::constant:
            return "constant";
        case AxisOperand::runtime:
            return "runtime";
    }
    return {};
}

std::string to_string(const Route& route) {
    std::string text(name(route.operands));
    text += '/';
    text += name(route.shapes);
    if (route.axis != AxisOperand::constant) {
        text += "/axis-";
        text += name(route.axis);
    }
    return text;
}

}  // namespace gathercheck
