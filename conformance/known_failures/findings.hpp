// SPDX-License-Identifier: Apache-2.0
// Findings: each bug of an engine once, with the sentence that it breaks and a program that shows
// it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/route.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/problem.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// How grave a bug is; the gravest first.
enum class Severity : std::uint8_t {
    memory_outside,       ///< memory of others is read or written
    crash,                ///< the process dies
    hang,                 ///< it goes on without end
    wrong_value,          ///< a legal call gives other elements
    wrong_shape_or_type,  ///< a legal call gives an output of another form
    missing_error,        ///< what must be refused is taken
    legal_refused,        ///< what must be taken is refused
    open_text,            ///< the text can be read otherwise
};
inline constexpr std::array<Severity, 8> severities{Severity::memory_outside,
                                                    Severity::crash,
                                                    Severity::hang,
                                                    Severity::wrong_value,
                                                    Severity::wrong_shape_or_type,
                                                    Severity::missing_error,
                                                    Severity::legal_refused,
                                                    Severity::open_text};

std::string_view name(Severity severity);  ///< "memory outside", "legal call refused", ...
std::optional<Severity> severity(std::string_view name);

/// One exact execution: what `gathercheck run --filter` finds by its case, operator and route.
struct FindingCall {
    std::string case_id;
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    Route route;

    friend auto operator<=>(const FindingCall&, const FindingCall&) = default;
};

/// "case gather-x, onnx.Gather-13, runtime/static".
std::string to_string(const FindingCall& call);

/// Characters that a title may have.
inline constexpr std::size_t longest_title = 120;

/// One bug. Its executions are those of the known failures that name it.
struct Finding {
    std::string id;                            ///< "openvino-index-out-of-range"
    std::string engine;                        ///< for people: "OpenVINO"
    std::vector<std::string> implementations;  ///< names as in `--implementation`
    Severity severity = Severity::open_text;
    std::string statement;  ///< what is done instead of what must be
    std::string title;      ///< of a report: short, on one line
    std::vector<std::string>
        rules;                    ///< that it breaks, of each operator version that it is seen in
    FindingCall call;             ///< a small one that shows it
    std::string outcome;          ///< of that call: "wrong value", "crash", ...
    std::string reproducer;       ///< a program in the engine's own API, as a path to open
    std::string reproducer_name;  ///< its path below the folder `reproducers`
    std::string first;            ///< version of the engine that it was first seen in
    std::string last;             ///< and last
    std::string link;             ///< a public report; may be empty
    std::string note;             ///< what a reader must know besides; may be empty
    std::string file;
    std::string pointer;  ///< where it stands in its file

    /// Those of one operator version.
    std::vector<std::string> rules_of(OperatorVersion version, const RuleCatalogue& rules) const;
};

/// All findings: by engine, in the order of their files.
class FindingCatalogue {
public:
    /// Precondition: there is no finding with that id yet.
    void add(Finding finding);
    const Finding* find(std::string_view id) const;
    const std::vector<Finding>& findings() const { return findings_; }
    /// The ids that are most like a text that is none, the nearest first; none where nothing is
    /// like it.
    std::vector<std::string> near(std::string_view id) const;

    /// "'x' is no finding ...", with those that are near.
    std::string has_none(std::string_view id) const;

private:
    std::vector<Finding> findings_;
    std::map<std::string, std::size_t, std::less<>> places_;
};

/// The folder beside the files that holds the reproducers.
inline constexpr std::string_view reproducers_folder = "reproducers";

/// Loads every ENGINE.json of a folder; a folder that is not there holds none. Unknown keys, words
/// and rules, ids that stand twice or do not begin with the name of their file, and reproducers
/// that are missing or named twice are problems.
std::variant<FindingCatalogue, std::vector<Problem>> load_findings(
    const std::filesystem::path& folder, const RuleCatalogue& rules);

}  // namespace gathercheck
