// SPDX-License-Identifier: Apache-2.0
// Calls written to a file, answers read from one.
#include "conformance/implementations/worker/offline.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/implementations/worker/protocol_json.hpp"
#include "conformance/util/bounded_lines.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

/// What a call is found again by: all of its message but the number.
std::size_t key_of(bool describe, std::string_view members) {
    std::string key(1, describe ? 'd' : 'r');
    key += members;
    return std::hash<std::string>{}(key);
}

class CallWriter final : public Implementation {
public:
    CallWriter(std::vector<Claim> claims, bool describes,
               std::function<void(std::string_view)> write)
        : write_(std::move(write)) {
        introduction_.claims = std::move(claims);
        introduction_.describes = describes;
        introduction_.runs_sequences = false;
    }

    const std::string& name() const override { return name_; }
    std::optional<NotStarted> start() override { return std::nullopt; }
    const Introduction& introduction() const override { return introduction_; }

    void answer(std::span<const Request> requests, const Answered& answered) override {
        for (std::size_t k = 0; k < requests.size(); ++k) {
            write(requests[k]);
            answered(k, NotRun{"written down"});
        }
    }

    std::optional<ProgramSource> reproduce(const Request&) override { return std::nullopt; }

private:
    void write(const Request& request) {
        if (size_of_call_members(request) > longest_line) return;
        const std::string members = call_members(request);
        const auto next = static_cast<std::int64_t>(numbers_.size()) + 1;
        const auto [place, is_new] = numbers_.emplace(key_of(request.describe, members), next);
        if (is_new) write_(call_message(place->second, request, members, false));
    }

    std::string name_ = "calls";
    Introduction introduction_;
    std::function<void(std::string_view)> write_;
    std::unordered_map<std::size_t, std::int64_t> numbers_;
};

class AnswersOf final : public Implementation {
public:
    AnswersOf(Calls calls, std::vector<Answers> answers, std::string name,
              Introduction introduction, std::function<void(const std::string&)> on_broken)
        : calls_(std::move(calls)),
          answers_(std::move(answers)),
          name_(std::move(name)),
          introduction_(std::move(introduction)),
          on_broken_(std::move(on_broken)) {
        introduction_.runs_sequences = false;  // nobody knows in which order they were answered
    }

    const std::string& name() const override { return name_; }
    std::optional<NotStarted> start() override { return std::nullopt; }
    const Introduction& introduction() const override { return introduction_; }

    void answer(std::span<const Request> requests, const Answered& answered) override {
        for (std::size_t k = 0; k < requests.size(); ++k) {
            Outcome outcome = find(requests[k]);
            const auto* broken = std::get_if<Broken>(&outcome);
            if (broken != nullptr) on_broken_(broken->what);
            answered(k, std::move(outcome));
        }
    }

    std::optional<ProgramSource> reproduce(const Request&) override { return std::nullopt; }

private:
    Outcome find(const Request& request) const {
        if (size_of_call_members(request) > longest_line) {
            return Unsupported{"the call does not fit a line of the protocol"};
        }
        const auto asked = calls_.numbers.find(key_of(request.describe, call_members(request)));
        if (asked == calls_.numbers.end()) {
            return Broken{calls_.file + " lacks this call; make it again: gathercheck calls"};
        }
        const Answers& answers = request.pass == 0 ? answers_.front() : answers_.back();
        const auto [first, behind] = answers.lines.equal_range(asked->second);
        const std::string number = "call " + std::to_string(asked->second);
        if (first == behind) return NotRun{answers.file + " has no answer to " + number};
        const std::string where = answers.file + ":" + std::to_string(first->second.number) + ": ";
        if (std::next(first) != behind) {
            return Broken{where + number + " is answered again in line " +
                          std::to_string(std::next(first)->second.number)};
        }
        auto answer = read_answer(first->second.text, asked->second, request.describe);
        if (const auto* malformed = std::get_if<Malformed>(&answer)) {
            return Broken{where + "the answer " + malformed->why + ": " +
                          shown(first->second.text)};
        }
        return std::get<Answer>(std::move(answer)).outcome;
    }

    Calls calls_;
    std::vector<Answers> answers_;
    std::string name_;
    Introduction introduction_;
    std::function<void(const std::string&)> on_broken_;
};

Problem problem(const std::string& file, std::size_t line, std::string reason) {
    return {file + ":" + std::to_string(line), "", std::move(reason)};
}

/// Calls `use` with each line that is not empty, and its number; stops at the first problem.
std::optional<Problem> for_lines(
    const std::filesystem::path& path,
    const std::function<std::optional<Problem>(std::string&&, std::size_t)>& use) {
    BoundedLines lines(path, longest_line);
    if (!lines.is_open()) return Problem{path.generic_string(), "", "cannot be read"};
    std::size_t number = 0;
    for (std::string line; lines.next(line);) {
        ++number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        if (auto found = use(std::move(line), number)) return found;
    }
    if (lines.is_too_long()) {
        return problem(path.generic_string(), number + 1,
                       "is longer than " + std::to_string(longest_line) +
                           " bytes, which no message of the protocol is");
    }
    if (!lines.fault().empty()) return Problem{path.generic_string(), "", lines.fault()};
    return std::nullopt;
}

/// The object that a line is, or why it is none.
std::variant<Json, std::string> object_of(const std::string& line) {
    JsonResult parsed = parse_json(line, "line", {longest_line, 64});
    if (const auto* problems = std::get_if<std::vector<Problem>>(&parsed)) {
        return problems->front().reason + ": " + shown(line);
    }
    if (!std::get<Json>(parsed).is_object()) return "not a JSON object: " + shown(line);
    return std::get<Json>(std::move(parsed));
}

std::vector<std::string> texts(const Json& object, std::string_view key) {
    std::vector<std::string> result;
    const Json* list = find_member(object, key);
    if (list == nullptr || !list->is_array()) return result;
    for (const Json& entry : *list) {
        if (entry.is_string()) result.push_back(entry.get<std::string>());
    }
    return result;
}

std::string text(const Json& object, std::string_view key) {
    const Json* member = find_member(object, key);
    return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

/// What the first line of a file of calls says; nothing where it says no selection.
std::optional<Selection> selection_of(const std::string& line) {
    const auto read = object_of(line);
    const auto* object = std::get_if<Json>(&read);
    const Json* said = object == nullptr ? nullptr : find_member(*object, "selection");
    if (said == nullptr || !said->is_object()) return std::nullopt;
    const Json* lists = find_member(*said, "expectations");
    return Selection{text(*said, "suite_hash"), texts(*said, "cases"),
                     texts(*said, "filter"),    text(*said, "sweeps"),
                     text(*said, "claims"),     lists != nullptr && *lists == true};
}

/// {"output": {...}} or {"error": category}.
std::string alternative_json(const ResolvedAlternative& alternative) {
    if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
        return R"({"error":")" + std::string(name(error->category)) + R"("})";
    }
    const auto& output = std::get<ResolvedOutput>(alternative);
    std::string text = R"({"output":)";
    const auto& [type, shape] = output.descriptor;
    const TensorView bare{type, shape, nullptr};
    append_tensor(text, output.contents ? output.contents->view() : bare, !output.contents);
    if (!output.sha256.empty())
        text.insert(text.size() - 1, R"(,"sha256":")" + output.sha256 + '"');
    return text + '}';
}

std::string expect_text(const Listed& listed) {
    if (listed.alternatives.empty()) {
        return R"({"unspecified":)" + Json(listed.unspecified).dump() + '}';
    }
    if (listed.alternatives.size() == 1) return alternative_json(listed.alternatives.front());
    std::string text = R"({"either":[)";
    for (const ResolvedAlternative& alternative : listed.alternatives) {
        text += (text.back() == '[' ? "" : ",") + alternative_json(alternative);
    }
    return text + "]}";
}

}  // namespace

std::unique_ptr<Implementation> call_writer(std::vector<Claim> claims, bool describes,
                                            std::function<void(std::string_view)> write) {
    return std::make_unique<CallWriter>(std::move(claims), describes, std::move(write));
}

std::unique_ptr<Implementation> answers_of(Calls calls, std::vector<Answers> answers,
                                           std::string name, Introduction introduction,
                                           std::function<void(const std::string&)> on_broken) {
    return std::make_unique<AnswersOf>(std::move(calls), std::move(answers), std::move(name),
                                       std::move(introduction), std::move(on_broken));
}

std::string selection_message(const Selection& selection) {
    Json said{{"suite_hash", selection.suite_hash},
              {"cases", selection.cases},
              {"filter", selection.filters},
              {"sweeps", selection.sweeps},
              {"claims", selection.claims}};
    if (selection.lists_executions) said["expectations"] = true;
    std::string message = hello_message();
    message.resize(message.size() - 2);  // the brace and the end of the line
    return message + ",\"selection\":" + said.dump() + "}\n";
}

std::string end_message(const std::vector<std::string>& unmatched) {
    std::string message = goodbye_message();
    if (unmatched.empty()) return message;
    message.resize(message.size() - 2);  // the brace and the end of the line
    return message + ",\"unmatched\":" + Json(unmatched).dump() + "}\n";
}

std::string listed_message(std::int64_t seq, const Request& request, const Listed* listed) {
    std::string message = call_message(seq, request, call_members(request), false);
    if (listed == nullptr) return message;
    std::string said = R"("case":)" + Json(listed->case_id).dump() + R"(,"title":)" +
                       Json(listed->title).dump() + R"(,"expect":)" + expect_text(*listed);
    Json rules = Json::array();
    for (const Rule* rule : listed->rules) {
        rules.push_back({{"id", rule->id}, {"statement", rule->statement}});
    }
    said += R"(,"rules":)" + rules.dump();
    if (listed->control != 0) said += R"(,"control":)" + std::to_string(listed->control);
    if (!listed->known_outcomes.empty()) {
        Json known{{"outcomes", listed->known_outcomes}, {"reason", listed->known_reason}};
        if (!listed->known_finding.empty()) known["finding"] = listed->known_finding;
        said += R"(,"known":)" + known.dump();
    }
    // read_calls() takes what stands behind the number for the call.
    return message.insert(message.find(R"("seq":)"), said + ',');
}

std::variant<Selection, Problem> read_selection(const std::filesystem::path& path) {
    std::variant<Selection, Problem> result =
        Problem{path.generic_string(), "", "is empty; make it: gathercheck calls --expectations"};
    const auto found = for_lines(path, [&](std::string&& line, std::size_t number) {
        auto selection = selection_of(line);
        const Problem wrong =
            problem(path.generic_string(), number, "no file that `gathercheck calls` wrote");
        if (selection) result = std::move(*selection);
        return std::optional(wrong);  // ends the reading
    });
    if (found && std::get_if<Problem>(&result) != nullptr) return *found;
    return result;
}

std::variant<std::optional<StreamedAnswer>, std::string> read_streamed_answer(
    std::string_view line, const std::function<bool(std::int64_t)>& is_described) {
    const auto read = object_of(std::string(line));
    if (const auto* why = std::get_if<std::string>(&read)) return *why;
    const Json& object = std::get<Json>(read);
    const std::string message = text(object, "message");
    if (message == "hello" || message == "goodbye") return std::optional<StreamedAnswer>();
    const Json* member = find_member(object, "seq");
    const auto seq = member == nullptr ? std::nullopt : as_integer(*member);
    if (!seq) {
        return (member == nullptr ? "has no \"seq\"" : "\"seq\" is " + describe_json(*member)) +
               ", the number of the call that it answers: " + shown(line);
    }
    const Json* crash = find_member(object, "crash");
    const Json* timeout = find_member(object, "timeout");
    if (crash != nullptr && crash->is_string()) {
        return StreamedAnswer{*seq, Crash{crash->get<std::string>()}};
    }
    if (timeout != nullptr && timeout->is_number()) {
        return StreamedAnswer{*seq, Timeout{timeout->get<double>()}};
    }
    auto answer = read_answer(object, *seq, is_described(*seq), true);
    if (const auto* malformed = std::get_if<Malformed>(&answer)) {
        return StreamedAnswer{*seq, Broken{"the answer " + malformed->why + ": " + shown(line)}};
    }
    return StreamedAnswer{*seq, std::get<Answer>(std::move(answer)).outcome};
}

std::variant<Calls, Problem> read_calls(const std::filesystem::path& path) {
    Calls calls;
    calls.file = path.generic_string();
    bool selected = false;
    const auto found = for_lines(path, [&](std::string&& line, std::size_t number) {
        const bool first = !std::exchange(selected, true);
        std::optional<Problem> none;
        if (!first && line.starts_with(R"({"message":"goodbye")")) return none;
        if (first) {
            auto selection = selection_of(line);
            if (!selection) {
                return std::optional(
                    problem(calls.file, number, "no file that `gathercheck calls` wrote"));
            }
            calls.selection = std::move(*selection);
            return none;
        }
        // The number stands behind the kind and what is listed, the members behind the number.
        const bool describe = line.starts_with(R"({"message":"describe",)");
        const std::size_t begin = line.find("\"seq\":");
        const std::size_t comma = line.find(',', std::min(begin, line.size()));
        if (comma == std::string::npos || line.back() != '}') {
            return std::optional(
                problem(calls.file, number, "no line that `gathercheck calls` wrote"));
        }
        const std::int64_t seq = std::atoll(line.c_str() + begin + 6);
        const std::string_view members =
            std::string_view(line).substr(comma + 1, line.size() - comma - 2);
        calls.numbers.emplace(key_of(describe, members), seq);
        calls.largest = std::max(calls.largest, seq);
        return none;
    });
    if (found) return *found;
    if (!selected) return Problem{calls.file, "", "is empty; make it: gathercheck calls"};
    return calls;
}

std::variant<Answers, Problem> read_answers(const std::filesystem::path& path, const Calls& calls) {
    Answers answers;
    answers.file = path.generic_string();
    const std::int64_t largest = calls.largest;
    const auto found = for_lines(path, [&](std::string&& line, std::size_t number) {
        const auto read = object_of(line);
        if (const auto* why = std::get_if<std::string>(&read)) {
            const bool cut = line.back() != '}' && line.front() == '{';
            return std::optional(problem(
                answers.file, number,
                *why + (cut ? "; the line was cut short: write the file again, or remove the line"
                            : "")));
        }
        const Json& object = std::get<Json>(read);
        if (text(object, "message") == "hello") {
            answers.hello = std::move(line);
            return std::optional<Problem>();
        }
        const Json* member = find_member(object, "seq");
        const auto seq = member == nullptr ? std::nullopt : as_integer(*member);
        if (!seq || *seq < 1 || *seq > largest) {
            return std::optional(
                problem(answers.file, number,
                        std::string(member == nullptr ? "has no \"seq\"" : "\"seq\" is ") +
                            (member == nullptr ? "" : describe_json(*member)) +
                            ", the number of the call it answers, which " + calls.file +
                            " has from 1 to " + std::to_string(largest) + ": " + shown(line)));
        }
        answers.lines.emplace(*seq, Answers::Line{number, std::move(line)});
        return std::optional<Problem>();
    });
    if (found) return *found;
    return answers;
}

}  // namespace gathercheck
