// SPDX-License-Identifier: Apache-2.0
// JUnit XML from records.
#include <cstdio>
#include <string>

#include "conformance/records/tally.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

/// Failures of one case that are written out; a sweep may have thousands.
constexpr std::size_t most_details = 20;
/// Servers show it in a line; all of it is in the text of the failure.
constexpr std::size_t longest_message_shown = 500;

std::string attribute(const char* key, const std::string& value) {
    // A new line in an attribute is read as a space, so it is written as one.
    std::string line = value;
    for (char& c : line) {
        if (c == '\n' || c == '\t') c = ' ';
    }
    return std::string(" ") + key + "=\"" + xml_text(line) + "\"";
}

std::string time_of(double seconds, int digits = 3) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, seconds);
    return attribute("time", text);
}

/// Most calls take some microseconds. Whoever reads JUnit wants a time even where none is known.
std::string time_of(const CaseResults& results) {
    constexpr double microseconds_of_second = 1e6;
    if (!results.microseconds) return time_of(0);
    return time_of(static_cast<double>(*results.microseconds) / microseconds_of_second, 6);
}

double seconds_of(const ReportData& data) {
    double seconds = 0;
    for (const RunResults& one : data.runs()) seconds += one.end ? one.end->seconds : 0;
    return seconds;
}

/// What a test is to a CI server.
enum class State : std::uint8_t { passed, failed, error, skipped };

State state_of(const CaseResults& results) {
    if (results.count(Verdict::broken) > 0) return State::error;
    const std::int64_t wrong =
        failures_of(results) + results.count(Verdict::fixed) + results.count(Verdict::not_run);
    if (wrong > 0) return State::failed;
    const std::int64_t good = results.count(Verdict::pass) + results.count(Verdict::unspecified);
    const std::int64_t pardoned =
        results.count(Verdict::known_failure) + results.count(Verdict::difference);
    if (pardoned > 0 || good == 0) return State::skipped;
    return State::passed;
}

bool belongs(Verdict verdict, State state) {
    switch (state) {
        case State::error:
            return verdict == Verdict::broken || is_reported(verdict);
        case State::failed:
            return is_reported(verdict);
        case State::skipped:
            return verdict == Verdict::known_failure || verdict == Verdict::difference;
        case State::passed:
            break;
    }
    return false;
}

std::string details(const CaseResults& results, State state, const SuiteWords& words) {
    std::string text;
    std::size_t count = 0;
    for (const ShownExecution& shown : results.shown) {
        if (!belongs(shown.record.verdict, state)) continue;
        if (++count > most_details) continue;
        text += details_of(shown, words);
    }
    if (count > most_details) {
        text += "... and " + std::to_string(count - most_details) + " more in the records\n";
    }
    if (results.count(Verdict::not_run) > 0) {
        text += std::to_string(results.count(Verdict::not_run)) +
                " executions were not run: an earlier crash or timeout ended the run\n";
    }
    return text;
}

std::string test_case(const std::string& implementation, OperatorVersion version,
                      const std::string& id, const CaseResults& results, const SuiteWords& words) {
    const std::string head =
        "    <testcase" +
        attribute("classname", implementation + "." + std::string(name(version))) +
        attribute("name", id) + time_of(results);
    const State state = state_of(results);
    if (state == State::passed) return head + "/>\n";
    const ExecutionRecord* first = nullptr;
    for (const ShownExecution& shown : results.shown) {
        if (first == nullptr && belongs(shown.record.verdict, state)) first = &shown.record;
    }
    std::string text = head + ">\n";
    if (state == State::skipped) {
        const std::string why =
            first == nullptr ? std::string("not supported")
            : first->verdict == Verdict::difference
                ? "difference of a witness: " + kind_of(*first) + ": " + first->detail
                : "known failure: " + first->reason;
        text += "      <skipped" + attribute("message", why) + "/>\n";
        const std::string more = details(results, state, words);
        if (!more.empty()) text += "      <system-out>" + xml_text(more) + "</system-out>\n";
        return text + "    </testcase>\n";
    }
    const char* element = state == State::error ? "error" : "failure";
    std::string message = "not run";
    std::string type = "not run";
    if (first != nullptr) {
        type = kind_of(*first);
        message = type;
        if (first->verdict == Verdict::fixed) {
            message +=
                ": no failure any more; --update-known-failures takes it out of the known failures";
        } else if (!first->detail.empty()) {
            message += ": " + shortened(first->detail, longest_message_shown);
        }
        if (!first->title.empty()) message += " (" + first->title + ")";
    }
    return text + "      <" + element + attribute("type", type) + attribute("message", message) +
           ">" + xml_text(details(results, state, words)) + "</" + element + ">\n    </testcase>\n";
}

struct Counts {
    std::int64_t tests = 0;
    std::int64_t failures = 0;
    std::int64_t errors = 0;
    std::int64_t skipped = 0;

    void add(State state) {
        ++tests;
        failures += state == State::failed ? 1 : 0;
        errors += state == State::error ? 1 : 0;
        skipped += state == State::skipped ? 1 : 0;
    }
    void add(const Counts& other) {
        tests += other.tests;
        failures += other.failures;
        errors += other.errors;
        skipped += other.skipped;
    }
    /// Of <testsuites>, which has no number of skipped tests where it is validated, as in Jenkins.
    std::string attributes() const {
        return attribute("tests", std::to_string(tests)) +
               attribute("failures", std::to_string(failures)) +
               attribute("errors", std::to_string(errors));
    }
    std::string attributes_of_suite() const {
        return attributes() + attribute("skipped", std::to_string(skipped));
    }
};

std::string property(const char* key, const std::string& value) {
    return "      <property" + attribute("name", key) + attribute("value", value) + "/>\n";
}

/// One test for what concerns an implementation as a whole.
std::string whole_test(const std::string& implementation, const char* element,
                       const std::string& message) {
    return "    <testcase" + attribute("classname", implementation) + attribute("name", "the run") +
           time_of(0) + ">\n      <" + element +
           (std::string(element) == "skipped" ? "" : attribute("type", "the run")) +
           attribute("message", message) + "/>\n    </testcase>\n";
}

std::string suite(const ReportData& data, const ImplementationTally& tally,
                  const ImplementationResults& results, const SuiteWords& words, Counts& all) {
    Counts counts;
    std::string tests;
    if (tally.record.state != "started") {
        const bool skipped = tally.record.state == "unavailable" && !tally.record.asked_by_name;
        counts.add(skipped ? State::skipped : State::error);
        tests += whole_test(tally.record.name, skipped ? "skipped" : "error",
                            tally.record.state + ": " + tally.record.why);
    }
    for (const auto& [key, of_case] : results.cases) {
        counts.add(state_of(of_case));
        tests += test_case(tally.record.name, key.first, key.second, of_case, words);
    }
    for (const NoteRecord& note : data.tally().notes()) {
        const bool is_verdict = note.level == "error" || note.level == "disagreement";
        if (note.implementation != tally.record.name || !is_verdict) continue;
        counts.add(note.level == "error" ? State::error : State::failed);
        tests +=
            whole_test(tally.record.name, note.level == "error" ? "error" : "failure", note.text);
    }
    std::string properties = property("version", tally.record.version) +
                             property("conclusion", conclusion(data.tally()));
    if (!data.runs().empty()) {
        const RunRecord& run = data.runs().front().run;
        std::string command;
        for (const std::string& argument : run.command) {
            command += (command.empty() ? "" : " ") + shell_word(argument);
        }
        properties += property("suite", run.suite_version + " " + run.suite_hash);
        properties += property("gathercheck", run.tool_version);
        properties += property("command", command);
        properties += property("machine", machine_text(run));
    }
    const std::string timestamp =
        data.runs().empty() ? std::string()
                            : attribute("timestamp", data.runs().front().run.started.substr(0, 19));
    all.add(counts);
    // Of several only what their executions took is recorded.
    std::int64_t microseconds = 0;
    for (const auto& [key, of_case] : results.cases) {
        microseconds += of_case.microseconds.value_or(0);
    }
    const double seconds = data.tally().implementations().size() == 1
                               ? seconds_of(data)
                               : static_cast<double>(microseconds) / 1e6;
    return "  <testsuite" + attribute("name", tally.record.name) + counts.attributes_of_suite() +
           time_of(seconds) + timestamp + ">\n    <properties>\n" + properties +
           "    </properties>\n" + tests + "  </testsuite>\n";
}

}  // namespace

std::string junit_report(const ReportData& data, const SuiteWords& words) {
    std::string suites;
    Counts all;
    for (const ImplementationTally& tally : data.tally().implementations()) {
        static const ImplementationResults nothing;
        const ImplementationResults* results = &nothing;
        for (const ImplementationResults& one : data.implementations()) {
            if (one.name == tally.record.name && one.version == tally.record.version) {
                results = &one;
            }
        }
        suites += suite(data, tally, *results, words, all);
    }
    if (data.tally().partial() || !data.tally().lacking().empty()) {
        Counts counts;
        counts.add(State::error);
        all.add(counts);
        suites +=
            "  <testsuite" + attribute("name", "the run") + counts.attributes_of_suite() +
            time_of(0) + ">\n" +
            whole_test("gathercheck", "error",
                       data.tally().partial() ? "the run was cut short: these records are partial"
                                              : data.tally().trouble()) +
            "  </testsuite>\n";
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
           attribute("name", "gathercheck") + all.attributes() + time_of(seconds_of(data)) + ">\n" +
           suites + "</testsuites>\n";
}

}  // namespace gathercheck
