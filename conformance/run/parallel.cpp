// SPDX-License-Identifier: Apache-2.0
// Instances side by side: a thread for each takes slices of the requests, and the calling thread
// hands the outcomes on in order.
#include "conformance/run/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/util/fork_gate.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

/// Requests that an instance takes at once: few, so that one that hangs holds little up; several,
/// since a batch costs something of its own.
constexpr std::size_t most_in_slice = 32;
/// Outcomes that wait for an earlier one hold at most so much, and one slice for each instance.
constexpr std::size_t most_held = std::size_t{64} << 20;

/// Some threads that run beside the one that made them, all in the room of fork_gate.hpp while they
/// work. They begin and end while nobody forks: none forks before all have begun, and all have
/// finished their work before the first of them ends.
class Team {
public:
    using Work = std::function<void(std::size_t member)>;

    /// The thread that makes it must be in the room. There may be fewer members than wanted where
    /// the system grants no more threads, at least one.
    Team(std::size_t wanted, Work work) : work_(std::move(work)) {
        threads_.reserve(wanted);
        try {
            while (threads_.size() < wanted) {
                threads_.emplace_back([this, member = threads_.size()] { live(member); });
            }
        } catch (const std::system_error&) {
            if (threads_.empty()) throw;
        }
        await(begun_);
        go_ = true;
        go_.notify_all();
    }
    ~Team() {
        const Waiting waiting;
        await(finished_);
        dismissed_ = true;
        dismissed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

private:
    void await(const std::atomic<std::size_t>& count) const {
        for (std::size_t seen = count; seen < threads_.size(); seen = count) count.wait(seen);
    }

    static void add_one(std::atomic<std::size_t>& count) {
        ++count;
        count.notify_all();
    }

    void live(std::size_t member) {
        {
            const OneOfSeveral present;
            add_one(begun_);
            go_.wait(false);
            work_(member);
        }
        add_one(finished_);
        dismissed_.wait(false);
    }

    Work work_;
    std::vector<std::thread> threads_;
    std::atomic<std::size_t> begun_{0};
    std::atomic<bool> go_{false};
    std::atomic<std::size_t> finished_{0};
    std::atomic<bool> dismissed_{false};
};

std::size_t bytes_of(const Outcome& outcome) {
    constexpr std::size_t about = 256;  // of anything else
    const auto* value = std::get_if<ValueOutcome>(&outcome);
    return about + (value != nullptr ? value->output.contents.size() : 0);
}

/// What became of one request.
struct Result {
    Outcome outcome;
    std::size_t instance = 0;
    bool ended = false;  ///< the instance's process ended over it
    std::size_t bytes = 0;
    std::optional<std::chrono::nanoseconds> took = {};
};

/// The requests of one call of `answer`, and what is known of them.
class Board {
public:
    /// `messages` were asked before these requests.
    Board(std::span<const Request> requests, std::int64_t messages, std::size_t jobs)
        : requests_(requests),
          slice_(std::clamp<std::size_t>(requests.size() / (jobs * 4), 1, most_in_slice)),
          results_(requests.size()) {
        numbers_.reserve(requests.size());
        for (const Request& request : requests) {
            numbers_.push_back(messages + 1);
            messages += request.messages();
        }
    }

    /// One thread's share of the work.
    void work(std::size_t member, Implementation& instance) {
        try {
            while (const auto slice = take()) ask(member, instance, slice->first, slice->second);
        } catch (const Abandoned&) {
            return;
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            abandoned_ = true;
        }
        changed_.notify_all();
    }

    /// Waits for the next results in order; none after the last.
    std::vector<Result> next() {
        {
            const Waiting waiting;
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] {
                return abandoned_ || delivered_ == results_.size() || results_[delivered_];
            });
        }
        const std::lock_guard lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
        std::vector<Result> found;
        for (std::size_t k = delivered_; k < results_.size() && results_[k]; ++k) {
            found.push_back(std::move(*results_[k]));
        }
        return found;
    }

    /// Said of results of `next`: they are held no longer.
    void delivered(std::span<const Result> results) {
        {
            const std::lock_guard lock(mutex_);
            delivered_ += results.size();
            for (const Result& result : results) held_ -= result.bytes;
        }
        changed_.notify_all();
    }

    /// Nothing more is wanted: threads come back at their next answer.
    void abandon() {
        {
            const std::lock_guard lock(mutex_);
            abandoned_ = true;
        }
        changed_.notify_all();
    }

private:
    struct Abandoned {};

    /// The next slice, once there is room for its outcomes; nothing where all are taken. Who works
    /// on the earliest slice never waits here, so that there is always progress.
    std::optional<std::pair<std::size_t, std::size_t>> take() {
        const Waiting waiting;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
            return abandoned_ || taken_ == requests_.size() || held_ < most_held ||
                   delivered_ == taken_;
        });
        if (abandoned_ || taken_ == requests_.size()) return std::nullopt;
        const std::size_t first = taken_;
        taken_ = std::min(requests_.size(), first + slice_);
        return std::pair(first, taken_);
    }

    void ask(std::size_t member, Implementation& instance, std::size_t first, std::size_t last) {
        std::vector<Request> slice(requests_.begin() + static_cast<std::ptrdiff_t>(first),
                                   requests_.begin() + static_cast<std::ptrdiff_t>(last));
        for (std::size_t k = 0; k < slice.size(); ++k) {
            slice[k].may_crash = false;  // ends are counted in the order of the requests
            slice[k].number = numbers_[first + k];
        }
        int ends = instance.ends();
        instance.answer(slice, [&](std::size_t k, Outcome outcome) {
            const std::size_t bytes = bytes_of(outcome);
            const bool ended = instance.ends() != ends;
            ends = instance.ends();
            bool is_next = false;
            {
                const std::lock_guard lock(mutex_);
                if (abandoned_) throw Abandoned{};
                results_[first + k] =
                    Result{std::move(outcome), member, ended, bytes, instance.took()};
                held_ += bytes;
                is_next = first + k == delivered_;
            }
            if (is_next) changed_.notify_all();
        });
    }

    std::span<const Request> requests_;
    std::vector<std::int64_t> numbers_;  // of the first message of each
    std::size_t slice_;
    std::mutex mutex_;  // nobody enters the room of fork_gate.hpp while holding it
    std::condition_variable changed_;
    std::vector<std::optional<Result>> results_;
    std::size_t taken_ = 0;
    std::size_t delivered_ = 0;
    std::size_t held_ = 0;  // bytes of outcomes that are not delivered
    bool abandoned_ = false;
    std::exception_ptr failure_;
};

bool same_claim(const Claim& one, const Claim& other) {
    return one.versions == other.versions && one.data.members == other.data.members &&
           one.indices.members == other.indices.members && one.operands == other.operands &&
           one.shapes == other.shapes && one.axes == other.axes &&
           one.attributes == other.attributes;
}

/// What two introductions differ in; empty where they are alike.
std::string difference(const Introduction& one, const Introduction& other) {
    const auto quoted = [](const char* what, const std::string& a, const std::string& b) {
        return std::string(what) + " \"" + a + "\" and \"" + b + "\"";
    };
    if (one.name != other.name) return quoted("the names", one.name, other.name);
    if (one.version != other.version) return quoted("the versions", one.version, other.version);
    if (one.language != other.language) {
        return quoted("the languages", one.language, other.language);
    }
    if (one.device != other.device) return quoted("the devices", one.device, other.device);
    if (one.witness != other.witness) return "one is a witness and one is none";
    if (!std::ranges::equal(one.claims, other.claims, same_claim)) return "different claims";
    const auto features = [](const Introduction& of) {
        return std::array{of.runs, of.describes, of.reproduces, of.reports_unsafe};
    };
    if (features(one) != features(other)) return "different features";
    return {};
}

class Parallel final : public Implementation {
public:
    Parallel(int jobs, const Limits& limits, const MakeImplementation& make)
        : limits_(limits), ended_(limits.ends) {
        Limits of_instance = limits;
        of_instance.restarts = std::numeric_limits<int>::max();
        of_instance.interrupted = [this] { return at_limit_ || interrupted(); };
        for (int k = 0; k < jobs; ++k) instances_.push_back(make(of_instance));
    }
    ~Parallel() override {
        // A worker has some seconds to say goodbye: all have them at once.
        try {
            const OneOfSeveral present;
            const Team team(instances_.size(), [&](std::size_t k) { instances_[k].reset(); });
        } catch (const std::system_error&) {  // no thread is to be had: one after the other
        }
    }
    Parallel(const Parallel&) = delete;
    Parallel& operator=(const Parallel&) = delete;

    const std::string& name() const override { return instances_.front()->name(); }

    std::optional<NotStarted> start() override {
        std::vector<std::optional<NotStarted>> failures(instances_.size(), NotStarted{});
        {
            const OneOfSeveral present;
            std::atomic<std::size_t> taken{0};
            const Team team(instances_.size(), [&](std::size_t) {
                for (std::size_t k = taken++; k < instances_.size(); k = taken++) {
                    failures[k] = instances_[k]->start();
                }
            });
        }
        if (failures.front()) return failures.front();
        const std::string of_all = " of " + std::to_string(instances_.size());
        for (std::size_t k = 1; k < instances_.size(); ++k) {
            const std::string number = std::to_string(k + 1) + of_all;
            if (failures[k]) {
                return NotStarted{failures[k]->kind,
                                  "the first started, but number " + number +
                                      " did not, try fewer --jobs: " + failures[k]->why};
            }
            const std::string what = difference(introduction(), instances_[k]->introduction());
            if (what.empty()) continue;
            return NotStarted{NotStarted::Kind::broken, "the first and number " + number +
                                                            " introduce themselves with " + what +
                                                            "; run it with --jobs 1"};
        }
        return std::nullopt;
    }

    const Introduction& introduction() const override { return instances_.front()->introduction(); }
    int ends() const override { return ended_; }
    std::optional<std::chrono::nanoseconds> took() const override { return took_; }

    void answer(std::span<const Request> requests, const Answered& answered) override {
        std::size_t done = 0;
        if (stopped_.empty() && !requests.empty()) {
            const OneOfSeveral present;
            Board board(requests, asked_, instances_.size());
            for (const Request& request : requests) asked_ += request.messages();
            if (asked_of_.size() > most_remembered) asked_of_.clear();
            const Team team(std::min(instances_.size(), requests.size()),
                            [&](std::size_t member) { board.work(member, *instances_[member]); });
            try {
                while (done < requests.size() && stopped_.empty()) {
                    std::vector<Result> results = board.next();
                    for (Result& result : results) {
                        deliver(requests[done], done, result, answered);
                        ++done;
                    }
                    board.delivered(results);
                }
            } catch (...) {
                board.abandon();
                throw;
            }
            board.abandon();
        }
        at_limit_ = false;  // the threads have seen it, and reproducers are still to be had
        for (; done < requests.size(); ++done) answered(done, NotRun{stopped_});
    }

    std::optional<ProgramSource> reproduce(const Request& request) override {
        // A worker may know only the calls that it was asked itself.
        const auto known = asked_of_.find(key(request));
        return instances_[known != asked_of_.end() ? known->second : 0]->reproduce(request);
    }

private:
    bool interrupted() const { return limits_.interrupted && limits_.interrupted(); }

    using Key = std::tuple<const Call*, Operands, Shapes, AxisOperand>;
    static Key key(const Request& request) {
        return {request.call, request.route.operands, request.route.shapes, request.route.axis};
    }

    /// Hands one outcome on, and counts as a single instance would.
    void deliver(const Request& request, std::size_t number, Result& result,
                 const Answered& answered) {
        if (!stopped_.empty()) return answered(number, NotRun{stopped_});
        if (introduction().reproduces) asked_of_[key(request)] = result.instance;
        if (const auto* not_run = std::get_if<NotRun>(&result.outcome)) stopped_ = not_run->why;
        if (result.ended && !request.may_crash) ++ended_;
        const bool at_limit = result.ended && ended_ >= limits_.restarts;
        took_ = result.took;
        answered(number, std::move(result.outcome));
        took_.reset();
        if (!at_limit) return;
        stopped_ = stopped_at_limit(ended_);
        at_limit_ = true;
    }

    Limits limits_;
    std::vector<std::unique_ptr<Implementation>> instances_;
    static constexpr std::size_t most_remembered = 4096;
    std::map<Key, std::size_t> asked_of_;  // which instance answered
    std::int64_t asked_ = 0;               // messages
    int ended_;
    std::optional<std::chrono::nanoseconds> took_;
    std::string stopped_;  // why nothing is asked any more; empty while it is
    std::atomic<bool> at_limit_{false};
};

}  // namespace

std::unique_ptr<Implementation> parallel(int jobs, const Limits& limits,
                                         const MakeImplementation& make) {
    if (jobs <= 1) return make(limits);
    return std::make_unique<Parallel>(jobs, limits, make);
}

}  // namespace gathercheck
