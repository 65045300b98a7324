// SPDX-License-Identifier: Apache-2.0
// What the verbs run and judge leave behind: a file of records, and text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/records/record.hpp"
#include "conformance/records/record_writer.hpp"
#include "conformance/records/tally.hpp"
#include "conformance/run/run.hpp"

namespace gathercheck {

/// A time as strftime has it, e.g. "%Y-%m-%d".
std::string utc(const char* format, std::time_t time = std::time(nullptr));

/// The form of RunRecord::started.
inline constexpr const char* seconds_of_utc = "%Y-%m-%dT%H:%M:%SZ";

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

    /// "-" is standard output. Why the file cannot be made, or another process is writing it; empty
    /// on success. What the file held is gone only then.
    std::string open(const std::string& path);

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
    RecordWriter writer_;
    std::optional<std::uint64_t> kept_;  // so much of the file stays; empty: done with that
    bool ends_in_newline_ = true;
    bool failed_ = false;
};

/// The failures that are shown, and the text after them: all of them where they are few, else one
/// of each kind, the gravest first, with how many are like it. Not for records on stdout.
class ShownFailures {
public:
    /// Shows so many; 0: all, each as it comes.
    explicit ShownFailures(int most) : most_(static_cast<std::size_t>(most)) {}

    /// The text to be shown at once; empty for most. `header` is that of the run.
    std::string add(const ExecutionRecord& execution, const RunRecord& header);
    /// What explains failures of an implementation, by execution_key(): those of one cause are of
    /// one kind.
    void explain(const std::unordered_map<std::uint64_t, std::string>& causes) {
        causes_.insert(causes.begin(), causes.end());
    }
    /// How many came that are failures or differences.
    std::int64_t count() const { return seen_.failures + seen_.differences; }
    /// The failures that were kept, how many are left out (`more` says how to see them), and the
    /// summary; where nothing is specified of all that was run, what was done there.
    std::string closing(const Tally& tally, const std::string& more) const;

private:
    struct Counts {
        std::int64_t failures = 0;
        std::int64_t differences = 0;
        std::int64_t fixed = 0;

        void add(Verdict verdict);
        std::string text() const;  ///< "5 failures and 2 fixed known failures"
    };
    /// All that failed in one way, as far as the record of one execution tells.
    struct Kind {
        int gravity = 0;  ///< 0: the gravest
        Verdict verdict = Verdict::fail;
        std::string implementation;
        std::string what;      ///< "FAIL wrong value"
        std::string where;     ///< operator and treatment of bad indices
        std::size_t kept = 0;  ///< how many of it have a text
    };
    struct Entry {
        std::size_t kind = 0;
        OperatorVersion version = OperatorVersion::onnx_gather_13;
        std::uint64_t key = 0;
        std::string text;  ///< empty of most where there are many
    };
    /// Kinds that a reader need not tell apart.
    struct Group {
        int gravity = 0;
        std::vector<const Entry*> entries;
        std::string cause;
    };

    static constexpr std::size_t kept_of_each_kind = 20;

    std::vector<Group> groups() const;
    std::string unspecified_text(const std::string& more) const;

    std::size_t most_;
    Counts seen_;
    std::vector<Kind> kinds_;
    std::vector<Entry> entries_;
    std::unordered_map<std::uint64_t, std::string> causes_;
    std::size_t unspecified_ = 0;   // executions
    std::string unspecified_text_;  // of the first of them
};

}  // namespace gathercheck
