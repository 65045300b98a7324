// SPDX-License-Identifier: Apache-2.0
#include "tools/run_output.hpp"

#include <stdio_ext.h>

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
    file_ = path == "-" ? stdout : std::fopen(path.c_str(), "w");
    return file_ != nullptr;
}

void RecordFile::write(const Record& record) {
    if (file_ == nullptr || failed_) return;
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
