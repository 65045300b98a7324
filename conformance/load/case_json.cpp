// SPDX-License-Identifier: Apache-2.0
// Cases in case files: the call, the expectations, and whether they fit each other.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>

#include "conformance/load/load_json.hpp"
#include "conformance/load/meaning.hpp"

namespace gathercheck {

AttributeValue read_attribute(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_float()) return value.get<double>();
    if (const auto integer = as_integer(value)) return *integer;
    if (value.is_array()) {
        std::vector<std::int64_t> integers;
        for (const Json& element : value) {
            const auto integer = as_integer(element);
            if (!integer) return OtherValue{canonical_json(value)};
            integers.push_back(*integer);
        }
        return integers;
    }
    return OtherValue{canonical_json(value)};
}

namespace {

void read_attributes(const Json& value, const Place& at, Case& result, Problems& problems) {
    const Json* attributes = object_at(value, at, "attributes", problems);
    if (attributes == nullptr) return;
    const Place here = at.child("attributes");
    for (const auto& [name, member] : attributes->get_ref<const Json::object_t&>()) {
        if (name.empty()) problems.add(here, "an attribute has an empty name; name it");
        result.attributes.push_back({name, read_attribute(member)});
    }
}

void read_inputs(const Json& value, const Place& at, Case& result, Problems& problems) {
    const Json* inputs = object_at(value, at, "inputs", problems);
    if (inputs == nullptr) return;
    const Place here = at.child("inputs");
    for (const auto& [name, member] : inputs->get_ref<const Json::object_t&>()) {
        const Place place = here.child(name);
        if (name.empty()) problems.add(place, "an input has an empty name; name it");
        auto tensor = read_input(member, place, problems);
        if (tensor) result.inputs.push_back({name, std::move(*tensor)});
    }
}

/// Axis given twice, and contents given for some tensors only.
void check_call(const Case& result, const Place& at, Problems& problems) {
    const auto has_axis = [](const auto& list) {
        return std::ranges::any_of(list, [](const auto& each) { return each.name == "axis"; });
    };
    if (result.axis && has_axis(result.attributes)) {
        problems.add(at.child("axis"),
                     "axis stands here and among the attributes; keep one of the two");
    }
    if (result.axis && has_axis(result.inputs)) {
        problems.add(at.child("axis"),
                     "axis stands here and among the inputs; keep one of the two");
    }
    const Place inputs = at.child("inputs");
    const bool described = result.is_described();
    for (const NamedTensorSpec& input : result.inputs) {
        if (input.name == "axis") {
            if (!input.tensor.has_contents()) {
                problems.add(inputs.child(input.name),
                             "the axis input has no contents, which are needed even where only "
                             "shapes are asked for; add them");
            }
        } else if (described && input.tensor.has_contents()) {
            problems.add(inputs.child(input.name),
                         "has contents while another input has none; give all inputs their "
                         "contents, or leave them out of all but axis");
        } else if (!described && !input.tensor.has_contents()) {
            problems.add(inputs.child(input.name), "has no contents; add them");
        }
    }
}

/// The ids of a sequence; whether there are such cases is seen once all are loaded.
void read_after(const Json& value, const Place& at, Case& result, Problems& problems) {
    if (find_member(value, "after") == nullptr) return;
    const Json* list = array_at(value, at, "after", problems);
    if (list == nullptr) return;
    const Place here = at.child("after");
    constexpr std::size_t most = 8;
    if (list->empty() || list->size() > most) {
        problems.add(here, "has " + std::to_string(list->size()) + " entries; name 1 to " +
                               std::to_string(most) + " cases");
    }
    for (std::size_t k = 0; k < list->size(); ++k) {  // one call may be made several times
        const Json& entry = (*list)[k];
        if (entry.is_string()) {
            result.after.push_back(entry.get<std::string>());
        } else {
            problems.add(here.child(k), "is " + describe_json(entry) + "; write the id of a case");
        }
    }
    if (result.from_sweep) {
        problems.add(here, "a sequence ends in a hand-written case; remove it from the sweep");
    }
    if (result.is_described()) {
        problems.add(here,
                     "a described call is none of a sequence; give the inputs their contents");
    }
}

std::string list_of(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) {
        if (!text.empty()) text += ", ";
        text += item;
    }
    return text;
}

/// Where the catalogue would have a rule of that id: "to rules/onnx.Gather-13.json".
std::string home_of(const std::string& rule_id) {
    for (const OperatorInfo& version : operator_versions()) {
        if (rule_id.starts_with(std::string(version.rules) + ".")) {
            return "to rules/" + std::string(version.name) + ".json";
        }
    }
    return "to it";
}

/// Why a rule id cannot stand in an expectation for some versions; nothing where it can.
std::optional<std::string> refused_rule(const std::string& id, const RuleCatalogue& rules,
                                        const std::vector<OperatorVersion>& versions) {
    const Rule* rule = rules.find(id);
    if (rule == nullptr) {
        return "the rule " + in_quotes(id) +
               " is not in the catalogue; correct the id, or add the rule " + home_of(id);
    }
    if (std::ranges::find(versions, rule->version) == versions.end()) {
        return "the rule " + in_quotes(id) + " is one of " + std::string(name(rule->version)) +
               ", which \"for\" does not name; remove it, or name the version";
    }
    return std::nullopt;
}

/// The rules that one entry of "rules" stands for; why it was refused otherwise.
std::variant<std::vector<std::string>, std::string> read_rule(
    const std::string& entry, const RuleCatalogue& rules,
    const std::vector<OperatorVersion>& versions) {
    auto ids = rule_ids(entry, versions);
    if (!stands_for_each(entry)) {
        if (auto reason = refused_rule(entry, rules, versions)) return *reason;
        return ids;
    }
    std::vector<std::string> lacking;
    for (std::size_t k = 0; k < ids.size(); ++k) {
        if (rules.find(ids[k]) == nullptr) lacking.emplace_back(name(versions[k]));
    }
    if (lacking.empty()) return ids;
    return in_quotes(entry) + " stands for a rule of each version, but there is none of " +
           list_of(lacking) +
           "; name the rules one by one, or these versions in another expectation";
}

void read_rules(const Json& value, const Place& at, const RuleCatalogue& rules, Expectation& result,
                Problems& problems) {
    const Json* list = find_member(value, "rules");
    if (list == nullptr) return;
    const Place here = at.child("rules");
    const std::size_t before = problems.added();
    const auto entries = strings_of(*list, here, problems);
    const bool all_read = problems.added() == before;
    std::array<bool, max_operator_versions> covered{};
    std::unordered_set<std::string> seen;
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const auto refuse = [&](std::string reason) {
            if (all_read) {
                problems.add(here.child(k), std::move(reason));
            } else {
                problems.add(here, std::move(reason));
            }
        };
        auto ids = read_rule(entries[k], rules, result.versions);
        if (auto* reason = std::get_if<std::string>(&ids)) {
            refuse(std::move(*reason));
            continue;
        }
        for (std::string& id : std::get<std::vector<std::string>>(ids)) {
            if (!seen.insert(id).second) {
                refuse("the rule " + in_quotes(id) +
                       " stands in this list already; remove one of the two");
            }
            covered[static_cast<std::size_t>(rules.find(id)->version)] = true;
            result.rules.push_back(std::move(id));
        }
    }
    if (problems.added() != before) return;
    for (const OperatorVersion version : result.versions) {
        if (covered[static_cast<std::size_t>(version)]) continue;
        problems.add(here, "no rule of " + std::string(name(version)) +
                               " stands here, though \"for\" names it; add the rule that decides");
    }
}

std::optional<Phase> read_phase(const Json& value, const Place& at, Problems& problems) {
    const std::string* text = string_at(value, at, "phase", problems);
    if (text == nullptr) return std::nullopt;
    const auto found = phase(*text);
    if (!found) {
        problems.add(at.child("phase"),
                     in_quotes(*text) + " is no phase; write build, shape or run");
    }
    return found;
}

std::optional<ExpectedError> read_error(const Json& value, const Place& at, Problems& problems) {
    const auto given_phase = read_phase(value, at, problems);
    const std::string* text = string_at(value, at, "error", problems);
    if (text == nullptr) return std::nullopt;
    const auto found = category(*text);
    if (!found) {
        std::vector<std::string> known;
        for (std::size_t k = 0; k < category_count; ++k) {
            known.emplace_back(name(static_cast<Category>(k)));
        }
        problems.add(
            at.child("error"),
            in_quotes(*text) + " is no category of errors; write one of " + list_of(known));
        return std::nullopt;
    }
    return ExpectedError{*found, given_phase};
}

void read_either(const Json& value, const Place& at, bool in_sweep, Expectation& result,
                 Problems& problems) {
    const Json* list = array_at(value, at, "either", problems);
    if (list == nullptr) return;
    const Place here = at.child("either");
    if (list->size() < 2) {
        problems.add(here, "has " + std::to_string(list->size()) +
                               " alternatives; write at least two, or \"output\" or \"error\"");
    }
    std::unordered_set<std::string> seen;
    for (std::size_t k = 0; k < list->size(); ++k) {
        const Json& each = (*list)[k];
        const Place place = here.child(k);
        const bool output = find_member(each, "output") != nullptr;
        if (output ? !check_keys(each, place, {"output"}, {}, problems)
                   : !check_keys(each, place, {"error"}, {"phase"}, problems)) {
            continue;
        }
        if (!seen.insert(canonical_json(each)).second) {
            problems.add(place, "stands twice among the alternatives; remove one");
        }
        if (output) {
            const Place output_place = place.child("output");
            auto expected =
                read_output(*find_member(each, "output"), output_place, in_sweep, problems);
            if (expected) result.alternatives.emplace_back(std::move(*expected));
        } else if (auto expected = read_error(each, place, problems)) {
            result.alternatives.emplace_back(*expected);
        }
    }
}

std::optional<Expectation> read_expectation(const Json& value, const Place& at, bool in_sweep,
                                            std::vector<OperatorVersion> versions,
                                            const RuleCatalogue& rules, Problems& problems) {
    const std::size_t before = problems.added();
    check_keys(value, at, {"for", "rules"}, {"output", "error", "either", "unspecified", "phase"},
               problems);
    if (!value.is_object()) return std::nullopt;
    Expectation result;
    result.versions = std::move(versions);
    read_rules(value, at, rules, result, problems);
    std::string_view kind;
    int kinds = 0;
    for (const std::string_view key : {"output", "error", "either", "unspecified"}) {
        if (find_member(value, key) == nullptr) continue;
        kind = key;
        ++kinds;
    }
    if (kinds != 1) {
        problems.add(
            at, std::string(kinds == 0 ? "says nothing of the answer" : "gives several answers") +
                    "; write exactly one of \"output\", \"error\", \"either\", "
                    "\"unspecified\"");
        return std::nullopt;
    }
    if (kind != "error" && find_member(value, "phase") != nullptr) {
        problems.add(at.child("phase"), "a phase belongs to an error only; remove it");
    }
    if (kind == "output") {
        const Place here = at.child("output");
        auto expected = read_output(*find_member(value, "output"), here, in_sweep, problems);
        if (expected) result.alternatives.emplace_back(std::move(*expected));
    } else if (kind == "error") {
        if (auto expected = read_error(value, at, problems)) {
            result.alternatives.emplace_back(*expected);
        }
    } else if (kind == "either") {
        read_either(value, at, in_sweep, result, problems);
    } else if (const std::string* why = string_at(value, at, "unspecified", problems)) {
        result.unspecified = *why;
    }
    if (problems.added() != before) return std::nullopt;
    return result;
}

/// An expected error must be one that the named rules can produce, for each version.
void check_error(const Expectation& expectation, const ExpectedError& error, bool described,
                 const Place& at, const RuleCatalogue& rules, Problems& problems) {
    const std::string category_name(name(error.category));
    if (described && error.category == Category::index_out_of_bounds) {
        problems.add(at,
                     "a described case has no index values that could be out of bounds; give "
                     "the inputs their contents");
    }
    for (const OperatorVersion version : expectation.versions) {
        bool produced = false;
        bool in_phase = false;
        for (const std::string& id : expectation.rules) {
            const Rule* rule = rules.find(id);
            if (rule->version != version ||
                std::ranges::find(rule->errors, error.category) == rule->errors.end()) {
                continue;
            }
            produced = true;
            in_phase = in_phase || !error.phase || rule->phase == error.phase;
        }
        if (!produced) {
            problems.add(at, "none of the rules given for " + std::string(name(version)) +
                                 " can produce " + category_name +
                                 "; name the rule that does, or correct the category");
        } else if (!in_phase) {
            problems.add(at, "none of the rules given for " + std::string(name(version)) +
                                 " produces " + category_name + " in the phase " +
                                 std::string(name(*error.phase)) +
                                 "; correct the phase, or leave it out");
        }
    }
}

/// An expected output must fit the call: its type is data's, it has contents unless it is
/// described, and the suite's own reading can be represented. Another answer may name any shape: an
/// implementation that only does that has accepted nothing.
void check_output(const Case& result, const ExpectedOutput& output, bool is_reading,
                  const Place& at, Problems& problems) {
    const auto* spec = std::get_if<TensorSpec>(&output.output);
    if (spec == nullptr) return;
    const bool described = result.is_described();
    const bool has_contents = spec->has_contents() || !output.sha256.empty();
    if (is_reading && !byte_size(spec->descriptor)) {
        problems.add(at, std::string(name(spec->descriptor.type)) + " " +
                             to_string(spec->descriptor.shape) +
                             " has more bytes than fit 63 bits; such a call is to be rejected with "
                             "\"too_large\", and other answers come after that one");
    }
    if (described && has_contents) {
        problems.add(at, "has contents though the inputs have none; leave them out here too");
    } else if (!described && !has_contents) {
        problems.add(at,
                     "has no contents though the inputs have; add values, bits, fill or sha256");
    }
    for (const NamedTensorSpec& input : result.inputs) {
        if (input.name != "data" || input.tensor.descriptor.type == spec->descriptor.type) continue;
        problems.add(at.child("type"),
                     "is " + std::string(name(spec->descriptor.type)) + " though data is " +
                         std::string(name(input.tensor.descriptor.type)) +
                         ", and the operators never change the type; write data's type");
    }
}

void check_versions(const Case& result, const Expectation& expectation, const Place& at,
                    std::set<OperatorVersion>& seen, Problems& problems) {
    const Place here = at.child("for");
    for (const OperatorVersion version : expectation.versions) {
        const std::string version_name(name(version));
        if (!seen.insert(version).second) {
            problems.add(here, version_name +
                                   " stands in another expectation of this case too; keep it in "
                                   "one of them, or name it one by one in the other of two "
                                   "meanings");
        }
        if (result.axis && info(version).axis == AxisSource::none) {
            problems.add(here, version_name +
                                   " has no axis, but the case gives one; remove the "
                                   "version or the axis");
        }
    }
}

void read_expectations(const Json& value, const Place& at, bool in_sweep,
                       const RuleCatalogue& rules, Case& result, Problems& problems) {
    const Json* list = array_at(value, at, "expect", problems);
    if (list == nullptr) return;
    const Place here = at.child("expect");
    if (list->empty()) {
        problems.add(here, "is an empty list; say what at least one operator version must do");
    }
    auto versions = read_versions(*list, here, problems);
    std::set<OperatorVersion> seen;
    for (std::size_t k = 0; k < list->size(); ++k) {
        const Place place = here.child(k);
        auto expectation =
            read_expectation((*list)[k], place, in_sweep, std::move(versions[k]), rules, problems);
        if (!expectation) continue;
        check_versions(result, *expectation, place, seen, problems);
        const bool either = expectation->alternatives.size() > 1;
        for (std::size_t j = 0; j < expectation->alternatives.size(); ++j) {
            const Place list_place = place.child("either");
            const Place alternative_place = either ? list_place.child(j) : place;
            const Alternative& alternative = expectation->alternatives[j];
            if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
                check_error(*expectation, *error, result.is_described(),
                            alternative_place.child("error"), rules, problems);
            } else {
                check_output(result, std::get<ExpectedOutput>(alternative), j == 0,
                             alternative_place.child("output"), problems);
            }
        }
        result.expect.push_back(std::move(*expectation));
    }
}

}  // namespace

bool is_kebab_case(std::string_view text) {
    const auto is_separator = [](char c) { return c == '-' || c == '.'; };
    bool after_separator = true;
    for (const char c : text) {
        const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!word && (!is_separator(c) || after_separator)) return false;
        after_separator = !word;
    }
    return !after_separator;
}

std::optional<Case> read_case(const Json& value, const Place& at, bool in_sweep,
                              const RuleCatalogue& rules, Problems& problems) {
    const std::size_t before = problems.added();
    check_keys(value, at, {"id", "title", "inputs", "expect"},
               {"why", "axis", "attributes", "control", "after", "sweep"}, problems);
    if (!value.is_object()) return std::nullopt;
    Case result;
    result.file = problems.file();
    result.pointer = at.pointer();
    result.from_sweep = in_sweep;
    const auto text = [&](std::string_view key) {
        const std::string* found = string_at(value, at, key, problems);
        return found == nullptr ? std::string() : *found;
    };
    result.id = text("id");
    result.title = text("title");
    result.why = text("why");
    result.control = text("control");
    if (!in_sweep && !result.id.empty() && !is_kebab_case(result.id)) {
        problems.add(at.child("id"),
                     in_quotes(result.id) +
                         " is not in kebab-case; use lower-case letters, digits and "
                         "dots, with single hyphens between words");
    }
    result.axis = integer_at(value, at, "axis", problems);
    read_attributes(value, at, result, problems);
    const std::size_t before_inputs = problems.added();
    read_inputs(value, at, result, problems);
    if (problems.added() == before_inputs) {
        check_call(result, at, problems);
        read_after(value, at, result, problems);
    }
    read_expectations(value, at, in_sweep, rules, result, problems);
    if (!result.control.empty() &&
        std::ranges::none_of(result.expect, &Expectation::may_be_rejected)) {
        problems.add(at.child("control"),
                     "no version may reject this call, so it needs no control; remove it");
    }
    if (problems.added() != before || problems.full()) return std::nullopt;
    return result;
}

}  // namespace gathercheck
