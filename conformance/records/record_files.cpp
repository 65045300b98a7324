// SPDX-License-Identifier: Apache-2.0
#include "conformance/records/record_files.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "conformance/records/record_reader.hpp"
#include "conformance/records/tally.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

/// The lines from one header to the next, counted.
struct RunLines {
    std::string where;  ///< the file, and which run of it where it holds several
    const RunRecord* header = nullptr;
    const EndRecord* end = nullptr;
    Tally tally;
    std::int64_t executions = 0;
    std::int64_t behind_the_end = 0;
    std::set<std::string> introduced;
    std::map<std::string, std::int64_t> strangers;  ///< executions before an introduction
};

/// What makes an execution another one, but for the suite.
std::string identity(const ExecutionRecord& execution) {
    std::string text = execution.implementation;
    for (const std::string& part :
         {execution.version, std::string(name(execution.operator_version)),
          to_string(execution.route), execution.case_id}) {
        text += '\0';
        text += part;
    }
    return text;
}

std::string described(const ExecutionRecord& execution) {
    return "the execution of case " + execution.case_id + " for " +
           std::string(name(execution.operator_version)) + " by route " +
           to_string(execution.route) + " on " + execution.implementation;
}

/// "i/n"; nothing for any other text.
std::optional<std::pair<std::int64_t, std::int64_t>> shard_of(const std::string& text) {
    std::int64_t index = 0;
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [slash, first] = std::from_chars(text.data(), end, index);
    if (first != std::errc{} || slash == end || *slash != '/') return std::nullopt;
    const auto [rest, second] = std::from_chars(slash + 1, end, count);
    if (second != std::errc{} || rest != end || index < 1 || count < index) return std::nullopt;
    return std::pair(index, count);
}

/// What shards of one run have in common. Paths may be others on another machine: the suite's hash
/// and the known failures that each implementation names speak for the files.
std::string options_of(const RunSettings& settings) {
    std::string text;
    const auto add = [&](const std::vector<std::string>& list) {
        for (const std::string& each : list) text += each + '\0';
        text += '\1';
    };
    add(settings.implementations);
    add(settings.filters);
    add({settings.sweeps, settings.no_known_failures ? "none" : "", settings.strict ? "s" : ""});
    return text;
}

/// Collects runs, and what contradicts itself in them.
class RecordCheck {
public:
    std::optional<Problem> add(const RecordFileContent& file) {
        const auto runs = std::ranges::count_if(file.records, [](const Record& record) {
            return std::holds_alternative<RunRecord>(record);
        });
        std::size_t number = 0;
        for (const Record& record : file.records) {
            if (const auto* header = std::get_if<RunRecord>(&record)) {
                ++number;
                runs_.emplace_back();
                runs_.back().where =
                    file.name + (runs > 1 ? ", run " + std::to_string(number) : "");
                runs_.back().header = header;
                if (auto why = other_than_first(file.name)) return why;
            }
            if (runs_.empty() || number == 0) {
                return Problem{file.name, "",
                               "does not begin with the line that says what ran; give a file "
                               "that `gathercheck run --output` wrote"};
            }
            if (auto why = add(record, file.name)) return why;
        }
        if (file.ends_in_half_a_line && !runs_.empty() && runs_.back().end != nullptr) {
            lacking_.push_back(file.name + " ends in half a line");
        }
        return std::nullopt;
    }

    std::variant<std::vector<std::string>, Problem> finish() && {
        for (const RunLines& run : runs_) look_at(run);
        if (auto why = look_at_shards()) return *why;
        return std::move(lacking_);
    }

private:
    /// Why the last run cannot stand beside the first.
    std::optional<Problem> other_than_first(const std::string& file) {
        const RunLines& first = runs_.front();
        const RunLines& last = runs_.back();
        const auto [earlier, is_new] = headers_.try_emplace(to_json_line(*last.header), last.where);
        if (&first == &last) return std::nullopt;
        const auto differ = [&](const std::string& what, const std::string& a,
                                const std::string& b) {
            return Problem{file, "",
                           "is not put together with " + first.where + ": the " + what + " is " +
                               b + " here and " + a +
                               " there; report each by itself, or run one of them anew"};
        };
        const RunRecord& a = *first.header;
        const RunRecord& b = *last.header;
        if (a.suite_hash != b.suite_hash) {
            return differ("hash of the suite", a.suite_hash, b.suite_hash);
        }
        if (a.suite_version != b.suite_version) {
            return differ("version of the suite", a.suite_version, b.suite_version);
        }
        if (a.tool_version != b.tool_version) {
            return differ("version of gathercheck", a.tool_version, b.tool_version);
        }
        if (is_new) return std::nullopt;
        return Problem{file, "",
                       "holds the run of " + earlier->second + " again, begun " + b.started +
                           " by the same command; give each run once"};
    }

    std::optional<Problem> add(const Record& record, const std::string& file) {
        RunLines& run = runs_.back();
        if (run.end != nullptr) {
            ++run.behind_the_end;
            return std::nullopt;
        }
        run.tally.add(record);
        if (const auto* end = std::get_if<EndRecord>(&record)) {
            run.end = end;
        } else if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
            run.introduced.insert(implementation->name);
        } else if (const auto* execution = std::get_if<ExecutionRecord>(&record)) {
            ++run.executions;
            if (!run.introduced.contains(execution->implementation)) {
                ++run.strangers[execution->implementation];
            }
            const auto [known, is_new] = seen_.emplace(identity(*execution), runs_.size() - 1);
            if (!is_new) {
                const RunLines& other = runs_[known->second];
                const std::string places =
                    &other == &run ? "stands twice in " + run.where
                                   : "stands in " + other.where + " and in " + run.where;
                return Problem{file, "",
                               described(*execution) + " " + places +
                                   "; give each run once, and runs that share nothing"};
            }
        }
        return std::nullopt;
    }

    void look_at(const RunLines& run) {
        const auto lacks = [&](const std::string& what) {
            lacking_.push_back(run.where + ": " + what);
        };
        const std::string there = count_of(run.executions, "execution");
        if (run.end == nullptr) {
            lacks("the run was cut short: " + there + " and no end");
        } else if (run.end->partial) {
            lacks("the run was interrupted after " + there);
        } else if (run.end->executions != run.executions) {
            lacks("its end counts " + count_of(run.end->executions, "execution") + ", and " +
                  std::to_string(run.executions) + (run.executions == 1 ? " is" : " are") +
                  " there");
        } else if (const int found = run.tally.exit_code(); run.end->exit_code != found) {
            lacks("its end gives exit code " + std::to_string(run.end->exit_code) +
                  ", and its lines give " + std::to_string(found) +
                  ": lines are missing, or not all that the run had could be written");
        }
        if (run.behind_the_end > 0) {
            lacks(count_of(run.behind_the_end, "line") + " behind the end of the run");
        }
        for (const auto& [implementation, count] : run.strangers) {
            lacks(count_of(count, "execution") + " of " + implementation +
                  " and no line before that introduces it");
        }
        if (!run.header->settings || run.end == nullptr || run.end->partial) return;
        for (const std::string& asked : run.header->settings->implementations) {
            // NAME=exec:... and NAME=plugin:... are introduced as NAME.
            const bool is_there = std::ranges::any_of(run.introduced, [&](const std::string& name) {
                return asked == name || asked.starts_with(name + "=exec:") ||
                       asked.starts_with(name + "=plugin:");
            });
            if (asked == "default" || is_there) continue;
            lacks("it was asked for " + asked + ", of which no line tells");
        }
    }

    /// A header without the options of its run: its command line alone can tell of a shard.
    void look_at_command(const RunLines& run) {
        for (const std::string& word : run.header->command) {
            if (word != "--shard" && !word.starts_with("--shard=")) continue;
            lacking_.push_back(
                run.where +
                ": its header lacks the options of the run, and its command line has "
                "--shard: nobody can tell which parts are here");
            return;
        }
    }

    /// Shards of one run must all be there.
    std::optional<Problem> look_at_shards() {
        struct Shards {
            std::int64_t count = 0;
            std::string where;
            std::set<std::int64_t> there;
        };
        std::map<std::string, Shards> all;
        for (const RunLines& run : runs_) {
            if (!run.header->settings) {
                look_at_command(run);
                continue;
            }
            const auto shard = shard_of(run.header->settings->shard);
            if (!shard || shard->second == 1) continue;
            Shards& shards = all[options_of(*run.header->settings)];
            if (shards.there.empty()) {
                shards.count = shard->second;
                shards.where = run.where;
            } else if (shards.count != shard->second) {
                return Problem{run.where, "",
                               "is one of " + std::to_string(shard->second) + " shards and " +
                                   shards.where + " one of " + std::to_string(shards.count) +
                                   "; put shards of one run together"};
            }
            if (!shards.there.insert(shard->first).second) {
                return Problem{run.where, "",
                               "is shard " + run.header->settings->shard +
                                   ", which stands here already; give each shard once"};
            }
        }
        for (const auto& [options, shards] : all) {
            const std::int64_t missing =
                shards.count - static_cast<std::int64_t>(shards.there.size());
            if (missing == 0) continue;
            constexpr std::size_t shown = 8;
            std::string list;
            std::size_t listed = 0;
            for (std::int64_t k = 1; k <= shards.count && listed < shown; ++k) {
                if (shards.there.contains(k)) continue;
                list += (listed++ == 0 ? "" : ", ") + std::to_string(k);
            }
            if (listed < static_cast<std::size_t>(missing)) list += ", ...";
            lacking_.push_back(shards.where + ": of the " + std::to_string(shards.count) +
                               " shards of its run " + std::to_string(missing) +
                               (missing == 1 ? " is" : " are") + " not here: " + list);
        }
        return std::nullopt;
    }

    std::vector<RunLines> runs_;
    std::unordered_map<std::string, std::string> headers_;  // and the run of each
    std::unordered_map<std::string, std::size_t> seen_;     // identities, and the run of each
    std::vector<std::string> lacking_;
};

}  // namespace

std::variant<std::vector<std::string>, Problem> check_records(
    std::span<const RecordFileContent> files) {
    RecordCheck check;
    for (const RecordFileContent& file : files) {
        if (auto why = check.add(file)) return *why;
    }
    return std::move(check).finish();
}

std::variant<std::vector<RecordFileContent>, Problem> read_unchecked(
    const std::vector<std::string>& files) {
    std::vector<RecordFileContent> contents;
    for (std::size_t k = 0; k < files.size(); ++k) {
        std::error_code error;
        for (std::size_t j = 0; j < k; ++j) {
            if (files[j] != files[k] && !std::filesystem::equivalent(files[j], files[k], error)) {
                continue;
            }
            return Problem{files[k], "",
                           "is given twice" +
                               (files[j] == files[k] ? "" : ", also as " + files[j]) +
                               "; give each file once"};
        }
        auto read = read_record_lines(files[k]);
        if (auto* problem = std::get_if<Problem>(&read)) return std::move(*problem);
        auto& [lines, ends_in_half_a_line, is_compressed] = std::get<RecordLines>(read);
        if (lines.empty() || !std::holds_alternative<RunRecord>(lines.front().record)) {
            return Problem{files[k], "",
                           "holds no run; give a file that `gathercheck run --output` wrote"};
        }
        RecordFileContent content;
        content.name = files[k] == "-" ? "standard input" : files[k];
        content.ends_in_half_a_line = ends_in_half_a_line;
        content.is_compressed = is_compressed;
        content.is_regular = std::filesystem::is_regular_file(files[k], error);
        content.records.reserve(lines.size());
        for (RecordLine& line : lines) content.records.push_back(std::move(line.record));
        contents.push_back(std::move(content));
    }
    return contents;
}

std::variant<RecordFiles, Problem> read_record_files(const std::vector<std::string>& files) {
    auto read = read_unchecked(files);
    if (auto* problem = std::get_if<Problem>(&read)) return std::move(*problem);
    RecordFiles result;
    result.files = std::get<std::vector<RecordFileContent>>(std::move(read));
    auto checked = check_records(result.files);
    if (auto* problem = std::get_if<Problem>(&checked)) return std::move(*problem);
    result.lacking = std::get<std::vector<std::string>>(std::move(checked));
    return result;
}

std::variant<std::vector<std::filesystem::path>, Problem> record_files_in(
    const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    std::filesystem::directory_iterator entries(folder, error);
    if (error) {
        return Problem{folder.generic_string(), "",
                       "cannot be read as a folder (" + error.message() +
                           "); give a folder of records that `gathercheck run --output` wrote"};
    }
    for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
        const std::string name = entries->path().filename().string();
        if (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") ||
            name.ends_with(".jsonl.zst")) {
            files.push_back(entries->path());
        }
    }
    if (error) {
        return Problem{folder.generic_string(), "",
                       "cannot be read to its end: " + error.message()};
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace gathercheck
