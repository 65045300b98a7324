// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/run_output.hpp"

#include <stdio_ext.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <tuple>
#include <utility>

#include "conformance/mutants/diagnosis.hpp"
#include "conformance/report/report.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {

std::string utc(const char* format, std::time_t time) {
    std::tm parts{};
    gmtime_r(&time, &parts);
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
    header.started = utc(seconds_of_utc);
    return header;
}

namespace {

/// True where another process is writing the file; a file system without locks does without. What
/// is no file (a terminal, /dev/null) several may write.
bool is_taken(std::FILE* file) {
    struct stat status{};
    if (::fstat(::fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    return ::flock(::fileno(file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

constexpr const char* taken = "another process is writing it; name another file, or wait for it";

}  // namespace

std::string RecordFile::open(const std::string& path) {
    path_ = path;
    if (path == "-") {
        file_ = stdout;
        return {};
    }
    std::FILE* file = std::fopen(path.c_str(), "ae");  // which cuts nothing off
    if (file == nullptr) return std::strerror(errno);
    std::string why;
    if (is_taken(file)) {
        why = taken;
    } else if (struct stat status{}; ::fstat(::fileno(file), &status) == 0 &&
                                     S_ISREG(status.st_mode) &&
                                     ::ftruncate(::fileno(file), 0) != 0) {
        why = std::strerror(errno);
    }
    if (why.empty()) {
        file_ = file;
    } else {
        std::fclose(file);
    }
    return why;
}

std::string RecordFile::resume(const std::string& path, std::uint64_t kept, bool ends_in_newline) {
    path_ = path;
    file_ = std::fopen(path.c_str(), "r+e");
    if (file_ == nullptr) return std::strerror(errno);
    if (is_taken(file_)) return taken;
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
    const std::string lines = writer_.lines(record);
    if (std::fwrite(lines.data(), 1, lines.size(), file_) != lines.size()) fail();
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

std::string ShownFailures::add(const ExecutionRecord& execution, const RunRecord& header) {
    const auto text = [&] { return failure_text(execution, header); };
    if (execution.verdict == Verdict::unspecified && (++unspecified_ <= most_ || most_ == 0)) {
        unspecified_text_ += text();
    }
    if (!is_reported(execution)) return {};
    seen_.add(execution.verdict);
    if (most_ == 0) return text();
    const OperatorInfo& version = info(execution.operator_version);
    Kind kind;
    kind.gravity = gravity(execution.verdict, execution.failure);
    kind.verdict = execution.verdict;
    kind.implementation = execution.implementation;
    kind.what = std::string(name(execution.verdict)) + " " + std::string(name(execution.failure));
    kind.where = std::string(version.type) + " " + execution.classification;
    const auto same = [&](const Kind& one) {
        return one.implementation == kind.implementation && one.what == kind.what &&
               one.where == kind.where;
    };
    const auto found = std::ranges::find_if(kinds_, same);
    const auto place = static_cast<std::size_t>(found - kinds_.begin());
    if (found == kinds_.end()) kinds_.push_back(std::move(kind));
    const bool keep = kinds_[place].kept++ < std::max(kept_of_each_kind, most_);
    entries_.push_back({place, execution.operator_version, execution_key(execution),
                        keep ? text() : std::string()});
    return {};
}

void ShownFailures::Counts::add(Verdict verdict) {
    ++(verdict == Verdict::difference ? differences : verdict == Verdict::fixed ? fixed : failures);
}

std::string ShownFailures::Counts::text() const {
    std::string text;
    for (const auto& [count, what] :
         {std::pair(failures, "failure"), std::pair(differences, "difference"),
          std::pair(fixed, "fixed known failure")}) {
        if (count > 0) text += (text.empty() ? "" : " and ") + count_of(count, what);
    }
    return text;
}

std::vector<ShownFailures::Group> ShownFailures::groups() const {
    // Failures of one cause are of one kind, whichever operator they are of.
    std::map<std::tuple<int, std::string, std::string, std::string, std::string>, std::size_t>
        places;
    std::vector<Group> groups;
    for (const Entry& entry : entries_) {
        const Kind& kind = kinds_[entry.kind];
        const auto found = causes_.find(entry.key);
        const std::string cause = found == causes_.end() ? std::string() : found->second;
        const auto [place, is_new] =
            places.try_emplace({kind.gravity, kind.implementation, kind.what, cause,
                                cause.empty() ? kind.where : std::string()},
                               groups.size());
        if (is_new) groups.push_back({kind.gravity, {}, cause});
        groups[place->second].entries.push_back(&entry);
    }
    for (Group& group : groups) {  // one that can be shown comes first
        const auto shown = std::ranges::find_if(
            group.entries, [](const Entry* entry) { return !entry->text.empty(); });
        if (shown != group.entries.end()) std::iter_swap(group.entries.begin(), shown);
    }
    std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
        if (a.gravity != b.gravity) return a.gravity < b.gravity;
        return a.entries.size() > b.entries.size();
    });
    return groups;
}

std::string ShownFailures::unspecified_text(const std::string& more) const {
    std::string text = unspecified_text_;
    if (most_ != 0 && unspecified_ > most_) {
        text += "of " + count_of(static_cast<std::int64_t>(unspecified_), "unspecified execution") +
                " the first " + std::to_string(most_) + " were shown; " + more + "\n";
    }
    return text + "\n";
}

std::string ShownFailures::closing(const Tally& tally, const std::string& more) const {
    std::string text = tally.only_unspecified() ? unspecified_text(more) : std::string();
    const bool all = entries_.size() <= most_;
    std::size_t shown = 0;
    Counts left;
    std::int64_t left_kinds = 0;
    for (const Group& group : groups()) {
        if (!all && shown == most_) {
            for (const Entry* entry : group.entries) left.add(kinds_[entry->kind].verdict);
            ++left_kinds;
            continue;
        }
        for (const Entry* entry : group.entries) {
            text += entry->text;
            if (!group.cause.empty()) text += "  explained by: " + group.cause + "\n";
            if (!all) break;
        }
        ++shown;
        if (all || group.entries.size() == 1) continue;
        std::vector<OperatorVersion> versions;
        for (const Entry* entry : group.entries) versions.push_back(entry->version);
        text += "  and " + std::to_string(group.entries.size() - 1) + " more like it, of " +
                versions_text(versions) + "\n";
    }
    if (left_kinds > 0) {
        text += "... and " + left.text() + " of " + count_of(left_kinds, "other kind") + "\n";
    }
    if (!all) text += "of " + seen_.text() + " one of each kind was shown; " + more + "\n";
    if (!seen_.text().empty()) text += "\n";
    return text + summary_text(tally);
}

}  // namespace gathercheck
