// SPDX-License-Identifier: Apache-2.0
// What operator versions say of a call: by the case that asks it, else by equations and reference,
// and by cases that are like it where the text leaves a point open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/outcome.hpp"
#include "reference/exercised.hpp"
#include "reference/operator_version.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// What the text of a version says of a call.
enum class Says : std::uint8_t {
    output,
    error,
    either,  ///< an output or an error
    open,    ///< no sentence decides
};

struct SpecifiedAnswer {
    Says says = Says::output;
    /// "value", or what becomes of an index out of bounds: "zero", "clamp", ...; "error", "either",
    /// "open".
    std::string word;
    std::vector<ResolvedAlternative> alternatives;  ///< the first is the suite's reading; empty
                                                    ///< where it is open
    std::string why;                                ///< it is open
    std::vector<std::string> rules;                 ///< ids, of the version
    std::string like;  ///< id of a case that the answer is taken from; empty where the call's own
                       ///< case, or equations and reference alone, say it
    std::optional<Check> broken;  ///< that the reference names; no check after it was made

    const ResolvedOutput* output() const;
    const ExpectedError* error() const;
};

/// The answers of operator versions to calls. Borrows the suite, whose cases it takes for
/// precedents once they are needed; it is for one thread.
class Specified {
public:
    explicit Specified(const LoadedSuite& loaded) : loaded_(loaded) {}

    /// What the version says of a case that it takes (as_taken_by()). The text is why nothing can
    /// be told: there is too little memory, or equations and reference disagree, which is a bug of
    /// gathercheck.
    struct Untold {
        std::string why;
        bool is_bug = false;
    };
    std::variant<SpecifiedAnswer, Untold> answer(const Case& taken, OperatorVersion version);

private:
    /// What the expectations of cases with one signature come to.
    struct Votes {
        std::map<Says, std::int64_t> counts;
        std::map<Says, const Case*> first;            ///< a smallest case of each
        std::map<Says, std::int64_t> elements;        ///< of that case
        std::map<Says, std::set<std::string>> rules;  ///< that all cases of it cite
    };
    /// By signature.
    using Precedents = std::map<std::string, Votes>;

    const Precedents& precedents(OperatorVersion version);
    std::variant<SpecifiedAnswer, Untold> by_case(const Case& tested, OperatorVersion version);
    std::variant<SpecifiedAnswer, Untold> derived(const Case& taken, OperatorVersion version);
    void take_precedent(SpecifiedAnswer& answer, const Call& call, OperatorVersion version);
    /// Of a call that is open for its unknown attributes: taken or not, they leave the rest of it
    /// as it is, and an error of that is one of the call.
    void take_error_of_rest(SpecifiedAnswer& answer, const Case& taken, OperatorVersion version);

    const LoadedSuite& loaded_;
    std::map<OperatorVersion, Precedents> precedents_;
};

/// Elements of all inputs of a case.
std::int64_t elements_of(const Case& tested);

/// Why the equations disagree with a reading of a call; empty where they agree or have nothing to
/// say. `reference` stands in for contents that only a digest tells.
std::string equations_against(const Equations& equations, const Call& call,
                              const ResolvedAlternative& reading, const Outcome& reference);

}  // namespace gathercheck
