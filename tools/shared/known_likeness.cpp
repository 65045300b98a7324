// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/known_likeness.hpp"

#include <algorithm>
#include <cstdint>

#include "reference/shape.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t giant_dim = std::int64_t{1} << 24;

bool is_giant(const Shape& shape) {
    return std::ranges::any_of(shape, [](std::int64_t dim) { return dim > giant_dim; });
}

/// Contents of more elements are not read.
constexpr std::int64_t most_elements = 1 << 16;

bool is_small(const Case& tested) {
    return std::ranges::all_of(tested.inputs, [](const NamedTensorSpec& input) {
        return element_count(input.tensor.descriptor.shape).value_or(most_elements + 1) <=
               most_elements;
    });
}

}  // namespace

KnownLikeness::KnownLikeness(std::span<const Case> cases, const KnownFailures* known)
    : cases_(known == nullptr ? std::span<const Case>() : cases) {
    if (known == nullptr) return;
    for (const KnownFailure& entry : known->entries()) {
        if (!entry.finding.empty()) entries_[entry.version].push_back(&entry);
    }
}

KnownLikeness::Magnitude KnownLikeness::magnitude(std::int64_t number) {
    constexpr std::int64_t far = std::int64_t{1} << 31;
    if (number >= far) return Magnitude::far;
    if (number < -far) return Magnitude::far_below;
    if (number < 0) return Magnitude::negative;
    return number == 0 ? Magnitude::zero : Magnitude::positive;
}

KnownLikeness::Magnitude KnownLikeness::farthest(const TensorView& tensor) {
    const std::int64_t count = element_count(tensor.shape).value_or(0);
    Magnitude found = Magnitude::none;
    if (tensor.contents == nullptr || !is_integer(tensor.type)) return found;
    for (std::int64_t k = 0; k < count; ++k) {
        const auto number = integer_element(tensor.type, tensor.contents, k);
        found = std::max(found, number ? magnitude(*number) : Magnitude::far);
    }
    return found;
}

KnownLikeness::Traits KnownLikeness::traits_of(const Call& call) {
    Traits traits;
    const Shape* data = nullptr;
    for (const auto& [name, tensor] : call.inputs) {
        const bool empty = element_count(tensor.shape) == std::int64_t{0};
        traits.giant = traits.giant || is_giant(tensor.shape);
        if (name == "data") {
            data = &tensor.shape;
            traits.data = tensor.type;
            traits.no_data = empty;
            traits.scalar = tensor.shape.rank() == 0;
        } else if (name == "indices") {
            traits.indices = tensor.type;
            traits.no_indices = empty;
            traits.farthest_index = farthest(tensor);
            // Shrunk calls have many indices of 0, which picks no otherwise than 1 does.
            if (traits.farthest_index == Magnitude::zero) {
                traits.farthest_index = Magnitude::positive;
            }
        } else if (name == "axis") {
            traits.axis = farthest(tensor);
            traits.axis_list = tensor.shape.rank() > 0;
        }
    }
    if (const auto* sizes = call.attribute<std::vector<std::int64_t>>("slice_sizes")) {
        traits.empty_slice = std::ranges::find(*sizes, 0) != sizes->end();
    }
    if (const auto* axis = call.attribute<std::int64_t>("axis")) traits.axis = magnitude(*axis);
    if (const auto* batch_dims = call.attribute<std::int64_t>("batch_dims")) {
        traits.batch_dims = magnitude(*batch_dims);
        traits.single_batch = *batch_dims > 0 && data != nullptr && *batch_dims <= data->rank() &&
                              std::all_of(data->begin(), data->begin() + *batch_dims,
                                          [](std::int64_t dim) { return dim == 1; });
    }
    return traits;
}

const KnownLikeness::Traits& KnownLikeness::traits_of(const KnownFailure& entry,
                                                      const Case& tested) {
    const auto [found, is_new] = traits_.try_emplace(std::pair(&tested, entry.version), Traits{});
    if (is_new) {
        const OwnedCall owned = is_small(tested) ? make_call(tested, entry.version)
                                                 : describe_call(tested, entry.version);
        found->second = traits_of(owned.call);
    }
    return found->second;
}

int KnownLikeness::in_common(const Traits& a, const Traits& b) {
    int points = 0;
    // The type of data is what most findings of wrong values are about, and a number outside its
    // range what most of accepted calls and of crashes are.
    points += a.data == b.data ? 3 : 0;
    points += a.batch_dims == b.batch_dims ? 3 : 0;
    points += a.farthest_index == b.farthest_index ? 3 : 0;
    points += a.indices == b.indices ? 2 : 0;
    points += a.no_data == b.no_data ? 2 : 0;
    points += a.no_indices == b.no_indices ? 2 : 0;
    points += a.scalar == b.scalar ? 2 : 0;
    points += a.giant == b.giant ? 2 : 0;
    points += a.single_batch == b.single_batch ? 2 : 0;
    points += a.empty_slice == b.empty_slice ? 4 : 0;
    points += a.axis_list == b.axis_list ? 2 : 0;
    points += a.axis == b.axis ? 2 : 0;
    return points;
}

std::set<std::string> KnownLikeness::findings_of(OperatorVersion version) const {
    std::set<std::string> all;
    const auto known = entries_.find(version);
    if (known == entries_.end()) return all;
    for (const KnownFailure* entry : known->second) all.insert(entry->finding);
    return all;
}

std::string KnownLikeness::finding_of(const GeneratedCall& call, const std::string& outcome,
                                      std::span<const std::string> rules) {
    const auto known = entries_.find(call.version);
    if (known == entries_.end()) return {};
    const Traits traits = traits_of(call.view());
    // All points but those of one trait.
    const int nearly_all = in_common(traits, traits) - 3;
    const KnownFailure* most_like = nullptr;
    int most = -1;
    for (const KnownFailure* entry : known->second) {
        if (!expects(entry->outcomes, outcome)) continue;
        const bool same_rule =
            rules.empty() || std::ranges::any_of(rules, [&](const std::string& rule) {
                return std::ranges::find(entry->rules, rule) != entry->rules.end();
            });
        // What is legal breaks no rule: which is cited of it is a guess.
        const bool is_guess = outcome != "accepted what must be rejected";
        if (!same_rule && !is_guess) continue;
        const Case* tested = retyped_.find(cases_, entry->case_id);
        if (tested == nullptr) continue;
        const int shared = in_common(traits, traits_of(*entry, *tested));
        if (!same_rule && shared < nearly_all) continue;
        const int points = shared + (entry->route == call.route ? 3 : 0) + (same_rule ? 4 : 0);
        if (points <= most) continue;
        most = points;
        most_like = entry;
    }
    return most_like == nullptr ? std::string() : most_like->finding;
}

}  // namespace gathercheck
