// SPDX-License-Identifier: Apache-2.0
// Observations: from records to data, and from data to words.
#include "conformance/documents/observation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "conformance/model/retype.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

constexpr std::size_t most_columns = 160;

/// Words of an output that are kept.
constexpr std::size_t most_of_a_value = 100;

const std::vector<Route>& all_routes() {
    static const std::vector<Route> routes = [] {
        std::vector<Route> all;
        for (const Operands operands : {Operands::runtime, Operands::constant, Operands::folded}) {
            for (const Shapes shapes : {Shapes::fixed, Shapes::dynamic}) {
                for (const AxisOperand axis : {AxisOperand::constant, AxisOperand::runtime}) {
                    all.push_back({operands, shapes, axis});
                }
            }
        }
        return all;
    }();
    return routes;
}

std::optional<Route> route_of(std::string_view text) {
    for (const Route& route : all_routes()) {
        if (to_string(route) == text) return route;
    }
    return std::nullopt;
}

Observation observation_of(const ExecutionRecord& record) {
    Observation result;
    result.case_id = record.case_id;
    result.version = record.operator_version;
    // Whether a failure is listed somewhere is no matter of what was done.
    result.verdict = record.verdict == Verdict::fixed ? Verdict::pass : record.verdict;
    if (result.verdict == Verdict::known_failure) {
        result.verdict = record.outcome == name(Verdict::crash)     ? Verdict::crash
                         : record.outcome == name(Verdict::timeout) ? Verdict::timeout
                                                                    : Verdict::fail;
    }
    if (result.verdict == Verdict::difference) result.verdict = Verdict::fail;
    if (result.verdict == Verdict::fail) result.failure = record.failure;
    result.outcome = record.outcome;
    if (record.verdict == Verdict::unspecified || record.classification == left_to_the_run) {
        result.classification = record.classification;
    }
    result.category = record.category;
    result.phase = record.phase;
    // Only an output is kept: a message is the implementation's own text.
    if (record.outcome == "value" && record.verdict == Verdict::unspecified) {
        result.value = shortened(record.detail, most_of_a_value);
    }
    return result;
}

auto order(const Observation& observation) {
    return std::tuple(observation.case_id, observation.version, observation.routes);
}

/// One observation for all routes of a case and version with the same result.
std::vector<Observation> merged(const std::vector<Observation>& single) {
    std::vector<Observation> result;
    for (const Observation& each : single) {
        const auto same = std::ranges::find_if(result, [&](const Observation& other) {
            Observation with_its_routes = each;
            with_its_routes.routes = other.routes;
            return with_its_routes == other;
        });
        if (same == result.end()) {
            result.push_back(each);
        } else {
            same->routes.insert(same->routes.end(), each.routes.begin(), each.routes.end());
        }
    }
    for (Observation& each : result) std::ranges::sort(each.routes);
    std::ranges::sort(result, {}, order);
    return result;
}

// --- JSON

/// `"routes": [...]` in lines that are not too long.
std::string routes_json(const std::vector<Route>& routes, std::size_t column,
                        const std::string& indent) {
    std::string text = "\"routes\": [";
    column += text.size();
    for (std::size_t k = 0; k < routes.size(); ++k) {
        const std::string word =
            Json(to_string(routes[k])).dump() + (k + 1 < routes.size() ? "," : "");
        if (k != 0 && column + 1 + word.size() + 4 > most_columns) {
            text += "\n" + indent;
            column = indent.size();
        } else if (k != 0) {
            text += " ";
            ++column;
        }
        text += word;
        column += word.size();
    }
    return text + "]";
}

std::string observation_json(const Observation& observation) {
    Json object = Json::object();
    object["case"] = observation.case_id;
    object["operator"] = name(observation.version);
    object["verdict"] = name(observation.verdict);
    put_text(object, "failure", name(observation.failure));
    object["outcome"] = observation.outcome;
    put_text(object, "class", observation.classification);
    put_text(object, "category", observation.category);
    put_text(object, "phase", observation.phase);
    put_text(object, "value", observation.value);
    const std::string indent(10, ' ');
    std::string text = "        { ";
    std::size_t column = text.size();
    for (const auto& [key, value] : object.items()) {
        const std::string member = Json(key).dump() + ": " + value.dump() + ",";
        if (key != "case" && column + member.size() + 1 > most_columns) {
            text += "\n" + indent;
            column = indent.size();
        } else if (key != "case") {
            text += " ";
            ++column;
        }
        text += member;
        column += member.size();
    }
    text += "\n" + indent;
    return text + routes_json(observation.routes, indent.size(), indent) + " }";
}

using KnownCases = std::set<std::string_view>;

Observation read_observation(const Json& value, const Place& at, const KnownCases& cases,
                             Problems& problems) {
    Observation result;
    check_keys(value, at, {"case", "operator", "verdict", "outcome", "routes"},
               {"failure", "class", "category", "phase", "value"}, problems);
    if (!value.is_object()) return result;
    const auto text = [&](std::string_view key) {
        const std::string* found = string_at(value, at, key, problems);
        return found == nullptr ? std::string() : *found;
    };
    const auto word = [&](std::string_view key, auto parse, auto& target) {
        const std::string given = text(key);
        if (given.empty()) return;
        if (const auto parsed = parse(given)) {
            target = *parsed;
        } else {
            problems.add(at.child(key), in_quotes(given) +
                                            " is unknown; let `gathercheck "
                                            "clarifications --update` write it");
        }
    };
    result.case_id = text("case");
    if (!result.case_id.empty() && !cases.contains(result.case_id)) {
        problems.add(at.child("case"), in_quotes(result.case_id) +
                                           " is no case; renew the file with `gathercheck "
                                           "clarifications --update`");
    }
    word("operator", [](const auto& name) { return operator_version(name); }, result.version);
    word("verdict", [](const auto& name) { return verdict(name); }, result.verdict);
    word("failure", [](const auto& name) { return failure(name); }, result.failure);
    result.outcome = text("outcome");
    result.classification = text("class");
    result.category = text("category");
    result.phase = text("phase");
    result.value = text("value");
    if (const Json* list = array_at(value, at, "routes", problems)) {
        const Place place = at.child("routes");
        for (const std::string& route : strings_of(*list, place, problems)) {
            if (const auto found = route_of(route)) {
                result.routes.push_back(*found);
            } else {
                problems.add(place, in_quotes(route) +
                                        " is no route; write one like "
                                        "runtime/static");
            }
        }
    }
    return result;
}

// --- words

/// Names what sets some of the routes apart from the others: "folded", "dynamic shapes", "constant
/// operands and static shapes"; a list where nothing simple does.
std::string describe_routes(const std::vector<Route>& some, const std::vector<Route>& all) {
    const auto is_apart = [&](const auto& matches) {
        return std::ranges::all_of(all, [&](const Route& route) {
            return matches(route) == (std::ranges::find(some, route) != some.end());
        });
    };
    const Route& first = some.front();
    std::array<std::string, 3> words{
        std::string(first.operands == Operands::runtime    ? "run-time operands"
                    : first.operands == Operands::constant ? "constant indices"
                                                           : "folded operands"),
        std::string(name(first.shapes)) + " shapes",
        first.axis == AxisOperand::runtime ? "a run-time axis" : "a constant axis"};
    for (int facets = 1; facets <= 3; ++facets) {
        for (unsigned mask = 1; mask < 8; ++mask) {
            if (((mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1)) != static_cast<unsigned>(facets)) {
                continue;
            }
            const bool fits = is_apart([&](const Route& route) {
                return (!(mask & 1U) || route.operands == first.operands) &&
                       (!(mask & 2U) || route.shapes == first.shapes) &&
                       (!(mask & 4U) || route.axis == first.axis);
            });
            if (!fits) continue;
            std::string text;
            for (unsigned k = 0; k < 3; ++k) {
                if (mask >> k & 1U) text += (text.empty() ? "" : " and ") + words[k];
            }
            return text;
        }
    }
    std::string text;
    for (const Route& route : some) text += (text.empty() ? "" : ", ") + to_string(route);
    return text;
}

/// Text of others in a statement, whose backticks are its own.
std::string without_backticks(std::string text) {
    std::ranges::replace(text, '`', '\'');
    return text;
}

std::string code(const std::string& text) { return "`" + without_backticks(text) + "`"; }

std::string failure_words(const Observation& observation) {
    switch (observation.failure) {
        case Failure::wrong_value:
            return "gives a wrong value";
        case Failure::wrong_shape:
            return "gives a wrong shape";
        case Failure::wrong_type:
            return "gives a wrong element type";
        case Failure::accepted:
            return "accepts it, though it must be rejected";
        case Failure::rejected:
            return "rejects it, though it must be accepted";
        case Failure::wrong_error:
            return "rejects it for another reason than expected";
        case Failure::unsafe_memory:
            return "leaves elements unwritten or touches memory outside";
        case Failure::not_deterministic:
            return "gives answers that differ from run to run";
        case Failure::unsupported:
            return "does not support it, though it claims to";
        case Failure::none:
            break;
    }
    return "fails";
}

/// What was done where no sentence decides.
std::string class_words(const Observation& observation) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> known{{
        {"zero", "gives zeros"},
        {"clamp", "takes the nearest legal index"},
        {"wrap", "counts a negative index from the end"},
        {"first element", "takes the first element"},
        {"value", "accepts it"},
        {"other", "gives something else"},
    }};
    std::string text;
    for (std::string_view rest = observation.classification; !rest.empty();) {
        const std::size_t plus = rest.find('+');
        const std::string_view one = rest.substr(0, plus);
        rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
        const auto found = std::ranges::find(known, one, &decltype(known)::value_type::first);
        text += (text.empty() ? "" : " and ") +
                without_backticks(std::string(found == known.end() ? one : found->second));
    }
    if (text.empty()) text = "gives a value";
    const bool shows = observation.classification == "value" ||
                       observation.classification.find("other") != std::string::npos;
    return shows && !observation.value.empty() ? text + ": " + code(observation.value) : text;
}

std::string rejection_words(const Observation& observation) {
    std::string text = "rejects it";
    if (observation.phase == "build") text += " when the model is built";
    if (observation.phase == "shape") text += " when shapes are inferred";
    if (observation.phase == "run") text += " at run time";
    if (!observation.category.empty()) text += " as " + code(observation.category);
    return text;
}

/// By each route in words; the phrase of most routes first, then the departures.
std::string describe(const std::vector<const Observation*>& of_one) {
    std::vector<Route> all;
    std::vector<std::pair<std::string, std::vector<Route>>> phrases;
    for (const Observation* each : of_one) {
        all.insert(all.end(), each->routes.begin(), each->routes.end());
        const std::string words = in_words(*each);
        auto same = std::ranges::find(phrases, words, [](const auto& pair) { return pair.first; });
        if (same == phrases.end()) same = phrases.insert(phrases.end(), {words, {}});
        same->second.insert(same->second.end(), each->routes.begin(), each->routes.end());
    }
    std::ranges::stable_sort(
        phrases, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    std::string text = phrases.front().first;
    for (std::size_t k = 1; k < phrases.size(); ++k) {
        text += "; with " + describe_routes(phrases[k].second, all) + " it " + phrases[k].first;
    }
    return text;
}

}  // namespace

std::variant<std::vector<Observed>, std::string> observe(
    std::span<const std::vector<Record>> runs, const std::set<std::string, std::less<>>& cases) {
    using Execution = std::tuple<std::string, OperatorVersion, Route>;
    struct Seen {
        std::string version;
        std::string date;
        std::string started;
        std::map<Execution, std::pair<std::string, Observation>> executions;
    };
    std::map<std::string, Seen> implementations;
    for (const std::vector<Record>& records : runs) {
        std::string started;
        for (const Record& record : records) {
            if (const auto* run = std::get_if<RunRecord>(&record)) started = run->started;
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || !says_something(*execution)) continue;
            // A case that was asked in other element types shows what the written one would.
            const std::string id(cases.contains(execution->case_id)
                                     ? std::string_view(execution->case_id)
                                     : id_as_written(execution->case_id));
            if (!cases.contains(id)) continue;
            if (started.size() < 10) {
                return "executions stand before the line that says when the run started; give "
                       "whole files of records";
            }
            Seen& seen = implementations[execution->implementation];
            if (!seen.version.empty() && seen.version != execution->version) {
                return "the records are of two versions of " + execution->implementation + ", " +
                       seen.version + " and " + execution->version + "; give those of one";
            }
            seen.version = execution->version;
            if (started > seen.started) {
                seen.started = started;
                seen.date = started.substr(0, 10);
            }
            Observation observation = observation_of(*execution);
            observation.case_id = id;
            observation.routes = {execution->route};
            auto& kept = seen.executions[{id, execution->operator_version, execution->route}];
            if (started >= kept.first) kept = {started, std::move(observation)};
        }
    }
    std::vector<Observed> result;
    for (const auto& [implementation, seen] : implementations) {
        std::vector<Observation> single;
        for (const auto& [execution, kept] : seen.executions) single.push_back(kept.second);
        result.push_back({implementation, seen.version, seen.date, merged(single)});
    }
    return result;
}

std::vector<Observed> updated(std::vector<Observed> before, std::vector<Observed> now) {
    std::erase_if(before, [&](const Observed& old) {
        return std::ranges::find(now, old.implementation, &Observed::implementation) != now.end();
    });
    before.insert(before.end(), now.begin(), now.end());
    std::ranges::sort(before, {}, &Observed::implementation);
    return before;
}

std::string to_json(const std::vector<Observed>& observed) {
    std::string text = "{\n  \"observed\": [";
    for (std::size_t k = 0; k < observed.size(); ++k) {
        const Observed& each = observed[k];
        text += k == 0 ? "\n" : ",\n";
        text += "    {\n      \"implementation\": " + Json(each.implementation).dump() +
                ", \"version\": " + Json(each.version).dump() +
                ", \"date\": " + Json(each.date).dump() + ",\n      \"observations\": [";
        for (std::size_t n = 0; n < each.observations.size(); ++n) {
            text += n == 0 ? "\n" : ",\n";
            text += observation_json(each.observations[n]);
        }
        text += each.observations.empty() ? "]\n    }" : "\n      ]\n    }";
    }
    return text + (observed.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::variant<std::vector<Observed>, std::vector<Problem>> load_observed(
    const std::filesystem::path& file, const Suite& suite, GoneCases gone) {
    std::vector<Observed> observed;
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return observed;
    JsonResult document = read_json(file);
    if (auto* refused = std::get_if<std::vector<Problem>>(&document)) return std::move(*refused);
    const Json& root = std::get<Json>(document);
    Problems problems(file.generic_string());
    KnownCases cases;
    for (const Case& each : suite.cases) cases.insert(each.id);
    const Place top;
    check_keys(root, top, {"observed"}, {}, problems);
    const Json* list = root.is_object() ? array_at(root, top, "observed", problems) : nullptr;
    const Place here = top.child("observed");
    for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
        const Place at = here.child(k);
        const Json& value = (*list)[k];
        if (!check_keys(value, at, {"implementation", "version", "date", "observations"}, {},
                        problems)) {
            continue;
        }
        Observed each;
        for (const auto& [key, target] :
             {std::pair("implementation", &each.implementation),
              std::pair("version", &each.version), std::pair("date", &each.date)}) {
            if (const std::string* text = string_at(value, at, key, problems)) *target = *text;
        }
        if (std::ranges::find(observed, each.implementation, &Observed::implementation) !=
            observed.end()) {
            problems.add(at.child("implementation"),
                         in_quotes(each.implementation) + " stands twice; keep the newer one");
        }
        if (const Json* observations = array_at(value, at, "observations", problems)) {
            const Place place = at.child("observations");
            for (std::size_t n = 0; n < observations->size(); ++n) {
                const Json* id = (*observations)[n].is_object()
                                     ? find_member((*observations)[n], "case")
                                     : nullptr;
                const bool is_gone = id != nullptr && id->is_string() &&
                                     !cases.contains(id->get_ref<const std::string&>());
                if (is_gone && gone == GoneCases::drop) continue;
                const Place entry = place.child(n);
                each.observations.push_back(
                    read_observation((*observations)[n], entry, cases, problems));
            }
        }
        observed.push_back(std::move(each));
    }
    if (!problems.empty()) return std::move(problems).take();
    return observed;
}

std::string in_words(const Observation& observation) {
    switch (observation.verdict) {
        case Verdict::crash:
            return "ends the process";
        case Verdict::timeout:
            return "does not answer";
        case Verdict::fail:
            return failure_words(observation);
        case Verdict::unsupported:
            return observation.outcome == "rejected"
                       ? "rejects it, and its legal variant as well, so it is not supported"
                       : "does not support it";
        case Verdict::unspecified:
        case Verdict::pass:
            break;
        case Verdict::known_failure:
        case Verdict::fixed:
        case Verdict::difference:
        case Verdict::unavailable:
        case Verdict::broken:
        case Verdict::not_run:
            return std::string(name(observation.verdict));
    }
    if (observation.outcome == "rejected") return rejection_words(observation);
    if (observation.outcome == "unsupported") return "does not support it";
    if (observation.outcome == "not deterministic") {
        return "gives answers that differ from run to run";
    }
    if (observation.verdict == Verdict::unspecified) return class_words(observation);
    if (observation.classification == left_to_the_run) {
        return "infers a shape, and leaves the refusal to the run";
    }
    return observation.outcome == "descriptor" ? "infers the expected shape"
                                               : "gives the expected output";
}

std::vector<Statement> statements(const Observed& observed, std::span<const std::string> cases,
                                  std::span<const OperatorVersion> versions) {
    std::vector<Statement> result;
    for (const std::string& id : cases) {
        for (const OperatorVersion version : versions) {
            std::vector<const Observation*> of_one;
            for (const Observation& each : observed.observations) {
                if (each.case_id == id && each.version == version) of_one.push_back(&each);
            }
            if (of_one.empty()) continue;
            const std::string text = describe(of_one);
            auto same = std::ranges::find(result, text, &Statement::text);
            if (same == result.end()) same = result.insert(result.end(), {text, {}});
            if (same->cases.empty() || same->cases.back().first != id) {
                same->cases.push_back({id, {}});
            }
            same->cases.back().second.push_back(version);
        }
    }
    return result;
}

}  // namespace gathercheck
