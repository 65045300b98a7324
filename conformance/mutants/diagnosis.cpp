// SPDX-License-Identifier: Apache-2.0
// Runs every misreading on some calls that failed, the best of them on all of these and on calls
// that passed, and names those that explain most.
#include "conformance/mutants/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "conformance/judge/judge.hpp"
#include "conformance/judge/prepared_case.hpp"
#include "conformance/mutants/bug.hpp"
#include "conformance/mutants/mutants.hpp"
#include "conformance/mutants/unchecked_index.hpp"
#include "conformance/run/run.hpp"
#include "conformance/util/number.hpp"
#include "reference/reference.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{64} << 20;      // of kept outcomes
constexpr std::int64_t most_call_bytes = std::int64_t{1} << 18;  // of a passing call that is tried
constexpr std::int64_t most_tried_bytes = 1 << 16;  // of a failing one, where there are smaller
constexpr std::size_t tried_per_version = 60;  // failing calls on which every misreading is tried
constexpr std::size_t candidates_per_version = 24;
constexpr std::size_t next_best = 4;  // those after the ones that explain most of what is open
constexpr int most_timeouts = 2;      // of a misreading, before it is asked no more
constexpr std::size_t asked_together = 512;
constexpr std::size_t passes_tried = 4000;  // calls, shared by the versions that have failures
constexpr std::size_t least_passes_per_version = 250;
constexpr std::size_t most_statements = 6;
constexpr std::int64_t most_against = 5;  // failures explained for each pass that contradicts
constexpr std::size_t few = 2;  // failing calls, of which many misreadings give one of the answers
constexpr std::size_t few_seen = 5;  // calls, right and wrong: too few to tell misreadings apart
constexpr std::size_t least_shared = 3;  // failing calls of which a common property says something
constexpr std::size_t most_labels = 3;   // routes or types that a cause is limited to

bool is_about(const Misreading& misreading, OperatorVersion version) {
    return std::ranges::any_of(misreading.built_in.claims, [&](const Claim& claim) {
        return std::ranges::find(claim.versions, version) != claim.versions.end();
    });
}

/// One claim for each version of these families, of all that it takes.
std::vector<Claim> claims_of(const std::set<Family>& families) {
    std::vector<Claim> claims;
    for (const OperatorInfo& info : operator_versions()) {
        if (!families.contains(info.family)) continue;
        Claim claim;
        claim.versions = {info.version};
        claim.data = info.data_types;
        claim.indices = info.indices_types;
        claims.push_back(std::move(claim));
    }
    return claims;
}

/// The families that a built-in implementation claims versions of.
std::set<Family> families_of(const BuiltIn& built_in) {
    std::set<Family> families;
    for (const Claim& claim : built_in.claims) {
        for (const OperatorVersion version : claim.versions) families.insert(info(version).family);
    }
    return families;
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

/// The reference by another name; it claims nothing yet.
BuiltIn reference_as(std::string_view name) {
    BuiltIn built_in;
    built_in.name = name;
    built_in.version = "1";
    built_in.output_descriptor = reference::output_descriptor;
    built_in.run = reference::run;
    return built_in;
}

/// The reference, but for what takes the place of an index out of bounds.
BuiltIn treating_bad_indices(const Equations& equations, OutOfRange policy, std::string_view name) {
    BuiltIn built_in = reference_as(name);
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
    built_in.claims = claims_of({Family::gather, Family::gather_elements, Family::gather_nd});
    return built_in;
}

/// The reference as a misreading of nothing, of the versions that it is written for.
Misreading no_misreading() {
    BuiltIn built_in = reference_as("reference");
    Claim claim;
    for (const OperatorInfo& one : operator_versions().first(enumerated_version_count)) {
        claim.versions.push_back(one.version);
    }
    built_in.claims = {claim};
    return {"reference", "", built_in};
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

/// What misreadings answer to those calls of their versions that are wanted; `use` gets each.
void answers_to(std::span<const Misreading* const> misreadings, std::span<const Call* const> calls,
                const std::vector<bool>& describe, int timeouts_allowed,
                const std::function<bool(std::size_t m, std::size_t k)>& wanted,
                const std::function<void(std::size_t m, std::size_t k, Outcome outcome)>& use) {
    Limits limits;
    limits.seconds_per_call = 5;
    limits.restarts = 1000;
    const auto implementation = in_process(together(misreadings), limits);
    if (implementation->start()) return;
    for (std::size_t m = 0; m < misreadings.size(); ++m) {
        std::vector<Call> numbered;
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < calls.size(); ++k) {
            if (calls[k] == nullptr || !is_about(*misreadings[m], calls[k]->version) ||
                !wanted(m, k)) {
                continue;
            }
            numbered.push_back(*calls[k]);
            numbered.back().attributes.push_back(
                {std::string(number_of_misreading), static_cast<std::int64_t>(m)});
            places.push_back(k);
        }
        std::vector<Request> requests(numbered.size());
        for (std::size_t k = 0; k < numbered.size(); ++k) {
            requests[k].call = &numbered[k];
            requests[k].describe = describe[places[k]];
        }
        int timeouts = 0;
        for (std::size_t begin = 0; begin < requests.size() && timeouts < timeouts_allowed;
             begin += asked_together) {
            const std::size_t count = std::min(asked_together, requests.size() - begin);
            implementation->answer(std::span(requests).subspan(begin, count),
                                   [&](std::size_t k, Outcome outcome) {
                                       timeouts += std::holds_alternative<Timeout>(outcome);
                                       use(m, places[begin + k], std::move(outcome));
                                   });
        }
    }
}

/// A bug of rounding that only some copies of a kernel have: "i64-through-f64-in-slices".
bool is_part_of_rounding(const Mutant& mutant) {
    return mutant.theme == "rounding" && mutant.name.find("-in-") != std::string::npos;
}

/// False for the words of a crash by which a process divides by zero or runs into a trap: it has
/// read nothing.
bool may_be_of_memory(std::string_view crash) {
    constexpr std::array<std::string_view, 3> others{"SIGFPE", "SIGILL", "SIGTRAP"};
    return std::ranges::none_of(
        others, [&](std::string_view signal) { return crash.find(signal) != crash.npos; });
}

}  // namespace

std::vector<std::vector<Outcome>> answers_of(std::span<const Misreading* const> misreadings,
                                             std::span<const OwnedCall> calls,
                                             const std::vector<bool>& describe) {
    std::vector<std::vector<Outcome>> outcomes(
        misreadings.size(), std::vector<Outcome>(calls.size(), NotRun{"it was not asked"}));
    std::vector<const Call*> borrowed;
    for (const OwnedCall& one : calls) borrowed.push_back(&one.call);
    answers_to(
        misreadings, borrowed, describe, std::numeric_limits<int>::max(),
        [](std::size_t, std::size_t) { return true; },
        [&](std::size_t m, std::size_t k, Outcome outcome) {
            outcomes[m][k] = std::move(outcome);
        });
    return outcomes;
}

std::vector<Misreading> misreadings(const Equations& equations) {
    std::vector<Misreading> all;
    const std::vector<Mutant> float_rounding = mutant::float_rounding_mutants();
    for (const Mutant& mutant : mutants()) {
        // What these give depends on memory outside the call, or on earlier calls.
        if (mutant.theme == "memory" || mutant.theme == "state") continue;
        // Bugs of parts of a kernel: what a float rounds is named by the whole, and a counter that
        // is too narrow shows in a few long calls only. Trying them all would double the time.
        if (mutant.theme == "counters" || is_part_of_rounding(mutant)) continue;
        const auto has_name = [&](const Mutant& other) { return other.name == mutant.name; };
        if (std::ranges::any_of(float_rounding, has_name)) continue;
        all.push_back({mutant.name, mutant.idea, mutant.built_in});
        // Mutants are planted where the bug is to be caught; one kernel may serve more versions.
        if (mutant.theme == "sign and width" || mutant.theme == "elements") {
            all.back().built_in.claims = claims_of(families_of(mutant.built_in));
        }
    }
    for (const Mutant& mutant : float_rounding) {
        all.push_back({mutant.name, mutant.idea, mutant.built_in});
    }
    all.push_back({"bad-index-zero-filled", "an index out of bounds gives zeros",
                   treating_bad_indices(equations, OutOfRange::zero, "bad-index-zero-filled")});
    all.push_back(
        {"bad-index-takes-first", "an index out of bounds takes the first element",
         treating_bad_indices(equations, OutOfRange::first_element, "bad-index-takes-first")});
    return all;
}

std::string versions_text(std::span<const OperatorVersion> versions) {
    std::string text;
    std::string before;
    for (const OperatorInfo& one : operator_versions()) {
        if (std::ranges::find(versions, one.version) == versions.end()) continue;
        const std::string type = std::string(one.specification) + "." + std::string(one.type);
        const bool goes_on = type == before;
        if (!goes_on) text += (text.empty() ? "" : ", ") + type;
        if (one.number != 0) text += (goes_on ? "," : "-") + std::to_string(one.number);
        before = type;
    }
    return text;
}

void Diagnosis::add(const Case& tested, const Outcome& outcome, const ExecutionRecord& record) {
    const bool is_fatal = record.verdict == Verdict::crash || record.verdict == Verdict::timeout;
    if (record.verdict == Verdict::pass) {
        passed_.push_back({&tested, record.operator_version, record.route});
        return;
    }
    const bool is_wrong = record.verdict == Verdict::fail || record.verdict == Verdict::difference;
    has_fixed_ = has_fixed_ || record.verdict == Verdict::fixed;
    if (!is_wrong && !is_fatal) return;
    Failed failed{&tested, record.operator_version, record.route, NoAnswer{false}};
    failed.key = execution_key(record);
    const bool is_answer = std::holds_alternative<ValueOutcome>(outcome) ||
                           std::holds_alternative<DescriptorOutcome>(outcome) ||
                           std::holds_alternative<Rejected>(outcome);
    if (record.failure == Failure::wrong_error) {
        ++wrong_errors_;
        return;
    }
    if (!is_answer) {
        failed.kind = kind_name(outcome);
        failed.answer =
            NoAnswer{std::holds_alternative<UnsafeMemory>(outcome) ||
                     std::holds_alternative<NotDeterministic>(outcome) ||
                     (std::holds_alternative<Crash>(outcome) && may_be_of_memory(record.detail))};
    } else if (bytes_ + bytes_of(outcome) > most_bytes) {
        failed.answer = answer_digest(outcome);
        failed.is_other = record.classification == "other";
    } else {
        bytes_ += bytes_of(outcome);
        failed.answer = outcome;
    }
    failed_.push_back(std::move(failed));
}

void Diagnosis::add_recorded(const Case& tested, const ExecutionRecord& record) {
    const bool is_wrong = record.verdict == Verdict::fail || record.verdict == Verdict::difference;
    if (is_wrong && !record.answer.empty()) {
        failed_.push_back({&tested, record.operator_version, record.route, record.answer,
                           record.classification == "other", execution_key(record)});
        return;
    }
    // All that a diagnosis asks of a rejection is that it is one; of what else is no answer, its
    // kind.
    Outcome outcome = NotRun{};
    for (const Outcome& kind :
         {Outcome(Rejected{}), Outcome(UnsafeMemory{}), Outcome(Crash{}),
          Outcome(NotDeterministic{}), Outcome(Unsupported{}), Outcome(Timeout{})}) {
        if (record.outcome == kind_name(kind)) outcome = kind;
    }
    add(tested, outcome, record);
}

/// Explains the failures that a Diagnosis has collected.
class Diagnosing {
public:
    explicit Diagnosing(const Diagnosis& all)
        : equations_(all.equations_),
          rules_(all.rules_),
          failed_(all.failed_),
          passed_(all.passed_),
          wrong_errors_(all.wrong_errors_),
          has_fixed_(all.has_fixed_),
          misreadings_(misreadings(all.equations_)) {}

    Explanation explain() {
        if (failed_.empty()) return {};
        find_calls();
        const std::string doubt = set_aside_doubtful();
        if (failed_.empty()) return {doubt, {}};
        if (std::ranges::none_of(failed_, is_considered)) {
            return {joined(doubt, shared()), {}};
        }
        find_labels();
        try_misreadings();
        try_unchecked();
        look_at_passes_of_failing_versions();
        find_causes();
        find_denials();
        return {joined(doubt, text()), causes()};
    }

private:
    using Failed = Diagnosis::Failed;
    using NoAnswer = Diagnosis::NoAnswer;

    /// What a cause says of a failure.
    enum class Fit : std::uint8_t {
        neutral,   ///< that the call is answered rightly, or nothing
        explains,  ///< the very answer that came
        mismatch,  ///< another wrong answer
    };

    /// What a cause says of a call that passed.
    enum class Look : std::uint8_t { unknown, agrees, contradicts };

    /// A call, whatever the routes by which it was asked.
    struct Asked {
        const Case* tested;
        OperatorVersion version;
        std::shared_ptr<const PreparedCase> prepared;  ///< empty: not yet made
        std::vector<std::size_t> executions;           ///< positions in failed_ or passed_
    };

    struct Candidate {
        std::string name;
        std::string idea;
        const Misreading* misreading;  ///< null: `unchecked`
        Unchecked unchecked = Unchecked::all;
        std::vector<Fit> fits;    ///< one for each of failed_
        std::vector<Look> looks;  ///< one for each of passing_

        bool is_about(OperatorVersion version) const {
            return misreading == nullptr || gathercheck::is_about(*misreading, version);
        }
    };

    /// Where a cause holds, and what speaks for and against it there.
    struct Scope {
        std::size_t facet = 0;
        std::set<OperatorVersion> versions;
        std::set<std::size_t> labels;
        std::int64_t gain = 0;
        std::int64_t contradicted = 0;
        std::int64_t mismatched = 0;
        std::int64_t open = 0;
        std::vector<std::size_t> explained;

        // What passed speaks against a cause as loudly as what failed speaks for it.
        std::int64_t worth() const { return gain - contradicted - mismatched; }
    };

    struct Statement {
        const Candidate* cause;
        Scope scope;
        /// Those that explain the same as well. Of a few failures that are many.
        std::vector<const Candidate*> others;
        std::size_t calls = 0;   ///< that it explains, by whatever routes they were asked
        std::size_t denied = 0;  ///< failures that nothing explains, and that this makes otherwise
        const Failed* denying = nullptr;  ///< the first of them

        bool is_ambiguous() const { return others.size() > 1 && calls <= few; }
    };

    bool is_few() const { return calls_seen_ <= few_seen; }
    bool is_sure(const Statement& statement) const {
        return statement.calls > 1 && statement.denied == 0 && statement.others.empty() &&
               statement.scope.contradicted == 0 && !is_few();
    }

    /// By what a cause may be limited besides the version. The first limits nothing.
    static constexpr std::size_t facet_count = 6;

    static std::string label(std::size_t facet, const Case& tested, const Route& route) {
        const auto type_of = [&](std::string_view input) -> std::string {
            const TensorSpec* tensor = tested.input(input);
            if (tensor == nullptr) return "no " + std::string(input);
            return std::string(name(tensor->descriptor.type)) + " " + std::string(input);
        };
        switch (facet) {
            case 1:
                return route.operands == Operands::runtime    ? "indices given at run time"
                       : route.operands == Operands::constant ? "constant indices"
                                                              : "folded operands";
            case 2:
                return std::string(name(route.shapes)) + " shapes";
            case 3:
                return route.axis == AxisOperand::constant ? "a constant axis"
                                                           : "an axis given at run time";
            case 4:
                return type_of("indices");
            case 5:
                return type_of("data");
            default:
                return {};
        }
    }

    static bool is_considered(const Failed& failed) {
        const auto* none = std::get_if<NoAnswer>(&failed.answer);
        return none == nullptr || none->may_be_memory;
    }

    /// Each call once, in an order that does not depend on that of the run.
    template <class Executions>
    static std::vector<Asked> calls_of(const Executions& executions) {
        std::map<std::tuple<OperatorVersion, bool, std::string_view>, Asked> calls;
        for (std::size_t k = 0; k < executions.size(); ++k) {
            const auto& one = executions[k];
            auto& asked = calls[{one.version, one.tested->from_sweep, one.tested->id}];
            asked.tested = one.tested;
            asked.version = one.version;
            asked.executions.push_back(k);
        }
        std::vector<Asked> all;
        for (auto& [key, asked] : calls) all.push_back(std::move(asked));
        return all;
    }

    void prepare_call(Asked& asked) const {
        if (asked.prepared) return;
        asked.prepared = prepare(*asked.tested, asked.version, equations_, rules_);
    }

    static std::string joined(const std::string& first, const std::string& second) {
        return first + (first.empty() || second.empty() ? "" : "; ") + second;
    }

    /// Takes out the failures whose answer is the reference's: nobody misread anything there,
    /// unless who wrote the case. Returns what is to be said of them.
    std::string set_aside_doubtful() {
        const Misreading none = no_misreading();
        const std::array<const Misreading*, 1> reference{&none};
        std::vector<bool> doubtful(failed_.size());
        ask(
            reference, failing_, [](std::size_t, std::size_t) { return true; },
            [&](std::size_t, std::size_t k, const Outcome& outcome) {
                for (const std::size_t e : failing_[k].executions) {
                    doubtful[e] = !std::holds_alternative<NotRun>(outcome) &&
                                  same_answer(failed_[e], outcome);
                }
            });
        std::vector<Failed> kept;
        const Case* first = nullptr;
        for (std::size_t e = 0; e < failed_.size(); ++e) {
            if (!doubtful[e]) {
                kept.push_back(failed_[e]);
                continue;
            }
            if (first == nullptr) first = failed_[e].tested;
        }
        if (first == nullptr) return {};
        const std::size_t count = failed_.size() - kept.size();
        failed_ = std::move(kept);
        if (!failed_.empty()) find_calls();
        return failures(count) + (count == 1 ? " is" : " are") +
               " what the reference answers, too: the case may be wrong, as gathercheck check " +
               first->file + " tells (" + first->id + ")";
    }

    void find_calls() {
        failing_versions_.clear();
        failing_ = calls_of(failed_);
        passing_ = calls_of(passed_);
        calls_seen_ = failing_.size() + passing_.size();
        for (Asked& asked : failing_) {
            prepare_call(asked);
            failing_versions_.insert(asked.version);
        }
        thin_out_passes();
    }

    /// Leaves so many of the passing calls of each version that trying them takes no time: the
    /// hand-written ones, and every n-th of the others.
    void thin_out_passes() {
        std::map<OperatorVersion, std::vector<Asked>> by_version;
        for (Asked& asked : passing_) by_version[asked.version].push_back(std::move(asked));
        passing_.clear();
        const std::size_t most =
            std::max(passes_tried / failing_versions_.size(), least_passes_per_version);
        for (auto& [version, calls] : by_version) {
            const auto swept = std::ranges::find_if(
                calls, [](const Asked& asked) { return asked.tested->from_sweep; });
            const auto written = static_cast<std::size_t>(swept - calls.begin());
            const std::size_t room = most > written ? most - written : std::size_t{1};
            const std::size_t step = (calls.size() - written) / room + 1;
            for (std::size_t k = 0; k < calls.size(); ++k) {
                if (k < written || (k - written) % step == 0) {
                    passing_.push_back(std::move(calls[k]));
                }
            }
        }
    }

    void find_labels() {
        for (std::size_t facet = 0; facet < facet_count; ++facet) {
            std::map<std::string, std::size_t> known;
            const auto number = [&](const Case& tested, const Route& route) {
                return known.emplace(label(facet, tested, route), known.size()).first->second;
            };
            for (const Failed& one : failed_) {
                failed_labels_[facet].push_back(number(*one.tested, one.route));
            }
            for (const auto& one : passed_) {
                passed_labels_[facet].push_back(number(*one.tested, one.route));
            }
            label_texts_[facet].resize(known.size());
            for (const auto& [text, place] : known) label_texts_[facet][place] = text;
        }
    }

    static bool same_answer(const Failed& failed, const Outcome& ours) {
        if (const auto* outcome = std::get_if<Outcome>(&failed.answer)) {
            return same_outcome(*outcome, ours);
        }
        const auto* digest = std::get_if<std::string>(&failed.answer);
        return digest != nullptr && answer_digest(ours) == *digest;
    }

    static bool is_right(const PreparedCase& prepared, const Outcome& outcome) {
        const Question question{prepared.alternatives, {}, false, true, true};
        const Verdict verdict = judge(question, outcome).verdict;
        return verdict == Verdict::pass || verdict == Verdict::unspecified;
    }

    Fit fit(const Asked& asked, const Failed& failed, const Outcome& ours) const {
        if (std::holds_alternative<NotRun>(ours)) return Fit::neutral;
        if (same_answer(failed, ours)) return Fit::explains;
        return is_right(*asked.prepared, ours) ? Fit::neutral : Fit::mismatch;
    }

    /// What misreadings answer to calls; `wanted` says which are asked.
    template <class Wanted, class Use>
    static void ask(std::span<const Misreading* const> misreadings, std::vector<Asked>& calls,
                    Wanted wanted, Use use) {
        std::vector<const Call*> borrowed;
        std::vector<bool> described;
        for (const Asked& asked : calls) {
            borrowed.push_back(asked.prepared ? &asked.prepared->call.call : nullptr);
            described.push_back(asked.tested->is_described());
        }
        answers_to(misreadings, borrowed, described, most_timeouts, wanted, use);
    }

    /// The failing calls of each version on which every misreading is tried.
    std::vector<bool> choose_tried() const {
        std::vector<bool> tried(failing_.size());
        std::map<OperatorVersion, std::vector<std::size_t>> of_version;
        for (std::size_t k = 0; k < failing_.size(); ++k) {
            const bool any = std::ranges::any_of(failing_[k].executions, [&](std::size_t e) {
                return !std::holds_alternative<NoAnswer>(failed_[e].answer);
            });
            if (any) of_version[failing_[k].version].push_back(k);
        }
        for (auto& [version, calls] : of_version) {
            // A call of 300,000 indices costs as much as thousands of others.
            const auto is_large = [&](std::size_t k) {
                return failing_[k].prepared && failing_[k].prepared->bytes > most_tried_bytes;
            };
            if (!std::ranges::all_of(calls, is_large)) std::erase_if(calls, is_large);
            const std::size_t count = std::min(calls.size(), tried_per_version);
            for (std::size_t k = 0; k < count; ++k) tried[calls[k * calls.size() / count]] = true;
        }
        return tried;
    }

    /// Of all misreadings those that explain most of some version's tried calls, or what those
    /// leave.
    std::vector<std::size_t> choose_candidates(const std::vector<bool>& tried,
                                               const std::vector<std::vector<Fit>>& fits) const {
        std::set<std::size_t> chosen;
        for (const OperatorVersion version : failing_versions_) {
            std::vector<std::size_t> open;
            for (std::size_t k = 0; k < failing_.size(); ++k) {
                if (tried[k] && failing_[k].version == version) open.push_back(k);
            }
            for (std::size_t count = 0; count < candidates_per_version && !open.empty();) {
                std::vector<std::pair<std::int64_t, std::size_t>> gains;
                for (std::size_t m = 0; m < fits.size(); ++m) {
                    const auto gain = std::ranges::count_if(
                        open, [&](std::size_t k) { return fits[m][k] == Fit::explains; });
                    if (gain > 0) gains.emplace_back(-gain, m);
                }
                if (gains.empty()) break;
                std::ranges::sort(gains);
                const auto best = std::ranges::count_if(
                    gains, [&](const auto& one) { return one.first == gains.front().first; });
                const std::size_t most = static_cast<std::size_t>(best) + next_best;
                gains.resize(std::min({gains.size(), most, candidates_per_version - count}));
                for (const auto& [gain, m] : gains) {
                    chosen.insert(m);
                    ++count;
                    std::erase_if(
                        open, [&, m = m](std::size_t k) { return fits[m][k] == Fit::explains; });
                }
            }
        }
        return {chosen.begin(), chosen.end()};
    }

    void try_misreadings() {
        std::vector<const Misreading*> all;
        for (const Misreading& misreading : misreadings_) all.push_back(&misreading);
        const std::vector<bool> tried = choose_tried();
        std::vector<std::vector<Fit>> fits(all.size(),
                                           std::vector<Fit>(failing_.size(), Fit::neutral));
        ask(
            all, failing_, [&](std::size_t, std::size_t k) { return tried[k]; },
            [&](std::size_t m, std::size_t k, const Outcome& outcome) {
                const Asked& asked = failing_[k];
                fits[m][k] = fit(asked, failed_[asked.executions.front()], outcome);
            });
        std::vector<const Misreading*> best;
        std::vector<std::set<OperatorVersion>> versions;
        for (const std::size_t m : choose_candidates(tried, fits)) {
            best.push_back(all[m]);
            candidates_.push_back({all[m]->name, all[m]->idea, all[m], Unchecked::all,
                                   std::vector<Fit>(failed_.size(), Fit::neutral),
                                   std::vector<Look>(passing_.size(), Look::unknown)});
            versions.emplace_back();
            for (std::size_t k = 0; k < failing_.size(); ++k) {
                if (fits[m][k] == Fit::explains) versions.back().insert(failing_[k].version);
            }
        }
        ask(
            best, failing_,
            [&](std::size_t m, std::size_t k) { return versions[m].contains(failing_[k].version); },
            [&](std::size_t m, std::size_t k, const Outcome& outcome) {
                for (const std::size_t e : failing_[k].executions) {
                    candidates_[m].fits[e] = fit(failing_[k], failed_[e], outcome);
                }
            });
    }

    // --- indices that are not checked

    /// The output that was read so; elements from outside data are those of `seen`.
    static Tensor output_of(const UncheckedRead& read, const TensorView& data, const Tensor* seen) {
        Tensor output;
        output.type = read.output.type;
        output.shape = read.output.shape;
        output.contents.resize(static_cast<std::size_t>(byte_size(read.output).value_or(0)));
        const std::int64_t count = element_count(data.shape).value_or(0);
        for (std::size_t k = 0; k < read.positions.size(); ++k) {
            const auto to = static_cast<std::int64_t>(k);
            const std::int64_t from = read.positions[k];
            if (from >= 0 && from < count) {
                copy_element(output.type, data.contents, from, output.contents.data(), to);
            } else if (from != UncheckedRead::zero && seen != nullptr) {
                copy_element(output.type, seen->contents.data(), to, output.contents.data(), to);
            } else {
                zero_element(output.type, output.contents.data(), to);
            }
        }
        return output;
    }

    /// True where `seen` is what was read so, whatever lay outside data.
    static bool is_read(const UncheckedRead& read, const TensorView& data, const Tensor& seen) {
        return seen.type == read.output.type && seen.shape == read.output.shape &&
               same_tensor(output_of(read, data, &seen), seen);
    }

    static Fit fit(const Failed& failed, const UncheckedRead& read, const TensorView& data) {
        if (const auto* digest = std::get_if<std::string>(&failed.answer)) {
            const bool same =
                read.outside
                    ? failed.is_other
                    : answer_digest(ValueOutcome{output_of(read, data, nullptr)}) == *digest;
            return same ? Fit::explains : Fit::mismatch;
        }
        const auto* value = std::get_if<ValueOutcome>(&std::get<Outcome>(failed.answer));
        return value != nullptr && is_read(read, data, value->output) ? Fit::explains
                                                                      : Fit::mismatch;
    }

    void try_unchecked() {
        for (const UncheckedIdea& idea : unchecked_ideas) {
            Candidate candidate{std::string(idea.name),
                                std::string(idea.idea),
                                nullptr,
                                idea.which,
                                std::vector<Fit>(failed_.size(), Fit::neutral),
                                std::vector<Look>(passing_.size(), Look::unknown)};
            for (const Asked& asked : failing_) {
                const Call& call = asked.prepared->call.call;
                const auto read = read_unchecked(call, idea.which);
                const auto is_outside = [&](const EarlierCall& earlier) {
                    const auto other = read_unchecked(*earlier.call, idea.which);
                    return other && other->outside;
                };
                const bool outside = (read && read->outside) ||
                                     std::ranges::any_of(asked.prepared->before, is_outside);
                for (const std::size_t e : asked.executions) {
                    if (std::holds_alternative<NoAnswer>(failed_[e].answer)) {
                        if (outside && is_considered(failed_[e])) {
                            candidate.fits[e] = Fit::explains;
                        }
                    } else if (read) {
                        candidate.fits[e] = fit(failed_[e], *read, *call.input("data"));
                    }
                }
            }
            if (std::ranges::find(candidate.fits, Fit::explains) != candidate.fits.end()) {
                candidates_.push_back(std::move(candidate));
            }
        }
    }

    /// True where some of these failures show that memory was read where an index points to, and
    /// no element was put there: without that zeros, say, would be taken for memory.
    bool shows_memory(const Candidate& candidate, const std::vector<std::size_t>& failures) const {
        std::map<ElementType, std::set<std::string>> strange;
        // Of data without elements every place is outside, wherever an index leads.
        std::set<std::size_t> without_elements;
        for (const Asked& asked : failing_) {
            const TensorView* data = asked.prepared->call.call.input("data");
            if (data == nullptr || element_count(data->shape) != 0) continue;
            without_elements.insert(asked.executions.begin(), asked.executions.end());
        }
        const auto is_fatal = [&](std::size_t e) {
            const auto* none = std::get_if<NoAnswer>(&failed_[e].answer);
            return none != nullptr && none->may_be_memory && !without_elements.contains(e);
        };
        // Who dies of other calls as well may die of anything.
        std::set<OperatorVersion> versions;
        for (const std::size_t e : failures) versions.insert(failed_[e].version);
        std::int64_t ends = 0;
        for (std::size_t e = 0; e < failed_.size(); ++e) {
            ends += open_[e] && is_fatal(e) && versions.contains(failed_[e].version);
        }
        if (ends > 0 && std::ranges::count_if(failures, is_fatal) * 2 > ends) return true;
        for (const Asked& asked : failing_) {
            for (const std::size_t e : asked.executions) {
                if (!std::ranges::binary_search(failures, e)) continue;
                const auto* outcome = std::get_if<Outcome>(&failed_[e].answer);
                if (outcome == nullptr) continue;
                if (shows_memory(candidate, asked.prepared->call.call,
                                 std::get<ValueOutcome>(*outcome).output, strange)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// The elements of data, bit for bit. They borrow from it. Empty for strings.
    static std::unordered_set<std::string_view> elements_of(const TensorView& data) {
        std::unordered_set<std::string_view> elements;
        if (data.type == ElementType::string) return elements;
        const std::size_t width = static_cast<std::size_t>(bits(data.type)) / 8;
        const auto count = static_cast<std::size_t>(element_count(data.shape).value_or(0));
        for (std::size_t k = 0; k < count; ++k) {
            elements.emplace(reinterpret_cast<const char*>(data.contents) + k * width, width);
        }
        return elements;
    }

    /// True where data has the element k of `seen`, bit for bit.
    static bool holds(const TensorView& data, const Tensor& seen, std::size_t k) {
        if (seen.type == ElementType::string) return false;
        const std::size_t width = static_cast<std::size_t>(bits(seen.type)) / 8;
        const std::size_t bytes =
            static_cast<std::size_t>(element_count(data.shape).value_or(0)) * width;
        for (std::size_t at = 0; at < bytes; at += width) {
            if (std::memcmp(data.contents + at, seen.contents.data() + k * width, width) == 0)
                return true;
        }
        return false;
    }

    bool shows_memory(const Candidate& candidate, const Call& call, const Tensor& seen,
                      std::map<ElementType, std::set<std::string>>& strange) const {
        const auto read = read_unchecked(call, candidate.unchecked);
        const TensorView& data = *call.input("data");
        if (!read || is_packed(seen.type)) return false;
        std::vector<Tensor> treated;
        for (const OutOfRange policy :
             {OutOfRange::zero, OutOfRange::clamp, OutOfRange::wrap, OutOfRange::first_element}) {
            const auto answer = equations_.evaluate(call, policy);
            const auto* found = std::get_if<EquationAnswer>(&answer);
            if (found == nullptr) return false;
            treated.push_back(assemble(*found, data));
        }
        const std::int64_t count = element_count(data.shape).value_or(0);
        const std::size_t width = static_cast<std::size_t>(bits(seen.type)) / 8;
        std::optional<std::unordered_set<std::string_view>> in_data;  // made when it is needed
        for (std::size_t k = 0; k < read->positions.size(); ++k) {
            if (!read->is_bad[k]) continue;
            const bool is_treated = std::ranges::any_of(treated, [&](const Tensor& one) {
                return same_element(one, seen, static_cast<std::int64_t>(k));
            });
            if (is_treated) continue;
            if (read->positions[k] >= 0 && read->positions[k] < count) return true;
            const std::string element(
                reinterpret_cast<const char*>(seen.contents.data()) + k * width, width);
            // An element of data need not come from outside it.
            if (!in_data) in_data = elements_of(data);
            if (in_data->contains(element)) continue;
            // What is put there is the same everywhere; what lies in memory is not. Beside it there
            // must be elements that are right: a wrong answer may be anything.
            if (std::ranges::find(read->is_bad, false) == read->is_bad.end()) continue;
            auto& known = strange[seen.type];
            known.insert(element);
            if (known.size() > 1 && seen.type != ElementType::string) return true;
        }
        return false;
    }

    /// True where these failures could show memory as well: all that came from outside data is
    /// zero, as fresh memory is.
    bool could_be_fresh_memory(const Candidate& candidate,
                               const std::vector<std::size_t>& failures) const {
        for (const Asked& asked : failing_) {
            const auto read = read_unchecked(asked.prepared->call.call, candidate.unchecked);
            for (const std::size_t e : asked.executions) {
                if (!std::ranges::binary_search(failures, e)) continue;
                const auto* outcome = std::get_if<Outcome>(&failed_[e].answer);
                if (!read || outcome == nullptr) return false;
                const Tensor& seen = std::get<ValueOutcome>(*outcome).output;
                const TensorView& data = *asked.prepared->call.call.input("data");
                if (!same_tensor(output_of(*read, data, nullptr), seen)) return false;
            }
        }
        return true;
    }

    // --- calls that passed

    Look look(const Candidate& candidate, const Asked& asked) const {
        const PreparedCase& prepared = *asked.prepared;
        const auto read = read_unchecked(prepared.call.call, candidate.unchecked);
        if (!read) return Look::agrees;
        for (const ResolvedAlternative& alternative : prepared.alternatives) {
            const auto* output = std::get_if<ResolvedOutput>(&alternative);
            if (output == nullptr) continue;
            if (!output->contents ||
                is_read(*read, *prepared.call.call.input("data"), *output->contents)) {
                return Look::agrees;
            }
        }
        return prepared.alternatives.empty() ? Look::agrees : Look::contradicts;
    }

    /// Tries candidates on the passing calls of the versions that are wanted.
    template <class Wanted>
    void look_at_passes(std::span<Candidate* const> candidates, Wanted wanted) {
        const auto asks = [&](std::size_t m, std::size_t k) {
            return candidates[m]->looks[k] == Look::unknown &&
                   candidates[m]->is_about(passing_[k].version) &&
                   wanted(*candidates[m], passing_[k].version);
        };
        std::vector<const Misreading*> misread;
        std::vector<std::size_t> places;
        for (std::size_t m = 0; m < candidates.size(); ++m) {
            for (std::size_t k = 0; k < passing_.size(); ++k) {
                if (!asks(m, k)) continue;
                prepare_call(passing_[k]);
                if (passing_[k].prepared->bytes > most_call_bytes) {
                    candidates[m]->looks[k] = Look::agrees;
                } else if (candidates[m]->misreading == nullptr) {
                    candidates[m]->looks[k] = look(*candidates[m], passing_[k]);
                }
            }
            if (candidates[m]->misreading == nullptr) continue;
            misread.push_back(candidates[m]->misreading);
            places.push_back(m);
        }
        if (misread.empty()) return;
        ask(
            misread, passing_, [&](std::size_t m, std::size_t k) { return asks(places[m], k); },
            [&](std::size_t m, std::size_t k, const Outcome& outcome) {
                candidates[places[m]]->looks[k] = std::holds_alternative<NotRun>(outcome) ||
                                                          is_right(*passing_[k].prepared, outcome)
                                                      ? Look::agrees
                                                      : Look::contradicts;
            });
    }

    void look_at_passes_of_failing_versions() {
        std::vector<Candidate*> all;
        std::map<const Candidate*, std::set<OperatorVersion>> versions;
        for (Candidate& candidate : candidates_) {
            all.push_back(&candidate);
            for (std::size_t e = 0; e < failed_.size(); ++e) {
                if (candidate.fits[e] == Fit::explains) {
                    versions[&candidate].insert(failed_[e].version);
                }
            }
        }
        look_at_passes(all, [&](const Candidate& candidate, OperatorVersion version) {
            return versions[&candidate].contains(version);
        });
    }

    // --- causes

    /// Where a candidate explains more of the open failures than speaks against it, by one facet.
    Scope scope_of(const Candidate& candidate, std::size_t facet) const {
        struct Counts {
            std::int64_t gain = 0;
            std::int64_t against = 0;
            std::int64_t mismatched = 0;
            std::int64_t open = 0;
            bool kept() const { return gain >= most_against * against && gain > mismatched; }
        };
        const std::size_t labels = label_texts_[facet].size();
        std::vector<Counts> cells(operator_versions().size() * labels);
        const auto cell = [&](OperatorVersion version, std::size_t label) -> Counts& {
            return cells[static_cast<std::size_t>(version) * labels + label];
        };
        for (std::size_t e = 0; e < failed_.size(); ++e) {
            if (!open_[e]) continue;
            Counts& counts = cell(failed_[e].version, failed_labels_[facet][e]);
            ++counts.open;
            counts.gain += candidate.fits[e] == Fit::explains;
            // Where a cause that was found acts, too, both act together.
            counts.mismatched += candidate.fits[e] == Fit::mismatch && !mixed_[e];
        }
        for (std::size_t k = 0; k < passing_.size(); ++k) {
            if (candidate.looks[k] != Look::contradicts) continue;
            for (const std::size_t e : passing_[k].executions) {
                ++cell(passing_[k].version, passed_labels_[facet][e]).against;
            }
        }
        Scope scope;
        scope.facet = facet;
        for (std::size_t v = 0; v < operator_versions().size(); ++v) {
            for (std::size_t l = 0; l < labels; ++l) {
                const Counts& counts = cells[v * labels + l];
                if (!counts.kept()) continue;
                scope.versions.insert(static_cast<OperatorVersion>(v));
                scope.labels.insert(l);
                scope.gain += counts.gain;
                scope.contradicted += counts.against;
                scope.mismatched += counts.mismatched;
                scope.open += counts.open;
            }
        }
        for (std::size_t e = 0; e < failed_.size(); ++e) {
            if (open_[e] && candidate.fits[e] == Fit::explains &&
                cell(failed_[e].version, failed_labels_[facet][e]).kept()) {
                scope.explained.push_back(e);
            }
        }
        return scope;
    }

    /// By the facet that leaves most of it. Whoever looks at many parts finds one that fits by
    /// luck: a part must have several failures, most of them explained, and no contradiction.
    Scope scope_of(const Candidate& candidate) const {
        Scope best = scope_of(candidate, 0);
        for (std::size_t facet = 1; facet < facet_count; ++facet) {
            Scope scope = scope_of(candidate, facet);
            if (scope.contradicted + scope.mismatched == 0 && scope.gain > 2 &&
                scope.labels.size() <= most_labels && scope.gain * 2 >= scope.open &&
                scope.worth() > best.worth()) {
                best = std::move(scope);
            }
        }
        return best;
    }

    /// How many calls these failures are of.
    std::size_t calls_among(const std::vector<std::size_t>& failures) const {
        return static_cast<std::size_t>(std::ranges::count_if(failing_, [&](const Asked& asked) {
            return std::ranges::any_of(asked.executions, [&](std::size_t e) {
                return std::ranges::binary_search(failures, e);
            });
        }));
    }

    void find_causes() {
        open_.assign(failed_.size(), true);
        mixed_.assign(failed_.size(), false);
        while (statements_.size() < most_statements) {
            std::vector<std::pair<const Candidate*, Scope>> scopes;
            for (const Candidate& candidate : candidates_) {
                Scope scope = scope_of(candidate);
                if (scope.worth() > 0) scopes.emplace_back(&candidate, std::move(scope));
            }
            std::ranges::stable_sort(scopes, std::ranges::greater(),
                                     [](const auto& one) { return one.second.worth(); });
            const auto best = std::ranges::find_if(scopes, [&](const auto& one) {
                return one.first->misreading != nullptr ||
                       shows_memory(*one.first, one.second.explained);
            });
            if (best == scopes.end()) return;
            std::vector<const Candidate*> others;
            for (const auto& [candidate, scope] : scopes) {
                if (candidate != best->first && scope.explained == best->second.explained &&
                    scope.worth() == best->second.worth() &&
                    (candidate->misreading != nullptr ||
                     shows_memory(*candidate, scope.explained) ||
                     could_be_fresh_memory(*candidate, scope.explained))) {
                    others.push_back(candidate);
                }
            }
            for (const std::size_t e : best->second.explained) open_[e] = false;
            for (std::size_t e = 0; e < failed_.size(); ++e) {
                if (best->first->fits[e] == Fit::mismatch) mixed_[e] = true;
            }
            const std::size_t calls = calls_among(best->second.explained);
            statements_.push_back({best->first, std::move(best->second), std::move(others), calls});
        }
    }

    /// Finds the failures that speak against each cause: it makes another wrong answer of them, and
    /// no other cause explains them.
    void find_denials() {
        for (Statement& statement : statements_) {
            for (std::size_t e = 0; e < failed_.size(); ++e) {
                if (!open_[e] || statement.cause->fits[e] != Fit::mismatch ||
                    !statement.scope.versions.contains(failed_[e].version) ||
                    !statement.scope.labels.contains(failed_labels_[statement.scope.facet][e])) {
                    continue;
                }
                ++statement.denied;
                if (statement.denying == nullptr) statement.denying = &failed_[e];
            }
        }
    }

    std::string where(const Statement& statement) {
        const Candidate& cause = *statement.cause;
        const Scope& scope = statement.scope;
        auto* const changed =
            &candidates_[static_cast<std::size_t>(statement.cause - candidates_.data())];
        look_at_passes({&changed, 1}, [&](const Candidate&, OperatorVersion version) {
            return !scope.versions.contains(version);
        });
        bool elsewhere = false;  // it would show elsewhere, and does not
        for (std::size_t k = 0; k < passing_.size(); ++k) {
            elsewhere = elsewhere || (cause.looks[k] == Look::contradicts &&
                                      !scope.versions.contains(passing_[k].version));
        }
        const bool all = scope.explained.size() == considered();
        std::string text;
        if (elsewhere || (!all && scope.versions != failing_versions_)) {
            text = versions_text(
                std::vector<OperatorVersion>(scope.versions.begin(), scope.versions.end()));
        }
        if (scope.facet != 0) {
            std::string labels;
            for (const std::size_t one : scope.labels) {
                labels += (labels.empty() ? "" : " or ") + label_texts_[scope.facet][one];
            }
            text += (text.empty() ? "with " : " with ") + labels + " only";
        }
        return text;
    }

    /// Failures that a sentence speaks of: those with an answer, and explained ones.
    std::size_t considered() const {
        std::size_t count = 0;
        for (std::size_t e = 0; e < failed_.size(); ++e) {
            count += !open_[e] || !std::holds_alternative<NoAnswer>(failed_[e].answer);
        }
        return count;
    }

    static std::string failures(std::size_t count) {
        return count_of(static_cast<std::int64_t>(count), "failure");
    }

    static std::string share(std::size_t explained, std::size_t left, bool is_first, bool is_sure) {
        if (!is_first) {
            const std::string by = is_sure ? " by: " : " perhaps by: ";
            if (explained < left) {
                return std::to_string(explained) + " of the other " + std::to_string(left) + by;
            }
            return (left == 1 ? "the other one" : "the other " + std::to_string(left)) + by;
        }
        const std::string by = is_sure ? " are explained by: " : " could be explained by: ";
        if (explained < left) return std::to_string(explained) + " of " + failures(left) + by;
        return (left == 1 ? "the failure" : "all " + failures(left)) + by;
    }

    static std::string named(const Candidate& candidate) {
        return candidate.idea + " (" + candidate.name + ")";
    }

    /// The cause with those that explain the same.
    static std::string named(const Statement& statement) {
        std::string text = named(*statement.cause);
        const auto others = static_cast<std::int64_t>(statement.others.size());
        if (others > 0) text += ", or as well: " + named(*statement.others.front());
        if (others > 1) text += ", or " + count_of(others - 1, "other");
        return text;
    }

    /// "all 10 failing calls have indices of rank 2, which no passing call of onnx.Gather-13 has";
    /// empty where there are few, where nothing passed, or where not all that failed or passed is
    /// known here.
    std::string shared() const {
        std::vector<AskedCall> failed;
        for (const Failed& one : failed_) failed.push_back({one.tested, one.version, one.route});
        std::vector<AskedCall> passed;
        std::ranges::copy_if(passed_, std::back_inserter(passed), [&](const AskedCall& one) {
            return failing_versions_.contains(one.version);
        });
        if (failing_.size() < least_shared || passed.empty() || wrong_errors_ > 0 || has_fixed_) {
            return {};
        }
        std::vector<std::string> properties = shared_properties(failed, passed);
        std::string but;
        if (properties.empty() && std::ranges::all_of(failed, moves_elements)) {
            std::erase_if(passed, [](const AskedCall& one) { return !moves_elements(one); });
            if (passed.empty()) return {};
            properties = shared_properties(failed, passed);
            but = ", but for empty ones and those that must be rejected";
        }
        if (properties.empty()) return {};
        std::string text = "all " + std::to_string(failing_.size()) + " failing calls have ";
        for (const std::string& one : properties) {
            text += (&one == &properties.front()  ? ""
                     : &one == &properties.back() ? " and "
                                                  : ", ") +
                    one;
        }
        return text + (properties.size() == 1 ? ", which no" : ", none of which a") +
               " passing call of " +
               versions_text(std::vector(failing_versions_.begin(), failing_versions_.end())) +
               " has" + but;
    }

    std::string text() {
        const std::size_t total = considered();
        std::size_t left = total;
        std::string text;
        for (const Statement& statement : statements_) {
            const Scope& scope = statement.scope;
            const std::string place = where(statement);
            text += text.empty() ? "" : "; ";
            if (!place.empty()) text += place + ": ";
            text += share(scope.explained.size(), left, left == total, is_sure(statement)) +
                    named(statement);
            if (statement.is_ambiguous() && !is_few()) text += ": more calls would tell which";
            if (statement.denied > 0) {
                text += ", though not as " + failures(statement.denied) + " came out, e.g. " +
                        statement.denying->tested->id;
            }
            if (scope.contradicted > 0) {
                text += ", which " + count_of(scope.contradicted, "passing call") +
                        (scope.contradicted == 1 ? " contradicts" : " contradict");
            }
            left -= scope.explained.size();
        }
        if (!text.empty() && is_few()) text = "too few calls to tell: " + text;
        std::map<std::string, std::int64_t> left_out;
        if (wrong_errors_ > 0) left_out[std::string(name(Failure::wrong_error))] = wrong_errors_;
        const Failed* unexplained = nullptr;
        for (std::size_t e = 0; e < failed_.size(); ++e) {
            if (!open_[e]) continue;
            const bool has_answer = !std::holds_alternative<NoAnswer>(failed_[e].answer);
            if (has_answer && unexplained == nullptr) unexplained = &failed_[e];
            if (!has_answer) ++left_out[failed_[e].kind];
        }
        const std::string common = text.empty() ? shared() : std::string();
        if (total == 0) return common;
        if (text.empty()) {
            text = "no misreading that is known here explains " +
                   (total == 1 ? "the failure" : "the " + failures(total)) +
                   (common.empty() ? "" : "; ") + common;
        } else if (unexplained != nullptr) {
            text += "; " + std::to_string(left) + " by none that is known here, e.g. " +
                    unexplained->tested->id;
        }
        std::string others;
        for (const auto& [kind, count] : left_out) {
            others += (others.empty() ? "" : ", ") + std::to_string(count) + " x " + kind;
        }
        if (!others.empty()) text += "; outside this count: " + others;
        return text;
    }

    /// As sure of it as text() is.
    std::string cause_of(const Statement& statement) const {
        return (is_sure(statement) ? "" : "perhaps ") + named(statement);
    }

    std::unordered_map<std::uint64_t, std::string> causes() const {
        std::unordered_map<std::uint64_t, std::string> causes;
        for (const Statement& statement : statements_) {
            if (statement.is_ambiguous()) continue;
            const std::string cause = cause_of(statement);
            for (const std::size_t e : statement.scope.explained) {
                causes.emplace(failed_[e].key, cause);
            }
        }
        return causes;
    }

    const Equations& equations_;
    const RuleCatalogue& rules_;
    std::vector<Failed> failed_;
    const std::vector<AskedCall>& passed_;
    std::int64_t wrong_errors_;
    bool has_fixed_;
    std::vector<Misreading> misreadings_;
    std::size_t calls_seen_ = 0;
    std::vector<Asked> failing_;
    std::vector<Asked> passing_;
    std::set<OperatorVersion> failing_versions_;
    std::array<std::vector<std::size_t>, facet_count> failed_labels_;
    std::array<std::vector<std::size_t>, facet_count> passed_labels_;
    std::array<std::vector<std::string>, facet_count> label_texts_;
    std::vector<Candidate> candidates_;
    std::vector<bool> open_;  // failures that no cause explains yet
    std::vector<bool>
        mixed_;  // those in which a cause that was found acts, and gives another answer
    std::vector<Statement> statements_;
};

Explanation Diagnosis::explain() const { return Diagnosing(*this).explain(); }

}  // namespace gathercheck
