// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/known_likeness.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "reference/shape.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t giant_dim = std::int64_t{1} << 24;

bool is_giant(const Shape& shape) {
    return std::ranges::any_of(shape, [](std::int64_t dim) { return dim > giant_dim; });
}

bool has_batches(const std::vector<Attribute>& attributes) {
    const auto found = std::ranges::find(attributes, "batch_dims", &Attribute::name);
    if (found == attributes.end()) return false;
    const auto* number = std::get_if<std::int64_t>(&found->value);
    return number == nullptr || *number != 0;
}

}  // namespace

KnownLikeness::KnownLikeness(std::span<const Case> cases, const KnownFailures* known)
    : cases_(known == nullptr ? std::span<const Case>() : cases) {
    if (known == nullptr) return;
    for (const KnownFailure& entry : known->entries()) {
        if (!entry.finding.empty()) entries_[entry.version].push_back(&entry);
    }
}

KnownLikeness::Traits KnownLikeness::traits_of(const GeneratedCall& call) {
    Traits traits;
    traits.batches = has_batches(call.attributes);
    for (const auto& [name, tensor] : call.inputs) {
        const bool empty = element_count(tensor.shape) == std::int64_t{0};
        traits.giant = traits.giant || is_giant(tensor.shape);
        if (name == "data") {
            traits.data = tensor.type;
            traits.no_data = empty;
            traits.scalar = tensor.shape.rank() == 0;
        } else if (name == "indices") {
            traits.indices = tensor.type;
            traits.no_indices = empty;
        }
    }
    return traits;
}

KnownLikeness::Traits KnownLikeness::traits_of(const Case& tested) {
    GeneratedCall call;
    call.attributes = tested.attributes;
    for (const NamedTensorSpec& input : tested.inputs) {
        const Descriptor& of = input.tensor.descriptor;
        call.inputs.emplace_back(input.name, Tensor{of.type, of.shape, {}, {}});
    }
    return traits_of(call);
}

int KnownLikeness::in_common(const Traits& a, const Traits& b) {
    int points = 0;
    // The type of data is what most findings of wrong values are about.
    points += a.data == b.data ? 3 : 0;
    points += a.indices == b.indices ? 2 : 0;
    points += a.no_data == b.no_data ? 2 : 0;
    points += a.no_indices == b.no_indices ? 2 : 0;
    points += a.scalar == b.scalar ? 2 : 0;
    points += a.giant == b.giant ? 2 : 0;
    points += a.batches == b.batches ? 2 : 0;
    return points;
}

std::string KnownLikeness::finding_of(const GeneratedCall& call, const std::string& outcome,
                                      std::span<const std::string> rules) {
    const auto known = entries_.find(call.version);
    if (known == entries_.end()) return {};
    const Traits traits = traits_of(call);
    const KnownFailure* most_like = nullptr;
    int most = -1;
    for (const KnownFailure* entry : known->second) {
        if (!expects(entry->outcomes, outcome)) continue;
        const bool same_rule =
            rules.empty() || std::ranges::any_of(rules, [&](const std::string& rule) {
                return std::ranges::find(entry->rules, rule) != entry->rules.end();
            });
        if (!same_rule) continue;
        auto found = traits_.find(entry->case_id);
        if (found == traits_.end()) {
            const Case* tested = cases_.find(entry->case_id);
            if (tested == nullptr) continue;
            found = traits_.emplace(entry->case_id, traits_of(*tested)).first;
        }
        const int points = in_common(traits, found->second) + (entry->route == call.route ? 3 : 0);
        if (points <= most) continue;
        most = points;
        most_like = entry;
    }
    return most_like == nullptr ? std::string() : most_like->finding;
}

}  // namespace gathercheck
