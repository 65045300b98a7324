// SPDX-License-Identifier: Apache-2.0
// Dialects: operator versions that a file declares: element types, attributes, index rules and, if
// it likes, equations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/rules.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/util/problem.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// What a tensor of a special shape leads to.
enum class Special : std::uint8_t {
    output,           ///< an output, as any other
    output_or_error,  ///< that, or an error
    unspecified,      ///< no sentence says
};

/// An operator version that a dialect declared.
struct DeclaredOperator {
    OperatorVersion version;
    std::string equation;  ///< JSON, an entry of equations.json without its "operator"
    std::string pointer;   ///< to where it is declared
    std::map<std::string, std::string> open;  ///< rules of checks of which no sentence says what
                                              ///< breaking them leads to, and why not
    Special empty_data = Special::output;     ///< of data with a dimension of size 0
    Special empty_indices = Special::output;  ///< of such indices
    Special axis_of_one_element = Special::output;  ///< of an axis input of shape [1]

    /// Why it is open what breaking a rule leads to; empty where it is the rule's error. So it is
    /// of element types: a dialect lists those that are asked, not those that are refused.
    std::string why_open(std::string_view rule) const;
};

struct Dialect {
    std::string file;
    std::string sha256;  ///< of the file's bytes, lower-case hex
    std::vector<DeclaredOperator> operators;
};

/// Reads a dialect and declares its operator versions (see declare), all of them or, where there is
/// a problem, possibly some. Not thread-safe: before anything reads the table of operator versions.
std::variant<Dialect, std::vector<Problem>> load_dialect(const std::filesystem::path& file);

/// The same of each *.json of a folder, in the order of their names; a folder that is not there has
/// none.
std::variant<std::vector<Dialect>, std::vector<Problem>> load_dialects(
    const std::filesystem::path& folder);

/// Gives the equations those of a dialect; what is wrong with them.
std::vector<Problem> add_equations(const Dialect& dialect, Equations& equations);

/// Gives the catalogue a rule for each check of the dialect's versions of which it has no rule, and
/// one for their outputs: a dialect of somebody's own needs no file of rules.
void add_rules(const Dialect& dialect, RuleCatalogue& rules);

/// Id of the rule that says what the output of a declared version is.
std::string output_rule(OperatorVersion version);

/// Id of the rule that says what data or indices with a dimension of size 0 lead to.
std::string empty_rule(OperatorVersion version, std::string_view input);

}  // namespace gathercheck
