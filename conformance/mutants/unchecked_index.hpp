// SPDX-License-Identifier: Apache-2.0
// Unchecked indices: where an implementation reads that uses an index out of bounds as it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/call.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// Which indices an implementation uses although they are out of bounds.
enum class Unchecked : std::uint8_t {
    all,         ///< every index, after the version's rule for negative ones
    size,        ///< the one that is equal to the size of the axis
    just_below,  ///< the one just below the range: -s-1, or -1 where negative ones are not legal
    above,       ///< those above the range
    below,       ///< those below the range
    negative,    ///< negative ones that the version allows, without adding the size of the axis
};

struct UncheckedIdea {
    Unchecked which;
    std::string_view name;
    std::string_view idea;
};

inline constexpr std::array<UncheckedIdea, 6> unchecked_ideas{{
    {Unchecked::all, "index-unchecked",
     "an index out of bounds is not checked: the memory that it points to is read"},
    {Unchecked::size, "index-s-unchecked",
     "an index equal to the size of the axis passes the check: the memory behind is read"},
    {Unchecked::just_below, "index-just-below-unchecked",
     "the index just below the range passes the check: the memory before is read"},
    {Unchecked::above, "index-above-unchecked",
     "an index above the range is not checked: the memory behind is read"},
    {Unchecked::below, "index-below-unchecked",
     "an index below the range is not checked: the memory before is read"},
    {Unchecked::negative, "negative-unchecked",
     "negative indices are not wrapped: the memory before is read"},
}};

/// What such an implementation reads for one call.
struct UncheckedRead {
    Descriptor output;
    /// For each element of the output the flat position in data; below 0 or behind data it is
    /// memory of others. `zero` stands for all-zero bits.
    std::vector<std::int64_t> positions;
    std::vector<bool> is_bad;  ///< for each element of the output: such an index picked it
    bool outside = false;      ///< some position is outside data

    static constexpr std::int64_t zero = INT64_MIN;
};

/// Nothing where the call is answered as it should be: it is illegal for another reason, or no
/// index of it is such a one; and where its output has too many elements to be looked at.
std::optional<UncheckedRead> read_unchecked(const Call& call, Unchecked which);

}  // namespace gathercheck
