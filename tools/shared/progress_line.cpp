// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/progress_line.hpp"

#include <unistd.h>

#include <cmath>
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

std::string pace_text(std::int64_t done, std::int64_t total, double seconds) {
    if (done <= 0 || seconds < 1) return {};
    const double rate = static_cast<double>(done) / seconds;
    const double left = static_cast<double>(total - done) / rate;
    const auto whole = [](double number) { return std::to_string(std::llround(number)); };
    const std::string time = left < 90     ? whole(left) + " s"
                             : left < 5400 ? whole(left / 60) + " min"
                                           : whole(left / 3600) + " h";
    return (rate < 10 ? whole(rate * 60) + " a minute" : whole(rate) + " a second") + ", " + time +
           " left";
}

}  // namespace gathercheck
