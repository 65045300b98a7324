// SPDX-License-Identifier: Apache-2.0
// The run: chunks of executions asked twice, judged with their controls, and recorded as they come.
#include "conformance/run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "conformance/classify.hpp"
#include "conformance/control.hpp"
#include "conformance/guarded_buffer.hpp"
#include "conformance/judge.hpp"
#include "conformance/memory_need.hpp"
#include "conformance/number.hpp"
#include "conformance/policy.hpp"
#include "conformance/report.hpp"
#include "conformance/treatment.hpp"

namespace gathercheck {
namespace {

/// Executions that are asked together: so many that starting a child costs little, so few that a
/// run that is cut short loses little.
constexpr std::size_t chunk_executions = 128;
constexpr std::int64_t chunk_bytes = std::int64_t{64} << 20;
/// A call that is larger is made anew for each implementation instead of being kept.
constexpr std::int64_t kept_bytes = std::int64_t{1} << 20;
/// Wrong outputs of larger calls are not looked at for what happened to bad indices.
constexpr std::int64_t treatment_bytes = std::int64_t{1} << 20;

ResolvedOutput resolve(const ExpectedOutput& expected, const Equations& equations, const Call& call,
                       std::string& fault) {
    if (const auto* spec = std::get_if<TensorSpec>(&expected.output)) {
        ResolvedOutput output{spec->descriptor, std::nullopt, expected.sha256};
        if (spec->has_contents()) output.contents = materialise(*spec);
        return output;
    }
    const auto answer = equations.evaluate(call);
    if (const auto* reason = std::get_if<std::string>(&answer)) {
        fault = "the equations give this call no output: " + *reason;
        return {};
    }
    const auto& known = std::get<EquationAnswer>(answer);
    if (known.bad_index) {
        fault = "the equations give this call no output: the index at flat position " +
                std::to_string(*known.bad_index) + " is outside the range";
        return {};
    }
    const TensorView* data = call.input("data");
    if (data == nullptr || data->contents == nullptr) return {known.output, std::nullopt, {}};
    return {known.output, assemble(known, *data), {}};
}

/// The element types of a call; those of the controls of all calls where it lacks an input.
Types types_of(const Case& tested) {
    Types types{ElementType::f32, ElementType::i64};
    for (const NamedTensorSpec& input : tested.inputs) {
        if (input.name == "data") types.data = input.tensor.descriptor.type;
        if (input.name == "indices") types.indices = input.tensor.descriptor.type;
    }
    return types;
}

/// True where element k is what memory full of the pattern holds there.
bool holds(const Tensor& output, std::int64_t k, std::byte pattern) {
    if (output.type == ElementType::string) return false;
    if (is_packed(output.type)) {
        std::array<std::byte, 8> memory;
        memory.fill(pattern);
        // Eight elements of any width are whole bytes.
        return element_bits(output.type, output.contents.data(), k) ==
               element_bits(output.type, memory.data(), k % 8);
    }
    const std::int64_t width = bits(output.type) / 8;
    const std::byte* element = output.contents.data() + k * width;
    return std::all_of(element, element + width, [&](std::byte byte) { return byte == pattern; });
}

/// True where element k, the first that differs between two runs, holds `a` in the first and `b` in
/// the second. A few bits may do so by chance: of a packed type all elements that differ must, and
/// be enough together.
bool differ_as(const Tensor& first, std::byte a, const Tensor& second, std::byte b,
               std::int64_t k) {
    const auto both = [&](std::int64_t j) { return holds(first, j, a) && holds(second, j, b); };
    if (!is_packed(first.type)) return both(k);
    constexpr std::int64_t enough = 7;  // an element of 4 bits, seen twice, that differs anyway
    const std::int64_t count = element_count(first.shape).value_or(0);
    std::int64_t bits_seen = 0;
    for (std::int64_t j = k; j < count; ++j) {
        if (element_bits(first.type, first.contents.data(), j) ==
            element_bits(second.type, second.contents.data(), j)) {
            continue;
        }
        if (!both(j)) return false;
        bits_seen += 2 * bits(first.type) - 1;
    }
    return bits_seen >= enough;
}

/// Where an element came from that differs between two runs, if that is no memory of the call's;
/// empty where it does not tell. Adapters surround inputs with the output's patterns too, in either
/// order.
std::string_view strange_origin(const Tensor& first, const Tensor& second, std::int64_t k) {
    const auto hold = [&](std::byte a, std::byte b) {
        return differ_as(first, a, second, b, k) || differ_as(first, b, second, a, k);
    };
    if (hold(output_pattern(0), output_pattern(1))) {
        return "was never written, or comes from outside the inputs";
    }
    if (hold(canary_pattern(0), canary_pattern(1))) return "comes from outside the inputs";
    return {};
}

bool is_set(const Filter& filter) {
    return !(filter.cases.empty() && filter.operators.empty() && filter.routes.empty() &&
             filter.types.empty() && filter.rules.empty());
}

/// "onnx.Gather-13 (data f32; indices i32, i64)", of so many claims.
std::string claims_text(std::span<const Claim> claims) {
    constexpr std::size_t most = 4;
    const auto types_text = [](const TypeSet& types) {
        std::string text;
        for (const ElementTypeInfo& one : element_types()) {
            if (types.contains(one.type)) text += (text.empty() ? "" : ", ") + std::string(one.name);
        }
        return text;
    };
    std::string text;
    for (std::size_t k = 0; k < std::min(claims.size(), most); ++k) {
        if (k > 0) text += "; ";
        for (const OperatorVersion version : claims[k].versions) {
            text += (version == claims[k].versions.front() ? "" : ", ") + std::string(name(version));
        }
        text += " (data " + types_text(claims[k].data) + "; indices " +
                types_text(claims[k].indices) + ")";
    }
    return claims.size() > most ? text + "; and more" : text;
}

/// True where a call has no answer and is not asked a second time.
bool is_end(const Outcome& outcome) {
    return std::holds_alternative<Crash>(outcome) || std::holds_alternative<Timeout>(outcome) ||
           std::holds_alternative<Broken>(outcome) || std::holds_alternative<NotRun>(outcome);
}

/// One outcome of the two runs of a call.
Outcome merge(Outcome first, Outcome second) {
    if (is_end(first) || std::holds_alternative<UnsafeMemory>(first)) return first;
    if (std::holds_alternative<NotRun>(second)) return first;  // what was answered stays so
    if (is_end(second) || std::holds_alternative<UnsafeMemory>(second)) return second;
    if (first.index() != second.index()) {
        return NotDeterministic{"first " + to_string(first) + ", then " + to_string(second)};
    }
    if (const auto* a = std::get_if<ValueOutcome>(&first)) {
        const auto& b = std::get<ValueOutcome>(second);
        if (a->output.type != b.output.type || a->output.shape != b.output.shape) {
            return NotDeterministic{"first " + to_string(first) + ", then " + to_string(second)};
        }
        const auto place = first_difference(a->output, b.output);
        if (!place) return first;
        const std::string element = "element " + std::to_string(*place) + " of the output";
        const std::string_view origin = strange_origin(a->output, b.output, *place);
        if (!origin.empty()) return UnsafeMemory{element + " " + std::string(origin)};
        return NotDeterministic{element + " is " + element_text(a->output, *place) +
                                " in one run and " + element_text(b.output, *place) +
                                " in another"};
    }
    if (const auto* a = std::get_if<Rejected>(&first)) {
        if (a->category != std::get<Rejected>(second).category) {
            return NotDeterministic{"first " + to_string(first) + ", then " + to_string(second)};
        }
    }
    return first;
}

/// What with_errors() puts before the last lines of a process.
constexpr std::string_view last_words_begin = "; its stderr ends: ";

/// Of those lines the last alone.
std::string with_last_line(std::string text) {
    const std::size_t begin = text.find(last_words_begin);
    const std::size_t last = text.rfind(" | ");
    if (begin != std::string::npos && last != std::string::npos && last > begin) {
        text.replace(begin, last + 3 - begin, "; its last line on stderr: ");
    }
    return text;
}

/// True where a reader of the records asks which case that was.
bool is_looked_at(Verdict verdict) {
    switch (verdict) {
        case Verdict::fail:
        case Verdict::crash:
        case Verdict::timeout:
        case Verdict::broken:
        case Verdict::known_failure:
        case Verdict::fixed:
        case Verdict::difference:
            return true;
        case Verdict::pass:
        case Verdict::unsupported:
        case Verdict::unavailable:
        case Verdict::unspecified:
        case Verdict::not_run:
            break;
    }
    return false;
}

/// A prepared case, owned where no library keeps it. The pointer is a bare one, since a counted one
/// would write to the memory of every case, and memory that is written to is copied for each child.
struct Lent {
    const PreparedCase* prepared = nullptr;
    std::shared_ptr<const PreparedCase> own;

    const PreparedCase& operator*() const { return *prepared; }
    const PreparedCase* operator->() const { return prepared; }
};

/// Cases made ready for asking, and the controls of those that must be rejected: made once, for all
/// contenders.
class Library {
public:
    Library(const Suite& suite, const RuleCatalogue& rules, const Equations& equations)
        : rules_(rules), equations_(equations), by_id_(suite.cases), retyped_(suite.retyped) {}

    /// The case of an id, of a retyped one too; null where there is none.
    const Case* find(std::string_view id) { return retyped_.find(by_id_, id); }

    Lent prepared(const Case& tested, OperatorVersion version) {
        const Key key(&tested, version);
        const auto found = prepared_.find(key);
        if (found != prepared_.end()) return {found->second.get(), nullptr};
        auto fresh = prepare(tested, version, equations_, rules_);
        if (fresh->bytes > kept_bytes) return {fresh.get(), fresh};
        return {prepared_.emplace(key, std::move(fresh)).first->second.get(), nullptr};
    }

    const Case& control_of(const Case& tested, OperatorVersion version) {
        const auto [place, is_new] = controls_.try_emplace(Key(&tested, version), nullptr);
        if (is_new) place->second = find_control(tested, version);
        return *place->second;
    }

private:
    using Key = std::pair<const Case*, OperatorVersion>;

    const Case* find_control(const Case& tested, OperatorVersion version) {
        if (!tested.control.empty()) {
            const Case* control = by_id_.find(tested.control);
            if (control != nullptr && !tested.written.empty()) {
                control = retyped_.in_types(*control, types_of(tested));
            }
            if (control != nullptr && control->expectation(version) != nullptr) return control;
        }
        Case derived = derive_control(tested, version);
        return &derived_.try_emplace(derived.id, std::move(derived)).first->second;
    }

    const RuleCatalogue& rules_;
    const Equations& equations_;
    CasesById by_id_;
    RetypedCases& retyped_;
    std::map<Key, std::shared_ptr<const PreparedCase>> prepared_;
    std::map<Key, const Case*> controls_;
    std::map<std::string, Case> derived_;
};

/// Runs one contender.
class ContenderRun {
public:
    ContenderRun(const Suite& suite, const Equations& equations, const RunOptions& options,
                 const Contender& contender, Library& library,
                 const std::function<void(const Record&)>& record,
                 const std::function<void(const Progress&)>& progress)
        : suite_(suite),
          equations_(equations),
          options_(options),
          contender_(contender),
          implementation_(*contender.implementation),
          library_(library),
          record_(record),
          progress_(progress) {}

    /// Number of executions recorded.
    std::int64_t run() {
        if (!start()) return 0;
        const std::vector<const Case*> cases =
            select_cases(suite_.cases, options_.filter, contender_.sweeps, options_.shard);
        const std::vector<Execution> executions = select_executions(
            cases, options_.filter, contender_.sweeps, implementation_.introduction(),
            contender_.retypes ? &suite_.retyped : nullptr);
        if (options_.recorded != nullptr && !continues(executions)) return 0;
        if (executions.empty() && is_set(options_.filter)) {
            note("warning", "it claims nothing of what the filter leaves; it claims " +
                                claims_text(implementation_.introduction().claims));
        }
        if (contender_.known_failures != nullptr) compare_entries(cases, executions);
        executions_ = executions;
        report_progress(0, executions.size());
        std::size_t done = 0;
        while (done < executions.size() && !interrupted()) {
            done += run_chunk(std::span(executions).subspan(done));
            report_progress(done, executions.size());
        }
        note_missing_reproducers();
        return recorded_;
    }

private:
    void report_progress(std::size_t done, std::size_t total) const {
        if (!progress_) return;
        progress_({implementation_.name(), static_cast<std::int64_t>(done),
                   static_cast<std::int64_t>(total)});
    }

    void note(const std::string& level, std::string text, std::string about = {}) const {
        const NoteRecord note{implementation_.name(), level, std::move(text), std::move(about)};
        if (options_.recorded == nullptr || !options_.recorded->has(note)) record_(note);
    }

    /// Records it, unless an earlier part of the run has. False where that was another.
    bool introduce(const ImplementationRecord& record) {
        const ImplementationRecord* before =
            options_.recorded != nullptr ? options_.recorded->implementation(record.name) : nullptr;
        if (before == nullptr) {
            record_(record);
            return true;
        }
        const std::string change = difference(*before, record);
        if (!change.empty()) options_.refuse(change);
        return change.empty();
    }

    /// True where an earlier part of the run recorded nothing but some of these.
    bool continues(const std::vector<Execution>& executions) {
        const auto found = std::ranges::count_if(
            executions, [&](const Execution& one) { return is_recorded(one); });
        const std::int64_t recorded = options_.recorded->executions(implementation_.name());
        stopped_ = options_.recorded->stopped(implementation_.name());
        unanswered_ = options_.recorded->ends(implementation_.name());
        answers_ = recorded > unanswered_ || unanswered_ >= first_calls;
        if (options_.keep_reproducer) {
            without_reproducer_ = options_.recorded->without_reproducer(implementation_.name());
        }
        if (found == recorded) return true;
        options_.refuse(implementation_.name() + " has " + std::to_string(recorded) +
                        " executions in it, of which only " + std::to_string(found) +
                        " are among those of this run");
        return false;
    }

    bool is_recorded(const Execution& execution) const {
        return options_.recorded != nullptr &&
               options_.recorded->has(implementation_.name(), execution.version, execution.route,
                                      execution.tested->id);
    }

    bool start() {
        ImplementationRecord record;
        record.name = implementation_.name();
        record.asked_by_name = contender_.asked_by_name;
        const auto not_started = implementation_.start();
        if (not_started) {
            if (interrupted()) return false;
            record.state =
                not_started->kind == NotStarted::Kind::unavailable ? "unavailable" : "broken";
            record.why = not_started->why;
            introduce(record);
            return false;
        }
        const Introduction& introduction = implementation_.introduction();
        record.state = "started";
        record.version = introduction.version;
        record.language = introduction.language;
        record.device = introduction.device;
        record.witness = introduction.witness;
        record.claims = introduction.claims;
        record.not_implemented = introduction.not_implemented;
        known_ = contender_.known_failures;
        if (known_ != nullptr) {
            record.known_failures = known_->file;
            record.known_failures_hash = content_hash(*known_);
        }
        if (!introduce(record)) return false;
        if (known_ != nullptr && !known_->covers(introduction.version)) {
            note("warning", "the known failures of " + known_->file + " are about versions " +
                                known_->versions_text() + "; this is " + introduction.version +
                                ": they are not applied; widen its \"versions\", or bring it up to "
                                "date by --update-known-failures");
            known_ = nullptr;
        }
        return true;
    }

    /// The call of an execution. It lends the prepared case.
    Request request_of(const Execution& execution, const Lent& prepared) const {
        return {&prepared->call.call,
                execution.route,
                execution.tested->is_described(),
                0,
                may_end(execution.tested->id, execution.version, execution.route),
                prepared->before};
    }

    /// Known failures that this run cannot confirm, and those past their date.
    void compare_entries(const std::vector<const Case*>& cases,
                         const std::vector<Execution>& executions) const {
        std::set<std::string_view> selected;
        for (const Case* tested : cases) selected.insert(tested->id);
        std::set<std::tuple<std::string_view, OperatorVersion, Route>> executed;
        for (const Execution& execution : executions) {
            executed.emplace(execution.tested->id, execution.version, execution.route);
        }
        // A file about other versions is no judge of this run.
        const auto disagree = [&](const KnownFailure& entry, const std::string& text) {
            if (known_ != nullptr) note("disagreement", text + "; remove the entry");
            if (options_.gone) options_.gone(implementation_.name(), entry);
        };
        for (const KnownFailure& entry : contender_.known_failures->entries()) {
            const std::string where = contender_.known_failures->file + ": " + entry.pointer + ": ";
            if (known_ != nullptr && !entry.expires.empty() && entry.expires < options_.today) {
                note(options_.strict ? "disagreement" : "warning",
                     "a known failure of " + contender_.known_failures->file + " expired on " +
                         entry.expires + ", look at it again and set a new date",
                     entry.pointer + ", case " + entry.case_id + " (" +
                         std::string(name(entry.version)) + ", " + to_string(entry.route) + ")");
            }
            const Case* named = library_.find(entry.case_id);
            if (named == nullptr) {
                if (!contender_.known_failures_are_of_suite) continue;
                disagree(entry, where + "the suite has no case " + entry.case_id);
                continue;
            }
            if (!selected.contains(named->written.empty() ? named->id : named->written) ||
                !options_.filter.matches(*named) ||
                !options_.filter.matches(*named, entry.version) ||
                !options_.filter.matches(entry.route)) {
                continue;
            }
            if (!executed.contains({entry.case_id, entry.version, entry.route})) {
                disagree(entry, where + "case " + entry.case_id + " is not run for " +
                                    std::string(name(entry.version)) + " by route " +
                                    to_string(entry.route));
            }
        }
    }

    /// Runs and records some executions from the start of `executions`; returns how many.
    std::size_t run_chunk(std::span<const Execution> executions) {
        std::vector<Lent> chunk;
        std::vector<Request> requests;
        std::int64_t bytes = 0;
        while (chunk.size() < executions.size() && chunk.size() < chunk_executions &&
               bytes < chunk_bytes) {
            const Execution& execution = executions[chunk.size()];
            if (lacks_memory(*execution.tested, execution.version, equations_)) break;
            chunk.push_back(library_.prepared(*execution.tested, execution.version));
            bytes += chunk.back()->bytes;
            requests.push_back(request_of(execution, chunk.back()));
        }
        if (chunk.empty()) {
            record_lack_of_memory(executions.front());
            return 1;
        }
        const std::size_t count = chunk.size();
        // A run that goes on has the same chunks, for the same order of records.
        std::vector<Execution> asked;
        for (std::size_t k = 0; k < count; ++k) {
            if (is_recorded(executions[k])) continue;
            chunk[asked.size()] = std::move(chunk[k]);
            requests[asked.size()] = requests[k];
            asked.push_back(executions[k]);
        }
        chunk.resize(asked.size());
        requests.resize(asked.size());
        // A program that dies in every call shall be seen to do so in its own calls.
        const bool calls_first = !answers_;
        std::vector<Outcome> outcomes;
        if (calls_first) outcomes = ask(requests);
        run_controls(asked, chunk);
        if (!calls_first) outcomes = ask(requests);
        for (std::size_t k = 0; k < asked.size(); ++k) {
            // Whatever was cut short by an interruption shows nothing, and what comes behind it
            // would be out of order once the run goes on.
            if (std::holds_alternative<NotRun>(outcomes[k]) && interrupted()) break;
            ++recorded_;
            ExecutionRecord record = judged(asked[k], *chunk[k], outcomes[k]);
            if (options_.judged) options_.judged(*asked[k].tested, outcomes[k], record);
            if (options_.keep_reproducer) reproduce(requests[k], *chunk[k], outcomes[k], record);
            record_(record);
            if (options_.strict && record.verdict == Verdict::difference) note_difference(record);
        }
        return count;
    }

    /// A witness promises nothing, but who wants to know is told of what is new.
    void note_difference(const ExecutionRecord& record) const {
        note("disagreement",
             "a difference of this witness is not among its known failures; "
             "--update-known-failures records it",
             "case " + record.case_id + " (" + std::string(name(record.operator_version)) + ", " +
                 to_string(record.route) + ")");
    }

    /// Records that an execution is not run since the machine or a limit has too little memory, which
    /// is trouble but no verdict on the implementation.
    void record_lack_of_memory(const Execution& execution) {
        if (is_recorded(execution)) return;
        const auto why = lacks_memory(*execution.tested, execution.version, equations_);
        ExecutionRecord record;
        record.implementation = implementation_.name();
        record.version = implementation_.introduction().version;
        record.operator_version = execution.version;
        record.route = execution.route;
        record.case_id = execution.tested->id;
        record.title = execution.tested->title;
        record.verdict = Verdict::not_run;
        record.outcome = kind_name(NotRun{});
        record.classification = too_little_memory;
        record.detail = why.value_or("it needed more memory than was available");
        if (!lacks_memory_) {
            note("error", "cases were not run for lack of memory; each is shown with what it needs");
        }
        lacks_memory_ = true;
        ++recorded_;
        record_(record);
    }

    /// Asks every request twice, the second time in reverse order and other surroundings.
    std::vector<Outcome> ask(std::vector<Request>& requests) {
        if (!stopped_.empty()) return std::vector<Outcome>(requests.size(), NotRun{stopped_});
        std::vector<Outcome> first(requests.size(), NotRun{"no answer"});
        const std::size_t asked = answers_ ? 0 : wait_for_answer(requests, first);
        if (!stopped_.empty()) {
            std::fill(first.begin() + static_cast<std::ptrdiff_t>(asked), first.end(),
                      NotRun{stopped_});
            return first;
        }
        implementation_.answer(
            std::span(requests).subspan(asked),
            [&](std::size_t k, Outcome outcome) { first[asked + k] = std::move(outcome); });
        std::vector<Request> again;
        std::vector<std::size_t> places;
        for (std::size_t k = requests.size(); k-- > 0;) {
            if (is_end(first[k])) continue;
            again.push_back(requests[k]);
            again.back().pass = 1;
            places.push_back(k);
        }
        implementation_.answer(again, [&](std::size_t k, Outcome outcome) {
            Outcome& merged = first[places[k]];
            if (std::holds_alternative<NotRun>(outcome) && interrupted()) {
                merged = std::move(outcome);  // one answer of two shows too little
                return;
            }
            merged = merge(std::move(merged), std::move(outcome));
        });
        return first;
    }

    Outcome ask_one(const Request& request) {
        Outcome outcome = NotRun{"no answer"};
        implementation_.answer(std::span(&request, 1),
                               [&](std::size_t, Outcome one) { outcome = std::move(one); });
        return outcome;
    }

    /// Asks one call after the other until the first answer. Where it loses its process over the
    /// first ones, and over some from all parts of the run, it is asked no more. Returns how many of
    /// the requests were asked.
    std::size_t wait_for_answer(std::span<const Request> requests, std::vector<Outcome>& outcomes) {
        for (std::size_t k = 0; k < requests.size(); ++k) {
            const int ends = implementation_.ends();
            outcomes[k] = ask_one(requests[k]);
            // What is known to end it tells nothing.
            if (requests[k].may_end && is_end(outcomes[k])) continue;
            answers_ = !is_end(outcomes[k]) || implementation_.ends() == ends;
            if (!answers_ && ++unanswered_ >= first_calls) {
                stopped_ = why_it_answers_nothing();
                answers_ = stopped_.empty();
            }
            if (answers_ || !stopped_.empty()) return k + 1;
        }
        return requests.size();
    }

    /// Empty where one of some calls from all parts of the run is answered. These are asked beside
    /// the run: they leave no record, and do not count towards the limit on restarts.
    std::string why_it_answers_nothing() {
        std::int64_t lost = unanswered_;
        Outcome last = NotRun{};
        for (std::size_t part = 1; part <= probes; ++part) {
            const Execution& execution = executions_[(executions_.size() - 1) * part / probes];
            if (lacks_memory(*execution.tested, execution.version, equations_)) continue;
            const Lent prepared = library_.prepared(*execution.tested, execution.version);
            Request request = request_of(execution, prepared);
            if (request.may_end) continue;
            request.may_end = true;
            last = ask_one(request);
            if (!is_end(last) || std::holds_alternative<NotRun>(last)) return {};
            ++lost;
        }
        if (std::holds_alternative<NotRun>(last)) return {};
        std::string why = "none of its first " + std::to_string(lost) +
                          " calls, which are from all parts of the run, was answered; the last: " +
                          with_last_line(to_string(last)) + "; the rest was not asked";
        if (!contender_.program.empty()) {
            why += "; to see more: gathercheck smoke " + shell_word(contender_.program);
        }
        return why;
    }

    /// True where the implementation is known to die or hang, or to damage its memory.
    bool may_end(const std::string& id, OperatorVersion version, const Route& route) const {
        if (known_ == nullptr) return false;
        const KnownFailure* entry = known_->find(id, version, route);
        return entry != nullptr && std::ranges::any_of(entry->outcomes, [](const auto& outcome) {
                   return outcome == name(Verdict::crash) || outcome == name(Verdict::timeout) ||
                          outcome == name(Failure::unsafe_memory);
               });
    }

    /// A control, as the case that it is, with the version and the route it is asked by.
    using ControlKey = std::tuple<const Case*, OperatorVersion, Route>;

    /// The control of a call that is claimed is claimed too, if it can be.
    ControlKey control_key(const Execution& execution) {
        const auto& [tested, version, route, claimed] = execution;
        const Case* control = &library_.control_of(*tested, version);
        if (claimed && contender_.retypes) {
            const Case* nearest = suite_.retyped.claimed(*control, version, route,
                                                         implementation_.introduction().claims);
            if (nearest != nullptr) control = nearest;
        }
        return {control, version, route};
    }

    /// Runs the controls that a chunk needs and that were not run yet.
    void run_controls(std::span<const Execution> executions, const std::vector<Lent>& chunk) {
        std::vector<ControlKey> keys;
        std::vector<Lent> controls;
        std::vector<Request> requests;
        for (std::size_t k = 0; k < executions.size(); ++k) {
            if (!holds_error(chunk[k]->alternatives)) continue;
            const Execution& execution = executions[k];
            const ControlKey key = control_key(execution);
            if (!control_passed_.emplace(key, false).second) continue;
            const Case& control = *std::get<const Case*>(key);
            if (const auto why = lacks_memory(control, execution.version, equations_)) {
                note("error", "the legal call " + control.id +
                                  ", control of one that must be rejected, was not run: " + *why);
                continue;
            }
            controls.push_back(library_.prepared(control, execution.version));
            keys.push_back(key);
            requests.push_back({&controls.back()->call.call, execution.route,
                                control.is_described(), 0,
                                may_end(control.id, execution.version, execution.route)});
        }
        if (requests.empty()) return;
        const std::vector<Outcome> outcomes = ask(requests);
        for (std::size_t k = 0; k < outcomes.size(); ++k) {
            const Question question{controls[k]->alternatives, {}, false, true, true};
            control_passed_[keys[k]] =
                controls[k]->fault.empty() && judge(question, outcomes[k]).verdict == Verdict::pass;
            const bool is_news = is_end(outcomes[k]) && !requests[k].may_end &&
                                 !std::holds_alternative<NotRun>(outcomes[k]);
            if (!is_news) continue;
            const auto& [control, version, route] = keys[k];
            const std::string end = to_string(outcomes[k]);
            const std::size_t last_words = std::min(end.find(last_words_begin), end.size());
            note("warning",
                 "a legal call, control of one that must be rejected: " + end.substr(0, last_words),
                 control->id + " for " + std::string(name(version)) + " by route " +
                     to_string(route) + end.substr(last_words));
        }
    }

    /// True where a wrong output may show what the implementation does with bad indices.
    static bool shows_treatment(const ExecutionRecord& record, const PreparedCase& prepared) {
        return (record.failure == Failure::accepted || record.failure == Failure::wrong_value) &&
               record.outcome == "value" && prepared.bytes <= treatment_bytes;
    }

    std::string treatment(const Execution& execution, const PreparedCase& prepared,
                          const Outcome& outcome) const {
        return (is_policy_case(execution.tested->id) ? classify_probe : classify)(
            equations_, prepared.call.call, outcome);
    }

    ExecutionRecord judged(const Execution& execution, const PreparedCase& prepared,
                           const Outcome& outcome) {
        ExecutionRecord record;
        record.implementation = implementation_.name();
        record.version = implementation_.introduction().version;
        record.operator_version = execution.version;
        record.route = execution.route;
        record.case_id = execution.tested->id;
        record.outcome = kind_name(outcome);
        if (const auto* rejected = std::get_if<Rejected>(&outcome)) {
            if (rejected->category) record.category = name(*rejected->category);
            if (rejected->phase) record.phase = name(*rejected->phase);
        }
        if (!prepared.fault.empty()) {
            record.verdict = Verdict::broken;
            record.detail = "the case is wrong: " + prepared.fault;
            return record;
        }
        Question question;
        question.alternatives = prepared.alternatives;
        question.rules = prepared.rules;
        question.follows_suite = implementation_.follows_suite();
        question.claimed = execution.claimed;
        if (holds_error(prepared.alternatives)) {
            question.control_passed = control_passed_[control_key(execution)];
        }
        Judgement judgement = judge(question, outcome);
        if (implementation_.introduction().witness) judgement = of_witness(std::move(judgement));
        record.verdict = judgement.verdict;
        record.failure = judgement.failure;
        record.detail = std::move(judgement.detail);
        if (record.verdict == Verdict::unspecified) {
            record.classification = treatment(execution, prepared, outcome);
            record.detail = to_string(outcome);
        } else if (record.verdict == Verdict::pass && record.outcome == "descriptor" &&
                   !holds_output(prepared.alternatives)) {
            record.classification = left_to_the_run;
        } else if (shows_treatment(record, prepared)) {
            record.classification = treatment(execution, prepared, outcome);
        }
        if (known_ != nullptr) apply(*known_, record);
        if (record.verdict == Verdict::fail || record.verdict == Verdict::difference) {
            record.answer = answer_digest(outcome);
        }
        if (is_looked_at(record.verdict)) record.title = execution.tested->title;
        return record;
    }

    /// Has a failure written down in the implementation's own API.
    void reproduce(const Request& request, const PreparedCase& prepared, const Outcome& outcome,
                   ExecutionRecord& record) {
        if (wrong_outcome(record).empty() || interrupted()) return;
        auto source = implementation_.reproduce(request);
        if (source) {
            const Reproducer reproducer{implementation_.introduction().language,
                                        std::move(source->text), std::move(source->command),
                                        shows(prepared.alternatives, outcome),
                                        record.rules.empty() ? prepared.rules : record.rules};
            record.reproducer = options_.keep_reproducer(record, reproducer);
        } else {
            ++without_reproducer_;
        }
    }

    bool interrupted() const { return options_.interrupted && options_.interrupted(); }

    void note_missing_reproducers() const {
        if (without_reproducer_ == 0) return;
        if (!implementation_.introduction().reproduces) {
            note("warning", "it writes no reproducers; the repeating line of a failure shows it");
            return;
        }
        note("warning", "it wrote no reproducer for " + std::to_string(without_reproducer_) +
                            " of its failures");
    }

    const Suite& suite_;
    const Equations& equations_;
    const RunOptions& options_;
    const Contender& contender_;
    Implementation& implementation_;
    Library& library_;
    const std::function<void(const Record&)>& record_;
    const std::function<void(const Progress&)>& progress_;
    const KnownFailures* known_ = nullptr;
    std::map<ControlKey, bool> control_passed_;
    std::string stopped_;  // why nothing more is asked; else empty
    /// So many calls at the start of the run without one answer make it doubtful; then so many more
    /// are tried.
    static constexpr std::int64_t first_calls = 2;
    static constexpr std::size_t probes = 3;
    std::span<const Execution> executions_;
    std::int64_t unanswered_ = 0;
    bool answers_ = false;
    std::int64_t without_reproducer_ = 0;
    bool lacks_memory_ = false;  // of a case; it was noted
    std::int64_t recorded_ = 0;
};

}  // namespace

std::shared_ptr<const PreparedCase> prepare(const Case& tested, OperatorVersion version,
                                            const Equations& equations,
                                            const RuleCatalogue& rules) {
    auto prepared = std::make_shared<PreparedCase>();
    for (const std::string& id : tested.expectation(version)->rules) {
        const Rule* rule = rules.find(id);
        if (rule == nullptr || rule->version != version) continue;
        prepared->rules.push_back(id);
        if (!rule->same_check.empty()) prepared->rules.push_back(rule->same_check);
    }
    prepared->call = make_call(tested, version);
    const auto count_bytes = [&](const OwnedCall& call) {
        for (const auto& [name, tensor] : call.tensors) {
            prepared->bytes += static_cast<std::int64_t>(tensor.contents.size());
        }
    };
    count_bytes(prepared->call);
    for (const auto& each : tested.earlier) {
        prepared->earlier_calls.push_back(make_call(*each, version));
        count_bytes(prepared->earlier_calls.back());
    }
    for (std::size_t k = 0; k < tested.earlier.size(); ++k) {
        prepared->before.push_back({&prepared->earlier_calls[k].call, tested.earlier[k]->id});
    }
    for (const Alternative& alternative : tested.expectation(version)->alternatives) {
        if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
            prepared->alternatives.emplace_back(*error);
            continue;
        }
        ResolvedOutput output = resolve(std::get<ExpectedOutput>(alternative), equations,
                                        prepared->call.call, prepared->fault);
        if (output.contents) {
            prepared->bytes += static_cast<std::int64_t>(output.contents->contents.size());
        }
        prepared->alternatives.emplace_back(std::move(output));
    }
    return prepared;
}

std::int64_t run(const Suite& suite, const RuleCatalogue& rules, const Equations& equations,
                 std::vector<Contender>& contenders, const RunOptions& options,
                 const std::function<void(const Record&)>& record,
                 const std::function<void(const Progress&)>& progress) {
    Library library(suite, rules, equations);
    std::int64_t executions = 0;
    for (Contender& contender : contenders) {
        if (options.interrupted && options.interrupted()) break;
        executions +=
            ContenderRun(suite, equations, options, contender, library, record, progress).run();
        // Its process goes at once: while it lives, what is written here is copied for it.
        contender.implementation.reset();
    }
    return executions;
}

namespace {

/// What warnings of one kind have in common: their text without numbers and what it quotes, such as
/// the number of a message and its payload.
std::string kind_of(const NoteRecord& note) {
    if (note.level != "warning") return note.text;
    std::string kind;
    bool quoted = false;
    for (const char c : note.text) {
        if (c == '"') quoted = !quoted;
        const bool is_digit = c >= '0' && c <= '9';
        if (quoted || (is_digit && kind.ends_with('0'))) continue;
        kind += is_digit ? '0' : c;
    }
    return kind;
}

std::string more_like_it(std::int64_t more) { return " (and " + std::to_string(more) + " more)"; }

}  // namespace

void Tally::add(const Record& record) {
    if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
        // Shards of one run each begin with it.
        const bool is_new =
            introduced_
                .insert({implementation->name, implementation->version, implementation->state})
                .second;
        if (!is_new) return;
        places_[{implementation->name, implementation->version}] = implementations_.size();
        implementations_.push_back({*implementation, {}, {}, {}});
    } else if (const auto* execution = std::get_if<ExecutionRecord>(&record)) {
        // Executions of one implementation follow its record; a merged file may mix them.
        const auto [place, is_unknown] = places_.try_emplace(
            {execution->implementation, execution->version}, implementations_.size());
        if (is_unknown) {
            ImplementationRecord unknown;
            unknown.name = execution->implementation;
            unknown.version = execution->version;
            unknown.state = "started";
            implementations_.push_back({unknown, {}, {}, {}});
        }
        ImplementationTally* const found = &implementations_[place->second];
        ++found->verdicts[static_cast<std::size_t>(execution->verdict)];
        if (execution->verdict == Verdict::unspecified) ++found->classes[execution->classification];
        if (execution->verdict == Verdict::not_run && found->stopped.empty()) {
            found->stopped = execution->detail;
        }
    } else if (const auto* note = std::get_if<NoteRecord>(&record)) {
        const auto [place, is_new] = folded_.try_emplace(
            {note->implementation, note->level, kind_of(*note)}, Folded{notes_.size(), 0});
        if (is_new) {
            notes_.push_back(*note);
            if (!note->about.empty()) notes_.back().text += ": " + note->about;
            return;
        }
        std::string& text = notes_[place->second.place].text;
        const std::int64_t more = place->second.more++;
        if (more > 0) text.resize(text.size() - more_like_it(more).size());
        text += more_like_it(more + 1);
    } else if (std::holds_alternative<RunRecord>(record)) {
        ++runs_;
    } else if (const auto* end = std::get_if<EndRecord>(&record)) {
        ++ends_;
        interrupted_ = interrupted_ || end->partial;
    }
}

std::int64_t Tally::known_failures() const {
    std::int64_t sum = 0;
    for (const ImplementationTally& tally : implementations_) {
        sum += tally.count(Verdict::known_failure);
    }
    return sum;
}

std::int64_t Tally::differences() const {
    std::int64_t sum = 0;
    for (const ImplementationTally& tally : implementations_) {
        sum += tally.count(Verdict::difference);
    }
    return sum;
}

bool Tally::only_witnesses() const {
    const auto started = [](const ImplementationTally& one) {
        return one.record.state == "started";
    };
    return std::ranges::any_of(implementations_, started) &&
           std::ranges::all_of(implementations_, [&](const ImplementationTally& one) {
               return one.record.witness || !started(one);
           });
}

std::string Tally::trouble() const {
    if (implementations_.empty()) return "no implementation was run";
    if (partial()) return "the run was cut short";
    if (!lacking_.empty()) return "incomplete: " + lacking_.front();
    for (const NoteRecord& note : notes_) {
        if (note.level == "error") return "a note on " + note.implementation + " is an error";
    }
    for (const ImplementationTally& tally : implementations_) {
        const std::string& name = tally.record.name;
        if (tally.record.state != "started") {
            if (!tally.record.asked_by_name && tally.record.state != "broken") continue;
            // Of a program that its author brings.
            const bool own = name.starts_with("exec:");
            return name + " is " + tally.record.state +
                   (own ? "; `gathercheck smoke` tells more" : "");
        }
        if (const std::int64_t broken = tally.count(Verdict::broken); broken > 0) {
            return "the adapter of " + name + " broke " + count_of(broken, "execution") +
                   ", shown as BROKEN";
        }
        if (failures_of(tally) == 0 &&
            tally.count(Verdict::pass) + tally.count(Verdict::fixed) == 0) {
            return "nothing passed on " + name;
        }
    }
    return "";
}

int Tally::exit_code() const {
    if (!trouble().empty()) return 3;
    bool disagrees = std::ranges::any_of(
        notes_, [](const NoteRecord& note) { return note.level == "disagreement"; });
    for (const ImplementationTally& tally : implementations_) {
        if (failures_of(tally) + tally.count(Verdict::not_run) > 0) return 1;
        disagrees = disagrees || tally.count(Verdict::fixed) > 0;
    }
    return disagrees ? 2 : 0;
}

}  // namespace gathercheck
