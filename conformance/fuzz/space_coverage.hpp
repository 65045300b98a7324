// SPDX-License-Identifier: Apache-2.0
// What of the space of calls was met.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// Counts of calls. It has no pointers, so that it can lie in memory that processes share.
struct SpaceCoverage {
    static constexpr std::size_t ranks = 17;

    std::uint64_t calls = 0;
    std::uint64_t legal = 0;
    std::uint64_t empty_outputs = 0;
    std::uint64_t sequences = 0;
    std::uint64_t at_thresholds = 0;  ///< some dimension of an input is one of the thresholds, or
                                      ///< one beside it
    std::array<std::uint64_t, max_operator_versions> versions{};
    std::array<std::uint64_t, element_type_count> data_types{};
    std::array<std::uint64_t, element_type_count> indices_types{};
    std::array<std::uint64_t, ranks> data_ranks{};
    std::array<std::uint64_t, ranks> indices_ranks{};
    std::array<std::uint64_t, check_count> broken{};  ///< by the check that a call broke first

    /// `broken`: the check of the error that the reference gives; nothing for an output.
    void add(const GeneratedCall& call, std::optional<Check> broken, bool empty_output,
             const std::vector<std::int64_t>& thresholds);
    void add(const SpaceCoverage& more);
};

/// Lines for people: what was met, and what of the space was not.
std::string to_string(const SpaceCoverage& coverage, const CallSpace& space);

}  // namespace gathercheck
