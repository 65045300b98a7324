// SPDX-License-Identifier: Apache-2.0
// gathercheck smoke: tells the author of a worker in seconds what is wrong with it, step by step:
// start, hello, claims, a dozen calls, and the end.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/conversation.hpp"
#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/report/report.hpp"
#include "conformance/run/run.hpp"
#include "conformance/util/json.hpp"
#include "reference/shape.hpp"
#include "tools/shared/installed.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct SmokeVerb {
    std::string implementation;  ///< a program: "exec:COMMAND LINE", "onnxruntime"
    double seconds_to_start = 30;
    double seconds_per_call = 10;
    std::string format = "text";
};

constexpr std::size_t most_calls = 12;
constexpr std::size_t most_rejections = 4;
constexpr int most_starts = 4;
constexpr double seconds_to_end = 5;  // as the runner has it
constexpr double seconds_to_flush = 2;

/// One thing that was looked at.
struct Finding {
    enum class State : std::uint8_t { ok, warning, fail, trouble };
    State state = State::ok;
    std::string step;
    std::string text;
    std::vector<std::pair<std::string, std::string>> details;  ///< label and text
};

std::string_view name(Finding::State state) {
    switch (state) {
        case Finding::State::ok:
            return "ok";
        case Finding::State::warning:
            return "warning";
        case Finding::State::fail:
            return "FAIL";
        case Finding::State::trouble:
            return "TROUBLE";
    }
    return "";
}

std::string seconds_text(double seconds) { return (std::ostringstream() << seconds).str() + " s"; }

std::string trimmed(std::string_view line) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    return shown(line);
}

/// Names that people write for element types.
std::string_view usual_name(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 18> others{
        {{"float", "f32"},
         {"float32", "f32"},
         {"double", "f64"},
         {"float64", "f64"},
         {"float16", "f16"},
         {"half", "f16"},
         {"int8", "i8"},
         {"int16", "i16"},
         {"int32", "i32"},
         {"int64", "i64"},
         {"uint8", "u8"},
         {"uint16", "u16"},
         {"uint32", "u32"},
         {"uint64", "u64"},
         {"bool", "boolean"},
         {"bfloat16", "bf16"},
         {"complex64", "c64"},
         {"complex128", "c128"}}};
    for (const auto& [other, ours] : others) {
        if (other == name) return ours;
    }
    return {};
}

/// The names of a claim's list that nobody here knows.
std::vector<std::string> unknown_names(const Json& claim, std::string_view key) {
    std::vector<std::string> unknown;
    const Json* list = find_member(claim, key);
    if (list == nullptr || !list->is_array()) return unknown;
    for (const Json& entry : *list) {
        if (!entry.is_string()) continue;
        const auto word = entry.get<std::string>();
        bool known = false;
        if (key == "operators") known = operator_version(word).has_value();
        if (key == "data" || key == "indices") known = element_type(word).has_value();
        if (key == "operands") known = word == "runtime" || word == "constant" || word == "folded";
        if (key == "shapes") known = word == "static" || word == "dynamic";
        if (key == "axis") known = word == "constant" || word == "runtime";
        if (!known) unknown.push_back(word);
    }
    return unknown;
}

std::string call_text(const OwnedCall& call, const Route& route) {
    std::string text(name(call.call.version));
    for (const Attribute& attribute : call.call.attributes) {
        text += " " + attribute.name + "=" + to_string(attribute.value);
    }
    for (const auto& [input, tensor] : call.tensors) {
        text += ", " + input + " " + to_string(Outcome(ValueOutcome{tensor}));
    }
    return text + ", route " + to_string(route);
}

/// A call of the suite that is asked.
struct Asked {
    Execution execution;
    std::shared_ptr<const PreparedCase> prepared;
    std::optional<Outcome> first;  ///< nothing where there was no good answer
    std::string line;              ///< that it answered first
    bool must_be_rejected = false;
    bool done = false;  ///< it has its verdict
};

/// How much it matters that a call with this topic is among those asked.
int weight(std::string_view topic) {
    if (topic == "error index_out_of_bounds") return 6;
    if (topic.starts_with("negative value") || topic.starts_with("positive axis")) return 4;
    return topic.starts_with("operator ") || topic.starts_with("data ") ? 2 : 1;
}

/// What makes a call different from others: the more of it is new, the sooner it is asked.
std::set<std::string> topics_of(const Execution& execution, const PreparedCase& prepared) {
    const Call& call = prepared.call.call;
    std::set<std::string> topics{"operator " + std::string(name(call.version)),
                                 "route " + to_string(execution.route)};
    const std::size_t prefix = info(call.version).rules.size() + 1;
    for (const std::string& rule : prepared.rules) {
        if (rule.starts_with(info(call.version).rules)) topics.insert(rule.substr(prefix));
    }
    for (const ResolvedAlternative& alternative : prepared.alternatives) {
        const auto* error = std::get_if<ExpectedError>(&alternative);
        if (error != nullptr) topics.insert("error " + std::string(name(error->category)));
    }
    for (const Attribute& attribute : call.attributes) {
        const auto* value = std::get_if<std::int64_t>(&attribute.value);
        if (value == nullptr) continue;
        const std::string sign = *value < 0 ? "negative " : *value > 0 ? "positive " : "zero ";
        topics.insert(sign + attribute.name);
    }
    for (const Input& input : call.inputs) {
        topics.insert(input.name + " " + std::string(name(input.tensor.type)));
        topics.insert(input.name + " rank " +
                      std::to_string(std::min<std::int64_t>(input.tensor.shape.rank(), 3)));
        if (input.name == "data" || input.tensor.contents == nullptr ||
            !is_integer(input.tensor.type)) {
            continue;
        }
        const std::int64_t count = element_count(input.tensor.shape).value_or(0);
        for (std::int64_t k = 0; k < count; ++k) {
            const auto value = integer_element(input.tensor.type, input.tensor.contents, k);
            if (value && *value < 0) topics.insert("negative value in " + input.name);
            if (value && *value > 0) topics.insert("positive value in " + input.name);
        }
    }
    return topics;
}

class Smoke {
public:
    Smoke(const SmokeVerb& options, LoadedSuite loaded, Command command)
        : options_(options), loaded_(std::move(loaded)), command_(std::move(command)) {}

    int run() {
        if (start() && introduced() && asked_all()) ended();
        return conclude();
    }

private:
    // ------------------------------------------------------------------------------ findings

    Finding& add(Finding::State state, std::string step, std::string text) {
        print_last();
        findings_.push_back({state, std::move(step), std::move(text), {}});
        return findings_.back();
    }

    /// Each finding is printed when the next one comes, since details are added to the last.
    void print_last() {
        if (options_.format != "text" || printed_ == findings_.size()) return;
        const Finding& finding = findings_[printed_++];
        std::printf("%-8s %-12s %s\n", std::string(name(finding.state)).c_str(),
                    finding.step.c_str(), printable(finding.text).c_str());
        for (const auto& [label, text] : finding.details) {
            std::printf("    %-19s %s\n", (label + ":").c_str(),
                        printable_lines(text, "                        ").c_str());
        }
        std::fflush(stdout);
    }

    /// A fault of the worker: what it was sent, what it printed, why that is wrong, what to do.
    bool trouble(const std::string& step, const std::string& what, const Heard& heard,
                 const std::string& why, const std::string& remedy,
                 Finding::State state = Finding::State::trouble) {
        Finding& finding = add(state, step, what);
        auto& details = finding.details;
        if (!sent_.empty()) details.emplace_back("it was sent", trimmed(sent_));
        if (heard.kind == Heard::Kind::line || !heard.text.empty()) {
            details.emplace_back(
                "it printed", trimmed(heard.text) +
                                  (heard.kind == Heard::Kind::line ? "" : " (and no end of line)"));
        } else {
            details.emplace_back("it printed", "nothing");
        }
        if (heard.kind == Heard::Kind::ended) details.emplace_back("and then", heard.how);
        if (heard.kind == Heard::Kind::closed) {
            details.emplace_back("and then", "it closed its standard output");
        }
        if (!why.empty()) details.emplace_back("which is wrong", why);
        const std::string errors = talk_.errors();
        if (!errors.empty()) details.emplace_back("its stderr ends", errors);
        if (!remedy.empty()) details.emplace_back("what to do", remedy);
        return false;
    }

    // ------------------------------------------------------------------------------ the talk

    Heard say(const std::string& message, double seconds) {
        sent_ = message;
        return talk_.exchange(message, seconds);
    }

    std::variant<Outcome, Malformed> answer_of(const Heard& heard, std::int64_t seq,
                                               bool describe = false) const {
        auto answer = read_answer(heard.text, seq, describe, introduction_.reports_unsafe);
        if (auto* malformed = std::get_if<Malformed>(&answer)) return std::move(*malformed);
        return std::get<Answer>(std::move(answer)).outcome;
    }

    bool start() {
        if (const auto reason = talk_.start(command_)) {
            return trouble("start", "it cannot be started: " + *reason, {}, "", "");
        }
        return true;
    }

    /// What a line that is missing means; always false. `what` was expected.
    bool no_line(const std::string& step, const std::string& what, const Heard& heard,
                 double seconds) {
        if (heard.kind == Heard::Kind::ended) {
            const bool lacks_package =
                talk_.errors().find("No module named 'gathercheck'") != std::string::npos;
            return trouble(step, "it ended before its " + what, heard, "",
                           lacks_package
                               ? "let its Python find the module: PYTHONPATH=" +
                                     shell_word(loaded_.installed.adapters.string()) +
                                     ", or copy the folder gathercheck from there beside it"
                               : "find out why in what it printed; it must go on reading until "
                                 "goodbye or the end of its input");
        }
        if (heard.kind == Heard::Kind::closed) {
            return trouble(step, "it closed its standard output before its " + what, heard, "",
                           "keep standard output open: it carries the answers");
        }
        // Whoever keeps lines back lets them go at the latest when nothing more can come.
        const Heard late = talk_.close_input(seconds_to_flush);
        if (late.kind == Heard::Kind::line) {
            return trouble(step,
                           "its " + what +
                               " came only when its input was closed: it keeps back "
                               "what it prints",
                           late, "the runner waits for it in vain",
                           "flush standard output after every line: print(..., flush=True), "
                           "fflush(stdout), std::cout << std::flush, System.out.flush(); and read "
                           "line by line, not to the end");
        }
        if (!heard.text.empty()) {
            return trouble(step, "its " + what + " has no end", heard, "a line ends with \\n",
                           "print a newline after each message, and flush");
        }
        talk_.ask_why();
        return trouble(step, "no " + what + " within " + seconds_text(seconds), heard, "",
                       "answer each line before you read the next; flush standard output after "
                       "every line; if it only needs longer, give --time-to-start or --time-limit");
    }

    // ------------------------------------------------------------------------------ hello

    bool introduced() {
        const Heard heard = say(hello_message(), options_.seconds_to_start);
        if (heard.kind == Heard::Kind::ended && heard.text.empty()) {
            if (heard.exit_code == 126 || heard.exit_code == 127) {
                return trouble("start", "the command cannot be run", heard, "",
                               "check its path, whether it is executable, and what its first line "
                               "names; it runs in this folder");
            }
            if (heard.exit_code == 3 && !talk_.errors().empty()) {
                return trouble("start", "unavailable: it says that it cannot work here", heard, "",
                               "do what it says on its standard error");
            }
        }
        if (heard.kind != Heard::Kind::line) {
            return no_line("hello", "hello", heard, options_.seconds_to_start);
        }
        auto hello = read_hello(heard.text);
        if (const auto* malformed = std::get_if<Malformed>(&hello)) {
            return bad_hello(heard, *malformed);
        }
        introduction_ = std::get<Introduction>(std::move(hello));
        const std::string more = talk_.overheard(0.05);
        if (!more.empty()) {
            return trouble("hello", "something follows its hello",
                           {Heard::Kind::line, more, {}, {}},
                           "the worker speaks only when it is asked",
                           "print only answers on standard output, everything else on stderr");
        }
        std::string text = introduction_.name;
        if (!introduction_.version.empty()) text += " " + introduction_.version;
        for (const std::string& word : {introduction_.language, introduction_.device}) {
            if (!word.empty()) text += ", " + word;
        }
        if (introduction_.runs) text += ", answers run";
        if (introduction_.describes) text += ", answers describe";
        if (introduction_.reproduces) text += ", reproduces";
        if (introduction_.witness) text += ", a witness, which promises nothing";
        add(Finding::State::ok, "hello", text);
        if (introduction_.version.empty()) {
            add(Finding::State::warning, "hello",
                "it gives no \"version\": known failures could not be kept for it");
        }
        report_unknown_names(heard.text);
        return true;
    }

    bool bad_hello(const Heard& heard, const Malformed& malformed) {
        const JsonResult parsed = parse_json(heard.text, "line");
        const bool is_message =
            std::holds_alternative<Json>(parsed) && std::get<Json>(parsed).is_object();
        if (!is_message) {
            std::istringstream rest(talk_.overheard(1));
            std::string later;
            for (std::string line; std::getline(rest, line);) {
                if (std::holds_alternative<Introduction>(read_hello(line))) later = line;
            }
            return trouble("hello",
                           later.empty() ? "it prints something that is no message"
                                         : "it prints something before its hello, which follows",
                           heard, malformed.why,
                           "keep standard output for messages: print everything else on standard "
                           "error, also what the engine prints when it is loaded (in Python "
                           "gathercheck.worker.take_over_standard_streams() sees to that)");
        }
        return trouble(
            "hello", "its hello is not as the protocol wants it", heard,
            (malformed.pointer.empty() ? "" : "at " + malformed.pointer + ": ") + malformed.why,
            "the shortest good one: {\"message\":\"hello\",\"protocol\":1,\"implementation\":"
            "{\"name\":\"mine\",\"version\":\"1.0\"},\"claims\":[{\"operators\":[\"onnx.Gather-"
            "13\"],\"data\":"
            "[\"f32\"],\"indices\":[\"i64\"]}]}");
    }

    void report_unknown_names(const std::string& line) {
        const JsonResult parsed = parse_json(line, "hello");
        const auto* hello = std::get_if<Json>(&parsed);
        if (hello == nullptr) return;
        const Json& claims = hello->at("claims");
        for (std::size_t k = 0; k < claims.size(); ++k) {
            for (const std::string_view key :
                 {"operators", "data", "indices", "operands", "shapes", "axis"}) {
                for (const std::string& word : unknown_names(claims[k], key)) {
                    std::string text = pointer_child(pointer_child("/claims", k), key) + " names " +
                                       in_quotes(word) +
                                       ", which is unknown here and claims nothing";
                    const std::string_view usual = usual_name(word);
                    if (!usual.empty()) text += "; write \"" + std::string(usual) + "\"";
                    add(Finding::State::warning, "claims", text);
                }
            }
        }
    }

    // ------------------------------------------------------------------------------ calls

    /// A dozen calls that the claims cover, as different from each other as possible.
    std::vector<Asked> chosen(const Introduction& introduction) const {
        std::vector<std::pair<Asked, std::set<std::string>>> candidates;
        for (const Sweeps sweeps : {Sweeps::none, Sweeps::sample, Sweeps::all}) {
            const auto cases = select_cases(loaded_.suite.cases, {}, sweeps, {});
            for (const Execution& execution : select_executions(
                     cases, {}, Sweeps::sample, introduction, &loaded_.suite.retyped)) {
                const Case& tested = *execution.tested;
                const Expectation& expectation = *tested.expectation(execution.version);
                if (!execution.claimed || tested.is_described() || !tested.after.empty() ||
                    expectation.alternatives.size() != 1 || !is_small(tested)) {
                    continue;
                }
                auto prepared =
                    prepare(tested, execution.version, loaded_.equations, loaded_.rules);
                if (!prepared->fault.empty()) continue;
                auto topics = topics_of(execution, *prepared);
                Asked asked{execution, std::move(prepared), {}, {}, expectation.must_be_rejected()};
                candidates.emplace_back(std::move(asked), std::move(topics));
            }
            if (!candidates.empty()) break;
        }
        std::vector<Asked> result;
        std::set<std::string> seen;
        std::size_t rejections = 0;
        while (result.size() < most_calls) {
            std::pair<Asked, std::set<std::string>>* best = nullptr;
            int best_news = 0;
            for (auto& candidate : candidates) {
                // The first call is a legal one.
                if (candidate.first.must_be_rejected &&
                    (result.empty() || rejections == most_rejections)) {
                    continue;
                }
                int news = 0;
                for (const std::string& topic : candidate.second) {
                    news += seen.contains(topic) ? 0 : weight(topic);
                }
                if (news > best_news) {
                    best_news = news;
                    best = &candidate;
                }
            }
            if (best == nullptr) break;
            seen.insert(best->second.begin(), best->second.end());
            rejections += best->first.must_be_rejected ? 1 : 0;
            result.push_back(best->first);
        }
        return result;
    }

    /// Few elements, but not so few that any answer is right.
    static bool is_small(const Case& tested) {
        return std::ranges::all_of(tested.inputs, [](const NamedTensorSpec& input) {
            const auto count = element_count(input.tensor.descriptor.shape).value_or(1000);
            return count <= 64 && count >= (input.name == "data" ? 3 : 1);
        });
    }

    bool asked_all() {
        Introduction runs = introduction_;
        runs.runs = true;  // calls to be described are chosen alike
        std::vector<Asked> calls = chosen(runs);
        if (calls.empty()) {
            add(Finding::State::warning, "calls",
                "the suite has no call that the claims cover: nothing was asked");
        }
        if (!introduction_.runs) {
            return std::ranges::all_of(calls, [&](const Asked& asked) {
                return asked.must_be_rejected || describes(asked);
            });
        }
        for (Asked& asked : calls) {
            if (!ask(asked, 0)) return false;
        }
        for (auto asked = calls.rbegin(); asked != calls.rend(); ++asked) {
            if (!asked->done && !ask(*asked, 1)) return false;
        }
        for (const Asked& asked : calls) {
            if (!asked.done) judge_call(asked);
        }
        const std::string more = talk_.overheard(0.05);
        if (!more.empty()) {
            return trouble("calls", "it printed a line that nobody had asked for",
                           {Heard::Kind::line, more, {}, {}}, "",
                           "answer each message with exactly one line");
        }
        const auto answered = std::ranges::find_if(calls, [](const Asked& asked) {
            return !asked.done && asked.first && std::holds_alternative<ValueOutcome>(*asked.first);
        });
        if (answered == calls.end() || !steady_) return true;
        return takes_unknown_key(*answered) && describes(*answered) && reproduces(*answered) &&
               keeps_models();
    }

    Request request(const Asked& asked, int pass) const {
        return {&asked.prepared->call.call, asked.execution.route, false, pass, false};
    }

    /// Asks a call. False where nothing more can be learned from this worker.
    bool ask(Asked& asked, int pass) {
        const Request wanted = request(asked, pass);
        const std::int64_t seq = ++seq_;
        const Heard heard =
            say(call_message(seq, wanted, call_members(wanted)), options_.seconds_per_call);
        if (heard.kind == Heard::Kind::ended) return died(asked, heard);
        if (heard.kind != Heard::Kind::line) {
            return no_line("call", "answer", heard, options_.seconds_per_call) ||
                   about(asked, false);
        }
        auto answer = answer_of(heard, seq);
        if (const auto* malformed = std::get_if<Malformed>(&answer)) {
            return bad_answer(asked, heard, *malformed);
        }
        auto& outcome = std::get<Outcome>(answer);
        if (const auto* broken = std::get_if<Broken>(&outcome)) {
            trouble("call", "it says that it is broken: " + broken->what, heard, "",
                    "this is for faults of the worker itself; find the fault, and answer "
                    "\"rejected\" where the engine says no, \"unsupported\" where it cannot be "
                    "asked");
            return about(asked, false);
        }
        if (const auto* found = std::get_if<UnsafeMemory>(&outcome)) {
            return unsafe(asked, heard, *found);
        }
        if (pass == 0) {
            asked.first = std::move(outcome);
            asked.line = heard.text;
            return true;
        }
        if (to_string(*asked.first) != to_string(outcome) || !same(*asked.first, outcome)) {
            const bool accepted =
                asked.must_be_rejected && !(std::holds_alternative<Rejected>(*asked.first) &&
                                            std::holds_alternative<Rejected>(outcome));
            trouble("call",
                    std::string(name(asked.execution.version)) +
                        (accepted ? ": accepted what must be rejected, and not deterministic: "
                                  : ": not deterministic: ") +
                        title(asked),
                    heard,
                    (accepted ? "expected the error " + expected_error(asked) + "; " : "") +
                        "the same call was answered before with " + trimmed(asked.line),
                    accepted ? "check the call before its answer is computed: what it points to is "
                               "memory of others, which holds something else each time"
                             : "an answer must not depend on what was asked before it: look for "
                               "memory that is not initialised, and for results that are kept",
                    Finding::State::fail);
            about(asked, false);
            asked.done = true;
            steady_ = false;
        }
        return true;
    }

    /// Of a call that must be rejected.
    static std::string expected_error(const Asked& asked) {
        const auto* error = std::get_if<ExpectedError>(&asked.prepared->alternatives.front());
        return error == nullptr ? std::string() : std::string(name(error->category));
    }

    static bool same(const Outcome& a, const Outcome& b) {
        const auto* left = std::get_if<ValueOutcome>(&a);
        const auto* right = std::get_if<ValueOutcome>(&b);
        return left == nullptr || right == nullptr || same_tensor(left->output, right->output);
    }

    bool died(Asked& asked, const Heard& heard) {
        const bool by_itself = heard.exit_code == 0;
        trouble("call", (by_itself ? "it ended: " : "it died: ") + title(asked), heard, "",
                by_itself
                    ? "answer, and go on to read messages until \"goodbye\" or the end of the "
                      "input"
                    : "a worker answers \"rejected\" where its engine says no; what kills the "
                      "engine is recorded as a crash",
                Finding::State::fail);
        about(asked, false);
        return start_again(asked);
    }

    /// Its memory cannot be trusted any more; it may have ended itself.
    bool unsafe(Asked& asked, const Heard& heard, const UnsafeMemory& found) {
        trouble("call", "unsafe memory: " + title(asked), heard, printable(found.what),
                "touch the tensors' own bytes only, and write each byte of the output",
                Finding::State::fail);
        about(asked, false);
        return start_again(asked);
    }

    /// After the end of a worker that a call has brought about. False where that was so often.
    bool start_again(Asked& asked) {
        asked.done = true;
        if (++starts_ >= most_starts) {
            add(Finding::State::fail, "call", "it has ended too often; the rest was not asked");
            return false;
        }
        return start() &&
               say(hello_message(true), options_.seconds_to_start).kind == Heard::Kind::line;
    }

    bool bad_answer(const Asked& asked, const Heard& heard, const Malformed& malformed) {
        const JsonResult parsed = parse_json(heard.text, "line");
        std::string remedy =
            "answer {\"seq\":N,\"output\":{\"type\":..,\"shape\":[..],\"base64\":\"..\"}}, or "
            "with \"rejected\", \"unsupported\" or \"broken\" in place of \"output\"";
        if (!std::holds_alternative<Json>(parsed)) {
            remedy =
                "keep standard output for messages: print everything else on standard error, "
                "also what the engine prints";
        } else if (malformed.pointer == "/seq") {
            remedy = "answer with the \"seq\" of the message, once for each message";
        } else if (malformed.pointer.ends_with("/category")) {
            remedy = "leave \"category\" out, or give one of";
            for (std::size_t k = 0; k < category_count; ++k) {
                remedy += (k == 0 ? " " : ", ") + std::string(name(static_cast<Category>(k)));
            }
        } else if (malformed.pointer == "/output/base64") {
            remedy =
                "send exactly the elements of the shape, row-major, little-endian, packed where "
                "the type has less than 8 bits";
        }
        trouble("call", "its answer is not as the protocol wants it", heard,
                (malformed.pointer.empty() ? "" : "at " + malformed.pointer + ": ") + malformed.why,
                remedy);
        return about(asked, false);
    }

    static std::string title(const Asked& asked) { return asked.execution.tested->title; }

    /// Says of the last finding which call it is about.
    bool about(const Asked& asked, bool result) {
        auto& details = findings_.back().details;
        details.emplace_back("the call", call_text(asked.prepared->call, asked.execution.route));
        details.emplace_back("explained by",
                             "gathercheck explain " + shell_word(asked.execution.tested->id) +
                                 " --for " + std::string(name(asked.execution.version)));
        return result;
    }

    void judge_call(const Asked& asked) {
        const PreparedCase& prepared = *asked.prepared;
        const Question question{prepared.alternatives, prepared.rules, false, true, true};
        const Judgement judgement = judge(question, *asked.first);
        const std::string text = std::string(name(asked.execution.version)) + ": " + title(asked);
        if (judgement.verdict == Verdict::pass) {
            ++passed_;
            add(Finding::State::ok, "call", text);
            return;
        }
        if (judgement.verdict == Verdict::unsupported) {
            Finding& finding = add(Finding::State::warning, "call", text);
            finding.details.emplace_back("it printed", trimmed(asked.line));
            finding.details.emplace_back("which counts as",
                                         "unsupported, no failure: this call must be rejected");
            finding.details.emplace_back("what to do",
                                         "answer \"rejected\" where it is the engine that says no");
            about(asked, false);
            return;
        }
        const bool differs = introduction_.witness && judgement.failure != Failure::unsafe_memory;
        Finding& finding =
            add(differs ? Finding::State::warning : Finding::State::fail, "call", text);
        finding.details.emplace_back(
            differs ? "which differs" : "which is wrong",
            std::string(name(judgement.failure)) + ": " + printable(judgement.detail));
        finding.details.emplace_back("it printed", trimmed(asked.line));
        if (judgement.failure == Failure::unsupported) {
            finding.details.emplace_back("what to do",
                                         "claim only what it supports: this call is legal and "
                                         "claimed, by its operator version, types and route");
        }
        about(asked, false);
    }

    // ------------------------------------------------------------------------------ more messages

    bool takes_unknown_key(const Asked& asked) {
        const Request wanted = request(asked, 0);
        const std::int64_t seq = ++seq_;
        std::string message = call_message(seq, wanted, call_members(wanted));
        message.insert(1, R"("later":{"version":2},)");
        const Heard heard = say(message, options_.seconds_per_call);
        if (heard.kind != Heard::Kind::line) {
            return no_line("unknown key", "answer", heard, options_.seconds_per_call);
        }
        const auto answer = answer_of(heard, seq);
        const auto* outcome = std::get_if<Outcome>(&answer);
        if (outcome == nullptr || !same(*asked.first, *outcome) ||
            outcome->index() != asked.first->index()) {
            return trouble("unknown key", "a key that it does not know changes its answer", heard,
                           "without the key \"later\" it answered " + trimmed(asked.line),
                           "ignore keys that you do not know: the protocol grows by them");
        }
        add(Finding::State::ok, "unknown key", "a key that it does not know changes nothing");
        return true;
    }

    bool describes(const Asked& asked) {
        if (!introduction_.describes) return true;
        Call call = asked.prepared->call.call;
        for (Input& input : call.inputs) {
            if (input.name != "axis") input.tensor.contents = nullptr;
        }
        const Request wanted{&call, {}, true, 0, false};
        const std::int64_t seq = ++seq_;
        const Heard heard =
            say(call_message(seq, wanted, call_members(wanted)), options_.seconds_per_call);
        if (heard.kind != Heard::Kind::line) {
            return no_line("describe", "answer", heard, options_.seconds_per_call);
        }
        const auto answer = answer_of(heard, seq, true);
        if (const auto* malformed = std::get_if<Malformed>(&answer)) {
            return trouble("describe", "its answer is not as the protocol wants it", heard,
                           malformed->why,
                           "answer {\"seq\":N,\"descriptor\":{\"type\":..,\"shape\":[..]}}, or "
                           "leave \"describe\" out of \"answers\"");
        }
        const auto& outcome = std::get<Outcome>(answer);
        if (!std::holds_alternative<DescriptorOutcome>(outcome)) {
            trouble("describe", "it describes no call that it answers", heard, "",
                    "leave \"describe\" out of \"answers\" if it cannot", Finding::State::fail);
            return true;
        }
        const Question question{asked.prepared->alternatives, asked.prepared->rules, false, true,
                                true};
        const Judgement judgement = judge(question, outcome);
        if (judgement.verdict == Verdict::pass) {
            ++passed_;
            add(Finding::State::ok, "describe", to_string(outcome));
        } else {
            trouble("describe", "the type or shape is another than the call's", heard,
                    printable(judgement.detail), "", Finding::State::fail);
        }
        return true;
    }

    bool reproduces(const Asked& asked) {
        if (!introduction_.reproduces) return true;
        const Request wanted = request(asked, 0);
        const std::int64_t seq = ++seq_;
        const Heard heard =
            say(reproduce_message(seq, introduction_.language, call_members(wanted)),
                options_.seconds_per_call);
        if (heard.kind != Heard::Kind::line) {
            return no_line("reproduce", "answer", heard, options_.seconds_per_call);
        }
        const auto source = read_source(heard.text, seq);
        if (const auto* malformed = std::get_if<Malformed>(&source)) {
            return trouble("reproduce", "its answer is not as the protocol wants it", heard,
                           malformed->why, "answer {\"seq\":N,\"source\":\"..\"}");
        }
        const std::string& text = std::get<ProgramSource>(source).text;
        add(text.empty() ? Finding::State::warning : Finding::State::ok, "reproduce",
            text.empty() ? "it writes no program for this call"
                         : std::to_string(std::ranges::count(text, '\n')) + " lines");
        return true;
    }

    /// The shortest legal sequence that the claims cover; the choice is the same each time.
    std::optional<Execution> chosen_sequence() const {
        const auto cases = select_cases(loaded_.suite.cases, {}, Sweeps::none, {});
        for (const Execution& execution :
             select_executions(cases, {}, Sweeps::sample, introduction_, &loaded_.suite.retyped)) {
            const Case& tested = *execution.tested;
            const auto is_legal = [&](const Case& one) {
                const Expectation* expectation = one.expectation(execution.version);
                return expectation->alternatives.size() == 1 && !expectation->may_be_rejected();
            };
            if (execution.claimed && tested.earlier.size() == 1 && is_legal(tested) &&
                is_legal(*tested.earlier.front())) {
                return execution;
            }
        }
        return std::nullopt;
    }

    /// Asks two calls of one model.
    bool keeps_models() {
        if (!introduction_.keeps_models) return true;
        const auto execution = chosen_sequence();
        if (!execution) {
            add(Finding::State::warning, "sequence",
                "the suite has no sequence that the claims cover: none was asked");
            return true;
        }
        Asked asked{
            *execution,
            prepare(*execution->tested, execution->version, loaded_.equations, loaded_.rules),
            {},
            {},
            false};
        std::vector<Request> requests;
        Request last = request(asked, 0);
        last.before = asked.prepared->before;
        requests = earlier_requests(last);
        requests.push_back(last);
        constexpr std::int64_t model = 1;
        Heard heard;
        for (const Request& wanted : requests) {
            const std::int64_t seq = ++seq_;
            heard = say(call_message(seq, wanted, call_members(wanted), true, model),
                        options_.seconds_per_call);
            if (heard.kind != Heard::Kind::line) {
                return no_line("sequence", "answer", heard, options_.seconds_per_call) ||
                       about(asked, false);
            }
            auto answer = answer_of(heard, seq);
            if (const auto* malformed = std::get_if<Malformed>(&answer)) {
                return bad_answer(asked, heard, *malformed);
            }
            asked.first = std::get<Outcome>(std::move(answer));
        }
        const Question question{asked.prepared->alternatives, asked.prepared->rules, false, true,
                                true};
        const Judgement judgement = judge(question, *asked.first);
        const std::string text = std::string(name(execution->version)) + ": " + title(asked);
        if (judgement.verdict == Verdict::pass) {
            ++passed_;
            add(Finding::State::ok, "sequence", text);
            return true;
        }
        trouble("sequence", text, heard,
                std::string(name(judgement.failure)) + ": " + printable(judgement.detail),
                "the two calls had one number in \"model\": ask them of one built model, and let "
                "it keep nothing of the first; leave \"models\" out of \"features\" if it builds "
                "none",
                Finding::State::fail);
        about(asked, false);
        return true;
    }

    // ------------------------------------------------------------------------------ the end

    void ended() {
        Heard heard = say(goodbye_message(), seconds_to_end);
        if (!ends("goodbye", "after goodbye", heard)) return;
        // Some only know one of the two.
        if (!start()) return;
        if (say(hello_message(true), options_.seconds_to_start).kind != Heard::Kind::line) {
            trouble("end of input", "started again it does not say hello as before", {}, "",
                    "it is started anew after every death: nothing of the last time may be in the "
                    "way");
            return;
        }
        sent_ = "(its input was closed, without a goodbye)";
        heard = talk_.close_input(seconds_to_end);
        ends("end of input", "at the end of its input", heard);
    }

    bool ends(const std::string& step, const std::string& when, const Heard& heard) {
        const std::string what = "it does not end " + when;
        if (heard.kind == Heard::Kind::line) {
            return trouble(step, "it answers " + when, heard, "", "end without an answer");
        }
        if (heard.kind != Heard::Kind::ended) {
            return trouble(step, what, heard,
                           "it is still there after " + seconds_text(seconds_to_end),
                           "end: the runner kills it, and loses this time in every run");
        }
        add(Finding::State::ok, step, heard.how);
        return true;
    }

    int conclude() {
        print_last();
        const auto has = [&](Finding::State state) {
            return std::ranges::any_of(findings_,
                                       [&](const Finding& one) { return one.state == state; });
        };
        const int exit_code = has(Finding::State::trouble) ? 3
                              : has(Finding::State::fail)  ? 1
                              : passed_ == 0               ? 3
                                                           : 0;
        if (options_.format == "json") {
            print_json(exit_code);
            return exit_code;
        }
        const std::string score =
            "gathercheck run --implementation " + shell_word(options_.implementation);
        if (exit_code == 0) {
            std::printf("\nready (exit 0); score it:  %s\n", score.c_str());
        } else if (exit_code == 1) {
            std::printf(
                "\nit speaks the protocol, and gets calls wrong (exit 1); all of them:  %s\n",
                score.c_str());
        } else {
            std::printf("\nnot ready (exit 3): see TROUBLE above; the contract is %s\n",
                        protocol_document().c_str());
        }
        return exit_code;
    }

    void print_json(int exit_code) const {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Finding& finding : findings_) {
            nlohmann::ordered_json entry{{"step", finding.step},
                                         {"state", std::string(name(finding.state))},
                                         {"text", printable(finding.text)}};
            for (const auto& [label, text] : finding.details) entry["details"][label] = text;
            list.push_back(std::move(entry));
        }
        const nlohmann::ordered_json all{{"implementation", options_.implementation},
                                         {"findings", list},
                                         {"exit_code", exit_code}};
        std::puts(shown_json(all).c_str());
    }

    const SmokeVerb& options_;
    LoadedSuite loaded_;
    Command command_;
    Conversation talk_;
    Introduction introduction_;
    std::vector<Finding> findings_;
    std::size_t printed_ = 0;
    std::string sent_;  ///< the last message
    std::int64_t seq_ = 0;
    int starts_ = 0;
    int passed_ = 0;
    bool steady_ = true;  ///< no call was answered in two ways
};

/// 0: it speaks the protocol and gets the calls right; 1: it gets calls wrong; 3: it does not speak
/// the protocol.
int smoke_verb(const SmokeVerb& options) {
    auto loaded = load_suite({});
    if (!loaded) return exit_bad_input;
    auto command = worker_command(options.implementation, loaded->installed);
    if (const auto* why = std::get_if<std::string>(&command)) {
        return refuse(*why +
                      "; smoke looks at programs: 'exec:COMMAND LINE', numpy, onnxruntime, "
                      "openvino. Others are scored at once: gathercheck run --implementation NAME");
    }
    return Smoke(options, std::move(*loaded), std::get<Command>(std::move(command))).run();
}

}  // namespace

void add_smoke_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<SmokeVerb>();
    const Verb verb = command.add_verb(
        "smoke", "Check a program that speaks the worker protocol: what is wrong with it, and why");
    verb.add_option("implementation", options->implementation,
                    "'exec:COMMAND LINE', or a shipped adapter: numpy, onnxruntime, openvino")
        .required()
        .type_name("NAME");
    verb.add_option("--time-to-start", options->seconds_to_start,
                    "Seconds until its hello must come")
        .in(seconds_allowed)
        .show_default();
    verb.add_option("--time-limit", options->seconds_per_call, "Seconds that one call may take")
        .in(seconds_allowed)
        .show_default();
    add_format(verb, options->format);
    verb.footer(
        "Starts it, shakes hands, asks a dozen calls that it claims, twice each, and sees whether "
        "it ends.\nEach step is said in words; of a fault: what was sent, what it printed, what is "
        "wrong, what to do.\n\n"
        "The protocol: " +
        protocol_document() +
        "\n\n"
        "Example:\n  gathercheck smoke 'exec:python3 my_worker.py'\n\n"
        "Exit code: 0 ready to be scored; 1 it gets calls wrong; 3 it does not keep to the "
        "protocol; 4 bad\ninput or usage.");
    verb.callback([options, &exit_code] { exit_code = smoke_verb(*options); });
}

}  // namespace gathercheck
