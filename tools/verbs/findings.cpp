// SPDX-License-Identifier: Apache-2.0
// gathercheck findings: the bugs of engines, the gravest first, as text, as a page, as a report to
// post, as JSON.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/known_failures/findings_check.hpp"
#include "conformance/known_failures/history.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/report/report.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/select.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/call_text.hpp"
#include "tools/shared/operator_table.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct FindingsVerb {
    std::vector<std::string> ids;         ///< patterns; empty: all
    std::string implementation;           ///< empty: any
    std::vector<std::string> severities;  ///< empty: any
    std::string format = "text";          ///< "text", "markdown" or "json"
    std::string table;  ///< "gravest", "engines" or "specifications", in Markdown; empty: none
    bool full = false;  ///< text: each as it is shown by its id
    std::vector<std::string> update;  ///< files whose parts are written anew
};

namespace fs = std::filesystem;

constexpr std::size_t page_width = 120;
constexpr std::size_t longest_program = std::size_t{1} << 20;

/// What is known of a finding beyond its entry.
struct Shown {
    const Finding* finding = nullptr;
    const Case* tested = nullptr;  ///< of its call
    std::int64_t executions = 0;
    std::set<std::string> cases;
    std::set<OperatorVersion> versions;
    /// The same by product, "onnxruntime-web": what is behind the implementations of that name.
    std::map<std::string, std::set<OperatorVersion>> by_product;
    std::vector<const Clarification*> open_points;  ///< of its call
    std::optional<FindingHistory> history;          ///< where other versions were asked
};

/// Everything that the formats need.
struct Page {
    const LoadedSuite& loaded;
    std::vector<Clarification> clarifications;
    std::vector<Shown> all;  ///< the gravest first, then by engine, then as in the files
    std::map<std::string, std::string> product_versions;
};

/// The call of a finding, in words.
struct CallText {
    std::vector<std::pair<std::string, std::string>> operands;  ///< attributes too
    std::vector<ResolvedAlternative> expected;  ///< one, or several that are allowed
    std::string unspecified;                    ///< why nothing is expected
    std::string observed;
    std::string program;  ///< source of the reproducer
};

/// The versions of the engine in one text.
std::string seen(const Finding& finding) {
    return finding.first == finding.last ? finding.first : finding.first + " to " + finding.last;
}

std::string names_of(const std::set<OperatorVersion>& versions) {
    std::string text;
    for (const OperatorVersion version : versions) {
        text += (text.empty() ? "" : ", ") + std::string(name(version));
    }
    return text;
}

std::string count_text(const Shown& shown) {
    return count_of(shown.executions, "execution") + " of " +
           count_of(static_cast<std::int64_t>(shown.cases.size()), "case");
}

/// A paragraph in lines, each with that indent.
std::string wrapped(std::string_view text, const std::string& indent) {
    std::string result = indent;
    std::size_t column = indent.size();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (column > indent.size() && column + 1 + word.size() > page_width) {
            result += "\n" + indent;
            column = indent.size();
        }
        if (column > indent.size()) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
    }
    return result + "\n";
}

std::string sentence(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z' && text.find(' ') != 0) {
        const std::size_t word = text.find_first_of(" :,_(");
        const bool is_name = word != std::string::npos && text[word] == '_';
        if (!is_name) text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
    return text;
}

std::string contents_of(const std::string& file) {
    const auto read = read_file(file, longest_program);
    const auto* text = std::get_if<std::string>(&read);
    return text == nullptr ? std::string() : *text;
}

/// What came, without what was expected: "wrong shape: [2]" of "wrong shape: expected [0, 2], got
/// [2]".
std::string without_expected(const std::string& observed) {
    constexpr std::string_view got = ", got ";
    const std::size_t begin = observed.find("expected ");
    const std::size_t end = observed.find(got, begin);
    if (begin == std::string::npos || end == std::string::npos) return observed;
    return observed.substr(0, begin) + observed.substr(end + got.size());
}

CallText call_text(const Shown& shown, const LoadedSuite& loaded) {
    const Finding& finding = *shown.finding;
    CallText text;
    text.program = contents_of(finding.reproducer);
    text.observed = finding.outcome;
    const auto head = reproduced_call(text.program);
    if (head && head->call == finding.call && head->observed.starts_with(finding.outcome)) {
        text.observed = without_expected(head->observed);
    }
    const Case* tested = shown.tested;
    if (tested == nullptr) return text;
    for (const NamedTensorSpec& input : tested->inputs) {
        text.operands.emplace_back(input.name, input_text(input.tensor));
    }
    if (tested->axis) text.operands.emplace_back("axis", std::to_string(*tested->axis));
    for (const Attribute& attribute : tested->attributes) {
        text.operands.emplace_back(attribute.name, to_string(attribute.value));
    }
    for (const auto& each : tested->earlier) {
        text.operands.emplace_back("after the call of", each->id);
    }
    const Expectation* expectation = tested->expectation(finding.call.version);
    if (expectation == nullptr) return text;
    text.unspecified = expectation->unspecified;
    if (lacks_memory(*tested, finding.call.version, loaded.equations)) return text;
    const auto prepared = prepare(*tested, finding.call.version, loaded.equations, loaded.rules);
    text.expected = prepared->alternatives;
    return text;
}

/// "the call is rejected, by any error (index_out_of_bounds in the suite's words), or the output
/// ...": no specification names a category of errors.
std::string expected_text(const CallText& call) {
    std::string categories;
    std::string outputs;
    for (const ResolvedAlternative& each : call.expected) {
        if (const auto* error = std::get_if<ExpectedError>(&each)) {
            categories += (categories.empty() ? "" : " or ") + std::string(name(error->category));
        } else {
            outputs += (outputs.empty() ? "" : ", or ") + alternative_text(each);
        }
    }
    if (!categories.empty()) {
        return "the call is rejected, by any error (" + categories + " in the suite's words)" +
               (outputs.empty() ? "" : ", or " + outputs);
    }
    if (!outputs.empty()) return outputs;
    return call.unspecified.empty() ? "what its rules say"
                                    : "an output or an error, whichever: " + call.unspecified;
}

/// "openvino/Gather-8, Inputs"; several where the rule rests on several sentences.
std::string place(const Rule& rule) {
    std::string text = rule.document + ", " + rule.section;
    if (!rule.no_sentence.empty()) return text + "; no sentence of its own: " + rule.no_sentence;
    for (const Sentence& each : rule.also) {
        const std::string other = each.document + ", " + each.section;
        if (text.find(other) == std::string::npos) text += "; " + other;
    }
    return text;
}

/// The rules that the call breaks.
std::vector<const Rule*> rules_of_call(const Finding& finding, const LoadedSuite& loaded) {
    std::vector<const Rule*> rules;
    for (const std::string& id : finding.rules_of(finding.call.version, loaded.rules)) {
        rules.push_back(loaded.rules.find(id));
    }
    return rules;
}

// --- text

void append_block(std::string& text, const Shown& shown, const LoadedSuite& loaded) {
    const Finding& finding = *shown.finding;
    const CallText call = call_text(shown, loaded);
    text += finding.id + "\n";
    text += "  " + std::string(name(finding.severity)) + ", " + finding.engine + " " +
            seen(finding) + " (" + joined(finding.implementations) + "), " + count_text(shown) +
            "\n\n";
    text += wrapped(printable(finding.statement), "  ") + "\n";
    for (const Rule* rule : rules_of_call(finding, loaded)) {
        text += "  breaks " + rule->id + " (" + rule->level + "; " + place(*rule) + "):\n";
        text += wrapped(rule->statement, "    ");
    }
    if (shown.versions.size() > 1) text += "  seen in " + names_of(shown.versions) + "\n";
    if (shown.history) text += wrapped("versions: " + to_string(*shown.history), "  ");
    text += "  a small call: " + to_string(finding.call) + "\n";
    for (const auto& [operand, value] : call.operands) {
        text += "    " + operand + ": " + printable(value) + "\n";
    }
    text += "  expected: " + printable(expected_text(call)) + "\n";
    text += "  observed: " + printable(call.observed) + "\n";
    text += "  program: " + finding.reproducer + "\n";
    if (!finding.note.empty()) text += wrapped("note: " + printable(finding.note), "  ");
    if (!finding.link.empty()) text += "  reported: " + printable(finding.link) + "\n";
    for (const Clarification* entry : shown.open_points) {
        text += wrapped(open_point_text(*entry), "  ");
    }
}

std::string as_blocks(const std::vector<Shown>& chosen, const LoadedSuite& loaded) {
    std::string text;
    for (const Shown& shown : chosen) {
        if (!text.empty()) text += "\n" + std::string(page_width, '-') + "\n\n";
        append_block(text, shown, loaded);
    }
    return text;
}

std::string as_list(const std::vector<Shown>& chosen) {
    std::string text;
    std::optional<Severity> severity;
    for (const Shown& shown : chosen) {
        const Finding& finding = *shown.finding;
        if (severity != finding.severity) {
            text += (text.empty() ? "" : "\n") + std::string(name(finding.severity)) + "\n";
            severity = finding.severity;
        }
        text += "  " + finding.id + " (" + finding.engine + " " + seen(finding) + ", " +
                count_of(shown.executions, "execution") + ")\n" +
                wrapped(printable(finding.statement), "    ");
    }
    text += std::string(text.empty() ? "" : "\n") +
            count_of(static_cast<std::int64_t>(chosen.size()), "finding") +
            (chosen.empty() ? "\n"
                            : "; `gathercheck findings ID` shows one whole, `gathercheck "
                              "findings ID --format markdown` is a report to post\n");
    return text;
}

// --- Markdown

std::string code(std::string_view text) { return code_in_markdown(text); }

/// The place of a rule, as a link to where its document can be read.
std::string linked_place(const Rule& rule, const RuleCatalogue& rules) {
    const std::string text = in_markdown(place(rule));
    const std::string address = rules.address(rule.document);
    return address.empty() ? text : "[" + text + "](" + address + ")";
}

void append_call(std::string& text, const Finding& finding, const CallText& call) {
    text += "- " + code(name(finding.call.version)) + ", operands: ";
    text += finding.call.route.operands == Operands::runtime    ? "given at run time"
            : finding.call.route.operands == Operands::constant ? "constant indices"
                                                                : "all constant";
    text += finding.call.route.axis == AxisOperand::runtime ? ", axis given at run time" : "";
    text += finding.call.route.shapes == Shapes::dynamic ? "; dynamic shapes\n" : "\n";
    for (const auto& [operand, value] : call.operands) {
        text += "- " + code(operand) + ": " + code(value) + "\n";
    }
}

std::string language_of(const std::string& file) {
    const std::string extension = fs::path(file).extension().string();
    for (const auto& [end, language] :
         {std::pair(".py", "python"), std::pair(".cpp", "cpp"), std::pair(".c", "c"),
          std::pair(".rs", "rust"), std::pair(".go", "go"), std::pair(".js", "javascript"),
          std::pair(".sh", "sh")}) {
        if (extension == end) return language;
    }
    return {};
}

/// What the specification says, in the words of the rules and with the places of its sentences,
/// apart from what is only read into it.
void append_rules(std::string& text, const Shown& shown, const LoadedSuite& loaded) {
    std::string says;
    std::string readings;
    for (const Rule* rule : rules_of_call(*shown.finding, loaded)) {
        std::string& list = rule->level == "reading" ? readings : says;
        list += "- " + in_markdown(rule->statement) +
                (rule->level == "derived" ? " This follows from the text" : "") + " (" +
                linked_place(*rule, loaded.rules) + ")\n";
    }
    for (const Clarification* entry : shown.open_points) {
        readings += "- " + in_markdown(open_point_text(*entry)) + "\n";
    }
    if (!says.empty()) text += "## What the specification says, in our words\n\n" + says + "\n";
    if (!readings.empty()) text += "## How we read it\n\n" + readings + "\n";
}

/// The text to post upstream.
std::string as_report(const Shown& shown, const LoadedSuite& loaded) {
    const Finding& finding = *shown.finding;
    const CallText call = call_text(shown, loaded);
    std::string text = "# " + in_markdown(sentence(finding.title)) + "\n\n";
    text += "**Version:** " + in_markdown(finding.engine + " " + seen(finding)) + "; seen in " +
            names_of(shown.versions) + ".\n\n";
    if (shown.history) text += "**History:** " + in_markdown(to_string(*shown.history)) + ".\n\n";
    text += "**Severity:** " + std::string(name(finding.severity)) + "\n\n";
    text += "## What happens\n\n";
    if (finding.title != finding.statement) {
        text += in_markdown(sentence(finding.statement)) + "\n\n";
    }
    append_call(text, finding, call);
    std::string got = call.observed;
    if (got.starts_with(finding.outcome + ": ")) got.erase(0, finding.outcome.size() + 2);
    text += "\n**Expected:** " + in_markdown(expected_text(call)) + "\n\n**Got:** " +
            in_markdown(got) + "\n\n";
    if (!finding.note.empty()) text += in_markdown(finding.note) + "\n\n";
    append_rules(text, shown, loaded);
    text += "## A program that shows it\n\n```" + language_of(finding.reproducer) + "\n" +
            call.program + (call.program.ends_with('\n') ? "" : "\n") + "```\n\n";
    if (!finding.link.empty()) text += "Reported: " + in_markdown(finding.link) + "\n\n";
    text += "Found with gathercheck: finding " + code(finding.id) + ", " + count_text(shown) +
            "; this call is case " + code(finding.call.case_id) + ".\n";
    return text;
}

std::string as_reports(const std::vector<Shown>& chosen, const LoadedSuite& loaded) {
    std::string text;
    for (const Shown& shown : chosen) {
        text += (text.empty() ? "" : "\n---\n\n") + as_report(shown, loaded);
    }
    return text;
}

std::string row(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) line += " " + cell + " |";
    return line + "\n";
}

/// Of each severity that there is, how many findings which engine has.
std::string severity_table(const std::vector<Shown>& chosen) {
    std::map<std::string, std::map<Severity, int>> counts;
    std::set<Severity> used;
    for (const Shown& shown : chosen) {
        ++counts[shown.finding->engine][shown.finding->severity];
        used.insert(shown.finding->severity);
    }
    std::vector<std::string> head{"engine"};
    std::vector<std::string> line{"---"};
    for (const Severity each : used) {
        head.emplace_back(name(each));
        line.emplace_back("---:");
    }
    std::string text = row(head) + row(line);
    for (const auto& [engine, of_engine] : counts) {
        std::vector<std::string> cells{in_markdown(engine)};
        for (const Severity each : used) {
            const auto found = of_engine.find(each);
            cells.push_back(found == of_engine.end() ? "" : std::to_string(found->second));
        }
        text += row(cells);
    }
    return text;
}

/// The page beside the data: links are meant from its folder.
std::string as_page(const std::vector<Shown>& chosen, const LoadedSuite& loaded) {
    std::string text = severity_table(chosen);
    std::optional<Severity> severity;
    for (const Shown& shown : chosen) {
        const Finding& finding = *shown.finding;
        if (severity != finding.severity) {
            text += "\n## " + sentence(std::string(name(finding.severity))) + "\n";
            severity = finding.severity;
        }
        const CallText call = call_text(shown, loaded);
        text += "\n<a id=\"" + finding.id + "\"></a>\n\n### " + finding.id + "\n\n";
        text += in_markdown(sentence(finding.statement)) + "\n\n";
        text += "- " + in_markdown(finding.engine + " " + seen(finding)) + " (" +
                joined(finding.implementations) + "), " + names_of(shown.versions) + ": " +
                count_text(shown) + "\n";
        if (shown.history) text += "- Versions: " + in_markdown(to_string(*shown.history)) + "\n";
        for (const Rule* rule : rules_of_call(finding, loaded)) {
            text += "- Breaks " + code(rule->id) + " (" + rule->level + "; " +
                    linked_place(*rule, loaded.rules) + "): " + in_markdown(rule->statement) + "\n";
        }
        text += "- A small call: " + code(name(finding.call.version)) + ", " +
                to_string(finding.call.route) + ", " + code(finding.call.case_id) + "\n";
        for (const auto& [operand, value] : call.operands) {
            text += "  - " + code(operand) + ": " + code(value) + "\n";
        }
        text += "- Expected: " + in_markdown(expected_text(call)) + "\n";
        text += "- Observed: " + in_markdown(call.observed) + "\n";
        const std::string program = std::string(reproducers_folder) + "/" + finding.reproducer_name;
        text += "- Program: [" + program + "](" + program + ")\n";
        if (!finding.note.empty()) text += "- Note: " + in_markdown(finding.note) + "\n";
        if (!finding.link.empty()) text += "- Reported: " + in_markdown(finding.link) + "\n";
        for (const Clarification* entry : shown.open_points) {
            text += "- " + in_markdown(open_point_text(*entry)) + "\n";
        }
    }
    return text;
}

/// For the README of the product: links are meant from there.
constexpr std::string_view page_from_top = "spec_cases/findings/findings.md";

/// True where some output is expected of the call.
bool breaks_legal_call(const Shown& shown) {
    const Expectation* expectation =
        shown.tested == nullptr ? nullptr : shown.tested->expectation(shown.finding->call.version);
    return expectation != nullptr &&
           std::ranges::any_of(expectation->alternatives, [](const Alternative& each) {
               return std::holds_alternative<ExpectedOutput>(each);
           });
}

std::string gravest_table(std::vector<Shown> chosen) {
    constexpr std::size_t most_rows = 10;
    std::ranges::stable_sort(chosen, [](const Shown& one, const Shown& other) {
        if (one.finding->severity != other.finding->severity) {
            return one.finding->severity < other.finding->severity;
        }
        if (breaks_legal_call(one) != breaks_legal_call(other)) return breaks_legal_call(one);
        return one.executions > other.executions;
    });
    std::string text = row({"severity", "engine", "what it does"}) + row({"---", "---", "---"});
    for (std::size_t k = 0; k < std::min(chosen.size(), most_rows); ++k) {
        const Finding& finding = *chosen[k].finding;
        text += row({std::string(name(finding.severity)),
                     in_markdown(finding.engine + " " + finding.last),
                     "[" + in_markdown(finding.title) + "](" + std::string(page_from_top) + "#" +
                         finding.id + ")"});
    }
    return text;
}

/// Operator versions down, products across: how many findings, and the gravest severity.
std::string engines_table(const std::vector<Shown>& chosen,
                          const std::map<std::string, std::string>& product_versions) {
    std::map<std::pair<OperatorVersion, std::string>, std::pair<int, Severity>> cells;
    std::set<std::string> products;
    for (const Shown& shown : chosen) {
        const Severity severity = shown.finding->severity;
        for (const auto& [product, versions] : shown.by_product) {
            products.insert(product);
            for (const OperatorVersion version : versions) {
                auto& cell = cells.try_emplace({version, product}, 0, severity).first->second;
                ++cell.first;
                cell.second = std::min(cell.second, severity);
            }
        }
    }
    std::vector<std::string> head{"operator version"};
    std::vector<std::string> line{"---"};
    for (const std::string& product : products) {
        head.push_back(in_markdown(product + " " + product_versions.at(product)));
        line.emplace_back("---");
    }
    std::string text = row(head) + row(line);
    for (const OperatorInfo& each : operator_versions()) {
        const bool is_of_them = std::ranges::any_of(cells, [&](const auto& cell) {
            return info(cell.first.first).specification == each.specification;
        });
        if (!is_of_them) continue;  // no engine of the specification has a finding
        std::vector<std::string> of_version{std::string(each.name)};
        for (const std::string& product : products) {
            const auto cell = cells.find({each.version, product});
            of_version.push_back(cell == cells.end() ? ""
                                                     : std::to_string(cell->second.first) + ", " +
                                                           std::string(name(cell->second.second)));
        }
        text += row(of_version);
    }
    return text;
}

// --- JSON

std::string as_json(const std::vector<Shown>& chosen, const LoadedSuite& loaded) {
    Json list = Json::array();
    for (const Shown& shown : chosen) {
        const Finding& finding = *shown.finding;
        const CallText call = call_text(shown, loaded);
        Json rules = Json::array();
        for (const std::string& id : finding.rules) {
            const Rule* rule = loaded.rules.find(id);
            rules.push_back({{"id", id},
                             {"operator", name(rule->version)},
                             {"document", rule->document},
                             {"section", rule->section},
                             {"level", rule->level},
                             {"statement", rule->statement}});
        }
        Json expected = Json::array();
        for (const ResolvedAlternative& each : call.expected) {
            expected.push_back(alternative_text(each));
        }
        Json operands = Json::array();
        for (const auto& [operand, value] : call.operands) {
            operands.push_back({{"name", operand}, {"value", value}});
        }
        Json operators = Json::array();
        for (const OperatorVersion version : shown.versions) operators.push_back(name(version));
        Json one{{"id", finding.id},
                 {"engine", finding.engine},
                 {"implementations", finding.implementations},
                 {"severity", name(finding.severity)},
                 {"title", finding.title},
                 {"statement", finding.statement},
                 {"rules", std::move(rules)},
                 {"operators", std::move(operators)},
                 {"call",
                  {{"case", finding.call.case_id},
                   {"operator", name(finding.call.version)},
                   {"route", to_string(finding.call.route)},
                   {"operands", std::move(operands)}}},
                 {"expected", std::move(expected)},
                 {"outcome", finding.outcome},
                 {"observed", call.observed},
                 {"reproducer", finding.reproducer},
                 {"seen", {{"first", finding.first}, {"last", finding.last}}},
                 {"executions", shown.executions},
                 {"cases", shown.cases.size()}};
        if (!finding.link.empty()) one["link"] = finding.link;
        if (!finding.note.empty()) one["note"] = finding.note;
        if (const auto& history = shown.history) {
            one["history"] = {{"asked", history->asked},
                              {"shown", history->shown},
                              {"not_shown", history->not_shown},
                              {"otherwise", history->otherwise},
                              {"not_run", history->not_run}};
        }
        Json open = Json::array();
        for (const Clarification* entry : shown.open_points) {
            open.push_back({{"id", entry->id}, {"title", entry->title}});
        }
        one["open_points"] = std::move(open);
        list.push_back(std::move(one));
    }
    return shown_json(Json{{"findings", std::move(list)}}) + "\n";
}

// --- what is chosen

/// The findings of the shipped data with their executions; nothing where files are refused.
std::optional<Page> page_of(const LoadedSuite& loaded) {
    const auto files = load_shipped_known_failures(loaded);
    if (!files) return std::nullopt;
    const FindingExecutions executions = executions_of(*files);
    const CasesById cases(loaded.suite.cases);
    auto clarifications = load_shipped_clarifications(loaded);
    if (!clarifications) return std::nullopt;
    const auto read = load_histories(loaded.installed.findings / history_folder, loaded.findings);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&read)) {
        print_problems(*problems);
        return std::nullopt;
    }
    const auto& histories = std::get<FindingHistories>(read);
    Page page{loaded, std::move(*clarifications), {}, {}};
    const auto product_of = [](const KnownFailures& file) {
        return file.implementation.substr(0, file.implementation.find(':'));
    };
    for (const KnownFailures& file : *files) {
        page.product_versions[product_of(file)] = joined(file.versions);
    }
    for (const Finding& finding : loaded.findings.findings()) {
        Shown& shown = page.all.emplace_back();
        shown.finding = &finding;
        if (const auto history = histories.find(finding.id); history != histories.end()) {
            shown.history = history->second;
        }
        shown.tested = loaded.suite.retyped.find(cases, finding.call.case_id);
        if (shown.tested != nullptr) {
            shown.open_points = open_points(page.clarifications, *shown.tested,
                                            finding.call.version, finding.rules, loaded.rules);
        }
        const auto found = executions.find(finding.id);
        if (found == executions.end()) continue;
        for (const FindingExecution& execution : found->second) {
            ++shown.executions;
            shown.cases.insert(execution.entry->case_id);
            shown.versions.insert(execution.entry->version);
            shown.by_product[product_of(*execution.file)].insert(execution.entry->version);
        }
    }
    std::ranges::stable_sort(page.all, [](const Shown& one, const Shown& other) {
        return std::tie(one.finding->severity, one.finding->engine) <
               std::tie(other.finding->severity, other.finding->engine);
    });
    return page;
}

/// Why the options choose nothing; empty where they make sense.
std::string nonsense(const FindingsVerb& options, const LoadedSuite& loaded) {
    const auto& findings = loaded.findings.findings();
    for (const std::string& id : options.ids) {
        const auto matches = [&](const Finding& each) { return matches_pattern(id, each.id); };
        if (std::ranges::none_of(findings, matches)) return loaded.findings.has_none(id);
    }
    if (options.implementation.empty()) return {};
    std::set<std::string> names;
    for (const Finding& finding : findings) {
        names.insert(finding.implementations.begin(), finding.implementations.end());
    }
    if (names.contains(options.implementation)) return {};
    return "no finding is about the implementation " + in_quotes(options.implementation) +
           "; there are findings of " +
           joined(std::vector<std::string>(names.begin(), names.end()));
}

bool is_chosen(const FindingsVerb& options, const Finding& finding) {
    const auto matches = [&](const std::string& id) { return matches_pattern(id, finding.id); };
    const auto& of = finding.implementations;
    return (options.ids.empty() || std::ranges::any_of(options.ids, matches)) &&
           (options.implementation.empty() ||
            std::ranges::find(of, options.implementation) != of.end()) &&
           (options.severities.empty() ||
            std::ranges::find(options.severities, name(finding.severity)) !=
                options.severities.end());
}

// --- parts of files

constexpr std::string_view part_begin = "<!-- gathercheck findings ";
constexpr std::string_view part_end = "<!-- end -->";

/// The text between its markers, by the options that the first one names; nothing for others.
std::optional<std::string> part(std::string_view options, const Page& page) {
    if (options == "--format markdown") return as_page(page.all, page.loaded);
    if (options == "--table gravest") return gravest_table(page.all);
    if (options == "--table specifications") {
        return specifications_table(page.loaded.equations);
    }
    if (options == "--table engines") return engines_table(page.all, page.product_versions);
    return std::nullopt;
}

/// Writes the parts of a file anew. The text is why that cannot be done.
std::string update_parts(const std::string& file, const Page& page) {
    const auto read = read_file(file, longest_program);
    if (const auto* problem = std::get_if<Problem>(&read)) return to_string(*problem);
    const std::string& before = std::get<std::string>(read);
    std::string after;
    std::size_t done = 0;
    int parts = 0;
    for (std::size_t begin = before.find(part_begin); begin != std::string::npos;
         begin = before.find(part_begin, done)) {
        const std::size_t named = begin + part_begin.size();
        const std::size_t close = before.find(" -->\n", named);
        const std::size_t end = before.find(part_end, named);
        if (close == std::string::npos || end == std::string::npos || end < close) {
            return file + ": a part begins with " + std::string(part_begin) +
                   "... --> and a line of its own " + std::string(part_end) + " ends it; add it";
        }
        const std::string options = before.substr(named, close - named);
        const auto text = part(options, page);
        if (!text) {
            return file + ": there is no part " + in_quotes(options) +
                   "; use --format markdown, --table gravest, --table engines or "
                   "--table specifications";
        }
        const std::size_t content = close + std::string_view(" -->\n").size();
        after += before.substr(done, content - done) + "\n" + *text + "\n";
        done = end;
        ++parts;
    }
    if (parts == 0) {
        return file + " has no part to be written: one begins with a line " +
               std::string(part_begin) + "--table gravest --> and ends with " +
               std::string(part_end);
    }
    after += before.substr(done);
    if (after == before) return {};
    std::ofstream stream(file, std::ios::binary);
    stream << after;
    stream.close();
    return stream ? std::string() : "cannot write " + file;
}

int findings_verb(const FindingsVerb& options, const LoadedSuite& loaded) {
    const std::string why = nonsense(options, loaded);
    if (!why.empty()) return refuse(why);
    const auto made = page_of(loaded);
    if (!made) return exit_bad_input;
    const Page& page = *made;
    for (const std::string& file : options.update) {
        const std::string trouble = update_parts(file, page);
        if (!trouble.empty()) return refuse(trouble);
        std::printf("%s says what the findings say\n", printable(file).c_str());
    }
    if (!options.update.empty()) return 0;
    std::vector<Shown> chosen;
    for (const Shown& shown : page.all) {
        if (is_chosen(options, *shown.finding)) chosen.push_back(shown);
    }
    std::string text;
    if (options.table == "gravest") {
        text = gravest_table(chosen);
    } else if (options.table == "engines") {
        text = engines_table(chosen, page.product_versions);
    } else if (options.table == "specifications") {
        text = specifications_table(loaded.equations);
    } else if (options.format == "json") {
        text = as_json(chosen, loaded);
    } else if (options.format == "markdown") {
        text = options.ids.empty() ? as_page(chosen, loaded) : as_reports(chosen, loaded);
    } else {
        const bool is_full = options.full || !options.ids.empty();
        text = is_full && !chosen.empty() ? as_blocks(chosen, loaded) : as_list(chosen);
    }
    std::fputs(text.c_str(), stdout);
    return 0;
}

int findings_verb(const FindingsVerb& options) {
    const bool chooses =
        !options.ids.empty() || !options.implementation.empty() || !options.severities.empty();
    if (!options.update.empty() && (chooses || options.full || !options.table.empty())) {
        return refuse("--update writes what the files say themselves; leave out the rest");
    }
    const auto loaded = load_suite({});
    return loaded ? findings_verb(options, *loaded) : exit_bad_input;
}

}  // namespace

int show_finding(const std::string& id, const LoadedSuite& loaded) {
    FindingsVerb options;
    options.ids = {id};
    return loaded.shipped ? findings_verb(options, loaded) : findings_verb(options);
}

void add_findings_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<FindingsVerb>();
    const Verb verb = command.add_verb(
        "findings", "What engines get wrong: each bug once, the gravest first, with its proof");
    verb.add_option("id", options->ids, "Ids, with * and ? (default: every finding)")
        .type_name("ID");
    verb.add_option("--implementation", options->implementation,
                    "Only those of this implementation, e.g. onnxruntime:unoptimized")
        .type_name("NAME");
    std::vector<std::string> severity_words;
    for (const Severity each : severities) severity_words.emplace_back(name(each));
    verb.add_option("--severity", options->severities,
                    "Only those of this severity; may be repeated. The gravest first: memory "
                    "outside, crash, hang, wrong value, wrong shape or type, missing error, legal "
                    "call refused, open text")
        .one_value_each()
        .one_of(severity_words)
        .type_name("WORDS");
    verb.add_option("--format", options->format,
                    "text; json (conformance/schemas/findings_report.schema.json); markdown: of "
                    "ids reports to post upstream, without ids a page")
        .one_of({"text", "markdown", "json"})
        .show_default();
    verb.add_option("--table", options->table,
                    "A table in Markdown: the ten gravest, engines against operator versions, or "
                    "specifications against index rules")
        .one_of({"gravest", "engines", "specifications"})
        .excludes("--format");
    verb.add_flag("--full", options->full,
                  "As text: each whole, which those are that are chosen by id");
    verb.add_option("--update", options->update,
                    "Write the parts of this Markdown file anew, each between a line <!-- "
                    "gathercheck findings --table gravest --> (or another table, or --format "
                    "markdown) and a line <!-- end -->; may be repeated")
        .one_value_each()
        .type_name("FILE");
    verb.footer(
        "The data are spec_cases/findings/*.json; how many executions show a finding comes from "
        "the shipped\nfiles of known failures, which name it.\n\n"
        "Examples:\n"
        "  gathercheck findings --implementation onnxruntime\n"
        "  gathercheck findings --severity 'memory outside' --severity crash\n"
        "  gathercheck findings onnxruntime-string-rows\n"
        "  gathercheck findings onnxruntime-string-rows --format markdown >report.md");
    verb.callback([options, &exit_code] { exit_code = findings_verb(*options); });
}

}  // namespace gathercheck
