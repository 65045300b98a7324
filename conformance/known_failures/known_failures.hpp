// SPDX-License-Identifier: Apache-2.0
// Known failures: what an implementation is recorded to get wrong, compared with a run in both
// directions.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "conformance/known_failures/findings.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/records/record.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// One exact execution that is known to fail.
struct KnownFailure {
    std::string case_id;
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    Route route;
    std::vector<std::string>
        outcomes;                    ///< the wrong outcomes expected: "wrong value", "crash", ...
    std::string reason;              ///< what is done instead of what must be
    std::vector<std::string> rules;  ///< of `version`, those that the outcomes break; may be empty
    std::string reproducer;          ///< a file that shows it in the engine's own API; may be empty
    std::string link;                ///< a public report; may be empty
    std::string expires;             ///< "2027-12-31"; may be empty
    std::string pointer;             ///< where the entry stands in its file
    std::string finding = {};  ///< id of the finding that reason, rules, reproducer and link are of
};

/// A known-failure file. Entries that list several cases, operator versions or routes are taken
/// apart.
class KnownFailures {
public:
    std::string file;
    std::string implementation;
    std::vector<std::string> versions;  ///< patterns (version_pattern.hpp): it is about the
                                        ///< versions of the implementation that one of them covers
    bool witness = false;  ///< of one that promises none of the specifications: its entries are
                           ///< differences, which have reasons and show no findings

    const std::vector<KnownFailure>& entries() const { return entries_; }

    /// Precondition: there is no entry for that execution yet.
    void add(KnownFailure entry);

    /// The entry for an execution; null where there is none.
    const KnownFailure* find(const std::string& case_id, OperatorVersion version,
                             const Route& route) const;

    /// True where the file is about this version of the implementation.
    bool covers(std::string_view version) const;

    /// The patterns of its versions in one text: "1.30.* or 1.31.1".
    std::string versions_text() const;

private:
    std::vector<KnownFailure> entries_;
    std::map<std::tuple<std::string, OperatorVersion, Route>, std::size_t> places_;
};

/// Loads a file: patterns of versions that are not understood, and entries without a reason or a
/// finding, with unknown words, that name one execution twice, that cite a rule which is not in the
/// catalogue or not of their operator versions, a reproducer that is not there, or a finding that
/// is not in its catalogue or breaks no rule of their operator versions, are problems.
std::variant<KnownFailures, std::vector<Problem>> load_known_failures(
    const std::filesystem::path& file, const RuleCatalogue& rules,
    const FindingCatalogue& findings);

/// What the entries of a file that ships with the suite lack: each names a finding.
std::vector<Problem> lacking_evidence(const KnownFailures& known);

/// True where an entry with these outcomes expects that one: it is among them, or memory turns one
/// of them into it. What is read from memory that is not the call's may be the same in two runs or
/// not: "accepted what must be rejected" and "wrong value" stand for "not deterministic" too, and
/// the other way round.
bool expects(const std::vector<std::string>& outcomes, std::string_view outcome);

/// Gives a record the verdict that the entry for its execution makes of it: a failure whose outcome
/// is expected becomes known failure, a pass becomes fixed, anything else stays.
void apply(const KnownFailures& known, ExecutionRecord& record);

}  // namespace gathercheck
