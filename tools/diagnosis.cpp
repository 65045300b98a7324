// SPDX-License-Identifier: Apache-2.0
// Runs every misreading on the calls that failed, and the best of them on those that passed.
#include "tools/diagnosis.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <variant>

#include "conformance/judge.hpp"
#include "conformance/number.hpp"
#include "conformance/run.hpp"
#include "reference/reference.hpp"
#include "tools/mutants/mutants.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{64} << 20;      // of kept outcomes
constexpr std::int64_t most_call_bytes = std::int64_t{4} << 20;  // of a call that is tried
constexpr std::size_t tried_per_version = 50;  // failures on which every misreading is tried
constexpr std::size_t candidates_kept = 12;    // misreadings that are tried on everything
constexpr std::size_t passes_tried = 2000;
constexpr std::size_t most_statements = 4;

bool is_about(const Misreading& misreading, OperatorVersion version) {
    return std::ranges::any_of(misreading.built_in.claims, [&](const Claim& claim) {
        return std::ranges::find(claim.versions, version) != claim.versions.end();
    });
}

/// The attribute that says which of several misreadings a call is for.
constexpr std::string_view number_of_misreading = "gathercheck.misreading";

/// Many misreadings as one implementation, so that they share a process until one ends it.
BuiltIn together(std::span<const Misreading* const> misreadings) {
    const auto taken_apart = [misreadings](const Call& call) {
        Call plain = call;
        const auto number =
            std::ranges::find(plain.attributes, number_of_misreading, &Attribute::name);
        const auto place = static_cast<std::size_t>(std::get<std::int64_t>(number->value));
        plain.attributes.erase(number);
        return std::pair(&misreadings[place]->built_in, std::move(plain));
    };
    BuiltIn built_in;
    built_in.name = "misreadings";
    built_in.version = "1";
    built_in.output_descriptor = [taken_apart](const Call& call) {
        const auto [one, plain] = taken_apart(call);
        return one->output_descriptor(plain);
    };
    built_in.run = [taken_apart](const Call& call, std::span<std::byte> output) {
        const auto [one, plain] = taken_apart(call);
        return one->run(plain, output);
    };
    return built_in;
}

/// The reference, but for what takes the place of an index out of bounds.
BuiltIn treating_bad_indices(const Equations& equations, OutOfRange policy, std::string_view name) {
    BuiltIn built_in;
    built_in.name = name;
    built_in.version = "1";
    built_in.output_descriptor = reference::output_descriptor;
    built_in.run = [&equations, policy](const Call& call,
                                        std::span<std::byte> output) -> Result<void> {
        const auto answer = equations.evaluate(call, policy);
        const auto* found = std::get_if<EquationAnswer>(&answer);
        if (found == nullptr) return reference::run(call, output);
        const Tensor tensor = assemble(*found, *call.input("data"));
        std::ranges::copy_n(
            tensor.contents.begin(),
            static_cast<std::ptrdiff_t>(std::min(tensor.contents.size(), output.size())),
            output.begin());
        return {};
    };
    Claim claim;
    for (const OperatorInfo& info : operator_versions()) {
        claim.versions = {info.version};
        claim.data = info.data_types;
        claim.indices = info.indices_types;
        built_in.claims.push_back(claim);
    }
    return built_in;
}

/// True where an implementation's outcome is the very one of a misreading.
bool same_outcome(const Outcome& theirs, const Outcome& ours) {
    if (std::holds_alternative<Rejected>(theirs)) return std::holds_alternative<Rejected>(ours);
    if (const auto* value = std::get_if<ValueOutcome>(&theirs)) {
        const auto* other = std::get_if<ValueOutcome>(&ours);
        return other != nullptr && same_tensor(value->output, other->output);
    }
    const auto* known = std::get_if<DescriptorOutcome>(&theirs);
    const auto* all = std::get_if<DescriptorOutcome>(&ours);
    if (known == nullptr || all == nullptr || known->type != all->type) return false;
    if (!known->known_rank) return true;
    return std::ranges::equal(known->shape, all->shape,
                              [](const auto& a, const auto& b) { return !a || a == b; });
}

std::int64_t bytes_of(const Outcome& outcome) {
    const auto* value = std::get_if<ValueOutcome>(&outcome);
    return value == nullptr ? 0 : static_cast<std::int64_t>(value->output.contents.size());
}

}  // namespace

std::vector<std::vector<Outcome>> answers_of(std::span<const Misreading* const> misreadings,
                                             std::span<const OwnedCall> calls,
                                             const std::vector<bool>& describe) {
    std::vector<std::vector<Outcome>> outcomes(
        misreadings.size(), std::vector<Outcome>(calls.size(), NotRun{"it was not asked"}));
    Limits limits;
    limits.seconds_per_call = 5;
    limits.restarts = 1000;
    const auto implementation = in_process(together(misreadings), limits);
    if (implementation->start()) return outcomes;
    for (std::size_t m = 0; m < misreadings.size(); ++m) {
        std::vector<Call> numbered;
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < calls.size(); ++k) {
            if (!is_about(*misreadings[m], calls[k].call.version)) continue;
            numbered.push_back(calls[k].call);
            numbered.back().attributes.push_back(
                {std::string(number_of_misreading), static_cast<std::int64_t>(m)});
            places.push_back(k);
        }
        std::vector<Request> requests(numbered.size());
        for (std::size_t k = 0; k < numbered.size(); ++k) {
            requests[k].call = &numbered[k];
            requests[k].describe = describe[places[k]];
        }
        if (requests.empty()) continue;
        implementation->answer(requests, [&](std::size_t k, Outcome outcome) {
            outcomes[m][places[k]] = std::move(outcome);
        });
    }
    return outcomes;
}

std::vector<Misreading> misreadings(const Equations& equations) {
    std::vector<Misreading> all;
    for (const Mutant& mutant : mutants()) {
        // What these give depends on memory outside the call, or on earlier calls.
        if (mutant.theme == "memory" || mutant.theme == "state") continue;
        all.push_back({mutant.name, mutant.idea, mutant.built_in});
    }
    all.push_back({"bad-index-zero-filled", "an index out of bounds gives zeros",
                   treating_bad_indices(equations, OutOfRange::zero, "bad-index-zero-filled")});
    all.push_back(
        {"bad-index-takes-first", "an index out of bounds takes the first element",
         treating_bad_indices(equations, OutOfRange::first_element, "bad-index-takes-first")});
    return all;
}

void Diagnosis::add(const Case& tested, const Outcome& outcome, const ExecutionRecord& record) {
    if (record.verdict == Verdict::pass) {
        passed_.push_back({&tested, record.operator_version});
        return;
    }
    const bool is_answer = std::holds_alternative<ValueOutcome>(outcome) ||
                           std::holds_alternative<DescriptorOutcome>(outcome) ||
                           std::holds_alternative<Rejected>(outcome);
    if (record.verdict != Verdict::fail) return;
    if (!is_answer || record.failure == Failure::wrong_error) {
        ++left_out_;
    } else if (bytes_ + bytes_of(outcome) > most_bytes) {
        failed_.push_back({&tested, record.operator_version, answer_digest(outcome)});
    } else {
        bytes_ += bytes_of(outcome);
        failed_.push_back({&tested, record.operator_version, outcome});
    }
}

void Diagnosis::add_recorded(const Case& tested, const ExecutionRecord& record) {
    if (record.verdict == Verdict::fail && !record.answer.empty()) {
        failed_.push_back({&tested, record.operator_version, record.answer});
    } else {
        // All that a diagnosis asks of a rejection is that it is one.
        const bool rejected = record.outcome == kind_name(Rejected{});
        add(tested, rejected ? Outcome(Rejected{}) : Outcome(NotRun{}), record);
    }
}

bool Diagnosis::same_answer(const Answer& theirs, const Outcome& ours) {
    if (const auto* outcome = std::get_if<Outcome>(&theirs)) return same_outcome(*outcome, ours);
    return answer_digest(ours) == std::get<std::string>(theirs);
}

/// The misreadings that explain most of a part of the failures, tried on all of them.
std::vector<Diagnosis::Candidate> Diagnosis::candidates(
    std::span<const Misreading> misreadings) const {
    // The failures on which every misreading is tried stand before the others.
    std::map<OperatorVersion, std::size_t> tried;
    std::vector<const Failed*> failed;
    std::vector<const Failed*> others;
    for (const Failed& one : failed_) {
        (++tried[one.version] <= tried_per_version ? failed : others).push_back(&one);
    }
    const std::size_t part = failed.size();
    failed.insert(failed.end(), others.begin(), others.end());
    std::vector<OwnedCall> calls;
    std::vector<bool> described;
    for (const Failed* one : failed) {
        calls.push_back(make_call(*one->tested, one->version));
        described.push_back(one->tested->is_described());
    }
    std::vector<const Misreading*> all;
    for (const Misreading& misreading : misreadings) all.push_back(&misreading);
    auto answers = answers_of(all, std::span(calls).first(part), described);
    std::vector<std::pair<std::int64_t, const Misreading*>> scores;
    for (std::size_t m = 0; m < all.size(); ++m) {
        std::int64_t score = 0;
        for (std::size_t k = 0; k < part; ++k) {
            score += same_answer(failed[k]->answer, answers[m][k]);
        }
        if (score > 0) scores.emplace_back(score, all[m]);
    }
    std::ranges::stable_sort(scores, std::ranges::greater(),
                             [](const auto& one) { return one.first; });
    if (scores.size() > candidates_kept) scores.resize(candidates_kept);

    std::vector<const Misreading*> best;
    for (const auto& [score, misreading] : scores) best.push_back(misreading);
    answers = answers_of(best, calls, described);
    std::vector<Candidate> found;
    for (std::size_t m = 0; m < best.size(); ++m) {
        Candidate candidate{best[m], std::vector<bool>(failed_.size()), 0};
        for (std::size_t k = 0; k < failed.size(); ++k) {
            candidate.explains[static_cast<std::size_t>(failed[k] - failed_.data())] =
                same_answer(failed[k]->answer, answers[m][k]);
        }
        found.push_back(std::move(candidate));
    }
    look_at_passes(found);
    return found;
}

void Diagnosis::look_at_passes(std::vector<Candidate>& candidates) const {
    std::vector<OwnedCall> calls;
    std::vector<bool> described;
    std::vector<std::shared_ptr<const PreparedCase>> prepared;
    // Ordered by the id of the case, so that the part that is tried is the same in every run.
    const auto key = [](const Passed& one) {
        return std::pair(std::string_view(one.tested->id), one.version);
    };
    std::vector<Passed> passed = passed_;
    std::ranges::sort(passed, {}, key);
    passed.erase(std::unique(passed.begin(), passed.end()), passed.end());
    for (const auto& [tested, version] : passed) {
        if (calls.size() == passes_tried) break;
        const bool any = std::ranges::any_of(candidates, [v = version](const Candidate& one) {
            return is_about(*one.misreading, v);
        });
        if (!any) continue;
        prepared.push_back(prepare(*tested, version, equations_, rules_));
        if (prepared.back()->bytes > most_call_bytes) {
            prepared.pop_back();
            continue;
        }
        calls.push_back(make_call(*tested, version));
        described.push_back(tested->is_described());
    }
    std::vector<const Misreading*> misread;
    for (const Candidate& one : candidates) misread.push_back(one.misreading);
    const auto answers = answers_of(misread, calls, described);
    for (std::size_t m = 0; m < candidates.size(); ++m) {
        for (std::size_t k = 0; k < calls.size(); ++k) {
            if (std::holds_alternative<NotRun>(answers[m][k])) continue;
            const Question question{prepared[k]->alternatives, {}, false, true, true, false};
            const Verdict verdict = judge(question, answers[m][k]).verdict;
            if (verdict != Verdict::pass && verdict != Verdict::unspecified) {
                ++candidates[m].contradicted;
            }
        }
    }
}

std::string Diagnosis::text() const {
    if (failed_.empty()) return {};
    const std::vector<Misreading> all = misreadings(equations_);
    std::vector<Candidate> left = candidates(all);
    std::vector<bool> open(failed_.size(), true);
    std::size_t unexplained = failed_.size();
    const auto gain = [&](const Candidate& one) {
        std::int64_t count = 0;
        for (std::size_t k = 0; k < open.size(); ++k) count += open[k] && one.explains[k];
        return count;
    };
    const auto failures = [](std::size_t count) {
        return count_of(static_cast<std::int64_t>(count), "failure");
    };
    std::string text;
    for (std::size_t statement = 0; statement < most_statements && unexplained > 0; ++statement) {
        // What passed speaks against a misreading as loudly as what failed speaks for it.
        const auto worth = [&](const Candidate& one) { return gain(one) - one.contradicted; };
        const auto best = std::ranges::max_element(left, {}, worth);
        if (best == left.end() || worth(*best) <= 0) break;
        const auto explained = static_cast<std::size_t>(gain(*best));
        if (statement == 0) {
            text += explained == failed_.size()
                        ? (explained == 1 ? "the failure could be explained by: "
                                          : "all " + failures(explained) + " are explained by: ")
                        : std::to_string(explained) + " of " + failures(failed_.size()) +
                              " are explained by: ";
        } else {
            text += "; " + std::to_string(explained) + " of the other " +
                    std::to_string(unexplained) + " by: ";
        }
        text += best->misreading->idea + " (" + best->misreading->name + ")";
        for (const Candidate& other : left) {
            if (&other != &*best && other.explains == best->explains &&
                other.contradicted == best->contradicted) {
                text +=
                    ", or as well: " + other.misreading->idea + " (" + other.misreading->name + ")";
                break;
            }
        }
        if (best->contradicted > 0) {
            text += ", which " + std::to_string(best->contradicted) + " passing calls contradict";
        }
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (best->explains[k]) open[k] = false;
        }
        unexplained -= explained;
        left.erase(best);
    }
    if (text.empty()) {
        text = "no misreading that is known here explains " +
               (failed_.size() == 1 ? "the failure" : "the " + failures(failed_.size()));
    } else if (unexplained > 0) {
        const auto place = std::ranges::find(open, true);
        text += "; " + std::to_string(unexplained) + " by none that is known here, e.g. " +
                failed_[static_cast<std::size_t>(place - open.begin())].tested->id;
    }
    if (left_out_ > 0)
        text += " (" + failures(static_cast<std::size_t>(left_out_)) +
                " of another kind not looked at)";
    return text;
}

}  // namespace gathercheck
