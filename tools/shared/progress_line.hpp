// SPDX-License-Identifier: Apache-2.0
// A line on a terminal that says how far something is, and is gone in the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gathercheck {

/// Shows nothing where standard error is no terminal.
class ProgressLine {
public:
    ProgressLine() = default;
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool is_shown() const { return terminal_; }
    /// False where it was shown so shortly before that no eye follows.
    bool is_due() const;
    /// In place of what it showed.
    void show(const std::string& text);
    void clear();

private:
    static bool is_terminal();

    bool terminal_ = is_terminal();
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

/// How quick something is, and how long it still takes at that: "1200 a second, 3 min left". Empty
/// before there is enough to tell it by.
std::string pace_text(std::int64_t done, std::int64_t total, double seconds);

}  // namespace gathercheck
