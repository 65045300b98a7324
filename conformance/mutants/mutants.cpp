// SPDX-License-Identifier: Apache-2.0
// All mutants, theme by theme.
#include "conformance/mutants/mutants.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/mutants/bug.hpp"

namespace gathercheck {
namespace {

std::vector<Mutant> make_all() {
    using namespace mutant;
    std::vector<Mutant> all;
    for (const auto theme :
         {bounds_mutants, sign_and_width_mutants, axis_mutants, batch_mutants, window_mutants,
          shape_mutants, layout_mutants, tail_mutants, element_mutants, rounding_mutants,
          counter_mutants, error_mutants, confusion_mutants, state_mutants, memory_mutants}) {
        std::ranges::move(theme(), std::back_inserter(all));
    }
    return all;
}

}  // namespace

std::span<const Mutant> mutants() {
    static const std::vector<Mutant> all = make_all();
    return all;
}

const Mutant& unchanged() {
    static const std::vector<Mutant> one = [] {
        mutant::Theme theme("none");
        theme.add("unchanged", "does everything right", mutant::all_versions(), {});
        return theme.take();
    }();
    return one.front();
}

}  // namespace gathercheck
