// SPDX-License-Identifier: Apache-2.0
// Talking to one process of a worker.
#include "conformance/implementations/worker/conversation.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <variant>

#include "conformance/implementations/worker/protocol.hpp"

namespace gathercheck {

std::optional<std::string> Conversation::start(const Command& command) {
    ignore_broken_pipes();
    end();
    tail_.clear();
    received_.clear();
    auto spawned = spawn(command);
    if (auto* reason = std::get_if<std::string>(&spawned)) return std::move(*reason);
    child_ = std::move(std::get<Spawned>(spawned));
    return std::nullopt;
}

/// Writes what fits. False where nobody reads any more.
bool Conversation::send(std::string_view& text) {
    while (!text.empty()) {
        const ssize_t count = ::write(child_.input.number(), text.data(), text.size());
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            return errno == EAGAIN;
        }
    }
    return true;
}

/// Reads what is there. False at the end of its output.
bool Conversation::receive() {
    std::array<char, 65536> chunk{};
    for (;;) {
        const ssize_t count = ::read(child_.output.number(), chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN;
        if (count == 0) return false;
        received_.append(chunk.data(), static_cast<std::size_t>(count));
        if (received_.size() > longest_small_answer) return true;
    }
}

Heard Conversation::exchange(std::string_view text, double seconds) {
    Clock::time_point deadline = after(seconds);
    bool closed = !child_.output;
    for (;;) {
        if (child_.input && !send(text)) text = {};
        std::array<pollfd, 3> watched{
            pollfd{child_.output.number(), POLLIN, 0}, pollfd{child_.errors.number(), POLLIN, 0},
            pollfd{text.empty() ? -1 : child_.input.number(), POLLOUT, 0}};
        if (received_.find('\n') == std::string::npos) child_.process.wait(watched, deadline);
        const bool late = Clock::now() >= deadline;
        const bool ended = child_.process.has_ended();
        if (!tail_.drain(child_.errors)) child_.errors.close();
        if (child_.output && !receive()) {
            child_.output.close();
            deadline = std::min(deadline, after(0.5));
            closed = true;
        }
        const std::size_t newline = received_.find('\n');
        if (newline != std::string::npos) {
            Heard heard{Heard::Kind::line, received_.substr(0, newline), {}, {}};
            received_.erase(0, newline + 1);
            return heard;
        }
        if (ended || late || received_.size() > longest_small_answer) {
            Heard heard{closed ? Heard::Kind::closed : Heard::Kind::silent, received_, {}, {}};
            if (ended) {
                heard.kind = Heard::Kind::ended;
                heard.how = end();
                heard.exit_code = child_.process.exit_code();
            }
            return heard;
        }
    }
}

Heard Conversation::close_input(double seconds) {
    child_.input.close();
    return exchange({}, seconds);
}

void Conversation::ask_why() {
    if (!child_.process) return;
    ::kill(child_.process.id(), SIGTERM);
    exchange({}, 0.5);
}

std::string Conversation::overheard(double seconds) {
    std::string text;
    for (;;) {
        const Heard heard = exchange({}, seconds);
        if (heard.kind != Heard::Kind::line) return text + heard.text;
        text += heard.text + "\n";
        seconds = 0;
    }
}

std::string Conversation::end() {
    if (!child_.process) return {};
    std::string how = child_.process.end();
    tail_.drain(child_.errors);
    child_.input.close();
    child_.output.close();
    child_.errors.close();
    return how;
}

}  // namespace gathercheck
