// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/page.hpp"

#include <cstddef>
#include <span>
#include <string_view>

#include "conformance/report/report_data.hpp"
#include "conformance/util/base64.hpp"
#include "conformance/util/gzip.hpp"

namespace gathercheck {
namespace {

// page_index_html, page_style_css and page_modules: the files of page/, written by the build.
#include "page_files.inc"

/// An element that holds the data: what stands in it neither ends it nor begins another.
std::string data_element(const std::string& data) {
    std::string text;
    const auto bytes = gzipped(data);
    if (bytes) {
        text = "<script id=\"data\" type=\"application/gzip\">";
        append_base64(text, std::as_bytes(std::span(*bytes)));
    } else {
        text = "<script id=\"data\" type=\"application/json\">";
        for (const char character : data) {
            if (character == '<') {
                text += "\\u003c";
            } else {
                text += character;
            }
        }
    }
    return text + "</script>";
}

/// The text with `value` in the one place that is marked so.
void fill_in(std::string& text, std::string_view mark, std::string_view value) {
    text.replace(text.find(mark), mark.size(), value);
}

}  // namespace

std::string page_html(const Page& page) {
    std::string script;
    for (const std::string_view module : page_modules) script += module;
    std::string html(page_index_html);
    // From the last to the first: no mark is looked for in what was filled in.
    fill_in(html, "/*script*/", script);
    fill_in(html, "<!--data-->", data_element(page.data));
    fill_in(html, "<!--text-->", xml_text(page.text));
    fill_in(html, "/*style*/", page_style_css);
    fill_in(html, "<!--title-->", xml_text(page.title));
    return html;
}

}  // namespace gathercheck
