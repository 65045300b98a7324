// SPDX-License-Identifier: Apache-2.0
#include "tools/page/page_data.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "conformance/model/retype.hpp"
#include "conformance/model/routes.hpp"
#include "conformance/records/recorded_answer_json.hpp"
#include "conformance/records/unclaimed.hpp"
#include "conformance/report/report.hpp"
#include "conformance/select/as_taken_by.hpp"
#include "conformance/util/subprocess.hpp"
#include "tools/page/call_figure.hpp"
#include "tools/shared/operator_table.hpp"

namespace gathercheck {
namespace {

/// Of a reproducer that is longer only the name is told.
constexpr std::size_t longest_program = std::size_t{1} << 16;

/// Things that are told once and then meant by their number.
template <class Key, class Hash = std::hash<Key>>
class Numbers {
public:
    /// The number of a key, and whether it is new.
    std::pair<std::int64_t, bool> number(const Key& key) {
        const auto [place, is_new] = numbers_.emplace(key, std::ssize(numbers_));
        return {place->second, is_new};
    }

private:
    std::unordered_map<Key, std::int64_t, Hash> numbers_;
};

/// What an implementation did with one call, by all routes with the same result.
struct Answer {
    const ExecutionRecord* record = nullptr;  ///< by the first of the routes
    const RunRecord* run = nullptr;
    std::uint32_t routes = 0;  ///< bits, as in `Collected::routes`
};

bool are_alike(const ExecutionRecord& a, const ExecutionRecord& b) {
    if (a.verdict == Verdict::pass && b.verdict == Verdict::pass) return true;
    const auto told = [](const ExecutionRecord& record) {
        return std::tie(record.verdict, record.failure, record.outcome, record.classification,
                        record.category, record.phase, record.answer, record.detail, record.reason,
                        record.finding, record.rules);
    };
    return told(a) == told(b) && a.got == b.got;
}

/// True where a reader looks at the case for it.
bool is_notable(const ExecutionRecord& record) {
    return is_looked_at(record.verdict) || lacked_memory(record);
}

/// The executions of records, by call.
class Collected {
public:
    explicit Collected(const PageSources& sources) {
        for (const OperatorInfo& row : operator_versions()) {
            for (const Route& route : gathercheck::routes(row.version)) add_route(route);
        }
        for (const RecordFileContent& file : sources.files) {
            const RunRecord* run = nullptr;
            for (const Record& record : file.records) {
                if (const auto* header = std::get_if<RunRecord>(&record)) run = header;
                const auto* execution = std::get_if<ExecutionRecord>(&record);
                if (execution == nullptr || (!sources.implementation.empty() &&
                                             execution->implementation != sources.implementation)) {
                    continue;
                }
                add(*execution, run);
            }
        }
    }

    struct OfCase {
        bool notable = false;
        /// By operator version and implementation.
        std::map<std::pair<OperatorVersion, std::int64_t>, std::vector<Answer>> answers;
    };

    const std::map<std::string_view, OfCase>& cases() const { return cases_; }
    const std::vector<Route>& routes() const { return routes_; }
    /// Names and versions.
    const std::vector<std::pair<std::string, std::string>>& implementations() const {
        return implementations_;
    }
    using Counts = std::array<std::int64_t, verdict_count>;
    const std::map<std::pair<std::int64_t, OperatorVersion>, Counts>& counts() const {
        return counts_;
    }

private:
    std::size_t add_route(const Route& route) {
        const auto found = std::ranges::find(routes_, route);
        if (found != routes_.end()) return static_cast<std::size_t>(found - routes_.begin());
        routes_.push_back(route);
        return routes_.size() - 1;
    }

    std::int64_t implementation_of(const ExecutionRecord& record) {
        if (last_ >= 0) {
            const auto& [name, version] = implementations_[static_cast<std::size_t>(last_)];
            if (name == record.implementation && version == record.version) return last_;
        }
        const std::pair key(record.implementation, record.version);
        const auto found = std::ranges::find(implementations_, key);
        last_ = found - implementations_.begin();
        if (found == implementations_.end()) implementations_.push_back(key);
        return last_;
    }

    void add(const ExecutionRecord& record, const RunRecord* run) {
        const std::int64_t implementation = implementation_of(record);
        ++counts_[{implementation, record.operator_version}]
                 [static_cast<std::size_t>(record.verdict)];
        OfCase& of_case = cases_[record.case_id];
        of_case.notable = of_case.notable || is_notable(record);
        auto& answers = of_case.answers[{record.operator_version, implementation}];
        const auto alike = std::ranges::find_if(
            answers, [&](const Answer& other) { return are_alike(*other.record, record); });
        Answer& answer = alike == answers.end() ? answers.emplace_back() : *alike;
        if (answer.record == nullptr) answer = {&record, run, 0};
        answer.routes |= std::uint32_t{1} << add_route(record.route);
    }

    std::vector<Route> routes_;
    std::vector<std::pair<std::string, std::string>> implementations_;
    std::int64_t last_ = -1;
    std::map<std::pair<std::int64_t, OperatorVersion>, Counts> counts_;
    std::map<std::string_view, OfCase> cases_;
};

/// The text of a file of at most longest_program bytes; empty where there is none.
std::string program_text(const std::filesystem::path& file) {
    const auto text = read_file(file, longest_program);
    const auto* read = std::get_if<std::string>(&text);
    return read == nullptr ? std::string() : *read;
}

/// An answer as the page draws it: as records have it, and as text where they are of schema 1.
Json answer_json(const RecordedAnswer& answer) {
    if (!answer.text.empty()) return {{"text", answer.text}};
    return to_json(answer);
}

Json counts_json(const std::array<std::int64_t, verdict_count>& counts) {
    Json json = Json::object();
    for (std::size_t k = 0; k < counts.size(); ++k) {
        if (counts[k] != 0) json[std::string(name(static_cast<Verdict>(k)))] = counts[k];
    }
    return json;
}

class PageData {
public:
    explicit PageData(PageSources sources) : sources_(std::move(sources)), collected_(sources_) {}

    Json made() {
        Json page{{"format", page_format}};
        add_conclusion(page);
        add_implementations(page);
        add_versions(page);
        add_rules(page);
        add_cases(page);
        add_findings(page);
        add_clarifications(page);
        add_map(page);
        page["bench"] = std::move(sources_.supplements.bench);
        page["changes"] = std::move(sources_.supplements.changes);
        page["history"] = std::move(sources_.supplements.history);
        page["outcomes"] = std::move(outcomes_);
        page["repeats"] = std::move(repeats_);
        return page;
    }

private:
    // --- the run --------------------------------------------------------------------------------

    void add_conclusion(Json& page) {
        const Tally& tally = sources_.data.tally();
        page["conclusion"] = {{"text", conclusion(tally)},
                              {"exit", tally.exit_code()},
                              {"partial", tally.partial()},
                              {"lacking", tally.lacking()}};
        page["runs"] = Json::array();
        bool same_suite = true;
        for (const RunResults& results : sources_.data.runs()) {
            const RunRecord& run = results.run;
            Json one{{"suite", run.suite_version},
                     {"hash", run.suite_hash},
                     {"cases", run.cases},
                     {"tool", run.tool_version}};
            put_text(one, "started", run.started);
            put_text(one, "cpu", run.cpu);
            put_text(one, "system", run.system);
            put_text(one, "distribution", run.distribution);
            std::string command;
            for (const std::string& word : run.command) {
                command += (command.empty() ? "" : " ") + shell_word(word);
            }
            put_text(one, "command", command);
            if (run.settings) put_text(one, "part", options_for_part(*run.settings));
            if (results.end) {
                one["executions"] = results.end->executions;
                one["seconds"] = results.end->seconds;
                if (results.end->partial) one["partial"] = true;
            } else {
                one["partial"] = true;
            }
            page["runs"].push_back(std::move(one));
            same_suite = same_suite && run.suite_hash == sources_.loaded.suite.hash;
        }
        page["same_suite"] = same_suite;
        page["notes"] = Json::array();
        for (const NoteRecord& note : tally.notes()) {
            page["notes"].push_back({{"implementation", note.implementation},
                                     {"level", note.level},
                                     {"text", note.text}});
        }
    }

    void add_implementations(Json& page) {
        Json& all = page["implementations"] = Json::array();
        const auto& collected = collected_.implementations();
        for (const auto& [name, version] : collected) {
            all.push_back({{"name", name}, {"version", version}});
        }
        for (const ImplementationTally& one : sources_.data.tally().implementations()) {
            const ImplementationRecord& record = one.record;
            const std::pair key(record.name, record.version);
            const auto found = std::ranges::find(collected, key);
            if (found == collected.end()) {
                all.push_back({{"name", record.name}, {"version", record.version}});
            }
            Json& json = found == collected.end()
                             ? all.back()
                             : all[static_cast<std::size_t>(found - collected.begin())];
            json["state"] = record.state;
            put_text(json, "why", record.why);
            put_text(json, "language", record.language);
            put_text(json, "device", record.device);
            if (record.witness) json["witness"] = true;
            put_text(json, "stopped", one.stopped);
            put_text(json, "known_failures",
                     std::filesystem::path(record.known_failures).filename().string());
            json["counts"] = counts_json(one.verdicts);
            for (const UnclaimedText& text : folded(unclaimed(record), true)) {
                Json entry{{"operators", text.operators()}, {"types", text.types}};
                put_text(entry, "why", text.why);
                json["unclaimed"].push_back(std::move(entry));
            }
        }
        add_labels(all);
        Json& matrix = page["matrix"] = Json::array();
        for (const auto& [key, counts] : collected_.counts()) {
            matrix.push_back({key.first, number_of(key.second), counts_json(counts)});
        }
        page["routes"] = Json::array();
        for (const Route& route : collected_.routes()) {
            page["routes"].push_back(to_string(route));
        }
    }

    /// What tells implementations apart: the name, and the version where several have the name.
    static void add_labels(Json& all) {
        for (Json& one : all) {
            const auto has_name = [&](const Json& other) { return other["name"] == one["name"]; };
            const std::string name = one["name"];
            one["label"] = std::ranges::count_if(all, has_name) == 1
                               ? name
                               : name + " " + one["version"].get<std::string>();
        }
    }

    static std::int64_t number_of(OperatorVersion version) {
        return static_cast<std::int64_t>(version);
    }

    void add_versions(Json& page) {
        Json& all = page["versions"] = Json::array();
        for (const OperatorInfo& row : operator_versions()) {
            const OperatorWords words = operator_words(row, sources_.loaded.equations);
            all.push_back({{"name", row.name},
                           {"specification", row.specification},
                           {"family", name(row.family)},
                           {"equations", sources_.loaded.equations.text(row.version)},
                           {"negative", words.negative_indices},
                           {"outside", words.outside},
                           {"axis", words.axis},
                           {"batch_dims", words.batch_dims},
                           {"index_types", words.index_types}});
        }
    }

    void add_rules(Json& page) {
        Json& all = page["rules"] = Json::array();
        for (const auto& [id, rule] : sources_.loaded.rules.rules()) {
            rules_.number(id);
            Json json{{"id", id},
                      {"version", number_of(rule.version)},
                      {"statement", rule.statement},
                      {"level", rule.level},
                      {"meaning", level_meaning(rule.level)}};
            put_text(json, "none", rule.no_sentence);
            put_text(json, "kept", rule.positive);
            put_text(json, "broken", rule.negative);
            put_text(json, "untestable", rule.untestable);
            if (!rule.no_sentence.empty())
                json["places"].push_back(place(rule.document, rule.section));
            for (const Sentence& sentence : sentences(rule)) {
                json["places"].push_back(place(sentence.document, sentence.section));
            }
            all.push_back(std::move(json));
        }
    }

    Json place(const std::string& document, const std::string& section) const {
        Json json{{"document", document}, {"section", section}};
        put_text(json, "address", sources_.loaded.rules.address(document));
        return json;
    }

    Json rule_numbers(std::span<const std::string> ids) {
        Json numbers = Json::array();
        for (const std::string& id : ids) {
            if (sources_.loaded.rules.find(id) != nullptr) {
                numbers.push_back(rules_.number(id).first);
            }
        }
        return numbers;
    }

    // --- cases ----------------------------------------------------------------------------------

    void add_cases(Json& page) {
        Json& all = page["cases"] = Json::array();
        Json& answers = page["answers"] = Json::array();
        std::int64_t left_out = 0;
        const CasesById by_id(sources_.loaded.suite.cases);
        for (const auto& [id, of_case] : collected_.cases()) {
            const Case* found = sources_.loaded.suite.retyped.find(by_id, id);
            const bool is_written =
                found != nullptr && !found->from_sweep && found->written.empty();
            if (!of_case.notable && !is_written) {
                ++left_out;
                continue;
            }
            const auto number = std::ssize(all);
            all.push_back(case_json(id, found, of_case));
            for (const auto& [key, of_version] : of_case.answers) {
                for (const Answer& answer : of_version) {
                    answers.push_back({number, number_of(key.first), key.second,
                                       static_cast<std::int64_t>(answer.record->verdict),
                                       answer.routes, outcome_of(answer), repeat_of(answer)});
                }
            }
        }
        page["verdicts"] = Json::array();
        for (std::size_t k = 0; k < verdict_count; ++k) {
            page["verdicts"].push_back(name(static_cast<Verdict>(k)));
        }
        page["cases_left_out"] = left_out;
    }

    Json case_json(std::string_view id, const Case* found, const Collected::OfCase& of_case) {
        Json json{{"id", id}};
        const std::string term = shell_word("case=" + std::string(id));
        if (term != "case=" + std::string(id)) json["term"] = term;
        if (found == nullptr) {
            for (const auto& [key, answers] : of_case.answers) {
                for (const Answer& answer : answers) add_recorded(json, *answer.record);
            }
            return json;
        }
        put_text(json, "title", found->title);
        put_text(json, "why", found->why);
        put_text(json, "written", found->written);
        if (found->from_sweep) json["sweep"] = true;
        if (is_changed(*found, of_case)) json["changed"] = true;
        json["file"] = std::filesystem::path(found->file).filename().string();
        json["call"] = call_figure(*found);
        std::set<OperatorVersion> asked;
        for (const auto& [key, answers] : of_case.answers) asked.insert(key.first);
        json["expect"] = expectation_figures(*found, asked, sources_.loaded);
        std::vector<std::string> rules;
        for (const OperatorVersion version : asked) {
            const Expectation* expectation = found->expectation(version);
            if (expectation == nullptr) continue;
            for (const std::string& rule : expectation->rules) {
                if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
            }
        }
        json["rules"] = rule_numbers(rules);
        for (const Clarification& entry : sources_.clarifications) {
            if (std::ranges::find(entry.cases, id_as_written(found->id)) != entry.cases.end()) {
                json["clarifications"].push_back(entry.id);
            }
        }
        return json;
    }

    /// What a record tells of a case that is not here.
    static void add_recorded(Json& json, const ExecutionRecord& record) {
        put_text(json, "title", record.title);
        if (record.expected.empty()) return;
        Json alternatives = Json::array();
        for (const RecordedAnswer& answer : record.expected) {
            alternatives.push_back(answer_json(answer));
        }
        json["expect"].push_back({{"versions", {number_of(record.operator_version)}},
                                  {"alternatives", std::move(alternatives)}});
    }

    /// True where a record is of another case than the suite now has by that id.
    static bool is_changed(const Case& tested, const Collected::OfCase& of_case) {
        for (const auto& [key, answers] : of_case.answers) {
            for (const Answer& answer : answers) {
                if (!tested.hash.starts_with(answer.record->case_hash)) return true;
            }
        }
        return false;
    }

    /// The number of what is told of an answer; -1 where the verdict says all.
    std::int64_t outcome_of(const Answer& answer) {
        const ExecutionRecord& record = *answer.record;
        if (record.verdict == Verdict::pass || record.verdict == Verdict::unavailable) return -1;
        Json json = Json::object();
        put_text(json, "wrong", wrong_outcome(record));
        put_text(json, "outcome", record.outcome);
        put_text(json, "class", record.classification);
        put_text(json, "category", record.category);
        put_text(json, "phase", record.phase);
        put_text(json, "detail", record.detail);
        for (const RecordedAnswer& got : record.got) json["got"].push_back(answer_json(got));
        put_text(json, "reason", record.reason);
        put_text(json, "finding", record.finding);
        put_text(json, "shown_by", record.shown_by);
        const auto cause = sources_.causes.find(execution_key(record));
        if (cause != sources_.causes.end()) json["cause"] = cause->second;
        if (!record.rules.empty()) json["rules"] = rule_numbers(record.rules);
        if (!record.reproducer.empty()) add_program(json, record, answer.run);
        std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
        const auto [number, is_new] = outcome_numbers_.number(text);
        if (is_new) outcomes_.push_back(std::move(json));
        return number;
    }

    /// The number of what the line that repeats an execution begins with: the rest names its case,
    /// operator version and route. -1 where nobody repeats it.
    std::int64_t repeat_of(const Answer& answer) {
        if (!is_notable(*answer.record)) return -1;
        const std::string line =
            repeat_line(*answer.record, answer.run == nullptr ? RunRecord{} : *answer.run);
        const auto [number, is_new] =
            repeat_numbers_.number(line.substr(0, line.find(" --filter ")));
        if (is_new) repeats_.push_back(line.substr(0, line.find(" --filter ")));
        return number;
    }

    /// A reproducer that the run wrote, where it still lies.
    static void add_program(Json& json, const ExecutionRecord& record, const RunRecord* run) {
        json["reproducer"] = record.reproducer;
        std::filesystem::path file = record.reproducer;
        if (file.is_relative() && run != nullptr && run->settings) {
            file = std::filesystem::path(run->settings->folder) / file;
        }
        put_text(json, "program", program_text(file));
    }

    // --- what the suite knows -------------------------------------------------------------------

    /// Findings of what ran, and of what its known failures name.
    void add_findings(Json& page) {
        Json& all = page["findings"] = Json::array();
        std::set<std::string> ran;
        for (const auto& [name, version] : collected_.implementations()) ran.insert(name);
        for (const Finding& finding : sources_.loaded.findings.findings()) {
            const bool is_of_run =
                std::ranges::any_of(finding.implementations,
                                    [&](const std::string& name) { return ran.contains(name); });
            if (!is_of_run) continue;
            Json json{{"id", finding.id},
                      {"engine", finding.engine},
                      {"implementations", finding.implementations},
                      {"severity", static_cast<int>(finding.severity)},
                      {"title", finding.title},
                      {"statement", finding.statement},
                      {"rules", rule_numbers(finding.rules)},
                      {"case", finding.call.case_id},
                      {"version", number_of(finding.call.version)},
                      {"route", to_string(finding.call.route)},
                      {"outcome", finding.outcome},
                      {"reproducer", finding.reproducer_name},
                      {"first", finding.first},
                      {"last", finding.last}};
            const auto history = sources_.histories.find(finding.id);
            if (history != sources_.histories.end()) json["since"] = to_string(history->second);
            put_text(json, "link", finding.link);
            put_text(json, "note", finding.note);
            put_text(json, "program", program_text(finding.reproducer));
            all.push_back(std::move(json));
        }
        page["severities"] = Json::array();
        for (const Severity severity : severities) page["severities"].push_back(name(severity));
    }

    void add_clarifications(Json& page) {
        Json& all = page["clarifications"] = Json::array();
        for (const Clarification& entry : sources_.clarifications) {
            Json json{{"id", entry.id},
                      {"title", entry.title},
                      {"topic", entry.topic},
                      {"says", entry.says},
                      {"silent", entry.silent},
                      {"why", entry.why},
                      {"question", entry.question},
                      {"cases", entry.cases},
                      {"rules", rule_numbers(entry.rules)}};
            for (const OperatorVersion version : entry.versions) {
                json["versions"].push_back(number_of(version));
            }
            for (const Reading& reading : entry.readings) {
                Json one{{"reading", reading.reading}};
                put_text(one, "for", reading.in_favour);
                put_text(one, "against", reading.against);
                json["readings"].push_back(std::move(one));
            }
            all.push_back(std::move(json));
        }
        page["topics"] = Json::array();
        for (const Topic& topic : clarification_topics) {
            page["topics"].push_back({topic.name, topic.heading});
        }
    }

    void add_map(Json& page) {
        page["map"] = nullptr;
        if (sources_.map.empty()) return;
        page["map"] = {{"legend", policy_legend()}, {"rows", policy_cells(sources_.map)}};
    }

    PageSources sources_;
    Collected collected_;
    Numbers<std::string> rules_;
    Numbers<std::string> outcome_numbers_;
    Numbers<std::string> repeat_numbers_;
    Json outcomes_ = Json::array();
    Json repeats_ = Json::array();
};

}  // namespace

Json page_data(PageSources sources) { return PageData(std::move(sources)).made(); }

}  // namespace gathercheck
