// SPDX-License-Identifier: Apache-2.0
// Reading and checking the values of options.
#include "tools/shared/option_values.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>
#include <variant>

#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

template <class Number>
std::string refused(const char* key, Number value, const Range<Number>& range) {
    if (range.contains(value)) return {};
    const auto text = [](Number number) {
        std::array<char, 64> digits{};
        const auto [end, error] = std::to_chars(digits.begin(), digits.end(), number);
        return std::string(digits.begin(), end);
    };
    return std::string(key) + " " + text(value) + ", which is not from " + text(range.first) +
           " to " + text(range.last);
}

}  // namespace

std::optional<std::uint64_t> bytes_of(std::string_view text) {
    std::uint64_t count = 0;
    const char* end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc{}) return std::nullopt;
    std::string unit;
    for (const char* c = behind; c != end; ++c) {
        if (*c != ' ') unit += *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c - 'A' + 'a') : *c;
    }
    if (unit.ends_with('b')) unit.pop_back();
    if (unit.size() == 2 && unit.back() == 'i') unit.pop_back();
    constexpr std::string_view powers = "kmgtpe";
    const std::size_t power = unit.size() == 1 ? powers.find(unit.front()) : std::string::npos;
    if (!unit.empty() && power == std::string::npos) return std::nullopt;
    const std::size_t shift = unit.empty() ? 0 : 10 * (power + 1);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) >> shift) {
        return std::nullopt;
    }
    return count << shift;
}

std::string refused_setting(const RunSettings& settings) {
    const std::string numbers[] = {
        refused("time_limit", settings.seconds_per_call, seconds_allowed),
        settings.seconds_of_known_timeout == 0
            ? std::string()
            : refused("known_timeout_limit", settings.seconds_of_known_timeout, seconds_allowed),
        refused("restarts", settings.restarts, restarts_allowed),
        settings.bytes_of_memory == 0
            ? std::string()
            : refused("memory_limit", settings.bytes_of_memory, memory_allowed),
    };
    for (const std::string& why : numbers) {
        if (!why.empty()) return why;
    }
    if (!settings.sweeps.empty() && !sweeps(settings.sweeps)) {
        return "sweeps " + in_quotes(settings.sweeps) +
               ", which is none of all, written, sample and none";
    }
    if (!parse_shard(settings.shard)) {
        return "shard " + in_quotes(settings.shard) + ", which is not i/n with 1 <= i <= n";
    }
    const auto filter = parse_filter(settings.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return "filters: " + *why;
    return {};
}

}  // namespace gathercheck
