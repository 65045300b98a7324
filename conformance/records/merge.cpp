// SPDX-License-Identifier: Apache-2.0
#include "conformance/records/merge.hpp"

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "conformance/select/select.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

/// The option of the command line that is kept under a key of the header.
std::string option_of(std::string key) {
    if (key == "implementations" || key == "filters") key.pop_back();
    std::ranges::replace(key, '_', '-');
    return "--" + key;
}

std::string number_text(const auto& number) { return (std::ostringstream() << number).str(); }

/// What stands on a command line for each option that is not left at its default, by its key.
std::map<std::string, std::string> words_of(const RunSettings& settings) {
    std::map<std::string, std::string> defaults;
    std::map<std::string, std::string> words;
    const auto add_to = [](std::map<std::string, std::string>& all) {
        return [&all]<class Value>(const char* key, const Value& value) {
            std::string& text = all[key];
            const std::string option = option_of(key);
            if constexpr (std::same_as<Value, std::vector<std::string>>) {
                for (const std::string& each : value) text += " " + option + " " + shell_word(each);
            } else if constexpr (std::same_as<Value, std::string>) {
                if (!value.empty()) text += " " + option + " " + shell_word(value);
            } else if constexpr (std::same_as<Value, bool>) {
                if (value) text += " " + option;
            } else {
                text += " " + option + " " + number_text(value);
            }
        };
    };
    const RunSettings nothing_given;
    each_setting(nothing_given, add_to(defaults));
    each_setting(settings, add_to(words));
    for (auto& [key, text] : words) {
        if (text == defaults[key]) text.clear();
    }
    words.erase("folder");
    return words;
}

/// Paths may be others on another machine: the suite's hash and that of the known failures speak
/// for what is in them.
bool may_differ(const std::string& key) {
    return key == "shard" || key == "cases" || key == "known_failures" || key == "reproducers";
}

/// A run within a file.
struct Part {
    const RecordFileContent* file = nullptr;
    std::span<const Record> records;

    const RunRecord& header() const { return std::get<RunRecord>(records.front()); }
    bool has_end() const {
        const auto* end = std::get_if<EndRecord>(&records.back());
        return end != nullptr && !end->partial;
    }
};

std::vector<Part> parts_of(std::span<const RecordFileContent> files) {
    std::vector<Part> parts;
    for (const RecordFileContent& file : files) {
        const std::span<const Record> all(file.records);
        std::size_t begin = 0;
        for (std::size_t k = 1; k <= all.size(); ++k) {
            if (k < all.size() && !std::holds_alternative<RunRecord>(all[k])) continue;
            parts.push_back({&file, all.subspan(begin, k - begin)});
            begin = k;
        }
    }
    return parts;
}

Problem other(const Part& part, const Part& first, const std::string& how) {
    return {part.file->name, "",
            "is not of the run of " + first.file->name + ": " + how +
                "; merge the shards of one run, made by the same command on the same versions"};
}

std::string shown(const std::string& words) {
    return words.empty() ? "its default" : "'" + words.substr(1) + "'";
}

/// How the options differ from those of the first; nothing where they do not.
std::optional<Problem> other_options(const Part& part, const Part& first) {
    const auto here = words_of(*part.header().settings);
    const auto there = words_of(*first.header().settings);
    for (const auto& [key, words] : here) {
        if (may_differ(key) || words == there.at(key)) continue;
        return other(part, first,
                     "the option " + option_of(key) + " is " + shown(words) + " here and " +
                         shown(there.at(key)) + " there");
    }
    return std::nullopt;
}

/// The implementations of a part that started, by name.
std::map<std::string, const ImplementationRecord*> started(const Part& part) {
    std::map<std::string, const ImplementationRecord*> result;
    for (const Record& record : part.records) {
        const auto* implementation = std::get_if<ImplementationRecord>(&record);
        if (implementation == nullptr || implementation->state != "started") continue;
        result.emplace(implementation->name, implementation);
    }
    return result;
}

std::optional<Problem> other_implementations(const Part& part, const Part& first) {
    const auto here = started(part);
    for (const auto& [name, there] : started(first)) {
        const auto found = here.find(name);
        if (found == here.end()) continue;
        const ImplementationRecord& now = *found->second;
        if (now.version != there->version) {
            return other(part, first,
                         name + " is of version " + now.version + " here and of " + there->version +
                             " there");
        }
        if (now.known_failures_hash != there->known_failures_hash) {
            return other(part, first,
                         "the known failures of " + name + " are others: their hash is " +
                             now.known_failures_hash + " here and " + there->known_failures_hash +
                             " there");
        }
    }
    return std::nullopt;
}

}  // namespace

std::variant<MergedRun, Problem> merge_shards(std::span<const RecordFileContent> files) {
    const std::vector<Part> parts = parts_of(files);
    MergedRun run;
    std::map<std::int64_t, const Part*> by_index;
    for (const Part& part : parts) {
        const std::optional<RunSettings>& settings = part.header().settings;
        if (!settings || settings->shard.empty()) {
            return Problem{part.file->name, "",
                           "is no shard: it was run without --shard; `gathercheck report` takes "
                           "whole runs together"};
        }
        const Part& first = parts.front();
        if (auto why = other_options(part, first)) return *why;
        if (auto why = other_implementations(part, first)) return *why;
        const auto [index, count] = parse_shard(settings->shard).value_or(Shard{});
        if (&part != &first && count != run.shards) {
            return other(part, first,
                         "it is one of " + std::to_string(count) + " shards here and of " +
                             std::to_string(run.shards) + " there");
        }
        run.shards = count;
        by_index.emplace(index, &part);
    }
    run.settings = *parts.front().header().settings;
    for (std::int64_t k = 1; k <= run.shards; ++k) {
        const auto found = by_index.find(k);
        if (found == by_index.end()) {
            run.missing.push_back({k, "", false});
            continue;
        }
        const Part& part = *found->second;
        if (part.has_end()) {
            run.there.push_back({k, part.records});
            continue;
        }
        const bool is_alone = part.records.size() == part.file->records.size();
        const bool is_file = !part.file->is_compressed && part.file->is_regular;
        run.missing.push_back({k, part.file->name, is_alone && is_file});
    }
    return run;
}

std::string command_for(const MergedRun& run, const MissingShard& shard,
                        const std::string& program) {
    const std::string begin = shell_word(program) + " run";
    if (shard.can_resume) return begin + " --resume " + shell_word(shard.file);
    auto words = words_of(run.settings);
    const std::string number = std::to_string(shard.index);
    const std::string count = std::to_string(run.shards);
    words["shard"] = " --shard " + number + "/" + count;
    std::string text = begin;
    for (const auto& [key, of_option] : words) text += of_option;
    text += " --output " + shell_word("shard-" + number + "-of-" + count + ".jsonl");
    const bool names_files =
        !run.settings.cases.empty() || !run.settings.known_failures.empty() ||
        std::ranges::any_of(run.settings.implementations, [](const std::string& name) {
            return name.find(':') != std::string::npos;
        });
    std::error_code error;
    if (!names_files || run.settings.folder == std::filesystem::current_path(error)) return text;
    return "cd " + shell_word(run.settings.folder) + " && " + text;
}

}  // namespace gathercheck
