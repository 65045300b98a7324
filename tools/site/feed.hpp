// SPDX-License-Identifier: Apache-2.0
// The files of a site that name its public address.
#pragma once

#include <string>
#include <vector>

#include "tools/site/site_data.hpp"

namespace gathercheck {

/// sitemap.xml, with the day of the newest run.
std::string sitemap(const std::vector<std::string>& addresses, const SiteData& data);

/// feed.xml, Atom: the findings, the newest first, each with the start of the first run of the
/// history that shows it, or of the newest run.
std::string feed(const std::string& url, const SiteData& data);

/// 404.html, which servers show at any address.
std::string not_found_page(const std::string& url);

}  // namespace gathercheck
