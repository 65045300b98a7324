// SPDX-License-Identifier: Apache-2.0
// Encoding calls and decoding answers of the worker protocol.
#include "conformance/implementations/worker/protocol.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "conformance/implementations/worker/protocol_json.hpp"
#include "conformance/model/retype.hpp"
#include "conformance/util/base64.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/json.hpp"
#include "reference/byte_order.hpp"
#include "reference/operator_version.hpp"
#include "reference/reference.hpp"

namespace gathercheck {
namespace {

template <class T>
using Read = std::variant<T, Malformed>;

// ------------------------------------------------------------------------------------- encoding

void append_integer(std::string& text, std::int64_t value) {
    std::array<char, 24> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    text.append(buffer.data(), written.ptr);
}

void append_integers(std::string& text, std::span<const std::int64_t> values) {
    text += '[';
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (k != 0) text += ',';
        append_integer(text, values[k]);
    }
    text += ']';
}

struct AppendAttribute {
    std::string& text;

    void operator()(std::int64_t value) const { append_integer(text, value); }
    void operator()(double value) const { append_canonical_json(text, Json(value)); }
    void operator()(bool value) const { text += value ? "true" : "false"; }
    void operator()(const std::string& value) const { append_json_string(text, value); }
    void operator()(const std::vector<std::int64_t>& value) const { append_integers(text, value); }
    void operator()(const OtherValue& value) const { text += value.json; }
};

StringElement string_at(const TensorView& tensor, std::int64_t k) {
    StringElement element;
    std::memcpy(&element, tensor.contents + k * static_cast<std::int64_t>(sizeof element),
                sizeof element);
    return element;
}

/// Bytes of a tensor's contents that travel; nothing where it travels without.
std::optional<std::int64_t> bytes_to_send(const TensorView& tensor, bool describe) {
    const auto size = byte_size({tensor.type, tensor.shape});
    // Without elements there is nothing to point at, unless the call is described.
    if (size && (tensor.contents != nullptr || (*size == 0 && !describe))) return size;
    return std::nullopt;
}

}  // namespace

void append_tensor(std::string& text, const TensorView& tensor, bool describe) {
    text += R"({"type":")";
    text += name(tensor.type);
    text += R"(","shape":)";
    append_integers(text, tensor.shape.dims());
    const auto size = bytes_to_send(tensor, describe);
    if (size && tensor.type == ElementType::string) {
        text += R"(,"values":[)";
        const auto count = *size / static_cast<std::int64_t>(sizeof(StringElement));
        for (std::int64_t k = 0; k < count; ++k) {
            if (k != 0) text += ',';
            append_json_string(text, string_at(tensor, k).view());
        }
        text += ']';
    } else if (size) {
        text += R"(,"base64":")";
        const LittleEndian sent(tensor.type, {tensor.contents, static_cast<std::size_t>(*size)});
        append_base64(text, sent.bytes());
        text += '"';
    }
    text += '}';
}

// ------------------------------------------------------------------------------------- decoding

std::variant<Json, Malformed> read_object(std::string_view line) {
    JsonResult parsed = parse_json(line, "line", {longest_line, 64});
    if (const auto* problems = std::get_if<std::vector<Problem>>(&parsed)) {
        return Malformed{problems->front().reason};
    }
    Json& value = std::get<Json>(parsed);
    if (!value.is_object()) return Malformed{"is " + describe_json(value) + ", not an object"};
    return std::move(value);
}

namespace {

std::string member_text(std::string_view key, const Json* member) {
    if (member == nullptr) return in_quotes(key) + " is missing";
    return in_quotes(key) + " is " + describe_json(*member);
}

/// What is wrong with a part, as what is wrong with the whole that it is a part of.
Malformed inside(std::string_view pointer, const std::string& where, const Malformed& part) {
    return {where + part.why, std::string(pointer) + part.pointer};
}

Malformed wrong_member(std::string_view key, const Json* member, std::string_view wanted) {
    return {member_text(key, member) + ", " + std::string(wanted), pointer_child("", key)};
}

Read<std::string> text_of(const Json& object, std::string_view key, bool required) {
    const Json* member = find_member(object, key);
    if (member == nullptr && !required) return std::string();
    if (member == nullptr || !member->is_string()) {
        return wrong_member(key, member, "not a string");
    }
    return member->get<std::string>();
}

/// The strings of a list; `fallback` where there is no such key.
Read<std::vector<std::string>> texts_of(const Json& object, std::string_view key,
                                        const std::vector<std::string>* fallback) {
    const Json* member = find_member(object, key);
    if (member == nullptr && fallback != nullptr) return *fallback;
    if (member == nullptr || !member->is_array()) {
        return wrong_member(key, member, "not a list");
    }
    std::vector<std::string> result;
    for (const Json& entry : *member) {
        if (!entry.is_string()) {
            return Malformed{
                "an entry of " + in_quotes(key) + " is " + describe_json(entry) + ", not a string",
                pointer_child(pointer_child("", key), result.size())};
        }
        result.push_back(entry.get<std::string>());
    }
    return result;
}

/// The choices that are known here, in the order of the enumerators.
template <class Choice>
std::vector<Choice> known(const std::vector<std::string>& names,
                          std::initializer_list<Choice> choices) {
    std::vector<Choice> result;
    for (const Choice choice : choices) {
        if (std::ranges::find(names, name(choice)) != names.end()) result.push_back(choice);
    }
    return result;
}

TypeSet known_types(const std::vector<std::string>& names) {
    TypeSet set;
    for (const std::string& text : names) {
        if (const auto type = element_type(text)) set = set | TypeSet{*type};
    }
    return set;
}

using ClaimedValues = decltype(Claim::attributes);

/// The values of attributes that a claim names; none where it names none.
Read<ClaimedValues> read_claimed_values(const Json& claim,
                                        const std::vector<OperatorVersion>& versions) {
    ClaimedValues result;
    const Json* attributes = find_member(claim, "attributes");
    if (attributes == nullptr) return result;
    if (!attributes->is_object()) {
        return wrong_member("attributes", attributes, "not an object of lists of integers");
    }
    for (const auto& [key, list] : attributes->items()) {
        const std::string pointer = pointer_child("/attributes", key);
        const auto is_of = [&name = key](OperatorVersion version) {
            return has_attribute(version, name);
        };
        if (!versions.empty() && std::ranges::none_of(versions, is_of)) {
            return Malformed{"\"attributes\" names " + in_quotes(key) +
                                 ", an attribute that no operator version of the claim has; there "
                                 "are \"batch_dims\" and, where it is no operand, \"axis\"",
                             pointer};
        }
        if (!list.is_array() || list.empty()) {
            return Malformed{"\"attributes\": " + in_quotes(key) + " is " + describe_json(list) +
                                 ", not a list of the integers that are claimed",
                             pointer};
        }
        std::vector<std::int64_t>& values = result[key];
        for (const Json& entry : list) {
            const auto integer = as_integer(entry);
            if (!integer) {
                return Malformed{"\"attributes\": an entry of " + in_quotes(key) + " is " +
                                     describe_json(entry) + ", not an integer",
                                 pointer_child(pointer, values.size())};
            }
            values.push_back(*integer);
        }
    }
    return result;
}

}  // namespace

std::variant<Claim, Malformed> read_claim(const Json& value) {
    static const std::vector<std::string> runtime{"runtime"};
    static const std::vector<std::string> fixed{"static"};
    static const std::vector<std::string> constant{"constant"};
    if (!value.is_object()) return Malformed{"is " + describe_json(value) + ", not an object"};
    std::array<std::vector<std::string>, 6> lists;
    constexpr std::array<std::string_view, 6> keys{"operators", "data",   "indices",
                                                   "operands",  "shapes", "axis"};
    const std::array<const std::vector<std::string>*, 6> fallbacks{nullptr,  nullptr, nullptr,
                                                                   &runtime, &fixed,  &constant};
    for (std::size_t k = 0; k < keys.size(); ++k) {
        auto list = texts_of(value, keys[k], fallbacks[k]);
        if (auto* malformed = std::get_if<Malformed>(&list)) return std::move(*malformed);
        lists[k] = std::move(std::get<std::vector<std::string>>(list));
    }
    Claim claim;
    for (const std::string& text : lists[0]) {
        if (const auto version = operator_version(text)) claim.versions.push_back(*version);
    }
    claim.data = known_types(lists[1]);
    claim.indices = known_types(lists[2]);
    claim.operands = known(lists[3], {Operands::runtime, Operands::constant, Operands::folded});
    claim.shapes = known(lists[4], {Shapes::fixed, Shapes::dynamic});
    claim.axes = known(lists[5], {AxisOperand::constant, AxisOperand::runtime});
    auto values = read_claimed_values(value, claim.versions);
    if (auto* malformed = std::get_if<Malformed>(&values)) return std::move(*malformed);
    claim.attributes = std::move(std::get<ClaimedValues>(values));
    return claim;
}

namespace {

/// Nothing where the protocol version is one that is spoken here.
std::optional<Malformed> check_protocol(const Json& hello) {
    const Json* member = find_member(hello, "protocol");
    const auto version = member == nullptr ? std::nullopt : as_integer(*member);
    if (!version) {
        return wrong_member("protocol", member, "not the one version chosen");
    }
    if (*version >= protocol_min && *version <= protocol_max) return std::nullopt;
    return Malformed{"no common protocol version: it chose " + std::to_string(*version) +
                         ", offered were " + std::to_string(protocol_min) + " to " +
                         std::to_string(protocol_max),
                     "/protocol"};
}

std::optional<Malformed> read_names(const Json& hello, Introduction& introduction) {
    const Json* implementation = find_member(hello, "implementation");
    if (implementation == nullptr || !implementation->is_object()) {
        return wrong_member("implementation", implementation, "not an object");
    }
    const std::array<std::pair<std::string_view, std::string*>, 4> members{
        {{"name", &introduction.name},
         {"version", &introduction.version},
         {"language", &introduction.language},
         {"device", &introduction.device}}};
    for (const auto& [key, target] : members) {
        auto text = text_of(*implementation, key, key == "name");
        if (auto* malformed = std::get_if<Malformed>(&text)) {
            return inside("/implementation", "\"implementation\": ", *malformed);
        }
        *target = std::move(std::get<std::string>(text));
        if (target->size() > longest_name) {
            return Malformed{"the implementation's " + in_quotes(key) + " has " +
                                 std::to_string(target->size()) + " bytes, more than " +
                                 std::to_string(longest_name) + ": " + in_quotes(*target),
                             pointer_child("/implementation", key)};
        }
    }
    if (const Json* witness = find_member(*implementation, "witness")) {
        if (!witness->is_boolean()) {
            return inside("/implementation", "\"implementation\": ",
                          wrong_member("witness", witness, "not true or false"));
        }
        introduction.witness = witness->get<bool>();
    }
    if (introduction.name.empty()) {
        return Malformed{"the implementation's \"name\" is empty", "/implementation/name"};
    }
    return std::nullopt;
}

std::optional<Malformed> read_claims(const Json& hello, Introduction& introduction) {
    const Json* claims = find_member(hello, "claims");
    if (claims == nullptr || !claims->is_array()) {
        return wrong_member("claims", claims, "not a list");
    }
    constexpr std::size_t most_claims = 1000;  // every call is compared with each
    if (claims->size() > most_claims) {
        return Malformed{"\"claims\" has " + std::to_string(claims->size()) +
                             " entries, more than " + std::to_string(most_claims) +
                             "; a claim holds lists, so that a few say everything",
                         "/claims"};
    }
    bool any = false;
    for (std::size_t k = 0; k < claims->size(); ++k) {
        auto claim = read_claim((*claims)[k]);
        if (auto* malformed = std::get_if<Malformed>(&claim)) {
            return inside(pointer_child("/claims", k), "claim " + std::to_string(k) + ": ",
                          *malformed);
        }
        introduction.claims.push_back(std::move(std::get<Claim>(claim)));
        any = any || !introduction.claims.back().versions.empty();
    }
    if (any) return std::nullopt;
    return Malformed{
        "it claims no operator version that this suite knows; names are like \"onnx.Gather-13\"",
        "/claims"};
}

/// Refusals are like claims, each with a reason.
std::optional<Malformed> read_not_implemented(const Json& hello, Introduction& introduction) {
    const Json* refusals = find_member(hello, "not_implemented");
    if (refusals == nullptr) return std::nullopt;
    if (!refusals->is_array()) return wrong_member("not_implemented", refusals, "not a list");
    constexpr std::size_t most_refusals = 1000;  // as many as claims
    if (refusals->size() > most_refusals) {
        return Malformed{"\"not_implemented\" has " + std::to_string(refusals->size()) +
                             " entries, more than " + std::to_string(most_refusals) +
                             "; put types, versions and routes of one reason into one",
                         "/not_implemented"};
    }
    for (std::size_t k = 0; k < refusals->size(); ++k) {
        const auto wrong = [&](const Malformed& part) {
            return inside(pointer_child("/not_implemented", k),
                          "not_implemented " + std::to_string(k) + ": ", part);
        };
        auto what = read_claim((*refusals)[k]);
        if (const auto* malformed = std::get_if<Malformed>(&what)) return wrong(*malformed);
        auto why = text_of((*refusals)[k], "why", true);
        if (const auto* malformed = std::get_if<Malformed>(&why)) return wrong(*malformed);
        if (std::get<std::string>(why).empty()) {
            return wrong({"\"why\" is empty; give the engine's own words", "/why"});
        }
        introduction.not_implemented.push_back(
            {std::move(std::get<Claim>(what)), capped(std::get<std::string>(std::move(why)))});
    }
    return std::nullopt;
}

std::optional<Malformed> read_abilities(const Json& hello, Introduction& introduction) {
    static const std::vector<std::string> run{"run"};
    static const std::vector<std::string> none;
    auto answers = texts_of(hello, "answers", &run);
    if (auto* malformed = std::get_if<Malformed>(&answers)) return std::move(*malformed);
    auto features = texts_of(hello, "features", &none);
    if (auto* malformed = std::get_if<Malformed>(&features)) return std::move(*malformed);
    const auto holds = [](const Read<std::vector<std::string>>& list, std::string_view word) {
        const auto& words = std::get<std::vector<std::string>>(list);
        return std::ranges::find(words, word) != words.end();
    };
    introduction.runs = holds(answers, "run");
    introduction.describes = holds(answers, "describe");
    introduction.reproduces = holds(features, "reproduce");
    introduction.reports_unsafe = holds(features, "unsafe");
    introduction.keeps_models = holds(features, "models");
    if (introduction.runs || introduction.describes) return std::nullopt;
    return Malformed{"\"answers\" holds neither \"run\" nor \"describe\"", "/answers"};
}

Read<ElementType> read_type(const Json& tensor) {
    auto text = text_of(tensor, "type", true);
    if (auto* malformed = std::get_if<Malformed>(&text)) return std::move(*malformed);
    const auto type = element_type(std::get<std::string>(text));
    if (type) return *type;
    return Malformed{
        "\"type\" is " + in_quotes(std::get<std::string>(text)) + ", which is no element type",
        "/type"};
}

/// Dimensions; an unknown one is nothing.
Read<std::vector<std::optional<std::int64_t>>> read_shape(const Json& tensor) {
    const Json* shape = find_member(tensor, "shape");
    if (shape == nullptr || !shape->is_array()) {
        return wrong_member("shape", shape, "not a list");
    }
    if (shape->size() > static_cast<std::size_t>(max_rank)) {
        return Malformed{"\"shape\" has " + std::to_string(shape->size()) +
                         " dimensions, more than " + std::to_string(max_rank)};
    }
    std::vector<std::optional<std::int64_t>> dims;
    for (const Json& entry : *shape) {
        const auto dim = as_integer(entry);
        if (!entry.is_null() && (!dim || *dim < 0)) {
            return Malformed{"an entry of \"shape\" is " + describe_json(entry) + ", not a size",
                             pointer_child("/shape", dims.size())};
        }
        dims.push_back(dim);
    }
    return dims;
}

Read<Tensor> read_strings(const Json& value, const Shape& shape, std::int64_t count) {
    const Json* values = find_member(value, "values");
    if (values == nullptr || !values->is_array()) {
        return wrong_member("values", values, "not the list that strings travel in");
    }
    if (values->size() != static_cast<std::size_t>(count)) {
        return Malformed{"\"values\" holds " + std::to_string(values->size()) +
                             " strings, the shape " + to_string(shape) + " has " +
                             std::to_string(count) + " elements",
                         "/values"};
    }
    std::vector<std::string> strings;
    strings.reserve(values->size());
    for (const Json& entry : *values) {
        if (!entry.is_string()) {
            return Malformed{"an entry of \"values\" is " + describe_json(entry) +
                             ", not a string"};
        }
        strings.push_back(entry.get<std::string>());
    }
    return string_tensor(shape, std::move(strings));
}

}  // namespace

std::variant<Descriptor, Malformed> read_type_and_shape(const Json& value) {
    if (!value.is_object()) return Malformed{"is " + describe_json(value) + ", not an object"};
    const auto type = read_type(value);
    if (const auto* malformed = std::get_if<Malformed>(&type)) return *malformed;
    const auto dims = read_shape(value);
    if (const auto* malformed = std::get_if<Malformed>(&dims)) return *malformed;
    Descriptor descriptor;
    descriptor.type = std::get<ElementType>(type);
    for (const auto& dim : std::get<std::vector<std::optional<std::int64_t>>>(dims)) {
        if (!dim) return Malformed{"an entry of \"shape\" is null, not a size"};
        descriptor.shape.push_back(*dim);
    }
    return descriptor;
}

std::variant<Tensor, Malformed> read_tensor(const Json& value) {
    const auto read = read_type_and_shape(value);
    if (const auto* malformed = std::get_if<Malformed>(&read)) return *malformed;
    const auto& descriptor = std::get<Descriptor>(read);
    const auto count = element_count(descriptor.shape);
    const auto size = byte_size(descriptor);
    if (!count || !size) {
        return Malformed{"the shape " + to_string(descriptor.shape) + " is too large to be true"};
    }
    if (descriptor.type == ElementType::string) {
        return read_strings(value, descriptor.shape, *count);
    }
    const Json* base64 = find_member(value, "base64");
    if (base64 == nullptr || !base64->is_string()) {
        return wrong_member("base64", base64, "not the string that contents travel in");
    }
    auto bytes = base64_decode(base64->get_ref<const std::string&>());
    if (!bytes) {
        return Malformed{"\"base64\" is " + describe_json(*base64) + ", which is not base64",
                         "/base64"};
    }
    if (bytes->size() != static_cast<std::size_t>(*size)) {
        return Malformed{"\"base64\" holds " + std::to_string(bytes->size()) + " bytes, " +
                             std::string(name(descriptor.type)) + " " +
                             to_string(descriptor.shape) + " has " + std::to_string(*size),
                         "/base64"};
    }
    convert_little_endian(descriptor.type, *bytes);
    return Tensor{descriptor.type, descriptor.shape, std::move(*bytes), nullptr};
}

namespace {

Read<Outcome> read_descriptor(const Json& value) {
    if (!value.is_object()) return Malformed{"is " + describe_json(value) + ", not an object"};
    const auto type = read_type(value);
    if (const auto* malformed = std::get_if<Malformed>(&type)) return *malformed;
    DescriptorOutcome outcome;
    outcome.type = std::get<ElementType>(type);
    const Json* shape = find_member(value, "shape");
    if (shape != nullptr && shape->is_null()) {
        outcome.known_rank = false;
        return Outcome(std::move(outcome));
    }
    auto dims = read_shape(value);
    if (auto* malformed = std::get_if<Malformed>(&dims)) return std::move(*malformed);
    outcome.shape = std::move(std::get<std::vector<std::optional<std::int64_t>>>(dims));
    return Outcome(std::move(outcome));
}

Read<Outcome> read_rejected(const Json& value) {
    if (!value.is_object()) return Malformed{"is " + describe_json(value) + ", not an object"};
    Rejected rejected;
    std::array<std::string, 3> texts;
    constexpr std::array<std::string_view, 3> keys{"message", "phase", "category"};
    for (std::size_t k = 0; k < keys.size(); ++k) {
        auto text = text_of(value, keys[k], false);
        if (auto* malformed = std::get_if<Malformed>(&text)) return std::move(*malformed);
        texts[k] = std::move(std::get<std::string>(text));
    }
    rejected.message = capped(std::move(texts[0]));
    if (find_member(value, "phase") != nullptr) {
        rejected.phase = phase(texts[1]);
        if (!rejected.phase) {
            return Malformed{"\"phase\" is " + in_quotes(texts[1]) + ", not build, shape or run",
                             "/phase"};
        }
    }
    if (find_member(value, "category") != nullptr) {
        rejected.category = category(texts[2]);
        if (!rejected.category) {
            return Malformed{
                "\"category\" is " + in_quotes(texts[2]) + ", which is no category of errors",
                "/category"};
        }
    }
    return Outcome(std::move(rejected));
}

Read<Outcome> read_form(std::string_view form, const Json& value) {
    if (form == "output") {
        auto tensor = read_tensor(value);
        if (auto* malformed = std::get_if<Malformed>(&tensor)) return std::move(*malformed);
        return Outcome(ValueOutcome{std::move(std::get<Tensor>(tensor))});
    }
    if (form == "descriptor") return read_descriptor(value);
    if (form == "rejected") return read_rejected(value);
    if (!value.is_string()) return Malformed{"is " + describe_json(value) + ", not a string"};
    std::string text = capped(value.get<std::string>());
    if (form == "unsupported") return Outcome(Unsupported{std::move(text)});
    if (form == "unsafe") return Outcome(UnsafeMemory{std::move(text)});
    return Outcome(Broken{std::move(text)});
}

/// Nothing where the answer carries the number that was asked under.
std::optional<Malformed> check_seq(const Json& answer, std::int64_t seq) {
    const Json* member = find_member(answer, "seq");
    const auto number = member == nullptr ? std::nullopt : as_integer(*member);
    if (!number) return wrong_member("seq", member, "not the number asked under");
    if (*number == seq) return std::nullopt;
    return Malformed{"\"seq\" is " + std::to_string(*number) + ", asked was " + std::to_string(seq),
                     "/seq"};
}

/// The one form that the answer has, of those allowed.
Read<std::string> form_of(const Json& answer, std::span<const std::string_view> forms) {
    std::string allowed;
    std::string found;
    for (const std::string_view form : forms) {
        allowed += (allowed.empty() ? "" : ", ") + std::string(form);
        if (find_member(answer, form) == nullptr) continue;
        if (!found.empty()) return Malformed{"holds both " + found + " and " + std::string(form)};
        found = form;
    }
    if (found.empty()) return Malformed{"holds none of " + allowed};
    return found;
}

}  // namespace

std::string hello_message(bool restart) {
    return R"({"message":"hello","protocol":{"min":)" + std::to_string(protocol_min) +
           R"(,"max":)" + std::to_string(protocol_max) + R"(},"suite":")" GATHERCHECK_VERSION "\"" +
           (restart ? R"(,"restart":true)" : "") + "}\n";
}

std::string goodbye_message() { return "{\"message\":\"goodbye\"}\n"; }

std::size_t size_of_call_members(const Request& request) {
    std::size_t total = 1024;
    for (const Attribute& attribute : request.call->attributes) {
        total += 64 + attribute.name.size();
    }
    for (const Input& input : request.call->inputs) {
        constexpr std::int64_t per_dimension = 21;
        total += 64 + 6 * input.name.size() +
                 static_cast<std::size_t>(per_dimension * input.tensor.shape.rank());
        const auto size = bytes_to_send(input.tensor, request.describe);
        if (!size) continue;
        if (input.tensor.type == ElementType::string) {
            const auto count = *size / static_cast<std::int64_t>(sizeof(StringElement));
            for (std::int64_t k = 0; k < count; ++k) {
                // A control character takes six.
                total += 3 + 6 * static_cast<std::size_t>(string_at(input.tensor, k).length);
            }
        } else {
            total += static_cast<std::size_t>(*size / 3 * 4 + 4);
        }
    }
    return total;
}

std::size_t size_of_answer(const Request& request) {
    constexpr std::size_t around = 2048;  // seq, type, shape and quotes
    if (request.describe) return around;
    const auto described = reference::output_descriptor(*request.call);
    if (!described) return around;
    const auto count = element_count(described->shape);
    const auto size = byte_size(*described);
    if (!count || !size || static_cast<std::size_t>(*size) >= longest_line) return longest_line;
    if (described->type != ElementType::string) {
        return std::min(longest_line, around + static_cast<std::size_t>(*size) / 3 * 4 + 4);
    }
    const TensorView* data = request.call->input("data");
    const auto held = data == nullptr ? std::nullopt : bytes_to_send(*data, false);
    std::int64_t longest = 0;
    for (std::int64_t k = 0; held && k < *held / static_cast<std::int64_t>(sizeof(StringElement));
         ++k) {
        longest = std::max(longest, string_at(*data, k).length);
    }
    // Each byte may come as an escape of six.
    const std::size_t of_each = 6 * std::min(static_cast<std::size_t>(longest), longest_line) + 3;
    if (static_cast<std::size_t>(*count) > (longest_line - around) / of_each) return longest_line;
    return around + static_cast<std::size_t>(*count) * of_each;
}

std::size_t longest_answer(const Request& request) {
    if (request.describe) return longest_small_answer;
    return std::min(longest_line, longest_small_answer + 2 * size_of_answer(request) +
                                      size_of_call_members(request));
}

std::string call_members(const Request& request) {
    const Call& call = *request.call;
    std::string text;
    text.reserve(size_of_call_members(request));
    text += R"("operator":")";
    text += name(call.version);
    text += R"(","route":{"operands":")";
    text += name(request.route.operands);
    text += R"(","shapes":")";
    text += name(request.route.shapes);
    if (request.route.axis == AxisOperand::runtime) text += R"(","axis":"runtime)";
    text += R"("},"attributes":{)";
    bool first = true;
    for (const Attribute& attribute : call.attributes) {
        if (!std::exchange(first, false)) text += ',';
        append_json_string(text, attribute.name);
        text += ':';
        std::visit(AppendAttribute{text}, attribute.value);
    }
    text += R"(},"inputs":{)";
    first = true;
    for (const Input& input : call.inputs) {
        if (!std::exchange(first, false)) text += ',';
        append_json_string(text, input.name);
        text += ':';
        append_tensor(text, input.tensor, request.describe);
    }
    text += '}';
    return text;
}

std::string call_message(std::int64_t seq, const Request& request, std::string_view members,
                         bool with_pass, std::int64_t model) {
    std::string text =
        request.describe ? R"({"message":"describe","seq":)" : R"({"message":"run","seq":)";
    text.reserve(members.size() + 64);
    append_integer(text, seq);
    if (model != 0) {
        text += R"(,"model":)";
        append_integer(text, model);
    }
    if (with_pass) text += request.pass == 0 ? R"(,"pass":0)" : R"(,"pass":1)";
    text += ',';
    text += members;
    text += "}\n";
    return text;
}

std::vector<Request> earlier_requests(const Request& request) {
    std::vector<Request> requests;
    for (const EarlierCall& each : request.before) {
        requests.push_back(request);
        requests.back().call = each.call;
        requests.back().before = {};
    }
    return requests;
}

std::string reproduce_message(std::int64_t seq, std::string_view language, std::string_view members,
                              std::span<const Request> before) {
    std::string text = R"({"message":"reproduce","seq":)";
    append_integer(text, seq);
    text += R"(,"language":)";
    append_json_string(text, language);
    text += ',';
    text += members;
    if (!before.empty()) {
        text += R"(,"before":[)";
        for (std::size_t k = 0; k < before.size(); ++k) {
            text += (k == 0 ? "{" : ",{") + call_members(before[k]) + '}';
        }
        text += ']';
    }
    text += "}\n";
    return text;
}

std::variant<Introduction, Malformed> read_hello(std::string_view line) {
    const auto object = read_object(line);
    if (const auto* malformed = std::get_if<Malformed>(&object)) return *malformed;
    const Json& hello = std::get<Json>(object);
    const Json* message = find_member(hello, "message");
    if (message == nullptr || *message != "hello") {
        return wrong_member("message", message, "not \"hello\"");
    }
    if (auto malformed = check_protocol(hello)) return std::move(*malformed);
    Introduction introduction;
    if (auto malformed = read_names(hello, introduction)) return std::move(*malformed);
    if (auto malformed = read_claims(hello, introduction)) return std::move(*malformed);
    if (auto malformed = read_not_implemented(hello, introduction)) return std::move(*malformed);
    if (auto malformed = read_abilities(hello, introduction)) return std::move(*malformed);
    return introduction;
}

std::variant<Answer, Malformed> read_answer(std::string_view line, std::int64_t seq, bool describe,
                                            bool may_be_unsafe) {
    const auto object = read_object(line);
    if (const auto* malformed = std::get_if<Malformed>(&object)) return *malformed;
    return read_answer(std::get<Json>(object), seq, describe, may_be_unsafe);
}

std::variant<Answer, Malformed> read_answer(const Json& answer, std::int64_t seq, bool describe,
                                            bool may_be_unsafe) {
    if (auto malformed = check_seq(answer, seq)) return std::move(*malformed);
    constexpr std::array<std::string_view, 6> forms{"output", "rejected",   "unsupported",
                                                    "broken", "descriptor", "unsafe"};
    const auto form = form_of(answer, std::span(forms).first(may_be_unsafe ? 6 : 5));
    if (const auto* malformed = std::get_if<Malformed>(&form)) return *malformed;
    const std::string& key = std::get<std::string>(form);
    if (key == (describe ? "output" : "descriptor")) {
        return Malformed{"holds " + key + ", which answers " + (describe ? "run" : "describe") +
                         " messages"};
    }
    auto outcome = read_form(key, *find_member(answer, key));
    if (auto* malformed = std::get_if<Malformed>(&outcome)) {
        return inside(pointer_child("", key), in_quotes(key) + ": ", *malformed);
    }
    const Json* restart = find_member(answer, "restart");
    if (restart != nullptr && !restart->is_boolean()) {
        return wrong_member("restart", restart, "not true or false");
    }
    return Answer{std::get<Outcome>(std::move(outcome)),
                  restart != nullptr && restart->get<bool>()};
}

std::variant<ProgramSource, Malformed> read_source(std::string_view line, std::int64_t seq) {
    const auto object = read_object(line);
    if (const auto* malformed = std::get_if<Malformed>(&object)) return *malformed;
    const Json& answer = std::get<Json>(object);
    if (auto malformed = check_seq(answer, seq)) return std::move(*malformed);
    constexpr std::array<std::string_view, 4> forms{"source", "rejected", "unsupported", "broken"};
    const auto form = form_of(answer, forms);
    if (const auto* malformed = std::get_if<Malformed>(&form)) return *malformed;
    if (std::get<std::string>(form) != "source") return ProgramSource{};
    auto text = text_of(answer, "source", true);
    if (auto* malformed = std::get_if<Malformed>(&text)) return std::move(*malformed);
    ProgramSource program{std::move(std::get<std::string>(text)), {}};
    const Json* command = find_member(answer, "command");
    if (command == nullptr) return program;
    if (!command->is_array()) return wrong_member("command", command, "not a list");
    for (const Json& word : *command) {
        if (!word.is_string()) {
            return Malformed{"an entry of \"command\" is " + describe_json(word) +
                             ", not a string"};
        }
        program.command.push_back(word.get<std::string>());
    }
    const std::string fault = fault_of_command(program.command);
    if (!fault.empty()) return Malformed{"\"command\" " + fault};
    return program;
}

std::string fault_of_command(std::span<const std::string> command) {
    if (command.empty()) return "is empty";
    bool has_file = false;
    for (const std::string& word : command) {
        if (word.find('\0') != std::string::npos) return "holds U+0000";
        has_file = has_file || word.find("{file}") != std::string::npos;
    }
    if (command.front().empty()) return "names no program";
    return has_file ? "" : "holds no {file}, which stands for the name of the program";
}

std::string shown(std::string_view line) {
    constexpr std::size_t longest = 300;
    if (line.size() <= longest) return printable(line);
    return printable(start_of(line, longest)) + "... (" + std::to_string(line.size()) + " bytes)";
}

}  // namespace gathercheck
