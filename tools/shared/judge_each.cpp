// SPDX-License-Identifier: Apache-2.0
// One line in, one line out: answers to listed calls, and their records.
#include "tools/shared/judge_each.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/offline.hpp"
#include "conformance/implementations/worker/worker_streams.hpp"
#include "conformance/mutants/diagnosis.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/run/judge_execution.hpp"
#include "conformance/run/listed_calls.hpp"
#include "conformance/run/prepared_cases.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/offline.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {
namespace {

class EachJudge {
public:
    EachJudge(const JudgeEach& options, const LoadedSuite& loaded, const Selection& selection,
              Introduction introduction, const Filter& filter, std::optional<KnownFailures> known)
        : loaded_(loaded),
          name_(options.implementation),
          introduction_(std::move(introduction)),
          known_(std::move(known)),
          cases_(loaded.suite, loaded.rules, loaded.equations),
          calls_(list_calls(loaded.suite, cases_, filter, *sweeps(selection.sweeps), introduction_,
                            !selection.claims.empty())),
          diagnosis_(loaded.equations, loaded.rules) {
        // Who claims nothing breaks no promise.
        if (!selection.claims.empty()) return;
        for (ListedCall& call : calls_) call.execution.claimed = false;
    }

    int go();

private:
    const ListedCall* call(std::int64_t seq) const {
        const bool is_there = seq >= 1 && seq <= static_cast<std::int64_t>(calls_.size());
        return is_there ? &calls_[static_cast<std::size_t>(seq) - 1] : nullptr;
    }
    /// The line that a line leads to; empty where it leads to none.
    std::string judged(std::string_view line);
    std::string judged(const ListedCall& call, const StreamedAnswer& answer);
    std::string judged_control(const StreamedAnswer& answer, const PreparedCase& prepared);
    std::string error(const std::string& why) {
        exit_code_ = 3;
        return Json{{"error", "line " + std::to_string(number_) + ": " + why}}.dump(
                   -1, ' ', false, Json::error_handler_t::replace) +
               '\n';
    }

    const LoadedSuite& loaded_;
    std::string name_;
    Introduction introduction_;
    std::optional<KnownFailures> known_;
    PreparedCases cases_;
    std::vector<ListedCall> calls_;
    Diagnosis diagnosis_;
    std::map<std::int64_t, bool> control_passed_;
    std::int64_t number_ = 0;  // of the line, counted from 1
    int exit_code_ = 0;
};

std::string EachJudge::judged(std::string_view line) {
    const auto read = read_streamed_answer(line, [this](std::int64_t seq) {
        const ListedCall* asked = call(seq);
        return asked != nullptr && asked->execution.tested->is_described();
    });
    if (const auto* why = std::get_if<std::string>(&read)) return error(*why);
    const auto& answer = std::get<std::optional<StreamedAnswer>>(read);
    if (!answer) return {};
    const ListedCall* asked = call(answer->seq);
    if (asked == nullptr) {
        return error("\"seq\" is " + std::to_string(answer->seq) +
                     "; the calls have numbers from 1 to " + std::to_string(calls_.size()));
    }
    const auto& [tested, version, route, claimed] = asked->execution;
    if (const auto why = lacks_memory(*tested, version, loaded_.equations)) return error(*why);
    return judged(*asked, *answer);
}

std::string EachJudge::judged(const ListedCall& call, const StreamedAnswer& answer) {
    const Execution& execution = call.execution;
    const PreparedCasePointer prepared = cases_.prepared(*execution.tested, execution.version);
    if (call.is_control) return judged_control(answer, *prepared);
    const Answering answering{name_, introduction_, known_ ? &*known_ : nullptr};
    const bool control_passed =
        call.control == 0 || control_passed_[static_cast<std::int64_t>(call.control)];
    const auto [record, element] = judge_execution(answering, loaded_.equations, execution,
                                                   *prepared, control_passed, answer.outcome);
    diagnosis_.add(*execution.tested, answer.outcome, record);
    // The number comes first, then the record as a run writes it.
    std::string line = to_json_line(record);
    std::string before = "\"seq\":" + std::to_string(answer.seq) + ',';
    if (element) before += "\"element\":" + std::to_string(*element) + ',';
    return line.insert(1, before) + '\n';
}

std::string EachJudge::judged_control(const StreamedAnswer& answer, const PreparedCase& prepared) {
    const Question question{prepared.alternatives, {}, false, true, true};
    const bool passed =
        prepared.fault.empty() && judge(question, answer.outcome).verdict == Verdict::pass;
    control_passed_[answer.seq] = passed;
    return R"({"seq":)" + std::to_string(answer.seq) + R"(,"record":"control","passed":)" +
           (passed ? "true" : "false") + "}\n";
}

int EachJudge::go() {
    LineReader lines(STDIN_FILENO);
    while (const auto line = lines.next()) {
        ++number_;
        if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (line->starts_with(R"({"message":"goodbye")")) break;
        if (!write_all(STDOUT_FILENO, judged(*line))) return exit_code_;
    }
    const std::string text = diagnosis_.text();
    if (!text.empty()) {
        write_all(STDOUT_FILENO, to_json_line(NoteRecord{name_, "diagnosis", text}) + '\n');
    }
    return exit_code_;
}

}  // namespace

int judge_each(const JudgeEach& options) {
    const auto read = read_selection(options.calls);
    if (const auto* problem = std::get_if<Problem>(&read)) return refuse(to_string(*problem));
    const Selection& selection = std::get<Selection>(read);
    if (!selection.lists_executions) {
        return refuse(options.calls +
                      " lists no executions; make it again: gathercheck calls --expectations");
    }
    auto introduction = introduction_of(selection.claims);
    auto filter = parse_filter(selection.filters);
    if (std::holds_alternative<std::string>(introduction) ||
        std::holds_alternative<std::string>(filter) || !sweeps(selection.sweeps)) {
        return refuse(options.calls +
                      " says of its selection what is not understood here; make it again: "
                      "gathercheck calls --expectations");
    }
    const auto loaded = load_suite(selection.cases);
    if (!loaded) return exit_bad_input;
    if (loaded->suite.hash != selection.suite_hash) {
        return refuse(options.calls + " was made of other cases than those here (suite " +
                      selection.suite_hash.substr(0, 12) + ", here " +
                      loaded->suite.hash.substr(0, 12) +
                      "); make it again: gathercheck calls --expectations");
    }
    Introduction answering = std::get<Introduction>(std::move(introduction));
    if (selection.claims.empty()) answering.describes = false;
    answering.runs_sequences = false;
    std::optional<KnownFailures> known;
    if (!load_known_failures_of(options.known_failures, *loaded, answering.version, known)) {
        return exit_bad_input;
    }
    return EachJudge(options, *loaded, selection, std::move(answering), std::get<Filter>(filter),
                     std::move(known))
        .go();
}

}  // namespace gathercheck
