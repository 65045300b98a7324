// SPDX-License-Identifier: Apache-2.0
#include "conformance/records/recorded_answer_json.hpp"

#include <string>
#include <utility>

namespace gathercheck {
namespace {

/// Reads the members of an answer; the first of the wrong kind makes it bad.
class Reader {
public:
    std::optional<RecordedAnswer> read(const Json& json) {
        RecordedAnswer answer;
        if (json.is_string()) {
            answer.text = json.get<std::string>();
            return answer;
        }
        if (!json.is_object()) return std::nullopt;
        if (find_member(json, "type") == nullptr) {
            answer.error = text(json, "error");
            answer.phase = text(json, "phase");
            answer.message = text(json, "message");
            return good_ ? std::optional(std::move(answer)) : std::nullopt;
        }
        answer.type = element_type(text(json, "type"));
        good_ = good_ && answer.type;
        if (const Json* shape = find_member(json, "shape"); shape != nullptr && !shape->is_null()) {
            answer.shape.emplace();
            for (const Json& dim : list(*shape)) {
                answer.shape->push_back(as_integer(dim));
                good_ = good_ && (dim.is_null() || (as_integer(dim) && *as_integer(dim) >= 0));
            }
        }
        if (const Json* first = find_member(json, "first")) {
            answer.has_elements = answer.shape.has_value();
            for (const Json& one : list(*first)) answer.first.push_back(text(one));
        }
        answer.sha256 = text(json, "sha256");
        if (const Json* differing = find_member(json, "differing")) {
            answer.differing = as_integer(*differing);
            good_ = good_ && answer.differing;
        }
        if (const Json* differences = find_member(json, "differences")) {
            for (const Json& one : list(*differences))
                answer.differences.push_back(difference(one));
            good_ = good_ && answer.differing;
        }
        return good_ ? std::optional(std::move(answer)) : std::nullopt;
    }

private:
    ElementDifference difference(const Json& json) {
        ElementDifference difference;
        const Json* at = json.is_object() ? find_member(json, "at") : nullptr;
        if (at == nullptr) {
            good_ = false;
            return difference;
        }
        for (const Json& one : list(*at)) {
            difference.at.push_back(as_integer(one).value_or(0));
            good_ = good_ && as_integer(one);
        }
        difference.expected = text(json, "expected");
        difference.got = text(json, "got");
        return difference;
    }
    const Json& list(const Json& value) {
        static const Json empty = Json::array();
        if (value.is_array()) return value;
        good_ = false;
        return empty;
    }
    std::string text(const Json& value) {
        if (value.is_string()) return value.get<std::string>();
        good_ = false;
        return {};
    }
    std::string text(const Json& object, const char* key) {
        const Json* found = find_member(object, key);
        return found != nullptr ? text(*found) : std::string();
    }

    bool good_ = true;
};

}  // namespace

Json to_json(const RecordedAnswer& answer) {
    if (!answer.text.empty()) return answer.text;
    Json json = Json::object();
    if (!answer.type) {
        put_text(json, "error", answer.error);
        put_text(json, "phase", answer.phase);
        put_text(json, "message", answer.message);
        return json;
    }
    json["type"] = name(*answer.type);
    json["shape"] = nullptr;
    if (answer.shape) {
        json["shape"] = Json::array();
        for (const auto& dim : *answer.shape) json["shape"].push_back(dim ? Json(*dim) : Json());
    }
    if (answer.has_elements) json["first"] = answer.first;
    put_text(json, "sha256", answer.sha256);
    if (answer.differing) json["differing"] = *answer.differing;
    for (const ElementDifference& one : answer.differences) {
        json["differences"].push_back(
            {{"at", one.at}, {"expected", one.expected}, {"got", one.got}});
    }
    return json;
}

Json to_json(const std::vector<RecordedAnswer>& answers) {
    if (answers.size() == 1) return to_json(answers.front());
    Json list = Json::array();
    for (const RecordedAnswer& answer : answers) list.push_back(to_json(answer));
    return list;
}

std::optional<std::vector<RecordedAnswer>> read_recorded_answers(const Json& value) {
    std::vector<RecordedAnswer> answers;
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
        auto answer = Reader().read(one);
        if (!answer) return std::nullopt;
        answers.push_back(std::move(*answer));
    }
    return answers;
}

}  // namespace gathercheck
