// SPDX-License-Identifier: Apache-2.0
#include "conformance/util/gzip.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>
#include <variant>

#include "conformance/util/subprocess.hpp"

namespace gathercheck {

std::optional<std::string> gzipped(std::string_view text) {
    ignore_broken_pipes();
    auto spawned = spawn({{"gzip", "-9nc"}, {}});
    if (!std::holds_alternative<Spawned>(spawned)) return std::nullopt;
    Spawned program = std::move(std::get<Spawned>(spawned));
    Tail errors;
    std::string bytes;
    std::array<char, std::size_t{1} << 16> block;
    for (;;) {
        errors.drain(program.errors);
        const ssize_t count = ::read(program.output.number(), block.data(), block.size());
        if (count == 0) break;
        if (count > 0) {
            bytes.append(block.data(), static_cast<std::size_t>(count));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) break;
        if (program.input) {
            const ssize_t taken = ::write(program.input.number(), text.data(), text.size());
            if (taken > 0) text.remove_prefix(static_cast<std::size_t>(taken));
            const bool is_broken = taken < 0 && errno != EAGAIN && errno != EINTR;
            if (text.empty() || is_broken) program.input.close();
        }
        std::array watched = {pollfd{program.output.number(), POLLIN, 0},
                              pollfd{program.input.number(), POLLOUT, 0}};
        program.process.wait(watched, after(60));
    }
    program.process.wait_for_end(after(60));
    program.process.end();
    if (program.process.exit_code() != 0 || !text.empty()) return std::nullopt;
    return bytes;
}

}  // namespace gathercheck
