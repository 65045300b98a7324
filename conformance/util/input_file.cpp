// SPDX-License-Identifier: Apache-2.0
#include "conformance/util/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <variant>

namespace gathercheck {
namespace {

struct Format {
    std::string_view begins;  // the first bytes of all that is in it
    const char* program;
};

constexpr std::array formats = {Format{"\x1f\x8b", "gzip"}, Format{"\x28\xb5\x2f\xfd", "zstd"}};
constexpr std::size_t longest_beginning = 4;

/// The program that decompresses what begins so; empty where it is not compressed.
std::string decompressor_of(std::string_view beginning) {
    for (const Format& format : formats) {
        if (beginning.starts_with(format.begins)) return format.program;
    }
    return {};
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& file)
    : source_(file == "-" ? ::dup(STDIN_FILENO) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!source_) return;
    pending_.resize(std::size_t{1} << 16);
    std::size_t count = 0;
    while (count < longest_beginning && !source_ended_ && fault_.empty()) {
        count += read_source(std::span(pending_).subspan(count));
    }
    pending_.resize(count);
    program_ = decompressor_of({pending_.data(), count});
    if (!is_compressed()) return;
    ignore_broken_pipes();
    auto spawned = spawn({{program_, "-dc"}, {}});
    if (const auto* reason = std::get_if<std::string>(&spawned)) {
        fault_ = "is compressed, and the program " + program_ + " could not be started (" +
                 *reason + "); install " + program_ + ", or decompress the file before";
        return;
    }
    decompressor_ = std::move(std::get<Spawned>(spawned));
}

std::size_t InputFile::read(std::span<char> into) {
    if (!fault_.empty() || into.empty()) return 0;
    if (is_compressed()) return read_decompressed(into);
    if (handed_on_ == pending_.size()) return source_ended_ ? 0 : read_source(into);
    const std::size_t count = std::min(into.size(), pending_.size() - handed_on_);
    std::copy_n(pending_.data() + handed_on_, count, into.data());
    handed_on_ += count;
    return count;
}

std::size_t InputFile::read_source(std::span<char> into) {
    ssize_t count = 0;
    do {
        count = ::read(source_.number(), into.data(), into.size());
    } while (count < 0 && errno == EINTR);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count < 0) fault_ = "cannot be read: " + std::string(std::strerror(errno));
    source_ended_ = true;
    return 0;
}

std::size_t InputFile::read_decompressed(std::span<char> into) {
    while (fault_.empty() && decompressor_.output) {
        errors_.drain(decompressor_.errors);
        const ssize_t count = ::read(decompressor_.output.number(), into.data(), into.size());
        if (count > 0) return static_cast<std::size_t>(count);
        if (count == 0) {
            finish();
            return 0;
        }
        if (errno == EINTR) continue;
        feed();
        std::array watched = {pollfd{decompressor_.output.number(), POLLIN, 0},
                              pollfd{decompressor_.input.number(), POLLOUT, 0}};
        decompressor_.process.wait(watched, after(60));
    }
    return 0;
}

/// Hands on what the pipe takes without waiting, and reads on where nothing is left.
void InputFile::feed() {
    if (!decompressor_.input) return;
    if (handed_on_ == pending_.size() && !source_ended_) {
        pending_.resize(std::size_t{1} << 16);
        pending_.resize(read_source(pending_));
        handed_on_ = 0;
    }
    const ssize_t count = ::write(decompressor_.input.number(), pending_.data() + handed_on_,
                                  pending_.size() - handed_on_);
    if (count > 0) handed_on_ += static_cast<std::size_t>(count);
    const bool is_broken = count < 0 && errno != EAGAIN && errno != EINTR;
    if (is_broken || (source_ended_ && handed_on_ == pending_.size())) {
        decompressor_.input.close();
    }
}

/// The program has closed its output: it had its reasons, or all is well.
void InputFile::finish() {
    decompressor_.input.close();
    decompressor_.output.close();
    pollfd end{decompressor_.errors.number(), POLLIN, 0};
    while (errors_.drain(decompressor_.errors)) ::poll(&end, 1, 1000);
    decompressor_.process.wait_for_end(after(60));
    const std::string how = decompressor_.process.end();
    if (decompressor_.process.exit_code() == 0) return;
    const std::string said = errors_.last_lines(1);
    fault_ = program_ + " could not decompress it: " + (said.empty() ? how : said) +
             "; it was cut short or is damaged, copy it anew";
}

}  // namespace gathercheck
