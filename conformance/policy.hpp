// SPDX-License-Identifier: Apache-2.0
// The out-of-bounds map: what implementations do with indices at and beyond the ends of a
// dimension, from the records of a few cases that tell the usual treatments apart.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "conformance/equation.hpp"
#include "conformance/load.hpp"
#include "conformance/record.hpp"
#include "conformance/route.hpp"
#include "conformance/rules.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// One question of the map, asked by one case of each family of operators.
struct PolicyQuestion {
    std::string_view title;            ///< "index s", s being the size of the dimension
    std::string_view gather;           ///< id of the case
    std::string_view gather_elements;  ///< empty: the family has no such call
    std::string_view gather_nd;

    std::string_view case_of(Family family) const;
};

std::span<const PolicyQuestion> policy_questions();

/// True for the id of a case that asks one of them.
bool is_policy_case(std::string_view case_id);

/// How an answer stands to the specification.
enum class Standing : std::uint8_t {
    conforms,
    departs,    ///< from what the specification says
    open,       ///< no sentence decides
    not_asked,  ///< not claimed, not run, or the family has no such call
};

std::string_view name(Standing standing);

/// One answer.
struct PolicyAnswer {
    /// "value" (what an index in range picks), "error" with its phase where it is known, "zero",
    /// "clamp", "wrap", "first element", "cut to 32 bits", several joined with "+", "garbage",
    /// "not deterministic", "unsafe memory", "crash", "timeout", "unsupported"; "-" where not
    /// asked.
    std::string word = "-";
    Standing standing = Standing::not_asked;
    std::string case_id;

    friend bool operator==(const PolicyAnswer&, const PolicyAnswer&) = default;
};

/// The answers of one implementation that are the same for some versions and routes.
struct PolicyRow {
    std::string implementation;
    std::string version;
    std::vector<OperatorVersion> operator_versions;
    std::vector<Route> routes;
    std::vector<PolicyAnswer> answers;  ///< one for each question
};

/// Collects the records that the map is made of. Not thread-safe.
class PolicyMap {
public:
    /// All must outlive this.
    PolicyMap(const Suite& suite, const Equations& equations, const RuleCatalogue& rules);

    /// Takes what it needs; other records and cases are passed over.
    void add(const Record& record);

    /// By implementation in the order of the records, then by operator version and route; rows of
    /// one implementation and family with the same answers are one.
    std::vector<PolicyRow> rows() const;

private:
    PolicyAnswer answer(const ExecutionRecord& record) const;

    struct Place {
        std::size_t implementation;
        OperatorVersion version;
        Route route;

        auto operator<=>(const Place&) const = default;
    };
    const Suite& suite_;
    const Equations& equations_;
    const RuleCatalogue& rules_;
    std::vector<std::pair<std::string, std::string>> implementations_;  ///< names and versions
    std::map<Place, std::vector<PolicyAnswer>> answers_;
};

/// Head and rows of the map as cells: implementation, operators, operands, then the answers.
std::vector<std::vector<std::string>> policy_cells(std::span<const PolicyRow> rows);

/// What the words and marks of the map mean.
std::string_view policy_legend();

/// The map as text for a terminal, and as a Markdown table.
std::string policy_text(std::span<const PolicyRow> rows);
std::string policy_markdown(std::span<const PolicyRow> rows);

}  // namespace gathercheck
