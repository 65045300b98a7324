// SPDX-License-Identifier: Apache-2.0
// A call on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "conformance/load/load.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/rules.hpp"
#include "reference/operator_version.hpp"
#include "tools/shared/verb.hpp"

namespace gathercheck {

/// What --data, --indices, --axis and --batch-dims say.
struct CallOptions {
    std::string data;     ///< "f32[3,2]", filled by address, or "f32[2]=1,2.5"
    std::string indices;  ///< "3,0", i64 with one dimension, or "i32[2,1]=0,1"
    std::optional<std::int64_t> axis;
    std::optional<std::int64_t> batch_dims;

    bool is_given() const { return !data.empty() || !indices.empty() || axis || batch_dims; }
};

void add_call_options(const Verb& verb, CallOptions& options);

/// The call as a case of a family, without expectations and of no file. The text is why it is
/// refused.
std::variant<Case, std::string> call_of(const CallOptions& options, Family family,
                                        const RuleCatalogue& rules);

/// The first case of the suite, of those that name a version of the family, that asks the same;
/// null where none does.
const Case* case_of_call(const Case& call, Family family, const Suite& suite);

}  // namespace gathercheck
