// SPDX-License-Identifier: Apache-2.0
// Attribute values as text.
#include "reference/call.hpp"

#include <array>
#include <charconv>

namespace gathercheck {
namespace {

struct Text {
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
        std::array<char, 32> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
        std::string shortest(text.data(), end);
        // 3.0 is another value than 3 here.
        if (shortest.find_first_not_of("-0123456789") == std::string::npos) shortest += ".0";
        return shortest;
    }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const std::string& value) const { return "\"" + value + "\""; }
    std::string operator()(const std::vector<std::int64_t>& values) const {
        constexpr std::size_t shown = 16;
        std::string text = "[";
        for (std::size_t k = 0; k < values.size() && k < shown; ++k) {
            text += (k == 0 ? "" : ", ") + std::to_string(values[k]);
        }
        return text + (values.size() > shown ? ", ...]" : "]");
    }
    std::string operator()(const OtherValue& value) const { return value.json; }
};

}  // namespace

std::string to_string(const AttributeValue& value) { return std::visit(Text{}, value); }

}  // namespace gathercheck
