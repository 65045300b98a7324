// SPDX-License-Identifier: Apache-2.0
// The shipped equations, and short ways to read what they answer.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "conformance/oracle/equation.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck::test {

inline std::filesystem::path equations_file() { return fixture::spec_cases() / "equations.json"; }

inline const Equations& equations() {
    static const Equations loaded = [] {
        auto result = Equations::load(equations_file());
        if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
            throw std::runtime_error(problems->front().pointer + ": " + problems->front().reason);
        }
        return std::move(std::get<Equations>(result));
    }();
    return loaded;
}

/// Why the equations have no meaning for a call; "" where they have.
inline std::string reason(const std::variant<EquationAnswer, std::string>& answer) {
    const auto* text = std::get_if<std::string>(&answer);
    return text == nullptr ? "" : *text;
}

}  // namespace gathercheck::test
