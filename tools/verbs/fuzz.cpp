// SPDX-License-Identifier: Apache-2.0
// gathercheck fuzz: generated calls on an implementation; what fails is shrunk to a case that a
// person would have written.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/reproducers/reproducer.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/sha256.hpp"
#include "conformance/util/subprocess.hpp"
#include "tools/import/import_case.hpp"
#include "tools/shared/dialects.hpp"
#include "tools/shared/finding_draft.hpp"
#include "tools/shared/fuzz_session.hpp"
#include "tools/shared/fuzz_text.hpp"
#include "tools/shared/interruption.hpp"
#include "tools/shared/known_failure_files.hpp"
#include "tools/shared/progress_line.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

struct FuzzVerb {
    std::string implementation = "optimized";
    std::vector<std::string> filters;
    std::optional<std::uint64_t> seed;
    std::uint64_t from = 0;   ///< calls of the shard that are left out
    std::uint64_t count = 0;  ///< 0: as many as there is time for
    double seconds = 0;       ///< 0: without end where a count is given, else 10
    std::string shard = "1/1";
    std::int64_t largest = 65536;
    bool legal_only = false;
    std::string corpus;
    bool resume = false;
    std::string replay;  ///< file of a case, or folder; empty: none
    double shrink_seconds = 30;
    double seconds_per_call = 20;
    std::uint64_t bytes_of_memory = 0;
    std::string known_failures;
    std::string format = "text";
    std::vector<BuiltIn> more;
};

constexpr std::uint64_t most_calls = std::uint64_t{1} << 53U;

/// What the state of a fuzzing is kept as, in the corpus folder.
constexpr std::string_view state_file = "state.json";

/// The shrunk call as a case file; a sequence is several cases.
std::string case_file_of(const FuzzFailure& failure, const std::string& id,
                         const std::string& implementation, const RuleCatalogue& catalogue) {
    std::vector<std::string> cases;
    WrittenCase written;
    written.version = failure.version;
    written.attributes = failure.call.attributes;
    written.described = failure.call.described;
    const auto add = [&](const GeneratedCall::Inputs& inputs, const SpecifiedAnswer& specified) {
        written.inputs = inputs;
        GeneratedCall call = failure.call;
        call.inputs = inputs;
        written.rules = rules_of(specified, call, catalogue);
        written.alternatives = specified.alternatives;
        written.unspecified = specified.why.empty() ? "no sentence decides" : specified.why;
        cases.push_back(case_text(written));
    };
    std::vector<std::string> before;
    for (std::size_t k = 0; k < failure.call.earlier.size(); ++k) {
        written.id = id + "-before-" + std::to_string(k + 1);
        written.title = "generated: a call before another one of the same model";
        add(failure.call.earlier[k], failure.specified_earlier[k]);
        before.push_back(written.id);
    }
    written.id = id;
    written.title = "generated: " + failure.title;
    written.why = "found by gathercheck fuzz on " + implementation + ": " + failure.detail;
    if (!failure.by_itself && failure.needed.empty()) {
        written.why += "; alone in a process of its own it passes";
    }
    for (const GeneratedCall& call : failure.needed) {
        written.why +=
            "; only behind " + std::string(name(call.version)) + ", " + tensors_text(call);
    }
    written.after = std::move(before);
    add(failure.call.inputs, failure.specified);
    return case_file_text(cases);
}

/// A name for files, of a kind of failure.
std::string id_of(const FuzzFailure& failure) {
    const std::string words = std::string(name(failure.version)) + "-" + failure.outcome;
    return "fuzz-" + part_of_id(words) + "-" + sha256_hex(failure.group()).substr(0, 6);
}

/// A member that is a whole number from 0; nothing, and a problem, where it is another value.
std::optional<std::uint64_t> number_at(const Json& object, const Place& at, std::string_view key,
                                       Problems& problems) {
    const Json* value = find_member(object, key);
    if (value == nullptr) return std::nullopt;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    const Place here = at.child(key);
    problems.add(here, "is no whole number from 0; give --corpus another folder");
    return std::nullopt;
}

class Fuzzing {
public:
    Fuzzing(const FuzzVerb& options, LoadedSuite loaded)
        : options_(options), loaded_(std::move(loaded)), files_(loaded_.rules, loaded_.findings) {}

    int run() {
        for (const auto step : {&Fuzzing::prepare, &Fuzzing::resume, &Fuzzing::start}) {
            if (const Ended ended = (this->*step)()) return *ended;
        }
        from_ = next_;
        const auto begin = std::chrono::steady_clock::now();
        if (!options_.replay.empty()) {
            if (const Ended ended = replay()) return *ended;
        } else {
            fuzz(begin);
        }
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (options_.replay.empty() && !keep()) return exit_bad_input;
        options_.format == "json" ? print_json(seconds) : print_text(seconds);
        const bool is_new = std::ranges::any_of(
            session_->failures(), [](const FuzzFailure& one) { return one.finding.empty(); });
        return is_new ? 1 : 0;
    }

private:
    Ended prepare() {
        const auto shard = parse_shard(options_.shard);
        if (!shard) return refuse("--shard " + options_.shard + " is no share like 1/4");
        shard_ = *shard;
        auto filter = parse_filter(options_.filters);
        if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
        filter_ = std::get<Filter>(std::move(filter));
        if (!filter_.cases.empty() || !filter_.rules.empty()) {
            return refuse("--filter of generated calls knows operator=, type= and route= only");
        }
        if (options_.resume && options_.corpus.empty()) {
            return refuse("--resume goes on with what a folder holds: give --corpus FOLDER too");
        }
        if (options_.resume && options_.from != 0) {
            return refuse("--resume goes on where the folder is: give no --from beside it");
        }
        seed_ = options_.seed ? *options_.seed : std::random_device{}();
        next_ = options_.from;
        options_.implementation =
            by_own_name(options_.implementation, loaded_.installed, {}, options_.more);
        if (!options_.corpus.empty() && options_.replay.empty()) return make_folders();
        return {};
    }

    /// So that nothing is asked in vain.
    Ended make_folders() const {
        const fs::path folder = options_.corpus;
        for (const fs::path& each : {folder / "cases", folder / "findings"}) {
            std::error_code error;
            fs::create_directories(each, error);
            if (error || ::access(each.c_str(), W_OK) != 0) {
                return refuse(each.string() +
                              " cannot be written; give --corpus a folder that can");
            }
        }
        return {};
    }

    Ended start() {
        Limits limits;
        limits.seconds_per_call = options_.seconds_per_call;
        limits.bytes_of_memory = options_.bytes_of_memory;
        limits.restarts = 1'000'000'000;
        limits.interrupted = is_interrupted;
        limits.asks_ahead = true;
        built_in_ = built_in_of(options_.implementation, options_.more);
        auto made =
            make_implementation(options_.implementation, loaded_.installed, limits, options_.more);
        if (const auto* why = std::get_if<std::string>(&made)) return refuse(*why);
        implementation_ = std::get<0>(std::move(made));
        if (const auto failed = implementation_->start()) {
            std::fprintf(stderr, "gathercheck: %s did not start: %s\n",
                         options_.implementation.c_str(), failed->why.c_str());
            return 3;
        }
        bool refused = false;
        RunSettings settings;
        if (!options_.known_failures.empty()) settings.known_failures = {options_.known_failures};
        if (!files_.load(settings)) return exit_bad_input;
        const KnownFailures* known = files_.of(asked_implementation(options_.implementation),
                                               loaded_.installed.known_failures, refused);
        if (refused) return exit_bad_input;
        const BuiltIn* built_in = built_in_ ? &*built_in_ : nullptr;
        CallSpace space =
            space_of(implementation_->introduction(), filter_, built_in, options_.largest);
        if (space.versions.empty()) {
            return refuse(options_.implementation + " claims nothing of what the filter leaves");
        }
        space.legal_only = options_.legal_only;
        FuzzOptions fuzz;
        fuzz.seed = seed_;
        fuzz.shrink_seconds = options_.shrink_seconds;
        fuzz.limits = limits;
        // The reference is held against the equations, not against itself.
        const bool is_reference = options_.implementation == "reference";
        const auto afresh = [this, limits] {
            return std::get<0>(make_implementation(options_.implementation, loaded_.installed,
                                                   limits, options_.more));
        };
        session_.emplace(
            loaded_, FuzzTarget{*implementation_, is_reference ? nullptr : built_in, known, afresh},
            std::move(space), fuzz);
        return {};
    }

    /// What the corpus folder says of an earlier part: it must be of the same implementation.
    Ended resume() {
        if (options_.corpus.empty() || !options_.replay.empty()) return {};
        const fs::path file = fs::path(options_.corpus) / state_file;
        std::error_code error;
        if (!options_.resume && !fs::exists(file, error)) return {};
        JsonResult read = read_json(file);
        if (const auto* problems = std::get_if<std::vector<Problem>>(&read)) {
            print_problems(*problems);
            return exit_bad_input;
        }
        const Json& state = std::get<Json>(read);
        const Place top;
        Problems problems(file.generic_string());
        std::string of;
        std::string shard;
        std::optional<std::uint64_t> seed;
        std::optional<std::uint64_t> next;
        if (check_keys(state, top, {"implementation", "seed", "shard", "next"}, {}, problems)) {
            of = text_at(state, top, "implementation", problems);
            shard = text_at(state, top, "shard", problems);
            seed = number_at(state, top, "seed", problems);
            next = number_at(state, top, "next", problems);
        }
        if (!problems.empty()) {
            print_problems(std::move(problems).take());
            return exit_bad_input;
        }
        if (of != options_.implementation || (options_.resume && shard != options_.shard)) {
            return refuse(file.string() + ": it is of " + of + ", shard " + shard + ", not of " +
                          options_.implementation + ", shard " + options_.shard +
                          "; give --corpus another folder");
        }
        if (!options_.resume) return {};
        if (options_.seed && options_.seed != seed) {
            return refuse(file.string() + ": its seed is " + std::to_string(*seed));
        }
        seed_ = *seed;
        next_ = *next;
        return {};
    }

    void fuzz(std::chrono::steady_clock::time_point begin) {
        const double seconds = options_.seconds > 0 ? options_.seconds
                               : options_.count > 0 ? 1e9
                                                    : 10;
        const std::uint64_t most = options_.count > 0 ? options_.count : ~std::uint64_t{0};
        const auto step = static_cast<std::uint64_t>(shard_.count);
        const auto used_now = [begin] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        };
        // Of others as many at once as are answered in about a second: one that hangs is told soon,
        // and the time is kept.
        std::uint64_t at_once = built_in_ ? 20000 : 1;
        ProgressLine progress;
        while (asked_ < most && !is_interrupted()) {
            const double used = used_now();
            if (used >= seconds) break;
            CallNumbers numbers;
            numbers.first = next_ * step + static_cast<std::uint64_t>(shard_.index - 1);
            numbers.step = step;
            numbers.count = std::min(at_once, most - asked_);
            const double shrinking = session_->seconds_shrinking();
            const std::uint64_t done = session_->run(numbers);
            if (!built_in_) {
                const double took = used_now() - used - (session_->seconds_shrinking() - shrinking);
                at_once = took < 1 ? std::min<std::uint64_t>(at_once * 2, 256)
                                   : std::max<std::uint64_t>(at_once / 2, 1);
            }
            asked_ += done;
            next_ += done;
            progress.show(std::to_string(asked_) + " calls, " +
                          std::to_string(static_cast<std::int64_t>(static_cast<double>(asked_) /
                                                                   std::max(used, 1e-3))) +
                          " a second, " + std::to_string(session_->failures().size()) +
                          " kinds of failures");
            if (done == 0) break;
        }
    }

    /// Asks each case that was kept, by every route that is claimed.
    Ended replay() {
        fs::path path = options_.replay;
        if (fs::is_directory(path / "cases")) path /= "cases";
        const auto kept = load_cases({path}, loaded_.rules);
        if (const auto* problems = std::get_if<std::vector<Problem>>(&kept)) {
            print_problems(*problems);
            return exit_bad_input;
        }
        for (const Case& tested : std::get<Suite>(kept).cases) {
            for (const Expectation& expectation : tested.expect) {
                for (const CallsOfVersion& of : session_->space().versions) {
                    const auto& versions = expectation.versions;
                    if (std::ranges::find(versions, of.version) == versions.end()) continue;
                    for (const Route& route : of.routes) {
                        session_->ask(generated(tested, of.version, route));
                        ++asked_;
                    }
                }
            }
        }
        return {};
    }

    static GeneratedCall generated(const Case& tested, OperatorVersion version,
                                   const Route& route) {
        GeneratedCall call;
        OwnedCall owned = make_call(tested, version);
        call.version = version;
        call.route = route;
        call.described = tested.is_described();
        call.attributes = owned.call.attributes;
        call.inputs = std::move(owned.tensors);
        for (const auto& earlier : tested.earlier) {
            call.earlier.push_back(make_call(*earlier, version).tensors);
        }
        return call;
    }

    std::string implementation_name() const {
        return asked_implementation(options_.implementation).name;
    }

    /// Writes what was found. False where it cannot be.
    bool keep() {
        if (options_.corpus.empty()) return true;
        std::error_code error;
        const fs::path folder = options_.corpus;
        if (implementation_->introduction().reproduces) {
            fs::create_directories(folder / "reproducers", error);
        }
        const auto write = [&](const fs::path& file, const std::string& text) {
            std::ofstream stream(folder / file, std::ios::binary);
            stream << text;
            stream.close();
            if (stream) return true;
            refuse((folder / file).string() +
                   " cannot be written; give --corpus a folder that can");
            return false;
        };
        for (const FuzzFailure& failure : session_->failures()) {
            const std::string id = id_of(failure);
            if (!write(fs::path("cases") / (id + ".json"),
                       case_file_of(failure, id, implementation_name(), loaded_.rules)))
                return false;
            std::string program;
            // Its call shows nothing by itself.
            if (!failure.by_itself) continue;
            if (!write_reproducer(failure, id, program, write)) return false;
            if (!failure.finding.empty()) continue;
            const Json draft =
                finding_draft(failure, implementation_name(), implementation_->introduction(), id,
                              program, loaded_.rules);
            if (!write(fs::path("findings") / (id + ".json"), draft.dump(2) + "\n")) return false;
        }
        const Json state{{"implementation", options_.implementation},
                         {"seed", seed_},
                         {"shard", options_.shard},
                         {"next", next_}};
        return write(fs::path(state_file), state.dump(2) + "\n");
    }

    /// `file` becomes its name; nothing is written where the implementation makes no program.
    template <class Write>
    bool write_reproducer(const FuzzFailure& failure, const std::string& id, std::string& file,
                          const Write& write) {
        if (!implementation_->introduction().reproduces) return true;
        const Call call = failure.call.view();
        Request request;
        request.call = &call;
        request.route = failure.route;
        request.describe = failure.call.described;
        const auto program = implementation_->reproduce(request);
        if (!program) return true;
        ExecutionRecord record;
        record.implementation = implementation_name();
        record.version = implementation_->introduction().version;
        record.operator_version = failure.version;
        record.route = failure.route;
        record.case_id = id;
        record.title = failure.title;
        record.detail = failure.detail;
        record.verdict = failure.verdict;
        record.failure = failure.failure;
        Reproducer reproducer;
        reproducer.language = implementation_->introduction().language;
        reproducer.source = program->text;
        reproducer.command = program->command;
        reproducer.rules = rules_of(failure.specified, failure.call, loaded_.rules);
        reproducer.shows = shows(failure.specified.alternatives, failure.answer);
        file = id + reproducer_file(record, reproducer.language).extension().string();
        return write(fs::path("reproducers") / file,
                     reproducer_text(record, reproducer, loaded_.rules));
    }

    std::vector<FuzzFailure> gravest_first() const {
        std::vector<FuzzFailure> failures = session_->failures();
        std::ranges::stable_sort(
            failures, {}, [](const FuzzFailure& one) { return gravity(one.verdict, one.failure); });
        return failures;
    }

    /// The command that asks all calls as far as this one.
    std::string from_the_start(const FuzzFailure& failure) const {
        const FuzzVerb defaults;
        std::string command = "gathercheck fuzz " + dialect_options() + "--implementation " +
                              shell_word(options_.implementation) + " --seed " +
                              std::to_string(seed_);
        for (const std::string& filter : options_.filters) {
            command += " --filter " + shell_word(filter);
        }
        if (options_.shard != defaults.shard) command += " --shard " + options_.shard;
        if (options_.largest != defaults.largest) {
            command += " --largest " + std::to_string(options_.largest);
        }
        if (options_.legal_only) command += " --legal-only";
        if (from_ != 0) command += " --from " + std::to_string(from_);
        const auto step = static_cast<std::uint64_t>(shard_.count);
        return command + " --count " + std::to_string(failure.number / step - from_ + 1);
    }

    void print_text(double seconds) const {
        const Introduction& introduction = implementation_->introduction();
        int place = 0;
        for (const FuzzFailure& failure : gravest_first()) {
            std::printf("%d. %s", ++place, failure_text(failure, loaded_.rules).c_str());
            std::string versions;
            for (const auto& [version, count] : failure.versions) {
                versions += (versions.empty() ? "" : ", ") + std::string(name(version));
            }
            std::printf("   %llu calls of %s; the first is call %llu\n",
                        static_cast<unsigned long long>(failure.calls()), versions.c_str(),
                        static_cast<unsigned long long>(failure.number));
            if (!failure.finding.empty()) {
                std::printf("   like the known finding %s\n", failure.finding.c_str());
            }
            if (!failure.by_itself) {
                std::printf("   again: %s\n", from_the_start(failure).c_str());
            } else if (!options_.corpus.empty()) {
                const fs::path file =
                    fs::path(options_.corpus) / "cases" / (id_of(failure) + ".json");
                const std::string again = failure.is_relation()
                                              ? "fuzz " + dialect_options() + "--replay "
                                              : "run " + dialect_options() + "--cases ";
                std::printf("   again: gathercheck %s --implementation %s\n",
                            (again + shell_word(file.string())).c_str(),
                            shell_word(options_.implementation).c_str());
            }
        }
        if (place > 0 && options_.corpus.empty() && options_.replay.empty()) {
            std::printf(
                "with --corpus FOLDER each is kept as a case, with a line that repeats it\n");
        }
        if (options_.replay.empty()) {
            std::printf("%s", to_string(session_->coverage(), session_->space()).c_str());
        }
        print_known_findings();
        if (is_interrupted()) std::printf("interrupted: what has not been asked yet is missing\n");
        const double shrinking = session_->seconds_shrinking();
        std::printf("%s %s, seed %llu: %llu calls in %.1f s, %.0f a second",
                    implementation_->name().c_str(), introduction.version.c_str(),
                    static_cast<unsigned long long>(seed_), static_cast<unsigned long long>(asked_),
                    seconds, static_cast<double>(asked_) / std::max(seconds - shrinking, 1e-9));
        if (shrinking >= 1) std::printf(" but for %.0f s to shrink", shrinking);
        std::printf("; ");
        if (session_->failed() == 0) {
            std::printf("none fails\n");
            return;
        }
        const auto fresh = std::ranges::count_if(
            session_->failures(), [](const FuzzFailure& one) { return one.finding.empty(); });
        std::printf("%llu fail, of %zu kinds, %lld of them like no known finding\n",
                    static_cast<unsigned long long>(session_->failed()),
                    session_->failures().size(), static_cast<long long>(fresh));
    }

    /// Which known findings were met, where there are some.
    void print_known_findings() const {
        const std::set<std::string> known = session_->known_findings();
        if (known.empty()) return;
        std::string unmet;
        for (const std::string& finding : known) {
            if (!session_->met().contains(finding)) unmet += (unmet.empty() ? "" : ", ") + finding;
        }
        std::printf("known findings: calls like %zu of %zu fail%s%s\n", session_->met().size(),
                    known.size(), unmet.empty() ? "" : "; not met: ", unmet.c_str());
    }

    void print_json(double seconds) const {
        Json failures = Json::array();
        for (const FuzzFailure& failure : gravest_first()) {
            Json versions = Json::object();
            for (const auto& [version, count] : failure.versions) {
                versions[std::string(name(version))] = count;
            }
            Json needed = Json::array();
            for (const GeneratedCall& before : failure.needed) {
                needed.push_back(std::string(name(before.version)) + ", " + tensors_text(before));
            }
            failures.push_back({{"title", failure.title},
                                {"operator", name(failure.version)},
                                {"calls_of", std::move(versions)},
                                {"route", to_string(failure.route)},
                                {"outcome", failure.outcome},
                                {"calls", failure.calls()},
                                {"first", failure.number},
                                {"detail", failure.detail},
                                {"rules", rules_of(failure.specified, failure.call, loaded_.rules)},
                                {"finding", failure.finding},
                                {"needed", std::move(needed)},
                                {"choices", failure.choices},
                                {"elements", failure.elements()}});
        }
        const Json all{{"implementation", implementation_name()},
                       {"version", implementation_->introduction().version},
                       {"seed", seed_},
                       {"shard", options_.shard},
                       {"calls", asked_},
                       {"seconds", seconds},
                       {"seconds_shrinking", session_->seconds_shrinking()},
                       {"failed", session_->failed()},
                       {"known_findings", session_->known_findings()},
                       {"met_findings", session_->met()},
                       {"failures", std::move(failures)}};
        std::puts(shown_json(all).c_str());
    }

    FuzzVerb options_;
    LoadedSuite loaded_;
    KnownFailureFiles files_;
    Shard shard_;
    Filter filter_;
    std::uint64_t seed_ = 0;
    std::uint64_t from_ = 0;   ///< calls of the shard before the first that is asked now
    std::uint64_t next_ = 0;   ///< calls of the shard that were asked, in earlier parts too
    std::uint64_t asked_ = 0;  ///< now
    std::optional<BuiltIn> built_in_;
    std::unique_ptr<Implementation> implementation_;
    std::optional<FuzzSession> session_;
};

int fuzz_verb(const FuzzVerb& options) {
    auto loaded = load_suite({});
    if (!loaded) return exit_bad_input;
    watch_for_interruption();
    return Fuzzing(options, std::move(*loaded)).run();
}

}  // namespace

void add_fuzz_verb(const Verb& command, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<FuzzVerb>();
    options->more = line.more;
    const Verb verb = command.add_verb(
        "fuzz", "Ask an implementation generated calls, and shrink what fails to a case");
    verb.add_option("--implementation", options->implementation,
                    "Who is asked, as of run; mutant:NAME is a planted bug")
        .type_name("NAME")
        .show_default();
    verb.add_option("--filter", options->filters,
                    "operator=PATTERN, type=PATTERN (of data), route=PATTERN")
        .type_name("TERM...");
    verb.add_option(
            "--seed", options->seed,
            "Of the calls; the same seed gives the same calls (of our targets: on CPUs with the "
            "same thresholds)")
        .in(Range<std::uint64_t>{0, std::uint64_t{1} << 63U});
    verb.add_option("--from", options->from, "Number of the first call, of the shard's")
        .in(Range<std::uint64_t>{0, most_calls})
        .show_default();
    verb.add_option("--count", options->count, "Calls to ask")
        .in(Range<std::uint64_t>{1, most_calls});
    verb.add_option("--seconds", options->seconds,
                    "Seconds to go on; without it and --count 10. What is found is shrunk in "
                    "further seconds, see --shrink-seconds")
        .in(seconds_allowed);
    verb.add_option("--shard", options->shard, "Of n shares of the calls the i-th")
        .type_name("i/n")
        .show_default();
    verb.add_option("--largest", options->largest, "Elements of the largest tensors")
        .in(Range<std::int64_t>{1, std::int64_t{1} << 24})
        .show_default();
    verb.add_flag("--legal-only", options->legal_only, "Break no rule");
    verb.add_option("--corpus", options->corpus,
                    "Folder to keep shrunk cases, reproducers, drafts of findings and the state in")
        .type_name("FOLDER");
    verb.add_flag("--resume", options->resume, "Go on behind the calls that the folder is at");
    verb.add_option("--replay", options->replay,
                    "Ask nothing new, but the cases that were kept in a file or corpus folder")
        .type_name("FILE");
    verb.add_option("--shrink-seconds", options->shrink_seconds,
                    "Seconds to shrink one kind of failure, a fifth where it is like a known one")
        .in(seconds_allowed)
        .show_default();
    verb.add_option("--time-limit", options->seconds_per_call, "Seconds that one call may take")
        .in(seconds_allowed)
        .show_default();
    verb.add_option("--memory-limit", options->bytes_of_memory,
                    "Address space that its process may take")
        .memory_size();
    verb.add_option("--known-failures", options->known_failures,
                    "File of failures that are known; shipped ones are found by the name")
        .type_name("FILE");
    add_format(verb, options->format);
    verb.footer(
        "Every call, legal or not, is decoded from a sequence of choices, and a failing one is\n"
        "shrunk by making the sequence simpler. What the reference and the equations say decides; "
        "where\nthe text is open, only memory, determinism and the end of the process are "
        "judged.\n\n"
        "Examples:\n"
        "  gathercheck fuzz --implementation optimized --seconds 60\n"
        "  gathercheck fuzz --implementation onnxruntime --seed 7 --count 20000 --corpus found\n"
        "  gathercheck fuzz --implementation onnxruntime --replay found\n\n"
        "Exit code: 0 nothing fails, or only as known findings do; 1 something else fails; 3 it "
        "could not\nbe started; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = fuzz_verb(*options); });
}

}  // namespace gathercheck
