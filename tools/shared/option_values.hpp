// SPDX-License-Identifier: Apache-2.0
// What numbers the options of the verbs may have, on the command line and in the header of a record
// alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/records/record.hpp"
#include "conformance/select/select.hpp"

namespace gathercheck {

template <class Number>
struct Range {
    Number first;
    Number last;
    /// No range has a NaN.
    constexpr bool contains(Number value) const { return value >= first && value <= last; }
};

inline constexpr Range<double> seconds_allowed{0.001, 86400};
/// From 1 MB to 1 EB.
inline constexpr Range<std::uint64_t> memory_allowed{std::uint64_t{1} << 20,
                                                     std::uint64_t{1} << 60};
inline constexpr Range<std::int64_t> restarts_allowed{0, 1000000000};

/// The bytes that "2GB", "512 MiB" or "1048576" are: a whole number, and k, M, G, T, P or E for
/// powers of 1024; nothing for another text or more than 63 bits.
std::optional<std::uint64_t> bytes_of(std::string_view text);

/// The first setting of a recorded run that no command line could have given: its key, its value
/// and what is allowed. Empty where there is none.
std::string refused_setting(const RunSettings& settings);

}  // namespace gathercheck
