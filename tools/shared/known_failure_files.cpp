// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/known_failure_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <variant>

#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

/// Replaces a file as a whole: whoever reads it meanwhile sees the old text or the new one.
bool replace_file(const std::filesystem::path& path, const std::string& text) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
    // Of this process alone, and never the name of a file of somebody's.
    std::filesystem::path temporary;
    int number = 0;
    do {
        temporary = target;
        temporary += "." + std::to_string(::getpid()) + "." + std::to_string(number++);
    } while (std::filesystem::exists(temporary, error));
    std::ofstream stream(temporary, std::ios::binary);
    stream << text;
    stream.close();
    if (stream) std::filesystem::rename(temporary, target, error);
    if (stream && !error) return true;
    std::filesystem::remove(temporary, error);
    return false;
}

/// Writes the reason into the entries of a file whose reason an update has left empty. False, and a
/// message, where the file cannot be written.
bool fill_blank_reasons(const std::string& path, const std::string& reason) {
    std::ifstream stream(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    constexpr std::string_view key = "\"reason\"";  // within a string its quotes would be escaped
    std::int64_t filled = 0;
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
        const std::size_t colon = text.find_first_not_of(" \t\r\n", at + key.size());
        if (colon == std::string::npos || text[colon] != ':') continue;
        const std::size_t value = text.find_first_not_of(" \t\r\n", colon + 1);
        if (value == std::string::npos || text.compare(value, 2, "\"\"") != 0) continue;
        text.replace(value, 2, Json(reason).dump());
        ++filled;
    }
    if (filled == 0) return true;
    if (!replace_file(path, text)) {
        refuse("cannot write " + path);
        return false;
    }
    std::fprintf(stderr, "%s: %s filled in\n", printable(path).c_str(),
                 count_of(filled, "empty reason").c_str());
    return true;
}

}  // namespace

bool KnownFailureFiles::load(const RunSettings& settings) {
    for (const std::string& path : settings.known_failures) {
        std::error_code error;
        const bool is_there = std::filesystem::exists(path, error);
        if (!is_there && settings.update_known_failures) {
            new_file_ = path;  // the update makes it
            continue;
        }
        if (!is_there) {
            refuse("--known-failures " + path +
                   " is not there; with --update-known-failures the run makes it");
            return false;
        }
        if (settings.update_known_failures && !settings.reason.empty() &&
            !fill_blank_reasons(path, settings.reason)) {
            return false;
        }
        if (!add(path)) return false;
        const auto same = [&](const auto& file) {
            return file->implementation == files_.back()->implementation;
        };
        const auto first = std::ranges::find_if(files_, same);
        if (first->get() == files_.back().get()) continue;
        refuse(files_.back()->file + " is about the implementation '" +
               files_.back()->implementation + "', as " + (*first)->file +
               " is; give one file for each");
        return false;
    }
    return true;
}

const KnownFailures* KnownFailureFiles::find(const std::string& implementation,
                                             const std::filesystem::path& shipped, bool& refused) {
    if (const KnownFailures* known = named(implementation)) return known;
    std::error_code error;
    std::string name = implementation;
    std::ranges::replace(name, ':', '-');  // not every file system takes a colon
    const std::filesystem::path path = shipped / (name + ".json");
    if (!std::filesystem::exists(path, error)) return nullptr;
    if (!add(path)) {
        refused = true;
        return nullptr;
    }
    return files_.back().get();
}

const KnownFailures* KnownFailureFiles::of(const AskedImplementation& asked,
                                           const std::filesystem::path& shipped, bool& refused) {
    const KnownFailures* known =
        asked.is_brought() ? named(asked.name) : find(asked.name, shipped, refused);
    if (known == nullptr && !refused) known = named(asked.what);
    return known;
}

const KnownFailures* KnownFailureFiles::named(const std::string& implementation) const {
    const auto found = std::ranges::find(files_, implementation,
                                         [](const auto& file) { return file->implementation; });
    return found != files_.end() ? found->get() : nullptr;
}

bool KnownFailureFiles::add(const std::filesystem::path& path) {
    auto loaded = load_known_failures(path, rules_, findings_);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        print_problems(*problems);
        return false;
    }
    files_.push_back(std::make_unique<KnownFailures>(std::get<KnownFailures>(std::move(loaded))));
    return true;
}

void KnownFailuresUpdates::watch(const std::string& implementation, const std::string& written_as,
                                 std::string file, bool is_there) {
    updates_.push_back(
        {KnownFailuresUpdate(implementation, written_as), std::move(file), is_there});
}

void KnownFailuresUpdates::add(const Record& record) {
    for (One& one : updates_) one.update.add(record);
}

void KnownFailuresUpdates::drop(const std::string& implementation, const KnownFailure& entry) {
    for (One& one : updates_) {
        if (one.update.implementation() == implementation) one.update.drop(entry);
    }
}

bool KnownFailuresUpdates::write(const LoadedSuite& loaded, std::string& said) {
    bool good = true;
    for (const One& one : updates_) good = write(one, loaded, said) && good;
    return good;
}

bool KnownFailuresUpdates::write(const One& one, const LoadedSuite& loaded, std::string& said) {
    if (one.update.version().empty()) return true;  // it did not start
    if (!one.is_there && !one.update.saw_failures()) return true;
    std::error_code error;
    const auto folder = std::filesystem::weakly_canonical(one.file, error).parent_path();
    const bool is_shipped =
        std::filesystem::equivalent(folder, loaded.installed.known_failures, error);
    const NewEntries added{reason_, !finding_.empty() || (is_shipped && reason_.empty()), finding_,
                           causes_};
    auto result = one.update.update(one.is_there ? one.file : std::string(), loaded.suite,
                                    loaded.rules, loaded.findings, added);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        print_problems(*problems);
        return false;
    }
    const auto& updated = std::get<UpdatedKnownFailures>(result);
    if (!replace_file(one.file, updated.text)) {
        std::fprintf(stderr, "gathercheck: cannot write %s\n", one.file.c_str());
        return false;
    }
    has_changed_ = has_changed_ || updated.added + updated.dropped > 0;
    said += printable(one.file) + ": executions dropped: " + std::to_string(updated.dropped) +
            ", added: " + std::to_string(updated.added) + "\n";
    if (updated.added == 0) return true;
    if (added.has_finding) {
        say_what_to_write(updated, loaded, said);
    } else {
        say_reasons(updated, said);
    }
    return true;
}

/// What the new entries give as their reason, and what remains to be done.
void KnownFailuresUpdates::say_reasons(const UpdatedKnownFailures& updated, std::string& said) {
    if (!updated.is_reason_used) {
        said +=
            "  --reason is not written: the diagnosis tells several causes of the new failures, "
            "and "
            "it cannot be true of all; --filter chooses those of one\n";
    }
    if (updated.diagnosed > 0) {
        said += "  the \"reason\" of " + count_of(updated.diagnosed, "new execution") +
                " is what the diagnosis found: see that it is so\n";
    }
    if (updated.blank > 0) {
        is_complete_ = false;
        said += std::string("  write the empty \"reason\" of each ") +
                (updated.diagnosed > 0 ? "other " : "") +
                "new entry: until then the file is refused; --update-known-failures --reason "
                "TEXT fills it in, too\n";
    }
    said += "  the \"rule\" of each new entry names all rules of its cases, keep what is broken\n";
}

/// What remains to be done for entries with a finding.
void KnownFailuresUpdates::say_what_to_write(const UpdatedKnownFailures& updated,
                                             const LoadedSuite& loaded, std::string& said) {
    if (finding_.empty()) {
        is_complete_ = false;
        said +=
            "  write the empty \"finding\" of each new entry: until then the file is "
            "refused; " +
            printable(loaded.installed.findings.generic_string()) +
            "/README.md tells how to add one that is not there yet\n";
        return;
    }
    const Finding* finding = loaded.findings.find(finding_);
    for (const OperatorVersion version : updated.added_versions) {
        if (finding == nullptr || !finding->rules_of(version, loaded.rules).empty()) continue;
        is_complete_ = false;
        said += "  " + finding_ + " cites no rule of " + std::string(name(version)) +
                ": until it does the file is refused; add the one that is broken to its "
                "\"rules\" in " +
                printable(finding->file) + "\n";
    }
}

}  // namespace gathercheck
