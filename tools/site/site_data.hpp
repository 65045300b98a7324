// SPDX-License-Identifier: Apache-2.0
// The document of a page, with what the pages of a site look up in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

/// What an implementation did with a case, as the document has it: numbers of its lists.
struct SiteAnswer {
    std::int64_t number = 0;
    std::int64_t case_number = 0;
    std::int64_t version = 0;
    std::int64_t implementation = 0;
    Verdict verdict = Verdict::pass;
    std::int64_t executions = 0;
    std::int64_t outcome = -1;  ///< -1: the verdict says all
};

class SiteData {
public:
    /// The document of page_data(), which must outlive this.
    explicit SiteData(const Json& document);
    SiteData(const SiteData&) = delete;
    SiteData& operator=(const SiteData&) = delete;

    const Json& document() const { return document_; }
    const std::vector<SiteAnswer>& answers() const { return answers_; }
    const std::vector<const SiteAnswer*>& answers_to(std::int64_t case_number) const;
    const Json& tested(std::int64_t case_number) const;
    /// -1 where the document has no such case.
    std::int64_t case_number(std::string_view id) const;
    std::string version_name(std::int64_t version) const;
    std::string label(std::int64_t implementation) const;
    /// Those that some execution shows, in the order of the document.
    const std::vector<const Json*>& shown_findings() const { return shown_findings_; }
    /// The finding that explains an answer; empty where none does.
    std::string finding_of(const SiteAnswer& answer) const;
    /// Versions of operators that somebody was asked of.
    std::vector<std::int64_t> versions_run() const;

private:
    const Json& document_;
    std::vector<SiteAnswer> answers_;
    std::vector<std::vector<const SiteAnswer*>> by_case_;
    std::map<std::string, std::int64_t, std::less<>> cases_;
    std::vector<const Json*> shown_findings_;
};

/// A member that is a text; empty where there is none.
std::string text_of(const Json& object, const char* key);

}  // namespace gathercheck
