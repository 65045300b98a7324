// SPDX-License-Identifier: Apache-2.0
// What one page of a site needs of the document: some of its cases and answers, in the same form.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "conformance/util/json.hpp"
#include "tools/site/site_data.hpp"

namespace gathercheck {

/// The members of the document that say what cases and answers mean. They are in a file that all
/// pages share.
Json shared_members(const SiteData& data);

/// {"cases","answers","outcomes","repeats","programs"}, numbered anew.
class Slice {
public:
    enum class Detail : std::uint8_t {
        listed,  ///< what a list shows: neither tensors nor programs
        whole,
    };

    explicit Slice(const SiteData& data);

    /// Once for each answer; its case comes along, with the same detail. What comes whole comes
    /// before what is listed.
    void add(const SiteAnswer& answer, Detail detail);
    void add_case(std::int64_t number, Detail detail);
    /// Those that are true for `is_chosen`, listed.
    void add_listed(const std::function<bool(const SiteAnswer&)>& is_chosen);

    /// The source of a program that shows a finding.
    void add_program(const std::string& finding);

    const Json& made() const { return made_; }

private:
    std::int64_t case_of(std::int64_t number, Detail detail);
    std::int64_t outcome_of(std::int64_t number, Detail detail);
    std::int64_t repeat_of(std::int64_t number);

    const SiteData& data_;
    Json made_;
    std::map<std::int64_t, std::int64_t> cases_;
    std::map<std::int64_t, std::int64_t> repeats_;
    std::map<std::pair<std::int64_t, Detail>, std::int64_t> outcomes_;
};

/// A case as a list shows it.
Json listed_case(const Json& tested);

}  // namespace gathercheck
