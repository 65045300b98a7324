// SPDX-License-Identifier: Apache-2.0
// Words for what versions say.
#include "tools/shared/answer_text.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

#include "conformance/report/report.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/call_text.hpp"
#include "tools/shared/columns.hpp"

namespace gathercheck {
namespace {

std::string output_text(const ResolvedOutput& output) {
    if (output.contents) return tensor_text(*output.contents);
    const std::string text =
        std::string(name(output.descriptor.type)) + " " + to_string(output.descriptor.shape);
    return output.sha256.empty() ? text : text + " with SHA-256 " + output.sha256;
}

std::string error_text(const ExpectedError& error) {
    return std::string(name(error.category)) +
           (error.phase ? " in phase " + std::string(name(*error.phase)) : "");
}

std::string category_of(const SpecifiedAnswer& answer) {
    const ExpectedError* error = answer.error();
    return error == nullptr ? std::string() : std::string(name(error->category));
}

void add_once(std::vector<std::string>& list, const std::string& text) {
    if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(text);
}

}  // namespace

std::string said_text(const SpecifiedAnswer& answer) {
    const std::string like =
        answer.like.empty() ? std::string() : " (as in case " + answer.like + ")";
    if (answer.says == Says::open) return answer.why + like;
    std::string text;
    for (const ResolvedAlternative& each : answer.alternatives) {
        if (!text.empty()) text += ", or ";
        const auto* output = std::get_if<ResolvedOutput>(&each);
        text +=
            output != nullptr ? output_text(*output) : error_text(std::get<ExpectedError>(each));
    }
    return text + like;
}

std::string said_phrase(const SpecifiedAnswer& answer) {
    switch (answer.says) {
        case Says::open:
            return "leaves it open";
        case Says::error:
            return "refuses it: " + category_of(answer);
        case Says::either:
            return "may give a value, or refuse it: " + category_of(answer);
        case Says::output:
            break;
    }
    if (answer.word == "value") return "gives a value";
    if (answer.word == "zero") return "gives zeros";
    if (answer.word == "clamp") return "takes the nearest legal index";
    return "gives a value (" + answer.word + ")";
}

Json alternatives_json(std::span<const ResolvedAlternative> alternatives) {
    Json list = Json::array();
    for (const ResolvedAlternative& each : alternatives) {
        if (const auto* error = std::get_if<ExpectedError>(&each)) {
            Json one{{"error", name(error->category)}};
            if (error->phase) one["phase"] = name(*error->phase);
            list.push_back(std::move(one));
            continue;
        }
        const auto& output = std::get<ResolvedOutput>(each);
        Json shape = Json::array();
        for (const std::int64_t dim : output.descriptor.shape) shape.push_back(dim);
        list.push_back({{"type", name(output.descriptor.type)},
                        {"shape", std::move(shape)},
                        {"output", output_text(output)}});
    }
    return list;
}

Json said_json(const SpecifiedAnswer& answer) {
    Json object{{"says", answer.word}};
    if (!answer.why.empty()) object["why"] = answer.why;
    object["alternatives"] = alternatives_json(answer.alternatives);
    if (!answer.like.empty()) object["as_in_case"] = answer.like;
    return object;
}

std::vector<CitedRules> cited_rules(const std::vector<std::string>& ids,
                                    const RuleCatalogue& rules) {
    std::vector<CitedRules> cited;
    for (const std::string& id : ids) {
        const Rule* rule = rules.find(id);
        if (rule == nullptr) continue;
        auto same = std::ranges::find_if(cited, [&](const CitedRules& each) {
            return each.statement == rule->statement && each.level == rule->level;
        });
        if (same == cited.end()) {
            same = cited.insert(same, {rule->statement, rule->level, {}, {}});
        }
        add_once(same->ids, id);
        add_once(same->places, rule->document + ", " + rule->section);
    }
    return cited;
}

std::string cited_text(const std::vector<CitedRules>& cited, const std::string& indent) {
    std::string text;
    for (const CitedRules& each : cited) {
        text += paragraph(
            joined(each.ids, ", ") + " (" + each.level + "; " + joined(each.places, "; ") + ")",
            indent);
        text += paragraph(each.statement, indent + "  ");
    }
    return text;
}

std::string cited_markdown(const std::vector<CitedRules>& cited) {
    std::string text;
    for (const CitedRules& each : cited) {
        text += "- ";
        for (std::size_t k = 0; k < each.ids.size(); ++k) {
            text += (k == 0 ? "" : ", ") + code_in_markdown(each.ids[k]);
        }
        text += " (" + each.level + "; " + in_markdown(joined(each.places, "; ")) +
                "): " + in_markdown(each.statement) + "\n";
    }
    return text;
}

namespace {

/// Documents with their addresses.
std::set<std::pair<std::string, std::string>> documents_of(const std::set<std::string>& ids,
                                                           const RuleCatalogue& rules) {
    std::set<std::pair<std::string, std::string>> documents;
    for (const std::string& id : ids) {
        const Rule* rule = rules.find(id);
        if (rule == nullptr) continue;
        std::string address = rules.address(rule->document);
        if (!address.empty()) documents.emplace(rule->document, std::move(address));
    }
    return documents;
}

}  // namespace

std::string documents_text(const std::set<std::string>& ids, const RuleCatalogue& rules) {
    std::string text;
    for (const auto& [document, address] : documents_of(ids, rules)) {
        text += "  " + document + "\n    " + address + "\n";
    }
    return text.empty() ? text : "\nThe documents\n\n" + text;
}

std::string documents_markdown(const std::set<std::string>& ids, const RuleCatalogue& rules) {
    std::string text;
    for (const auto& [document, address] : documents_of(ids, rules)) {
        text += "- " + in_markdown(document) + ": <" + address + ">\n";
    }
    return text.empty() ? text : "\n## The documents\n\n" + text;
}

Json rules_json(const std::vector<std::string>& ids, const RuleCatalogue& rules) {
    Json list = Json::array();
    for (const std::string& id : ids) {
        const Rule* rule = rules.find(id);
        if (rule == nullptr) continue;
        Json one{{"id", id},
                 {"statement", rule->statement},
                 {"level", rule->level},
                 {"document", rule->document},
                 {"section", rule->section}};
        const std::string address = rules.address(rule->document);
        if (!address.empty()) one["address"] = address;
        list.push_back(std::move(one));
    }
    return list;
}

std::vector<std::pair<std::string, std::string>> call_rows(const Case& tested) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const NamedTensorSpec& input : tested.inputs) {
        const bool is_described = !input.tensor.has_contents();
        const auto& [type, shape] = input.tensor.descriptor;
        rows.emplace_back(input.name, is_described ? std::string(name(type)) + " " +
                                                         to_string(shape) + " (no contents)"
                                                   : input_text(input.tensor));
    }
    if (tested.axis) rows.emplace_back("axis", std::to_string(*tested.axis));
    for (const Attribute& attribute : tested.attributes) {
        rows.emplace_back(attribute.name, to_string(attribute.value));
    }
    return rows;
}

std::string call_line(const Case& tested) {
    std::string text;
    for (const auto& [label, value] : call_rows(tested)) {
        text += (text.empty() ? "" : "; ") + label + " " + value;
    }
    return text;
}

}  // namespace gathercheck
