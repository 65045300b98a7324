// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/progress_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace gathercheck {

bool ProgressLine::is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

bool ProgressLine::is_due() const {
    constexpr auto often = std::chrono::milliseconds(100);
    return terminal_ && (!shown_ || std::chrono::steady_clock::now() - last_ >= often);
}

void ProgressLine::show(const std::string& text) {
    if (!terminal_) return;
    last_ = std::chrono::steady_clock::now();
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
}

void ProgressLine::clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

}  // namespace gathercheck
