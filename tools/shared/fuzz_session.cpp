// SPDX-License-Identifier: Apache-2.0
// A call that is answered as the reference answers it passes. Of any other the texts decide, and
// what fails is shrunk.
#include "tools/shared/fuzz_session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "conformance/fuzz/relations.hpp"
#include "conformance/fuzz/shrink.hpp"
#include "conformance/judge/classify.hpp"
#include "conformance/judge/two_passes.hpp"
#include "conformance/model/retype.hpp"
#include "conformance/model/routes.hpp"
#include "conformance/records/record.hpp"
#include "conformance/select/as_taken_by.hpp"
#include "conformance/select/select.hpp"
#include "reference/exercised.hpp"
#include "tools/shared/ask_reference.hpp"

namespace gathercheck {
namespace {

constexpr std::uint64_t calls_at_once = 256;

/// Fewer where their operands have so many bytes.
constexpr std::size_t bytes_at_once = std::size_t{1} << 28U;

/// How often a failure of one kind is asked afresh, where it passes then.
constexpr int most_afresh = 4;

/// Of so many calls that are answered as the reference answers one is held against the equations
/// all the same.
constexpr std::uint64_t judged_anyway = 64;

/// The same of code of this process, of which far more calls are asked.
constexpr std::uint64_t compared_otherwise = 512;

/// Of so many calls that are answered as the reference answers one is asked a second time; any
/// other is.
constexpr std::size_t asked_twice = 8;

/// Of so many calls one is held against other calls.
constexpr std::uint64_t related_anyway = 16;

/// The types of a set, those first that a person would write down.
std::vector<ElementType> simplest_first(TypeSet types) {
    using enum ElementType;
    constexpr std::array first{f32, i64, i32, u8, i8, f64, i16, u16, u32, u64, f16, boolean};
    std::vector<ElementType> listed;
    for (const ElementType type : first) {
        if (types.contains(type)) listed.push_back(type);
    }
    for (const ElementTypeInfo& row : element_types()) {
        if (types.contains(row.type) && std::ranges::find(listed, row.type) == listed.end()) {
            listed.push_back(row.type);
        }
    }
    return listed;
}

std::vector<ElementType> integers_first(TypeSet types) {
    std::vector<ElementType> listed = simplest_first(types);
    std::stable_partition(listed.begin(), listed.end(), [](ElementType type) {
        return type == ElementType::i64 || type == ElementType::i32;
    });
    return listed;
}

template <class T>
bool has(const std::vector<T>& several, T one) {
    return std::ranges::find(several, one) != several.end();
}

std::vector<std::uint64_t> listed(const CallNumbers& numbers) {
    std::vector<std::uint64_t> all(numbers.count);
    for (std::uint64_t k = 0; k < numbers.count; ++k) all[k] = numbers.first + k * numbers.step;
    return all;
}

/// Whether an outcome is what the reference gives, but for what only its own errors say.
bool is_as(const Outcome& outcome, const Outcome& reference) {
    if (const auto* value = std::get_if<ValueOutcome>(&outcome)) {
        const auto* expected = std::get_if<ValueOutcome>(&reference);
        return expected != nullptr && same_tensor(value->output, expected->output);
    }
    if (const auto* descriptor = std::get_if<DescriptorOutcome>(&outcome)) {
        const auto* expected = std::get_if<DescriptorOutcome>(&reference);
        return expected != nullptr && descriptor->known_rank &&
               descriptor->type == expected->type && descriptor->shape == expected->shape;
    }
    const auto* rejected = std::get_if<Rejected>(&outcome);
    const auto* expected = std::get_if<Rejected>(&reference);
    return rejected != nullptr && expected != nullptr &&
           (!rejected->category || rejected->category == expected->category) &&
           (rejected->rule.empty() || rejected->rule == expected->rule);
}

/// Outputs of more bytes are not held against other calls.
constexpr std::int64_t most_related = 1 << 16;

constexpr std::uint64_t every_relation = ~std::uint64_t{0};

/// Searches for calls that another needs before it. Where none finds any, what differs once only is
/// nothing that can be shown.
constexpr int most_searches = 8;

/// Calls of which one search tries whether they fail behind all before.
constexpr std::size_t most_tried = 8;

/// Calls asked anew in one search, each time those that are left of all before.
constexpr int search_attempts = 300;

/// Whether it promises the values of attributes of a generated call, too.
bool is_claimed(const Introduction& introduction, const GeneratedCall& call) {
    Case probe = as_case(call);
    probe.expect = {{{call.version}, {}, {ExpectedOutput{FromEquation{}, {}}}, {}}};
    return introduction.claims.empty() ||
           std::ranges::any_of(introduction.claims, [&](const Claim& claim) {
               return covers(claim, call.version, call.route) &&
                      covers_call(claim, probe, call.version);
           });
}

std::size_t bytes_of(const GeneratedCall& call) {
    std::size_t bytes = 0;
    for (const auto& [name, tensor] : call.inputs) bytes += tensor.contents.size();
    return bytes;
}

/// Whether a dimension is longer than the tensors with elements are.
bool has_giant_dim(const Call& call, std::int64_t largest) {
    return std::ranges::any_of(call.inputs, [largest](const Input& input) {
        return std::ranges::any_of(input.tensor.shape,
                                   [largest](std::int64_t dim) { return dim > largest; });
    });
}

constexpr std::string_view after_calls = ", after other calls";
constexpr std::string_view not_alone = ", not by itself";
constexpr std::string_view by_state = ", by what an earlier call left";

bool is_interesting(Verdict verdict) {
    return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::timeout ||
           verdict == Verdict::broken;
}

}  // namespace

/// One call with views that live as long.
struct FuzzSession::Asked {
    GeneratedCall made;
    Call call;
    std::vector<Call> earlier;
    std::vector<EarlierCall> before;

    explicit Asked(GeneratedCall from) : made(std::move(from)) {}

    Request request(int pass) {
        call = made.view();
        earlier.clear();
        before.clear();
        earlier.reserve(made.earlier.size());
        for (const GeneratedCall::Inputs& inputs : made.earlier) {
            earlier.push_back(made.view(inputs));
            before.push_back({&earlier.back(), "an earlier call"});
        }
        Request request;
        request.call = &call;
        request.route = made.route;
        request.pass = pass;
        request.describe = made.described;
        request.before = before;
        return request;
    }
};

Case as_case(const GeneratedCall& call) {
    Case made;
    made.id = "generated";
    made.attributes = call.attributes;
    for (const auto& [name, tensor] : call.inputs) {
        made.inputs.push_back({name, {{tensor.type, tensor.shape}, {}}});
        if (!call.described || name == "axis") made.inputs.back().tensor.contents = tensor;
    }
    return made;
}

CallSpace space_of(const Introduction& introduction, const Filter& filter, const BuiltIn* built_in,
                   std::int64_t largest) {
    CallSpace space;
    space.largest = largest;
    space.thresholds = usual_thresholds();
    if (built_in != nullptr && built_in->thresholds) {
        for (const std::int64_t bytes : built_in->thresholds()) {
            for (const std::int64_t width : {1, 2, 4, 8, 16}) {
                const std::int64_t elements = bytes / width;
                if (elements > 0 && elements <= largest) space.thresholds.push_back(elements);
            }
        }
    }
    space.described = introduction.describes;
    space.sequences = (introduction.keeps_models && introduction.runs_sequences) ||
                      (built_in != nullptr && built_in->new_model);
    space.keeps_models = introduction.keeps_models;
    space.open_contents = introduction.follows_suite;
    const std::vector<Claim> claims =
        introduction.claims.empty() ? claims_of_table() : introduction.claims;
    for (const Claim& claim : claims) {
        for (const OperatorVersion version : claim.versions) {
            if (!filter.matches(version)) continue;
            CallsOfVersion of{
                version, simplest_first(claim.data), integers_first(claim.indices), {}};
            std::erase_if(of.data, [&](ElementType type) { return !filter.matches(type); });
            for (const Route& route : routes(version)) {
                if (has(claim.operands, route.operands) && has(claim.shapes, route.shapes) &&
                    has(claim.axes, route.axis) && filter.matches(route)) {
                    of.routes.push_back(route);
                }
            }
            if (!of.data.empty() && !of.indices.empty() && !of.routes.empty()) {
                space.versions.push_back(std::move(of));
            }
        }
    }
    return space;
}

std::uint64_t FuzzFailure::calls() const {
    std::uint64_t all = 0;
    for (const auto& of_version : versions) all += of_version.second;
    return all;
}

std::string FuzzFailure::group() const {
    return finding.empty() ? kind : kind + " like " + finding;
}

bool FuzzFailure::is_relation() const { return kind.find(" relation ") != std::string::npos; }

std::int64_t FuzzFailure::elements() const {
    const Tensor* data = call.input("data");
    return data == nullptr ? 0 : element_count(data->shape).value_or(0);
}

FuzzSession::FuzzSession(const LoadedSuite& loaded, const FuzzTarget& target, CallSpace space,
                         const FuzzOptions& options)
    : loaded_(loaded),
      target_(target),
      asked_(&target_.implementation),
      space_(std::move(space)),
      options_(options),
      specified_(loaded),
      likeness_(loaded.suite.cases, target.known) {}

std::uint64_t FuzzSession::run(CallNumbers numbers) {
    numbers.seed = options_.seed;
    if (target_.built_in == nullptr) return ask_and_judge(listed(numbers), true);
    numbers.count = compare(numbers);
    // What does as the reference does may be wrong as it is: some are held against other oracles.
    std::vector<std::uint64_t> few = listed(numbers);
    std::erase_if(few, [](std::uint64_t number) { return number % compared_otherwise != 0; });
    ask_and_judge(few, false);
    return numbers.count;
}

GeneratedCall FuzzSession::call_of(std::uint64_t number, Choices::Sequence& choices) const {
    Choices made = Choices::of_seed(seed_of_call(options_.seed, number));
    GeneratedCall call = generate(made, space_);
    choices = made.made();
    return call;
}

std::uint64_t FuzzSession::compare(const CallNumbers& numbers) {
    auto result = compare_in_process(*target_.built_in, space_, numbers, options_.limits);
    auto* compared = std::get_if<Compared>(&result);
    if (compared == nullptr) return ask_and_judge(listed(numbers), true);
    coverage_.add(compared->coverage);
    std::vector<std::uint64_t> passed_alone;
    for (const std::uint64_t number : compared->suspects) {
        if (interrupted()) break;
        Choices::Sequence choices;
        GeneratedCall call = call_of(number, choices);
        auto failure = failure_of(call);
        if (failure) {
            failure->number = number;
            failure->choices = std::move(choices);
            mark_by_itself(*failure);
        }
        if (failure && failure->by_itself) {
            keep(std::move(*failure));
            continue;
        }
        passed_alone.push_back(number);
    }
    if (!passed_alone.empty()) find_needed(numbers, std::move(passed_alone));
    return compared->asked;
}

void FuzzSession::find_needed(const CallNumbers& numbers, std::vector<std::uint64_t> passed_alone) {
    const bool is_shown = std::ranges::any_of(
        failures_, [](const FuzzFailure& failure) { return !failure.needed.empty(); });
    if (is_shown || searches_ == most_searches || !target_.afresh || interrupted()) return;
    ++searches_;
    // None of them is shrunk: the smallest that fails is taken. Some do as texts leave open.
    Choices::Sequence choices;
    const auto elements = [&](std::uint64_t number) {
        const GeneratedCall call = call_of(number, choices);
        const Tensor* data = call.input("data");
        return data == nullptr ? 0 : element_count(data->shape).value_or(0);
    };
    std::ranges::stable_sort(passed_alone, {}, elements);
    if (passed_alone.size() > most_tried) passed_alone.resize(most_tried);
    std::optional<FuzzFailure> failure;
    std::uint64_t number = 0;
    std::vector<std::uint64_t> before;
    for (auto each = passed_alone.begin(); !failure && each != passed_alone.end(); ++each) {
        number = *each;
        before.clear();
        for (std::uint64_t k = numbers.first; k < number; k += numbers.step) before.push_back(k);
        failure = failure_behind(before, number);
    }
    if (!failure) return;
    const std::string kind = failure->kind;
    before = needed_of(std::move(before), search_attempts, [&](std::span<const std::uint64_t> few) {
        if (interrupted()) return false;
        auto found = failure_behind(few, number);
        if (!found || found->kind != kind) return false;
        failure = std::move(found);
        return true;
    });
    // State of the process that asked before, not of these calls.
    if (before.empty()) return;
    for (const std::uint64_t each : before) failure->needed.push_back(call_of(each, choices));
    failure->number = number;
    failure->by_itself = false;
    keep(std::move(*failure));
}

bool FuzzSession::passes_afresh(const FuzzFailure& failure) {
    if (!target_.afresh || interrupted()) return false;
    const auto fresh = target_.afresh();
    if (fresh->start()) return false;
    asked_ = fresh.get();
    std::vector<Asked> asked;
    asked.emplace_back(failure.call);
    const Outcome outcome = answers_to(asked).front();
    // Who did not answer has not passed.
    bool passes = !std::holds_alternative<NotRun>(outcome) && !judged(failure.call, outcome);
    if (passes && failure.is_relation()) {
        passes = !related(failure.call, outcome, every_relation);
    }
    asked_ = &target_.implementation;
    return passes && !interrupted();
}

void FuzzSession::mark_by_itself(FuzzFailure& failure) {
    if (groups_.contains(failure.group()) || failures_.size() >= options_.most_kinds) return;
    int& passed = passed_afresh_[failure.group()];
    if (passed < most_afresh) {
        if (!passes_afresh(failure)) return;
        ++passed;
    }
    failure.by_itself = false;
    failure.kind += not_alone;
    failure.title += not_alone;
}

std::optional<FuzzFailure> FuzzSession::failure_behind(std::span<const std::uint64_t> before,
                                                       std::uint64_t number) {
    const auto fresh = target_.afresh();
    if (fresh->start()) return std::nullopt;
    Choices::Sequence choices;
    std::vector<std::uint64_t> all(before.begin(), before.end());
    all.push_back(number);
    Outcome last = NotRun{};
    for (std::size_t at = 0; at < all.size(); at += calls_at_once) {
        const std::size_t count = std::min<std::size_t>(calls_at_once, all.size() - at);
        std::vector<Asked> asked;
        std::vector<Request> requests;
        for (std::size_t k = at; k < at + count; ++k) asked.emplace_back(call_of(all[k], choices));
        for (std::size_t k = 0; k < count; ++k) {
            requests.push_back(asked[k].request(static_cast<int>(all[at + k] % 2)));
        }
        fresh->answer(requests, [&](std::size_t, Outcome outcome) { last = std::move(outcome); });
    }
    auto failure = judged(call_of(number, choices), last);
    if (!failure) return std::nullopt;
    failure->kind += by_state;
    failure->title += by_state;
    return failure;
}

std::uint64_t FuzzSession::ask_and_judge(std::span<const std::uint64_t> numbers, bool counted) {
    std::uint64_t done = 0;
    while (done < numbers.size() && !interrupted()) {
        std::uint64_t count = std::min(calls_at_once, numbers.size() - done);
        std::vector<Asked> asked;
        std::vector<Choices::Sequence> choices(count);
        std::vector<Outcome> expected;
        asked.reserve(count);
        std::size_t bytes = 0;
        for (std::uint64_t k = 0; k < count; ++k) {
            asked.emplace_back(call_of(numbers[done + k], choices[k]));
            bytes += bytes_of(asked.back().made);
            if (bytes > bytes_at_once) count = k + 1;
            const Call call = asked.back().made.view();
            expected.push_back(ask_reference(call, asked.back().made.described));
            const auto* value = std::get_if<ValueOutcome>(&expected.back());
            const bool empty = value != nullptr && value->output.contents.empty();
            if (!counted) continue;
            coverage_.add(asked.back().made,
                          std::holds_alternative<Rejected>(expected.back()) ? exercised(call).broken
                                                                            : std::nullopt,
                          empty, space_.thresholds);
        }
        const std::vector<Outcome> outcomes = answers_to(asked, expected);
        for (std::uint64_t k = 0; k < count && k < outcomes.size(); ++k) {
            const std::uint64_t number = numbers[done + k];
            if (std::holds_alternative<NotRun>(outcomes[k])) return done + k;
            const bool is_same = is_as(outcomes[k], expected[k]);
            // Not counted: compared before, which has kept what differs.
            if (!counted && !is_same) continue;
            const bool is_usual = is_same && number % judged_anyway != 0;
            auto failure = is_usual ? std::nullopt : judged(asked[k].made, outcomes[k]);
            const bool is_related = number % related_anyway == 0 || !counted;
            if (!failure && is_related) failure = related(asked[k].made, outcomes[k], number);
            if (!failure) continue;
            failure->number = number;
            failure->choices = std::move(choices[k]);
            mark_by_itself(*failure);
            keep(std::move(*failure));
        }
        done += count;
    }
    return done;
}

std::vector<Outcome> FuzzSession::answers_to(std::vector<Asked>& asked,
                                             std::span<const Outcome> expected) {
    std::vector<std::optional<Outcome>> outcomes(asked.size());
    for (const int pass : {0, 1}) {
        std::vector<Request> requests;
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < asked.size(); ++k) {
            const std::size_t at = pass == 0 ? k : asked.size() - 1 - k;
            if (pass == 1 && is_fatal(*outcomes[at])) continue;
            if (pass == 1 && at < expected.size() && at % asked_twice != 0 &&
                is_as(*outcomes[at], expected[at])) {
                continue;
            }
            requests.push_back(asked[at].request(pass));
            places.push_back(at);
        }
        asked_->answer(requests, [&](std::size_t request, Outcome outcome) {
            std::optional<Outcome>& of = outcomes[places[request]];
            of = of ? merge(std::move(*of), std::move(outcome)) : std::move(outcome);
        });
    }
    std::vector<Outcome> all;
    all.reserve(outcomes.size());
    for (std::optional<Outcome>& outcome : outcomes) all.push_back(std::move(*outcome));
    return all;
}

std::set<std::string> FuzzSession::known_findings() const {
    std::set<std::string> all;
    for (const CallsOfVersion& of : space_.versions) all.merge(likeness_.findings_of(of.version));
    return all;
}

void FuzzSession::ask(const GeneratedCall& call) {
    if (auto failure = failure_of(call, true)) keep(std::move(*failure));
}

std::optional<FuzzFailure> FuzzSession::failure_of(const GeneratedCall& call, bool relations) {
    std::vector<Asked> asked;
    asked.emplace_back(call);
    const std::vector<Outcome> outcomes = answers_to(asked);
    auto failure = judged(call, outcomes.front());
    if (failure || !relations) return failure;
    return related(call, outcomes.front(), every_relation);
}

std::optional<FuzzFailure> FuzzSession::related(const GeneratedCall& call, const Outcome& outcome,
                                                std::uint64_t number) {
    const auto* value = std::get_if<ValueOutcome>(&outcome);
    if (value == nullptr ||
        byte_size({value->output.type, value->output.shape}).value_or(0) > most_related) {
        return std::nullopt;
    }
    std::vector<RelatedCalls> all = related_calls(call, value->output, space_);
    // Of many calls each is held against one relation.
    if (number != every_relation && all.size() > 1) {
        std::swap(all.front(), all[seed_of_call(0, number) % all.size()]);
        all.resize(1);
    }
    for (const RelatedCalls& each : all) {
        std::vector<Asked> asked;
        for (const GeneratedCall& other : each.calls) asked.emplace_back(other);
        std::vector<Tensor> outputs;
        for (Outcome& answer : answers_to(asked)) {
            if (auto* output = std::get_if<ValueOutcome>(&answer)) {
                outputs.push_back(std::move(output->output));
            }
        }
        // Whether those may be refused is not this call's matter.
        if (outputs.size() != each.calls.size()) continue;
        const std::optional<Tensor> expected = each.combined(outputs);
        if (!expected || same_tensor(*expected, value->output)) continue;
        FuzzFailure failure;
        failure.version = call.version;
        failure.route = call.route;
        failure.call = call;
        failure.answer = outcome;
        failure.outcome = "wrong value";
        failure.failure = Failure::wrong_value;
        failure.detail = "other calls make " + to_string(Outcome(ValueOutcome{*expected})) +
                         ", this one gave " + to_string(outcome);
        const auto told = specified_.answer(as_case(call), call.version);
        if (const auto* answer = std::get_if<SpecifiedAnswer>(&told)) failure.specified = *answer;
        failure.kind = std::string(name(info(call.version).family)) + " relation " +
                       std::string(each.relation);
        failure.title = std::string(name(call.version)) + ": it contradicts other calls (" +
                        std::string(each.relation) + ")";
        return made(std::move(failure));
    }
    return std::nullopt;
}

std::optional<FuzzFailure> FuzzSession::departure_of(const GeneratedCall& call) {
    std::vector<Asked> asked;
    asked.emplace_back(call);
    const std::vector<Outcome> outcomes = answers_to(asked);
    if (is_as(outcomes.front(), ask_reference(call.view(), call.described))) {
        return std::nullopt;
    }
    return judged(call, outcomes.front());
}

std::optional<FuzzFailure> FuzzSession::judged(const GeneratedCall& call, const Outcome& outcome) {
    FuzzFailure failure;
    failure.version = call.version;
    failure.route = call.route;
    failure.call = call;
    failure.answer = outcome;
    const Call view = call.view();
    const std::optional<Check> broken = exercised(view).broken;
    std::string treated;
    const auto told = specified_.answer(as_case(call), call.version);
    if (const auto* untold = std::get_if<Specified::Untold>(&told)) {
        if (!untold->is_bug) return std::nullopt;
        failure.verdict = Verdict::broken;
        failure.outcome = "gathercheck disagrees with itself";
        failure.detail = untold->why;
    } else {
        const auto& answer = std::get<SpecifiedAnswer>(told);
        const Introduction& introduction = target_.implementation.introduction();
        const Question question{answer.alternatives, answer.rules, introduction.follows_suite,
                                is_claimed(introduction, call)};
        Judgement judgement = judge(question, outcome);
        if (introduction.witness) judgement = of_witness(std::move(judgement));
        if (!is_interesting(judgement.verdict)) return std::nullopt;
        // What counts in fewer bits has no tensor of that shape, however few elements it has.
        if (judgement.failure == Failure::unsupported && has_giant_dim(view, space_.largest)) {
            return std::nullopt;
        }
        failure.verdict = judgement.verdict;
        failure.failure = judgement.failure;
        failure.outcome = wrong_outcome(judgement.verdict, judgement.failure);
        if (failure.outcome.empty()) failure.outcome = name(judgement.verdict);
        failure.detail = judgement.detail.empty() ? to_string(outcome) : judgement.detail;
        failure.specified = answer;
        for (const GeneratedCall::Inputs& inputs : call.earlier) {
            GeneratedCall earlier = call;
            earlier.inputs = inputs;
            const auto of_it = specified_.answer(as_case(earlier), call.version);
            const auto* known = std::get_if<SpecifiedAnswer>(&of_it);
            failure.specified_earlier.push_back(known != nullptr ? *known : SpecifiedAnswer{});
        }
        const bool is_value = std::holds_alternative<ValueOutcome>(outcome);
        if (is_value &&
            (judgement.failure == Failure::accepted || judgement.failure == Failure::wrong_value)) {
            const std::string treatment = classify(loaded_.equations, view, outcome);
            if (treatment != "value" && treatment != "other") treated = ", " + treatment;
        }
    }
    const std::string after(call.earlier.empty() ? "" : after_calls);
    failure.kind = std::string(name(info(call.version).family)) + " " + failure.outcome + " " +
                   (broken ? std::to_string(static_cast<int>(*broken)) : "legal") + treated + after;
    failure.title = std::string(name(call.version)) + ": " + failure.outcome + " (" +
                    (broken ? rule_id(call.version, *broken) : "a legal call") + treated + after +
                    ")";
    return made(std::move(failure));
}

FuzzFailure FuzzSession::made(FuzzFailure failure) {
    failure.versions[failure.version] = 1;
    failure.finding = likeness_.finding_of(failure.call, failure.outcome, failure.specified.rules);
    return failure;
}

void FuzzSession::keep(FuzzFailure failure) {
    ++failed_;
    if (!failure.call.earlier.empty()) {
        GeneratedCall alone = failure.call;
        alone.earlier.clear();
        // Where it fails all the same, the calls before it have nothing to do with it.
        auto also = failure_of(alone);
        if (also && failure.kind == also->kind + std::string(after_calls)) {
            also->number = failure.number;
            also->choices = std::move(failure.choices);
            failure = std::move(*also);
        }
    }
    if (!failure.finding.empty()) met_.insert(failure.finding);
    const auto known = groups_.find(failure.group());
    if (known != groups_.end()) {
        ++failures_[known->second].versions[failure.version];
        return;
    }
    if (failures_.size() >= options_.most_kinds) return;
    groups_.emplace(failure.group(), failures_.size());
    if (!failure.choices.empty() && failure.by_itself) shrink_failure(failure);
    failures_.push_back(std::move(failure));
}

void FuzzSession::shrink_failure(FuzzFailure& failure) {
    const auto begin = std::chrono::steady_clock::now();
    // Where it is like a known finding, that has a small call already.
    const double seconds = options_.shrink_seconds / (failure.finding.empty() ? 1 : 5);
    const auto end = begin + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    const bool needs_earlier = failure.kind.ends_with(after_calls);
    FuzzFailure smallest = failure;
    const Shows shows =
        [&](const Choices::Sequence& candidate) -> std::optional<Choices::Sequence> {
        if (interrupted() || std::chrono::steady_clock::now() > end) return std::nullopt;
        Choices choices = Choices::of_sequence(candidate);
        const GeneratedCall call = generate(choices, space_);
        if (call.earlier.empty() == needs_earlier) return std::nullopt;
        auto found = failure_of(call, failure.is_relation());
        if (!found || found->kind != failure.kind) return std::nullopt;
        // What is like another finding is another bug.
        if (found->finding != failure.finding) return std::nullopt;
        found->number = failure.number;
        found->choices = choices.made();
        found->versions = failure.versions;
        smallest = std::move(*found);
        return smallest.choices;
    };
    (void)shrink(failure.choices, options_.shrink_attempts, shows);
    seconds_shrinking_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    // What was asked to shrink it may have made the last one fail.
    if (passes_afresh(smallest)) return;
    // What follows the last choice that is not the simplest one goes without saying.
    while (!smallest.choices.empty() && smallest.choices.back() == 0) smallest.choices.pop_back();
    failure = std::move(smallest);
}

}  // namespace gathercheck
