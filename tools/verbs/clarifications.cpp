// SPDX-License-Identifier: Apache-2.0
// gathercheck clarifications: what the specifications leave open, what the suite makes of it, and
// what implementations did there.
#include "conformance/documents/clarification.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/documents/observation.hpp"
#include "conformance/records/record.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/select/select.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/columns.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {
namespace {

struct ClarificationsVerb {
    std::vector<std::string> ids;      ///< patterns; empty: all
    std::vector<std::string> records;  ///< files of records that say what implementations did
    bool list = false;                 ///< ids and titles alone
    bool update = false;               ///< write observed.json and the page
    std::string format = "text";       ///< "text", "markdown" or "json"
};

namespace fs = std::filesystem;

constexpr std::size_t page_width = 120;

constexpr std::size_t most_of_id = 48;
constexpr std::string_view renew_command = "gathercheck clarifications --update";

struct Page {
    std::vector<Clarification> entries;
    std::vector<Observed> observed;
    std::map<std::string, std::string, std::less<>> titles;  ///< of the cases that entries name
};

/// Breaks a paragraph into lines; all but the first begin with `indent`. What stands between
/// backticks is not broken.
std::string wrapped(std::string_view text, const std::string& indent) {
    std::string result;
    std::string word;
    std::size_t column = indent.size();
    bool in_code = false;
    const auto flush = [&] {
        if (word.empty()) return;
        const bool starts_line = result.empty() || column == indent.size();
        if (!starts_line && column + 1 + word.size() > page_width) {
            result += "\n" + indent;
            column = indent.size();
        } else if (!starts_line) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
        word.clear();
    };
    for (const char c : text) {
        if (c == '`') in_code = !in_code;
        if (c == ' ' && !in_code) {
            flush();
        } else {
            word += c;
        }
    }
    flush();
    return result;
}

/// "openvino.Gather-7, -8 and onnx.Gather-13": names of one operator are said once.
std::string joined(const std::vector<OperatorVersion>& versions) {
    std::string text;
    std::string last;
    for (const OperatorVersion version : versions) {
        const std::string whole(name(version));
        const std::size_t dash = whole.rfind('-');
        const std::string base = whole.substr(0, dash);
        text += text.empty() ? "" : ", ";
        text += base == last ? whole.substr(dash) : whole;
        last = base;
    }
    return text;
}

std::string joined(const std::vector<std::string>& words, const std::string& quote) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + quote + word + quote;
    }
    return text;
}

/// Where a statement holds; one list of versions for all cases that share it.
std::string where(const Statement& statement, const std::string& quote) {
    std::string text;
    for (std::size_t k = 0; k < statement.cases.size(); ++k) {
        const auto& [id, versions] = statement.cases[k];
        if (k != 0) text += statement.cases[k - 1].second == versions ? ", " : "; ";
        text += quote + id + quote;
        const bool is_last_alike =
            k + 1 == statement.cases.size() || statement.cases[k + 1].second != versions;
        if (is_last_alike) text += " for " + joined(versions);
    }
    return text;
}

/// How headings, lists and quotations look: Markdown, or plain text.
struct Look {
    bool markdown = false;

    std::string strong(std::string_view text) const {
        return markdown ? "**" + std::string(text) + "**" : std::string(text);
    }
    /// What implementations say of themselves, or answered; values and categories are code in it.
    std::string others(const std::string& text) const {
        if (!markdown) return printable(text);
        std::string safe;
        bool in_code = false;
        for (const char c : printable(text)) {
            in_code = in_code != (c == '`');
            if (c == '<') {
                safe += in_code ? "\\x3c" : "&lt;";
            } else if (in_code || c == '`') {
                safe += c;
            } else if (c == '*' || c == '_' || c == '|') {
                safe += std::string("\\") + c;
            } else if (c == '[' && safe.ends_with('!')) {
                safe += "\\[";  // no image
            } else if (c == '(' && safe.ends_with(']')) {
                safe += "\\(";  // no link
            } else {
                safe += c;
            }
        }
        return safe;
    }
    std::string quote() const { return markdown ? "`" : ""; }
    /// Plain text has no use for the backticks of the data.
    std::string plain(std::string text) const {
        if (!markdown) std::erase(text, '`');
        return text;
    }
};

void append_paragraph(std::string& text, const Look& look, std::string_view label,
                      const std::string& body) {
    text += wrapped(look.strong(std::string(label) + ":") + " " + look.plain(body), "") + "\n\n";
}

void append_item(std::string& text, const Look& look, const std::string& mark,
                 const std::string& body) {
    text += mark + wrapped(look.plain(body), std::string(mark.size(), ' ')) + "\n";
}

void append_observed(std::string& text, const Look& look, const Clarification& entry,
                     const std::vector<Observed>& observed) {
    std::string list;
    for (const Observed& each : observed) {
        const auto found = statements(each, entry.cases, entry.versions);
        if (found.empty()) continue;
        std::string who = each.implementation + " " + each.version + " (" + each.date + ")";
        std::ranges::replace(who, '`', '\'');
        list += "- " + look.others(who) + "\n";
        for (const Statement& statement : found) {
            append_item(list, look, "  - ",
                        look.others(statement.text) + " (" + where(statement, look.quote()) + ")");
        }
    }
    if (list.empty()) return;
    text += look.strong("What implementations did:") + "\n\n" + list + "\n";
}

void append_entry(std::string& text, const Look& look, const Page& page,
                  const Clarification& entry) {
    if (look.markdown) {
        text += "<a id=\"" + entry.id + "\"></a>\n\n### " + entry.title + "\n\n";
    } else {
        text += entry.id + "\n" + wrapped(entry.title, "") + "\n\n";
    }
    append_paragraph(text, look, "Versions", joined(entry.versions));
    append_paragraph(text, look, "The text says", entry.says);
    append_paragraph(text, look, "It leaves open", entry.silent);
    text += look.strong("Readings:") + "\n\n";
    for (std::size_t k = 0; k < entry.readings.size(); ++k) {
        const Reading& reading = entry.readings[k];
        std::string body = reading.reading + (k == 0 ? " (the suite's)" : "") + ".";
        if (!reading.in_favour.empty()) body += " For: " + reading.in_favour;
        if (!reading.against.empty()) body += " Against: " + reading.against;
        append_item(text, look, std::to_string(k + 1) + ". ", body);
    }
    text += "\n";
    append_paragraph(text, look, "Why the first", entry.why);
    append_paragraph(text, look, "Rules", joined(entry.rules, look.quote()));
    if (entry.cases.empty()) {
        append_paragraph(text, look, "No case", entry.no_case);
    } else {
        text += look.strong("Cases:") + "\n\n";
        for (const std::string& id : entry.cases) {
            append_item(text, look, "- ",
                        look.quote() + id + look.quote() + ": " + page.titles.at(id));
        }
        text += "\n";
    }
    append_observed(text, look, entry, page.observed);
    if (look.markdown) {
        text += look.strong("Question:") + "\n\n> " + wrapped(entry.question, "> ") + "\n\n";
    } else {
        append_paragraph(text, look, "Question", entry.question);
    }
}

/// What the page begins with, a paragraph each; the second is the command that renews it.
constexpr std::array<std::string_view, 4> preamble_paragraphs{
    "One entry for each point where the specifications are silent, contradict themselves, or are "
    "misprinted: what the text says, the readings possible, the one that the suite takes, the "
    "cases that pin it, what implementations did with these cases, and a question that can be "
    "posted to the authors. The data are the JSON files beside this page "
    "(`conformance/schemas/clarification.schema.json`). This page is written by",
    "",
    "With `--records run.jsonl` it also takes what `gathercheck run --no-known-failures --output "
    "run.jsonl` saw into `observed.json`: what implementations did is never written from memory. "
    "Their names stand with their version and the date of that run. One that does not claim an "
    "operator, or lacks the case, is not mentioned.",
    "Outputs are shown where no sentence decides. Bytes of A5 or 5A in them (as i32, -1515870811 "
    "and 1515870810) are what the harness fills memory with that belongs to no tensor: they were "
    "read outside the data, or never written."};

std::string preamble(const Page& page) {
    std::string text = "# Clarifications: what the texts leave open\n\n";
    for (const std::string_view paragraph : preamble_paragraphs) {
        text += (paragraph.empty() ? "    " + std::string(renew_command) : wrapped(paragraph, "")) +
                "\n\n";
    }
    for (const Topic& topic : clarification_topics) {
        std::string list;
        for (const Clarification& entry : page.entries) {
            if (entry.topic == topic.name) {
                list += "- [" + entry.title + "](#" + entry.id + ")\n";
            }
        }
        if (!list.empty()) text += std::string(topic.heading) + ":\n\n" + list + "\n";
    }
    return text;
}

std::string rendered(const Page& page, bool markdown) {
    const Look look{markdown};
    std::string text = markdown ? preamble(page) : "";
    for (const Topic& topic : clarification_topics) {
        bool has_heading = false;
        for (const Clarification& entry : page.entries) {
            if (entry.topic != topic.name) continue;
            if (markdown && !has_heading) text += "## " + std::string(topic.heading) + "\n\n";
            has_heading = true;
            append_entry(text, look, page, entry);
            if (!markdown) text += std::string(page_width, '-') + "\n\n";
        }
    }
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

Json versions_json(const std::vector<OperatorVersion>& versions) {
    Json list = Json::array();
    for (const OperatorVersion version : versions) list.push_back(name(version));
    return list;
}

std::string rendered_json(const Page& page) {
    Json list = Json::array();
    for (const Clarification& entry : page.entries) {
        Json object = Json::object();
        object["id"] = entry.id;
        object["title"] = entry.title;
        object["topic"] = entry.topic;
        object["operators"] = versions_json(entry.versions);
        object["rules"] = entry.rules;
        object["says"] = entry.says;
        object["silent"] = entry.silent;
        object["readings"] = Json::array();
        for (const Reading& reading : entry.readings) {
            Json one{{"reading", reading.reading}};
            if (!reading.in_favour.empty()) one["for"] = reading.in_favour;
            if (!reading.against.empty()) one["against"] = reading.against;
            object["readings"].push_back(std::move(one));
        }
        object["why"] = entry.why;
        object["cases"] = entry.cases;
        if (!entry.no_case.empty()) object["no_case"] = entry.no_case;
        object["question"] = entry.question;
        object["observed"] = Json::array();
        for (const Observed& each : page.observed) {
            Json made = Json::array();
            for (const Statement& statement : statements(each, entry.cases, entry.versions)) {
                Json cases = Json::array();
                for (const auto& [id, versions] : statement.cases) {
                    cases.push_back({{"case", id}, {"operators", versions_json(versions)}});
                }
                made.push_back({{"did", statement.text}, {"cases", std::move(cases)}});
            }
            if (made.empty()) continue;
            object["observed"].push_back({{"implementation", each.implementation},
                                          {"version", each.version},
                                          {"date", each.date},
                                          {"statements", std::move(made)}});
        }
        list.push_back(std::move(object));
    }
    return shown_json(Json{{"clarifications", std::move(list)}}) + "\n";
}

/// What the records' implementations did with the cases that entries name; why not on stderr.
/// `complete` becomes false where the records lack something, which is told.
std::optional<std::vector<Observed>> observe_files(const std::vector<std::string>& files,
                                                   const std::vector<Clarification>& entries,
                                                   bool& complete) {
    std::set<std::string, std::less<>> cases;
    for (const Clarification& entry : entries) cases.insert(entry.cases.begin(), entry.cases.end());
    std::vector<std::vector<Record>> runs;
    auto read = read_record_files(files);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return std::nullopt;
    }
    auto& [contents, lacking] = std::get<RecordFiles>(read);
    print_lacking(lacking);
    complete = lacking.empty();
    for (RecordFileContent& content : contents) runs.push_back(std::move(content.records));
    auto observed = observe(runs, cases);
    if (const auto* why = std::get_if<std::string>(&observed)) {
        refuse(*why);
        return std::nullopt;
    }
    auto& found = std::get<0>(observed);
    if (found.empty()) {
        refuse(
            "the records hold no execution of a case that a clarification names; `gathercheck "
            "clarifications --format json` lists these cases");
        return std::nullopt;
    }
    return std::move(found);
}

bool write_file(const fs::path& path, const std::string& text) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (stream) return true;
    refuse("cannot write " + path.generic_string() +
           "; the shipped data must be writable, as in a build tree");
    return false;
}

int update(const Page& page, const fs::path& folder) {
    if (!write_file(folder / observed_file, to_json(page.observed))) return exit_bad_input;
    if (!write_file(folder / "README.md", rendered(page, true))) return exit_bad_input;
    std::printf("%s: %zu clarifications\n", (folder / "README.md").generic_string().c_str(),
                page.entries.size());
    for (const Observed& each : page.observed) {
        std::printf("%s: %s %s (%s), %zu observations\n",
                    (folder / observed_file).generic_string().c_str(),
                    printable(each.implementation).c_str(), printable(each.version).c_str(),
                    printable(each.date).c_str(), each.observations.size());
    }
    return 0;
}

/// The titles of the cases that entries name.
std::map<std::string, std::string, std::less<>> titles_of(const std::vector<Clarification>& entries,
                                                          const std::vector<Case>& cases) {
    std::map<std::string, std::string, std::less<>> titles;
    for (const Clarification& entry : entries) {
        for (const std::string& id : entry.cases) titles.emplace(id, std::string());
    }
    for (const Case& each : cases) {
        const auto found = titles.find(each.id);
        if (found != titles.end()) found->second = each.title;
    }
    return titles;
}

int clarifications_verb(const ClarificationsVerb& options, const LoadedSuite& loaded) {
    const fs::path folder = loaded.installed.cases.parent_path() / "clarifications";
    auto entries = load_clarifications(folder, loaded.suite, loaded.rules);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&entries)) {
        print_problems(*problems);
        return exit_bad_input;
    }
    bool complete = true;
    Page page;
    page.entries = std::get<0>(std::move(entries));
    if (!options.records.empty()) {
        auto now = observe_files(options.records, page.entries, complete);
        if (!now) return exit_bad_input;
        if (!complete && options.update) {
            refuse("the page is written of complete records only; run what is missing");
            return 3;
        }
        page.observed = std::move(*now);
    }
    auto stored = load_observed(folder / observed_file, loaded.suite,
                                options.update ? GoneCases::drop : GoneCases::refuse);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&stored)) {
        print_problems(*problems);
        return exit_bad_input;
    }
    page.observed = updated(std::get<0>(std::move(stored)), std::move(page.observed));
    page.titles = titles_of(page.entries, loaded.suite.cases);
    if (options.update) {
        // What no entry names any more is not kept.
        for (Observed& each : page.observed) {
            std::erase_if(each.observations, [&](const Observation& observation) {
                return !page.titles.contains(observation.case_id);
            });
        }
        return update(page, folder);
    }
    if (!options.ids.empty()) {
        std::erase_if(page.entries, [&](const Clarification& entry) {
            return std::ranges::none_of(options.ids, [&](const std::string& pattern) {
                return matches_pattern(pattern, entry.id);
            });
        });
        if (page.entries.empty()) {
            return refuse("no clarification matches; `gathercheck clarifications` shows all");
        }
    }
    if (options.list) {
        std::vector<std::vector<std::string>> rows;
        for (const Clarification& entry : page.entries) rows.push_back({entry.id, entry.title});
        std::fputs(columns(rows, {most_of_id}).c_str(), stdout);
        return 0;
    }
    const std::string text = options.format == "json"
                                 ? rendered_json(page)
                                 : rendered(page, options.format == "markdown");
    std::fputs(text.c_str(), stdout);
    return complete ? 0 : 3;
}

int clarifications_verb(const ClarificationsVerb& options) {
    if (options.update && !options.ids.empty()) {
        return refuse("--update writes the whole page; leave out the ids");
    }
    const auto loaded = load_suite({});
    return loaded ? clarifications_verb(options, *loaded) : exit_bad_input;
}

}  // namespace

int show_clarification(const std::string& id, const LoadedSuite& loaded) {
    ClarificationsVerb options;
    options.ids = {id};
    return loaded.shipped ? clarifications_verb(options, loaded) : clarifications_verb(options);
}

void add_clarifications_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<ClarificationsVerb>();
    const Verb verb = command.add_verb(
        "clarifications", "What the specifications leave open, and what the suite makes of it");
    verb.add_option("id", options->ids, "Ids, with * and ? (default: every open point)")
        .type_name("ID");
    verb.add_option("--records", options->records,
                    "Records of `gathercheck run --no-known-failures --output FILE`: show what "
                    "their implementations did in place of what is stored; may be repeated")
        .type_name("FILE");
    verb.add_flag("--list", options->list, "Ids and titles alone");
    verb.add_flag("--update", options->update,
                  "Write the page (README.md), and what the records say "
                  "(observed.json), to the shipped data")
        .excludes("--list");
    verb.add_option("--format", options->format, "text, markdown or json")
        .one_of({"text", "markdown", "json"})
        .show_default();
    verb.footer(
        "Examples:\n"
        "  gathercheck clarifications '*out-of-bounds*'\n"
        "  gathercheck clarifications --records run.jsonl --update");
    verb.callback([options, &exit_code] { exit_code = clarifications_verb(*options); });
}

}  // namespace gathercheck
