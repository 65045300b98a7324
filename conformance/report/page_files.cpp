// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/page_files.hpp"

#include <algorithm>
#include <cstddef>

namespace gathercheck {
namespace {

struct PageFile {
    std::string_view name;
    std::string_view text;
};

// page_files: written by the build.
#include "page_files.inc"

/// A module stands behind those whose constants it uses.
constexpr std::string_view view_modules[] = {
    "page/data.js",    "page/groups.js",   "page/figure.js",   "page/parts.js",
    "page/keys.js",    "page/overview.js", "page/failures.js", "page/case.js",
    "page/history.js", "page/lists.js",    "page/tables.js"};

}  // namespace

std::string_view page_file(std::string_view name) {
    return std::ranges::find(page_files, name, &PageFile::name)->text;
}

std::string views_script(std::string_view kind) {
    std::string script(page_file("page/dom.js"));
    script += page_file(std::string(kind) + "/address.js");
    for (const std::string_view module : view_modules) script += page_file(module);
    if (kind == "site") script += page_file("site/companion.js");
    return script += page_file(std::string(kind) + "/main.js");
}

std::string filled(std::string_view text, std::initializer_list<Filling> fillings) {
    std::string made;
    for (std::size_t mark; (mark = text.find("{{")) != std::string_view::npos;) {
        const std::size_t end = text.find("}}", mark);
        const std::string_view name = text.substr(mark + 2, end - mark - 2);
        made += text.substr(0, mark);
        made += std::ranges::find(fillings, name, &Filling::first)->second;
        text.remove_prefix(end + 2);
    }
    return made += text;
}

}  // namespace gathercheck
