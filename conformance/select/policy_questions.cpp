// SPDX-License-Identifier: Apache-2.0
// Fourteen indices at and beyond the ends of a dimension.
#include "conformance/select/policy_questions.hpp"

#include <algorithm>
#include <array>

#include "conformance/model/retype.hpp"

namespace gathercheck {
namespace {

constexpr std::array<PolicyQuestion, 14> questions{{
    {"-1", "policy-gather-minus-1", "policy-gather-elements-minus-1", "policy-gather-nd-minus-1",
     "-2"},
    {"-1 inner", "policy-gather-minus-1-inner", "policy-gather-elements-minus-1-inner",
     "policy-gather-nd-minus-1-inner", "-2"},
    {"-s", "policy-gather-minus-size", "policy-gather-elements-minus-size",
     "policy-gather-nd-minus-size"},
    {"s", "policy-gather-size", "policy-gather-elements-size", "policy-gather-nd-size", "s+1"},
    {"s inner", "policy-gather-size-inner", "policy-gather-elements-size-inner",
     "policy-gather-nd-size-inner", "s+1"},
    {"-s-1", "policy-gather-below-minus-size", "policy-gather-elements-below-minus-size",
     "policy-gather-nd-below-minus-size", "-s-2"},
    {"2^16+257", "policy-gather-two-to-16-plus-257", "policy-gather-elements-two-to-16-plus-257",
     "policy-gather-nd-two-to-16-plus-257"},
    {"2^32+65793", "policy-gather-two-to-32-plus-65793",
     "policy-gather-elements-two-to-32-plus-65793", "policy-gather-nd-two-to-32-plus-65793"},
    {"2^31-1", "policy-gather-i32-maximum", "policy-gather-elements-i32-maximum",
     "policy-gather-nd-i32-maximum"},
    {"-2^31", "policy-gather-i32-minimum", "policy-gather-elements-i32-minimum",
     "policy-gather-nd-i32-minimum"},
    {"2^63-1", "policy-gather-i64-maximum", "policy-gather-elements-i64-maximum",
     "policy-gather-nd-i64-maximum"},
    {"-2^63", "policy-gather-i64-minimum", "policy-gather-elements-i64-minimum",
     "policy-gather-nd-i64-minimum"},
    {"empty axis", "policy-gather-empty-axis", "policy-gather-elements-empty-axis",
     "policy-gather-nd-empty-axis"},
    {"no output", "policy-gather-no-output", "", "policy-gather-nd-no-output"},
}};

constexpr std::array families{Family::gather, Family::gather_elements, Family::gather_nd};

}  // namespace

std::string_view PolicyQuestion::case_of(Family family) const {
    switch (family) {
        case Family::gather:
        case Family::stablehlo_gather:  // its dimension numbers say what Gather picks
            return gather;
        case Family::gather_elements:
            return gather_elements;
        case Family::gather_nd:
            break;
    }
    return gather_nd;
}

std::string PolicyQuestion::alone_case_of(Family family) const {
    const std::string_view id = case_of(family);
    return neighbour.empty() || id.empty() ? std::string() : std::string(id) + "-alone";
}

std::span<const PolicyQuestion> policy_questions() { return questions; }

bool is_policy_case(std::string_view case_id) {
    case_id = id_as_written(case_id);
    return std::ranges::any_of(questions, [&](const PolicyQuestion& one) {
        return std::ranges::any_of(families, [&](Family family) {
            return !case_id.empty() &&
                   (case_id == one.case_of(family) || case_id == one.alone_case_of(family));
        });
    });
}

}  // namespace gathercheck
