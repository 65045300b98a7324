// SPDX-License-Identifier: Apache-2.0
// What reports are made of: the records of one or more runs, gathered by implementation, operator
// and case.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/model/rules.hpp"
#include "conformance/records/record.hpp"
#include "conformance/records/tally.hpp"

namespace gathercheck {

/// An execution that a reader may want to see, and the command that repeats it.
struct ShownExecution {
    ExecutionRecord record;
    std::string repeat;
};

/// All executions of one case, of a sweep as a whole, for one operator version: the unit that CI
/// servers follow from run to run.
struct CaseResults {
    std::array<std::int64_t, verdict_count> verdicts{};
    std::vector<ShownExecution> shown;  ///< failures, known ones too, and what else is looked at
    std::optional<std::int64_t> microseconds = {};  ///< of all; nothing where none is known

    std::int64_t count(Verdict verdict) const {
        return verdicts[static_cast<std::size_t>(verdict)];
    }
};

/// One implementation in one version.
struct ImplementationResults {
    std::string name;
    std::string version;
    /// By operator version and case id, sweeps without their values.
    std::map<std::pair<OperatorVersion, std::string>, CaseResults> cases;
    /// By operator version: what was done where nothing is specified.
    std::map<OperatorVersion, std::map<std::string, std::int64_t>> classes;
};

/// One run, from its first record to its last.
struct RunResults {
    RunRecord run;
    std::optional<EndRecord> end;  ///< nothing where the run was cut short
};

/// Gathers records as they come, of one file after the other.
class ReportData {
public:
    void add(const Record& record);

    /// As of the tally.
    void set_lacking(std::vector<std::string> lacking) { tally_.set_lacking(std::move(lacking)); }

    const std::vector<RunResults>& runs() const { return runs_; }
    const Tally& tally() const { return tally_; }

    /// In the order of the tally; those that did not start have no cases.
    const std::vector<ImplementationResults>& implementations() const { return implementations_; }

private:
    ImplementationResults& results_of(const std::string& name, const std::string& version);

    std::vector<RunResults> runs_;
    Tally tally_;
    std::vector<ImplementationResults> implementations_;
};

/// Share of the executions that were judged and passed, in tenths of a percent, rounded down;
/// nothing where none was judged.
std::optional<std::int64_t> pass_share(const Tally& tally);

/// "99.9 %".
std::string share_text(std::int64_t tenths_of_percent);

/// "conforms", "conforms but for 2 known failures", or what else the exit code of the records says.
std::string conclusion(const Tally& tally);

/// Where a case is written.
struct CasePlace {
    std::string uri;        ///< of its file
    std::int64_t line = 0;  ///< from 1
};

/// What the suite tells of records that they do not tell themselves. Members without a function,
/// and functions that return nothing, leave it out.
struct SuiteWords {
    /// The operands of the call: "data: f32 [3, 2] = 1, 2, ...", "axis: 0".
    std::function<std::vector<std::string>(const ExecutionRecord&)> call;
    std::function<const Rule*(const std::string& id)> rule;
    std::function<std::string(const std::string& document)> address;
    std::function<std::optional<CasePlace>(const std::string& case_id)> place;
};

/// What is wrong with an execution in a few words: "wrong value", "crash", "fixed".
std::string kind_of(const ExecutionRecord& record);

/// What a developer must know of an execution, in lines of a bounded length: the call, what was
/// expected and what came, the sentences behind it, and the command that repeats it.
std::string details_of(const ShownExecution& shown, const SuiteWords& words);

/// JUnit XML as CI servers show it: a suite an implementation, a test a case and operator version;
/// known failures are skipped, with their reason.
std::string junit_report(const ReportData& data, const SuiteWords& words = {});

/// SARIF 2.1.0 for whoever shows findings of static analysis beside the code: a result a case and
/// operator version that fails, at the line that the case is written in.
std::string sarif_report(const ReportData& data, const SuiteWords& words);

/// A summary for a pull request: at most 60 lines of Markdown.
std::string markdown_report(const ReportData& data);

/// A badge with the share that passed, and how many failures are known: an SVG.
std::string badge(const ReportData& data);
/// The same for servers that draw badges: the JSON of a shields.io endpoint.
std::string badge_json(const ReportData& data);

/// Text for HTML and XML, element or attribute: what these cannot hold is replaced.
std::string xml_text(const std::string& text);

}  // namespace gathercheck
