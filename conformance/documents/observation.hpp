// SPDX-License-Identifier: Apache-2.0
// Observations: what implementations did with chosen cases, taken from records and kept as data, so
// that it is never written by hand.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/load/load.hpp"
#include "conformance/model/route.hpp"
#include "conformance/records/record.hpp"
#include "conformance/util/problem.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// What came of one case for one operator version, by every route with the same result.
struct Observation {
    std::string case_id;
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::vector<Route> routes;  ///< sorted
    Verdict verdict = Verdict::pass;
    Failure failure = Failure::none;
    std::string outcome;         ///< "value", "rejected", ...
    std::string classification;  ///< with unspecified: "error", "zero", "clamp", ...; or
                                 ///< left_to_the_run
    std::string category;        ///< of a rejection, where the implementation gave it
    std::string phase;           ///< of a rejection, where the implementation gave it
    std::string value;           ///< the output, shortened, where no sentence decides

    friend bool operator==(const Observation&, const Observation&) = default;
};

/// One version of an implementation, as one run saw it.
struct Observed {
    std::string implementation;
    std::string version;
    std::string date;                       ///< of the run that it comes from, "2026-11-21"
    std::vector<Observation> observations;  ///< sorted by case, version and routes

    friend bool operator==(const Observed&, const Observed&) = default;
};

/// What the implementations of some records did with `cases`, in the order of their names. Where
/// an execution was recorded twice the later run counts. Executions that did not come about (not
/// run, unavailable, broken) are left out. The text is why the records cannot be used.
std::variant<std::vector<Observed>, std::string> observe(
    std::span<const std::vector<Record>> runs, const std::set<std::string, std::less<>>& cases);

/// `before`, but everything about an implementation that `now` has comes from `now`.
std::vector<Observed> updated(std::vector<Observed> before, std::vector<Observed> now);

/// The JSON text of observed.json.
std::string to_json(const std::vector<Observed>& observed);

/// Observations of cases that are gone.
enum class GoneCases { refuse, drop };

/// Reads what to_json wrote; unknown versions, routes and words are problems, and so are unknown
/// cases unless they are dropped. A file that is not there holds nothing.
std::variant<std::vector<Observed>, std::vector<Problem>> load_observed(
    const std::filesystem::path& file, const Suite& suite, GoneCases gone = GoneCases::refuse);

/// One observation in words: "rejects it at run time", "gives zeros".
std::string in_words(const Observation& observation);

/// What one implementation did, said once for all cases and versions that it treated alike.
struct Statement {
    std::string text;  ///< "rejects it; by folded operands: gives the expected output"
    std::vector<std::pair<std::string, std::vector<OperatorVersion>>> cases;
};

/// The observations of `cases` for `versions` as statements; the first is about the first case.
std::vector<Statement> statements(const Observed& observed, std::span<const std::string> cases,
                                  std::span<const OperatorVersion> versions);

}  // namespace gathercheck
