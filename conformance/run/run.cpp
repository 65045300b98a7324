// SPDX-License-Identifier: Apache-2.0
// The run: chunks of executions asked twice, judged with their controls, and recorded as they come.
#include "conformance/run/run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>

#include "conformance/judge/judge.hpp"
#include "conformance/judge/two_passes.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/run/judge_execution.hpp"
#include "conformance/run/prepared_cases.hpp"
#include "conformance/run/unmatched_entries.hpp"
#include "conformance/util/number.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

/// Executions that are asked together: so many that starting a child costs little, so few that a
/// run that is cut short loses little.
constexpr std::size_t chunk_executions = 128;
constexpr std::int64_t chunk_bytes = std::int64_t{64} << 20;

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
            if (types.contains(one.type))
                text += (text.empty() ? "" : ", ") + std::string(one.name);
        }
        return text;
    };
    std::string text;
    for (std::size_t k = 0; k < std::min(claims.size(), most); ++k) {
        if (k > 0) text += "; ";
        for (const OperatorVersion version : claims[k].versions) {
            text +=
                (version == claims[k].versions.front() ? "" : ", ") + std::string(name(version));
        }
        text += " (data " + types_text(claims[k].data) + "; indices " +
                types_text(claims[k].indices) + ")";
    }
    return claims.size() > most ? text + "; and more" : text;
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

/// Runs one contender.
class ContenderRun {
public:
    ContenderRun(const Suite& suite, const Equations& equations, const RunOptions& options,
                 const Contender& contender, PreparedCases& cases,
                 const std::function<void(const Record&)>& record,
                 const std::function<void(const Progress&)>& progress)
        : suite_(suite),
          equations_(equations),
          options_(options),
          contender_(contender),
          implementation_(*contender.implementation),
          cases_(cases),
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
    Request request_of(const Execution& execution, const PreparedCasePointer& prepared) const {
        Request request{&prepared->call.call, execution.route, execution.tested->is_described()};
        const KnownFailure* known =
            known_ != nullptr
                ? known_->find(execution.tested->id, execution.version, execution.route)
                : nullptr;
        const auto lists = [known](std::string_view outcome) {
            return known != nullptr &&
                   std::ranges::find(known->outcomes, outcome) != known->outcomes.end();
        };
        request.known_timeout = lists(name(Verdict::timeout));
        request.may_crash = request.known_timeout || lists(name(Verdict::crash)) ||
                            lists(name(Failure::unsafe_memory));
        request.before = prepared->before;
        return request;
    }

    /// Known failures that this run cannot confirm, and those past their date.
    void compare_entries(const std::vector<const Case*>& cases,
                         const std::vector<Execution>& executions) const {
        for (const KnownFailure& entry : contender_.known_failures->entries()) {
            if (known_ == nullptr || entry.expires.empty() || entry.expires >= options_.today) {
                continue;
            }
            note(options_.strict ? "disagreement" : "warning",
                 "a known failure of " + contender_.known_failures->file + " expired on " +
                     entry.expires + ", look at it again and set a new date",
                 entry.pointer + ", case " + entry.case_id + " (" +
                     std::string(name(entry.version)) + ", " + to_string(entry.route) + ")");
        }
        for (const auto& [entry, why] :
             unmatched_entries(contender_, options_.filter, cases_, cases, executions)) {
            // A file about other versions is no judge of this run.
            if (known_ != nullptr) note("disagreement", why);
            if (options_.gone) options_.gone(implementation_.name(), *entry);
        }
    }

    /// Runs and records some executions from the start of `executions`; returns how many.
    std::size_t run_chunk(std::span<const Execution> executions) {
        std::vector<PreparedCasePointer> chunk;
        std::vector<Request> requests;
        std::int64_t bytes = 0;
        while (chunk.size() < executions.size() && chunk.size() < chunk_executions &&
               bytes < chunk_bytes) {
            const Execution& execution = executions[chunk.size()];
            if (lacks_memory(*execution.tested, execution.version, equations_)) break;
            chunk.push_back(cases_.prepared(*execution.tested, execution.version));
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
        std::vector<TimedOutcome> outcomes;
        if (calls_first) outcomes = ask(requests);
        run_controls(asked, chunk);
        if (!calls_first) outcomes = ask(requests);
        for (std::size_t k = 0; k < asked.size(); ++k) {
            // Whatever was cut short by an interruption shows nothing, and what comes behind it
            // would be out of order once the run goes on.
            const auto& [outcome, took] = outcomes[k];
            if (std::holds_alternative<NotRun>(outcome) && interrupted()) break;
            ++recorded_;
            ExecutionRecord record = judged(asked[k], *chunk[k], outcome);
            if (took) {
                using std::chrono::microseconds;
                record.microseconds = std::chrono::duration_cast<microseconds>(*took).count();
            }
            if (options_.judged) options_.judged(*asked[k].tested, outcome, record);
            if (options_.keep_reproducer) reproduce(requests[k], *chunk[k], outcome, record);
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

    /// Records that an execution is not run since the machine or a limit has too little memory,
    /// which is trouble but no verdict on the implementation.
    void record_lack_of_memory(const Execution& execution) {
        if (is_recorded(execution)) return;
        const auto why = lacks_memory(*execution.tested, execution.version, equations_);
        ExecutionRecord record;
        record.implementation = implementation_.name();
        record.version = implementation_.introduction().version;
        record.operator_version = execution.version;
        record.route = execution.route;
        record.case_id = execution.tested->id;
        record.case_hash = execution.tested->hash.substr(0, case_hash_digits);
        record.title = execution.tested->title;
        record.verdict = Verdict::not_run;
        record.outcome = kind_name(NotRun{});
        record.classification = too_little_memory;
        record.detail = why.value_or("it needed more memory than was available");
        if (!lacks_memory_) {
            note("error",
                 "cases were not run for lack of memory; each is shown with what it needs");
        }
        lacks_memory_ = true;
        ++recorded_;
        record_(record);
    }

    struct TimedOutcome {
        Outcome outcome;
        std::optional<std::chrono::nanoseconds> took = {};  ///< of all answers together
    };

    /// Asks every request twice, the second time in reverse order and other surroundings.
    std::vector<TimedOutcome> ask(std::vector<Request>& requests) {
        if (!stopped_.empty()) return std::vector(requests.size(), TimedOutcome{NotRun{stopped_}});
        std::vector first(requests.size(), TimedOutcome{NotRun{"no answer"}});
        const std::size_t asked = answers_ ? 0 : wait_for_answer(requests, first);
        if (!stopped_.empty()) {
            std::fill(first.begin() + static_cast<std::ptrdiff_t>(asked), first.end(),
                      TimedOutcome{NotRun{stopped_}});
            return first;
        }
        implementation_.answer(std::span(requests).subspan(asked),
                               [&](std::size_t k, Outcome outcome) {
                                   first[asked + k] = {std::move(outcome), implementation_.took()};
                               });
        std::vector<Request> again;
        std::vector<std::size_t> places;
        for (std::size_t k = requests.size(); k-- > 0;) {
            if (is_fatal(first[k].outcome)) continue;
            again.push_back(requests[k]);
            again.back().pass = 1;
            places.push_back(k);
        }
        implementation_.answer(again, [&](std::size_t k, Outcome outcome) {
            auto& [merged, took] = first[places[k]];
            if (std::holds_alternative<NotRun>(outcome) && interrupted()) {
                merged = std::move(outcome);  // one answer of two shows too little
                return;
            }
            merged = merge(std::move(merged), std::move(outcome));
            if (const auto more = implementation_.took(); more && took) *took += *more;
        });
        return first;
    }

    TimedOutcome ask_one(const Request& request) {
        TimedOutcome answer{NotRun{"no answer"}};
        implementation_.answer(std::span(&request, 1), [&](std::size_t, Outcome outcome) {
            answer = {std::move(outcome), implementation_.took()};
        });
        return answer;
    }

    /// Asks one call after the other until the first answer. Where it loses its process over the
    /// first ones, and over some from all parts of the run, it is asked no more. Returns how many
    /// of the requests were asked.
    std::size_t wait_for_answer(std::span<const Request> requests,
                                std::vector<TimedOutcome>& outcomes) {
        for (std::size_t k = 0; k < requests.size(); ++k) {
            const int ends = implementation_.ends();
            outcomes[k] = ask_one(requests[k]);
            // What is known to end it tells nothing.
            const bool fatal = is_fatal(outcomes[k].outcome);
            if (requests[k].may_crash && fatal) continue;
            answers_ = !fatal || implementation_.ends() == ends;
            if (!answers_ && ++unanswered_ >= first_calls && executions_.size() >= worth_sparing) {
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
            const PreparedCasePointer prepared =
                cases_.prepared(*execution.tested, execution.version);
            Request request = request_of(execution, prepared);
            if (request.may_crash) continue;
            request.may_crash = true;
            last = ask_one(request).outcome;
            if (!is_fatal(last) || std::holds_alternative<NotRun>(last)) return {};
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

    /// A control, as the case that it is, with the version and the route it is asked by.
    using ControlKey = std::tuple<const Case*, OperatorVersion, Route>;

    ControlKey control_key(const Execution& execution) {
        const Introduction* claiming =
            contender_.retypes ? &implementation_.introduction() : nullptr;
        return {&cases_.control_of(execution, claiming), execution.version, execution.route};
    }

    /// Runs the controls that a chunk needs and that were not run yet.
    void run_controls(std::span<const Execution> executions,
                      const std::vector<PreparedCasePointer>& chunk) {
        std::vector<ControlKey> keys;
        std::vector<PreparedCasePointer> controls;
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
            controls.push_back(cases_.prepared(control, execution.version));
            keys.push_back(key);
            requests.push_back(
                request_of({&control, execution.version, execution.route}, controls.back()));
        }
        if (requests.empty()) return;
        const std::vector<TimedOutcome> outcomes = ask(requests);
        for (std::size_t k = 0; k < outcomes.size(); ++k) {
            const Outcome& outcome = outcomes[k].outcome;
            const Question question{controls[k]->alternatives, {}, false, true, true};
            control_passed_[keys[k]] =
                controls[k]->fault.empty() && judge(question, outcome).verdict == Verdict::pass;
            const bool is_news = is_fatal(outcome) && !requests[k].may_crash &&
                                 !std::holds_alternative<NotRun>(outcome);
            if (!is_news) continue;
            const auto& [control, version, route] = keys[k];
            const std::string end = to_string(outcome);
            const std::size_t last_words = std::min(end.find(last_words_begin), end.size());
            note("warning",
                 "a legal call, control of one that must be rejected: " + end.substr(0, last_words),
                 control->id + " for " + std::string(name(version)) + " by route " +
                     to_string(route) + end.substr(last_words));
        }
    }

    ExecutionRecord judged(const Execution& execution, const PreparedCase& prepared,
                           const Outcome& outcome) {
        const Answering answering{implementation_.name(), implementation_.introduction(), known_};
        const bool control_passed =
            !holds_error(prepared.alternatives) || control_passed_[control_key(execution)];
        return judge_execution(answering, equations_, execution, prepared, control_passed, outcome)
            .record;
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
    PreparedCases& cases_;
    const std::function<void(const Record&)>& record_;
    const std::function<void(const Progress&)>& progress_;
    const KnownFailures* known_ = nullptr;
    std::map<ControlKey, bool> control_passed_;
    std::string stopped_;  // why nothing more is asked; else empty
    /// So many calls at the start of the run without one answer make it doubtful; then so many more
    /// are tried.
    static constexpr std::int64_t first_calls = 2;
    static constexpr std::size_t probes = 3;
    /// Executions: fewer are all asked, whatever becomes of the first ones.
    static constexpr std::size_t worth_sparing = 50;
    std::span<const Execution> executions_;
    std::int64_t unanswered_ = 0;
    bool answers_ = false;
    std::int64_t without_reproducer_ = 0;
    bool lacks_memory_ = false;  // of a case; it was noted
    std::int64_t recorded_ = 0;
};

}  // namespace

std::int64_t run(const Suite& suite, const RuleCatalogue& rules, const Equations& equations,
                 std::vector<Contender>& contenders, const RunOptions& options,
                 const std::function<void(const Record&)>& record,
                 const std::function<void(const Progress&)>& progress) {
    PreparedCases cases(suite, rules, equations);
    std::int64_t executions = 0;
    for (Contender& contender : contenders) {
        if (options.interrupted && options.interrupted()) break;
        executions +=
            ContenderRun(suite, equations, options, contender, cases, record, progress).run();
        // Its process goes at once: while it lives, what is written here is copied for it.
        contender.implementation.reset();
    }
    return executions;
}

}  // namespace gathercheck
