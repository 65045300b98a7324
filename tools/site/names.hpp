// SPDX-License-Identifier: Apache-2.0
// The files of a site: conformance/report/site/address.js has the same names.
#pragma once

#include <string>
#include <string_view>

namespace gathercheck {

/// A name of a file for an id: what file systems or addresses take for something else is ~ and its
/// bytes.
std::string file_name(std::string_view id);

/// "cases/ID.html" of ("cases", ID).
std::string page_path(std::string_view folder, const std::string& id);

/// From a page to the root of the site: "" or "../".
std::string root_of(std::string_view path);

}  // namespace gathercheck
