// SPDX-License-Identifier: Apache-2.0
#include "tools/run_output.hpp"

#include <stdio_ext.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "conformance/report.hpp"

namespace gathercheck {

std::string utc(const char* format) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    return std::string(text, std::strftime(text, sizeof text, format, &parts));
}

RunRecord header_of(const Suite& suite, const std::vector<std::string>& command) {
    RunRecord header;
    header.suite_version = GATHERCHECK_VERSION;
    header.suite_hash = suite.hash;
    header.cases = static_cast<std::int64_t>(suite.cases.size());
    header.tool_version = GATHERCHECK_VERSION;
    header.command = command;
    header.started = utc("%Y-%m-%dT%H:%M:%SZ");
    return header;
}

bool RecordFile::open(const std::string& path) {
    path_ = path;
    file_ = path == "-" ? stdout : std::fopen(path.c_str(), "we");
    // So that nobody resumes it meanwhile; a file system without locks does without.
    if (file_ != nullptr && file_ != stdout) ::flock(::fileno(file_), LOCK_EX | LOCK_NB);
    return file_ != nullptr;
}

std::string RecordFile::resume(const std::string& path, std::uint64_t kept, bool ends_in_newline) {
    path_ = path;
    file_ = std::fopen(path.c_str(), "r+e");
    if (file_ == nullptr) return std::strerror(errno);
    if (::flock(::fileno(file_), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return "another process is writing it";
    }
    kept_ = kept;
    ends_in_newline_ = ends_in_newline;
    return {};
}

bool RecordFile::cut_off_rest() {
    const auto kept = static_cast<off_t>(*std::exchange(kept_, std::nullopt));
    if (::ftruncate(::fileno(file_), kept) != 0 || ::fseeko(file_, kept, SEEK_SET) != 0) {
        return false;
    }
    return ends_in_newline_ || std::fputc('\n', file_) != EOF;
}

void RecordFile::write(const Record& record) {
    if (file_ == nullptr || failed_) return;
    if (kept_ && !cut_off_rest()) return fail();
    const std::string line = to_json_line(record) + "\n";
    if (std::fwrite(line.data(), 1, line.size(), file_) != line.size()) fail();
}

void RecordFile::flush() {
    if (file_ != nullptr && !failed_ && std::fflush(file_) != 0) fail();
}

void RecordFile::close() {
    if (file_ == nullptr) return;
    flush();
    std::FILE* file = std::exchange(file_, nullptr);
    if (file != stdout && std::fclose(file) != 0 && !failed_) fail();
}

void RecordFile::fail() {
    failed_ = true;
    const int why = errno;
    if (file_ != nullptr) __fpurge(file_);  // what is left must not follow half a line later
    std::fprintf(stderr, "gathercheck: cannot write %s: %s; the records in it are not complete\n",
                 path_.c_str(), std::strerror(why));
}

bool ShownFailures::next(const ExecutionRecord& execution) {
    return is_reported(execution.verdict) && (++count_ <= most_ || most_ == 0);
}

void ShownFailures::close(const Tally& tally) const {
    if (count_ > most_ && most_ != 0) {
        std::printf("... and %lld more; --failures 0 shows all, --output FILE records all\n",
                    static_cast<long long>(count_ - most_));
    }
    if (count_ > 0) std::puts("");
    std::fputs(summary_text(tally).c_str(), stdout);
}

}  // namespace gathercheck
