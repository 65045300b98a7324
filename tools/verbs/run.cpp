// SPDX-License-Identifier: Apache-2.0
// gathercheck run: cases on implementations, records to a file, failures and a summary to the
// terminal.
#include <sys/utsname.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conformance/known_failures/known_failures_update.hpp"
#include "conformance/mutants/diagnosis.hpp"
#include "conformance/report/report.hpp"
#include "conformance/reproducers/reproducer.hpp"
#include "conformance/reproducers/verify.hpp"
#include "conformance/run/parallel.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/freed_memory.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/shared/cli.hpp"
#include "tools/shared/interruption.hpp"
#include "tools/shared/option_values.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/programs.hpp"
#include "tools/shared/run_output.hpp"
#include "tools/shared/suite.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct RunVerb {
    RunSettings settings;
    std::string output;
    std::string resume;         ///< file of a run to go on with, which tells `settings`
    bool trust_record = false;  ///< of `resume`: do all that its header says
    std::string format = "text";
    int jobs = 1;  ///< processes of each implementation, side by side
    int failures_shown = 20;
    std::vector<std::string> command;  ///< the whole command line, for the record
    std::vector<BuiltIn> more;         ///< in-process implementations beside the shipped ones
};

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name") || line.starts_with("CPU part")) {
            const std::size_t colon = line.find(": ");
            if (colon != std::string::npos) return line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string system_name() {
    utsname names{};
    if (uname(&names) != 0) return "unknown";
    return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

std::string distribution_name() {
    std::ifstream info("/etc/os-release");
    constexpr std::string_view key = "PRETTY_NAME=";
    for (std::string line; std::getline(info, line);) {
        if (!line.starts_with(key)) continue;
        line.erase(0, key.size());
        std::erase(line, '"');
        return line;
    }
    return {};
}

/// The folder of reproducers. Trouble with it is said once and ends in exit code 3.
class Reproducers {
public:
    Reproducers(std::filesystem::path folder, const RuleCatalogue& rules)
        : folder_(std::move(folder)), rules_(rules) {}

    /// Makes the folder; the text is why it cannot be made.
    std::string open() const {
        std::error_code error;
        std::filesystem::create_directories(folder_, error);
        return error ? error.message() : std::string();
    }

    /// The name of the file that now holds the source; empty where it cannot be written.
    std::string keep(const ExecutionRecord& failed, const Reproducer& reproducer) {
        const std::filesystem::path path = folder_ / reproducer_file(failed, reproducer.language);
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);
        std::ofstream stream(path, std::ios::binary);
        stream << reproducer_text(failed, reproducer, rules_);
        stream.close();
        if (!stream) {
            if (!failed_) {
                std::fprintf(stderr, "gathercheck: cannot write the reproducer %s\n", path.c_str());
            }
            failed_ = true;
            return {};
        }
        ++count_;
        return path.generic_string();
    }

    std::int64_t count() const { return count_; }
    bool failed() const { return failed_; }

private:
    std::filesystem::path folder_;
    const RuleCatalogue& rules_;
    std::int64_t count_ = 0;
    bool failed_ = false;
};

/// Shows how far the run is, on a terminal only and not more often than the eye follows.
class ProgressLine {
public:
    void show(const Progress& progress, std::int64_t failures) {
        if (!terminal_) return;
        const auto now = std::chrono::steady_clock::now();
        if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        shown_ = true;
        std::fprintf(stderr, "\r\033[K%s: %lld of %lld", printable(progress.implementation).c_str(),
                     static_cast<long long>(progress.done), static_cast<long long>(progress.total));
        if (failures > 0) std::fprintf(stderr, ", %s", count_of(failures, "failure").c_str());
        std::fflush(stderr);
    }
    void clear() {
        if (shown_) std::fputs("\r\033[K", stderr);
        shown_ = false;
    }

private:
    bool terminal_ = isatty(STDERR_FILENO) == 1;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

/// The programs that a run wrote, by implementation, each to be run in the end.
class WrittenPrograms {
public:
    void add(const ExecutionRecord& execution) {
        if (!execution.reproducer.empty())
            written_[execution.implementation].insert(execution.reproducer);
    }

    /// Runs them all and writes what became of it: a note on each that does not show what it says,
    /// which is trouble, on each that cannot be run, and one on all of an implementation.
    void verify(const RunVerb& options, const std::filesystem::path& adapters,
                const std::function<void(const Record&)>& record, ProgressLine& progress) const {
        VerifyLimits limits;
        limits.seconds = std::max(limits.seconds, 3 * options.settings.seconds_per_call);
        limits.interrupted = is_interrupted;
        for (const auto& [implementation, files] : written_) {
            std::vector<ProgramToVerify> programs;
            std::int64_t silent = 0;
            for (const std::string& file : files) {
                ProgramToVerify program =
                    program_of(file, adapters, HeadCommand::yes, options.settings.bytes_of_memory);
                if (program.shows.empty() && program.fault.empty()) {
                    ++silent;
                } else {
                    programs.push_back(std::move(program));
                }
            }
            Progress now{"reproducers of " + implementation, 0,
                         static_cast<std::int64_t>(programs.size())};
            const auto results = verify_all(programs, options.jobs, limits, [&] {
                ++now.done;
                progress.show(now, 0);
            });
            if (is_interrupted()) return;
            write(implementation, programs, results, silent, record);
        }
    }

private:
    static void write(const std::string& implementation,
                      const std::vector<ProgramToVerify>& programs,
                      const std::vector<Verification>& results, std::int64_t silent,
                      const std::function<void(const Record&)>& record) {
        std::int64_t shown = 0;
        std::int64_t not_run = 0;
        for (std::size_t k = 0; k < programs.size(); ++k) {
            const auto& [result, why] = results[k];
            const std::string file = printable(programs[k].file.generic_string());
            if (result == Verification::Result::shown) ++shown;
            if (result == Verification::Result::not_shown) {
                record(NoteRecord{implementation, "error",
                                  "the reproducer " + file + " shows something else: " + why});
            }
            if (result == Verification::Result::not_run) {
                ++not_run;
                record(NoteRecord{implementation, "warning",
                                  "a reproducer cannot be run here: " + why, file});
            }
        }
        const auto run = static_cast<std::int64_t>(programs.size()) - not_run;
        record(NoteRecord{implementation, "verified", verified_text(shown, run, not_run, silent)});
    }

    std::map<std::string, std::set<std::string>> written_;
};

/// The command with what every repetition of it needs.
std::string repeat_of(const RunVerb& options) {
    std::string repeat =
        shell_word(options.command.empty() ? "gathercheck" : options.command.front()) + " run ";
    for (const std::string& path : options.settings.cases)
        repeat += "--cases " + shell_word(path) + " ";
    if (!options.settings.sweeps.empty()) repeat += "--sweeps " + options.settings.sweeps + " ";
    if (options.settings.seconds_per_call != Limits{}.seconds_per_call) {
        repeat += "--time-limit " +
                  (std::ostringstream() << options.settings.seconds_per_call).str() + " ";
    }
    if (options.settings.bytes_of_memory != 0) {
        repeat += "--memory-limit " + std::to_string(options.settings.bytes_of_memory) + " ";
    }
    return repeat;
}

std::string repeat_of_known_failures(const RunVerb& options) {
    // After an update the failure is a known one, or the file waits for a reason.
    if (options.settings.update_known_failures) return "--no-known-failures ";
    std::string repeat = options.settings.no_known_failures ? "--no-known-failures " : "";
    for (const std::string& path : options.settings.known_failures) {
        repeat += "--known-failures " + shell_word(path) + " ";
    }
    return repeat;
}

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

/// Known-failure files by the implementation that they are about.
class KnownFailureFiles {
public:
    KnownFailureFiles(const RuleCatalogue& rules, const FindingCatalogue& findings)
        : rules_(rules), findings_(findings) {}

    /// False, and the problems on stderr, where a file is refused.
    bool load(const RunVerb& options) {
        for (const std::string& path : options.settings.known_failures) {
            std::error_code error;
            if (options.settings.update_known_failures && !std::filesystem::exists(path, error)) {
                new_file_ = path;  // the update makes it
                continue;
            }
            if (!options.settings.update_known_failures && !std::filesystem::exists(path, error)) {
                refuse("--known-failures " + path +
                       " is not there; with --update-known-failures the run makes it");
                return false;
            }
            if (options.settings.update_known_failures && !options.settings.reason.empty() &&
                !fill_blank_reasons(path, options.settings.reason)) {
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

    /// A file that was named and that is yet to be made; empty: none.
    const std::string& new_file() const { return new_file_; }

    /// The named file about an implementation, else the shipped one; null where there is none.
    const KnownFailures* find(const std::string& implementation,
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

    /// The file about an implementation, of those that are loaded; null where there is none.
    const KnownFailures* named(const std::string& implementation) const {
        const auto found = std::ranges::find(files_, implementation,
                                             [](const auto& file) { return file->implementation; });
        return found != files_.end() ? found->get() : nullptr;
    }

    const std::vector<std::unique_ptr<KnownFailures>>& files() const { return files_; }

private:
    bool add(const std::filesystem::path& path) {
        auto loaded = load_known_failures(path, rules_, findings_);
        if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
            print_problems(*problems);
            return false;
        }
        files_.push_back(
            std::make_unique<KnownFailures>(std::get<KnownFailures>(std::move(loaded))));
        return true;
    }

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
               bool is_there) {
        updates_.push_back(
            {KnownFailuresUpdate(implementation, written_as), std::move(file), is_there});
    }
    void add(const Record& record) {
        for (One& one : updates_) one.update.add(record);
    }
    void drop(const std::string& implementation, const KnownFailure& entry) {
        for (One& one : updates_) {
            if (one.update.implementation() == implementation) one.update.drop(entry);
        }
    }

    /// What explains failures, by execution_key().
    void explain(const std::unordered_map<std::uint64_t, std::string>& causes) {
        causes_.insert(causes.begin(), causes.end());
    }

    /// Writes the files and says what became of each. False where one cannot be written.
    bool write(const LoadedSuite& loaded, std::string& said) {
        bool good = true;
        for (const One& one : updates_) good = write(one, loaded, said) && good;
        return good;
    }

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

    bool write(const One& one, const LoadedSuite& loaded, std::string& said) {
        if (one.update.version().empty()) return true;  // it did not start
        if (!one.is_there && !one.update.saw_failures()) return true;
        std::error_code error;
        const auto folder = std::filesystem::weakly_canonical(one.file, error).parent_path();
        const bool is_shipped =
            std::filesystem::equivalent(folder, loaded.installed.known_failures, error);
        const NewEntries added{reason_, !finding_.empty() || (is_shipped && reason_.empty()),
                               finding_, causes_};
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
    void say_reasons(const UpdatedKnownFailures& updated, std::string& said) {
        if (!updated.is_reason_used) {
            said +=
                "  --reason is not written: the new failures have several causes, and it cannot be "
                "true of all; --filter chooses those of one\n";
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
        said +=
            "  the \"rule\" of each new entry names all rules of its cases, keep what is broken\n";
    }

    /// What remains to be done for entries with a finding.
    void say_what_to_write(const UpdatedKnownFailures& updated, const LoadedSuite& loaded,
                           std::string& said) {
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

    std::string reason_;
    std::string finding_;
    std::unordered_map<std::uint64_t, std::string> causes_;
    std::vector<One> updates_;
    bool has_changed_ = false;
    bool is_complete_ = true;  // no entry waits for a person
};

/// The name by which a program introduces itself; empty where it does not start.
std::string own_name(const std::string& asked, const Installed& installed, const Limits& limits) {
    auto made = make_implementation(asked, installed, limits, {});
    if (!std::holds_alternative<std::unique_ptr<Implementation>>(made)) return {};
    Implementation& implementation = *std::get<0>(made);
    return implementation.start() ? std::string() : implementation.introduction().name;
}

/// Plug-ins that were given no name have the one by which they introduce themselves, wherever that
/// is a name and nobody else's.
void name_plugins(RunVerb& options, const Installed& installed, const Limits& limits) {
    std::vector<std::string>& asked = options.settings.implementations;
    std::vector<std::string> names;
    for (const std::string& text : asked) {
        const bool is_plugin = text.starts_with("plugin:");
        names.push_back(is_plugin ? own_name(text, installed, limits)
                                  : asked_implementation(text).name);
    }
    for (std::size_t k = 0; k < asked.size(); ++k) {
        if (!asked[k].starts_with("plugin:") || std::ranges::count(names, names[k]) > 1) continue;
        const std::string named = names[k] + "=" + asked[k];
        const auto made = make_implementation(named, installed, limits, options.more);
        if (std::holds_alternative<std::unique_ptr<Implementation>>(made)) asked[k] = named;
    }
}

/// True for what --implementation takes as it is.
bool is_known(const std::string& name, const RunVerb& options) {
    if (name.starts_with("exec:") || name.starts_with("plugin:")) return true;
    return std::ranges::any_of(
        known_implementations(options.more),
        [&](const KnownImplementation& known) { return known.name == name; });
}

std::string folder_now() {
    std::error_code error;
    return std::filesystem::current_path(error).string();
}

/// The words of a command line that name files: those without blanks and quotes that are there.
std::vector<std::string> files_of_command(const std::string& command) {
    std::vector<std::string> files;
    std::istringstream words(command);
    std::error_code error;
    for (std::string word; words >> word;) {
        std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
        if (std::filesystem::is_regular_file(word, error)) files.push_back(word);
    }
    return files;
}

/// The files that a run reads: cases and what judges them, known failures, plug-ins, and what the
/// command lines of programs name.
std::vector<std::string> inputs_of(const RunVerb& options, const LoadedSuite& loaded,
                                   const std::vector<std::unique_ptr<KnownFailures>>& known) {
    std::vector<std::string> inputs = files_of(loaded.suite);
    inputs.insert(inputs.end(), options.settings.known_failures.begin(),
                  options.settings.known_failures.end());
    for (const auto& each : known) inputs.push_back(each->file);
    inputs.push_back(loaded.installed.equations.string());
    std::error_code error;
    for (const auto& rules : std::filesystem::directory_iterator(loaded.installed.rules, error)) {
        inputs.push_back(rules.path().string());
    }
    constexpr std::string_view plugin = "plugin:";
    constexpr std::string_view program = "exec:";
    for (const std::string& text : options.settings.implementations) {
        const std::string name = asked_implementation(text).what;
        if (name.starts_with(plugin)) inputs.push_back(name.substr(plugin.size()));
        if (!name.starts_with(program)) continue;
        for (std::string& file : files_of_command(name.substr(program.size()))) {
            inputs.push_back(std::move(file));
        }
    }
    return inputs;
}

/// What a recorded run would do to this machine beyond reading: start programs that its file names,
/// and write to places that it names. Empty where it does nothing of the kind.
std::vector<std::string> powers_of(const RunSettings& settings) {
    std::vector<std::string> powers;
    for (const std::string& name : settings.implementations) {
        const std::string kind = asked_implementation(name).what;
        if (kind.starts_with("exec:") || kind.starts_with("plugin:")) {
            powers.push_back("start " + name);
        }
    }
    if (!settings.reproducers.empty()) {
        powers.push_back("write reproducers into " + settings.reproducers +
                         (settings.verify ? " and run them" : ""));
    }
    if (settings.update_known_failures) {
        std::string files;
        for (const std::string& file : settings.known_failures) {
            files += (files.empty() ? "" : ", ") + file;
        }
        powers.push_back("write known failures into " +
                         (files.empty() ? std::string("the shipped files") : files));
    }
    const bool has_files = !settings.cases.empty() || !settings.known_failures.empty();
    if (settings.folder != folder_now() && (has_files || !powers.empty())) {
        powers.push_back("work in " + settings.folder);
    }
    return powers;
}

/// Says what a recorded run would do, and how to have it do so.
int ask_for_trust(const RunVerb& given, const std::vector<std::string>& powers) {
    std::fprintf(stderr, "gathercheck: going on with %s would, as its first line says,\n",
                 printable(given.resume).c_str());
    for (const std::string& power : powers) {
        std::fprintf(stderr, "  %s\n", printable(power).c_str());
    }
    const std::string program = given.command.empty() ? "gathercheck" : given.command.front();
    return refuse("that is done only for a file that you trust; if you do: " + shell_word(program) +
                  " run --resume " + shell_word(given.resume) + " --trust-record");
}

/// Why a recorded run cannot go on with this version and these cases; empty where it can.
std::string other_than(const RunRecord& recorded, const RunRecord& now) {
    if (recorded.tool_version != now.tool_version) {
        return "gathercheck " + recorded.tool_version + " wrote it and this is " + now.tool_version;
    }
    if (recorded.suite_hash != now.suite_hash) {
        return "its cases were others: their hash was " + recorded.suite_hash + " and is " +
               now.suite_hash;
    }
    return {};
}

/// What is said where a run cannot go on.
int refuse_to_resume(const std::string& file, const std::string& why) {
    return refuse("cannot resume " + file + ": " + why +
                  "; restore what has changed, or start the run anew");
}

/// The names asked for, "default" taken apart; each once.
std::vector<std::pair<std::string, bool>> asked_for(const RunVerb& options) {
    std::vector<std::string> given = options.settings.implementations;
    if (given.empty()) given.emplace_back("default");
    std::vector<std::pair<std::string, bool>> names;
    const auto add = [&](const std::string& name, bool by_name) {
        const auto same = [&](const auto& entry) { return entry.first == name; };
        if (std::ranges::none_of(names, same)) names.emplace_back(name, by_name);
    };
    for (const std::string& name : given) {
        if (name != "default") {
            add(name, true);
            continue;
        }
        for (const KnownImplementation& known : known_implementations(options.more)) {
            if (known.by_default) add(known.name, false);
        }
    }
    return names;
}

/// True for a text that a known failure may have as its reason.
bool is_reason(const std::string& text) {
    return text.find_first_not_of(' ') != std::string::npos && printable(text) == text;
}

int run_verb(const RunVerb& given) {
    keep_freed_memory();
    RunVerb options = given;
    std::optional<CutShort> before;  // of a run that goes on
    Recorded recorded;
    std::filesystem::path resumed_file;
    if (!given.resume.empty()) {
        auto read = read_cut_short(given.resume);
        if (const auto* problem = std::get_if<Problem>(&read)) {
            print_problems({*problem});
            return exit_bad_input;
        }
        before = std::get<CutShort>(std::move(read));
        if (before->exit_code) {
            std::fprintf(given.format == "text" ? stdout : stderr,
                         "%s is complete: nothing to do (exit %d)\n", given.resume.c_str(),
                         *before->exit_code);
            return *before->exit_code;
        }
        if (!before->header.settings) {
            return refuse("cannot resume " + given.resume +
                          ": its header does not tell the options of a run; start the run anew");
        }
        if (const std::string why = refused_setting(*before->header.settings); !why.empty()) {
            return refuse("cannot resume " + given.resume + ": its header has the option " + why +
                          "; start the run anew");
        }
        const std::vector<std::string> powers = powers_of(*before->header.settings);
        if (!powers.empty() && !given.trust_record) return ask_for_trust(given, powers);
        for (const Record& record : before->records) recorded.add(record);
        options.output = given.resume;
        options.settings = *before->header.settings;
        std::error_code error;
        resumed_file = std::filesystem::absolute(given.resume, error);
        // Where that folder is not here, its names may still mean the same from this one.
        if (!powers.empty()) {
            std::filesystem::current_path(before->header.settings->folder, error);
        }
    }
    const auto shard = parse_shard(options.settings.shard);
    if (!shard)
        return refuse("--shard " + options.settings.shard +
                      " is not i/n with 1 <= i <= n, e.g. 1/4");
    auto filter = parse_filter(options.settings.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    const auto loaded = load_suite(options.settings.cases);
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.settings.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    RunRecord header = header_of(loaded->suite, options.command);
    if (before) {
        const std::string why = other_than(before->header, header);
        if (!why.empty()) return refuse_to_resume(given.resume, why);
    }

    KnownFailureFiles known_failures(loaded->rules, loaded->findings);
    if (!known_failures.load(options)) return exit_bad_input;
    Limits limits;
    limits.seconds_per_call = options.settings.seconds_per_call;
    limits.restarts = static_cast<int>(options.settings.restarts);
    limits.interrupted = is_interrupted;
    limits.bytes_of_memory = options.settings.bytes_of_memory;
    name_plugins(options, loaded->installed, limits);
    std::vector<Contender> contenders;
    if (!options.settings.finding.empty() &&
        loaded->findings.find(options.settings.finding) == nullptr) {
        return refuse(loaded->findings.has_none(options.settings.finding));
    }
    KnownFailuresUpdates updates(options.settings.reason, options.settings.finding);
    std::vector<AskedImplementation> asked_implementations;
    for (const auto& [text, by_name] : asked_for(options)) {
        const AskedImplementation& as_asked =
            asked_implementations.emplace_back(asked_implementation(text));
        const std::string& name = as_asked.name;
        if (std::ranges::count(asked_implementations, name, &AskedImplementation::name) > 1) {
            return refuse("two implementations are called " + name +
                          "; give each a name of its own");
        }
        limits.ends = recorded.ends(name);
        auto made = make_implementation(text, loaded->installed, limits, options.more);
        if (const auto* why = std::get_if<std::string>(&made)) return refuse(*why);
        Contender contender;
        contender.implementation =
            options.jobs == 1
                ? std::get<0>(std::move(made))
                : parallel(options.jobs, limits, [&, asked = text](const Limits& of_instance) {
                      return std::get<0>(
                          make_implementation(asked, loaded->installed, of_instance, options.more));
                  });
        contender.asked_by_name = by_name;
        if (as_asked.is_brought()) contender.program = as_asked.what;
        contender.sweeps = options.settings.sweeps.empty()
                               ? (is_slow(text) ? Sweeps::sample : Sweeps::all)
                               : *sweeps(options.settings.sweeps);
        if (!options.settings.no_known_failures) {
            bool refused = false;
            contender.known_failures =
                as_asked.is_brought()
                    ? known_failures.named(name)
                    : known_failures.find(name, loaded->installed.known_failures, refused);
            if (refused) return exit_bad_input;
            // What was written down before the program had a name holds for it, too.
            if (contender.known_failures == nullptr) {
                contender.known_failures = known_failures.named(as_asked.what);
            }
            contender.known_failures_are_of_suite = loaded->shipped;
        }
        contenders.push_back(std::move(contender));
    }

    // A program may have its known failures by the name by which it introduces itself.
    std::vector<std::string> own_names(contenders.size());
    const auto is_used = [&](const auto& file) {
        return std::ranges::any_of(contenders, [&](const Contender& contender) {
            return contender.known_failures == file.get();
        });
    };
    bool some_are_silent = false;
    if (!std::ranges::all_of(known_failures.files(), is_used) ||
        !known_failures.new_file().empty()) {
        for (std::size_t k = 0; k < contenders.size(); ++k) {
            const AskedImplementation& as_asked = asked_implementations[k];
            if (contenders[k].known_failures != nullptr || !as_asked.is_brought()) continue;
            limits.ends = 0;
            own_names[k] = own_name(as_asked.what, loaded->installed, limits);
            some_are_silent = some_are_silent || own_names[k].empty();
        }
    }
    for (const auto& file : known_failures.files()) {
        if (is_used(file)) continue;
        std::string who;
        std::string others;
        for (std::size_t k = 0; k < contenders.size(); ++k) {
            const std::string& name = asked_implementations[k].name;
            if (own_names[k].empty()) continue;
            if (own_names[k] != file->implementation) {
                others += "; " + name + " calls itself '" + own_names[k] + "'";
                continue;
            }
            if (!who.empty()) {
                return refuse(file->file + " is about the implementation '" + own_names[k] +
                              "', and so call themselves both " + who + " and " + name +
                              "; tell them apart: --implementation NAME=exec:..., and NAME in the "
                              "file");
            }
            who = name;
            contenders[k].known_failures = file.get();
        }
        // Of what does not start nobody knows the name; the run says why it does not.
        if (!who.empty() || some_are_silent) continue;
        return refuse(file->file + " is about the implementation '" + file->implementation +
                      "', which is not run" + others + "; add --implementation " +
                      (is_known(file->implementation, options)
                           ? file->implementation
                           : shell_word(file->implementation + "=exec:COMMAND LINE")));
    }

    for (std::size_t k = 0; k < contenders.size(); ++k) {
        const auto& [name, what] = asked_implementations[k];
        const Contender& contender = contenders[k];
        if (options.settings.update_known_failures && !contender.implementation->follows_suite()) {
            const bool is_short = what.find_first_of(":/") == std::string::npos;
            std::string new_file = known_failures.new_file();
            if (new_file.empty() && is_short && loaded->shipped) {
                new_file = (loaded->installed.known_failures / (name + ".json")).string();
            }
            const KnownFailures* known = contender.known_failures;
            if (known == nullptr && new_file.empty()) {
                if (some_are_silent && own_names[k].empty()) continue;
                return refuse(name +
                              " has no known-failure file to update; name the one to be made: "
                              "--known-failures FILE");
            }
            const bool has_own = name == what && !own_names[k].empty();
            updates.watch(name,
                          known != nullptr ? known->implementation
                          : has_own        ? own_names[k]
                                           : name,
                          known != nullptr ? known->file : new_file, known != nullptr);
        }
    }

    if (!known_failures.new_file().empty()) {
        const auto lacks_file = [](const Contender& contender) {
            return contender.known_failures == nullptr &&
                   !contender.implementation->follows_suite();
        };
        if (std::ranges::count_if(contenders, lacks_file) != 1) {
            return refuse(known_failures.new_file() +
                          " is not there; it is made for one --implementation that has no "
                          "known-failure file yet");
        }
    }

    RunOptions run_options;
    run_options.filter = std::get<Filter>(std::move(filter));
    run_options.shard = *shard;
    run_options.strict = options.settings.strict;
    run_options.today = before ? before->header.started.substr(0, 10) : utc("%Y-%m-%d");
    std::string refused;
    run_options.interrupted = [&] { return is_interrupted() || !refused.empty(); };
    run_options.recorded = before ? &recorded : nullptr;
    run_options.refuse = [&](const std::string& why) { refused = why; };
    run_options.gone = [&](const std::string& implementation, const KnownFailure& entry) {
        updates.drop(implementation, entry);
    };
    const auto selected =
        select_cases(loaded->suite.cases, run_options.filter, Sweeps::all, *shard);
    const auto is_chosen = [&](const Case* one) {
        return std::ranges::any_of(operator_versions(), [&](const OperatorInfo& info) {
            return one->expectation(info.version) != nullptr &&
                   run_options.filter.matches(*one, info.version);
        });
    };
    const auto chosen_of = [&](const std::vector<const Case*>& cases) {
        return static_cast<std::size_t>(std::ranges::count_if(cases, is_chosen));
    };
    const std::size_t cases_with_sweeps = chosen_of(selected);
    // The choice that leaves an implementation the most cases.
    const Sweeps widest = std::ranges::min_element(contenders, {}, &Contender::sweeps)->sweeps;
    const std::size_t cases_chosen =
        widest == Sweeps::all
            ? cases_with_sweeps
            : chosen_of(select_cases(loaded->suite.cases, run_options.filter, widest, *shard));
    if (cases_with_sweeps == 0) return refuse(no_case_matches(options.settings.filters));

    Reproducers reproducers(options.settings.reproducers, loaded->rules);
    if (!options.settings.reproducers.empty()) {
        const std::string why = reproducers.open();
        if (!why.empty()) return refuse("cannot make " + options.settings.reproducers + ": " + why);
        run_options.keep_reproducer = [&](const ExecutionRecord& failed,
                                          const Reproducer& reproducer) {
            return reproducers.keep(failed, reproducer);
        };
    }

    RecordFile output;
    if (before) {
        const std::string why =
            output.resume(resumed_file.string(), before->kept, before->ends_in_newline);
        if (!why.empty()) return refuse("cannot write " + given.resume + ": " + why);
        header = before->header;
    } else {
        const std::string overwrites =
            why_not_written(options.output, inputs_of(options, *loaded, known_failures.files()));
        if (!overwrites.empty()) return refuse(overwrites);
        const std::string why =
            options.output.empty() ? std::string() : output.open(options.output);
        if (!why.empty()) return refuse("cannot write " + options.output + ": " + why);
        header.cpu = cpu_name();
        header.system = system_name();
        header.distribution = distribution_name();
        header.repeat = repeat_of(options);
        header.repeat_known_failures = repeat_of_known_failures(options);
        header.settings = options.settings;
        header.settings->folder = folder_now();
    }
    watch_for_interruption();
    if (!before) output.write(header);
    const bool text = options.format == "text" && options.output != "-";
    Tally tally;
    ProgressLine progress;
    WrittenPrograms written;
    std::set<std::string> cases_run;  // as they are written, whatever types they were asked in
    const auto count_case = [&](const Case& tested) {
        cases_run.insert(tested.written.empty() ? tested.id : tested.written);
    };
    ShownFailures failures(options.failures_shown);
    const auto begin = std::chrono::steady_clock::now();
    const auto count = [&](const Record& record) {
        tally.add(record);
        updates.add(record);
        const auto* execution = std::get_if<ExecutionRecord>(&record);
        if (execution != nullptr && options.settings.verify) written.add(*execution);
        if (!text || execution == nullptr) return;
        const std::string shown = failures.add(*execution, header);
        if (shown.empty()) return;
        progress.clear();
        std::fputs(shown.c_str(), stdout);
    };
    std::map<std::string, Diagnosis> diagnoses;
    const auto diagnosis_of = [&](const std::string& implementation) -> Diagnosis& {
        return diagnoses.try_emplace(implementation, loaded->equations, loaded->rules)
            .first->second;
    };
    std::int64_t executions_before = 0;
    // What was recorded before counts first; but nothing is said of it before the run may go on.
    const auto count_recorded = [&] {
        if (!before || before->records.empty() || !refused.empty()) return;
        const CasesById cases(loaded->suite.cases);
        for (const Record& record : std::exchange(before->records, {})) {
            count(record);
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr) continue;
            ++executions_before;
            const Case* tested = loaded->suite.retyped.find(cases, execution->case_id);
            if (tested == nullptr) continue;
            count_case(*tested);
            diagnosis_of(execution->implementation).add_recorded(*tested, *execution);
        }
    };
    const auto on_record = [&](const Record& record) {
        count_recorded();
        output.write(record);
        count(record);
    };
    const auto on_progress = [&](const Progress& now) {
        output.flush();
        progress.show(now, failures.count());
    };
    run_options.judged = [&](const Case& tested, const Outcome& outcome,
                             const ExecutionRecord& record) {
        count_recorded();
        count_case(tested);
        diagnosis_of(record.implementation).add(tested, outcome, record);
    };
    EndRecord end;
    end.executions = run(loaded->suite, loaded->rules, loaded->equations, contenders, run_options,
                         on_record, on_progress);
    if (!refused.empty()) return refuse_to_resume(given.resume, refused);
    count_recorded();
    end.executions += executions_before;
    for (const auto& [implementation, diagnosis] : diagnoses) {
        const Explanation found = diagnosis.explain();
        if (!found.text.empty()) on_record(NoteRecord{implementation, "diagnosis", found.text});
        failures.explain(found.causes);
        updates.explain(found.causes);
    }
    if (options.settings.verify && !is_interrupted()) {
        written.verify(options, loaded->installed.adapters, on_record, progress);
    }
    progress.clear();
    end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() +
                  (before ? before->seconds : 0);
    bool lost = output.failed() || reproducers.failed();
    end.partial = is_interrupted();
    end.exit_code = lost || end.partial ? 3 : tally.exit_code();
    output.write(end);
    output.close();
    lost = lost || output.failed();
    const bool is_updated = options.settings.update_known_failures && !end.partial;
    std::string updated;  // what became of the files of known failures
    if (end.partial && options.settings.update_known_failures) {
        std::fputs(
            "gathercheck: a run that was cut short shows too little: no known-failure file "
            "is changed\n",
            stderr);
    } else if (!updates.write(*loaded, updated)) {
        lost = true;
    }
    if (!text) std::fputs(updated.c_str(), stderr);
    const int exit_code = lost ? 3 : end.exit_code;
    const std::string trouble = lost          ? std::string(not_all_written)
                                : end.partial ? "interrupted"
                                              : tally.trouble();

    if (options.output == "-") return exit_code;
    if (options.format == "json") {
        std::fputs(summary_json(tally).c_str(), stdout);
        return exit_code;
    }
    const std::string closing = failures.closing(
        tally, "--failures 0 shows all" +
                   std::string(options.output.empty() ? ", --output FILE records all" : ""));
    std::fputs(closing.c_str(), stdout);
    if (reproducers.count() > 0) {
        std::printf("\nreproducers in %s: %lld\n", printable(options.settings.reproducers).c_str(),
                    static_cast<long long>(reproducers.count()));
    }
    if (end.partial) {
        std::printf("\ninterrupted: what has not run yet is missing%s%s\n",
                    options.output.empty() ? "" : "; marked partial: ", options.output.c_str());
    }
    if (widest != Sweeps::all && cases_chosen < cases_with_sweeps && end.executions > 0) {
        std::printf("\n%s; --sweeps all runs them all\n", widest == Sweeps::sample
                                                              ? "of the sweeps a sample was run"
                                                              : "the sweeps were left out");
    }
    if (!updated.empty()) std::printf("\n%s", updated.c_str());
    std::string conclusion = exit_code_text(exit_code, trouble, tally);
    if (is_updated && exit_code == 2) {
        conclusion = "the known failures and the run disagreed, and are brought up to date: " +
                     updates.next();
    } else if (is_updated && exit_code == 1 && updates.has_changed()) {
        conclusion += "; the known failures are brought up to date: " + updates.next();
    }
    const std::string some =
        cases_run.size() < cases_chosen ? std::to_string(cases_run.size()) + " of " : "";
    std::printf("\n%s of %s%s in %.1f s: %s (exit %d)\n",
                count_of(end.executions, "execution").c_str(), some.c_str(),
                count_of(static_cast<std::int64_t>(cases_chosen), "case").c_str(), end.seconds,
                conclusion.c_str(), exit_code);
    return exit_code;
}

}  // namespace

void add_run_verb(CLI::App& app, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<RunVerb>();
    options->command = line.words;
    options->more = line.more;
    CLI::App& verb = *app.add_subcommand("run", "Run cases on implementations and judge them");
    verb.add_option("--implementation", options->settings.implementations,
                    "reference, optimized, optimized:ROW, optimized:threads, numpy, onnxruntime, "
                    "openvino, plugin:FILE, 'exec:COMMAND LINE', the same by a name of yours "
                    "(NAME=plugin:FILE, 'NAME=exec:COMMAND LINE'), or "
                    "default (the reference and every optimized row); may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME");
    add_cases(verb, options->settings.cases);
    add_filter(verb, options->settings.filters);
    verb.add_option(
            "--sweeps", options->settings.sweeps,
            "all, sample or none of the sweeps (default: all; sample for engines and programs)")
        ->check(CLI::IsMember({"all", "sample", "none"}));
    verb.add_option("--shard", options->settings.shard, "Run share i of n of the cases")
        ->type_name("i/n");
    verb.add_option("--output", options->output,
                    "Write the records here as JSON lines; - for stdout")
        ->type_name("FILE");
    verb.add_option("--resume", options->resume,
                    "Go on with the run that wrote this file and was cut short, with its options; "
                    "only --trust-record, --jobs, --failures and --format go with it")
        ->type_name("FILE");
    verb.add_flag("--trust-record", options->trust_record,
                  "With --resume: start the programs that the file names, and work in its "
                  "folders; without it such a run does not go on, as anybody may have written "
                  "the file")
        ->needs("--resume");
    verb.add_option("--known-failures", options->settings.known_failures,
                    "Known-failure file (default: the shipped one of each engine); may be repeated")
        ->allow_extra_args(false)
        ->type_name("FILE");
    verb.add_flag("--no-known-failures", options->settings.no_known_failures,
                  "Use no known-failure file")
        ->excludes("--known-failures");
    verb.add_option("--reproducers", options->settings.reproducers,
                    "Write each failure, known ones too, as a stand-alone program in the engine's "
                    "own API into this folder")
        ->type_name("FOLDER");
    verb.add_flag("--verify", options->settings.verify,
                  "Run each program that --reproducers wrote, after everything else, and see that "
                  "it shows what it says; one that does not is trouble of its adapter (exit 3)")
        ->needs("--reproducers");
    verb.add_flag("--update-known-failures", options->settings.update_known_failures,
                  "Write what the run saw into the known-failure files: what fails no more goes, "
                  "what is new comes with what the diagnosis found as its reason, or an empty one, "
                  "for you to write")
        ->excludes("--no-known-failures");
    verb.add_option("--reason", options->settings.reason,
                    "Reason of the entries that --update-known-failures adds, where the diagnosis "
                    "does not tell several causes apart, and of those that have an empty one")
        ->needs("--update-known-failures")
        ->type_name("TEXT");
    verb.add_option(
            "--finding", options->settings.finding,
            "Id of the finding that the entries which --update-known-failures adds show, in "
            "place of a reason; the empty one of new entries of a shipped file is for you "
            "to write")
        ->needs("--update-known-failures")
        ->excludes("--reason")
        ->type_name("ID");
    verb.add_flag("--strict", options->settings.strict,
                  "An expired known failure, and a difference of a witness that is not "
                  "among the known failures, is a disagreement (exit 2)");
    verb.add_option("--time-limit", options->settings.seconds_per_call,
                    "Seconds that one call may take; its process may start for three times that, a "
                    "plug-in for 5 s at least, another program for 60 s at least")
        ->check(number_in(seconds_allowed))
        ->capture_default_str();
    verb.add_option("--memory-limit", options->settings.bytes_of_memory,
                    "Address space for the process of each implementation, e.g. 2GB: what it asks "
                    "for beyond is refused (default: no limit, as engines reserve much; 6GB for "
                    "openvino:onnx, which would take more than there is)")
        ->transform(memory_size())
        ->type_name("SIZE");
    verb.add_option(
            "--restarts", options->settings.restarts,
            "After that many deaths and timeouts of an implementation that are not among its known "
            "failures the rest is not run")
        ->check(number_in(restarts_allowed))
        ->capture_default_str();
    verb.add_option("--jobs", options->jobs,
                    "Processes of each implementation that answer side by side; the records and "
                    "their order stay the same")
        ->check(number_in(Range<int>{1, 256}))
        ->capture_default_str()
        ->type_name("N");
    verb.add_option("--failures", options->failures_shown,
                    "Failures shown in the end: all if they are no more, else one of each "
                    "kind, the gravest first; 0: every one, as it comes")
        ->check(number_in(shown_allowed))
        ->capture_default_str();
    add_format(verb, options->format);
    verb.footer(
        "Examples:\n"
        "  gathercheck run\n"
        "  gathercheck run --implementation onnxruntime --jobs 4 --output run.jsonl\n"
        "  gathercheck run --implementation 'exec:./my_worker' --filter "
        "'operator=onnx.Gather-*'\n\n"
        "Exit code: 0 conforms; 1 does not; 2 the known failures and the run disagree; 3 trouble "
        "of the\n"
        "harness or an adapter, nothing passed, or a case needs more memory than there is; 4 bad "
        "input or usage.\n\n"
        "The shipped adapters run in the Python that GATHERCHECK_PYTHON names, else in build/venv "
        "of the build\ntree, which tools/setup.sh ENGINE... makes, else in python3.");
    verb.callback([options, &verb, &exit_code] {
        for (const CLI::Option* option : verb.get_options()) {
            const std::string name = option->get_name();
            const bool goes_with_it = name == "--resume" || name == "--trust-record" ||
                                      name == "--jobs" || name == "--failures" ||
                                      name == "--format";
            if (options->resume.empty() || option->count() == 0 || goes_with_it) continue;
            exit_code = refuse(name + " does not go with --resume: the options of the run are in " +
                               options->resume + "; leave it out");
            return;
        }
        if (verb.count("--reason") > 0 && !is_reason(options->settings.reason)) {
            exit_code = refuse(
                "--reason is empty, or not one line of UTF-8; say in a sentence "
                "what is done instead of what must be");
            return;
        }
        exit_code = run_verb(*options);
    });
}

}  // namespace gathercheck
