// SPDX-License-Identifier: Apache-2.0
// Runs of a folder, put in order, compared and followed.
#include "conformance/report/history.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "conformance/records/record_files.hpp"
#include "conformance/records/record_reader.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

/// "2026-01-02T03:04:05Z".
bool is_time(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    if (text.size() != form.size()) return false;
    for (std::size_t k = 0; k < form.size(); ++k) {
        const bool is_digit = text[k] >= '0' && text[k] <= '9';
        if (form[k] == '0' ? !is_digit : text[k] != form[k]) return false;
    }
    return true;
}

/// What came of an execution, as small as it can be kept of each run.
struct Seen {
    std::uint64_t key = 0;      ///< execution_key()
    std::uint32_t hash = 0;     ///< of its case; 0: not recorded
    std::uint16_t outcome = 0;  ///< 0: right; else its place among the outcomes that are wrong
};

/// The digits of a hash of a case; 0 where it was not recorded.
std::uint32_t number_of(const std::string& hash) {
    std::uint32_t number = 0;
    constexpr int hexadecimal = 16;
    std::from_chars(hash.data(), hash.data() + hash.size(), number, hexadecimal);
    return number;
}

/// What a failure counts to; the smaller the more is known of it.
struct Cluster {
    enum class Kind : std::uint8_t { finding, reason, failure };
    Kind kind = Kind::failure;
    std::string what;

    friend auto operator<=>(const Cluster&, const Cluster&) = default;
};

Cluster cluster_of(const ExecutionRecord& execution, const std::string& outcome) {
    if (!execution.finding.empty()) return {Cluster::Kind::finding, execution.finding};
    if (!execution.reason.empty()) return {Cluster::Kind::reason, execution.reason};
    std::string what = unversioned_name(execution.operator_version) + ": " + outcome;
    std::set<std::string> rules;
    for (const std::string& rule : execution.rules) rules.insert(unversioned_rule(rule));
    if (!rules.empty()) what += rules.size() == 1 ? "; rule " : "; rules ";
    what += joined(std::vector<std::string>(rules.begin(), rules.end()));
    return {Cluster::Kind::failure, what};
}

/// A way in which one execution fails in some run.
struct Failing {
    Cluster cluster;
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::set<std::uint32_t> hashes;  ///< of its case where it fails so
};

/// One implementation, followed from run to run.
class Follower {
public:
    explicit Follower(std::string name) { history_.name = std::move(name); }

    void add(HistoryPoint point, const RecordFiles& run) {
        history_.points.push_back(std::move(point));
        std::vector<Seen>& seen = seen_.emplace_back();
        for (const RecordFileContent& file : run.files) {
            for (const Record& record : file.records) {
                const auto* execution = std::get_if<ExecutionRecord>(&record);
                if (execution == nullptr || execution->implementation != history_.name) continue;
                if (!says_something(*execution) || execution->verdict == Verdict::unsupported) {
                    continue;
                }
                seen.push_back(add(*execution));
            }
        }
        std::ranges::sort(seen, {}, &Seen::key);
        seen.shrink_to_fit();
    }

    ImplementationHistory finish(const std::vector<HistoryRun>& runs) && {
        label(runs);
        std::map<Cluster, std::vector<const std::pair<const Way, Failing>*>> clusters;
        for (const auto& each : failing_) clusters[each.second.cluster].push_back(&each);
        for (const auto& [cluster, members] : clusters) {
            history_.findings.push_back(follow(cluster, members));
        }
        std::ranges::stable_sort(history_.findings, std::ranges::greater{}, &HistoryFinding::last);
        return std::move(history_);
    }

private:
    /// An execution, and the outcome with which it fails.
    using Way = std::pair<std::uint64_t, std::uint16_t>;

    Seen add(const ExecutionRecord& execution) {
        Seen seen{execution_key(execution), number_of(execution.case_hash), 0};
        const std::string outcome = wrong_outcome(execution);
        if (outcome.empty()) return seen;
        const auto place = std::ranges::find(outcomes_, outcome);
        seen.outcome = static_cast<std::uint16_t>(place - outcomes_.begin() + 1);
        if (place == outcomes_.end()) outcomes_.push_back(outcome);
        Cluster cluster = cluster_of(execution, outcome);
        const auto [found, is_new] = failing_.try_emplace({seen.key, seen.outcome});
        Failing& failing = found->second;
        if (is_new || cluster < failing.cluster) failing.cluster = std::move(cluster);
        failing.version = execution.operator_version;
        failing.hashes.insert(seen.hash);
        return seen;
    }

    /// The shortest labels of which no two are the same.
    void label(const std::vector<HistoryRun>& runs) {
        constexpr std::size_t of_day = 10;
        for (int detail = 0; detail < 4; ++detail) {
            std::set<std::string> labels;
            for (HistoryPoint& point : history_.points) {
                const HistoryRun& run = runs[point.run];
                const std::array<std::string, 4> more{"", run.record.started.substr(0, of_day),
                                                      run.record.started, run.file};
                const std::string& which = more[static_cast<std::size_t>(detail)];
                point.label = point.tally.record.version;
                if (!which.empty()) point.label += (point.label.empty() ? "" : " of ") + which;
                labels.insert(point.label);
            }
            if (labels.size() == history_.points.size() && !labels.contains("")) return;
        }
    }

    HistoryFinding follow(const Cluster& cluster,
                          const std::vector<const std::pair<const Way, Failing>*>& members) {
        HistoryFinding finding;
        finding.what = cluster.what;
        if (cluster.kind == Cluster::Kind::finding) finding.finding = cluster.what;
        std::set<OperatorVersion> versions;
        for (const auto* member : members) versions.insert(member->second.version);
        finding.versions.assign(versions.begin(), versions.end());
        bool is_first = true;
        for (std::size_t k = 0; k < history_.points.size(); ++k) {
            const std::string& label = history_.points[k].label;
            finding.history.asked.push_back(label);
            std::vector<std::string>& list = list_of(finding.history, members, seen_[k]);
            list.push_back(label);
            if (&list != &finding.history.shown) continue;
            if (is_first) finding.first = k;
            is_first = false;
            finding.last = k;
        }
        return finding;
    }

    /// Where the point that saw this belongs.
    static std::vector<std::string>& list_of(
        FindingHistory& history, const std::vector<const std::pair<const Way, Failing>*>& members,
        const std::vector<Seen>& seen) {
        bool is_right = false;
        bool is_other = false;
        for (const auto* member : members) {
            const auto& [way, failing] = *member;
            const auto found = std::ranges::lower_bound(seen, way.first, {}, &Seen::key);
            if (found == seen.end() || found->key != way.first) continue;
            // Of a case that was changed it says nothing; older records do not tell.
            const bool is_same = found->hash == 0 || failing.hashes.contains(0) ||
                                 failing.hashes.contains(found->hash);
            if (!is_same) continue;
            if (found->outcome == way.second) return history.shown;
            is_right = is_right || found->outcome == 0;
            is_other = is_other || found->outcome != 0;
        }
        return is_other ? history.otherwise : is_right ? history.not_shown : history.not_run;
    }

    ImplementationHistory history_;
    std::vector<std::vector<Seen>> seen_;  // of each point, by key
    std::vector<std::string> outcomes_;    // that are wrong
    std::map<Way, Failing> failing_;
};

std::vector<HistoryChange> changes_of(const ImplementationDiff& diff) {
    std::vector<HistoryChange> changes;
    for (const ChangeGroup& group : diff.groups) {
        const auto executions = static_cast<std::int64_t>(group.executions.size());
        const auto found = std::ranges::find_if(changes, [&](const HistoryChange& change) {
            return change.kind == group.kind && change.causes == group.causes;
        });
        if (found == changes.end()) {
            changes.push_back({group.kind, group.causes, executions});
        } else {
            found->executions += executions;
        }
    }
    return changes;
}

/// What two files share only where they are of one run: several may begin in one second on machines
/// that are alike.
std::string identity_of(const std::vector<Record>& records) {
    std::string identity;
    for (const Record& record : records) {
        if (!std::holds_alternative<ExecutionRecord>(record))
            identity += to_json_line(record) + "\n";
    }
    return identity;
}

/// Reads the runs of a folder in their order, of which only the last of each implementation is
/// kept.
class Reader {
public:
    Reader(std::filesystem::path folder, std::string only)
        : folder_(std::move(folder)), only_(std::move(only)) {}

    std::variant<History, Problem> go() {
        if (auto why = find_files()) return *why;
        for (const std::string& file : files_) read(file);
        std::ranges::sort(history_.left_out, {}, &LeftOutRun::file);
        if (!only_.empty() && followers_.empty() && !history_.runs.empty()) {
            return Problem{folder_.generic_string(), "",
                           "holds no whole run of '" + only_ + "'; its runs are of " +
                               joined(std::vector<std::string>(others_.begin(), others_.end()))};
        }
        for (Follower& follower : followers_) {
            history_.implementations.push_back(std::move(follower).finish(history_.runs));
        }
        return std::move(history_);
    }

private:
    void leave_out(const std::string& file, std::string why) {
        history_.left_out.push_back({file, std::move(why)});
    }

    std::optional<Problem> find_files() {
        const auto found = record_files_in(folder_);
        if (const auto* problem = std::get_if<Problem>(&found)) return *problem;
        for (const auto& path : std::get<std::vector<std::filesystem::path>>(found)) {
            const std::string file = path.filename().string();
            std::error_code unknown;
            // A pipe would have to be waited for.
            if (std::filesystem::is_regular_file(path, unknown)) {
                files_.push_back(file);
            } else {
                leave_out(file, "is no file");
            }
        }
        if (files_.empty() && history_.left_out.empty()) {
            return Problem{folder_.generic_string(), "",
                           "holds no file *.jsonl, *.jsonl.gz or *.jsonl.zst; `gathercheck run "
                           "--output FILE` writes one"};
        }
        std::map<std::string, std::string> times;
        for (const std::string& file : files_) {
            const auto header = read_header(folder_ / file);
            if (!header) continue;  // what is wrong with it shows when it is read
            times[file] = header->started;
            if (is_time(header->started) || !history_.is_by_time) continue;
            history_.is_by_time = false;
            history_.without_time = file;
        }
        if (history_.is_by_time) {
            std::ranges::stable_sort(files_, {},
                                     [&](const std::string& file) { return times[file]; });
        }
        return std::nullopt;
    }

    void read(const std::string& file) {
        auto loaded = read_record_files({(folder_ / file).string()});
        if (const auto* problem = std::get_if<Problem>(&loaded)) {
            return leave_out(file, problem->reason);
        }
        const auto run =
            std::make_shared<const RecordFiles>(std::get<RecordFiles>(std::move(loaded)));
        if (!run->lacking.empty()) {
            // It begins with the path of the file, which is said already.
            const std::string path = (folder_ / file).string();
            std::string why = run->lacking.front();
            if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
            return leave_out(file, why);
        }
        const std::vector<Record>& records = run->files.front().records;
        const auto& header = std::get<RunRecord>(records.front());
        const auto [same, is_new] = seen_.try_emplace(identity_of(records), file);
        if (!is_new) return leave_out(file, "is the run of " + same->second + ", which counts");
        Tally tally;
        for (const Record& record : records) tally.add(record);
        history_.runs.push_back({file, header});
        std::set<std::string> added;
        for (const ImplementationTally& one : tally.implementations()) {
            others_.insert(one.record.name);
            if (!only_.empty() && one.record.name != only_) continue;
            if (!added.insert(one.record.name).second) continue;  // in another version
            add({history_.runs.size() - 1, "", one, {}}, run);
        }
        compared_.clear();
    }

    void add(HistoryPoint point, const std::shared_ptr<const RecordFiles>& run) {
        const std::string& name = point.tally.record.name;
        const auto [place, is_new] = places_.try_emplace(name, followers_.size());
        if (is_new) {
            followers_.emplace_back(name);
            last_.emplace_back();
        }
        std::shared_ptr<const RecordFiles>& before = last_[place->second];
        if (before != nullptr) point.changes = changes_since(before, run, name);
        before = run;
        followers_[place->second].add(std::move(point), *run);
    }

    /// Runs are compared as a whole, each pair once.
    std::vector<HistoryChange> changes_since(const std::shared_ptr<const RecordFiles>& before,
                                             const std::shared_ptr<const RecordFiles>& run,
                                             const std::string& name) {
        auto [found, is_new] = compared_.try_emplace(before);
        if (is_new) {
            const auto compared = diff_runs(*before, *run, {});
            if (const auto* diff = std::get_if<RunDiff>(&compared)) {
                for (const ImplementationDiff& one : diff->implementations) {
                    found->second[one.after->name] = changes_of(one);
                }
            }
        }
        return found->second[name];
    }

    std::filesystem::path folder_;
    std::string only_;
    std::vector<std::string> files_;
    History history_;
    std::map<std::string, std::string> seen_;    // runs by their identities, and the file of each
    std::set<std::string> others_;               // every implementation that a run tells of
    std::map<std::string, std::size_t> places_;  // of followers, by name
    std::vector<Follower> followers_;
    std::vector<std::shared_ptr<const RecordFiles>> last_;  // of each follower
    /// What changed from earlier runs to this one, by implementation.
    std::map<std::shared_ptr<const RecordFiles>, std::map<std::string, std::vector<HistoryChange>>>
        compared_;
};

}  // namespace

std::variant<History, Problem> history_of(const std::filesystem::path& folder,
                                          const std::string& only) {
    return Reader(folder, only).go();
}

std::string since_text(const HistoryFinding& finding) { return to_string(finding.history, "run"); }

std::string changes_text(const std::vector<HistoryChange>& changes) {
    std::string text;
    for (const HistoryChange& change : changes) {
        text += (text.empty() ? "" : "; ") + std::string(name(change.kind)) + ": " +
                std::to_string(change.executions);
        std::vector<std::string> causes;
        for (const Cause cause : change.causes) causes.emplace_back(name(cause));
        if (!causes.empty()) text += " (" + joined(causes) + ")";
    }
    return text;
}

}  // namespace gathercheck
