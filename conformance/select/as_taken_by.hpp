// SPDX-License-Identifier: Apache-2.0
// One call for several operator versions: what a case asks, as a version takes it that the case
// does not name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/model/case.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// "gather", "gather_elements", "gather_nd".
std::string_view name(Family family);

/// The families of the table of operator versions, each once.
std::vector<Family> families();

/// The family of the operator versions that a case names first; nothing where it names none.
std::optional<Family> family_of(const Case& tested);

/// A case as a version takes it.
struct TakenCase {
    /// Null where the version has no words for the call. May be the case itself, which must live as
    /// long.
    std::shared_ptr<const Case> taken;
    std::string why_not;  ///< "it has no batch_dims"; empty where there is a call
};

/// What is asked of a version that the case names.
enum class Form : std::uint8_t {
    as_named,  ///< the case itself, though its form may be what the version must refuse
    own,       ///< the call in the form that the version has for it, as one that ports it would
};

/// The call of a case as an operator version takes it: the case itself where it names the version
/// (of Form::own: and nothing below changes it). Else the same inputs and attributes, without
/// expectations, but
///
/// - an axis goes where the version has it, attribute or input, if it is one integer; where there is
///   none, an input is 0 if a version of the case takes it for that, as those with an attribute do,
///   or if the case names no version;
/// - of an attribute that other versions have and this one lacks 0, its default, is left out; any
///   other value cannot be said. An attribute that no version has stays, to be refused;
/// - no version of another family than the case's has words for the call.
TakenCase as_taken_by(const Case& asked, OperatorVersion version, Form form = Form::as_named);

}  // namespace gathercheck
