// SPDX-License-Identifier: Apache-2.0
// The bodies: reading, and using what was read.
#include "tools/fuzz/targets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>
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

namespace gathercheck::fuzz {
namespace {

namespace fs = std::filesystem;

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

/// What targets need beside an input, and the file that it is written to.
struct Shipped {
    RuleCatalogue rules;
    std::optional<Suite> suite;
    std::optional<Equations> equations;
    FindingCatalogue findings;
    File file;
};

/// Moves what was loaded; false where it is problems, of which the first is told.
template <class Value, class Into>
bool take(std::variant<Value, std::vector<Problem>> loaded, Into& into, std::string& problem) {
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        problem = to_string(problems->front());
        return false;
    }
    into = std::get<Value>(std::move(loaded));
    return true;
}

}  // namespace

std::string content_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::variant<std::optional<Target>, std::string> target_of(const std::string& kind,
                                                           const Places& places) {
    const auto shipped = std::make_shared<Shipped>();
    std::string problem;
    std::vector<Dialect> dialects;
    if (!take(load_dialects(places.spec / "dialects"), dialects, problem) ||
        !take(load_rules(places.spec / "rules"), shipped->rules, problem)) {
        return problem;
    }
    if (kind == "cases") {
        return Target(
            [shipped](const std::string& text) { return read_cases(text, shipped->rules); });
    }
    if (kind == "records") {
        if (!take(load_cases({places.corpus / "cases"}, shipped->rules), shipped->suite, problem) ||
            !take(Equations::load(places.spec / "equations.json"), shipped->equations, problem)) {
            return problem;
        }
        return Target([shipped](const std::string& text) {
            return use_records(shipped->file.write(text), *shipped->suite, *shipped->equations,
                               shipped->rules);
        });
    }
    if (kind == "answers") {
        return Target([shipped](const std::string& text) {
            std::string why = read_lines(text);
            return why.empty() ? use_answers(shipped->file.write(text)) : why;
        });
    }
    if (kind == "known_failures") {
        if (!take(load_findings(places.spec / "findings", shipped->rules), shipped->findings,
                  problem)) {
            return problem;
        }
        return Target([shipped](const std::string& text) {
            const auto loaded =
                load_known_failures(shipped->file.write(text), shipped->rules, shipped->findings);
            const auto* problems = std::get_if<std::vector<Problem>>(&loaded);
            return problems != nullptr ? about(*problems) : std::string();
        });
    }
    if (kind == "import" && has_import()) {
        return Target(
            [shipped](const std::string& bundle) { return import_bundle(bundle, shipped->rules); });
    }
    return std::nullopt;
}

}  // namespace gathercheck::fuzz
