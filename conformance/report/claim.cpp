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

std::vector<std::string> names_of(const std::set<Route>& routes) {
    std::vector<std::string> names;
    for (const Route& route : routes) names.push_back(to_string(route));
    return names;
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

/// What was run on what.
std::string head_section(const ConformanceStatement& statement) {
    const RunRecord& run = statement.run;
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
    return text;
}

/// The counts, an operator version a line.
std::string counts_section(const ConformanceStatement& statement) {
    const bool witness = statement.implementation.witness;
    const bool has_others = std::ranges::any_of(
        statement.operators, [](const OperatorStatement& one) { return without_verdict(one) > 0; });
    const bool has_fixed = statement.count(Verdict::fixed) > 0;
    std::string text =
        "\n| operator | routes | element types of data | of indices | executions | passed | " +
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
        times_asked(statement.run) +
        ". \"Open\" are calls that the specification does not decide, \"unsupported\" such as must "
        "or "
        "may be refused, of what is not claimed or not supported." +
        std::string(has_fixed ? " \"Fixed\" are known failures that fail no more.\n" : "\n");
    return text;
}

/// What it is known to do otherwise.
std::string known_section(const ConformanceStatement& statement) {
    if (statement.known_failures.empty()) return {};
    std::string text =
        statement.implementation.witness ? "\n## Known to differ\n\n" : "\n## Known to fail\n\n";
    for (const KnownFailureStatement& one : statement.known_failures) {
        std::vector<std::string> versions;
        for (const OperatorVersion version : one.versions) versions.emplace_back(name(version));
        text += "- " + count_of(one.executions, "execution") + " of " + joined(versions) +
                ", e.g. case " + in_markdown(one.example) + ": " + in_markdown(one.reason) +
                evidence(one) + "\n";
    }
    return text;
}

/// What the run says nothing of.
std::string not_shown_section(const ConformanceStatement& statement) {
    std::string text = "\n## Not shown\n\n";
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

/// Gathers statements from records, one an implementation.
class Statements {
public:
    explicit Statements(const Suite& suite) : suite_(suite), cases_(suite.cases) {}

    /// Takes the implementation that a run began with.
    void add(const ImplementationRecord& implementation, const RunRecord& run) {
        // A target that this CPU lacks is nobody's statement, unless it was asked for.
        if (implementation.state == "unavailable" && !implementation.asked_by_name) return;
        One* of = find(implementation.name);
        if (of == nullptr) {
            of = &all_.emplace_back();
            of->statement.run = run;
            of->statement.implementation = implementation;
        } else if (of->statement.implementation.version != implementation.version) {
            of->statement.trouble = "its shards are of versions " +
                                    of->statement.implementation.version + " and " +
                                    implementation.version;
        }
        of->statement.commands.push_back(run.command);
        if (implementation.state != "started") {
            of->statement.trouble = "it is " + implementation.state + ": " + implementation.why;
        }
    }

    void add(const NoteRecord& note) {
        One* of = find(note.implementation);
        if (of == nullptr) return;
        ConformanceStatement& statement = of->statement;
        if (note.level == "disagreement") statement.disagrees = true;
        if (note.level == "error" && statement.trouble.empty()) statement.trouble = note.text;
    }

    /// False where its implementation was not introduced.
    bool add(const ExecutionRecord& execution, bool is_this_suite) {
        One* of = find(execution.implementation);
        if (of == nullptr) return false;
        OperatorStatement& one = of->operators[execution.operator_version];
        ++one.verdicts[static_cast<std::size_t>(execution.verdict)];
        one.routes.insert(execution.route);
        const Case* tested = suite_.retyped.find(cases_, execution.case_id);
        one.cases.insert(tested != nullptr && !tested->written.empty() ? tested->written
                                                                       : execution.case_id);
        if (execution.verdict == Verdict::known_failure) {
            add_known(execution, of->known[execution.reason]);
        }
        const bool shows_types = is_this_suite && execution.verdict == Verdict::pass &&
                                 execution.outcome == "value" && tested != nullptr;
        if (!shows_types) return true;
        if (const TensorSpec* data = tested->input("data")) {
            one.data = one.data | TypeSet{data->descriptor.type};
        }
        if (const TensorSpec* indices = tested->input("indices")) {
            one.indices = one.indices | TypeSet{indices->descriptor.type};
        }
        return true;
    }

    std::vector<ConformanceStatement> take(bool is_whole, bool is_this_suite) {
        std::vector<ConformanceStatement> statements;
        for (One& of : all_) {
            ConformanceStatement& statement = of.statement;
            statement.is_whole = is_whole;
            statement.is_this_suite = is_this_suite;
            for (auto& [version, one] : of.operators) {
                one.version = version;
                one.cases_of_suite = std::ranges::count_if(
                    suite_.cases,
                    [v = version](const Case& tested) { return tested.expectation(v) != nullptr; });
                statement.operators.push_back(std::move(one));
            }
            for (auto& [reason, one] : of.known) statement.known_failures.push_back(one);
            std::ranges::stable_sort(statement.known_failures, std::ranges::greater(),
                                     &KnownFailureStatement::executions);
            statements.push_back(std::move(statement));
        }
        return statements;
    }

private:
    struct One {
        ConformanceStatement statement;
        std::map<OperatorVersion, OperatorStatement> operators;
        std::map<std::string, KnownFailureStatement> known;
    };

    One* find(const std::string& implementation) {
        const auto found = std::ranges::find_if(all_, [&](const One& one) {
            return one.statement.implementation.name == implementation;
        });
        return found == all_.end() ? nullptr : &*found;
    }

    static void add_known(const ExecutionRecord& execution, KnownFailureStatement& failure) {
        failure.reason = execution.reason;
        if (failure.executions++ == 0) failure.example = execution.case_id;
        failure.versions.insert(execution.operator_version);
        failure.rules.insert(execution.rules.begin(), execution.rules.end());
        if (!execution.shown_by.empty()) failure.shown_by.insert(execution.shown_by);
    }

    const Suite& suite_;
    CasesById cases_;
    std::vector<One> all_;
};

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
    Statements gathered(suite);
    for (const Record& record : records) {
        if (const auto* header = std::get_if<RunRecord>(&record)) run = header;
        if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
            gathered.add(*implementation, *run);
        }
        if (const auto* note = std::get_if<NoteRecord>(&record)) gathered.add(*note);
        const auto* execution = std::get_if<ExecutionRecord>(&record);
        if (execution != nullptr && !gathered.add(*execution, is_this_suite)) {
            return "an execution of " + execution->implementation +
                   " comes before the line that introduces it";
        }
    }
    auto statements = gathered.take(is_whole, is_this_suite);
    if (statements.empty()) return "the records hold no implementation that started";
    return statements;
}

std::string claim_markdown(const ConformanceStatement& statement) {
    return head_section(statement) + counts_section(statement) + known_section(statement) +
           unclaimed_section(statement.implementation) + not_shown_section(statement);
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
