// SPDX-License-Identifier: Apache-2.0
// The shipped rules, those of dialects too.
#pragma once

#include <stdexcept>
#include <variant>
#include <vector>

#include "conformance/dialect/dialect.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck::fixture {

/// Declares the operator versions of the shipped dialects, which the shipped cases name.
inline void declare_shipped_dialects() {
    [[maybe_unused]] static const bool done = [] {
        const auto dialects = load_dialects(spec_cases() / "dialects");
        if (const auto* problems = std::get_if<std::vector<Problem>>(&dialects)) {
            throw std::runtime_error(to_string(problems->front()));
        }
        return true;
    }();
}

/// The shipped rules, after the shipped dialects have been declared.
inline const RuleCatalogue& shipped_rules() {
    static const auto loaded = [] {
        declare_shipped_dialects();
        return load_rules(spec_cases() / "rules");
    }();
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        throw std::runtime_error(to_string(problems->front()));
    }
    return std::get<RuleCatalogue>(loaded);
}

}  // namespace gathercheck::fixture
