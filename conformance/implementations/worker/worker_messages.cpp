// SPDX-License-Identifier: Apache-2.0
// Decoding the runner's messages and encoding a worker's answers.
#include "conformance/implementations/worker/worker_messages.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "conformance/implementations/worker/protocol_json.hpp"
#include "conformance/load/load_json.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

std::string_view text_member(const Json& object, std::string_view key) {
    const Json* member = find_member(object, key);
    if (member == nullptr || !member->is_string()) return {};
    return member->get_ref<const std::string&>();
}

std::int64_t integer_member(const Json& object, std::string_view key, std::int64_t fallback) {
    const Json* member = find_member(object, key);
    return member == nullptr ? fallback : as_integer(*member).value_or(fallback);
}

Route read_route(const Json& message) {
    Route route;
    const Json* value = find_member(message, "route");
    if (value == nullptr) return route;
    route.operands = operands(text_member(*value, "operands")).value_or(route.operands);
    route.shapes = shapes(text_member(*value, "shapes")).value_or(route.shapes);
    route.axis = axis_operand(text_member(*value, "axis")).value_or(route.axis);
    return route;
}

std::variant<AskedInput, Malformed> read_input(const std::string& name, const Json& value) {
    AskedInput input;
    input.name = name;
    if (find_member(value, "base64") == nullptr && find_member(value, "values") == nullptr) {
        auto descriptor = read_type_and_shape(value);
        if (auto* malformed = std::get_if<Malformed>(&descriptor)) return std::move(*malformed);
        const auto& known = std::get<Descriptor>(descriptor);
        input.tensor = Tensor{known.type, known.shape, {}, nullptr};
        return input;
    }
    auto tensor = read_tensor(value);
    if (auto* malformed = std::get_if<Malformed>(&tensor)) return std::move(*malformed);
    input.tensor = std::get<Tensor>(std::move(tensor));
    input.has_contents = true;
    return input;
}

std::variant<WorkerMessage, Malformed> read_call(const Json& message, bool describe) {
    CallAsked call;
    call.describe = describe;
    const Json* seq = find_member(message, "seq");
    const auto number = seq == nullptr ? std::nullopt : as_integer(*seq);
    if (!number) return Malformed{"\"seq\" is not an integer"};
    call.seq = *number;
    call.pass = integer_member(message, "pass", 0) == 0 ? 0 : 1;
    call.operator_version = text_member(message, "operator");
    call.route = read_route(message);
    if (const Json* attributes = find_member(message, "attributes")) {
        if (!attributes->is_object()) return Malformed{"\"attributes\" is not an object"};
        for (const auto& [name, value] : attributes->get_ref<const Json::object_t&>()) {
            call.attributes.push_back({name, read_attribute(value)});
        }
    }
    const Json* inputs = find_member(message, "inputs");
    if (inputs == nullptr || !inputs->is_object()) return Malformed{"\"inputs\" is not an object"};
    for (const auto& [name, value] : inputs->get_ref<const Json::object_t&>()) {
        if (!value.is_object()) return Malformed{"an input is not an object"};
        auto input = read_input(name, value);
        if (const auto* malformed = std::get_if<Malformed>(&input)) {
            return Malformed{"input " + in_quotes(name) + ": " + malformed->why};
        }
        call.inputs.push_back(std::get<AskedInput>(std::move(input)));
    }
    return WorkerMessage(std::move(call));
}

Json names_of(std::string_view text) {
    Json list = Json::array();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end != 0) list.push_back(printable(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list;
}

/// {"batch_dims":[0,1]} of "batch_dims=0,1". What is no integer stays a string, and is refused by
/// who reads it.
Json values_of(std::string_view text) {
    Json attributes = Json::object();
    for (const Json& word : names_of(text)) {
        const auto& attribute = word.get_ref<const std::string&>();
        const std::size_t equals = std::min(attribute.find('='), attribute.size());
        Json values = Json::array();
        std::string_view rest(attribute);
        rest.remove_prefix(std::min(equals + 1, rest.size()));
        while (!rest.empty()) {
            const std::string_view one = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(one.size() + 1, rest.size()));
            std::int64_t integer = 0;
            const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), integer);
            if (error == std::errc() && end == one.data() + one.size()) {
                values.push_back(integer);
            } else {
                values.push_back(std::string(one));
            }
        }
        attributes[attribute.substr(0, equals)] = std::move(values);
    }
    return attributes;
}

std::string line_of(const Json& message) {
    std::string text;
    append_canonical_json(text, message);
    return text + '\n';
}

std::string start_of_answer(std::int64_t seq, std::string_view form) {
    return "{\"seq\":" + std::to_string(seq) + ",\"" + std::string(form) + "\":";
}

}  // namespace

std::variant<WorkerMessage, Malformed> read_worker_message(std::string_view line) {
    const auto object = read_object(line);
    if (const auto* malformed = std::get_if<Malformed>(&object)) return *malformed;
    const Json& message = std::get<Json>(object);
    const std::string kind(text_member(message, "message"));
    if (kind == "run" || kind == "describe") return read_call(message, kind == "describe");
    if (kind == "goodbye") return WorkerMessage(GoodbyeSaid{});
    if (kind == "hello") {
        const Json* protocol = find_member(message, "protocol");
        if (protocol == nullptr || !protocol->is_object()) {
            return Malformed{"\"protocol\" is not an object"};
        }
        return WorkerMessage(
            HelloAsked{integer_member(*protocol, "min", 0), integer_member(*protocol, "max", 0)});
    }
    OtherAsked other{kind, std::nullopt};
    if (const Json* seq = find_member(message, "seq")) other.seq = as_integer(*seq);
    return WorkerMessage(std::move(other));
}

std::string hello_answer(const WorkerHello& hello) {
    Json claims = Json::array();
    for (const ClaimedNames& claim : hello.claims) {
        Json entry = {{"operators", names_of(claim.operators)},
                      {"data", names_of(claim.data)},
                      {"indices", names_of(claim.indices)}};
        if (!claim.operands.empty()) entry["operands"] = names_of(claim.operands);
        if (!claim.shapes.empty()) entry["shapes"] = names_of(claim.shapes);
        if (!claim.axis.empty()) entry["axis"] = names_of(claim.axis);
        if (!claim.attributes.empty()) entry["attributes"] = values_of(claim.attributes);
        claims.push_back(std::move(entry));
    }
    Json answers = {"run"};
    if (hello.describes) answers.push_back("describe");
    Json features = Json::array();
    if (hello.reports_unsafe) features.push_back("unsafe");
    return line_of({{"message", "hello"},
                    {"protocol", protocol_max},
                    {"implementation",
                     {{"name", printable(hello.name)},
                      {"version", printable(hello.version)},
                      {"language", printable(hello.language)},
                      {"device", printable(hello.device)}}},
                    {"claims", std::move(claims)},
                    {"answers", std::move(answers)},
                    {"features", std::move(features)}});
}

std::string output_answer(std::int64_t seq, const TensorView& output) {
    std::string text = start_of_answer(seq, "output");
    append_tensor(text, output, false);
    return text + "}\n";
}

std::string descriptor_answer(std::int64_t seq, const DescriptorOutcome& descriptor) {
    std::string text = start_of_answer(seq, "descriptor");
    text += "{\"type\":\"" + std::string(name(descriptor.type)) + "\",\"shape\":";
    if (!descriptor.known_rank) return text + "null}}\n";
    text += '[';
    for (std::size_t k = 0; k < descriptor.shape.size(); ++k) {
        const auto& dim = descriptor.shape[k];
        text += (k == 0 ? "" : ",") + (dim ? std::to_string(*dim) : std::string("null"));
    }
    return text + "]}}\n";
}

std::string rejected_answer(std::int64_t seq, std::string_view message, std::string_view phase,
                            std::string_view category) {
    std::string text = start_of_answer(seq, "rejected");
    text += "{\"message\":\"" + inside_json_string(message) + '"';
    if (!phase.empty()) text += ",\"phase\":\"" + inside_json_string(phase) + '"';
    if (!category.empty()) text += ",\"category\":\"" + inside_json_string(category) + '"';
    return text + "}}\n";
}

std::string text_answer(std::int64_t seq, std::string_view form, std::string_view text) {
    return start_of_answer(seq, form) + '"' + inside_json_string(text) + "\"}\n";
}

std::string inside_json_string(std::string_view text) {
    std::string json;
    append_json_string(json, printable(text));
    return json.substr(1, json.size() - 2);
}

}  // namespace gathercheck
