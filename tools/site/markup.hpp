// SPDX-License-Identifier: Apache-2.0
// Writing HTML and XML whose texts are never markup.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace gathercheck {

/// A name and a value; one without a value is left out.
using MarkupAttribute = std::pair<std::string_view, std::string>;

class Markup {
public:
    Markup& open(std::string_view name, std::initializer_list<MarkupAttribute> attributes = {});
    Markup& close(std::string_view name);
    Markup& text(const std::string& text);
    /// An element with nothing but a text; none where that is empty.
    Markup& element(std::string_view name, const std::string& text,
                    std::initializer_list<MarkupAttribute> attributes = {});
    Markup& link(const std::string& to, const std::string& text);
    /// What is markup already.
    Markup& raw(std::string_view markup);

    const std::string& made() const { return made_; }

private:
    std::string made_;
};

}  // namespace gathercheck
