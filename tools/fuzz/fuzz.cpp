// SPDX-License-Identifier: Apache-2.0
// Mutated inputs for everything that reads: whatever comes is taken or refused with a reason, in
// time, without a death. usage: gathercheck_fuzz KIND --spec FOLDER --corpus FOLDER [--seconds N]
// [--seed S] [--save FOLDER] [--replay FILE]
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/dialect/dialect.hpp"
#include "conformance/implementations/worker/offline.hpp"
#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/known_failures/known_failures.hpp"
#include "conformance/load/load.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/records/record_reader.hpp"
#include "conformance/report/claim.hpp"
#include "conformance/report/policy.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/run/recorded.hpp"
#include "conformance/tests/temporary.hpp"
#include "reference/reference.hpp"
#include "tools/fuzz/node_tests.hpp"
#include "tools/fuzz/random.hpp"

namespace gathercheck::fuzz {
namespace {

namespace fs = std::filesystem;

/// What an input makes: nothing, or what is wrong with that.
using Target = std::function<std::string(const std::string&)>;
/// A new input.
using Mutate = std::function<std::string(Random&)>;

struct Options {
    std::string kind;
    fs::path spec;
    fs::path corpus;
    fs::path save = ".";
    std::string replay;
    double seconds = 10;
    std::uint64_t seed = 1;
};

constexpr double seconds_of_one = 30;  // on a loaded machine, with sanitizers
constexpr std::size_t largest_input = std::size_t{4} << 20;
constexpr long most_kilobytes = 3L << 20;

std::string content_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// --- targets

std::string about(const std::vector<Problem>& problems) {
    if (problems.empty()) return "refused without a problem";
    for (const Problem& problem : problems) {
        if (problem.reason.empty()) return "a problem without a reason";
        if (problem.file.empty()) return "a problem without a file: " + problem.reason;
        if (problem.reason.size() > 5000) return "a problem of more than 5000 bytes";
    }
    return {};
}

/// Cases that are taken must be such that their small ones can be asked.
std::string use(const Suite& suite) {
    std::int64_t asked = 0;
    for (const Case& each : suite.cases) {
        bool small = !each.is_described() && ++asked <= 50;
        for (const NamedTensorSpec& input : each.inputs) {
            const auto bytes = byte_size(input.tensor.descriptor);
            small = small && bytes && *bytes < 100'000;
        }
        if (!small) continue;
        for (const Expectation& expectation : each.expect) {
            for (const OperatorVersion version : expectation.versions) {
                const OwnedCall owned = make_call(each, version);
                const auto descriptor = reference::output_descriptor(owned.call);
                const auto bytes = descriptor ? byte_size(*descriptor) : std::nullopt;
                if (!bytes || *bytes > 100'000) continue;
                std::vector<std::byte> output(static_cast<std::size_t>(*bytes));
                (void)reference::run(owned.call, output).ok();
            }
        }
    }
    return {};
}

std::string read_cases(const std::string& text, const RuleCatalogue& rules) {
    const auto loaded = load_cases_text(text, "cases.json", rules);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) return about(*problems);
    return use(std::get<Suite>(loaded));
}

/// A file that each input is written to.
class File {
public:
    const fs::path& write(const std::string& text) const {
        std::ofstream(path_, std::ios::binary) << text;
        return path_;
    }

private:
    test::TemporaryFolder folder_;
    fs::path path_ = folder_.path() / "input";
};

std::string use_records(const fs::path& file, const Suite& suite, const Equations& equations,
                        const RuleCatalogue& rules) {
    const auto cut_short = read_cut_short(file);
    if (const auto* problem = std::get_if<Problem>(&cut_short)) {
        if (auto why = about({*problem}); !why.empty()) return why;
    } else {
        Recorded recorded;
        for (const Record& record : std::get<CutShort>(cut_short).records) recorded.add(record);
    }
    const auto read = read_records(file);
    if (const auto* problem = std::get_if<Problem>(&read)) return about({*problem});
    const auto& records = std::get<std::vector<Record>>(read);
    // As the command has it: only what begins with a run is a file of records.
    if (records.empty() || !std::holds_alternative<RunRecord>(records.front())) return {};
    ReportData data;
    PolicyMap map(suite, equations, rules);
    for (const Record& record : records) {
        data.add(record);
        map.add(record);
        (void)to_json_line(record);
    }
    const std::vector<PolicyRow> rows = map.rows();
    if (policy_text(rows).find('\x1b') != std::string::npos) return "a map with an escape";
    const std::string page = junit_report(data) + badge(data);
    if (page.find("<script>alert") != std::string::npos) return "a page with a script of a record";
    if (page.find('\x1b') != std::string::npos) return "a page with an escape";
    const std::string text = markdown_report(data) + summary_text(data.tally()) +
                             summary_json(data.tally()) + conclusion(data.tally());
    if (text.find('\x1b') != std::string::npos) return "a text with an escape";
    const auto statements = statements_of(records, suite);
    if (const auto* all = std::get_if<std::vector<ConformanceStatement>>(&statements)) {
        for (const ConformanceStatement& each : *all) (void)claim_markdown(each);
        (void)claim_json(*all);
    } else if (std::get<std::string>(statements).empty()) {
        return "no statements, and no reason";
    }
    return {};
}

/// Each line as whatever a worker may have to say.
std::string read_lines(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        const auto hello = read_hello(line);
        if (const auto* malformed = std::get_if<Malformed>(&hello)) {
            if (malformed->why.empty()) return "a hello that is refused for no reason";
        }
        for (const bool describe : {false, true}) {
            const auto answer = read_answer(line, 1, describe, !describe);
            if (const auto* malformed = std::get_if<Malformed>(&answer)) {
                if (malformed->why.empty()) return "an answer that is refused for no reason";
            }
        }
    }
    return {};
}

std::string use_answers(const fs::path& file) {
    const auto calls = read_calls(file);
    if (const auto* problem = std::get_if<Problem>(&calls)) {
        if (auto why = about({*problem}); !why.empty()) return why;
    }
    Calls asked;
    asked.file = "calls";
    asked.numbers = {{1, 1}, {2, 2}};
    const auto answers = read_answers(file, asked);
    if (const auto* problem = std::get_if<Problem>(&answers)) return about({*problem});
    return {};
}

// --- mutation of texts

constexpr std::array<std::string_view, 40> hostile{"null",
                                                   "true",
                                                   "0",
                                                   "-1",
                                                   "-0",
                                                   "1e400",
                                                   "1e-400",
                                                   "3.7",
                                                   "nan",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "18446744073709551616",
                                                   "4294967296",
                                                   "[]",
                                                   "{}",
                                                   "[[]]",
                                                   "\"\"",
                                                   "\"f32\"",
                                                   "\"\\u0000\"",
                                                   "\"\\ud800\"",
                                                   "\"<script>alert(1)</script>\"",
                                                   "\"\\u001b[31m\"",
                                                   "\"\\u009b31m\"",
                                                   "\"\\u202e\"",
                                                   "\"]]>\"",
                                                   "\"|`*_#\"",
                                                   "\"../../../etc/passwd\"",
                                                   "\"con..trol\"",
                                                   "\"$axis\"",
                                                   "\"exec:true\"",
                                                   "[4611686018427387904,4]",
                                                   "[0,9223372036854775807]",
                                                   "[-1]",
                                                   "{\"address\":1}",
                                                   "{\"values\":[1]}",
                                                   "\"string\"",
                                                   "\"u4\"",
                                                   "\"c128\"",
                                                   "[1,\"x\",null]",
                                                   "{\"a\":{\"a\":{\"a\":1}}}"};

/// Begin and end of a JSON scalar or container that starts at or after a place.
std::pair<std::size_t, std::size_t> value_at(const std::string& text, std::size_t place) {
    const std::size_t begin = text.find_first_of("\"[{0123456789-tfn", place);
    if (begin == std::string::npos) return {text.size(), text.size()};
    if (text[begin] == '"') {
        std::size_t end = begin + 1;
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        return {begin, std::min(end + 1, text.size())};
    }
    if (text[begin] == '[' || text[begin] == '{') {
        int depth = 0;
        for (std::size_t end = begin; end < text.size(); ++end) {
            if (text[end] == '[' || text[end] == '{') ++depth;
            if ((text[end] == ']' || text[end] == '}') && --depth == 0) return {begin, end + 1};
        }
        return {begin, text.size()};
    }
    return {begin, std::min(text.find_first_of(",]} \n", begin), text.size())};
}

void mutate_once(std::string& text, Random& random, const std::vector<std::string>& seeds) {
    constexpr std::string_view bytes = "{}[]\",:-0129.eE+$ntfa\\u\xff\xc3\x01\x1b \n";
    if (text.empty()) text = " ";
    const std::size_t place = random.below(text.size());
    const auto line = [&] {
        const std::size_t begin = text.rfind('\n', place);
        const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
        return std::pair(from, std::min(text.find('\n', from), text.size() - 1) + 1);
    };
    switch (random.below(9)) {
        case 0:
            text[place] = bytes[random.below(bytes.size())];
            break;
        case 1:
            text.insert(place, 1, bytes[random.below(bytes.size())]);
            break;
        case 2:
            text.erase(place, random.below(30) + 1);
            break;
        case 3:
        case 4: {  // a value in place of another
            const auto [begin, end] = value_at(text, place);
            text.replace(begin, end - begin, hostile[random.below(hostile.size())]);
            break;
        }
        case 5: {  // a value that stands elsewhere
            const auto [begin, end] = value_at(text, place);
            const std::string& other = seeds[random.below(seeds.size())];
            const auto [first, last] = value_at(other, random.below(other.size()));
            text.replace(begin, end - begin, other, first, last - first);
            break;
        }
        case 6: {  // the same again, and again
            const auto [begin, end] = value_at(text, place);
            if (end - begin > 2000 || begin == end) break;
            const std::string value = text.substr(begin, end - begin);
            std::string many = value;
            for (std::size_t k = random.below(2) == 0 ? 1 : random.below(1000); k > 0; --k) {
                many += "," + value;
            }
            text.replace(begin, end - begin, many);
            break;
        }
        case 7: {  // a line twice
            const auto [begin, end] = line();
            text.insert(begin, text.substr(begin, end - begin));
            break;
        }
        default: {  // a line less
            const auto [begin, end] = line();
            text.erase(begin, end - begin);
            break;
        }
    }
}

Mutate mutate_texts(std::vector<std::string> seeds) {
    return [seeds = std::move(seeds)](Random& random) {
        std::string text = seeds[random.below(seeds.size())];
        for (std::size_t times = random.below(4) + 1; times > 0; --times) {
            mutate_once(text, random, seeds);
            if (text.size() > largest_input) text.resize(largest_input);
        }
        return text;
    };
}

// --- the loop, in a child process

/// Where the child says what it is at.
struct Shared {
    std::atomic<std::uint64_t> done{0};
    std::size_t size = 0;
    std::array<char, 500> complaint{};
    std::array<char, largest_input> input{};
};

constexpr int complained = 99;

[[noreturn]] void loop(Shared& shared, const Target& target, const Mutate& mutate,
                       std::uint64_t seed, std::chrono::steady_clock::time_point end) {
    while (std::chrono::steady_clock::now() < end) {
        Random random(seed * 1'000'003 + shared.done);
        const std::string input = mutate(random);
        shared.size = std::min(input.size(), largest_input);
        std::memcpy(shared.input.data(), input.data(), shared.size);
        std::string why = target(input);
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        if (why.empty() && used.ru_maxrss > most_kilobytes) why = "more than 3 GiB of memory";
        if (!why.empty()) {
            std::strncpy(shared.complaint.data(), why.c_str(), shared.complaint.size() - 1);
            _exit(complained);
        }
        ++shared.done;
    }
    _exit(0);
}

/// What came of a child: nothing, or how it went wrong.
std::string watch(pid_t child, const Shared& shared) {
    std::uint64_t seen = shared.done;
    auto since = std::chrono::steady_clock::now();
    for (;;) {
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) == child) {
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
            if (WIFEXITED(status) && WEXITSTATUS(status) == complained) {
                return shared.complaint.data();
            }
            return WIFSIGNALED(status) ? std::string("killed by ") + strsignal(WTERMSIG(status))
                                       : "ended with code " + std::to_string(WEXITSTATUS(status));
        }
        const auto now = std::chrono::steady_clock::now();
        if (seen != shared.done) since = now;
        seen = shared.done;
        if (std::chrono::duration<double>(now - since).count() > seconds_of_one) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return "no end";
        }
        ::usleep(20'000);
    }
}

int fuzz(const Options& options, const Target& target, const Mutate& mutate) {
    void* memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 3;
    auto& shared = *new (memory) Shared;
    const auto begin = std::chrono::steady_clock::now();
    const auto end = begin + std::chrono::milliseconds(std::int64_t(options.seconds * 1000));
    int failures = 0;
    for (;;) {
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) loop(shared, target, mutate, options.seed, end);
        const std::string why = watch(child, shared);
        if (why.empty()) break;
        const fs::path file = options.save / (options.kind + "-" + std::to_string(options.seed) +
                                              "-" + std::to_string(shared.done));
        std::ofstream(file, std::ios::binary)
            .write(shared.input.data(), static_cast<std::streamsize>(shared.size));
        std::printf(
            "%s: FAILED: %s; the input is kept: %s\n  again: gathercheck_fuzz %s --spec %s "
            "--corpus %s --replay %s\n",
            options.kind.c_str(), why.c_str(), file.c_str(), options.kind.c_str(),
            options.spec.c_str(), options.corpus.c_str(), file.c_str());
        ++shared.done;
        if (++failures == 5) break;
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto count = static_cast<double>(shared.done);
    std::printf("%s: seed %llu, %.0f executions in %.1f s, %.0f a second, %d failed\n",
                options.kind.c_str(), static_cast<unsigned long long>(options.seed), count, seconds,
                count / seconds, failures);
    return failures == 0 ? 0 : 1;
}

template <class Value>
Value taken(std::variant<Value, std::vector<Problem>> loaded) {
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        std::fprintf(stderr, "%s\n", to_string(problems->front()).c_str());
        std::exit(3);
    }
    return std::get<Value>(std::move(loaded));
}

int fuzz_kind(const Options& options) {
    taken<std::vector<Dialect>>(load_dialects(options.spec / "dialects"));
    const RuleCatalogue rules = taken<RuleCatalogue>(load_rules(options.spec / "rules"));
    std::vector<std::string> seeds;
    if (options.kind != "import") {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(options.corpus / options.kind)) {
            files.push_back(entry.path());
        }
        std::ranges::sort(files);
        for (const fs::path& file : files) seeds.push_back(content_of(file));
    }
    Target target;
    Mutate mutate = seeds.empty() ? Mutate() : mutate_texts(seeds);
    const File file;
    std::optional<Suite> suite;
    std::optional<Equations> equations;
    FindingCatalogue findings;
    if (options.kind == "cases") {
        target = [&](const std::string& text) { return read_cases(text, rules); };
    } else if (options.kind == "records") {
        suite = taken<Suite>(load_cases({options.corpus / "cases"}, rules));
        equations = taken<Equations>(Equations::load(options.spec / "equations.json"));
        target = [&](const std::string& text) {
            return use_records(file.write(text), *suite, *equations, rules);
        };
    } else if (options.kind == "answers") {
        target = [&](const std::string& text) {
            std::string why = read_lines(text);
            return why.empty() ? use_answers(file.write(text)) : why;
        };
    } else if (options.kind == "known_failures") {
        findings = taken<FindingCatalogue>(load_findings(options.spec / "findings", rules));
        target = [&](const std::string& text) {
            const auto loaded = load_known_failures(file.write(text), rules, findings);
            const auto* problems = std::get_if<std::vector<Problem>>(&loaded);
            return problems != nullptr ? about(*problems) : std::string();
        };
    } else if (options.kind == "import" && has_import()) {
        mutate = mutate_node_test;
        target = [&](const std::string& bundle) { return import_bundle(bundle, rules); };
    } else {
        std::fprintf(stderr, "there is no kind '%s' here\n", options.kind.c_str());
        return options.kind == "import" ? 77 : 4;
    }
    if (options.replay.empty()) return fuzz(options, target, mutate);
    const std::string why = target(content_of(options.replay));
    std::printf("%s\n", why.empty() ? "taken or refused as it must be" : why.c_str());
    return why.empty() ? 0 : 1;
}

}  // namespace
}  // namespace gathercheck::fuzz

int main(int argc, char** argv) {
    gathercheck::fuzz::Options options;
    if (argc > 1) options.kind = argv[1];
    for (int k = 2; k + 1 < argc; k += 2) {
        const std::string_view name = argv[k];
        const std::string_view value = argv[k + 1];
        const char* end = value.data() + value.size();
        if (name == "--spec") options.spec = value;
        if (name == "--corpus") options.corpus = value;
        if (name == "--save") options.save = value;
        if (name == "--replay") options.replay = value;
        if (name == "--seconds") std::from_chars(value.data(), end, options.seconds);
        if (name == "--seed") std::from_chars(value.data(), end, options.seed);
    }
    return gathercheck::fuzz::fuzz_kind(options);
}
