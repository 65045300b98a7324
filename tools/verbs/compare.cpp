// SPDX-License-Identifier: Apache-2.0
// gathercheck compare: one call, what every operator version says of it, and what engines did.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/documents/clarification.hpp"
#include "conformance/documents/observation.hpp"
#include "conformance/load/derive.hpp"
#include "conformance/model/retype.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/report/report.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/as_taken_by.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/answer_text.hpp"
#include "tools/shared/call_option.hpp"
#include "tools/shared/columns.hpp"
#include "tools/shared/run_output.hpp"
#include "tools/shared/specified.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct CompareVerb {
    std::string id;  ///< of a case; empty: the call of the options
    CallOptions call;
    std::string family;                  ///< of such a call; empty: gather
    std::vector<std::string> operators;  ///< patterns; empty: all of the family
    std::vector<std::string> records;
    std::vector<std::string> implementations;  ///< to be asked now
    std::vector<std::string> cases;
    std::string format = "text";
    double seconds_per_call = 20;
    std::vector<BuiltIn> more;  ///< in-process implementations beside the shipped ones
};

/// Operator versions that say the same.
struct Said {
    std::vector<OperatorVersion> versions;
    std::string word;
    std::string text;
    std::vector<std::string> rules;  ///< of all of them
};

/// What one version says, or why it says nothing.
struct OfVersion {
    OperatorVersion version;
    std::string why_not;  ///< it has no words for the call
    std::string untold;   ///< there is too little memory, or a bug
    std::shared_ptr<const Case> taken;
    std::optional<SpecifiedAnswer> answer;
};

/// What an implementation did with the call, for versions that it treated alike.
struct Did {
    std::string implementation;  ///< with its version
    std::vector<OperatorVersion> versions;
    std::string text;
    std::string got;                 ///< the output in place of an expected one; may be empty
    std::set<std::string> findings;  ///< that known failures name
    std::string source;              ///< "run of 2026-11-25", "known failures of 1.31.*", "now"
};

struct Page {
    const Case* asked = nullptr;
    bool is_case = true;  ///< of the suite: there may be more to know of it
    std::vector<OfVersion> versions;
    std::vector<Said> said;
    std::vector<Did> did;
    std::set<std::string> open_points;
};

// --- what the texts say

/// The versions that are asked for; nothing where a pattern is none of theirs, which is told.
std::optional<std::vector<OperatorVersion>> versions_of(const CompareVerb& options, Family family,
                                                        const Case& asked) {
    std::vector<OperatorVersion> chosen;
    std::vector<std::string> names;
    std::vector<bool> used(options.operators.size());
    for (const OperatorInfo& row : operator_versions()) {
        const bool is_theirs =
            row.family == family || asked.expectation(row.version) != nullptr ||
            (row.family == Family::stablehlo_gather && can_be_stablehlo_gather(asked));
        if (!is_theirs) continue;
        names.emplace_back(row.name);
        bool is_wanted = options.operators.empty();
        for (std::size_t k = 0; k < options.operators.size(); ++k) {
            if (!matches_pattern(options.operators[k], row.name)) continue;
            used[k] = true;
            is_wanted = true;
        }
        if (is_wanted) chosen.push_back(row.version);
    }
    for (std::size_t k = 0; k < used.size(); ++k) {
        if (used[k]) continue;
        refuse("--operator " + options.operators[k] +
               " matches no operator version of the family " + std::string(name(family)) +
               ", of which the call is" + near_names(options.operators[k], names) +
               "; `gathercheck list operators` shows them all");
        return std::nullopt;
    }
    return chosen;
}

/// What each version says; false where equations and reference disagree, which is told.
bool ask_versions(const LoadedSuite& loaded, const std::vector<OperatorVersion>& versions,
                  Page& page) {
    Specified specified(loaded);
    bool is_sound = true;
    for (const OperatorVersion version : versions) {
        OfVersion& each = page.versions.emplace_back();
        each.version = version;
        TakenCase taken = as_taken_by(*page.asked, version);
        each.taken = std::move(taken.taken);
        each.why_not = std::move(taken.why_not);
        if (each.taken == nullptr) continue;
        auto answer = specified.answer(*each.taken, version);
        if (auto* untold = std::get_if<Specified::Untold>(&answer)) {
            each.untold = std::move(untold->why);
            if (!untold->is_bug) continue;
            is_sound = false;
            std::fprintf(stderr,
                         "gathercheck: equations and reference disagree, which is a bug of "
                         "gathercheck: %s: %s\n",
                         std::string(name(version)).c_str(), printable(each.untold).c_str());
            continue;
        }
        each.answer = std::get<SpecifiedAnswer>(std::move(answer));
    }
    for (const OfVersion& each : page.versions) {
        if (!each.answer) continue;
        const std::string text = said_text(*each.answer);
        auto same = std::ranges::find_if(page.said, [&](const Said& said) {
            return said.word == each.answer->word && said.text == text;
        });
        if (same == page.said.end()) {
            same = page.said.insert(same, {{}, each.answer->word, text, {}});
        }
        same->versions.push_back(each.version);
        same->rules.insert(same->rules.end(), each.answer->rules.begin(), each.answer->rules.end());
    }
    return is_sound;
}

// --- what engines did

/// The suite that asks the call of each version: a case each, with what the version says.
Suite suite_of(const Page& page) {
    Suite suite;
    for (const OfVersion& each : page.versions) {
        if (!each.answer || each.taken == nullptr) continue;
        Case asked = *each.taken;
        if (const Expectation* named = each.taken->expectation(each.version)) {
            Expectation only = *named;
            only.versions = {each.version};
            asked.expect = {std::move(only)};
        } else {
            Expectation derived{{each.version}, each.answer->rules, {}, each.answer->why};
            for (const ResolvedAlternative& alternative : each.answer->alternatives) {
                if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
                    derived.alternatives.emplace_back(*error);
                    continue;
                }
                const auto& output = std::get<ResolvedOutput>(alternative);
                TensorSpec spec{output.descriptor, {}};
                if (output.contents) spec.contents = *output.contents;
                derived.alternatives.emplace_back(ExpectedOutput{std::move(spec), output.sha256});
            }
            asked.expect = {std::move(derived)};
        }
        asked.family = family_of(*page.asked);
        asked.id = page.asked->id + "/for=" + std::string(name(each.version));
        asked.control.clear();
        suite.cases.push_back(std::move(asked));
    }
    return suite;
}

/// Asks implementations now; the exit code is that of trouble, if there was any.
int ask_now(const CompareVerb& options, const LoadedSuite& loaded, const Page& page,
            std::vector<Record>& records) {
    const Suite suite = suite_of(page);
    Limits limits;
    limits.seconds_per_call = options.seconds_per_call;
    std::vector<Contender> contenders;
    for (const std::string& name : options.implementations) {
        auto made = make_implementation(name, loaded.installed, limits, options.more);
        if (const auto* why = std::get_if<std::string>(&made)) return refuse(*why);
        Contender contender;
        contender.implementation = std::get<0>(std::move(made));
        contender.retypes = page.is_case;
        contenders.push_back(std::move(contender));
    }
    records.emplace_back(header_of(suite, {}));
    int exit_code = 0;
    const auto record = [&](const Record& one) {
        if (const auto* implementation = std::get_if<ImplementationRecord>(&one);
            implementation != nullptr && implementation->state != "started") {
            std::fprintf(stderr, "gathercheck: %s is %s: %s\n",
                         printable(implementation->name).c_str(), implementation->state.c_str(),
                         printable(implementation->why).c_str());
            exit_code = 3;
        }
        const auto* execution = std::get_if<ExecutionRecord>(&one);
        if (execution == nullptr) return;
        if (execution->verdict == Verdict::broken) {
            std::fprintf(stderr, "gathercheck: %s: %s\n",
                         printable(execution->implementation).c_str(),
                         printable(execution->detail).c_str());
            exit_code = 3;
        }
        ExecutionRecord renamed = *execution;
        renamed.case_id = page.asked->id;
        records.emplace_back(std::move(renamed));
    };
    run(suite, loaded.rules, loaded.equations, contenders, RunOptions{}, record, {});
    return exit_code;
}

std::vector<OperatorVersion> shown_versions(const Page& page) {
    std::vector<OperatorVersion> versions;
    for (const OfVersion& each : page.versions) versions.push_back(each.version);
    return versions;
}

/// Outputs that stood in place of the expected one, by implementation and version.
std::string outputs_of(const std::vector<std::vector<Record>>& runs, const Page& page,
                       const std::string& implementation,
                       const std::vector<OperatorVersion>& versions) {
    std::vector<std::string> outputs;
    for (const auto& records : runs) {
        for (const Record& record : records) {
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || execution->implementation != implementation ||
                id_as_written(execution->case_id) != id_as_written(page.asked->id) ||
                std::ranges::find(versions, execution->operator_version) == versions.end()) {
                continue;
            }
            const std::string got = wrong_output_text(*execution);
            if (!got.empty() && std::ranges::find(outputs, got) == outputs.end()) {
                outputs.push_back(got);
            }
        }
    }
    std::string text;
    for (const std::string& each : outputs) text += (text.empty() ? "" : ", or ") + each;
    return text;
}

void add_observed(const Observed& observed, const std::string& source,
                  const std::vector<std::vector<Record>>& runs, Page& page) {
    const std::vector<std::string> ids{page.asked->id};
    for (const Statement& statement : statements(observed, ids, shown_versions(page))) {
        Did did{
            observed.implementation + " " + observed.version, {}, statement.text, {}, {}, source};
        std::erase(did.text, '`');
        for (const auto& [id, versions] : statement.cases) {
            did.versions.insert(did.versions.end(), versions.begin(), versions.end());
        }
        did.got = outputs_of(runs, page, observed.implementation, did.versions);
        page.did.push_back(std::move(did));
    }
}

/// Records as statements; the exit code is that of trouble, if there was any.
int add_records(const std::vector<std::vector<Record>>& runs, const std::string& source,
                Page& page) {
    auto observed = observe(runs, {page.asked->id});
    if (const auto* why = std::get_if<std::string>(&observed)) return refuse(*why);
    for (const Observed& each : std::get<0>(observed)) {
        add_observed(each, source.empty() ? "run of " + each.date : source, runs, page);
    }
    return 0;
}

/// What the shipped files of known failures have of the case: their findings beside what was
/// observed, and statements of their own of what was not.
void add_known_failures(const std::vector<KnownFailures>& all, const FindingCatalogue& findings,
                        Page& page) {
    for (const KnownFailures& known : all) {
        std::map<std::string, Did> made;  // by what is said
        for (const KnownFailure& entry : known.entries()) {
            if (id_as_written(entry.case_id) != page.asked->id) continue;
            const auto versions = shown_versions(page);
            if (std::ranges::find(versions, entry.version) == versions.end()) continue;
            bool is_observed = false;
            for (Did& did : page.did) {
                const bool is_it =
                    did.implementation.starts_with(known.implementation + " ") &&
                    std::ranges::find(did.versions, entry.version) != did.versions.end();
                if (!is_it) continue;
                is_observed = true;
                if (!entry.finding.empty()) did.findings.insert(entry.finding);
            }
            if (is_observed) continue;
            const Finding* finding = findings.find(entry.finding);
            const std::string text = finding != nullptr ? finding->statement : entry.reason;
            Did& did = made[text];
            did.implementation = known.implementation + " " + known.versions_text();
            did.text = text;
            did.source = "known failures";
            if (finding != nullptr) did.findings.insert(finding->id);
            if (std::ranges::find(did.versions, entry.version) == did.versions.end()) {
                did.versions.push_back(entry.version);
            }
        }
        for (auto& [text, did] : made) {
            std::ranges::sort(did.versions);
            page.did.push_back(std::move(did));
        }
    }
}

/// All that is known of engines; the exit code is that of trouble, if there was any.
int ask_engines(const CompareVerb& options, const LoadedSuite& loaded, Page& page) {
    int exit_code = 0;
    if (!options.records.empty()) {
        auto read = read_record_files(options.records);
        if (const auto* problem = std::get_if<Problem>(&read)) {
            print_problems({*problem});
            return exit_bad_input;
        }
        auto& [files, lacking] = std::get<RecordFiles>(read);
        print_lacking(lacking);
        if (!lacking.empty()) exit_code = 3;
        std::vector<std::vector<Record>> runs;
        for (RecordFileContent& file : files) runs.push_back(std::move(file.records));
        const std::size_t before = page.did.size();
        if (const int code = add_records(runs, {}, page); code != 0) return code;
        if (page.did.size() == before) {
            std::fprintf(stderr,
                         "gathercheck: the records hold no execution of %s for these operator "
                         "versions\n",
                         page.is_case ? ("case " + page.asked->id).c_str() : "that call");
        }
    }
    if (!options.implementations.empty()) {
        std::vector<std::vector<Record>> runs(1);
        const int code = ask_now(options, loaded, page, runs.front());
        if (code == exit_bad_input) return code;
        exit_code = std::max(exit_code, code);
        if (const int bad = add_records(runs, "asked now", page); bad != 0) return bad;
    }
    if (!page.is_case || !loaded.shipped) return exit_code;
    const std::filesystem::path folder = loaded.installed.cases.parent_path() / "clarifications";
    auto stored = load_observed(folder / observed_file, loaded.suite);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&stored)) {
        print_problems(*problems);
        return exit_bad_input;
    }
    for (const Observed& each : std::get<0>(stored)) {
        const bool is_newer_known = std::ranges::any_of(page.did, [&](const Did& did) {
            return did.implementation.starts_with(each.implementation + " ");
        });
        if (!is_newer_known) add_observed(each, "run of " + each.date, {}, page);
    }
    const auto known = load_shipped_known_failures(loaded);
    if (!known) return exit_bad_input;
    add_known_failures(*known, loaded.findings, page);
    return exit_code;
}

// --- words

std::vector<std::pair<std::vector<OperatorVersion>, std::string>> without_words(const Page& page) {
    std::vector<std::pair<std::vector<OperatorVersion>, std::string>> list;
    for (const OfVersion& each : page.versions) {
        if (each.answer) continue;
        const std::string& why = each.untold.empty() ? each.why_not : each.untold;
        auto same = std::ranges::find(list, why, [](const auto& pair) { return pair.second; });
        if (same == list.end()) same = list.insert(same, {{}, why});
        same->first.push_back(each.version);
    }
    return list;
}

std::string did_text(const Did& did) {
    std::string text = did.text;
    if (!did.got.empty()) text += ": " + did.got;
    for (const std::string& finding : did.findings) text += "; finding " + finding;
    return text + " (" + did.source + ")";
}

std::set<std::string> all_rules(const Page& page) {
    std::set<std::string> ids;
    for (const Said& said : page.said) ids.insert(said.rules.begin(), said.rules.end());
    return ids;
}

constexpr std::string_view ask_an_engine =
    "Nothing is recorded of engines here: --implementation NAME asks one now, --records FILE reads "
    "a run.";

std::string compare_text(const Page& page, const RuleCatalogue& rules) {
    std::string text;
    if (page.is_case) {
        text += page.asked->id + "\n" + paragraph(page.asked->title, "") + "\n";
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& [label, value] : call_rows(*page.asked)) rows.push_back({label, value});
    text += columns(rows, {16}) + "\nWhat the texts say\n\n";
    rows.clear();
    for (const Said& said : page.said) {
        rows.push_back({short_names(said.versions), said.word, said.text});
    }
    for (const auto& [versions, why] : without_words(page)) {
        rows.push_back({short_names(versions), "-", why});
    }
    text += columns(rows, {34, 8}) + "\nWhat engines did\n\n";
    rows.clear();
    for (const Did& did : page.did) {
        rows.push_back({did.implementation, short_names(did.versions), did_text(did)});
    }
    text += rows.empty() ? paragraph(ask_an_engine, "  ") : columns(rows, {24, 28});
    if (!all_rules(page).empty()) text += "\nBy these rules\n";
    for (const Said& said : page.said) {
        if (said.rules.empty()) continue;
        text += "\n" + paragraph(short_names(said.versions) + ": " + said.word, "  ") +
                cited_text(cited_rules(said.rules, rules), "    ");
    }
    text += documents_text(all_rules(page), rules);
    if (!page.open_points.empty()) text += "\n";
    for (const std::string& each : page.open_points) text += paragraph(each, "");
    return text;
}

/// A table of Markdown whose cells are safe.
std::string markdown_table(const std::vector<std::string>& head,
                           const std::vector<std::vector<std::string>>& rows) {
    std::string text = "|";
    for (const std::string& cell : head) text += " " + cell + " |";
    text += "\n|";
    for (std::size_t k = 0; k < head.size(); ++k) text += " --- |";
    text += "\n";
    for (const auto& row : rows) {
        text += "|";
        for (const std::string& cell : row) text += " " + in_markdown(cell) + " |";
        text += "\n";
    }
    return text;
}

std::string compare_markdown(const Page& page, const RuleCatalogue& rules) {
    std::string text = page.is_case ? "# " + in_markdown(page.asked->id) + "\n\n" +
                                          in_markdown(page.asked->title) + "\n\n"
                                    : "# A call\n\n";
    for (const auto& [label, value] : call_rows(*page.asked)) {
        text += "- " + in_markdown(label) + ": " + code_in_markdown(value) + "\n";
    }
    std::vector<std::vector<std::string>> rows;
    for (const Said& said : page.said) {
        rows.push_back({short_names(said.versions), said.word, said.text});
    }
    for (const auto& [versions, why] : without_words(page)) {
        rows.push_back({short_names(versions), "-", why});
    }
    text += "\n## What the texts say\n\n" +
            markdown_table({"operator versions", "answer", "what"}, rows) +
            "\n## What engines did\n\n";
    rows.clear();
    for (const Did& did : page.did) {
        rows.push_back({did.implementation, short_names(did.versions), did_text(did)});
    }
    text += rows.empty() ? std::string(ask_an_engine) + "\n"
                         : markdown_table({"engine", "operator versions", "what it did"}, rows);
    if (!all_rules(page).empty()) text += "\n## The rules\n";
    for (const Said& said : page.said) {
        if (said.rules.empty()) continue;
        text += "\n" + in_markdown(short_names(said.versions)) + ", " + in_markdown(said.word) +
                ":\n\n" + cited_markdown(cited_rules(said.rules, rules));
    }
    text += documents_markdown(all_rules(page), rules);
    if (!page.open_points.empty()) text += "\n";
    for (const std::string& each : page.open_points) text += "- " + in_markdown(each) + "\n";
    return text;
}

std::string compare_json(const Page& page, const RuleCatalogue& rules) {
    Json call = Json::object();
    for (const auto& [label, value] : call_rows(*page.asked)) call[label] = value;
    Json said = Json::array();
    for (const OfVersion& each : page.versions) {
        Json one{{"operator", name(each.version)}};
        if (each.answer) {
            one.update(said_json(*each.answer));
            one["rules"] = rules_json(each.answer->rules, rules);
        } else {
            one["says"] = each.untold.empty() ? "no words" : "not told";
            one["why"] = each.untold.empty() ? each.why_not : each.untold;
        }
        said.push_back(std::move(one));
    }
    Json engines = Json::array();
    for (const Did& did : page.did) {
        Json operators = Json::array();
        for (const OperatorVersion version : did.versions) operators.push_back(name(version));
        Json one{{"implementation", did.implementation},
                 {"operators", std::move(operators)},
                 {"did", did.text},
                 {"source", did.source}};
        if (!did.got.empty()) one["output"] = did.got;
        if (!did.findings.empty()) one["findings"] = did.findings;
        engines.push_back(std::move(one));
    }
    Json object = Json::object();
    if (page.is_case) {
        object["case"] = page.asked->id;
        object["title"] = page.asked->title;
    }
    object["call"] = std::move(call);
    object["operators"] = std::move(said);
    object["engines"] = std::move(engines);
    object["open_points"] = page.open_points;
    return shown_json(object) + "\n";
}

// --- the verb

std::optional<Family> family_named(const std::string& word) {
    for (const Family family : families()) {
        if (name(family) == word) return family;
    }
    return std::nullopt;
}

std::string family_words() {
    std::string text;
    for (const Family family : families()) {
        text += (text.empty() ? "" : ", ") + std::string(name(family));
    }
    return text;
}

bool has_words(const Page& page) {
    return std::ranges::any_of(page.versions,
                               [](const OfVersion& each) { return each.taken != nullptr; });
}

int compare(const CompareVerb& options, const LoadedSuite& loaded, const Case& asked, bool is_case,
            Family family) {
    const auto versions = versions_of(options, family, asked);
    if (!versions) return exit_bad_input;
    Page page;
    page.asked = &asked;
    page.is_case = is_case;
    int exit_code = ask_versions(loaded, *versions, page) ? 0 : 3;
    if (!has_words(page)) {
        std::string why;
        for (const auto& [without, reason] : without_words(page)) {
            why += (why.empty() ? "" : "; ") + short_names(without) + ": " + reason;
        }
        return refuse("no operator version of the family " + std::string(name(family)) +
                      " that is asked for has words for the call: " + why +
                      "; leave that out, or name another family by --family");
    }
    const int trouble = ask_engines(options, loaded, page);
    if (trouble == exit_bad_input) return trouble;
    exit_code = std::max(exit_code, trouble);
    const auto clarifications = load_shipped_clarifications(loaded);
    if (!clarifications) return exit_bad_input;
    for (const OfVersion& each : page.versions) {
        if (!each.answer) continue;
        for (const Clarification* point :
             open_points(*clarifications, asked, each.version, each.answer->rules, loaded.rules)) {
            page.open_points.insert(open_point_text(*point));
        }
    }
    const std::string text = options.format == "json"       ? compare_json(page, loaded.rules)
                             : options.format == "markdown" ? compare_markdown(page, loaded.rules)
                                                            : compare_text(page, loaded.rules);
    std::fputs(text.c_str(), stdout);
    return exit_code;
}

int compare_verb(const CompareVerb& options) {
    const bool has_call = options.call.is_given();
    if (options.id.empty() != has_call) {
        return refuse(has_call ? "a call is given by a case or by --data and --indices; leave out "
                                 "one of the two"
                               : "there is no call: name a case, or give one by --data "
                                 "'f32[3,2]' --indices 3,0");
    }
    if (!options.family.empty() && !has_call) {
        return refuse("case " + options.id + " has its family; --family is for a call of --data");
    }
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    if (!has_call) {
        const Case* found = loaded->suite.retyped.find(CasesById(loaded->suite.cases), options.id);
        if (found == nullptr) {
            std::vector<std::string> names;
            for (const Case& each : loaded->suite.cases) names.push_back(each.id);
            return refuse("there is no case '" + options.id + "'" + near_names(options.id, names) +
                          "; `gathercheck list` shows what there is, and --data and --indices "
                          "give a call of your own");
        }
        return compare(options, *loaded, *found, true, *family_of(*found));
    }
    const auto family =
        options.family.empty() ? std::optional(Family::gather) : family_named(options.family);
    if (!family) {
        return refuse("there is no family '" + options.family + "'; write one of " +
                      family_words());
    }
    const auto made = call_of(options.call, *family, loaded->rules);
    if (const auto* why = std::get_if<std::string>(&made)) return refuse(*why);
    const Case& call = std::get<Case>(made);
    if (const Case* same = case_of_call(call, *family, loaded->suite)) {
        std::fprintf(stderr, "gathercheck: this is the call of case %s\n", same->id.c_str());
        return compare(options, *loaded, *same, true, *family);
    }
    return compare(options, *loaded, call, false, *family);
}

}  // namespace

void add_compare_verb(const Verb& command, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<CompareVerb>();
    options->more = line.more;
    const Verb verb = command.add_verb(
        "compare", "One call: what every operator version says of it, and what engines did");
    verb.add_option("case", options->id, "Case id, as `gathercheck list` shows it")
        .type_name("CASE");
    add_call_options(verb, options->call);
    verb.add_option("--family", options->family,
                    "Of the call of --data: " + family_words() + " (default: gather)")
        .type_name("FAMILY");
    verb.add_option("--operator", options->operators,
                    "Operator version, with * and ? (default: all of the family); may be repeated")
        .one_value_each()
        .type_name("PATTERN");
    verb.add_option("--records", options->records,
                    "Records of `gathercheck run --output FILE`: what their implementations did; "
                    "may be repeated")
        .type_name("FILE");
    verb.add_option("--implementation", options->implementations,
                    "Ask this implementation now, as for run; may be repeated")
        .one_value_each()
        .type_name("NAME");
    verb.add_option("--time-limit", options->seconds_per_call, "Seconds that one call may take")
        .in(seconds_allowed)
        .show_default();
    add_cases(verb, options->cases);
    verb.add_option("--format", options->format,
                    "text, json (conformance/schemas/comparison.schema.json) or markdown")
        .one_of({"text", "json", "markdown"})
        .show_default();
    verb.footer(
        "Examples:\n"
        "  gathercheck compare gather-index-one-past-the-end\n"
        "  gathercheck compare --data 'f32[3,2]' --indices 3,0 --axis 0 --implementation "
        "onnxruntime\n"
        "  gathercheck compare --data 'f32[2,3]' --indices 'i64[2,1]=0,1' --family "
        "gather_elements --operator 'onnx.*'\n\n"
        "Of a case each version that it names says what the case expects. Of any other version, "
        "and "
        "of a call of your own,\n"
        "equations and reference say what the output is, and must agree; where cases like it are "
        "open, so is it (\"as in case\").\n"
        "What engines did is what was recorded with the suite, unless --records or "
        "--implementation say it anew.\n\n"
        "Exit code: 0 compared, whatever it shows; 3 trouble of the harness or an adapter, "
        "incomplete records, or\n"
        "equations and reference that disagree; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = compare_verb(*options); });
}

}  // namespace gathercheck
