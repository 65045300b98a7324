// SPDX-License-Identifier: Apache-2.0
// Runs a program that speaks the worker protocol: asks, times, restarts and ends it.
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/util/line_buffer.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

constexpr int exit_code_unavailable = 3;
constexpr double seconds_after_goodbye = 5;
/// Standard error is left alone for so long after it was read: a worker that writes it in small
/// pieces would wake this process up for each of them. Meanwhile its pipe takes it.
constexpr double seconds_of_rest = 0.002;

std::string seconds_text(double seconds) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%g s", seconds);
    return buffer.data();
}

class Worker final : public Implementation {
public:
    Worker(std::string name, std::vector<std::string> command, std::vector<std::string> environment,
           const Limits& limits)
        : name_(std::move(name)),
          command_{std::move(command), std::move(environment)},
          limits_(limits),
          ended_(limits.ends) {}

    ~Worker() override { say_goodbye(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    const std::string& name() const override { return name_; }

    std::optional<NotStarted> start() override {
        ignore_broken_pipes();
        return launch();
    }

    const Introduction& introduction() const override { return introduction_; }
    int ends() const override { return ended_; }
    std::optional<std::chrono::nanoseconds> took() const override { return took_; }

    void answer(std::span<const Request> requests, const Answered& answered) override {
        if (ahead_) end_child();  // nobody waits for that answer any more
        for (std::size_t k = 0; k < requests.size(); ++k) {
            const int ended_before = ended_;
            const bool is_last = k + 1 == requests.size();
            next_ = limits_.asks_ahead && !is_last ? &requests[k + 1] : nullptr;
            took_.reset();
            if (interrupted()) stopped_ = "interrupted";
            Outcome outcome = ready() ? ask(requests[k]) : Outcome(NotRun{stopped_});
            if (used_up_ && child_.process) end_child();
            if (requests[k].may_crash) ended_ = ended_before;
            answered(k, std::move(outcome));
        }
    }

    std::optional<ProgramSource> reproduce(const Request& request) override {
        constexpr int most_lost = 5;
        if (ahead_) end_child();
        const std::vector<Request> before = earlier_requests(request);
        std::size_t size = size_of_call_members(request);
        for (const Request& each : before) size += size_of_call_members(each);
        if (!introduction_.reproduces || size > longest_line) return std::nullopt;
        // The last call alone shows nothing.
        if (!before.empty() && !introduction_.keeps_models) return std::nullopt;
        if (!child_.process) {
            if (lost_over_reproducers_ >= most_lost) return std::nullopt;
            stop_at_limit();  // it is started for reproducers only, once the limit is reached
            if (launch()) {
                ++lost_over_reproducers_;
                return std::nullopt;
            }
        }
        const std::string members = call_members(request);
        // A worker may know its calls by their numbers only.
        const auto known = asked_.find(std::hash<std::string>{}(members));
        const bool by_number = known != asked_.end() && before.empty();
        const std::int64_t seq = by_number ? known->second : ++seq_;
        Reply reply = exchange(reproduce_message(seq, introduction_.language, members, before),
                               limits_.seconds_per_call);
        if (const auto* line = std::get_if<Line>(&reply)) {
            auto source = read_source(line->text, seq);
            if (auto* program = std::get_if<ProgramSource>(&source)) {
                if (program->text.empty()) return std::nullopt;
                return std::move(*program);
            }
        }
        ++lost_over_reproducers_;
        end_child();
        return std::nullopt;
    }

private:
    struct Line {
        std::string_view text;  // holds until the next exchange
    };
    struct Ended {};
    struct Late {
        double seconds = 0;  ///< that were waited
    };
    /// A line; or there will be none: it has ended, it is late, or it does not keep to the
    /// protocol.
    using Reply = std::variant<Line, Ended, Late, Malformed>;

    /// Starts the program and shakes hands. Nothing on success.
    std::optional<NotStarted> launch() {
        auto spawned = spawn(command_);
        if (const auto* reason = std::get_if<std::string>(&spawned)) {
            const std::string program =
                command_.arguments.empty() ? std::string() : command_.arguments.front();
            return NotStarted{NotStarted::Kind::broken,
                              "the program " + program + " cannot be started: " + *reason};
        }
        child_ = std::move(std::get<Spawned>(spawned));
        if (limits_.bytes_of_memory != 0) child_.process.limit_memory(limits_.bytes_of_memory);
        tail_.clear();
        asked_.clear();
        used_up_ = false;
        Reply reply =
            exchange(hello_message(!introduction_.name.empty()), limits_.seconds_to_start);
        if (auto* line = std::get_if<Line>(&reply)) {
            auto hello = read_hello(line->text);
            if (auto* introduction = std::get_if<Introduction>(&hello)) {
                // What it said first holds for the whole run.
                if (introduction_.name.empty()) introduction_ = std::move(*introduction);
                return std::nullopt;
            }
            reply = Malformed{std::get<Malformed>(hello).why + ": " + shown(line->text)};
        }
        return no_hello(reply);
    }

    NotStarted no_hello(const Reply& reply) {
        if (std::holds_alternative<Late>(reply)) ask_why();
        const std::string how = end_child();
        if (std::holds_alternative<Ended>(reply)) {
            const std::string lines = tail_.last_lines();
            if (child_.process.exit_code() == exit_code_unavailable && !lines.empty()) {
                return {NotStarted::Kind::unavailable, lines};
            }
            return {NotStarted::Kind::broken,
                    with_errors("ended before its hello: " + how +
                                    memory_limit_text(limits_.bytes_of_memory),
                                tail_)};
        }
        if (const auto* malformed = std::get_if<Malformed>(&reply)) {
            return {NotStarted::Kind::broken,
                    with_errors("no hello as the protocol wants it: " + malformed->why, tail_)};
        }
        return {NotStarted::Kind::broken,
                with_errors("no hello within " + seconds_text(limits_.seconds_to_start), tail_)};
    }

    /// A program may say on SIGTERM what has kept it: `gathercheck worker --plugin` does.
    void ask_why() {
        constexpr double seconds_for_words = 0.5;
        ::kill(child_.process.id(), SIGTERM);
        const Clock::time_point deadline = after(seconds_for_words);
        while (!child_.process.has_ended() && Clock::now() < deadline) {
            std::array<pollfd, 1> watched{pollfd{child_.errors.number(), POLLIN, 0}};
            child_.process.wait(watched, deadline);
            if (watched[0].revents != 0 && !tail_.drain(child_.errors)) child_.errors.close();
        }
    }

    bool interrupted() const { return limits_.interrupted && limits_.interrupted(); }

    /// True where a worker that is gone is not asked any more.
    bool stop_at_limit() {
        if (stopped_.empty() && ended_ >= limits_.restarts) {
            stopped_ = stopped_at_limit(ended_);
        }
        return !stopped_.empty();
    }

    /// True while the worker can be asked; starts it again where it is gone.
    bool ready() {
        if (!stopped_.empty()) return false;
        if (child_.process) return true;
        if (!used_up_ && stop_at_limit()) return false;
        if (auto failed = launch()) {
            stopped_ = "the worker could not be started again: " + failed->why;
            return false;
        }
        return true;
    }

    /// Asks a call, after those that come before it in its sequence.
    Outcome ask(const Request& request) {
        // Numbers do not depend on how the calls before it ended.
        const std::int64_t first = first_number(request);
        const std::int64_t last = first + request.messages() - 1;
        seq_ = last;
        const bool is_sequence = !request.before.empty();
        const std::int64_t model = is_sequence && introduction_.keeps_models ? ++model_ : 0;
        const std::vector<Request> earlier = earlier_requests(request);
        for (std::size_t k = 0; k < earlier.size(); ++k) {
            Outcome outcome = ask_one(earlier[k], first + static_cast<std::int64_t>(k), model);
            if (!ends_sequence(outcome)) continue;
            return in_earlier_call(std::move(outcome), request.before[k].case_id);
        }
        return ask_one(request, last, model);
    }

    Outcome ask_one(const Request& request, std::int64_t seq, std::int64_t model) {
        if (!is_answered(request)) {
            return Unsupported{request.describe ? "it does not answer describe messages"
                                                : "it does not answer run messages"};
        }
        if (size_of_call_members(request) > longest_line) {
            return Unsupported{"the call does not fit a line of the protocol, which has at most " +
                               std::to_string(longest_line) + " bytes"};
        }
        const bool is_sent = std::exchange(ahead_, std::nullopt) == seq;
        if (!is_sent) {
            if (auto outcome = not_idle()) return std::move(*outcome);
        }
        tail_.clear();
        const std::string message = is_sent ? std::string() : message_of(request, seq, model);
        const bool guards = introduction_.reports_unsafe;
        const double seconds = seconds_of(request);
        const Clock::time_point sent = Clock::now();
        Reply reply = exchange(message, seconds, &request);
        if (!limits_.asks_ahead) took_ = Clock::now() - sent;
        if (const auto* line = std::get_if<Line>(&reply)) {
            if (next_ != nullptr && seq == seq_) send_ahead(*next_, line->text);
            auto answer = read_answer(line->text, seq, request.describe, guards);
            if (auto* read = std::get_if<Answer>(&answer)) {
                used_up_ = used_up_ || read->restart;
                // Whatever else it has overwritten: the next call is asked of a new process.
                if (std::holds_alternative<UnsafeMemory>(read->outcome)) close_down();
                return std::move(read->outcome);
            }
            reply = Malformed{std::get<Malformed>(answer).why + ": " + shown(line->text)};
        }
        if (std::holds_alternative<Late>(reply) && interrupted()) {
            end_child();
            return NotRun{"interrupted"};
        }
        return failure(reply);
    }

    /// Whether it answers messages of that kind.
    bool is_answered(const Request& request) const {
        return request.describe ? introduction_.describes : introduction_.runs;
    }

    /// Of the messages of what is asked next.
    std::int64_t first_number(const Request& request) const {
        return request.number != 0 ? request.number : seq_ + 1;
    }

    std::string message_of(const Request& request, std::int64_t seq, std::int64_t model) {
        const std::string members = call_members(request);
        remember(members, seq);
        return call_message(seq, request, members, true, model);
    }

    /// Sends a call before the answer to the last one is read, where it is one message that the
    /// pipe takes as a whole or not at all, and the answer asks for no other process.
    void send_ahead(const Request& request, std::string_view answer) {
        if (!is_answered(request) || !request.before.empty()) return;
        constexpr std::size_t around = 128;
        if (size_of_call_members(request) + around > PIPE_BUF) return;
        if (answer.find("\"restart\"") != answer.npos) return;
        const std::int64_t seq = first_number(request);
        const std::string message = message_of(request, seq, 0);
        const ssize_t count = ::write(child_.input.number(), message.data(), message.size());
        if (count == static_cast<ssize_t>(message.size())) ahead_ = seq;
    }

    /// That the call may take.
    double seconds_of(const Request& request) const {
        const bool is_short = request.known_timeout && limits_.seconds_of_known_timeout > 0;
        return is_short ? std::min(limits_.seconds_of_known_timeout, limits_.seconds_per_call)
                        : limits_.seconds_per_call;
    }

    /// What a worker has done since its last answer, where it should have done nothing.
    std::optional<Outcome> not_idle() {
        std::array<pollfd, 2> watched = both_outputs();
        if (!child_.process.wait(watched, Clock::time_point{})) return std::nullopt;
        if (watched[1].revents != 0 && !tail_.drain(child_.errors)) child_.errors.close();
        if (watched[0].revents != 0) {
            // Closed most often means dead, which its monitor tells in a moment.
            if (!receive()) await_end(after(1));
            if (!received_.text().empty()) {
                const std::string line = shown(first_line());
                return failure(Malformed{"wrote a line that nobody had asked for: " + line});
            }
        }
        if (!child_.process.has_ended()) return std::nullopt;
        return Crash{with_errors("died before this call was sent: " + close_down() +
                                     memory_limit_text(limits_.bytes_of_memory),
                                 tail_)};
    }

    void await_end(Clock::time_point deadline) const {
        while (!child_.process.has_ended() && Clock::now() < deadline) {
            child_.process.wait({}, deadline);
        }
    }

    /// The outcome of a call without a good answer; the worker is ended.
    Outcome failure(const Reply& reply) {
        const std::string partial = received_.text().empty() ? std::string() : shown(first_line());
        const std::string how = close_down();
        if (const auto* malformed = std::get_if<Malformed>(&reply)) {
            return Broken{with_errors("answer " + malformed->why, tail_)};
        }
        if (const auto* late = std::get_if<Late>(&reply)) return Timeout{late->seconds};
        std::string what = how + memory_limit_text(limits_.bytes_of_memory);
        if (!partial.empty()) what += " after the start of an answer: " + partial;
        return Crash{with_errors(std::move(what), tail_)};
    }

    void remember(const std::string& members, std::int64_t seq) {
        constexpr std::size_t longest = std::size_t{1} << 20;
        constexpr std::size_t most = 4096;
        if (!introduction_.reproduces || members.size() > longest) return;
        if (asked_.size() >= most) asked_.clear();
        asked_[std::hash<std::string>{}(members)] = seq;
    }

    std::array<pollfd, 2> both_outputs() const {
        return {pollfd{child_.output.number(), POLLIN, 0},
                pollfd{child_.errors.number(), POLLIN, 0}};
    }

    /// Sends a message and waits for one line. Only the answer to a call may be a long one.
    Reply exchange(std::string_view message, double seconds, const Request* call = nullptr) {
        Clock::time_point deadline = after(seconds);
        received_.clear();
        std::size_t longest = longest_small_answer;
        bool silent = false;  // it closed its standard output
        for (;;) {
            send(message);
            const bool rests = Clock::now() < rest_;
            std::array<pollfd, 3> watched{
                pollfd{child_.output.number(), POLLIN, 0},
                pollfd{rests ? -1 : child_.errors.number(), POLLIN, 0},
                pollfd{message.empty() ? -1 : child_.input.number(), POLLOUT, 0}};
            child_.process.wait(watched, rests ? std::min(deadline, rest_) : deadline);
            // What it says meanwhile is no answer.
            const bool late = Clock::now() >= deadline || interrupted();
            // Looked at first: what it wrote before its end is read below.
            const bool ended = child_.process.has_ended();
            if (watched[1].revents != 0) {
                if (!tail_.drain(child_.errors)) child_.errors.close();
                if (!tail_.is_flooded()) rest_ = after(seconds_of_rest);
            }
            if ((watched[0].revents != 0 || ended) && !receive()) {
                child_.output.close();
                if (!silent) deadline = std::min(deadline, after(1));
                silent = true;
            }
            if (received_.line()) return take_line(message.empty());
            if (call != nullptr && received_.text().size() > longest_small_answer) {
                longest = longest_answer(*std::exchange(call, nullptr));
            }
            if (received_.text().size() > longest) return too_long(longest);
            if (ended) return Ended{};
            if (!late) continue;
            if (silent) return Malformed{"cannot come: it closed its standard output"};
            return Late{seconds};
        }
    }

    Malformed too_long(std::size_t longest) const {
        return {"is longer than " + std::to_string(longest) +
                " bytes, which is more than it can need: " + shown(received_.text())};
    }

    /// Writes as much as the worker takes now.
    void send(std::string_view& message) {
        while (!message.empty()) {
            const ssize_t count = ::write(child_.input.number(), message.data(), message.size());
            if (count > 0) {
                message.remove_prefix(static_cast<std::size_t>(count));
            } else if (errno == EAGAIN) {
                return;
            } else if (errno != EINTR) {
                message = {};  // it reads no more: its end, or its silence, says the rest
            }
        }
    }

    /// Reads what is there. False at the end of its output.
    bool receive() {
        for (;;) {
            const std::span<char> room = received_.room();
            const ssize_t count = ::read(child_.output.number(), room.data(), room.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return errno == EAGAIN;
            if (count == 0) return false;
            received_.add(static_cast<std::size_t>(count));
            const bool all = static_cast<std::size_t>(count) < room.size();
            if (all || received_.line() || received_.text().size() > longest_small_answer) {
                return true;
            }
        }
    }

    /// What was received, up to the end of the first line where it has one.
    std::string_view first_line() const { return received_.line().value_or(received_.text()); }

    Reply take_line(bool all_sent) {
        const std::string_view line = *received_.line();
        if (line.size() + 1 < received_.text().size()) {
            return Malformed{
                "is followed by a second one: " + shown(received_.text().substr(line.size() + 1)) +
                "; the first: " + shown(line)};
        }
        if (!all_sent) return Malformed{"came before the message was read: " + shown(line)};
        received_.clear();
        return Line{line};
    }

    /// Ends it, whatever it is doing; what it left on its standard error is kept.
    std::string end_child() {
        std::string how = child_.process.end();
        tail_.drain(child_.errors);
        child_.input.close();
        child_.output.close();
        child_.errors.close();
        received_.clear();
        ahead_.reset();
        return how;
    }

    std::string close_down() {
        ++ended_;
        return end_child();
    }

    void say_goodbye() {
        if (!child_.process) return;
        const std::string message = goodbye_message();
        std::string_view rest = message;
        send(rest);
        child_.input.close();
        const Clock::time_point deadline = after(seconds_after_goodbye);
        while (!child_.process.has_ended()) {
            auto watched = both_outputs();
            if (!child_.process.wait(watched, deadline) || Clock::now() >= deadline) break;
            received_.clear();
            if (watched[0].revents != 0 && !receive()) child_.output.close();
            if (watched[1].revents != 0 && !tail_.drain(child_.errors)) child_.errors.close();
        }
        end_child();
    }

    std::string name_;
    Command command_;
    Limits limits_;
    Introduction introduction_;
    Spawned child_;
    Tail tail_;
    Clock::time_point rest_{};  // until when its standard error is left alone
    LineBuffer received_;       // of the answer to come
    std::unordered_map<std::size_t, std::int64_t> asked_;  // hash of a call's members: its seq
    std::int64_t seq_ = 0;
    std::int64_t model_ = 0;             // of the last sequence
    const Request* next_ = nullptr;      // what is asked next, where it may be sent ahead
    std::optional<std::int64_t> ahead_;  // the number of a call that was sent before its turn
    int ended_;
    std::optional<std::chrono::nanoseconds> took_;
    int lost_over_reproducers_ = 0;
    bool used_up_ = false;  // it asked for another process in its place, which is no end of it
    std::string stopped_;   // why nothing is asked any more; empty while it is
};

}  // namespace

std::unique_ptr<Implementation> worker(std::string name, std::vector<std::string> command,
                                       std::vector<std::string> environment, const Limits& limits) {
    return std::make_unique<Worker>(std::move(name), std::move(command), std::move(environment),
                                    limits);
}

}  // namespace gathercheck
