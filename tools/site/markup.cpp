// SPDX-License-Identifier: Apache-2.0
#include "tools/site/markup.hpp"

#include "conformance/report/report_data.hpp"

namespace gathercheck {

Markup& Markup::open(std::string_view name, std::initializer_list<MarkupAttribute> attributes) {
    (made_ += '<') += name;
    for (const auto& [key, value] : attributes) {
        if (value.empty()) continue;
        ((made_ += ' ') += key) += "=\"" + xml_text(value) + "\"";
    }
    made_ += '>';
    return *this;
}

Markup& Markup::close(std::string_view name) {
    ((made_ += "</") += name) += ">\n";
    return *this;
}

Markup& Markup::text(const std::string& text) {
    made_ += xml_text(text);
    return *this;
}

Markup& Markup::element(std::string_view name, const std::string& text,
                        std::initializer_list<MarkupAttribute> attributes) {
    if (text.empty()) return *this;
    open(name, attributes);
    return this->text(text).close(name);
}

Markup& Markup::link(const std::string& to, const std::string& text) {
    open("a", {{"href", to}});
    made_ += xml_text(text) + "</a>";
    return *this;
}

Markup& Markup::raw(std::string_view markup) {
    made_ += markup;
    return *this;
}

}  // namespace gathercheck
