// SPDX-License-Identifier: Apache-2.0
// What a specification allows and an implementation does not claim: what its engine refuses, and
// what nothing is said of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/model/implementation.hpp"
#include "conformance/records/record.hpp"
#include "reference/element_type.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// Legal element types of one operator version that are not claimed: each of `data` with each of
/// `indices`.
struct Unclaimed {
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    TypeSet data;
    TypeSet indices;
    std::vector<Route> routes = {};  ///< claimed by others; empty: by no route
    std::string why = {};  ///< not implemented: the engine's words; empty: nothing is said of it
};

/// All of an implementation that started and whose record holds its claims, in the order of the
/// table of operator versions. A version of which nothing is said at all is one entry.
std::vector<Unclaimed> unclaimed(const ImplementationRecord& implementation);

/// What it claims of that, by any route.
std::vector<Unclaimed> claimed(const ImplementationRecord& implementation);

/// The same of several operator versions, as text.
struct UnclaimedText {
    std::vector<OperatorVersion> versions;
    std::string types;  ///< "data c64, c128", "all element types", "indices i8 by runtime/dynamic"
    std::string why;    ///< as above

    /// "onnx.Gather-1,11,13", "all of onnx".
    std::string operators() const;
};

/// Folded by types, and by reasons with `with_reasons`: else `why` is one of them.
std::vector<UnclaimedText> folded(std::span<const Unclaimed> entries, bool with_reasons);

/// Two lines at most, of what is not implemented and of what is not claimed: "not implemented by
/// onnxruntime: all of onnx: data c64, c128". Specifications of which nothing is claimed are left
/// out.
std::vector<std::string> unclaimed_lines(const ImplementationRecord& implementation);

/// The names of a set of types.
std::vector<std::string> names_of(const TypeSet& types);

}  // namespace gathercheck
