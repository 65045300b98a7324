// SPDX-License-Identifier: Apache-2.0
// Cases made ready for asking, and the controls of those that must be rejected: made once, for all
// implementations of a run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/judge/prepared_case.hpp"
#include "conformance/load/load.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/retype.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/select/select.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// A prepared case, owned where it is too large to be kept. The pointer is a bare one, since a
/// counted one would write to the memory of every case, and memory that is written to is copied for
/// each child.
struct PreparedCasePointer {
    const PreparedCase* prepared = nullptr;
    std::shared_ptr<const PreparedCase> own;

    const PreparedCase& operator*() const { return *prepared; }
    const PreparedCase* operator->() const { return prepared; }
};

/// Cases made ready for asking, and the controls of those that must be rejected: made once, for all
/// contenders. Not thread-safe; all that it is made with must outlive it.
class PreparedCases {
public:
    PreparedCases(const Suite& suite, const RuleCatalogue& rules, const Equations& equations)
        : rules_(rules), equations_(equations), by_id_(suite.cases), retyped_(suite.retyped) {}

    /// The case of an id, of a retyped one too; null where there is none.
    const Case* find(std::string_view id) { return retyped_.find(by_id_, id); }

    PreparedCasePointer prepared(const Case& tested, OperatorVersion version);

    /// The control of an execution: the one that its case names, or a derived one. That of a call
    /// which is claimed is in types that `claiming` claims, if it can be; null: nothing is retyped.
    const Case& control_of(const Execution& execution, const Introduction* claiming);

private:
    using Key = std::pair<const Case*, OperatorVersion>;

    const Case& control_of(const Case& tested, OperatorVersion version);
    const Case* find_control(const Case& tested, OperatorVersion version);

    const RuleCatalogue& rules_;
    const Equations& equations_;
    CasesById by_id_;
    RetypedCases& retyped_;
    std::map<Key, std::shared_ptr<const PreparedCase>> prepared_;
    std::map<Key, const Case*> controls_;
    std::map<std::string, Case> derived_;
};

}  // namespace gathercheck
