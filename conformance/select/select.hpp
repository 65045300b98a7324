// SPDX-License-Identifier: Apache-2.0
// Selection: which executions a run consists of - cases, operator versions and routes against
// filters and claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/model/retype.hpp"
#include "conformance/model/route.hpp"

namespace gathercheck {

/// Which cases, versions and routes a run is narrowed to. Terms with the same key are alternatives,
/// all keys must match. Patterns know * and ?.
struct Filter {
    std::vector<std::string> cases;      ///< case=PATTERN, or a bare word: part of the id
    std::vector<std::string> operators;  ///< operator=PATTERN
    std::vector<std::string> routes;     ///< route=PATTERN, e.g. runtime/static
    std::vector<std::string> types;      ///< type=PATTERN, the element type of data
    std::vector<std::string> rules;      ///< rule=PATTERN

    /// By the ids and the element type of data; a retyped case by the id of the written one too.
    bool matches(const Case& tested) const;
    /// True where the case, or one that is retyped of it and named in full ("*/data=f32"), may
    /// match.
    bool may_match(const Case& written) const;
    bool matches(const Case& tested, OperatorVersion version) const;
    bool matches(OperatorVersion version) const;
    bool matches(ElementType data) const;
    bool matches(const Route& route) const;
};

/// Parses terms like "case=gather-*"; the text is what is wrong with the first bad one.
std::variant<Filter, std::string> parse_filter(std::span<const std::string> terms);

/// True where `text` matches a pattern of characters, * and ?.
bool matches_pattern(std::string_view pattern, std::string_view text);

/// One case for one operator version by one route.
struct Execution {
    const Case* tested = nullptr;
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    Route route;
    bool claimed = true;  ///< the implementation claims to support the call
};

/// Which expanded sweep cases are used.
enum class Sweeps : std::uint8_t {
    all,
    written,  ///< all of the versions that a sweep names, of derived ones the sample
    sample,   ///< of each sweep a fixed set in which every value of every list occurs
    none,
};

/// Of each sweep a set in which every value of every list occurs: the cases in the order of the
/// hashes of their ids, each kept if it brings a value not seen yet. Adding a value to a list keeps
/// what was kept.
std::set<const Case*> sample_of_sweeps(std::span<const Case> cases);

/// The choice of a name, "all", "written", "sample" or "none"; nothing for an unknown one.
std::optional<Sweeps> sweeps(std::string_view name);

/// Share n of m of the cases, counted from 1.
struct Shard {
    std::int64_t index = 1;
    std::int64_t count = 1;
};

/// "1/4"; the whole for an empty text, nothing for another that is no share.
std::optional<Shard> parse_shard(std::string_view text);

/// Cases that pass the filter, the choice of sweeps and the shard, in their order.
std::vector<const Case*> select_cases(const std::vector<Case>& cases, const Filter& filter,
                                      Sweeps sweeps, const Shard& shard);

/// The executions of those cases on an implementation: by every route that its claims cover; a call
/// that must be rejected is sent whatever element types and attributes are claimed, and a sequence
/// where one model serves all its calls. A hand-written case of which no claim covers the element
/// types is asked in the nearest claimed ones, if it may be; what is sent whatever is claimed is
/// asked in both. In a sample a run-time axis is left to the hand-written cases that rest on a rule
/// about what it decides - the axis, index values, the rank of data, sizes - and to sequences with
/// several.
std::vector<Execution> select_executions(std::span<const Case* const> cases, const Filter& filter,
                                         Sweeps sweeps, const Introduction& introduction,
                                         RetypedCases* retyped = nullptr);

}  // namespace gathercheck
