// SPDX-License-Identifier: Apache-2.0
// gathercheck check: every case against the reference and the equations, before any third party is
// blamed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/known_failures/findings_check.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/run/run.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/ask_reference.hpp"
#include "tools/shared/specified.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct CheckVerb {
    std::vector<std::string> cases;
    std::vector<std::string> known_failures;  ///< files; empty: the shipped ones, if the cases are
    std::string format = "text";
};

/// How many executions the files of known failures list. What is wrong with them, and with the
/// findings that they name if they are those that ship, goes to `problems`.
std::int64_t check_known_failures(const std::vector<std::filesystem::path>& files, bool ship,
                                  const LoadedSuite& loaded, std::vector<Problem>& problems) {
    const CasesById cases(loaded.suite.cases);
    std::int64_t count = 0;
    std::vector<KnownFailures> all;
    for (const std::filesystem::path& file : files) {
        const auto read = load_known_failures(file, loaded.rules, loaded.findings);
        if (const auto* refused = std::get_if<std::vector<Problem>>(&read)) {
            problems.insert(problems.end(), refused->begin(), refused->end());
            continue;
        }
        const auto& known = std::get<KnownFailures>(read);
        count += static_cast<std::int64_t>(known.entries().size());
        Problems of_file(known.file);
        for (const KnownFailure& entry : known.entries()) {
            const Case* found = loaded.suite.retyped.find(cases, entry.case_id);
            if (found == nullptr) {
                of_file.add(entry.pointer + "/case",
                            "the suite has no case " + entry.case_id +
                                "; remove it, or give the file of cases that has it");
            } else if (found->expectation(entry.version) == nullptr) {
                of_file.add(entry.pointer + "/operator",
                            "case " + entry.case_id + " says nothing of " +
                                std::string(name(entry.version)) + "; remove it");
            }
        }
        auto more = std::move(of_file).take();
        problems.insert(problems.end(), more.begin(), more.end());
        all.push_back(known);
    }
    if (!ship || all.size() < files.size()) return count;
    const auto add = [&](const std::vector<Problem>& more) {
        problems.insert(problems.end(), more.begin(), more.end());
    };
    for (const KnownFailures& known : all) add(lacking_evidence(known));
    add(check_findings(loaded.findings, executions_of(all), loaded.rules,
                       loaded.installed.findings));
    return count;
}

bool is_known_failure_file(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    const auto read = read_json(path);
    const auto* document = std::get_if<Json>(&read);
    return document != nullptr && document->is_object() && document->contains("implementation") &&
           document->contains("failures");
}

/// What checking the cases found.
struct CheckedCases {
    std::vector<Problem> problems;
    std::vector<Problem> unchecked;  ///< for lack of memory
    std::int64_t expectations = 0;
    std::int64_t hand_written = 0;
    std::map<OperatorVersion, std::int64_t> by_version;  ///< expectations
};

/// Holds the reference and the equations against what a case expects of one operator version.
void check_expectation(const LoadedSuite& loaded, const Case& tested, OperatorVersion version,
                       CheckedCases& checked) {
    ++checked.expectations;
    ++checked.by_version[version];
    const auto add = [&](const std::string& why, std::vector<Problem>& to) {
        to.push_back({tested.file, tested.pointer,
                      "case " + tested.id + " for " + std::string(name(version)) + ": " + why});
    };
    if (const auto why = lacks_memory(tested, version, loaded.equations)) {
        return add("not checked: " + *why, checked.unchecked);
    }
    const auto prepared = prepare(tested, version, loaded.equations, loaded.rules);
    if (!prepared->fault.empty()) return add(prepared->fault, checked.problems);
    const Outcome outcome = ask_reference(prepared->call.call, tested.is_described());
    const Question question{prepared->alternatives, prepared->rules, true, true, true};
    const Judgement judgement = judge(question, outcome);
    if (judgement.verdict != Verdict::pass && judgement.verdict != Verdict::unspecified) {
        add("the reference disagrees (" + std::string(name(judgement.failure)) +
                "): " + judgement.detail,
            checked.problems);
    }
    if (prepared->alternatives.empty()) return;
    const std::string why = equations_against(loaded.equations, prepared->call.call,
                                              prepared->alternatives.front(), outcome);
    if (!why.empty()) add(why, checked.problems);
}

CheckedCases check_cases(const LoadedSuite& loaded) {
    CheckedCases checked;
    for (const Case& tested : loaded.suite.cases) {
        if (!tested.from_sweep) ++checked.hand_written;
        for (const Expectation& expectation : tested.expect) {
            for (const OperatorVersion version : expectation.versions) {
                check_expectation(loaded, tested, version, checked);
            }
        }
    }
    return checked;
}

void print_json(const LoadedSuite& loaded, const CheckedCases& checked, std::int64_t known) {
    nlohmann::ordered_json versions = nlohmann::ordered_json::object();
    for (const auto& [version, count] : checked.by_version) {
        versions[std::string(name(version))] = count;
    }
    const nlohmann::ordered_json summary{
        {"cases", loaded.suite.cases.size()},
        {"hand_written_cases", checked.hand_written},
        {"expectations", checked.expectations},
        {"by_operator_version", versions},
        {"rules", loaded.rules.rules().size()},
        {"suite_hash", loaded.suite.hash},
        {"findings", loaded.findings.findings().size()},
        {"known_failures", known},
        {"problems", checked.problems.size()},
        {"not_checked", checked.unchecked.size()},
    };
    std::printf("%s\n", summary.dump(2).c_str());
}

void print_text(const LoadedSuite& loaded, const CheckedCases& checked, std::int64_t known,
                double seconds) {
    for (const auto& [version, count] : checked.by_version) {
        std::printf("%-26s %6lld expectation%s\n", std::string(name(version)).c_str(),
                    static_cast<long long>(count), count == 1 ? "" : "s");
    }
    std::string verdict = "the cases, the reference and the equations agree";
    if (!checked.problems.empty()) {
        verdict = std::to_string(checked.problems.size()) + " problems";
    } else if (!checked.unchecked.empty()) {
        verdict = count_of(static_cast<std::int64_t>(checked.unchecked.size()), "expectation") +
                  " not checked";
    }
    const auto cases = static_cast<std::int64_t>(loaded.suite.cases.size());
    const auto findings = static_cast<std::int64_t>(loaded.findings.findings().size());
    std::printf("%s (%lld hand-written, %lld from sweeps), %s, %zu rules, %s, %s: %s, %.1f s\n",
                count_of(cases, "case").c_str(), static_cast<long long>(checked.hand_written),
                static_cast<long long>(cases - checked.hand_written),
                count_of(checked.expectations, "expectation").c_str(), loaded.rules.rules().size(),
                count_of(findings, "finding").c_str(), count_of(known, "known failure").c_str(),
                verdict.c_str(), seconds);
}

int check_verb(const CheckVerb& options) {
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& path : options.cases) {
        if (!is_known_failure_file(path)) continue;
        return refuse(path + " is a file of known failures; gathercheck check --known-failures " +
                      path);
    }
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    CheckedCases checked = check_cases(*loaded);
    std::vector<std::filesystem::path> files(options.known_failures.begin(),
                                             options.known_failures.end());
    const bool ship = files.empty() && loaded->shipped;
    if (ship) files = shipped_known_failures(*loaded);
    const std::int64_t known = check_known_failures(files, ship, *loaded, checked.problems);
    print_problems(checked.problems);
    print_problems(checked.unchecked);
    if (options.format == "json") {
        print_json(*loaded, checked, known);
    } else {
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        print_text(*loaded, checked, known, taken.count());
    }
    if (!checked.problems.empty()) return exit_bad_input;
    return checked.unchecked.empty() ? 0 : 3;
}

}  // namespace

void add_check_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<CheckVerb>();
    const Verb verb = command.add_verb(
        "check",
        "Check case files: form, rules, the reference and the equations; and known failures");
    verb.add_option("cases", options->cases, "Case files or folders (default: the shipped ones)")
        .type_name("PATH");
    verb.add_option("--known-failures", options->known_failures,
                    "Known-failure files: form, cases and rules (default: the shipped ones, beside "
                    "the shipped cases); may be repeated")
        .type_name("FILE");
    add_format(verb, options->format);
    verb.footer("Example:\n  gathercheck check my_cases.json");
    verb.callback([options, &exit_code] { exit_code = check_verb(*options); });
}

}  // namespace gathercheck
