// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/diff.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <unordered_map>

#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

constexpr std::array<std::string_view, change_kind_count> kind_names{
    "new failure",       "other failure",       "fixed",           "flaky",
    "newly supported",   "no longer supported", "other treatment", "newly claimed",
    "no longer claimed", "case added",          "case removed",    "newly run",
    "no longer run"};
static_assert(static_cast<std::size_t>(ChangeKind::no_longer_run) + 1 == change_kind_count);

/// What an execution came to, as far as changes go.
enum class Standing : std::uint8_t { absent, nothing, unsupported, right, wrong };

Standing standing(const ExecutionRecord* execution) {
    if (execution == nullptr) return Standing::absent;
    if (!says_something(*execution)) return Standing::nothing;
    if (execution->verdict == Verdict::unsupported) return Standing::unsupported;
    return wrong_outcome(*execution).empty() ? Standing::right : Standing::wrong;
}

bool answered(const ExecutionRecord* execution) {
    const Standing what = standing(execution);
    return what != Standing::absent && what != Standing::nothing;
}

std::string outcome_text(const ExecutionRecord* execution) {
    if (execution == nullptr) return {};
    const std::string wrong = wrong_outcome(*execution);
    if (!wrong.empty()) return wrong;
    if (execution->verdict == Verdict::fixed) return std::string(name(Verdict::pass));
    if (execution->verdict == Verdict::unspecified) {
        return "unspecified: " + execution->classification;
    }
    return std::string(name(execution->verdict));
}

bool is_flaky(const ExecutionRecord& execution) {
    return execution.failure == Failure::not_deterministic;
}

std::set<std::string> rules_of(const ChangedExecution& change) {
    std::set<std::string> rules;
    for (const ExecutionRecord* one : {change.before, change.after}) {
        if (one == nullptr) continue;
        for (const std::string& rule : one->rules) rules.insert(unversioned_rule(rule));
    }
    return rules;
}

/// What executions of two runs are known by, once their implementations are.
using Key = std::string;

Key key_of(const ExecutionRecord& execution) {
    return std::string(name(execution.operator_version)) + ' ' + to_string(execution.route) + ' ' +
           execution.case_id;
}

std::string sweep_of(const std::string& case_id) { return case_id.substr(0, case_id.find('/')); }

/// One run, found by what its records are about.
class Run {
public:
    explicit Run(const RecordFiles& files) : lacking(files.lacking) {
        for (const RecordFileContent& file : files.files) {
            for (const Record& record : file.records) add(record);
        }
    }

    struct Of {
        const ImplementationRecord* record = nullptr;
        std::unordered_map<Key, const ExecutionRecord*> executions;
        std::vector<const ExecutionRecord*> in_order;
        std::set<std::pair<OperatorVersion, Route>> asked;  ///< of those that were answered
    };

    const RunRecord* header = nullptr;
    std::vector<std::string> lacking;
    std::vector<std::string> names;  ///< of implementations, in their order
    std::map<std::string, Of> implementations;
    std::unordered_map<std::string, std::string> cases;  ///< id and hash of all that were asked

private:
    void add(const Record& record) {
        if (const auto* run = std::get_if<RunRecord>(&record)) {
            if (header == nullptr) header = run;
        } else if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
            Of& of = implementations[implementation->name];
            if (of.record == nullptr) names.push_back(implementation->name);
            if (of.record == nullptr || of.record->state != "started") of.record = implementation;
        } else if (const auto* execution = std::get_if<ExecutionRecord>(&record)) {
            Of& of = implementations[execution->implementation];
            of.executions.emplace(key_of(*execution), execution);
            of.in_order.push_back(execution);
            cases.try_emplace(execution->case_id, execution->case_hash);
        }
    }
};

bool same_selection(const RunRecord& a, const RunRecord& b) {
    if (!a.settings || !b.settings) return false;
    return a.settings->filters == b.settings->filters && a.settings->sweeps == b.settings->sweeps &&
           a.settings->shard == b.settings->shard &&
           a.settings->cases.empty() == b.settings->cases.empty();
}

/// Whether some claim covers the operator version by the route; element types are not told here.
bool claims(const ImplementationRecord& implementation, const ExecutionRecord& execution) {
    if (!implementation.claims) return true;
    const auto has = [](const auto& list, const auto& one) {
        return std::ranges::find(list, one) != list.end();
    };
    return std::ranges::any_of(*implementation.claims, [&](const Claim& claim) {
        return has(claim.versions, execution.operator_version) &&
               has(claim.operands, execution.route.operands) &&
               has(claim.shapes, execution.route.shapes) && has(claim.axes, execution.route.axis);
    });
}

/// Compares one implementation in two runs.
class Comparison {
public:
    Comparison(const Run& before, const Run& after, const Run::Of& one, const Run::Of& other)
        : before_(before), after_(after), one_(one), other_(other) {}

    ImplementationDiff go() {
        ImplementationDiff diff;
        diff.before = one_.record;
        diff.after = other_.record;
        diff.executions_before = static_cast<std::int64_t>(one_.in_order.size());
        diff.executions_after = static_cast<std::int64_t>(other_.in_order.size());
        for (const ExecutionRecord* execution : one_.in_order) {
            const auto found = other_.executions.find(key_of(*execution));
            const bool is_there = found != other_.executions.end();
            if (is_there) ++diff.in_both;
            add({execution, is_there ? found->second : nullptr});
        }
        for (const ExecutionRecord* execution : other_.in_order) {
            if (!one_.executions.contains(key_of(*execution))) add({nullptr, execution});
        }
        for (auto& [key, group] : groups_) {
            finish(group);
            diff.groups.push_back(std::move(group));
        }
        std::ranges::stable_sort(diff.groups, {}, [](const ChangeGroup& group) {
            return std::pair(group.kind, -static_cast<std::int64_t>(group.executions.size()));
        });
        return diff;
    }

private:
    /// Why an execution of one run is not in the other.
    ChangeKind kind_of_absence(const ExecutionRecord& execution, const Run& there,
                               const Run::Of& of_there, bool is_gone) const {
        const bool is_complete = there.lacking.empty() && of_there.record != nullptr &&
                                 of_there.record->state == "started";
        if (!is_complete) return is_gone ? ChangeKind::no_longer_run : ChangeKind::newly_run;
        if (!claims(*of_there.record, execution)) {
            return is_gone ? ChangeKind::no_longer_claimed : ChangeKind::newly_claimed;
        }
        const bool other_suite = before_.header->suite_hash != after_.header->suite_hash;
        if (other_suite && !there.cases.contains(execution.case_id)) {
            return is_gone ? ChangeKind::case_removed : ChangeKind::case_added;
        }
        if (!same_selection(*before_.header, *after_.header)) {
            return is_gone ? ChangeKind::no_longer_run : ChangeKind::newly_run;
        }
        return is_gone ? ChangeKind::no_longer_claimed : ChangeKind::newly_claimed;
    }

    /// Nothing where nothing changed.
    std::optional<ChangeKind> kind_of(const ChangedExecution& change) const {
        const Standing before = standing(change.before);
        const Standing after = standing(change.after);
        if (before == Standing::absent) {
            if (after == Standing::nothing) return std::nullopt;
            const ChangeKind kind = kind_of_absence(*change.after, before_, one_, false);
            // Of what was not run nobody knows whether it failed.
            const bool is_known = kind != ChangeKind::newly_run;
            return after == Standing::wrong && is_known ? ChangeKind::new_failure : kind;
        }
        if (after == Standing::absent) {
            if (before == Standing::nothing) return std::nullopt;
            return kind_of_absence(*change.before, after_, other_, true);
        }
        if (before == after) {
            if (before == Standing::wrong) return kind_of_failures(*change.before, *change.after);
            const bool is_other = before == Standing::right &&
                                  change.before->classification != change.after->classification &&
                                  change.before->verdict == Verdict::unspecified &&
                                  change.after->verdict == Verdict::unspecified;
            return is_other ? std::optional(ChangeKind::other_treatment) : std::nullopt;
        }
        if (after == Standing::nothing) return ChangeKind::no_longer_run;
        if (before == Standing::nothing) return ChangeKind::newly_run;
        if (after == Standing::wrong) return ChangeKind::new_failure;
        if (after == Standing::unsupported) return ChangeKind::no_longer_supported;
        if (before == Standing::unsupported) return ChangeKind::newly_supported;
        return is_flaky(*change.before) ? ChangeKind::flaky : ChangeKind::fixed;
    }

    static std::optional<ChangeKind> kind_of_failures(const ExecutionRecord& before,
                                                      const ExecutionRecord& after) {
        if (wrong_outcome(before) != wrong_outcome(after)) return ChangeKind::other_failure;
        const auto is_output = [](const ExecutionRecord& one) {
            return one.got.size() == 1 && one.got.front().has_elements;
        };
        if (is_output(before) && is_output(after) && before.got != after.got &&
            before.expected == after.expected) {
            return ChangeKind::other_failure;
        }
        return std::nullopt;
    }

    /// All that is recorded to be other, unless the case itself is.
    std::vector<Cause> causes_of(const ChangedExecution& change) const {
        const RunRecord& a = *before_.header;
        const RunRecord& b = *after_.header;
        std::vector<Cause> causes;
        const auto hash = [&](const ExecutionRecord* execution, const Run& run) {
            if (execution != nullptr) return execution->case_hash;
            const auto found = run.cases.find(change.either().case_id);
            return found != run.cases.end() ? found->second : std::string();
        };
        const std::string then = hash(change.before, before_);
        const std::string now = hash(change.after, after_);
        if (!then.empty() && !now.empty() && then != now) return {Cause::case_changed};
        if (one_.record != nullptr && other_.record != nullptr &&
            one_.record->version != other_.record->version) {
            causes.push_back(Cause::implementation);
        }
        if ((then.empty() || now.empty()) && a.suite_hash != b.suite_hash) {
            causes.push_back(Cause::suite);
        }
        if (a.tool_version != b.tool_version || a.suite_version != b.suite_version) {
            causes.push_back(Cause::tool);
        }
        if (a.cpu != b.cpu || a.system != b.system || a.distribution != b.distribution) {
            causes.push_back(Cause::machine);
        }
        if (causes.empty()) causes.push_back(Cause::unknown);
        return causes;
    }

    void add(const ChangedExecution& change) {
        const auto kind = kind_of(change);
        if (!kind) return;
        ChangeGroup group;
        group.kind = *kind;
        group.from = outcome_text(change.before);
        group.to = outcome_text(change.after);
        if (change.before == nullptr) {
            group.from = name(kind_of_absence(*change.after, before_, one_, false));
        }
        if (change.before != nullptr && change.after != nullptr) group.causes = causes_of(change);
        const ExecutionRecord& either = change.either();
        for (const ExecutionRecord* one : {change.before, change.after}) {
            if (one != nullptr && !one->finding.empty()) group.finding = one->finding;
            if (one != nullptr && standing(one) == Standing::wrong &&
                !one->classification.empty()) {
                group.classification = one->classification;
            }
        }
        group.operator_name = unversioned_name(either.operator_version);
        // Of what one run came to nothing with, only failures tell a reader something.
        const bool is_run = *kind == ChangeKind::newly_run || *kind == ChangeKind::no_longer_run;
        if (is_run && standing(change.before) != Standing::wrong &&
            standing(change.after) != Standing::wrong) {
            group.operator_name.clear();
            for (std::string* text : {&group.from, &group.to}) {
                const bool is_answer =
                    text == &group.from ? answered(change.before) : answered(change.after);
                if (is_answer) *text = "no failure";
            }
        }
        const auto key = std::tuple(group.kind, group.from, group.to, group.causes, group.finding,
                                    group.operator_name, group.classification);
        groups_.try_emplace(key, group).first->second.executions.push_back(change);
    }

    /// What all executions of a group have in common.
    static void finish(ChangeGroup& group) {
        std::set<OperatorVersion> versions;
        std::optional<std::set<std::string>> common;
        for (const ChangedExecution& change : group.executions) {
            versions.insert(change.either().operator_version);
            const std::set<std::string> rules = rules_of(change);
            if (!common) common = rules;
            std::erase_if(*common, [&](const std::string& rule) { return !rules.contains(rule); });
        }
        group.versions.assign(versions.begin(), versions.end());
        if (common) group.rules.assign(common->begin(), common->end());
    }

    using GroupKey = std::tuple<ChangeKind, std::string, std::string, std::vector<Cause>,
                                std::string, std::string, std::string>;

    const Run& before_;
    const Run& after_;
    const Run::Of& one_;
    const Run::Of& other_;
    std::map<GroupKey, ChangeGroup> groups_;
};

/// Cases that one run asked and the other did not, or asked with another content.
void compare_cases(const Run& before, const Run& after, RunDiff& diff) {
    for (const auto& [id, hash] : before.cases) {
        const auto found = after.cases.find(id);
        if (found == after.cases.end()) {
            ++diff.removed[sweep_of(id)];
        } else if (!hash.empty() && !found->second.empty() && hash != found->second) {
            ++diff.changed[sweep_of(id)];
        }
    }
    for (const auto& [id, hash] : after.cases) {
        if (!before.cases.contains(id)) ++diff.added[sweep_of(id)];
    }
}

}  // namespace

std::string unversioned_rule(const std::string& rule) {
    for (std::size_t dash = rule.find('-'); dash != std::string::npos;
         dash = rule.find('-', dash + 1)) {
        const std::size_t end =
            std::min(rule.find_first_not_of("0123456789", dash + 1), rule.size());
        if (end > dash + 1) return rule.substr(0, dash) + rule.substr(end);
    }
    return rule;
}

std::string unversioned_name(OperatorVersion version) {
    const std::string text(name(version));
    return text.substr(0, text.rfind('-'));
}

std::string_view name(ChangeKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::string_view name(Cause cause) {
    switch (cause) {
        case Cause::case_changed:
            return "the case was changed";
        case Cause::implementation:
            return "another version of the implementation";
        case Cause::tool:
            return "another version of gathercheck or its suite";
        case Cause::suite:
            return "another suite, perhaps";
        case Cause::machine:
            return "another machine";
        case Cause::unknown:
            return "no cause is recorded";
    }
    return {};
}

std::int64_t RunDiff::new_failures() const {
    std::int64_t count = 0;
    for (const ImplementationDiff& implementation : implementations) {
        for (const ChangeGroup& group : implementation.groups) {
            if (group.kind != ChangeKind::new_failure) continue;
            count += std::ranges::count_if(group.executions, [](const ChangedExecution& change) {
                return change.after->verdict != Verdict::difference;
            });
        }
    }
    return count;
}

std::variant<RunDiff, Problem> diff_runs(
    const RecordFiles& before, const RecordFiles& after,
    std::span<const std::pair<std::string, std::string>> matches) {
    const Run one(before);
    const Run other(after);
    RunDiff diff;
    diff.before = one.header;
    diff.after = other.header;
    diff.lacking_before = one.lacking;
    diff.lacking_after = other.lacking;
    diff.is_same_suite = one.header->suite_hash == other.header->suite_hash;
    if (!diff.is_same_suite) compare_cases(one, other, diff);
    const std::string& old_name = before.files.front().name;
    const std::string& new_name = after.files.front().name;
    std::set<std::string> compared;
    for (const auto& [then, now] : matches) {
        const bool is_old = !one.implementations.contains(then);
        if (!is_old && other.implementations.contains(now)) continue;
        const Run& run = is_old ? one : other;
        return Problem{is_old ? old_name : new_name, "",
                       "holds no implementation '" + (is_old ? then : now) +
                           "'; give --match OLD=NEW one of: " + joined(run.names)};
    }
    for (const std::string& then : one.names) {
        const auto match =
            std::ranges::find(matches, then, &std::pair<std::string, std::string>::first);
        const std::string& now = match != matches.end() ? match->second : then;
        const auto found = other.implementations.find(now);
        const bool is_taken =
            match == matches.end() &&
            std::ranges::find(matches, now, &std::pair<std::string, std::string>::second) !=
                matches.end();
        if (found == other.implementations.end() || is_taken) {
            diff.only_before.push_back(then);
            continue;
        }
        compared.insert(now);
        diff.implementations.push_back(
            Comparison(one, other, one.implementations.at(then), found->second).go());
    }
    for (const std::string& now : other.names) {
        if (!compared.contains(now)) diff.only_after.push_back(now);
    }
    if (diff.implementations.empty()) {
        return Problem{new_name, "",
                       "has no implementation in common with " + old_name + ": " +
                           joined(other.names) + " here and " + joined(one.names) +
                           " there; say by --match OLD=NEW which belong together"};
    }
    return diff;
}

}  // namespace gathercheck
