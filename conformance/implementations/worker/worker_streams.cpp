// SPDX-License-Identifier: Apache-2.0
// Reading lines and writing answers, over interruptions.
#include "conformance/implementations/worker/worker_streams.hpp"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>
#include <variant>

#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/util/awake.hpp"

namespace gathercheck {
namespace {

/// Returns when there is something to read, or after a short while.
void stay_awake_for(int descriptor) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + time_awake;
    pollfd watched{descriptor, POLLIN, 0};
    while (::poll(&watched, 1, 0) == 0 && Clock::now() < end) ::sched_yield();
}

}  // namespace

std::optional<std::string_view> LineReader::next() {
    if (std::exchange(taken_, false)) buffer_.drop_line();
    while (!buffer_.line()) {
        stay_awake_for(descriptor_);
        const auto room = buffer_.room();
        const ssize_t count = ::read(descriptor_, room.data(), room.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return std::nullopt;
        buffer_.add(static_cast<std::size_t>(count));
    }
    taken_ = true;
    return buffer_.line();
}

std::optional<Refusal> serve(LineReader& lines, int out, const std::function<std::string()>& hello,
                             const std::function<std::string(const CallAsked&)>& answer) {
    while (const auto line = lines.next()) {
        const auto message = read_worker_message(*line);
        if (const auto* malformed = std::get_if<Malformed>(&message)) {
            return Refusal{"a message " + malformed->why + ": " + shown(*line)};
        }
        const auto& asked = std::get<WorkerMessage>(message);
        std::string text;
        if (const auto* greeting = std::get_if<HelloAsked>(&asked)) {
            if (greeting->min > protocol_max || greeting->max < protocol_min) {
                return Refusal{"no common version of the protocol", true};
            }
            text = hello();
        } else if (const auto* call = std::get_if<CallAsked>(&asked)) {
            text = answer(*call);
        } else if (const auto* other = std::get_if<OtherAsked>(&asked)) {
            if (!other->seq) continue;
            text = text_answer(*other->seq, "unsupported", "no such message: " + other->message);
        } else {
            break;  // goodbye
        }
        if (!write_all(out, text)) break;
    }
    return std::nullopt;
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace gathercheck
