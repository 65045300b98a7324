// SPDX-License-Identifier: Apache-2.0
// Retyped cases: hand-written cases in the element types that an implementation claims, where what
// they show does not depend on types.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "conformance/model/case.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/model/route.hpp"
#include "reference/element_type.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// True where a claim is about the version, by the route.
bool covers(const Claim& claim, OperatorVersion version, const Route& route);

/// True where a claim covers the element types that a call's data and indices have. Surplus and
/// missing inputs make calls that must be rejected; they are claimed where what they have is. No
/// claim says which types an axis may have, but one that is no data and no indices cannot even be
/// asked for: where the version must reject the call, the claim knows that type too.
bool covers_types(const Claim& claim, const Case& tested, OperatorVersion version);

/// True for axis and batch_dims where they are attributes of the version. Those of StableHLO's
/// gather are not told here: takes_attribute() of errors_of.hpp knows them.
bool has_attribute(OperatorVersion version, std::string_view name);

/// True where a claim covers element types and attributes of a call. An attribute that the call
/// lacks has its default, 0.
bool covers_call(const Claim& claim, const Case& tested, OperatorVersion version);

/// The element types that the data and the indices of a call have, or are to have.
struct Types {
    ElementType data;
    ElementType indices;
};

/// The cases of a suite in other element types than they are written in. Each is made once, when it
/// is first asked for, and lives as long as this.
///
/// The id of a retyped case is that of the written one, followed by "/data=TYPE" and
/// "/indices=TYPE" for what is changed. It has the written case's title, reason, file and rules,
/// the same numbers in the other types, and the expectations for those operator versions in which
/// it may be made:
///
/// - the version allows the written types and the new ones;
/// - no rule of the case is about a type that is changed (".types", ".types.T", ...; of the axis:
///   any), and no version must refuse a type. A rule about both types at once is about data, unless
///   data is i32, the type of most cases: then it is about both;
/// - data: integers of 8 bits and more, f16, bf16, f32, f64; indices: integers of 8 bits and more;
/// - the new type holds each number exactly, minus zero and infinities too. NaN is none;
/// - no output is given by its SHA-256, and where data is changed no size is too large;
/// - of a sequence: all its calls may be made so.
class RetypedCases {
public:
    RetypedCases() = default;
    RetypedCases(RetypedCases&&) = default;
    RetypedCases& operator=(RetypedCases&&) = default;
    /// A copy of a suite makes its own.
    RetypedCases(const RetypedCases&) {}
    RetypedCases& operator=(const RetypedCases&) { return *this; }
    ~RetypedCases() = default;

    /// The case in those types: itself where it is written in them, null where it may not be made.
    const Case* in_types(const Case& written, Types types);

    /// The case as near to what is written as the claims that cover version and route let it be:
    /// itself where a claim covers it, null where it may be made in no claimed types. Nearest
    /// is: as few types changed as possible; then the nearest type of data; then of indices. The
    /// nearest type is: a float for a float and an integer for an integer; as signed as before; not
    /// narrower; as wide as before or else by as little as possible wider or narrower; the first in
    /// the order of element types. The order of claims does not matter.
    const Case* claimed(const Case& written, OperatorVersion version, const Route& route,
                        std::span<const Claim> claims);

    /// The case of an id, of a written or of a retyped one; null where there is none.
    const Case* find(const CasesById& cases, std::string_view id);

private:
    /// Id of the written case, the new types.
    using Key = std::tuple<std::string, ElementType, ElementType>;

    std::map<Key, std::unique_ptr<const Case>> made_;  // null: it may not be made
};

/// The id of the case that a retyped one was made from; the id itself where it ends in no
/// "/data=TYPE" or "/indices=TYPE". An expanded sweep case may end so too, and is nothing retyped.
std::string_view id_as_written(std::string_view id);

}  // namespace gathercheck
