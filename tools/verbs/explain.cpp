// SPDX-License-Identifier: Apache-2.0
// gathercheck explain: why a case expects what it does.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/documents/clarification.hpp"
#include "conformance/model/outcome.hpp"
#include "conformance/mutants/diagnosis.hpp"
#include "conformance/mutants/mutants.hpp"
#include "conformance/mutants/unchecked_index.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "reference/check.hpp"
#include "tools/shared/answer_text.hpp"
#include "tools/shared/call_text.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct ExplainVerb {
    std::string id;
    std::string version;  ///< an operator version; empty: all of the case's
    std::vector<std::string> cases;
    std::string format = "text";
};

void print_sources(const EquationAnswer& answer, const Call& call) {
    const TensorView* data = call.input("data");
    if (data == nullptr || answer.sources.empty()) return;
    std::printf("  where each element comes from:\n");
    const auto count = static_cast<std::int64_t>(answer.sources.size());
    for (std::int64_t k = 0; k < std::min(count, shown_elements); ++k) {
        const Source& source = answer.sources[static_cast<std::size_t>(k)];
        std::printf("    output%s = %s\n", coordinate_text(answer.output.shape, k).c_str(),
                    source.position < 0
                        ? "zero: the index is out of range"
                        : ("data" + coordinate_text(data->shape, source.position)).c_str());
    }
    if (count > shown_elements) {
        std::printf("    ... and %lld more\n", static_cast<long long>(count - shown_elements));
    }
}

/// Treatments of an index out of range.
constexpr std::array<std::pair<OutOfRange, const char*>, 4> readings{{
    {OutOfRange::zero, "zeros"},
    {OutOfRange::clamp, "the nearest legal index"},
    {OutOfRange::wrap, "the index modulo the size"},
    {OutOfRange::first_element, "index 0"},
}};

/// What each would give, in words; nothing of data whose contents are not known.
std::vector<std::pair<std::string, std::string>> answers_of_readings(const Equations& equations,
                                                                     const Call& call) {
    std::vector<std::pair<std::string, std::string>> answers;
    const TensorView* data = call.input("data");
    if (data == nullptr || data->contents == nullptr) return answers;
    for (const auto& [policy, what] : readings) {
        const auto answer = equations.evaluate(call, policy);
        if (const auto* known = std::get_if<EquationAnswer>(&answer)) {
            answers.emplace_back(what, tensor_text(assemble(*known, *data)));
        }
    }
    return answers;
}

/// `is_decided`: none of them is to be taken.
void print_readings(const Equations& equations, const Call& call, bool is_decided) {
    const auto answers = answers_of_readings(equations, call);
    if (answers.empty()) return;
    std::printf(is_decided ? "  readings that are not taken:\n"
                           : "  answers that readings would give:\n");
    for (const auto& [what, gives] : answers) {
        std::printf("    %s would give %s\n", what.c_str(), gives.c_str());
    }
}

void explain(const Case& tested, OperatorVersion version, const LoadedSuite& loaded) {
    const Expectation& expectation = *tested.expectation(version);
    if (const auto why = lacks_memory(tested, version, loaded.equations)) {
        std::printf("\n%s\n  is not shown: %s\n", std::string(name(version)).c_str(), why->c_str());
        return;
    }
    const auto prepared = prepare(tested, version, loaded.equations, loaded.rules);
    const Call& call = prepared->call.call;
    std::printf("\n%s\n", std::string(name(version)).c_str());
    if (expectation.is_unspecified()) {
        std::printf("  any answer conforms: %s\n", expectation.unspecified.c_str());
    }
    const auto& alternatives = prepared->alternatives;
    for (std::size_t k = 0; k < alternatives.size(); ++k) {
        const char* lead = alternatives.size() == 1 ? "expects"
                           : k == 0                 ? "expects (the suite's reading)"
                                                    : "allows too";
        std::printf("  %s %s\n", lead, alternative_text(alternatives[k]).c_str());
    }
    if (expectation.derived) {
        std::printf("  derived: no one has written it; the dialect and its equation say so\n");
    }
    std::printf("  rules:\n");
    for (const std::string& id : prepared->rules) {
        const Rule* rule = loaded.rules.find(id);
        std::printf("    %s (%s, %s, %s)\n      %s\n", id.c_str(), rule->level.c_str(),
                    rule->document.c_str(), rule->section.c_str(), rule->statement.c_str());
    }

    const Result<CheckedCall> checked = check(call);
    if (!checked) {
        std::printf("  the reference rejects it in phase %s: %s\n",
                    std::string(name(checked.error().phase)).c_str(),
                    to_string(checked.error()).c_str());
        return;
    }
    std::printf("  axis %lld and batch_dims %lld, normalised; output %s %s\n",
                static_cast<long long>(checked->axis), static_cast<long long>(checked->batch_dims),
                std::string(name(checked->output.type)).c_str(),
                to_string(checked->output.shape).c_str());
    std::printf("  equations:\n");
    for (const std::string& line : loaded.equations.text(version)) {
        std::printf("    %s\n", line.c_str());
    }
    const auto answer = loaded.equations.evaluate(call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    if (known == nullptr) return;
    if (!known->bad_index) {
        print_sources(*known, call);
        return;
    }
    const Result<void> values = check_index_values(*checked);
    if (!values)
        std::printf("  the reference rejects it at run: %s\n", values.error().detail.c_str());
    print_readings(loaded.equations, call, !expectation.is_unspecified());
}

/// A rule, and where to look for the sentences that it rests on.
void print_rule(const Rule& rule, const RuleCatalogue& rules) {
    std::printf("%s (%s)\n%s\n  %s: %s\n", rule.id.c_str(), std::string(name(rule.version)).c_str(),
                rule.statement.c_str(), rule.level.c_str(),
                std::string(level_meaning(rule.level)).c_str());
    const auto print_place = [&](const Sentence& at, const std::string& what) {
        std::printf("  %s, %s: %s\n", at.document.c_str(), at.section.c_str(), what.c_str());
        const std::string address = rules.address(at.document);
        if (!address.empty()) std::printf("    %s\n", address.c_str());
    };
    if (!rule.no_sentence.empty()) {
        print_place({rule.document, rule.section, {}},
                    "no sentence of its own: " + rule.no_sentence);
    }
    for (const Sentence& sentence : sentences(rule)) {
        print_place(sentence, "the sentence with the SHA-256 " + sentence.sha256);
    }
    if (!rule.positive.empty()) std::printf("  kept: %s\n", rule.positive.c_str());
    if (!rule.negative.empty()) std::printf("  broken: %s\n", rule.negative.c_str());
    std::printf("  gathercheck list --filter rule=%s\n", rule.id.c_str());
}

/// An operator version: its equations, its rules, and how many cases it has.
void print_version(OperatorVersion version, const LoadedSuite& loaded) {
    const std::string id(name(version));
    const auto count = std::ranges::count_if(loaded.suite.cases, [version](const Case& tested) {
        return tested.expectation(version) != nullptr;
    });
    std::printf("%s: %s, `gathercheck list --filter operator=%s`\n  equations:\n", id.c_str(),
                count_of(count, "case").c_str(), id.c_str());
    for (const std::string& line : loaded.equations.text(version)) {
        std::printf("    %s\n", line.c_str());
    }
    std::printf("  rules, of which `gathercheck explain RULE` tells more:\n");
    for (const auto& [rule_id, rule] : loaded.rules.rules()) {
        if (rule.version != version) continue;
        std::printf("    %s: %s\n", rule_id.c_str(), rule.statement.c_str());
    }
}

/// True where a diagnosis may say that this explains failures.
bool is_named_by_diagnosis(const std::string& id, const Equations& equations) {
    const auto all = misreadings(equations);
    return std::ranges::find(all, id, &Misreading::name) != all.end();
}

/// A planted bug, or another cause that a diagnosis may name. False where there is none of the
/// name.
bool print_misreading(const std::string& id, const Equations& equations) {
    for (const Mutant& mutant : mutants()) {
        if (mutant.name != id) continue;
        std::printf("%s, a planted bug (%s)%s\n  what is wrong: %s\n  planted in:", id.c_str(),
                    mutant.theme.c_str(),
                    is_named_by_diagnosis(id, equations)
                        ? ", and a misreading that the diagnosis names where failures show it"
                        : "",
                    mutant.idea.c_str());
        for (const Claim& claim : mutant.built_in.claims) {
            for (const OperatorVersion version : claim.versions) {
                std::printf(" %s", std::string(name(version)).c_str());
            }
        }
        std::printf("\n  cases that catch it: gathercheck mutants --mutant %s --show-cases 3\n",
                    id.c_str());
        return true;
    }
    for (const UncheckedIdea& idea : unchecked_ideas) {
        if (idea.name != id) continue;
        std::printf("%s, a cause of failures\n  what is wrong: %s\n", id.c_str(),
                    std::string(idea.idea).c_str());
        return true;
    }
    return false;
}

/// A category of errors: the rules whose breach can lead to it.
void print_category(Category category, const RuleCatalogue& rules) {
    std::printf(
        "%s, a category of errors in the suite's words; no specification has them\n"
        "  rules that a call may break which is rejected with it:\n",
        std::string(name(category)).c_str());
    for (const auto& [id, rule] : rules.rules()) {
        if (std::ranges::find(rule.errors, category) == rule.errors.end()) continue;
        std::printf("    %s: %s\n", id.c_str(), rule.statement.c_str());
    }
}

/// Explains what is no case: a rule, an operator version, a category of errors, a misreading, a
/// finding, a clarification.
int explain_other(const ExplainVerb& options, const LoadedSuite& loaded) {
    if (const Rule* rule = loaded.rules.find(options.id)) {
        if (!options.version.empty()) {
            return refuse("a rule is of one operator version; leave out --for");
        }
        print_rule(*rule, loaded.rules);
        return 0;
    }
    if (options.version.empty()) {
        if (const auto version = operator_version(options.id)) {
            print_version(*version, loaded);
            return 0;
        }
        if (const auto error = category(options.id)) {
            print_category(*error, loaded.rules);
            return 0;
        }
        if (print_misreading(options.id, loaded.equations)) return 0;
        if (loaded.findings.find(options.id) != nullptr) return show_finding(options.id, loaded);
    }
    const auto clarifications = load_shipped_clarifications(loaded);
    if (!clarifications) return exit_bad_input;
    std::vector<std::string> names;
    for (const Clarification& each : *clarifications) {
        if (each.id == options.id) return show_clarification(options.id, loaded);
        names.push_back(each.id);
    }
    for (const Case& each : loaded.suite.cases) names.push_back(each.id);
    for (const auto& [id, rule] : loaded.rules.rules()) names.push_back(id);
    for (const Finding& each : loaded.findings.findings()) names.push_back(each.id);
    return refuse("there is no case '" + options.id +
                  "', and no rule, finding or clarification of that name" +
                  near_names(options.id, names) + "; `gathercheck list` shows what there is");
}

/// What a case asks, in full.
void print_call(const Case& found) {
    std::printf("%s\n%s\n", found.id.c_str(), printable(found.title).c_str());
    if (!found.why.empty()) std::printf("Why: %s\n", printable(found.why).c_str());
    std::printf("%s%s\n", found.file.c_str(), found.pointer.c_str());
    if (!found.written.empty()) {
        std::printf("Retyped: %s in the element types of its id\n", found.written.c_str());
    }
    for (const auto& each : found.earlier) {
        std::printf("After the call of %s, of the same model: %s\n", each->id.c_str(),
                    each->title.c_str());
    }
    for (const NamedTensorSpec& input : found.inputs) {
        std::printf("  %s: %s\n", input.name.c_str(), input_text(input.tensor).c_str());
    }
    if (found.axis) std::printf("  axis: %lld\n", static_cast<long long>(*found.axis));
    for (const Attribute& attribute : found.attributes) {
        std::printf("  attribute %s: %s\n", attribute.name.c_str(),
                    to_string(attribute.value).c_str());
    }
}

// --- the same as JSON, of a case: schemas/explanation.schema.json

/// The elements that are shown, and where each comes from; null where the equation gives none.
Json sources_json(const EquationAnswer& answer, const Call& call) {
    const TensorView* data = call.input("data");
    if (data == nullptr || answer.sources.empty()) return nullptr;
    Json sources = Json::array();
    const auto count = static_cast<std::int64_t>(answer.sources.size());
    for (std::int64_t k = 0; k < std::min(count, shown_elements); ++k) {
        const Source& source = answer.sources[static_cast<std::size_t>(k)];
        Json one{{"output", coordinate_of(answer.output.shape, k)}};
        if (source.position < 0) {
            one["zero"] = true;
        } else {
            one["data"] = coordinate_of(data->shape, source.position);
        }
        sources.push_back(std::move(one));
    }
    return {{"count", count}, {"first", std::move(sources)}};
}

Json explanation(const Case& tested, OperatorVersion version, const LoadedSuite& loaded) {
    const Expectation& expectation = *tested.expectation(version);
    Json json{{"operator", name(version)}};
    if (const auto why = lacks_memory(tested, version, loaded.equations)) {
        json["not_shown"] = *why;
        return json;
    }
    const auto prepared = prepare(tested, version, loaded.equations, loaded.rules);
    const Call& call = prepared->call.call;
    if (expectation.is_unspecified()) json["unspecified"] = expectation.unspecified;
    json["alternatives"] = alternatives_json(prepared->alternatives);
    json["derived"] = expectation.derived;
    json["rules"] = rules_json(prepared->rules, loaded.rules);
    const Result<CheckedCall> checked = check(call);
    if (!checked) {
        json["rejected"] = {{"phase", name(checked.error().phase)},
                            {"why", to_string(checked.error())}};
        return json;
    }
    json["axis"] = checked->axis;
    json["batch_dims"] = checked->batch_dims;
    json["equations"] = loaded.equations.text(version);
    const auto answer = loaded.equations.evaluate(call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    if (known == nullptr) return json;
    if (!known->bad_index) {
        Json sources = sources_json(*known, call);
        if (!sources.is_null()) json["sources"] = std::move(sources);
        return json;
    }
    const Result<void> values = check_index_values(*checked);
    if (!values) json["rejected"] = {{"phase", name(Phase::run)}, {"why", values.error().detail}};
    for (const auto& [what, gives] : answers_of_readings(loaded.equations, call)) {
        json["readings"].push_back({{"reading", what}, {"gives", gives}});
    }
    return json;
}

Json explanations(const Case& found, const std::vector<OperatorVersion>& versions,
                  const LoadedSuite& loaded, const std::set<std::string>& points) {
    Json call = Json::object();
    for (const auto& [label, value] : call_rows(found)) call[label] = value;
    Json json{{"case", found.id}, {"title", found.title}};
    if (!found.why.empty()) json["why"] = found.why;
    json["file"] = found.file;
    json["pointer"] = found.pointer;
    if (!found.written.empty()) json["retyped_from"] = found.written;
    for (const auto& each : found.earlier) json["after"].push_back(each->id);
    json["call"] = std::move(call);
    for (const OperatorVersion version : versions) {
        json["operators"].push_back(explanation(found, version, loaded));
    }
    json["open_points"] = points;
    return json;
}

int explain_verb(const ExplainVerb& options) {
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    const Case* found = loaded->suite.retyped.find(CasesById(loaded->suite.cases), options.id);
    if (found == nullptr && options.format == "json") {
        return refuse("there is no case '" + options.id +
                      "', and only cases are explained as JSON; `gathercheck list` shows them");
    }
    if (found == nullptr) return explain_other(options, *loaded);
    std::vector<OperatorVersion> versions;
    for (const Expectation& expectation : found->expect) {
        versions.insert(versions.end(), expectation.versions.begin(), expectation.versions.end());
    }
    if (!options.version.empty()) {
        const auto version = operator_version(options.version);
        if (!version) {
            return refuse("there is no operator version '" + options.version +
                          "'; `gathercheck list operators` shows them all");
        }
        if (std::ranges::find(versions, *version) == versions.end()) {
            std::string of_case;
            for (const OperatorVersion one : versions) of_case += " " + std::string(name(one));
            return refuse("case " + options.id + " says nothing of " + options.version +
                          "; it is for" + of_case);
        }
        versions = {*version};
    }
    const auto clarifications = load_shipped_clarifications(*loaded);
    if (!clarifications) return exit_bad_input;
    std::set<std::string> points;
    for (const OperatorVersion version : versions) {
        for (const Clarification* each :
             open_points(*clarifications, *found, version, found->expectation(version)->rules,
                         loaded->rules)) {
            points.insert(open_point_text(*each));
        }
    }
    if (options.format == "json") {
        const Json json = explanations(*found, versions, *loaded, points);
        std::printf("%s\n", shown_json(json).c_str());
        return 0;
    }
    print_call(*found);
    for (const OperatorVersion version : versions) explain(*found, version, *loaded);
    if (!points.empty()) std::printf("\n");
    for (const std::string& each : points) std::printf("%s\n", each.c_str());
    return 0;
}

}  // namespace

void add_explain_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<ExplainVerb>();
    const Verb verb = command.add_verb(
        "explain", "Why a case expects what it does, or what a rule says and where it stands");
    verb.add_option(
            "case", options->id,
            "Case id, rule id, operator version, id of a finding or clarification, category "
            "of errors, or the name of a planted bug or cause")
        .required()
        .type_name("CASE");
    verb.add_option("--for", options->version, "Only this operator version").type_name("VERSION");
    add_cases(verb, options->cases);
    add_format(verb, options->format);
    verb.footer(
        "Examples:\n"
        "  gathercheck explain gather-index-one-past-the-end --for onnx.Gather-13\n"
        "  gathercheck explain onnx.gather-13.indices.error\n"
        "  gathercheck explain onnx.Gather-13\n"
        "  gathercheck explain index-clamped\n"
        "  gathercheck explain gather-index-one-past-the-end --format json    # of cases");
    verb.callback([options, &exit_code] { exit_code = explain_verb(*options); });
}

}  // namespace gathercheck
