// SPDX-License-Identifier: Apache-2.0
// gathercheck run: cases on implementations, records to a file, failures and a summary to the
// terminal.
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

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
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

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
#include "tools/shared/interruption.hpp"
#include "tools/shared/known_failure_files.hpp"
#include "tools/shared/option_values.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/programs.hpp"
#include "tools/shared/progress_line.hpp"
#include "tools/shared/run_output.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
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

/// Shows how far the run is, not more often than the eye follows, and how long it still takes.
class ShownProgress {
public:
    void show(const Progress& progress, std::int64_t failures) {
        if (progress.implementation != implementation_) {
            implementation_ = progress.implementation;
            begin_ = std::chrono::steady_clock::now();
            done_before_ = progress.done;
        }
        if (!line_.is_due()) return;
        std::string text = printable(implementation_) + ": " + std::to_string(progress.done) +
                           " of " + std::to_string(progress.total);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
        const std::string pace =
            pace_text(progress.done - done_before_, progress.total - done_before_, taken.count());
        if (!pace.empty()) text += ", " + pace;
        if (failures > 0) text += ", " + count_of(failures, "failure");
        line_.show(text);
    }
    void clear() { line_.clear(); }

private:
    ProgressLine line_;
    std::string implementation_;
    std::chrono::steady_clock::time_point begin_;
    std::int64_t done_before_ = 0;
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
                const std::function<void(const Record&)>& record, ShownProgress& progress) const {
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

/// Plug-ins that were given no name have the one by which they introduce themselves, wherever that
/// is a name and nobody else's.
void name_plugins(RunVerb& options, const Installed& installed, const Limits& limits) {
    std::vector<std::string>& asked = options.settings.implementations;
    std::vector<std::string> named;
    std::vector<std::string> names;
    for (const std::string& text : asked) {
        named.push_back(by_own_name(text, installed, limits, options.more));
        names.push_back(asked_implementation(named.back()).name);
    }
    for (std::size_t k = 0; k < asked.size(); ++k) {
        if (std::ranges::count(names, names[k]) == 1) asked[k] = named[k];
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

/// The files of plug-ins, and those that the command lines of programs name.
std::vector<std::string> brought_files(const RunSettings& settings) {
    constexpr std::string_view plugin = "plugin:";
    constexpr std::string_view program = "exec:";
    std::vector<std::string> files;
    for (const std::string& text : settings.implementations) {
        const std::string name = asked_implementation(text).what;
        if (name.starts_with(plugin)) files.push_back(name.substr(plugin.size()));
        if (!name.starts_with(program)) continue;
        for (std::string& file : files_of_command(name.substr(program.size()))) {
            files.push_back(std::move(file));
        }
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
    for (std::string& file : brought_files(options.settings)) inputs.push_back(std::move(file));
    return inputs;
}

/// What a recorded run would do to this machine beyond reading: start programs that its file names,
/// and write to places that it names. Empty where it does nothing of the kind.
std::vector<std::string> powers_of(const RunSettings& settings) {
    std::vector<std::string> powers;
    for (const std::string& name : settings.implementations) {
        if (asked_implementation(name).is_brought()) powers.push_back("start " + name);
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

/// Why what is recorded may be of another build of a program or a plug-in: a file of its that was
/// written after the run began. Empty where there is none.
std::string rebuilt_since(const RunRecord& recorded) {
    for (const std::string& file : brought_files(*recorded.settings)) {
        struct stat found{};
        if (stat(file.c_str(), &found) != 0) continue;
        const std::string written = utc(seconds_of_utc, found.st_mtime);
        if (written <= recorded.started) continue;
        return file + " was written at " + written + " and the run began at " + recorded.started +
               ", so what is recorded may be of another build";
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

/// What a run consists of, made of its options step by step.
struct PreparedRun {
    RunVerb options;                 ///< of a run that goes on: the settings as its record has them
    std::optional<CutShort> before;  ///< of a run that goes on
    Recorded recorded;
    std::filesystem::path resumed_file;
    std::optional<LoadedSuite> loaded;
    RunRecord header;
    std::optional<KnownFailureFiles> known_failures;
    std::optional<KnownFailuresUpdates> updates;
    Limits limits;
    std::vector<AskedImplementation> asked;  ///< one for each contender
    std::vector<Contender> contenders;
    std::vector<std::string> own_names;  ///< by which programs introduce themselves, where needed
    bool some_are_silent = false;        ///< of a program the name was needed, and it did not start
    RunOptions run_options;
    Sweeps widest = Sweeps::all;  ///< the choice that leaves an implementation the most cases
    std::size_t cases_with_sweeps = 0;
    std::size_t cases_chosen = 0;
    std::optional<Reproducers> reproducers;
    RecordFile output;
    std::string refused;  ///< why this cannot be a part of the recorded run; empty: it can
};

/// Takes the options of a run that goes on from its record.
Ended resume(PreparedRun& run) {
    const std::string& file = run.options.resume;
    if (file.empty()) return {};
    auto read = read_cut_short(file);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    run.before = std::get<CutShort>(std::move(read));
    if (run.before->exit_code) {
        std::fprintf(run.options.format == "text" ? stdout : stderr,
                     "%s is complete: nothing to do (exit %d)\n", file.c_str(),
                     *run.before->exit_code);
        return *run.before->exit_code;
    }
    const std::optional<RunSettings>& settings = run.before->header.settings;
    if (!settings) {
        return refuse("cannot resume " + file +
                      ": its header does not tell the options of a run; start the run anew");
    }
    if (const std::string why = refused_setting(*settings); !why.empty()) {
        return refuse("cannot resume " + file + ": its header has the option " + why +
                      "; start the run anew");
    }
    const std::vector<std::string> powers = powers_of(*settings);
    if (!powers.empty() && !run.options.trust_record) return ask_for_trust(run.options, powers);
    for (const Record& record : run.before->records) run.recorded.add(record);
    run.options.output = file;
    run.options.settings = *settings;
    std::error_code error;
    run.resumed_file = std::filesystem::absolute(file, error);
    // Where that folder is not here, its names may still mean the same from this one.
    if (!powers.empty()) std::filesystem::current_path(settings->folder, error);
    const std::string rebuilt = rebuilt_since(run.before->header);
    if (!rebuilt.empty()) return refuse_to_resume(file, rebuilt);
    return {};
}

/// Loads cases and known failures, and understands what chooses among them.
Ended load(PreparedRun& run) {
    const RunSettings& settings = run.options.settings;
    const auto shard = parse_shard(settings.shard);
    if (!shard) {
        return refuse("--shard " + settings.shard + " is not i/n with 1 <= i <= n, e.g. 1/4");
    }
    auto filter = parse_filter(settings.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    run.loaded = load_suite(settings.cases);
    if (!run.loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(settings.filters, run.loaded->suite.cases, run.loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    run.run_options.filter = std::get<Filter>(std::move(filter));
    run.run_options.shard = *shard;
    run.run_options.strict = settings.strict;
    run.header = header_of(run.loaded->suite, run.options.command);
    if (run.before) {
        const std::string why = other_than(run.before->header, run.header);
        if (!why.empty()) return refuse_to_resume(run.options.resume, why);
    }
    run.updates.emplace(settings.reason, settings.finding);
    run.reproducers.emplace(settings.reproducers, run.loaded->rules);
    run.known_failures.emplace(run.loaded->rules, run.loaded->findings);
    if (!run.known_failures->load(settings)) return exit_bad_input;
    if (!settings.finding.empty() && run.loaded->findings.find(settings.finding) == nullptr) {
        return refuse(run.loaded->findings.has_none(settings.finding));
    }
    return {};
}

/// The known failures of an implementation, by the name that it is asked by; false where a file is
/// refused.
bool find_known_failures(PreparedRun& run, const AskedImplementation& asked, Contender& contender) {
    if (run.options.settings.no_known_failures) return true;
    bool refused = false;
    contender.known_failures =
        run.known_failures->of(asked, run.loaded->installed.known_failures, refused);
    if (refused) return false;
    contender.known_failures_are_of_suite = run.loaded->shipped;
    return true;
}

/// Makes the implementations that are asked for.
Ended make_contenders(PreparedRun& run) {
    const RunVerb& options = run.options;
    Limits& limits = run.limits;
    limits.seconds_per_call = options.settings.seconds_per_call;
    limits.seconds_of_known_timeout = options.settings.seconds_of_known_timeout;
    limits.restarts = static_cast<int>(options.settings.restarts);
    limits.interrupted = is_interrupted;
    limits.bytes_of_memory = options.settings.bytes_of_memory;
    name_plugins(run.options, run.loaded->installed, limits);
    for (const auto& [text, by_name] : asked_for(options)) {
        const AskedImplementation asked = run.asked.emplace_back(asked_implementation(text));
        if (std::ranges::count(run.asked, asked.name, &AskedImplementation::name) > 1) {
            return refuse("two implementations are called " + asked.name +
                          "; give each a name of its own");
        }
        limits.ends = run.recorded.ends(asked.name);
        auto made = make_implementation(text, run.loaded->installed, limits, options.more);
        if (const auto* why = std::get_if<std::string>(&made)) return refuse(*why);
        Contender contender;
        contender.implementation =
            options.jobs == 1
                ? std::get<0>(std::move(made))
                : parallel(options.jobs, limits, [&run, text = text](const Limits& of_instance) {
                      return std::get<0>(make_implementation(text, run.loaded->installed,
                                                             of_instance, run.options.more));
                  });
        contender.asked_by_name = by_name;
        if (asked.is_brought()) contender.program = asked.what;
        contender.sweeps = options.settings.sweeps.empty()
                               ? (is_slow(text) ? Sweeps::sample : Sweeps::written)
                               : *sweeps(options.settings.sweeps);
        if (!find_known_failures(run, asked, contender)) return exit_bad_input;
        run.contenders.push_back(std::move(contender));
    }
    return {};
}

/// Whether a contender is judged by the file.
bool is_used(const PreparedRun& run, const KnownFailures& file) {
    return std::ranges::any_of(run.contenders, [&](const Contender& contender) {
        return contender.known_failures == &file;
    });
}

/// Asks programs for the names by which they introduce themselves, where a file may be meant so.
void learn_own_names(PreparedRun& run) {
    run.own_names.resize(run.contenders.size());
    const bool all_are_used = std::ranges::all_of(
        run.known_failures->files(), [&](const auto& file) { return is_used(run, *file); });
    if (all_are_used && run.known_failures->new_file().empty()) return;
    for (std::size_t k = 0; k < run.contenders.size(); ++k) {
        const AskedImplementation& asked = run.asked[k];
        if (run.contenders[k].known_failures != nullptr || !asked.is_brought()) continue;
        run.limits.ends = 0;
        run.own_names[k] = own_name(asked.what, run.loaded->installed, run.limits);
        run.some_are_silent = run.some_are_silent || run.own_names[k].empty();
    }
}

/// Gives a file of known failures to the program that calls itself as the file says.
Ended give_by_own_name(PreparedRun& run, const KnownFailures& file) {
    std::string who;
    std::string others;
    for (std::size_t k = 0; k < run.contenders.size(); ++k) {
        const std::string& name = run.asked[k].name;
        if (run.own_names[k].empty()) continue;
        if (run.own_names[k] != file.implementation) {
            others += "; " + name + " calls itself '" + run.own_names[k] + "'";
            continue;
        }
        if (!who.empty()) {
            return refuse(file.file + " is about the implementation '" + run.own_names[k] +
                          "', and so call themselves both " + who + " and " + name +
                          "; tell them apart: --implementation NAME=exec:..., and NAME in the "
                          "file");
        }
        who = name;
        run.contenders[k].known_failures = &file;
    }
    // Of what does not start nobody knows the name; the run says why it does not.
    if (!who.empty() || run.some_are_silent) return {};
    return refuse(file.file + " is about the implementation '" + file.implementation +
                  "', which is not run" + others + "; add --implementation " +
                  (is_known(file.implementation, run.options)
                       ? file.implementation
                       : shell_word(file.implementation + "=exec:COMMAND LINE")));
}

/// Gives the files of known failures that are left to programs by their own names.
Ended give_known_failures(PreparedRun& run) {
    learn_own_names(run);
    for (const auto& file : run.known_failures->files()) {
        if (is_used(run, *file)) continue;
        if (const Ended ended = give_by_own_name(run, *file)) return ended;
    }
    return {};
}

/// The file into which an update writes what is new of a contender that has none; empty: nobody
/// knows it.
std::string new_file_of(const PreparedRun& run, const AskedImplementation& asked) {
    if (!run.known_failures->new_file().empty()) return run.known_failures->new_file();
    const bool is_short = asked.what.find_first_of(":/") == std::string::npos;
    if (!is_short || !run.loaded->shipped) return {};
    return (run.loaded->installed.known_failures / (asked.name + ".json")).string();
}

/// Finds the files that --update-known-failures writes.
Ended watch_updates(PreparedRun& run) {
    for (std::size_t k = 0; k < run.contenders.size(); ++k) {
        const Contender& contender = run.contenders[k];
        if (!run.options.settings.update_known_failures) break;
        if (contender.implementation->introduction().follows_suite) continue;
        const auto& [name, what] = run.asked[k];
        const KnownFailures* known = contender.known_failures;
        const std::string file = known != nullptr ? known->file : new_file_of(run, run.asked[k]);
        const std::string& own = run.own_names[k];
        if (file.empty()) {
            if (run.some_are_silent && own.empty()) continue;
            return refuse(name +
                          " has no known-failure file to update; name the one to be made: "
                          "--known-failures FILE");
        }
        const std::string& without_file = name == what && !own.empty() ? own : name;
        run.updates->watch(name, known != nullptr ? known->implementation : without_file, file,
                           known != nullptr);
    }
    const std::string& new_file = run.known_failures->new_file();
    if (new_file.empty()) return {};
    const auto lacks_file = [](const Contender& contender) {
        return contender.known_failures == nullptr &&
               !contender.implementation->introduction().follows_suite;
    };
    if (std::ranges::count_if(run.contenders, lacks_file) == 1) return {};
    return refuse(new_file +
                  " is not there; it is made for one --implementation that has no known-failure "
                  "file yet");
}

/// Counts the cases that the run is about.
Ended select(PreparedRun& run) {
    const auto is_chosen = [&](const Case* one) {
        return std::ranges::any_of(operator_versions(), [&](const OperatorInfo& info) {
            return one->expectation(info.version) != nullptr &&
                   run.run_options.filter.matches(*one, info.version);
        });
    };
    const auto chosen = [&](Sweeps of_sweeps) {
        const auto cases = select_cases(run.loaded->suite.cases, run.run_options.filter, of_sweeps,
                                        run.run_options.shard);
        return static_cast<std::size_t>(std::ranges::count_if(cases, is_chosen));
    };
    run.cases_with_sweeps = chosen(Sweeps::all);
    if (run.cases_with_sweeps == 0) return refuse(no_case_matches(run.options.settings.filters));
    run.widest = std::ranges::min_element(run.contenders, {}, &Contender::sweeps)->sweeps;
    run.cases_chosen = chosen(run.widest);
    return {};
}

/// Opens what the run writes: reproducers, and the file of records with its header.
Ended open_output(PreparedRun& run) {
    const RunVerb& options = run.options;
    if (!options.settings.reproducers.empty()) {
        const std::string why = run.reproducers->open();
        if (!why.empty()) return refuse("cannot make " + options.settings.reproducers + ": " + why);
        run.run_options.keep_reproducer = [&run](const ExecutionRecord& failed,
                                                 const Reproducer& reproducer) {
            return run.reproducers->keep(failed, reproducer);
        };
    }
    if (run.before) {
        const std::string why = run.output.resume(run.resumed_file.string(), run.before->kept,
                                                  run.before->ends_in_newline);
        if (!why.empty()) return refuse("cannot write " + run.options.resume + ": " + why);
        run.header = run.before->header;
        return {};
    }
    const std::string overwrites = why_not_written(
        options.output, inputs_of(options, *run.loaded, run.known_failures->files()));
    if (!overwrites.empty()) return refuse(overwrites);
    const std::string why =
        options.output.empty() ? std::string() : run.output.open(options.output);
    if (!why.empty()) return refuse("cannot write " + options.output + ": " + why);
    run.header.cpu = cpu_name();
    run.header.system = system_name();
    run.header.distribution = distribution_name();
    run.header.repeat = repeat_of(options);
    run.header.repeat_known_failures = repeat_of_known_failures(options);
    run.header.settings = options.settings;
    run.header.settings->folder = folder_now();
    return {};
}

/// A prepared run as it goes: what it records, what it shows, how it ends.
class RunningRun {
public:
    explicit RunningRun(PreparedRun& run)
        : run_(run),
          shows_text_(run.options.format == "text" && run.options.output != "-"),
          failures_(run.options.failures_shown) {
        if (!run.options.settings.filters.empty()) tally_.set_filtered();
    }

    /// Runs it to its end; returns the exit code.
    int go();

private:
    void count_case(const Case& tested) {
        cases_run_.insert(tested.written.empty() ? std::string_view(tested.id) : tested.written);
    }
    Diagnosis& diagnosis_of(const std::string& implementation) {
        return diagnoses_.try_emplace(implementation, run_.loaded->equations, run_.loaded->rules)
            .first->second;
    }
    void count(const Record& record);
    void count_recorded();
    void record(const Record& record);
    void set_up_options();
    void diagnose();
    void end(std::int64_t executions, double seconds);
    std::string update_known_failures();
    std::string conclusion() const;
    void print_text(const std::string& updated) const;

    PreparedRun& run_;
    bool shows_text_;
    Tally tally_;
    ShownProgress progress_;
    WrittenPrograms written_;
    // Ids as they are written, whatever types they were asked in; the suite holds them.
    std::unordered_set<std::string_view> cases_run_;
    ShownFailures failures_;
    std::map<std::string, Diagnosis> diagnoses_;
    std::int64_t executions_before_ = 0;
    EndRecord end_;
    bool lost_ = false;  // not all could be written
    bool is_updated_ = false;
    int exit_code_ = 0;
};

void RunningRun::count(const Record& record) {
    tally_.add(record);
    run_.updates->add(record);
    const auto* execution = std::get_if<ExecutionRecord>(&record);
    if (execution != nullptr && run_.options.settings.verify) written_.add(*execution);
    if (!shows_text_ || execution == nullptr) return;
    const std::string shown = failures_.add(*execution, run_.header);
    if (shown.empty()) return;
    progress_.clear();
    std::fputs(shown.c_str(), stdout);
}

/// What was recorded before counts first; but nothing is said of it before the run may go on.
void RunningRun::count_recorded() {
    if (!run_.before || run_.before->records.empty() || !run_.refused.empty()) return;
    const CasesById cases(run_.loaded->suite.cases);
    for (const Record& record : std::exchange(run_.before->records, {})) {
        count(record);
        const auto* execution = std::get_if<ExecutionRecord>(&record);
        if (execution == nullptr) continue;
        ++executions_before_;
        const Case* tested = run_.loaded->suite.retyped.find(cases, execution->case_id);
        if (tested == nullptr) continue;
        count_case(*tested);
        diagnosis_of(execution->implementation).add_recorded(*tested, *execution);
    }
}

void RunningRun::record(const Record& record) {
    count_recorded();
    run_.output.write(record);
    count(record);
}

void RunningRun::set_up_options() {
    RunOptions& options = run_.run_options;
    options.today = run_.before ? run_.before->header.started.substr(0, 10) : utc("%Y-%m-%d");
    options.interrupted = [this] { return is_interrupted() || !run_.refused.empty(); };
    options.recorded = run_.before ? &run_.recorded : nullptr;
    options.refuse = [this](const std::string& why) { run_.refused = why; };
    options.gone = [this](const std::string& implementation, const KnownFailure& entry) {
        run_.updates->drop(implementation, entry);
    };
    options.judged = [this](const Case& tested, const Outcome& outcome,
                            const ExecutionRecord& execution) {
        count_recorded();
        count_case(tested);
        diagnosis_of(execution.implementation).add(tested, outcome, execution);
    };
}

void RunningRun::diagnose() {
    for (const auto& [implementation, diagnosis] : diagnoses_) {
        const Explanation found = diagnosis.explain();
        if (!found.text.empty()) record(NoteRecord{implementation, "diagnosis", found.text});
        failures_.explain(found.causes);
        run_.updates->explain(found.causes);
    }
}

/// Writes the last record.
void RunningRun::end(std::int64_t executions, double seconds) {
    end_.executions = executions;
    end_.seconds = seconds + (run_.before ? run_.before->seconds : 0);
    lost_ = run_.output.failed() || run_.reproducers->failed();
    end_.partial = is_interrupted();
    end_.exit_code = lost_ || end_.partial ? 3 : tally_.exit_code();
    run_.output.write(end_);
    run_.output.close();
    lost_ = lost_ || run_.output.failed();
}

/// What became of the files of known failures.
std::string RunningRun::update_known_failures() {
    std::string updated;
    is_updated_ = run_.options.settings.update_known_failures && !end_.partial;
    if (end_.partial && run_.options.settings.update_known_failures) {
        std::fputs(
            "gathercheck: a run that was cut short shows too little: no known-failure file "
            "is changed\n",
            stderr);
    } else if (!run_.updates->write(*run_.loaded, updated)) {
        lost_ = true;
    }
    if (!shows_text_) std::fputs(updated.c_str(), stderr);
    return updated;
}

/// The verdict in words.
std::string RunningRun::conclusion() const {
    const std::string next = run_.updates->next();
    if (is_updated_ && exit_code_ == 2) {
        return "the known failures and the run disagreed, and are brought up to date: " + next;
    }
    const std::string trouble = lost_          ? std::string(not_all_written)
                                : end_.partial ? "interrupted"
                                               : tally_.trouble();
    const std::string verdict = exit_code_text(exit_code_, trouble, tally_);
    if (is_updated_ && exit_code_ == 1 && run_.updates->has_changed()) {
        return verdict + "; the known failures are brought up to date: " + next;
    }
    return verdict;
}

void RunningRun::print_text(const std::string& updated) const {
    const std::string& output = run_.options.output;
    const std::string closing = failures_.closing(
        tally_, "--failures 0 shows all" +
                    std::string(output.empty() ? ", --output FILE records all" : ""));
    std::fputs(closing.c_str(), stdout);
    if (run_.reproducers->count() > 0) {
        std::printf("\nreproducers in %s: %lld\n",
                    printable(run_.options.settings.reproducers).c_str(),
                    static_cast<long long>(run_.reproducers->count()));
    }
    if (end_.partial) {
        std::printf("\ninterrupted: what has not run yet is missing%s%s\n",
                    output.empty() ? "" : "; marked partial: ", output.c_str());
    }
    if (run_.cases_chosen < run_.cases_with_sweeps && end_.executions > 0) {
        std::printf("\n%s; --sweeps all runs them all\n", run_.widest == Sweeps::sample
                                                              ? "of the sweeps a sample was run"
                                                              : "the sweeps were left out");
    }
    if (!updated.empty()) std::printf("\n%s", updated.c_str());
    const std::string some =
        cases_run_.size() < run_.cases_chosen ? std::to_string(cases_run_.size()) + " of " : "";
    std::printf("\n%s of %s%s in %.1f s: %s (exit %d)\n",
                count_of(end_.executions, "execution").c_str(), some.c_str(),
                count_of(static_cast<std::int64_t>(run_.cases_chosen), "case").c_str(),
                end_.seconds, conclusion().c_str(), exit_code_);
}

int RunningRun::go() {
    watch_for_interruption();
    if (!run_.before) run_.output.write(run_.header);
    set_up_options();
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t executions = run(
        run_.loaded->suite, run_.loaded->rules, run_.loaded->equations, run_.contenders,
        run_.run_options, [this](const Record& each) { record(each); },
        [this](const Progress& now) {
            run_.output.flush();
            progress_.show(now, failures_.count());
        });
    if (!run_.refused.empty()) return refuse_to_resume(run_.options.resume, run_.refused);
    count_recorded();
    diagnose();
    if (run_.options.settings.verify && !is_interrupted()) {
        written_.verify(
            run_.options, run_.loaded->installed.adapters,
            [this](const Record& each) { record(each); }, progress_);
    }
    progress_.clear();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    end(executions + executions_before_, taken.count());
    const std::string updated = update_known_failures();
    exit_code_ = lost_ ? 3 : end_.exit_code;
    if (run_.options.output == "-") return exit_code_;
    if (run_.options.format == "json") {
        std::fputs(summary_json(tally_).c_str(), stdout);
    } else {
        print_text(updated);
    }
    return exit_code_;
}

int run_verb(const RunVerb& given) {
    keep_freed_memory();
    PreparedRun run;
    run.options = given;
    for (Ended (*step)(PreparedRun&) :
         {resume, load, make_contenders, give_known_failures, watch_updates, select, open_output}) {
        if (const Ended ended = step(run)) return *ended;
    }
    return RunningRun(run).go();
}

}  // namespace

void add_run_verb(const Verb& command, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<RunVerb>();
    options->command = line.words;
    options->more = line.more;
    const Verb verb = command.add_verb("run", "Run cases on implementations and judge them");
    verb.add_option(
            "--implementation", options->settings.implementations,
            "reference, optimized, optimized:TARGET, optimized:threads, numpy, onnxruntime, "
            "openvino, plugin:FILE, 'exec:COMMAND LINE', the same by a name of yours "
            "(NAME=plugin:FILE, 'NAME=exec:COMMAND LINE'), or "
            "default (the reference and every optimized target); may be repeated")
        .one_value_each()
        .type_name("NAME");
    add_cases(verb, options->settings.cases);
    add_filter(verb, options->settings.filters);
    add_sweeps(verb, options->settings.sweeps,
               "all of the sweeps, written (of operator versions that a sweep does not name a "
               "sample), sample or none (default: written; sample for engines and programs)");
    verb.add_option("--shard", options->settings.shard, "Run share i of n of the cases")
        .type_name("i/n");
    verb.add_option("--output", options->output,
                    "Write the records here as JSON lines; - for stdout")
        .type_name("FILE");
    verb.add_option("--resume", options->resume,
                    "Go on with the run that wrote this file and was cut short, with its options; "
                    "only --trust-record, --jobs, --failures and --format go with it")
        .type_name("FILE");
    verb.add_flag("--trust-record", options->trust_record,
                  "With --resume: start the programs that the file names, and work in its "
                  "folders; without it such a run does not go on, as anybody may have written "
                  "the file")
        .needs("--resume");
    verb.add_option("--known-failures", options->settings.known_failures,
                    "Known-failure file (default: the shipped one of each engine); may be repeated")
        .one_value_each()
        .type_name("FILE");
    verb.add_flag("--no-known-failures", options->settings.no_known_failures,
                  "Use no known-failure file")
        .excludes("--known-failures");
    verb.add_option("--reproducers", options->settings.reproducers,
                    "Write each failure, known ones too, as a stand-alone program in the engine's "
                    "own API into this folder")
        .type_name("FOLDER");
    verb.add_flag("--verify", options->settings.verify,
                  "Run each program that --reproducers wrote, after everything else, and see that "
                  "it shows what it says; one that does not is trouble of its adapter (exit 3)")
        .needs("--reproducers");
    verb.add_flag("--update-known-failures", options->settings.update_known_failures,
                  "Write what the run saw into the known-failure files: what fails no more goes, "
                  "what is new comes with what the diagnosis found as its reason, or an empty one, "
                  "for you to write")
        .excludes("--no-known-failures");
    verb.add_option(
            "--reason", options->settings.reason,
            "Reason of the entries that --update-known-failures adds, but of those that the "
            "diagnosis explains, where it tells several causes apart; and of those that "
            "have an empty one")
        .needs("--update-known-failures")
        .type_name("TEXT");
    verb.add_option(
            "--finding", options->settings.finding,
            "Id of the finding that the entries which --update-known-failures adds show, in "
            "place of a reason; the empty one of new entries of a shipped file is for you "
            "to write")
        .needs("--update-known-failures")
        .excludes("--reason")
        .type_name("ID");
    verb.add_flag("--strict", options->settings.strict,
                  "An expired known failure, and a difference of a witness that is not "
                  "among the known failures, is a disagreement (exit 2)");
    verb.add_option("--time-limit", options->settings.seconds_per_call,
                    "Seconds that one call may take; its process may start for three times that, a "
                    "plug-in for 5 s at least, another program for 60 s at least")
        .in(seconds_allowed)
        .show_default();
    verb.add_option("--known-timeout-limit", options->settings.seconds_of_known_timeout,
                    "Seconds that a call of a program may take whose known failure is a timeout: "
                    "to wait for its end once more tells little (default: as any other call)")
        .in(seconds_allowed)
        .type_name("FLOAT");
    verb.add_option("--memory-limit", options->settings.bytes_of_memory,
                    "Address space for the process of each implementation, e.g. 2GB: what it asks "
                    "for beyond is refused (default: no limit, as engines reserve much; 6GB for "
                    "openvino:onnx, which would take more than there is)")
        .memory_size()
        .type_name("SIZE");
    verb.add_option(
            "--restarts", options->settings.restarts,
            "After that many deaths and timeouts of an implementation that are not among its known "
            "failures the rest is not run")
        .in(restarts_allowed)
        .show_default();
    verb.add_option("--jobs", options->jobs,
                    "Processes of each implementation that answer side by side; the records and "
                    "their order stay the same")
        .in(Range<int>{1, 256})
        .show_default()
        .type_name("N");
    verb.add_option("--failures", options->failures_shown,
                    "Failures shown in the end: all if they are no more, else one of each "
                    "kind, the gravest first; 0: every one, as it comes")
        .in(shown_allowed)
        .show_default();
    add_format(verb, options->format);
    verb.footer(
        "Examples:\n"
        "  gathercheck run\n"
        "  gathercheck run --implementation onnxruntime --jobs 4 --output run.jsonl\n"
        "  gathercheck run --implementation 'exec:./my_worker' --filter "
        "'operator=onnx.Gather-*'\n\n"
        "Exit code: 0 conforms; 1 does not; 2 the known failures and the run disagree; 3 trouble "
        "of the\n"
        "harness or an adapter, nothing was judged, or a case needs more memory than there is; 4 "
        "bad input\nor usage.\n\n"
        "The shipped adapters run in the Python that GATHERCHECK_PYTHON names, else in " +
        default_adapter_python() + ".\nAn engine is installed by " + how_to_install("NAME") + ".");
    verb.callback([options, verb, &exit_code] {
        const std::vector<std::string> given = verb.given();
        for (const std::string& name : given) {
            const bool goes_with_it = name == "--resume" || name == "--trust-record" ||
                                      name == "--jobs" || name == "--failures" ||
                                      name == "--format";
            if (options->resume.empty() || goes_with_it) continue;
            exit_code = refuse(name + " does not go with --resume: the options of the run are in " +
                               options->resume + "; leave it out");
            return;
        }
        if (std::ranges::count(given, "--reason") > 0 && !is_reason(options->settings.reason)) {
            exit_code = refuse(
                "--reason is empty, or not one line of UTF-8; say in a sentence "
                "what is done instead of what must be");
            return;
        }
        exit_code = run_verb(*options);
    });
}

}  // namespace gathercheck
