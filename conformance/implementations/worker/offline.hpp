// SPDX-License-Identifier: Apache-2.0
// Calls by file: written down for a program that nobody here can start, and its answers read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/model/implementation.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// Which executions a file of calls was made for; a run of the same answers to them again asks the
/// same calls. The rest is as on the command line.
struct Selection {
    std::string suite_hash;
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string sweeps;
    std::string claims;             ///< a worker's hello; empty: everything is claimed
    bool lists_executions = false;  ///< a call for each execution, with what is expected of it
};

/// Makes an implementation that is asked, once for each different call, and never answers: `write`
/// gets each message.
std::unique_ptr<Implementation> call_writer(std::vector<Claim> claims, bool describes,
                                            std::function<void(std::string_view)> write);

/// First line of a file of calls: a hello that also says what was selected.
std::string selection_message(const Selection& selection);

/// Last line of a file of calls: a goodbye that also says which known failures are of none of them.
std::string end_message(const std::vector<std::string>& unmatched);

/// What a file that lists executions says of one beside its call.
struct Listed {
    std::string case_id;
    std::string title;
    std::span<const ResolvedAlternative> alternatives;  ///< none: unspecified
    std::string unspecified;                            ///< why no sentence decides
    std::vector<const Rule*> rules;
    std::int64_t control = 0;                      ///< number of its control; 0: none
    std::vector<std::string> known_outcomes = {};  ///< of its known failure; none: there is none
    std::string known_reason = {};
    std::string known_finding = {};
};

/// The call with that; of a control the call alone (null).
std::string listed_message(std::int64_t seq, const Request& request, const Listed* listed);

/// A file of calls.
struct Calls {
    std::string file;
    Selection selection;
    /// Hash of a call's kind and members: its number.
    std::unordered_map<std::size_t, std::int64_t> numbers;
    std::int64_t largest = 0;  ///< number
};
std::variant<Calls, Problem> read_calls(const std::filesystem::path& file);

/// What the first line of such a file says; the rest of it is not read.
std::variant<Selection, Problem> read_selection(const std::filesystem::path& file);

/// An answer as it comes: beside the forms of the protocol, "crash" (what ended the call without an
/// answer, a text) and "timeout" (after how many seconds).
struct StreamedAnswer {
    std::int64_t seq = 0;
    Outcome outcome;
};
/// Reads a line. A hello or goodbye is nothing; the text is why the line answers no call.
std::variant<std::optional<StreamedAnswer>, std::string> read_streamed_answer(
    std::string_view line, const std::function<bool(std::int64_t seq)>& is_described);

/// A file of answers to them.
struct Answers {
    struct Line {
        std::size_t number = 0;  ///< counted from 1
        std::string text;
    };
    std::string file;
    std::string hello;                        ///< a worker's, where the file has one
    std::multimap<std::int64_t, Line> lines;  ///< by the number of the call
};
std::variant<Answers, Problem> read_answers(const std::filesystem::path& file, const Calls& calls);

/// Makes an implementation that answers from files: the first has the answers of the first pass,
/// the last those of the second. `introduction` is what it claims to be; `on_broken`
/// gets what is wrong with each answer that is malformed.
std::unique_ptr<Implementation> answers_of(Calls calls, std::vector<Answers> answers,
                                           std::string name, Introduction introduction,
                                           std::function<void(const std::string&)> on_broken);

}  // namespace gathercheck
