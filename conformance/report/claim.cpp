// SPDX-License-Identifier: Apache-2.0
// From the records of a run to conformance statements.
#include "conformance/report/claim.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "conformance/records/unclaimed.hpp"
#include "conformance/records/unclaimed_json.hpp"
#include "conformance/report/report.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

using Object = nlohmann::ordered_json;

const TensorSpec* input_of(const Case& tested, std::string_view name) {
    const auto found = std::ranges::find(tested.inputs, name, &NamedTensorSpec::name);
    return found == tested.inputs.end() ? nullptr : &found->tensor;
}

std::vector<std::string> names_of(const std::set<Route>& routes) {
    std::vector<std::string> names;
    for (const Route& route : routes) names.push_back(to_string(route));
    return names;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// What an entry of known failures rests on: " Breaks `rule`. Shown by `file`."
std::string evidence(const KnownFailureStatement& one) {
    const auto listed = [](const std::set<std::string>& words) {
        std::string text;
        for (const std::string& word : words) {
            text += (text.empty() ? "" : ", ") + code_in_markdown(word);
        }
        return text;
    };
    std::string text;
    if (!one.rules.empty()) text += ". Breaks " + listed(one.rules);
    if (!one.shown_by.empty()) text += ". Shown by " + listed(one.shown_by);
    return text;
}

/// Versions of the suite of which nothing was run.
std::vector<std::string> not_shown(const ConformanceStatement& statement) {
    std::vector<std::string> names;
    for (const OperatorInfo& info : operator_versions()) {
        const auto found =
            std::ranges::find(statement.operators, info.version, &OperatorStatement::version);
        if (found == statement.operators.end() || found->count(Verdict::pass) == 0) {
            names.emplace_back(name(info.version));
        }
    }
    return names;
}

/// How often each call was asked: answers that were judged from files came once for each file.
std::string times_asked(const RunRecord& run) {
    if (run.repeat.find(" judge --calls ") == std::string::npos) return "at least twice";
    const std::size_t first = run.repeat.find(" --answers ");
    return first == run.repeat.rfind(" --answers ") ? "once" : "twice";
}

/// What it claims, and of what the specifications allow its engine refuses or nothing is said.
std::string unclaimed_section(const ImplementationRecord& implementation) {
    if (!implementation.claims) return {};
    std::string text = "\n## Claimed, not implemented, not claimed\n\n";
    for (const UnclaimedText& one : folded(claimed(implementation), true)) {
        text += "- claimed: " + one.operators() + ": " + one.types + "\n";
    }
    const std::vector<UnclaimedText> texts = folded(unclaimed(implementation), true);
    for (const UnclaimedText& one : texts) {
        if (one.why.empty()) continue;
        text += "- not implemented: " + one.operators() + ": " + one.types + ": \"" +
                in_markdown(one.why) + "\"\n";
    }
    for (const UnclaimedText& one : texts) {
        if (one.why.empty()) text += "- not claimed: " + one.operators() + ": " + one.types + "\n";
    }
    return text;
}

std::int64_t executions_of(const OperatorStatement& statement) {
    return std::accumulate(statement.verdicts.begin(), statement.verdicts.end(), std::int64_t{0});
}

/// Executions that are in none of the columns of verdicts: the adapter broke, or it was not run.
std::int64_t without_verdict(const OperatorStatement& statement) {
    return executions_of(statement) - statement.count(Verdict::pass) - failures_of(statement) -
           statement.count(Verdict::known_failure) - statement.count(Verdict::unspecified) -
           statement.count(Verdict::unsupported) - statement.count(Verdict::difference) -
           statement.count(Verdict::fixed);
}

std::string result_of(const ConformanceStatement& statement) {
    const std::int64_t known = statement.count(Verdict::known_failure);
    if (!statement.is_whole) return "none: the run was cut short";
    if (const std::int64_t failures = failures_of(statement); failures > 0) {
        return "does not conform: " + count_of(failures, "execution") + " failed";
    }
    if (statement.count(Verdict::broken) + statement.count(Verdict::not_run) > 0) {
        return "none: the adapter failed, or part of the run was not asked";
    }
    if (!statement.trouble.empty()) return "none: " + statement.trouble;
    if (statement.count(Verdict::pass) == 0) return "none: nothing passed";
    if (statement.count(Verdict::fixed) > 0 || statement.disagrees) {
        return "none: the known failures and the run disagree";
    }
    if (statement.implementation.witness) {
        return count_of(statement.count(Verdict::difference) + known, "difference") +
               " of a witness, which promises none of the specifications: nothing is claimed";
    }
    if (known > 0) {
        return "conforms but for " + count_of(known, "known failure") + ", of " +
               count_of(known + statement.count(Verdict::pass), "execution") +
               " that the specification decides; the others pass";
    }
    return "conforms in what is shown here";
}

}  // namespace

std::int64_t ConformanceStatement::count(Verdict verdict) const {
    std::int64_t sum = 0;
    for (const OperatorStatement& one : operators) sum += one.count(verdict);
    return sum;
}

bool ConformanceStatement::holds() const {
    return !implementation.witness && is_whole && trouble.empty() && !disagrees &&
           count(Verdict::pass) > 0 && failures_of(*this) == 0 && count(Verdict::broken) == 0 &&
           count(Verdict::not_run) == 0 && count(Verdict::fixed) == 0;
}

std::variant<std::vector<ConformanceStatement>, std::string> statements_of(
    std::span<const Record> records, const Suite& suite) {
    if (records.empty() || !std::holds_alternative<RunRecord>(records.front())) {
        return "the records do not begin with the line that says what ran";
    }
    const RunRecord* run = &std::get<RunRecord>(records.front());
    const auto* end = std::get_if<EndRecord>(&records.back());
    const bool is_whole = end != nullptr && !end->partial;
    const bool is_this_suite = run->suite_hash == suite.hash;
    const CasesById cases(suite.cases);

    std::vector<ConformanceStatement> statements;
    std::vector<std::map<OperatorVersion, OperatorStatement>> operators;
    std::vector<std::map<std::string, KnownFailureStatement>> known;
    const auto statement_of = [&](const std::string& implementation) {
        return std::ranges::find_if(statements, [&](const ConformanceStatement& one) {
            return one.implementation.name == implementation;
        });
    };
    for (const Record& record : records) {
        if (const auto* header = std::get_if<RunRecord>(&record)) run = header;
        if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
            const bool started = implementation->state == "started";
            // A row that this CPU lacks is nobody's statement, unless it was asked for.
            if (implementation->state == "unavailable" && !implementation->asked_by_name) continue;
            auto of = statement_of(implementation->name);
            if (of == statements.end()) {
                ConformanceStatement statement;
                statement.run = *run;
                statement.implementation = *implementation;
                statement.is_whole = is_whole;
                statement.is_this_suite = is_this_suite;
                statements.push_back(std::move(statement));
                operators.emplace_back();
                known.emplace_back();
                of = std::prev(statements.end());
            } else if (of->implementation.version != implementation->version) {
                of->trouble = "its shards are of versions " + of->implementation.version + " and " +
                              implementation->version;
            }
            of->commands.push_back(run->command);
            if (!started)
                of->trouble = "it is " + implementation->state + ": " + implementation->why;
            continue;
        }
        if (const auto* note = std::get_if<NoteRecord>(&record)) {
            const auto of = statement_of(note->implementation);
            if (of == statements.end()) continue;
            if (note->level == "disagreement") of->disagrees = true;
            if (note->level == "error" && of->trouble.empty()) of->trouble = note->text;
            continue;
        }
        const auto* execution = std::get_if<ExecutionRecord>(&record);
        if (execution == nullptr) continue;
        const auto of = statement_of(execution->implementation);
        if (of == statements.end()) {
            return "an execution of " + execution->implementation +
                   " comes before the line that introduces it";
        }
        const auto place = static_cast<std::size_t>(of - statements.begin());
        OperatorStatement& one = operators[place][execution->operator_version];
        ++one.verdicts[static_cast<std::size_t>(execution->verdict)];
        one.routes.insert(execution->route);
        const Case* tested = suite.retyped.find(cases, execution->case_id);
        one.cases.insert(tested != nullptr && !tested->written.empty() ? tested->written
                                                                       : execution->case_id);
        if (execution->verdict == Verdict::known_failure) {
            KnownFailureStatement& failure = known[place][execution->reason];
            failure.reason = execution->reason;
            if (failure.executions++ == 0) failure.example = execution->case_id;
            failure.versions.insert(execution->operator_version);
            failure.rules.insert(execution->rules.begin(), execution->rules.end());
            if (!execution->shown_by.empty()) failure.shown_by.insert(execution->shown_by);
        }
        const bool shows_types = is_this_suite && execution->verdict == Verdict::pass &&
                                 execution->outcome == "value" && tested != nullptr;
        if (!shows_types) continue;
        if (const TensorSpec* data = input_of(*tested, "data")) {
            one.data = one.data | TypeSet{data->descriptor.type};
        }
        if (const TensorSpec* indices = input_of(*tested, "indices")) {
            one.indices = one.indices | TypeSet{indices->descriptor.type};
        }
    }
    if (statements.empty()) return "the records hold no implementation that started";
    for (std::size_t k = 0; k < statements.size(); ++k) {
        for (auto& [version, one] : operators[k]) {
            one.version = version;
            one.cases_of_suite = std::ranges::count_if(
                suite.cases,
                [v = version](const Case& tested) { return tested.expectation(v) != nullptr; });
            statements[k].operators.push_back(std::move(one));
        }
        for (auto& [reason, one] : known[k]) statements[k].known_failures.push_back(one);
        std::ranges::stable_sort(statements[k].known_failures, std::ranges::greater(),
                                 &KnownFailureStatement::executions);
    }
    return statements;
}

std::string claim_markdown(const ConformanceStatement& statement) {
    const RunRecord& run = statement.run;
    const bool witness = statement.implementation.witness;
    std::string text =
        "# Conformance of gather operators: " + in_markdown(statement.implementation.name) + " " +
        in_markdown(statement.implementation.version) + "\n\n";
    text += "Result: **" + result_of(statement) + "**.\n\n";
    text += "- suite: " + in_markdown(run.suite_version) + ", " + std::to_string(run.cases) +
            " cases, SHA-256 " + in_markdown(run.suite_hash) + "\n- tool: gathercheck " +
            in_markdown(run.tool_version) + "\n- run: " + in_markdown(run.started) + " on " +
            in_markdown(run.cpu) + ", " + in_markdown(run.system) + "\n";
    for (const std::vector<std::string>& words : statement.commands) {
        std::string command;
        for (const std::string& word : words) {
            command += (command.empty() ? "" : " ") + shell_word(word);
        }
        text += "- command: " + code_in_markdown(command) + "\n";
    }
    if (!statement.implementation.known_failures.empty()) {
        text += "- known failures: " + in_markdown(statement.implementation.known_failures) + "\n";
    }
    const bool has_others = std::ranges::any_of(
        statement.operators, [](const OperatorStatement& one) { return without_verdict(one) > 0; });
    const bool has_fixed = statement.count(Verdict::fixed) > 0;
    text += "\n| operator | routes | element types of data | of indices | executions | passed | " +
            std::string(witness ? "different | known to differ" : "failed | known to fail") +
            " | open | unsupported |" + (has_fixed ? " fixed |" : "") +
            (has_others ? " no verdict |" : "") +
            "\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |" +
            (has_fixed ? " --- |" : "") + (has_others ? " --- |\n" : "\n");
    for (const OperatorStatement& one : statement.operators) {
        text += "| " + std::string(name(one.version)) + " | " + joined(names_of(one.routes)) +
                " | " + joined(names_of(one.data)) + " | " + joined(names_of(one.indices)) + " | " +
                std::to_string(executions_of(one));
        for (const std::int64_t count :
             {one.count(Verdict::pass), failures_of(one) + one.count(Verdict::difference),
              one.count(Verdict::known_failure), one.count(Verdict::unspecified),
              one.count(Verdict::unsupported)}) {
            text += " | " + std::to_string(count);
        }
        if (has_fixed) text += " | " + std::to_string(one.count(Verdict::fixed));
        if (has_others) text += " | " + std::to_string(without_verdict(one));
        text += " |\n";
    }
    text +=
        "\nAn execution is one case for one operator version by one route, in one pair of element "
        "types, asked " +
        times_asked(run) +
        ". \"Open\" are calls that the specification does not decide, \"unsupported\" such as must "
        "or "
        "may be refused, of what is not claimed or not supported." +
        std::string(has_fixed ? " \"Fixed\" are known failures that fail no more.\n" : "\n");
    if (!statement.known_failures.empty()) {
        text += witness ? "\n## Known to differ\n\n" : "\n## Known to fail\n\n";
        for (const KnownFailureStatement& one : statement.known_failures) {
            std::vector<std::string> versions;
            for (const OperatorVersion version : one.versions) versions.emplace_back(name(version));
            text += "- " + count_of(one.executions, "execution") + " of " + joined(versions) +
                    ", e.g. case " + in_markdown(one.example) + ": " + in_markdown(one.reason) +
                    evidence(one) + "\n";
        }
    }
    text += unclaimed_section(statement.implementation);
    text += "\n## Not shown\n\n";
    const std::vector<std::string> versions = not_shown(statement);
    if (!versions.empty()) text += "- nothing of " + joined(versions) + "\n";
    if (statement.is_this_suite) {
        for (const OperatorStatement& one : statement.operators) {
            const auto run_cases = static_cast<std::int64_t>(one.cases.size());
            if (run_cases == one.cases_of_suite) continue;
            text += "- " + std::string(name(one.version)) + ": " +
                    std::to_string(one.cases_of_suite - run_cases) + " of " +
                    std::to_string(one.cases_of_suite) +
                    " cases were not run (not claimed, filtered out or not in the sample)\n";
        }
    } else {
        text +=
            "- which cases were left out, and which element types were used: the run was made "
            "with another suite than the one at hand\n";
    }
    return text + "- speed, and anything that the suite has no case for\n";
}

std::string claim_json(std::span<const ConformanceStatement> statements) {
    Object list = Object::array();
    for (const ConformanceStatement& statement : statements) {
        Object operators = Object::array();
        for (const OperatorStatement& one : statement.operators) {
            Object object;
            object["operator"] = name(one.version);
            object["routes"] = names_of(one.routes);
            if (statement.is_this_suite) {
                object["data_types"] = names_of(one.data);
                object["indices_types"] = names_of(one.indices);
                object["cases_of_suite"] = one.cases_of_suite;
            }
            object["cases_run"] = one.cases.size();
            object["executions"] = executions_of(one);
            Object verdicts;
            for (std::size_t k = 0; k < verdict_count; ++k) {
                if (one.verdicts[k] == 0) continue;
                verdicts[std::string(name(static_cast<Verdict>(k)))] = one.verdicts[k];
            }
            object["verdicts"] = std::move(verdicts);
            operators.push_back(std::move(object));
        }
        Object known = Object::array();
        for (const KnownFailureStatement& one : statement.known_failures) {
            Object versions = Object::array();
            for (const OperatorVersion version : one.versions) versions.push_back(name(version));
            known.push_back({{"executions", one.executions},
                             {"operators", std::move(versions)},
                             {"example", one.example},
                             {"reason", one.reason},
                             {"rules", one.rules},
                             {"shown_by", one.shown_by}});
        }
        const RunRecord& run = statement.run;
        list.push_back(
            {{"implementation", statement.implementation.name},
             {"version", statement.implementation.version},
             {"witness", statement.implementation.witness},
             {"holds", statement.holds()},
             {"result", result_of(statement)},
             {"suite",
              {{"version", run.suite_version}, {"sha256", run.suite_hash}, {"cases", run.cases}}},
             {"tool", run.tool_version},
             {"started", run.started},
             {"cpu", run.cpu},
             {"system", run.system},
             {"command", run.command},
             {"commands", statement.commands},
             {"known_failures_file", statement.implementation.known_failures},
             {"operators", std::move(operators)},
             {"unclaimed", unclaimed_json(statement.implementation)},
             {"known_failures", std::move(known)},
             {"not_shown", not_shown(statement)}});
    }
    return shown_json(Object{{"statements", std::move(list)}}) + "\n";
}

}  // namespace gathercheck
