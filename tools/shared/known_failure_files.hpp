// SPDX-License-Identifier: Apache-2.0
// The files of known failures that a run is judged by, and those that it brings up to date.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conformance/known_failures/known_failures.hpp"
#include "conformance/known_failures/known_failures_update.hpp"
#include "conformance/records/record.hpp"
#include "conformance/records/run_settings.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// Known-failure files by the implementation that they are about.
class KnownFailureFiles {
public:
    KnownFailureFiles(const RuleCatalogue& rules, const FindingCatalogue& findings)
        : rules_(rules), findings_(findings) {}

    /// Loads those that the settings name. False, and the problems on stderr, where one is refused.
    bool load(const RunSettings& settings);

    /// A file that was named and that is yet to be made; empty: none.
    const std::string& new_file() const { return new_file_; }

    /// The named file about an implementation, else the shipped one; null where there is none.
    const KnownFailures* find(const std::string& implementation,
                              const std::filesystem::path& shipped, bool& refused);

    /// The file about an implementation that is asked for: of one that its author brings only a
    /// named one, written for its name or from before it had one; of any other as `find`.
    const KnownFailures* of(const AskedImplementation& asked, const std::filesystem::path& shipped,
                            bool& refused);

    /// The file about an implementation, of those that are loaded; null where there is none.
    const KnownFailures* named(const std::string& implementation) const;

    const std::vector<std::unique_ptr<KnownFailures>>& files() const { return files_; }

private:
    bool add(const std::filesystem::path& path);

    const RuleCatalogue& rules_;
    const FindingCatalogue& findings_;
    std::vector<std::unique_ptr<KnownFailures>> files_;
    std::string new_file_;
};

/// Known-failure files that a run brings up to date: one for each implementation but those that
/// must give the suite's own reading.
class KnownFailuresUpdates {
public:
    /// Of new entries; each may be empty.
    KnownFailuresUpdates(std::string reason, std::string finding)
        : reason_(std::move(reason)), finding_(std::move(finding)) {}

    /// The file is made where it is not there and there is something to write into it; it calls the
    /// implementation `written_as`.
    void watch(const std::string& implementation, const std::string& written_as, std::string file,
               bool is_there);
    void add(const Record& record);
    void drop(const std::string& implementation, const KnownFailure& entry);

    /// What explains failures, by execution_key().
    void explain(const std::unordered_map<std::uint64_t, std::string>& causes) {
        causes_.insert(causes.begin(), causes.end());
    }

    /// Writes the files and says what became of each. False where one cannot be written.
    bool write(const LoadedSuite& loaded, std::string& said);

    /// True once a file was written that says something else than before.
    bool has_changed() const { return has_changed_; }

    /// What is to be done after that.
    std::string next() const {
        return is_complete_ ? "run it again" : "write what they lack, then run it again";
    }

private:
    struct One {
        KnownFailuresUpdate update;
        std::string file;
        bool is_there = false;
    };

    bool write(const One& one, const LoadedSuite& loaded, std::string& said);
    void say_reasons(const UpdatedKnownFailures& updated, std::string& said);
    void say_what_to_write(const UpdatedKnownFailures& updated, const LoadedSuite& loaded,
                           std::string& said);

    std::string reason_;
    std::string finding_;
    std::unordered_map<std::uint64_t, std::string> causes_;
    std::vector<One> updates_;
    bool has_changed_ = false;
    bool is_complete_ = true;  // no entry waits for a person
};

}  // namespace gathercheck
