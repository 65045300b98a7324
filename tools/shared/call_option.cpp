// SPDX-License-Identifier: Apache-2.0
// From words of the command line to a case.
#include "tools/shared/call_option.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/select/as_taken_by.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    for (;;) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, end);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        parts.emplace_back(part);
        if (end == text.size()) return parts;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::int64_t> integer_of(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || behind != end) return std::nullopt;
    return value;
}

/// A value as case files have it: beyond 2^53 a string, and what is no number too.
Json value_of(const std::string& text, ElementType type) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    if (type == ElementType::string) return text;
    if (type == ElementType::boolean) {
        return text == "true" ? Json(true) : text == "false" ? Json(false) : Json(text);
    }
    if (const auto integer = integer_of(text)) {
        if (*integer > exact || *integer < -exact) return text;
        return *integer;
    }
    const Json number = Json::parse(text, nullptr, false);
    return number.is_number() ? number : Json(text);
}

constexpr std::string_view form =
    "write TYPE[DIM,...], or TYPE[DIM,...]=VALUE,..., as in 'f32[3,2]' or 'i64[2,1]=0,1'";

/// A tensor as case files have it, or why the words are refused.
std::variant<Json, std::string> tensor_of(const std::string& option, const std::string& text) {
    const auto refused = [&](const std::string& why) {
        return option + " '" + text + "' " + why + "; " + std::string(form);
    };
    const std::size_t open = text.find('[');
    if (open == std::string::npos) {
        const std::vector<std::string> values = parts_of(text);
        const bool are_integers = std::ranges::all_of(
            values, [](const std::string& each) { return integer_of(each).has_value(); });
        if (option != "--indices" || !are_integers) return refused("is no tensor");
        Json list = Json::array();
        for (const std::string& each : values) list.push_back(value_of(each, ElementType::i64));
        return Json{{"type", "i64"},
                    {"shape", Json::array({static_cast<std::int64_t>(values.size())})},
                    {"values", std::move(list)}};
    }
    const std::string word = text.substr(0, open);
    const auto type = element_type(word);
    if (!type) return refused("has no element type of the name '" + word + "'");
    const std::size_t close = text.find(']', open);
    if (close == std::string::npos) return refused("has no ']'");
    Json shape = Json::array();
    std::int64_t count = 1;
    for (const std::string& each :
         parts_of(std::string_view(text).substr(open + 1, close - open - 1))) {
        const auto dim = integer_of(each);
        if (!dim || *dim < 0) return refused("has the dimension '" + each + "'");
        count = multiply(count, *dim).value_or(-1);
        if (count < 0) return refused("has more elements than can be counted");
        shape.push_back(*dim);
    }
    Json tensor{{"type", word}, {"shape", std::move(shape)}};
    const std::string rest = text.substr(close + 1);
    if (!rest.empty()) {
        if (!rest.starts_with('=')) return refused("goes on with '" + rest + "'");
        Json list = Json::array();
        for (const std::string& each : parts_of(std::string_view(rest).substr(1))) {
            list.push_back(value_of(each, *type));
        }
        tensor["values"] = std::move(list);
        return tensor;
    }
    if (option == "--indices" && count != 0) return refused("has no values");
    if (count == 0) {
        tensor["values"] = Json::array();
    } else {
        // By address as far as the type tells elements apart so.
        const bool is_wide = bits(*type) >= 32 && *type != ElementType::string &&
                             info(*type).kind != ElementKind::complex;
        tensor["fill"] = Json{{is_wide ? "address" : "mark", 1}};
    }
    return tensor;
}

bool same_spec(const TensorSpec& a, const TensorSpec& b) {
    constexpr std::int64_t most_elements = 1 << 16;
    if (a.descriptor != b.descriptor || a.has_contents() != b.has_contents()) return false;
    if (element_count(a.descriptor.shape).value_or(most_elements) >= most_elements) return false;
    return !a.has_contents() || same_tensor(materialise(a), materialise(b));
}

bool same_call(const Case& a, const Case& b) {
    if (a.axis != b.axis || a.inputs.size() != b.inputs.size() ||
        a.attributes.size() != b.attributes.size() || !b.after.empty()) {
        return false;
    }
    for (std::size_t k = 0; k < a.attributes.size(); ++k) {
        if (a.attributes[k].name != b.attributes[k].name ||
            a.attributes[k].value != b.attributes[k].value) {
            return false;
        }
    }
    return std::ranges::all_of(a.inputs, [&](const NamedTensorSpec& input) {
        const auto same = std::ranges::find(b.inputs, input.name, &NamedTensorSpec::name);
        return same != b.inputs.end() && same_spec(input.tensor, same->tensor);
    });
}

}  // namespace

void add_call_options(const Verb& verb, CallOptions& options) {
    verb.add_option("--data", options.data,
                    "A call of your own: its data, TYPE[DIM,...], whose elements are 1, 2, 3, ..., "
                    "or TYPE[DIM,...]=VALUE,...")
        .type_name("TENSOR");
    verb.add_option("--indices", options.indices,
                    "Its indices: VALUE,..., i64 of one dimension, or TYPE[DIM,...]=VALUE,...")
        .type_name("TENSOR");
    verb.add_option("--axis", options.axis, "Its axis (default: none is given, or 0 as an input)")
        .type_name("N");
    verb.add_option("--batch-dims", options.batch_dims, "Its batch_dims (default: none is given)")
        .type_name("N");
}

std::variant<Case, std::string> call_of(const CallOptions& options, Family family,
                                        const RuleCatalogue& rules) {
    if (options.data.empty() || options.indices.empty()) {
        return std::string("a call has --data and --indices; ") +
               (options.data.empty() ? "--data" : "--indices") + " is missing";
    }
    if (rules.rules().empty()) return std::string("there are no rules");
    Json inputs = Json::object();
    for (const auto& [option, key, text] : {std::tuple("--data", "data", &options.data),
                                            std::tuple("--indices", "indices", &options.indices)}) {
        auto tensor = tensor_of(option, *text);
        if (auto* why = std::get_if<std::string>(&tensor)) return std::move(*why);
        inputs[key] = std::get<Json>(std::move(tensor));
    }
    // The loader reads the operands; what is expected of the call is not its business here.
    const Rule& any = rules.rules().begin()->second;
    const Json document{
        {"cases",
         Json::array({Json{{"id", "call"},
                           {"title", "a call of the command line"},
                           {"inputs", std::move(inputs)},
                           {"expect", Json::array({Json{{"for", Json::array({name(any.version)})},
                                                        {"rules", Json::array({any.id})},
                                                        {"unspecified", "asked"}}})}}})}};
    auto loaded = load_cases_text(document.dump(), "the call", rules);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        std::string why;
        for (const Problem& problem : *problems) {
            const bool is_data = problem.pointer.find("/inputs/data") != std::string::npos;
            if (!why.empty()) why += "; ";
            why += is_data ? "--data" : "--indices";
            why += ": " + problem.reason;
        }
        return why;
    }
    Case call = std::get<Suite>(std::move(loaded)).cases.front();
    call.expect.clear();
    call.family = family;
    call.axis = options.axis;
    if (options.batch_dims) call.attributes.push_back({"batch_dims", *options.batch_dims});
    for (const NamedTensorSpec& input : call.inputs) {
        if (auto why = lacks_memory(input.tensor)) return "--" + input.name + ": " + *why;
    }
    return call;
}

const Case* case_of_call(const Case& call, Family family, const Suite& suite) {
    for (const Case& each : suite.cases) {
        if (family_of(each) == family && same_call(call, each)) return &each;
    }
    return nullptr;
}

}  // namespace gathercheck
