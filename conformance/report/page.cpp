// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/page.hpp"

#include <cstddef>
#include <span>

#include "conformance/report/page_files.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/base64.hpp"
#include "conformance/util/gzip.hpp"

namespace gathercheck {
namespace {

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

}  // namespace

std::string page_html(const Page& page) {
    return filled(page_file("page/index.html"), {{"title", xml_text(page.title)},
                                                 {"style", page_file("page/style.css")},
                                                 {"text", xml_text(page.text)},
                                                 {"data", data_element(page.data)},
                                                 {"script", views_script("page")}});
}

}  // namespace gathercheck
