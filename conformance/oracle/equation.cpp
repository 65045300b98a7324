// SPDX-License-Identifier: Apache-2.0
// Reading equations.json into programs, showing them, and assembling the output of an answer.
#include "conformance/oracle/equation.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "conformance/oracle/equation_program.hpp"
#include "conformance/util/json.hpp"
#include "reference/element_type.hpp"
#include "reference/shape.hpp"

namespace gathercheck {

struct Equations::Content {
    std::array<equation::Program, max_operator_versions> programs;
};

namespace {

using equation::Definition;
using equation::Expression;
using equation::Form;
using equation::NameKind;
using equation::Parameter;
using equation::ParameterKind;
using equation::Program;
using equation::Scope;
using equation::Segment;
using equation::TextFault;
using equation::Type;

constexpr std::array<std::string_view, 4> outsides{"error", "unspecified", "zero", "clamp"};

/// Reads the entry of one operator version. What is wrong goes to the problems; what would only
/// miss a name for that reason is not read.
class EntryReader {
public:
    explicit EntryReader(Problems& problems) : problems_(problems) {}

    Program read(const Json& entry, const Place& at) {
        Program program;
        const std::size_t before = problems_.added();
        if (const Json* parameters = object_at(entry, at, "parameters", problems_)) {
            read_parameters(*parameters, at.child("parameters"), program);
        }
        if (const Json* let = array_at(entry, at, "let", problems_)) {
            program.let = definitions(*let, at.child("let"), scope_);
        }
        if (problems_.added() != before) return program;  // the rest would only miss names
        if (const Json* forms = array_at(entry, at, "forms", problems_)) {
            read_forms(*forms, at.child("forms"), program);
        }
        if (const Json* index = object_at(entry, at, "index", problems_)) {
            read_index(*index, at.child("index"), program);
        }
        return program;
    }

private:
    /// The parsed text, or a default one and a problem that gives the column.
    template <class T>
    T taken(std::variant<T, TextFault> parsed, const std::string& text, const Place& at) {
        if (const auto* fault = std::get_if<TextFault>(&parsed)) {
            problems_.add(at, "column " + std::to_string(fault->position + 1) + " of " +
                                  in_quotes(text) + ": " + fault->reason);
            return T{};
        }
        return std::move(std::get<T>(parsed));
    }

    Expression expression(const Json& object, const Place& at, std::string_view key,
                          const Scope& scope, Type wanted) {
        const std::string* text = string_at(object, at, key, problems_);
        if (text == nullptr) return {};
        return taken(equation::parse_expression(*text, scope, wanted), *text, at.child(key));
    }

    void read_parameters(const Json& parameters, const Place& at, Program& program) {
        for (const auto& [name, value] : parameters.items()) {
            const Place place = at.child(name);
            if (!check_keys(value, place, {"from"}, {"kind", "default"}, problems_)) continue;
            Parameter parameter;
            parameter.name = name;
            if (const std::string* from = string_at(value, place, "from", problems_)) {
                parameter.from_input = *from == "input";
                if (*from != "input" && *from != "attribute") {
                    problems_.add(place.child("from"), in_quotes(*from) +
                                                           " is neither \"input\" nor "
                                                           "\"attribute\"");
                }
            }
            parameter.kind = read_kind(value, place);
            parameter.default_value = integer_at(value, place, "default", problems_);
            if (parameter.kind == ParameterKind::list && parameter.default_value) {
                problems_.add(place.child("default"), "a list has no default; remove it");
            }
            if (parameter.from_input && parameter.default_value) {
                problems_.add(place.child("default"), "an input has no default; remove it");
            }
            if (parameter.from_input && parameter.kind != ParameterKind::integer) {
                problems_.add(place.child("kind"), "an input holds an integer; remove the kind");
            }
            const bool is_list = parameter.kind == ParameterKind::list;
            parameter.slot =
                slot(scope_, name, place, is_list ? NameKind::list : NameKind::integer);
            program.parameters.push_back(std::move(parameter));
        }
    }

    ParameterKind read_kind(const Json& value, const Place& at) {
        const std::string* kind = string_at(value, at, "kind", problems_);
        if (kind == nullptr) return ParameterKind::integer;
        if (*kind == "list") return ParameterKind::list;
        if (*kind != "boolean") {
            problems_.add(at.child("kind"),
                          in_quotes(*kind) + " is neither \"list\" nor \"boolean\"");
        }
        return ParameterKind::truth;
    }

    std::size_t slot(Scope& scope, std::string_view name, const Place& at,
                     NameKind kind = NameKind::integer) {
        const auto defined = scope.define(name, kind);
        if (const auto* reason = std::get_if<std::string>(&defined)) {
            problems_.add(at, *reason);
            return 0;
        }
        return std::get<equation::Name>(defined).slot;
    }

    std::vector<Definition> definitions(const Json& list, const Place& at, Scope& scope) {
        std::vector<Definition> found;
        for (std::size_t k = 0; k < list.size(); ++k) {
            const Place place = at.child(k);
            if (!list[k].is_string()) {
                problems_.add(place, "expected a definition, found " + describe_json(list[k]));
                continue;
            }
            const auto& text = list[k].get_ref<const std::string&>();
            auto parsed = equation::parse_definition(text, scope);
            const bool defined = std::holds_alternative<Definition>(parsed);
            found.push_back(taken(std::move(parsed), text, place));
            if (!defined) break;  // the rest would only miss the name
        }
        return found;
    }

    void read_forms(const Json& forms, const Place& at, Program& program) {
        if (forms.empty()) problems_.add(at, "the list is empty; add a form");
        for (std::size_t k = 0; k < forms.size(); ++k) {
            const Place place = at.child(k);
            if (!check_keys(forms[k], place, {"shape", "output"}, {"when", "with"}, problems_)) {
                continue;
            }
            if (forms.size() > 1 && find_member(forms[k], "when") == nullptr) {
                problems_.add(place, "one of several forms needs the key \"when\"; add it");
            }
            program.forms.push_back(read_form(forms[k], place));
        }
    }

    Form read_form(const Json& form, const Place& at) {
        Form found;
        if (find_member(form, "when") != nullptr) {
            found.when = expression(form, at, "when", scope_, Type::truth);
        }
        found.shape = expression(form, at, "shape", scope_, Type::list);

        Scope scope = scope_;
        const std::string* output = string_at(form, at, "output", problems_);
        const Place output_place = at.child("output");
        if (output == nullptr) return found;
        found.equation = *output;
        auto left = equation::parse_left_side(*output, scope);
        const bool parsed = std::holds_alternative<std::vector<Segment>>(left);
        found.segments = taken(std::move(left), *output, output_place);
        if (!parsed) return found;  // the rest would only complain of names that it binds

        scope.index_values = true;
        const std::size_t before = problems_.added();
        if (const Json* with = array_at(form, at, "with", problems_)) {
            found.with = definitions(*with, at.child("with"), scope);
        }
        if (problems_.added() != before) return found;
        found.source = taken(equation::parse_right_side(*output, scope), *output, output_place);
        return found;
    }

    void read_index(const Json& index, const Place& at, Program& program) {
        if (!check_keys(index, at, {"size", "lowest", "highest", "value", "outside"}, {"along"},
                        problems_)) {
            return;
        }
        equation::IndexRange& range = program.index;
        if (find_member(index, "along") != nullptr) {
            range.along = expression(index, at, "along", scope_, Type::integer);
        }
        range.size = expression(index, at, "size", scope_, Type::list);
        Scope scope = scope_;
        range.size_slot = slot(scope, "s", at);
        range.lowest = expression(index, at, "lowest", scope, Type::integer);
        range.highest = expression(index, at, "highest", scope, Type::integer);
        range.value_slot = slot(scope, "v", at);
        range.value = expression(index, at, "value", scope, Type::integer);
        const Place outside_place = at.child("outside");
        const Json& outside = *find_member(index, "outside");
        const std::vector<std::string> words = outside.is_string()
                                                   ? std::vector{outside.get<std::string>()}
                                                   : strings_of(outside, outside_place, problems_);
        for (const std::string& word : words) {
            const auto known = std::ranges::find(outsides, word);
            if (known == outsides.end()) {
                problems_.add(outside_place, in_quotes(word) +
                                                 " is none of \"error\", \"unspecified\", "
                                                 "\"zero\", \"clamp\"");
            } else {
                range.outside.push_back(static_cast<Outside>(known - outsides.begin()));
            }
        }
        if (words.size() > 1 && std::ranges::count(range.outside, Outside::unspecified) != 0) {
            problems_.add(outside_place,
                          "\"unspecified\" allows everything; write it alone, or remove it");
        }
        if (words.empty()) range.outside.push_back(Outside::error);  // refused already
    }

    Problems& problems_;
    Scope scope_;
};

void read_operators(const Json& operators, const Place& at,
                    std::array<Program, max_operator_versions>& programs, Problems& problems) {
    std::array<bool, max_operator_versions> found{};
    for (std::size_t k = 0; k < operators.size(); ++k) {
        const Place place = at.child(k);
        const Json& entry = operators[k];
        if (!check_keys(entry, place, {"operator", "parameters", "let", "forms", "index"}, {},
                        problems)) {
            continue;
        }
        const std::string* name = string_at(entry, place, "operator", problems);
        if (name == nullptr) continue;
        const auto version = operator_version(*name);
        if (!version) {
            problems.add(place.child("operator"), in_quotes(*name) + " is no operator version");
            continue;
        }
        const auto number = static_cast<std::size_t>(*version);
        if (found[number]) {
            problems.add(place.child("operator"),
                         in_quotes(*name) + " has an entry already; remove one");
            continue;
        }
        found[number] = true;
        programs[number] = EntryReader(problems).read(entry, place);
    }
    for (const OperatorInfo& info : operator_versions().first(enumerated_version_count)) {
        if (!found[static_cast<std::size_t>(info.version)] && problems.empty()) {
            problems.add(at, std::string(info.name) + " has no entry; add one");
        }
    }
}

/// "gives zeros".
std::string_view meaning(Outside outside) {
    switch (outside) {
        case Outside::error:
            return "is an error";
        case Outside::unspecified:
            return "is nothing that a sentence decides";
        case Outside::zero:
            return "gives zeros";
        case Outside::clamp:
            return "is taken for the nearest one inside";
    }
    return {};
}

}  // namespace

std::string_view name(Outside outside) { return outsides[static_cast<std::size_t>(outside)]; }

Equations::Equations(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Equations::Equations(Equations&&) noexcept = default;
Equations& Equations::operator=(Equations&&) noexcept = default;
Equations::~Equations() = default;

std::variant<Equations, std::vector<Problem>> Equations::load(const std::filesystem::path& file) {
    constexpr std::size_t largest = std::size_t{1} << 20;
    const auto text = read_file(file, largest);
    if (const auto* problem = std::get_if<Problem>(&text)) return std::vector<Problem>{*problem};
    return load_text(std::get<std::string>(text), file.generic_string());
}

std::variant<Equations, std::vector<Problem>> Equations::load_text(std::string_view json,
                                                                   const std::string& file) {
    JsonResult document = parse_json(json, file);
    if (auto* refused = std::get_if<std::vector<Problem>>(&document)) return std::move(*refused);
    const Json& root = std::get<Json>(document);
    Problems problems(file);
    const Place top;
    auto content = std::make_unique<Content>();
    if (check_keys(root, top, {"operators"}, {}, problems)) {
        if (const Json* operators = array_at(root, top, "operators", problems)) {
            read_operators(*operators, top.child("operators"), content->programs, problems);
        }
    }
    if (!problems.empty()) return std::move(problems).take();
    return Equations(std::move(content));
}

std::variant<EquationAnswer, std::string> Equations::evaluate(const Call& call,
                                                              OutOfRange policy) const {
    return equation::evaluate(content_->programs[static_cast<std::size_t>(call.version)], call,
                              policy);
}

std::vector<std::int64_t> Equations::picks(const Call& call) const {
    return equation::picks(content_->programs[static_cast<std::size_t>(call.version)], call);
}

std::vector<Problem> Equations::add(OperatorVersion version, std::string_view json,
                                    const std::string& file, const std::string& pointer) {
    const auto moved = [&](std::vector<Problem> problems) {
        for (Problem& problem : problems) problem.pointer.insert(0, pointer);
        return problems;
    };
    const JsonResult document = parse_json(json, file);
    if (const auto* refused = std::get_if<std::vector<Problem>>(&document)) return moved(*refused);
    const Json& entry = std::get<Json>(document);
    Problems problems(file);
    const Place top;
    if (check_keys(entry, top, {"parameters", "let", "forms", "index"}, {}, problems)) {
        content_->programs[static_cast<std::size_t>(version)] =
            EntryReader(problems).read(entry, top);
    }
    return moved(std::move(problems).take());
}

std::span<const Outside> Equations::outside(OperatorVersion version) const {
    return content_->programs[static_cast<std::size_t>(version)].index.outside;
}

std::vector<std::string> Equations::text(OperatorVersion version) const {
    const Program& program = content_->programs[static_cast<std::size_t>(version)];
    std::vector<std::string> lines;
    for (const Parameter& parameter : program.parameters) {
        std::string line = parameter.name + " = the " +
                           (parameter.from_input ? "element of input " : "attribute ") +
                           parameter.name;
        if (parameter.default_value) {
            line += ", " + std::to_string(*parameter.default_value) + " if absent";
        }
        lines.push_back(std::move(line));
    }
    for (const Definition& definition : program.let) lines.push_back(definition.text);
    for (const Form& form : program.forms) {
        const std::string when = form.when ? "if " + form.when->text + ": " : "";
        lines.push_back(when + "output.shape = " + form.shape.text);
        lines.push_back(when + form.equation);
        for (const Definition& definition : form.with) {
            lines.push_back(when + "where " + definition.text);
        }
    }
    const equation::IndexRange& index = program.index;
    lines.push_back("an index v is checked against s in " + index.size.text +
                    (index.along ? " along dimension " + index.along->text : "") + ": " +
                    index.lowest.text + " <= v <= " + index.highest.text);
    lines.push_back("an index v stands for " + index.value.text);
    std::string outside;
    for (const Outside each : index.outside) {
        outside += (outside.empty() ? "" : ", or ") + std::string(meaning(each));
    }
    lines.push_back("an index outside its range " + outside);
    return lines;
}

Tensor assemble(const EquationAnswer& answer, const TensorView& data) {
    Tensor output;
    output.type = answer.output.type;
    output.shape = answer.output.shape;
    const std::vector<Source>& sources = answer.sources;
    if (element_count(output.shape) != std::ssize(sources)) return output;
    assert(data.type == output.type);

    if (output.type == ElementType::string) {
        std::vector<std::string> strings(sources.size());
        for (std::size_t k = 0; k < sources.size(); ++k) {
            if (sources[k].position < 0) continue;
            StringElement element;
            copy_element(ElementType::string, data.contents, sources[k].position,
                         reinterpret_cast<std::byte*>(&element), 0);
            strings[k] = element.view();
        }
        return string_tensor(output.shape, std::move(strings));
    }
    output.contents.resize(static_cast<std::size_t>(*byte_size(output.type, std::ssize(sources))));
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (sources[k].position < 0) continue;  // it is zero already
        copy_element(output.type, data.contents, sources[k].position, output.contents.data(),
                     static_cast<std::int64_t>(k));
    }
    return output;
}

}  // namespace gathercheck
