// SPDX-License-Identifier: Apache-2.0
// The files of a site: a page for each engine, operator version, finding, case and open point.
#pragma once

#include <functional>
#include <string>

#include "conformance/util/json.hpp"

namespace gathercheck {

/// Takes a file of the site by its path, which has '/' between folders.
using WriteSiteFile = std::function<void(const std::string& path, const std::string& text)>;

/// Makes the files of a document of page_data(). `url` is the address at which the folder will be
/// found, with '/' at its end; empty: nobody knows, and what must name it is not made: canonical
/// links, sitemap.xml, feed.xml, 404.html and robots.txt.
void make_site(const Json& document, const std::string& url, const WriteSiteFile& write);

}  // namespace gathercheck
