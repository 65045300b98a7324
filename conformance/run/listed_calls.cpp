// SPDX-License-Identifier: Apache-2.0
// Executions and their controls, numbered.
#include "conformance/run/listed_calls.hpp"

#include <map>
#include <tuple>

namespace gathercheck {

std::vector<ListedCall> list_calls(const Suite& suite, PreparedCases& cases, const Filter& filter,
                                   Sweeps sweeps, const Introduction& introduction, bool retypes) {
    const std::vector<const Case*> selected =
        select_cases(suite.cases, filter, sweeps, {.index = 1, .count = 1});
    std::vector<ListedCall> list;
    std::map<std::tuple<const Case*, OperatorVersion, Route>, std::size_t> controls;
    for (const Execution& execution : select_executions(selected, filter, sweeps, introduction,
                                                        retypes ? &suite.retyped : nullptr)) {
        ListedCall call{execution};
        if (execution.tested->expectation(execution.version)->may_be_rejected()) {
            const Case& control = cases.control_of(execution, retypes ? &introduction : nullptr);
            const auto [place, is_new] = controls.try_emplace(
                {&control, execution.version, execution.route}, list.size() + 1);
            if (is_new) {
                list.push_back({{&control, execution.version, execution.route}, true, 0});
            }
            call.control = place->second;
        }
        list.push_back(call);
    }
    return list;
}

}  // namespace gathercheck
