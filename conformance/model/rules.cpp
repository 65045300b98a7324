// SPDX-License-Identifier: Apache-2.0
// Loading of the rule catalogue: one file an operator version, as strict as the cases.
#include "conformance/model/rules.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "conformance/util/json.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

std::string digest_at(const Json& value, const Place& at, Problems& problems) {
    std::string digest = text_at(value, at, "sha256", problems);
    if (!digest.empty() && (digest.size() != 64 ||
                            digest.find_first_not_of("0123456789abcdef") != std::string::npos)) {
        problems.add(at.child("sha256"), in_quotes(digest) +
                                             " is not 64 lower-case hex digits; write the SHA-256 "
                                             "of the normalised sentence");
    }
    return digest;
}

/// A rule has either the digest of its sentence, or says why there is none; with the first it may
/// name further ones.
void read_sentences(const Json& value, const Place& at, Rule& rule, Problems& problems) {
    rule.sha256 = digest_at(value, at, problems);
    rule.no_sentence = text_at(value, at, "no_sentence", problems);
    const bool has_digest = find_member(value, "sha256") != nullptr;
    if (has_digest == (find_member(value, "no_sentence") != nullptr)) {
        problems.add(at,
                     "write either the \"sha256\" of the rule's sentence or, in "
                     "\"no_sentence\", why there is none");
    }
    if (find_member(value, "also") == nullptr) return;
    const Place here = at.child("also");
    if (!has_digest) problems.add(here, "stands without \"sha256\"; write the first of them there");
    const Json* list = array_at(value, at, "also", problems);
    if (list == nullptr) return;
    if (list->empty()) problems.add(here, "is an empty list; write a sentence, or remove it");
    for (std::size_t k = 0; k < list->size(); ++k) {
        const Json& each = (*list)[k];
        const Place place = here.child(k);
        if (!check_keys(each, place, {"document", "section", "sha256"}, {}, problems)) continue;
        Sentence sentence{text_at(each, place, "document", problems),
                          text_at(each, place, "section", problems),
                          digest_at(each, place, problems)};
        if (std::ranges::any_of(sentences(rule), [&](const Sentence& other) {
                return other.document == sentence.document && other.sha256 == sentence.sha256;
            })) {
            problems.add(place, "names a sentence that this rule has already; remove one");
        }
        rule.also.push_back(std::move(sentence));
    }
}

/// What breaking the rule leads to; errors, phase and negative stand together or not at all. Only
/// an untestable rule may go without negative.
void read_breaking(const Json& value, const Place& at, Rule& rule, Problems& problems) {
    rule.negative = text_at(value, at, "negative", problems);
    const std::string phase_name = text_at(value, at, "phase", problems);
    if (!phase_name.empty()) {
        rule.phase = phase(phase_name);
        if (!rule.phase) {
            problems.add(at.child("phase"),
                         in_quotes(phase_name) + " is no phase; write build, shape or run");
        }
    }
    const Json* errors = find_member(value, "errors");
    const bool breakable = errors != nullptr;
    for (const std::string_view key : {"phase", "negative"}) {
        if (breakable == (find_member(value, key) != nullptr)) continue;
        if (key == "negative" && breakable && find_member(value, "untestable") != nullptr) continue;
        problems.add(at, in_quotes(key) + (breakable ? " is missing beside \"errors\"; add it"
                                                     : " stands without \"errors\"; add these, or "
                                                       "remove it"));
    }
    if (!breakable) return;
    const Place here = at.child("errors");
    for (const std::string& text : strings_of(*errors, here, problems)) {
        if (const auto found = category(text)) {
            rule.errors.push_back(*found);
        } else {
            problems.add(here, in_quotes(text) +
                                   " is no category of errors; write one of those in "
                                   "reference/error.hpp");
        }
    }
}

Rule read_rule(const Json& value, const Place& at, OperatorVersion version, Problems& problems) {
    check_keys(value, at,
               {"id", "operator", "statement", "level", "document", "section", "positive"},
               {"sha256", "no_sentence", "also", "errors", "phase", "negative", "same_check",
                "untestable"},
               problems);
    Rule rule{};
    if (!value.is_object()) return rule;
    rule.version = version;
    rule.id = text_at(value, at, "id", problems);
    rule.statement = text_at(value, at, "statement", problems);
    rule.level = text_at(value, at, "level", problems);
    rule.document = text_at(value, at, "document", problems);
    rule.section = text_at(value, at, "section", problems);
    rule.positive = text_at(value, at, "positive", problems);
    rule.same_check = text_at(value, at, "same_check", problems);
    rule.untestable = text_at(value, at, "untestable", problems);
    read_sentences(value, at, rule, problems);
    read_breaking(value, at, rule, problems);

    const std::string operator_name = text_at(value, at, "operator", problems);
    if (!operator_name.empty() && operator_name != name(version)) {
        problems.add(at.child("operator"), in_quotes(operator_name) + " is not " +
                                               std::string(name(version)) +
                                               ", which the file is named after; move the rule to "
                                               "the file of its version");
    }
    const std::string prefix = std::string(info(version).rules) + ".";
    if (!rule.id.empty() && (!rule.id.starts_with(prefix) || rule.id == prefix)) {
        problems.add(at.child("id"), in_quotes(rule.id) + " does not begin with " +
                                         in_quotes(prefix) + "; begin it so");
    }
    if (!rule.level.empty() && rule.level != "stated" && rule.level != "derived" &&
        rule.level != "reading") {
        problems.add(at.child("level"),
                     in_quotes(rule.level) + " is no level; write stated, derived or reading");
    }
    return rule;
}

/// `same_check` names a rule of the same version that has none itself and leads to the same errors.
void check_same(const std::vector<Rule>& rules, const Place& list, Problems& problems) {
    for (std::size_t k = 0; k < rules.size(); ++k) {
        const Rule& rule = rules[k];
        if (rule.same_check.empty()) continue;
        const Place at = list.child(k);
        const auto primary = std::ranges::find(rules, rule.same_check, &Rule::id);
        std::string why;
        if (primary == rules.end()) {
            why = " is no rule of this version; correct the id";
        } else if (!primary->same_check.empty()) {
            why = " rests on another rule itself; name that one";
        } else if (std::ranges::any_of(rule.errors, [&](Category error) {
                       return std::ranges::find(primary->errors, error) == primary->errors.end();
                   })) {
            why = " cannot produce every error of this rule; make their errors agree";
        } else {
            continue;
        }
        problems.add(at.child("same_check"), in_quotes(rule.same_check) + why);
    }
}

std::vector<Rule> read_document(const Json& document, OperatorVersion version, Problems& problems) {
    std::vector<Rule> rules;
    const Place top;
    check_keys(document, top, {"rules"}, {}, problems);
    const Json* list = document.is_object() ? array_at(document, top, "rules", problems) : nullptr;
    if (list == nullptr) return rules;
    const Place here = top.child("rules");
    if (list->empty()) problems.add(here, "is an empty list; write at least one rule");
    for (std::size_t k = 0; k < list->size(); ++k) {
        const Place at = here.child(k);
        Rule rule = read_rule((*list)[k], at, version, problems);
        if (!rule.id.empty() && std::ranges::find(rules, rule.id, &Rule::id) != rules.end()) {
            problems.add(at.child("id"), "the id " + in_quotes(rule.id) +
                                             " stands twice in this file; give one another id");
        }
        rules.push_back(std::move(rule));
    }
    check_same(rules, here, problems);
    return rules;
}

/// {"addresses": {"onnx/Gather": "https://..."}}
void read_addresses(const Json& document, RuleCatalogue& catalogue, Problems& problems) {
    const Place top;
    if (!check_keys(document, top, {"addresses"}, {}, problems)) return;
    const Place here = top.child("addresses");
    const Json& addresses = document.at("addresses");
    if (!addresses.is_object()) {
        problems.add(here, "is no object; write the address of each document by its name");
        return;
    }
    for (const auto& [name, address] : addresses.items()) {
        const auto* text = address.get_ptr<const std::string*>();
        if (text != nullptr && text->starts_with("https://")) {
            catalogue.add_address(name, *text);
        } else {
            problems.add(here.child(name), "is no text that begins with https://");
        }
    }
}

}  // namespace

std::string_view level_meaning(std::string_view level) {
    if (level == "stated") return "a sentence says it";
    if (level == "derived") return "it follows from what sentences say";
    return "no sentence decides it, and this is how the suite reads the text";
}

std::vector<Sentence> sentences(const Rule& rule) {
    std::vector<Sentence> all;
    if (!rule.sha256.empty()) all.push_back({rule.document, rule.section, rule.sha256});
    all.insert(all.end(), rule.also.begin(), rule.also.end());
    return all;
}

std::variant<RuleCatalogue, std::vector<Problem>> load_rules(const fs::path& folder) {
    std::vector<Problem> all;
    RuleCatalogue catalogue;
    std::vector<std::pair<fs::path, OperatorVersion>> files;
    std::error_code error;
    for (const fs::path& file : json_files(folder, error)) {
        const auto version = operator_version(file.stem().string());
        if (version) files.emplace_back(file, *version);
    }
    if (error) {
        return std::vector<Problem>{{folder.generic_string(), "",
                                     "the folder of rules cannot be searched: " + error.message() +
                                         "; check the path and its permissions"}};
    }
    if (files.empty()) {
        return std::vector<Problem>{{folder.generic_string(), "",
                                     "the folder holds no file named after an operator version, "
                                     "like onnx.Gather-13.json; name the folder of the rules"}};
    }
    std::ranges::sort(files);
    for (const auto& [file, version] : files) {
        const JsonResult document = read_json(file);
        if (const auto* refused = std::get_if<std::vector<Problem>>(&document)) {
            all.insert(all.end(), refused->begin(), refused->end());
            continue;
        }
        Problems problems(file.generic_string());
        for (Rule& rule : read_document(std::get<Json>(document), version, problems)) {
            catalogue.add(std::move(rule));
        }
        auto found = std::move(problems).take();
        all.insert(all.end(), found.begin(), found.end());
    }
    if (const fs::path file = folder / addresses_file; fs::exists(file, error)) {
        const JsonResult document = read_json(file);
        Problems problems(file.generic_string());
        if (const auto* read = std::get_if<Json>(&document)) {
            read_addresses(*read, catalogue, problems);
        } else {
            const auto& refused = std::get<std::vector<Problem>>(document);
            all.insert(all.end(), refused.begin(), refused.end());
        }
        auto found = std::move(problems).take();
        all.insert(all.end(), found.begin(), found.end());
    }
    if (!all.empty()) return all;
    return catalogue;
}

}  // namespace gathercheck
