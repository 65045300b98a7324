// SPDX-License-Identifier: Apache-2.0
// Counting what calls are, and telling what never came.
#include "conformance/fuzz/space_coverage.hpp"

#include <algorithm>
#include <set>

#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

template <std::size_t n>
void add_all(std::array<std::uint64_t, n>& to, const std::array<std::uint64_t, n>& from) {
    for (std::size_t k = 0; k < n; ++k) to[k] += from[k];
}

bool is_near(std::int64_t dim, const std::vector<std::int64_t>& thresholds) {
    // Below 7 every size is near one.
    return dim >= 7 && std::ranges::any_of(thresholds, [dim](std::int64_t threshold) {
               return dim >= threshold - 1 && dim <= threshold + 1;
           });
}

std::size_t capped_rank(const Tensor& tensor) {
    return std::min(static_cast<std::size_t>(tensor.shape.rank()), SpaceCoverage::ranks - 1);
}

template <std::size_t n>
std::string ranks_text(const std::array<std::uint64_t, n>& ranks) {
    std::vector<std::string> met;
    for (std::size_t k = 0; k < n; ++k) {
        if (ranks[k] > 0) met.push_back(std::to_string(k));
    }
    return joined(met);
}

}  // namespace

void SpaceCoverage::add(const GeneratedCall& call, std::optional<Check> check, bool empty_output,
                        const std::vector<std::int64_t>& thresholds) {
    ++calls;
    ++versions[static_cast<std::size_t>(call.version)];
    if (check) {
        ++broken[static_cast<std::size_t>(*check)];
    } else {
        ++legal;
    }
    if (empty_output) ++empty_outputs;
    if (!call.earlier.empty()) ++sequences;
    bool near = false;
    for (const auto& [name, tensor] : call.inputs) {
        const auto type = static_cast<std::size_t>(tensor.type);
        if (name == "data") {
            ++data_types[type];
            ++data_ranks[capped_rank(tensor)];
        } else if (name == "indices") {
            ++indices_types[type];
            ++indices_ranks[capped_rank(tensor)];
        }
        near = near || std::ranges::any_of(tensor.shape, [&](std::int64_t dim) {
                   return is_near(dim, thresholds);
               });
    }
    if (near) ++at_thresholds;
}

void SpaceCoverage::add(const SpaceCoverage& more) {
    calls += more.calls;
    legal += more.legal;
    empty_outputs += more.empty_outputs;
    sequences += more.sequences;
    at_thresholds += more.at_thresholds;
    add_all(versions, more.versions);
    add_all(data_types, more.data_types);
    add_all(indices_types, more.indices_types);
    add_all(data_ranks, more.data_ranks);
    add_all(indices_ranks, more.indices_ranks);
    add_all(broken, more.broken);
}

std::string to_string(const SpaceCoverage& coverage, const CallSpace& space) {
    std::set<OperatorVersion> versions;
    std::set<ElementType> data;
    std::set<ElementType> indices;
    for (const CallsOfVersion& of : space.versions) {
        versions.insert(of.version);
        data.insert(of.data.begin(), of.data.end());
        indices.insert(of.indices.begin(), of.indices.end());
    }
    std::vector<std::string> not_met;
    const auto met = [&](const auto& all, const auto& counts, std::string_view what) {
        std::size_t count = 0;
        for (const auto one : all) {
            if (counts[static_cast<std::size_t>(one)] > 0) {
                ++count;
            } else {
                not_met.push_back(std::string(what) + std::string(name(one)));
            }
        }
        return std::to_string(count) + " of " + std::to_string(all.size());
    };
    std::string text = "met: " + met(versions, coverage.versions, "") + " operator versions, " +
                       met(data, coverage.data_types, "data of ") + " types of data, " +
                       met(indices, coverage.indices_types, "indices of ") +
                       " of indices; data of ranks " + ranks_text(coverage.data_ranks) +
                       ", indices of ranks " + ranks_text(coverage.indices_ranks) + "\n";
    std::set<std::size_t> checks;
    std::size_t broken = 0;
    for (const OperatorVersion version : versions) {
        for (std::size_t k = 0; k < check_count; ++k) {
            if (!info(version).check_rules[k].empty()) checks.insert(k);
        }
    }
    for (const std::size_t k : checks) broken += coverage.broken[k] > 0 ? 1 : 0;
    text += "     " + std::to_string(coverage.legal) + " legal calls, " +
            std::to_string(coverage.calls - coverage.legal) + " that break " +
            std::to_string(broken) + " of " + std::to_string(checks.size()) + " checks; " +
            std::to_string(coverage.empty_outputs) + " empty outputs, " +
            std::to_string(coverage.at_thresholds) + " calls with a dimension at a threshold, " +
            std::to_string(coverage.sequences) + " sequences\n";
    if (!not_met.empty()) text += "     not met: " + joined(not_met) + "\n";
    return text;
}

}  // namespace gathercheck
