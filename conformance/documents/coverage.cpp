// SPDX-License-Identifier: Apache-2.0
// The join of rules, claims and measurements.
#include "conformance/documents/coverage.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "conformance/oracle/memory_need.hpp"

namespace gathercheck {
namespace {

/// What a case is to a rule that it names.
enum class Side : std::uint8_t { positive, negative, beside };

/// The category that an expectation's first reading is an error of.
std::optional<Category> expected_error(const Expectation& expectation) {
    if (expectation.is_unspecified()) return std::nullopt;
    const auto* error = std::get_if<ExpectedError>(&expectation.alternatives.front());
    return error == nullptr ? std::nullopt : std::optional(error->category);
}

bool can_produce(const Rule& rule, Category category) {
    return std::ranges::find(rule.errors, category) != rule.errors.end();
}

/// What an expectation makes of a rule that it names. `reached`: the call comes to a check of it.
/// A call that breaks two rules shows which is reported: the later one stands beside it, also where
/// it could lead to the same category, if an alternative is its own.
Side side_of(const Rule& rule, const Expectation& expectation, bool reached) {
    if (expectation.is_unspecified()) return Side::negative;
    const auto error = expected_error(expectation);
    if (!error) return Side::positive;
    if (!can_produce(rule, *error)) return Side::beside;
    const bool has_own = std::ranges::any_of(expectation.alternatives, [&](const Alternative& one) {
        const auto* other = std::get_if<ExpectedError>(&one);
        return other != nullptr && other->category != *error && can_produce(rule, other->category);
    });
    return has_own && !reached ? Side::beside : Side::negative;
}

/// The checks that a rule rests on, itself or through the rule that it shares a check with.
CheckSet checks_of(const Rule& rule) {
    CheckSet checks;
    for (std::size_t k = 0; k < check_count; ++k) {
        const auto check = static_cast<Check>(k);
        const std::string id = rule_id(rule.version, check);
        if (!id.empty() && (id == rule.id || id == rule.same_check)) checks.insert(check);
    }
    return checks;
}

bool overlap(CheckSet a, CheckSet b) { return (a.members & b.members) != 0; }

/// The checks that a call came to.
CheckSet evaluated(const Exercised& exercised) {
    CheckSet checks = exercised.passed;
    if (exercised.broken) checks.insert(*exercised.broken);
    return checks;
}

struct Entry {
    RuleCoverage coverage;
    CheckSet checks;
    std::vector<Entry*> same;  ///< rules that share a check with this one
};

class Join {
public:
    Join(const RuleCatalogue& rules, const std::vector<OperatorVersion>& versions,
         const Measure& measure)
        : measure_(measure) {
        for (const OperatorVersion version : versions) result_.versions.push_back({version});
        for (const auto& [id, rule] : rules.rules()) {
            if (counts(rule.version) == nullptr) continue;
            Entry& entry = entries_[id];
            entry.coverage.rule = &rule;
            entry.checks = checks_of(rule);
        }
        for (auto& [id, entry] : entries_) {
            const auto primary = entries_.find(entry.coverage.rule->same_check);
            if (primary == entries_.end()) continue;
            entry.same.push_back(&primary->second);
            primary->second.same.push_back(&entry);
        }
        for (auto& [id, entry] : entries_)
            of_version_[entry.coverage.rule->version].push_back(&entry);
    }

    void add(const Case& tested) {
        for (const Expectation& expectation : tested.expect) {
            for (const OperatorVersion version : expectation.versions) {
                VersionCoverage* count = counts(version);
                if (count == nullptr) continue;
                ++(tested.from_sweep ? count->swept : count->hand_written);
                add(tested, expectation, version);
            }
        }
    }

    Coverage finish() {
        for (auto& [id, entry] : entries_) {
            RuleCoverage& rule = entry.coverage;
            VersionCoverage& count = *counts(rule.rule->version);
            const bool complete =
                !rule.positive.empty() && (rule.rule->errors.empty() || !rule.negative.empty());
            rule.status = !rule.rule->untestable.empty() ? RuleStatus::untestable
                          : complete                     ? RuleStatus::tested
                                                         : RuleStatus::untested;
            ++count.rules;
            switch (rule.status) {
                case RuleStatus::tested:
                    ++count.tested;
                    break;
                case RuleStatus::untested:
                    ++count.untested;
                    break;
                case RuleStatus::untestable:
                    ++count.untestable;
                    break;
            }
            result_.rules.push_back(std::move(rule));
        }
        return std::move(result_);
    }

private:
    VersionCoverage* counts(OperatorVersion version) {
        const auto found = std::ranges::find(result_.versions, version, &VersionCoverage::version);
        return found == result_.versions.end() ? nullptr : &*found;
    }

    void add(const Case& tested, const Expectation& expectation, OperatorVersion version) {
        for (const NamedTensorSpec& input : tested.inputs) {
            const auto why = lacks_memory(input.tensor);
            if (!why) continue;
            result_.problems.push_back({tested.file, tested.pointer,
                                        "case " + tested.id + " for " + std::string(name(version)) +
                                            " is not looked at: " + *why});
            return;
        }
        const OwnedCall call = make_call(tested, version);
        const Measured measured = measure_(call.call, tested.is_described());
        CheckSet broken;
        if (measured.exercised.broken) broken.insert(*measured.exercised.broken);
        for (Entry* entry : of_version_[version]) {
            if (entry->checks.members == 0 ? measured.value
                                           : overlap(entry->checks, measured.exercised.passed)) {
                ++entry->coverage.kept;
            }
            if (overlap(entry->checks, broken)) ++entry->coverage.broken;
        }
        for (const std::string& id : expectation.rules) {
            const auto found = entries_.find(id);
            if (found == entries_.end() || found->second.coverage.rule->version != version)
                continue;
            const bool reached = overlap(found->second.checks, evaluated(measured.exercised));
            const Side side = side_of(*found->second.coverage.rule, expectation, reached);
            const std::string why = objection(found->second, side, expectation, measured);
            if (why.empty()) {
                credit(found->second, side, expectation, family_id(tested));
            } else {
                result_.problems.push_back({tested.file, tested.pointer,
                                            "case " + tested.id + " for " +
                                                std::string(name(version)) + " names rule " + id +
                                                ", " + why});
            }
        }
    }

    /// Why the call does not bear out the claim; empty where it does.
    static std::string objection(const Entry& entry, Side side, const Expectation& expectation,
                                 const Measured& measured) {
        const Exercised& exercised = measured.exercised;
        if (entry.checks.members == 0) {
            return side == Side::positive && !measured.value
                       ? "but the reference gives its call no value"
                       : "";
        }
        const std::string stop = exercised.broken ? ": it is rejected at the check of " +
                                                        check_name(entry, *exercised.broken)
                                                  : "";
        if (!overlap(entry.checks, evaluated(exercised))) {
            const bool masked = side == Side::beside && exercised.broken &&
                                entry.checks.all_after(*exercised.broken);
            return masked ? "" : "but its call never comes to a check of that rule" + stop;
        }
        if (side == Side::positive && !overlap(entry.checks, exercised.passed)) {
            return "but its call breaks that rule";
        }
        if (side == Side::negative && !expectation.is_unspecified() &&
            !(exercised.broken && entry.checks.contains(*exercised.broken))) {
            return "as if breaking it, but its call keeps that rule" + stop;
        }
        return "";
    }

    static std::string check_name(const Entry& entry, Check check) {
        return rule_id(entry.coverage.rule->version, check);
    }

    /// Whether an error is a fair answer beside the suite's own, an output.
    static bool may_break(const Rule& rule, const Expectation& expectation) {
        return std::ranges::any_of(expectation.alternatives, [&](const Alternative& one) {
            const auto* error = std::get_if<ExpectedError>(&one);
            return error != nullptr && can_produce(rule, error->category);
        });
    }

    static void insert(std::vector<std::string>& list, const std::string& id) {
        if (std::ranges::find(list, id) == list.end()) list.push_back(id);
    }

    static void credit(Entry& entry, Side side, const Expectation& expectation,
                       const std::string& id) {
        switch (side) {
            case Side::positive:
                insert(may_break(*entry.coverage.rule, expectation) ? entry.coverage.negative
                                                                    : entry.coverage.positive,
                       id);
                return;
            case Side::beside:
                insert(entry.coverage.beside, id);
                return;
            case Side::negative:
                break;
        }
        insert(entry.coverage.negative, id);
        const auto error = expected_error(expectation);
        for (Entry* other : entry.same) {
            if (!error || can_produce(*other->coverage.rule, *error)) {
                insert(other->coverage.negative, id);
            }
        }
    }

    const Measure& measure_;
    Coverage result_;
    std::map<std::string, Entry, std::less<>> entries_;
    std::map<OperatorVersion, std::vector<Entry*>> of_version_;
};

}  // namespace

std::string_view name(RuleStatus status) {
    static constexpr std::array<std::string_view, 3> names{"tested", "untested", "untestable"};
    return names[static_cast<std::size_t>(status)];
}

std::string missing(const RuleCoverage& rule) {
    if (rule.status != RuleStatus::untested) return {};
    std::string text;
    if (rule.positive.empty()) text = "no case keeps it; one must show: " + rule.rule->positive;
    if (!rule.rule->errors.empty() && rule.negative.empty()) {
        text += (text.empty() ? "" : "; ") + std::string("no case breaks it; one must show: ") +
                rule.rule->negative;
    }
    return text;
}

std::string family_id(const Case& tested) {
    return tested.from_sweep ? tested.id.substr(0, tested.id.find('/')) : tested.id;
}

Coverage cover(const Suite& suite, const RuleCatalogue& rules,
               const std::vector<OperatorVersion>& versions, const Measure& measure) {
    Join join(rules, versions, measure);
    for (const Case& tested : suite.cases) join.add(tested);
    return join.finish();
}

}  // namespace gathercheck
