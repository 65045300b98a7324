// SPDX-License-Identifier: Apache-2.0
// Sends and receives lines without ever waiting for ever.
#include "tools/bench/exchange.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gathercheck::bench {

std::variant<Exchange, std::string> Exchange::start(std::vector<std::string> arguments) {
    auto spawned = spawn({std::move(arguments), {}});
    if (auto* why = std::get_if<std::string>(&spawned)) return std::move(*why);
    return Exchange(std::get<Spawned>(std::move(spawned)));
}

std::variant<Json, std::string> Exchange::ask(const Json& question, double seconds) {
    const std::string line = question.dump() + "\n";
    const auto deadline = after(seconds);
    for (std::size_t sent = 0; sent < line.size();) {
        const ssize_t count =
            write(spawned_.input.number(), line.data() + sent, line.size() - sent);
        if (count > 0) {
            sent += static_cast<std::size_t>(count);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) break;  // its end is told by receive
        std::array<pollfd, 1> ready{{{spawned_.input.number(), POLLOUT, 0}}};
        if (!spawned_.process.wait(ready, deadline))
            return std::string("it took no question in time");
        if (spawned_.process.has_ended()) break;
    }
    return receive(seconds);
}

std::variant<Json, std::string> Exchange::receive(double seconds) {
    const auto deadline = after(seconds);
    for (;;) {
        if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
            const std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            JsonResult parsed = parse_json(line, "answer");
            if (auto* answer = std::get_if<Json>(&parsed)) return std::move(*answer);
            return with_errors("its answer is no JSON: " + in_quotes(line), errors_);
        }
        std::array<pollfd, 2> ready{
            {{spawned_.output.number(), POLLIN, 0}, {spawned_.errors.number(), POLLIN, 0}}};
        const bool in_time = spawned_.process.wait(ready, deadline);
        if (spawned_.errors && !errors_.drain(spawned_.errors)) spawned_.errors.close();
        std::array<char, 4096> piece;
        const ssize_t count = read(spawned_.output.number(), piece.data(), piece.size());
        if (count > 0) {
            unread_.append(piece.data(), static_cast<std::size_t>(count));
            continue;
        }
        if (count == 0 || (spawned_.process.has_ended() && errno == EAGAIN)) {
            return with_errors(spawned_.process.end(), errors_);
        }
        if (!in_time) return with_errors("it gave no answer in time", errors_);
    }
}

}  // namespace gathercheck::bench
