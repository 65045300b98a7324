// SPDX-License-Identifier: Apache-2.0
// Names of routes.
#include "conformance/model/route.hpp"

#include <initializer_list>

namespace gathercheck {
namespace {

template <class Word>
std::optional<Word> find_word(std::initializer_list<Word> words, std::string_view text) {
    for (const Word word : words) {
        if (name(word) == text) return word;
    }
    return std::nullopt;
}

}  // namespace

bool is_constant(std::string_view operand, const Route& route) {
    if (operand == "axis") return route.axis == AxisOperand::constant;
    if (operand == "indices") return route.operands != Operands::runtime;
    return route.operands == Operands::folded;
}

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

std::optional<Operands> operands(std::string_view name) {
    return find_word({Operands::runtime, Operands::constant, Operands::folded}, name);
}

std::optional<Shapes> shapes(std::string_view name) {
    return find_word({Shapes::fixed, Shapes::dynamic}, name);
}

std::optional<AxisOperand> axis_operand(std::string_view name) {
    return find_word({AxisOperand::constant, AxisOperand::runtime}, name);
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
