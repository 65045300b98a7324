// SPDX-License-Identifier: Apache-2.0
// What the pages of a site say to whom runs no scripts: readers without them, and search engines.
// The views of conformance/report/page/ take its place.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/util/json.hpp"
#include "tools/site/site_data.hpp"

namespace gathercheck {

/// The head of a page and what stands in it.
struct PageText {
    std::string title;
    std::string description;
    std::string text;  ///< HTML
};

/// "does not conform", and that the records are not whole where that is so.
std::string conclusion_of(const SiteData& data);
/// What the records lack, in HTML; empty where they are whole.
std::string warnings_of(const SiteData& data);

PageText overview_text(const SiteData& data);
PageText engine_text(const SiteData& data, std::int64_t implementation);
PageText operator_text(const SiteData& data, std::int64_t version);
PageText finding_text(const SiteData& data, const Json& finding);
PageText case_text(const SiteData& data, std::int64_t case_number);
PageText clarification_text(const SiteData& data, const Json& clarification);
PageText findings_text(const SiteData& data);
PageText cases_text(const SiteData& data);
PageText clarifications_text(const SiteData& data);
PageText specifications_text(const SiteData& data);
PageText policy_text(const SiteData& data);
/// Of the runs of a folder, where the document has them.
PageText history_text(const SiteData& data);
PageText run_text(const SiteData& data);
/// Of a page that is nothing without scripts.
PageText script_text(const std::string& title, const std::string& description);

}  // namespace gathercheck
