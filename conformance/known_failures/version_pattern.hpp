// SPDX-License-Identifier: Apache-2.0
// Patterns of versions: which versions of an implementation a known-failure file is about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gathercheck {

/// What a pattern may be, for messages.
inline constexpr std::string_view version_patterns =
    "1.31.1 (that version), 1.31.* (all that begin so), 1.30 - 1.31.1 (from the first to the "
    "second), >=1.30 <1.32 (all of it holds; also <=, >), =TEXT (the version that is called so), * "
    "(any version), or a list of such";

/// One pattern. Versions are compared by their numbers, of which missing ones are zero: 1.9 comes
/// before 1.10, and 1.31 is as far as 1.31.0. Behind the numbers, "+..." says nothing; "post" and
/// "-" with a digit come after the plain version; anything else (rc1, -dev, a0) before it.
class VersionPattern {
public:
    /// The text is why it is not understood.
    static std::variant<VersionPattern, std::string> parse(std::string_view text);

    bool covers(std::string_view version) const;

private:
    enum class Relation : std::uint8_t { any, same, begins, less, at_most, more, at_least };
    struct Term {
        Relation relation = Relation::any;
        std::string version;

        bool holds(std::string_view given) const;
    };

    static std::variant<VersionPattern, std::string> comparisons(std::string_view text);

    std::vector<Term> terms_;  // all must hold
};

/// The pattern of that one version, whatever it is called.
std::string pattern_of(const std::string& version);

}  // namespace gathercheck
