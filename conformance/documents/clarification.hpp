// SPDX-License-Identifier: Apache-2.0
// Clarifications: what a specification leaves open, how it may be read, and which reading the suite
// takes.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/problem.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// What an open point is about; pages list the points in this order.
struct Topic {
    std::string_view name;     ///< as entries write it
    std::string_view heading;  ///< for people
};

inline constexpr std::array<Topic, 7> clarification_topics{{
    {"indices", "Index values"},
    {"axis", "The axis"},
    {"batch-dimensions", "Batch dimensions"},
    {"shapes", "Shapes, ranks and empty tensors"},
    {"types", "Element types and bits"},
    {"errors", "Errors and their order"},
    {"text", "Misprints and loose wording"},
}};

/// One way to read the text, and what speaks for and against it.
struct Reading {
    std::string reading;
    std::string in_favour;  ///< may be empty
    std::string against;    ///< may be empty
};

/// One open point.
struct Clarification {
    std::string id;
    std::string title;  ///< the question, as a statement of what is open
    std::string topic;
    std::vector<OperatorVersion> versions;
    std::vector<std::string> rules;  ///< ids; each of one of the versions
    std::string says;
    std::string silent;              ///< what the text does not say, or says twice
    std::vector<Reading> readings;   ///< the first is the suite's
    std::string why;                 ///< the suite takes it
    std::vector<std::string> cases;  ///< ids of the cases that pin it; each for one of the versions
    std::string no_case;             ///< why there is none; empty otherwise
    std::string question;            ///< text that can be posted to the specification's authors
};

/// The file beside the entries that holds what implementations did
/// (conformance/documents/observation.hpp).
inline constexpr std::string_view observed_file = "observed.json";

/// Loads every <id>.json of a folder except observed.json, in the order of topics, then of ids; all
/// problems found otherwise. Unknown cases, rules and versions are problems.
std::variant<std::vector<Clarification>, std::vector<Problem>> load_clarifications(
    const std::filesystem::path& folder, const Suite& suite, const RuleCatalogue& rules);

/// The entries that concern a call of a case for one operator version: those that name the case,
/// or a rule of level "reading" among those that are cited.
std::vector<const Clarification*> open_points(const std::vector<Clarification>& entries,
                                              const Case& tested, OperatorVersion version,
                                              const std::vector<std::string>& cited,
                                              const RuleCatalogue& rules);

/// "Open point: Whether batch_dims may be negative (gathercheck clarifications batch-dims)".
std::string open_point_text(const Clarification& entry);

}  // namespace gathercheck
