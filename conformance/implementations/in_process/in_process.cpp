// SPDX-License-Identifier: Apache-2.0
// Runs built-in implementations in a forked child: the parent packs batches into shared memory and
// reads answers there, so that a child that dies loses the call at hand and nothing else.
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "conformance/implementations/in_process/in_process_child.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/fork_gate.hpp"
#include "conformance/util/shared_area.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

constexpr std::size_t batch_requests = 1024;
constexpr std::size_t batch_bytes = std::size_t{4} << 20;
constexpr std::size_t area_kept = std::size_t{64} << 20;

struct Unmap {
    void operator()(BatchState* state) const { ::munmap(state, sizeof(BatchState)); }
};

std::unique_ptr<BatchState, Unmap> make_state() {
    void* memory = ::mmap(nullptr, sizeof(BatchState), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    return std::unique_ptr<BatchState, Unmap>(new (memory) BatchState);
}

/// Reads one answer; nothing where it is not one that the child's own code can have written.
class AnswerReader {
public:
    explicit AnswerReader(Unpacker answer) : answer_(answer) {}

    std::optional<Outcome> read() {
        std::optional<Outcome> outcome = read_kind();
        if (!answer_.ok()) return std::nullopt;
        return outcome;
    }

private:
    std::optional<Outcome> read_kind() {
        switch (AnswerKind{answer_.get<std::uint8_t>()}) {
            case AnswerKind::value:
                return value();
            case AnswerKind::descriptor: {
                const auto described = descriptor();
                if (!described) return std::nullopt;
                return DescriptorOutcome{
                    described->type, {described->shape.begin(), described->shape.end()}, true};
            }
            case AnswerKind::rejected:
                return rejected();
            case AnswerKind::unsupported:
                return Unsupported{capped(answer_.get_text())};
            case AnswerKind::unsafe_memory:
                return UnsafeMemory{capped(answer_.get_text())};
            case AnswerKind::crash:
                return Crash{capped(answer_.get_text())};
            case AnswerKind::broken:
                return Broken{capped(answer_.get_text())};
        }
        return std::nullopt;
    }

    std::optional<Descriptor> descriptor() {
        Descriptor result;
        const auto type = answer_.get<std::uint8_t>();
        const auto rank = answer_.get<std::int64_t>();
        if (type >= element_type_count || rank < 0 || rank > max_rank) return std::nullopt;
        result.type = ElementType{type};
        for (std::int64_t k = 0; k < rank; ++k) {
            const auto dim = answer_.get<std::int64_t>();
            if (dim < 0) return std::nullopt;
            result.shape.push_back(dim);
        }
        return result;
    }

    std::optional<Outcome> value() {
        const auto described = descriptor();
        if (!described) return std::nullopt;
        const auto count = element_count(described->shape);
        const auto size = byte_size(*described);
        if (!count || !size) return std::nullopt;
        if (described->type == ElementType::string) {
            std::vector<std::string> strings;
            for (std::int64_t k = 0; k < *count && answer_.ok(); ++k) {
                strings.push_back(answer_.get_text());
            }
            if (!answer_.ok()) return std::nullopt;
            return ValueOutcome{string_tensor(described->shape, std::move(strings))};
        }
        const auto bytes = answer_.get_bytes(answer_.get<std::uint64_t>());
        if (!answer_.ok() || bytes.size() != static_cast<std::size_t>(*size)) return std::nullopt;
        return ValueOutcome{
            Tensor{described->type, described->shape, {bytes.begin(), bytes.end()}, nullptr}};
    }

    std::optional<Outcome> rejected() {
        const auto category = answer_.get<std::uint8_t>();
        const auto phase = answer_.get<std::uint8_t>();
        if (category >= category_count || phase > static_cast<std::uint8_t>(Phase::run)) {
            return Broken{"rejected with a category of number " + std::to_string(category) +
                          " and a phase of number " + std::to_string(phase)};
        }
        Rejected result;
        result.category = Category{category};
        result.phase = Phase{phase};
        result.rule = capped(answer_.get_text());
        result.message = capped(answer_.get_text());
        return result;
    }

    Unpacker answer_;
};

class InProcess final : public Implementation {
public:
    InProcess(const BuiltIn& built_in, const Limits& limits)
        : built_in_(built_in), limits_(limits), ended_(limits.ends) {
        introduction_.name = built_in.name;
        introduction_.version = built_in.version;
        introduction_.language = "c++";
        introduction_.device = "cpu";
        introduction_.claims = built_in_.claims.empty() ? claims_of_table() : built_in_.claims;
        introduction_.describes = true;
        introduction_.follows_suite = built_in_.follows_suite;
    }

    const std::string& name() const override { return built_in_.name; }

    std::optional<NotStarted> start() override {
        if (!built_in_.unavailable.empty()) {
            return NotStarted{NotStarted::Kind::unavailable, built_in_.unavailable};
        }
        state_ = make_state();
        shared_.state = state_.get();
        shared_.requests = SharedArea::make(std::size_t{1} << 16);
        shared_.answers = SharedArea::make(std::size_t{1} << 16);
        if (!state_ || !shared_.requests || !shared_.answers) {
            return NotStarted{NotStarted::Kind::broken, "no shared memory is to be had here"};
        }
        if (auto why = start_child()) return NotStarted{NotStarted::Kind::broken, *why};
        return std::nullopt;
    }

    const Introduction& introduction() const override { return introduction_; }
    int ends() const override { return ended_; }
    std::optional<std::chrono::nanoseconds> took() const override { return took_; }

    void answer(std::span<const Request> requests, const Answered& answered) override {
        // The last batch was left in the middle: the callback threw.
        if (in_batch_) child_.end();
        in_batch_ = false;
        std::size_t next = 0;
        while (next < requests.size()) {
            if (interrupted()) stopped_ = "interrupted";
            if (!ready()) {
                answered(next++, NotRun{stopped_});
                continue;
            }
            const std::size_t count = pack(requests.subspan(next));
            if (count == 0) {
                answered(next++, Unsupported{"no memory is to be had here for the inputs"});
                continue;
            }
            in_batch_ = true;
            const int ended_before = ended_;
            next += ask(requests.subspan(next, count), next, answered);
            if (requests[next - 1].may_crash) ended_ = ended_before;
            in_batch_ = false;
        }
    }

    std::optional<ProgramSource> reproduce(const Request&) override { return std::nullopt; }

private:
    /// Why there is no child; nothing on success.
    std::optional<std::string> start_child() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
            return std::string("no socket pair: ") + std::strerror(errno);
        }
        channel_ = FileHandle(ends[0]);
        FileHandle childs(ends[1]);
        auto pipe = make_pipe();
        if (auto* reason = std::get_if<std::string>(&pipe)) return "no pipe: " + *reason;
        Pipe& errors = std::get<Pipe>(pipe);
        if (!lift(channel_) || !lift(childs))
            return std::string("no descriptor: ") + std::strerror(errno);
        set_non_blocking(channel_);
        set_non_blocking(errors.read);
        tail_.clear();

        auto started = start_serving(childs, errors.write);
        if (auto* reason = std::get_if<std::string>(&started)) return "no process: " + *reason;
        child_ = std::move(std::get<Process>(started));
        if (limits_.bytes_of_memory != 0) child_.limit_memory(limits_.bytes_of_memory);
        errors_ = std::move(errors.read);
        return std::nullopt;
    }

    /// Forks. All other threads that ask implementations stand still meanwhile, so that the child
    /// finds no lock held: see fork_gate.hpp.
    std::variant<Process, std::string> start_serving(const FileHandle& channel,
                                                     const FileHandle& errors) {
        const auto serve = [&] {
            serve_batches(built_in_, shared_, channel, errors, limits_.seconds_per_call);
        };
        const auto begin = [](const void* context) -> int {
            (*static_cast<decltype(serve)*>(context))();
            return 0;
        };
        const Alone alone;
        return Process::start({begin, &serve});
    }

    bool interrupted() const { return limits_.interrupted && limits_.interrupted(); }

    /// True while requests can be asked; starts a child where there is none.
    bool ready() {
        if (!stopped_.empty()) return false;
        if (child_) return true;
        if (ended_ >= limits_.restarts) {
            stopped_ = stopped_at_limit(ended_);
            return false;
        }
        if (auto why = start_child()) {
            stopped_ = "its process could not be started again: " + *why;
            return false;
        }
        return true;
    }

    /// Packs as many requests as make a batch. 0 where there is no memory for the first.
    std::size_t pack(std::span<const Request> requests) {
        if (shared_.requests->bytes().size() > area_kept) shared_.requests->shrink(batch_bytes);
        Packer packer(*shared_.requests);
        packer.put<std::uint64_t>(0);
        std::size_t count = 0;
        while (count < requests.size() && count < batch_requests &&
               packer.position() < batch_bytes) {
            const std::size_t start = packer.position();
            packer.put<std::uint64_t>(0);
            pack_request(packer, requests[count]);
            if (!packer.ok()) {
                packer.rewind(start);
                break;
            }
            packer.put_at<std::uint64_t>(start, packer.position() - start - sizeof(std::uint64_t));
            ++count;
        }
        packer.put_at<std::uint64_t>(0, count);
        return count;
    }

    /// Has a batch answered up to its end or its first death. Returns how many were answered.
    std::size_t ask(std::span<const Request> batch, std::size_t first, const Answered& answered) {
        BatchState& state = *shared_.state;
        state.begun.store(0);
        state.earlier.store(0);
        state.answered.store(0);
        state.faulted.store(false);
        Delivery delivery{first, batch, answered};
        const char go = 0;
        ::send(channel_.number(), &go, 1, MSG_NOSIGNAL);  // its death is seen below
        const Clock::time_point sent = Clock::now();
        for (;;) {
            const std::uint64_t begun = state.begun.load();
            const std::int64_t began_at = state.began_at.load();
            std::array<pollfd, 2> watched{pollfd{channel_.number(), POLLIN, 0},
                                          pollfd{errors_.number(), POLLIN, 0}};
            const Clock::time_point latest = deadline(begun, sent);
            child_.wait(watched, latest);
            const bool late = Clock::now() >= latest;
            if (watched[1].revents != 0 && !tail_.drain(errors_)) errors_.close();
            if (watched[0].revents != 0) drain_channel();
            const bool ended = child_.has_ended();
            if (!deliver(delivery)) {
                close_down();
                answered(first + delivery.done, Crash{"overwrote memory of the harness"});
                return delivery.done + 1;
            }
            if (delivery.done == batch.size()) return delivery.done;
            if (interrupted()) {
                close_down();
                answered(first + delivery.done, NotRun{"interrupted"});
                return delivery.done + 1;
            }
            if (ended) {
                answered(first + delivery.done, death(batch[delivery.done], delivery.done));
                return delivery.done + 1;
            }
            if (late && state.begun.load() == begun && state.began_at.load() == began_at &&
                state.answered.load() == delivery.done) {
                close_down();
                answered(first + delivery.done,
                         told(batch[delivery.done], Timeout{limits_.seconds_per_call}));
                return delivery.done + 1;
            }
        }
    }

    struct Delivery {
        std::size_t first = 0;
        std::span<const Request> batch;
        const Answered& answered;
        std::size_t done = 0;
        std::size_t position = 0;
    };

    /// Hands over the answers that have come. False where the area makes no sense.
    bool deliver(Delivery& delivery) {
        const std::uint64_t ready_count = shared_.state->answered.load();
        if (ready_count > delivery.batch.size()) return false;
        if (delivery.done < ready_count && !shared_.answers->follow()) return false;
        while (delivery.done < ready_count) {
            const auto area = shared_.answers->bytes();
            if (delivery.position > area.size()) return false;
            Unpacker answers(area.subspan(delivery.position));
            const auto size = answers.get<std::uint64_t>();
            const auto bytes = answers.get_bytes(size);
            if (!answers.ok()) return false;
            Unpacker answer(bytes);
            const auto earlier = answer.get<std::uint32_t>();
            const std::chrono::nanoseconds took(answer.get<std::int64_t>());
            std::optional<Outcome> outcome = AnswerReader(answer).read();
            if (!outcome) return false;
            const auto before = delivery.batch[delivery.done].before;
            if (earlier > before.size()) return false;
            if (earlier < before.size()) {
                outcome = in_earlier_call(std::move(*outcome), before[earlier].case_id);
            }
            delivery.position += sizeof(std::uint64_t) + bytes.size();
            const std::size_t request = delivery.first + delivery.done++;
            took_ = took;
            delivery.answered(request, std::move(*outcome));
            took_.reset();
        }
        return true;
    }

    /// Of the request begun last, or of the first where none is begun yet.
    Clock::time_point deadline(std::uint64_t begun, Clock::time_point sent) const {
        const Clock::time_point began{std::chrono::duration_cast<Clock::duration>(
            std::chrono::nanoseconds(shared_.state->began_at.load()))};
        return (begun == 0 ? sent : began) + duration_of(limits_.seconds_per_call);
    }

    void drain_channel() const {
        std::array<char, 256> bytes;
        while (::recv(channel_.number(), bytes.data(), bytes.size(), 0) > 0) {
        }
    }

    /// What the child's death says of the request that was at hand.
    Outcome death(const Request& asked, std::size_t request) {
        const bool before = shared_.state->begun.load() <= request;
        const bool faulted = shared_.state->faulted.load();
        const MemoryFault fault = shared_.state->fault;
        const std::string how = close_down() + memory_limit_text(limits_.bytes_of_memory);
        if (faulted && !before) {
            const EarlierCall* earlier = earlier_at_hand(asked);
            const Call& call = earlier == nullptr ? *asked.call : *earlier->call;
            return told(asked, UnsafeMemory{to_string(fault, call)});
        }
        if (before) return Crash{with_errors("died before this call began: " + how, tail_)};
        return told(asked, Crash{with_errors(how, tail_)});
    }

    /// The call of a sequence that was at hand, where it is not the last one.
    const EarlierCall* earlier_at_hand(const Request& asked) const {
        const std::size_t done = shared_.state->earlier.load();
        return done < asked.before.size() ? &asked.before[done] : nullptr;
    }

    // Inlined, it makes g++ 12 warn of parts of the variant that are not there.
    [[gnu::noinline]] Outcome told(const Request& asked, Outcome outcome) const {
        const EarlierCall* earlier = earlier_at_hand(asked);
        if (earlier == nullptr) return outcome;
        return in_earlier_call(std::move(outcome), earlier->case_id);
    }

    std::string close_down() {
        std::string how = child_.end();
        tail_.drain(errors_);
        ++ended_;
        return how;
    }

    BuiltIn built_in_;
    Limits limits_;
    Introduction introduction_;
    std::unique_ptr<BatchState, Unmap> state_;
    Shared shared_;
    FileHandle channel_;
    FileHandle errors_;
    Tail tail_;
    Process child_;
    int ended_;
    std::optional<std::chrono::nanoseconds> took_;
    bool in_batch_ = false;
    std::string stopped_;  // why nothing is asked any more; empty while it is
};

}  // namespace

std::vector<Claim> claims_of_table() {
    std::vector<Claim> claims;
    for (const OperatorInfo& row : operator_versions()) {
        Claim claim;
        claim.versions = {row.version};
        claim.data = row.data_types;
        claim.indices = row.indices_types;
        claims.push_back(std::move(claim));
    }
    return claims;
}

std::unique_ptr<Implementation> in_process(const BuiltIn& built_in, const Limits& limits) {
    return std::make_unique<InProcess>(built_in, limits);
}

}  // namespace gathercheck
