// SPDX-License-Identifier: Apache-2.0
// gathercheck mutants: the hand-written cases on implementations with a planted bug, each of which
// some case must catch: mutants of the reference, or of the optimized library's kernels.
#include <memory>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/mutants/kernel_mutants.hpp"
#include "conformance/mutants/mutants.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/fuzz_session.hpp"
#include "tools/shared/installed.hpp"
#include "tools/shared/interruption.hpp"
#include "tools/shared/progress_line.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct MutantsVerb {
    std::vector<std::string> mutants;  ///< patterns of names or themes; empty: all
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string format = "text";
    int cases_shown = 0;      ///< of those that catch a mutant
    bool unneeded = false;    ///< list the cases that no mutant needs
    bool kernels = false;     ///< mutants of the optimized library, not of the reference
    double fuzz_seconds = 0;  ///< generated calls in place of cases, for each mutant; 0: cases
    std::uint64_t seed = 1;   ///< of those
};

/// Freed memory that is kept for later use would still be part of every copy of this process.
void give_back_free_memory() {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}

/// A mutant that dies is caught; after so many deaths the rest of the cases is not asked.
constexpr int deaths = 200;

/// Which cases catch which mutant: those that fail on it, or end its process.
class Catches {
public:
    explicit Catches(const Filter& filter) : filter_(filter) {}

    void add(const Record& record) {
        if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
            if (implementation->state != "started") trouble_ = implementation->why;
        }
        const auto* execution = std::get_if<ExecutionRecord>(&record);
        if (execution == nullptr) return;
        const Verdict verdict = execution->verdict;
        if (verdict == Verdict::broken) {
            trouble_ =
                execution->case_id + " on " + execution->implementation + ": " + execution->detail;
        }
        if (verdict != Verdict::fail && verdict != Verdict::crash && verdict != Verdict::timeout) {
            return;
        }
        std::vector<std::string>& cases = cases_[execution->implementation];
        if (cases.empty() || cases.back() != execution->case_id) {
            cases.push_back(execution->case_id);
        }
        versions_[execution->implementation].insert(execution->operator_version);
    }

    /// Ids of the cases that catch a mutant, in their order.
    const std::vector<std::string>& of(const Mutant& mutant) { return cases_[mutant.name]; }

    /// The operator versions in which a mutant must be caught and is not. Where it need not be
    /// caught in each, it survives in all of them or in none.
    std::vector<OperatorVersion> survives_in(const Mutant& mutant) {
        return not_caught(mutant, false);
    }

    /// The same of declared versions, whose cases are written for others and need not catch it.
    std::vector<OperatorVersion> not_caught_in_declared(const Mutant& mutant) {
        return not_caught(mutant, true);
    }

    std::vector<OperatorVersion> not_caught(const Mutant& mutant, bool declared) {
        const std::set<OperatorVersion>& caught = versions_[mutant.name];
        std::vector<OperatorVersion> survives;
        for (const Claim& claim : mutant.built_in.claims) {
            for (const OperatorVersion version : claim.versions) {
                if (!filter_.matches(version) || is_declared(version) != declared) continue;
                const bool found =
                    mutant.in_each_version ? caught.contains(version) : !caught.empty();
                if (!found) survives.push_back(version);
            }
        }
        return survives;
    }

    /// Ids of the cases that some mutant needs. One that a tenth of all cases or more catch needs
    /// none of them.
    std::set<std::string> needed(std::size_t all_cases) const {
        std::set<std::string> ids;
        for (const auto& [mutant, cases] : cases_) {
            if (cases.size() * 10 < all_cases) ids.insert(cases.begin(), cases.end());
        }
        return ids;
    }
    const std::string& trouble() const { return trouble_; }

private:
    std::map<std::string, std::vector<std::string>> cases_;
    std::map<std::string, std::set<OperatorVersion>> versions_;
    std::string trouble_;
    const Filter& filter_;
};

/// Bugs of counters need calls with an operand that is longer than this, and are asked no others;
/// any other bug shows in calls that take less time.
constexpr std::int64_t counts_show = 127;
constexpr std::int64_t large = 65536;

bool has_operand_beyond(std::int64_t size, const Case& tested) {
    return std::ranges::any_of(tested.inputs, [size](const NamedTensorSpec& input) {
        const auto count = element_count(input.tensor.descriptor.shape);
        return input.tensor.has_contents() && count && *count > size;
    });
}

/// The mutants of `all` that are asked for; empty, with a message, where a name is unknown.
std::vector<const Mutant*> choose(std::span<const Mutant> all, const MutantsVerb& options) {
    const std::vector<std::string>& names = options.mutants;
    std::vector<const Mutant*> chosen;
    for (const Mutant& mutant : all) {
        if (names.empty() || std::ranges::any_of(names, [&](const std::string& pattern) {
                return matches_pattern(pattern, mutant.name) ||
                       matches_pattern(pattern, mutant.theme);
            })) {
            chosen.push_back(&mutant);
        }
    }
    for (const std::string& pattern : names) {
        if (std::ranges::none_of(all, [&](const Mutant& mutant) {
                return matches_pattern(pattern, mutant.name) ||
                       matches_pattern(pattern, mutant.theme);
            })) {
            refuse("there is no mutant '" + pattern + "'; 'gathercheck mutants " +
                   (options.kernels ? "--kernels " : "") + "--format json' names them all");
            return {};
        }
    }
    return chosen;
}

/// What is told in the end.
struct Score {
    std::vector<const Mutant*> chosen;
    std::span<const Mutant> unchanged;  ///< what they are made of: on it every case must pass
    std::size_t caught = 0;
    std::size_t hand_written = 0;
    std::vector<const Case*> unneeded;
    double seconds = 0;
};

void print_json(const Score& score, Catches& catches) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Mutant* mutant : score.chosen) {
        nlohmann::ordered_json versions = nlohmann::ordered_json::array();
        for (const Claim& claim : mutant->built_in.claims) {
            for (const OperatorVersion version : claim.versions) versions.push_back(name(version));
        }
        nlohmann::ordered_json survives = nlohmann::ordered_json::array();
        for (const OperatorVersion version : catches.survives_in(*mutant)) {
            survives.push_back(name(version));
        }
        nlohmann::ordered_json not_caught = nlohmann::ordered_json::array();
        for (const OperatorVersion version : catches.not_caught_in_declared(*mutant)) {
            not_caught.push_back(name(version));
        }
        list.push_back({{"name", mutant->name},
                        {"theme", mutant->theme},
                        {"idea", mutant->idea},
                        {"operators", std::move(versions)},
                        {"caught", survives.empty()},
                        {"survives_in", std::move(survives)},
                        {"not_caught_in_declared", std::move(not_caught)},
                        {"cases", catches.of(*mutant)}});
    }
    nlohmann::ordered_json unneeded = nlohmann::ordered_json::array();
    for (const Case* tested : score.unneeded) unneeded.push_back(tested->id);
    const nlohmann::ordered_json all{
        {"mutants", std::move(list)},
        {"total", score.chosen.size()},
        {"caught", score.caught},
        {"hand_written_cases", score.hand_written},
        {"unneeded_cases", std::move(unneeded)},
        {"seconds", score.seconds},
    };
    std::printf("%s\n", all.dump(2).c_str());
}

void print_text(const Score& score, Catches& catches, const MutantsVerb& options) {
    std::string theme;
    for (const Mutant* mutant : score.chosen) {
        if (mutant->theme != theme) {
            theme = mutant->theme;
            std::printf("%s\n", theme.c_str());
        }
        const std::vector<std::string>& cases = catches.of(*mutant);
        std::printf("  %-36s %5zu  %s\n", mutant->name.c_str(), cases.size(), mutant->idea.c_str());
        const auto shown = static_cast<std::size_t>(options.cases_shown);
        for (std::size_t k = 0; k < cases.size() && k < shown; ++k) {
            std::printf("      %s\n", cases[k].c_str());
        }
        const std::vector<OperatorVersion> survives_in = catches.survives_in(*mutant);
        if (cases.empty() && !survives_in.empty()) {
            std::printf("      SURVIVES: no case catches it\n");
            continue;
        }
        for (const OperatorVersion version : survives_in) {
            std::printf("      SURVIVES in %s: no case of that version catches it\n",
                        std::string(name(version)).c_str());
        }
        for (const OperatorVersion version : catches.not_caught_in_declared(*mutant)) {
            std::printf("      not caught in %s, which a dialect declares\n",
                        std::string(name(version)).c_str());
        }
    }
    if (options.unneeded && !score.unneeded.empty()) {
        std::printf("cases that catch only mutants that a tenth of all cases catch, or none\n");
        for (const Case* tested : score.unneeded) {
            std::printf("  %s%s%s\n", tested->id.c_str(), tested->why.empty() ? "" : ": ",
                        tested->why.c_str());
        }
    }
    std::printf(
        "%zu of %zu mutants caught; no mutant needs %zu of %zu hand-written cases%s; %.1f s\n",
        score.caught, score.chosen.size(), score.unneeded.size(), score.hand_written,
        options.unneeded || score.unneeded.empty() ? "" : " (--unneeded lists them)",
        score.seconds);
}

/// Runs the hand-written cases on what mutants are made of and on those chosen.
void run_mutants(const LoadedSuite& loaded, const Score& score, const RunOptions& run_options,
                 Catches& catches) {
    Limits limits;
    limits.restarts = deaths;
    Suite small = loaded.suite;
    std::erase_if(small.cases,
                  [](const Case& tested) { return has_operand_beyond(large, tested); });
    Suite counting = loaded.suite;
    std::erase_if(counting.cases,
                  [](const Case& tested) { return !has_operand_beyond(counts_show, tested); });
    ProgressLine line;
    std::size_t begun = 0;
    std::string last;
    const auto show = [&](const Progress& progress) {
        if (!line.is_shown() || progress.implementation == last) return;
        last = progress.implementation;
        line.show(std::to_string(++begun) + " of " +
                  std::to_string(score.chosen.size() + 2 * score.unchanged.size()) + ": " + last);
    };
    // Large calls are asked of few: for hundreds of mutants they would take minutes.
    for (const bool counts : {true, false}) {
        std::vector<Contender> contenders;
        const auto contend = [&](const Mutant& mutant) {
            contenders.push_back(
                {in_process(mutant.built_in, limits), true, nullptr, true, Sweeps::none});
        };
        for (const Mutant& mutant : score.unchanged) contend(mutant);
        for (const Mutant* mutant : score.chosen) {
            if (mutant->in_large_calls == counts) contend(*mutant);
        }
        if (contenders.size() == score.unchanged.size()) continue;
        run(
            counts ? counting : small, loaded.rules, loaded.equations, contenders, run_options,
            [&](const Record& record) { catches.add(record); }, show);
    }
}

/// Why catching mutants would show nothing; empty where it does.
std::string trouble_with(const Score& score, Catches& catches) {
    if (!catches.trouble().empty()) return catches.trouble();
    for (const Mutant& mutant : score.unchanged) {
        const auto& failed = catches.of(mutant);
        if (failed.empty()) continue;
        return std::to_string(failed.size()) +
               " cases fail on what the mutants are made of, without any bug (" + mutant.name +
               "), the first is " + failed.front() + "; see gathercheck check";
    }
    return {};
}

/// Counts the mutants that are caught, and the hand-written cases that none needs.
void count_caught(Catches& catches, const std::vector<const Case*>& selected, Score& score) {
    for (const Mutant* mutant : score.chosen) {
        score.caught += catches.survives_in(*mutant).empty() ? 1 : 0;
    }
    const std::set<std::string> needed = catches.needed(selected.size());
    for (const Case* tested : selected) {
        const bool decides = std::ranges::any_of(
            tested->expect,
            [](const Expectation& expectation) { return !expectation.is_unspecified(); });
        if (!decides) continue;
        ++score.hand_written;
        if (!needed.contains(tested->id)) score.unneeded.push_back(tested);
    }
}

/// What generated calls showed of a mutant.
struct Fuzzed {
    const Mutant* mutant = nullptr;
    bool found = false;
    bool is_needed = true;      ///< false: only versions that dialects declare have it
    std::string call;           ///< title of the first failure
    std::int64_t elements = 0;  ///< of data, in the shrunk call
    std::uint64_t calls = 0;
    double seconds = 0;  ///< until it was found and shrunk, or given up
};

Fuzzed fuzz_mutant(const Mutant& mutant, const LoadedSuite& loaded, const Filter& filter,
                   const MutantsVerb& options) {
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    Fuzzed result;
    result.mutant = &mutant;
    FuzzOptions fuzz;
    fuzz.seed = options.seed;
    fuzz.most_kinds = 1;
    fuzz.limits.restarts = 1'000'000'000;
    fuzz.limits.interrupted = is_interrupted;
    const auto implementation = in_process(mutant.built_in, fuzz.limits);
    if (implementation->start()) return result;
    CallSpace space = space_of(implementation->introduction(), filter, &mutant.built_in, 1 << 20);
    result.is_needed = std::ranges::any_of(
        space.versions, [](const CallsOfVersion& of) { return !is_declared(of.version); });
    if (space.versions.empty()) return result;
    const auto afresh = [&] { return in_process(mutant.built_in, fuzz.limits); };
    FuzzSession session(loaded, {*implementation, &mutant.built_in, nullptr, afresh},
                        std::move(space), fuzz);
    while (session.failures().empty() && seconds() < options.fuzz_seconds && !is_interrupted()) {
        CallNumbers numbers;
        numbers.first = result.calls;
        numbers.count = 5000;
        const std::uint64_t asked = session.run(numbers);
        if (asked == 0) break;
        result.calls += asked;
    }
    result.seconds = seconds();
    if (session.failures().empty()) return result;
    const FuzzFailure& failure = session.failures().front();
    result.found = true;
    result.call = failure.title;
    result.elements = failure.elements();
    return result;
}

/// Each mutant, until generated calls show it.
int fuzz_mutants(const MutantsVerb& options, const std::vector<const Mutant*>& chosen,
                 const LoadedSuite& loaded, const Filter& filter) {
    std::vector<double> seconds;
    std::vector<std::int64_t> elements;
    std::size_t needless = 0;  // not found, in versions whose texts need not say what it breaks
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Mutant* mutant : chosen) {
        if (is_interrupted()) break;
        const Fuzzed fuzzed = fuzz_mutant(*mutant, loaded, filter, options);
        if (is_interrupted() && !fuzzed.found) break;
        if (fuzzed.found) {
            seconds.push_back(fuzzed.seconds);
            elements.push_back(fuzzed.elements);
        } else if (!fuzzed.is_needed) {
            ++needless;
        }
        if (options.format == "json") {
            list.push_back({{"name", mutant->name},
                            {"found", fuzzed.found},
                            {"needed", fuzzed.is_needed},
                            {"first", fuzzed.call},
                            {"elements", fuzzed.elements},
                            {"calls", fuzzed.calls},
                            {"seconds", fuzzed.seconds}});
        } else if (fuzzed.found) {
            std::printf("  %-36s %7.2f s %8llu calls %6lld elements  %s\n", mutant->name.c_str(),
                        fuzzed.seconds, static_cast<unsigned long long>(fuzzed.calls),
                        static_cast<long long>(fuzzed.elements), fuzzed.call.c_str());
        } else {
            std::printf("  %-36s %s in %.1f s and %llu calls: %s\n", mutant->name.c_str(),
                        fuzzed.is_needed ? "NOT FOUND"
                                         : "not found (nor need it be: only dialects have it)",
                        fuzzed.seconds, static_cast<unsigned long long>(fuzzed.calls),
                        mutant->idea.c_str());
        }
        std::fflush(stdout);
    }
    if (is_interrupted()) std::fputs("gathercheck: interrupted: the rest is not asked\n", stderr);
    const auto median = [](auto numbers) {
        std::ranges::sort(numbers);
        return numbers.empty() ? 0.0 : static_cast<double>(numbers[numbers.size() / 2]);
    };
    if (options.format == "json") {
        std::puts(nlohmann::ordered_json{{"mutants", std::move(list)}, {"seed", options.seed}}
                      .dump(2)
                      .c_str());
    } else {
        std::printf(
            "%zu of %zu mutants are found by generated calls, seed %llu; medians: %.2f s, %.0f "
            "elements of data\n",
            seconds.size(), chosen.size(), static_cast<unsigned long long>(options.seed),
            median(seconds), median(elements));
    }
    return seconds.size() + needless == chosen.size() ? 0 : 1;
}

int mutants_verb(const MutantsVerb& options) {
    const auto begin = std::chrono::steady_clock::now();
    auto filter = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    Score score;
    KernelMutants of_kernels;
    if (options.kernels) {
        auto loaded = load_kernel_mutants(modules_folder() / "kernel_mutants");
        if (const auto* why = std::get_if<std::string>(&loaded)) {
            std::fprintf(stderr, "gathercheck: %s\n", why->c_str());
            return 3;
        }
        of_kernels = std::move(std::get<KernelMutants>(loaded));
    }
    score.unchanged = options.kernels ? std::span<const Mutant>(of_kernels.unchanged)
                                      : std::span(&unchanged(), 1);
    score.chosen =
        choose(options.kernels ? std::span<const Mutant>(of_kernels.mutants) : mutants(), options);
    if (score.chosen.empty()) return exit_bad_input;
    auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    // Hundreds of processes are made as copies of this one: it must be small.
    std::erase_if(loaded->suite.cases, [](const Case& tested) { return tested.from_sweep; });
    give_back_free_memory();

    RunOptions run_options;
    run_options.filter = std::get<Filter>(std::move(filter));
    const std::vector<const Case*> selected =
        select_cases(loaded->suite.cases, run_options.filter, Sweeps::none, {});
    if (selected.empty()) return refuse("no hand-written case matches");

    std::erase_if(score.chosen, [&](const Mutant* mutant) {
        return std::ranges::none_of(mutant->built_in.claims, [&](const Claim& claim) {
            return std::ranges::any_of(claim.versions, [&](OperatorVersion version) {
                return run_options.filter.matches(version);
            });
        });
    });
    if (score.chosen.empty()) {
        return refuse("none of these mutants is about an operator version that the filter leaves");
    }

    if (options.fuzz_seconds > 0) {
        watch_for_interruption();
        return fuzz_mutants(options, score.chosen, *loaded, run_options.filter);
    }

    Catches catches(run_options.filter);
    run_mutants(*loaded, score, run_options, catches);
    if (const std::string trouble = trouble_with(score, catches); !trouble.empty()) {
        std::fprintf(stderr, "gathercheck: %s\n", trouble.c_str());
        return 3;
    }
    count_caught(catches, selected, score);
    score.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (options.format == "json") {
        print_json(score, catches);
    } else {
        print_text(score, catches, options);
    }
    return score.caught == score.chosen.size() ? 0 : 1;
}

}  // namespace

void add_mutants_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<MutantsVerb>();
    const Verb verb = command.add_verb(
        "mutants", "Planted bugs: run the hand-written cases on each, and see that one catches it");
    verb.add_option("--mutant", options->mutants,
                    "Name or theme, with * and ? (default: all); may be repeated")
        .type_name("NAME");
    add_cases(verb, options->cases);
    add_filter(verb, options->filters);
    verb.add_option("--show-cases", options->cases_shown, "Show N of the cases that catch it")
        .in(shown_allowed)
        .type_name("N")
        .show_default();
    verb.add_flag("--unneeded", options->unneeded, "List the cases that no mutant needs");
    verb.add_flag("--kernels", options->kernels,
                  "Bugs in copies of the optimized kernels, from the build tree, in place of the "
                  "reference's");
    verb.add_option("--fuzz", options->fuzz_seconds,
                    "Ask generated calls in place of the cases, of each mutant for so many seconds")
        .in(seconds_allowed)
        .type_name("SECONDS");
    verb.add_option("--seed", options->seed, "Of the generated calls").show_default();
    add_format(verb, options->format);
    verb.footer(
        "Examples:\n"
        "  gathercheck mutants\n"
        "  gathercheck mutants --mutant 'index-*' --show-cases 3\n"
        "  gathercheck mutants --fuzz 60\n"
        "  gathercheck mutants --kernels --fuzz 10\n\n"
        "Exit code: 0 every mutant is caught (in versions that a dialect declares it need not "
        "be);\n1 one survives; 3 trouble; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = mutants_verb(*options); });
}

}  // namespace gathercheck
