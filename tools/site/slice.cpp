// SPDX-License-Identifier: Apache-2.0
#include "tools/site/slice.hpp"

#include <cstddef>
#include <string>

namespace gathercheck {
namespace {

/// Elements of all inputs, by which lists put small calls first.
std::int64_t elements_of_inputs(const Json& call) {
    std::int64_t elements = 0;
    for (const Json& input : call["inputs"]) {
        std::int64_t count = 1;
        for (const Json& dim : input["shape"]) count *= dim.get<std::int64_t>();
        elements += count;
    }
    return elements;
}

std::string type_of_data(const Json& call) {
    for (const Json& input : call["inputs"]) {
        if (input["name"] == "data") return input["type"];
    }
    return {};
}

void copy(const Json& from, Json& to, std::initializer_list<const char*> keys) {
    for (const char* const key : keys) {
        const auto found = from.find(key);
        if (found != from.end()) to[key] = *found;
    }
}

}  // namespace

Json shared_members(const SiteData& data) {
    Json shared = Json::object();
    copy(data.document(), shared,
         {"format", "conclusion", "runs", "history", "same_suite", "notes", "implementations",
          "matrix", "routes", "versions", "rules", "findings", "severities", "clarifications",
          "topics", "verdicts", "cases_left_out"});
    for (Json& finding : shared["findings"]) finding.erase("program");
    for (const char* const list : {"cases", "answers", "outcomes", "repeats"}) {
        shared[list] = Json::array();
    }
    return shared;
}

Json listed_case(const Json& tested) {
    Json listed{{"listed", true}};
    copy(tested, listed, {"id", "term", "title", "written", "sweep", "rules"});
    const auto call = tested.find("call");
    if (call == tested.end() || !call->contains("inputs")) return listed;
    listed["elements"] = elements_of_inputs(*call);
    listed["type"] = type_of_data(*call);
    return listed;
}

Slice::Slice(const SiteData& data) : data_(data) {
    for (const char* const list : {"cases", "answers", "outcomes", "repeats"}) {
        made_[list] = Json::array();
    }
    made_["programs"] = Json::object();
}

void Slice::add(const SiteAnswer& answer, Detail detail) {
    const Json& whole = data_.document()["answers"][static_cast<std::size_t>(answer.number)];
    Json mine = whole;
    mine[0] = case_of(answer.case_number, detail);
    mine[5] = outcome_of(answer.outcome, detail);
    mine[6] = repeat_of(whole[6].get<std::int64_t>());
    made_["answers"].push_back(std::move(mine));
    if (detail == Detail::whole) add_program(data_.finding_of(answer));
}

void Slice::add_case(std::int64_t number, Detail detail) { case_of(number, detail); }

void Slice::add_listed(const std::function<bool(const SiteAnswer&)>& is_chosen) {
    for (const SiteAnswer& answer : data_.answers()) {
        if (is_chosen(answer)) add(answer, Detail::listed);
    }
}

void Slice::add_program(const std::string& finding) {
    if (finding.empty() || made_["programs"].contains(finding)) return;
    for (const Json& one : data_.document()["findings"]) {
        if (one["id"] == finding && one.contains("program")) {
            made_["programs"][finding] = one["program"];
        }
    }
}

std::int64_t Slice::case_of(std::int64_t number, Detail detail) {
    const auto [place, is_new] = cases_.emplace(number, std::ssize(cases_));
    if (is_new) {
        const Json& tested = data_.tested(number);
        made_["cases"].push_back(detail == Detail::whole ? tested : listed_case(tested));
    }
    return place->second;
}

std::int64_t Slice::outcome_of(std::int64_t number, Detail detail) {
    if (number < 0) return number;
    const auto [place, is_new] =
        outcomes_.emplace(std::pair(number, detail), std::ssize(made_["outcomes"]));
    if (is_new) {
        Json outcome = data_.document()["outcomes"][static_cast<std::size_t>(number)];
        if (detail == Detail::listed) {
            for (const char* const key : {"got", "reproducer", "program"}) outcome.erase(key);
        }
        made_["outcomes"].push_back(std::move(outcome));
    }
    return place->second;
}

std::int64_t Slice::repeat_of(std::int64_t number) {
    if (number < 0) return number;
    const auto [place, is_new] = repeats_.emplace(number, std::ssize(repeats_));
    if (is_new) {
        made_["repeats"].push_back(data_.document()["repeats"][static_cast<std::size_t>(number)]);
    }
    return place->second;
}

}  // namespace gathercheck
