// SPDX-License-Identifier: Apache-2.0
// gathercheck coverage: which rules the cases test, what their calls really exercise, and whether
// the catalogue still says what the documents say.
#include <algorithm>
#include <chrono>
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

#include "conformance/documents/coverage.hpp"
#include "conformance/documents/document.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/select/select.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/ask_reference.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct CoverageVerb {
    std::vector<std::string> cases;
    std::vector<std::string> filters;    ///< operator=PATTERN only
    std::vector<std::string> documents;  ///< no, one or two folders
    std::string format = "text";
};

using Object = nlohmann::ordered_json;

// --- documents

/// One folder of documents against the catalogue.
struct Folder {
    std::string name;
    bool exists = false;
    std::vector<DocumentFile> files;
    std::set<std::string> unknown;  ///< files of no document

    /// The different units of a document in their order; none where it has no file here.
    std::vector<Unit> units_of(const std::string& document) const {
        std::vector<Unit> units;
        std::set<std::string_view> seen;
        for (const DocumentFile& file : files) {
            if (file.document != document) continue;
            for (const Unit& unit : file.units) {
                if (seen.insert(unit.sha256).second) units.push_back(unit);
            }
        }
        return units;
    }
};

struct StaleRule {
    const Rule* rule;
    std::string file;
    Sentence sentence;
};
struct StrangeUnit {
    std::string file;
    std::string document;
    Unit unit;
};
struct StaleInformative {
    std::string document;
    std::string sha256;
    std::string reason;
};

struct DocumentReport {
    std::set<std::string> documents;  ///< those with a file in the folder
    std::set<std::string> present;    ///< ids of rules
    std::vector<StaleRule> stale;
    std::vector<StrangeUnit> unaccounted;
    std::vector<StaleInformative> stale_informative;
};

DocumentReport against_catalogue(const Folder& folder, const KnownUnits& known,
                                 const std::vector<InformativeUnit>& informative,
                                 const std::set<std::string>& wanted) {
    DocumentReport report;
    std::set<std::string> stale;
    for (const DocumentFile& file : folder.files) {
        if (!wanted.contains(file.document)) continue;
        report.documents.insert(file.document);
        std::set<std::string, std::less<>> digests;
        const auto& of_document = known.at(file.document);
        for (const Unit& unit : file.units) {
            const bool is_new = digests.insert(unit.sha256).second;
            if (is_new && !of_document.contains(unit.sha256)) {
                report.unaccounted.push_back({file.path, file.document, unit});
            }
        }
        for (const auto& entry : of_document) {
            const std::string& digest = entry.first;
            for (const Rule* rule : entry.second) {
                if (digests.contains(digest)) {
                    report.present.insert(rule->id);
                } else {
                    stale.insert(rule->id);
                    const auto all = sentences(*rule);
                    const auto gone = std::ranges::find_if(all, [&](const Sentence& sentence) {
                        return sentence.document == file.document && sentence.sha256 == digest;
                    });
                    report.stale.push_back({rule, file.path, *gone});
                }
            }
        }
    }
    for (const std::string& id : stale) report.present.erase(id);
    std::map<std::string, std::set<std::string>> occurring;
    for (const DocumentFile& file : folder.files) {
        for (const Unit& unit : file.units) occurring[file.document].insert(unit.sha256);
    }
    for (const InformativeUnit& unit : informative) {
        if (report.documents.contains(unit.document) &&
            !occurring.at(unit.document).contains(unit.sha256)) {
            report.stale_informative.push_back({unit.document, unit.sha256, unit.reason});
        }
    }
    return report;
}

/// A unit that one revision of a document has and the other has not.
struct Change {
    std::string document;
    bool added = false;
    std::string text;
    std::string sha256;
    std::vector<std::string> rules;
    std::vector<std::string> cases;
};

std::vector<std::string> cases_of(const Suite& suite, const std::vector<std::string>& rules) {
    std::vector<std::string> cases;
    for (const Case& tested : suite.cases) {
        const bool touched = std::ranges::any_of(tested.expect, [&](const Expectation& each) {
            return std::ranges::any_of(each.rules, [&](const std::string& id) {
                return std::ranges::find(rules, id) != rules.end();
            });
        });
        const std::string id = family_id(tested);
        if (touched && std::ranges::find(cases, id) == cases.end()) cases.push_back(id);
    }
    return cases;
}

/// Units that only one of two revisions has, in the order of the documents: what came in the place
/// of a removed unit follows it.
std::vector<Change> changes_between(const Folder& before, const Folder& after,
                                    const KnownUnits& known, const Suite& suite,
                                    const std::set<std::string>& wanted) {
    std::vector<Change> changes;
    for (const auto& entry : known) {
        // Named, since clang 14 cannot capture a structured binding.
        const auto& document = entry.first;
        const auto& of_document = entry.second;
        if (!wanted.contains(document)) continue;
        const std::vector<Unit> old_units = before.units_of(document);
        const std::vector<Unit> new_units = after.units_of(document);
        std::set<std::string_view> in_old;
        std::set<std::string_view> in_new;
        for (const Unit& unit : old_units) in_old.insert(unit.sha256);
        for (const Unit& unit : new_units) in_new.insert(unit.sha256);
        const auto add = [&](const Unit& unit, bool added) {
            Change change{document, added, unit.text, unit.sha256, {}, {}};
            if (const auto found = of_document.find(unit.sha256); found != of_document.end()) {
                for (const Rule* rule : found->second) change.rules.push_back(rule->id);
            }
            if (!change.rules.empty()) change.cases = cases_of(suite, change.rules);
            changes.push_back(std::move(change));
        };
        std::size_t next = 0;
        const auto add_new_before = [&](std::size_t end) {
            for (; next < end; ++next) {
                if (!in_old.contains(new_units[next].sha256)) add(new_units[next], true);
            }
        };
        for (const Unit& unit : old_units) {
            if (in_new.contains(unit.sha256)) {
                const auto same = std::ranges::find(new_units, unit.sha256, &Unit::sha256);
                add_new_before(static_cast<std::size_t>(same - new_units.begin()));
            } else {
                add(unit, false);
            }
        }
        add_new_before(new_units.size());
    }
    return changes;
}

// --- output

std::string listed(const std::vector<std::string>& words, std::size_t most) {
    std::string text;
    for (std::size_t k = 0; k < std::min(most, words.size()); ++k) {
        text += (k == 0 ? "" : ", ") + words[k];
    }
    if (words.size() > most) text += " and " + std::to_string(words.size() - most) + " more";
    return text;
}

long long shown(std::int64_t count) { return static_cast<long long>(count); }

void print_versions(const Coverage& coverage) {
    std::printf("%-26s %8s %8s %6s %7s %9s %11s\n", "operator version", "written", "swept", "rules",
                "tested", "untested", "untestable");
    VersionCoverage sum{};
    const auto print = [](const char* label, const VersionCoverage& row) {
        std::printf("%-26s %8lld %8lld %6lld %7lld %9lld %11lld\n", label, shown(row.hand_written),
                    shown(row.swept), shown(row.rules), shown(row.tested), shown(row.untested),
                    shown(row.untestable));
    };
    for (const VersionCoverage& row : coverage.versions) {
        print(std::string(name(row.version)).c_str(), row);
        sum.hand_written += row.hand_written;
        sum.swept += row.swept;
        sum.rules += row.rules;
        sum.tested += row.tested;
        sum.untested += row.untested;
        sum.untestable += row.untestable;
    }
    print("all", sum);
    for (const RuleCoverage& rule : coverage.rules) {
        if (rule.status != RuleStatus::untestable) continue;
        std::printf("untestable: %s: %s\n", rule.rule->id.c_str(), rule.rule->untestable.c_str());
    }
}

void print_documents(const Folder& folder, const DocumentReport& report) {
    if (!folder.exists) {
        std::printf("documents in %s: the folder is not there; nothing compared\n",
                    folder.name.c_str());
        return;
    }
    std::printf(
        "documents in %s: %zu files, %zu of a document of the catalogue (%zu documents): %zu rules "
        "present, %zu stale, %zu units unaccounted for\n",
        folder.name.c_str(), folder.files.size(), folder.files.size() - folder.unknown.size(),
        report.documents.size(), report.present.size(), report.stale.size(),
        report.unaccounted.size());
    if (!folder.unknown.empty()) {
        std::printf("  of no document: %s\n",
                    listed({folder.unknown.begin(), folder.unknown.end()}, 10).c_str());
    }
}

void print_changes(const Folder& before, const Folder& after, const std::vector<Change>& changes) {
    std::printf("from %s to %s: %zu units changed\n", before.name.c_str(), after.name.c_str(),
                changes.size());
    for (const Change& change : changes) {
        std::printf("%s %s: %s\n", change.added ? "+" : "-", change.document.c_str(),
                    printable(change.text).c_str());
        if (change.rules.empty()) continue;
        std::printf("    rules: %s\n", listed(change.rules, change.rules.size()).c_str());
        std::printf("    cases (%zu): %s\n", change.cases.size(), listed(change.cases, 8).c_str());
    }
}

/// Every disagreement of one folder with the catalogue.
std::vector<Problem> document_problems(const Folder& folder, const DocumentReport& report) {
    std::vector<Problem> problems;
    const std::filesystem::path base(folder.name);
    const auto add = [&](const std::string& file, std::string reason) {
        problems.push_back(
            {(file.empty() ? base : base / file).generic_string(), "", std::move(reason)});
    };
    for (const StaleRule& stale : report.stale) {
        const Sentence& sentence = stale.sentence;
        add(stale.file, "rule " + stale.rule->id + " is stale: no unit of this file of " +
                            sentence.document + " (section " + sentence.section +
                            ") has its hash " + sentence.sha256.substr(0, 12));
    }
    for (const StrangeUnit& strange : report.unaccounted) {
        add(strange.file, "this unit of " + strange.document +
                              " is neither a rule's nor informative: " +
                              in_quotes(strange.unit.text) + " (" + strange.unit.sha256 + ")");
    }
    for (const StaleInformative& stale : report.stale_informative) {
        add("", "the informative unit " + stale.sha256.substr(0, 12) + " of " + stale.document +
                    " (" + stale.reason + ") is stale: it occurs in no file of the document");
    }
    return problems;
}

Object to_json(const RuleCoverage& rule, const std::optional<DocumentReport>& documents) {
    Object object{
        {"id", rule.rule->id},
        {"operator", std::string(name(rule.rule->version))},
        {"status", std::string(name(rule.status))},
        {"positive", rule.positive},
        {"negative", rule.negative},
        {"beside", rule.beside},
        {"calls_kept", rule.kept},
        {"calls_broken", rule.broken},
    };
    if (!rule.rule->untestable.empty()) object["untestable"] = rule.rule->untestable;
    if (const std::string lack = missing(rule); !lack.empty()) object["missing"] = lack;
    if (documents && !rule.rule->sha256.empty()) {
        const bool stale = std::ranges::any_of(
            documents->stale, [&](const StaleRule& one) { return one.rule == rule.rule; });
        object["sentence"] = stale                                        ? "stale"
                             : documents->present.contains(rule.rule->id) ? "present"
                                                                          : "no document";
    }
    return object;
}

Object to_json(const VersionCoverage& version) {
    return {{"operator", std::string(name(version.version))},
            {"hand_written_cases", version.hand_written},
            {"swept_cases", version.swept},
            {"rules", version.rules},
            {"tested", version.tested},
            {"untested", version.untested},
            {"untestable", version.untestable}};
}

Object to_json(const Folder& folder, const DocumentReport& report) {
    Object object{{"folder", folder.name}, {"exists", folder.exists}};
    object["files"] = Object::array();
    for (const DocumentFile& file : folder.files) {
        Object entry{{"file", file.path}, {"document", nullptr}, {"units", file.units.size()}};
        if (!file.document.empty()) entry["document"] = file.document;
        object["files"].push_back(std::move(entry));
    }
    object["present"] = report.present;
    object["stale"] = Object::array();
    for (const StaleRule& stale : report.stale) {
        object["stale"].push_back(
            {{"rule", stale.rule->id}, {"file", stale.file}, {"sha256", stale.sentence.sha256}});
    }
    object["unaccounted"] = Object::array();
    for (const StrangeUnit& strange : report.unaccounted) {
        object["unaccounted"].push_back({{"file", strange.file},
                                         {"document", strange.document},
                                         {"sha256", strange.unit.sha256},
                                         {"text", printable(strange.unit.text)}});
    }
    object["stale_informative"] = Object::array();
    for (const StaleInformative& stale : report.stale_informative) {
        object["stale_informative"].push_back(
            {{"document", stale.document}, {"sha256", stale.sha256}, {"reason", stale.reason}});
    }
    return object;
}

Object to_json(const Change& change) {
    return {{"document", change.document}, {"change", change.added ? "added" : "removed"},
            {"sha256", change.sha256},     {"text", printable(change.text)},
            {"rules", change.rules},       {"cases", change.cases}};
}

// --- the verb

/// The versions that the filter's operator terms name; the text is why it cannot be used.
std::variant<std::vector<OperatorVersion>, std::string> selected_versions(
    const std::vector<std::string>& terms) {
    auto parsed = parse_filter(terms);
    if (const auto* why = std::get_if<std::string>(&parsed)) return *why;
    const Filter& filter = std::get<Filter>(parsed);
    if (filter.operators.size() != terms.size()) {
        return "coverage counts whole operator versions; write --filter operator=PATTERN";
    }
    std::vector<OperatorVersion> versions;
    for (const OperatorInfo& row : operator_versions()) {
        if (terms.empty() || std::ranges::any_of(filter.operators, [&](const std::string& pattern) {
                return matches_pattern(pattern, row.name);
            })) {
            versions.push_back(row.version);
        }
    }
    if (versions.empty()) {
        return "no operator version matches; `gathercheck list operators` shows them all";
    }
    return versions;
}

std::optional<Folder> read_folder(const std::string& path, const KnownUnits& known) {
    Folder folder;
    folder.name = path;
    std::error_code error;
    folder.exists = std::filesystem::is_directory(path, error);
    if (!folder.exists) return folder;
    auto files = read_documents(path, known);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&files)) {
        print_problems(*problems);
        return std::nullopt;
    }
    folder.files = std::get<std::vector<DocumentFile>>(std::move(files));
    for (const DocumentFile& file : folder.files) {
        if (file.document.empty()) folder.unknown.insert(file.path);
    }
    return folder;
}

Measured measure(const Call& call, bool describe) {
    const Outcome outcome = ask_reference(call, describe);
    return {exercised(call), std::holds_alternative<ValueOutcome>(outcome) ||
                                 std::holds_alternative<DescriptorOutcome>(outcome)};
}

/// What there is to print of coverage, and of the folders of documents if any were given.
struct CoverageFound {
    Coverage coverage;
    std::vector<Folder> folders;
    std::vector<DocumentReport> reports;         ///< one for each folder
    std::optional<std::vector<Change>> changes;  ///< from the first folder to the second
    std::vector<Problem> problems;
};

/// Reads the folders and compares them with the catalogue of rules, or with one another. Nothing
/// where a folder cannot be taken; then why is printed.
bool compare_documents(const std::vector<std::string>& paths, const LoadedSuite& loaded,
                       const std::vector<InformativeUnit>& units,
                       const std::set<std::string>& wanted, CoverageFound& found) {
    const KnownUnits known = known_units(loaded.rules, units);
    for (const std::string& path : paths) {
        auto folder = read_folder(path, known);
        if (!folder) return false;
        if (folder->exists && folder->files.empty()) {
            refuse("the folder " + path +
                   " holds no document; name the folder of the specifications' texts");
            return false;
        }
        found.reports.push_back(against_catalogue(*folder, known, units, wanted));
        found.folders.push_back(std::move(*folder));
    }
    // Of two revisions one differs from the catalogue by its nature: that is the report, no
    // problem.
    if (found.folders.size() == 1) {
        const auto problems = document_problems(found.folders.front(), found.reports.front());
        found.problems.insert(found.problems.end(), problems.begin(), problems.end());
    } else if (found.folders.size() == 2 && found.folders[0].exists && found.folders[1].exists) {
        found.changes =
            changes_between(found.folders[0], found.folders[1], known, loaded.suite, wanted);
    }
    return true;
}

void print_json(const CoverageFound& found, const LoadedSuite& loaded, int exit_code) {
    Object object{{"exit_code", exit_code}, {"suite_hash", loaded.suite.hash}};
    object["operators"] = Object::array();
    for (const VersionCoverage& row : found.coverage.versions) {
        object["operators"].push_back(to_json(row));
    }
    object["rules"] = Object::array();
    const auto report = found.reports.size() == 1 && found.folders.front().exists
                            ? std::optional(found.reports.front())
                            : std::nullopt;
    for (const RuleCoverage& rule : found.coverage.rules) {
        object["rules"].push_back(to_json(rule, report));
    }
    object["documents"] = Object::array();
    for (std::size_t k = 0; k < found.folders.size(); ++k) {
        object["documents"].push_back(to_json(found.folders[k], found.reports[k]));
    }
    if (found.changes) {
        object["changes"] = Object::array();
        for (const Change& change : *found.changes) object["changes"].push_back(to_json(change));
    }
    object["problems"] = Object::array();
    for (const Problem& problem : found.problems) object["problems"].push_back(to_string(problem));
    std::printf("%s\n", object.dump(2).c_str());
}

/// The documents that cite rules of these versions.
std::set<std::string> documents_of(const RuleCatalogue& rules,
                                   const std::vector<OperatorVersion>& versions) {
    std::set<std::string> documents;
    for (const auto& [id, rule] : rules.rules()) {
        if (std::ranges::find(versions, rule.version) == versions.end()) continue;
        for (const Sentence& sentence : sentences(rule)) documents.insert(sentence.document);
    }
    return documents;
}

/// 1 where a rule lacks a case, a claim does not hold, or the documents differ from the catalogue.
int coverage_verb(const CoverageVerb& options) {
    const auto begin = std::chrono::steady_clock::now();
    const auto versions = selected_versions(options.filters);
    if (const auto* why = std::get_if<std::string>(&versions)) return refuse(*why);
    const auto& wanted_versions = std::get<std::vector<OperatorVersion>>(versions);
    if (options.documents.size() > 2) {
        return refuse("--documents takes one folder, or two to compare; write at most two");
    }
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    const auto informative = load_informative(loaded->installed.rules / "informative.json");
    if (const auto* problems = std::get_if<std::vector<Problem>>(&informative)) {
        print_problems(*problems);
        return exit_bad_input;
    }

    CoverageFound found;
    found.coverage = cover(loaded->suite, loaded->rules, wanted_versions, measure);
    found.problems = std::exchange(found.coverage.problems, {});
    for (const RuleCoverage& rule : found.coverage.rules) {
        const std::string lack = missing(rule);
        if (lack.empty()) continue;
        const auto file =
            loaded->installed.rules / (std::string(name(rule.rule->version)) + ".json");
        found.problems.push_back(
            {file.generic_string(), "", "rule " + rule.rule->id + ": " + lack});
    }
    if (!compare_documents(options.documents, *loaded,
                           std::get<std::vector<InformativeUnit>>(informative),
                           documents_of(loaded->rules, wanted_versions), found)) {
        return exit_bad_input;
    }

    print_problems(found.problems);
    const int exit_code = found.problems.empty() ? 0 : 1;
    if (options.format == "json") {
        print_json(found, *loaded, exit_code);
        return exit_code;
    }
    print_versions(found.coverage);
    for (std::size_t k = 0; k < found.folders.size(); ++k) {
        print_documents(found.folders[k], found.reports[k]);
    }
    if (found.changes) print_changes(found.folders[0], found.folders[1], *found.changes);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    std::printf("%zu rules: %s, %.1f s\n", found.coverage.rules.size(),
                found.problems.empty()
                    ? "every rule that can be tested is, and every claim holds"
                    : (std::to_string(found.problems.size()) + " problems").c_str(),
                taken.count());
    return exit_code;
}

}  // namespace

void add_coverage_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<CoverageVerb>();
    const Verb verb = command.add_verb(
        "coverage", "Rules against cases, against what really runs, and against the documents");
    verb.add_option("--documents", options->documents,
                    "Folder of the specifications' texts: which sentences are stale or without a "
                    "rule; given twice: what changed from the first to the second")
        .type_name("FOLDER");
    add_cases(verb, options->cases);
    verb.add_option("--filter", options->filters, "operator=PATTERN; may be repeated")
        .type_name("TERM");
    add_format(verb, options->format);
    verb.footer(
        "Examples:\n"
        "  gathercheck coverage --documents specifications\n"
        "  gathercheck coverage --filter 'operator=onnx.Gather-*' --format json\n"
        "  gathercheck coverage --documents last_year --documents today\n\n"
        "Exit code: 0 every rule is tested and every claim holds; 1 not so; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = coverage_verb(*options); });
}

}  // namespace gathercheck
