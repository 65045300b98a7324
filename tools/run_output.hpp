// SPDX-License-Identifier: Apache-2.0
// What the verbs run and judge leave behind: a file of records, and text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "conformance/load.hpp"
#include "conformance/record.hpp"
#include "conformance/run.hpp"

namespace gathercheck {

/// The time now as strftime has it, e.g. "%Y-%m-%d".
std::string utc(const char* format);

/// The first record of a run of `suite` that starts now; machine and repeat lines are left open.
RunRecord header_of(const Suite& suite, const std::vector<std::string>& command);

/// The trouble of a run whose results are not all where they should be; more was said before.
inline constexpr std::string_view not_all_written = "not all could be written";

/// The file of records. Trouble with it is said once and ends in exit code 3; the run goes on.
class RecordFile {
public:
    RecordFile() = default;
    ~RecordFile() { close(); }
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    /// "-" is standard output. False where the file cannot be made.
    bool open(const std::string& path);

    /// The file of a run that goes on: records follow its first `kept` bytes. It is the same file,
    /// written on, and no copy that takes its place at the end: so nothing that either part of the
    /// run recorded is ever in one place only that a crash, a full disk or a second interruption
    /// takes away. What is behind `kept` is cut off with the first write and not before. Why it
    /// cannot be written, or another process is writing it; empty on success.
    std::string resume(const std::string& path, std::uint64_t kept, bool ends_in_newline);
    void write(const Record& record);
    void flush();
    void close();
    bool failed() const { return failed_; }

private:
    void fail();
    bool cut_off_rest();

    std::string path_;
    std::FILE* file_ = nullptr;
    std::optional<std::uint64_t> kept_;  // so much of the file stays; empty: done with that
    bool ends_in_newline_ = true;
    bool failed_ = false;
};

/// Which failures are shown one by one, and the text after them. Not for records on stdout.
class ShownFailures {
public:
    /// Shows so many; 0: all.
    explicit ShownFailures(int most) : most_(most) {}

    /// True where this one is to be shown.
    bool next(const ExecutionRecord& execution);
    /// Prints how many are left out, and the summary.
    void close(const Tally& tally) const;

private:
    int most_;
    std::int64_t count_ = 0;
};

}  // namespace gathercheck
