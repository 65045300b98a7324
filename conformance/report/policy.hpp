// SPDX-License-Identifier: Apache-2.0
// The out-of-bounds map: what implementations do with indices at and beyond the ends of a
// dimension, from the records of a few cases that tell the usual treatments apart.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "conformance/judge/prepared_case.hpp"
#include "conformance/load/load.hpp"
#include "conformance/model/route.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/records/record.hpp"
#include "conformance/select/policy_questions.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

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
    /// "error" with its phase where it is known, and "clamp, s+1: error" where the index alone is
    /// none, "error of s or s+1" where it was not asked alone; what classify_probe() says of an
    /// output, with "garbage" for "other", "unclear" for more than three, and of those that it
    /// cannot tell apart only the ones that other answers showed, if any; "not deterministic",
    /// "unsafe memory", "crash", "timeout", "unsupported"; "-" where not asked, "not in i32" where
    /// that is because the claimed type does not hold the indices.
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
    struct Place {
        std::size_t implementation;
        OperatorVersion version;
        Route route;

        auto operator<=>(const Place&) const = default;
    };

    PolicyAnswer answer(const ExecutionRecord& record) const;
    /// The case as it is written, made ready; null where the suite has none for the version.
    std::shared_ptr<const PreparedCase> written(std::string_view case_id,
                                                OperatorVersion version) const;
    /// Whether an element type holds the indices of a case; nothing where there is no such case.
    std::optional<bool> holds_indices(ElementType type, std::string_view case_id,
                                      OperatorVersion version) const;
    /// What only the answers of a row together tell.
    void complete(const Place& place, std::vector<PolicyAnswer>& row) const;

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
