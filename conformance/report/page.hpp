// SPDX-License-Identifier: Apache-2.0
// The page of a report: the files of page/ with a JSON document in them, one file that needs no
// other and no network.
#pragma once

#include <string>

namespace gathercheck {

struct Page {
    std::string title;
    std::string text;  ///< what a browser shows that runs no scripts
    std::string data;  ///< JSON, in ASCII; page/README.md tells what it holds
};

/// The data is compressed where the program gzip is there.
std::string page_html(const Page& page);

}  // namespace gathercheck
