// SPDX-License-Identifier: Apache-2.0
// Routes: how the operands of a call reach an implementation.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gathercheck {

/// Which operands are known when a model is built.
enum class Operands : std::uint8_t {
    runtime,   ///< none: all are given at run time
    constant,  ///< indices (and axis)
    folded,    ///< all
};

/// Whether the dimensions of operands given at run time are known when a model is built.
enum class Shapes : std::uint8_t { fixed, dynamic };

/// How the axis arrives where it is an input.
enum class AxisOperand : std::uint8_t { constant, runtime };

/// The default is what absent means on the wire: runtime operands, static shapes, constant axis.
struct Route {
    Operands operands = Operands::runtime;
    Shapes shapes = Shapes::fixed;
    AxisOperand axis = AxisOperand::constant;

    friend auto operator<=>(const Route&, const Route&) = default;
};

/// True where a model of the route knows the contents of an operand, "data", "indices" or "axis".
bool is_constant(std::string_view operand, const Route& route);

std::string_view name(Operands operands);
std::string_view name(Shapes shapes);  ///< "static" or "dynamic"
std::string_view name(AxisOperand axis);

/// The value of a name; nothing for an unknown one.
std::optional<Operands> operands(std::string_view name);
std::optional<Shapes> shapes(std::string_view name);
std::optional<AxisOperand> axis_operand(std::string_view name);

/// "runtime/static", or "runtime/static/axis-runtime" where the axis is not constant.
std::string to_string(const Route& route);

}  // namespace gathercheck
