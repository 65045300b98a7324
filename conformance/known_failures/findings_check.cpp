// SPDX-License-Identifier: Apache-2.0
// Checks of findings.
#include "conformance/known_failures/findings_check.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "conformance/known_failures/evidence_json.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

const std::vector<FindingExecution>& executions_of(const FindingExecutions& executions,
                                                   const Finding& finding) {
    static const std::vector<FindingExecution> none;
    const auto found = executions.find(finding.id);
    return found == executions.end() ? none : found->second;
}

bool is_of(const FindingExecution& execution, const FindingCall& call) {
    const KnownFailure& entry = *execution.entry;
    return FindingCall{entry.case_id, entry.version, entry.route} == call;
}

bool lists(const KnownFailure& entry, std::string_view outcome) {
    return std::ranges::find(entry.outcomes, outcome) != entry.outcomes.end();
}

/// It fails always, and in the same way whatever lies around the tensors. Unsafe memory beside
/// nothing else is the poison of an adapter, which each run finds.
bool is_witness(const KnownFailure& entry) {
    if (entry.outcomes == std::vector<std::string>{std::string(name(Failure::unsafe_memory))}) {
        return true;
    }
    return !lists(entry, may_pass) && !lists(entry, name(Failure::unsafe_memory)) &&
           !lists(entry, name(Failure::not_deterministic));
}

void check_implementations(const Finding& finding, const std::vector<FindingExecution>& executions,
                           std::vector<Problem>& problems) {
    const std::string pointer = finding.pointer + "/implementations";
    std::set<std::string> seen;
    for (const FindingExecution& execution : executions) {
        seen.insert(execution.file->implementation);
    }
    for (const std::string& each : finding.implementations) {
        if (seen.contains(each)) continue;
        problems.push_back({finding.file, pointer,
                            in_quotes(each) + " has no known failure that names " + finding.id +
                                "; remove it, or name the finding there"});
    }
    for (const std::string& each : seen) {
        if (std::ranges::find(finding.implementations, each) != finding.implementations.end()) {
            continue;
        }
        problems.push_back(
            {finding.file, pointer,
             "known failures of " + in_quotes(each) + " name " + finding.id + "; add it"});
    }
    const auto covers = [](const std::string& version) {
        return [&version](const FindingExecution& execution) {
            return execution.file->covers(version);
        };
    };
    for (const auto& [key, version] : {std::pair("first", finding.first), {"last", finding.last}}) {
        if (std::ranges::any_of(executions, covers(version))) continue;
        problems.push_back({finding.file, finding.pointer + "/seen/" + key,
                            "no known failure that names " + finding.id + " is about version " +
                                version + "; write one that is"});
    }
}

void check_rules(const Finding& finding, const std::vector<FindingExecution>& executions,
                 const RuleCatalogue& rules, std::vector<Problem>& problems) {
    for (const std::string& id : finding.rules) {
        const Rule* rule = rules.find(id);
        const auto is_of_version = [&](const FindingExecution& execution) {
            return rule != nullptr && execution.entry->version == rule->version;
        };
        if (std::ranges::any_of(executions, is_of_version)) continue;
        problems.push_back({finding.file, finding.pointer + "/rules",
                            in_quotes(id) + " is of an operator version of which " + finding.id +
                                " has no execution; remove it"});
    }
}

void check_call(const Finding& finding, const std::vector<FindingExecution>& executions,
                std::vector<Problem>& problems) {
    bool has_call = false;
    for (const FindingExecution& execution : executions) {
        if (!is_of(execution, finding.call)) continue;
        has_call = true;
        if (expects(execution.entry->outcomes, finding.outcome)) return;
    }
    if (!has_call) {
        problems.push_back({finding.file, finding.pointer + "/call",
                            to_string(finding.call) + " is no known failure that names " +
                                finding.id + "; take one that is"});
        return;
    }
    problems.push_back({finding.file, finding.pointer + "/outcome",
                        in_quotes(finding.outcome) + " is no outcome of " +
                            to_string(finding.call) + "; take one that its known failure lists"});
}

/// What may pass tells no gate of a mended engine: some execution must fail whatever memory holds.
void check_witness(const Finding& finding, const std::vector<FindingExecution>& executions,
                   std::vector<Problem>& problems) {
    const auto may = [](const auto& each) { return lists(*each.entry, may_pass); };
    const auto shows = [](const auto& each) { return is_witness(*each.entry); };
    if (std::ranges::none_of(executions, may) || std::ranges::any_of(executions, shows)) return;
    problems.push_back({finding.file, finding.pointer,
                        "executions of " + finding.id +
                            " may pass, and none fails whatever memory holds; add one that does, "
                            "so that an engine that is mended is seen"});
}

/// The program must make a call of the finding's own.
void check_program(const Finding& finding, const std::vector<FindingExecution>& executions,
                   std::vector<Problem>& problems) {
    constexpr std::size_t longest = std::size_t{64} << 20;
    const auto program = read_file(finding.reproducer, longest);
    const auto* text = std::get_if<std::string>(&program);
    const auto head = text == nullptr ? std::nullopt : reproduced_call(*text);
    const auto is_own = [&](const auto& each) { return is_of(each, head->call); };
    if (head && std::ranges::any_of(executions, is_own)) return;
    problems.push_back({finding.reproducer, "",
                        (head ? "its head tells of " + to_string(head->call) +
                                    ", which is no known failure that names "
                              : "its head does not tell which call it makes, one that names ") +
                            finding.id + "; write it anew by `gathercheck run --reproducers`"});
}

}  // namespace

FindingExecutions executions_of(const std::vector<KnownFailures>& files) {
    FindingExecutions executions;
    for (const KnownFailures& file : files) {
        for (const KnownFailure& entry : file.entries()) {
            if (!entry.finding.empty()) executions[entry.finding].push_back({&file, &entry});
        }
    }
    return executions;
}

std::optional<ReproducedCall> reproduced_call(std::string_view program) {
    ReproducedCall head;
    bool has_call = false;
    bool is_observed = false;
    while (!program.empty()) {
        const std::size_t end = std::min(program.find('\n'), program.size());
        std::string_view line = program.substr(0, end);
        program.remove_prefix(std::min(end + 1, program.size()));
        if (line.starts_with("# ")) {
            line.remove_prefix(2);
        } else if (line.starts_with("// ")) {
            line.remove_prefix(3);
        } else {
            break;
        }
        constexpr std::string_view shows = "shows: ";
        const auto begins = [&](std::string_view word) { return line.starts_with(word); };
        if (begins("Rule ") || begins("command: ") || begins(shows)) is_observed = false;
        if (is_observed) (head.observed += head.observed.empty() ? "" : " ") += line;
        if (line.starts_with(shows)) head.shows = line.substr(shows.size());
        constexpr std::string_view begin = "Case ";
        if (has_call || !line.starts_with(begin)) continue;
        std::vector<std::string> parts;  // case, operator version, route, "on ..."
        line.remove_prefix(begin.size());
        for (std::size_t comma = line.find(", "); parts.size() < 3 && comma != line.npos;
             comma = line.find(", ")) {
            parts.emplace_back(line.substr(0, comma));
            line.remove_prefix(comma + 2);
        }
        if (parts.size() < 3 || !line.starts_with("on ")) continue;
        const auto version = operator_version(parts[1]);
        std::string& route = parts[2];
        constexpr std::string_view runtime_axis = "/axis-runtime";
        if (route.ends_with(runtime_axis)) {
            head.call.route.axis = AxisOperand::runtime;
            route.resize(route.size() - runtime_axis.size());
        }
        const std::size_t slash = std::min(route.find('/'), route.size() - 1);
        const auto of_operands = operands(std::string_view(route).substr(0, slash));
        const auto of_shapes = shapes(std::string_view(route).substr(slash + 1));
        if (!version || !of_operands || !of_shapes) return std::nullopt;
        head.call.case_id = parts[0];
        head.call.version = *version;
        head.call.route.operands = *of_operands;
        head.call.route.shapes = *of_shapes;
        has_call = true;
        is_observed = true;
    }
    if (!has_call) return std::nullopt;
    return head;
}

std::vector<Problem> check_findings(const FindingCatalogue& findings,
                                    const FindingExecutions& executions, const RuleCatalogue& rules,
                                    const std::filesystem::path& folder) {
    std::vector<Problem> problems;
    std::map<std::tuple<std::string, FindingCall, std::string>, std::string> calls;
    std::set<std::filesystem::path> programs;
    for (const Finding& finding : findings.findings()) {
        programs.insert(std::filesystem::path(finding.reproducer).lexically_normal());
        const auto& own = executions_of(executions, finding);
        if (own.empty()) {
            problems.push_back({finding.file, finding.pointer,
                                "no known failure names " + finding.id +
                                    "; remove it, or name it under \"finding\" in the known "
                                    "failures that show it"});
            continue;
        }
        check_implementations(finding, own, problems);
        check_rules(finding, own, rules, problems);
        check_call(finding, own, problems);
        check_witness(finding, own, problems);
        check_program(finding, own, problems);
        for (const std::string& implementation : finding.implementations) {
            const auto [first, is_new] = calls.emplace(
                std::tuple(implementation, finding.call, finding.outcome), finding.id);
            if (is_new) continue;
            problems.push_back({finding.file, finding.pointer + "/call",
                                to_string(finding.call) + " of " + implementation + " comes to " +
                                    in_quotes(finding.outcome) + " by " + first->second +
                                    " already; if they are one bug put them together, if not "
                                    "take a call that tells them apart"});
            break;
        }
    }
    std::error_code error;
    std::vector<std::string> left;
    for (std::filesystem::recursive_directory_iterator entry(folder / reproducers_folder, error),
         end;
         !error && entry != end; entry.increment(error)) {
        if (!entry->is_regular_file(error)) continue;
        const auto path = entry->path().lexically_normal();
        if (!programs.contains(path)) left.push_back(path.generic_string());
    }
    std::ranges::sort(left);
    for (const std::string& file : left) {
        problems.push_back({file, "", "no finding names this reproducer; remove it"});
    }
    return problems;
}

}  // namespace gathercheck
