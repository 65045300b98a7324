// SPDX-License-Identifier: Apache-2.0
// The files of page/ and site/, which are part of the library.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace gathercheck {

/// The text of a file by its name below conformance/report/: "page/style.css". Precondition: it is
/// there.
std::string_view page_file(std::string_view name);

/// One script of the modules that views are made of, for a page of a report ("page") or one of a
/// site ("site"), which differ in what addresses are and in how a page starts.
std::string views_script(std::string_view kind);

/// A text in place of a mark.
using Filling = std::pair<std::string_view, std::string_view>;

/// The text of a file with each mark, `{{name}}`, replaced. Precondition: each has a filling.
std::string filled(std::string_view text, std::initializer_list<Filling> fillings);

}  // namespace gathercheck
