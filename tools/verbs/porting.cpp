// SPDX-License-Identifier: Apache-2.0
// gathercheck porting: in which calls two operator versions differ.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/model/retype.hpp"
#include "conformance/report/report.hpp"
#include "conformance/select/as_taken_by.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "conformance/util/subprocess.hpp"
#include "tools/shared/answer_text.hpp"
#include "tools/shared/columns.hpp"
#include "tools/shared/dialects.hpp"
#include "tools/shared/specified.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct PortingVerb {
    std::vector<std::string> versions;  ///< two
    std::vector<std::string> cases;
    std::string format = "text";
};

/// How what two versions say of a call differs, in the order in which it is told.
enum class Kind : std::uint8_t {
    treatment,  ///< zeros, or another treatment of an index out of bounds, and an error
    values,     ///< two outputs of one form
    forms,      ///< outputs of two shapes or types
    value,      ///< a value and an error
    types,      ///< an element type is taken and refused
    no_words,   ///< one of them cannot say the call
    open,       ///< one of them leaves it open
    either,     ///< one of them allows a value and an error
};
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kinds{{
    {"treatment", "An index out of bounds: an answer and an error"},
    {"values", "Different values"},
    {"forms", "Different shapes or element types of the output"},
    {"value_and_error", "A value and an error"},
    {"types", "Element types of inputs that one takes and the other refuses"},
    {"no_words", "Calls that one of them has no words for"},
    {"open", "One leaves open what the other decides"},
    {"either", "One allows a value and an error where the other decides"},
}};

std::pair<std::string_view, std::string_view> words_of(Kind kind) {
    return kinds[static_cast<std::size_t>(kind)];
}

/// What one version says of a call.
struct Side {
    OperatorVersion version;
    std::string why_not;  ///< it has no words for it; empty where there is an answer
    std::optional<SpecifiedAnswer> answer;

    /// What it does; of what one takes and the other cannot take, not with what result.
    std::string phrase(std::optional<Kind> kind = std::nullopt) const {
        if (!answer) return "has no words for it: " + why_not;
        const bool is_taken = kind == Kind::types || kind == Kind::no_words;
        return is_taken && answer->says == Says::output ? "takes it" : said_phrase(*answer);
    }
    /// Of what decides, where that is one check of the version.
    std::string check_rule() const {
        if (!answer || answer->says == Says::output || !answer->broken) return {};
        return rule_id(version, *answer->broken);
    }
};

/// All calls that differ in one way.
struct Group {
    Kind kind = Kind::values;
    std::array<std::string, 2> phrases;
    std::array<std::vector<std::string>, 2> rules;  ///< that all its calls rest on
    /// That are refused, of Kind::types: by the name of the input.
    std::map<std::string, std::set<std::string>> types;
    std::int64_t count = 0;
    const Case* example = nullptr;
    bool is_rewritten = false;  ///< a version that the example names takes it in another form,
                                ///< so that `gathercheck compare` shows another answer
    std::array<Side, 2> sides;  ///< of the example
};

struct Comparison {
    std::array<OperatorVersion, 2> versions;
    std::int64_t calls = 0;  ///< that either has words for
    std::int64_t same = 0;
    std::int64_t both_refuse_otherwise = 0;
    std::int64_t not_compared = 0;  ///< for lack of memory
    std::vector<std::string> bugs;
    std::vector<Group> groups;
};

std::optional<Kind> difference(const SpecifiedAnswer& a, const SpecifiedAnswer& b) {
    if (a.says == b.says && a.says != Says::output) return std::nullopt;
    if (a.says == Says::open || b.says == Says::open) return Kind::open;
    if (a.says == Says::either || b.says == Says::either) return Kind::either;
    if (a.says == b.says) {
        const ResolvedOutput& one = *a.output();
        const ResolvedOutput& other = *b.output();
        if (one.descriptor != other.descriptor) return Kind::forms;
        const bool known = one.contents && other.contents;
        return known && !same_tensor(*one.contents, *other.contents) ? std::optional(Kind::values)
                                                                     : std::nullopt;
    }
    const SpecifiedAnswer& output = a.says == Says::output ? a : b;
    const SpecifiedAnswer& error = a.says == Says::output ? b : a;
    if (error.error()->category == Category::unsupported_type) return Kind::types;
    return output.word == "value" ? Kind::value : Kind::treatment;
}

std::optional<Kind> difference(const std::array<Side, 2>& sides) {
    if (sides[0].answer && sides[1].answer) return difference(*sides[0].answer, *sides[1].answer);
    const Side& told = sides[0].answer ? sides[0] : sides[1];
    // What is refused, or left open, is nothing to be ported.
    return told.answer->says == Says::output ? std::optional(Kind::no_words) : std::nullopt;
}

/// The rules that stand behind a side, those that decide first.
std::vector<std::string> rules_of(const Side& side, const Side& other) {
    std::vector<std::string> ids;
    const auto add = [&](const std::string& id) {
        if (!id.empty() && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    };
    if (!side.answer) {
        add(rule_id(side.version, Check::attribute_unknown));
        return ids;
    }
    add(side.check_rule());
    if (!other.answer) {
        // What the other has no words for is an attribute or the axis.
        const Check words = has_attribute(side.version, "batch_dims") &&
                                    info(other.version).batch_dims == BatchDims::none
                                ? Check::batch_dims_range
                                : Check::axis_range;
        add(rule_id(side.version, words));
    }
    for (const std::string& id : side.answer->rules) add(id);
    if (other.answer && other.answer->broken && side.check_rule().empty()) {
        add(rule_id(side.version, *other.answer->broken));
    }
    return ids;
}

/// Keeps of the rules those that another call rests on, too.
void narrow(std::vector<std::string>& rules, const std::vector<std::string>& more) {
    std::erase_if(rules,
                  [&](const std::string& id) { return std::ranges::find(more, id) == more.end(); });
}

/// The types of the inputs whose types the refusing side checked.
void add_refused_types(const Case& asked, const std::array<Side, 2>& sides, Group& group) {
    for (const Side& side : sides) {
        if (side.answer->says != Says::error) continue;
        const std::string_view input = side.answer->broken == Check::indices_type ? "indices"
                                       : side.answer->broken == Check::axis_type  ? "axis"
                                                                                  : "data";
        for (const NamedTensorSpec& each : asked.inputs) {
            if (each.name != input) continue;
            group.types[each.name].emplace(name(each.tensor.descriptor.type));
        }
    }
}

bool has_empty_input(const Case& asked) {
    return std::ranges::any_of(asked.inputs, [](const NamedTensorSpec& input) {
        return element_count(input.tensor.descriptor.shape) == 0;
    });
}

/// The order of examples: by elements, but what has none shows little.
bool is_smaller(const Case& a, const Case& b) {
    const auto size = [](const Case& asked) {
        return std::tuple(has_empty_input(asked), elements_of(asked), std::string_view(asked.id));
    };
    return size(a) < size(b);
}

class Differences {
public:
    Differences(const LoadedSuite& loaded, std::array<OperatorVersion, 2> versions)
        : specified_(loaded) {
        result_.versions = versions;
    }

    void add(const Case& asked) {
        std::array<Side, 2> sides{Side{result_.versions[0], {}, {}},
                                  Side{result_.versions[1], {}, {}}};
        bool is_rewritten = false;
        for (Side& side : sides) {
            TakenCase taken = as_taken_by(asked, side.version, Form::own);
            if (taken.taken == nullptr) {
                side.why_not = std::move(taken.why_not);
                continue;
            }
            is_rewritten |=
                asked.expectation(side.version) != nullptr && taken.taken.get() != &asked;
            auto answer = specified_.answer(*taken.taken, side.version);
            if (const auto* untold = std::get_if<Specified::Untold>(&answer)) {
                if (untold->is_bug) {
                    result_.bugs.push_back("case " + asked.id + " for " +
                                           std::string(name(side.version)) + ": " + untold->why);
                } else {
                    ++result_.not_compared;
                }
                return;
            }
            side.answer = std::get<SpecifiedAnswer>(std::move(answer));
        }
        if (!sides[0].answer && !sides[1].answer) return;
        ++result_.calls;
        const auto kind = difference(sides);
        if (!kind) {
            const bool both = sides[0].answer && sides[1].answer;
            if (both && sides[0].phrase() != sides[1].phrase() &&
                sides[0].answer->says == Says::error) {
                ++result_.both_refuse_otherwise;
            } else if (both) {
                ++result_.same;
            } else {
                --result_.calls;
            }
            return;
        }
        put(asked, is_rewritten, *kind, std::move(sides));
    }

    Comparison take() {
        for (auto& [key, group] : groups_) result_.groups.push_back(std::move(group));
        std::ranges::stable_sort(result_.groups, [](const Group& a, const Group& b) {
            return std::tuple(a.kind, -a.count) < std::tuple(b.kind, -b.count);
        });
        return std::move(result_);
    }

private:
    void put(const Case& asked, bool is_rewritten, Kind kind, std::array<Side, 2> sides) {
        Group& group = groups_[{kind, sides[0].phrase(kind), sides[1].phrase(kind),
                                sides[0].check_rule(), sides[1].check_rule()}];
        const std::array<std::vector<std::string>, 2> rules{rules_of(sides[0], sides[1]),
                                                            rules_of(sides[1], sides[0])};
        for (std::size_t k = 0; k < 2; ++k) {
            if (group.count == 0) {
                group.rules[k] = rules[k];
            } else {
                narrow(group.rules[k], rules[k]);
            }
        }
        if (kind == Kind::types) add_refused_types(asked, sides, group);
        const bool is_better = group.example == nullptr || (group.is_rewritten == is_rewritten
                                                                ? is_smaller(asked, *group.example)
                                                                : group.is_rewritten);
        ++group.count;
        if (is_better) {
            group.example = &asked;
            group.is_rewritten = is_rewritten;
            group.phrases = {sides[0].phrase(kind), sides[1].phrase(kind)};
            group.sides = std::move(sides);
        }
        group.kind = kind;
    }

    using Key = std::tuple<Kind, std::string, std::string, std::string, std::string>;

    Specified specified_;
    std::map<Key, Group> groups_;
    Comparison result_;
};

// --- words

std::string compare_command(const Group& group) {
    // Last: --dialect takes every word behind it for a file.
    std::string command =
        "gathercheck compare " + shell_word(group.example->id) + " " + dialect_options();
    command.pop_back();
    return command;
}

std::string side_text(const Side& side) {
    return side.answer ? side.answer->word + ": " + said_text(*side.answer)
                       : "no words: " + side.why_not;
}

std::string types_text(const Group& group) {
    std::string text;
    for (const auto& [input, types] : group.types) {
        text += (text.empty() ? "" : "; ") + input + " of";
        std::string between = " ";
        for (const std::string& type : types) {
            text += std::exchange(between, ", ") + type;
        }
    }
    return text;
}

std::string calls_text(std::int64_t count) { return count_of(count, "call"); }

std::string head_text(const Comparison& compared) {
    std::int64_t differ = 0;
    for (const Group& group : compared.groups) differ += group.count;
    const std::string a(name(compared.versions[0]));
    const std::string b(name(compared.versions[1]));
    std::string text = a + " and " + b + ": of " + calls_text(compared.calls) + ", " +
                       std::to_string(differ) + " differ in " +
                       count_of(static_cast<std::int64_t>(compared.groups.size()), "way") +
                       ", in " + std::to_string(compared.same) + " both say the same";
    if (compared.both_refuse_otherwise != 0) {
        text += ", and in " + std::to_string(compared.both_refuse_otherwise) +
                " both refuse, for other reasons";
    }
    text += ".";
    if (compared.not_compared != 0) {
        text += " " + calls_text(compared.not_compared) + " not compared for lack of memory.";
    }
    return text;
}

std::vector<std::string> shown_rules(const Group& group, std::size_t side) {
    constexpr std::size_t most = 3;
    std::vector<std::string> ids = group.rules[side];
    if (ids.size() > most) ids.resize(most);
    return ids;
}

std::set<std::string> all_shown(const Comparison& compared) {
    std::set<std::string> ids;
    for (const Group& group : compared.groups) {
        for (std::size_t k = 0; k < 2; ++k) {
            for (const std::string& id : shown_rules(group, k)) ids.insert(id);
        }
    }
    return ids;
}

std::string porting_text(const Comparison& compared, const RuleCatalogue& rules) {
    std::string text = paragraph(head_text(compared), "");
    std::optional<Kind> last;
    std::size_t number = 0;
    for (const Group& group : compared.groups) {
        if (group.kind != last) {
            text += "\n" + std::string(words_of(group.kind).second) + "\n";
            last = group.kind;
        }
        text +=
            "\n" +
            paragraph(std::to_string(++number) + ". " + calls_text(group.count) + ": " +
                          std::string(name(compared.versions[0])) + " " + group.phrases[0] + "; " +
                          std::string(name(compared.versions[1])) + " " + group.phrases[1],
                      "");
        if (!group.types.empty()) text += paragraph(types_text(group), "   ");
        text += "   the smallest:\n";
        for (const auto& [label, value] : call_rows(*group.example)) {
            text += paragraph(label + " " + value, "     ");
        }
        for (const Side& side : group.sides) {
            text += paragraph(std::string(name(side.version)) + ": " + side_text(side), "     ");
        }
        text += "     " + compare_command(group) + "\n";
        for (std::size_t k = 0; k < 2; ++k) {
            text += cited_text(cited_rules(shown_rules(group, k), rules), "   ");
        }
    }
    return text + documents_text(all_shown(compared), rules);
}

std::string porting_markdown(const Comparison& compared, const RuleCatalogue& rules) {
    const std::string a(name(compared.versions[0]));
    const std::string b(name(compared.versions[1]));
    std::string text =
        "# From " + a + " to " + b + "\n\n" + in_markdown(head_text(compared)) + "\n";
    std::optional<Kind> last;
    for (const Group& group : compared.groups) {
        if (group.kind != last) {
            text += "\n## " + std::string(words_of(group.kind).second) + "\n";
            last = group.kind;
        }
        text += "\n### " + a + " " + in_markdown(group.phrases[0]) + "; " + b + " " +
                in_markdown(group.phrases[1]) + "\n\n" + calls_text(group.count);
        if (!group.types.empty()) text += ": " + types_text(group);
        text += ". The smallest:\n\n";
        for (const auto& [label, value] : call_rows(*group.example)) {
            text += "- " + in_markdown(label) + " " + code_in_markdown(value) + "\n";
        }
        for (const Side& side : group.sides) {
            text += "- **" + std::string(name(side.version)) + "** " +
                    in_markdown(side_text(side)) + "\n";
        }
        text += "\n      " + compare_command(group) + "\n\n";
        for (std::size_t k = 0; k < 2; ++k) {
            text += cited_markdown(cited_rules(shown_rules(group, k), rules));
        }
    }
    return text + documents_markdown(all_shown(compared), rules);
}

std::string porting_json(const Comparison& compared, const RuleCatalogue& rules) {
    Json groups = Json::array();
    for (const Group& group : compared.groups) {
        Json call = Json::object();
        for (const auto& [label, value] : call_rows(*group.example)) call[label] = value;
        Json sides = Json::array();
        for (std::size_t k = 0; k < 2; ++k) {
            const Side& side = group.sides[k];
            Json one{{"operator", name(side.version)}, {"does", group.phrases[k]}};
            one["rules"] = rules_json(group.rules[k], rules);
            one["example"] = side.answer ? said_json(*side.answer)
                                         : Json{{"says", "no words"}, {"why", side.why_not}};
            sides.push_back(std::move(one));
        }
        Json object{{"kind", words_of(group.kind).first}, {"calls", group.count}};
        if (!group.types.empty()) object["types"] = group.types;
        object["sides"] = std::move(sides);
        object["example"] = {{"case", group.example->id},
                             {"title", group.example->title},
                             {"call", std::move(call)},
                             {"command", compare_command(group)}};
        groups.push_back(std::move(object));
    }
    Json operators = Json::array();
    for (const OperatorVersion version : compared.versions) operators.push_back(name(version));
    return shown_json(Json{{"operators", std::move(operators)},
                           {"calls", compared.calls},
                           {"same", compared.same},
                           {"both_refuse_for_other_reasons", compared.both_refuse_otherwise},
                           {"not_compared_for_lack_of_memory", compared.not_compared},
                           {"differences", std::move(groups)}}) +
           "\n";
}

int porting_verb(const PortingVerb& options) {
    std::array<OperatorVersion, 2> versions{};
    std::vector<std::string> names;
    for (const OperatorInfo& row : operator_versions()) names.emplace_back(row.name);
    for (std::size_t k = 0; k < 2; ++k) {
        const auto version = operator_version(options.versions[k]);
        if (!version) {
            return refuse("there is no operator version '" + options.versions[k] + "'" +
                          near_names(options.versions[k], names) +
                          "; `gathercheck list operators` shows them all");
        }
        versions[k] = *version;
    }
    if (versions[0] == versions[1]) {
        return refuse("both are " + options.versions[0] + "; name two operator versions");
    }
    // StableHLO's gather is asked the calls of the other by their dimension numbers.
    const bool is_borrowed = info(versions[0]).family == Family::stablehlo_gather;
    const Family family = info(versions[is_borrowed ? 1 : 0]).family;
    const Family other = info(versions[is_borrowed ? 0 : 1]).family;
    if (other != family && other != Family::stablehlo_gather) {
        std::string same;
        for (const OperatorInfo& row : operator_versions()) {
            if (row.family == family && row.version != versions[0]) {
                same += (same.empty() ? "" : ", ") + std::string(row.name);
            }
        }
        return refuse(options.versions[0] + " is of the family " + std::string(name(family)) +
                      " and " + options.versions[1] + " of " +
                      std::string(name(info(versions[1]).family)) +
                      ": a call of the one is none of the other; " + options.versions[0] +
                      " is compared with " + same);
    }
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    Differences differences(*loaded, versions);
    for (const Case& asked : loaded->suite.cases) {
        if (family_of(asked) == family) differences.add(asked);
    }
    const Comparison compared = differences.take();
    if (compared.calls == 0 && compared.bugs.empty()) {
        return refuse("the cases have no call of the family " + std::string(name(family)) +
                      "; give others by --cases, or leave that out for the shipped ones");
    }
    const std::string text = options.format == "json" ? porting_json(compared, loaded->rules)
                             : options.format == "markdown"
                                 ? porting_markdown(compared, loaded->rules)
                                 : porting_text(compared, loaded->rules);
    std::fputs(text.c_str(), stdout);
    for (const std::string& bug : compared.bugs) {
        std::fprintf(stderr,
                     "gathercheck: equations and reference disagree, which is a bug of "
                     "gathercheck: %s\n",
                     printable(bug).c_str());
    }
    return compared.bugs.empty() ? 0 : 3;
}

}  // namespace

void add_porting_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<PortingVerb>();
    const Verb verb = command.add_verb("porting",
                                       "In which calls two operator versions differ, and by which "
                                       "sentences");
    verb.add_option("operators", options->versions,
                    "Two operator versions of one family, or one and stablehlo.gather, as "
                    "`gathercheck list operators` has them")
        .required()
        .expected(2)
        .type_name("OPERATOR OPERATOR");
    add_cases(verb, options->cases);
    verb.add_option("--format", options->format,
                    "text, json (conformance/schemas/porting.schema.json) or markdown")
        .one_of({"text", "json", "markdown"})
        .show_default();
    verb.footer(
        "Examples:\n"
        "  gathercheck porting openvino.Gather-8 onnx.Gather-13\n"
        "  gathercheck porting onnx.GatherND-11 onnx.GatherND-13 --format markdown\n\n"
        "Every case of the family, those of sweeps too, is asked of both: as the case says where "
        "it names the version,\n"
        "else by the equations and the reference, which must agree, and by cases that are like it "
        "where the text leaves\n"
        "a point open. The axis goes where a version has it, and a batch_dims of 0 is left out "
        "where there is none.\n"
        "Of each way to differ the call with the fewest elements is shown.\n\n"
        "Exit code: 0 compared, whatever it shows; 3 equations and reference disagree; 4 bad input "
        "or usage.");
    verb.callback([options, &exit_code] { exit_code = porting_verb(*options); });
}

}  // namespace gathercheck
